//! `viewcell experiment machines`: Liu's experiments on several machines (chapter 6).

use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use crate::interest::RunOptions;
use crate::interest::machines::{self, Lost, Play, RankOptions, run_local};
use viewcell_program::exit::{Exit, Failure, Outcome};
use viewcell_program::output::{self, Json};
use viewcell_program::values;

use super::interest::PlayArgs;

/// Interest matching by several ranks that own parts of space (Liu's thesis, chapter 6)
///
/// Entities are those of `experiment interest`. Space is divided into subdivisions, equally many for each rank.
/// Regions that move across a border go to its owner, and those that extend across one are copied. The rank with
/// most work gives subdivisions away if loads differ by more than a given share. All ranks together report what
/// one machine reports: the digest is the same for any number of them.
///
/// Ranks are threads. With --mpi, in a program built with the feature mpi, they are processes:
/// mpirun -n 4 viewcell experiment machines --mpi
///
/// Example: viewcell experiment machines --entities 1000 --ticks 20 --ranks 1,4
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    play: PlayArgs,
    /// Numbers of ranks, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2,4,8,16", value_parser = clap::value_parser!(u32).range(1..=1024))]
    ranks: Vec<u32>,
    /// Which rank gets work from the most loaded one; several policies separated by commas
    #[arg(
        long,
        value_name = "WHO",
        value_delimiter = ',',
        default_value = "none,node,neighbour"
    )]
    balance: Vec<Balance>,
    /// Share of the larger load by which two ranks must differ before work is given away (λ)
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = values::finite)]
    threshold: f64,
    /// Subdivisions along each axis
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=64))]
    cuts: u32,
    /// Be one of the ranks started by mpirun; needs a build with the feature mpi
    #[arg(long, conflicts_with = "ranks")]
    mpi: bool,
    #[command(flatten)]
    json: Json,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Balance {
    /// None
    None,
    /// The rank with the least work (algorithm 7)
    Node,
    /// The rank with the least work among those with adjacent subdivisions (algorithm 8)
    Neighbour,
}

/// What `viewcell experiment machines --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment machines")]
pub(super) struct Document {
    /// Entities, each with an update and a subscription region.
    entities: u32,
    /// Mean speed, in sides of a region a tick.
    speed: f64,
    /// Ticks after the first, in which all entities appear.
    ticks: u32,
    /// The seed of all random numbers.
    seed: u64,
    /// Whether changes between ticks are reported.
    space_time: bool,
    /// Subdivisions.
    subdivisions: u32,
    /// Share by which loads must differ before work is given away.
    threshold: f64,
    /// Whether ranks are processes that talk over MPI.
    mpi: bool,
    /// An entry for each number of ranks and each policy of sharing work.
    runs: Vec<Run>,
}

/// A number of ranks, and a policy of sharing work.
#[derive(Serialize, JsonSchema)]
struct Run {
    /// Number of ranks.
    ranks: u32,
    /// `none`, `node` or `neighbour`: who gets work.
    balance: &'static str,
    /// Mean time of a tick, in milliseconds, including messages.
    ms_per_tick: f64,
    /// Pairs that began to overlap.
    began: u64,
    /// Pairs that ceased to.
    ceased: u64,
    /// Digest of all changes in order, 16 hexadecimal digits.
    digest: String,
    /// Regions that moved to another rank.
    migrations: u64,
    /// Copies of regions that extend into another rank's subdivisions.
    ghosts: u64,
    /// Bytes that ranks sent each other.
    bytes_sent: u64,
    /// The greatest load of a rank, as a multiple of the mean load; averaged over all ticks.
    imbalance: f64,
    /// Subdivisions with no adjacent one of the same owner, at the end.
    isolated: usize,
}

