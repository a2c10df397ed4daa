//! Shards to bundle.

use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;

use super::assembly::{Assembly, Trees};
use super::compression::Compression;
use super::pack::Target;
use super::report::{BakeReport, Finish, Written};
use super::{BakeError, Observer, Stage};
use crate::bundle::{
    Job, Provenance, RecordError, ShardReader, Statistics, TerrainHeader, TerrainWriter,
    check_output,
};
use crate::compress::ValidPyramid;
use crate::format::TerrainParameters;

/// Joins shards, in any order, into the bundle that one bake with this compression would have written,
/// byte for byte.
///
/// Errors, before anything is written, unless the shards are of one job and hold each of its
/// tiles once. Takes memory for the terrain and a tile, and little more time than copying.
pub fn merge(
    shards: &[PathBuf],
    output: &Path,
    overwrite: bool,
    compression: &Compression,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let finish = Finish::new(1, "none");
    check_output(output, overwrite)?;
    let mut shards = shards
        .iter()
        .map(|path| ShardReader::open(path))
        .collect::<Result<Vec<_>, _>>()?;
    shards.sort_by_key(|shard| (shard.share().first, shard.share().end));
    check(&shards)?;
    let Some(first) = shards.first_mut() else {
        return Err(RecordError::NoShards.into());
    };
    let job = first.head().job.clone();
    let parameters = parameters(&job).ok_or_else(|| first.damaged())?;
    let grid = parameters.grid;
    let heights = first.heights(grid.samples())?;
    for shard in &mut shards[1..] {
        shard.heights(grid.samples())?;
    }

    let valid = ValidPyramid::from_heights(grid, &heights);
    let header = TerrainHeader {
        parameters,
        crs: job.crs.clone(),
    };
    let writer = TerrainWriter::create(output, overwrite, &header, &heights)?;
    let mut assembly = Assembly::new(writer, &valid);
    let tiles = assembly.tiles();
    if tiles.len() != job.tiles as usize {
        return Err(shards[0].damaged().into());
    }
    let begun = ThreadTime::now();
    observer.stage(Stage::Merge, tiles.len() as u64);
    let mut done = 0;
    for shard in &mut shards {
        while let Some(tile) = shard.next_tile()? {
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let at = tiles[tile.index as usize];
            let union = assembly.union_of(at, &tile);
            let union = union.ok_or_else(|| shard.damaged())?;
            assembly.push(at, &tile, &union, Trees::Write)?;
            done += 1;
            observer.advance(Stage::Merge, done);
        }
    }
    let provenance = Provenance {
        tool: job.tool,
        input: job.input,
        options: job.options,
        statistics: Statistics::default(),
        cells: None,
        loss: None,
    };
    let writer = assembly.writer;
    let mut finish = finish;
    finish.stage("merge", begun);
    let written = Written {
        writer,
        valid: &valid,
        provenance,
    };
    let target = Target {
        path: output,
        overwrite,
        header: &header,
        heights: &heights,
        compression,
        scratch: None,
    };
    let report = finish.bundle(written, &target, observer)?;
    Ok(BakeReport {
        tiles: job.tiles,
        ..report
    })
}

/// Columns and rows of the terrain that a shard is of.
pub fn grid_of_shard(shard: &Path) -> Result<(u32, u32), BakeError> {
    let shard = ShardReader::open(shard)?;
    let parameters = parameters(&shard.head().job).ok_or_else(|| shard.damaged())?;
    Ok((parameters.grid.width(), parameters.grid.height()))
}

/// What is wrong with the shards together; they are sorted by their tiles.
fn check(shards: &[ShardReader]) -> Result<(), RecordError> {
    let Some(first) = shards.first() else {
        return Err(RecordError::NoShards);
    };
    for shard in &shards[1..] {
        if let Some(difference) = first.head().job.difference(&shard.head().job) {
            return Err(RecordError::Different {
                first: first.path().to_owned(),
                second: shard.path().to_owned(),
                what: difference.what,
                one: difference.first,
                other: difference.second,
            });
        }
    }
    let total = first.head().job.tiles;
    let mut before: Option<&ShardReader> = None;
    let holding = |shard: &&ShardReader| shard.share().first < shard.share().end;
    // A share may be empty, where there are more shares than tiles.
    for shard in shards.iter().filter(holding).map(Some).chain([None]) {
        let done = before.map_or(0, |before| before.share().end);
        let (begin, end) = shard.map_or((total, total), |s| (s.share().first, s.share().end));
        if let (Some(before), Some(shard)) = (before, shard)
            && begin < done
        {
            return Err(RecordError::Overlap {
                first: before.path().to_owned(),
                second: shard.path().to_owned(),
                from: begin,
                to: done.min(end) - 1,
            });
        }
        if begin > done {
            let path = |shard: &ShardReader| shard.path().to_owned();
            return Err(RecordError::Gap {
                before: before.map(path),
                after: shard.map(path),
                first: done,
                last: begin - 1,
                total,
            });
        }
        before = shard;
    }
    Ok(())
}

/// The parameters in a job.
fn parameters(job: &Job) -> Option<TerrainParameters> {
    let digits = job.parameters.as_bytes();
    let bytes = digits.chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    TerrainParameters::parse(&bytes.collect::<Option<Vec<u8>>>()?).ok()
}
