//! Change sets: what a stamp changed, to be made again elsewhere (Pennings, section 4.3.4, step 4).

use std::ops::Range;

use super::error::GroundError;
use super::frame::Frame;
use super::path::Path;
use super::tree::{DIVIDED, Material};

/// The state of some ground: how many changes were made to it, and which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Version {
    /// How many changes were made.
    pub number: u64,
    /// Of all that were made, in order.
    pub digest: u64,
}

impl Version {
    /// As [`GroundError::Version`] has it.
    pub fn parts(self) -> [u64; 2] {
        [self.number, self.digest]
    }
}

/// What a stamp changed, between one version and the next.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSet {
    /// The version that it is for.
    pub from: Version,
    /// The version that comes of it.
    pub to: Version,
    /// The changes.
    pub body: Body,
}

/// Changes, as the structure that made them has them.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Branches for the nodes of quadtrees.
    Branches(Branches),
    /// Runs of cubes in columns.
    Runs(Runs),
}

/// Branches, each with the way to the node that it replaces. None of them lies in another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branches {
    /// Where they go.
    pub(super) records: Vec<Record>,
    /// The codes of their nodes, one branch after the other.
    pub(super) codes: Vec<u8>,
}

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The patch's number.
    pub patch: u32,
    /// The slice.
    pub slice: i32,
    /// The way from the slice's root.
    pub path: Path,
    /// Where its codes begin.
    pub first: u32,
}

impl Branches {
    /// Each branch: where it goes, and its codes.
    pub fn iter(&self) -> impl Iterator<Item = (&Record, &[u8])> {
        self.records.iter().enumerate().map(|(i, record)| {
            let end = self.records.get(i + 1).map(|next| next.first as usize);
            let end = end.unwrap_or(self.codes.len());
            (record, &self.codes[record.first as usize..end])
        })
    }

    /// Where branches go.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds a branch.
    pub fn push(&mut self, patch: u32, slice: i32, path: Path, codes: &[u8]) {
        self.records.push(Record {
            patch,
            slice,
            path,
            first: self.codes.len() as u32,
        });
        self.codes.extend_from_slice(codes);
    }
}

/// Runs of cubes that became a material, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// Column, row, first slice, slice after the last, material. In order of columns and rows, in one of
    /// them upwards.
    pub runs: Vec<ColumnRun>,
}

/// Cubes above one another that became one material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnRun {
    /// Row.
    pub row: u32,
    /// Column.
    pub column: u32,
    /// The lowest slice.
    pub from: i32,
    /// The slice above the highest.
    pub to: i32,
    /// What they became.
    pub material: Material,
}

impl ChangeSet {
    /// Changes of some ground of version `from`.
    pub fn new(from: Version, body: Body) -> Self {
        let to = Version {
            number: from.number + 1,
            digest: body.digest(from.digest),
        };
        Self { from, to, body }
    }

    /// How many nodes, or runs, it has.
    pub fn nodes(&self) -> u64 {
        match &self.body {
            Body::Branches(branches) => branches.codes.len() as u64,
            Body::Runs(runs) => runs.runs.len() as u64,
        }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes() == 0
    }

    /// Checks that it is for this ground, in this version.
    ///
    /// # Errors
    ///
    /// Unless it is for this version of the ground and for this ground at all.
    pub fn check(&self, version: Version, frame: &Frame) -> Result<(), GroundError> {
        if self.from != version {
            return Err(GroundError::Version {
                expected: self.from.parts(),
                found: version.parts(),
            });
        }
        if Some(self.to.number) != self.from.number.checked_add(1) {
            return Err(GroundError::damaged(
                "change set",
                format!("version {} after it", self.from.number.wrapping_add(1)),
                self.to.number.to_string(),
            ));
        }
        self.body.check(frame)
    }
}

