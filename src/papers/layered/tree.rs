//! The quadtree of one slice (Pennings, section 4.1).
//!
//! A node is a leaf of one material or has four children. In a *pruned* tree no four children are leaves
//! of the same material; then the tree follows from the cubes alone, and the same cubes have the same
//! bytes, whatever happened before.

use super::path::{Path, offset, quarter_of};

/// What a cube is of: 0 is empty, others are numbers of materials.
pub type Material = u8;

/// No soil at all.
pub const EMPTY: Material = 0;

/// The greatest number of a material.
pub const MOST_MATERIALS: Material = 254;

/// In a tree's codes, a node that has four children, which follow it.
pub const DIVIDED: u8 = 255;

/// A node: a leaf and its material, or the number of a group of four children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u32);

const LEAF: u32 = 1 << 31;

impl Node {
    pub(super) fn leaf(material: Material) -> Self {
        Self(LEAF | u32::from(material))
    }

    /// The material of a leaf; `None` of a node that is divided.
    pub(super) fn material(self) -> Option<Material> {
        (self.0 & LEAF != 0).then_some(self.0 as u8)
    }
}

/// The end of the list of groups that are not in use.
const NO_GROUP: Node = Node(LEAF - 1);

/// A quadtree over a square of a power of two of cubes a side; whoever keeps it knows the side.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) root: Node,
    /// Fours of children, clockwise from the north-west. One that is not in use begins with the
    /// number of the next that is not.
    groups: Vec<[Node; 4]>,
    unused: Node,
    free: u32,
}

impl Tree {
    /// A single leaf.
    pub fn of(material: Material) -> Self {
        Self {
            root: Node::leaf(material),
            groups: Vec::new(),
            unused: NO_GROUP,
            free: 0,
        }
    }

    /// The pruned tree of a square of `2^level` cubes a side; `at` says what the cube at
    /// (column, row) is of. Looks at every cube once.
    pub fn build(level: u8, at: &mut impl FnMut(u32, u32) -> Material) -> Self {
        let mut tree = Self::of(EMPTY);
        tree.root = tree.built([0, 0], level, at);
        tree.groups.shrink_to_fit();
        tree
    }

    fn built(
        &mut self,
        [x, y]: [u32; 2],
        level: u8,
        at: &mut impl FnMut(u32, u32) -> Material,
    ) -> Node {
        let Some(below) = level.checked_sub(1) else {
            return Node::leaf(at(x, y));
        };
        let children = [0, 1, 2, 3].map(|quarter| {
            let [dx, dy] = offset(quarter);
            self.built([x + (dx << below), y + (dy << below)], below, at)
        });
        self.node_of(children)
    }

    /// The leaf that stands for four equal leaves, or else a node with these children.
    pub(super) fn node_of(&mut self, children: [Node; 4]) -> Node {
        match children[0].material() {
            Some(_) if children.iter().all(|child| *child == children[0]) => children[0],
            _ => self.divided(children),
        }
    }

    /// A node with these children, pruned or not.
    pub(super) fn divided(&mut self, children: [Node; 4]) -> Node {
        if self.unused == NO_GROUP {
            self.groups.push(children);
            return Node(self.groups.len() as u32 - 1);
        }
        let node = self.unused;
        let group = &mut self.groups[node.0 as usize];
        self.unused = group[0];
        self.free -= 1;
        *group = children;
        node
    }

    /// The children of a node that is divided.
    pub(super) fn children(&self, node: Node) -> [Node; 4] {
        self.groups[node.0 as usize]
    }

    /// Gives back the group of a divided node alone.
    pub(super) fn release(&mut self, node: Node) {
        self.groups[node.0 as usize][0] = self.unused;
        self.unused = node;
        self.free += 1;
    }

    /// Gives back a node and all below it.
    pub(super) fn release_all(&mut self, node: Node) {
        if node.material().is_none() {
            for child in self.children(node) {
                self.release_all(child);
            }
            self.release(node);
        }
    }

    /// How many nodes it has, the root among them.
    pub fn nodes(&self) -> u64 {
        1 + 4 * (self.groups.len() as u64 - u64::from(self.free))
    }

