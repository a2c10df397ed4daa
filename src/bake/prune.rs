//! A bundle with every PVS pruned to a number of nodes, as the thesis did it (section 3.4).

use std::path::Path;

use rayon::prelude::*;

use super::compression::{DeepestFirst, Ties};
use super::pack::{Target, pack_aside, pool, reading};
use super::{BakeError, Observer, Stage};
use crate::bundle::{Given, Loss, Provenance, Statistics, TerrainWriter, Written};
use crate::compress::prune::Pruner;
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{Quad, TreeCode};
use crate::runtime::MappedBundle;

/// Quads that a thread prunes before they are written.
const CHUNK: usize = 256;

/// Writes the bundle `source`, of either tree code and without loss, with every PVS pruned by
/// itself, in tree code 1. The provenance is given what was lost.
pub(super) fn prune(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    to: DeepestFirst,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Written, BakeError> {
    // The trees of a bundle in the making may tell each pair once.
    let (whole, _) = pack_aside(source, valid, target, provenance, threads, observer)?;
    let cannot = |error: &dyn std::fmt::Display| reading(whole.path(), error);
    let map = MappedBundle::open(whole.path()).map_err(|error| cannot(&error))?;
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
    let pool = pool(threads)?;
    let mut statistics = Statistics::new(grid, valid.samples());
    let total = grid.quad_count();
    observer.stage(Stage::Prune, total);
    let pruned = |room: &mut Room<'_>, quad: Quad| {
        let full = terrain.pvs(quad).ok_or_else(|| cannot(&"it is damaged"))?;
        full.expand(&mut room.pvs);
        room.pruner.prune(&mut room.pvs, to.nodes, to.ties);
        let mut bytes = Vec::new();
        let visible = encode(valid, &room.pvs, &mut room.scratch, &mut bytes);
        Ok::<_, BakeError>((visible, bytes))
    };
    let mut done = 0;
    let mut quads = grid.bake_order();
    loop {
        let chunk: Vec<Quad> = quads.by_ref().take(CHUNK * threads).collect();
        if chunk.is_empty() {
            break;
        }
        if observer.cancelled() {
            return Err(BakeError::Cancelled);
        }
        let trees: Vec<_> = pool.install(|| {
            let room = || Room {
                pruner: Pruner::new(valid),
                pvs: vec![0; grid.blocks()],
                scratch: Scratch::default(),
            };
            chunk
                .par_iter()
                .map_init(room, |room, &quad| pruned(room, quad))
                .collect()
        });
        for (&quad, tree) in chunk.iter().zip(trees) {
            let (visible, bytes) = tree?;
            writer.push_tree(quad.level, quad.column, quad.row, &bytes)?;
            let has_terrain = terrain.valid().has_quad(quad);
            statistics.record(quad, has_terrain, visible, bytes.len());
        }
        done += chunk.len() as u64;
        observer.advance(Stage::Prune, done);
    }
    let given = Given::DeepestFirst {
        nodes_per_quad: to.nodes,
        ties: match to.ties {
            Ties::RowByRow => "row-by-row",
            Ties::FewestHidden => "fewest-hidden",
        }
        .to_owned(),
    };
    provenance.loss = Some(Loss::between(given, &provenance.statistics, &statistics));
    provenance.statistics = statistics;
    let written = writer.finish(provenance)?;
    whole.remove()?;
    Ok(written)
}

/// Room for one PVS.
struct Room<'v> {
    pruner: Pruner<'v>,
    pvs: Vec<u64>,
    scratch: Scratch,
}
