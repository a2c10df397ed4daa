//! `viewcell simulate`: what a bundle is worth, on real players and on made-up ones.

pub(super) mod document;
mod job;
mod report;
pub(super) mod ways;

use std::path::{Path, PathBuf};
use std::time::Duration;

use viewcell_bake::bundle;
use viewcell_simulate::field::{Field, Lines};
use viewcell_simulate::fit::limits;
use viewcell_simulate::play::{Play, PlayOptions};
use viewcell_simulate::run::{Outcome as Played, RunError, RunOptions, run as play_schemes};
use viewcell_simulate::scheme::{SchemeOptions, Schemes, Usual};
use viewcell_simulate::score::bound;
use viewcell_simulate::summary::{Figures, figures};
use viewcell_view::live::Players;

use super::exit::{Exit, Failure, Outcome};
use super::level::{Traced, player_of};
use super::output::{self, Json};
use super::query::{self, Opened};
use document::Document;

pub use job::Job;
pub use ways::csv;

/// Simulate what a bundle saves a game, and what a wall-hack still shows
///
/// Plays the movements of players through schemes that decide who is sent whose position. Counts packets, bytes, who
/// is told too late and who is told too much.
///
/// Example: viewcell simulate dm2.vcb --traces play.csv --rtt 150
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Repeat a run: take the options from a document that --json printed
    #[arg(long = "job", value_name = "FILE", conflicts_with = "bundle")]
    job_file: Option<PathBuf>,
    /// Write one page of HTML, with charts
    #[arg(short, long, value_name = "REPORT.html")]
    output: Option<PathBuf>,
    /// Write the generated or read movements, as a trace in CSV
    #[arg(long, value_name = "CSV")]
    write_trace: Option<PathBuf>,
    /// Also send everything as datagrams over the loopback interface, and fail if the bytes differ from those
    /// counted, or if anybody is later
    #[arg(long, hide_short_help = true)]
    loopback: bool,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    job: job::Options,
}

#[derive(clap::Subcommand)]
enum Verb {
    Fit(ways::FitArgs),
}

pub fn run(args: &Args) -> Outcome {
    run_with(args, &Usual, false)
}

/// The same with other schemes to choose from, and with what frontier sets could save at most, if that is asked for.
pub fn run_with(args: &Args, schemes: &dyn Schemes, bound: bool) -> Outcome {
    if let Some(Verb::Fit(args)) = &args.verb {
        return ways::fit(args);
    }
    let mut job = match &args.job_file {
        None => args.job.job(schemes, bound)?,
        Some(file) => job::read(file, schemes)?,
    };
    let inputs: Vec<&Path> = [&job.bundle]
        .into_iter()
        .chain(&job.traces)
        .chain(&job.more_traces)
        .chain(&job.like)
        .chain(&job.level)
        .map(PathBuf::as_path)
        .collect();
    let outputs = args.output.iter().chain(&args.write_trace);
    output::check_outputs(&inputs, outputs, args.force)?;
    let opened = query::open(&job.bundle)?;
    if job.level.is_some() {
        job.reading = job.reading.of_bundle(&job.bundle)?;
    }
    let level = job.level.as_deref();
    let level = level.map(|level| job.reading.read(level)).transpose()?;
    let bodies = match (&job.level, &level) {
        (Some(file), Some(read)) => {
            let bundle = opened.solid_of(file, read)?;
            Some(Traced::new(&read.level, player_of(&bundle)))
        }
        _ => None,
    };
    let lines = bodies.as_ref().map(|bodies| bodies as &dyn Lines);
    let field = field(&opened, lines)?;
    check(&job, &field)?;
    if args.loopback && !job.network().is_instant() {
        return Err(Failure::usage(
            "--loopback: expected no --rtt, --loss and --bandwidth: the loopback is a network of \
             its own",
        ));
    }
    let write_trace = args.write_trace.as_deref().map(|path| (path, args.force));
    let simulated = simulate(&job, schemes, &opened, &field, write_trace)?;
    if args.loopback {
        loopback(&job, schemes, &field, &simulated.play)?;
    }
    let document = &simulated.document;
    if let Some(path) = &args.output {
        let further = further(&job, &field, &simulated.play)?;
        let latencies = latencies(&job, schemes, &field, &simulated.play)?;
        let checksum = bundle::info(&job.bundle)?.checksum;
        let page = report::page(document, &further, &latencies, &simulated.lasted, checksum)?;
        bundle::save(path, page.as_bytes(), args.force)?;
    }
    args.json
        .tell(|| document, document::table(document).trim_end())
}

