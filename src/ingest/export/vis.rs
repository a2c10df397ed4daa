//! Writes visibility back into the level file that it belongs to.
//!
//! The level's bytes stay as they are, but for the lump `visibility` (of a WAD: `REJECT`), its entry
//! in the table of lumps, and in Quake's formats each leaf's offset of its row. The new lump takes the
//! place of the old one; where it is longer, what stands behind moves back ([`super::replace`]).

use std::collections::HashMap;

use super::replace::{Offsets, replace};
use crate::IngestError;
use crate::cells::header::source_table;
use crate::cells::lump::Lump;
use crate::cells::quake::BspVersion;
use crate::cells::wad;
use crate::cells::wad::Reject;
use crate::cells::{Format, IngestCellsOptions, cells_from_bytes, sniff, unknown};
use crate::world::{BitMatrix, BspTree};

/// The level in `bytes` with `pvs` in the place of its visibility. Where the format has a PHS, it
/// becomes everything seen from what is seen.
///
/// Cells are those that [`crate::cells::read_cells`] finds in these bytes with the same options. Of a WAD
/// the REJECT table of one map changes.
///
/// # Errors
///
/// [`IngestError`] where the level cannot be read, its format holds no visibility that can be
/// replaced, or it has another number of cells.
pub fn with_visibility(
    bytes: &[u8],
    options: &IngestCellsOptions,
    pvs: &BitMatrix,
) -> Result<Vec<u8>, IngestError> {
    let file = Lump::file(bytes);
    if sniff(bytes) == Some(Format::Wad) {
        return with_reject(file, options, pvs);
    }
    let level = Level::of(bytes, options, pvs)?;
    match level.format {
        Format::Quake(kind) => {
            let (lump, rows) = level.quake_rows(pvs);
            let quake = Offsets::table(4, 8, 15).with_bspx(bytes);
            let out = replace(file, &quake, VIS_ENTRY_QUAKE, &lump, false)?;
            level.set_rows(out, kind, &rows)
        }
        Format::Quake2 => {
            let offsets = Offsets::table(8, 8, 19).with_bspx(bytes);
            replace(file, &offsets, VIS_ENTRY_QUAKE2, &clusters(pvs), false)
        }
        Format::Source => {
            let table = source_table(bytes);
            let offsets = Offsets::table(table, 16, 64);
            let offsets = offsets.with_game_lump(bytes, table + GAME_ENTRY_SOURCE);
            let entry = table + VIS_ENTRY_SOURCE;
            let old = file.entry(entry, 0, 0, "visibility")?;
            if old.bytes.starts_with(b"LZMA") {
                let found = "one packed with LZMA";
                let remedy = "write it as a file of its own: `viewcell export json`";
                return Err(IngestError::bad(
                    "a lump visibility that is not packed",
                    found,
                    remedy,
                )
                .at(old.place(0)));
            }
            replace(file, &offsets, entry, &clusters(pvs), false)
        }
        Format::Quake3(_) => {
            let lump = matrix(bytes, pvs)?;
            replace(file, &quake3_offsets(bytes), VIS_ENTRY_QUAKE3, &lump, false)
        }
        _ => Err(unsupported(level.format)),
    }
}

/// The external `.vis` file that source ports of Quake read beside a level of this name
/// (`e1m1.bsp`): its visibility and its leaves.
///
/// # Errors
///
/// As [`with_visibility`]; and for levels other than BSP29, of which alone there are such files.
pub fn external_vis(bytes: &[u8], name: &str, pvs: &BitMatrix) -> Result<Vec<u8>, IngestError> {
    let level = Level::of(bytes, &IngestCellsOptions::default(), pvs)?;
    let Format::Quake(BspVersion::Bsp29) = level.format else {
        return Err(IngestError::bad(
            "a level in BSP29 for an external .vis file",
            format!("one in {}", level.format.name()),
            "write the visibility into a copy of the level: `output` OUT.bsp",
        ));
    };
    if name.len() >= 32 {
        return Err(IngestError::usage(
            "a level whose name has fewer than 32 bytes",
            name,
            "rename it",
        ));
    }
    let (lump, rows) = level.quake_rows(pvs);
    let written = level.set_rows(bytes.to_vec(), BspVersion::Bsp29, &rows)?;
    let leaves = Lump::file(&written)
        .entry(4, 8, 10, "leaves")?
        .bytes
        .to_vec();
    let mut out = name.as_bytes().to_vec();
    out.resize(32, 0);
    let length = 8 + lump.len() + leaves.len();
    for (length, bytes) in [
        (length, &[][..]),
        (lump.len(), &lump),
        (leaves.len(), &leaves),
    ] {
        out.extend((length as u32).to_le_bytes());
        out.extend(bytes);
    }
    Ok(out)
}

