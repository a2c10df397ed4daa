//! Ground as a file of patches: `schemas/GROUND.md`.
//!
//! A file is read where it lies, in a map or in memory, slice by slice. It grows: changed slices are
//! written behind all others, then a new index, and last one of two places in the head is made to say
//! where the index is. Whoever reads the file sees the ground before or after, and nothing between.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bits::{Cursor, put_text};
use super::change::{Body, ChangeSet, Version};
use super::code::{decode_tree, encode_tree};
use super::error::GroundError;
use super::frame::{Frame, Place, Square};
use super::layered::Layered;
use super::patches::{Patches, Stack};
use super::tree::{EMPTY, Tree};
use crate::format::crc32;

/// What a file begins with.
pub const GROUND_MAGIC: &[u8; 8] = b"VCGROUND";
const VERSION: u32 = 1;
/// Magic, version and checksum; two slots.
const HEAD: usize = 16 + 2 * SLOT;
const SLOT: usize = 40;
/// A patch's bytes in the index.
const PATCH: usize = 36;
/// A slice's bytes in the table of its patch.
const ENTRY: usize = 16;

/// Where the index is, and how far the file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    /// 1 for the first, one more each time.
    sequence: u64,
    index: u64,
    length: u64,
    /// The index's checksum.
    checksum: u32,
    /// Bytes of the file that count.
    end: u64,
}

impl Slot {
    fn encode(self) -> [u8; SLOT] {
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
    fn decode(bytes: &[u8], name: &str) -> Result<Option<Self>, GroundError> {
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
        slot.map(Some).ok_or_else(|| {
            GroundError::damaged(
                format!("{name} slot"),
                "bytes as their checksum says",
                "others",
            )
        })
    }
}

/// Where a slice's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    offset: u64,
    length: u32,
    checksum: u32,
}

/// A patch's slices, and where the table of their bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Table {
    bottom: i32,
    slices: u32,
    offset: u64,
    checksum: u32,
}

/// A ground file, opened.
#[derive(Clone, Debug)]
pub struct GroundFile<'a> {
    bytes: &'a [u8],
    /// As it was when the file was opened; others may write there.
    head: [u8; HEAD],
    slot: Slot,
    /// Which of the two slots it is in.
    second: bool,
    frame: Frame,
    version: Version,
    tables: Vec<Table>,
}

impl<'a> GroundFile<'a> {
    /// Opens it: reads head and index. O(patches).
    ///
    /// # Errors
    ///
    /// Bytes that are no ground file, or are damaged or cut short.
    pub fn open(bytes: &'a [u8]) -> Result<Self, GroundError> {
        if !bytes.starts_with(GROUND_MAGIC) {
            let found = format!("{:02x?}", &bytes[..bytes.len().min(8)]);
            return Err(GroundError::damaged(
                "head",
                "VCGROUND at its beginning",
                found,
            ));
        }
        let Some(&head) = bytes.first_chunk::<HEAD>() else {
            let found = format!("{} bytes", bytes.len());
            return Err(GroundError::damaged("head", format!("{HEAD} bytes"), found));
        };
        let mut cursor = Cursor(&head[8..]);
        let version = cursor.u32().unwrap_or_default();
        if cursor.u32() != Some(crc32(&head[..12])) {
            return Err(GroundError::damaged(
                "head",
                "bytes as their checksum says",
                "others",
            ));
        }
        if version != VERSION {
            let found = version.to_string();
            return Err(GroundError::bad("head", "version 1 of the format", found));
        }
        let first = Slot::decode(&head[16..16 + SLOT], "first")?;
        let other = Slot::decode(&head[16 + SLOT..], "second")?;
        let (slot, second) = match (first, other) {
            (Some(a), Some(b)) if b.sequence > a.sequence => (b, true),
            (Some(a), Some(b)) if a.sequence > b.sequence => (a, false),
            (Some(a), None) => (a, false),
            _ => {
                return Err(GroundError::damaged(
                    "head",
                    "a slot that is in use",
                    "none",
                ));
            }
        };
        if slot.end > bytes.len() as u64 {
            return Err(GroundError::damaged(
                "file",
                format!("{} bytes", slot.end),
                format!("{}: it was cut short", bytes.len()),
            ));
        }
        let bytes = &bytes[..slot.end as usize];
        let index = part(bytes, slot.index, slot.length, slot.checksum).ok_or_else(|| {
            GroundError::damaged("index", "bytes as their checksum says", "others")
        })?;
        let (frame, version, tables) = read_index(index)?;
        Ok(Self {
            bytes,
            head,
            slot,
            second,
            frame,
            version,
            tables,
        })
    }