    /// Memory that it takes beside itself. [Unit: bytes]
    pub fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<[Node; 4]>()
    }

    /// Its material, if it is a single leaf.
    pub fn uniform(&self) -> Option<Material> {
        self.root.material()
    }

    /// What the cube at (x, y) is of, counted from the tree's corner; it has `2^level` cubes a side.
    pub fn material(&self, level: u8, x: u32, y: u32) -> Material {
        let (mut node, mut level) = (self.root, level);
        loop {
            if let Some(material) = node.material() {
                return material;
            }
            level -= 1;
            node = self.children(node)[quarter_of(x, y, level)];
        }
    }

    /// Calls `leaf` for every leaf of a tree of `2^level` cubes a side that touches the square
    /// `from` to `to` (its end not part of it): corner, level and material.
    pub fn leaves_in(
        &self,
        level: u8,
        [from, to]: [[u32; 2]; 2],
        leaf: &mut impl FnMut(Path, [u32; 2], u8, Material),
    ) {
        self.leaves_below(self.root, Path::ROOT, [0, 0], level, [from, to], leaf);
    }

    fn leaves_below(
        &self,
        node: Node,
        path: Path,
        [x, y]: [u32; 2],
        level: u8,
        within: [[u32; 2]; 2],
        leaf: &mut impl FnMut(Path, [u32; 2], u8, Material),
    ) {
        let side = 1u64 << level;
        let touches = |at: u32, axis: usize| {
            u64::from(at) < u64::from(within[1][axis])
                && u64::from(at) + side > u64::from(within[0][axis])
        };
        if !(touches(x, 0) && touches(y, 1)) {
            return;
        }
        if let Some(material) = node.material() {
            leaf(path, [x, y], level, material);
            return;
        }
        for (quarter, child) in self.children(node).into_iter().enumerate() {
            let [dx, dy] = offset(quarter);
            let below = level - 1;
            let corner = [x + (dx << below), y + (dy << below)];
            self.leaves_below(child, path.child(quarter), corner, below, within, leaf);
        }
    }

    /// Adds the codes of a node and all below it, in one pass: [`DIVIDED`] before four children, or
    /// a leaf's material (Pennings, section 4.3.2).
    pub(super) fn write_codes(&self, node: Node, codes: &mut Vec<u8>) {
        match node.material() {
            Some(material) => codes.push(material),
            None => {
                codes.push(DIVIDED);
                for child in self.children(node) {
                    self.write_codes(child, codes);
                }
            }
        }
    }

    /// The codes of the whole tree.
    pub fn codes(&self) -> Vec<u8> {
        let mut codes = Vec::with_capacity(self.nodes() as usize);
        self.write_codes(self.root, &mut codes);
        codes
    }

    /// The tree of codes, at most `2^level` cubes a side, as they are, pruned or not. `None` where they
    /// are no tree or are left over.
    pub fn of_codes(codes: &[u8], level: u8) -> Option<Self> {
        let mut tree = Self::of(EMPTY);
        tree.groups.reserve_exact(codes.len() / 4);
        let (mut codes, mut sound) = (codes.iter().copied(), true);
        tree.root = tree.read_codes(&mut codes, level, &mut sound);
        (sound && codes.next().is_none()).then_some(tree)
    }

    /// Reads a node and all below it.
    pub(super) fn read_codes(
        &mut self,
        codes: &mut impl Iterator<Item = u8>,
        level: u8,
        sound: &mut bool,
    ) -> Node {
        match codes.next() {
            Some(DIVIDED) if level > 0 && *sound => {
                let children = [(); 4].map(|()| self.read_codes(codes, level - 1, sound));
                self.divided(children)
            }
            Some(material) if material != DIVIDED => Node::leaf(material),
            _ => {
                *sound = false;
                Node::leaf(EMPTY)
            }
        }
    }

    /// Whether no four children are equal leaves.
    pub fn is_pruned(&self) -> bool {
        self.pruned_below(self.root)
    }

    fn pruned_below(&self, node: Node) -> bool {
        if node.material().is_some() {
            return true;
        }
        let children = self.children(node);
        let one = children[0].material().is_some() && children.iter().all(|c| *c == children[0]);
        !one && children.iter().all(|child| self.pruned_below(*child))
    }

    /// Puts a branch, as codes, in the place of the node at `path` (Pennings, section 4.3.4, step 4). Where
    /// a leaf stands on the way, it is divided first. Does not prune. `false` where the codes are no tree.
    pub(super) fn swap_in(&mut self, path: Path, level: u8, codes: &[u8]) -> bool {
        let Some(below) = level.checked_sub(path.length()) else {
            return false;
        };
        let (mut codes, mut sound) = (codes.iter().copied(), true);
        let branch = self.read_codes(&mut codes, below, &mut sound);
        if !sound || codes.next().is_some() {
            self.release_all(branch);
            return false;
        }
        let mut at: Option<(Node, usize)> = None;
        for step in path.steps() {
            let mut node = self.child(at);
            if node.material().is_some() {
                node = self.divided([node; 4]);
                self.set_child(at, node);
            }
            at = Some((node, step));
        }
        self.release_all(self.child(at));
        self.set_child(at, branch);
        true
    }

    fn child(&self, at: Option<(Node, usize)>) -> Node {
        match at {
            None => self.root,
            Some((parent, quarter)) => self.children(parent)[quarter],
        }
    }

    fn set_child(&mut self, at: Option<(Node, usize)>, node: Node) {
        match at {
            None => self.root = node,
            Some((parent, quarter)) => self.groups[parent.0 as usize][quarter] = node,
        }
    }

    /// Joins four equal leaves, from the parent of the node at `path` upwards (Pennings, section 4.3.4,
    /// step 5). To be called when all changes have been made.
    pub(super) fn prune(&mut self, path: Path) {
        let mut way = [NO_GROUP; Path::MOST as usize];
        let mut depth = 0;
        let mut node = self.root;
        for step in path.steps() {
            if node.material().is_some() {
                break; // it was joined already
            }
            way[depth] = node;
            depth += 1;
            node = self.children(node)[step];
        }
        let steps: Vec<usize> = path.steps().collect();
        while let Some(above) = depth.checked_sub(1) {
            let children = self.children(way[above]);
            let equal = children.iter().all(|child| *child == children[0]);
            if children[0].material().is_none() || !equal {
                break;
            }
            self.release(way[above]);
            let parent = above.checked_sub(1).map(|i| (way[i], steps[i]));
            self.set_child(parent, children[0]);
            depth = above;
        }
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        fn same(a: &Tree, b: &Tree, (x, y): (Node, Node)) -> bool {
            match (x.material(), y.material()) {
                (None, None) => {
                    let pairs = a.children(x).into_iter().zip(b.children(y));
                    pairs.into_iter().all(|pair| same(a, b, pair))
                }
                (x, y) => x == y,
            }
        }
        same(self, other, (self.root, other.root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_the_cubes_it_was_built_from() {
        let at = |x: u32, y: u32| u8::from(x * x + y * y < 90) + u8::from(x > 12);
        let tree = Tree::build(4, &mut |x, y| at(x, y));
        for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
            assert_eq!(tree.material(4, x, y), at(x, y));
        }
        assert!(tree.is_pruned());
        assert_eq!(tree.codes().len() as u64, tree.nodes());
        assert_eq!(Tree::of_codes(&tree.codes(), 4).as_ref(), Some(&tree));
        assert_eq!(Tree::of_codes(&tree.codes(), 3), None, "too deep");
        let mut covered = 0;
        tree.leaves_in(
            4,
            [[0, 0], [16, 16]],
            &mut |path, corner, level, material| {
                assert_eq!(path.square(4), Some((corner, level)));
                assert_eq!(at(corner[0], corner[1]), material);
                covered += 1u64 << (2 * level);
            },
        );
        assert_eq!(covered, 256);
    }

    #[test]
    fn a_change_below_a_leaf_is_not_lost() {
        // Four leaves that were joined before the second of two changes came.
        let mut tree = Tree::of(1);
        assert!(tree.swap_in(Path::parse("01").unwrap(), 3, &[2]));
        assert!(tree.swap_in(Path::parse("02").unwrap(), 3, &[2]));
        assert_eq!(tree.nodes(), 9);
        for path in ["01", "02"] {
            tree.prune(Path::parse(path).unwrap());
        }
        assert_eq!((tree.material(3, 2, 0), tree.material(3, 0, 0)), (2, 1));
        for path in ["01", "02"] {
            assert!(tree.swap_in(Path::parse(path).unwrap(), 3, &[1]));
        }
        tree.prune(Path::parse("01").unwrap());
        assert_eq!((tree.nodes(), tree.uniform()), (1, Some(1)));
    }

    #[test]
    fn codes_that_are_no_tree_are_refused() {
        assert_eq!(Tree::of_codes(&[], 2), None);
        assert_eq!(Tree::of_codes(&[1, 1], 2), None);
        assert_eq!(Tree::of_codes(&[DIVIDED, 1, 2, 3], 2), None);
        assert_eq!(Tree::of_codes(&[DIVIDED, 1, 2, 3, 4], 0), None);
        let mut tree = Tree::of(3);
        let path = Path::parse("000").unwrap();
        assert!(!tree.swap_in(path, 2, &[1]) && !tree.swap_in(Path::ROOT, 2, &[255]));
        assert_eq!(tree.nodes(), 1);
    }
}
