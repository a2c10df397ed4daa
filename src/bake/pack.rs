//! Trees to pairs of blocks: a bundle of tree code 1 becomes one of tree code 2.
//!
//! Groups are made one by one, each of the PVSs of its block's 64 viewpoints; twice over: once to
//! count symbols, once to write them. Memory: 65 bitmaps and a few groups a thread.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::budget::shrink;
use super::compression::Compression;
use super::prune::prune;
use super::{BakeError, Observer, Stage};
use crate::bundle::{BundleError, PairsWriter, Provenance, TerrainHeader, Written, trees_in_order};
use crate::compress::pairs::group::{is_kept, morton_blocks};
use crate::compress::pairs::{Codebook, GroupSymbols, Histogram, PairSymbols, Sight, encode_group};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{Groups, Quad, TreeCode};
use crate::runtime::{MappedBundle, TerrainBundle};

/// A bundle whose groups can be had, whatever its tree code.
pub(super) struct PairSource<'a> {
    pub terrain: TerrainBundle<'a>,
    pub valid: &'a ValidPyramid,
    /// The blocks in the order of groups.
    pub blocks: Vec<(u32, u32)>,
}

impl<'a> PairSource<'a> {
    pub fn new(terrain: TerrainBundle<'a>, valid: &'a ValidPyramid) -> Self {
        Self {
            blocks: morton_blocks(valid.grid()),
            terrain,
            valid,
        }
    }

    pub fn mutual(&self) -> bool {
        self.terrain.parameters().mutual
    }

    /// The group of a block.
    pub fn group(&self, block: (u32, u32), bitmaps: &mut Vec<u64>) -> GroupSymbols {
        match self.terrain.groups() {
            None => self.group_of_trees(block, bitmaps),
            Some(groups) => read_group(&groups, self.valid, self.mutual(), block),
        }
    }

    /// The group of a block, out of the trees of its samples.
    fn group_of_trees(&self, block: (u32, u32), bitmaps: &mut Vec<u64>) -> GroupSymbols {
        let grid = self.valid.grid();
        let words = grid.blocks();
        let across = grid.block_shape().0;
        let index = |(column, row): (u32, u32)| (row * across + column) as usize;
        let viewpoints = self.valid.blocks()[index(block)];
        bitmaps.resize(64 * words, 0);
        for (viewpoint, bitmap) in (0..64).zip(bitmaps.chunks_mut(words)) {
            let quad = Quad::new(0, block.0 * 8 + viewpoint % 8, block.1 * 8 + viewpoint / 8);
            match self.terrain.pvs(quad) {
                Some(pvs) if viewpoints >> viewpoint & 1 == 1 => pvs.expand(bitmap),
                _ => bitmap.fill(0),
            }
        }
        let mut group = GroupSymbols {
            block,
            sights: vec![Sight::Hidden; words],
            pairs: Vec::new(),
        };
        let (mut rows, mut pair) = ([0; 64], PairSymbols::default());
        for &target in &self.blocks {
            let word = index(target);
            let mut any = 0;
            for (row, bits) in rows.iter_mut().zip(bitmaps.chunks(words)) {
                *row = bits[word];
                any |= *row;
            }
            if any == 0 {
                continue;
            }
            let sight = pair.analyse(&rows, viewpoints, self.valid.blocks()[word]);
            group.sights[word] = sight;
            if sight == Sight::Mixed && is_kept(self.mutual(), block, target) {
                group.pairs.push(pair.clone());
            }
        }
        group
    }

    /// Shows all groups in order, each changed by `map` on one of the threads first.
    pub fn for_each<T: Send>(
        &self,
        threads: &rayon::ThreadPool,
        observer: &dyn Observer,
        map: impl Fn(usize, GroupSymbols) -> T + Sync,
        mut take: impl FnMut((u32, u32), T) -> Result<(), BakeError>,
    ) -> Result<(), BakeError> {
        let size = 8 * threads.current_num_threads();
        let mut done = 0;
        for blocks in self.blocks.chunks(size) {
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let mapped: Vec<T> = threads.install(|| {
                blocks
                    .par_iter()
                    .enumerate()
                    .map_init(Vec::new, |bitmaps, (i, &block)| {
                        map(done + i, self.group(block, bitmaps))
                    })
                    .collect()
            });
            for (&block, mapped) in blocks.iter().zip(mapped) {
                take(block, mapped)?;
            }
            done += blocks.len();
            observer.advance(Stage::Compress, done as u64);
        }
        Ok(())
    }

    /// The tree of a quad of level 4 or more, and its visible samples.
    pub fn tree(&self, quad: Quad, room: &mut TreeRoom) -> u64 {
        self.pvs(quad, room);
        self.encode(room)
    }

    /// The PVS of a quad.
    pub fn pvs(&self, quad: Quad, room: &mut TreeRoom) {
        room.pvs.resize(self.valid.grid().blocks(), 0);
        match self.terrain.pvs(quad) {
            Some(pvs) => pvs.expand(&mut room.pvs),
            None => room.pvs.fill(0),
        }
    }

    /// The tree of the PVS in the room, and its visible samples.
    pub fn encode(&self, room: &mut TreeRoom) -> u64 {
        room.tree.clear();
        encode(self.valid, &room.pvs, &mut room.scratch, &mut room.tree)
    }
}