    /// What does not change.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// What was changed so far.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The numbers of a patch's slices.
    pub fn slices(&self, patch: usize) -> Range<i32> {
        let table = self.tables[patch];
        table.bottom..table.bottom + table.slices as i32
    }

    /// A slice of a patch; `None` where all of it is empty.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn slice(&self, patch: usize, slice: i32) -> Result<Option<Tree>, GroundError> {
        if !self.slices(patch).contains(&slice) {
            return Ok(None);
        }
        let entries = self.entries(patch)?;
        let entry = entries[(slice - self.tables[patch].bottom) as usize];
        self.tree(patch, slice, entry).map(Some)
    }

    /// All slices of a patch.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn stack(&self, patch: usize) -> Result<Stack, GroundError> {
        let range = self.slices(patch);
        let entries = self.entries(patch)?;
        let trees = range.clone().zip(entries);
        let trees = trees.map(|(slice, entry)| self.tree(patch, slice, entry));
        let trees: Vec<Tree> = trees.collect::<Result<_, _>>()?;
        let empty = |tree: Option<&Tree>| tree.is_some_and(|tree| tree.uniform() == Some(EMPTY));
        if empty(trees.first()) || empty(trees.last()) {
            let place = format!("patch {patch}");
            return Err(GroundError::damaged(
                place,
                "no empty slice at its ends",
                "one",
            ));
        }
        Ok(Stack::new(range.start, trees))
    }

    /// All of it.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn load(&self) -> Result<Patches, GroundError> {
        let stacks = (0..self.tables.len()).map(|patch| self.stack(patch));
        let stacks = stacks.collect::<Result<_, _>>()?;
        Ok(Patches::new(self.frame.clone(), self.version, stacks))
    }

    /// Bytes of the file that count.
    pub fn end(&self) -> u64 {
        self.slot.end
    }

    fn entries(&self, patch: usize) -> Result<Vec<Entry>, GroundError> {
        let table = self.tables[patch];
        let length = u64::from(table.slices) * ENTRY as u64;
        let bytes = part(self.bytes, table.offset, length, table.checksum);
        let bytes = bytes.ok_or_else(|| {
            let place = format!("table of patch {patch}");
            GroundError::damaged(place, "bytes as their checksum says", "others")
        })?;
        let entry = |bytes: &[u8]| {
            let mut cursor = Cursor(bytes);
            Some(Entry {
                offset: cursor.u64()?,
                length: cursor.u32()?,
                checksum: cursor.u32()?,
            })
        };
        Ok(bytes.chunks_exact(ENTRY).filter_map(entry).collect())
    }

    fn tree(&self, patch: usize, slice: i32, entry: Entry) -> Result<Tree, GroundError> {
        let place = || format!("slice {slice} of patch {patch}");
        let bytes = part(
            self.bytes,
            entry.offset,
            entry.length.into(),
            entry.checksum,
        );
        let bytes = bytes.ok_or_else(|| {
            GroundError::damaged(place(), "bytes as their checksum says", "others")
        })?;
        let level = self.frame.patches()[patch].level;
        let greatest = self.frame.materials().len() as u8;
        decode_tree(bytes, level, greatest).map_err(|error| match error {
            GroundError::Damaged {
                expected, found, ..
            } => GroundError::damaged(place(), expected, found),
            other => other,
        })
    }

    /// What to write so that the file holds `ground`, which differs from what it holds now in these
    /// slices at most: patch and slice.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn grown(
        &self,
        ground: &Patches,
        changed: &BTreeSet<(u32, i32)>,
    ) -> Result<Growth, GroundError> {
        let mut writer = Writer {
            start: self.slot.end,
            bytes: Vec::new(),
        };
        let mut tables = Vec::new();
        for (i, stack) in ground.stacks().iter().enumerate() {
            let patch = i as u32;
            let mut touched = changed.range((patch, i32::MIN)..=(patch, i32::MAX));
            if touched.next().is_none() {
                tables.push(self.tables[i]);
                continue;
            }
            let (old, before) = (self.entries(i)?, self.slices(i));
            let level = self.frame.patches()[i].level;
            let entries = stack.range().map(|slice| {
                if before.contains(&slice) && !changed.contains(&(patch, slice)) {
                    return old[(slice - before.start) as usize];
                }
                match stack.slice(slice) {
                    Some(tree) => writer.tree(tree, level),
                    None => writer.tree(&Tree::of(EMPTY), level),
                }
            });
            let entries: Vec<Entry> = entries.collect();
            tables.push(writer.table(stack.range().start, &entries));
        }
        let slot = writer.finish(ground, &tables, self.slot.sequence + 1);
        Ok(Growth {
            head: self.head.to_vec(),
            at: self.slot.end,
            bytes: writer.bytes,
            slot_at: if self.second { 16 } else { 16 + SLOT as u64 },
            slot: slot.encode(),
        })
    }
}

