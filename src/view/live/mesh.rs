//! The mesh of a solid level for the page: triangles of what hides, and the boxes of its view cells.

use serde_json::json;

use super::answer::{Answer, Refusal};
use viewcell::convex::cross;
use viewcell::format::Frame;
use viewcell::format::frame::ends;
use viewcell::format::occluders::Occluders;
use viewcell_ingest::world::solid::{Plane, Point, Solid};

/// The most triangles that are sent: 36 bytes each.
const MOST: usize = 2_000_000;

/// So many heights of a cell a room is high at most.
const STOREY: u32 = 24;

/// Where players can be, for what of a mesh they can see.
pub(super) struct Room<'r> {
    /// The cell of a position, if somebody can be there.
    pub locate: &'r dyn Fn(Point) -> Option<u32>,
    /// Width and height of the smallest cells.
    pub cell: [f64; 2],
    /// Half the width of a body.
    pub half: f64,
    /// Where feet are, above a position.
    pub feet: f64,
    /// What the level counts what hides from.
    pub middle: Point,
    /// What is sent, and asked of this, in the coordinates of the level.
    pub frame: Frame,
}

impl Room<'_> {
    /// Whether players can be before a point of a surface, whose normal points to them, at whatever height.
    fn is_before(&self, at: Point, normal: Point) -> bool {
        let heights = |sign: f64| (0..STOREY).map(move |k| sign * f64::from(k) * self.cell[1]);
        let holds = |off: f64, z: f64| {
            let [x, y] = [0, 1].map(|axis| at[axis] + off * normal[axis]);
            (self.locate)([x, y, z]).is_some()
        };
        // Above a floor, from where feet are on it; below a ceiling; beside a wall, which may be higher or go down deeper.
        let feet = at[2] - self.feet + 0.1 * self.cell[1];
        let above = |off: f64| heights(1.0).any(|up| holds(off, feet + up));
        let below = |off: f64| heights(-1.0).any(|down| holds(off, at[2] + down));
        match normal[2] {
            up if up > 0.5 => above(0.0),
            up if up < -0.5 => below(0.0),
            _ => [1.1, 1.6, 2.6].iter().any(|times| {
                let off = times * self.half;
                below(off) || above(off)
            }),
        }
    }
}

/// Corners of triangles as nine `f32` each, counterclockwise for who sees them; then for each cell the least and the
/// greatest corner of its box as six `f32`; then for each cell as `u8` whether players stand in it, or are in the air. `section` is what hides as a bundle has it ([`Occluders`]). Of all surfaces there is what players can stand before: not the outside of a level, nor what lies within walls.
pub(super) fn mesh(
    section: &[u8],
    cells: impl Iterator<Item = [Point; 2]>,
    room: &Room<'_>,
) -> Result<Answer, Refusal> {
    let occluders = Occluders::new(section).ok_or_else(Refusal::damaged)?;
    let mut triangles: Vec<f32> = Vec::new();
    for number in 0..occluders.len() {
        for (normal, polygon) in polygons(&occluders, number).ok_or_else(Refusal::damaged)? {
            let placed = |at: &Point| {
                let of_level = [0, 1, 2].map(|axis| at[axis] + room.middle[axis]);
                room.frame.to_asked(of_level)
            };
            let polygon = facing(polygon.iter().map(placed).collect(), normal);
            divide(polygon, 2.0 * room.cell[0], &mut |piece| {
                if room.is_before(middle_of(piece), normal) {
                    for k in 2..piece.len() {
                        let corners = [piece[0], piece[k - 1], piece[k]].into_iter().flatten();
                        triangles.extend(corners.map(|x| x as f32));
                    }
                }
            });
        }
        if triangles.len() > 9 * MOST {
            return Err(Refusal::too_large(format!(
                "this level has more than {MOST} triangles, which is too large to draw: it is shown as a plan"
            )));
        }
    }
    let (mut boxes, mut stands) = (Vec::<f32>::new(), Vec::<u8>::new());
    for (number, [low, high]) in (0..).zip(cells) {
        let below = low[2] - 0.05 * room.cell[1];
        let under = [low[0].midpoint(high[0]), low[1].midpoint(high[1]), below];
        let other = (room.locate)(under).filter(|cell| *cell != number);
        stands.push(u8::from(other.is_none()));
        boxes.extend(low.into_iter().chain(high).map(|x| x as f32));
    }
    let head = json!({ "triangles": triangles.len() / 9, "cells": stands.len() });
    Ok(Answer::new(head).with(triangles).with(boxes).with(stands))
}

fn middle_of(polygon: &[Point]) -> Point {
    let count = polygon.len().max(1) as f64;
    [0, 1, 2].map(|axis| polygon.iter().map(|at| at[axis]).sum::<f64>() / count)
}

/// The polygon counterclockwise around a normal.
fn facing(mut polygon: Vec<Point>, normal: Point) -> Vec<Point> {
    let mut around = [0.0; 3];
    for (k, &to) in polygon.iter().enumerate() {
        let from = polygon[(k + polygon.len() - 1) % polygon.len()];
        let one = cross(from, to);
        around = [0, 1, 2].map(|axis| around[axis] + one[axis]);
    }
    if around.iter().zip(normal).map(|(a, n)| a * n).sum::<f64>() < 0.0 {
        polygon.reverse();
    }
    polygon
}

