//! What `viewcell simulate --json` prints, and the table for people: as in table 2 of Steed and Angus, with what else is
//! counted.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_simulate::play::Play;
use viewcell_simulate::score::Bound as Least;
use viewcell_simulate::summary::{self, Figures};

use super::job::Job;
use crate::table::Table;

/// What `viewcell simulate --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell simulate")]
pub struct Document {
    /// Players.
    pub players: usize,
    /// Frames, of the first run.
    pub frames: usize,
    /// How long a run is, in seconds.
    pub seconds: f64,
    /// Number of runs with different seeds; figures are averages over them.
    pub runs: usize,
    /// The greatest speed of a walking player, in metres or units a second.
    pub greatest_speed: f64,
    /// How often a player was relocated: by death or a teleporter.
    pub jumps: u64,
    /// Positions outside all places of the bundle, counted per player and frame: in solid, in a void or outside.
    /// Such players are taken to be at their previous place.
    pub positions_nowhere: u64,
    /// All positions.
    pub positions: u64,
    /// The figures of each scheme.
    pub schemes: Vec<Scheme>,
    /// With `bound` of a job: the best that frontier sets could achieve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The options that repeat this run.
    pub job: Job,
}

/// The figures of a scheme.
#[derive(Serialize, JsonSchema)]
pub struct Scheme {
    /// Its name: `CS`, `CSA`, `NPP`, `PPP`, `FB` for those of Steed and Angus.
    pub name: String,
    /// Packets per frame, of all players and the server.
    pub packets_per_frame: f64,
    /// The same per player.
    pub packets_per_client_frame: f64,
    /// Those that players send, and those that the server sends.
    pub packets_up_down: [f64; 2],
    /// Bytes per frame and player, up and down, including headers of UDP and IP.
    pub bytes_per_client_frame: f64,
    /// Packets as a multiple of those of perfect peers.
    pub ratio_to_perfect: f64,
    /// Frames in which a visible player was not known to the one who sees them, over all pairs.
    pub late_frames: f64,
    /// The same within the time that a packet takes after one of the two was relocated, which cannot be predicted.
    /// Not included in `late_frames`.
    pub late_frames_after_jumps: f64,
    /// Average lateness in milliseconds; 0 if nobody was late.
    pub late_ms_mean: f64,
    /// The greatest lateness.
    pub late_ms_worst: f64,
    /// How often per minute a player was late, over all pairs.
    pub late_per_minute: f64,
    /// Seconds per minute in which a client knows where a player is whom it cannot see, on average over clients.
    pub exposed_seconds_per_minute: f64,
    /// Share of the players whom a client cannot see, but whose position it knows.
    pub exposed_share: f64,
    /// Their average distance, in metres or units.
    pub exposed_distance_mean: f64,
    /// Agreements on frontier sets per minute, over all pairs.
    pub negotiations_per_minute: f64,
    /// Frontier sets in force at the end.
    pub sets_in_force: f64,
    /// Bytes of memory of these; what several pairs share is counted once.
    pub set_bytes: f64,
    /// How many seconds frontier sets lasted.
    pub set_seconds: Spread,
    /// Packets lost.
    pub packets_lost: f64,
    /// Microseconds of processor time per frame, for all players.
    pub cpu_us_per_tick: f64,
    /// Packets per frame.
    pub packets: Spread,
    /// Bytes per frame and player.
    pub bytes: Spread,
}

/// A mean, and the spread around it.
#[derive(Serialize, JsonSchema)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The greatest.
    pub worst: f64,
    /// 95 % confidence interval of the mean: for one run by resampling stretches of ten seconds, for several runs
    /// by their variation.
    pub confidence: [f64; 2],
}

/// The best that frontier sets could achieve.
#[derive(Serialize, JsonSchema)]
pub struct Bound {
    /// How often a pair goes out of sight.
    pub out_of_sight: u64,
    /// The fewest agreements, if all moves were known beforehand.
    pub agreements: u64,
    /// Packets against those of perfect peers, at one packet for each agreement.
    pub ratio_with_one_packet: f64,
    /// The same at two packets.
    pub ratio_with_two_packets: f64,
}

/// Puts together what came of all runs.
pub fn document(
    job: &Job,
    play: &Play,
    bound: Option<&Least>,
    runs: &[Vec<(String, Figures)>],
) -> Document {
    let names = runs.first().map_or(&[][..], |run| run);
    let schemes = names.iter().enumerate().map(|(number, (name, _))| {
        let all: Vec<&Figures> = runs.iter().map(|run| &run[number].1).collect();
        scheme(name, play, &all)
    });
    Document {
        players: play.players,
        frames: play.frames,
        seconds: play.seconds(),
        runs: runs.len(),
        greatest_speed: play.speed,
        jumps: play.jumps,
        positions_nowhere: play.nowhere,
        positions: play.positions,
        schemes: schemes.collect(),
        bound: bound.map(|bound| Bound {
            out_of_sight: bound.out_of_sight,
            agreements: bound.agreements,
            ratio_with_one_packet: bound.ratio(1),
            ratio_with_two_packets: bound.ratio(2),
        }),
        job: job.clone(),
    }
}

