//! The literals of a tree: in a bundle end to end, in a patch some of them, and the others in the bundle.

use super::bytes::u64_at;
use super::layers::{Runs, Source};

/// The words of the unknown blocks of a tree, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Literals<'a> {
    /// Bytes that begin with those that are the tree's own.
    own: &'a [u8],
    /// The same of the bundle's tree, where this one is of a patch.
    base: &'a [u8],
    /// Where each is; none where all are own ones.
    runs: Runs<'a>,
}

impl<'a> Literals<'a> {
    /// Those that `bytes` begins with.
    #[inline]
    pub(super) fn new(own: &'a [u8]) -> Self {
        Self {
            own,
            base: &[],
            runs: Runs::default(),
        }
    }

    /// These, and others in the place of some.
    pub(super) fn under(self, own: &'a [u8], runs: Runs<'a>) -> Self {
        Self {
            own,
            base: self.own,
            runs,
        }
    }

    /// The bytes that begin with those that are the tree's own.
    #[inline]
    pub(super) const fn own(&self) -> &'a [u8] {
        self.own
    }

    /// Number `index`; `None` where it is not there.
    #[inline]
    pub fn get(&self, index: usize) -> Option<u64> {
        if self.runs.is_empty() {
            return u64_at(self.own, index.checked_mul(8)?);
        }
        let literal = self.run(self.runs.find(index)).first();
        literal.map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Number `index` and those after it, as far as they lie end to end; none where it is not there. It is
    /// one that run `run` holds, or one after it, and from then on `run` is that one: for going through
    /// all in order.
    pub(super) fn from(&self, index: usize, run: &mut usize) -> &'a [[u8; 8]] {
        if self.runs.is_empty() {
            return self.own.as_chunks().0.get(index..).unwrap_or(&[]);
        }
        self.run(self.runs.find_after(index, run))
    }

    fn run(&self, found: Option<(Source, usize, usize)>) -> &'a [[u8; 8]] {
        let Some((source, behind, count)) = found else {
            return &[];
        };
        let (literals, first) = match source {
            Source::Own(first) => (self.own, first),
            Source::Base(first) => (self.base, first),
        };
        let start = first.saturating_add(behind);
        let literals = literals.as_chunks().0.get(start..).unwrap_or(&[]);
        literals.get(..count).unwrap_or(literals)
    }
}
