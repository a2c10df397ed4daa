//! `viewcell experiment sent`: what a server really sent, beside what the level says.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use schemars::JsonSchema;
use serde::Serialize;

use crate::simulate::culling::{CullingOptions, Method, cull, foreseen};
use crate::simulate::sent::{Body, Late, Sent};
use viewcell::query::World;
use viewcell_bake::visibility::solid::BodyTracer;
use viewcell_ingest::world::solid::{Aabb, Player, SolidLevel};
use viewcell_program::bake::hull;
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::level::LevelArgs;
use viewcell_program::output::Json;
use viewcell_program::simulate::csv;
use viewcell_program::{input, query, values};
use viewcell_simulate::field::Field;
use viewcell_simulate::trace::Trace;

/// What a server sent to whom, compared with who sees whom in the level
///
/// Compares with visibility of the other player's eye and of their box, in the same frame and one or two frames
/// before. For players who were sent and are not visible, and the other way round, it counts how many are dead, in
/// no cell, or at the edge of sight. With --solid it is also counted what a server would send by a bundle of `bake solid`.
///
/// Example: viewcell experiment sent --traces match.csv --level ps9ctf.bsp --solid ps9ctf.vcb --rtt 50
#[derive(clap::Args)]
pub(super) struct Args {
    /// The bundle of the level's clusters, from `bake cells --symmetry none` to match the engine
    #[arg(required_unless_present = "level", requires = "sent")]
    bundle: Option<PathBuf>,
    /// Movements of players: CSV with the columns t_ms,player,x,y,z,pitch_deg,yaw_deg,dead, and eye (its height above the
    /// origin) if known
    #[arg(long, value_name = "CSV")]
    traces: PathBuf,
    /// Who was sent to whom: CSV with the columns t_ms,player,sent (players separated by spaces), and bytes if
    /// known
    #[arg(long, value_name = "CSV", required_unless_present = "solid")]
    sent: Option<PathBuf>,
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
    /// With --level: so many instants between two frames are judged as well
    #[arg(long, value_name = "N", default_value_t = 0, requires = "level", value_parser = clap::value_parser!(u32).range(..=100))]
    between: u32,
    /// With --level: the box of a player's body, relative to the origin [default: that of the level's game]
    #[arg(
        long,
        value_name = "MINX,MINY,MINZ,MAXX,MAXY,MAXZ",
        allow_hyphen_values = true,
        value_parser = hull,
        requires = "level"
    )]
    hull: Option<Aabb>,
    /// With --level: a bundle of the same level from `bake solid`. Counts whom a server would send by its cells and by
    /// a watch, and what a frame takes
    #[arg(long, value_name = "BUNDLE", requires = "level")]
    solid: Option<PathBuf>,
    #[command(flatten)]
    culling: Culling,
    #[command(flatten)]
    json: Json,
}

/// How players move for those who look ahead, and what that may take.
#[derive(clap::Args)]
struct Culling {
    /// With --solid: speed at which players run
    #[arg(long, value_name = "SPEED", default_value_t = 320.0, requires = "solid", value_parser = values::positive)]
    speed: f64,
    /// With --solid: velocity that a hit adds to other players
    #[arg(long, value_name = "SPEED", default_value_t = 0.0, requires = "solid", value_parser = values::not_negative)]
    hit: f64,
    /// With --solid: how far recorded positions may be off. More where they were recorded at another rate than players move
    #[arg(long, value_name = "UNITS", default_value_t = 1.0, requires = "solid", value_parser = values::not_negative)]
    error: f64,
    /// With --solid: looks at boxes that a watch may take in a frame, of about a microsecond each; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 0, requires = "solid")]
    work: u32,
    /// With --solid: so many times as many players, each group at another time of the trace; what is sent is judged of one
    #[arg(long, value_name = "N", default_value_t = 1, requires = "solid", value_parser = clap::value_parser!(u32).range(1..=16))]
    copies: u32,
}

/// What `viewcell experiment sent --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment sent")]
pub(super) struct Document {
    /// Each method of deciding who sees whom; empty without a bundle.
    rows: Vec<Row>,
    /// By lines of sight; null without a level, and without a record.
    lines: Option<Lines>,
    /// What a server would send by each method; empty without a bundle of the level's solids.
    methods: Vec<MethodRow>,
}

