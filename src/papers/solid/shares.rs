//! Of pairs of players on a trace: who is in sight, and who is visible by view cells.

use std::collections::{BTreeMap, HashMap};

use fearless_simd::Level;
use rayon::prelude::*;

use viewcell::query::SolidBundle;
use viewcell_bake::visibility::solid::{BodyTracer, Found, SolidField, Solids};
use viewcell_ingest::world::solid::{PlaceCells, Player, Point};

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
    let located = locate(pairs, |at| level.as_baked().locate(at));
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
