//! What is simulated: from the command line, or from the document of a run before.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::exit::Failure;
use crate::level::LevelArgs;
use crate::output::is_stream;
use crate::{input, moved, values};
use viewcell::query::MotionLimits;
use viewcell_simulate::field::Field;
use viewcell_simulate::motion::{Model, MotionOptions};
use viewcell_simulate::network::Network;
use viewcell_simulate::play::Play;
use viewcell_simulate::scheme::Schemes;

/// The options of a run.
#[derive(clap::Args)]
pub struct Options {
    /// The bundle
    #[arg(required_unless_present = "job_file")]
    bundle: Option<PathBuf>,
    /// Movements of players: CSV with the columns t_ms,player,x,y,z,pitch_deg,yaw_deg,dead; a demo of a QuakeWorld
    /// server (.mvd); or on a terrain several GPX tracks separated by commas, one per player
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    traces: Vec<PathBuf>,
    /// With GPX tracks: where the middle of each is placed, in metres east and south of the first sample [default:
    /// their geographic position]
    #[arg(long, hide_short_help = true, value_name = "EAST,SOUTH", value_parser = values::two, requires = "traces")]
    place: Option<[f64; 2]>,
    /// Without a trace: players move like those of this trace; other options of motion override it
    #[arg(long, value_name = "TRACE", conflicts_with = "traces")]
    like: Option<PathBuf>,
    /// Without a trace: number of players
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=1024), conflicts_with = "traces")]
    players: u16,
    /// Without a trace: where the players go, and how: waypoints, each to random places; objectives, each between a
    /// few points, by shortest paths; squads, the same in groups of four, in which three follow one
    ///
    /// After it may come, as in objectives,walk=5,pause=2: walk, their average speed, in metres or units a second;
    /// pause, for how many seconds they stop on average; deaths, how often per minute each dies; respawn, for how many
    /// seconds they stay dead.
    #[arg(long, value_name = "KIND[,walk=V,...]", default_value = "objectives", value_parser = motion, conflicts_with = "traces")]
    motion: Movement,
    /// Without a trace: for how long
    #[arg(long, value_name = "S", default_value = "600", value_parser = values::positive, conflicts_with = "traces")]
    seconds: f64,
    /// Seed of generated movements, and of lost packets; without a trace also a range, such as 1..20, of which each
    /// is played
    #[arg(long, value_name = "N[..M]", default_value = "1", value_parser = seeds)]
    seed: (u64, u32),
    /// Frames a second, of clients and of the server
    #[arg(long, default_value = "10", value_parser = values::positive)]
    hz: f64,
    /// Round-trip time between a client and the server or two peers, in milliseconds; several values are assigned
    /// to players in turn
    ///
    /// After them may come spread=SIGMA: then they are medians of a log-normal distribution, and this is the standard
    /// deviation of its logarithm, such as 0.5; and jitter=MS, the maximum additional delay in each direction.
    #[arg(long, value_name = "MS,...[,jitter=MS]", default_value = "0", value_parser = round_trips)]
    rtt: (Vec<f64>, [f64; 2]),
    /// Percentage of packets that are lost, and how many in a row, on average [default: 0,1]
    #[arg(long, value_name = "PERCENT[,ROW]", default_value = "0", hide_default_value = true, value_parser = loss)]
    loss: [f64; 2],
    /// Bandwidth of each client up, and down; 0 for unlimited. Packets that would be queued for longer than the second
    /// number are lost [default: 0,100]
    #[arg(long, hide_short_help = true, value_name = "KBIT/S[,MS]", default_value = "0", hide_default_value = true, value_parser = bandwidth)]
    bandwidth: [f64; 2],
    /// What decides who truly sees whom
    #[arg(long, value_enum, default_value_t = Truth::Places)]
    truth: Truth,
    /// The file of a solid level, in which lines of sight are traced for --truth lines and the scheme sight
    #[arg(long, value_name = "FILE")]
    level: Option<PathBuf>,
    /// Names of schemes to play; best is the recommended one. Two take a length: distance=200, its range; zones=64,
    /// their side
    #[arg(long = "scheme", value_name = "NAME[=D]", value_delimiter = ',')]
    schemes: Vec<String>,
    /// Height of the eye above a player's origin
    #[arg(long, hide_short_help = true, value_name = "H", value_parser = values::finite)]
    eye: Option<f64>,
    /// Players faster than this have not walked, but died or used a teleporter
    #[arg(long, hide_short_help = true, value_name = "V", value_parser = values::positive)]
    jump: Option<f64>,
    /// For schemes that look ahead: maximum speed of players [default: measured in the movements]
    ///
    /// After it, or instead, may come acceleration=A, their maximum acceleration, in metres or units a second squared, and
    /// impulse=V, the maximum sudden change of their velocity, by jumps, knock-back and walls.
    #[arg(long, hide_short_help = true, value_name = "V[,impulse=V,...]", default_value = "", hide_default_value = true, value_parser = limits)]
    speed: [Option<f64>; 3],
    /// For schemes that look ahead: a fixed time for all, with reaches of --speed in any direction [default: by
    /// each client's --rtt, with reaches by how players move]
    #[arg(long, hide_short_help = true, value_name = "MS", value_parser = values::not_negative)]
    ahead: Option<f64>,
    /// With --level: the game's folder, as for viewcell bake solid; what else is to be known to read it, the bundle says
    #[arg(long, value_name = "DIR", requires = "level")]
    pack: Option<PathBuf>,
}

