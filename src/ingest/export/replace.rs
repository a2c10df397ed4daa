//! Replaces a lump of a file by another.

use crate::IngestError;
use crate::cells::lump::Lump;

/// Where a file holds offsets of its own bytes, as `u32` counted from its start.
#[derive(Default)]
pub(super) struct Offsets {
    /// The entries of its table of lumps: an offset, then a length.
    pub lumps: Vec<usize>,
    /// All others.
    pub others: Vec<usize>,
}

impl Offsets {
    /// Those of a table of `count` lumps, whose entries begin at `first` and are `stride` bytes long.
    pub(super) fn table(first: usize, stride: usize, count: usize) -> Self {
        Self {
            lumps: (0..count).map(|i| first + i * stride).collect(),
            others: Vec::new(),
        }
    }

    /// Where the bytes of an entry are. `None` where the file has no such entry.
    fn range(bytes: &[u8], entry: usize) -> Option<std::ops::Range<usize>> {
        let start = number(bytes, entry)?;
        Some(start..start.checked_add(number(bytes, entry + 4)?)?)
    }

    /// The same, and those of BSPX: lumps behind those of the table, with a table of their own. It
    /// begins at the first multiple of four behind the others.
    pub(super) fn with_bspx(mut self, bytes: &[u8]) -> Self {
        let ranges = self.lumps.iter().filter_map(|&at| Self::range(bytes, at));
        let end = ranges
            .filter(|range| !range.is_empty())
            .map(|range| range.end)
            .max();
        let start = end.unwrap_or(bytes.len()).next_multiple_of(4);
        if bytes
            .get(start..)
            .is_some_and(|rest| rest.starts_with(b"BSPX"))
        {
            // An entry is a name of 24 bytes, an offset and a length.
            let fits = bytes.len() / 32;
            let count = number(bytes, start + 4).unwrap_or(0).min(fits);
            self.lumps
                .extend((0..count).map(|i| start + 8 + 32 * i + 24));
        }
        self
    }

    /// The same, and those in the game lump of Source, the entry at `entry` of the table.
    pub(super) fn with_game_lump(mut self, bytes: &[u8], entry: usize) -> Self {
        let start = Self::range(bytes, entry).filter(|range| !range.is_empty());
        if let Some(start) = start.map(|range| range.start) {
            // An entry is an identity, flags and version, an offset and a length.
            let fits = bytes.len() / 16;
            let count = number(bytes, start).unwrap_or(0).min(fits);
            self.others
                .extend((0..count).map(|i| start + 4 + 16 * i + 8));
        }
        self
    }

    /// Whether nothing but the entry at `entry` leads into these bytes, and no offset lies in them.
    fn are_of_one(&self, bytes: &[u8], entry: usize, range: &std::ops::Range<usize>) -> bool {
        let apart = |other: std::ops::Range<usize>| {
            other.is_empty() || other.end <= range.start || range.end <= other.start
        };
        let others = self.lumps.iter().filter(|&&at| at != entry);
        let mut lumps = others.filter_map(|&at| Self::range(bytes, at));
        let mut places = self.others.iter().filter_map(|&at| number(bytes, at));
        let mut offsets = self.lumps.iter().chain(&self.others);
        lumps.all(apart)
            && places.all(|place| !range.contains(&place))
            && offsets.all(|&at| apart(at..at + 4))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*word)).ok()
}

/// The file with another lump at the table's entry at `entry`.
///
/// Unless the old lump `is_shared`, it goes: the new one takes its place, and where it is longer, what
/// stands behind it moves back, by a multiple of four so that all is aligned as before. An old lump that
/// is shared, or that was empty, stays as it is, and the new one goes to the end of the file.
pub(super) fn replace(
    file: Lump,
    offsets: &Offsets,
    entry: usize,
    lump: &[u8],
    is_shared: bool,
) -> Result<Vec<u8>, IngestError> {
    let old = file.entry(entry, 0, 0, "visibility")?;
    let range = old.offset..old.offset + old.bytes.len();
    let is_free = !is_shared && !range.is_empty();
    let mut out = file.bytes.to_vec();
    let mut entry_now = entry;
    let offset = if !is_shared && lump.len() <= range.len() {
        out[range.start..range.start + lump.len()].copy_from_slice(lump);
        range.start
    } else if is_free && offsets.are_of_one(&out, entry, &range) {
        let growth = (lump.len() - range.len()).next_multiple_of(4);
        for &at in offsets.lumps.iter().chain(&offsets.others) {
            if let Some(place) = number(&out, at).filter(|&place| place >= range.end) {
                out[at..at + 4].copy_from_slice(&word(place + growth)?);
            }
        }
        if entry >= range.end {
            entry_now += growth;
        }
        let mut padded = lump.to_vec();
        padded.resize(range.len() + growth, 0);
        let start = range.start;
        out.splice(range, padded);
        start
    } else {
        out.resize(out.len().next_multiple_of(4), 0);
        let offset = out.len();
        out.extend(lump);
        offset
    };
    out[entry_now..entry_now + 4].copy_from_slice(&word(offset)?);
    out[entry_now + 4..entry_now + 8].copy_from_slice(&word(lump.len())?);
    Ok(out)
}

