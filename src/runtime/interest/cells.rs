//! Boxes in the cells of grids, so that those that overlap a box are found.
//!
//! Boxes of like size share a *layer*, a grid whose cells are as long as the longest of them. A box is
//! in the cell of its lower corner, in a list that runs through the boxes of that cell. Space is endless
//! and a table is not, so a grid wraps around like a torus: cells that share a place in the table cost a
//! comparison, and never an answer.

use super::layers::{Layer, Layers};
use super::{Bounds, Kind};

/// No entry, or an entry of no list.
const NONE: u32 = u32::MAX;

/// Of what comes before an entry: not another entry, but the cell whose list it begins.
const CELL: u32 = 1 << 31;

/// A box, and its neighbours in the list of its cell. Two of them fill a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    bounds: Bounds,
    link: Link,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    before: u32,
}

const UNLINKED: Link = Link {
    next: NONE,
    before: NONE,
};

/// Boxes of updates and of subscriptions, by the indices of their regions.
///
/// An entry of a list is twice an index, and 1 more for a subscription of a region that is both.
#[derive(Debug, Default)]
pub(super) struct Cells {
    layers: Layers,
    nodes: Vec<Node>,
    /// By index, of regions that are both: their places among the subscriptions.
    seconds: Vec<Link>,
    /// The first entry of each cell.
    heads: Vec<u32>,
}

/// The lists that a region of a kind is in: of updates or of subscriptions, and the entry.
#[inline]
fn entries(kind: Kind, index: u32) -> impl Iterator<Item = (usize, u32)> {
    let (first, second) = match kind {
        Kind::Update => ((0, 2 * index), None),
        Kind::Subscription => ((1, 2 * index), None),
        Kind::Both => ((0, 2 * index), Some((1, 2 * index + 1))),
    };
    core::iter::once(first).chain(second)
}

impl Cells {
    /// Makes room for the indices below `places`.
    pub fn resize(&mut self, places: usize) {
        let bounds = Bounds::NOWHERE;
        let link = UNLINKED;
        self.nodes.resize(places, Node { bounds, link });
    }

    /// The box of an index; nowhere if it has none.
    #[inline]
    pub fn bounds(&self, index: u32) -> &Bounds {
        let node = self.nodes.get(index as usize);
        node.map_or(&Bounds::NOWHERE, |node| &node.bounds)
    }

    /// The boxes from an index on.
    #[inline]
    pub fn bounds_from(&self, index: usize) -> impl Iterator<Item = &Bounds> {
        let nodes = self.nodes.get(index..).unwrap_or_default();
        nodes.iter().map(|node| &node.bounds)
    }

    /// Gives an index another box. Its cell is to be changed, too, unless the new box is within the
    /// old one.
    #[inline]
    pub fn set(&mut self, index: u32, bounds: Bounds) {
        if let Some(node) = self.nodes.get_mut(index as usize) {
            node.bounds = bounds;
        }
    }

    /// Takes an index's box away, when it is in no cell or all are about to be put into cells.
    pub fn forget(&mut self, index: u32) {
        self.set(index, Bounds::NOWHERE);
        for entry in [2 * index, 2 * index + 1] {
            if let Some(link) = self.link_of(entry) {
                *link = UNLINKED;
            }
        }
    }

    #[inline]
    fn link_of(&mut self, entry: u32) -> Option<&mut Link> {
        let at = entry as usize / 2;
        if entry & 1 == 0 {
            self.nodes.get_mut(at).map(|node| &mut node.link)
        } else {
            self.seconds.get_mut(at)
        }
    }

    /// Takes an index out of its cells.
    #[inline]
    pub fn unlink(&mut self, kind: Kind, index: u32) {
        for (_, entry) in entries(kind, index) {
            let Some(link) = self.link_of(entry) else {
                continue;
            };
            let Link { next, before } = core::mem::replace(link, UNLINKED);
            if before == NONE {
                continue;
            }
            if before & CELL != 0 {
                if let Some(head) = self.heads.get_mut((before & !CELL) as usize) {
                    *head = next;
                }
            } else if let Some(link) = self.link_of(before) {
                link.next = next;
            }
            if next != NONE
                && let Some(link) = self.link_of(next)
            {
                link.before = before;
            }
        }
    }

