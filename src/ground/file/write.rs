//! Ground to the bytes of a file.

use super::super::code::encode_tree;
use super::super::layered::Layered;
use super::super::patches::Patches;
use super::super::tree::Tree;
use super::layout::{Entry, GROUND_MAGIC, HEAD, SLOT, Slot, Table, VERSION, index_of};
use crate::format::crc32;

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
pub struct Writer {
    /// Where in the file its bytes begin.
    pub start: u64,
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Where in the file the next byte goes.
    pub fn position(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// A slice.
    pub fn tree(&mut self, tree: &Tree, level: u8) -> Entry {
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
    pub fn table(&mut self, bottom: i32, entries: &[Entry]) -> Table {
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
    pub fn finish(&mut self, ground: &Patches, tables: &[Table], sequence: u64) -> Slot {
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
