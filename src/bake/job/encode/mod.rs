//! Groups to a bundle without further loss, in tree code 2.
//!
//! The first pass ([`first_pass`]) counts symbols and builds the hierarchy; then codes are chosen, and the groups are
//! written with them.

mod assembly;
pub(crate) mod first_pass;

use self::first_pass::{FirstPass, Heads};
use super::error::BakeError;
use super::observer::Stage;
use crate::bundle::{PairsWriter, Provenance, Written, trees_in_order};
use crate::compress::pairs::{Codebook, encode_records};
use viewcell::format::TreeCode;

pub(crate) use assembly::{Assembly, Destination};

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
