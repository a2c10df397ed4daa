//! Shards to bundle.

use std::path::{Path, PathBuf};

use super::budget::options::Compression;
use super::destination::Destination;
use super::error::BakeError;
use super::levels;
use super::observer::{Observer, Stage};
use super::parallel::Workers;
use super::report::{BakeReport, Finish};
use super::store::error::StoreError;
use super::store::file::Store;
use super::store::shard::Shard;
use crate::bundle::check_output;

/// Joins shards, in any order, into the bundle that one bake with this compression would have
/// written, byte for byte.
///
/// Takes memory for the terrain, and some bytes a block and shard.
///
/// # Errors
///
/// Unless the shards are of one job and hold each of its tiles once: before anything is written. Where a file
/// cannot be read or written.
pub fn merge(
    shards: &[PathBuf],
    output: &Path,
    overwrite: bool,
    compression: &Compression,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(1, "none");
    check_output(output, overwrite)?;
    observer.stage(Stage::Merge, shards.len() as u64);
    let open = |(done, path): (u64, &PathBuf)| {
        if observer.cancelled() {
            return Err(BakeError::Cancelled);
        }
        let shard = Shard::open(path)?;
        observer.advance(Stage::Merge, done);
        Ok(shard)
    };
    let mut shards = (1..).zip(shards).map(open).collect::<Result<Vec<_>, _>>()?;
    shards.sort_by_key(|shard| (shard.head.share.first, shard.head.share.end));
    let first = check(&shards)?;
    let (job, header) = (first.head.job.clone(), first.header.clone());
    let (heights, valid) = first.ground()?;
    let stores: Vec<Store> = shards.into_iter().map(|shard| shard.store).collect();
    finish.restart_clock();
    let mut provenance = job.provenance();
    let place = Destination {
        path: output,
        overwrite,
        header: &header,
        heights: &heights,
        valid: &valid,
    };
    let workers = Workers::new(1, observer)?;
    let written = levels::write(&stores, &place, &workers, compression, &mut provenance)?;
    finish.stage("compress");
    let report = finish.report(written, provenance, &place);
    Ok(BakeReport {
        tiles: job.tiles,
        ..report
    })
}

/// Columns and rows of the terrain that a shard is of.
///
/// # Errors
///
/// Where the file cannot be read, or is no shard.
pub fn grid_of_shard(shard: &Path) -> Result<(u32, u32), BakeError> {
    let grid = Shard::open(shard)?.header.parameters.grid;
    Ok((grid.width(), grid.height()))
}

/// The first of the shards, which are sorted by their tiles. Errors where they are none, or do not
/// fit together.
fn check(shards: &[Shard]) -> Result<&Shard, StoreError> {
    let Some(first) = shards.first() else {
        return Err(StoreError::NoShards);
    };
    let path = |shard: &Shard| shard.store.path().to_owned();
    for shard in &shards[1..] {
        if let Some(difference) = first.head.job.difference(&shard.head.job) {
            return Err(StoreError::Different {
                first: path(first),
                second: path(shard),
                what: difference.what,
                one: difference.first,
                other: difference.second,
            });
        }
    }
    let total = first.head.job.tiles;
    let mut before: Option<&Shard> = None;
    let holding = |shard: &&Shard| shard.head.share.first < shard.head.share.end;
    // A share may be empty, where there are more shares than tiles.
    for shard in shards.iter().filter(holding).map(Some).chain([None]) {
        let done = before.map_or(0, |before| before.head.share.end);
        let share = shard.map(|shard| shard.head.share);
        let (begin, end) = share.map_or((total, total), |share| (share.first, share.end));
        if let (Some(before), Some(shard)) = (before, shard)
            && begin < done
        {
            return Err(StoreError::Overlap {
                first: path(before),
                second: path(shard),
                from: begin,
                to: done.min(end) - 1,
            });
        }
        if begin > done {
            return Err(StoreError::Gap {
                before: before.map(path),
                after: shard.map(path),
                first: done,
                last: begin - 1,
                total,
            });
        }
        before = shard;
    }
    Ok(first)
}
