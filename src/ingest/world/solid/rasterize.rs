//! Conservative rasterization of solids onto a heightmap: where a terrain with buildings hides, and what feet stand
//! on.
//!
//! The *surface* that hides is raised at a sample to the least height up to which all four patches around it
//! are solid from the ground up. Then any interpolation of its samples (bilinear, by either diagonal) lies
//! within ground and solids: over a patch with a raised corner all corners are at most at the height up to which
//! the patch is solid, since it is raised only where that is above its ground at all four corners. In all other
//! patches it is the ground.
//!
//! A closed body is solid below its faces that look up, down to its faces that look down. A body with a face that looks
//! down above the ground in a patch is left out there, as one can see below eaves. A vertical line through the patch
//! enters any other body from above through each face that it meets, and leaves it below the ground. What lies on the
//! patch is cut against it as polygons, highest first, until no part of it is left.
//!
//! *Feet* in the unit square around a sample are a range: from the lowest ground in it up to the highest point of anything
//! that stops players over it, opaque or not, wherever in the square that begins and ends. Squares are closed. Upright faces
//! and ceilings count: the bound is never too low, whichever way a file's faces look. At the sample itself feet are on the
//! highest face over it. Where a patch is not solid the surface is the bare ground, so that nobody who stands there, at the
//! foot of a wall, is below it.

use super::level::SolidLevel;
use super::polygon::{area_vector, behind};
use viewcell::convex::{Plane, Point};

/// Gaps between bodies narrower than this are of rounding. [Unit: m]
const SEAM: f64 = 1e-5;

/// Where a level lies on a terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Where its origin is: metres east and south of the first sample, and up.
    pub origin: [f64; 3],
    /// Metres a unit.
    pub scale: f64,
}

impl Placement {
    /// The same, of points that are counted from another origin.
    fn about(&self, origin: Point) -> Self {
        let [east, north, up] = self.of(origin);
        Self {
            origin: [east, -north, up],
            scale: self.scale,
        }
    }

    /// A point of the level, in metres east, north and up of the first sample.
    fn of(&self, [x, y, z]: Point) -> Point {
        let [east, south, up] = self.origin;
        [
            east + self.scale * x,
            self.scale * y - south,
            up + self.scale * z,
        ]
    }
}

/// A grid of heights, row by row from the north, NaN for void.
#[derive(Clone, Copy, Debug)]
pub struct Heightmap<'a> {
    /// Samples a row, and rows.
    pub size: [usize; 2],
    /// Metres between samples, to the east and to the south.
    pub spacing: [f64; 2],
    /// Heights in metres.
    pub heights: &'a [f64],
}

/// A terrain with solids on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rasterized {
    /// What hides.
    pub surface: Vec<f64>,
    /// Heights of the top of solids over samples; NaN where there is none.
    pub top: Vec<f64>,
    /// The highest points of solids over the closed unit squares around samples, no lower than `top`; NaN where there are none.
    pub over: Vec<f64>,
    /// Samples whose surface is above the terrain.
    pub raised: usize,
    /// Patches by what closed bodies are in them.
    pub patches: PatchCount,
}

/// How many patches closed bodies rise above the ground in, and what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatchCount {
    /// All of them.
    pub all: usize,
    /// Solid from the ground up, all over.
    pub solid: usize,
    /// With a void of the terrain.
    pub void: usize,
    /// Not solid, with a body that is open below: eaves, bridges, what floats.
    pub open: usize,
}

/// A part of a patch below a face that looks up.
struct Piece {
    patch: usize,
    body: usize,
    /// The least height of the face over it, and the greatest.
    height: f64,
    highest: f64,
    polygon: Vec<Point>,
}

