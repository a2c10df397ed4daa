//! The rule on mutual sight, of bundles of single trees.

use std::io::{self, Read, Seek, SeekFrom};

use super::places::Places;
use crate::bundle::verify::checker::{Checker, Faults};
use crate::bundle::verify::container::Container;
use crate::bundle::verify::report::Rule;
use crate::dice::Dice;
use crate::format::{Sample, Tree, Valid};

pub(in crate::bundle::verify) const SYMMETRY: Rule = Rule {
    name: "symmetry",
    demands: "in a mutual bundle, A sees B exactly when B sees A: of single trees, pairs are drawn",
};

/// Viewpoints drawn for [`SYMMETRY`]; of small worlds, all.
const VIEWPOINTS: u64 = 64;
/// Targets drawn a viewpoint, twice: among all samples, and among those visible.
const TARGETS: u64 = 32;

/// Draws pairs, and checks [`SYMMETRY`] of them.
pub(super) fn symmetry(
    checker: &mut Checker,
    container: &Container,
    places: &Places,
    valid: Valid,
    faults: &mut Faults,
) -> io::Result<()> {
    let grid = places.grid;
    let sample = |i: u64| {
        let width = u64::from(grid.width());
        Sample::new((i % width) as u32, (i / width) as u32)
    };
    let everything = grid.samples() <= VIEWPOINTS;
    let viewpoints = grid.samples().min(VIEWPOINTS);
    let mut dice = Dice(0);
    let mut draw = |limit: u64| dice.bits() % limit.max(1);
    for i in 0..viewpoints {
        checker.tell(SYMMETRY, i, viewpoints);
        let a = sample(if everything { i } else { draw(grid.samples()) });
        let from_a = read_tree(container, places, a)?;
        let Some(from_a) = Tree::parse(valid, &from_a) else {
            continue;
        };
        let mut targets: Vec<Sample> = if everything {
            (0..grid.samples()).map(sample).collect()
        } else {
            (0..TARGETS).map(|_| sample(draw(grid.samples()))).collect()
        };
        if !everything {
            let mut pvs = vec![0; grid.blocks()];
            from_a.expand(&mut pvs);
            let seen: Vec<_> = grid
                .row_by_row()
                .filter(|&s| {
                    let (word, bit) = grid.block_bit(s);
                    pvs[word] >> bit & 1 == 1
                })
                .collect();
            if !seen.is_empty() {
                let draws = (0..TARGETS).map(|_| seen[draw(seen.len() as u64) as usize]);
                targets.extend(draws);
            }
        }
        for b in targets
            .into_iter()
            .filter(|&b| valid.has_sample(a) && valid.has_sample(b))
        {
            let from_b = read_tree(container, places, b)?;
            let back = Tree::parse(valid, &from_b).is_none_or(|from_b| from_b.contains(a));
            let there = from_a.contains(b);
            if there != back {
                let at = places.start + places.offset(b.quad());
                let word = |sees| if sees { "sees" } else { "does not see" };
                let pair = format!("({}, {}) and ({}, {})", a.column, a.row, b.column, b.row);
                let found = format!("the first {}, the second {} back", word(there), word(back));
                faults.add(format!("samples {pair}"), at, "the same both ways", found);
            }
        }
    }
    Ok(())
}

/// The bytes of the tree of a sample.
fn read_tree(container: &Container, places: &Places, sample: Sample) -> io::Result<Vec<u8>> {
    let quad = sample.quad();
    let (offset, end) = (places.offset(quad), places.end(quad));
    let mut bytes = vec![0; (end - offset) as usize];
    let mut file = &container.file;
    file.seek(SeekFrom::Start(places.start + offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
