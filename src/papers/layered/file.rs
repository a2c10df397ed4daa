//! Ground as a file of patches: `FORMAT.md`.
//!
//! A file is read where it lies, in a map or in memory, slice by slice. It grows: changed slices are
//! written behind all others, then a new index, and last one of two places in the head is made to say
//! where the index is. Whoever reads the file sees the ground before or after, and nothing between.

mod layout;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use layout::{ENTRY, Entry, HEAD, SLOT, Slot, Table, VERSION, Writer, part, read_index};

use super::change::{Body, ChangeSet, Version};
use super::code::{Cursor, decode_tree};
use super::error::GroundError;
use super::frame::Frame;
use super::patches::{Patches, Stack};
use super::tree::{EMPTY, Tree};
use viewcell::format::crc32;

pub use layout::{GROUND_MAGIC, encode};

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
            return Err(GroundError::checksum("head"));
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
        Self::at_slot(bytes, head, slot, second)
    }

    /// The ground that a slot points to.
    fn at_slot(
        bytes: &'a [u8],
        head: [u8; HEAD],
        slot: Slot,
        second: bool,
    ) -> Result<Self, GroundError> {
        if slot.end > bytes.len() as u64 {
            return Err(GroundError::damaged(
                "file",
                format!("{} bytes", slot.end),
                format!("{}: it was cut short", bytes.len()),
            ));
        }
        let bytes = &bytes[..slot.end as usize];
        let index = part(bytes, slot.index, slot.length, slot.checksum)
            .ok_or_else(|| GroundError::checksum("index"))?;
        let (frame, version, tables) = read_index(index)?;
        check_lengths("tables", bytes, tables.iter().map(Table::length))?;
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

    /// The ground before the file last grew, which the other slot still points to. `None` in a file that
    /// has not grown since it was built or compacted.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn previous(&self) -> Result<Option<Self>, GroundError> {
        let (name, other) = if self.second {
            ("first", &self.head[16..16 + SLOT])
        } else {
            ("second", &self.head[16 + SLOT..])
        };
        let slot = Slot::decode(other, name)?;
        slot.map(|slot| Self::at_slot(self.bytes, self.head, slot, !self.second))
            .transpose()
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

    /// All of it. Takes memory in proportion to the file's length, whatever the file declares.
    ///
    /// # Errors
    ///
    /// Damaged bytes.
    pub fn load(&self) -> Result<Patches, GroundError> {
        check_lengths("slices", self.bytes, [self.tree_bytes()?])?;
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
        let tables: u64 = self.tables.iter().map(Table::length).sum();
        Ok(HEAD as u64 + self.slot.length + tables + self.tree_bytes()?)
    }

    /// Bytes of all slices together.
    fn tree_bytes(&self) -> Result<u64, GroundError> {
        (0..self.tables.len()).try_fold(0, |sum, patch| {
            let lengths = self.entries(patch)?.into_iter().map(|entry| entry.length);
            Ok(sum + lengths.map(u64::from).sum::<u64>())
        })
    }

    fn entries(&self, patch: usize) -> Result<Vec<Entry>, GroundError> {
        let table = self.tables[patch];
        let bytes = part(self.bytes, table.offset, table.length(), table.checksum);
        let bytes = bytes.ok_or_else(|| {
            let place = format!("table of patch {patch}");
            GroundError::checksum(place)
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
        let bytes = bytes.ok_or_else(|| GroundError::checksum(place()))?;
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

/// Errors where parts of a file are longer together than all of it: then some share their bytes, and a small
/// file would come to any amount of memory.
fn check_lengths(
    what: &str,
    file: &[u8],
    lengths: impl IntoIterator<Item = u64>,
) -> Result<(), GroundError> {
    let sum: u64 = lengths.into_iter().sum();
    if sum <= file.len() as u64 {
        return Ok(());
    }
    Err(GroundError::damaged(
        what,
        format!("at most the {} bytes of the file", file.len()),
        format!("{sum} bytes"),
    ))
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

/// Makes a ground file grow: appends and commits in one go. On an error the file holds what it held.
///
/// # Errors
///
/// As [`Appended::new`] and [`Appended::commit`].
pub fn grow(path: &Path, growth: &Growth) -> io::Result<()> {
    Appended::new(path, growth)?.commit()
}

/// A ground file, locked, with new bytes that do not count until they are committed. Dropped, the file holds
/// what it held.
#[derive(Debug)]
pub struct Appended {
    file: File,
    slot_at: u64,
    slot: [u8; SLOT],
}

impl Appended {
    /// Writes what is new behind all that counts, and syncs it. What was there is not written over.
    ///
    /// # Errors
    ///
    /// Those of the system; another process that writes the file; a file that was changed since the growth
    /// was made.
    pub fn new(path: &Path, growth: &Growth) -> io::Result<Self> {
        let mut file = hold(path)?;
        let mut head = vec![0; Growth::HEAD];
        file.read_exact(&mut head)?;
        if !growth.fits(&head) {
            return Err(io::Error::other(
                "another process changed it in the meantime; start again",
            ));
        }
        write_at(&mut file, growth.at, &growth.bytes)?;
        file.sync_all()?;
        Ok(Self {
            file,
            slot_at: growth.slot_at,
            slot: growth.slot,
        })
    }

    /// Says in the head, in the slot that was not in use, that the new bytes count; and syncs it.
    ///
    /// # Errors
    ///
    /// Those of the system. The file may hold the old ground or the new.
    pub fn commit(mut self) -> io::Result<()> {
        write_at(&mut self.file, self.slot_at, &self.slot)?;
        self.file.sync_all()
    }
}

/// Opens a ground file so that nobody else makes it grow, or puts another in its place, until it is closed.
///
/// # Errors
///
/// Those of the system; another process that writes the file, or has just put another in its place.
pub fn hold(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    lock(&file)?;
    if !is_named(&file, path)? {
        return Err(io::Error::other(
            "another process replaced it in the meantime; start again",
        ));
    }
    Ok(file)
}

/// Whether a name still stands for an open file.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Elsewhere files have no numbers to tell them apart by.
#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another process is writing it; wait until it is done",
        )),
        // Some file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Square;

    /// A file of two patches of 64 x 64 columns, with the bottoms and numbers of slices that are asked for.
    /// Both patches may have one table, and all slices one tree.
    fn crafted(patches: [(i32, usize); 2], one_table: bool, one_tree: bool) -> Vec<u8> {
        let squares = [0, 64].map(|x| Square { x, y: 0, level: 6 });
        let materials = vec!["soil".into()];
        let frame = Frame::of_patches([128, 64], [1.0; 3], materials, 6, squares.to_vec());
        let stacks = vec![Stack::default(); 2];
        let ground = Patches::new(frame.unwrap(), Version::default(), stacks);
        let mut writer = Writer {
            start: 0,
            bytes: encode(&ground)[..HEAD].to_vec(),
        };
        let tree = Tree::build(6, &mut |x, y| ((x + y) % 2) as u8);
        let first = writer.tree(&tree, 6);
        let mut tables = patches.map(|(bottom, slices)| {
            let entries = (0..slices).map(|_| {
                if one_tree {
                    first
                } else {
                    writer.tree(&tree, 6)
                }
            });
            let entries: Vec<Entry> = entries.collect();
            writer.table(bottom, &entries)
        });
        if one_table {
            tables[1] = tables[0];
        }
        let slot = writer.finish(&ground, &tables, 1);
        writer.bytes[16..16 + SLOT].copy_from_slice(&slot.encode());
        writer.bytes
    }

    /// What is wrong with a file; nothing if it can be loaded.
    fn fault(bytes: &[u8]) -> String {
        let loaded = GroundFile::open(bytes).and_then(|file| file.load());
        loaded
            .err()
            .map_or(String::new(), |error| error.to_string())
    }

    /// 8 kB that declared millions of slices took gigabytes: each patch had the same table, each slice the
    /// same tree, or patches lay as far apart as numbers go.
    #[test]
    fn a_small_file_cannot_declare_more_slices_than_it_holds() {
        assert_eq!(fault(&crafted([(0, 9), (4, 9)], false, false)), "");
        let error = fault(&crafted([(0, 400), (0, 0)], true, true));
        assert!(error.starts_with("tables: expected at most"), "{error}");
        let error = fault(&crafted([(0, 200), (0, 0)], false, true));
        assert!(error.starts_with("slices: expected at most"), "{error}");
        let ends = [(-Frame::MOST_SLICE, 1), (Frame::MOST_SLICE, 1)];
        let error = fault(&crafted(ends, false, false));
        assert!(error.contains("65536 slices"), "{error}");
    }

    #[cfg(unix)]
    /// Whoever opened a file that was compacted before they had the lock would make the old one grow.
    #[test]
    fn a_file_in_whose_place_another_was_put_is_told_apart() {
        let folder = std::env::temp_dir().join(format!("viewcell-store-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("g.vcg"), folder.join("other.vcg"));
        std::fs::write(&path, b"the same").unwrap();
        std::fs::write(&other, b"the same").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_named(&file, &path).unwrap());
        std::fs::rename(&other, &path).unwrap();
        assert!(!is_named(&file, &path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(is_named(&file, &path).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