/// What a server would send. Numbers count ordered pairs of living players and frames, unless it says otherwise.
#[derive(Serialize, JsonSchema)]
struct MethodRow {
    /// By what: `bake` for cells, or `watch`.
    method: &'static str,
    /// Who was sent, judged by lines of sight.
    lines: Lines,
    /// Players in the level.
    players: usize,
    /// Time of the processor for a frame, on average and at most. [Unit: us]
    us: [f64; 2],
    /// Positions of viewers at the end of what was looked ahead, and of others; and how many of these were outside of
    /// where they were taken to be able to come to.
    reached: [u64; 2],
    /// The same, outside.
    outside: [u64; 2],
    /// Late pairs of which both were where they had been taken to be able to come to.
    late_foreseen: usize,
    /// Of a watch: shares of all pairs that a proof of before hides; that were looked at; that cells hide; that were found
    /// in sight by the line of before.
    shares: Option<[f64; 4]>,
    /// Of a watch: looks in a frame.
    work: Option<f64>,
    /// Of a watch: the longest frame.
    longest: Option<Longest>,
}

/// The frame of a watch that took longest.
#[derive(Serialize, JsonSchema)]
struct Longest {
    /// Looks.
    work: u32,
    /// Ordered pairs of players.
    pairs: u32,
    /// Pairs that were looked at.
    looked: u32,
    /// Players who had just come to life or been put elsewhere.
    put: usize,
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
    let sent = args.sent.as_deref().map(read).transpose()?;
    let strangers = |path: &Path| {
        Failure::bad_input(format!(
            "{}: expected times and players of {}, found none of them",
            path.display(),
            args.traces.display()
        ))
    };
    let rows = match (&args.bundle, &sent) {
        (Some(bundle), Some(sent)) => agreement(args, bundle, sent, &trace)?,
        _ => Vec::new(),
    };
    let (mut lines, mut methods) = (None, Vec::new());
    if let Some(level) = &args.level {
        let level = args.reading.read(level)?.level;
        let judge = Judge::new(args, &level);
        lines = sent.as_ref().map(|sent| judge.judge(sent, &trace).0);
        if let Some(bundle) = &args.solid {
            methods = by_methods(args, bundle, &judge, &trace)?;
        }
    }
    if let Some(path) = &args.sent
        && (rows.iter().any(|row| row.all == 0)
            || lines.as_ref().is_some_and(|lines| lines.pairs == 0))
    {
        return Err(strangers(path));
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
        text.push_str(&lines.told());
    }
    for row in &methods {
        text.push_str(&row.told());
    }
    let document = || Document {
        rows,
        lines,
        methods,
    };
    args.json.tell(document, text.trim_end())
}

fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

impl Lines {
    fn told(&self) -> String {
        format!(
            "of {} pairs {:.1} % sent, {:.1} % in sight, {:.1} % of what is not in sight sent ({:.0} s)\n\
             at {} ms {} of {} pairs late ({} ms), in {} of {} frames\n",
            self.pairs,
            percent(self.sent, self.pairs),
            percent(self.in_sight, self.pairs),
            percent(self.exposed, self.pairs - self.in_sight),
            self.exposed_s,
            self.rtt,
            self.late,
            self.shown,
            self.late_ms,
            self.late_frames,
            self.frames,
        )
    }
}

impl MethodRow {
    fn told(&self) -> String {
        let [mean, longest] = self.us;
        let [eyes, bodies] = [0, 1].map(|k| percent(self.outside[k], self.reached[k]));
        let mut text = format!(
            "\n{}, {} players: {mean:.0} us a frame, at most {longest:.0}; outside of what was looked ahead {eyes:.2} % \
             of viewers, {bodies:.2} % of others\n{}of the late pairs {} had both within what was looked ahead\n",
            self.method,
            self.players,
            self.lines.told(),
            self.late_foreseen
        );
        if let (Some(shares), Some(work), Some(longest)) = (self.shares, self.work, &self.longest) {
            let [kept, looked, baked, in_sight] = shares.map(|share| 100.0 * share);
            text.push_str(&format!(
                "{kept:.1} % hidden by a proof of before; {looked:.1} % looked at: {baked:.1} % hidden by cells, \
                 {in_sight:.1} % in sight as before; {work:.0} looks a frame\n\
                 the longest frame: {} looks, {} of {} pairs looked at, {} players just put there\n",
                longest.work, longest.looked, longest.pairs, longest.put
            ));
        }
        text
    }
}

