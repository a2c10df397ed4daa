//! Ray caster: whether a segment is clear, by another method than the kernel: signed volumes against the boundaries of
//! solids and against faces, as polygons in a bounding volume hierarchy.

use viewcell::convex::{Plane, Point, cross, dot, minus};
use viewcell_ingest::world::solid::{Aabb, Face, FacePlane, Solid, SolidLevel};

/// What is found of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentSight {
    /// It meets something opaque.
    Blocked,
    /// It passes between opaque things through a gap so narrow that it counts as closed.
    Seam,
    /// Nothing opaque is near it.
    Clear,
}

/// What is opaque in a level, for segments.
pub struct Tracer<'l> {
    level: &'l SolidLevel,
    polygons: Vec<Polygon>,
    corners: Vec<Point>,
    nodes: Vec<PolygonBox>,
    /// Gaps of twice this count as closed.
    slack: f64,
}

/// A polygon before it is in the tree.
struct Side {
    corners: Vec<Point>,
    bounds: Aabb,
    plane: Plane,
    front_only: bool,
}

/// A convex polygon: a face, or a side of a solid.
struct Polygon {
    first: u32,
    end: u32,
    plane: Plane,
    /// It hides from the front alone.
    front_only: bool,
}

/// A box around some polygons.
struct PolygonBox {
    bounds: Aabb,
    /// Of a leaf its first polygon; of others the second child, where the first is the next node.
    first: u32,
    /// How many polygons a leaf has; 0 of others.
    count: u32,
}

/// Where a segment meets a polygon.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Its number.
    pub polygon: u32,
    /// How far along the segment: 0 to 1.
    pub along: f64,
}

/// Polygons in a leaf.
const LEAF: usize = 4;

impl<'l> Tracer<'l> {
    /// Of a level.
    pub fn new(level: &'l SolidLevel) -> Self {
        let solids = level.solids.iter();
        let sides =
            solids.flat_map(|solid| (0..solid.planes.len()).map(|i| (side(solid, i), false)));
        let faces = level.faces.iter();
        let faces = faces.map(|face| (face.vertices.clone(), !face.two_sided));
        let mut sides: Vec<Side> = sides
            .chain(faces)
            .filter_map(|(corners, front_only)| {
                Some(Side {
                    bounds: Aabb::around(&corners),
                    plane: Plane::of(&corners)?,
                    corners,
                    front_only,
                })
            })
            .collect();
        let bounds = level.bounds();
        let extent = bounds.min.iter().chain(&bounds.max);
        let extent = extent.fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut tracer = Self {
            level,
            polygons: Vec::with_capacity(sides.len()),
            corners: Vec::new(),
            nodes: Vec::new(),
            slack: 2.0 * FacePlane::TOLERANCE + extent * (2.0f64).powi(-21),
        };
        if !sides.is_empty() {
            tracer.divide(&mut sides);
        }
        tracer
    }

    /// What positions are counted from.
    pub fn middle(&self) -> Point {
        self.level.middle
    }

    /// Adds a node of these sides, and all below it.
    fn divide(&mut self, sides: &mut [Side]) {
        let around = |all: Aabb, side: &Side| all.union(&side.bounds);
        let number = self.nodes.len();
        self.nodes.push(PolygonBox {
            bounds: sides.iter().fold(Aabb::EMPTY, around).grown(self.slack),
            first: self.polygons.len() as u32,
            count: 0,
        });
        if sides.len() <= LEAF {
            self.nodes[number].count = sides.len() as u32;
            for side in sides {
                let first = self.corners.len() as u32;
                self.corners.extend(&side.corners);
                self.polygons.push(Polygon {
                    first,
                    end: self.corners.len() as u32,
                    plane: side.plane,
                    front_only: side.front_only,
                });
            }
            return;
        }
        let centres: Vec<Point> = sides.iter().map(|side| side.bounds.centre()).collect();
        let size = Aabb::around(&centres).size();
        let axis = (0..3).fold(0, |most, k| if size[k] > size[most] { k } else { most });
        sides.sort_by(|p, q| p.bounds.centre()[axis].total_cmp(&q.bounds.centre()[axis]));
        let (low, high) = sides.split_at_mut(sides.len() / 2);
        self.divide(low);
        self.nodes[number].first = self.nodes.len() as u32;
        self.divide(high);
    }

    /// Whether a segment is clear.
    pub fn look(&self, a: Point, b: Point) -> SegmentSight {
        self.look_again(a, b, &mut 0)
    }

    /// As [`Tracer::look`]; `guess` is the polygon that blocked the segment before, which is asked first.
    pub(super) fn look_again(&self, a: Point, b: Point, guess: &mut u32) -> SegmentSight {
        match self.hit(a, b, guess) {
            Some(_) => SegmentSight::Blocked,
            None => self.judge(a, b),
        }
    }

