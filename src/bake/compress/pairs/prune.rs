//! Lagrangian rate-distortion pruning: gives up what costs least occlusion for the bytes that it saves.
//!
//! Whatever is given up becomes visible, never hidden. For a given *trade*, the Lagrange multiplier (hidden area for a
//! byte), each choice is independent of the others, so that the optimum is found part by part (generalised BFOS: P. A.
//! Chou, T. Lookabaugh and R. M. Gray 1989, "Optimal pruning with applications to tree-structured source coding and
//! modeling"). What is left is to find the multiplier that a budget comes to, which is the same for all pairs of
//! blocks and all trees. A pair serves both of its blocks, and counts for both.
//!
//! - A *pair of blocks* ([`PairPruner`]): a leaf may become one that says more is visible and has a shorter code; a leaf, a
//!   node or a pair may become visible as a whole.
//! - The *tree* of a quad ([`prune_tree`]): a node or a leaf may become visible as a whole.
//!
//! Did not pay: quads counted as 4 samples in place of by their side: of level 8 of jacksboro in 10 MB 78 % of the hidden
//! area was kept, and not all.

use super::codebook::Codebook;
use super::symbols::{BlockPairSymbols, PairSymbols};
use crate::compress::ValidPyramid;
use viewcell::format::Answer;
use viewcell::format::Quad;
use viewcell::format::bits;
use viewcell::format::blockbits::transpose;
use viewcell::format::blockpair::MaskNode;

/// What it is worth that something is hidden from the samples of a block.
#[derive(Clone, Copy, Debug)]
pub struct Worth<'a> {
    /// Samples with terrain.
    pub terrain: u64,
    /// By sample; `None` for 1 each.
    pub weights: Option<&'a [f64; 64]>,
}

impl Worth<'_> {
    fn of(&self, sample: usize) -> f64 {
        match self.weights {
            _ if self.terrain >> sample & 1 == 0 => 0.0,
            Some(weights) => weights[sample],
            None => 1.0,
        }
    }
}

/// Both sides of a pair of blocks.
#[derive(Clone, Copy, Debug)]
pub struct PairWorth<'a> {
    /// Of the viewpoints.
    pub viewpoints: Worth<'a>,
    /// Of the targets.
    pub targets: Worth<'a>,
    /// Whether the pair stands for what the targets see, too.
    pub both: bool,
    /// The viewpoints and the targets that no tree hides from each other: what others hide is
    /// hidden whatever becomes of it here, and costs nothing.
    pub open: [u64; 2],
}

impl PairWorth<'_> {
    /// Whether all samples are terrain.
    fn whole(&self) -> bool {
        self.viewpoints.terrain & self.targets.terrain == !0
    }

    /// Whether all pairs of samples are worth the same.
    fn uniform(&self) -> bool {
        self.whole() && self.viewpoints.weights.is_none() && self.targets.weights.is_none()
    }

    /// What a pair of samples is worth where all are worth the same.
    fn each(&self) -> f64 {
        if self.both { 2.0 } else { 1.0 }
    }
}

/// What it costs to give up that something is hidden.
trait Losses {
    /// Whether leaves may become others: where not all is terrain, other bits would be no canonical
    /// code.
    fn may_change(&self) -> bool;
    /// Of the bits of a leaf, whose viewpoints and targets begin at these samples.
    fn of(&self, viewpoints: usize, targets: usize, bits: u16) -> f64;
    /// The bits of such a leaf that cost something.
    fn open(&self, viewpoints: usize, targets: usize) -> u16;
    /// What is known of child `outer` of the root as a whole.
    fn of_child(&self, outer: usize) -> ChildLosses;
    /// Of all bits of such a leaf for each of the children `hidden` of node `outer`.
    fn of_children(&self, outer: usize, hidden: u16) -> f64 {
        let hidden = (0..16).filter(|at| hidden >> at & 1 == 1);
        hidden
            .map(|at| {
                let (v, t) = corners(outer, at);
                self.of(v, t, !0)
            })
            .sum()
    }
}

