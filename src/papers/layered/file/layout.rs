//! The parts of a ground file: head, index, tables and slices, read and written.

use crate::change::Version;
use crate::code::{Cursor, encode_tree, put_text};
use crate::error::GroundError;
use crate::frame::{Frame, Georeference, Square};
use crate::layered::Layered;
use crate::patches::Patches;
use crate::tree::Tree;
use viewcell::format::crc32;

/// What a file begins with.
pub const GROUND_MAGIC: &[u8; 8] = b"VCGROUND";
pub(super) const VERSION: u32 = 1;
/// Magic, version and checksum; two slots.
pub(super) const HEAD: usize = 16 + 2 * SLOT;
pub(super) const SLOT: usize = 40;
/// A patch's bytes in the index.
const PATCH: usize = 36;
/// A slice's bytes in the table of its patch.
pub(super) const ENTRY: usize = 16;

/// Where the index is, and how far the file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// 1 for the first, one more each time.
    pub sequence: u64,
    pub index: u64,
    pub length: u64,
    /// The index's checksum.
    pub checksum: u32,
    /// Bytes of the file that count.
    pub end: u64,
}

impl Slot {
    pub(super) fn encode(self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        let numbers = [self.sequence, self.index, self.length, self.end];
        for (at, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            at.copy_from_slice(&number.to_le_bytes());
        }
        bytes[32..36].copy_from_slice(&self.checksum.to_le_bytes());
        let checksum = crc32(&bytes[..36]);
        bytes[36..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` if it was never in use.
    pub(super) fn decode(bytes: &[u8], name: &str) -> Result<Option<Self>, GroundError> {
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let checksum = crc32(bytes.get(..36).unwrap_or_default());
        let mut cursor = Cursor(bytes);
        let slot = (|| {
            let [sequence, index, length, end] =
                [cursor.u64()?, cursor.u64()?, cursor.u64()?, cursor.u64()?];
            let slot = Self {
                sequence,
                index,
                length,
                end,
                checksum: cursor.u32()?,
            };
            (cursor.u32()? == checksum && sequence > 0).then_some(slot)
        })();
        slot.map(Some)
            .ok_or_else(|| GroundError::checksum(format!("{name} slot")))
    }
}

/// Where a slice's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub offset: u64,
    pub length: u32,
    pub checksum: u32,
}

/// A patch's slices, and where the table of their bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub bottom: i32,
    pub slices: u32,
    pub offset: u64,
    pub checksum: u32,
}

impl Table {
    /// Bytes of the table itself.
    pub(super) fn length(&self) -> u64 {
        u64::from(self.slices) * ENTRY as u64
    }
}

/// The bytes of the index.
pub(super) fn index_of(ground: &Patches, tables: &[Table]) -> Vec<u8> {
    let (frame, version) = (ground.frame(), ground.version());
    let mut bytes = Vec::new();
    for number in [frame.width(), frame.height()] {
        bytes.extend(number.to_le_bytes());
    }
    for metres in frame.spacing() {
        bytes.extend(metres.to_le_bytes());
    }
    for number in version.parts() {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([frame.widest(), frame.place.is_some().into()]);
    bytes.extend((frame.materials().len() as u16).to_le_bytes());
    bytes.extend((tables.len() as u32).to_le_bytes());
    if let Some(place) = &frame.place {
        for number in place.transform {
            bytes.extend(number.to_le_bytes());
        }
        put_text(&mut bytes, &place.crs);
    }
    for name in frame.materials() {
        put_text(&mut bytes, name);
    }
    for (square, table) in frame.patches().iter().zip(tables) {
        for number in [square.x, square.y, square.level.into()] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(table.bottom.to_le_bytes());
        bytes.extend(table.slices.to_le_bytes());
        bytes.extend(table.offset.to_le_bytes());
        bytes.extend(table.checksum.to_le_bytes());
        bytes.extend([0; 4]);
    }
    bytes
}

/// What the bytes of an index say.
pub(super) fn read_index(bytes: &[u8]) -> Result<(Frame, Version, Vec<Table>), GroundError> {
    let short = || GroundError::damaged("index", "all that its counts say", "fewer bytes, or more");
    let mut cursor = Cursor(bytes);
    let read = (|| {
        let size = [cursor.u32()?, cursor.u32()?];
        let spacing = [cursor.f64()?, cursor.f64()?, cursor.f64()?];
        let version = Version {
            number: cursor.u64()?,
            digest: cursor.u64()?,
        };
        let (widest, placed) = (cursor.u8()?, cursor.u8()?);
        let (names, patches) = (cursor.u16()?, cursor.u32()?);
        let place = match placed {
            0 => None,
            _ => {
                let mut transform = [0.0; 6];
                for number in &mut transform {
                    *number = cursor.f64()?;
                }
                let crs = cursor.text()?;
                Some(Georeference { crs, transform })
            }
        };
        let materials = (0..names)
            .map(|_| cursor.text())
            .collect::<Option<Vec<String>>>()?;
        if cursor.0.len() != patches as usize * PATCH {
            return None;
        }
        let (mut squares, mut tables) = (Vec::new(), Vec::new());
        for _ in 0..patches {
            squares.push(Square {
                x: cursor.u32()?,
                y: cursor.u32()?,
                level: u8::try_from(cursor.u32()?).ok()?,
            });
            tables.push(Table {
                bottom: cursor.i32()?,
                slices: cursor.u32()?,
                offset: cursor.u64()?,
                checksum: cursor.u32()?,
            });
            cursor.u32()?;
        }
        Some((
            size, spacing, materials, widest, squares, place, version, tables,
        ))
    })();
    let (size, spacing, materials, widest, squares, place, version, tables) =
        read.ok_or_else(short)?;
    let most = Frame::MOST_SLICE;
    if let Some(i) = tables.iter().position(|table| {
        table.bottom.unsigned_abs() > most.unsigned_abs()
            || table.slices > Frame::MOST_SLICES as u32
    }) {
        let expected = format!("slices within {most} of 0, at most {}", Frame::MOST_SLICES);
        let found = format!("{} from {}", tables[i].slices, tables[i].bottom);
        return Err(GroundError::damaged(format!("patch {i}"), expected, found));
    }
    let filled = || tables.iter().filter(|table| table.slices > 0);
    let from = filled().map(|table| table.bottom).min().unwrap_or(0);
    let to = filled()
        .map(|table| table.bottom + table.slices as i32)
        .max();
    let to = to.unwrap_or(0);
    if to - from > Frame::MOST_SLICES {
        let expected = format!(
            "at most {} slices from the lowest to the highest",
            Frame::MOST_SLICES
        );
        let found = format!("{} ({from} to {})", to - from, to - 1);
        return Err(GroundError::damaged("patches", expected, found));
    }
    let mut frame = Frame::of_patches(size, spacing, materials, widest, squares)?;
    frame.place = place;
    Ok((frame, version, tables))
}

/// A part of the file whose checksum is right.
pub(super) fn part(bytes: &[u8], offset: u64, length: u64, checksum: u32) -> Option<&[u8]> {
    let from = usize::try_from(offset).ok()?;
    let to = from.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(from..to).filter(|part| crc32(part) == checksum)
}

/// A whole file.
pub fn encode(ground: &Patches) -> Vec<u8> {
    let mut head = GROUND_MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend(crc32(&head).to_le_bytes());
    head.resize(HEAD, 0);
    let mut writer = Writer {
        start: 0,
        bytes: head,
    };
    let mut tables = Vec::new();
    for (stack, square) in ground.stacks().iter().zip(ground.frame().patches()) {
        let entries = stack
            .slices
            .iter()
            .map(|tree| writer.tree(tree, square.level));
        let entries: Vec<Entry> = entries.collect();
        tables.push(writer.table(stack.bottom, &entries));
    }
    let slot = writer.finish(ground, &tables, 1);
    writer.bytes[16..16 + SLOT].copy_from_slice(&slot.encode());
    writer.bytes
}

/// Bytes that go to the end of a file.
pub(super) struct Writer {
    /// Where in the file its bytes begin.
    pub start: u64,
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Where in the file the next byte goes.
    pub(super) fn position(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// A slice.
    pub(super) fn tree(&mut self, tree: &Tree, level: u8) -> Entry {
        let offset = self.position();
        let bytes = encode_tree(tree, level);
        self.bytes.extend_from_slice(&bytes);
        Entry {
            offset,
            length: bytes.len() as u32,
            checksum: crc32(&bytes),
        }
    }

    /// The table of a patch's slices.
    pub(super) fn table(&mut self, bottom: i32, entries: &[Entry]) -> Table {
        let offset = self.position();
        let first = self.bytes.len();
        for entry in entries {
            self.bytes.extend(entry.offset.to_le_bytes());
            self.bytes.extend(entry.length.to_le_bytes());
            self.bytes.extend(entry.checksum.to_le_bytes());
        }
        Table {
            bottom,
            slices: entries.len() as u32,
            offset,
            checksum: crc32(&self.bytes[first..]),
        }
    }

    /// The index, and the slot that makes it count.
    pub(super) fn finish(&mut self, ground: &Patches, tables: &[Table], sequence: u64) -> Slot {
        let index = self.position();
        let bytes = index_of(ground, tables);
        self.bytes.extend_from_slice(&bytes);
        Slot {
            sequence,
            index,
            length: bytes.len() as u64,
            checksum: crc32(&bytes),
            end: self.position(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::patches::Stack;
    use super::*;

    /// An index whose checksum is right may still say anything.
    #[test]
    fn slices_beyond_all_limits_are_refused() {
        let square = Square {
            x: 0,
            y: 0,
            level: 3,
        };
        let frame = Frame::of_patches([8, 8], [1.0; 3], vec!["soil".into()], 3, vec![square]);
        let ground = Patches::new(frame.unwrap(), Version::default(), vec![Stack::new(0, [])]);
        let read = |bottom, slices| {
            let table = Table {
                bottom,
                slices,
                offset: 0,
                checksum: 0,
            };
            read_index(&index_of(&ground, &[table]))
        };
        assert!(read(0, 0).is_ok());
        assert!(read(-Frame::MOST_SLICE, 1).is_ok());
        for bottom in [i32::MIN, i32::MIN + 1, i32::MAX, Frame::MOST_SLICE + 1] {
            assert!(read(bottom, 1).is_err(), "{bottom}");
        }
        assert!(read(0, u32::MAX).is_err());
    }
}
