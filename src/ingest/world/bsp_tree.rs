//! A binary space partition: from a point to its cell.

/// A node: a plane that cuts a convex part of space in two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BspNode {
    /// Normal of the plane.
    pub normal: [f32; 3],
    /// Distance of the plane from the origin along the normal: a point p is in front if
    /// normal · p >= dist. Doom's lines have whole coordinates whose products no `f32` holds.
    pub dist: f64,
    /// What lies in front of the plane, and behind it.
    pub children: [BspChild; 2],
}

/// What lies on one side of a node's plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BspChild {
    /// A further node, by its index.
    Node(u32),
    /// A leaf, by its index.
    Leaf(u32),
}

/// A convex part of space that is cut no further.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BspLeaf {
    /// Contents as the file has them; what they mean differs from format to format.
    pub contents: i32,
    /// The cell that the leaf belongs to; none for solid, and for what no PVS speaks of.
    pub cell: Option<u32>,
    /// Corners with the smallest and the greatest coordinates, as the file has them.
    pub bounds: [[f32; 3]; 2],
}

/// Nodes and leaves of a level's world, checked: every child is there, every node has one
/// parent (so no walk goes in circles), every plane is finite, and every cell is below the
/// number of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct BspTree {
    nodes: Vec<BspNode>,
    leaves: Vec<BspLeaf>,
    root: BspChild,
    cells: usize,
}

/// Why nodes and leaves are no tree.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BspTreeError {
    /// A child that is not there.
    #[error(
        "expected children of node {node} among {nodes} nodes and {leaves} leaves, found {child:?}"
    )]
    Child {
        /// The node.
        node: usize,
        /// Its child.
        child: BspChild,
        /// Nodes there are.
        nodes: usize,
        /// Leaves there are.
        leaves: usize,
    },
    /// The root is not there.
    #[error("expected a root among {nodes} nodes and {leaves} leaves, found {root:?}")]
    Root {
        /// The root.
        root: BspChild,
        /// Nodes there are.
        nodes: usize,
        /// Leaves there are.
        leaves: usize,
    },
    /// A node that is reached twice: a circle, or a tree grown together.
    #[error("expected one parent for each node, found node {node} reached a second time")]
    Shared {
        /// The node.
        node: usize,
    },
    /// A plane that is no plane.
    #[error(
        "expected a finite plane with a normal at node {node}, found normal {normal:?}, distance {dist}"
    )]
    Plane {
        /// The node.
        node: usize,
        /// Its normal.
        normal: [f32; 3],
        /// Its distance.
        dist: f64,
    },
    /// A leaf that names a cell that is not there.
    #[error("expected a cell below {cells} at leaf {leaf}, found {cell}")]
    Cell {
        /// The leaf.
        leaf: usize,
        /// Its cell.
        cell: u32,
        /// Cells there are.
        cells: usize,
    },
}