/// Where the tables of lumps have the entry of the visibility.
const VIS_ENTRY_QUAKE: usize = 4 + 8 * 4;
const VIS_ENTRY_QUAKE2: usize = 8 + 8 * 3;
const VIS_ENTRY_QUAKE3: usize = 8 + 8 * 16;
/// The same, from where the entries of Source begin.
const VIS_ENTRY_SOURCE: usize = 16 * 4;
const GAME_ENTRY_SOURCE: usize = 16 * 35;

struct Level {
    format: Format,
    tree: BspTree,
}

impl Level {
    fn of(
        bytes: &[u8],
        options: &IngestCellsOptions,
        pvs: &BitMatrix,
    ) -> Result<Self, IngestError> {
        let format = sniff(bytes).ok_or_else(|| unknown(bytes))?;
        if matches!(format, Format::Wad | Format::Portals | Format::Json) {
            return Err(unsupported(format));
        }
        let graph = cells_from_bytes(bytes, options)?.graph;
        let cells = graph.cells;
        let tree = graph.tree.filter(|_| cells == pvs.n());
        let tree = tree.ok_or_else(|| another_level(pvs, cells))?;
        Ok(Self { format, tree })
    }

    /// The leaves that have visibility, in order, and their cells.
    fn leaves(&self) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
        let leaves = self.tree.leaves().iter().enumerate();
        leaves.filter_map(|(leaf, found)| Some((leaf, found.cell? as usize)))
    }

    /// Quake's lump, and the offset of each cell's row in it.
    fn quake_rows(&self, pvs: &BitMatrix) -> (Vec<u8>, Vec<u32>) {
        let cells: Vec<usize> = self.leaves().map(|(_, cell)| cell).collect();
        let mut lump = Vec::new();
        let mut rows = vec![None; pvs.n()];
        for &cell in &cells {
            if rows[cell].is_none() {
                rows[cell] = Some(lump.len() as u32);
                let row: Vec<u8> = cells
                    .chunks(8)
                    .map(|eight| {
                        let bits = eight.iter().rev();
                        bits.fold(0, |byte, &other| {
                            byte << 1 | u8::from(other == cell || pvs.get(cell, other))
                        })
                    })
                    .collect();
                pack(&row, &mut lump);
            }
        }
        let rows = rows.into_iter().map(|row| row.unwrap_or(0)).collect();
        (lump, rows)
    }

    /// Tells each leaf where its row is.
    fn set_rows(
        &self,
        mut out: Vec<u8>,
        kind: BspVersion,
        rows: &[u32],
    ) -> Result<Vec<u8>, IngestError> {
        let leaves = Lump::file(&out).entry(4, 8, 10, "leaves")?.offset;
        for (leaf, cell) in self.leaves() {
            let at = leaves + leaf * kind.leaf_len() + 4;
            out[at..at + 4].copy_from_slice(&rows[cell].to_le_bytes());
        }
        Ok(out)
    }
}

fn another_level(pvs: &BitMatrix, cells: usize) -> IngestError {
    IngestError::bad(
        format!("a level of {} cells", pvs.n()),
        format!("one of {cells}"),
        "name the level that the bundle was baked from",
    )
}

/// The WAD with another REJECT table of one map: 1 for each pair that is not visible. What stands
/// behind the table in its lump stays. A table that other lumps lie in too, as packers of WADs
/// have it, stays as it is, and the new one goes to the end of the file.
fn with_reject(
    file: Lump,
    options: &IngestCellsOptions,
    pvs: &BitMatrix,
) -> Result<Vec<u8>, IngestError> {
    let cells = cells_from_bytes(file.bytes, options)?.graph.cells;
    if cells != pvs.n() {
        return Err(another_level(pvs, cells));
    }
    let Reject { entry, is_shared } = wad::reject(file, options.map.as_deref())?;
    let mut lump = vec![0; (cells * cells).div_ceil(8)];
    for pair in 0..cells * cells {
        let (a, b) = (pair / cells, pair % cells);
        let hidden = a != b && !pvs.get(a, b);
        lump[pair / 8] |= u8::from(hidden) << (pair % 8);
    }
    let old = file.entry(entry, 0, 0, "REJECT")?;
    lump.extend(old.bytes.iter().skip(lump.len()));
    // The table of a WAD is where its header says, and may be moved itself.
    let [count, table] = [4, 8].map(|at| file.array(at).map(u32::from_le_bytes));
    let (count, table) = (count? as usize, table? as usize);
    let mut offsets = Offsets::table(table, 16, count.min(file.bytes.len() / 16));
    offsets.others.push(8);
    replace(file, &offsets, entry, &lump, is_shared)
}

