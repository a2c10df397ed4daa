//! `viewcell why`: what stands behind the answer to a pair: a terrain's profile, a level's steps, an open line or what it meets.

use std::path::PathBuf;

use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::{Place, VisibilityMode, World};
use viewcell_bake::bundle::{self, BundleGround, Info, SightProfile, Verdict};
use viewcell_bake::visibility::Crossing;
use viewcell_bake::visibility::solid::{Evidence, Prover};
use viewcell_view::picture::{Chart, Curve, Series};

use super::exit::{Failure, Outcome};
use super::info::filters;
use super::output::check_outputs;
use super::query::answer::Visible;
use super::query::lines::{answer_documents, parse_pair};
use super::query::place::{NamedPlace, Standing};
use super::query::{Opened, PairArgs, Position};
use super::render::check_png;

/// Tell why A sees B or not: the ground between, the steps between cells, the solid in the line
///
/// On a terrain, the line from the eye at A to the head at B over the bundle's heights: where the ground rises highest, and by
/// how much. In a level of cells, the visible steps. In a solid level, a line from an eye to a body that is open, if one is
/// found; or what the line between the middles meets first. With --pairs, a JSON document a line.
///
/// Example: viewcell why level.vcb 10,20 90,40 -o profile.png
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: PairArgs,
    /// Draw the profile of a terrain: a name that ends in .png
    #[arg(short, long, value_name = "PNG", conflicts_with = "pairs")]
    output: Option<PathBuf>,
    /// Overwrite the picture if it exists
    #[arg(long)]
    force: bool,
}

/// What `viewcell why --json` prints, and `--pairs` a line each.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell why")]
pub struct Document {
    #[serde(flatten)]
    answer: Visible,
    /// On a terrain: what the bundle stores, and the line from the eye at a to the head at b.
    #[serde(skip_serializing_if = "Option::is_none")]
    ground: Option<GroundReason>,
    /// In a level of cells: its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Steps>,
    /// In a solid level: what its occluders say; absent where it has none, and where one of the two is in no view cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    occluders: Option<Evidence>,
    /// The picture, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
}

/// What a bundle of a terrain stores of a pair, and what its heights say.
#[derive(Serialize, JsonSchema)]
struct GroundReason {
    /// `exact`, `conservative` or `sectors`.
    visibility: &'static str,
    /// Samples a side of the quads that answer for the two.
    samples: u32,
    /// Whether some of what is hidden was stored as visible, to reach a size.
    lossy: bool,
    #[serde(flatten)]
    sight: SightProfile,
    /// Radius of the earth in metres; null if flat.
    earth_radius: Option<f64>,
    /// Refraction coefficient.
    refraction: f64,
}

/// Two cells of a level.
#[derive(Serialize, JsonSchema)]
struct Steps {
    /// Visible steps from a to b; null if unreachable.
    distance: Option<u32>,
    /// Whether a may be seen from b.
    visible_from_b: bool,
    /// How one-way visibility was made mutual: `or`, `and` or `none`.
    symmetry: Option<String>,
    /// Pairs of the whole level that saw each other one way only in its file; null if it does not say.
    one_way_pairs: Option<u64>,
}

/// The same for people: the answer, and a row for each thing behind it.
#[derive(Template)]
#[template(path = "why.txt", config = "src/program/report/askama.toml")]
struct Words<'a> {
    it: &'a Document,
    /// Of a solid level: whether it has any.
    has_occluders: Option<bool>,
}

pub fn run(args: &Args) -> Outcome {
    let pair = &args.pair;
    check_outputs(&[&pair.bundle], &args.output, args.force)?;
    let opened = pair.open()?;
    if let Some(path) = &args.output {
        check_png(path)?;
        if opened.world().terrain().is_none() {
            return Err(Failure::usage(format!(
                "-o: expected a terrain, which has a profile to draw, found a level in {}; leave it out",
                pair.bundle.display()
            )));
        }
    }
    let mut reasons = Reasons::new(&opened, pair)?;
    if let Some(file) = &pair.pairs {
        return answer_documents(file, |line| {
            Ok(reasons.of(parse_pair(opened.world(), line)?))
        });
    }
    let positions = pair.positions(&opened)?;
    let mut document = reasons.of(positions);
    document.output.clone_from(&args.output);
    if let (Some(path), Some(ground)) = (&args.output, &document.ground) {
        let answer = if document.answer.visible {
            "visible"
        } else {
            "hidden"
        };
        let title = format!("{} from {}: {answer}", positions[1], positions[0]);
        let png = draw(&title, &ground.sight)?;
        bundle::save(path, &png, args.force)?;
    }
    let level = opened.world().solid();
    let words = Words {
        it: &document,
        has_occluders: level.map(|level| level.occluders().is_some()),
    };
    pair.json.tell(|| &document, words.to_string().trim_end())
}