/// How made-up players move.
#[derive(Clone, Copy)]
struct Movement {
    kind: Motion,
    /// Speed, seconds of a stop, deaths a minute, seconds until a player is back.
    numbers: [Option<f64>; 4],
}

fn motion(text: &str) -> Result<Movement, String> {
    let (kind, numbers) = values::named(text, ["walk", "pause", "deaths", "respawn"])?;
    if numbers[0] == Some(0.0) {
        return Err("walk: expected a finite number above 0".to_owned());
    }
    let kind = kind.map_or(Ok(Motion::Objectives), |kind| {
        let found = Motion::from_str(&kind, false);
        found.map_err(|_| format!("expected waypoints, objectives or squads, found {kind:?}"))
    });
    Ok(Movement {
        kind: kind?,
        numbers,
    })
}

/// The first seed, and how many.
fn seeds(text: &str) -> Result<(u64, u32), String> {
    const MOST: u64 = 1000;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = first.trim().parse().ok().zip(last.trim().parse().ok());
    let more = |(first, last): (u64, u64)| Some((first, last.checked_sub(first)?));
    match range.and_then(more) {
        Some((first, more)) if more < MOST => Ok((first, more as u32 + 1)),
        _ => Err(format!(
            "expected a seed, or up to {MOST}: the first..the last"
        )),
    }
}

/// Percentage, and packets in a row.
fn loss(text: &str) -> Result<[f64; 2], String> {
    let found = values::one_or_two(text).map(|(percent, row)| [percent, row.unwrap_or(1.0)]);
    let found = found.filter(|[percent, row]| (0.0..100.0).contains(percent) && *row > 0.0);
    found.ok_or(
        "expected a percentage, 0 or more and less than 100, or it and how many in a row, above 0"
            .to_owned(),
    )
}

/// Kilobits a second, and milliseconds of a queue.
fn bandwidth(text: &str) -> Result<[f64; 2], String> {
    let found = values::one_or_two(text).map(|(rate, queue)| [rate, queue.unwrap_or(100.0)]);
    let found = found.filter(|numbers| numbers.iter().all(|number| *number >= 0.0));
    found.ok_or("expected KBIT/S or KBIT/S,MS: finite numbers from 0 up".to_owned())
}

/// Round-trip times, how much they differ, and the jitter.
fn round_trips(text: &str) -> Result<(Vec<f64>, [f64; 2]), String> {
    let is_named = |part: &&str| part.contains('=');
    let (named, times): (Vec<&str>, Vec<&str>) = text.split(',').partition(is_named);
    let times = times.into_iter().map(values::not_negative);
    let more = match named.is_empty() {
        true => [None; 2],
        false => values::named(&named.join(","), ["spread", "jitter"])?.1,
    };
    Ok((
        times.collect::<Result<_, _>>()?,
        more.map(|of| of.unwrap_or(0.0)),
    ))
}