/// What to write so that a ground file holds other ground: first the bytes, and when they are safe, the
/// slot.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The file's head as it was.
    head: Vec<u8>,
    /// Where the bytes go: behind all that counts.
    pub at: u64,
    /// What is new.
    pub bytes: Vec<u8>,
    /// Where the slot goes.
    pub slot_at: u64,
    /// What says that the bytes count.
    pub slot: [u8; SLOT],
}

impl Growth {
    /// Whether the file whose head this is still is as it was when the growth was made.
    pub fn fits(&self, head: &[u8]) -> bool {
        head == self.head
    }

    /// How many bytes of a file's beginning [`Growth::fits`] looks at.
    pub const HEAD: usize = HEAD;
}

/// The slices that change sets touch: patch and slice.
pub fn touched(sets: &[ChangeSet]) -> BTreeSet<(u32, i32)> {
    let branches = sets.iter().filter_map(|set| match &set.body {
        Body::Branches(branches) => Some(branches.records()),
        Body::Runs(_) => None,
    });
    let records = branches.flatten();
    records.map(|record| (record.patch, record.slice)).collect()
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

struct Writer {
    /// Where in the file its bytes begin.
    start: u64,
    bytes: Vec<u8>,
}

impl Writer {
    fn position(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn tree(&mut self, tree: &Tree, level: u8) -> Entry {
        let offset = self.position();
        let bytes = encode_tree(tree, level);
        self.bytes.extend_from_slice(&bytes);
        Entry {
            offset,
            length: bytes.len() as u32,
            checksum: crc32(&bytes),
        }
    }

    fn table(&mut self, bottom: i32, entries: &[Entry]) -> Table {
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

    fn finish(&mut self, ground: &Patches, tables: &[Table], sequence: u64) -> Slot {
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

fn index_of(ground: &Patches, tables: &[Table]) -> Vec<u8> {
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

fn read_index(bytes: &[u8]) -> Result<(Frame, Version, Vec<Table>), GroundError> {
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
                Some(Place { crs, transform })
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
    if let Some(i) = tables
        .iter()
        .position(|table| table.bottom.abs() > most || table.slices > Frame::MOST_SLICES as u32)
    {
        let expected = format!("slices within {most} of 0, at most {}", Frame::MOST_SLICES);
        let found = format!("{} from {}", tables[i].slices, tables[i].bottom);
        return Err(GroundError::damaged(format!("patch {i}"), expected, found));
    }
    let mut frame = Frame::of_patches(size, spacing, materials, widest, squares)?;
    frame.place = place;
    Ok((frame, version, tables))
}

/// A part of the file whose checksum is right.
fn part(bytes: &[u8], offset: u64, length: u64, checksum: u32) -> Option<&[u8]> {
    let from = usize::try_from(offset).ok()?;
    let to = from.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(from..to).filter(|part| crc32(part) == checksum)
}
