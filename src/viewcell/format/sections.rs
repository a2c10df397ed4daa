//! The table of sections: what a file holds, in the order of the file, when, how it is stored, and how long it is. Writers,
//! readers and `verify` go by it; `schemas/BUNDLE.md` and `schemas/PATCH.md` are the same in words.

use super::cells::{CELLS_LEN, CellParameters, NODE_LEN, Neighbours, POINT_LEN};
use super::error::FormatError;
use super::header::Section;
use super::levels::Shape;
use super::occluders;
use super::pairs::TREE_LEVEL;
use super::signature::SIGNATURE_LEN;
use super::solid::{BOX_LEN, BUCKET_LEN, SOLID_LEN, SolidParameters};
use super::tag::{CHANGED_LEN, PLACE_LEN, Tag, WorldKind};
use super::terrain::{TERRAIN_LEN, TerrainParameters, TreeCode};

/// A kind of section.
#[derive(Clone, Copy, Debug)]
pub struct SectionKind {
    /// Its name.
    pub tag: Tag,
    /// When a bundle of a terrain, of cells, of a solid level, and a patch have it.
    when: [When; 4],
    /// [`Section::REQUIRED`]; [`Section::ZSTD`] where queries never need it; or 0.
    pub flags: u32,
    /// The section whose parameters it follows from; itself where it follows from none.
    pub by: Tag,
    /// Bytes, decompressed.
    pub length: Length,
    /// What it holds, in words.
    pub holds: &'static str,
}

/// When a file has a section.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Never.
    Never,
    /// Always.
    Always,
    /// If there is something to be told.
    Optional,
    /// If the parameters call for it, and only then.
    If(fn(&Sizes) -> bool),
}

/// How many bytes a section has, decompressed.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// As many as it says itself.
    Any,
    /// So many.
    Is(fn(&Sizes) -> u64),
    /// So many or more.
    AtLeast(fn(&Sizes) -> u64),
    /// So many or fewer: nobody reads more into memory.
    AtMost(u64),
    /// Whole entries of so many.
    Entries(u64),
}

/// What sections follow from, by the parameters of a world; all 0 for what follows from none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Samples of a grid.
    pub samples: u64,
    /// Blocks of a grid, of all its levels.
    pub blocks: u64,
    /// Whether each block has a group.
    pub has_groups: bool,
    /// Whether quads have trees.
    pub has_trees: bool,
    /// How many do: of a small grid no unions.
    pub trees: u64,
    /// Cells of a level.
    pub cells: u64,
    /// Different rows of theirs.
    pub rows: u64,
    /// Bytes of a row of `CPVS`.
    pub pvs_row: u64,
    /// Bytes of a row of `CDST`.
    pub distance_row: u64,
    /// Neighbours of all cells.
    pub neighbours: u64,
    /// Nodes of a BSP.
    pub nodes: u64,
    /// Buckets of cells in space.
    pub buckets: u64,
    /// Whether objects are drawn.
    pub has_objects: bool,
}

impl From<&TerrainParameters> for Sizes {
    fn from(parameters: &TerrainParameters) -> Self {
        let grid = parameters.grid;
        let shape = Shape::of(parameters);
        let (blocks, least) = match parameters.tree_code {
            TreeCode::Single => (grid.blocks(), 0),
            TreeCode::Levels if shape.is_whole() => (grid.blocks(), TREE_LEVEL),
            TreeCode::Levels => (shape.blocks_below(shape.levels()), grid.levels()),
        };
        Self {
            samples: grid.samples(),
            blocks: blocks as u64,
            has_groups: parameters.tree_code != TreeCode::Single,
            has_trees: shape.is_whole(),
            trees: grid.quad_count() - grid.first_index(least),
            ..Self::default()
        }
    }
}

impl From<&CellParameters> for Sizes {
    fn from(parameters: &CellParameters) -> Self {
        let cells = parameters.cells;
        Self {
            cells: cells.into(),
            rows: parameters.rows.into(),
            pvs_row: parameters.pvs_row_len() as u64,
            distance_row: parameters.distance_bits.row_len(cells) as u64,
            neighbours: parameters.neighbours.into(),
            nodes: parameters.nodes.into(),
            ..Self::default()
        }
    }
}

impl From<&SolidParameters> for Sizes {
    fn from(parameters: &SolidParameters) -> Self {
        Self {
            cells: parameters.cells.into(),
            buckets: parameters.bucket_count(),
            has_objects: parameters.is_scene,
            ..Self::default()
        }
    }
}

const NO: When = When::Never;
const YES: When = When::Always;
const MAY: When = When::Optional;
const GROUPS: When = When::If(|of| of.has_groups);
const TREES: When = When::If(|of| of.has_trees);
const ROWS: When = When::If(|of| of.rows < of.cells);
const NEXT: When = When::If(|of| of.neighbours > 0);
const NODES: When = When::If(|of| of.nodes > 0);

