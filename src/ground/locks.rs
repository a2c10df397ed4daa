//! Reservations: nodes that are locked for a time (Pennings, section 5.3).

use std::collections::BTreeMap;

use super::path::Path;

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
