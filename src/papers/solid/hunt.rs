//! A hunt for a clear segment between view cells that are said to be hidden.

use fearless_simd::Level;
use rayon::prelude::*;

use viewcell::convex::{Point, cross, dot, minus};
use viewcell::dice::{Dice, mixed};
use viewcell::query::SolidBundle;
use viewcell_bake::visibility::solid::{Found, SolidField, Solids};
use viewcell_bake::visibility::solid::{Hit, SegmentSight, Tracer};
use viewcell_ingest::world::solid::{Aabb, PlaceCells, Player, SolidLevel};

/// Who says which cells are hidden.
#[derive(Clone, Copy)]
pub enum Hiding<'a> {
    /// A bundle.
    Bundle(&'a SolidBundle<'a>),
    /// The kernel, of each pair by itself, at a depth.
    Cells(&'a SolidField, u32),
}

/// All positions of eyes and of bodies in each cell, counted from the level's middle.
pub struct Boxes {
    eye: Vec<Aabb>,
    body: Vec<Aabb>,
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct HuntOptions {
    /// Segments to trace.
    pub segments: u64,
    /// Of the random positions.
    pub seed: u64,
}

/// A clear segment between hidden cells: a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearSegment {
    /// The cell that does not see, and the one that is not seen.
    pub cells: [u32; 2],
    /// The eye.
    pub eye: Point,
    /// The point of the body.
    pub point: Point,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hunted {
    /// Hidden pairs of cells that were searched.
    pub pairs: u64,
    /// Segments that were traced.
    pub segments: u64,
    /// Of these, through gaps that count as closed.
    pub seams: u64,
    /// Of these, clear.
    pub clear: u64,
    /// The first of them.
    pub examples: Vec<ClearSegment>,
}

impl Boxes {
    /// Of all cells of a level.
    pub fn of_cells(level: &SolidLevel, places: &PlaceCells, player: &Player) -> Self {
        let bounds = (0..places.len()).map(|cell| places.bounds(cell));
        Self::new(level, bounds, player)
    }

    /// Of all cells of a bundle.
    pub fn of_bundle(level: &SolidLevel, bundle: &SolidBundle, player: &Player) -> Self {
        let bounds = (0..bundle.cells()).map(|cell| {
            let [min, max] = bundle.as_baked().bounds(cell).unwrap_or_default();
            Aabb { min, max }
        });
        Self::new(level, bounds, player)
    }

    fn new(level: &SolidLevel, origins: impl Iterator<Item = Aabb>, player: &Player) -> Self {
        let [low, high] = player.eye;
        let eye = Aabb {
            min: [0.0, 0.0, low],
            max: [0.0, 0.0, high],
        };
        let (eye, body) = origins
            .map(|origins| origins.about(level.middle))
            .map(|origins| (origins.plus(&eye), origins.plus(&player.hull)))
            .unzip();
        Self { eye, body }
    }
}

/// Segments that are traced one after another, with dice of their own.
const PART: u64 = 1 << 16;
/// Pairs of cells that are asked of for each of these, if few are hidden.
const ASKED: u64 = PART;
/// Segments of a pair: this many random ones, and from each as many steps towards where it is clear.
const STARTS: u64 = 8;
const STEPS: u64 = 7;
/// Examples that are kept.
const EXAMPLES: usize = 10;

/// Traces random segments between cells that are hidden from each other, and moves each to where it is nearly clear.
/// In the current pool of threads, whose number changes nothing.
pub fn hunt(tracer: &Tracer, hiding: Hiding, boxes: &Boxes, options: HuntOptions) -> Hunted {
    let parts = (0..options.segments.div_ceil(PART))
        .into_par_iter()
        .map_init(
            || Asker::new(hiding),
            |asker, part| {
                let quota = PART.min(options.segments - part * PART);
                let mut hunter = Hunter {
                    tracer,
                    boxes,
                    dice: Dice(mixed(options.seed ^ mixed(part))),
                    guess: 0,
                    found: Hunted::default(),
                };
                for _ in 0..ASKED {
                    if hunter.found.segments >= quota {
                        break;
                    }
                    let cells = hunter.pair();
                    if asker.hides(cells) {
                        hunter.search(cells);
                    }
                }
                hunter.found
            },
        );
    let parts: Vec<Hunted> = parts.collect();
    parts.into_iter().fold(Hunted::default(), |mut all, part| {
        all.pairs += part.pairs;
        all.segments += part.segments;
        all.seams += part.seams;
        all.clear += part.clear;
        all.examples.extend(part.examples);
        all.examples.truncate(EXAMPLES);
        all
    })
}

/// Who is asked, by one thread.
enum Asker<'a> {
    Bundle(&'a SolidBundle<'a>),
    Kernel(Box<Solids<'a>>, u32),
}

impl<'a> Asker<'a> {
    fn new(hiding: Hiding<'a>) -> Self {
        match hiding {
            Hiding::Bundle(bundle) => Self::Bundle(bundle),
            Hiding::Cells(field, depth) => {
                Self::Kernel(Box::new(Solids::new(field, Level::new())), depth)
            }
        }
    }

