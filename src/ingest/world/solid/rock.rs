//! Rock: what nobody can see into, be it solid or sealed. Boxes of it hide what no single solid does, for a segment from an
//! eye into one has met a solid before.
//!
//! Space is divided into voxels, and what is free of each into convex pieces. From the eyes it is flooded from piece to
//! piece, through the polygons that two of them share; what is not come to is rock. A crack is open however thin, but for
//! slivers that are no solids either. What is too intricate is open: that only makes less of rock.
//!
//! Did not pay: voxels of a quarter of a usual cell (0 to 10 % of the time, for eight times the memory); pieces cut along
//! the faces of meshes, of which no more is left than faces do not cover (eyes of whole cells reach through sheets, and
//! all around them is open).

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use super::aabb::Aabb;
use super::level::SolidLevel;
use super::polygon::{ON, area, behind, square, without_repeats};
use super::polyhedron::{Solid, THINNEST, box_planes};
use viewcell::convex::{Plane, Point, dot, minus};
use viewcell::format::frame::ends;

/// The most voxels; they are larger where that is too few.
const MOST_VOXELS: usize = 2_500_000;
/// Levels with more voxels than this in boxes around solids, or on the mean with more than one solid that a voxel has a
/// part of, have no rock: it would take longer to find than it saves.
const MOST_WORK: usize = 1 << 27;
/// So many cuts and comparisons of pieces, some twenty seconds of them, may end without rock.
const MOST_CUTS: usize = 1 << 23;
/// A solid that cuts a voxel more often than this is left out there.
const MOST_SIDES: usize = 32;
/// Sides look at each other if the product of their normals is less. A sliver between others is no wider than a few times
/// [`Rock::APART`].
const OPPOSITE: f64 = -0.99;
/// What is in more pieces counts as open.
const MOST_PIECES: usize = u64::BITS as usize - 1;
/// So many voxels are remembered in pieces.
const REMEMBERED: usize = 1 << 13;

/// What a voxel is, if not the number of one that is part solid.
const FREE: u32 = u32::MAX;
const SOLID: u32 = u32::MAX - 1;

/// The solids of a level by voxels.
#[derive(Debug)]
pub struct Rock {
    grid: Voxels,
    kinds: Vec<u32>,
    /// By number of a voxel that is part solid: where its solids begin in `met`.
    first: Vec<u32>,
    /// Solids, by their index in the level.
    met: Vec<u32>,
}

/// Cubes, x fastest; those at the rim meet no solid.
#[derive(Clone, Debug)]
struct Voxels {
    origin: Point,
    side: f64,
    count: [usize; 3],
}

impl Voxels {
    fn of(level: &SolidLevel) -> Option<Self> {
        let solids = level.solids.iter().map(|solid| &solid.bounds);
        let bounds = solids.fold(Aabb::EMPTY, |all, one| all.union(one));
        if level.solids.is_empty() {
            return None;
        }
        let mut side = 0.5 * level.units.cell();
        loop {
            let origin = bounds.min.map(|x| ((x / side).floor() - 1.0) * side);
            let size = minus(bounds.max, origin).map(|x| (x / side).floor() + 2.0);
            if size.iter().product::<f64>() <= MOST_VOXELS as f64 {
                return Some(Self {
                    origin,
                    side,
                    count: size.map(|n| n as usize),
                });
            }
            side *= 2.0;
        }
    }

