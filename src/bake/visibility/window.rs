//! Kernels over a part of a grid, which look only so far.

/// What a kernel over a part of a larger grid looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Blocks of the whole grid west and north of the part: a multiple of those that a kernel computes at once, so
    /// that quads of the part are quads of the whole.
    pub origin: (u32, u32),
    /// Blocks are looked at that are at most so many apart, across and down. Others may be looked at or not.
    pub reach: u32,
    /// Whether cells are left out whose blocks among cells of half the size are no further apart than that: in a
    /// graded bundle a lower level covers them.
    pub is_outer: bool,
}

impl Window {
    /// All of a grid, as far as it goes.
    pub const ALL: Self = Self {
        origin: (0, 0),
        reach: u32::MAX,
        is_outer: false,
    };

    /// A quad of the whole, from one of the part; the level is counted from blocks.
    pub(crate) fn in_whole(self, level: i32, (column, row): (u32, u32)) -> (u32, u32) {
        let before = |at: u32| match level {
            0.. => at >> level,
            _ => at << -level,
        };
        (before(self.origin.0) + column, before(self.origin.1) + row)
    }

    /// Whether anything is to be asked of two quads, or cells, or parts of them, so many quads apart; the level is
    /// counted from blocks.
    pub(crate) fn holds(self, level: i32, apart: u32) -> bool {
        match level {
            -1 => !self.is_outer || apart > self.reach,
            0 => apart <= self.reach,
            1.. => (apart.saturating_sub(1) << level) < self.reach || apart <= self.reach >> level,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_are_asked_of_where_any_of_their_blocks_are() {
        for reach in [1, 4, 7] {
            let window = Window {
                reach,
                ..Window::ALL
            };
            for level in 1..3 {
                for apart in 0..20u32 {
                    let nearest = (apart << level).saturating_sub((1 << level) - 1);
                    assert_eq!(
                        window.holds(level, apart),
                        nearest <= reach,
                        "{level} {apart}"
                    );
                }
            }
        }
    }
}