impl BspTree {
    /// A tree of these nodes and leaves over `cells` cells. Nodes and leaves that the root does
    /// not lead to (those of other models of the level) are allowed and never visited.
    ///
    /// # Errors
    ///
    /// Where an index leads out of the tree or to a cell that is none, a node is reached twice, or a number
    /// is NaN or infinite.
    pub fn new(
        nodes: Vec<BspNode>,
        leaves: Vec<BspLeaf>,
        root: BspChild,
        cells: usize,
    ) -> Result<Self, BspTreeError> {
        let there = |child| match child {
            BspChild::Node(node) => (node as usize) < nodes.len(),
            BspChild::Leaf(leaf) => (leaf as usize) < leaves.len(),
        };
        if !there(root) {
            return Err(BspTreeError::Root {
                root,
                nodes: nodes.len(),
                leaves: leaves.len(),
            });
        }
        for (leaf, found) in leaves.iter().enumerate() {
            if let Some(cell) = found.cell.filter(|&cell| cell as usize >= cells) {
                return Err(BspTreeError::Cell { leaf, cell, cells });
            }
        }
        let mut reached = vec![false; nodes.len()];
        let mut stack = vec![root];
        while let Some(child) = stack.pop() {
            let BspChild::Node(node) = child else {
                continue;
            };
            let node = node as usize;
            if std::mem::replace(&mut reached[node], true) {
                return Err(BspTreeError::Shared { node });
            }
            let BspNode {
                normal,
                dist,
                children,
            } = nodes[node];
            let finite = dist.is_finite() && normal.iter().all(|x| x.is_finite());
            if !finite || normal == [0.0; 3] {
                return Err(BspTreeError::Plane { node, normal, dist });
            }
            for child in children {
                if !there(child) {
                    return Err(BspTreeError::Child {
                        node,
                        child,
                        nodes: nodes.len(),
                        leaves: leaves.len(),
                    });
                }
                stack.push(child);
            }
        }
        Ok(Self {
            nodes,
            leaves,
            root,
            cells,
        })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[BspNode] {
        &self.nodes
    }

    /// The leaves.
    pub fn leaves(&self) -> &[BspLeaf] {
        &self.leaves
    }

    /// Where the tree begins.
    pub fn root(&self) -> BspChild {
        self.root
    }

    /// The numbers of its nodes, each before its children.
    pub fn parents_first(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut stack = vec![self.root];
        while let Some(child) = stack.pop() {
            if let BspChild::Node(node) = child {
                order.push(node as usize);
                let [front, behind] = self.nodes[node as usize].children;
                stack.extend([behind, front]);
            }
        }
        order
    }

    /// The number of cells that the leaves belong to.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The leaf that holds a point. A point on a plane is in front of it. O(depth).
    pub fn leaf_at(&self, point: [f64; 3]) -> usize {
        let mut at = self.root;
        loop {
            match at {
                BspChild::Leaf(leaf) => return leaf as usize,
                BspChild::Node(node) => {
                    let node = &self.nodes[node as usize];
                    let [x, y, z] = node.normal.map(f64::from);
                    let height = x * point[0] + y * point[1] + z * point[2] - node.dist;
                    at = node.children[usize::from(height < 0.0)];
                }
            }
        }
    }

    /// The cell that holds a point; none in solid, and outside of the level.
    pub fn locate(&self, point: [f64; 3]) -> Option<u32> {
        self.leaves[self.leaf_at(point)].cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(cell: Option<u32>) -> BspLeaf {
        BspLeaf {
            contents: 0,
            cell,
            bounds: [[0.0; 3]; 2],
        }
    }

    fn node(x: f64, front: BspChild, back: BspChild) -> BspNode {
        BspNode {
            normal: [1.0, 0.0, 0.0],
            dist: x,
            children: [front, back],
        }
    }

    use BspChild::{Leaf, Node};

    #[test]
    fn a_point_is_in_the_cell_on_its_side_of_every_plane() {
        let nodes = vec![node(0.0, Node(1), Leaf(0)), node(8.0, Leaf(2), Leaf(1))];
        let leaves = vec![leaf(None), leaf(Some(0)), leaf(Some(1))];
        let tree = BspTree::new(nodes, leaves, Node(0), 2).unwrap();
        let at = |x: f64| tree.locate([x, 3.0, -7.0]);
        assert_eq!(
            [at(-1e9), at(-1e-9), at(0.0), at(7.9), at(8.0), at(1e9)],
            [None, None, Some(0), Some(0), Some(1), Some(1)]
        );
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let leaves = || vec![leaf(None), leaf(Some(0))];
        let make = |nodes, root| BspTree::new(nodes, leaves(), root, 1).unwrap_err();
        assert!(matches!(
            make(vec![], Node(0)),
            BspTreeError::Root { root: Node(0), .. }
        ));
        assert!(matches!(
            make(vec![node(0.0, Leaf(0), Leaf(2))], Node(0)),
            BspTreeError::Child { child: Leaf(2), .. }
        ));
        assert!(matches!(
            make(vec![node(0.0, Leaf(0), Node(0))], Node(0)),
            BspTreeError::Shared { node: 0 }
        ));
        let twice = vec![node(0.0, Node(1), Node(1)), node(0.0, Leaf(0), Leaf(1))];
        assert!(matches!(
            make(twice, Node(0)),
            BspTreeError::Shared { node: 1 }
        ));
        assert!(matches!(
            make(vec![node(f64::NAN, Leaf(0), Leaf(1))], Node(0)),
            BspTreeError::Plane { node: 0, .. }
        ));
        let leaves = vec![leaf(Some(1))];
        assert!(matches!(
            BspTree::new(vec![], leaves, Leaf(0), 1).unwrap_err(),
            BspTreeError::Cell { leaf: 0, .. }
        ));
    }
}
