//! Trees to pairs of blocks: a bundle of tree code 1 becomes one of tree code 2.
//!
//! Groups are made one by one, each of the PVSs of its block's 64 viewpoints; twice over: once to
//! count symbols, once to write them. Of trees of mutual sight only what blocks see of those after
//! them is read; the first time over, a [`Mirror`] makes the rest of it.
//!
//! Memory: 65 bitmaps and a few groups a thread, and the mirror's.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::budget::shrink;
use super::compression::Compression;
use super::mirror::{Mirror, Outlook};
use super::prune::prune;
use super::{BakeError, Observer, Stage};
use crate::bundle::{
    BundleError, PairsWriter, Part, Provenance, Statistics, TerrainHeader, Written, trees_in_order,
};
use crate::compress::pairs::group::{is_kept, morton_blocks, sights_of};
use crate::compress::pairs::{
    Codebook, GroupSymbols, Histogram, PairCounts, PairSymbols, Sight, encode_group,
};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{Groups, Quad, TreeCode};
use crate::runtime::{MappedBundle, OpenError, TerrainBundle};

/// A bundle whose groups can be had, whatever its tree code.
pub(super) struct PairSource<'a> {
    map: &'a MappedBundle,
    pub terrain: TerrainBundle<'a>,
    pub valid: &'a ValidPyramid,
    /// The blocks in the order of groups.
    pub blocks: Vec<(u32, u32)>,
}

impl<'a> PairSource<'a> {
    /// The bundle of a terrain in a map.
    pub fn new(map: &'a MappedBundle, valid: &'a ValidPyramid) -> Result<Self, OpenError> {
        Ok(Self {
            map,
            terrain: map.terrain()?,
            blocks: morton_blocks(valid.grid()),
            valid,
        })
    }

    pub fn mutual(&self) -> bool {
        self.terrain.parameters().mutual
    }

    /// Whether what blocks see of those before them is to be had from these only: of trees of
    /// mutual sight, which may tell each pair once.
    fn has_half(&self) -> bool {
        self.mutual() && self.terrain.groups().is_none()
    }

    /// The group of a block.
    pub fn group(&self, block: (u32, u32), bitmaps: &mut Vec<u64>) -> GroupSymbols {
        match self.terrain.groups() {
            None => self.group_of_trees(block, bitmaps),
            Some(groups) => read_group(&groups, self.valid, self.mutual(), block),
        }
    }

    /// The group of a block, out of the trees of its samples. Of a mutual bundle it says nothing
    /// of the blocks before.
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
            if !is_kept(self.mutual(), block, target) {
                continue;
            }
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
            if sight == Sight::Mixed {
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
            // The trees of all blocks may be more than memory holds.
            self.map.let_go();
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
    for (sight, target) in sights_of(group.skeleton()) {
        symbols.sights[(target.1 * across + target.0) as usize] = sight;
        if sight == Sight::Mixed && is_kept(mutual, block, target) {
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
/// provenance is given the statistics.
pub(super) fn pack(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Written, BakeError> {
    let map = MappedBundle::open(source).map_err(|error| reading(source, &error))?;
    let source = PairSource::new(&map, valid).map_err(|error| reading(source, &error))?;
    let pool = pool(threads)?;

    observer.stage(Stage::Compress, 2 * source.blocks.len() as u64);
    let mut histogram = Histogram::default();
    let mut mirror = source
        .has_half()
        .then(|| Mirror::new(source.terrain.valid(), valid));
    let mirrored = mirror.is_some();
    source.for_each(
        &pool,
        observer,
        |_, group| {
            let mut histogram = Histogram::default();
            group.pairs.iter().for_each(|pair| histogram.count(pair));
            (histogram, mirrored.then(|| Outlook::new(&group)))
        },
        |_, (counts, outlook)| {
            histogram.add(&counts);
            if let (Some(mirror), Some(outlook)) = (&mut mirror, outlook) {
                mirror.push(&source.blocks, outlook);
            }
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
    let mut bytes_of_groups = 0;
    let mut counts = PairCounts::new(valid);
    source.for_each(
        &pool,
        observer,
        |number, mut group| {
            if let Some(mirror) = &mirror {
                mirror.complete(number, &mut group);
            }
            let mut bytes = Vec::new();
            encode_group(valid, &group, mutual, &codebook, &mut bytes);
            let mut counts = PairCounts::new(valid);
            counts.add(&group, mutual);
            (bytes, counts)
        },
        |block, (bytes, group)| {
            bytes_of_groups += bytes.len() as u64;
            counts.join(&group);
            Ok(writer.push_group(block, &bytes)?)
        },
    )?;
    let mut statistics = Statistics::of_groups(valid, &counts, bytes_of_groups);
    let mut push = |quad: Quad, tree: &[u8], visible: u64| {
        statistics.record(quad, visible > 0, visible, tree.len());
        writer.push_tree(quad, tree)
    };
    match &mirror {
        Some(mirror) => {
            for (quad, (tree, visible)) in trees_in_order(valid.grid()).zip(mirror.trees()) {
                push(quad, tree, visible)?;
            }
        }
        None => {
            let mut room = TreeRoom::default();
            for quad in trees_in_order(valid.grid()) {
                let visible = source.tree(quad, &mut room);
                push(quad, &room.tree, visible)?;
            }
        }
    }
    provenance.statistics = statistics;
    Ok(writer.finish(provenance)?)
}

/// As [`pack`], into a file beside the target, to be read back.
pub(super) fn pack_aside(
    source: &Path,
    valid: &ValidPyramid,
    target: &Target,
    provenance: &mut Provenance,
    threads: usize,
    observer: &dyn Observer,
) -> Result<(Part, Written), BakeError> {
    let aside = match target.scratch {
        None => Part::beside(target.path),
        Some([_, lossless]) => Part::named(lossless),
    }?;
    let scratch = Target {
        path: aside.path(),
        overwrite: true,
        ..*target
    };
    let written = pack(source, valid, &scratch, provenance, threads, observer)?;
    Ok((aside, written))
}

/// The error of a bundle that cannot be read back.
pub(super) fn reading(path: &Path, error: &dyn std::fmt::Display) -> BakeError {
    BakeError::Bundle(BundleError::Read {
        path: path.to_owned(),
        error: std::io::Error::other(error.to_string()),
    })
}