    fn len(&self) -> usize {
        self.count.iter().product()
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.count[1] + at[1]) * self.count[0] + at[0]
    }

    fn at(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.count;
        [index % x, index / x % y, index / x / y]
    }

    /// The box of voxels from one to another.
    fn bounds(&self, first: [usize; 3], last: [usize; 3]) -> Aabb {
        let along = |k: usize, at: usize| self.origin[k] + at as f64 * self.side;
        Aabb {
            min: std::array::from_fn(|k| along(k, first[k])),
            max: std::array::from_fn(|k| along(k, last[k] + 1)),
        }
    }

    /// The first and the last voxel that a box has a part of; those at the rim stand for all that is outside.
    fn range(&self, of: &Aabb) -> [[usize; 3]; 2] {
        [&of.min, &of.max].map(|corner| {
            std::array::from_fn(|k| {
                let at = (corner[k] - self.origin[k]) / self.side;
                (at.max(0.0) as usize).min(self.count[k] - 1)
            })
        })
    }

    /// The voxel beside another, across one of six sides.
    fn beside(&self, mut at: [usize; 3], side: usize) -> Option<[usize; 3]> {
        let k = side / 2;
        at[k] = if side % 2 == 1 {
            at[k] + 1
        } else {
            at[k].checked_sub(1)?
        };
        (at[k] < self.count[k]).then_some(at)
    }
}

/// The voxels from one to another.
fn all([first, last]: [[usize; 3]; 2]) -> impl Iterator<Item = [usize; 3]> {
    let row = move |y, z| (first[0]..=last[0]).map(move |x| [x, y, z]);
    let layer = move |z| (first[1]..=last[1]).flat_map(move |y| row(y, z));
    (first[2]..=last[2]).flat_map(layer)
}

/// How far above a plane the corners of a box are, at least and at most.
fn heights(plane: &Plane, of: &Aabb) -> [f64; 2] {
    let (middle, size) = (plane.height(of.centre()), of.size());
    let reach: f64 = (0..3).map(|k| 0.5 * size[k] * plane.normal[k].abs()).sum();
    [middle - reach, middle + reach]
}

impl Rock {
    /// What slivers of free space, which are left out, are thinner than. Pieces that are no further apart touch, and boxes of rock
    /// end so far before what is free. [Unit: of the file]
    pub const APART: f64 = 1e-4;

    /// None of a level without solids, or with more of them than it pays for.
    pub fn new(level: &SolidLevel) -> Option<Self> {
        let grid = Voxels::of(level)?;
        let mut kinds = vec![FREE; grid.len()];
        let (mut work, mut pairs) = (0, Vec::new());
        for (number, solid) in (0..).zip(&level.solids) {
            let range = grid.range(&solid.bounds.grown(-THINNEST));
            work += (0..3)
                .map(|k| (range[1][k] + 1).saturating_sub(range[0][k]))
                .product::<usize>();
            if work > MOST_WORK {
                return None;
            }
            for at in all(range) {
                let (index, bounds) = (grid.index(at), grid.bounds(at, at));
                let planes = solid.planes.iter().map(|plane| heights(plane, &bounds));
                let [least, most] = planes.fold([f64::MIN; 2], |[a, b], [least, most]| {
                    [a.max(least), b.max(most)]
                });
                if most <= ON {
                    kinds[index] = SOLID;
                } else if least < -THINNEST && kinds[index] != SOLID {
                    pairs.push([index as u32, number]);
                    if pairs.len() > kinds.len() {
                        return None;
                    }
                }
            }
        }
        pairs.retain(|&[index, _]| kinds[index as usize] != SOLID);
        pairs.sort_unstable();
        let mut first = vec![0];
        for of_one in pairs.chunk_by(|[a, _], [b, _]| a == b) {
            kinds[of_one[0][0] as usize] = first.len() as u32 - 1;
            first.push(first[first.len() - 1] + of_one.len() as u32);
        }
        Some(Self {
            grid,
            kinds,
            first,
            met: pairs.into_iter().map(|[_, solid]| solid).collect(),
        })
    }

    /// Bytes of memory to find the rock of a level, at most.
    pub fn bytes(level: &SolidLevel) -> u64 {
        let voxels = Voxels::of(level).map_or(0, |grid| grid.len());
        (24 * voxels + 2048 * REMEMBERED.min(voxels)) as u64
    }

