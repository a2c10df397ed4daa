//! Writes a bundle: the groups of all levels, with one dictionary, and the unions above them.

use super::heads::Heads;
use super::numbers::Levels;
use super::pass::{Assembly, Pass};
use super::shrink::shrink;
use crate::bundle::{LevelsWriter, Provenance, Written, trees_in_order};
use crate::compress::pairs::{Codebook, encode_records};
use crate::job::budget::options::Compression;
use crate::job::destination::Destination;
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use crate::job::store::groups::Stores;

/// Writes the bundle of the groups in some stores, compressed as is asked for. The provenance is given the statistics, and
/// what was lost.
pub(crate) fn write(
    stores: &[Store],
    place: &Destination,
    workers: &Workers,
    compression: &Compression,
    provenance: &mut Provenance,
) -> Result<Written, BakeError> {
    let assembly = Assembly {
        levels: Levels::new(&place.header.parameters, place.valid),
        stored: Stores(stores),
        place,
        workers,
    };
    let groups = assembly.groups() as u64;
    workers.observer.stage(Stage::Compress, 2 * groups);
    let pass = assembly.pass(None)?;
    provenance.statistics = pass.statistics(&assembly.levels);
    match compression {
        Compression::Lossless => assembly.write(&pass, false, provenance, u64::MAX),
        Compression::Optimal(budget) => shrink(&assembly, pass, budget, provenance),
    }
}

impl Assembly<'_> {
    /// Begins the bundle.
    pub(super) fn writer(&self, lossy: bool, dictionary: &[u8]) -> Result<LevelsWriter, BakeError> {
        let place = self.place;
        Ok(LevelsWriter::create(
            place.path,
            place.overwrite,
            &place.header(lossy),
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
        let codebook = Codebook::new(&pass.tally.histogram);
        let mut writer = self.writer(lossy, &codebook.section())?;
        for (at, level) in (0..).zip(&levels.all) {
            let mut heads = Heads::new(levels, at);
            workers.run(
                0..level.blocks.len(),
                |index| Ok(self.read(pass, level.first + index)?),
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
                    let (mut group, count) = heads.push(&told, &sights, &[], |_, _| ());
                    if count > 0 {
                        group.extend(records);
                    }
                    Ok(writer.push_group(at, level.blocks[index], &group)?)
                },
            )?;
        }
        if levels.shape.is_whole() {
            for (quad, (tree, _)) in trees_in_order(levels.all[0].grid).zip(pass.unions.iter()) {
                writer.push_union(quad, tree)?;
            }
        }
        Ok(writer.finish_within(most, provenance)?)
    }
}
