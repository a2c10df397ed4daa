//! The PVSs of a bundle, of either tree code, as pairs of blocks.
//!
//! Groups are made one by one, each of the PVSs of its block's 64 viewpoints. Of trees of mutual
//! sight only what blocks see of themselves and of those after them is read: they may tell each
//! pair once.
//!
//! Memory: 64 bitmaps and a few groups a thread, and the mirror's.

use super::draft::{Draft, Drafter, Tally};
use super::pack::Packing;
use super::{BakeError, Stage};
use crate::bundle::trees_in_order;
use crate::compress::pairs::group::{is_kept, morton_blocks, sights_of};
use crate::compress::pairs::{GroupSymbols, PairBits, PairList, PairSymbols, Sight};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::grid::BLOCK_LEVEL;
use crate::format::{Groups, Leaf, Quad};
use crate::hierarchy::{Crown, Plan, Viewcell};
use crate::runtime::{MappedBundle, TerrainBundle};

/// Groups that are read before the system may take back the memory of what they were read from:
/// the trees of all blocks may be more than memory holds.
const LET_GO: usize = 64;

/// What the samples of a block see.
struct Group {
    /// By block, row by row.
    sights: Vec<Sight>,
    pairs: PairList,
    /// Of a half-told bundle, for each mixed block from its own on in order: which of its samples
    /// are seen, and by which viewpoints.
    mixed: Vec<[u64; 2]>,
}

/// Room for a thread to make groups in.
#[derive(Default)]
struct Room {
    tally: Tally,
    /// By block, row by row: what each viewpoint sees of it, where a stamp is the group's.
    rows: Vec<[u64; 64]>,
    stamps: Vec<usize>,
    pair: PairSymbols,
}

/// A bundle that is read.
struct Source<'a> {
    terrain: TerrainBundle<'a>,
    valid: &'a ValidPyramid,
    mutual: bool,
    blocks: Vec<(u32, u32)>,
}

/// Makes the draft of a bundle without loss.
pub(super) fn gather(packing: &Packing) -> Result<Draft, BakeError> {
    let (valid, crew) = (packing.valid, packing.crew);
    let grid = valid.grid();
    let map = MappedBundle::open(packing.source).map_err(|error| packing.unreadable(&error))?;
    let terrain = map.terrain().map_err(|error| packing.unreadable(&error))?;
    let source = Source {
        mutual: terrain.parameters().mutual,
        terrain,
        valid,
        blocks: morton_blocks(grid),
    };
    let half = source.mutual && terrain.groups().is_none();
    crew.observer
        .stage(Stage::Compress, 2 * source.blocks.len() as u64);
    let mut drafter = Drafter::new(packing.target.path, valid, source.mutual, half)?;
    let plan = Plan::new(grid.width(), grid.height());
    let mut crown = Crown::new(plan, BLOCK_LEVEL, grid.blocks());
    let (mut scratch, mut tree) = (Scratch::default(), Vec::new());
    let mut pvs = vec![0; grid.blocks()];
    let rooms = crew.run(
        0..source.blocks.len(),
        |number| {
            if number % LET_GO == 0 {
                map.let_go();
            }
            Ok(())
        },
        |room: &mut Room, number, ()| {
            let group = match terrain.groups() {
                Some(groups) => source.read(groups, number, room),
                None => source.put_together(number, room),
            };
            room.tally.histogram.count_all(&group.pairs);
            group
        },
        |number, group| {
            crew.observer.advance(Stage::Compress, number as u64 + 1);
            let Group {
                sights,
                pairs,
                mixed,
            } = group;
            let own = source.index(source.blocks[number]);
            let itself = usize::from(sights[own] == Sight::Mixed);
            let seeing = mixed
                .iter()
                .skip(itself)
                .map(|&[_, seeing]| seeing)
                .collect();
            pvs.fill(0);
            let sights = drafter.push(sights, pairs, seeing, |block, seen| pvs[block] = seen)?;
            if !half {
                return Ok(());
            }
            let later = source.blocks[number..]
                .iter()
                .map(|&block| source.index(block));
            let later = later.filter(|&block| sights[block] == Sight::Mixed);
            later
                .zip(&mixed)
                .for_each(|(block, &[seen, _])| pvs[block] = seen);
            for ((pvs, terrain), sight) in pvs.iter_mut().zip(valid.blocks()).zip(&sights) {
                *pvs = match sight {
                    Sight::Hidden => 0,
                    Sight::Visible => *terrain,
                    Sight::Mixed => *pvs & terrain,
                };
            }
            let (column, row) = source.blocks[number];
            let at = Viewcell {
                level: BLOCK_LEVEL,
                column,
                row,
            };
            let mut outcome = Ok(());
            crown.push(at, &pvs, &mut |_, pvs| {
                tree.clear();
                let visible = encode(valid, pvs, &mut scratch, &mut tree);
                outcome = drafter.file.push_tree(&tree, visible);
                outcome.is_ok()
            });
            Ok(outcome?)
        },
    )?;
    if !half {
        let quads: Vec<Quad> = trees_in_order(grid).collect();
        crew.run(
            0..quads.len(),
            |_| Ok(()),
            |(pvs, scratch): &mut (Vec<u64>, Scratch), number, ()| {
                pvs.resize(grid.blocks(), 0);
                source.expand(quads[number], pvs);
                let mut tree = Vec::new();
                let visible = encode(valid, pvs, scratch, &mut tree);
                (tree, visible)
            },
            |_, (tree, visible)| Ok(drafter.file.push_tree(&tree, visible)?),
        )?;
    }
    drafter.finish(rooms.into_iter().map(|room| room.tally))
}

