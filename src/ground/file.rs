//! Ground as a file of patches: `schemas/GROUND.md`.
//!
//! A file is read where it lies, in a map or in memory, slice by slice. It grows: changed slices are
//! written behind all others, then a new index, and last one of two places in the head is made to say
//! where the index is. Whoever reads the file sees the ground before or after, and nothing between.

mod layout;
mod write;

use std::collections::BTreeSet;
use std::ops::Range;

use super::bits::Cursor;
use super::change::{Body, ChangeSet, Version};
use super::code::decode_tree;
use super::error::GroundError;
use super::frame::Frame;
use super::patches::{Patches, Stack};
use super::tree::{EMPTY, Tree};
use crate::format::crc32;
use layout::{ENTRY, Entry, HEAD, SLOT, Slot, Table, VERSION, part, read_index};
use write::Writer;

pub use layout::GROUND_MAGIC;
pub use write::encode;

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

    /// Bytes of the file that hold the ground as it is now. What is left of [`Self::end`] held it before.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn live(&self) -> Result<u64, GroundError> {
        let mut live = HEAD as u64 + self.slot.length;
        for patch in 0..self.tables.len() {
            let entries = self.entries(patch)?;
            let trees: u64 = entries.iter().map(|entry| u64::from(entry.length)).sum();
            live += (entries.len() * ENTRY) as u64 + trees;
        }
        Ok(live)
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
