//! Squares of displacements that are still to be decided: a stack of nodes of a quadtree, and the slabs that may block.

/// A square of displacements that is still to be decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSquare {
    /// Least column and row displacement.
    pub p: i32,
    pub q: i32,
    /// Side is 2^level.
    pub level: u32,
    /// Lanes not yet known to be hidden.
    pub active: u64,
    /// What the parent has found out; `None` if it was not decided itself.
    pub parent: Option<Parent>,
}

/// The displacements of a node, in major and minor coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// Least and greatest major distance, from 1.
    pub u0: i32,
    pub u1: i32,
    /// Least and greatest minor displacement, of either sign.
    pub v0: i32,
    pub v1: i32,
    /// The slabs that are looked at: the first, and the one after the last.
    pub first: i32,
    pub end: i32,
}

/// What was found out about the square of which this one is a quarter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent {
    /// How many slabs of its list may block.
    pub slabs: usize,
    /// Whether its major direction is along rows. A square on a diagonal can be asked either way,
    /// but its quarters have to keep to the way in which the slabs were counted.
    pub turned: bool,
}

impl OpenSquare {
    #[inline(always)]
    pub(crate) fn divide(self, stack: &mut Vec<Self>, active: u64, parent: Option<Parent>) {
        let half = (1 << self.level) / 2;
        for (dp, dq) in [(half, half), (0, half), (half, 0), (0, 0)] {
            stack.push(Self {
                p: self.p + dp,
                q: self.q + dq,
                level: self.level - 1,
                active,
                parent,
            });
        }
    }
}

/// The ground between two neighbouring grid lines across the major direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab {
    /// The nearer line, counted from the viewpoint.
    pub x: u32,
    /// Lanes whose sight it may block.
    pub lanes: u64,
}
