//! `viewcell experiment interest`: Liu's experiments on interest matching, and the entities that move in them.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use crate::interest::{
    Distribution, MatcherName, Measured, RunOptions, changes_of, measure, read_ticks,
};
use viewcell_bake::plan::free_memory;
use viewcell_program::exit::{Exit, Failure, Outcome};
use viewcell_program::output::{self, Json, Stdout};
use viewcell_program::progress::Seconds;
use viewcell_program::{input, values};

/// Interest matching: matchers compared on moving entities (Liu's thesis)
///
/// Each entity has an update region and a subscription region, cubes with a side of 1, and moves at a steady speed
/// of half to one and a half times the mean. In each tick a matcher reports which pairs of an update and a
/// subscription region begin to overlap and which cease to. The digest covers all these changes in order: it is
/// the same for all matchers.
///
/// With --regions, entities come from a file, and the changes are printed, one per line:
/// "tick,+|-,update,subscription", sorted by tick, then beginnings before ends, then by number. The file has the
/// header tick,region,kind,min_x,max_x,min_y,max_y,min_z,max_z; kind is u or s. A tick lists all regions that
/// exist in it. Corners are rounded to 32-bit floats; boxes that then touch overlap.
///
/// Example: viewcell experiment interest --entities 1000 --matcher brute,sorted,grid
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    play: PlayArgs,
    /// Matchers to run, separated by commas
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "grid"
    )]
    matcher: Vec<Matcher>,
    /// Threads of the matcher that can use several; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::threads)]
    threads: usize,
    /// Print the changes of these regions
    #[arg(long, value_name = "FILE", conflicts_with_all = ["entities", "speed", "ticks", "seed", "matcher", "space_time", "threads", "density", "world", "json"])]
    regions: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Matcher {
    /// Tests every pair
    Brute,
    /// I-Collide's table of pairs
    Lucid,
    /// Liu's sorted lists
    Sorted,
    /// The runtime's grid, for servers
    Grid,
}

/// What `viewcell experiment interest --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment interest")]
pub(super) struct Document {
    /// Entities, each with an update and a subscription region.
    entities: u32,
    /// Mean speed, in sides of a region a tick.
    speed: f64,
    /// Ticks that were measured.
    ticks: u32,
    /// The seed of all random numbers.
    seed: u64,
    /// Entities in a cube of a region's side.
    density: f64,
    /// Whether changes between ticks are reported.
    space_time: bool,
    /// Threads of the matcher that can use several.
    threads: usize,
    /// Each matcher.
    matchers: Vec<MatcherRow>,
}

/// One matcher.
#[derive(Serialize, JsonSchema)]
struct MatcherRow {
    /// `brute`, `lucid`, `sorted` or `grid`.
    name: &'static str,
    /// Mean time of a tick, in milliseconds: setting the positions of all regions, and matching.
    ms_per_tick: f64,
    /// The part of that for setting positions, by one thread.
    telling_ms_per_tick: f64,
    /// The same in processor time of all threads.
    processor_ms_per_tick: f64,
    /// Memory in use at the end.
    bytes: u64,
    /// Pairs that began to overlap, including those of the first tick, which is not measured.
    began: u64,
    /// Pairs that ceased to.
    ceased: u64,
    /// Digest of all changes in order, 16 hexadecimal digits.
    digest: String,
}

pub(super) fn run(args: &Args) -> Outcome {
    if let Some(file) = &args.regions {
        return print_changes(file);
    }
    let options = options(args)?;
    let mut matchers = Vec::new();
    for matcher in &args.matcher {
        if let Some(words) = foresee(matcher.name(), &options)? {
            output::say(words);
        }
        let measured = measure(matcher.name(), &options).map_err(Failure::resource)?;
        matchers.push(MatcherRow::new(&measured));
    }
    let document = Document {
        entities: args.play.entities,
        speed: args.play.speed,
        ticks: args.play.ticks,
        seed: args.play.seed,
        density: args.play.density,
        space_time: args.play.space_time,
        threads: options.threads,
        matchers,
    };
    let text = Table(&document).to_string();
    args.json.tell(|| &document, text.trim_end())?;
    let agree = |row: &MatcherRow| row.digest == document.matchers[0].digest;
    if document.matchers.iter().all(agree) {
        Ok(Exit::Done)
    } else {
        output::say("matchers do not say the same changes; the digests differ");
        Ok(Exit::No)
    }
}