    /// Any polygon that the segment goes through.
    pub fn hit(&self, a: Point, b: Point, guess: &mut u32) -> Option<Hit> {
        let hit = |number: u32, polygon: &Polygon| {
            let along = self.meets(polygon, a, b)?;
            Some(Hit {
                polygon: number,
                along,
            })
        };
        let guessed = self.polygons.get(*guess as usize);
        if let Some(hit) = guessed.and_then(|polygon| hit(*guess, polygon)) {
            return Some(hit);
        }
        let way = minus(b, a);
        let inverse = way.map(|x| 1.0 / x);
        let mut waiting = [0_u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let number = waiting[count];
            let node = &self.nodes[number as usize];
            if !crosses(&node.bounds, a, inverse) {
                continue;
            }
            if node.count == 0 {
                waiting[count] = node.first;
                waiting[count + 1] = number + 1;
                count += 2;
                continue;
            }
            for i in node.first..node.first + node.count {
                if let Some(hit) = hit(i, &self.polygons[i as usize]) {
                    *guess = i;
                    return Some(hit);
                }
            }
        }
        None
    }

    /// The corners of a polygon.
    pub fn polygon(&self, number: u32) -> &[Point] {
        let Polygon { first, end, .. } = self.polygons[number as usize];
        &self.corners[first as usize..end as usize]
    }

    fn meets(&self, polygon: &Polygon, a: Point, b: Point) -> Option<f64> {
        let (f, g) = (polygon.plane.height(a), polygon.plane.height(b));
        if !(f > 0.0 && g < 0.0 || !polygon.front_only && f < 0.0 && g > 0.0) {
            return None;
        }
        let way = minus(b, a);
        let corners = &self.corners[polygon.first as usize..polygon.end as usize];
        let (mut left, mut right) = (true, true);
        let mut from = minus(corners[corners.len() - 1], a);
        for &corner in corners {
            let to = minus(corner, a);
            let volume = dot(way, cross(from, to));
            left &= volume >= 0.0;
            right &= volume <= 0.0;
            if !(left || right) {
                return None;
            }
            from = to;
        }
        Some(f / (f - g))
    }

    /// What a segment is that goes through no polygon: inside a solid, through a seam, or clear.
    fn judge(&self, a: Point, b: Point) -> SegmentSight {
        let solids = &self.level.solids;
        if solids
            .iter()
            .any(|solid| solid.contains(a) || solid.contains(b))
        {
            return SegmentSight::Blocked;
        }
        let around = Aabb::around(&[a, b]).grown(self.slack);
        let near = |bounds: &Aabb| bounds.touches(&around);
        let by_solids = solids
            .iter()
            .any(|solid| near(&solid.bounds) && self.nearly_meets(solid.planes.iter(), a, b));
        let by_faces = || {
            let faces = self.level.faces.iter();
            let mut faces = faces.filter(|face| near(&Aabb::around(&face.vertices)));
            faces.any(|face| self.nearly_meets_face(face, a, b))
        };
        if by_solids || by_faces() {
            SegmentSight::Seam
        } else {
            SegmentSight::Clear
        }
    }

    /// Whether a segment meets what planes enclose if all are moved outwards.
    fn nearly_meets<'p>(
        &self,
        planes: impl Iterator<Item = &'p Plane>,
        a: Point,
        b: Point,
    ) -> bool {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for plane in planes {
            let (f, g) = (plane.height(a) - self.slack, plane.height(b) - self.slack);
            if f > 0.0 && g > 0.0 {
                return false;
            }
            if f > 0.0 {
                first = first.max(f / (f - g));
            } else if g > 0.0 {
                last = last.min(f / (f - g));
            }
        }
        first <= last
    }

    /// The same for a face, as a slab.
    fn nearly_meets_face(&self, face: &Face, a: Point, b: Point) -> bool {
        let plane = face.plane;
        if !face.two_sided && plane.height(a) < plane.height(b) {
            return false;
        }
        let edges = face.edges().filter_map(|(p, q)| {
            let out = cross(minus(q, p), plane.normal);
            let length = dot(out, out).sqrt();
            let normal = out.map(|x| x / length);
            let dist = dot(normal, p).max(dot(normal, q));
            (length > 0.0).then_some(Plane { normal, dist })
        });
        let planes: Vec<Plane> = edges.chain([plane, plane.flipped()]).collect();
        self.nearly_meets(planes.iter(), a, b)
    }
}

/// A side of a solid, with the corners that its other sides have.
fn side(solid: &Solid, index: usize) -> Vec<Point> {
    let nearest = |corner: Point| {
        let far = |vertex: &Point| {
            let off = minus(*vertex, corner);
            dot(off, off)
        };
        let vertices = solid.vertices.iter();
        let nearest = vertices.min_by(|p, q| far(p).total_cmp(&far(q)));
        nearest.copied().unwrap_or(corner)
    };
    let mut corners: Vec<Point> = solid.face(index).into_iter().map(nearest).collect();
    corners.dedup();
    corners
}

/// Whether a segment from `a` crosses a box, by the inverse of its way.
#[inline]
fn crosses(bounds: &Aabb, a: Point, inverse: Point) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let p = (bounds.min[k] - a[k]) * inverse[k];
        let q = (bounds.max[k] - a[k]) * inverse[k];
        first = first.max(p.min(q));
        last = last.min(p.max(q));
    }
    first <= last
}
