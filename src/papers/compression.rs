//! Two methods to fit a budget, side by side: how much of the hidden area each keeps.

use std::path::Path;

use rayon::prelude::*;

use crate::pruning::{DeepestFirst, DepthPruner};
use viewcell::format::Quad;
use viewcell::query::MappedBundle;
use viewcell_bake::bundle::TerrainParts;
use viewcell_bake::compress::ValidPyramid;
use viewcell_bake::{
    BakeError, Budget, Compression, Observer, RepackOptions, Weight, pool, repack, thread_count,
    unreadable,
};

/// What one way comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Bytes: of the whole file, or of the trees' nodes at three bytes each.
    pub bytes: u64,
    /// Greatest number of nodes of a tree, deepest first.
    pub nodes_per_quad: Option<u64>,
    /// By level of the viewpoint quad: share of the hidden area that is hidden still, a mean over
    /// quads. `None` where nothing was hidden.
    pub levels: Vec<Option<f64>>,
}

/// Greatest number of quads a level that are drawn.
const DRAWN: u64 = 1000;

/// Bytes of a node in the thesis's own currency.
const NODE_BYTES: u64 = 3;

/// Quads of each level with terrain, evenly drawn, the same in every run.
fn drawn(valid: &ValidPyramid, level: u32) -> Vec<Quad> {
    let (columns, rows) = valid.grid().quads_at(level);
    let count = u64::from(columns) * u64::from(rows);
    let number = count.min(DRAWN);
    (0..number)
        .map(|i| {
            // The middle of each of `number` equal parts.
            let at = (2 * i + 1) * count / (2 * number);
            Quad::new(
                level,
                (at % u64::from(columns)) as u32,
                (at / u64::from(columns)) as u32,
            )
        })
        .collect()
}

/// Where a bundle has terrain.
fn valid_of(source: &Path) -> Result<ValidPyramid, BakeError> {
    Ok(TerrainParts::read(source)?.valid)
}

/// Of the samples that were hidden `before`, the share that is hidden `after`, if there are any.
fn share(before: u64, after: u64) -> Option<f64> {
    (before > 0).then(|| after as f64 / before as f64)
}

/// `None` of no shares.
fn mean(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The thesis's compression (section 3.4) of the lossless bundle `source`, of at most so many
/// nodes a tree, by quads drawn from each level.
pub fn deepest_first(
    source: &Path,
    to: DeepestFirst,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Kept, BakeError> {
    let valid = valid_of(source)?;
    let grid = valid.grid();
    let map = MappedBundle::open(source).map_err(|error| unreadable(source, error))?;
    let terrain = map.terrain().map_err(|error| unreadable(source, error))?;
    let pool = pool(thread_count(threads))?;
    let samples = valid.samples();
    let mut levels = Vec::new();
    for level in 0..grid.levels() {
        if observer.cancelled() {
            return Err(BakeError::Cancelled);
        }
        let quads = drawn(&valid, level);
        let shares: Vec<Option<f64>> = pool.install(|| {
            let shares = quads.par_iter().map_init(
                || DepthPruner::new(&valid),
                |pruner, &quad| {
                    let pvs = terrain
                        .pvs(quad)
                        .filter(|_| terrain.valid().has_quad(quad))?;
                    let mut bits = vec![0; grid.blocks()];
                    pvs.expand(&mut bits);
                    let count =
                        |bits: &[u64]| bits.iter().map(|b| u64::from(b.count_ones())).sum::<u64>();
                    let before = samples - count(&bits);
                    pruner.prune(&mut bits, to.nodes, to.ties);
                    let after = samples - count(&bits);
                    share(before, after)
                },
            );
            shares.collect()
        });
        levels.push(mean(shares.into_iter().flatten()));
    }
    Ok(Kept {
        bytes: to.nodes * NODE_BYTES * grid.quad_count(),
        nodes_per_quad: Some(to.nodes),
        levels,
    })
}

/// The lossless bundle `source` within a budget, by the quads drawn from each level.
pub fn optimal(
    source: &Path,
    bytes: u64,
    weight: Weight,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Kept, BakeError> {
    let valid = valid_of(source)?;
    let grid = valid.grid();
    let folder = tempfile::tempdir().map_err(|error| unreadable(source, error))?;
    let output = folder.path().join("within.vcb");
    let options = RepackOptions {
        compression: Compression::Optimal(Budget { bytes, weight }),
        threads,
        overwrite: true,
    };
    let report = repack(source, &output, &options, observer)?;
    let open = |path: &Path| MappedBundle::open(path).map_err(|error| unreadable(path, error));
    let (all, lossy) = (open(source)?, open(&output)?);
    let (all, lossy) = (
        all.terrain().map_err(|error| unreadable(source, error))?,
        lossy
            .terrain()
            .map_err(|error| unreadable(&output, error))?,
    );
    let samples = valid.samples();
    let levels = (0..grid.levels()).map(|level| {
        let quads = drawn(&valid, level).into_iter();
        let quads = quads.filter(|&quad| all.valid().has_quad(quad));
        mean(quads.filter_map(|quad| {
            let before = samples - all.pvs(quad)?.count();
            let after = samples - lossy.pvs(quad)?.count();
            share(before, after)
        }))
    });
    Ok(Kept {
        bytes: report.bytes,
        nodes_per_quad: None,
        levels: levels.collect(),
    })
}
