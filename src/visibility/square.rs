//! Squares of displacements: those still to be decided, and what was found out.

/// A square of displacements that is still to be decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
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
pub(super) struct Reach {
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
pub(super) struct Parent {
    /// How many slabs of its list may block.
    pub slabs: usize,
    /// Whether its major direction is along rows. A square on a diagonal can be asked either way,
    /// but its quarters have to keep to the way in which the slabs were counted.
    pub turned: bool,
}

impl Node {
    #[inline(always)]
    pub fn divide(self, stack: &mut Vec<Self>, active: u64, parent: Option<Parent>) {
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
pub(super) struct Slab {
    /// The nearer line, counted from the viewpoint.
    pub x: u32,
    /// Lanes whose sight it may block.
    pub lanes: u64,
}

/// What has been found out about a square of 8 × 8 displacements.
pub(super) struct DisplacementSquare {
    /// Its least displacement.
    pub p: i32,
    pub q: i32,
    /// Which lanes see their target, for each displacement, row by row.
    pub masks: [u64; 64],
    /// Whether any mask is set.
    pub any: bool,
    /// What has been decided, where that is wanted.
    pub decided: Option<Decided>,
}

/// For which lanes a displacement has been decided.
#[derive(Default)]
pub(super) struct Decided {
    /// Whether only what is seen is of use: what is hidden was so before. Then nothing more is noted
    /// than that squares were looked at.
    pub only_seen: bool,
    /// Whether the square of 8 × 8 displacements was looked at.
    pub asked: bool,
    /// Within the square of 8 × 8 displacements, row by row.
    pub masks: Option<Box<[u64; 64]>>,
    /// Larger squares that are hidden from some lanes; from 0 where that is of no use.
    pub hidden: Vec<(Node, u64)>,
}

impl DisplacementSquare {
    /// Marks the `side` × `side` displacements from (p, q) on as seen by `lanes`.
    #[inline(always)]
    pub fn mark(&mut self, p: i32, q: i32, side: i32, lanes: u64) {
        for r in 0..side {
            let at = ((q - self.q + r) * 8 + p - self.p) as usize;
            self.masks[at..at + side as usize].fill(lanes);
        }
        self.any = true;
        self.note(p, q, side, lanes);
    }

    /// Notes that the displacements of a node have been found hidden from `lanes`.
    #[inline(always)]
    pub fn hide(&mut self, node: &Node, lanes: u64) {
        let Some(decided) = &mut self.decided else {
            return;
        };
        match node.level {
            0..=3 => self.note(node.p, node.q, 1 << node.level, lanes),
            _ if lanes == 0 => {}
            _ if decided.only_seen => decided.hidden.push((*node, 0)),
            _ => decided.hidden.push((*node, lanes)),
        }
    }

    /// Notes that `side` × `side` displacements from (p, q) on have been decided for `lanes`.
    #[inline(always)]
    fn note(&mut self, p: i32, q: i32, side: i32, lanes: u64) {
        let Some(decided) = &mut self.decided else {
            return;
        };
        decided.asked = true;
        if decided.only_seen {
            return;
        }
        let masks = decided.masks.get_or_insert_with(|| Box::new([0; 64]));
        for r in 0..side {
            let at = ((q - self.q + r) * 8 + p - self.p) as usize;
            for mask in &mut masks[at..at + side as usize] {
                *mask |= lanes;
            }
        }
    }
}