const SCENE: When = When::If(|of| of.has_objects);

const MUST: u32 = Section::REQUIRED;
const COLD: u32 = Section::ZSTD;

/// Greatest length in bytes of a text.
pub const TEXT_LIMIT: u64 = 16 << 20;

const TEXT: Length = Length::AtMost(TEXT_LIMIT);
const PORTALS: Length = Length::AtMost(1 << 30);
const OBJECTS: Length = Length::AtMost(1 << 30);
const OCCLUDERS: Length = Length::AtMost(occluders::MAX_LEN);

const fn kind(
    tag: Tag,
    when: [When; 4],
    flags: u32,
    by: Tag,
    length: Length,
    holds: &'static str,
) -> SectionKind {
    SectionKind {
        tag,
        when,
        flags,
        by,
        length,
        holds,
    }
}

/// All kinds of sections, in the order in which files have them.
#[rustfmt::skip]
pub static SECTIONS: [SectionKind; 31] = {
    use Length::{Any, AtLeast, Entries, Is};
    [
    //        tag      terrain cells  solid  patch   flags  by          length                                  holds
    kind(Tag::SOLD, [NO,     NO,    YES,   NO],    MUST,  Tag::SOLD,  Is(|_| SOLID_LEN as u64),               "solid level and options"),
    kind(Tag::SBOX, [NO,     NO,    YES,   NO],    MUST,  Tag::SOLD,  Is(|of| of.cells * BOX_LEN as u64),     "boxes of view cells"),
    kind(Tag::SLOC, [NO,     NO,    YES,   NO],    MUST,  Tag::SOLD,  Is(|of| of.buckets * BUCKET_LEN as u64), "index from positions to cells"),
    kind(Tag::SOCC, [NO,     NO,    MAY,   NO],    0,     Tag::SOCC,  OCCLUDERS,                              "occluders, for tests at run time"),
    kind(Tag::OBJS, [NO,     NO,    SCENE, NO],    MUST,  Tag::OBJS,  OBJECTS,                                "objects that a scene draws"),
    kind(Tag::GRID, [YES,    NO,    YES,   NO],    MUST,  Tag::GRID,  Is(|_| TERRAIN_LEN as u64),             "grid and options"),
    kind(Tag::CRS,  [MAY,    NO,    NO,    NO],    0,     Tag::CRS,   TEXT,                                   "coordinate reference system"),
    kind(Tag::VALD, [MAY,    NO,    MAY,   MAY],   MUST,  Tag::GRID,  Is(|of| of.blocks * 8),                 "where somebody can be"),
    kind(Tag::HGTS, [YES,    NO,    NO,    NO],    MUST,  Tag::GRID,  Is(|of| of.samples * 4),                "ground heights"),
    kind(Tag::SRCH, [MAY,    NO,    NO,    NO],    COLD,  Tag::SRCH,  Is(|of| of.samples * 8),                "ground heights as read"),
    kind(Tag::CHTS, [NO,     NO,    NO,    YES],   MUST,  Tag::CHTS,  Entries(CHANGED_LEN as u64),            "heights that change"),
    kind(Tag::BIDX, [NO,     NO,    NO,    YES],   MUST,  Tag::BIDX,  Entries(PLACE_LEN as u64),              "index of the pairs that change"),
    kind(Tag::DICT, [GROUPS, NO,    YES,   NO],    MUST,  Tag::GRID,  Any,                                    "byte codes of the pairs"),
    kind(Tag::PAIR, [GROUPS, NO,    YES,   YES],   MUST,  Tag::GRID,  Any,                                    "PVSs by pairs of blocks"),
    kind(Tag::PIDX, [GROUPS, NO,    YES,   NO],    MUST,  Tag::GRID,  Is(|of| of.blocks * 8),                 "index of the pairs"),
    kind(Tag::QIDX, [NO,     NO,    NO,    YES],   MUST,  Tag::QIDX,  Entries(PLACE_LEN as u64),              "index of the PVSs that change"),
    kind(Tag::TREE, [TREES,  NO,    YES,   YES],   MUST,  Tag::GRID,  AtLeast(|of| of.trees),                 "PVS of every quad"),
    kind(Tag::TIDX, [TREES,  NO,    YES,   NO],    MUST,  Tag::GRID,  Is(|of| of.trees * 8),                  "index of the PVSs"),
    kind(Tag::CELL, [NO,     YES,   NO,    NO],    MUST,  Tag::CELL,  Is(|_| CELLS_LEN as u64),               "cells and options"),
    kind(Tag::CROW, [NO,     ROWS,  NO,    NO],    MUST,  Tag::CELL,  Is(|of| of.cells * 4),                  "which cells share a row"),
    kind(Tag::CPVS, [NO,     YES,   NO,    NO],    MUST,  Tag::CELL,  Is(|of| of.rows * of.pvs_row),          "PVS of every cell"),
    kind(Tag::CDST, [NO,     YES,   NO,    NO],    MUST,  Tag::CELL,  Is(|of| of.rows * of.distance_row),     "distances between cells"),
    kind(Tag::CADJ, [NO,     NEXT,  NO,    NO],    0,     Tag::CELL,  Is(|of| Neighbours::len_of(of.cells, of.neighbours)), "which cells touch"),
    kind(Tag::CBSP, [NO,     NODES, NO,    NO],    0,     Tag::CELL,  Is(|of| of.nodes * NODE_LEN as u64),    "BSP, from a point to its cell"),
    kind(Tag::CBOX, [NO,     MAY,   NO,    NO],    0,     Tag::CELL,  Is(|of| of.cells * POINT_LEN as u64),   "boxes of cells"),
    kind(Tag::CPOS, [NO,     MAY,   NO,    NO],    0,     Tag::CELL,  Is(|of| of.cells * POINT_LEN as u64),   "positions of cells"),
    kind(Tag::CNAM, [NO,     MAY,   NO,    NO],    COLD,  Tag::CNAM,  TEXT,                                   "names of cells"),
    kind(Tag::CPRT, [NO,     MAY,   NO,    NO],    COLD,  Tag::CPRT,  PORTALS,                                "portals"),
    kind(Tag::PROV, [YES,    YES,   YES,   MAY],   COLD,  Tag::PROV,  TEXT,                                   "provenance"),
    kind(Tag::SIGN, [MAY,    MAY,   MAY,   NO],    0,     Tag::SIGN,  Is(|_| SIGNATURE_LEN),                  "signature"),
    kind(Tag::PCRC, [MAY,    MAY,   MAY,   NO],    0,     Tag::PCRC,  Any,                                    "checksums of pages"),
    ]
};