/// Room for [`PairSource::tree`].
#[derive(Default)]
pub(super) struct TreeRoom {
    pub pvs: Vec<u64>,
    pub tree: Vec<u8>,
    scratch: Scratch,
}

/// The group of a block, out of its bytes. Those that are damaged say visible.
fn read_group(
    groups: &Groups,
    valid: &ValidPyramid,
    mutual: bool,
    block: (u32, u32),
) -> GroupSymbols {
    let across = valid.grid().block_shape().0;
    let mut symbols = GroupSymbols {
        block,
        sights: vec![Sight::Hidden; valid.grid().blocks()],
        pairs: Vec::new(),
    };
    let Some(group) = groups.group(block.0, block.1) else {
        symbols.sights.fill(Sight::Visible);
        return symbols;
    };
    let view = groups.valid();
    for leaf in group.skeleton().leaves() {
        let quad = leaf.quad();
        let sight = match leaf {
            crate::format::Leaf::Hidden(_) => continue,
            crate::format::Leaf::Visible(_) => Sight::Visible,
            crate::format::Leaf::Block(..) => Sight::Mixed,
        };
        let (columns, rows) = view.block_range(quad);
        for row in rows {
            for column in columns.clone() {
                symbols.sights[(row * across + column) as usize] = sight;
            }
        }
        if sight == Sight::Mixed && is_kept(mutual, block, (quad.column, quad.row)) {
            let mut pair = PairSymbols::default();
            if let Some(record) = group.record(symbols.pairs.len()) {
                pair.read(&record);
            }
            symbols.pairs.push(pair);
        }
    }
    symbols
}

/// Threads for the work.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, BakeError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| BakeError::Option {
            option: "--threads",
            expected: "a number of threads that the system can start",
            found: error.to_string(),
        })
}

/// Where a bundle goes, and what goes in beside the PVSs.
pub(super) struct Target<'a> {
    pub path: &'a Path,
    pub overwrite: bool,
    /// Its header; the tree code is put in.
    pub header: &'a TerrainHeader,
    /// Ground heights in metres, row by row, NaN for void.
    pub heights: &'a [f64],
    /// What is kept.
    pub compression: &'a Compression,
    /// Names for it in the making and for its lossless form, if a killed bake shall leave nothing
    /// that its resumption does not take up; else they have names of their own.
    pub scratch: Option<&'a [PathBuf; 2]>,
}

impl Target<'_> {
    /// What it is called in the making.
    pub fn making(&self) -> Option<&Path> {
        self.scratch.map(|[making, _]| making.as_path())
    }
}

/// Writes the bundle `source`, of either tree code and without loss, compressed as the
/// target says.
pub(super) fn write(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Written, BakeError> {
    match target.compression {
        Compression::Lossless => pack(source, valid, target, provenance, threads, observer),
        Compression::Optimal(budget) => {
            shrink(source, valid, target, provenance, budget, threads, observer)
        }
        &Compression::DeepestFirst(to) => {
            prune(source, valid, target, provenance, to, threads, observer)
        }
    }
}

/// Writes the bundle `source`, of either tree code and without loss, in tree code 2. The
/// provenance is given the bytes that trees now take.
pub(super) fn pack(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Written, BakeError> {
    let map = MappedBundle::open(source).map_err(|error| reading(source, &error))?;
    let terrain = map.terrain().map_err(|error| reading(source, &error))?;
    let source = PairSource::new(terrain, valid);
    let pool = pool(threads)?;

    observer.stage(Stage::Compress, 2 * source.blocks.len() as u64);
    let mut histogram = Histogram::default();
    source.for_each(
        &pool,
        observer,
        |_, group| {
            let mut histogram = Histogram::default();
            group.pairs.iter().for_each(|pair| histogram.count(pair));
            histogram
        },
        |_, counts| {
            histogram.add(&counts);
            Ok(())
        },
    )?;
    let codebook = Codebook::new(&histogram);

    let mut header = target.header.clone();
    header.parameters.tree_code = TreeCode::Pairs;
    let mutual = header.parameters.mutual;
    let mut writer = PairsWriter::create(
        target.path,
        target.making(),
        target.overwrite,
        &header,
        target.heights,
        &codebook.section(),
    )?;
    for level in &mut provenance.statistics.levels {
        level.tree_bytes = 0;
    }
    let levels = &mut provenance.statistics.levels;
    source.for_each(
        &pool,
        observer,
        |_, group| {
            let mut bytes = Vec::new();
            encode_group(valid, &group, mutual, &codebook, &mut bytes);
            bytes
        },
        |block, bytes| {
            levels[3].tree_bytes += bytes.len() as u64;
            Ok(writer.push_group(block, &bytes)?)
        },
    )?;
    let mut room = TreeRoom::default();
    for quad in trees_in_order(valid.grid()) {
        source.tree(quad, &mut room);
        levels[quad.level as usize].tree_bytes += room.tree.len() as u64;
        writer.push_tree(quad, &room.tree)?;
    }
    Ok(writer.finish(provenance)?)
}

/// The error of a bundle that cannot be read back.
pub(super) fn reading(path: &Path, error: &dyn std::fmt::Display) -> BakeError {
    BakeError::Bundle(BundleError::Read {
        path: path.to_owned(),
        error: std::io::Error::other(error.to_string()),
    })
}
