//! `viewcell experiment sent`: what a server really sent, beside what the level says.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::World;
use viewcell_bake::visibility::solid::BodyTracer;
use viewcell_bake::world::solid::Player;
use viewcell_program::bake::Hull;
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::level::LevelArgs;
use viewcell_program::output::Json;
use viewcell_program::simulate::csv;
use viewcell_program::{input, query, values};
use viewcell_simulate::field::Field;
use viewcell_simulate::sent::{Body, Sent};
use viewcell_simulate::trace::Trace;

/// What a server sent to whom, compared with who sees whom in the level
///
/// Compares with visibility of the other player's eye and of their box, in the same frame and one or two frames
/// before. For players who were sent and are not visible, and the other way round, it counts how many are dead, in
/// no cell, or at the edge of sight.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The bundle of the level's clusters, from `bake cells --symmetry none` to match the engine
    #[arg(required_unless_present = "level")]
    bundle: Option<PathBuf>,
    /// Movements of players: CSV with the columns t_ms,player,x,y,z,pitch_deg,yaw_deg,dead
    #[arg(long, value_name = "CSV")]
    traces: PathBuf,
    /// Who was sent to whom: CSV with the columns t_ms,player,sent (players separated by blanks), and bytes if
    /// known
    #[arg(long, value_name = "CSV")]
    sent: PathBuf,
    /// Height of the eye above a player's origin [default: 26, or with --level that of the level's game]
    #[arg(long, value_name = "H", allow_hyphen_values = true, value_parser = values::finite)]
    eye: Option<f64>,
    /// The level itself, as for `bake solid`: count by lines of sight who was sent without need, and who too late
    #[arg(long, value_name = "LEVEL")]
    level: Option<PathBuf>,
    #[command(flatten)]
    reading: LevelArgs,
    /// With --level: round-trip time of clients, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0, requires = "level", value_parser = clap::value_parser!(u64).range(..=10_000))]
    rtt: u64,
    /// With --level: the box of a player's body, relative to the origin [default: that of the level's game]
    #[arg(
        long,
        value_name = "MINX,MINY,MINZ,MAXX,MAXY,MAXZ",
        allow_hyphen_values = true,
        requires = "level"
    )]
    hull: Option<Hull>,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment sent --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment sent")]
pub(super) struct Document {
    /// Each method of deciding who sees whom; empty without a bundle.
    rows: Vec<Row>,
    /// By lines of sight; null without a level.
    lines: Option<Lines>,
}

/// The record, judged by lines of sight. Numbers count ordered pairs of living players and frames, unless it says
/// otherwise.
#[derive(Serialize, JsonSchema)]
struct Lines {
    /// Round-trip time of clients. [Unit: ms]
    rtt: u64,
    /// All of them.
    pairs: u64,
    /// The one was sent the other.
    sent: u64,
    /// The one has the other in sight.
    in_sight: u64,
    /// Sent, and not in sight.
    exposed: u64,
    /// The same, in seconds of each pair.
    exposed_s: f64,
    /// The client had a snapshot.
    shown: u64,
    /// Of these, the other is in sight at the position of the snapshot, and not in the snapshot.
    late: u64,
    /// The same, in milliseconds of each pair.
    late_ms: u64,
    /// Size of all snapshots; null if the record has none. [Unit: bytes]
    bytes: Option<u64>,
    /// Frames of viewers in which somebody is late.
    late_frames: u64,
    /// All frames of viewers.
    frames: u64,
}

/// A method of deciding who sees whom. All numbers count pairs and frames.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// What is looked at of the other: `eye` or `box`.
    body: &'static str,
    /// How many frames earlier the tested positions are.
    lag: usize,
    /// All of them.
    all: u64,
    /// The share in which sent and visible agree.
    agree: f64,
    /// Sent and visible.
    both: u64,
    /// Neither.
    neither: u64,
    /// Sent, but not visible.
    sent_alone: u64,
    /// Of these, with one of the two dead.
    sent_dead: u64,
    /// Of these, with one of the two in no cell.
    sent_nowhere: u64,
    /// Of these, visible in the frame before or in the next.
    sent_near: u64,
    /// Visible, but not sent.
    visible_alone: u64,
    /// Of these, with one of the two dead.
    visible_dead: u64,
    /// Of these, not visible in the frame before or in the next.
    visible_near: u64,
}

