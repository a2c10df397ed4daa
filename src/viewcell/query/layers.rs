//! A bundle of a terrain with patches over it.

use super::bundle::Bundle;
use super::error::OpenError;
use super::terrain::TerrainBundle;
use crate::format::bytes::{put, u32_at};
use crate::format::header::HEADER_LEN;
use crate::format::layers::MAX_LAYERS;
use crate::format::pairs::TREE_LEVEL;
use crate::format::{FileId, FormatError, Groups, Layered, Levels, Patch, Tag, Valid};

/// A bundle of a terrain with patches over it: who sees whom once its ground has changed.
///
/// [`Layers::terrain`] is asked as the bundle is. Laying a patch over it takes time and memory for
/// the patch and for the indices and the heights of the bundle; no query takes any.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # #[cfg(feature = "mmap")] {
/// use viewcell::query::{Layers, MappedBundle, Sample};
///
/// let map = MappedBundle::open("level.vcb")?;
/// let crater = std::fs::read("crater.vcp")?;
/// let mut layers = Layers::new(&map.bundle()?)?;
/// layers.lay(&crater)?;
/// let terrain = layers.terrain();
/// assert!(terrain.visible(Sample::new(3, 4), Sample::new(3, 5)));
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Layers<'a> {
    base: TerrainBundle<'a>,
    levels: Levels<'a>,
    id: FileId,
    /// What the next patch is to be laid over.
    last: FileId,
    valid: Valid<'a>,
    heights: Vec<u8>,
    group_index: Vec<u8>,
    tree_index: Vec<u8>,
    group_bytes: Vec<&'a [u8]>,
    tree_bytes: Vec<&'a [u8]>,
}

impl<'a> Layers<'a> {
    /// A bundle with nothing over it yet.
    ///
    /// # Errors
    ///
    /// Where it is of no terrain, has lost something, or level 0 does not tell of all pairs: what was lost
    /// depends on what there was. Bake or repack it anew.
    pub fn new(bundle: &Bundle<'a>) -> Result<Self, OpenError> {
        let base = bundle.terrain()?;
        let levels = base.levels().filter(|levels| levels.whole().is_some());
        let levels = levels.ok_or(FormatError::Unpatchable)?;
        let id = FileId {
            length: bundle.bytes().len() as u64,
            checksum: u32_at(bundle.bytes(), HEADER_LEN - 4).unwrap_or(0),
        };
        Ok(Self {
            base,
            levels,
            id,
            last: id,
            valid: base.valid(),
            heights: base.height_bytes().to_vec(),
            group_index: levels.index().to_vec(),
            tree_index: base.trees().index().to_vec(),
            group_bytes: Vec::new(),
            tree_bytes: Vec::new(),
        })
    }

    /// Lays a patch, the bytes of a `.vcp` file, over what is there.
    ///
    /// # Errors
    ///
    /// Where the bytes are no patch, or damaged, or it is one of another bundle, or was made to be
    /// laid over something else. Then nothing has changed.
    pub fn lay(&mut self, patch: &'a [u8]) -> Result<(), OpenError> {
        Ok(self.lay_patch(Patch::parse(patch)?)?)
    }

    fn lay_patch(&mut self, patch: Patch<'a>) -> Result<(), FormatError> {
        let header = patch.header();
        let grid = self.base.grid();
        if header.base != self.id || header.blocks as usize != grid.blocks() {
            return Err(FormatError::PatchBase {
                expected: self.id,
                found: header.base,
            });
        }
        if header.parent != self.last {
            return Err(FormatError::PatchOrder {
                expected: self.last,
                found: header.parent,
            });
        }
        let layer = self.group_bytes.len() + 1;
        let layer = u8::try_from(layer).ok().filter(|_| layer < MAX_LAYERS);
        let layer = layer.ok_or(FormatError::TooManyPatches)?;
        let entries = |index: &[u8]| index.len() / 8;
        let wrong = |tag, found| FormatError::PatchEntry { tag, found };
        check(patch.heights(), grid.samples()).map_err(|at| wrong(Tag::CHTS, at))?;
        let groups = entries(&self.group_index) as u64;
        check(patch.groups(), groups).map_err(|at| wrong(Tag::BIDX, at))?;
        let trees = entries(&self.tree_index) as u64;
        check(patch.trees(), trees).map_err(|at| wrong(Tag::QIDX, at))?;

        for (sample, height) in patch.heights() {
            let height = height as f32;
            put(
                &mut self.heights,
                sample as usize * 4,
                &height.to_le_bytes(),
            );
        }
        for (block, offset) in patch.groups() {
            let entry = Layered::entry(layer, offset).to_le_bytes();
            put(&mut self.group_index, block as usize * 8, &entry);
        }
        for (quad, offset) in patch.trees() {
            let entry = Layered::entry(layer, offset).to_le_bytes();
            put(&mut self.tree_index, quad as usize * 8, &entry);
        }
        if let Some(words) = patch.valid() {
            self.valid = Valid::from_blocks(grid, words);
        }
        self.group_bytes.push(patch.pairs());
        self.tree_bytes.push(patch.tree_bytes());
        self.last = patch.id();
        Ok(())
    }

    /// The terrain as it is now. O(1); keep what it returns.
    pub fn terrain(&self) -> TerrainBundle<'_> {
        let levels = self
            .levels
            .under(self.valid, &self.group_index, &self.group_bytes);
        let trees = self.base.trees();
        debug_assert_eq!(trees.least(), TREE_LEVEL);
        let trees = trees.under(self.valid, &self.tree_index, &self.tree_bytes);
        self.base.changed(self.valid, &self.heights, levels, trees)
    }

    /// The groups and trees of the bundle, without any patch.
    pub fn base(&self) -> (Groups<'a>, crate::format::Trees<'a>) {
        (self.levels.groups(0), self.base.trees())
    }

    /// Patches that lie over the bundle.
    pub fn len(&self) -> usize {
        self.group_bytes.len()
    }

    /// Whether there is no patch.
    pub fn is_empty(&self) -> bool {
        self.group_bytes.is_empty()
    }

    /// The bundle: its length, and the checksum in its header.
    pub fn base_id(&self) -> FileId {
        self.id
    }

    /// What the next patch is to be laid over: the bundle, or the last patch.
    pub fn last_id(&self) -> FileId {
        self.last
    }
}

/// Errors with the first number that is not below `limit`.
fn check<T>(numbers: impl Iterator<Item = (u32, T)>, limit: u64) -> Result<(), u32> {
    let mut numbers = numbers.map(|(number, _)| number);
    match numbers.find(|&number| u64::from(number) >= limit) {
        Some(number) => Err(number),
        None => Ok(()),
    }
}
