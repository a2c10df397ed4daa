//! Where players can be in a level of solids.
//!
//! A player's box at an origin p collides with a convex obstacle O iff p lies inside the Minkowski sum of O and
//! the box mirrored at its origin. A voxel of origins is blocked if it lies within one such sum, shrunk by a
//! slack; so a voxel in which some origin is free is never blocked. From the spawn points all free voxels are
//! filled that can be come to, through faces of voxels: in levels of games without regard to heights (jump pads
//! and rockets lift players anywhere), in others upwards only near above something to stand on. View cells are
//! the boxes of a coarser grid that hold such a voxel. They are too many rather than too few.

use super::super::plane::{Point, cross, dot, minus};
use super::aabb::Aabb;
use super::cells::{MOST_ALONG, PlaceBox, PlaceCells};
use super::face::Face;
use super::level::{Player, SolidLevel, Units};
use super::polyhedron::Solid;
use crate::format::solid::STEPS;

/// What view cells to make.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceOptions {
    /// Width of the finest cells. [Unit: of the file]
    pub size: f64,
    /// Their height.
    pub height: f64,
    /// The player.
    pub player: Player,
    /// Origins of players known besides the level's spawns: of a trace, or given as points.
    pub reach: Vec<Point>,
    /// The most cells.
    pub most: usize,
}

impl PlaceOptions {
    /// Cells and player as is usual for a level.
    pub fn of(level: &SolidLevel) -> Self {
        Self {
            size: level.units.cell(),
            height: level.units.cell(),
            player: level.player,
            reach: Vec::new(),
            most: 1 << 20,
        }
    }
}

/// View cells, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// The cells.
    pub cells: PlaceCells,
    /// Size of the voxels in which players were followed.
    pub voxel: [f64; 3],
    /// Number of voxels that can be reached.
    pub reached: u64,
    /// Spawn points, and points of `reach`, that are not free: from them nothing was followed.
    pub buried: Vec<Point>,
}

/// Why there are no view cells.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// Nobody says where players are.
    #[error("expected a spawn point in the level, or points in `reach`, found none")]
    NoSpawn,
    /// All spawn points are inside obstacles.
    #[error("expected a spawn point with room for a player, found {0}, all inside solids")]
    Buried(usize),
    /// Sizes that are none.
    #[error("expected a size and height of cells and a hull of more than 0, found {0}")]
    Size(f64),
    /// A level too large for cells of the size.
    #[error("expected at most {most} view cells, found {cells}; a `size` of {size} would do")]
    Many {
        /// How many there would be.
        cells: u64,
        /// How many there may be.
        most: usize,
        /// Twice the size, or so often, that there are few enough.
        size: f64,
    },
    /// A level too large for voxels of the size.
    #[error(
        "expected a level of fewer voxels of {size}, found {across} m or units across; a `size` of {enough} would do"
    )]
    Large {
        /// Of the cells.
        size: f64,
        /// The longest side of the level.
        across: f64,
        /// A size that would do.
        enough: f64,
    },
}

/// What is free by less than this is not. [Unit: of the file]
const ROUNDING: f64 = 1e-6;

/// The most voxels to follow players in: four bits of memory each.
const MOST_VOXELS: f64 = (1u64 << 31) as f64;

/// Finds the view cells of a level.
///
/// Time grows with the voxels within obstacles and with those reached; memory is four bits a voxel of the box
/// around the level, of at most 2^31.
///
/// # Errors
///
/// [`PlacesError`].
pub fn find_places(level: &SolidLevel, options: &PlaceOptions) -> Result<Places, PlacesError> {
    let hull = options.player.hull;
    let cell = [options.size, options.size, options.height];
    for length in cell.into_iter().chain(hull.size()) {
        if !(length.is_finite() && length > 0.0) {
            return Err(PlacesError::Size(length));
        }
    }
    let seeds: Vec<Point> = level.spawns.iter().chain(&options.reach).copied().collect();
    if seeds.is_empty() {
        return Err(PlacesError::NoSpawn);
    }
    let mut voxels = Voxels::new(level, &seeds, cell, &hull)?;
    let slack = hull.size()[0] / 64.0;
    let solids = level
        .obstacles
        .iter()
        .map(|solid| Sum::of_solid(solid, &hull));
    let faces = level
        .obstacle_faces
        .iter()
        .map(|face| Sum::of_face(face, &hull));
    for sum in solids.chain(faces) {
        voxels.block(&sum, slack);
    }
    if level.units == Units::Metres {
        voxels.bound_climbs();
    }
    // A player appears, or is set down by a teleporter, near the point that the file names.
    let around = Aabb {
        min: [hull.min[0], hull.min[1], -0.25 * hull.size()[2]],
        max: [hull.max[0], hull.max[1], 0.75 * hull.size()[2]],
    };
    let mut buried = Vec::new();
    for &seed in &seeds {
        let near = Aabb {
            min: seed,
            max: seed,
        }
        .plus(&around);
        if !voxels.flood(&near) {
            buried.push(seed);
        }
    }
    if buried.len() == seeds.len() {
        return Err(PlacesError::Buried(buried.len()));
    }
    let flags = voxels.cells(level.units.near_floor());
    let count = flags.boxes(0).count();
    if count > options.most {
        let mut times = 1;
        while flags.boxes(times).count() > options.most {
            times += 1;
        }
        return Err(PlacesError::Many {
            cells: count as u64,
            most: options.most,
            size: options.size * f64::from(1_u32 << times),
        });
    }
    Ok(Places {
        cells: voxels.trimmed(cell, flags.boxes(0)),
        voxel: voxels.size,
        reached: voxels
            .reached
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum(),
        buried,
    })
}

