//! `viewcell query`: queries of a bundle of any kind; here those of a pair of places: can one be seen from the other
//! (`visible`)? May two players come to see each other (`--reach`)? How many visible steps lead from one cell to another
//! (`distance`)?

pub(super) mod answer;
pub(super) mod lines;
mod opened;
pub(super) mod place;
mod pvs;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use answer::{Answer, Distance, Visible};
use viewcell::query::{Place, World};

use super::exit::{Failure, Outcome};
use super::output::{Json, say};
use super::values;

pub use opened::{Opened, cannot_open, open};
pub use place::{
    By, GivenPlace, PairArgs, Position, check_level, count_samples, in_degrees, samples_of,
};
pub use pvs::samples_seen;

/// Ask a bundle who can see whom
///
/// Example: viewcell query visible level.vcb 10,20 90,40
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    Visible(VisibleArgs),
    Distance(DistanceArgs),
    Pvs(pvs::PvsArgs),
    Locate(pvs::LocateArgs),
}

pub fn run(args: Args) -> Outcome {
    match args.question {
        Question::Visible(args) => visible(&args),
        Question::Distance(args) => distance(&args),
        Question::Pvs(args) => pvs::pvs(&args),
        Question::Locate(args) => pvs::locate(&args),
    }
}

/// Can a player at B be seen from A? Prints visible or hidden
///
/// With --pairs, answers a whole file: 1 or 0 for each line, in order.
///
/// Example: viewcell query visible level.vcb 10,20 90,40
#[derive(clap::Args)]
pub struct VisibleArgs {
    #[command(flatten)]
    pair: PairArgs,
    /// Answer for the quads of level L that contain the places: visible if anything in one may be seen from
    /// anywhere in the other
    #[arg(long, value_name = "L")]
    quad: Option<u32>,
    /// May they see each other if each moves up to so far from A and B? The first and the second, or both: metres, or
    /// units of a level's positions
    ///
    /// This is what a server asks, with distances from speed and ping: at 5 m/s and 300 ms, 1.5 m. The answer errs towards
    /// visible.
    #[arg(long, value_name = "R[,S]", conflicts_with = "quad")]
    reach: Option<Reaches>,
}

/// R or R,S.
#[derive(Clone, Copy)]
struct Reaches([f64; 2]);

impl FromStr for Reaches {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let reaches =
            values::one_or_two(text).map(|(first, second)| [first, second.unwrap_or(first)]);
        let reaches = reaches.filter(|reaches| reaches.iter().all(|reach| *reach >= 0.0));
        reaches
            .map(Self)
            .ok_or_else(|| "expected R or R,S: finite numbers from 0 up".to_owned())
    }
}

fn visible(args: &VisibleArgs) -> Outcome {
    let VisibleArgs { pair, quad, reach } = args;
    let (opened, levels) = pair.open_at(*quad)?;
    let world = opened.world();
    let reach = reach.map(|Reaches(reach)| reach);
    let sees = |[a, b]: [Position; 2]| match (reach, a.place.zip(b.place)) {
        (_, None) => true,
        (Some(reach), Some(_)) => a.sees_within(world, &b, reach),
        (None, Some((a, b))) => world.visible_at(levels.grid, a, b),
    };
    if let Some(file) = &pair.pairs {
        return visible_pairs(file, world, &pair.json, sees);
    }
    let positions = pair.positions(&opened)?;
    let visible = sees(positions);
    for position in positions.iter().filter(|at| at.place.is_none()) {
        say(format_args!(
            "{position} is in no view cell of {}: who is there sees all and is seen by all; if players can be there, bake with \
             --reach {position} in a file",
            pair.bundle.display()
        ));
    }
    let quads = world.terrain().map(|_| levels.heightmap);
    let document = || Answer::Visible(Visible::new(world, positions, (quads, reach), visible));
    pair.json
        .tell(document, if visible { "visible" } else { "hidden" })
}

/// Answers each line of a file; in a solid level says how many positions are in no cell.
fn visible_pairs(
    file: &Path,
    world: &World<'_>,
    json: &Json,
    sees: impl Fn([Position; 2]) -> bool,
) -> Outcome {
    let (mut seen, mut nowhere) = (0, 0);
    let can_be = |at: &&Position| at.place.is_some_and(|place| world.can_be_at(place));
    let words = |answer| if answer == Some(0) { "0" } else { "1" }.into();
    let ask = |pair: [Position; 2]| {
        let visible = sees(pair);
        seen += u64::from(visible);
        nowhere += 2 - pair.iter().filter(can_be).count() as u64;
        Some(visible.into())
    };
    let (stdout, mut document) = lines::answer_pairs(file, world, json, words, ask)?;
    let places = 2 * document.pairs;
    (document.visible, document.nowhere) = (Some(seen), Some(nowhere));
    let outcome = lines::finish_lines(stdout, &Answer::Pairs(document), json)?;
    if nowhere > 0 && world.solid().is_some() {
        let doubt = if 2 * nowhere > places {
            "; is the bundle of another level?"
        } else {
            ""
        };
        say(format_args!(
            "{nowhere} of {places} positions are in no view cell: they see all and are seen by all{doubt}"
        ));
    }
    Ok(outcome)
}

/// How many visible steps lead from cell A to cell B? Prints a number or unreachable
///
/// 0 for a cell and itself, 1 if B is visible, 2 if a cell that A sees, sees B, and so on (the extended PVS). With
/// --pairs, answers a whole file, one line for each, in order.
///
/// Example: viewcell query distance e1m1.vcb 4 17
#[derive(clap::Args)]
pub struct DistanceArgs {
    /// The bundle
    bundle: PathBuf,
    /// From which cell
    #[arg(required_unless_present = "pairs", requires = "b")]
    a: Option<GivenPlace>,
    /// To which cell
    b: Option<GivenPlace>,
    /// Answer each line "a b" of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b"])]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

fn distance(args: &DistanceArgs) -> Outcome {
    let opened = open(&args.bundle)?;
    let (world, level) = (opened.world(), opened.cells()?);
    let steps = |pair: [Position; 2]| match pair.map(|at| at.place) {
        [Some(Place::Cell(a)), Some(Place::Cell(b))] => level.distance(a, b),
        _ => None,
    };
    let words = |steps: Option<u32>| match steps {
        Some(steps) => steps.to_string().into(),
        None => "unreachable".into(),
    };
    if let Some(file) = &args.pairs {
        let (stdout, mut document) = lines::answer_pairs(file, world, &args.json, words, steps)?;
        let unreachable = document.answers.iter().filter(|steps| steps.is_none());
        document.unreachable = Some(unreachable.count() as u64);
        return lines::finish_lines(stdout, &Answer::Pairs(document), &args.json);
    }
    let cell = |place: Option<GivenPlace>| {
        let place = place.ok_or_else(|| Failure::usage("expected two cells A and B"))?;
        By::default().position(&opened, place)
    };
    let pair = [cell(args.a)?, cell(args.b)?];
    let distance = steps(pair);
    let [a, b] = pair.map(|at| at.named());
    let document = || {
        Answer::Distance(Distance {
            kind: world.kind().to_string(),
            a,
            b,
            distance,
        })
    };
    args.json.tell(document, words(distance))
}
