//! Portals of a level that has none: the planes of its nodes, cut down to where cells meet.

use super::winding::{Plane, Point, between, cross, dot, minus};
use viewcell_ingest::world::{BspChild, BspTree, CellGraph, Portal};

/// Corners this near to a node's plane are on it. Planes are stored in single precision, which is
/// off by 2e-4 at the rim of a level.
const ON_NODE: f64 = 0.01;

/// Compilers drop what has fewer than three edges longer than this.
const TINY_EDGE: f64 = 0.2;

/// Contents of a leaf of sky, in Quake and Half-Life. Other formats have no negative contents.
const SKY: i32 = -6;

/// Finds the portals between the cells of a level by its BSP tree, which the compilers had and did
/// not store: the plane of each node, as far as it reaches between the planes of the nodes above
/// it, is cut by the nodes below it on both sides until each piece lies between two leaves. Each
/// portal points from its first cell into its second. Empty if the level has no tree.
///
/// Leaves that share a cell because only detail brushes part them are one leaf here, as they were
/// to the compiler: where all open leaves below a node are of one cell, the cell is all of it,
/// with what is solid in it. There are no portals between sky and what is not sky, nor where one
/// cell has solid leaves of its own in its sky and the other has not: compilers let nobody look
/// through there.
///
/// What a tree does not tell is which solid is detail: a node with an open leaf on one side and
/// solid on the other is the same whether the solid belongs to the leaf's cell or to the world. A
/// cell of a single open leaf is taken as the leaf alone, and a portal of the compiler's that lies
/// in solid detail is not found. Solid is opaque, so that no line of sight is lost with it: what is
/// hidden by these portals is hidden. (What is solid to walk on but not opaque, such as a fence,
/// has leaves of its own, and so a cell.)
///
/// O(nodes · depth) polygons are cut.
pub fn recover(graph: &CellGraph) -> Vec<Portal> {
    let Some(tree) = &graph.tree else {
        return Vec::new();
    };
    let cutter = Cutter::new(tree);
    let mut portals = Vec::new();
    // Each with the number of planes above it; `None` for the root.
    let mut stack: Vec<(BspChild, usize, Option<Plane>)> = vec![(tree.root(), 0, None)];
    let mut above: Vec<Plane> = Vec::new();
    while let Some((at, depth, side)) = stack.pop() {
        above.truncate(depth);
        above.extend(side);
        let Inside::Node(node) = cutter.inside(at) else {
            continue;
        };
        let plane = plane_of(tree, node);
        let [front, back] = tree.nodes()[node].children;
        let reach = above
            .iter()
            .try_fold(cutter.square(&plane), |reach, plane| {
                Some(split(&reach, plane).0).filter(|reach| reach.len() >= 3)
            })
            .filter(|reach| !is_tiny(reach));
        if let Some(reach) = reach {
            for (into, piece) in cutter.pieces(front, reach, plane.normal) {
                for (from, piece) in cutter.pieces(back, piece, plane.normal.map(|x| -x)) {
                    if cutter.connects(from, into) {
                        portals.push(Portal {
                            cells: [from, into],
                            winding: piece,
                        });
                    }
                }
            }
        }
        stack.push((back, above.len(), Some(plane.flipped())));
        stack.push((front, above.len(), Some(plane)));
    }
    portals
}

/// What a subtree is.
enum Inside {
    /// Nothing that anybody is in.
    Solid,
    /// One cell.
    Cell(u32),
    /// Several: a node to go down from.
    Node(usize),
}

struct Cutter<'a> {
    tree: &'a BspTree,
    /// For each node, the cell of all open leaves below it, where both sides have some.
    whole: Vec<Option<u32>>,
    /// For each cell: whether it has leaves of sky, and of anything else.
    sky: Vec<[bool; 2]>,
    /// No corner of the level has a greater coordinate.
    reach: f64,
}

impl<'a> Cutter<'a> {
    fn new(tree: &'a BspTree) -> Self {
        let bounds = tree.leaves().iter().flat_map(|leaf| leaf.bounds).flatten();
        let reach = bounds
            .map(|x| f64::from(x).abs())
            .filter(|x| x.is_finite())
            .fold(1024.0, f64::max);
        let mut sky = vec![[false; 2]; tree.cells()];
        for leaf in tree.leaves() {
            if let Some(cell) = leaf.cell {
                sky[cell as usize][usize::from(leaf.contents != SKY)] = true;
            }
        }
        Self {
            tree,
            whole: whole_nodes(tree),
            sky,
            reach: 2.0 * reach,
        }
    }

    fn inside(&self, at: BspChild) -> Inside {
        let cell = match at {
            BspChild::Leaf(leaf) => self.tree.leaves()[leaf as usize].cell,
            BspChild::Node(node) => match self.whole[node as usize] {
                Some(cell) => Some(cell),
                None => return Inside::Node(node as usize),
            },
        };
        cell.map_or(Inside::Solid, Inside::Cell)
    }

