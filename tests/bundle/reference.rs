//! The slow twin of encoder and decoder: sample by sample, by the definitions, as a tree of boxes.
//!
//! Tests hold `compress::lossless` and `format::tree` to it.

use std::collections::VecDeque;

use viewcell::format::bytes::write_varint;
use viewcell::format::{Answer, Grid, Quad, Sample};

/// Answers for one sample.
pub type Mask<'a> = &'a dyn Fn(Sample) -> bool;

/// The samples of a quad that lie in the grid.
fn samples_of(grid: Grid, quad: Quad) -> impl Iterator<Item = Sample> {
    let side = 1 << quad.level;
    let origin = quad.origin();
    (0..side)
        .flat_map(move |r| (0..side).map(move |c| (c, r)))
        .map(move |(c, r)| Sample::new(origin.column + c, origin.row + r))
        .filter(move |&sample| grid.has_sample(sample))
}

/// What a PVS says of a quad, by definition.
pub fn state(grid: Grid, valid: Mask, pvs: Mask, quad: Quad) -> Answer {
    let terrain: Vec<Sample> = samples_of(grid, quad).filter(|&s| valid(s)).collect();
    if !terrain.iter().any(|&s| pvs(s)) {
        Answer::Hidden
    } else if terrain.iter().all(|&s| pvs(s)) {
        Answer::Visible
    } else {
        Answer::Mixed
    }
}

/// The bytes of the tree.
pub fn encode(grid: Grid, valid: Mask, pvs: Mask) -> Vec<u8> {
    let head = match state(grid, valid, pvs, grid.root()) {
        Answer::Hidden => return vec![0],
        Answer::Visible => return vec![1],
        Answer::Mixed => 2,
    };
    let mut nodes = Vec::new();
    let mut literals = Vec::new();
    let mut queue = VecDeque::from([grid.root()]);
    while let Some(quad) = queue.pop_front() {
        if quad.level == 3 {
            let mut word = 0u64;
            for sample in samples_of(grid, quad).filter(|&s| valid(s) && pvs(s)) {
                word |= 1 << ((sample.row % 8) * 8 + sample.column % 8);
            }
            literals.extend(word.to_le_bytes());
            continue;
        }
        let mut node = 0;
        for index in 0..4 {
            let child = quad.child(index).expect("level 4 or more");
            let code = match state(grid, valid, pvs, child) {
                Answer::Hidden => 0,
                Answer::Visible => 1,
                Answer::Mixed => {
                    queue.push_back(child);
                    2
                }
            };
            node |= code << (2 * index);
        }
        nodes.push(node);
    }
    let (bytes, length) = write_varint(head + nodes.len() as u32);
    [&bytes[..length], &nodes, &literals].concat()
}

/// A tree with its pointers in place.
#[derive(Debug)]
enum ReferenceNode {
    Leaf(bool),
    Block(u64),
    Inner([Box<ReferenceNode>; 4]),
}

/// The visible samples of a tree, in reading order; `None` unless the bytes are exactly a tree.
pub fn decode(grid: Grid, valid: Mask, bytes: &[u8]) -> Option<Vec<Sample>> {
    let (head, body) = viewcell::format::bytes::read_varint(bytes)?;
    let root = match head {
        0 | 1 if body.is_empty() => ReferenceNode::Leaf(head == 1),
        0 | 1 => return None,
        _ => {
            let (nodes, literals) = body.split_at_checked(head as usize - 2)?;
            build(grid, nodes, literals)?
        }
    };
    let visible = |sample: &Sample| valid(*sample) && lookup(&root, grid.root_level(), *sample);
    Some(samples_of(grid, grid.root()).filter(visible).collect())
}

/// Follows the breadth-first queue: levels, then the boxes from the last item back.
fn build(grid: Grid, nodes: &[u8], literals: &[u8]) -> Option<ReferenceNode> {
    let mut items = vec![(grid.root_level(), None::<u8>)];
    let mut at = 0;
    while at < items.len() {
        let (level, _) = items[at];
        if level > 3 {
            let node = *nodes.get(at)?;
            items[at].1 = Some(node);
            let unknown = (0..4).filter(|child| node >> (2 * child) & 3 == 2).count();
            items.extend(std::iter::repeat_n((level - 1, None), unknown));
        }
        at += 1;
    }
    let blocks = items.iter().filter(|(level, _)| *level == 3).count();
    if nodes.len() + blocks != items.len() || literals.len() != 8 * blocks {
        return None;
    }
    let mut literals = literals.rchunks_exact(8);
    let mut built: VecDeque<Box<ReferenceNode>> = VecDeque::new();
    for (_, node) in items.iter().rev() {
        let node = match node {
            None => ReferenceNode::Block(u64::from_le_bytes(literals.next()?.try_into().ok()?)),
            Some(byte) => {
                let mut children = Vec::new();
                // Later siblings were built first, so children come off the queue backwards.
                for child in (0..4).rev() {
                    children.push(match byte >> (2 * child) & 3 {
                        0 => Box::new(ReferenceNode::Leaf(false)),
                        1 => Box::new(ReferenceNode::Leaf(true)),
                        2 => built.pop_front()?,
                        _ => return None,
                    });
                }
                children.reverse();
                ReferenceNode::Inner(children.try_into().ok()?)
            }
        };
        built.push_back(Box::new(node));
    }
    built.pop_front().map(|root| *root)
}

fn lookup(node: &ReferenceNode, level: u32, sample: Sample) -> bool {
    match node {
        ReferenceNode::Leaf(visible) => *visible,
        ReferenceNode::Block(word) => word >> ((sample.row % 8) * 8 + sample.column % 8) & 1 == 1,
        ReferenceNode::Inner(children) => {
            let half = level - 1;
            let child = (sample.row >> half & 1) * 2 + (sample.column >> half & 1);
            lookup(&children[child as usize], half, sample)
        }
    }
}
