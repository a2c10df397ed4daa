//! All trees of a bundle: where each begins.

use crate::format::grid::{LEVELS, Quad, Valid};
use crate::format::pages::IndexedPages;
use crate::format::patch::layers::Layered;

use super::Tree;
use super::leaf::Leaf;

/// The sections `TIDX` and `TREE`.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'a> {
    valid: Valid<'a>,
    /// Level of the least quads that have trees.
    least: u32,
    /// By level: the entry of its first quad in `TIDX`.
    first: [u64; LEVELS],
    /// `TIDX` and `TREE`, and what patches put over them.
    bytes: Layered<'a>,
}

impl<'a> Trees<'a> {
    /// The trees of the quads of level `least` and more, of sections `TIDX` and `TREE`.
    pub fn new(valid: Valid<'a>, least: u32, index: &'a [u8], bytes: &'a [u8]) -> Self {
        let mut first = [0; LEVELS];
        let mut entries = 0;
        for (first, level) in first.iter_mut().zip(0..).skip(least as usize) {
            *first = entries;
            let (columns, rows) = valid.grid().quads_at(level);
            entries += u64::from(columns) * u64::from(rows);
        }
        Self {
            valid,
            least,
            first,
            bytes: Layered::new(index, bytes),
        }
    }

    /// None at all.
    pub fn none(valid: Valid<'a>) -> Self {
        Self::new(valid, LEVELS as u32, &[], &[])
    }

    /// The same with trees of patches over them, and where there is terrain now.
    pub const fn under(self, valid: Valid<'a>, index: &'a [u8], above: &'a [&'a [u8]]) -> Self {
        Self {
            valid,
            bytes: self.bytes.over(index, above),
            ..self
        }
    }

    /// The same, of which each is checked before it is believed: one that is damaged is none.
    pub const fn checked(self, pages: IndexedPages<'a>) -> Self {
        Self {
            bytes: self.bytes.checked(pages),
            ..self
        }
    }

    /// The same trees where there is terrain only by `valid`.
    pub const fn within(self, valid: Valid<'a>) -> Self {
        Self { valid, ..self }
    }

    /// Where each quad's tree begins, `u64`.
    pub const fn index(&self) -> &'a [u8] {
        self.bytes.index()
    }

    /// The entry of a quad in the index. `None` where it has none.
    #[inline]
    pub fn entry(&self, quad: Quad) -> Option<usize> {
        let grid = self.valid.grid();
        if quad.level < self.least || !grid.has_quad(quad) {
            return None;
        }
        let first = self.first.get(quad.level as usize)?;
        let (columns, _) = grid.quads_at(quad.level);
        let place = u64::from(quad.row) * u64::from(columns) + u64::from(quad.column);
        usize::try_from(first.checked_add(place)?).ok()
    }

    /// Where there is terrain.
    pub const fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// Level of the least quads that have trees.
    pub const fn least(&self) -> u32 {
        self.least
    }

    /// The tree of a quad. `None` where it has none, and where its bytes are none.
    #[inline]
    pub fn tree(&self, quad: Quad) -> Option<Tree<'a>> {
        let entry = self.entry(quad)?;
        // The head tells how long it is; what is in a damaged page may say anything.
        let length = |bytes| Tree::parse(self.valid, bytes).map_or(1, |tree| tree.length_at_most());
        if !self.bytes.is_sound(entry, length) {
            return None;
        }
        Tree::of(self.valid, self.bytes.at(entry)?)
    }

    /// The trees of the quads around a quad of the grid, from the least to the root; not its own.
    /// Trees that are damaged are left out.
    #[inline]
    pub fn around(&self, quad: Quad) -> impl Iterator<Item = Tree<'a>> + use<'a> {
        let trees = *self;
        let levels = (quad.level + 1).max(self.least)..=self.valid.grid().root_level();
        levels.filter_map(move |level| trees.tree(quad.ancestor(level)))
    }

    /// Takes out of a block bitmap what the trees of the quads around a quad hide.
    pub fn narrow(&self, quad: Quad, words: &mut [u64]) {
        let grid = self.valid.grid();
        for tree in self.around(quad) {
            for leaf in tree.leaves() {
                let bits = match leaf {
                    Leaf::Visible(_) => continue,
                    Leaf::Hidden(_) => 0,
                    Leaf::Block(_, bits) => bits,
                };
                grid.blocks_of(leaf.quad()).for_each(|index| {
                    if let Some(word) = words.get_mut(index) {
                        *word &= bits;
                    }
                });
            }
        }
    }
}
