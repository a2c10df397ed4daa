//! The statistics of a bundle that has lost something: of what it answers, which is less than what
//! is stored.

use std::io::{self, Read, Seek, SeekFrom};

use crate::bundle::provenance::Statistics;
use crate::bundle::verify::container::Container;
use crate::bundle::verify::pairs::PairSections;
use crate::compress::ValidPyramid;
use crate::format::{Narrowing, Quad, Tag, TerrainParameters, Trees, Valid};

/// What `stored`, the statistics of what is stored, become. Takes memory for all trees.
pub(super) fn narrowed(
    container: &Container,
    parameters: &TerrainParameters,
    (terrain, valid): (&ValidPyramid, Valid),
    pairs: Option<&PairSections>,
    least: u32,
    stored: &Statistics,
) -> io::Result<Statistics> {
    let [index, bytes] = [Tag::TIDX, Tag::TREE].map(|tag| read(container, tag));
    let (index, bytes) = (index?, bytes?);
    let trees = Trees::new(valid, least, &index, &bytes);
    let grid = parameters.grid;
    let mut counts = vec![0; grid.levels() as usize];
    match pairs {
        None => {
            let all = vec![terrain.blocks().to_vec(); grid.levels() as usize + 1];
            Descent { trees, all }.enter(grid.root(), &mut counts);
        }
        Some(pairs) => {
            let narrowing = Narrowing::new(trees, parameters.mutual);
            let of_groups = pairs.narrowed(terrain, valid, &narrowing);
            counts
                .iter_mut()
                .zip(of_groups)
                .for_each(|(to, from)| *to = from);
            for quad in grid.bake_order().filter(|quad| quad.level >= least) {
                let pvs = narrowing.of_tree(quad);
                counts[quad.level as usize] += pvs.map_or(0, |pvs| pvs.count());
            }
        }
    }
    let mut statistics = Statistics::new(grid, terrain.samples());
    for (level, (stored, visible)) in (0..).zip(stored.levels.iter().zip(counts)) {
        statistics.add(level, stored.quads_with_terrain, visible, stored.tree_bytes);
    }
    Ok(statistics)
}

/// A way down single trees.
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

fn read(container: &Container, tag: Tag) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(section) = container.section(tag) {
        let mut file = &container.file;
        file.seek(SeekFrom::Start(section.offset))?;
        file.take(section.stored_length).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
