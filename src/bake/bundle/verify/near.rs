//! The rule that a cell of a solid level sees itself and what it touches.

use crate::bundle::verify::rules::NEAR;
use std::io;
use std::path::Path;

use super::report::{Checker, Faults};
use crate::visibility::solid::Prover;
use viewcell::format::solid::{BUCKET_SIDE, SolidCells};
use viewcell::query::{MappedBundle, Tag};

/// More faults tell nothing more, and each takes a look at all occluders.
const ENOUGH: u64 = 1000;

/// Checks the rule on a bundle all of whose other rules hold.
pub(super) fn check(checker: &mut Checker, path: &Path) -> io::Result<()> {
    let map = MappedBundle::open(path).map_err(io::Error::other)?;
    let bundle = map.bundle().map_err(io::Error::other)?;
    let level = bundle.solid().map_err(io::Error::other)?;
    let bytes = |tag| bundle.section(tag).map_or(&[][..], |(_, bytes)| bytes);
    let cells = SolidCells::new(*level.parameters(), bytes(Tag::SBOX), bytes(Tag::SLOC));
    let at = bundle.section(Tag::PAIR).map(|(section, _)| section.offset);
    let prover = Prover::new(&level);
    let count = level.cells();
    let mut faults = Faults::default();
    for a in 0..count {
        if a % 1024 == 0 {
            checker.tell(NEAR, a.into(), count.into());
        }
        if !level.visible(a, a) {
            faults.add(format!("cell {a}"), at, "a cell that sees itself", "hidden");
        }
        touching(&cells, a, &mut |b| {
            let hidden = a != b && !level.visible(a, b);
            if hidden && prover.as_ref().is_some_and(|prover| prover.must_see(a, b)) {
                let place = format!("cells {a} and {b}");
                faults.add(place, at, "visible, since they touch", "hidden");
            }
            (faults.count() < ENOUGH).then_some(())
        });
        if faults.count() >= ENOUGH {
            break;
        }
    }
    checker.note(NEAR, faults);
    Ok(())
}

/// Shows `take` the cells whose boxes touch that of a cell; ends where it returns `None`.
fn touching(cells: &SolidCells, a: u32, take: &mut dyn FnMut(u32) -> Option<()>) -> Option<()> {
    let own = cells.record(a)?;
    let range = cells.near(cells.bounds(a)?)?;
    let [first, last] = range.map(|place| place.map(|at| at / BUCKET_SIDE));
    for z in first[2]..=last[2] {
        for y in first[1]..=last[1] {
            for x in first[0]..=last[0] {
                cells.cells_near([x, y, z], range, |b| {
                    let other = cells.record(b)?;
                    let meet =
                        (0..3).all(|k| own.low[k] <= other.high[k] && other.low[k] <= own.high[k]);
                    if meet { take(b) } else { Some(()) }
                })?;
            }
        }
    }
    Some(())
}
