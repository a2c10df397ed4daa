//! Trees of other libraries, used as a matcher would: the updates in a tree, each subscription looks in
//! it, and two ticks' pairs are compared.

use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rstar::{AABB, RTree, RTreeObject};

/// How many pairs began, and how many ceased.
pub type Changes = (u64, u64);

/// Lower and upper corners.
pub type Boxes = [([f32; 3], [f32; 3])];

pub trait Matcher {
    fn tick(&mut self, boxes: &Boxes) -> Changes;
}

/// The names of all, and themselves.
pub fn all() -> Vec<(&'static str, Box<dyn Matcher>)> {
    vec![
        ("parry3d rebuilt", Box::<Rebuilt>::default()),
        ("parry3d refitted", Box::<Refitted>::default()),
        ("rstar rebuilt", Box::<Star>::default()),
    ]
}

/// Pairs of this tick and of the last, sorted.
#[derive(Default)]
struct Pairs {
    last: Vec<(u32, u32)>,
    now: Vec<(u32, u32)>,
}

impl Pairs {
    fn changes(&mut self) -> Changes {
        self.now.sort_unstable();
        let (mut a, mut b) = (self.last.iter().peekable(), self.now.iter().peekable());
        let mut changes = (0, 0);
        loop {
            match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(old), Some(new)) if old == new => {
                    a.next();
                    b.next();
                }
                (Some(old), new) if new.is_none_or(|new| old < new) => {
                    changes.1 += 1;
                    a.next();
                }
                _ => {
                    changes.0 += 1;
                    b.next();
                }
            }
        }
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.clear();
        changes
    }
}

fn aabb(&(min, max): &([f32; 3], [f32; 3])) -> Aabb {
    Aabb::new(min.into(), max.into())
}

#[derive(Default)]
struct Rebuilt {
    pairs: Pairs,
}

impl Matcher for Rebuilt {
    fn tick(&mut self, boxes: &Boxes) -> Changes {
        let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
        look(&tree, &leaves, &mut self.pairs)
    }
}

#[derive(Default)]
struct Refitted {
    pairs: Pairs,
    tree: Bvh,
    space: BvhWorkspace,
}

impl Matcher for Refitted {
    fn tick(&mut self, boxes: &Boxes) -> Changes {
        let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
        for (leaf, bounds) in (0..).zip(&leaves) {
            self.tree.insert_or_update_partially(*bounds, leaf, 0.0);
        }
        self.tree.refit(&mut self.space);
        self.tree.optimize_incremental(&mut self.space);
        look(&self.tree, &leaves, &mut self.pairs)
    }
}

fn look(tree: &Bvh, leaves: &[Aabb], pairs: &mut Pairs) -> Changes {
    for (subscription, bounds) in (0..).zip(leaves) {
        let found = tree.intersect_aabb(bounds);
        pairs.now.extend(found.map(|update| (update, subscription)));
    }
    pairs.changes()
}

#[derive(Default)]
struct Star {
    pairs: Pairs,
}

struct Leaf(AABB<[f32; 3]>, u32);

impl RTreeObject for Leaf {
    type Envelope = AABB<[f32; 3]>;

    fn envelope(&self) -> Self::Envelope {
        self.0
    }
}

impl Matcher for Star {
    fn tick(&mut self, boxes: &Boxes) -> Changes {
        let leaf = |(number, &(min, max)): (u32, &_)| Leaf(AABB::from_corners(min, max), number);
        let tree = RTree::bulk_load((0..).zip(boxes).map(leaf).collect());
        for (subscription, &(min, max)) in (0..).zip(boxes) {
            let found = tree.locate_in_envelope_intersecting(&AABB::from_corners(min, max));
            let found = found.map(|update| (update.1, subscription));
            self.pairs.now.extend(found);
        }
        self.pairs.changes()
    }
}
