//! Trees and change sets as bytes (`FORMAT.md`), and the readers and writers of bits and numbers below them.

use super::change::{Body, Branches, ChangeSet, ColumnRun, Runs, Version, is_pruned_tree};
use super::error::GroundError;
use super::path::Path;
use super::tree::{DIVIDED, Material, Tree};
use viewcell::format::crc32;

/// How many bits numbers up to the greatest take.
fn bits_for(greatest: Material) -> u32 {
    8 - greatest.leading_zeros()
}

/// A slice's tree of `2^level` cubes a side.
pub fn encode_tree(tree: &Tree, level: u8) -> Vec<u8> {
    let codes = tree.codes();
    let greatest = codes.iter().copied().filter(|code| *code != DIVIDED).max();
    let leaf = bits_for(greatest.unwrap_or(0));
    let mut head = vec![leaf as u8];
    head.extend((codes.len() as u32).to_le_bytes());
    let mut bits = BitWriter::default();
    let mut rest = codes.as_slice();
    put_node(&mut rest, level, leaf, &mut bits);
    head.extend(bits.finish());
    head
}

fn put_node(codes: &mut &[u8], level: u8, leaf: u32, bits: &mut BitWriter) {
    let Some((&code, rest)) = codes.split_first() else {
        return;
    };
    *codes = rest;
    if level > 0 {
        bits.put((code == DIVIDED).into(), 1);
    }
    if code == DIVIDED {
        (0..4).for_each(|_| put_node(codes, level - 1, leaf, bits));
    } else {
        bits.put(code.into(), leaf);
    }
}

/// Reads what [`encode_tree`] wrote.
///
/// # Errors
///
/// Bytes that are no pruned tree of so many levels, of materials up to the greatest.
pub fn decode_tree(bytes: &[u8], level: u8, greatest: Material) -> Result<Tree, GroundError> {
    let damaged = |expected: &str| GroundError::damaged("slice", expected, "other bytes");
    let mut cursor = Cursor(bytes);
    let head = (cursor.u8(), cursor.u32());
    let (Some(leaf @ 0..=8), Some(nodes)) = head else {
        return Err(damaged("at most 8 bits a leaf, and the number of nodes"));
    };
    let mut bits = BitReader::new(cursor.0);
    // A node takes a bit at least, except for one whose place leaves no choice.
    if u64::from(nodes) > 4 * bits.left() + 1 {
        return Err(damaged("bytes for the declared number of nodes"));
    }
    let mut codes = Vec::with_capacity(nodes as usize);
    let read = take_node(&mut bits, level, leaf.into(), nodes as usize, &mut codes);
    if read.is_none() || codes.len() != nodes as usize || !bits.is_done() {
        return Err(damaged("the declared number of nodes"));
    }
    if !is_pruned_tree(&codes, level, greatest) {
        return Err(damaged("a pruned tree of the ground's materials"));
    }
    Tree::of_codes(&codes, level).ok_or_else(|| damaged("a tree"))
}

fn take_node(
    bits: &mut BitReader<'_>,
    level: u8,
    leaf: u32,
    most: usize,
    codes: &mut Vec<u8>,
) -> Option<()> {
    if codes.len() == most {
        return None;
    }
    if level > 0 && bits.take(1)? == 1 {
        codes.push(DIVIDED);
        return (0..4).try_for_each(|_| take_node(bits, level - 1, leaf, most, codes));
    }
    codes.push(bits.take(leaf)? as u8);
    Some(())
}

/// What a change set begins with.
pub const CHANGES_MAGIC: &[u8; 8] = b"VCGCHNGS";
const CHANGES_VERSION: u32 = 1;
const BRANCHES: u32 = 1;
const RUNS: u32 = 2;
/// Magic, version, kind, two versions of ground, length of the body.
const CHANGES_HEAD: usize = 8 + 4 + 4 + 32 + 8;