/// Speed, acceleration, impulse.
fn limits(text: &str) -> Result<[Option<f64>; 3], String> {
    if text.is_empty() {
        return Ok([None; 3]);
    }
    let (speed, [acceleration, impulse]) = values::named(text, ["acceleration", "impulse"])?;
    let speed = speed
        .map(|speed| values::not_negative(&speed))
        .transpose()?;
    Ok([speed, acceleration, impulse])
}

/// Names of schemes without their lengths, and the lengths of `distance` and `zones`.
fn lengths(schemes: &[String]) -> Result<(Vec<String>, [Option<f64>; 2]), Failure> {
    let mut lengths = [None; 2];
    let mut name = |scheme: &String| {
        let Some((name, length)) = scheme.split_once('=') else {
            return Ok::<_, Failure>(scheme.clone());
        };
        let fail = |words: &str| Failure::usage(format!("--scheme {scheme}: {words}"));
        let at = ["distance", "zones"]
            .iter()
            .position(|other| *other == name);
        let at = at.ok_or_else(|| fail("expected a length of distance or zones; leave it out"))?;
        lengths[at] = Some(values::positive(length).map_err(|words| fail(&words))?);
        Ok(name.to_owned())
    };
    let names = schemes.iter().map(&mut name).collect::<Result<_, _>>()?;
    Ok((names, lengths))
}

/// Where made-up players go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Each to random places
    Waypoints,
    /// Each between a few points, by shortest paths
    Objectives,
    /// The same in groups of four, in which three follow one
    Squads,
}

/// What decides who truly sees whom.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// What the bundle says about the two places
    #[default]
    Places,
    /// In a level also a line of sight from the eye to the other's eye, feet or shoulders; in a solid level, whose
    /// file is given, to 24 points of the body
    Lines,
}

/// A run: what it takes to do it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The bundle.
    #[serde(serialize_with = "crate::output::names")]
    pub bundle: PathBuf,
    /// The trace; null for generated players.
    #[serde(serialize_with = "crate::output::names")]
    pub traces: Option<PathBuf>,
    /// More GPX tracks.
    #[serde(default)]
    #[serde(serialize_with = "crate::output::names")]
    pub more_traces: Vec<PathBuf>,
    /// Where the middle of each track is placed, in metres east and south.
    #[serde(default)]
    pub place: Option<[f64; 2]>,
    /// The trace whose motion is imitated; null for none.
    #[serde(default)]
    #[serde(serialize_with = "crate::output::names")]
    pub like: Option<PathBuf>,
    /// Number of generated players.
    pub players: u16,
    /// Where they go.
    pub motion: Motion,
    /// For how many seconds.
    pub seconds: f64,
    /// Seed of movements, and of lost packets.
    pub seed: u64,
    /// Number of seeds.
    pub repeat: u32,
    /// Their average speed; null for that of people.
    pub walk: Option<f64>,
    /// For how many seconds they stop.
    pub pause: Option<f64>,
    /// How often per minute they die.
    pub deaths: Option<f64>,
    /// For how many seconds they stay dead.
    #[serde(default)]
    pub respawn: Option<f64>,
    /// Frames a second.
    pub hz: f64,
    /// Round-trip time, in milliseconds.
    pub rtt: f64,
    /// Round-trip times of players in turn; empty if all have the same.
    #[serde(default)]
    pub rtts: Vec<f64>,
    /// Standard deviation of the logarithm of players' round-trip times.
    #[serde(default)]
    pub rtt_spread: f64,
    /// Maximum additional delay in each direction, in milliseconds.
    pub jitter: f64,
    /// Percentage of packets that are lost.
    pub loss: f64,
    /// Packets lost in a row, on average.
    pub burst: f64,
    /// Bandwidth of each client in kilobits a second, up and down; 0 for unlimited.
    #[serde(default)]
    pub bandwidth: f64,
    /// The longest time that packets are queued, in milliseconds.
    #[serde(default)]
    pub queue: f64,
    /// What decides who truly sees whom.
    #[serde(default)]
    pub truth: Truth,
    /// The file of a solid level, in which lines of sight are traced.
    #[serde(default)]
    #[serde(serialize_with = "crate::output::names")]
    pub level: Option<PathBuf>,
    /// How it is read.
    #[serde(default)]
    pub reading: LevelArgs,
    /// Names of schemes.
    pub schemes: Vec<String>,
    /// Height of the eye above a player's origin; null for that of the level's game.
    pub eye: Option<f64>,
    /// Players faster than this have not walked.
    pub jump: Option<f64>,
    /// For schemes that look ahead: maximum speed of players.
    pub speed: Option<f64>,
    /// For the look-ahead: maximum acceleration.
    #[serde(default)]
    pub acceleration: Option<f64>,
    /// For the look-ahead: maximum sudden change of velocity.
    #[serde(default)]
    pub impulse: Option<f64>,
    /// For schemes that look ahead: by how many milliseconds, if fixed.
    pub ahead: Option<f64>,
    /// For the scheme by distance: its range.
    pub distance: Option<f64>,
    /// For the scheme of zones: their side.
    pub zone: Option<f64>,
    /// Whether to print what could be saved at most.
    pub bound: bool,
}

