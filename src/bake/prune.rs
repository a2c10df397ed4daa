//! A bundle with every PVS pruned to a number of nodes, as the thesis did it (section 3.4).
//!
//! A side road, for comparison: PVSs are pruned one by one, so they are read from a bundle, and are
//! single trees in the one that is written (tree code 1).

use std::path::Path;

use super::assembly::Place;
use super::compression::DeepestFirst;
use super::crew::Crew;
use super::error::{BakeError, unreadable};
use super::observer::Stage;
use crate::bundle::{Given, Loss, Provenance, Statistics, TerrainWriter, Written};
use crate::compress::prune::Pruner;
use crate::compress::{Scratch, encode};
use crate::format::grid::{BLOCK_LEVEL, quad_mask};
use crate::format::{Quad, TreeCode};
use crate::picture::BlockSight;
use crate::runtime::{MappedBundle, TerrainBundle};

/// Quads that a thread prunes at a time: some three blocks and the quads in them.
const CHUNK: u64 = 256;

/// Writes the bundle `source` with every PVS pruned by itself, in tree code 1. The provenance is
/// given what was lost.
pub(super) fn prune(
    source: &Path,
    place: &Place,
    crew: &Crew,
    to: DeepestFirst,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let cannot = |error: &dyn std::fmt::Display| unreadable(source, error);
    let map = MappedBundle::open(source).map_err(|error| cannot(&error))?;
    let terrain = map.terrain().map_err(|error| cannot(&error))?;
    let valid = place.valid;
    let grid = valid.grid();
    let mut header = place.header(TreeCode::Single, true);
    // Whom A sees is pruned without a look at who sees A.
    header.parameters.mutual = false;
    let mut writer = TerrainWriter::create(place.path, place.overwrite, &header, place.heights)?;
    let mut statistics = Statistics::new(grid, valid.samples());
    crew.observer.stage(Stage::Prune, grid.quad_count());
    let mut quads = grid.bake_order();
    let mut done = 0;
    crew.run(
        0..grid.quad_count().div_ceil(CHUNK) as usize,
        |_| Ok(quads.by_ref().take(CHUNK as usize).collect::<Vec<Quad>>()),
        |room: &mut Option<Room<'_>>, _, quads| {
            let room = room.get_or_insert_with(|| Room {
                reader: Reader::new(terrain),
                pruner: Pruner::new(valid),
                pvs: vec![0; grid.blocks()],
                scratch: Scratch::default(),
            });
            let pruned = quads.into_iter().map(|quad| {
                let read = room.reader.read(quad, &mut room.pvs);
                read.ok_or_else(|| cannot(&"it is damaged"))?;
                room.pruner.prune(&mut room.pvs, to.nodes, to.ties);
                let mut bytes = Vec::new();
                let visible = encode(valid, &room.pvs, &mut room.scratch, &mut bytes);
                Ok((quad, visible, bytes))
            });
            pruned.collect::<Result<Vec<_>, BakeError>>()
        },
        |_, trees| {
            for (quad, visible, bytes) in trees? {
                writer.push_tree(quad.level, quad.column, quad.row, &bytes)?;
                let has_terrain = terrain.valid().has_quad(quad);
                statistics.record(quad, has_terrain, visible, bytes.len());
                done += 1;
            }
            crew.observer.advance(Stage::Prune, done);
            Ok(())
        },
    )?;
    let given = Given::DeepestFirst {
        nodes_per_quad: to.nodes,
        ties: to.ties.name().to_owned(),
    };
    provenance.loss = Some(match &provenance.loss {
        Some(loss) => loss.and_then(given, &statistics),
        None => Loss::between(given, &provenance.statistics, &statistics),
    });
    provenance.statistics = statistics;
    Ok(writer.finish(provenance)?)
}

/// Room for one PVS.
struct Room<'v> {
    reader: Reader<'v>,
    pruner: Pruner<'v>,
    pvs: Vec<u64>,
    scratch: Scratch,
}

/// Reads PVSs, those of a block's quads together where they are pairs of blocks.
struct Reader<'v> {
    terrain: TerrainBundle<'v>,
    sight: BlockSight<'v>,
    /// The block that was looked from last.
    block: Option<[u32; 2]>,
}

impl<'v> Reader<'v> {
    fn new(terrain: TerrainBundle<'v>) -> Self {
        Self {
            terrain,
            sight: BlockSight::new(terrain),
            block: None,
        }
    }

    /// Writes what a quad sees as a block bitmap. `None` where the bundle is damaged.
    fn read(&mut self, quad: Quad, pvs: &mut [u64]) -> Option<()> {
        if quad.level > BLOCK_LEVEL || self.terrain.groups().is_none() {
            self.terrain.pvs(quad)?.expand(pvs);
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