fn options(args: &Args) -> Result<RunOptions, Failure> {
    let quadratic = |matcher: &Matcher| matches!(matcher, Matcher::Lucid);
    if args.play.entities > 20_000 && args.matcher.iter().any(quadratic) {
        return Err(Failure::resource(anyhow::anyhow!(
            "lucid: expected at most 20000 entities, found {}; its table holds every pair of \
                 regions, use another matcher",
            args.play.entities
        )));
    }
    args.play.options(match args.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    })
}

/// As many entities are tried before.
const TRIED: usize = 500;
/// What takes longer is said before. [Unit: s]
const WORTH_SAYING: f64 = 10.0;

/// What to say before work that is long, by a run of few entities and how time grows with their number. Refuses what
/// memory does not hold.
pub(super) fn foresee(
    matcher: MatcherName,
    options: &RunOptions,
) -> Result<Option<String>, Failure> {
    let tried = RunOptions {
        entities: TRIED,
        ticks: 1,
        ..*options
    };
    let times = options.entities as f64 / tried.entities as f64;
    if times <= 1.0 {
        return Ok(None);
    }
    let begun = Instant::now();
    let found = measure(matcher, &tried).map_err(Failure::resource)?;
    let tick = found.wall.as_secs_f64();
    let first = begun.elapsed().as_secs_f64() - tick;
    // All pairs overlap in one place; what sorts by insertion moves each entity past half of the others.
    let spot = options.distribution == Distribution::Spot;
    let (first_grows, tick_grows) = match matcher {
        _ if spot => (2.0, 2.0),
        MatcherName::Brute | MatcherName::Lucid => (2.0, 2.0),
        // The others that an entity passes in a tick grow with what lies in a slice of the world: n to the power of 2/3.
        MatcherName::Sorted => (2.0, 5.0 / 3.0),
        MatcherName::Grid => (1.0, 1.0),
    };
    let seconds =
        first * times.powf(first_grows) + f64::from(options.ticks) * tick * times.powf(tick_grows);
    let name = matcher.name();
    let is_square = spot || matcher == MatcherName::Lucid;
    let bytes = found.bytes as f64 * times.powf(if is_square { 2.0 } else { 1.0 });
    if let Some(free) = free_memory().filter(|&free| bytes > free as f64) {
        return Err(Failure::resource(anyhow::anyhow!(
            "{name}: about {:.1} GB are needed for {} entities, and {:.1} GB are free; give fewer --entities",
            bytes / 1e9,
            options.entities,
            free as f64 / 1e9
        )));
    }
    Ok((seconds > WORTH_SAYING).then(|| {
        format!(
            "{name}: about {} for {} entities and {} ticks, by a run of {TRIED} entities; fewer --entities or --ticks \
             take less",
            Seconds(seconds),
            options.entities,
            options.ticks
        )
    }))
}

fn print_changes(file: &Path) -> Outcome {
    let text = input::read_text(file, input::LARGE)?;
    let ticks = read_ticks(&text).map_err(Failure::bad_file(file))?;
    let mut lines = String::new();
    changes_of(&ticks, |tick, began, update, subscription| {
        let sign = if began { '+' } else { '-' };
        let _ = writeln!(lines, "{tick},{sign},{update},{subscription}");
    })
    .map_err(Failure::resource)?;
    let mut stdout = Stdout::lock();
    stdout.write(lines.as_bytes())?;
    stdout.finish()?;
    Ok(Exit::Done)
}

impl Matcher {
    fn name(self) -> MatcherName {
        match self {
            Self::Brute => MatcherName::Brute,
            Self::Lucid => MatcherName::Lucid,
            Self::Sorted => MatcherName::Sorted,
            Self::Grid => MatcherName::Grid,
        }
    }
}