pub(super) fn run(args: &Args) -> Outcome {
    if !(0.0..1.0).contains(&args.threshold) {
        return Err(Failure::usage(format!(
            "--threshold: expected a share of at least 0 and less than 1, found {}",
            args.threshold
        )));
    }
    let options = args.play.options(1)?;
    // All ways are laid down before the first tick, in each process.
    let places = options.entities as u64 * u64::from(options.ticks);
    if places > 100_000_000 {
        return Err(Failure::resource(anyhow::anyhow!(
            "--entities, --ticks: expected at most 100 million places, entities times ticks, found \
                 {places}; ask for fewer"
        )));
    }
    let play = Play::new(&options);
    let runs = match over_mpi(args, &play)? {
        Some(Ranks::Others) => return Ok(Exit::Done),
        Some(Ranks::First(runs)) => runs,
        None => {
            let mut runs = Vec::new();
            for &ranks in &args.ranks {
                for &balance in &args.balance {
                    let (space, rank) = (
                        play.space(args.cuts as usize, ranks as usize),
                        args.rank(balance),
                    );
                    let begun = Instant::now();
                    let found = run_local(ranks as usize, &space, rank, &play.kinds, &play.ticks);
                    let found = found.map_err(lost)?;
                    runs.push(Run::new(ranks, balance, begun, &found, &options));
                }
            }
            runs
        }
    };
    let document = Document {
        entities: args.play.entities,
        speed: args.play.speed,
        ticks: args.play.ticks,
        seed: args.play.seed,
        space_time: args.play.space_time,
        subdivisions: args.cuts.pow(3),
        threshold: args.threshold,
        mpi: args.mpi,
        runs,
    };
    args.json.tell(|| &document, table(&document).trim_end())?;
    let same = |run: &Run| run.digest == document.runs[0].digest;
    if document.runs.iter().all(same) {
        return Ok(Exit::Done);
    }
    output::say("runs do not say the same changes; the digests differ");
    Ok(Exit::No)
}

/// Whose the process is, of several.
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "there is one process")
)]
enum Ranks {
    First(Vec<Run>),
    Others,
}

#[cfg(not(feature = "mpi"))]
fn over_mpi(args: &Args, _: &Play) -> Result<Option<Ranks>, Failure> {
    if args.mpi {
        Err(Failure::usage(
            "--mpi: this program was built without MPI; build one that has it with cargo install \
             --path . --locked --features mpi (it needs libopenmpi-dev and libclang-dev)",
        ))
    } else {
        Ok(None)
    }
}

/// This process's part; none if it is all there is.
#[cfg(feature = "mpi")]
fn over_mpi(args: &Args, play: &Play) -> Result<Option<Ranks>, Failure> {
    use machines::{Mpi, Transport, run_rank};

    if !args.mpi {
        return Ok(None);
    }
    let mut end = Mpi::begin().ok_or_else(|| Failure::usage("--mpi: MPI was started already"))?;
    let options = args.play.options(1)?;
    let ranks = end.ranks();
    let mut runs = Vec::new();
    for &balance in &args.balance {
        let begun = Instant::now();
        let space = play.space(args.cuts as usize, ranks);
        let found = run_rank(
            &mut end,
            &space,
            args.rank(balance),
            &play.kinds,
            &play.ticks,
        );
        if let Some(found) = found.map_err(lost)? {
            runs.push(Run::new(ranks as u32, balance, begun, &found, &options));
        }
    }
    Ok(Some(match end.rank() {
        0 => Ranks::First(runs),
        _ => Ranks::Others,
    }))
}

fn lost(lost: Lost) -> Failure {
    Failure::resource(lost)
}

impl Args {
    fn rank(&self, balance: Balance) -> RankOptions {
        RankOptions {
            space_time: self.play.space_time,
            balance: match balance {
                Balance::None => machines::Balance::None,
                Balance::Node => machines::Balance::Node,
                Balance::Neighbour => machines::Balance::Neighbour,
            },
            threshold: self.threshold,
        }
    }
}

impl Run {
    fn new(
        ranks: u32,
        balance: Balance,
        begun: Instant,
        found: &machines::Outcome,
        options: &RunOptions,
    ) -> Self {
        let (began, ceased, digest) = found.told(options.space_time);
        Self {
            ranks,
            balance: match balance {
                Balance::None => "none",
                Balance::Node => "node",
                Balance::Neighbour => "neighbour",
            },
            ms_per_tick: 1e3 * begun.elapsed().as_secs_f64() / f64::from(options.ticks + 1),
            began,
            ceased,
            digest: format!("{digest:016x}"),
            migrations: found.migrations,
            ghosts: found.ghosts,
            bytes_sent: found.bytes,
            imbalance: found.imbalance,
            isolated: found.isolated,
        }
    }
}

fn table(document: &Document) -> String {
    let mut text = format!(
        "{} entities, speed {}, {} ticks, {} subdivisions\n\n\
         ranks balance    ms a tick     began    ceased  migrations     ghosts  bytes sent  imbalance  isolated  digest\n",
        document.entities, document.speed, document.ticks, document.subdivisions
    );
    for run in &document.runs {
        text += &format!(
            "{:>5} {:<9} {:>10.3} {:>9} {:>9} {:>11} {:>10} {:>11} {:>10.2} {:>9}  {}\n",
            run.ranks,
            run.balance,
            run.ms_per_tick,
            run.began,
            run.ceased,
            run.migrations,
            run.ghosts,
            run.bytes_sent,
            run.imbalance,
            run.isolated,
            run.digest
        );
    }
    text
}
