//! Portal files: what a compiler of levels hands to the one that computes visibility.
//!
//! A text: a magic, counts, one line a portal, `corners cell cell (x y z) (x y z) ...`, and then
//! what the kind adds.
//!
//! | magic | counts | after the portals |
//! |---|---|---|
//! | `PRT1` | cells, portals | nothing |
//! | `PRT1` of q3map2 | cells, portals, faces; each portal says whether it is a hint | opaque faces: `corners cell (x y z) ...` |
//! | `PRT2` | leaves, cells, portals | a line a cell: its leaves, then -1 |
//! | `PRT1-AM` | cells, portals, leaves | a line a leaf: its cell |
//!
//! All tools wind a portal so that its normal, by the right hand, points from the first cell into
//! the second: so does [`Portal`] here.

use super::check_count;
use crate::error::IngestError;
use crate::world::{CellGraph, Portal};

/// Most corners of a portal. Compilers stop at 64 (q3map2) and 96 (ericw-tools).
const MAX_CORNERS: u64 = 1024;

/// What a portal file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PortalFile {
    /// Number of cells. The file calls them leaves or clusters.
    pub cells: usize,
    /// The portals, each pointing from its first cell into its second.
    pub portals: Vec<Portal>,
    /// What the kind of file adds.
    pub kind: PortalFileKind,
}

/// The kinds of portal files, and what each adds to cells and portals.
#[derive(Clone, Debug, PartialEq)]
pub enum PortalFileKind {
    /// `PRT1` of Quake, Half-Life and Quake II.
    Prt1,
    /// `PRT1` as q3map2 writes it.
    Q3map2 {
        /// For each portal, whether it lies in a hint brush.
        hints: Vec<bool>,
        /// Opaque faces, each with the cell that it bounds.
        faces: Vec<OpaqueFace>,
    },
    /// `PRT2`: for each leaf of the level its cell.
    Prt2 {
        /// Cell of each leaf.
        cell_of_leaf: Vec<u32>,
    },
    /// `PRT1-AM`: the same, written the other way round.
    Prt1Am {
        /// Cell of each leaf.
        cell_of_leaf: Vec<u32>,
    },
}

/// A face that nobody looks through.
#[derive(Clone, Debug, PartialEq)]
pub struct OpaqueFace {
    /// The cell that it bounds.
    pub cell: u32,
    /// Its corners.
    pub winding: Vec<[f64; 3]>,
}

/// Whether a file looks like a portal file, by its first bytes.
pub(super) fn matches(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    text.starts_with(b"PRT1") || text.starts_with(b"PRT2")
}

impl PortalFile {
    /// Reads a portal file of any kind.
    ///
    /// Memory is bounded by the length of the text and by the limit of cells, whatever the counts
    /// in it say.
    ///
    /// # Errors
    ///
    /// [`IngestError`] with the line, for text that is no portal file.
    pub fn read(bytes: &[u8]) -> Result<Self, IngestError> {
        Reader::new(bytes).file()
    }

    /// The name of the kind.
    pub fn format(&self) -> &'static str {
        match self.kind {
            PortalFileKind::Prt1 => "PRT1",
            PortalFileKind::Q3map2 { .. } => "PRT1 (q3map2)",
            PortalFileKind::Prt2 { .. } => "PRT2",
            PortalFileKind::Prt1Am { .. } => "PRT1-AM",
        }
    }

    /// The graph of cells and portals; the file tells nothing else of a [`CellGraph`].
    pub fn into_graph(self) -> CellGraph {
        CellGraph {
            adjacency: CellGraph::adjacency_of(&self.portals),
            portals: self.portals,
            ..CellGraph::new(self.cells)
        }
    }
}