    /// The pieces of a polygon that border on cells below `at`; what lies below `at` begins on
    /// the side of the polygon that `towards` points to.
    fn pieces(&self, at: BspChild, polygon: Vec<Point>, towards: Point) -> Vec<(u32, Vec<Point>)> {
        let mut found = Vec::new();
        let mut stack = vec![(at, polygon)];
        while let Some((at, polygon)) = stack.pop() {
            let node = match self.inside(at) {
                Inside::Solid => continue,
                Inside::Cell(cell) => {
                    found.push((cell, polygon));
                    continue;
                }
                Inside::Node(node) => node,
            };
            let plane = plane_of(self.tree, node);
            let [front, back] = self.tree.nodes()[node].children;
            if polygon.iter().all(|&p| plane.height(p).abs() <= ON_NODE) {
                let ahead = dot(plane.normal, towards) > 0.0;
                stack.push((if ahead { front } else { back }, polygon));
                continue;
            }
            let (in_front, behind) = split(&polygon, &plane);
            // As compilers do: what is too small to be a portal goes with the rest.
            match (is_tiny(&in_front), is_tiny(&behind)) {
                (true, true) => {}
                (true, false) => stack.push((back, polygon)),
                (false, true) => stack.push((front, polygon)),
                (false, false) => stack.extend([(back, behind), (front, in_front)]),
            }
        }
        found
    }

    fn connects(&self, a: u32, b: u32) -> bool {
        let [sky_a, sky_b] = [a, b].map(|cell| self.sky[cell as usize]);
        let alike = sky_a == sky_b || !sky_a[0] && !sky_b[0];
        a != b && alike
    }

    /// A square in a plane that reaches beyond the level, its normal that of the plane.
    fn square(&self, plane: &Plane) -> Vec<Point> {
        let normal = plane.normal;
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs()));
        let mut up = [0.0; 3];
        up[axes[0]] = 1.0;
        let right = cross(up, normal);
        let right = right.map(|x| x / dot(right, right).sqrt());
        let up = cross(normal, right);
        // Cuts reach the corners of the level's box: √3 times as far, and away from the origin.
        let side = 4.0 * self.reach + plane.dist.abs();
        let corner = |u: f64, v: f64| {
            std::array::from_fn(|k| normal[k] * plane.dist + side * (u * right[k] + v * up[k]))
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let square = corners.map(|(u, v)| corner(u, v)).to_vec();
        let box_planes = (0..3).flat_map(|k| {
            [-1.0, 1.0].map(|sign| {
                let mut normal = [0.0; 3];
                normal[k] = sign;
                let dist = -self.reach;
                Plane { normal, dist }
            })
        });
        box_planes.fold(square, |square, plane| split(&square, &plane).0)
    }
}

/// For each node the cell of the open leaves below it, if it is one and both sides have some.
fn whole_nodes(tree: &BspTree) -> Vec<Option<u32>> {
    /// The cells below a node.
    #[derive(Clone, Copy, PartialEq)]
    enum Below {
        None,
        One(u32),
        More,
    }
    let nodes = tree.nodes();
    let mut below = vec![Below::None; nodes.len()];
    let mut whole = vec![None; nodes.len()];
    for node in tree.parents_first().into_iter().rev() {
        let sides = nodes[node].children.map(|child| match child {
            BspChild::Node(node) => below[node as usize],
            BspChild::Leaf(leaf) => {
                let cell = tree.leaves()[leaf as usize].cell;
                cell.map_or(Below::None, Below::One)
            }
        });
        below[node] = match sides {
            [Below::None, one] | [one, Below::None] => one,
            [Below::One(a), Below::One(b)] if a == b => {
                whole[node] = Some(a);
                Below::One(a)
            }
            _ => Below::More,
        };
    }
    whole
}

fn plane_of(tree: &BspTree, node: usize) -> Plane {
    let node = &tree.nodes()[node];
    let normal = node.normal.map(f64::from);
    let length = dot(normal, normal).sqrt();
    Plane {
        normal: normal.map(|x| x / length),
        dist: node.dist / length,
    }
}

/// The parts of a convex polygon in front of a plane and behind it. A part that is no more than
/// corners on the plane is empty; a polygon in the plane is in front.
fn split(polygon: &[Point], plane: &Plane) -> (Vec<Point>, Vec<Point>) {
    let heights: Vec<f64> = polygon.iter().map(|&p| plane.height(p)).collect();
    if heights.iter().all(|&h| h >= -ON_NODE) {
        return (polygon.to_vec(), Vec::new());
    }
    if heights.iter().all(|&h| h <= ON_NODE) {
        return (Vec::new(), polygon.to_vec());
    }
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (i, &a) in polygon.iter().enumerate() {
        let next = (i + 1) % polygon.len();
        let (height_a, height_b) = (heights[i], heights[next]);
        if height_a >= -ON_NODE {
            front.push(a);
        }
        if height_a <= ON_NODE {
            back.push(a);
        }
        if height_a > ON_NODE && height_b < -ON_NODE || height_a < -ON_NODE && height_b > ON_NODE {
            let crossing = between(a, polygon[next], height_a / (height_a - height_b));
            front.push(crossing);
            back.push(crossing);
        }
    }
    (front, back)
}

fn is_tiny(winding: &[Point]) -> bool {
    let next = winding.iter().cycle().skip(1);
    let long = winding.iter().zip(next).filter(|&(&a, &b)| {
        let edge = minus(b, a);
        dot(edge, edge) > TINY_EDGE * TINY_EDGE
    });
    long.count() < 3
}
