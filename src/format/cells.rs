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
//! [`NODE_LEN`] bytes each. `CADJ` holds N + 1 offsets (`u32`), then neighbours (`u32`).

use super::bytes::{array_at, f32_at, f64_at, put, u32_at, u64_at};
use super::error::FormatError;

/// Length in bytes of the `CELL` section.
pub const CELLS_LEN: usize = 64;
/// Greatest number of cells.
pub const MAX_CELLS: u32 = 65_536;
/// Length in bytes of a node of `CBSP`: distance `f64`, normal 3 `f32`, children 2 `i32`.
pub const NODE_LEN: usize = 28;
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

/// Bits a distance: how `CDST` stores them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DistanceBits {
    /// Two distances a byte, the even cell in the low half. Greatest distance: 14.
    Four,
    /// A distance a byte. Greatest distance: 254.
    Eight,
    /// A distance in two bytes. Greatest distance: 65,534.
    Sixteen,
}

impl DistanceBits {
    /// The fewest bits for distances up to `greatest`.
    pub const fn for_greatest(greatest: u32) -> Self {
        match greatest {
            0..=14 => Self::Four,
            15..=254 => Self::Eight,
            _ => Self::Sixteen,
        }
    }

    /// Their number.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }

    /// The width of so many bits.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            16 => Some(Self::Sixteen),
            _ => None,
        }
    }

    /// The code that stands for unreachable: all bits set.
    pub const fn unreachable(self) -> u32 {
        (1 << self.bits()) - 1
    }

    /// Bytes a row of distances to `cells` cells.
    pub const fn row_len(self, cells: u32) -> usize {
        (cells as usize * self.bits() as usize).div_ceil(8)
    }

    /// Writes `code` as entry `cell` of a row of zeros; nothing outside it.
    pub fn put(self, row: &mut [u8], cell: u32, code: u32) {
        let cell = cell as usize;
        match self {
            Self::Four => {
                if let Some(byte) = row.get_mut(cell / 2) {
                    *byte |= ((code & 15) as u8) << (cell % 2 * 4);
                }
            }
            Self::Eight => put(row, cell, &[code as u8]),
            Self::Sixteen => put(row, cell * 2, &(code as u16).to_le_bytes()),
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

    /// The parameters in the bytes of the section; errors where a field makes no sense.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let wrong = |field, offset, expected| FormatError::CellParameter {
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

    /// Length in bytes of `CPVS`.
    pub const fn pvs_len(&self) -> u64 {
        self.rows as u64 * self.pvs_row_len() as u64
    }

    /// Length in bytes of a row of `CPVS`.
    pub const fn pvs_row_len(&self) -> usize {
        self.cells.div_ceil(64) as usize * 8
    }

    /// Length in bytes of `CDST`.
    pub const fn distances_len(&self) -> u64 {
        self.rows as u64 * self.distance_bits.row_len(self.cells) as u64
    }

    /// Length in bytes of `CADJ`.
    pub const fn adjacency_len(&self) -> u64 {
        (self.cells as u64 + 1 + self.neighbours as u64) * 4
    }

    /// Length in bytes of `CBSP`.
    pub const fn nodes_len(&self) -> u64 {
        self.nodes as u64 * NODE_LEN as u64
    }
}

/// What lies on one side of a node's plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Child {
    /// A further node; greater than the node whose child it is.
    Node(u32),
    /// A cell.
    Cell(u32),
    /// Solid, or no place that the PVS speaks of.
    Nothing,
}

impl Child {
    /// Its number: a node from 0 up, -1 for nothing, cell c as -2 - c.
    pub const fn code(self) -> i32 {
        match self {
            Self::Node(node) => node as i32,
            Self::Nothing => -1,
            Self::Cell(cell) => -2 - cell as i32,
        }
    }

    /// The child of a number.
    pub const fn from_code(code: i32) -> Self {
        match code {
            0.. => Self::Node(code as u32),
            -1 => Self::Nothing,
            _ => Self::Cell((-2_i64 - code as i64) as u32),
        }
    }
}

