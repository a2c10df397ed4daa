//! A bundle to another bundle of the same PVSs: in other bytes, or in fewer.

use std::path::Path;

use super::budget::Budget;
use super::pack::{self, Target};
use super::report::{BakeReport, Finish};
use super::{BakeError, Observer};
use crate::bundle::{TerrainParts, check_output};
use crate::compress::ValidPyramid;

/// How to repack.
#[derive(Clone, Debug, Default)]
pub struct RepackOptions {
    /// What the bundle may come to; without one, all is kept.
    pub budget: Option<Budget>,
    /// Threads that compute; 0 for as many as there are processors. Changes no byte.
    pub threads: usize,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
}

/// Writes the PVSs of the bundle `input`, of any tree code, into a bundle at `output`, of pairs
/// of blocks, within a budget if there is one. The bytes are those of a bake with that budget.
///
/// Errors where the input has lost something to a budget before: what is lost depends on the
/// budget, so a bundle is made from one that has lost nothing.
pub fn repack(
    input: &Path,
    output: &Path,
    options: &RepackOptions,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(super::tiles::thread_count(options.threads), "");
    check_output(output, options.overwrite)?;
    let TerrainParts {
        header,
        heights,
        mut provenance,
    } = TerrainParts::read(input)?;
    if header.parameters.lossy {
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
        budget: options.budget.as_ref(),
        scratch: None,
    };
    let threads = finish.threads();
    let begun = cpu_time::ProcessTime::now();
    let written = pack::write(input, &valid, &target, &mut provenance, threads, observer)?;
    finish.processor_stage("compress", begun);
    Ok(finish.report(written, provenance, &target))
}
