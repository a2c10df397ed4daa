//! Writing a patch: [`viewcell::format::patch`].
//!
//! Did not pay: whole groups and trees in a patch: queries take as long, for 36 to 43 times the bytes.

use viewcell::format::bytes::{u32_at, u64_at};
use viewcell::format::header::{ALIGNMENT, ENTRY_LEN, HEADER_LEN};
use viewcell::format::patch::PLACE_LEN;
use viewcell::format::{FileId, PatchHeader, Section, Tag, crc32};

use super::provenance::Provenance;

/// Pieces that take the place of others: what each is for, and their bytes end to end.
#[derive(Clone, Debug, Default)]
pub struct Replaced {
    index: Vec<u8>,
    bytes: Vec<u8>,
    count: usize,
}

impl Replaced {
    /// Appends what takes the place of number `what`.
    pub fn push(&mut self, what: u32, bytes: &[u8]) {
        self.index.extend(what.to_le_bytes());
        self.index.extend((self.bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
        self.count += 1;
    }

    /// What is replaced, and by which bytes.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let entry = |at: usize| {
            let what = u32_at(&self.index, at)?;
            Some((what, u64_at(&self.index, at + 4)? as usize))
        };
        (0..self.count).filter_map(move |number| {
            let (what, start) = entry(number * PLACE_LEN)?;
            let next = entry((number + 1) * PLACE_LEN);
            let end = next.map_or(self.bytes.len(), |(_, start)| start);
            Some((what, &self.bytes[start..end]))
        })
    }
}

/// What a patch holds.
#[derive(Clone, Debug)]
pub struct PatchParts<'a> {
    /// The bundle.
    pub base: FileId,
    /// What it is laid over: the bundle, or another patch.
    pub parent: FileId,
    /// Where there is terrain, a word a block, if that has changed.
    pub valid: Option<&'a [u64]>,
    /// Blocks of the grid.
    pub blocks: u32,
    /// Samples that have changed, row by row, and their heights.
    pub heights: &'a [(u32, f64)],
    /// Groups, by block, row by row.
    pub groups: &'a Replaced,
    /// Trees, by their entries in `TIDX`.
    pub trees: &'a Replaced,
    /// How it was made; without statistics.
    pub provenance: &'a Provenance,
}

/// zstd level of the provenance.
const ZSTD_LEVEL: i32 = 3;

/// The bytes of a patch.
///
/// # Errors
///
/// Where the provenance cannot be compressed.
pub fn patch_bytes(parts: &PatchParts) -> std::io::Result<Vec<u8>> {
    let mut heights = Vec::new();
    for (sample, height) in parts.heights {
        heights.extend(sample.to_le_bytes());
        let height = if height.is_nan() { f64::NAN } else { *height };
        heights.extend(height.to_le_bytes());
    }
    let text = serde_json::to_vec(parts.provenance)?;
    let valid: Option<Vec<u8>> = parts
        .valid
        .map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let frame = zstd::bulk::compress(&text, ZSTD_LEVEL)?;
    let mut sections: Vec<(Tag, &[u8], usize)> = Vec::new();
    if let Some(valid) = &valid {
        sections.push((Tag::VALD, valid, valid.len()));
    }
    for (tag, bytes) in [
        (Tag::CHTS, &heights),
        (Tag::BIDX, &parts.groups.index),
        (Tag::PAIR, &parts.groups.bytes),
        (Tag::QIDX, &parts.trees.index),
        (Tag::TREE, &parts.trees.bytes),
    ] {
        sections.push((tag, bytes, bytes.len()));
    }
    sections.push((Tag::PROV, &frame, text.len()));

    let align = |length: usize| length.next_multiple_of(ALIGNMENT as usize);
    let mut end = HEADER_LEN + sections.len() * ENTRY_LEN;
    let mut table = Vec::new();
    for (tag, bytes, length) in &sections {
        let section = Section {
            tag: *tag,
            flags: tag.kind().map_or(0, |kind| kind.flags),
            offset: align(end) as u64,
            stored_length: bytes.len() as u64,
            length: *length as u64,
            checksum: crc32fast::hash(bytes),
        };
        table.extend(section.encode());
        end = align(end) + bytes.len();
    }
    let header = PatchHeader {
        section_count: sections.len() as u32,
        file_length: end as u64,
        base: parts.base,
        parent: parts.parent,
        table_checksum: crc32(&table),
        blocks: parts.blocks,
    };
    let mut file = Vec::with_capacity(end);
    file.extend(header.encode());
    file.extend(table);
    for (_, bytes, _) in sections {
        file.resize(align(file.len()), 0);
        file.extend_from_slice(bytes);
    }
    Ok(file)
}