    fn hides(&mut self, [a, b]: [u32; 2]) -> bool {
        match self {
            Self::Bundle(bundle) => !bundle.visible(a, b),
            Self::Kernel(kernel, depth) => kernel.sees(a, b, *depth) == Found::Hidden,
        }
    }
}

struct Hunter<'a> {
    tracer: &'a Tracer<'a>,
    boxes: &'a Boxes,
    dice: Dice,
    guess: u32,
    found: Hunted,
}

impl Hunter<'_> {
    /// Two cells: any two, or two that are near to each other, since pairs that are just hidden mostly are.
    fn pair(&mut self) -> [u32; 2] {
        let count = self.boxes.eye.len() as u32;
        let a = self.dice.roll(count);
        let reach = match self.dice.roll(2) {
            0 => count,
            _ => (2 << self.dice.roll(16)).min(count),
        };
        let first = a.saturating_sub(reach / 2).min(count - reach);
        [a, first + self.dice.roll(reach)]
    }

    fn search(&mut self, cells: [u32; 2]) {
        self.found.pairs += 1;
        let [eyes, bodies] = [
            self.boxes.eye[cells[0] as usize],
            self.boxes.body[cells[1] as usize],
        ];
        for _ in 0..STARTS {
            let (mut eye, mut point) = (self.position(&eyes), self.position(&bodies));
            for _ in 0..=STEPS {
                self.found.segments += 1;
                let Some(hit) = self.tracer.hit(eye, point, &mut self.guess) else {
                    self.judge(cells, eye, point);
                    break;
                };
                [eye, point] = self.aside([eye, point], [&eyes, &bodies], hit);
            }
        }
    }

    /// A position in a box, often on its sides.
    fn position(&mut self, of: &Aabb) -> Point {
        let size = of.size();
        std::array::from_fn(|k| match self.dice.roll(6) {
            0 => of.min[k],
            1 => of.max[k],
            _ => of.min[k] + self.dice.fraction() * size[k],
        })
    }

    /// Moves a segment past an edge of what it hits, the shortest way, as far as the boxes allow.
    fn aside(&mut self, [a, b]: [Point; 2], [eyes, bodies]: [&Aabb; 2], hit: Hit) -> [Point; 2] {
        let corners = self.tracer.polygon(hit.polygon);
        let i = self.dice.roll(corners.len() as u32) as usize;
        let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
        let along = hit.along;
        let at: Point = std::array::from_fn(|k| a[k] + along * (b[k] - a[k]));
        let across = cross(minus(q, p), minus(b, a));
        let out = if dot(across, minus(p, at)) >= 0.0 {
            across
        } else {
            across.map(|x| -x)
        };
        let length = dot(out, out).sqrt();
        // From a millionth of the boxes to half of them beyond the edge.
        let room = eyes.size().into_iter().chain(bodies.size());
        let beyond = room.fold(0.0, f64::max) * (-20.0 * self.dice.fraction()).exp2();
        let far = (dot(out, minus(p, at)) / length + beyond) / length;
        // One end or both.
        let [of_a, of_b] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]][self.dice.roll(3) as usize];
        let far = far / (of_a * (1.0 - along) + of_b * along);
        let moved = |at: Point, share: f64, within: &Aabb| {
            std::array::from_fn(|k| {
                let to = at[k] + share * far * out[k];
                // What is no number is out of all boxes.
                to.max(within.min[k]).min(within.max[k])
            })
        };
        [moved(a, of_a, eyes), moved(b, of_b, bodies)]
    }

    fn judge(&mut self, cells: [u32; 2], eye: Point, point: Point) {
        match self.tracer.look(eye, point) {
            SegmentSight::Blocked => {}
            SegmentSight::Seam => self.found.seams += 1,
            SegmentSight::Clear => {
                self.found.clear += 1;
                if self.found.examples.len() < EXAMPLES {
                    self.found.examples.push(ClearSegment { cells, eye, point });
                }
            }
        }
    }
}