/// Lays solids on a terrain. Time grows with the patches that faces lie over.
pub fn rasterize(level: &SolidLevel, placement: &Placement, terrain: &Heightmap<'_>) -> Rasterized {
    let grid = Patches { terrain };
    let placement = &placement.about(level.middle);
    let mut pieces: Vec<Piece> = Vec::new();
    // Patches and bodies with a face above the ground that looks down.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (body, faces) in level.closed_bodies().enumerate() {
        for face in faces {
            let vertices: Vec<Point> = face.iter().map(|&p| placement.of(p)).collect();
            let Some(up) = looks(&vertices) else { continue };
            grid.cut(&vertices, |patch, polygon| {
                let heights = polygon.iter().map(|p| p[2]);
                if up {
                    let height = heights.clone().fold(f64::INFINITY, f64::min);
                    let highest = heights.fold(f64::NEG_INFINITY, f64::max);
                    pieces.push(Piece {
                        patch,
                        body,
                        height,
                        highest,
                        polygon,
                    });
                } else if !grid
                    .ground(patch)
                    .is_some_and(|[least, _]| heights.fold(f64::MIN, f64::max) <= least)
                {
                    open.push((patch, body));
                }
            });
        }
    }
    open.sort_unstable();
    open.dedup();
    let mut patches = PatchCount::default();
    let mut touched: Vec<usize> = pieces
        .iter()
        .filter(|piece| {
            let ground = grid.ground(piece.patch);
            ground.is_none_or(|[least, _]| piece.highest > least)
        })
        .map(|piece| piece.patch)
        .collect();
    touched.sort_unstable();
    touched.dedup();
    pieces.retain(|piece| open.binary_search(&(piece.patch, piece.body)).is_err());
    pieces.sort_by(|a, b| {
        (a.patch, b.height)
            .partial_cmp(&(b.patch, a.height))
            .expect("numbers")
    });
    let mut solid_to = vec![f64::NEG_INFINITY; grid.patches()];
    for pieces in pieces.chunk_by(|a, b| a.patch == b.patch) {
        let patch = pieces[0].patch;
        let height = solid_height(&grid.square(patch), pieces);
        if grid.ground(patch).is_some_and(|[_, most]| most <= height) {
            solid_to[patch] = height;
        }
    }
    for &patch in &touched {
        patches.all += 1;
        let first = open.partition_point(|&(at, _)| at < patch);
        if solid_to[patch].is_finite() {
            patches.solid += 1;
        } else if grid.ground(patch).is_none() {
            patches.void += 1;
        } else if open.get(first).is_some_and(|&(at, _)| at == patch) {
            patches.open += 1;
        }
    }
    let mut surface = terrain.heights.to_vec();
    let mut raised = 0;
    for (sample, height) in surface.iter_mut().enumerate() {
        let least = grid.around(sample).map(|patch| solid_to[patch]);
        let least = least.fold(f64::INFINITY, f64::min);
        if least.is_finite() && least > *height {
            *height = least;
            raised += 1;
        }
    }
    let [top, over] = tops(level, placement, &grid);
    Rasterized {
        surface,
        top,
        over,
        raised,
        patches,
    }
}

/// Whether a polygon looks up or down; neither if it is upright but for rounding: files have millimetres.
/// (Placements mirror nothing.)
fn looks(vertices: &[Point]) -> Option<bool> {
    const LEAN: f64 = 2e-3;
    let area = 0.5 * area_vector(vertices)[2];
    let [x, y] = [0, 1].map(|k| {
        let range = vertices
            .iter()
            .fold((f64::MAX, f64::MIN), |(least, most), v| {
                (least.min(v[k]), most.max(v[k]))
            });
        (range.1 - range.0).max(0.0)
    });
    (area.abs() > LEAN * x.hypot(y)).then_some(area > 0.0)
}

/// The height up to which a patch is solid: the least of the highest pieces that cover it.
fn solid_height(square: &[Point], pieces: &[Piece]) -> f64 {
    let mut left = vec![square.to_vec()];
    for piece in pieces {
        let edges = edges(&piece.polygon);
        left = left.iter().flat_map(|part| without(part, &edges)).collect();
        if left.is_empty() {
            return piece.height;
        }
    }
    f64::NEG_INFINITY
}

/// Upright planes through the edges of a convex polygon, seen from above anticlockwise, that look outwards.
fn edges(polygon: &[Point]) -> Vec<Plane> {
    let ends = (0..polygon.len()).map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]));
    let edge = |(p, q): (Point, Point)| {
        let (x, y) = (q[0] - p[0], q[1] - p[1]);
        let length = x.hypot(y);
        (length > SEAM).then(|| {
            let normal = [y / length, -x / length, 0.0];
            let dist = normal[0] * p[0] + normal[1] * p[1];
            Plane { normal, dist }
        })
    };
    ends.filter_map(edge).collect()
}