/// Words and brackets of a text, with the line that each stands on.
struct Reader<'a> {
    rest: &'a [u8],
    /// Line of the first byte of the rest, from 1.
    line: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            line: 1,
        }
    }

    fn file(&mut self) -> Result<PortalFile, IngestError> {
        const MAGIC: &str = "PRT1, PRT2 or PRT1-AM";
        match self.word() {
            Some(b"PRT1") => self.prt1(),
            Some(b"PRT2") => self.prt2(),
            Some(b"PRT1-AM") => self.prt1_am(),
            found => Err(self.bad(MAGIC, found)),
        }
    }

    fn prt1(&mut self) -> Result<PortalFile, IngestError> {
        let cells = self.cells()?;
        let count = self.count("a number of portals")?;
        let faces = match self.words_of_next_line() {
            1 => Some(self.count("a number of faces")?),
            _ => None,
        };
        let mut hints = Vec::new();
        let mut portals = Vec::new();
        for _ in 0..count {
            let corners = self.corners()?;
            let between = [self.cell(cells)?, self.cell(cells)?];
            if faces.is_some() {
                hints.push(self.below(2, "0 or 1, whether the portal is a hint")? == 1);
            }
            portals.push(self.portal(between, corners)?);
        }
        let kind = match faces {
            None => PortalFileKind::Prt1,
            Some(count) => {
                let mut faces = Vec::new();
                for _ in 0..count {
                    let corners = self.corners()?;
                    let cell = self.cell(cells)?;
                    let winding = self.winding(corners)?;
                    faces.push(OpaqueFace { cell, winding });
                }
                PortalFileKind::Q3map2 { hints, faces }
            }
        };
        self.end(cells, portals, kind)
    }

    fn prt2(&mut self) -> Result<PortalFile, IngestError> {
        let leaves = self.count("a number of leaves")?;
        let cells = self.cells()?;
        let count = self.count("a number of portals")?;
        let portals = self.portals(cells, count)?;
        // As many as the text lists: the header may promise anything.
        let mut listed = Vec::new();
        for cell in 0..cells as u32 {
            loop {
                let line = self.peek_line();
                match self.word() {
                    Some(b"-1") => break,
                    word => match word.and_then(number).filter(|&leaf| leaf < leaves) {
                        Some(leaf) => listed.push((leaf, cell, line)),
                        None => {
                            let expected = format!(
                                "a leaf of cell {cell} below {leaves}, or -1 after the last"
                            );
                            return Err(self.bad(&expected, word));
                        }
                    },
                }
            }
        }
        listed.sort_unstable();
        if let Some(pair) = listed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (leaf, cell, line) = pair[1];
            return Err(IngestError::bad(
                "each leaf in one cell",
                format!("leaf {leaf} in cell {} and in cell {cell}", pair[0].1),
                REMEDY,
            )
            .at(format!("line {line}")));
        }
        if listed.len() as u64 != leaves {
            return Err(IngestError::bad(
                format!("{leaves} leaves in cells"),
                format!("{}", listed.len()),
                REMEDY,
            )
            .at(format!("line {}", self.line)));
        }
        let cell_of_leaf = listed.into_iter().map(|(_, cell, _)| cell).collect();
        self.end(cells, portals, PortalFileKind::Prt2 { cell_of_leaf })
    }

    fn prt1_am(&mut self) -> Result<PortalFile, IngestError> {
        let cells = self.cells()?;
        let count = self.count("a number of portals")?;
        let leaves = self.count("a number of leaves")?;
        let portals = self.portals(cells, count)?;
        let mut cell_of_leaf = Vec::new();
        for _ in 0..leaves {
            cell_of_leaf.push(self.cell(cells)?);
        }
        self.end(cells, portals, PortalFileKind::Prt1Am { cell_of_leaf })
    }

    fn portals(&mut self, cells: usize, count: u64) -> Result<Vec<Portal>, IngestError> {
        let mut portals = Vec::new();
        for _ in 0..count {
            let corners = self.corners()?;
            let between = [self.cell(cells)?, self.cell(cells)?];
            portals.push(self.portal(between, corners)?);
        }
        Ok(portals)
    }

    fn portal(&mut self, cells: [u32; 2], corners: u64) -> Result<Portal, IngestError> {
        if cells[0] == cells[1] {
            return Err(IngestError::bad(
                "a portal between two cells",
                format!("cell {} on both sides", cells[0]),
                REMEDY,
            )
            .at(format!("line {}", self.line)));
        }
        let winding = self.winding(corners)?;
        Ok(Portal { cells, winding })
    }

    /// `(x y z)`, so many times.
    fn winding(&mut self, corners: u64) -> Result<Vec<[f64; 3]>, IngestError> {
        let mut winding = Vec::new();
        for _ in 0..corners {
            self.bracket(b"(")?;
            winding.push([self.coordinate()?, self.coordinate()?, self.coordinate()?]);
            self.bracket(b")")?;
        }
        Ok(winding)
    }

    fn bracket(&mut self, bracket: &[u8]) -> Result<(), IngestError> {
        match self.word() {
            Some(word) if word == bracket => Ok(()),
            word => Err(self.bad(&String::from_utf8_lossy(bracket), word)),
        }
    }

    fn coordinate(&mut self) -> Result<f64, IngestError> {
        let word = self.word();
        word.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok())
            // Squares of coordinates stay finite with room to spare.
            .filter(|x: &f64| x.abs() < 1e9)
            .ok_or_else(|| self.bad("a coordinate below 1e9", word))
    }

    fn corners(&mut self) -> Result<u64, IngestError> {
        let word = self.word();
        word.and_then(number)
            .filter(|n| (3..=MAX_CORNERS).contains(n))
            .ok_or_else(|| self.bad(&format!("a number of corners, 3 to {MAX_CORNERS}"), word))
    }

    fn cells(&mut self) -> Result<usize, IngestError> {
        let line = self.peek_line();
        let cells = self.count("a number of cells")?;
        check_count(cells as usize, || format!("line {line}"))?;
        Ok(cells as usize)
    }

    fn cell(&mut self, cells: usize) -> Result<u32, IngestError> {
        let cell = self.below(cells as u64, &format!("a cell below {cells}"))?;
        Ok(cell as u32) // below `MAX_CELLS`
    }

    fn below(&mut self, limit: u64, expected: &str) -> Result<u64, IngestError> {
        let word = self.word();
        word.and_then(number)
            .filter(|&n| n < limit)
            .ok_or_else(|| self.bad(expected, word))
    }

    fn count(&mut self, expected: &str) -> Result<u64, IngestError> {
        self.below(1 << 32, expected)
    }

    fn end(
        &mut self,
        cells: usize,
        portals: Vec<Portal>,
        kind: PortalFileKind,
    ) -> Result<PortalFile, IngestError> {
        match self.word() {
            None => Ok(PortalFile {
                cells,
                portals,
                kind,
            }),
            word => Err(self.bad("the end of the file", word)),
        }
    }

    /// The next word or bracket; nothing at the end.
    fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let bracket = |byte: u8| byte == b'(' || byte == b')';
        let length = match self.rest.first() {
            None => return None,
            Some(&first) if bracket(first) => 1,
            Some(_) => self
                .rest
                .iter()
                .position(|&byte| byte.is_ascii_whitespace() || bracket(byte))
                .unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(word)
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.len() - self.rest.trim_ascii_start().len();
        let (blanks, rest) = self.rest.split_at(blanks);
        self.line += blanks.iter().filter(|&&byte| byte == b'\n').count();
        self.rest = rest;
    }

    fn peek_line(&mut self) -> usize {
        self.skip_blanks();
        self.line
    }

    /// How many words the next line that is not blank has.
    fn words_of_next_line(&mut self) -> usize {
        self.skip_blanks();
        let line = self.rest.split(|&byte| byte == b'\n').next();
        line.unwrap_or_default()
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .take(2)
            .count()
    }

    fn bad(&self, expected: &str, found: Option<&[u8]>) -> IngestError {
        let found = match found {
            None => "the end of the file".to_owned(),
            Some(word) => format!("{:?}", String::from_utf8_lossy(&word[..word.len().min(40)])),
        };
        IngestError::bad(expected, found, REMEDY).at(format!("line {}", self.line))
    }
}

const REMEDY: &str = "compile the level again, and use the portal file as it is written";

fn number(word: &[u8]) -> Option<u64> {
    if !word.first()?.is_ascii_digit() {
        return None; // "+1" is a number to `parse`
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}
