//! Levels whose header is in another order than that of their family: they are put in order before anything is read.
//!
//! | | in the file | as others have it |
//! |---|---|---|
//! | Half-Life: Blue Shift (BSP30) | planes, entities | entities, planes |
//! | Left 4 Dead 2 (VBSP 21), a lump's entry | version, offset, length | offset, length, version |
//!
//! Lumps of Source that are packed are unpacked: `LZMA`, unpacked and packed length (`u32` each), the five bytes of
//! properties of LZMA, data.

use std::borrow::Cow;
use std::io::Read;

use super::lump::Lump;
use crate::error::IngestError;
use crate::held::Held;

/// Bytes of the head of a level of Source: magic, version, 64 entries of 16 bytes.
const SOURCE: usize = 8 + 64 * 16;

/// Lumps of Source that readers look at, by their numbers.
const READ: [(usize, &str); 13] = [
    (0, "entities"),
    (1, "planes"),
    (2, "texture data"),
    (4, "visibility"),
    (5, "nodes"),
    (6, "texinfo"),
    (10, "leaves"),
    (14, "models"),
    (17, "leaf brushes"),
    (18, "brushes"),
    (19, "brush sides"),
    (43, "texture names"),
    (44, "table of texture names"),
];

/// The bytes of a level with its header in order, and no lump packed. What is in order is not copied.
///
/// # Errors
///
/// More bytes than an input may hold; lumps that cannot be unpacked.
pub(crate) fn in_order<'a>(bytes: &'a [u8], held: &mut Held) -> Result<Cow<'a, [u8]>, IngestError> {
    let mut ordered = Cow::from(bytes);
    if is_blue_shift(bytes) {
        held.take(bytes.len() as u64, WHAT)?;
        ordered.to_mut()[4..20].rotate_left(8);
    } else if source_table(bytes) != 8 {
        held.take(bytes.len() as u64, WHAT)?;
        for entry in ordered.to_mut()[8..SOURCE].chunks_exact_mut(16) {
            entry[..12].rotate_left(4);
        }
    }
    if bytes.starts_with(b"VBSP") && bytes.len() >= SOURCE {
        for (index, name) in READ {
            unpack(&mut ordered, index, name, held)?;
        }
    }
    Ok(ordered)
}

const WHAT: &str = "lumps of the level";

/// Puts a packed lump behind the file, unpacked.
fn unpack(
    bytes: &mut Cow<[u8]>,
    index: usize,
    name: &str,
    held: &mut Held,
) -> Result<(), IngestError> {
    // A lump that is not there is told of by whoever needs it.
    let Ok(lump) = Lump::file(bytes).entry(8, 16, index, name) else {
        return Ok(());
    };
    if !lump.bytes.starts_with(b"LZMA") {
        return Ok(());
    }
    let head = lump.array::<17>(0)?;
    let length = number(&head, 4).unwrap_or(0);
    let dictionary = number(&head, 13).unwrap_or(0).min(length).max(1 << 12) as u32;
    held.take(length as u64 + u64::from(dictionary), WHAT)?;
    let mut unpacked = Vec::new();
    let read = lzma_rust2::LzmaReader::new_with_props(
        &lump.bytes[17..],
        length as u64,
        head[12],
        dictionary,
        None,
    )
    .and_then(|reader| reader.take(length as u64).read_to_end(&mut unpacked));
    let found = match read {
        Ok(found) if found == length => None,
        Ok(found) => Some(format!("{found}")),
        Err(error) => Some(error.to_string()),
    };
    if let Some(found) = found {
        return Err(lump.bad(0, format!("{length} bytes packed with LZMA"), found));
    }
    if matches!(bytes, Cow::Borrowed(_)) {
        held.take(bytes.len() as u64, WHAT)?;
    }
    let bytes = bytes.to_mut();
    let words = [bytes.len(), unpacked.len()].map(|word| (word as u32).to_le_bytes());
    let entry = 8 + 16 * index;
    bytes[entry..entry + 8].copy_from_slice(words.as_flattened());
    bytes.extend(unpacked);
    Ok(())
}

/// Where the offset and length of the first lump of a level of Source are.
pub(crate) fn source_table(bytes: &[u8]) -> usize {
    if is_left_4_dead_2(bytes) { 12 } else { 8 }
}

/// Refuses levels of Source of versions that are not read.
pub(crate) fn check_source(file: &Lump) -> Result<(), IngestError> {
    let version = file.i32(4)?;
    if (17..=21).contains(&version) {
        return Ok(());
    }
    // Dark Messiah has two numbers there.
    let found = match (version & 0xffff, version >> 16) {
        (version, 0) => format!("version {version}, of another game"),
        (version, other) => format!("versions {version} and {other}, of another game"),
    };
    let remedy = "export the level as OBJ or glTF, and bake that with `viewcell bake solid`";
    let error = IngestError::bad("VBSP of version 17 to 21", found, remedy);
    Err(error.at(file.place(4)).unsupported())
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*word)).ok()
}

/// Whether the second lump has the entities, and the first has not.
fn is_blue_shift(bytes: &[u8]) -> bool {
    let is_text = |entry: usize| {
        let lump = number(bytes, entry).zip(number(bytes, entry + 4));
        let lump = lump.and_then(|(at, length)| bytes.get(at..at.checked_add(length)?));
        // A plane that begins like this is a brace and blanks, too: no normal.
        lump.is_some_and(|lump| {
            let text = lump.trim_ascii_start();
            text.first() == Some(&b'{') && text[1..].trim_ascii_start().first() == Some(&b'"')
        })
    };
    bytes.starts_with(&[30, 0, 0, 0]) && !is_text(4) && is_text(12)
}

/// Whether the table has versions where others have offsets: no version is as large as the head.
fn is_left_4_dead_2(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"VBSP\x15\0\0\0") || bytes.len() < SOURCE {
        return false;
    }
    let mut used = (0..64)
        .map(|i| 8 + 16 * i)
        .filter(|&at| number(bytes, at + 4) != Some(0));
    let begins = |at: usize, word: usize| number(bytes, at + word).is_some_and(|at| at >= SOURCE);
    let first = used.clone().next();
    first.is_some() && used.all(|at| !begins(at, 0) && begins(at, 4))
}
