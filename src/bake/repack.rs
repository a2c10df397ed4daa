//! A bundle to another bundle of the same PVSs: in other bytes, or in fewer.

use std::path::Path;

use super::compression::Compression;
use super::crew::Crew;
use super::pack::{Packing, Target};
use super::report::{BakeReport, Finish};
use super::{BakeError, Observer};
use crate::bundle::{TerrainParts, check_output};
use crate::compress::ValidPyramid;

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
    let mut finish = Finish::new(super::tiles::thread_count(options.threads), "none");
    check_output(output, options.overwrite)?;
    let TerrainParts {
        header,
        heights,
        mut provenance,
    } = TerrainParts::read(input)?;
    let goes_on = |loss| options.compression.goes_on_after(loss);
    if header.parameters.lossy && !provenance.loss.as_ref().is_some_and(goes_on) {
        return Err(BakeError::Lossy {
            path: input.to_owned(),
        });
    }
    let valid = ValidPyramid::from_heights(header.parameters.grid, &heights);
    let target = Target {
        path: output,
        overwrite: options.overwrite,
        header: &header,
        heights: &heights,
        compression: &options.compression,
        scratch: None,
    };
    let packing = Packing {
        source: input,
        valid: &valid,
        target: &target,
        crew: &Crew::new(finish.threads(), observer)?,
    };
    let begun = cpu_time::ProcessTime::now();
    let written = packing.write(&mut provenance)?;
    finish.processor_stage("compress", begun);
    Ok(finish.report(written, provenance, &target))
}