impl Options {
    /// What they ask for.
    pub fn job(&self, all: &dyn Schemes, bound: bool) -> Result<Job, Failure> {
        let bundle = self.bundle.clone();
        let bundle = bundle.ok_or_else(|| Failure::usage("expected a bundle"))?;
        let (named, [distance, zone]) = lengths(&self.schemes)?;
        let schemes = if named.is_empty() {
            all_schemes(all)
        } else {
            named
        };
        let (seed, repeat) = self.seed;
        if repeat > 1 && !self.traces.is_empty() {
            return Err(Failure::usage(
                "--seed: expected one with --traces, found several; movements of a trace are the same with each",
            ));
        }
        let [walk, pause, deaths, respawn] = self.motion.numbers;
        let [loss, burst] = self.loss;
        let (rtts, [rtt_spread, jitter]) = &self.rtt;
        let [bandwidth, queue] = self.bandwidth;
        let [speed, acceleration, impulse] = self.speed;
        let job = Job {
            bundle,
            traces: self.traces.first().cloned(),
            more_traces: self.traces.iter().skip(1).cloned().collect(),
            place: self.place,
            like: self.like.clone(),
            players: self.players,
            motion: self.motion.kind,
            seconds: self.seconds,
            seed,
            repeat,
            walk,
            pause,
            deaths,
            respawn,
            hz: self.hz,
            rtt: rtts.iter().copied().fold(0.0, f64::max),
            rtts: match rtts.as_slice() {
                [_] => Vec::new(),
                several => several.to_vec(),
            },
            rtt_spread: *rtt_spread,
            bandwidth,
            queue,
            truth: self.truth,
            level: self.level.clone(),
            reading: LevelArgs {
                pack: self.pack.clone(),
                ..LevelArgs::default()
            },
            jitter: *jitter,
            loss,
            burst,
            schemes,
            eye: self.eye,
            jump: self.jump,
            speed,
            acceleration,
            impulse,
            ahead: self.ahead,
            distance,
            zone,
            bound,
        };
        job.check(all, "--scheme").map(|()| job)
    }
}

impl Job {
    fn check(&self, all: &dyn Schemes, named: &str) -> Result<(), Failure> {
        let fault = |what: String| Err(Failure::usage(what));
        check_schemes(&self.schemes, all, named)?;
        let frames = self.seconds * self.hz * f64::from(self.players);
        if self.traces.is_none() && frames > MOST_SPOTS {
            return fault(format!(
                "expected at most {MOST_SPOTS:.0} places of players, found {frames:.0}: fewer \
                 --players, --seconds or --hz"
            ));
        }
        check_hz(self.hz)
    }

    /// How packets travel.
    pub fn network(&self) -> Network {
        Network {
            rtt: self.rtt,
            rtts: self.rtts.clone(),
            spread: self.rtt_spread,
            jitter: self.jitter,
            loss: self.loss / 100.0,
            burst: self.burst,
            bandwidth: (self.bandwidth > 0.0).then_some(self.bandwidth),
            queue: self.queue,
        }
    }

