//! Open a bundle, find places in it, and ask who sees whom.
//!
//! A bundle is bytes: [`Bundle::from_bytes`] reads the header and the section table and nothing else, whatever the
//! size. Every later access is checked against its section, so that damaged or hostile bytes give an error or a
//! wrong answer (visible rather than hidden), never a crash, a hang or undefined behaviour. Whether the bytes are
//! right is for `viewcell verify` to say, once. No query allocates.

pub use crate::format::cells::{CellParameters, DistanceBits, DistanceRow, PvsRow, SymmetryCode};
pub use crate::format::{
    Coarse, FileId, FormatError, Frame, Grid, GridError, Leaf, Pages, Quad, Sample, Section,
    SolidParameters, SolidUnits, Tag, TerrainParameters, TreeCode, Valid, Visibility,
    VisibilityMode, WorldKind,
};
pub use crate::runtime::{
    Along, Bundle, CellBundle, Extent, Layers, Motion, MotionLimits, Mover, OcclusionTest,
    OpenError, OwnedBundle, Place, Predictor, Pvs, Quads, Reach, ReachMemory, ReachableSet,
    Running, SolidBundle, Stretch, TerrainBundle, World,
};

/// The coded parts of a bundle, for tools that look into it.
pub mod parts {
    pub use crate::format::blockpair::{BlockPair, Piece as PairPiece};
    pub use crate::format::cells::Child;
    pub use crate::format::dictionary::{Code, Dictionary};
    pub use crate::format::layers::{Over, Piece};
    pub use crate::format::pages::{IndexedPages, SectionPages};
    pub use crate::format::pairs::Group;
    pub use crate::format::{
        Area, GroupPvs, Groups, Header, Leaves, Literals, LossyPvs, Narrowing, Opening, Openings,
        ReadPvs, StalePvs, StoredPvs, Sunk, Tree, Trees,
    };
}
#[cfg(feature = "mmap")]
pub use crate::runtime::{MappedBundle, MappedFile};
#[cfg(feature = "sign")]
pub use crate::sign::{KeyError, PublicKey};