/// Fails where a job asks for what its field has not.
fn check(job: &Job, field: &Field) -> Result<(), Failure> {
    let bundle = job.bundle.display();
    if job.truth == job::Truth::Lines && field.lines().is_none() {
        return Err(Failure::usage(match field.solid() {
            Some(_) => format!(
                "--truth lines: expected --level with the file of {bundle}, in which lines of \
                 sight are traced"
            ),
            None => format!(
                "--truth lines: expected a level, in which lines of sight are traced between \
                 points, found {bundle}, a terrain; leave it out"
            ),
        }));
    }
    if field.solid().is_some() {
        if job.traces.is_none() {
            return Err(Failure::usage(format!(
                "{bundle}: expected --traces, since movements in a solid level cannot be generated"
            )));
        }
        if job.eye.is_some() {
            return Err(Failure::usage(format!(
                "--eye: {bundle} is of a solid level, which has its own eye heights; leave it out"
            )));
        }
    }
    Ok(())
}

/// What came of a job.
struct Simulated {
    document: Document,
    /// The paths of the first run.
    play: Play,
    /// How long the frontier sets of each scheme lasted in the first run. [Unit: s]
    lasted: Vec<(String, Vec<f64>)>,
}

/// What the look-ahead comes to by how far it looks, up to twice what is safe.
fn further(job: &Job, field: &Field, play: &Play) -> Result<report::Further, Failure> {
    let safe = job.safe(play, job.seed);
    let mut found = Vec::new();
    for part in [0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0] {
        let job = Job {
            schemes: vec!["look-ahead".to_owned()],
            ahead: Some(part * safe),
            ..job.clone()
        };
        let figures = play_job(&job, &Usual, field, play, 0)?;
        found.extend(
            figures
                .into_iter()
                .map(|(_, figures)| (part * safe, figures)),
        );
    }
    Ok(found)
}

/// What all schemes come to by the time there and back.
fn latencies(
    job: &Job,
    schemes: &dyn Schemes,
    field: &Field,
    play: &Play,
) -> Result<report::Latencies, Failure> {
    let at = |rtt: f64| {
        let job = Job {
            rtt,
            rtts: Vec::new(),
            ..job.clone()
        };
        Ok((rtt, play_job(&job, schemes, field, play, 0)?))
    };
    [0.0, 50.0, 100.0, 150.0].into_iter().map(at).collect()
}

/// What a bundle is of.
fn field<'a>(opened: &'a Opened, lines: Option<&'a dyn Lines>) -> Result<Field<'a>, Failure> {
    opened.check_locates()?;
    Ok(Field::new(*opened.world()).with_lines(lines))
}

/// Runs a job, as often as it says.
fn simulate(
    job: &Job,
    schemes: &dyn Schemes,
    opened: &Opened,
    field: &Field,
    write_trace: Option<(&Path, bool)>,
) -> Result<Simulated, Failure> {
    let eye = match job.eye {
        Some(eye) => eye,
        None => usual_eye(&job.bundle, field)?,
    };
    let mut runs = Vec::new();
    let mut told = None;
    for number in 0..job.repeat {
        let jump = job.jump.unwrap_or_else(|| usual_jump(field));
        let trace = ways::ways(job, opened, field, number, [eye, jump])?;
        if let (0, Some((path, force))) = (number, write_trace) {
            bundle::save(path, trace.write().as_bytes(), force)?;
        }
        let options = PlayOptions {
            hz: job.hz,
            eye,
            jump,
        };
        let play = Play::new(&trace, field, &options).map_err(|error| {
            let file = job.traces.as_deref().unwrap_or(&job.bundle);
            Failure::bad_input(format!("{}: {error}", file.display()))
        })?;
        let figures = play_job(job, schemes, field, &play, number)?;
        if number == 0 {
            let bound = job.bound.then(|| bound(field, &play));
            told = Some((play, bound));
        }
        runs.push(figures);
    }
    let (play, bound) = told.ok_or_else(|| Failure::usage("repeat 0: expected 1 or more"))?;
    let first = runs.first().map_or(&[][..], |run| run);
    let lasted = first
        .iter()
        .map(|(name, figures)| (name.clone(), figures.lasted.clone()));
    Ok(Simulated {
        document: document::document(job, &play, bound.as_ref(), &runs),
        lasted: lasted.collect(),
        play,
    })
}

/// Plays all schemes on one run's paths.
fn play_job(
    job: &Job,
    schemes: &dyn Schemes,
    field: &Field,
    play: &Play,
    number: u32,
) -> Result<Vec<(String, Figures)>, Failure> {
    let options = options(job, field, play, number);
    // What perfect peers send is what others are measured by, asked for or not.
    let mut names = job.schemes.clone();
    let added = !names.iter().any(|name| name == "PPP");
    if added {
        names.push("PPP".into());
    }
    let outcomes = play_schemes(field, play, schemes, &names, &options).map_err(failure)?;
    let perfect = outcomes.iter().find(|outcome| outcome.name == "PPP");
    let perfect = perfect.map_or(0, |outcome| outcome.packets.iter().sum());
    let shown = outcomes.len() - usize::from(added);
    Ok(outcomes[..shown]
        .iter()
        .map(|outcome| (outcome.name.clone(), figures(outcome, play, perfect)))
        .collect())
}