fn scheme(name: &str, play: &Play, runs: &[&Figures]) -> Scheme {
    let mean = |of: &dyn Fn(&Figures) -> f64| {
        runs.iter().map(|run| of(run)).sum::<f64>() / runs.len().max(1) as f64
    };
    let packets = spread(runs, |run| run.packets_per_frame);
    let bytes = spread(runs, |run| run.bytes_per_client_frame);
    Scheme {
        name: name.to_owned(),
        packets_per_frame: packets.mean,
        packets_per_client_frame: packets.mean / play.players as f64,
        packets_up_down: [0, 1].map(|i| mean(&|run| run.up_down[i])),
        bytes_per_client_frame: bytes.mean,
        ratio_to_perfect: mean(&|run| run.ratio_to_perfect),
        late_frames: mean(&|run| run.late_frames as f64),
        late_frames_after_jumps: mean(&|run| run.late_jumps as f64),
        late_ms_mean: mean(&|run| run.late_ms_mean),
        late_ms_worst: runs.iter().map(|run| run.late_ms_worst).fold(0.0, f64::max),
        late_per_minute: mean(&|run| run.late_per_minute),
        exposed_seconds_per_minute: mean(&|run| run.exposed_seconds_per_minute),
        exposed_share: mean(&|run| run.exposed_share),
        exposed_distance_mean: mean(&|run| run.exposed_distance),
        negotiations_per_minute: mean(&|run| run.negotiations_per_minute),
        sets_in_force: mean(&|run| run.sets_in_force as f64),
        set_bytes: mean(&|run| run.set_bytes as f64),
        set_seconds: spread(runs, |run| run.set_seconds),
        packets_lost: mean(&|run| run.lost as f64),
        cpu_us_per_tick: mean(&|run| run.cpu_us_per_tick),
        packets,
        bytes,
    }
}

fn spread(runs: &[&Figures], of: impl Fn(&Figures) -> summary::Spread) -> Spread {
    let all: Vec<summary::Spread> = runs.iter().map(|run| of(run)).collect();
    let means: Vec<f64> = all.iter().map(|spread| spread.mean).collect();
    let (mean, confidence) = summary::of_runs(&means);
    let count = all.len().max(1) as f64;
    Spread {
        mean,
        p95: all.iter().map(|spread| spread.p95).sum::<f64>() / count,
        worst: all.iter().map(|spread| spread.worst).fold(0.0, f64::max),
        confidence: match all.as_slice() {
            [one] => one.confidence,
            _ => confidence,
        },
    }
}

pub fn table(document: &Document) -> String {
    let Document {
        players,
        frames,
        seconds,
        ..
    } = document;
    let mut text = format!("{players} players, {frames} frames, {seconds:.1} s");
    // Writing to a string does not fail.
    if document.runs > 1 {
        let _ = write!(text, ", averages of {} runs", document.runs);
    }
    if document.positions_nowhere > 0 {
        let _ = write!(
            text,
            "\n{} of {} positions are outside all places of the bundle, and count as the previous place",
            document.positions_nowhere, document.positions
        );
    }
    let head = [
        "scheme",
        "packets a frame",
        "of each client",
        "bytes of each",
        "ratio to perfect",
        "late frames",
        "late ms",
        "exposed s a min",
        "agreements a min",
        "work us",
    ];
    let rows = document.schemes.iter().map(|scheme| {
        vec![
            scheme.name.clone(),
            format!("{:.2}", scheme.packets_per_frame),
            format!("{:.2}", scheme.packets_per_client_frame),
            format!("{:.1}", scheme.bytes_per_client_frame),
            format!("{:.3}", scheme.ratio_to_perfect),
            format!("{:.0}", scheme.late_frames),
            format!("{:.1}", scheme.late_ms_mean),
            format!("{:.2}", scheme.exposed_seconds_per_minute),
            format!("{:.1}", scheme.negotiations_per_minute),
            format!("{:.1}", scheme.cpu_us_per_tick),
        ]
    });
    let _ = write!(text, "\n\n{}", Table::new(1, &head, rows));
    if let Some(bound) = &document.bound {
        let _ = write!(
            text,
            "\nWith all moves known beforehand, frontier sets take {} agreements: {:.4} times perfect \
             with one packet each, {:.4} with two.",
            bound.agreements, bound.ratio_with_one_packet, bound.ratio_with_two_packets
        );
    }
    text
}