/// The record of who was sent to whom.
fn read(path: &Path) -> Result<Sent, Failure> {
    let file = input::open(path, input::LARGE)?;
    Sent::read(BufReader::new(file))
        .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}

/// What was sent beside what a bundle of clusters says.
fn agreement(args: &Args, bundle: &Path, sent: &Sent, trace: &Trace) -> Result<Vec<Row>, Failure> {
    let opened = query::open(bundle)?;
    let level = opened.cells()?;
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

/// Who is in sight of whom, by lines of sight through the level's solids.
struct Judge<'l> {
    bodies: BodyTracer<'l>,
    /// Height of the eye of those who stand.
    eye: f64,
    rtt: u64,
    between: u32,
}

impl<'l> Judge<'l> {
    fn new(args: &Args, level: &'l SolidLevel) -> Self {
        let [_, standing] = level.player.eye;
        let eye = args.eye.unwrap_or(standing);
        let player = Player::standing(args.hull.unwrap_or(level.player.hull), eye);
        Self {
            bodies: BodyTracer::new(level, player),
            eye,
            rtt: args.rtt,
            between: args.between,
        }
    }

    fn judge(&self, sent: &Sent, trace: &Trace) -> (Lines, Vec<Late>) {
        let found = sent.judge(trace, self.rtt, self.between, |viewer, other| {
            let [x, y, z] = viewer.at;
            let lower = self.eye - viewer.eye.unwrap_or(self.eye);
            let at = [x, y, z - lower];
            self.bodies.sees(at, other, &mut 0).is_some()
        });
        let late = found.late.len() as u64;
        let lines = Lines {
            rtt: self.rtt,
            pairs: found.pairs,
            sent: found.sent,
            in_sight: found.in_sight,
            exposed: found.exposed,
            exposed_s: (found.exposed * found.step) as f64 / 1000.0,
            shown: found.shown,
            late,
            late_ms: late * found.step,
            bytes: sent.bytes,
            late_frames: found.late_frames[0],
            frames: found.late_frames[1],
        };
        (lines, found.late)
    }
}

/// What a server would send by each method.
fn by_methods(
    args: &Args,
    bundle: &Path,
    judge: &Judge<'_>,
    trace: &Trace,
) -> Result<Vec<MethodRow>, Failure> {
    let opened = query::open(bundle)?;
    let level = opened.solid()?;
    let mut rows = Vec::new();
    for (method, name) in [(Method::Bake, "bake"), (Method::Watch, "watch")] {
        let options = CullingOptions {
            method,
            rtt: args.rtt,
            speed: args.culling.speed,
            hit: args.culling.hit,
            error: args.culling.error,
            work: args.culling.work,
            copies: args.culling.copies as usize,
        };
        let begun = ThreadTime::now();
        let clock = || begun.elapsed().as_secs_f64() * 1e6;
        let found = cull(trace, level, &options, clock).ok_or_else(|| {
            Failure::bad_input(format!(
                "{}: expected what hides in the level, and a trace of two frames or more; bake it again",
                bundle.display()
            ))
        })?;
        let counts = found.counts;
        let share = |part: u32| f64::from(part) / f64::from(counts.pairs.max(1));
        let is_watch = method == Method::Watch;
        let (lines, late) = judge.judge(&found.sent, trace);
        rows.push(MethodRow {
            method: name,
            lines,
            late_foreseen: foreseen(trace, &options, &late),
            players: options.copies * trace.players.len(),
            us: [found.time / found.frames.max(1) as f64, found.longest],
            reached: found.reached,
            outside: found.outside,
            shares: is_watch
                .then(|| [counts.kept, counts.looked, counts.baked, counts.in_sight].map(share)),
            work: is_watch.then(|| f64::from(counts.work) / found.frames.max(1) as f64),
            longest: is_watch.then(|| {
                let counts = found.longest_counts;
                Longest {
                    work: counts.work,
                    pairs: counts.pairs,
                    looked: counts.looked,
                    put: found.longest_put,
                }
            }),
        });
    }
    Ok(rows)
}