impl Body {
    /// Checks that it is of this ground.
    ///
    /// # Errors
    ///
    /// Where it is not of this ground.
    pub fn check(&self, frame: &Frame) -> Result<(), GroundError> {
        match self {
            Self::Branches(branches) => branches.check(frame),
            Self::Runs(runs) => runs.check(frame),
        }
    }

    /// The slices that it touches; nothing if it is empty.
    pub fn slices(&self) -> Option<Range<i32>> {
        let (from, to): (Option<i32>, Option<i32>) = match self {
            Self::Branches(branches) => {
                let slices = || branches.records.iter().map(|record| record.slice);
                (slices().min(), slices().max().map(|slice| slice + 1))
            }
            Self::Runs(runs) => (
                runs.runs.iter().map(|run| run.from).min(),
                runs.runs.iter().map(|run| run.to).max(),
            ),
        };
        Some(from?..to?)
    }

    /// Checks the number of slices that the ground would have.
    ///
    /// # Errors
    ///
    /// Where ground would have more slices than may be.
    pub fn check_growth(&self, slices: Range<i32>) -> Result<(), GroundError> {
        let Some(touched) = self.slices().filter(|_| !slices.is_empty()) else {
            return Ok(());
        };
        let (from, to) = (slices.start.min(touched.start), slices.end.max(touched.end));
        if to - from <= Frame::MOST_SLICES {
            return Ok(());
        }
        Err(GroundError::bad(
            "slices",
            format!(
                "at most {} from the lowest to the highest",
                Frame::MOST_SLICES
            ),
            format!("{} ({from} to {})", to - from, to - 1),
        ))
    }

    /// The digest of these changes after those of another digest.
    fn digest(&self, before: u64) -> u64 {
        let mut sum = Sum(before);
        match self {
            Self::Branches(branches) => {
                for record in &branches.records {
                    sum.take(u64::from(record.patch) << 32 | u64::from(record.slice as u32));
                    sum.take(record.path.bits() << 8 | u64::from(record.path.length()));
                    sum.take(record.first.into());
                }
                let (eights, rest) = branches.codes.as_chunks::<8>();
                eights
                    .iter()
                    .for_each(|eight| sum.take(u64::from_le_bytes(*eight)));
                rest.iter()
                    .for_each(|code| sum.take(u64::from(*code) | 1 << 32));
            }
            Self::Runs(runs) => {
                for run in &runs.runs {
                    sum.take(u64::from(run.row) << 32 | u64::from(run.column));
                    sum.take(u64::from(run.from as u32) << 32 | u64::from(run.to as u32));
                    sum.take(run.material.into());
                }
            }
        }
        sum.0
    }
}

/// A digest against mistakes, not against forgers.
struct Sum(u64);