/// What is left of a convex polygon without the points behind all planes; slivers that come of rounding are none.
fn without(polygon: &[Point], edges: &[Plane]) -> Vec<Vec<Point>> {
    let mut left = Vec::new();
    let mut rest = polygon.to_vec();
    for edge in edges {
        let outer = Plane {
            normal: edge.normal.map(|x| -x),
            // What lies beyond the edge by no more than rounding is not left.
            dist: -edge.dist - SEAM,
        };
        let part = behind(&rest, &outer);
        if part.len() >= 3 {
            left.push(part);
        }
        rest = behind(&rest, edge);
        if rest.len() < 3 {
            break;
        }
    }
    // Of a polygon without an edge nothing is known.
    if edges.len() < 3 {
        return vec![polygon.to_vec()];
    }
    left
}

/// The height of the highest face over each sample, and the highest point of any face over the square around each; NaN where
/// there is none.
fn tops(level: &SolidLevel, placement: &Placement, grid: &Patches<'_>) -> [Vec<f64>; 2] {
    let none = || vec![f64::NAN; grid.terrain.heights.len()];
    let (mut at, mut over) = (none(), none());
    let solids = level.obstacles.iter();
    let of_solids = solids.flat_map(|solid| (0..solid.planes.len()).map(|i| solid.face(i)));
    let faces = level
        .obstacle_faces
        .iter()
        .map(|face| face.vertices.clone());
    for face in of_solids.chain(faces) {
        let mut vertices: Vec<Point> = face.into_iter().map(|p| placement.of(p)).collect();
        grid.cut_squares(&vertices, |sample, part| {
            // NaN is none yet.
            over[sample] = part.iter().fold(over[sample], |most, p| most.max(p[2]));
        });
        let Some(up) = looks(&vertices) else { continue };
        if !up {
            vertices.reverse();
        }
        let edges = edges(&vertices);
        let [a, b, c] = area_vector(&vertices);
        let first = vertices[0];
        for sample in grid.samples(&vertices) {
            let [x, y] = grid.place(sample);
            if edges.iter().all(|edge| edge.height([x, y, 0.0]) <= SEAM) {
                let height = first[2] - (a * (x - first[0]) + b * (y - first[1])) / c;
                at[sample] = at[sample].max(height);
            }
        }
    }
    for (over, at) in over.iter_mut().zip(&at) {
        *over = over.max(*at);
    }
    [at, over]
}

/// The squares between four samples each.
struct Patches<'a> {
    terrain: &'a Heightmap<'a>,
}