/// All origins at which a player's box meets an obstacle: normal · p <= dist for all of its planes.
struct Sum {
    planes: Vec<(Point, f64)>,
    bounds: Aabb,
}

impl Sum {
    fn of_solid(solid: &Solid, hull: &Aabb) -> Self {
        let normals = solid.planes.iter().map(|plane| plane.normal).collect();
        let mut edges = Vec::new();
        for i in 0..solid.planes.len() {
            let face = solid.face(i);
            for k in 0..face.len() {
                edges.push(minus(face[(k + 1) % face.len()], face[k]));
            }
        }
        Self::new(normals, &edges, &solid.vertices, hull)
    }

    fn of_face(face: &Face, hull: &Aabb) -> Self {
        let edges: Vec<Point> = face.edges().map(|(p, q)| minus(q, p)).collect();
        let normals = vec![face.plane.normal, face.plane.normal.map(|x| -x)];
        Self::new(normals, &edges, &face.vertices, hull)
    }

    /// The planes of the sum of two polytopes are those of either, and those along an edge of each.
    fn new(mut normals: Vec<Point>, edges: &[Point], vertices: &[Point], hull: &Aabb) -> Self {
        for axis in 0..3 {
            let mut along = [0.0; 3];
            along[axis] = 1.0;
            normals.extend([along, along.map(|x: f64| -x)]);
            for &edge in edges {
                let normal = cross(edge, along);
                let length = dot(normal, normal).sqrt();
                if length > 1e-9 {
                    let normal = normal.map(|x| x / length);
                    normals.extend([normal, normal.map(|x| -x)]);
                }
            }
        }
        let mut planes: Vec<(Point, f64)> = Vec::with_capacity(normals.len());
        for normal in normals {
            let near =
                |other: &(Point, f64)| dot(minus(other.0, normal), minus(other.0, normal)) < 1e-18;
            if !planes.iter().any(near) {
                let reach = vertices
                    .iter()
                    .map(|&v| dot(normal, v))
                    .fold(f64::MIN, f64::max);
                let body = (0..3).map(|k| (-normal[k] * hull.min[k]).max(-normal[k] * hull.max[k]));
                planes.push((normal, reach + body.sum::<f64>()));
            }
        }
        let mirrored = Aabb {
            min: hull.max.map(|x| -x),
            max: hull.min.map(|x| -x),
        };
        let bounds = Aabb::around(vertices).plus(&mirrored);
        Self { planes, bounds }
    }
}

/// A grid of voxels of origins, and a bit each of what is known of them; rows along x, of whole words.
struct Voxels {
    origin: Point,
    size: [f64; 3],
    /// Voxels to a cell along each axis, as binary logarithms.
    per_cell: [u32; 3],
    count: [usize; 3],
    /// Words a row.
    row: usize,
    /// Where no player can be, even with some slack: what players cannot get through.
    blocked: Vec<u64>,
    /// Where no player can be: of no view cell.
    taken: Vec<u64>,
    reached: Vec<u64>,
    /// Where players cannot rise to; none if they can rise everywhere.
    too_high: Option<Vec<u64>>,
}