impl Sum {
    fn take(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

impl Branches {
    fn check(&self, frame: &Frame) -> Result<(), GroundError> {
        let damaged = |i: usize, expected: &str, found: String| {
            GroundError::damaged(format!("change set, branch {i}"), expected, found)
        };
        let materials = frame.materials().len() as u8;
        let mut before: Option<&Record> = None;
        for (i, (record, codes)) in self.iter().enumerate() {
            let Some(patch) = frame.patches().get(record.patch as usize) else {
                let expected = format!("a patch below {}", frame.patches().len());
                return Err(damaged(i, &expected, record.patch.to_string()));
            };
            if record.slice.unsigned_abs() > Frame::MOST_SLICE.unsigned_abs() {
                return Err(damaged(i, "a slice within 2^24", record.slice.to_string()));
            }
            let Some(level) = patch.level.checked_sub(record.path.length()) else {
                let expected = format!("a path of at most {} steps", patch.level);
                return Err(damaged(i, &expected, record.path.length().to_string()));
            };
            let place = |r: &Record| (r.patch, r.slice);
            let after = before.is_none_or(|before| match place(before).cmp(&place(record)) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => precedes(before.path, record.path),
                std::cmp::Ordering::Greater => false,
            });
            if !after {
                return Err(damaged(
                    i,
                    "branches in order, none in another",
                    record.path.to_string(),
                ));
            }
            before = Some(record);
            if !is_pruned_tree(codes, level, materials) {
                let expected = format!("a pruned quadtree of materials 0 to {materials}");
                return Err(damaged(
                    i,
                    &expected,
                    format!("{} nodes that are none", codes.len()),
                ));
            }
        }
        Ok(())
    }
}

/// Whether one path's node comes before another's in its slice, and neither holds the other.
fn precedes(before: Path, after: Path) -> bool {
    !before.overlaps(after) && {
        let aligned = |path: Path| path.bits() << (2 * (Path::MOST - path.length()));
        aligned(before) < aligned(after)
    }
}

/// Whether codes are one pruned tree, at most `level` levels deep, of materials up to the greatest.
pub(super) fn is_pruned_tree(codes: &[u8], level: u8, greatest: Material) -> bool {
    /// Reads a node; gives its material if it is a leaf, `Some(None)` if it is divided.
    fn node(codes: &mut &[u8], level: u8, greatest: Material) -> Option<Option<Material>> {
        let (&code, rest) = codes.split_first()?;
        *codes = rest;
        if code != DIVIDED {
            return (code <= greatest).then_some(Some(code));
        }
        let below = level.checked_sub(1)?;
        let mut children = [None; 4];
        for child in &mut children {
            *child = node(codes, below, greatest)?;
        }
        let one = children[0].is_some() && children.iter().all(|child| *child == children[0]);
        (!one).then_some(None)
    }
    let mut rest = codes;
    node(&mut rest, level, greatest).is_some() && rest.is_empty()
}

impl Runs {
    fn check(&self, frame: &Frame) -> Result<(), GroundError> {
        let damaged = |i: usize, expected: &str, found: String| {
            GroundError::damaged(format!("change set, run {i}"), expected, found)
        };
        for (i, run) in self.runs.iter().enumerate() {
            if run.column >= frame.width() || run.row >= frame.height() {
                let found = format!("({}, {})", run.column, run.row);
                return Err(damaged(i, "a column and row of the ground", found));
            }
            if frame.patch_at(run.column, run.row).is_none() {
                let found = format!("({}, {})", run.column, run.row);
                return Err(damaged(i, "a column and row of a patch", found));
            }
            let most = Frame::MOST_SLICE;
            if run.from >= run.to || run.from < -most || run.to > most {
                let found = format!("{} to {}", run.from, run.to);
                return Err(damaged(i, "slices upwards within 2^24", found));
            }
            if usize::from(run.material) > frame.materials().len() {
                let expected = format!("a material of 0 to {}", frame.materials().len());
                return Err(damaged(i, &expected, run.material.to_string()));
            }
            let before = i.checked_sub(1).map(|before| self.runs[before]);
            let after = before.is_none_or(|before| {
                let place = |run: &ColumnRun| (run.row, run.column);
                place(&before) < place(run) || place(&before) == place(run) && before.to <= run.from
            });
            if !after {
                return Err(damaged(i, "runs in order", format!("{run:?}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Square;
    use super::*;

    /// A change set comes from elsewhere: its digest may be right, and its slices anything.
    #[test]
    fn branches_beyond_all_slices_are_refused() {
        let square = Square {
            x: 0,
            y: 0,
            level: 3,
        };
        let frame = Frame::of_patches([8, 8], [1.0; 3], vec!["soil".into()], 3, vec![square]);
        let frame = frame.unwrap();
        let checked = |slice| {
            let mut branches = Branches::default();
            branches.push(0, slice, Path::ROOT, &[1]);
            ChangeSet::new(Version::default(), Body::Branches(branches))
                .check(Version::default(), &frame)
        };
        for slice in [0, Frame::MOST_SLICE, -Frame::MOST_SLICE] {
            assert!(checked(slice).is_ok(), "{slice}");
        }
        for slice in [i32::MIN, i32::MAX, Frame::MOST_SLICE + 1] {
            assert!(checked(slice).is_err(), "{slice}");
        }
    }
}