/// What the bits of a child of the root cost.
enum ChildLosses {
    Nothing,
    /// All the same.
    Each(Uniform),
    Various,
}

/// Where all pairs of samples are worth the same: so much.
struct Uniform(f64);

impl Losses for Uniform {
    fn may_change(&self) -> bool {
        true
    }

    #[inline]
    fn of(&self, _: usize, _: usize, bits: u16) -> f64 {
        self.0 * f64::from(bits.count_ones())
    }

    #[inline]
    fn open(&self, _: usize, _: usize) -> u16 {
        !0
    }

    #[inline]
    fn of_child(&self, _: usize) -> ChildLosses {
        ChildLosses::Each(Uniform(self.0))
    }

    #[inline]
    fn of_children(&self, _: usize, hidden: u16) -> f64 {
        16.0 * self.of(0, 0, hidden)
    }
}

/// The same, but for what trees hide.
struct Open {
    each: f64,
    samples: [u64; 2],
}

impl Losses for Open {
    fn may_change(&self) -> bool {
        true
    }

    #[inline]
    fn of(&self, viewpoints: usize, targets: usize, bits: u16) -> f64 {
        let bits = bits & self.open(viewpoints, targets);
        self.each * f64::from(bits.count_ones())
    }

    #[inline]
    fn open(&self, viewpoints: usize, targets: usize) -> u16 {
        open_bits(self.samples, viewpoints, targets)
    }

    #[inline]
    fn of_child(&self, outer: usize) -> ChildLosses {
        match quarters(self.samples, outer) {
            [0, _] | [_, 0] => ChildLosses::Nothing,
            [QUARTER, QUARTER] => ChildLosses::Each(Uniform(self.each)),
            _ => ChildLosses::Various,
        }
    }
}

/// All samples of a quarter of a block.
const QUARTER: u64 = 0x0F0F_0F0F;

/// Of viewpoints and targets, the quarters that child `outer` of a root is of.
#[inline]
fn quarters([viewpoints, targets]: [u64; 2], outer: usize) -> [u64; 2] {
    let quarter = |samples: u64, q: usize| samples >> corner(q, 0) & QUARTER;
    [quarter(viewpoints, outer >> 2), quarter(targets, outer & 3)]
}

/// The bits of a leaf, whose viewpoints and targets begin at these samples, of `open` viewpoints
/// and targets.
#[inline]
fn open_bits(open: [u64; 2], viewpoints: usize, targets: usize) -> u16 {
    let square = |samples: u64, first: usize| {
        let at = samples >> first;
        (at & 3 | at >> 6 & 12) as u32
    };
    let (v, t) = (square(open[0], viewpoints), square(open[1], targets));
    // A one at the first bit of each viewpoint's four.
    let spread = v & 1 | (v & 2) << 3 | (v & 4) << 6 | (v & 8) << 9;
    (spread * t) as u16
}

impl Losses for PairWorth<'_> {
    fn may_change(&self) -> bool {
        self.whole()
    }

    fn of(&self, viewpoints: usize, targets: usize, bits: u16) -> f64 {
        let sample = |first: usize, i: usize| first + (i >> 1) * 8 + (i & 1);
        let bits = bits & self.open(viewpoints, targets);
        let mut loss = 0.0;
        for at in (0..16).filter(|at| bits >> at & 1 == 1) {
            let (v, t) = (sample(viewpoints, at >> 2), sample(targets, at & 3));
            let pair = self.viewpoints.terrain >> v & self.targets.terrain >> t & 1 == 1;
            if pair {
                let back = if self.both { self.targets.of(t) } else { 0.0 };
                loss += self.viewpoints.of(v) + back;
            }
        }
        loss
    }

    fn open(&self, viewpoints: usize, targets: usize) -> u16 {
        open_bits(self.open, viewpoints, targets)
    }

    fn of_child(&self, outer: usize) -> ChildLosses {
        match quarters(self.open, outer) {
            [0, _] | [_, 0] => ChildLosses::Nothing,
            _ => ChildLosses::Various,
        }
    }
}

