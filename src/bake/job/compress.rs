//! Groups to a bundle, compressed as is asked for: without loss, or within a budget.

use super::budget::options::Compression;
use super::budget::shrink;
use super::encode::{Assembly, Destination, pack};
use super::error::BakeError;
use super::graded;
use super::parallel::Workers;
use super::store::file::Store;
use super::store::group::{BlockOrder, Targets};
use super::store::groups::StoredGroups;
use crate::bundle::{Provenance, Written};
use viewcell::format::TreeCode;

/// Writes the bundle of the groups in some stores. The provenance is given the statistics, and what was lost.
pub(crate) fn put_together(
    stores: &[Store],
    place: &Destination,
    workers: &Workers,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let parameters = &place.header.parameters;
    if parameters.tree_code == TreeCode::Graded {
        return graded::write(stores, place, workers, compression, provenance);
    }
    let order = BlockOrder::new(parameters.grid, Targets::of(parameters.mutual));
    let assembly = Assembly {
        groups: StoredGroups {
            stores,
            order: &order,
        },
        place,
        workers,
    };
    compress(&assembly, compression, provenance)
}

/// Writes the bundle. The provenance is given the statistics, and what was lost.
pub(crate) fn compress(
    assembly: &Assembly,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    match compression {
        Compression::Lossless => pack(assembly, provenance),
        Compression::Optimal(budget) => shrink(assembly, budget, provenance),
    }
}
