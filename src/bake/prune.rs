//! A bundle with every PVS pruned to a number of nodes, as the thesis did it (section 3.4).

use super::compression::DeepestFirst;
use super::pack::{Packing, reading};
use super::{BakeError, Stage};
use crate::bundle::{Given, Loss, Part, Provenance, Statistics, TerrainWriter, Written};
use crate::compress::prune::Pruner;
use crate::compress::{Scratch, encode};
use crate::format::{Quad, TreeCode};
use crate::runtime::MappedBundle;

/// Quads that a thread prunes at a time.
const CHUNK: u64 = 32;

/// Writes a bundle with every PVS pruned by itself, in tree code 1. The provenance is given what
/// was lost.
pub(super) fn prune(
    packing: &Packing,
    to: DeepestFirst,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let Packing {
        valid,
        target,
        crew,
        ..
    } = *packing;
    // The trees of a bundle in the making may tell each pair once.
    let whole = match is_finished(packing)? {
        true => None,
        false => Some(packing.pack_aside(provenance)?),
    };
    let source = whole.as_ref().map_or(packing.source, Part::path);
    let cannot = |error: &dyn std::fmt::Display| reading(source, error);
    let map = MappedBundle::open(source).map_err(|error| cannot(&error))?;
    let terrain = map.terrain().map_err(|error| cannot(&error))?;
    let grid = valid.grid();
    let mut header = target.header.clone();
    header.parameters.tree_code = TreeCode::Single;
    header.parameters.lossy = true;
    // Whom A sees is pruned without a look at who sees A.
    header.parameters.mutual = false;
    let mut writer = TerrainWriter::create_in(
        target.making(),
        target.path,
        target.overwrite,
        &header,
        target.heights,
    )?;
    let mut statistics = Statistics::new(grid, valid.samples());
    crew.observer.stage(Stage::Prune, grid.quad_count());
    let mut quads = grid.bake_order();
    let mut done = 0;
    crew.run(
        0..grid.quad_count().div_ceil(CHUNK) as usize,
        |_| Ok(quads.by_ref().take(CHUNK as usize).collect::<Vec<Quad>>()),
        |room: &mut Option<Room<'_>>, _, quads| {
            let room = room.get_or_insert_with(|| Room {
                pruner: Pruner::new(valid),
                pvs: vec![0; grid.blocks()],
                scratch: Scratch::default(),
            });
            let pruned = quads.into_iter().map(|quad| {
                let full = terrain.pvs(quad).ok_or_else(|| cannot(&"it is damaged"))?;
                full.expand(&mut room.pvs);
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
    let written = writer.finish(provenance)?;
    if let Some(whole) = whole {
        whole.remove()?;
    }
    Ok(written)
}

/// Whether every PVS can be read from the source: it is in tree code 2, or was pruned before.
fn is_finished(packing: &Packing) -> Result<bool, BakeError> {
    let map = MappedBundle::open(packing.source).map_err(|error| packing.unreadable(&error))?;
    let terrain = map.terrain().map_err(|error| packing.unreadable(&error))?;
    Ok(terrain.groups().is_some() || terrain.parameters().lossy)
}

/// Room for one PVS.
struct Room<'v> {
    pruner: Pruner<'v>,
    pvs: Vec<u64>,
    scratch: Scratch,
}