/// What reasons are looked for in.
struct Reasons<'a> {
    opened: &'a Opened,
    /// Of a terrain.
    ground: Option<BundleGround>,
    /// Of a level of cells.
    info: Option<Info>,
    /// Of a solid level that has occluders.
    prover: Option<Prover<'a>>,
}

impl<'a> Reasons<'a> {
    fn new(opened: &'a Opened, pair: &PairArgs) -> Result<Self, Failure> {
        let (path, world) = (opened.path(), opened.world());
        let ground = (world.terrain()).map(|_| BundleGround::read(path, &pair.over.patch));
        let info = world.cells().map(|_| bundle::info(path));
        Ok(Self {
            opened,
            ground: ground.transpose()?,
            info: info.transpose()?,
            prover: world.solid().and_then(Prover::new),
        })
    }

    /// What stands behind the answer to a pair.
    fn of(&mut self, positions: [Position; 2]) -> Document {
        let world = self.opened.world();
        let [a, b] = positions.map(|at| at.place);
        let visible = a.zip(b).is_none_or(|(a, b)| world.visible(a, b));
        let levels = world.terrain().map(|_| 0);
        let mut document = Document {
            answer: Visible::new(world, positions, (levels, None), visible),
            ground: None,
            steps: None,
            occluders: None,
            output: None,
        };
        match (world, a, b) {
            (World::Terrain(terrain), Some(Place::Sample(a)), Some(Place::Sample(b))) => {
                let parameters = terrain.parameters();
                let level = terrain.levels().map_or(0, |of| of.level_between(a, b));
                document.ground = self.ground.as_ref().map(|ground| GroundReason {
                    visibility: match parameters.visibility {
                        VisibilityMode::Exact => "exact",
                        VisibilityMode::Conservative => "conservative",
                        VisibilityMode::Sectors(_) => "sectors",
                    },
                    samples: 1 << (level + parameters.finest()),
                    lossy: parameters.lossy,
                    sight: ground.look(terrain.valid(), a, b),
                    earth_radius: (parameters.earth_radius > 0.0)
                        .then_some(parameters.earth_radius),
                    refraction: parameters.refraction,
                });
            }
            (World::Cells(level), Some(Place::Cell(a)), Some(Place::Cell(b))) => {
                let info = self.info.as_ref();
                let made = info.and_then(|info| info.provenance.as_ref()?.cells.as_ref());
                document.steps = Some(Steps {
                    distance: level.distance(a, b),
                    visible_from_b: level.visible(b, a),
                    symmetry: info.and_then(|info| Some(info.cells.as_ref()?.symmetry.clone())),
                    one_way_pairs: made.map(|cells| cells.one_way_pairs),
                });
            }
            (World::Solid(_), Some(Place::Cell(a)), Some(Place::Cell(b))) => {
                let prover = self.prover.as_mut();
                document.occluders = prover.and_then(|prover| prover.explain(a, b));
            }
            _ => {}
        }
        document
    }
}

/// The profile as a picture.
fn draw(title: &str, sight: &SightProfile) -> Result<Vec<u8>, Failure> {
    let Some([eye, head]) = sight.ends else {
        return Err(Failure::usage(
            "-o: expected ground at both places, found a void; there is no profile to draw",
        ));
    };
    let at = |at: &Crossing| [at.along * sight.distance, at.ground];
    let known = sight.crossings.iter().filter(|at| !at.ground.is_nan());
    let heights = || known.clone().map(|at| at.ground).chain([eye, head]);
    let least = heights().fold(eye, f64::min);
    let room = (heights().fold(eye, f64::max) - least).max(1.0);
    let curve = |name: &str, points| Curve {
        name: name.to_owned(),
        points,
    };
    let curves = [
        curve(
            "ground, raised as the earth bulges",
            known.clone().map(at).collect(),
        ),
        curve("line of sight", vec![[0.0, eye], [sight.distance, head]]),
        curve(
            "highest over the line",
            sight.highest.iter().map(at).collect(),
        ),
    ];
    let axes = ["metres from A", "metres above the datum"];
    let chart = Chart {
        // The words of the curves stand above them.
        up: Some([least - 0.1 * room, least + 1.4 * room]),
        ..Chart::new(title, axes, Series::Curves(&curves))
    };
    chart.png().map_err(Failure::resource)
}