    /// Boxes of rock, no thinner than a voxel and as long as two along two axes, if eyes are in these boxes.
    pub fn boxes(&self, level: &SolidLevel, eyes: &[Aabb]) -> Vec<Aabb> {
        let mut flood = Flood {
            rock: self,
            level,
            is_reached: vec![false; self.kinds.len()],
            left: vec![!0; self.first.len() - 1],
            known: HashMap::new(),
            waiting: VecDeque::new(),
            cuts: 0,
        };
        flood.run(eyes);
        if flood.cuts > MOST_CUTS {
            return Vec::new();
        }
        let rock: Vec<bool> = flood.is_reached.iter().map(|of| !of).collect();
        let mut left = rock.clone();
        let mut found: Vec<[[usize; 3]; 2]> = Vec::new();
        for index in 0..rock.len() {
            if !left[index] {
                continue;
            }
            let at = self.grid.at(index);
            let grown = self.grown([at, at], &left);
            all(grown).for_each(|at| left[self.grid.index(at)] = false);
            let mut sides: [usize; 3] = std::array::from_fn(|k| grown[1][k] - grown[0][k]);
            sides.sort_unstable();
            // One may grow over another.
            let holds = |known: &[[usize; 3]; 2]| {
                (0..3).all(|k| known[0][k] <= grown[0][k] && grown[1][k] <= known[1][k])
            };
            if sides[1] > 0 && !found.iter().any(holds) {
                found.push(self.grown(grown, &rock));
            }
        }
        let bounds = |[first, last]: [[usize; 3]; 2]| self.grid.bounds(first, last);
        let bounds = found.into_iter().map(bounds);
        bounds.map(|one| one.grown(-Self::APART)).collect()
    }

    /// A box of voxels that are all in `within`, made larger in turns to all sides, as far as it goes.
    fn grown(&self, mut of: [[usize; 3]; 2], within: &[bool]) -> [[usize; 3]; 2] {
        let mut open: Vec<usize> = (0..6).collect();
        while !open.is_empty() {
            open.retain(|&side| {
                let (k, end) = (side / 2, side % 2);
                let Some(next) = self.grid.beside(of[end], side) else {
                    return false;
                };
                let mut slab = of;
                (slab[0][k], slab[1][k]) = (next[k], next[k]);
                let is_all = all(slab).all(|at| within[self.grid.index(at)]);
                if is_all {
                    of[end][k] = next[k];
                }
                is_all
            });
        }
        of
    }
}

/// A convex piece of what is free: its planes, outwards, and the face on each.
#[derive(Clone)]
struct Piece(Vec<(Plane, Vec<Point>)>);

impl Piece {
    fn of_box(bounds: &Aabb) -> Self {
        let corners = bounds.corners();
        let face = |side: usize| {
            let (k, upper) = (side / 2, side % 2);
            let [a, b] = [1, 2].map(|next| 1 << ((k + next) % 3));
            [0, a, a | b, b].map(|at| corners[at | upper << k]).to_vec()
        };
        let planes = box_planes(bounds).into_iter().enumerate();
        Self(planes.map(|(side, plane)| (plane, face(side))).collect())
    }

    fn corners(&self) -> impl Iterator<Item = &Point> {
        self.0.iter().flat_map(|(_, face)| face)
    }

    /// What of it is behind a plane; none if that has no volume.
    fn behind(&self, plane: &Plane) -> Option<Self> {
        if self.corners().all(|&corner| plane.height(corner) <= ON) {
            return Some(self.clone());
        }
        let bounds = Aabb::around(self.corners());
        let reach = 2.0 * bounds.size().into_iter().fold(0.0, f64::max);
        let mut faces: Vec<(Plane, Vec<Point>)> = self
            .0
            .iter()
            .map(|(of, face)| (*of, without_repeats(behind(face, plane))))
            .collect();
        let planes = self.0.iter().map(|(of, _)| of);
        faces.push((*plane, face(plane, bounds.centre(), reach, planes)));
        faces.retain(|(_, face)| !face.is_empty());
        let bounds = Aabb::around(faces.iter().flat_map(|(_, face)| face));
        let (mut volume, mut surface) = (0.0, 0.0);
        for (plane, face) in &faces {
            let area = area(face);
            surface += area;
            volume -= area * plane.height(bounds.centre()) / 3.0;
        }
        (faces.len() > 3 && volume > THINNEST * surface).then_some(Self(faces))
    }