/// Hands out a polygon in pieces that are at most so long along each axis.
fn divide(polygon: Vec<Point>, long: f64, take: &mut impl FnMut(&[Point])) {
    if polygon.len() < 3 {
        return;
    }
    let ranges = [0, 1, 2].map(|axis| ends(polygon.iter().map(|at| at[axis])));
    let length = |axis: usize| ranges[axis][1] - ranges[axis][0];
    let axis = [1, 2].into_iter().fold(0, |best, axis| {
        if length(axis) > length(best) {
            axis
        } else {
            best
        }
    });
    if length(axis) <= long {
        return take(&polygon);
    }
    let dist = ranges[axis][0].midpoint(ranges[axis][1]);
    for side in [1.0, -1.0] {
        let mut normal = [0.0; 3];
        normal[axis] = side;
        let half = clipped(
            &polygon,
            &Plane {
                normal,
                dist: side * dist,
            },
        );
        divide(half, long, take);
    }
}

/// The polygons of an occluder, each with the normal of the side that it is seen from. One that is too thin has none.
fn polygons(occluders: &Occluders<'_>, number: u32) -> Option<Vec<(Point, Vec<Point>)>> {
    let record = occluders.record(number)?;
    let planes = (record.first..record.first + record.planes).map(|number| {
        let (normal, dist) = occluders.plane(number)?;
        Some(Plane { normal, dist })
    });
    let planes: Vec<Plane> = planes.collect::<Option<_>>()?;
    if record.kind == 0 {
        let Ok(solid) = Solid::from_planes(planes.iter().copied()) else {
            return Some(Vec::new());
        };
        let faces = solid.planes.iter().enumerate();
        return Some(
            faces
                .map(|(face, plane)| (plane.normal, solid.face(face)))
                .collect(),
        );
    }
    let (own, edges) = planes.split_first()?;
    let far = record
        .bounds
        .iter()
        .flatten()
        .fold(1.0, |most: f64, x| most.max(x.abs()));
    let mut polygon = square(own, 4.0 * far);
    for edge in edges {
        polygon = clipped(&polygon, edge);
    }
    let mut sides = vec![(own.normal, polygon.clone())];
    if record.kind == 1 {
        sides.push((own.normal.map(|x| -x), polygon));
    }
    Some(sides)
}

/// A square of a plane whose sides are `far` from the foot of the origin.
fn square(plane: &Plane, far: f64) -> Vec<Point> {
    let [x, y, z] = plane.normal;
    let length = (x * x + y * y + z * z).sqrt().max(1e-12);
    let normal = plane.normal.map(|n| n / length);
    let foot = normal.map(|n| n * plane.dist / length);
    let across = if normal[2].abs() > 0.7 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let unit = |a: Point| {
        let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
        a.map(|x| x / length)
    };
    let u = unit(cross(normal, across));
    let v = cross(normal, u);
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corner =
        |[a, b]: [f64; 2]| [0, 1, 2].map(|axis| foot[axis] + far * (a * u[axis] + b * v[axis]));
    corners.map(corner).into()
}

/// What of a polygon lies behind a plane (Sutherland and Hodgman).
fn clipped(polygon: &[Point], plane: &Plane) -> Vec<Point> {
    let above = |at: &Point| {
        let along: f64 = plane.normal.iter().zip(at).map(|(n, x)| n * x).sum();
        along - plane.dist
    };
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &to) in polygon.iter().enumerate() {
        let from = polygon[(k + polygon.len() - 1) % polygon.len()];
        let [before, after] = [above(&from), above(&to)];
        if (before <= 0.0) != (after <= 0.0) {
            let part = before / (before - after);
            kept.push([0, 1, 2].map(|axis| from[axis] + part * (to[axis] - from[axis])));
        }
        if after <= 0.0 {
            kept.push(to);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell_ingest::world::solid::box_planes;

    #[test]
    fn a_square_is_cut_to_what_its_edges_leave() {
        let bounds = viewcell_ingest::world::solid::Aabb {
            min: [-1.0, -2.0, 0.0],
            max: [3.0, 4.0, 5.0],
        };
        let top = Plane {
            normal: [0.0, 0.0, 1.0],
            dist: 5.0,
        };
        let mut polygon = square(&top, 100.0);
        for plane in box_planes(&bounds) {
            polygon = clipped(&polygon, &plane);
        }
        assert_eq!(polygon.len(), 4);
        for at in [
            [-1.0, -2.0, 5.0],
            [3.0, -2.0, 5.0],
            [3.0, 4.0, 5.0],
            [-1.0, 4.0, 5.0],
        ] {
            let near = |corner: &Point| corner.iter().zip(at).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(polygon.iter().any(near), "{at:?} in {polygon:?}");
        }
        let mut pieces = 0;
        let mut area = 0.0;
        divide(polygon.clone(), 2.0, &mut |piece| {
            pieces += 1;
            let [low, high] = [f64::min, f64::max]
                .map(|of| [0, 1].map(|axis| piece.iter().map(|at| at[axis]).reduce(of).unwrap()));
            area += (high[0] - low[0]) * (high[1] - low[1]);
        });
        assert_eq!((pieces, area), (8, 24.0));
        for (normal, first) in [([0.0, 0.0, 1.0], 1.0), ([0.0, 0.0, -1.0], -1.0)] {
            let [a, b, c, ..] = facing(polygon.clone(), normal)[..] else {
                panic!()
            };
            let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
            assert!(turn * first > 0.0);
        }
        let past = Plane {
            normal: [1.0, 0.0, 0.0],
            dist: -7.0,
        };
        assert!(clipped(&polygon, &past).is_empty());
    }
}
