//! Groups to a bundle, compressed as it is wanted.
//!
//! What a bundle of terrain is put together of, and where it goes.
//!
//! Groups to a bundle without loss, in tree code 2.

pub(crate) mod first_pass;

use super::budget::deepest_first::prune;
use super::budget::options::Compression;
use super::budget::shrink;
use super::encode::first_pass::{FirstPass, Heads};
use super::error::BakeError;
use super::observer::Stage;
use super::parallel::Workers;
use super::store::file::beside;
use super::store::group::StoredGroups;
use crate::bundle::{PairsWriter, Provenance, TerrainHeader, Written, trees_in_order};
use crate::compress::ValidPyramid;
use crate::compress::pairs::{Codebook, encode_records};
use std::path::{Path, PathBuf};
use viewcell::format::TreeCode;

/// Writes the bundle. The provenance is given the statistics, and what was lost.
pub(crate) fn compress(
    assembly: &Assembly,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    match compression {
        Compression::Lossless => pack(assembly, provenance),
        Compression::Optimal(budget) => shrink(assembly, budget, provenance),
        Compression::DeepestFirst(to) => {
            // Trees are pruned one by one, each of a whole PVS: they are read from a bundle.
            let lossless = Aside(beside(assembly.place.path, ".lossless.part"));
            let place = Place {
                path: &lossless.0,
                overwrite: true,
                ..*assembly.place
            };
            let aside = Assembly {
                place: &place,
                ..*assembly
            };
            pack(&aside, provenance)?;
            prune(
                &lossless.0,
                assembly.place,
                assembly.workers,
                *to,
                provenance,
            )
        }
    }
}

/// A file that goes when it is dropped; one that a killed process has left is written over.
struct Aside(PathBuf);

impl Drop for Aside {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// What a bundle of terrain is put together of, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Assembly<'a> {
    /// How each block sees the others.
    pub groups: StoredGroups<'a>,
    /// The place of the bundle.
    pub place: &'a Place<'a>,
    pub workers: &'a Workers<'a>,
}

/// What a bundle holds beside its PVSs, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub path: &'a Path,
    pub overwrite: bool,
    /// Its header; how PVSs are coded is put in.
    pub header: &'a TerrainHeader,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    pub valid: &'a ValidPyramid,
}

impl Place<'_> {
    /// The bundle's header.
    pub(super) fn header(&self, tree_code: TreeCode, lossy: bool) -> TerrainHeader {
        let mut header = self.header.clone();
        header.parameters.tree_code = tree_code;
        header.parameters.lossy = lossy;
        header
    }

    /// Whether whoever is seen sees, too.
    pub(super) fn mutual(&self) -> bool {
        self.header.parameters.mutual
    }
}

/// Writes the bundle without loss. The provenance is given the statistics.
pub(crate) fn pack(assembly: &Assembly, provenance: &mut Provenance) -> Result<Written, BakeError> {
    let pass = FirstPass::of(assembly)?;
    provenance.statistics = pass.statistics(assembly.place.valid);
    write(assembly, &pass, false, provenance, u64::MAX)
}

/// Writes the bundle of groups that come to `pass`; if it has at most so many bytes it is given
/// its name.
pub(crate) fn write(
    assembly: &Assembly,
    pass: &FirstPass,
    lossy: bool,
    provenance: &Provenance,
    most: u64,
) -> Result<Written, BakeError> {
    let Assembly {
        groups,
        place,
        workers,
    } = *assembly;
    let order = groups.order;
    let codebook = Codebook::new(&pass.tally.histogram);
    let mut writer = PairsWriter::create(
        place.path,
        place.overwrite,
        &place.header(TreeCode::Pairs, lossy),
        (place.heights, place.valid),
        &codebook.section(),
    )?;
    let mut heads = Heads::new(place.valid, order, place.mutual());
    workers.run(
        0..order.len(),
        |number| Ok(groups.read(number)?),
        |(): &mut (), _, bytes| {
            let group = groups.decode(&bytes)?;
            let mut records = Vec::new();
            encode_records(&group.pairs, &codebook, &mut records);
            Some((group.sights, records))
        },
        |number, encoded| {
            let done = (order.len() + number + 1) as u64;
            workers.observer.advance(Stage::Compress, done);
            let (mut sights, records) = encoded.ok_or_else(|| groups.damaged(number))?;
            let (mut group, _) = heads.push(&mut sights, Vec::new(), |_, _| ());
            group.extend(records);
            Ok(writer.push_group(order.block(number), &group)?)
        },
    )?;
    for (quad, (tree, _)) in trees_in_order(place.valid.grid()).zip(pass.trees.iter()) {
        writer.push_tree(quad, tree)?;
    }
    Ok(writer.finish_within(most, provenance)?)
}