fn word(number: usize) -> Result<[u8; 4], IngestError> {
    let word = u32::try_from(number).ok();
    let word = word.filter(|word| *word <= i32::MAX as u32);
    word.map(u32::to_le_bytes).ok_or_else(|| {
        IngestError::resource(
            "a level of less than 2 GB",
            format!("{number} bytes"),
            "it cannot be written in this format",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of three lumps, the lumps, and behind them BSPX with one lump of its own.
    fn file() -> Vec<u8> {
        let mut bytes = Vec::new();
        for (offset, length) in [(24_u32, 8_u32), (32, 5), (40, 12)] {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
        bytes.extend(b"firstone");
        bytes.extend(b"views\0\0\0");
        bytes.extend(b"last of them");
        bytes.extend(b"BSPX\x01\0\0\0");
        bytes.extend([b'n'; 24]);
        bytes.extend(92_u32.to_le_bytes());
        bytes.extend(6_u32.to_le_bytes());
        bytes.extend(b"beyond");
        bytes
    }

    fn lump_at(bytes: &[u8], entry: usize) -> &[u8] {
        &bytes[Offsets::range(bytes, entry).unwrap()]
    }

    #[test]
    fn a_longer_lump_moves_what_is_behind_it_and_all_that_leads_there() {
        let bytes = file();
        let offsets = Offsets::table(0, 8, 3).with_bspx(&bytes);
        assert_eq!(offsets.lumps, [0, 8, 16, 84]);
        let new = b"views and more";
        let out = replace(Lump::file(&bytes), &offsets, 8, new, false).unwrap();
        assert_eq!(out.len(), bytes.len() + 12);
        assert_eq!(lump_at(&out, 0), b"firstone");
        assert_eq!(lump_at(&out, 8), new);
        assert_eq!(lump_at(&out, 16), b"last of them");
        let offsets = Offsets::table(0, 8, 3).with_bspx(&out);
        assert_eq!(offsets.lumps, [0, 8, 16, 96]);
        assert_eq!(lump_at(&out, 96), b"beyond");
    }

    #[test]
    fn a_lump_that_others_lie_in_stays() {
        let mut bytes = file();
        // The last begins within the second.
        bytes[16] = 36;
        let offsets = Offsets::table(0, 8, 3);
        for is_shared in [false, true] {
            let out = replace(
                Lump::file(&bytes),
                &offsets,
                8,
                b"views and more",
                is_shared,
            );
            let out = out.unwrap();
            assert_eq!(lump_at(&out, 8), b"views and more");
            assert_eq!(lump_at(&out, 16), lump_at(&bytes, 16));
            assert_eq!(out[24..bytes.len()], bytes[24..]);
        }
    }

    #[test]
    fn a_game_lump_is_led_to_its_parts() {
        // One lump with views, and the game lump, of one part.
        let mut bytes = Vec::new();
        for (offset, length) in [(16_u32, 4_u32), (20, 24)] {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
        bytes.extend(b"view");
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(b"sprp\0\0\0\0");
        bytes.extend(40_u32.to_le_bytes());
        bytes.extend(4_u32.to_le_bytes());
        bytes.extend(b"part");
        let offsets = Offsets::table(0, 8, 2).with_game_lump(&bytes, 8);
        let out = replace(Lump::file(&bytes), &offsets, 0, b"viewed", false).unwrap();
        assert_eq!(lump_at(&out, 0), b"viewed");
        let start = number(&out, 8).unwrap();
        let part = number(&out, start + 12).unwrap();
        assert_eq!(&out[part..part + 4], b"part");
    }
}
