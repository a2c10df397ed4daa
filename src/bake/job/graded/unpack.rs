//! Takes the groups out of a graded bundle, as its kernels found them: what goes on from a bundle goes on from these.

use super::fill::GradedWork;
use super::levels::Levels;
use crate::compress::ValidPyramid;
use crate::compress::graded::rows_of;
use crate::compress::pairs::PairSymbols;
use crate::compress::pairs::group::{is_kept, sights_of};
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use viewcell::format::{Answer, Graded, TerrainParameters};

/// Puts the groups of the bundle `source`, which is lossless, into a store beside the place of another; of those numbers
/// alone of which `is_wanted` says so.
pub(crate) fn unpack(
    graded: Graded,
    (parameters, valid): (&TerrainParameters, &ValidPyramid),
    (source, beside): (&Path, &Path),
    is_wanted: impl Fn(usize) -> bool,
    workers: &Workers,
) -> Result<Store, BakeError> {
    let levels = Levels::new(parameters, valid);
    let groups = levels.all.iter().map(|level| level.blocks.len()).sum();
    let mut store = Store::copy_of(source, beside, groups)?;
    workers.observer.stage(Stage::Compress, groups as u64);
    workers.run(
        (0..groups).filter(|&number| is_wanted(number)),
        |_| Ok(()),
        |tree: &mut PairSymbols, number, ()| record(graded, &levels, number, tree),
        |number, record| {
            workers.observer.advance(Stage::Compress, number as u64 + 1);
            let record = record.map_err(|error| store.cannot_encode(error))?;
            Ok(store.append(&[(number, record)])?)
        },
    )?;
    Ok(store)
}

/// How many pairs of blocks were asked again, and see each other otherwise.
pub(crate) struct Difference {
    pub asked: u64,
    pub all: u64,
    pub changed: u64,
}

/// Compares the groups of which `is_asked` says so with those of the bundle that they take the place of.
pub(crate) fn difference(
    graded: Graded,
    (parameters, valid): (&TerrainParameters, &ValidPyramid),
    work: &GradedWork,
    store: &Store,
    is_asked: impl Fn(usize) -> bool,
) -> Result<Difference, BakeError> {
    let (was, is) = (Levels::new(parameters, valid), work.levels());
    let mut found = Difference {
        asked: 0,
        all: 0,
        changed: 0,
    };
    let mut tree = PairSymbols::default();
    let groups = is.all.iter().map(|level| level.blocks.len()).sum();
    for number in 0..groups {
        let (at, own) = is.find(number);
        let told = is.told_by(at, own).len();
        found.all += told as u64;
        if !is_asked(number) {
            continue;
        }
        found.asked += told as u64;
        let old = record(graded, &was, number, &mut tree);
        let old = old.map_err(|error| store.cannot_encode(error))?;
        let new = store.read(number)?.unwrap_or_default();
        if old == new {
            continue;
        }
        let [old, new] = [was.decode(&old, told), is.decode(&new, told)];
        let (Some(old), Some(new)) = (old, new) else {
            return Err(store.damaged(number).into());
        };
        let pairs = old.sights.iter().zip(old.rows());
        let now = new.sights.iter().zip(new.rows());
        found.changed += pairs.zip(now).filter(|(old, new)| old != new).count() as u64;
    }
    Ok(found)
}

/// The record of a group of the bundle, as its kernel found it.
fn record(
    graded: Graded,
    levels: &Levels,
    number: usize,
    tree: &mut PairSymbols,
) -> io::Result<Vec<u8>> {
    let seen = seen(graded, levels, number);
    let nothing = seen.is_none().then_some([!0; 64]);
    levels.encode(number, tree, |target| {
        let rows = seen.as_ref().and_then(|seen| seen.get(&target).copied());
        rows.or(nothing).unwrap_or([0; 64])
    })
}

/// What a block sees of those that its group covers, where it sees anything; `None` where the bytes are damaged.
fn seen(graded: Graded, levels: &Levels, number: usize) -> Option<HashMap<(u32, u32), [u64; 64]>> {
    let (at, own) = levels.find(number);
    let level = &levels.all[at as usize];
    let group = graded.groups(at).group(own.0, own.1)?;
    let kept =
        sights_of(group.skeleton()).filter(|&(_, target)| is_kept(levels.is_mutual(), own, target));
    let mut seen = HashMap::new();
    let mut records = 0;
    for (sight, target) in kept {
        let mut rows = None;
        if sight == Answer::Mixed {
            rows = Some(group.record(records)?.rows());
            records += 1;
        }
        let terrain = [level.terrain(own), level.terrain(target)];
        seen.insert(target, rows_of(sight, rows, terrain));
    }
    Some(seen)
}