    /// What is left of it without what is behind all of these planes, in pieces.
    fn without(self, planes: &[Plane]) -> Vec<Self> {
        let (mut pieces, mut inside) = (Vec::new(), self.clone());
        for plane in planes {
            pieces.extend(inside.behind(&plane.flipped()));
            match inside.behind(plane) {
                Some(rest) => inside = rest,
                None => return vec![self],
            }
        }
        pieces
    }

    /// Whether one can pass to another: some of a side of it is no further than [`Rock::APART`] from a side of the other that
    /// looks back at it.
    fn opens(&self, to: &Self) -> bool {
        let passes = |(plane, side): &(Plane, Vec<Point>), back: &Plane| {
            if dot(plane.normal, back.normal) > OPPOSITE {
                return false;
            }
            let [least, most] = ends(side.iter().map(|&corner| back.height(corner)));
            if least > Rock::APART || most < -Rock::APART {
                return false;
            }
            let near = [*back, back.flipped()].map(|of| Plane {
                dist: of.dist + Rock::APART,
                ..of
            });
            let others = to.0.iter().map(|(other, _)| other);
            let mut cuts = near.iter().chain(others.filter(|&other| other != back));
            let shared = cuts.try_fold(side.clone(), |shared, cut| {
                Some(behind(&shared, cut)).filter(|shared| !shared.is_empty())
            });
            shared.is_some_and(|shared| is_wide(&shared))
        };
        let mut sides = self.0.iter();
        sides.any(|side| to.0.iter().any(|(back, _)| passes(side, back)))
    }

    /// Whether some of it may be in a box.
    fn meets(&self, of: &Aabb) -> bool {
        let planes = self.0.iter().map(|(plane, _)| plane);
        planes
            .map(|plane| heights(plane, of)[0])
            .all(|least| least < -THINNEST)
    }
}

/// What of a plane is behind others; nothing if that is no more than an edge.
fn face<'p>(
    plane: &Plane,
    centre: Point,
    reach: f64,
    planes: impl Iterator<Item = &'p Plane>,
) -> Vec<Point> {
    let mut face = square(plane, centre, reach);
    for other in planes.filter(|&other| other != plane) {
        face = behind(&face, other);
    }
    without_repeats(face)
}

fn is_wide(polygon: &[Point]) -> bool {
    let ends = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let round: f64 = ends
        .map(|(&a, &b)| dot(minus(b, a), minus(b, a)).sqrt())
        .sum();
    area(polygon) > THINNEST * round
}

struct Flood<'r> {
    rock: &'r Rock,
    level: &'r SolidLevel,
    /// By voxel, whether some of it is come to.
    is_reached: Vec<bool>,
    /// By number of a voxel that is part solid: a bit for each piece, if it has so many, that is not come to.
    left: Vec<u64>,
    known: HashMap<u32, Rc<[Piece]>>,
    /// Voxels, and the number of a piece of each.
    waiting: VecDeque<(u32, u8)>,
    /// Cuts and comparisons so far.
    cuts: usize,
}