/// First viewpoint and first target of child `inner` of node `outer`.
fn corners(outer: usize, inner: usize) -> (usize, usize) {
    (corner(outer >> 2, inner >> 2), corner(outer & 3, inner & 3))
}

/// First sample of quarter `i` of quarter `q` of a block.
fn corner(q: usize, i: usize) -> usize {
    ((q >> 1) * 4 + (i >> 1) * 2) * 8 + (q & 1) * 4 + (i & 1) * 2
}

/// Bytes of a pair beside its record: its share of the table.
const TABLE_BYTES: f64 = 2.25;

/// Prunes pairs by the lengths of a codebook.
#[derive(Clone, Debug)]
pub struct PairPruner<'a> {
    codebook: &'a Codebook,
    /// By leaf: its length in bytes, and of the leaves of one byte that hide nothing more the one
    /// that hides most.
    leaves: Vec<(u8, u16)>,
}

impl<'a> PairPruner<'a> {
    /// Prunes by the lengths of `codebook`.
    pub fn new(codebook: &'a Codebook) -> Self {
        let mut short = vec![false; 1 << 16];
        for leaf in codebook.short_leaves() {
            short[usize::from(leaf)] = true;
        }
        // Of all that hide less by one bit, the best is known before.
        let mut shorter = vec![u16::MAX; 1 << 16];
        for leaf in (0..u16::MAX).rev() {
            let wider = (0..16)
                .map(|bit| leaf | 1 << bit)
                .filter(|&wider| wider != leaf)
                .map(|wider| {
                    if short[usize::from(wider)] {
                        wider
                    } else {
                        shorter[usize::from(wider)]
                    }
                });
            shorter[usize::from(leaf)] = wider
                .min_by_key(|&wider| (wider.count_ones(), wider))
                .unwrap_or(u16::MAX);
        }
        Self {
            codebook,
            leaves: (0..=u16::MAX)
                .zip(shorter)
                .map(|(leaf, shorter)| (codebook.leaf_length(leaf) as u8, shorter))
                .collect(),
        }
    }

    /// Leaves in `out` what is kept of a pair when `trade` of hidden area is worth a byte. False
    /// where nothing is: the pair is to become visible.
    pub fn prune(
        &self,
        pair: BlockPairSymbols,
        worth: &PairWorth,
        trade: f64,
        out: &mut PairSymbols,
    ) -> bool {
        if worth.open.contains(&0) {
            // Trees hide all of it: it costs nothing.
            false
        } else if !worth.uniform() {
            self.prune_by(pair, worth, trade, out)
        } else if worth.open == [!0; 2] {
            self.prune_by(pair, &Uniform(worth.each()), trade, out)
        } else {
            let (each, samples) = (worth.each(), worth.open);
            self.prune_by(pair, &Open { each, samples }, trade, out)
        }
    }

    /// As [`PairPruner::prune`], of a block with itself whose sight is mutual: what is given up of A and B is given up of B
    /// and A.
    pub fn prune_own(
        &self,
        pair: BlockPairSymbols,
        worth: &PairWorth,
        trade: f64,
        out: &mut PairSymbols,
    ) -> bool {
        if !self.prune(pair, worth, trade, out) {
            return false;
        }
        let mut rows = out.pair().rows();
        let mut back = rows;
        transpose(&mut back);
        for (row, back) in rows.iter_mut().zip(back) {
            *row |= back;
        }
        let terrain = worth.viewpoints.terrain;
        out.analyse(&rows, terrain, terrain) == Answer::Mixed
    }