/// A node of the BSP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// A point p is in front of the plane if normal · p >= distance.
    pub distance: f64,
    /// Normal of the plane.
    pub normal: [f32; 3],
    /// What lies in front, and behind.
    pub children: [Child; 2],
}

impl Node {
    /// The bytes of the node.
    pub fn encode(&self) -> [u8; NODE_LEN] {
        let mut bytes = [0; NODE_LEN];
        put(&mut bytes, 0, &self.distance.to_le_bytes());
        for (i, number) in self.normal.iter().enumerate() {
            put(&mut bytes, 8 + 4 * i, &number.to_le_bytes());
        }
        for (i, child) in self.children.iter().enumerate() {
            put(&mut bytes, 20 + 4 * i, &child.code().to_le_bytes());
        }
        bytes
    }

    /// Node `index` of `CBSP`.
    pub fn at(nodes: &[u8], index: u32) -> Option<Self> {
        let bytes: [u8; NODE_LEN] = array_at(nodes, (index as usize).checked_mul(NODE_LEN)?)?;
        let child = |at| Some(Child::from_code(u32_at(&bytes, at)? as i32));
        Some(Self {
            distance: f64_at(&bytes, 0)?,
            normal: [f32_at(&bytes, 8)?, f32_at(&bytes, 12)?, f32_at(&bytes, 16)?],
            children: [child(20)?, child(24)?],
        })
    }

    /// What lies on the side of a point; a point on the plane is in front.
    pub fn side_of(&self, point: [f64; 3]) -> Child {
        let [a, b, c] = self.normal.map(f64::from);
        let [x, y, z] = point;
        let height = a * x + b * y + c * z - self.distance;
        let [front, behind] = self.children;
        if height < 0.0 { behind } else { front }
    }
}

/// A row of `CPVS`: the cells that a cell sees, itself among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PvsRow<'a> {
    bytes: &'a [u8],
    cells: u32,
}

impl<'a> PvsRow<'a> {
    /// The row in these bytes.
    pub fn new(bytes: &'a [u8], cells: u32) -> Self {
        Self { bytes, cells }
    }

    /// The number of cells, seen or not.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Whether a cell is seen. Where bytes are not there, it is.
    #[inline]
    pub fn contains(&self, cell: u32) -> bool {
        match self.bytes.get(cell as usize / 8) {
            Some(byte) => byte >> (cell % 8) & 1 == 1,
            None => true,
        }
    }

    /// The row, 64 cells a word, the lowest bit first. O(N / 64).
    pub fn words(&self) -> impl ExactSizeIterator<Item = u64> + Clone + use<'a> {
        let (words, _) = self.bytes.as_chunks::<8>();
        words.iter().map(|word| u64::from_le_bytes(*word))
    }

    /// Word `i` of the row; 0 behind its end.
    #[inline]
    pub fn word(&self, i: usize) -> u64 {
        u64_at(self.bytes, i.saturating_mul(8)).unwrap_or(0)
    }

    /// Whether any cell of a bitmap is seen, of as many words as the row has. Begins at word
    /// `first`, and comes to those before it last. A row that is not all there sees every cell.
    #[inline]
    pub fn meets(&self, bitmap: &[u64], first: usize) -> bool {
        let (words, _) = self.bytes.as_chunks::<8>();
        let Some(words) = words.get(..bitmap.len()) else {
            return true;
        };
        // Four words at a time, which processors do at once.
        let common = |row: &[[u8; 8]], bitmap: &[u64]| {
            let both = row.iter().zip(bitmap);
            both.fold(0, |all, (row, word)| all | u64::from_le_bytes(*row) & word) != 0
        };
        let ((row, rest_of_row), (bits, rest)) = (words.as_chunks::<4>(), bitmap.as_chunks::<4>());
        let fours = row.iter().zip(bits);
        let meets = |(row, bits): (&[[u8; 8]; 4], &[u64; 4])| common(row, bits);
        fours.clone().skip(first / 4).any(meets)
            || common(rest_of_row, rest)
            || fours.take(first / 4).any(meets)
    }

    /// How many cells are seen.
    pub fn count(&self) -> u32 {
        self.words().map(u64::count_ones).sum()
    }

    /// The cells seen, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let cells = self.cells;
        self.words()
            .zip(0_u32..)
            .flat_map(|(word, i)| {
                let mut rest = word;
                core::iter::from_fn(move || {
                    let bit = rest.trailing_zeros();
                    rest &= rest.wrapping_sub(1);
                    (bit < 64).then_some(i.saturating_mul(64).saturating_add(bit))
                })
            })
            .take_while(move |cell| *cell < cells)
    }
}

