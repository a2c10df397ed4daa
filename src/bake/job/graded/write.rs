//! Writes a graded bundle: the groups of all levels, with one dictionary.

use super::budget::shrink;
use super::levels::{GradedLevel, Levels};
use super::pass::{Heads, LevelAssembly, Pass};
use crate::bundle::{GradedWriter, LevelStatistics, Provenance, Statistics, Written};
use crate::compress::pairs::{Codebook, encode_records};
use crate::job::budget::options::Compression;
use crate::job::encode::Destination;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use crate::job::store::groups::Stores;
use viewcell::format::TreeCode;

/// Writes the bundle of the groups in some stores. The provenance is given the statistics, and what was lost.
pub(crate) fn write(
    stores: &[Store],
    place: &Destination,
    workers: &Workers,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let assembly = LevelAssembly {
        levels: Levels::new(&place.header.parameters, place.valid),
        stored: Stores(stores),
        place,
        workers,
    };
    let groups = assembly.groups() as u64;
    workers.observer.stage(Stage::Compress, 2 * groups);
    let pass = assembly.pass(None)?;
    provenance.statistics = assembly.statistics(&pass);
    match compression {
        Compression::Optimal(budget) => shrink(&assembly, pass, budget, provenance),
        _ => assembly.write(&pass, false, provenance, u64::MAX),
    }
}

impl LevelAssembly<'_> {
    /// Begins the bundle.
    pub(super) fn writer(&self, lossy: bool, dictionary: &[u8]) -> Result<GradedWriter, BakeError> {
        let place = self.place;
        Ok(GradedWriter::create(
            place.path,
            place.overwrite,
            &place.header(TreeCode::Graded, lossy),
            (place.heights, place.valid),
            dictionary,
        )?)
    }

    /// Writes the bundle of what a pass has left; if it has at most so many bytes it is given its name.
    pub(super) fn write(
        &self,
        pass: &Pass,
        lossy: bool,
        provenance: &Provenance,
        most: u64,
    ) -> Result<Written, BakeError> {
        let (levels, workers) = (&self.levels, self.workers);
        let codebook = Codebook::new(&pass.histogram);
        let mut writer = self.writer(lossy, &codebook.section())?;
        for (at, level) in (0..).zip(&levels.all) {
            let mut heads = Heads::new(levels, at);
            workers.run(
                0..level.blocks.len(),
                |index| self.read(pass, level.first + index),
                |(): &mut (), index, bytes| {
                    let told = levels.told_by(at, level.blocks[index]);
                    let group = levels.decode(&bytes, told.len())?;
                    let mut records = Vec::new();
                    encode_records(&group.pairs, &codebook, &mut records);
                    Some((told, group.sights, records))
                },
                |index, encoded| {
                    let number = level.first + index;
                    let done = (self.groups() + number + 1) as u64;
                    workers.observer.advance(Stage::Compress, done);
                    let (told, sights, records) =
                        encoded.ok_or_else(|| self.stored.damaged(number))?;
                    let block = level.blocks[index];
                    let (mut group, count) = heads.push(block, &told, &sights);
                    if count > 0 {
                        group.extend(records);
                    }
                    Ok(writer.push_group(at, block, &group)?)
                },
            )?;
        }
        Ok(writer.finish_within(most, provenance)?)
    }

    /// What the bundle says of what a pass has left.
    pub(super) fn statistics(&self, pass: &Pass) -> Statistics {
        let [_, groups] = pass.bytes();
        statistics(&self.levels.all[0], pass.visible, groups)
    }
}

/// What the bundle says of its PVSs: of view cells alone, since those of larger quads are told by larger cells.
fn statistics(cells: &GradedLevel, visible: u64, bytes: u64) -> Statistics {
    let samples = cells.valid.samples();
    let pairs = samples as f64 * samples as f64;
    Statistics {
        samples,
        voids: cells.grid.samples() - samples,
        levels: vec![LevelStatistics {
            level: 0,
            quads: cells.grid.samples(),
            quads_with_terrain: samples,
            visible_samples: visible,
            tree_bytes: bytes,
            hidden_share: if samples == 0 {
                0.0
            } else {
                1.0 - visible as f64 / pairs
            },
        }],
    }
}