impl Voxels {
    fn new(
        level: &SolidLevel,
        seeds: &[Point],
        cell: [f64; 3],
        hull: &Aabb,
    ) -> Result<Self, PlacesError> {
        // Whoever stands on the top of the level is in it.
        let mut bounds = level.bounds().union(&Aabb::around(seeds));
        bounds.max[2] += 2.0 * hull.size()[2];
        let width = hull.size().into_iter().fold(f64::INFINITY, f64::min);
        // Less than half a player, lest a wall between two voxels let somebody through.
        let finer = cell.map(|side| (side / (0.45 * width)).log2().ceil().max(0.0) as u32);
        let mut finer = finer.map(|finer| finer.max(STEPS.ilog2()));
        // Off by a step, since whoever stands at a wall would often be on the border of two cells, of which
        // one is within the wall.
        let start: Point = std::array::from_fn(|k| {
            let step = cell[k] / f64::from(STEPS);
            ((bounds.min[k] + step) / cell[k]).floor() * cell[k] - step
        });
        let cells: [f64; 3] =
            std::array::from_fn(|k| ((bounds.max[k] - start[k]) / cell[k]).floor() + 1.0);
        let voxels = |finer: [u32; 3]| {
            (0..3)
                .map(|k| cells[k] * f64::from(1_u32 << finer[k].min(20)))
                .product::<f64>()
        };
        while voxels(finer) > MOST_VOXELS && finer != [0; 3] {
            finer = finer.map(|k| k.saturating_sub(1));
        }
        let across = cells.into_iter().fold(0.0, f64::max);
        if voxels(finer) > MOST_VOXELS || across > f64::from(MOST_ALONG) || voxels(finer).is_nan() {
            let times = (voxels(finer) / MOST_VOXELS)
                .cbrt()
                .max(across / f64::from(MOST_ALONG));
            return Err(PlacesError::Large {
                size: cell[0],
                across: bounds.size().into_iter().fold(0.0, f64::max),
                enough: cell[0] * times.log2().ceil().exp2(),
            });
        }
        let count: [usize; 3] = std::array::from_fn(|k| (cells[k] as usize) << finer[k]);
        let row = count[0].div_ceil(64);
        let words = row * count[1] * count[2];
        Ok(Self {
            origin: start,
            size: std::array::from_fn(|k| cell[k] / f64::from(1_u32 << finer[k])),
            per_cell: finer,
            count,
            row,
            blocked: vec![0; words],
            taken: vec![0; words],
            reached: vec![0; words],
            too_high: None,
        })
    }

    fn word(&self, [x, y, z]: [usize; 3]) -> (usize, u64) {
        ((z * self.count[1] + y) * self.row + x / 64, 1 << (x % 64))
    }

    fn centre(&self, axis: usize, index: usize) -> f64 {
        self.origin[axis] + (index as f64 + 0.5) * self.size[axis]
    }

    /// Voxels along an axis whose interval shares a point with one of coordinates.
    fn range(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let at = |x: f64| (x - self.origin[axis]) / self.size[axis];
        let first = at(low).floor().max(0.0) as usize;
        let end = (at(high).floor() + 1.0).clamp(0.0, self.count[axis] as f64) as usize;
        first.min(end)..end
    }

    /// Blocks all voxels that lie within a sum, shrunk by a slack, and takes those that do without.
    fn block(&mut self, sum: &Sum, slack: f64) {
        let slope = 0.5 * slack;
        let half = self.size.map(|x| 0.5 * x);
        // For centres of voxels.
        let inner = |(normal, dist): &(Point, f64)| {
            let reach: f64 = (0..3).map(|k| normal[k].abs() * half[k]).sum();
            (*normal, dist - reach)
        };
        let planes: Vec<(Point, f64)> = sum.planes.iter().map(inner).collect();
        // On slopes engines are less exact; and voxels lie across them anyway.
        let is_slope = |normal: &Point| normal.iter().all(|x| x.abs() < 0.9999);
        for z in self.range(2, sum.bounds.min[2], sum.bounds.max[2]) {
            for y in self.range(1, sum.bounds.min[1], sum.bounds.max[1]) {
                for slack in [0.0, slack] {
                    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
                    for (normal, dist) in &planes {
                        let slack = if is_slope(normal) {
                            slack.max(slope)
                        } else {
                            slack
                        };
                        let rest = dist + ROUNDING
                            - slack
                            - normal[1] * self.centre(1, y)
                            - normal[2] * self.centre(2, z);
                        if normal[0] > 1e-12 {
                            high = high.min(rest / normal[0]);
                        } else if normal[0] < -1e-12 {
                            low = low.max(rest / normal[0]);
                        } else if rest < 0.0 {
                            high = f64::NEG_INFINITY;
                        }
                    }
                    let at = |x: f64| (x - self.origin[0]) / self.size[0] - 0.5;
                    let first = at(low).ceil().max(0.0);
                    let last = at(high).floor().min(self.count[0] as f64 - 1.0);
                    if first <= last {
                        let bits = if slack == 0.0 {
                            &mut self.taken
                        } else {
                            &mut self.blocked
                        };
                        let start = (z * self.count[1] + y) * self.row;
                        set_run(
                            &mut bits[start..start + self.row],
                            first as usize,
                            last as usize,
                        );
                    }
                }
            }
        }
    }