pub(super) fn run(args: &Args) -> Outcome {
    let trace = csv(&args.traces)?;
    let path = args.sent.display();
    let file = input::open(&args.sent, input::LARGE)?;
    let sent = Sent::read(BufReader::new(file))
        .map_err(|error| Failure::bad_input(format!("{path}: {error}")))?;
    let strangers = || {
        Failure::bad_input(format!(
            "{path}: expected times and players of {}, found none of them",
            args.traces.display()
        ))
    };
    let rows = match &args.bundle {
        Some(bundle) => agreement(args, bundle, &sent, &trace)?,
        None => Vec::new(),
    };
    let lines = args
        .level
        .as_deref()
        .map(|level| judge(args, level, &sent, &trace));
    let lines = lines.transpose()?;
    if rows.iter().any(|row| row.all == 0) || lines.as_ref().is_some_and(|lines| lines.pairs == 0) {
        return Err(strangers());
    }
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str(
            "looked at  lag  agree %  sent, not visible: all  dead  nowhere   near  visible, not sent: all  \
             dead   near\n",
        );
    }
    for row in &rows {
        text.push_str(&format!(
            "{:<9} {:>4} {:>8.2} {:>23} {:>5} {:>8} {:>6} {:>23} {:>5} {:>6}\n",
            row.body,
            row.lag,
            100.0 * row.agree,
            row.sent_alone,
            row.sent_dead,
            row.sent_nowhere,
            row.sent_near,
            row.visible_alone,
            row.visible_dead,
            row.visible_near
        ));
    }
    if let Some(lines) = &lines {
        let percent = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        text.push_str(&format!(
            "of {} pairs {:.1} % sent, {:.1} % in sight, {:.1} % of what is not in sight sent ({:.0} s)\n\
             at {} ms {} of {} pairs late ({} ms), in {} of {} frames\n",
            lines.pairs,
            percent(lines.sent, lines.pairs),
            percent(lines.in_sight, lines.pairs),
            percent(lines.exposed, lines.pairs - lines.in_sight),
            lines.exposed_s,
            lines.rtt,
            lines.late,
            lines.shown,
            lines.late_ms,
            lines.late_frames,
            lines.frames,
        ));
    }
    args.json.tell(|| Document { rows, lines }, text.trim_end())
}

/// What was sent beside what a bundle of clusters says.
fn agreement(args: &Args, bundle: &Path, sent: &Sent, trace: &Trace) -> Result<Vec<Row>, Failure> {
    let map = query::open(bundle)?;
    let level = query::cells(bundle, &map)?;
    let field = Field::new(World::Cells(level));
    let Some(level) = field.level() else {
        return Err(Failure::usage("expected a level"));
    };
    let mut rows = Vec::new();
    for (body, name) in [(Body::Eye, "eye"), (Body::Box, "box")] {
        for lag in 0..3 {
            let found = sent.compare(level, trace, args.eye.unwrap_or(26.0), body, lag);
            rows.push(Row {
                body: name,
                lag,
                all: found.all(),
                agree: (found.both + found.neither) as f64 / found.all() as f64,
                both: found.both,
                neither: found.neither,
                sent_alone: found.sent_alone,
                sent_dead: found.sent_dead,
                sent_nowhere: found.sent_nowhere,
                sent_near: found.sent_near,
                visible_alone: found.visible_alone,
                visible_dead: found.visible_dead,
                visible_near: found.visible_near,
            });
        }
    }
    Ok(rows)
}

/// What was sent by lines of sight through the level's solids.
fn judge(args: &Args, level: &Path, sent: &Sent, trace: &Trace) -> Result<Lines, Failure> {
    let level = args.reading.read(level)?.level;
    let [_, standing] = level.player.eye;
    let player = Player::standing(
        args.hull.map_or(level.player.hull, |hull| hull.0),
        args.eye.unwrap_or(standing),
    );
    let bodies = BodyTracer::new(&level, player);
    let found = sent.judge(trace, args.rtt, |viewer, other| {
        bodies.sees(viewer, other, &mut 0).is_some()
    });
    Ok(Lines {
        rtt: args.rtt,
        pairs: found.pairs,
        sent: found.sent,
        in_sight: found.in_sight,
        exposed: found.exposed,
        exposed_s: (found.exposed * found.step) as f64 / 1000.0,
        shown: found.shown,
        late: found.late,
        late_ms: found.late * found.step,
        bytes: sent.bytes,
        late_frames: found.late_frames[0],
        frames: found.late_frames[1],
    })
}
