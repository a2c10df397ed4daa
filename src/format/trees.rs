//! All trees of a bundle: where each begins.

use super::grid::{BLOCK_LEVEL, Grid, Quad};
use super::layers::Layered;
use super::pages::IndexedPages;
use super::quadtree::{Found, Tree, Visibility};
use super::valid::Valid;
use super::varint::write_varint;
use super::walk::Leaf;

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
    /// What is checked before it is believed, if anything.
    pages: Option<IndexedPages<'a>>,
}

const LEVELS: usize = Grid::MAX_ROOT_LEVEL as usize + 1;

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
            pages: None,
        }
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
            pages: Some(pages),
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
        if let Some(pages) = &self.pages
            && !self.is_sound(pages, entry)
        {
            return None;
        }
        Tree::of(self.valid, self.bytes.at(entry)?)
    }

    /// Whether the pages of an entry and of its tree have their checksums.
    fn is_sound(&self, pages: &IndexedPages<'a>, entry: usize) -> bool {
        if !pages.index.hold(entry.saturating_mul(8), 8) {
            return false;
        }
        let Some(at) = self.bytes.lowest_at(entry) else {
            return true;
        };
        // The head tells how long it is; what is in a damaged page may say anything.
        let bytes = self.bytes.lowest().get(at..).unwrap_or(&[]);
        let length = Tree::parse(self.valid, bytes).map_or(1, |tree| tree.length_at_most());
        pages.pieces.hold(at, length)
    }

    /// The trees of the quads around a quad of the grid, from the least to the root; not its own.
    /// Trees that are damaged are left out.
    #[inline]
    pub fn around(&self, quad: Quad) -> impl Iterator<Item = Tree<'a>> + use<'a> {
        let trees = *self;
        let levels = (quad.level + 1).max(self.least)..=self.valid.grid().root_level();
        levels.filter_map(move |level| {
            let up = level - quad.level;
            trees.tree(Quad::new(level, quad.column >> up, quad.row >> up))
        })
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

impl Tree<'_> {
    /// Bytes that a tree has at most, by its head: a literal for each code of each node, or one alone.
    pub(super) const fn length_at_most(&self) -> usize {
        const HEAD: usize = 10;
        HEAD + 8 + self.node_count().saturating_mul(1 + 4 * 8)
    }

    /// Bytes of a tree that ends with its literals, of bytes that are right.
    pub fn length(&self) -> usize {
        let nodes = self.node_count();
        let (_, head) = write_varint(match self.root() {
            Visibility::Hidden => 0,
            Visibility::Visible => 1,
            Visibility::Unknown => 2 + nodes as u32,
        });
        let mut literals = 0;
        self.sweep(|leaf| {
            literals += usize::from(matches!(leaf, Leaf::Block(..)));
            true
        });
        head + nodes + 8 * literals
    }

    /// The visible samples of a block, as a word of a block bitmap. Bits without terrain may be
    /// either.
    #[inline]
    pub fn word(&self, column: u32, row: u32) -> u64 {
        match self.find(Quad::new(BLOCK_LEVEL, column, row)) {
            Found::Leaf(false) => 0,
            Found::Leaf(true) | Found::Mixed => !0,
            Found::Block(item) => self.literal(item),
        }
    }
}
