//! Of pairs of players on a trace: who is in sight, and who is visible by view cells.

use std::collections::{BTreeMap, HashMap};

use fearless_simd::Level;
use rayon::prelude::*;

use super::tracer::{SegmentSight, Tracer};
use crate::runtime::SolidBundle;
use crate::simulate::field::Lines;
use crate::visibility::solid::{Found, SolidField, Solids};
use crate::world::plane::{minus, plus};
use crate::world::solid::{PlaceCells, Player, Point, SolidLevel};

/// Where the living are at one time.
pub type Frames = Vec<Vec<Point>>;

/// Who is truly in sight: of each frame all ordered pairs of two players, and the point of the body that is in sight,
/// if there is one.
pub struct InSight {
    frames: Vec<Vec<(Point, Point, Option<Point>)>>,
}

/// What view cells say of the pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// Pairs that are visible, those with somebody in no cell among them.
    pub visible: u64,
    /// Pairs with somebody in no cell.
    pub nowhere: u64,
    /// Pairs in sight that are hidden: faults.
    pub missed: u64,
    /// Eye and point of a body of one of these.
    pub example: Option<[Point; 2]>,
}

impl InSight {
    /// Ordered pairs of players.
    pub fn pairs(&self) -> u64 {
        self.frames.iter().map(|pairs| pairs.len() as u64).sum()
    }

    /// Of these, in sight.
    pub fn seen(&self) -> u64 {
        let pairs = self.frames.iter().flatten();
        pairs.filter(|(_, _, seen)| seen.is_some()).count() as u64
    }
}

/// Corners of the body's box at so many heights: 24 points.
const HEIGHTS: u32 = 6;
/// How much of the box on either side of its middle they lie in, since a touch with a wall is not in the open.
const WITHIN: f64 = 0.96;

/// Lines of sight from a player's eye to points of another's body.
pub struct BodyTracer<'l> {
    tracer: Tracer<'l>,
    player: Player,
}

impl<'l> BodyTracer<'l> {
    /// Of players in a level.
    pub fn new(level: &'l SolidLevel, player: Player) -> Self {
        Self {
            tracer: Tracer::new(level),
            player,
        }
    }

    /// What is opaque.
    pub fn tracer(&self) -> &Tracer<'l> {
        &self.tracer
    }

    /// A point of the body of a player at `b` that is in sight of one at `a`. `guess` is what blocked the segment before.
    fn sees(&self, a: Point, b: Point, guess: &mut u32) -> Option<Point> {
        let [_, standing] = self.player.eye;
        let middle = self.tracer.middle();
        let (a, b) = (minus(a, middle), minus(b, middle));
        let eye = [a[0], a[1], a[2] + standing];
        points(&self.player, b)
            .find(|&point| self.tracer.look_again(eye, point, guess) == SegmentSight::Clear)
            .map(|point| plus(point, middle))
    }
}

impl std::fmt::Debug for BodyTracer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BodyTracer")
            .field("player", &self.player)
            .finish_non_exhaustive()
    }
}

impl Lines for BodyTracer<'_> {
    fn in_sight(&self, viewer: Point, other: Point) -> bool {
        self.sees(viewer, other, &mut 0).is_some()
    }
}

/// The points of a body at an origin.
fn points(player: &Player, at: Point) -> impl Iterator<Item = Point> {
    let hull = player.hull;
    let (centre, half) = (hull.centre(), hull.size().map(|side| 0.5 * WITHIN * side));
    (0..4 * HEIGHTS).map(move |i| {
        let side = |bit: u32| f64::from(i >> bit & 1) * 2.0 - 1.0;
        let up = f64::from(i / 4) / f64::from(HEIGHTS - 1) * 2.0 - 1.0;
        let part = [side(0), side(1), up];
        std::array::from_fn(|k| at[k] + centre[k] + part[k] * half[k])
    })
}

/// Who is in sight of whom. In the current pool of threads.
pub fn in_sight(bodies: &BodyTracer, frames: &Frames) -> InSight {
    let frames = frames.par_iter().map(|spots| {
        let mut guess = 0;
        let mut pairs = Vec::new();
        for (i, &a) in spots.iter().enumerate() {
            for (_, &b) in spots.iter().enumerate().filter(|&(j, _)| i != j) {
                pairs.push((a, b, bodies.sees(a, b, &mut guess)));
            }
        }
        pairs
    });
    InSight {
        frames: frames.collect(),
    }
}

/// What a bundle says.
pub fn decided_by_bundle(pairs: &InSight, level: &SolidBundle, player: &Player) -> Decided {
    let located = locate(pairs, |at| level.locate(at));
    decide(located, player, |cells| {
        cells.iter().map(|&[a, b]| level.visible(a, b)).collect()
    })
}

/// What the kernel says of pairs of cells, each by itself. In the current pool of threads.
pub fn decided_by_cells(
    pairs: &InSight,
    places: &PlaceCells,
    field: &SolidField,
    player: &Player,
    depth: u32,
) -> Decided {
    let located = locate(pairs, |at| places.locate(at));
    decide(located, player, |cells| {
        let simd = Level::new();
        let visible = cells.par_iter().map_init(
            || Solids::new(field, simd),
            |kernel, &[a, b]| kernel.sees(a, b, depth) != Found::Hidden,
        );
        visible.collect()
    })
}

/// Pairs of players by the cells that they are in.
struct Located {
    /// In the order of their cells, so that all is the same in every run.
    pairs: BTreeMap<[u32; 2], Tally>,
    nowhere: u64,
}

#[derive(Default)]
struct Tally {
    all: u64,
    seen: u64,
    example: Option<[Point; 2]>,
}

fn locate(pairs: &InSight, cell: impl Fn(Point) -> Option<u32>) -> Located {
    let mut located: HashMap<[u32; 2], Tally> = HashMap::new();
    let mut nowhere = 0;
    for &(a, b, seen) in pairs.frames.iter().flatten() {
        let (Some(from), Some(to)) = (cell(a), cell(b)) else {
            nowhere += 1;
            continue;
        };
        let tally = located.entry([from, to]).or_default();
        tally.all += 1;
        if let Some(point) = seen {
            tally.seen += 1;
            tally.example.get_or_insert([a, point]);
        }
    }
    Located {
        pairs: located.into_iter().collect(),
        nowhere,
    }
}

fn decide(
    located: Located,
    player: &Player,
    visible: impl FnOnce(&[[u32; 2]]) -> Vec<bool>,
) -> Decided {
    let cells: Vec<[u32; 2]> = located.pairs.keys().copied().collect();
    let mut decided = Decided {
        visible: located.nowhere,
        nowhere: located.nowhere,
        ..Decided::default()
    };
    for (visible, tally) in visible(&cells).into_iter().zip(located.pairs.into_values()) {
        if visible {
            decided.visible += tally.all;
        } else if let Some([[x, y, z], point]) = tally.example {
            decided.missed += tally.seen;
            decided
                .example
                .get_or_insert([[x, y, z + player.eye[1]], point]);
        }
    }
    decided
}
