//! How a frontier set is grown: Avni's choices, and the product's.

use viewcell::query::Sample;

/// In what pieces frontiers grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grow {
    /// Quads of all sizes, from the maximal mutually invisible ones on (thesis section 3.5).
    #[default]
    Hierarchical,
    /// Single samples, from those of the players on: the thesis's baseline (section 4.1).
    Simple,
}

/// How the PVS of a quad joins that of its frontier (thesis section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// The union.
    #[default]
    Lossless,
    /// Where one of the two is all hidden and the other mixed, all becomes visible.
    Lossy,
    /// The union; but a PVS that is put together from more pairs of blocks than this joins by
    /// whole blocks of 8×8 samples, all that some sample of the quad's own block sees something
    /// of. In bundles of single trees no PVS is put together: the same as lossless.
    Blocks(usize),
}

/// Which quads lie next to a quad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Neighbours {
    /// Those that share a side.
    Four,
    /// Those that share a side or a corner.
    #[default]
    Eight,
}

/// Which quad a frontier tries next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// First in, first out (thesis section 3.5).
    #[default]
    Fifo,
    /// The larger before the smaller; of one size, first in, first out.
    Coarse,
    /// What differs least in height from where the player stands: along streets before up to
    /// roofs (thesis section 3.5).
    Ground,
    /// What adds most samples for each sample that its PVS newly takes from the other player.
    Gain,
    /// What lies nearest to where each player is expected to go; a player without a goal grows
    /// around where they stand.
    Toward(Option<Sample>, Option<Sample>),
}

/// Whose turn it is to grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turns {
    /// One after the other (thesis section 3.5).
    #[default]
    Alternate,
    /// The smaller frontier's, in samples.
    Balance,
}

/// How a frontier set is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrowthOptions {
    /// In what pieces.
    pub grow: Grow,
    /// How PVSs are merged.
    pub merge: Merge,
    /// What is adjacent.
    pub neighbours: Neighbours,
    /// What is tried next.
    pub order: Order,
    /// Whose turn it is.
    pub turns: Turns,
    /// Quads below this level are not tried; the start is not bound by it. `None` is for level 4, or five levels below
    /// the root where that is less.
    pub finest: Option<u32>,
    /// Leave it at the two samples where no larger quads around them are mutually invisible, as
    /// the thesis does with hierarchical growth.
    pub give_up: bool,
    /// Step 3 of thesis section 3.5: when one frontier can grow no more, go on with the other.
    pub extend: bool,
    /// At the end, give the player with the smaller frontier (after an extension, the one that was
    /// extended) all that the other's finished frontier does not see, as far as it is connected.
    /// Only on mutual bundles; on others nothing is changed.
    pub tighten: bool,
    /// Stop growing after so many quads have been tried. One that is smaller than the finest, as
    /// around a start that is, counts for 64 if it joins.
    pub limit: Option<u32>,
}

impl GrowthOptions {
    /// Most pairs of blocks that a PVS is put together from by default.
    pub const PAIRS: usize = 512;

    /// As the thesis's experiment did it (section 4.1): first in, first out, alternating, no
    /// step 3.
    pub const fn thesis(grow: Grow, merge: Merge) -> Self {
        Self {
            grow,
            merge,
            neighbours: Neighbours::Eight,
            order: Order::Fifo,
            turns: Turns::Alternate,
            finest: Some(0),
            give_up: true,
            extend: false,
            tighten: false,
            limit: None,
        }
    }
}

/// As [`viewcell::frontier::FrontierBuilder`] grows them by default.
impl Default for GrowthOptions {
    fn default() -> Self {
        Self {
            order: Order::Coarse,
            finest: None,
            give_up: false,
            tighten: true,
            limit: Some(64),
            ..Self::thesis(Grow::Hierarchical, Merge::Blocks(Self::PAIRS))
        }
    }
}