    fn prune_by(
        &self,
        pair: BlockPairSymbols,
        losses: &impl Losses,
        trade: f64,
        out: &mut PairSymbols,
    ) -> bool {
        out.nodes.clear();
        out.leaves.clear();
        out.nodes.push(0);
        let root = MaskNode(pair.nodes[0]);
        let (mut some, mut full) = (root.some(), root.full());
        let mut nodes = pair.nodes[1..].iter().map(|&node| MaskNode(node));
        let mut leaves = pair.leaves;
        // Cost of what is kept, and of keeping nothing.
        let (mut cost, mut nothing) = (0.0, 0.0);
        for outer in 0..16 {
            if root.full() >> outer & 1 == 1 {
                continue;
            }
            let child = losses.of_child(outer);
            if root.some() >> outer & 1 == 0 {
                nothing += match child {
                    ChildLosses::Nothing => 0.0,
                    ChildLosses::Each(each) => each.of_children(outer, !0),
                    ChildLosses::Various => losses.of_children(outer, !0),
                };
                continue;
            }
            let node = nodes.next().unwrap_or(MaskNode(0));
            let own;
            (own, leaves) = leaves.split_at(node.mixed().count_ones() as usize);
            let kept = match child {
                ChildLosses::Nothing => Kept::NOTHING,
                ChildLosses::Each(each) => self.prune_node(node, own, &each, outer, trade, out),
                ChildLosses::Various => self.prune_node(node, own, losses, outer, trade, out),
            };
            nothing += kept.nothing;
            cost += kept.cost;
            if !kept.any {
                full |= 1 << outer;
            }
            some |= 1 << outer;
        }
        out.nodes[0] = u32::from(some) | u32::from(full) << 16;
        let bytes = self.codebook.node_length(out.nodes[0]) as f64 + TABLE_BYTES;
        full != !0 && cost + trade * bytes < nothing
    }

    /// Appends what is kept of node `outer` and its leaves, `exact`.
    fn prune_node(
        &self,
        node: MaskNode,
        exact: &[u16],
        losses: &impl Losses,
        outer: usize,
        trade: f64,
        out: &mut PairSymbols,
    ) -> Kept {
        let first = out.leaves.len();
        // Every leaf by itself, as if the node cost nothing; all as they are; all visible.
        let (mut best_full, mut best_cost) = (node.full(), 0.0);
        let (mut exact_cost, mut all_cost) = (0.0, 0.0);
        for (&leaf, at) in exact.iter().zip(bits::ones(node.mixed().into())) {
            let (v, t) = corners(outer, at as usize);
            let whole = losses.of(v, t, !leaf);
            all_cost += whole;
            let (length, shorter) = self.leaves[usize::from(leaf)];
            let (mut kept, mut cost) = (leaf, trade * f64::from(length));
            exact_cost += cost;
            if length > 1 && shorter != !0 && losses.may_change() {
                let other = losses.of(v, t, shorter & !leaf) + trade;
                if other < cost {
                    (kept, cost) = (shorter, other);
                }
            }
            // What trees hide costs nothing here.
            let wider = leaf | !losses.open(v, t);
            if wider != leaf && wider != !0 && losses.may_change() {
                let (length, shorter) = self.leaves[usize::from(wider)];
                let same = trade * f64::from(length);
                if same < cost {
                    (kept, cost) = (wider, same);
                }
                if length > 1 && shorter != !0 {
                    let other = losses.of(v, t, shorter & !leaf) + trade;
                    if other < cost {
                        (kept, cost) = (shorter, other);
                    }
                }
            }
            if whole <= cost {
                best_full |= 1 << at;
                best_cost += whole;
            } else {
                best_cost += cost;
                out.leaves.push(kept);
            }
        }
        let nothing = all_cost + losses.of_children(outer, !node.some());
        let symbol = |full: u16| u32::from(node.some()) | u32::from(full) << 16;
        // Of no use if even a node of one byte is too dear.
        let with_node = |full, cost, most| {
            if cost + trade < most {
                cost + trade * self.codebook.node_length(symbol(full)) as f64
            } else {
                f64::INFINITY
            }
        };
        let mut least = with_node(best_full, best_cost, nothing);
        let mut full = best_full;
        let exactly = with_node(node.full(), exact_cost, least);
        if exactly < least {
            (least, full) = (exactly, node.full());
            out.leaves.truncate(first);
            out.leaves.extend_from_slice(exact);
        }
        let all = with_node(node.some(), all_cost, least);
        if all < least {
            (least, full) = (all, node.some());
            out.leaves.truncate(first);
        }
        if nothing <= least {
            out.leaves.truncate(first);
            return Kept {
                any: false,
                cost: nothing,
                nothing,
            };
        }
        out.nodes.push(symbol(full));
        Kept {
            any: true,
            cost: least,
            nothing,
        }
    }
}

