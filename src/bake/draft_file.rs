//! The file of a draft ([`super::draft`]): nobody else sees it, and it goes with the process.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::bundle::{BundleError, scratch_beside};
use crate::compress::pairs::PairList;

/// Bytes of the file that are written or read at once.
const BUFFER: usize = 1 << 20;

/// A group of a draft.
#[derive(Debug, Default)]
pub(super) struct DraftGroup {
    /// What comes before its table.
    pub head: Vec<u8>,
    pub pairs: PairList,
}

impl DraftGroup {
    /// Its bytes: lengths of the head and the nodes, the head, the nodes, the leaves.
    fn bytes(&self) -> Vec<u8> {
        let PairList { nodes, leaves } = &self.pairs;
        let mut bytes =
            Vec::with_capacity(8 + self.head.len() + 4 * nodes.len() + 2 * leaves.len());
        for length in [self.head.len(), nodes.len()] {
            bytes.extend_from_slice(&(length as u32).to_le_bytes());
        }
        bytes.extend_from_slice(&self.head);
        for node in nodes {
            bytes.extend_from_slice(&node.to_le_bytes());
        }
        for leaf in leaves {
            bytes.extend_from_slice(&leaf.to_le_bytes());
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (lengths, rest) = bytes.split_first_chunk::<8>()?;
        let [head, nodes] = [0, 4].map(|at| {
            let length = lengths[at..].first_chunk().copied().unwrap_or_default();
            u32::from_le_bytes(length) as usize
        });
        let (head, rest) = rest.split_at_checked(head)?;
        let (nodes, leaves) = rest.split_at_checked(4 * nodes)?;
        let (nodes, leaves) = (nodes.as_chunks().0, leaves.as_chunks().0);
        Some(Self {
            head: head.to_vec(),
            pairs: PairList {
                nodes: nodes.iter().map(|&node| u32::from_le_bytes(node)).collect(),
                leaves: leaves
                    .iter()
                    .map(|&leaf| u16::from_le_bytes(leaf))
                    .collect(),
            },
        })
    }
}

/// Where something lies in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    length: u64,
}

/// Where all lies.
#[derive(Debug, Default)]
struct Places {
    end: u64,
    groups: Vec<Place>,
    /// And the visible samples.
    trees: Vec<(Place, u64)>,
}

impl Places {
    fn take(&mut self, length: u64) -> Place {
        let start = self.end;
        self.end += length;
        Place { start, length }
    }
}

/// A file in the making. Memory: some bytes a group and a tree.
#[derive(Debug)]
pub(super) struct DraftFileWriter {
    /// The bundle that it becomes, for errors.
    path: PathBuf,
    file: BufWriter<File>,
    places: Places,
}

impl DraftFileWriter {
    /// Begins the draft of a bundle, in the same folder.
    pub fn beside(path: &Path) -> Result<Self, BundleError> {
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(BUFFER, scratch_beside(path)?),
            places: Places::default(),
        })
    }

    /// Appends the next group.
    pub fn push_group(&mut self, group: &DraftGroup) -> Result<(), BundleError> {
        let bytes = group.bytes();
        self.write(&bytes)?;
        let place = self.places.take(bytes.len() as u64);
        self.places.groups.push(place);
        Ok(())
    }

    /// Appends the next tree, which has so many visible samples.
    pub fn push_tree(&mut self, tree: &[u8], visible: u64) -> Result<(), BundleError> {
        self.write(tree)?;
        let place = self.places.take(tree.len() as u64);
        self.places.trees.push((place, visible));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| self.error(error))
    }

    fn error(&self, error: io::Error) -> BundleError {
        BundleError::write(
            &self.path,
            "writing what it is made of",
            self.places.end,
            error,
        )
    }

    /// Ends it.
    pub fn finish(self) -> Result<DraftFile, BundleError> {
        let Self { path, file, places } = self;
        let end = places.end;
        let file = file.into_inner().map_err(|error| {
            let error = error.into_error();
            BundleError::write(&path, "writing what it is made of", end, error)
        })?;
        // Where the file's cursor is.
        let position = end;
        Ok(DraftFile {
            path,
            file: BufReader::with_capacity(BUFFER, file),
            position,
            places,
        })
    }
}

/// A file that is whole.
#[derive(Debug)]
pub(super) struct DraftFile {
    path: PathBuf,
    file: BufReader<File>,
    position: u64,
    places: Places,
}

impl DraftFile {
    /// Lengths of the trees in bytes, and their visible samples.
    pub fn trees(&self) -> impl Iterator<Item = (u64, u64)> {
        let trees = self.places.trees.iter();
        trees.map(|&(place, visible)| (place.length, visible))
    }

    /// Group number `number`. Quick where it comes after the last that was asked for.
    pub fn group(&mut self, number: usize) -> Result<DraftGroup, BundleError> {
        let bytes = self.read(self.places.groups[number])?;
        DraftGroup::parse(&bytes).ok_or_else(|| self.error(io::ErrorKind::InvalidData.into()))
    }

    /// Tree number `number`.
    pub fn tree(&mut self, number: usize) -> Result<Vec<u8>, BundleError> {
        self.read(self.places.trees[number].0)
    }

    fn read(&mut self, place: Place) -> Result<Vec<u8>, BundleError> {
        let mut bytes = vec![0; place.length as usize];
        let distance = place.start as i64 - self.position as i64;
        let read = self.file.seek_relative(distance);
        let read = read.and_then(|()| self.file.read_exact(&mut bytes));
        read.map_err(|error| self.error(error))?;
        self.position = place.start + place.length;
        Ok(bytes)
    }

    fn error(&self, error: io::Error) -> BundleError {
        BundleError::Read {
            path: self.path.clone(),
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut draft = DraftFileWriter::beside(&folder.path().join("a.vcb")).unwrap();
        let group = |i: u32| DraftGroup {
            head: vec![i as u8; i as usize % 7],
            pairs: PairList {
                nodes: (0..i).collect(),
                leaves: (0..2 * i as u16).collect(),
            },
        };
        for i in 0..300 {
            draft.push_group(&group(i)).unwrap();
            if i % 3 == 0 {
                draft.push_tree(&[i as u8; 5], i.into()).unwrap();
            }
        }
        let mut draft = draft.finish().unwrap();
        assert_eq!(draft.trees().nth(3), Some((5, 9)));
        for i in (0..300).chain([7, 299, 0, 150]) {
            let (found, expected) = (draft.group(i).unwrap(), group(i as u32));
            assert_eq!((found.head, found.pairs), (expected.head, expected.pairs));
        }
        assert_eq!(draft.tree(3).unwrap(), [9; 5]);
        // It has no name.
        drop(draft);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
