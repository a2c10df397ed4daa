//! A bundle with every PVS pruned to a number of nodes, as the thesis did it (section 3.4): what
//! its algorithm is measured on.

use std::path::Path;

use crate::bundle::{BundleError, Provenance, Statistics, TerrainHeader, TerrainWriter, Written};
use crate::compress::prune::Pruner;
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{TerrainParameters, TreeCode};
use crate::runtime::TerrainBundle;

/// Why a bundle could not be pruned.
#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    /// A PVS is damaged.
    #[error("the PVS of a quad is damaged; see what viewcell verify says, and bake again")]
    Damaged,
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// Writes a bundle whose trees have at most `nodes` nodes each ([`crate::compress::prune`]), in
/// the plain code: hidden becomes visible where a tree was too large, and never the other way
/// round.
///
/// It says what it is of, but not how it was made, and its quads' PVSs are no unions of their
/// samples' any more, as `verify` will tell: it is for experiments.
pub fn prune_bundle(
    terrain: &TerrainBundle<'_>,
    nodes: u64,
    output: &Path,
) -> Result<Written, PruneError> {
    let grid = terrain.grid();
    let heights: Vec<f64> = grid
        .row_by_row()
        .map(|sample| terrain.height(sample).map_or(f64::NAN, f64::from))
        .collect();
    let header = TerrainHeader {
        parameters: TerrainParameters {
            tree_code: TreeCode::Single,
            mutual: false,
            lossy: true,
            ..*terrain.parameters()
        },
        crs: None,
    };
    let valid = ValidPyramid::from_heights(grid, &heights);
    let mut writer = TerrainWriter::create(output, false, &header, &heights)?;
    let mut pruner = Pruner::new(&valid);
    let mut scratch = Scratch::default();
    let mut pvs = vec![0; grid.blocks()];
    let mut bytes = Vec::new();
    for quad in grid.bake_order() {
        let full = terrain.pvs(quad).ok_or(PruneError::Damaged)?;
        full.expand(&mut pvs);
        pruner.prune(&mut pvs, nodes);
        bytes.clear();
        encode(&valid, &pvs, &mut scratch, &mut bytes);
        writer.push_tree(quad.level, quad.column, quad.row, &bytes)?;
    }
    let provenance = Provenance {
        tool: format!("viewcell {} pruned", env!("CARGO_PKG_VERSION")),
        statistics: Statistics::new(grid, valid.samples()),
        ..Provenance::default()
    };
    Ok(writer.finish(&provenance)?)
}
