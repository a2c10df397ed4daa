//! Rules that need more than one tree: mutual sight of bundles of single trees, and statistics.
//!
//! The statistics of a lossy bundle are of its answers, which are narrower than what is stored.

use super::places::Places;
use crate::bundle::provenance::{LevelStatistics, Statistics};
use crate::bundle::verify::container::Container;
use crate::bundle::verify::report::{Checker, Faults};
use crate::bundle::verify::rules::SYMMETRY;
use crate::compress::ValidPyramid;
use std::io::{self, Read, Seek, SeekFrom};
use viewcell::dice::Dice;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{Narrowing, Quad, ReadPvs, Sample, Tag, Tree, Trees, Valid};

/// Checks [`super::STATISTICS`]: those told by those found in the trees.
pub(crate) fn compare(told: &Statistics, found: &Statistics, faults: &mut Faults) {
    let mut same = |place: String, told: u64, found: u64| {
        if told != found {
            faults.add(place, None, format!("{found}, by the trees"), told);
        }
    };
    same("samples".to_owned(), told.samples, found.samples);
    same("voids".to_owned(), told.voids, found.voids);
    same(
        "levels".to_owned(),
        told.levels.len() as u64,
        found.levels.len() as u64,
    );
    for (told, found) in told.levels.iter().zip(&found.levels) {
        type Field = (&'static str, fn(&LevelStatistics) -> u64);
        let fields: [Field; 5] = [
            ("number", |level| u64::from(level.level)),
            ("quads", |level| level.quads),
            ("quads with terrain", |level| level.quads_with_terrain),
            ("visible samples", |level| level.visible_samples),
            ("tree bytes", |level| level.tree_bytes),
        ];
        for (field, of) in fields {
            same(
                format!("{field} of level {}", found.level),
                of(told),
                of(found),
            );
        }
    }
    for (told, found) in told.levels.iter().zip(&found.levels) {
        if (told.hidden_share - found.hidden_share).abs() > 1e-9 {
            let place = format!("hidden share of level {}", found.level);
            faults.add(place, None, found.hidden_share, told.hidden_share);
        }
    }
}

/// Viewpoints drawn for [`SYMMETRY`]; of small worlds, all.
const VIEWPOINTS: u64 = 64;
/// Targets drawn a viewpoint, twice: among all samples, and among those visible.
const TARGETS: u64 = 32;

/// Draws pairs, and checks [`SYMMETRY`] of them.
pub(crate) fn symmetry(
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

/// What `stored`, the statistics of what is stored, become where trees narrow it: single trees, or unions beside groups, whose
/// quads of levels 0 to 3 see so much by then.
pub(crate) fn narrowed(
    (terrain, trees): (&ValidPyramid, Trees),
    groups: Option<([u64; 4], Narrowing)>,
    stored: &Statistics,
) -> Statistics {
    let grid = terrain.grid();
    let mut counts = vec![0; grid.levels() as usize];
    match groups {
        None => {
            let all = vec![terrain.blocks().to_vec(); grid.levels() as usize + 1];
            Descent { trees, all }.enter(grid.root(), &mut counts);
        }
        Some((of_groups, narrowing)) => {
            counts[..4].copy_from_slice(&of_groups);
            for quad in grid.bake_order().filter(|quad| quad.level >= TREE_LEVEL) {
                let pvs = narrowing.of_tree(quad);
                counts[quad.level as usize] += pvs.map_or(0, |pvs| pvs.count());
            }
        }
    }
    let mut statistics = Statistics::new(grid, terrain.samples());
    for (level, (stored, visible)) in (0..).zip(stored.levels.iter().zip(counts)) {
        statistics.add(level, stored.quads_with_terrain, visible, stored.tree_bytes);
    }
    statistics
}

/// A descent through single trees.
struct Descent<'a> {
    trees: Trees<'a>,
    /// By level, what is visible from the quad at hand; of the level above the root, all terrain.
    all: Vec<Vec<u64>>,
}

impl Descent<'_> {
    fn enter(&mut self, quad: Quad, counts: &mut [u64]) {
        if !self.trees.valid().grid().has_quad(quad) {
            return;
        }
        let level = quad.level as usize;
        let (below, above) = self.all.split_at_mut(level + 1);
        let words = &mut below[level];
        if let Some(tree) = self.trees.tree(quad) {
            tree.expand(words);
        }
        for (word, around) in words.iter_mut().zip(&above[0]) {
            *word &= around;
            counts[level] += u64::from(word.count_ones());
        }
        for child in (0..4).filter_map(|index| quad.child(index)) {
            self.enter(child, counts);
        }
    }
}

/// The sections `TIDX` and `TREE`.
pub(crate) fn read(container: &Container) -> io::Result<[Vec<u8>; 2]> {
    Ok([container.stored(Tag::TIDX)?, container.stored(Tag::TREE)?])
}
