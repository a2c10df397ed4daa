//! Who sees whom both ways, out of trees that tell each pair once.
//!
//! Where sight is mutual, blocks of viewpoints tell what they see of themselves and of the blocks
//! after them in Morton order. What they see of those before follows from what these have told:
//! the [`Mirror`] is shown all blocks in order, and makes the skeletons of their groups and the
//! trees of the quads above. All blocks go on at once in what they have told, a step for each
//! block that is shown, so that nothing is searched.
//!
//! Memory: 8 bytes for each mixed pair of blocks that is still to come, and the skeletons.

use std::vec::IntoIter;

use crate::compress::pairs::group::{sights_of, skeleton};
use crate::compress::pairs::{GroupSymbols, Sight};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::format::{self, Valid};
use crate::hierarchy::{Crown, Plan, Viewcell};

/// Level of a block.
const BLOCK_LEVEL: u32 = 3;

/// What the viewpoints of a block see of it and of the blocks after it.
pub(super) struct Outlook {
    /// By block, row by row.
    sights: Vec<Sight>,
    /// For each mixed block in order: which samples are seen, and by which viewpoints.
    mixed: Vec<[u64; 2]>,
}

impl Outlook {
    /// Of a group, of whose earlier blocks nothing is taken.
    pub fn new(group: &GroupSymbols) -> Self {
        let mixed = group.pairs.iter().map(|pair| {
            let (mut seen, mut seeing) = (0, 0);
            for (viewpoint, row) in pair.rows().into_iter().enumerate() {
                seen |= row;
                seeing |= u64::from(row != 0) << viewpoint;
            }
            [seen, seeing]
        });
        Self {
            sights: group.sights.clone(),
            mixed: mixed.collect(),
        }
    }
}

/// What a block has told of those that are still to be shown.
struct Told {
    /// Its index, row by row.
    word: usize,
    /// Runs of blocks that it sees alike, and how many there are.
    runs: IntoIter<(Sight, u32)>,
    run: (Sight, u32),
    /// For each mixed block which of its own viewpoints see some of it.
    seeing: IntoIter<u64>,
}

impl Told {
    /// How it sees the next block, and if that is mixed which of its viewpoints do.
    fn next(&mut self) -> (Sight, u64) {
        while self.run.1 == 0 {
            self.run = self.runs.next().unwrap_or((Sight::Hidden, u32::MAX));
        }
        self.run.1 -= 1;
        let seeing = match self.run.0 {
            Sight::Mixed => self.seeing.next().unwrap_or(!0),
            _ => 0,
        };
        (self.run.0, seeing)
    }
}

/// A tree, by its length and the number of visible samples.
#[derive(Clone, Copy)]
struct Tree {
    length: usize,
    visible: u64,
}

/// Is shown all blocks, and knows groups and trees then.
pub(super) struct Mirror<'v> {
    terrain: Valid<'v>,
    valid: &'v ValidPyramid,
    told: Vec<Told>,
    crown: Crown,
    scratch: Scratch,
    /// The skeletons of all groups, in order.
    skeletons: Vec<Vec<u8>>,
    trees: Vec<Tree>,
    bytes: Vec<u8>,
}

impl<'v> Mirror<'v> {
    /// Has been shown nothing yet. `terrain` is what `valid` is made of.
    pub fn new(terrain: Valid<'v>, valid: &'v ValidPyramid) -> Self {
        let grid = valid.grid();
        let plan = Plan::new(grid.width(), grid.height());
        Self {
            terrain,
            valid,
            told: Vec::new(),
            crown: Crown::new(plan, BLOCK_LEVEL, grid.blocks()),
            scratch: Scratch::default(),
            skeletons: Vec::new(),
            trees: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Takes the next of `blocks`, which are in Morton order.
    pub fn push(&mut self, blocks: &[(u32, u32)], outlook: Outlook) {
        let across = self.valid.grid().block_shape().0;
        let index = |(column, row): (u32, u32)| (row * across + column) as usize;
        let (block, later) = (blocks[self.told.len()], &blocks[self.told.len() + 1..]);
        let (own, terrain) = (index(block), self.valid.blocks());
        let Outlook { mut sights, mixed } = outlook;
        let mut pvs = vec![0; sights.len()];
        let mut mixed = mixed.into_iter();
        let mut seeing = Vec::new();
        let mut runs: Vec<(Sight, u32)> = Vec::new();
        for &target in std::iter::once(&block).chain(later) {
            let word = index(target);
            let sight = sights[word];
            pvs[word] = match sight {
                Sight::Hidden => 0,
                Sight::Visible => terrain[word],
                Sight::Mixed => {
                    let [seen, by] = mixed.next().unwrap_or([!0; 2]);
                    if target != block {
                        seeing.push(by);
                    }
                    seen & terrain[word]
                }
            };
            if target == block {
                continue;
            }
            match runs.last_mut() {
                Some((last, count)) if *last == sight => *count += 1,
                _ => runs.push((sight, 1)),
            }
        }
        for earlier in &mut self.told {
            let (sight, seen) = earlier.next();
            sights[earlier.word] = sight;
            pvs[earlier.word] = match sight {
                Sight::Hidden => 0,
                Sight::Visible => terrain[earlier.word],
                Sight::Mixed => seen & terrain[earlier.word],
            };
        }
        self.told.push(Told {
            word: own,
            runs: runs.into_iter(),
            run: (Sight::Hidden, 0),
            seeing: seeing.into_iter(),
        });
        let mut bytes = Vec::new();
        skeleton(self.valid, &sights, &mut bytes);
        bytes.shrink_to_fit();
        self.skeletons.push(bytes);

        let at = Viewcell {
            level: BLOCK_LEVEL,
            column: block.0,
            row: block.1,
        };
        self.crown.push(at, &pvs, &mut |_, pvs| {
            let before = self.bytes.len();
            let visible = encode(self.valid, pvs, &mut self.scratch, &mut self.bytes);
            let length = self.bytes.len() - before;
            self.trees.push(Tree { length, visible });
            true
        });
    }

    /// Puts into the group of block number `number` how it sees the blocks before it.
    pub fn complete(&self, number: usize, group: &mut GroupSymbols) {
        let Some(skeleton) = format::Tree::parse(self.terrain, &self.skeletons[number]) else {
            return;
        };
        let across = self.valid.grid().block_shape().0;
        for (sight, (column, row)) in sights_of(skeleton) {
            group.sights[(row * across + column) as usize] = sight;
        }
    }

    /// The trees of the quads of level 4 and more in bake order, and their visible samples.
    pub fn trees(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let mut rest = &self.bytes[..];
        self.trees.iter().map(move |tree| {
            let (bytes, after) = rest.split_at(tree.length);
            rest = after;
            (bytes, tree.visible)
        })
    }
}
