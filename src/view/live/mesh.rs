//! The mesh of a solid level for the page: triangles of what hides, and the boxes of its view cells.

use serde_json::json;

use super::answer::{Answer, Refusal};
use viewcell::format::occluders::Occluders;
use viewcell_bake::world::solid::{Plane, Point, Solid};

/// The most triangles that are sent: 36 bytes each.
const MOST: usize = 2_000_000;

/// Corners of triangles as nine `f32` each, then for each cell the least and the greatest corner of its box as six `f32`.
/// `section` is what hides as a bundle has it ([`Occluders`]), counted from `middle`.
pub(super) fn mesh(
    section: &[u8],
    middle: Point,
    cells: impl Iterator<Item = [Point; 2]>,
) -> Result<Answer, Refusal> {
    let occluders = Occluders::new(section).ok_or_else(Refusal::damaged)?;
    let mut triangles: Vec<f32> = Vec::new();
    for number in 0..occluders.len() {
        for polygon in polygons(&occluders, number).ok_or_else(Refusal::damaged)? {
            let corner = |at: Point| [0, 1, 2].map(|axis| (at[axis] + middle[axis]) as f32);
            for k in 2..polygon.len() {
                triangles.extend(
                    [polygon[0], polygon[k - 1], polygon[k]]
                        .into_iter()
                        .flat_map(corner),
                );
            }
        }
        if triangles.len() > 9 * MOST {
            return Err(Refusal::too_large(format!(
                "this level has more than {MOST} triangles, which is too large to draw: it is shown as a plan"
            )));
        }
    }
    let boxes: Vec<f32> = cells
        .flat_map(|[low, high]| low.into_iter().chain(high).map(|x| x as f32))
        .collect();
    let head = json!({ "triangles": triangles.len() / 9, "cells": boxes.len() / 6 });
    Ok(Answer::new(head).with(triangles).with(boxes))
}

/// The polygons of an occluder. One that is too thin to have any has none.
fn polygons(occluders: &Occluders<'_>, number: u32) -> Option<Vec<Vec<Point>>> {
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
        return Some(
            (0..solid.planes.len())
                .map(|face| solid.face(face))
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
    Some(vec![polygon])
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
    let cross = |a: Point, b: Point| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
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
    use viewcell_bake::world::solid::box_planes;

    #[test]
    fn a_square_is_cut_to_what_its_edges_leave() {
        let bounds = viewcell_bake::Aabb {
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
        let past = Plane {
            normal: [1.0, 0.0, 0.0],
            dist: -7.0,
        };
        assert!(clipped(&polygon, &past).is_empty());
    }
}
