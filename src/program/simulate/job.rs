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
    #[arg(long, hide_short_help = true, value_name = "EAST,SOUTH", value_parser = place, requires = "traces")]
    place: Option<EastSouth>,
    /// Without a trace: players move like those of this trace; other options of motion override it
    #[arg(long, value_name = "TRACE", conflicts_with = "traces")]
    like: Option<PathBuf>,
    /// Without a trace: number of players
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=1024), conflicts_with = "traces")]
    players: u16,
    /// Without a trace: where the players go
    #[arg(long, value_enum, default_value_t = Motion::Objectives, conflicts_with = "traces")]
    motion: Motion,
    /// Without a trace: for how long
    #[arg(long, value_name = "S", default_value = "600", value_parser = values::positive, conflicts_with = "traces")]
    seconds: f64,
    /// Seed of generated movements, and of lost packets
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Without a trace: repeat with this many seeds, from --seed on
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "traces")]
    repeat: u32,
    /// Without a trace: average speed of players, in metres or units a second
    #[arg(long, hide_short_help = true, value_name = "V", value_parser = values::positive, conflicts_with = "traces")]
    walk: Option<f64>,
    /// Without a trace: for how many seconds players stop on average
    #[arg(long, hide_short_help = true, value_name = "S", value_parser = values::not_negative, conflicts_with = "traces")]
    pause: Option<f64>,
    /// Without a trace: how often per minute each player dies
    #[arg(long, hide_short_help = true, value_name = "RATE", value_parser = values::not_negative, conflicts_with = "traces")]
    deaths: Option<f64>,
    /// Without a trace: for how many seconds players stay dead
    #[arg(long, hide_short_help = true, value_name = "S", value_parser = values::not_negative, conflicts_with = "traces")]
    respawn: Option<f64>,
    /// Frames a second, of clients and of the server
    #[arg(long, default_value = "10", value_parser = values::positive)]
    hz: f64,
    /// Round-trip time between a client and the server or two peers, in milliseconds; several values are assigned
    /// to players in turn
    #[arg(long, value_name = "MS,...", value_delimiter = ',', default_value = "0", value_parser = values::not_negative)]
    rtt: Vec<f64>,
    /// How much round-trip times differ: --rtt is the median of a log-normal distribution, and this the standard
    /// deviation of its logarithm, such as 0.5
    #[arg(long, hide_short_help = true, value_name = "SIGMA", default_value = "0", value_parser = values::not_negative)]
    rtt_spread: f64,
    /// Maximum additional delay in each direction, in milliseconds
    #[arg(long, value_name = "MS", default_value = "0", value_parser = values::not_negative)]
    jitter: f64,
    /// Percentage of packets that are lost
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    loss: f64,
    /// How many packets are lost in a row, on average
    #[arg(long, hide_short_help = true, value_name = "N", default_value = "1", value_parser = values::positive)]
    burst: f64,
    /// Bandwidth of each client up, and down; 0 for unlimited
    #[arg(long, hide_short_help = true, value_name = "KBIT/S", default_value = "0", value_parser = values::not_negative)]
    bandwidth: f64,
    /// With --bandwidth: the longest time that packets are queued; those that would wait longer are lost
    #[arg(long, hide_short_help = true, value_name = "MS", default_value = "100", value_parser = values::not_negative)]
    queue: f64,
    /// What decides who truly sees whom
    #[arg(long, value_enum, default_value_t = Truth::Places)]
    truth: Truth,
    /// The file of a solid level, in which lines of sight are traced for --truth lines and the scheme sight
    #[arg(long, value_name = "FILE")]
    level: Option<PathBuf>,
    /// Names of schemes to play; best is the recommended one
    #[arg(long = "scheme", value_name = "NAME", value_delimiter = ',')]
    schemes: Vec<String>,
    /// Height of the eye above a player's origin
    #[arg(long, hide_short_help = true, value_name = "H", allow_hyphen_values = true, value_parser = values::finite)]
    eye: Option<f64>,
    /// Players faster than this have not walked, but died or used a teleporter
    #[arg(long, hide_short_help = true, value_name = "V", value_parser = values::positive)]
    jump: Option<f64>,
    /// For schemes that look ahead: maximum speed of players [default: measured in the movements]
    #[arg(long, hide_short_help = true, value_name = "V", value_parser = values::not_negative)]
    speed: Option<f64>,
    /// For the look-ahead: maximum acceleration of players, in metres or units a second squared [default: measured
    /// in the movements]
    #[arg(long, hide_short_help = true, value_name = "A", value_parser = values::not_negative)]
    acceleration: Option<f64>,
    /// For the look-ahead: maximum sudden change of players' velocity, by jumps, knock-back and walls, in metres
    /// or units a second [default: measured in the movements]
    #[arg(long, hide_short_help = true, value_name = "V", value_parser = values::not_negative)]
    impulse: Option<f64>,
    /// For schemes that look ahead: a fixed time for all, with reaches of --speed in any direction [default: by
    /// each client's --rtt, with reaches by how players move]
    #[arg(long, hide_short_help = true, value_name = "MS", value_parser = values::not_negative)]
    ahead: Option<f64>,
    /// For the scheme by distance: its range
    #[arg(long, hide_short_help = true, value_name = "D", value_parser = values::positive)]
    distance: Option<f64>,
    /// For the scheme of zones: their side
    #[arg(long, hide_short_help = true, value_name = "D", value_parser = values::positive)]
    zone: Option<f64>,
    /// Also print what frontier sets could save at most, if all moves were known beforehand
    #[arg(long, hide_short_help = true)]
    bound: bool,
    // Its heading would go on over what comes after.
    #[command(flatten)]
    reading: LevelArgs,
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
    pub fn job(&self, all: &dyn Schemes) -> Result<Job, Failure> {
        let bundle = self.bundle.clone();
        let bundle = bundle.ok_or_else(|| Failure::usage("expected a bundle"))?;
        let schemes = if self.schemes.is_empty() {
            all_schemes(all)
        } else {
            self.schemes.clone()
        };
        let job = Job {
            bundle,
            traces: self.traces.first().cloned(),
            more_traces: self.traces.iter().skip(1).cloned().collect(),
            place: self.place.map(|place| place.0),
            like: self.like.clone(),
            respawn: self.respawn,
            players: self.players,
            motion: self.motion,
            seconds: self.seconds,
            seed: self.seed,
            repeat: self.repeat,
            walk: self.walk,
            pause: self.pause,
            deaths: self.deaths,
            hz: self.hz,
            rtt: self.rtt.iter().copied().fold(0.0, f64::max),
            rtts: match self.rtt.as_slice() {
                [_] => Vec::new(),
                several => several.to_vec(),
            },
            rtt_spread: self.rtt_spread,
            bandwidth: self.bandwidth,
            queue: self.queue,
            truth: self.truth,
            level: self.level.clone(),
            reading: self.reading.clone(),
            jitter: self.jitter,
            loss: self.loss,
            burst: self.burst,
            schemes,
            eye: self.eye,
            jump: self.jump,
            speed: self.speed,
            acceleration: self.acceleration,
            impulse: self.impulse,
            ahead: self.ahead,
            distance: self.distance,
            zone: self.zone,
            bound: self.bound,
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

/// Metres east and south of the first sample.
#[derive(Clone, Copy)]
struct EastSouth([f64; 2]);

fn place(text: &str) -> Result<EastSouth, String> {
    let place = values::numbers(text).and_then(|numbers| numbers.try_into().ok());
    place
        .map(EastSouth)
        .ok_or_else(|| "expected EAST,SOUTH in metres, with a comma between them".to_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = values::not_negative(text).ok().filter(|x| *x < 100.0);
    number.ok_or_else(|| "expected a percentage: 0 or more, less than 100".to_owned())
}

/// The names of all schemes.
pub fn all_schemes(all: &dyn Schemes) -> Vec<String> {
    let names = all.names().into_iter();
    names.map(|(name, _)| name.to_owned()).collect()
}