impl Flood<'_> {
    fn run(&mut self, eyes: &[Aabb]) {
        let grid = &self.rock.grid;
        let whole = grid.bounds([0; 3], grid.count.map(|count| count - 1));
        for eyes in eyes {
            // From outside all of the rim may be seen.
            let is_in = whole.contains(eyes.min) && whole.contains(eyes.max);
            for at in all(grid.range(eyes)) {
                self.reach(at, |piece| !is_in || piece.meets(eyes));
            }
            // One after another, so that what is remembered is of use.
            self.spread();
        }
    }

    /// Comes to all that can be come to from what is waiting.
    fn spread(&mut self) {
        let grid = &self.rock.grid;
        let is_free = |at| self.rock.kinds[grid.index(at)] == FREE;
        while self.cuts <= MOST_CUTS
            && let Some((index, number)) = self.waiting.pop_front()
        {
            let at = grid.at(index as usize);
            let beside = (0..6).filter_map(|side| grid.beside(at, side));
            let (free, mut rest): (Vec<_>, Vec<_>) =
                beside.partition(|&next| is_free(at) && is_free(next));
            free.into_iter().for_each(|next| self.reach(next, |_| true));
            rest.push(at);
            rest.retain(|&next| !self.is_done(next));
            if rest.is_empty() {
                continue;
            }
            let pieces = self.of(at);
            let own = &pieces[usize::from(number)];
            for next in rest {
                self.reach(next, |piece| own.opens(piece));
            }
        }
    }

    /// Whether there is nothing left in a voxel to come to.
    fn is_done(&self, at: [usize; 3]) -> bool {
        let index = self.rock.grid.index(at);
        match self.rock.kinds[index] {
            SOLID => true,
            FREE => self.is_reached[index],
            kind => self.left[kind as usize] == 0,
        }
    }

    /// Comes to those pieces of a voxel that are asked for.
    fn reach(&mut self, at: [usize; 3], is_open: impl Fn(&Piece) -> bool) {
        if self.is_done(at) {
            return;
        }
        let index = self.rock.grid.index(at);
        let kind = self.rock.kinds[index];
        if kind == FREE {
            let bounds = self.rock.grid.bounds(at, at);
            if is_open(&Piece::of_box(&bounds)) {
                self.is_reached[index] = true;
                self.waiting.push_back((index as u32, 0));
            }
            return;
        }
        let pieces = self.of(at);
        self.cuts += pieces.len();
        let left = &mut self.left[kind as usize];
        *left &= (1_u64 << pieces.len()).wrapping_sub(1);
        for (number, piece) in (0..).zip(pieces.iter()) {
            if *left >> number & 1 == 1 && is_open(piece) {
                *left &= !(1 << number);
                self.is_reached[index] = true;
                self.waiting.push_back((index as u32, number));
            }
        }
    }

    /// What is free of a voxel that is not solid.
    fn of(&mut self, at: [usize; 3]) -> Rc<[Piece]> {
        let (grid, kinds) = (&self.rock.grid, &self.rock.kinds);
        let (kind, bounds) = (kinds[grid.index(at)], grid.bounds(at, at));
        if kind == FREE {
            return [Piece::of_box(&bounds)].into();
        }
        if let Some(known) = self.known.get(&kind) {
            return known.clone();
        }
        let [first, end] = [0, 1].map(|k| self.rock.first[kind as usize + k] as usize);
        let mut pieces = vec![Piece::of_box(&bounds)];
        for &solid in &self.rock.met[first..end] {
            let solid: &Solid = &self.level.solids[solid as usize];
            let planes = solid.planes.iter().copied();
            let cuts: Vec<Plane> = planes
                .filter(|plane| heights(plane, &bounds)[1] > ON)
                .collect();
            if cuts.len() > MOST_SIDES {
                continue;
            }
            self.cuts += pieces.len() * cuts.len();
            pieces = pieces
                .into_iter()
                .flat_map(|one| one.without(&cuts))
                .collect();
            if pieces.len() > MOST_PIECES {
                pieces = vec![Piece::of_box(&bounds)];
                break;
            }
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let pieces: Rc<[Piece]> = pieces.into();
        self.known.insert(kind, pieces.clone());
        pieces
    }
}
