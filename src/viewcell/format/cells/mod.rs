//! The sections of a cell bundle: who sees whom among cells, and how far apart they are.
//!
//! `CELL`, 64 bytes:
//!
//! ```text
//! 0    cells              u32      N, 1 to 65,536
//! 4    rows               u32      R, different rows, 1 to N
//! 8    distance bits      u32      4, 8 or 16
//! 12   symmetry           u32      1 or, 2 and, 3 none
//! 16   greatest distance  u32      of those that are not unreachable
//! 20   nodes              u32      of the BSP
//! 24   root               i32      a child, as in the nodes; -1 and no nodes: no BSP
//! 28   neighbours         u32      entries of CADJ, each pair counted both ways
//! 32   reserved           32 bytes 0
//! ```
//!
//! `CROW` is the row of each cell (`u32`); absent where cell i has row i. `CPVS` holds R rows of
//! N bits, in whole `u64`; `CDST` R rows of N distances, in whole bytes. `CBSP` holds nodes,
//! [`NODE_LEN`] bytes each. `CADJ` holds [`Neighbours`], `CPRT` [`Portals`].

mod bsp;
mod matrix;
mod portals;

pub use bsp::{Child, NODE_LEN, PlaneNode};
pub use matrix::{DistanceBits, DistanceRow, PvsRow};
pub use portals::{CORNER_LEN, Neighbours, PORTAL_HEAD_LEN, PortalRecord, Portals};

use crate::format::bytes::{put, u32_at};
use crate::format::error::FormatError;
use crate::format::tag::Tag;

/// Length in bytes of the `CELL` section.
pub const CELLS_LEN: usize = 64;
/// Greatest number of cells.
pub const MAX_CELLS: u32 = 65_536;
/// Length in bytes of a box of `CBOX`: 6 `f32`; and of a point of `CPOS`: 3 `f64`.
pub const POINT_LEN: usize = 24;

/// How the PVS was made symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryCode {
    /// Visible if either way is.
    Or,
    /// Visible if both ways are.
    And,
    /// As it was.
    None,
}

impl SymmetryCode {
    /// Its number in the `CELL` section.
    pub const fn code(self) -> u32 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::None => 3,
        }
    }

    /// The symmetry of a number in the `CELL` section.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Or),
            2 => Some(Self::And),
            3 => Some(Self::None),
            _ => None,
        }
    }
}

/// What a cell bundle is of: the `CELL` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellParameters {
    /// Number of cells. Limit: 1 to [`MAX_CELLS`].
    pub cells: u32,
    /// Number of different rows. Limit: 1 to `cells`.
    pub rows: u32,
    /// How distances are stored.
    pub distance_bits: DistanceBits,
    /// How the PVS was made symmetric.
    pub symmetry: SymmetryCode,
    /// Greatest distance of two cells that are not unreachable.
    pub greatest_distance: u32,
    /// Nodes of the BSP.
    pub nodes: u32,
    /// Where the BSP begins.
    pub root: Child,
    /// Entries of the lists of neighbours.
    pub neighbours: u32,
}

impl CellParameters {
    /// The bytes of the section.
    pub fn encode(&self) -> [u8; CELLS_LEN] {
        let words = [
            self.cells,
            self.rows,
            self.distance_bits.bits(),
            self.symmetry.code(),
            self.greatest_distance,
            self.nodes,
            self.root.code() as u32,
            self.neighbours,
        ];
        let mut bytes = [0; CELLS_LEN];
        for (i, word) in words.iter().enumerate() {
            put(&mut bytes, i * 4, &word.to_le_bytes());
        }
        bytes
    }

    /// The parameters in the bytes of the section.
    ///
    /// # Errors
    ///
    /// Where a field makes no sense, or the length is not that of the section.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let wrong = |field, offset, expected| FormatError::Parameter {
            tag: Tag::CELL,
            field,
            offset,
            expected,
        };
        let word = |field, offset| u32_at(bytes, offset).ok_or(wrong(field, offset, "4 bytes"));
        let cells = word("cells", 0)?;
        if cells == 0 || cells > MAX_CELLS {
            return Err(wrong("cells", 0, "1 to 65,536"));
        }
        let rows = word("rows", 4)?;
        if rows == 0 || rows > cells {
            return Err(wrong("rows", 4, "1 to the number of cells"));
        }
        let distance_bits = DistanceBits::from_bits(word("distance bits", 8)?).ok_or(wrong(
            "distance bits",
            8,
            "4, 8 or 16",
        ))?;
        let symmetry = SymmetryCode::from_code(word("symmetry", 12)?).ok_or(wrong(
            "symmetry",
            12,
            "1 (or), 2 (and) or 3 (none)",
        ))?;
        let greatest_distance = word("greatest distance", 16)?;
        if greatest_distance >= distance_bits.unreachable() {
            return Err(wrong(
                "greatest distance",
                16,
                "one that fits into the distance bits",
            ));
        }
        let nodes = word("nodes", 20)?;
        let root = Child::from_code(word("root", 24)? as i32);
        let fits = match root {
            Child::Node(node) => node < nodes,
            Child::Cell(cell) => nodes == 0 && cell < cells,
            Child::Nothing => nodes == 0,
        };
        if !fits {
            return Err(wrong(
                "root",
                24,
                "a node, or a cell where there are no nodes",
            ));
        }
        Ok(Self {
            cells,
            rows,
            distance_bits,
            symmetry,
            greatest_distance,
            nodes,
            root,
            neighbours: word("neighbours", 28)?,
        })
    }

    /// Length in bytes of a row of `CPVS`.
    pub const fn pvs_row_len(&self) -> usize {
        self.cells.div_ceil(64) as usize * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_come_back_from_their_bytes() {
        let parameters = CellParameters {
            cells: 3,
            rows: 2,
            distance_bits: DistanceBits::Eight,
            symmetry: SymmetryCode::And,
            greatest_distance: 20,
            nodes: 2,
            root: Child::Node(0),
            neighbours: 4,
        };
        let bytes = parameters.encode();
        assert_eq!(CellParameters::parse(&bytes), Ok(parameters));
        for (at, value) in [(0, 0), (4, 4), (4, 0), (8, 5), (12, 0), (16, 255), (24, 2)] {
            let mut damaged = bytes;
            put(&mut damaged, at, &u32::to_le_bytes(value));
            let error = CellParameters::parse(&damaged).unwrap_err();
            assert!(
                matches!(error, FormatError::Parameter { offset, .. } if offset == at),
                "{at}: {error}"
            );
        }
    }
}