impl MatcherRow {
    fn new(measured: &Measured) -> Self {
        Self {
            name: measured.matcher.name(),
            ms_per_tick: 1e3 * measured.wall.as_secs_f64(),
            telling_ms_per_tick: 1e3 * measured.telling.as_secs_f64(),
            processor_ms_per_tick: 1e3 * measured.processor.as_secs_f64(),
            bytes: measured.bytes as u64,
            began: measured.began,
            ceased: measured.ceased,
            digest: format!("{:016x}", measured.digest),
        }
    }
}

struct Table<'a>(&'a Document);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.0;
        writeln!(
            f,
            "{} entities, speed {}, {} ticks\n\n\
             matcher  ms a tick  processor ms        bytes       began      ceased  digest",
            document.entities, document.speed, document.ticks
        )?;
        for row in &document.matchers {
            writeln!(
                f,
                "{:<7} {:>10.3} {:>13.3} {:>12} {:>11} {:>11}  {}",
                row.name,
                row.ms_per_tick,
                row.processor_ms_per_tick,
                row.bytes,
                row.began,
                row.ceased,
                row.digest
            )?;
        }
        Ok(())
    }
}

/// What moves, and how.
#[derive(clap::Args)]
pub(super) struct PlayArgs {
    /// Entities
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub entities: u32,
    /// Mean speed, in sides of a region a tick
    #[arg(long, value_name = "SF", default_value_t = 0.5, value_parser = values::finite)]
    pub speed: f64,
    /// Ticks to measure
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub ticks: u32,
    /// Seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Also report what begins and ceases between ticks, with the times
    #[arg(long)]
    pub space_time: bool,
    /// Entities in a cube of a region's side
    #[arg(long, value_name = "D", default_value_t = 0.001, value_parser = values::finite)]
    pub density: f64,
    /// Distribution of the entities
    #[arg(long, value_name = "HOW", default_value = "even")]
    world: World,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum World {
    /// Uniformly at random
    Even,
    /// Half of them in a thousandth of the space
    Skewed,
    /// All in one place
    Spot,
    /// Along one axis
    Line,
    /// Sides from 1 to 10,000
    Sizes,
    /// Each at a new random place in each tick
    Teleports,
}

impl PlayArgs {
    /// The same for the library.
    pub(super) fn options(&self, threads: usize) -> Result<RunOptions, Failure> {
        let sound = |name: &str, value: f64, least: f64| {
            if value >= least && value <= 1e6 {
                return Ok(value);
            }
            Err(Failure::usage(format!(
                "--{name}: expected a number from {least} to 1000000, found {value}"
            )))
        };
        Ok(RunOptions {
            entities: self.entities as usize,
            speed: sound("speed", self.speed, 0.0)?,
            ticks: self.ticks,
            seed: self.seed,
            density: sound("density", self.density, 1e-9)?,
            distribution: self.world.distribution(),
            space_time: self.space_time,
            threads,
        })
    }
}

impl World {
    fn distribution(self) -> Distribution {
        match self {
            Self::Even => Distribution::Even,
            Self::Skewed => Distribution::Skewed,
            Self::Spot => Distribution::Spot,
            Self::Line => Distribution::Line,
            Self::Sizes => Distribution::Sizes,
            Self::Teleports => Distribution::Teleports,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 60,000 entities were matched for ten minutes and more without a word.
    #[test]
    fn what_takes_minutes_is_said_before_and_what_needs_more_memory_than_there_is_refused() {
        let options = |entities, distribution| RunOptions {
            entities,
            speed: 0.5,
            ticks: 100,
            seed: 0,
            density: 0.001,
            distribution,
            space_time: false,
            threads: 1,
        };
        let sorted = foresee(MatcherName::Sorted, &options(60_000, Distribution::Even));
        let words = sorted.unwrap().unwrap();
        assert!(words.starts_with("sorted: about "), "{words}");
        assert!(
            words.contains(" for 60000 entities and 100 ticks"),
            "{words}"
        );
        for entities in [400, 501] {
            let few = foresee(MatcherName::Grid, &options(entities, Distribution::Even));
            assert_eq!(few.unwrap(), None);
        }
        if free_memory().is_some() {
            let spot = foresee(MatcherName::Grid, &options(9_000_000, Distribution::Spot));
            assert!(spot.is_err(), "forty million million pairs");
        }
    }
}