impl ChangeSet {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let (kind, body) = match &self.body {
            Body::Branches(branches) => (BRANCHES, encode_branches(branches)),
            Body::Runs(runs) => (RUNS, encode_runs(runs)),
        };
        let mut bytes = CHANGES_MAGIC.to_vec();
        bytes.extend(CHANGES_VERSION.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        for number in [self.from.parts(), self.to.parts()].as_flattened() {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the change set that bytes begin with, and says how many it took. Whether it fits some
    /// ground, [`ChangeSet::check`] says.
    ///
    /// # Errors
    ///
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<(Self, usize), GroundError> {
        let damaged =
            |expected: &str, found: String| GroundError::damaged("change set", expected, found);
        if !bytes.starts_with(CHANGES_MAGIC) {
            let found = format!("{:02x?}", &bytes[..bytes.len().min(8)]);
            return Err(damaged("VCGCHNGS at its beginning", found));
        }
        let mut cursor = Cursor(&bytes[8..]);
        let head = (|| {
            let (version, kind) = (cursor.u32()?, cursor.u32()?);
            let mut version_of = || {
                Some(Version {
                    number: cursor.u64()?,
                    digest: cursor.u64()?,
                })
            };
            let (from, to) = (version_of()?, version_of()?);
            Some((version, kind, from, to, cursor.u64()?))
        })();
        let Some((version, kind, from, to, length)) = head else {
            let expected = format!("{CHANGES_HEAD} bytes of head");
            return Err(damaged(&expected, format!("{} bytes", bytes.len())));
        };
        if version != CHANGES_VERSION {
            return Err(damaged("version 1 of the format", version.to_string()));
        }
        let end = usize::try_from(length)
            .ok()
            .and_then(|body| body.checked_add(CHANGES_HEAD));
        let whole = end.and_then(|end| Some((end, bytes.get(end..end.checked_add(4)?)?)));
        let Some((end, checksum)) = whole else {
            return Err(damaged(
                &format!("a body of {length} bytes and its checksum"),
                format!("{} bytes in all", bytes.len()),
            ));
        };
        if crc32(&bytes[..end]).to_le_bytes() != checksum {
            return Err(GroundError::checksum("change set"));
        }
        let body = &bytes[CHANGES_HEAD..end];
        let read = match kind {
            BRANCHES => decode_branches(body).map(Body::Branches),
            RUNS => decode_runs(body).map(Body::Runs),
            other => return Err(damaged("branches (1) or runs (2)", other.to_string())),
        };
        let Some(body) = read else {
            return Err(damaged("branches or runs", "bytes that are none".into()));
        };
        Ok((Self { from, to, body }, end + 4))
    }

    /// Reads change sets that stand one after the other.
    ///
    /// # Errors
    ///
    /// As [`ChangeSet::decode`], with the byte where that one begins.
    pub fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, GroundError> {
        let (mut sets, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let (set, length) = Self::decode(&bytes[at..]).map_err(|error| match error {
                GroundError::Damaged {
                    expected, found, ..
                } => GroundError::damaged(format!("change set at byte {at}"), expected, found),
                other => other,
            })?;
            sets.push(set);
            at += length;
        }
        Ok(sets)
    }
}

fn encode_branches(branches: &Branches) -> Vec<u8> {
    let leaves = branches
        .codes
        .iter()
        .copied()
        .filter(|code| *code != DIVIDED);
    let leaf = bits_for(leaves.max().unwrap_or(0));
    let mut bits = BitWriter::default();
    bits.put(leaf.into(), 8);
    bits.put(branches.records.len() as u64, 32);
    bits.put(branches.codes.len() as u64, 32);
    let mut place = None;
    for (record, codes) in branches.iter() {
        let here = (record.patch, record.slice);
        bits.put((place == Some(here)).into(), 1);
        if place != Some(here) {
            bits.put(record.patch.into(), 32);
            bits.put((record.slice as u32).into(), 32);
            place = Some(here);
        }
        bits.put(record.path.length().into(), 5);
        record
            .path
            .steps()
            .for_each(|step| bits.put(step as u64, 2));
        for &code in codes {
            bits.put((code == DIVIDED).into(), 1);
            if code != DIVIDED {
                bits.put(code.into(), leaf);
            }
        }
    }
    bits.finish()
}

fn decode_branches(bytes: &[u8]) -> Option<Branches> {
    let mut bits = BitReader::new(bytes);
    let leaf = bits.take(8).filter(|leaf| *leaf <= 8)? as u32;
    let (records, nodes) = (bits.take(32)?, bits.take(32)?);
    // Each takes some bits at least, so that memory is in proportion to the bytes.
    if records > bits.left() / 6 || nodes > bits.left() {
        return None;
    }
    let mut branches = Branches::default();
    branches.records.reserve_exact(records as usize);
    branches.codes.reserve_exact(nodes as usize);
    let mut place = None;
    let mut codes = Vec::new();
    for _ in 0..records {
        if bits.take(1)? == 0 {
            place = Some((bits.take(32)? as u32, bits.take(32)? as u32 as i32));
        }
        let (patch, slice) = place?;
        let mut path = Path::ROOT;
        let length = bits.take(5)?;
        if length > Path::MOST.into() {
            return None;
        }
        for _ in 0..length {
            path = path.child(bits.take(2)? as usize);
        }
        codes.clear();
        let mut open = 1u64;
        while open > 0 {
            open -= 1;
            if bits.take(1)? == 1 {
                open += 4;
                codes.push(DIVIDED);
            } else {
                codes.push(bits.take(leaf)? as u8);
            }
        }
        branches.push(patch, slice, path, &codes);
    }
    (branches.codes.len() as u64 == nodes && bits.is_done()).then_some(branches)
}

fn encode_runs(runs: &Runs) -> Vec<u8> {
    let leaf = bits_for(runs.runs.iter().map(|run| run.material).max().unwrap_or(0));
    let mut bits = BitWriter::default();
    bits.put(leaf.into(), 8);
    bits.put(runs.runs.len() as u64, 32);
    let mut place = None;
    for run in &runs.runs {
        let here = (run.row, run.column);
        // 0 the same column, 1 the next one, 2 any.
        let kind = match place {
            Some(before) if before == here => 0,
            Some((row, column)) if (row, column + 1) == here => 1,
            _ => 2,
        };
        bits.put(kind, 2);
        if kind == 2 {
            bits.put(run.row.into(), 32);
            bits.put(run.column.into(), 32);
        }
        place = Some(here);
        bits.put((run.from as u32).into(), 32);
        bits.put((run.to - run.from) as u64, 26);
        bits.put(run.material.into(), leaf);
    }
    bits.finish()
}

fn decode_runs(bytes: &[u8]) -> Option<Runs> {
    let mut bits = BitReader::new(bytes);
    let leaf = bits.take(8).filter(|leaf| *leaf <= 8)? as u32;
    let count = bits.take(32)?;
    if count > bits.left() / 60 {
        return None;
    }
    let mut runs = Runs::default();
    let mut place: Option<(u32, u32)> = None;
    for _ in 0..count {
        let (row, column) = match bits.take(2)? {
            0 => place?,
            1 => (place?.0, place?.1.checked_add(1)?),
            2 => (bits.take(32)? as u32, bits.take(32)? as u32),
            _ => return None,
        };
        place = Some((row, column));
        let from = bits.take(32)? as u32 as i32;
        let to = from.checked_add(bits.take(26)? as i32)?;
        let material = bits.take(leaf)? as u8;
        runs.runs.push(ColumnRun {
            row,
            column,
            from,
            to,
            material,
        });
    }
    bits.is_done().then_some(runs)
}

/// Writes bits.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// The low bits of a value, at most 32.
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        self.pending |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// The bytes, the last filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Reads bits.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits, at most 32; `None` at the end.
    pub(super) fn take(&mut self, bits: u32) -> Option<u64> {
        let mut value = 0;
        let mut have = 0;
        while have < bits {
            let byte = *self.bytes.get(usize::try_from(self.at / 8).ok()?)?;
            let skip = (self.at % 8) as u32;
            let many = (8 - skip).min(bits - have);
            let part = u64::from(byte >> skip) & ((1 << many) - 1);
            value |= part << have;
            have += many;
            self.at += u64::from(many);
        }
        Some(value)
    }

    /// How many bits there may be still.
    pub(super) fn left(&self) -> u64 {
        self.bytes.len() as u64 * 8 - self.at
    }

    /// Whether what is left is less than a byte of zeros.
    pub(super) fn is_done(&mut self) -> bool {
        let left = self.left();
        left < 8 && self.take(left as u32) == Some(0)
    }
}

/// Little-endian numbers, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn bytes(&mut self, many: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(many)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A text of a length that stands before it in two bytes.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.u16()?;
        let bytes = self.bytes(length.into())?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

/// Adds a text as [`Cursor::text`] reads it; what is longer is cut off.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    let end = (0..=text.len().min(u16::MAX.into())).rev();
    let end = end
        .into_iter()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    bytes.extend((end as u16).to_le_bytes());
    bytes.extend_from_slice(&text.as_bytes()[..end]);
}