    /// Puts an index, which is in none, into the cells of its box.
    #[inline]
    pub fn link(&mut self, kind: Kind, index: u32) {
        let bounds = *self.bounds(index);
        if kind == Kind::Both && self.seconds.len() < self.nodes.len() {
            self.seconds.resize(self.nodes.len(), UNLINKED);
        }
        for (table, entry) in entries(kind, index) {
            let cell = self.layers.place(table, &bounds);
            let Some(head) = self.heads.get_mut(cell as usize) else {
                continue;
            };
            let next = core::mem::replace(head, entry);
            let before = cell | CELL;
            if let Some(link) = self.link_of(entry) {
                *link = Link { next, before };
            }
            if next != NONE
                && let Some(link) = self.link_of(next)
            {
                link.before = entry;
            }
        }
    }

    /// Puts all boxes of these regions into cells, and no others; if asked for, of layers that are
    /// chosen for them. The bulk of them is spread as far as `spread` along each axis.
    pub fn rebuild(
        &mut self,
        regions: impl Iterator<Item = (u32, Kind)> + Clone,
        spread: [f32; 3],
        anew: bool,
    ) {
        if anew {
            self.layers.clear(spread);
            for (index, kind) in regions.clone() {
                let bounds = *self.bounds(index);
                for (table, _) in entries(kind, index) {
                    self.layers.count(table, &bounds);
                }
            }
            let cells = self.layers.choose();
            self.heads.resize(cells as usize, NONE);
        }
        self.heads.fill(NONE);
        for (index, kind) in regions {
            self.link(kind, index);
        }
    }

    /// Whether so many boxes are not of the sizes that layers were chosen for that they should be
    /// chosen anew.
    pub fn is_stale(&self) -> bool {
        self.layers.is_stale()
    }

    /// The layers of updates or of subscriptions, from that of the smallest boxes.
    #[inline]
    pub fn layers(&self, table: usize) -> &[Layer] {
        self.layers.of(table)
    }

    /// The level of the layer that a box is in.
    #[inline]
    pub fn level(&self, table: usize, bounds: &Bounds) -> u8 {
        self.layers.level(table, bounds)
    }

    /// The indices of the boxes of a layer that overlap `bounds`, in `queue` from the place on that is
    /// returned, and how many boxes were compared.
    #[inline]
    pub fn near<'q>(
        &self,
        layer: &Layer,
        bounds: &Bounds,
        queue: &'q mut Vec<u32>,
        hits: &'q mut Vec<u32>,
    ) -> (&'q [u32], usize) {
        // Whether a cell is empty is a coin that no branch predictor foresees, nor whether boxes
        // overlap: entries are written in any case, and written over where there was none.
        let mut count = 0;
        layer.rows(bounds, |first, last| {
            let cells = self.heads.get(first as usize..=last as usize);
            let cells = cells.unwrap_or_default();
            make_room(queue, count + cells.len());
            for &entry in cells {
                put(queue, count, entry);
                count += usize::from(entry != NONE);
            }
        });
        let (mut at, mut found) = (0, 0);
        while at < count {
            let entry = queue.get(at).copied().unwrap_or(NONE);
            at += 1;
            let index = entry / 2;
            let Some(node) = self.nodes.get(index as usize) else {
                continue;
            };
            let next = if entry & 1 == 0 {
                node.link.next
            } else {
                let second = self.seconds.get(index as usize);
                second.map_or(NONE, |link| link.next)
            };
            make_room(queue, count + 1);
            put(queue, count, next);
            count += usize::from(next != NONE);
            make_room(hits, found + 1);
            put(hits, found, index);
            found += usize::from(node.bounds.overlaps(bounds));
        }
        (hits.get(..found).unwrap_or_default(), count)
    }

    pub fn bytes(&self) -> usize {
        self.layers.bytes()
            + self.nodes.capacity() * size_of::<Node>()
            + self.seconds.capacity() * size_of::<Link>()
            + self.heads.capacity() * size_of::<u32>()
    }
}

/// So that there are places below `count`.
#[inline]
fn make_room(list: &mut Vec<u32>, count: usize) {
    if list.len() < count {
        list.resize(count.next_power_of_two(), NONE);
    }
}

#[inline]
fn put(list: &mut [u32], at: usize, entry: u32) {
    if let Some(place) = list.get_mut(at) {
        *place = entry;
    }
}