impl Patches<'_> {
    /// Patches a row, and rows.
    fn size(&self) -> [usize; 2] {
        self.terrain.size.map(|n| n.saturating_sub(1))
    }

    fn patches(&self) -> usize {
        let [columns, rows] = self.size();
        columns * rows
    }

    /// Least and greatest height of the terrain in a patch; `None` with a void.
    fn ground(&self, patch: usize) -> Option<[f64; 2]> {
        let columns = self.size()[0];
        let first = patch / columns * self.terrain.size[0] + patch % columns;
        let below = first + self.terrain.size[0];
        let corners = [first, first + 1, below, below + 1].map(|i| self.terrain.heights[i]);
        let range = corners.iter().fold(
            [f64::INFINITY, f64::NEG_INFINITY],
            |[least, most], &height| [least.min(height), most.max(height)],
        );
        corners
            .iter()
            .all(|height| !height.is_nan())
            .then_some(range)
    }

    /// The patches that have a sample as a corner.
    fn around(&self, sample: usize) -> impl Iterator<Item = usize> {
        let [columns, rows] = self.size();
        let (column, row) = (sample % self.terrain.size[0], sample / self.terrain.size[0]);
        let along = |at: usize, many: usize| at.saturating_sub(1)..(at + 1).min(many);
        along(row, rows).flat_map(move |r| along(column, columns).map(move |c| r * columns + c))
    }

    /// Metres east and north of the first sample.
    fn place(&self, sample: usize) -> [f64; 2] {
        let (column, row) = (sample % self.terrain.size[0], sample / self.terrain.size[0]);
        let [dx, dy] = self.terrain.spacing;
        [column as f64 * dx, -(row as f64) * dy]
    }

    fn square(&self, patch: usize) -> Vec<Point> {
        let columns = self.size()[0];
        let [dx, dy] = self.terrain.spacing;
        let (x, y) = (
            (patch % columns) as f64 * dx,
            -((patch / columns) as f64) * dy,
        );
        vec![
            [x, y - dy, 0.0],
            [x + dx, y - dy, 0.0],
            [x + dx, y, 0.0],
            [x, y, 0.0],
        ]
    }

    /// Columns and rows of squares that a polygon may touch.
    fn range(&self, polygon: &[Point]) -> [std::ops::Range<usize>; 2] {
        let [columns, rows] = self.size();
        let along = |coordinate: &dyn Fn(&Point) -> f64, many: usize| {
            let (least, most) = polygon
                .iter()
                .map(coordinate)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
                    (least.min(x), most.max(x))
                });
            let first = (least - 1e-6).floor().max(0.0) as usize;
            let end = ((most + 1e-6).floor() + 1.0).clamp(0.0, many as f64) as usize;
            first.min(end)..end
        };
        let [dx, dy] = self.terrain.spacing;
        [along(&|p| p[0] / dx, columns), along(&|p| -p[1] / dy, rows)]
    }

    /// The samples that a polygon may lie over.
    fn samples(&self, polygon: &[Point]) -> impl Iterator<Item = usize> {
        let width = self.terrain.size[0];
        let [columns, rows] = self.range(polygon);
        let (columns, rows) = (columns.start..columns.end + 1, rows.start..rows.end + 1);
        let [wide, high] = self.terrain.size;
        let (columns, rows) = (
            columns.start..columns.end.min(wide),
            rows.start..rows.end.min(high),
        );
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }

    /// Calls `each` with the part of a polygon in the closed unit square around each sample.
    fn cut_squares(&self, polygon: &[Point], mut each: impl FnMut(usize, &[Point])) {
        let [dx, dy] = self.terrain.spacing;
        let [wide, high] = self.terrain.size;
        // From west to east, and from north to south.
        let along = |part: &[Point], axis: usize, many: usize| {
            let at = |p: &Point| if axis == 0 { p[0] / dx } else { -p[1] / dy };
            let (least, most) = part
                .iter()
                .map(at)
                .fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(x), m.max(x)));
            let first = (least - 0.5 - 1e-6).ceil().max(0.0) as usize;
            let end = ((most + 0.5 + 1e-6).floor() + 1.0).clamp(0.0, many as f64) as usize;
            first.min(end)..end
        };
        let strip = |part: &[Point], axis: usize, number: usize| {
            let (side, sign) = if axis == 0 { (dx, 1.0) } else { (dy, -1.0) };
            let middle = sign * number as f64 * side;
            let side_of = |sign: f64| {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                let dist = sign * middle + 0.5 * side + SEAM;
                Plane { normal, dist }
            };
            behind(&behind(part, &side_of(1.0)), &side_of(-1.0))
        };
        for row in along(polygon, 1, high) {
            let part = strip(polygon, 1, row);
            if part.is_empty() {
                continue;
            }
            for column in along(&part, 0, wide) {
                let part = strip(&part, 0, column);
                if !part.is_empty() {
                    each(row * wide + column, &part);
                }
            }
        }
    }

    /// Calls `each` with the part of a polygon in each patch.
    fn cut(&self, polygon: &[Point], mut each: impl FnMut(usize, Vec<Point>)) {
        let [columns, rows] = self.range(polygon);
        for row in rows {
            for column in columns.clone() {
                let patch = row * self.size()[0] + column;
                let sides = edges(&self.square(patch));
                let inside = |part: Vec<Point>, side: &Plane| behind(&part, side);
                let part = sides.iter().fold(polygon.to_vec(), inside);
                if part.len() >= 3 {
                    each(patch, part);
                }
            }
        }
    }
}

impl SolidLevel {
    /// The faces of each opaque closed body, anticlockwise seen from outside.
    pub(super) fn closed_bodies(&self) -> impl Iterator<Item = Vec<Vec<Point>>> {
        let solids = self.solids.iter();
        let solids = solids.map(|solid| (0..solid.planes.len()).map(|i| solid.face(i)).collect());
        let shells = self.shells.iter().map(|range| {
            let faces = self.obstacle_faces[range.clone()].iter();
            faces.map(|face| face.vertices.clone()).collect()
        });
        solids.chain(shells)
    }
}