fn unsupported(format: Format) -> IngestError {
    IngestError::bad(
        "a level in BSP29, 2PSB, BSP2, BSP30, IBSP38, IBSP46, IBSP47 or VBSP, or a WAD",
        format!("a {}", format.name()),
        "its visibility cannot be replaced; see `viewcell export json`",
    )
}

/// Appends a row, each run of zero bytes as a zero and its length.
fn pack(row: &[u8], out: &mut Vec<u8>) {
    let mut rest = row;
    while let [byte, ..] = rest {
        if *byte != 0 {
            out.push(*byte);
            rest = &rest[1..];
            continue;
        }
        let zeros = rest.iter().take(255).take_while(|byte| **byte == 0).count();
        out.extend([0, zeros as u8]);
        rest = &rest[zeros..];
    }
}

/// A row of a matrix as bytes.
fn row_bytes(row: &[u64], cells: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(cells.div_ceil(8));
    bytes
}

/// The lump of Quake II and Source: the number of clusters, offsets, rows. Equal rows are
/// written once.
fn clusters(pvs: &BitMatrix) -> Vec<u8> {
    let cells = pvs.n();
    let mut pvs = pvs.clone();
    pvs.set_diagonal();
    // Sound goes one step further than sight.
    let mut phs = BitMatrix::new(cells);
    for a in 0..cells {
        for b in pvs.ones(a) {
            for (word, seen) in phs.row_mut(a).iter_mut().zip(pvs.row(b)) {
                *word |= seen;
            }
        }
    }
    let first = 4 + 8 * cells;
    let mut offsets = vec![[0; 2]; cells];
    let mut rows = Vec::new();
    let mut known = HashMap::new();
    for (table, matrix) in [pvs, phs].iter().enumerate() {
        for (cell, offsets) in offsets.iter_mut().enumerate() {
            let row = row_bytes(matrix.row(cell), cells);
            offsets[table] = *known.entry(row).or_insert_with_key(|row| {
                let offset = first + rows.len();
                pack(row, &mut rows);
                offset as u32
            });
        }
    }
    let mut lump = (cells as u32).to_le_bytes().to_vec();
    lump.extend(offsets.as_flattened().iter().flat_map(|o| o.to_le_bytes()));
    lump.extend(rows);
    lump
}

/// The table of Quake III has 17 lumps, that of Quake Live one more.
fn quake3_offsets(bytes: &[u8]) -> Offsets {
    let mut offsets = Offsets::table(8, 8, 17);
    let end_of_18 = 8 + 8 * 18;
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let begin = offsets.lumps.iter().filter_map(|&at| word(at));
    let first = begin.filter(|&offset| offset > 0).min();
    // Where there are 17, a lump or a text begins in the place of the eighteenth entry.
    let is_entry = || {
        let (offset, length) = (word(end_of_18 - 8)?, word(end_of_18 - 4)?);
        let end = offset.checked_add(length)?;
        Some(offset == 0 || offset >= end_of_18 && end <= bytes.len())
    };
    if first.is_some_and(|first| first >= end_of_18) && is_entry() == Some(true) {
        offsets.lumps.push(end_of_18 - 8);
    }
    offsets
}

/// Quake III's lump: the number of clusters, the bytes a row as before, rows.
fn matrix(bytes: &[u8], pvs: &BitMatrix) -> Result<Vec<u8>, IngestError> {
    let cells = pvs.n();
    let old = Lump::file(bytes).entry(8, 8, 16, "visibility")?;
    // Compilers round rows up, each in its own way.
    let stride = match old.bytes {
        [] => cells.div_ceil(64) * 8,
        _ => old.count(4, "a number of bytes a row")?,
    };
    let mut lump: Vec<u8> = [cells, stride].map(|n| (n as u32).to_le_bytes()).concat();
    for cell in 0..cells {
        let mut row = row_bytes(pvs.row(cell), cells);
        row[cell / 8] |= 1 << (cell % 8);
        row.resize(stride, 0);
        lump.extend(row);
    }
    Ok(lump)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(row in prop::collection::vec(0_u8..3, 0..2000), zeros in 0_usize..600) {
            let mut row = row;
            row.extend(vec![0; zeros]);
            let mut packed = Vec::new();
            pack(&row, &mut packed);
            let mut unpacked = vec![0xaa; row.len()];
            let over = crate::cells::bsp::unpack(&Lump::file(&packed), 0, &mut unpacked).unwrap();
            prop_assert!(!over);
            prop_assert_eq!(unpacked, row);
        }
    }
}
