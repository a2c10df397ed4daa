//! The rule on `SOCC`, the occluders by which a server proves that players are hidden.
//!
//! A reader believes each occluder to be opaque. That there is something opaque in the level cannot be known from the
//! bundle. What can be known is that an occluder is a body of a size: a convex set that lies within its box, so that planes
//! that are missing or turned around, which would make a half-space of it, are found.

use super::container::Container;
use super::report::Faults;
use viewcell::convex::{Plane, Point, Scale, dot};
use viewcell::format::Tag;
use viewcell::format::occluders::{HEADER_LEN, OccluderRecord, Occluders, PLANE_LEN, RECORD_LEN};
use viewcell::format::solid::SolidCells;
use viewcell_ingest::world::solid::{behind, square};

/// How much of its longest side an occluder may lie outside of its box: planes are recomputed from corners, and nearly
/// parallel ones meet far from where they should.
const SLACK: f64 = 0.01;
/// By how much the length of a normal may differ from 1.
const UNIT: f64 = 1e-9;

pub(super) fn check(container: &Container, bytes: &[u8], cells: &SolidCells, faults: &mut Faults) {
    let at = container.start(Tag::SOCC);
    // What has too many for a bundle has none.
    if bytes.is_empty() {
        return;
    }
    let Some(occluders) = Occluders::new(bytes) else {
        let expected = "a header, its occluders and planes";
        let found = format!("{} bytes", bytes.len());
        return faults.add("section SOCC", at, expected, found);
    };
    let extent = occluders.extent();
    let reach = reach_of_players(cells);
    // Of sums in double precision.
    if extent * (1.0 + UNIT) < reach {
        let expected = format!("an extent of {reach}, by the cells");
        faults.add("section SOCC", at + 8, expected, extent);
    }
    let scale = Scale::new(extent);
    let mut next = 0;
    for number in 0..occluders.len() {
        let start = HEADER_LEN + number as usize * RECORD_LEN;
        let mut fault = |expected: &str, found: String| {
            let place = format!("section SOCC, occluder {number}");
            faults.add(place, at + start as u64, expected, found);
        };
        let record = occluders.record(number);
        let Some(record) = record.filter(|record| record.first == next) else {
            return fault(
                "a kind, a box, and the planes that are next",
                "others".to_owned(),
            );
        };
        next += record.planes;
        let numbers = record.first..record.first + record.planes;
        let planes = numbers.map(|number| occluders.plane(number));
        let Some(planes) = planes.collect::<Option<Vec<_>>>() else {
            return fault("planes of numbers", "others".to_owned());
        };
        if bytes.get(start + 12..start + 16) != Some(&[0; 4]) {
            fault("reserved bytes of 0", "others".to_owned());
        }
        let turned = planes
            .iter()
            .position(|(normal, _)| (dot(*normal, *normal) - 1.0).abs() > 2.0 * UNIT);
        if let Some(turned) = turned {
            let first = HEADER_LEN + occluders.len() as usize * RECORD_LEN;
            let plane = (record.first as usize + turned) * PLANE_LEN;
            let place = format!("section SOCC, plane {}", record.first as usize + turned);
            let at = at + (first + plane) as u64;
            faults.add(
                place,
                at,
                "a normal of length 1",
                format!("{:?}", planes[turned].0),
            );
            continue;
        }
        let corners = record.bounds.as_flattened();
        // Boxes of what was put together are wider by the margin.
        let most = extent + 2.0 * scale.margin;
        if corners.iter().any(|x| x.abs() > most) {
            fault("a box within the extent", format!("{:?}", record.bounds));
        }
        let planes: Vec<Plane> = planes
            .into_iter()
            .map(|(normal, dist)| Plane { normal, dist })
            .collect();
        if !lies_in_its_box(&record, &planes, scale.margin) {
            let found = format!("{} planes that bound more", planes.len());
            fault("planes that bound a body within its box", found);
        }
    }
    let left = (bytes.len() - HEADER_LEN - occluders.len() as usize * RECORD_LEN) / PLANE_LEN;
    if next as usize != left {
        let found = format!("{left} planes");
        faults.add(
            "section SOCC",
            at + 4,
            format!("{next} planes, by its occluders"),
            found,
        );
    }
}

/// The greatest coordinate, in amount, of what players in cells see from and of what is seen of them, from the middle.
fn reach_of_players(cells: &SolidCells) -> f64 {
    let solid = cells.parameters();
    let [low, high] = solid.hull;
    let bounds = (0..solid.cells).filter_map(|cell| cells.bounds(cell));
    let corners = bounds.flat_map(|[min, max]| {
        (0..3).flat_map(move |k| {
            let eye = if k == 2 { solid.eye } else { [0.0; 2] };
            [
                min[k] + low[k].min(eye[0]) - solid.middle[k],
                max[k] + high[k].max(eye[1]) - solid.middle[k],
            ]
        })
    });
    corners.fold(0.0, |most: f64, at| most.max(at.abs()))
}

/// Whether all points behind all planes lie in the box, or nearly so. Of a polygon the first plane is its own.
fn lies_in_its_box(record: &OccluderRecord, planes: &[Plane], margin: f64) -> bool {
    let [low, high] = record.bounds;
    let longest = (0..3).fold(0.0, |most: f64, k| most.max(high[k] - low[k]));
    let slack = SLACK * longest + 2.0 * margin + record.thick;
    let reach = 4.0 * (longest + slack);
    let centre: Point = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let is_near = |at: &Point| (0..3).all(|k| low[k] - slack <= at[k] && at[k] <= high[k] + slack);
    // Without a plane all of space.
    if planes.is_empty() {
        return false;
    }
    let own = if record.kind == 0 { planes.len() } else { 1 };
    let mut some = false;
    let within = planes.iter().take(own).enumerate().all(|(i, plane)| {
        let square = square(plane, centre, reach);
        let others = planes.iter().enumerate().filter(|(j, _)| *j != i);
        let side = others.fold(square, |side, (_, other)| behind(&side, other));
        some |= !side.is_empty();
        side.iter().all(is_near)
    });
    // Where no plane comes near the box all around it may be behind all of them.
    within && (some || planes.iter().any(|plane| plane.height(centre) > 0.0))
}