impl Source<'_> {
    fn index(&self, (column, row): (u32, u32)) -> usize {
        (row * self.valid.grid().block_shape().0 + column) as usize
    }

    /// A group out of the trees of its samples. Of a mutual bundle it says nothing of the blocks
    /// before.
    fn put_together(&self, number: usize, room: &mut Room) -> Group {
        let terrain = self.valid.blocks();
        let block = self.blocks[number];
        let own = self.index(block);
        let viewpoints = terrain[own];
        room.rows.resize(terrain.len(), [0; 64]);
        room.stamps.resize(terrain.len(), usize::MAX);
        for viewpoint in (0..64).filter(|v| viewpoints >> v & 1 == 1) {
            let quad = Quad::new(0, block.0 * 8 + viewpoint % 8, block.1 * 8 + viewpoint / 8);
            self.sweep(quad, |block, bits| {
                if room.stamps[block] != number {
                    room.stamps[block] = number;
                    room.rows[block] = [0; 64];
                }
                room.rows[block][viewpoint as usize] = bits;
            });
        }
        let mut group = Group {
            sights: vec![Sight::Hidden; terrain.len()],
            pairs: PairList::default(),
            mixed: Vec::new(),
        };
        let counts = &mut room.tally.counts;
        counts.add_block(viewpoints);
        let first = if self.mutual { number } else { 0 };
        for &target in &self.blocks[first..] {
            let target = self.index(target);
            if room.stamps[target] != number {
                continue;
            }
            let (rows, targets) = (&room.rows[target], terrain[target]);
            let both = self.mutual && target != own;
            let bits = PairBits::new(rows, viewpoints, targets);
            let sight = bits.analyse(&mut room.pair);
            group.sights[target] = sight;
            match sight {
                Sight::Hidden => {}
                Sight::Visible => {
                    counts.add_visible(viewpoints, targets);
                    if both {
                        counts.add_visible(targets, viewpoints);
                    }
                }
                Sight::Mixed => {
                    counts.add_mixed(&bits, both);
                    group.pairs.push(room.pair.pair());
                    if self.mutual {
                        group.mixed.push(seen_and_seeing(rows));
                    }
                }
            }
        }
        group
    }

    /// Shows the words of a PVS that are not 0, in no order. One that cannot be read says visible.
    fn sweep(&self, quad: Quad, mut take: impl FnMut(usize, u64)) {
        let (grid, terrain) = (self.valid.grid(), self.valid.blocks());
        let (columns, rows) = grid.block_shape();
        let mut show = |block: (u32, u32), bits: u64| {
            let block = self.index(block);
            take(block, bits & terrain[block]);
        };
        let mut take_leaf = |leaf: Leaf| {
            match leaf {
                Leaf::Block(quad, bits) if quad.column < columns && quad.row < rows => {
                    show((quad.column, quad.row), bits);
                }
                Leaf::Visible(quad) => {
                    let (columns, rows) = self.terrain.valid().block_range(quad);
                    for row in rows {
                        columns.clone().for_each(|column| show((column, row), !0));
                    }
                }
                Leaf::Hidden(_) | Leaf::Block(..) => {}
            }
            true
        };
        match self.terrain.pvs(quad) {
            Some(pvs) => pvs.sweep(&mut take_leaf),
            None => take_leaf(Leaf::Visible(grid.root())),
        };
    }

    /// Writes the PVS of a quad.
    fn expand(&self, quad: Quad, out: &mut [u64]) {
        match self.terrain.pvs(quad) {
            Some(pvs) => pvs.expand(out),
            None => out.copy_from_slice(self.valid.blocks()),
        }
    }

    /// A group out of its bytes. Those that are damaged say visible.
    fn read(&self, groups: Groups, number: usize, room: &mut Room) -> Group {
        let block = self.blocks[number];
        let mut symbols = GroupSymbols {
            block,
            sights: vec![Sight::Hidden; self.blocks.len()],
            pairs: PairList::default(),
        };
        match groups.group(block.0, block.1) {
            None => symbols.sights.fill(Sight::Visible),
            Some(group) => {
                let mut records = 0;
                for (sight, target) in sights_of(group.skeleton()) {
                    symbols.sights[self.index(target)] = sight;
                    if sight == Sight::Mixed && is_kept(self.mutual, block, target) {
                        if let Some(record) = group.record(records) {
                            room.pair.read(&record);
                        }
                        records += 1;
                        symbols.pairs.push(room.pair.pair());
                    }
                }
            }
        }
        room.tally.counts.add(self.valid, &symbols, self.mutual);
        Group {
            sights: symbols.sights,
            pairs: symbols.pairs,
            mixed: Vec::new(),
        }
    }
}

/// Which targets are seen, and which viewpoints see some.
fn seen_and_seeing(rows: &[u64; 64]) -> [u64; 2] {
    let (mut seen, mut seeing) = (0, 0);
    for (viewpoint, &row) in rows.iter().enumerate() {
        seen |= row;
        seeing |= u64::from(row != 0) << viewpoint;
    }
    [seen, seeing]
}
