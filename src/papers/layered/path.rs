//! Names of nodes: the way from a slice's root; and reservations of nodes (Pennings, section 5.3).

use std::collections::BTreeMap;

/// The way from a slice's root to a node: which child to take at each level, clockwise from the
/// north-west (0 north-west, 1 north-east, 2 south-east, 3 south-west).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// Two bits a step; the first step is the highest of those in use.
    steps: u64,
    length: u8,
}

impl Path {
    /// The most steps: patches are squares of at most 2^24 cubes a side.
    pub const MOST: u8 = 24;

    /// The way to the root itself.
    pub const ROOT: Self = Self {
        steps: 0,
        length: 0,
    };

    /// The way on to a child.
    pub fn child(self, quarter: usize) -> Self {
        Self {
            steps: self.steps << 2 | quarter as u64,
            length: self.length + 1,
        }
    }

    /// The steps, two bits each, the first in the highest bits.
    pub fn bits(self) -> u64 {
        self.steps
    }

    /// How many steps it has.
    pub fn length(self) -> u8 {
        self.length
    }

    /// The steps, first to last.
    pub fn steps(self) -> impl Iterator<Item = usize> {
        (0..self.length)
            .rev()
            .map(move |i| (self.steps >> (2 * i) & 3) as usize)
    }

    /// Whether one of the two nodes holds the other, or they are the same.
    pub fn overlaps(self, other: Self) -> bool {
        let common = self.length.min(other.length);
        self.steps >> (2 * (self.length - common)) == other.steps >> (2 * (other.length - common))
    }

    /// Whether the other node is this one or lies in it.
    pub fn holds(self, other: Self) -> bool {
        self.length <= other.length && self.overlaps(other)
    }

    /// The node's corner, in cubes from the patch's, and its level, in a patch of `2^level` a side.
    /// `None` where the path is longer than the patch is deep.
    pub fn square(self, level: u8) -> Option<([u32; 2], u8)> {
        let mut left = level;
        let mut corner = [0; 2];
        for step in self.steps() {
            left = left.checked_sub(1)?;
            let [x, y] = offset(step);
            corner = [corner[0] + (x << left), corner[1] + (y << left)];
        }
        Some((corner, left))
    }

    /// From digits 0 to 3.
    pub fn parse(text: &str) -> Option<Self> {
        let mut path = Self::ROOT;
        for digit in text.bytes() {
            if !(b'0'..=b'3').contains(&digit) || path.length == Self::MOST {
                return None;
            }
            path = path.child(usize::from(digit - b'0'));
        }
        Some(path)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.steps().try_for_each(|step| write!(f, "{step}"))
    }
}

/// Column and row of a child among the four, clockwise from the north-west.
pub(super) fn offset(quarter: usize) -> [u32; 2] {
    [
        u32::from(quarter == 1 || quarter == 2),
        u32::from(quarter >= 2),
    ]
}

/// Which child of a node of `2^(level + 1)` a side holds the cube at (x, y).
pub(super) fn quarter_of(x: u32, y: u32, level: u8) -> usize {
    let (east, south) = (x >> level & 1, y >> level & 1);
    ((south * 3) ^ east) as usize
}

/// A node: patch, slice and the way to it.
pub type NodeName = (u32, i32, Path);

/// The node, who holds it, until when.
type Lock = (Path, u64, u64);

/// Who holds which nodes, and until when. Time is a number; its unit is the caller's.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    /// For each slice of a patch: the node, who holds it, until when.
    held: BTreeMap<(u32, i32), Vec<Lock>>,
}

impl Locks {
    /// Forgets locks that ended.
    pub fn expire(&mut self, now: u64) {
        self.held.retain(|_, locks| {
            locks.retain(|(.., until)| *until > now);
            !locks.is_empty()
        });
    }

    /// Somebody who holds one of these nodes, one in it or one around it; the holder `own` is not meant.
    pub fn conflict(&self, nodes: &[NodeName], own: Option<u64>) -> Option<u64> {
        nodes.iter().find_map(|(patch, slice, path)| {
            let locks = self.held.get(&(*patch, *slice))?;
            let other = |(held, holder, _): &&Lock| Some(*holder) != own && held.overlaps(*path);
            locks.iter().find(other).map(|(_, holder, _)| *holder)
        })
    }

    /// Locks nodes for somebody.
    pub fn lock(&mut self, holder: u64, nodes: Vec<NodeName>, until: u64) {
        for (patch, slice, path) in nodes {
            let locks = self.held.entry((patch, slice)).or_default();
            locks.push((path, holder, until));
        }
    }

    /// Whether somebody holds a node, or one around it.
    pub fn holds(&self, holder: u64, (patch, slice, path): NodeName) -> bool {
        let locks = self.held.get(&(patch, slice));
        let own = |(held, who, _): &(Path, u64, u64)| *who == holder && held.holds(path);
        locks.is_some_and(|locks| locks.iter().any(own))
    }

    /// Gives back all that somebody holds.
    pub fn release(&mut self, holder: u64) {
        self.held.retain(|_, locks| {
            locks.retain(|(_, who, _)| *who != holder);
            !locks.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_go_clockwise_and_back() {
        for quarter in 0..4 {
            let [x, y] = offset(quarter);
            assert_eq!(quarter_of(x, y, 0), quarter, "{quarter}");
        }
    }

    #[test]
    fn paths_lead_to_squares() {
        let path = Path::parse("0213").unwrap();
        assert_eq!(path.to_string(), "0213");
        assert_eq!(path.square(5), Some(([8 + 4, 8 + 2], 1)));
        assert_eq!(path.square(3), None);
        assert_eq!(Path::parse("04"), None);
        let near = Path::parse("02").unwrap();
        assert!(near.holds(path) && !path.holds(near) && path.overlaps(near));
        assert!(!Path::parse("03").unwrap().overlaps(path));
        assert!(Path::ROOT.holds(path));
    }

    #[test]
    fn a_node_is_locked_with_what_is_in_it_and_around_it_until_its_time_is_over() {
        let node = |slice: i32, path: &str| (0, slice, Path::parse(path).unwrap());
        let mut locks = Locks::default();
        locks.lock(7, vec![node(3, "01")], 100);
        for (name, free) in [
            (node(3, "01"), false),
            (node(3, "012"), false),
            (node(3, "0"), false),
            (node(3, ""), false),
            (node(3, "02"), true),
            (node(4, "01"), true),
            ((1, 3, Path::ROOT), true),
        ] {
            assert_eq!(locks.conflict(&[name], None).is_none(), free, "{name:?}");
            assert!(locks.conflict(&[name], Some(7)).is_none(), "a holder's own");
        }
        assert!(locks.holds(7, node(3, "0123")) && !locks.holds(7, node(3, "0")));
        assert!(!locks.holds(8, node(3, "01")));
        locks.expire(99);
        assert_eq!(locks.conflict(&[node(3, "01")], Some(8)), Some(7));
        locks.expire(100);
        assert_eq!(locks.conflict(&[node(3, "01")], None), None);
    }
}