    /// How far above a blocked voxel players rise by themselves. [Unit: m]
    const CLIMB: f64 = 3.0;

    /// Lets players rise no higher than [`Self::CLIMB`] above what blocks them.
    fn bound_climbs(&mut self) {
        self.too_high = Some(self.far_above(Self::CLIMB));
    }

    /// Voxels without a taken one in them, or up to so far below.
    fn far_above(&self, height: f64) -> Vec<u64> {
        let layers = (height / self.size[2]).ceil() as usize + 1;
        let layer = self.row * self.count[1];
        let mut near = self.taken.clone();
        // How many layers down each looks by now: twice as many each time.
        let mut seen = 1;
        while seen < layers {
            let down = seen.min(layers - seen);
            for word in (layer * down..near.len()).rev() {
                near[word] |= near[word - layer * down];
            }
            seen += down;
        }
        near.iter_mut().for_each(|word| *word = !*word);
        near
    }

    fn is_free(&self, at: [usize; 3]) -> bool {
        let (word, bit) = self.word(at);
        (self.blocked[word] | self.reached[word]) & bit == 0
    }

    /// Reaches all that can be come to from the free voxels in a box; false if none there is free, or was.
    fn flood(&mut self, from: &Aabb) -> bool {
        let [xs, ys, zs] = [0, 1, 2].map(|k| self.range(k, from.min[k], from.max[k]));
        let mut found = false;
        let mut waiting = Vec::new();
        for z in zs {
            for y in ys.clone() {
                for x in xs.clone() {
                    let (word, bit) = self.word([x, y, z]);
                    found |= self.blocked[word] & bit == 0;
                    waiting.extend(self.is_free([x, y, z]).then_some([x, y, z]));
                }
            }
        }
        // Run by run along x.
        while let Some([x, y, z]) = waiting.pop() {
            if !self.is_free([x, y, z]) {
                continue;
            }
            let (mut first, mut last) = (x, x);
            while first > 0 && self.is_free([first - 1, y, z]) {
                first -= 1;
            }
            while last + 1 < self.count[0] && self.is_free([last + 1, y, z]) {
                last += 1;
            }
            for x in first..=last {
                let (word, bit) = self.word([x, y, z]);
                self.reached[word] |= bit;
            }
            let beside = [
                (y > 0).then(|| [y - 1, z]),
                (y + 1 < self.count[1]).then_some([y + 1, z]),
                (z > 0).then(|| [y, z - 1]),
                (z + 1 < self.count[2]).then_some([y, z + 1]),
            ];
            for [next_y, next_z] in beside.into_iter().flatten() {
                let mut before = false;
                for x in first..=last {
                    let mut free = self.is_free([x, next_y, next_z]);
                    if next_z > z
                        && let Some(too_high) = &self.too_high
                    {
                        let (word, bit) = self.word([x, next_y, next_z]);
                        free &= too_high[word] & bit == 0;
                    }
                    if free && !before {
                        waiting.push([x, next_y, next_z]);
                    }
                    // Where heights are bounded a neighbour along x may not be one that can be risen to.
                    before = free && self.too_high.is_none();
                }
            }
        }
        found
    }

