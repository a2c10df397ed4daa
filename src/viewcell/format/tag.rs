//! Names and numbers of the header: the version, kinds of worlds, tags of sections.

use core::fmt;

/// The format version of bundles.
pub const VERSION: u32 = 1;

/// Greatest number of sections.
pub const MAX_SECTIONS: u32 = 64;

/// What a bundle is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldKind {
    /// A terrain: a grid of samples.
    Terrain,
    /// Cells and who sees whom among them.
    Cells,
    /// A solid level: view cells that are boxes in space.
    Solid,
}

impl WorldKind {
    /// Its number in the header.
    pub const fn code(self) -> u32 {
        match self {
            Self::Terrain => 1,
            Self::Cells => 2,
            Self::Solid => 3,
        }
    }

    /// The kind of a number in the header.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Terrain),
            2 => Some(Self::Cells),
            3 => Some(Self::Solid),
            _ => None,
        }
    }
}

impl fmt::Display for WorldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Terrain => "terrain",
            Self::Cells => "cells",
            Self::Solid => "solid",
        })
    }
}

/// Four ASCII characters that name a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// Parameters of a terrain: [`super::terrain::TerrainParameters`].
    pub const GRID: Self = Self(*b"GRID");
    /// The coordinate reference system, UTF-8.
    pub const CRS: Self = Self(*b"CRS ");
    /// Which samples are terrain, a block bitmap; absent where all are.
    pub const VALD: Self = Self(*b"VALD");
    /// Ground heights, `f32`, row by row.
    pub const HGTS: Self = Self(*b"HGTS");
    /// Ground heights as they were read, `f64`; absent where `HGTS` is as exact.
    pub const SRCH: Self = Self(*b"SRCH");
    /// The PVS of every quad, in bake order.
    pub const TREE: Self = Self(*b"TREE");
    /// Where in `TREE` each quad's PVS begins, `u64`.
    pub const TIDX: Self = Self(*b"TIDX");
    /// Byte codes of the symbols in `PAIR`.
    pub const DICT: Self = Self(*b"DICT");
    /// What the samples of each block see, pair of blocks by pair of blocks, in Morton order.
    pub const PAIR: Self = Self(*b"PAIR");
    /// Where in `PAIR` each block's group begins, `u64`.
    pub const PIDX: Self = Self(*b"PIDX");
    /// Provenance, JSON.
    pub const PROV: Self = Self(*b"PROV");
    /// Parameters of a level of cells: [`super::cells::CellParameters`].
    pub const CELL: Self = Self(*b"CELL");
    /// The row of each cell, `u32`; absent where each has its own.
    pub const CROW: Self = Self(*b"CROW");
    /// The PVS of cells, a row of bits each.
    pub const CPVS: Self = Self(*b"CPVS");
    /// Distances between cells.
    pub const CDST: Self = Self(*b"CDST");
    /// Which cells touch.
    pub const CADJ: Self = Self(*b"CADJ");
    /// The level's BSP, from a point to its cell.
    pub const CBSP: Self = Self(*b"CBSP");
    /// The box around each cell.
    pub const CBOX: Self = Self(*b"CBOX");
    /// A point for each cell.
    pub const CPOS: Self = Self(*b"CPOS");
    /// What people call each cell, JSON.
    pub const CNAM: Self = Self(*b"CNAM");
    /// Portals between cells.
    pub const CPRT: Self = Self(*b"CPRT");

    /// Parameters of a solid level: [`super::solid::SolidParameters`].
    pub const SOLD: Self = Self(*b"SOLD");
    /// The boxes of the cells of a solid level.
    pub const SBOX: Self = Self(*b"SBOX");
    /// Which cell of a solid level a position is in.
    pub const SLOC: Self = Self(*b"SLOC");
    /// What hides in a solid level, for tests at run time: [`super::occluders`]. Optional.
    pub const SOCC: Self = Self(*b"SOCC");
    /// The objects that a scene draws: [`super::objects`]. Optional.
    pub const OBJS: Self = Self(*b"OBJS");
    /// Who vouches for the file: a signature. Optional.
    pub const SIGN: Self = Self(*b"SIGN");
    /// Checksums of the file by pages: [`super::pages`]. Optional, and the last section.
    pub const PCRC: Self = Self(*b"PCRC");

    /// Of a patch: the samples whose ground changed, and their heights.
    pub const CHTS: Self = Self(*b"CHTS");
    /// Of a patch: blocks, and where in `PAIR` their groups begin.
    pub const BIDX: Self = Self(*b"BIDX");
    /// Of a patch: quads, and where in `TREE` their PVSs begin.
    pub const QIDX: Self = Self(*b"QIDX");
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands for a whole file: its length, and the checksum in its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileId {
    /// Bytes.
    pub length: u64,
    /// The header's checksum.
    pub checksum: u32,
}

/// The version of patches that this library writes and reads.
pub const PATCH_VERSION: u32 = 1;

/// Bytes of an entry of `BIDX` and `QIDX`: what, and where its bytes begin.
pub const PLACE_LEN: usize = 12;

/// Bytes of an entry of `CHTS`: which sample, and its height.
pub const CHANGED_LEN: usize = 12;
