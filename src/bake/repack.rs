//! A bundle to another bundle of the same PVSs: in other bytes, or in fewer.

use std::path::Path;

use super::assembly::{Assembly, Place};
use super::compress::compress;
use super::compression::Compression;
use super::crew::{Crew, thread_count};
use super::error::BakeError;
use super::observer::Observer;
use super::prune::prune;
use super::report::{BakeReport, Finish};
use super::store::group::{BlockOrder, Targets};
use super::store::groups::Groups;
use super::unpack::unpack;
use crate::bundle::{TerrainParts, check_output};

/// How to repack.
#[derive(Clone, Debug, Default)]
pub struct RepackOptions {
    /// What is kept.
    pub compression: Compression,
    /// Threads that compute; 0 for as many as there are processors. Changes no byte.
    pub threads: usize,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
}

/// Writes the PVSs of the bundle `input`, of any tree code, into a bundle at `output`, compressed
/// anew. The bytes are those of a bake with that compression.
///
/// Errors where the input has lost something before: what is lost depends on what there was, so a
/// bundle is made from one that has lost nothing. A bundle that was pruned deepest first may be
/// pruned to fewer nodes, though: that comes to the same.
pub fn repack(
    input: &Path,
    output: &Path,
    options: &RepackOptions,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(thread_count(options.threads), "none");
    check_output(output, options.overwrite)?;
    let TerrainParts {
        header,
        heights,
        valid,
        mut provenance,
    } = TerrainParts::read(input)?;
    let goes_on = |loss| options.compression.goes_on_after(loss);
    if header.parameters.lossy && !provenance.loss.as_ref().is_some_and(goes_on) {
        return Err(BakeError::Lossy {
            path: input.to_owned(),
        });
    }
    let place = Place {
        path: output,
        overwrite: options.overwrite,
        header: &header,
        heights: &heights,
        valid: &valid,
    };
    let crew = &Crew::new(finish.threads(), observer)?;
    finish.restart_clock();
    let written = match &options.compression {
        // Trees are pruned one by one, and the bundle has them.
        Compression::DeepestFirst(to) => prune(input, &place, crew, *to, &mut provenance)?,
        compression => {
            let order = BlockOrder::new(valid.grid(), Targets::of(place.mutual()));
            let store = unpack(input, &place, &order, crew)?;
            let assembly = Assembly {
                groups: Groups {
                    stores: &[store],
                    order: &order,
                },
                place: &place,
                crew,
            };
            compress(&assembly, compression, &mut provenance)?
        }
    };
    finish.stage("compress");
    Ok(finish.report(written, provenance, &place))
}