/// What is kept of a node.
struct Kept {
    /// Whether it is more than that it is visible.
    any: bool,
    /// Loss, and bytes at the trade.
    cost: f64,
    /// Loss, if it were not.
    nothing: f64,
}

impl Kept {
    /// Of what costs nothing.
    const NOTHING: Self = Self {
        any: false,
        cost: 0.0,
        nothing: 0.0,
    };
}

/// Whether a number of bytes is worth it, for the tree of one quad: makes visible in `pvs` what is
/// not. `valid` is the terrain; `weight` is what a hidden sample is worth, if it is one of those
/// `open`, a block bitmap: all others are hidden by the trees of quads around this one, and cost
/// nothing.
pub fn prune_tree(valid: &ValidPyramid, weight: f64, trade: f64, open: &[u64], pvs: &mut [u64]) {
    let grid = valid.grid();
    let mut tree = TreePruner {
        valid,
        weight,
        trade,
        open,
        pvs,
    };
    tree.prune(grid.root());
}

/// A tree that is pruned.
struct TreePruner<'a> {
    valid: &'a ValidPyramid,
    weight: f64,
    trade: f64,
    open: &'a [u64],
    pvs: &'a mut [u64],
}

/// What a quad of a tree costs, and whether it is hidden or visible as a whole.
#[derive(Default)]
struct QuadCost {
    cost: f64,
    /// Hidden samples that cost something.
    hidden: u64,
    /// Whether there are others.
    free: bool,
    visible: u64,
}

impl TreePruner<'_> {
    fn prune(&mut self, quad: Quad) -> QuadCost {
        let grid = self.valid.grid();
        let mut whole = QuadCost::default();
        if !grid.has_quad(quad) {
            return whole;
        }
        let bytes = if quad.level == 3 {
            let index = (quad.row * grid.block_shape().0 + quad.column) as usize;
            let (bits, terrain) = (self.pvs[index], self.valid.blocks()[index]);
            let hidden = !bits & terrain;
            whole.visible = u64::from((bits & terrain).count_ones());
            whole.hidden = u64::from((hidden & self.open[index]).count_ones());
            whole.free = hidden & !self.open[index] != 0;
            8.0
        } else {
            for child in (0..4).filter_map(|i| quad.child(i)) {
                let child = self.prune(child);
                whole.cost += child.cost;
                whole.hidden += child.hidden;
                whole.free |= child.free;
                whole.visible += child.visible;
            }
            1.0
        };
        // All hidden, or all visible.
        if whole.visible == 0 || whole.hidden == 0 && !whole.free {
            return whole;
        }
        whole.cost += self.trade * bytes;
        let loss = self.weight * whole.hidden as f64;
        if loss <= whole.cost {
            self.fill(quad);
            whole.cost = loss;
            whole.free = false;
        }
        whole
    }

    /// Makes all terrain of a quad of level 3 or more visible.
    fn fill(&mut self, quad: Quad) {
        for index in self.valid.grid().blocks_of(quad) {
            self.pvs[index] = self.valid.blocks()[index];
        }
    }
}
