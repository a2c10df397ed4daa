//! A PVS as it is stored: a tree of its own, or pairs of blocks.

use super::group::GroupPvs;
use super::read::{ReadPvs, answer_as};
use crate::format::grid::{Quad, Sample, Valid};
use crate::format::tree::{Answer, Leaf, Tree};

/// What is stored of a quad.
// A box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
pub enum StoredPvs<'a> {
    /// A tree of its own.
    Tree(Tree<'a>),
    /// Pairs of blocks.
    Group(GroupPvs<'a>),
}

answer_as!(StoredPvs, self => self, StoredPvs: Tree | Group);
