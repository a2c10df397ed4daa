//! The groups and the trees that change with some pairs of blocks: what a patch holds.

use super::pair_changes::{Changes, PairChange};
use crate::bundle::Replaced;
use crate::compress::delta::{Base, group_over, tree_over};
use crate::compress::pairs::group::{encode_head, encode_table, is_kept, sights_of};
use crate::compress::{Scratch, ValidPyramid, encode};
use crate::job::error::BakeError;
use crate::job::levels::Levels;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use rustc_hash::FxHashMap;
use viewcell::format::Answer;
use viewcell::format::bytes::u64_at;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::pairs::Group;
use viewcell::format::{Groups, Quad, ReadPvs, Tree, Trees};

/// What is there, and what of it changes.
pub(crate) struct PatchPieces<'a> {
    /// The PVSs as they were, over where there is terrain now.
    pub groups: Groups<'a>,
    pub trees: Trees<'a>,
    /// Those of the bundle, without any patch: what pieces of a patch say what differs from.
    pub base: (Groups<'a>, Trees<'a>),
    pub valid: &'a ValidPyramid,
    /// Where there was terrain, by block.
    pub was: &'a [u64],
    pub levels: &'a Levels,
    pub mutual: bool,
    pub changes: &'a Changes,
}

/// Groups or trees that change.
#[derive(Default)]
pub(crate) struct New {
    /// As a bundle has them.
    pub whole: Replaced,
    /// As a patch has them.
    pub pieces: Replaced,
}

/// The trees that change.
#[derive(Default)]
pub(crate) struct NewTrees {
    /// By their entries.
    pub new: New,
    /// By level: how many more samples are visible, and how many bytes more the trees have.
    pub more: Vec<[i64; 2]>,
}

/// New words of PVSs: by quad of a level, row by row, and in it by block of targets.
type Words = FxHashMap<usize, FxHashMap<usize, u64>>;