    /// View cells, each with the box around what is reached of it.
    fn trimmed(&self, cell: [f64; 3], boxes: impl Iterator<Item = PlaceBox>) -> PlaceCells {
        let inner = |one: &PlaceBox| {
            let first: [usize; 3] =
                std::array::from_fn(|k| (one.min[k] as usize) << self.per_cell[k]);
            let end: [usize; 3] = std::array::from_fn(|k| {
                (first[k] + (1 << (usize::from(one.level) as u32 + self.per_cell[k])))
                    .min(self.count[k])
            });
            let (mut low, mut high) = (end, first);
            for z in first[2]..end[2] {
                for y in first[1]..end[1] {
                    for x in first[0]..end[0] {
                        let (word, bit) = self.word([x, y, z]);
                        if self.reached[word] & !self.taken[word] & bit != 0 {
                            low = std::array::from_fn(|k| low[k].min([x, y, z][k]));
                            high = std::array::from_fn(|k| high[k].max([x, y, z][k] + 1));
                        }
                    }
                }
            }
            // In steps, outwards.
            let steps = |k: usize, at: usize, up: usize| {
                let voxels = 1 << self.per_cell[k];
                ((at * STEPS as usize + up * (voxels - 1)) / voxels) as u16
            };
            [
                std::array::from_fn(|k| steps(k, low[k], 0)),
                std::array::from_fn(|k| steps(k, high[k], 1)),
            ]
        };
        let boxes = boxes.map(|one| (one, inner(&one)));
        PlaceCells::trimmed(cell, self.origin, boxes.collect())
    }

    /// What finest cells hold.
    fn cells(&self, near_floor: f64) -> Flags {
        let far = self.far_above(near_floor);
        let count: [usize; 3] = std::array::from_fn(|k| self.count[k] >> self.per_cell[k]);
        let mut flags = vec![0; count.iter().product()];
        for z in 0..self.count[2] {
            for y in 0..self.count[1] {
                let (start, _) = self.word([0, y, z]);
                let row = ((z >> self.per_cell[2]) * count[1] + (y >> self.per_cell[1])) * count[0];
                for word in 0..self.row {
                    let mut reached = self.reached[start + word] & !self.taken[start + word];
                    while reached != 0 {
                        let bit = reached.trailing_zeros() as usize;
                        reached &= reached - 1;
                        let near = far[start + word] >> bit & 1 == 0;
                        flags[row + ((64 * word + bit) >> self.per_cell[0])] |=
                            1 | u8::from(near) << 1;
                    }
                }
            }
        }
        Flags { count, flags }
    }
}

/// Sets the bits from the first to the last.
fn set_run(words: &mut [u64], first: usize, last: usize) {
    for (i, word) in words
        .iter_mut()
        .enumerate()
        .take(last / 64 + 1)
        .skip(first / 64)
    {
        let low = if i == first / 64 {
            u64::MAX << (first % 64)
        } else {
            u64::MAX
        };
        let high = if i == last / 64 {
            u64::MAX >> (63 - last % 64)
        } else {
            u64::MAX
        };
        *word |= low & high;
    }
}

/// For each finest cell whether it is reached (1), and whether it is near a floor (2).
struct Flags {
    count: [usize; 3],
    flags: Vec<u8>,
}

impl Flags {
    /// In the air as many finest cells make one, each way, as a binary logarithm.
    const COARSEST: u8 = 2;

    fn of(&self, min: [usize; 3], level: u8) -> u8 {
        let mut all = 0;
        let end: [usize; 3] = std::array::from_fn(|k| (min[k] + (1 << level)).min(self.count[k]));
        for z in min[2]..end[2] {
            for y in min[1]..end[1] {
                let row = (z * self.count[1] + y) * self.count[0];
                if min[0] < end[0] {
                    all |= self.flags[row + min[0]..row + end[0]]
                        .iter()
                        .fold(0, |a, b| a | b);
                }
            }
        }
        all
    }

    /// The view cells, if the finest are of 2^coarser cells a side.
    fn boxes(&self, coarser: u8) -> impl Iterator<Item = PlaceBox> {
        let mut waiting = Vec::new();
        let top = coarser + Self::COARSEST;
        let count = self.count.map(|n| n.div_ceil(1 << top));
        let mut roots = (0..count[0] * count[1] * count[2]).map(move |i| {
            [
                i % count[0],
                i / count[0] % count[1],
                i / count[0] / count[1],
            ]
            .map(|x| x << top)
        });
        std::iter::from_fn(move || {
            loop {
                let (min, level) = waiting
                    .pop()
                    .or_else(|| roots.next().map(|root| (root, top)))?;
                let flags = self.of(min, level);
                if flags == 0 {
                    continue;
                }
                if flags & 2 == 0 || level == coarser {
                    return Some(PlaceBox {
                        min: min.map(|x| x as u32),
                        level,
                    });
                }
                let half = 1 << (level - 1);
                for child in 0..8 {
                    let corner = std::array::from_fn(|k| min[k] + (child >> k & 1) * half);
                    waiting.push((corner, level - 1));
                }
            }
        })
    }
}