/// A row of `CDST`: how far each cell is from one cell.
///
/// The row of a cell may be shared with others that see the same cells, so its entry for the
/// cell itself is 1 like that of every cell it sees, not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistanceRow<'a> {
    bytes: &'a [u8],
    bits: DistanceBits,
    cells: u32,
}

impl<'a> DistanceRow<'a> {
    /// The row in these bytes.
    pub fn new(bytes: &'a [u8], bits: DistanceBits, cells: u32) -> Self {
        Self { bytes, bits, cells }
    }

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// How the codes are stored.
    pub fn bits(&self) -> DistanceBits {
        self.bits
    }

    /// The bytes of the row.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The code of a cell: its distance, or [`DistanceBits::unreachable`]. Where bytes are not
    /// there, 1: visible.
    #[inline]
    pub fn code(&self, cell: u32) -> u32 {
        let cell = cell as usize;
        let code = match self.bits {
            DistanceBits::Four => self
                .bytes
                .get(cell / 2)
                .map(|byte| u32::from(byte >> (cell % 2 * 4) & 15)),
            DistanceBits::Eight => self.bytes.get(cell).map(|byte| u32::from(*byte)),
            DistanceBits::Sixteen => {
                array_at(self.bytes, cell * 2).map(|pair| u32::from(u16::from_le_bytes(pair)))
            }
        };
        code.unwrap_or(1)
    }

    /// The distance of a cell; `None` if it is unreachable. 1 for the cell whose row it is.
    #[inline]
    pub fn get(&self, cell: u32) -> Option<u32> {
        Some(self.code(cell)).filter(|&code| code != self.bits.unreachable())
    }

    /// The codes of all cells.
    pub fn codes(&self) -> impl Iterator<Item = u32> + use<'a> {
        let row = *self;
        (0..self.cells).map(move |cell| row.code(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_back_from_every_width() {
        for (greatest, bits) in [
            (14, DistanceBits::Four),
            (15, DistanceBits::Eight),
            (254, DistanceBits::Eight),
            (255, DistanceBits::Sixteen),
        ] {
            assert_eq!(DistanceBits::for_greatest(greatest), bits);
            let codes = [1, greatest, bits.unreachable(), 2, 0];
            let mut row = [0_u8; 10];
            let row = &mut row[..bits.row_len(5)];
            for (cell, code) in (0..).zip(codes) {
                bits.put(row, cell, code);
            }
            let row = DistanceRow::new(row, bits, 5);
            assert_eq!(row.codes().collect::<Vec<_>>(), codes);
            assert_eq!([row.get(1), row.get(2)], [Some(greatest), None]);
            assert_eq!(row.get(100), Some(1), "what is not there is visible");
        }
    }

    #[test]
    fn children_come_back_from_their_numbers() {
        for child in [
            Child::Node(0),
            Child::Node(7),
            Child::Nothing,
            Child::Cell(0),
            Child::Cell(65_535),
        ] {
            assert_eq!(Child::from_code(child.code()), child);
        }
        assert_eq!(Child::from_code(i32::MIN), Child::Cell(2_147_483_646));
    }

    #[test]
    fn a_row_names_the_cells_whose_bits_are_set() {
        let mut bytes = [0_u8; 16];
        bytes[0] = 0b101;
        bytes[8] = 0b10;
        bytes[9] = 0b1;
        let row = PvsRow::new(&bytes, 70);
        assert_eq!(row.iter().collect::<Vec<_>>(), [0, 2, 65]);
        assert!(row.contains(65) && !row.contains(64) && row.contains(1000));
        assert_eq!(row.count(), 4);
    }

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
                matches!(error, FormatError::CellParameter { offset, .. } if offset == at),
                "{at}: {error}"
            );
        }
    }
}