impl PatchPieces<'_> {
    /// The groups that change, by block, row by row.
    pub(crate) fn new_groups(&self, workers: &Workers) -> Result<New, BakeError> {
        // What other groups hold of a block: how it sees the blocks before it.
        let mut told: Vec<Vec<(usize, Answer)>> = vec![Vec::new(); self.levels.blocks()];
        let mut numbers = vec![0; self.levels.blocks()];
        for number in 0..self.levels.blocks() {
            numbers[self.levels.place(number)] = number;
        }
        for (number, pairs) in self.changes.by_block.iter().enumerate() {
            let own = self.levels.place(number);
            for pair in pairs.iter().filter(|_| self.mutual) {
                // What the other said of a block without terrain may be anything.
                let moved = self.has_moved(own) || self.has_moved(pair.target);
                if pair.target != own && (moved || pair.now != pair.before) {
                    told[numbers[pair.target]].push((own, pair.now));
                }
            }
        }
        let due: Vec<usize> = (0..self.levels.blocks())
            .filter(|&n| !told[n].is_empty() || !self.changes.by_block[n].is_empty())
            .collect();
        workers.observer.stage(Stage::Compress, due.len() as u64);
        let mut groups = New::default();
        let mut done = 0;
        workers.run(
            due,
            |_| Ok(()),
            |_: &mut (), number, ()| {
                let group = self.new_group(number, &self.changes.by_block[number], &told[number]);
                let group = group?;
                let piece = self.group_piece(number, &group);
                Some((group, piece))
            },
            |number, new| {
                done += 1;
                workers.observer.advance(Stage::Compress, done);
                let Some((group, piece)) = new else {
                    return Ok(());
                };
                let index = self.levels.place(number) as u32;
                groups.whole.push(index, &group);
                groups.pieces.push(index, &piece);
                Ok(())
            },
        )?;
        Ok(groups)
    }

    /// Whether a block has terrain where it had none, or none where it had some.
    fn has_moved(&self, block: usize) -> bool {
        self.was[block] != self.valid.blocks()[block]
    }

    /// A group with what changes in it: its own pairs, and how it sees blocks before it. `None` if that is
    /// what it was.
    fn new_group(
        &self,
        number: usize,
        own: &[PairChange],
        told: &[(usize, Answer)],
    ) -> Option<Vec<u8>> {
        let (_, block) = self.levels.find(number);
        let across = self.valid.grid().block_shape().0;
        let mut sights = vec![Answer::Hidden; self.levels.blocks()];
        // Which record of the old group each block had.
        let mut records = vec![usize::MAX; self.levels.blocks()];
        let old = self.groups.group(block.0, block.1);
        match &old {
            Some(group) => {
                let mut next = 0;
                for (sight, target) in sights_of(group.skeleton()) {
                    let index = (target.1 * across + target.0) as usize;
                    sights[index] = sight;
                    if sight == Answer::Mixed && is_kept(self.mutual, block, target) {
                        records[index] = next;
                        next += 1;
                    }
                }
            }
            None => sights.fill(Answer::Visible),
        }
        let mut differs = old.is_none();
        for &(index, sight) in told {
            differs |= sights[index] != sight;
            sights[index] = sight;
        }
        for pair in own {
            let is_same = match &old {
                Some(group)
                    if pair.now == Answer::Mixed && sights[pair.target] == Answer::Mixed =>
                {
                    group.record_bytes(records[pair.target]) == pair.record
                }
                _ => sights[pair.target] == pair.now,
            };
            differs |= !is_same;
            sights[pair.target] = pair.now;
        }
        if !differs {
            return None;
        }
        let mut group = Vec::new();
        encode_head(self.valid, block, &sights, self.mutual, &mut group);
        let mut changed = own.iter().peekable();
        let told_by = self.levels.places_told_by(number);
        let pieces = told_by.into_iter().filter_map(|index| {
            // Changes are in the order of the blocks that a group covers.
            let new = changed.next_if(|pair| pair.target == index);
            if sights[index] != Answer::Mixed {
                return None;
            }
            Some(match (new, &old) {
                (Some(pair), _) => &pair.record[..],
                (None, Some(group)) => group.record_bytes(records[index]),
                (None, None) => &[],
            })
        });
        encode_table(pieces, &mut group);
        Some(group)
    }

    /// A group as a patch has it.
    fn group_piece(&self, number: usize, bytes: &[u8]) -> Vec<u8> {
        let (_, (column, row)) = self.levels.find(number);
        let base = self.base.0;
        let base = base.group(column, row).and_then(|piece| {
            let at = u64_at(base.index(), self.levels.place(number) * 8)?;
            Some(Base { piece, at })
        });
        let mut piece = Vec::new();
        let group = Group::parse(self.groups.valid(), self.groups.dictionary(), bytes);
        group_over(base, &group.expect("a group"), bytes, &mut piece);
        piece
    }

    /// A tree as a patch has it.
    fn tree_piece(&self, quad: Quad, entry: usize, bytes: &[u8], piece: &mut Vec<u8>) {
        let base = self.base.1;
        let base = base.tree(quad).and_then(|piece| {
            let at = u64_at(base.index(), entry * 8)?;
            Some(Base { piece, at })
        });
        let tree = Tree::parse(self.groups.valid(), bytes);
        tree_over(base, &tree.expect("a tree"), bytes, piece);
    }

    /// The trees of quads of level 4 and more that change, by their entries.
    pub(crate) fn new_trees(&self) -> NewTrees {
        let grid = self.valid.grid();
        let (across, _) = grid.block_shape();
        let terrain = self.valid.blocks();
        let mut words = Words::default();
        for (number, pairs) in self.changes.by_block.iter().enumerate() {
            let own = self.levels.place(number);
            for pair in pairs {
                words.entry(own).or_default().insert(pair.target, pair.seen);
                if self.mutual && pair.target != own {
                    let back = words.entry(pair.target).or_default();
                    back.insert(own, pair.seeing);
                }
            }
        }
        let mut trees = NewTrees {
            more: vec![[0; 2]; grid.levels() as usize],
            ..NewTrees::default()
        };
        let (mut scratch, mut tree) = (Scratch::default(), Vec::new());
        let mut piece = Vec::new();
        let mut bitmap = vec![0; terrain.len()];
        for level in BLOCK_LEVEL + 1..=grid.root_level() {
            let (below, _) = grid.quads_at(level - 1);
            let (columns, _) = grid.quads_at(level);
            // The quads above, and which of their words may change.
            let mut due: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (&quad, targets) in &words {
                let (column, row) = (quad as u32 % below, quad as u32 / below);
                let above = (row / 2 * columns + column / 2) as usize;
                due.entry(above).or_default().extend(targets.keys());
            }
            let mut due: Vec<(usize, Vec<usize>)> = due.into_iter().collect();
            due.sort_unstable_by_key(|&(quad, _)| quad);
            let mut above = Words::default();
            for (index, mut targets) in due {
                targets.sort_unstable();
                targets.dedup();
                let quad = Quad::new(level, index as u32 % columns, index as u32 / columns);
                let Some(entry) = self.trees.entry(quad) else {
                    continue;
                };
                let old = self.trees.tree(quad);
                let children: Vec<Quad> = (0..4)
                    .filter_map(|i| quad.child(i))
                    .filter(|child| grid.has_quad(*child))
                    .collect();
                let mut new = FxHashMap::default();
                for target in targets {
                    let place = (target as u32 % across, target as u32 / across);
                    let word = children.iter().fold(0, |union, child| {
                        let number = (child.row * below + child.column) as usize;
                        let word = words.get(&number).and_then(|new| new.get(&target));
                        union
                            | word
                                .copied()
                                .unwrap_or_else(|| self.old_word(*child, place))
                    }) & terrain[target];
                    let before = old.map_or(!0, |tree| tree.word(place.0, place.1));
                    // A leaf says nothing of voids: also not where there is terrain now.
                    let there = self.was[target] | terrain[target];
                    if before & there != word || old.is_none() {
                        new.insert(target, word);
                    }
                }
                if new.is_empty() {
                    continue;
                }
                match old {
                    Some(old) => old.expand(&mut bitmap),
                    None => bitmap.copy_from_slice(terrain),
                }
                for (&target, &word) in &new {
                    bitmap[target] = word;
                }
                tree.clear();
                let visible = encode(self.valid, &bitmap, &mut scratch, &mut tree);
                let [more_visible, more_bytes] = &mut trees.more[level as usize];
                *more_visible += visible as i64 - old.map_or(0, |tree| tree.count()) as i64;
                *more_bytes += tree.len() as i64 - old.map_or(0, |tree| tree.length()) as i64;
                trees.new.whole.push(entry as u32, &tree);
                piece.clear();
                self.tree_piece(quad, entry, &tree, &mut piece);
                trees.new.pieces.push(entry as u32, &piece);
                above.insert(index, new);
            }
            words = above;
        }
        trees
    }

    /// What was seen of a block from a quad of level 3 or more, where it has not changed.
    fn old_word(&self, quad: Quad, target: (u32, u32)) -> u64 {
        match quad.level {
            // A block without terrain sees nothing, whatever it saw.
            BLOCK_LEVEL => self.groups.seen_from((quad.column, quad.row), !0, target),
            _ => self
                .trees
                .tree(quad)
                .map_or(!0, |tree| tree.word(target.0, target.1)),
        }
    }
}