/// How schemes are played in the run of a number.
fn options(job: &Job, field: &Field, play: &Play, number: u32) -> RunOptions {
    let network = job.network();
    let seed = job.seed.wrapping_add(u64::from(number));
    let usual = usual_run(field, play);
    RunOptions {
        scheme: SchemeOptions {
            distance: job.distance.unwrap_or(usual.scheme.distance),
            zone: job.zone.unwrap_or(usual.scheme.zone),
            speed: job.speed.unwrap_or(usual.scheme.speed),
            ahead: job.ahead.unwrap_or_else(|| job.safe(play, seed)),
            instant: network.is_instant(),
            limits: match (job.ahead, usual.scheme.limits) {
                (None, Some(limits)) => Some(job.limits(limits)),
                _ => None,
            },
        },
        network,
        lines: job.truth == job::Truth::Lines,
        seed,
        ..usual
    }
}

/// How schemes are played on a network on which all arrives at once.
fn usual_run(field: &Field, play: &Play) -> RunOptions {
    let (distance, zone) = if field.terrain().is_some() {
        (200.0, 100.0)
    } else {
        (as_asked(field, 1000.0), as_asked(field, 512.0))
    };
    let scheme = SchemeOptions {
        distance,
        zone,
        ahead: 2.0 * play.step,
        limits: Some(limits(play)),
        ..SchemeOptions::new(play.speed)
    };
    RunOptions {
        clock: || cpu_time::ThreadTime::now().as_duration(),
        ..RunOptions::new(scheme)
    }
}

/// The players of a trace or a demo, to be looked at on a bundle.
pub fn players(
    bundle: &Path,
    trace: &Path,
    hz: f64,
    schemes: Vec<String>,
) -> Result<Players, Failure> {
    let schemes = if schemes.is_empty() {
        job::all_schemes(&Usual)
    } else {
        schemes
    };
    job::check_schemes(&schemes, &Usual, "--scheme")?;
    job::check_hz(hz)?;
    let opened = query::open(bundle)?;
    let field = field(&opened, None)?;
    Ok(Players {
        trace: ways::recorded(trace)?,
        path: trace.to_owned(),
        options: PlayOptions {
            hz,
            eye: usual_eye(bundle, &field)?,
            jump: usual_jump(&field),
        },
        schemes,
        run: usual_run,
    })
}

/// How long datagrams over the loopback may take for each scheme.
const LOOPBACK: Duration = Duration::from_secs(120);

/// Plays each scheme again, with datagrams, and sees to it that all is as it was counted.
fn loopback(job: &Job, schemes: &dyn Schemes, field: &Field, play: &Play) -> Result<(), Failure> {
    let counted = options(job, field, play, 0);
    let sent = RunOptions {
        loopback: Some(LOOPBACK),
        ..counted.clone()
    };
    for name in &job.schemes {
        let names = std::slice::from_ref(name);
        let play = |options| play_schemes(field, play, schemes, names, options).map_err(failure);
        let [counted, sent] =
            [play(&counted)?, play(&sent)?].map(|played| played.into_iter().next());
        let (Some(counted), Some(sent)) = (counted, sent) else {
            continue;
        };
        let total = |played: &Played| {
            let sum = |sides: [u64; 2]| sides[0] + sides[1];
            [sum(played.packets), sum(played.bytes)]
        };
        let carried = sent.carried.unwrap_or_default();
        let late = [&counted, &sent].map(|played| played.score.late_frames);
        if sent.lost > 0 || carried != total(&counted) || late[1] > late[0] {
            return Err(Failure::new(
                Exit::No,
                anyhow::anyhow!(
                    "{name}, over the loopback: expected {:?} packets and bytes and {} late frames, as \
                     counted, found {carried:?} and {}, and {} lost",
                    total(&counted),
                    late[0],
                    late[1],
                    sent.lost
                ),
            ));
        }
        output::say(format_args!(
            "{name}: {} datagrams and {} bytes over the loopback, as counted",
            carried[0], carried[1]
        ));
    }
    Ok(())
}

fn failure(error: RunError) -> Failure {
    match error {
        RunError::NoScheme(..) => Failure::usage(format!("--scheme: {error}")),
        RunError::Loopback(name, error) => Failure::io(format!("{name}: the loopback"), error),
    }
}

/// How far the eye is above the origin of a player, by the game that the level is of.
fn usual_eye(path: &Path, field: &Field) -> Result<f64, Failure> {
    // Positions on a terrain have no height, and in a solid level they are those of origins.
    if field.level().is_none() {
        return Ok(0.0);
    }
    let made = bundle::info(path)?.provenance;
    // Quake III and OpenArena; Quake and Quake II have 22.
    let is_third = made.is_some_and(|made| made.input.format.starts_with("IBSP46"));
    Ok(if is_third { 26.0 } else { 22.0 })
}

/// Who is faster than this has been put somewhere else.
fn usual_jump(field: &Field) -> f64 {
    if field.terrain().is_some() {
        60.0
    } else {
        as_asked(field, 2000.0)
    }
}

/// A length in units of a level, in those that it is asked with.
fn as_asked(field: &Field, length: f64) -> f64 {
    field.world().frame().length_to_asked(length)
}