    /// How far ahead is safe: a position may be as old, when the next arrives. [Unit: ms]
    pub fn safe(&self, play: &Play, seed: u64) -> f64 {
        let lost = if self.loss > 0.0 { 2.0 } else { 0.0 };
        self.network().longest(play.players, seed) + (2.0 + lost) * play.step
    }

    /// How players may move: as these limits say but for what the options do.
    pub fn limits(&self, usual: MotionLimits) -> MotionLimits {
        let or = |option: Option<f64>, usual| option.map_or(usual, |limit| [limit; 2]);
        MotionLimits {
            speed: or(self.speed, usual.speed),
            acceleration: or(self.acceleration, usual.acceleration),
            impulse: or(self.impulse, usual.impulse),
            error: usual.error,
        }
    }

    /// How players are made up in the run of this number.
    pub fn motion(&self, field: &Field, number: u32) -> MotionOptions {
        let model = match self.motion {
            Motion::Waypoints => Model::Waypoints,
            Motion::Objectives => Model::Objectives,
            Motion::Squads => Model::Squads,
        };
        let usual = MotionOptions::usual(field, model);
        MotionOptions {
            players: self.players.into(),
            seconds: self.seconds,
            hz: self.hz,
            seed: self.seed.wrapping_add(u64::from(number)),
            speed: self.walk.unwrap_or(usual.speed),
            pause: self.pause.unwrap_or(usual.pause),
            deaths: self.deaths.unwrap_or(usual.deaths),
            respawn: self.respawn.unwrap_or(usual.respawn),
            ..usual
        }
    }
}

/// Places of players, one a frame, that are kept in memory. Some 5 GB.
const MOST_SPOTS: f64 = 1e8;
/// Frames a second.
const MOST_HZ: f64 = 1000.0;

/// Fails for names that are none, and for one that is there twice.
pub fn check_schemes(schemes: &[String], all: &dyn Schemes, named: &str) -> Result<(), Failure> {
    let all = all_schemes(all);
    if let Some(name) = schemes.iter().find(|name| !all.contains(name)) {
        let moved = moved::scheme(name);
        return Err(Failure::usage(moved.unwrap_or_else(|| {
            format!("{named} {name}: expected one of {}", all.join(", "))
        })));
    }
    let mut seen = std::collections::HashSet::new();
    match schemes.iter().find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(Failure::usage(format!(
            "{named} {twice}: expected each scheme once, found it twice"
        ))),
        None => Ok(()),
    }
}

/// Fails for frames a second that no machine makes.
pub fn check_hz(hz: f64) -> Result<(), Failure> {
    if hz > 0.0 && hz <= MOST_HZ {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--hz {hz}: expected more than 0, up to {MOST_HZ}"
    )))
}

/// Reads the options of a run before: its document, or what stands in it under `job`.
pub fn read(path: &Path, all: &dyn Schemes) -> Result<Job, Failure> {
    #[derive(Deserialize)]
    struct Told {
        job: Job,
    }
    let text = input::read_text_or_stdin(path, input::SMALL)?;
    let told = serde_json::from_str::<Told>(&text).map(|told| told.job);
    let job = told.or_else(|_| serde_json::from_str::<Job>(&text));
    let mut job = job.map_err(|error| {
        Failure::bad_input(format!(
            "{}: expected what viewcell simulate --json prints: {error}",
            path.display()
        ))
    })?;
    if !is_stream(path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = [&mut job.bundle].into_iter();
        let files = files.chain(&mut job.traces).chain(&mut job.more_traces);
        // The level's name is one within the packs.
        let level = match &mut job.reading.pack {
            Some(pack) => Some(pack),
            None => job.level.as_mut(),
        };
        files
            .chain(&mut job.like)
            .chain(level)
            .for_each(|file| *file = folder.join(&*file));
    }
    job.check(all, "schemes").map(|()| job)
}

/// The names of all schemes.
pub fn all_schemes(all: &dyn Schemes) -> Vec<String> {
    let names = all.names().into_iter();
    names.map(|(name, _)| name.to_owned()).collect()
}
