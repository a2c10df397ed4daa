//! A bundle with every PVS pruned to a number of nodes, as the thesis did it (section 3.4).
//!
//! PVSs are pruned one by one, so they are read from a bundle, and are single trees in the one that is written (tree code 1).

use std::path::Path;

use rayon::prelude::*;

use crate::pruning::{DeepestFirst, DepthPruner};
use viewcell::format::grid::{BLOCK_LEVEL, quad_mask};
use viewcell::format::{Quad, TreeCode};
use viewcell::query::{MappedBundle, OpenError, TerrainBundle};
use viewcell_bake::bundle::{LevelsWriter, Loss, Statistics, TerrainParts};
use viewcell_bake::compress::{Scratch, encode};
use viewcell_bake::survey::GroupSight;
use viewcell_bake::{BakeError, Given, unreadable};

/// Quads that a thread prunes at a time: some three blocks and the quads in them.
const CHUNK: usize = 256;
/// Chunks that are pruned before they are written.
const CHUNKS: usize = 64;

/// Writes the bundle `source` with every PVS pruned by itself, in tree code 1, over what is at `output`. To prune a bundle
/// again to fewer nodes comes to the same.
///
/// Of two samples one may be visible from the other but not the other way round then, and a quad may see less than
/// one of its samples; all that it says is hidden is hidden.
///
/// # Errors
///
/// Where the source cannot be read or is damaged, or the output not be written.
pub fn write_pruned(source: &Path, output: &Path, to: DeepestFirst) -> Result<(), BakeError> {
    let cannot = |error: OpenError| unreadable(source, error);
    let TerrainParts {
        mut header,
        heights,
        valid,
        mut provenance,
    } = TerrainParts::read(source)?;
    let map = MappedBundle::open(source).map_err(cannot)?;
    let terrain = map.terrain().map_err(cannot)?;
    let grid = valid.grid();
    header.parameters.tree_code = TreeCode::Single;
    header.parameters.lossy = true;
    // Whom A sees is pruned without a look at who sees A.
    header.parameters.mutual = false;
    let mut writer = LevelsWriter::create(output, true, &header, (&heights, &valid), &[])?;
    let mut statistics = Statistics::new(grid, valid.samples());
    let mut quads = grid.bake_order();
    let working = || {
        let working = Working {
            reader: Reader::new(terrain),
            pruner: DepthPruner::new(&valid),
            levels: vec![Pruned::default(); grid.levels() as usize],
            blocks: grid.blocks(),
        };
        (working, Scratch::default())
    };
    loop {
        let due: Vec<Quad> = quads.by_ref().take(CHUNK * CHUNKS).collect();
        if due.is_empty() {
            break;
        }
        let trees = due
            .par_chunks(CHUNK)
            .map_init(working, |(working, scratch), quads| {
                let pruned = quads.iter().map(|&quad| {
                    let pruned = working.prune(quad, to);
                    let pruned = pruned.ok_or_else(|| unreadable(source, "it is damaged"))?;
                    let mut bytes = Vec::new();
                    encode(&valid, &pruned.own, scratch, &mut bytes);
                    Ok((quad, pruned.visible(), bytes))
                });
                pruned.collect::<Result<Vec<_>, BakeError>>()
            });
        let trees: Vec<_> = trees.collect::<Result<_, BakeError>>()?;
        for (quad, visible, bytes) in trees.into_iter().flatten() {
            writer.push_union(quad, &bytes)?;
            let has_terrain = terrain.valid().has_quad(quad);
            statistics.record(quad, has_terrain, visible, bytes.len());
        }
    }
    let given = Given::DeepestFirst {
        nodes_per_quad: to.nodes,
        ties: to.ties.name().to_owned(),
    };
    provenance.loss = Some(Loss::between(given, &provenance.statistics, &statistics));
    provenance.statistics = statistics;
    writer.finish(&provenance)?;
    Ok(())
}

/// A PVS of each level, and what reads and prunes them.
struct Working<'v> {
    reader: Reader<'v>,
    pruner: DepthPruner<'v>,
    /// The quad of each level that was pruned last.
    levels: Vec<Pruned>,
    /// Of the grid.
    blocks: usize,
}

/// What is left of a PVS, as block bitmaps.
#[derive(Clone, Default)]
struct Pruned {
    quad: Option<Quad>,
    /// As it is stored.
    own: Vec<u64>,
    /// What is visible: in it, and in those of all quads around it.
    narrow: Vec<u64>,
}

impl Pruned {
    fn visible(&self) -> u64 {
        let words = self.narrow.iter();
        words.map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Working<'_> {
    /// Prunes the PVS of a quad, and those of the quads around it unless they were pruned last.
    /// `None` where the bundle is damaged.
    fn prune(&mut self, quad: Quad, to: DeepestFirst) -> Option<&Pruned> {
        let (below, above) = self.levels.split_at_mut(quad.level as usize + 1);
        let pruned = below.last_mut()?;
        if pruned.quad == Some(quad) {
            return self.levels.get(quad.level as usize);
        }
        if !above.is_empty() {
            self.prune(quad.parent(), to)?;
        }
        let (below, above) = self.levels.split_at_mut(quad.level as usize + 1);
        let pruned = below.last_mut()?;
        pruned.own.resize(self.blocks, 0);
        self.reader.read(quad, &mut pruned.own)?;
        self.pruner.prune(&mut pruned.own, to.nodes, to.ties);
        pruned.narrow.clone_from(&pruned.own);
        if let Some(around) = above.first() {
            let words = pruned.narrow.iter_mut().zip(&around.narrow);
            words.for_each(|(word, around)| *word &= around);
        }
        pruned.quad = Some(quad);
        self.levels.get(quad.level as usize)
    }
}

/// Reads what is stored of PVSs, those of a block's quads together where they are pairs of blocks.
struct Reader<'v> {
    terrain: TerrainBundle<'v>,
    sight: GroupSight<'v>,
    /// The block that was looked from last.
    block: Option<[u32; 2]>,
}

impl<'v> Reader<'v> {
    fn new(terrain: TerrainBundle<'v>) -> Self {
        Self {
            terrain,
            sight: GroupSight::new(terrain),
            block: None,
        }
    }

    /// Writes what a quad sees as a block bitmap. `None` where the bundle is damaged.
    fn read(&mut self, quad: Quad, pvs: &mut [u64]) -> Option<()> {
        if quad.level > BLOCK_LEVEL || self.terrain.groups().is_none() {
            self.terrain.stored_pvs(quad)?.expand(pvs);
            return Some(());
        }
        let up = BLOCK_LEVEL - quad.level;
        let block = [quad.column >> up, quad.row >> up];
        if self.block != Some(block) {
            self.sight.look(block[0], block[1])?;
            self.block = Some(block);
        }
        let from = quad_mask(quad);
        for (target, word) in pvs.iter_mut().enumerate() {
            *word = self.sight.seen(from, target);
        }
        Some(())
    }
}