impl Tag {
    /// What a section of this name is; `None` where the name has no meaning.
    pub fn kind(self) -> Option<&'static SectionKind> {
        SECTIONS.iter().find(|kind| kind.tag == self)
    }
}

/// The sections that bundles of a kind of world may have; `None`: patches.
pub fn of(file: Option<WorldKind>) -> impl Iterator<Item = &'static SectionKind> + Clone {
    let is_of = move |kind: &&SectionKind| !matches!(kind.when(file), When::Never);
    SECTIONS.iter().filter(is_of)
}

impl SectionKind {
    /// When a bundle of a kind of world has it; `None`: a patch.
    pub fn when(&self, file: Option<WorldKind>) -> When {
        let [terrain, cells, solid, patch] = self.when;
        match file {
            Some(WorldKind::Terrain) => terrain,
            Some(WorldKind::Cells) => cells,
            Some(WorldKind::Solid) => solid,
            None => patch,
        }
    }

    /// The bytes of the section as a file has it that readers do not decompress: `None` where it is not called for, or left out.
    ///
    /// # Errors
    ///
    /// Where it is missing, compressed, or has another length than the table says.
    pub fn plain<'a>(
        &self,
        file: Option<WorldKind>,
        sizes: &Sizes,
        found: Option<(Section, &'a [u8])>,
    ) -> Result<Option<&'a [u8]>, FormatError> {
        let tag = self.tag;
        let is_due = self.when(file).is_due(sizes);
        let Some((section, bytes)) = found.filter(|_| is_due != Some(false)) else {
            return match is_due {
                Some(true) => Err(FormatError::MissingSection { tag }),
                _ => Ok(None),
            };
        };
        let found = bytes.len() as u64;
        let expected = self.length.expected(found, sizes);
        // Stored as it is, a section has one length; the table of the file states two.
        let found = if found == expected {
            section.length
        } else {
            found
        };
        if section.is_compressed() || found != expected {
            return Err(FormatError::SectionLength {
                tag,
                expected,
                found,
            });
        }
        Ok(Some(bytes))
    }
}

impl When {
    /// Whether a file must have it, or must not; `None` where it may.
    pub fn is_due(self, sizes: &Sizes) -> Option<bool> {
        match self {
            Self::Never => Some(false),
            Self::Always => Some(true),
            Self::Optional => None,
            Self::If(is_due) => Some(is_due(sizes)),
        }
    }
}

impl Length {
    /// The length that a section of `found` bytes should have: as many if it is right.
    pub fn expected(self, found: u64, sizes: &Sizes) -> u64 {
        match self {
            Self::Any => found,
            Self::Is(length) => length(sizes),
            Self::AtLeast(length) => found.max(length(sizes)),
            Self::AtMost(length) => found.min(length),
            Self::Entries(length) => found - found % length,
        }
    }
}
