//! Takes the groups out of a bundle, as its kernels found them: what goes on from a bundle goes on from these.

use std::io;
use std::path::Path;

use super::numbers::{Level, LevelGroup, Levels};
use crate::compress::ValidPyramid;
use crate::compress::levels::{Block, rows_of};
use crate::compress::pairs::group::{is_kept, sights_of};
use crate::compress::pairs::{PairList, PairSymbols};
use crate::job::error::BakeError;
use crate::job::observer::Stage;
use crate::job::parallel::Workers;
use crate::job::store::file::Store;
use viewcell::format::{self, Answer, Leaf, Quad, ReadPvs, TerrainParameters, morton};
use viewcell::query::TerrainBundle;

/// Groups that are read before the system may take back the memory of what they were read from: a bundle may be more than
/// memory holds.
const LET_GO: usize = 64;

/// A lossless bundle whose groups are wanted.
pub(crate) struct Unpacking<'a> {
    pub path: &'a Path,
    pub terrain: TerrainBundle<'a>,
    pub parameters: &'a TerrainParameters,
    /// Where there is terrain.
    pub valid: &'a ValidPyramid,
}

/// Puts the groups of a bundle into a store beside the place of another. Now and then `let_go` is told that what was read is
/// not needed again.
pub(crate) fn unpack(
    source: &Unpacking,
    beside: &Path,
    let_go: &dyn Fn(),
    workers: &Workers,
) -> Result<Store, BakeError> {
    let levels = Levels::new(source.parameters, source.valid);
    let groups = levels.blocks();
    let mut store = Store::copy_of(source.path, beside, groups)?;
    workers.observer.stage(Stage::Compress, groups as u64);
    workers.run(
        0..groups,
        |number| {
            if number % LET_GO == 0 {
                let_go();
            }
            Ok(())
        },
        |room: &mut ReadScratch, number, ()| record(source, &levels, number, room),
        |number, record| {
            workers.observer.advance(Stage::Compress, number as u64 + 1);
            let record = record.map_err(|error| store.cannot_encode(error))?;
            Ok(store.append(&[(number, record)])?)
        },
    )?;
    Ok(store)
}

/// Room for a thread to read groups in.
#[derive(Default)]
struct ReadScratch {
    /// By block, row by row: what each viewpoint sees of it, where a stamp is the group's.
    rows: Vec<[u64; 64]>,
    stamps: Vec<usize>,
    tree: PairSymbols,
}

/// The record of a group of the bundle, as its kernel found it. One that is damaged says visible.
fn record(
    source: &Unpacking,
    levels: &Levels,
    number: usize,
    room: &mut ReadScratch,
) -> io::Result<Vec<u8>> {
    let (at, own) = levels.find(number);
    let level = &levels.all[at as usize];
    let told = levels.told_by(at, own);
    let group = match source.terrain.levels() {
        Some(bundle) => group(bundle, levels, (at, own), &told, &mut room.tree),
        None => Some(of_trees(&source.terrain, level, own, &told, (number, room))),
    };
    let group = group.unwrap_or_else(|| {
        let sight = |&target: &Block| match level.terrain(target) {
            0 => Answer::Hidden,
            _ => Answer::Visible,
        };
        LevelGroup {
            sights: told.iter().map(sight).collect(),
            pairs: PairList::default(),
        }
    });
    if at == 0 {
        return levels.record(number, &group);
    }
    // Without what the level below tells.
    let mut seen = group.sights.iter().copied().zip(group.rows());
    let outer = levels.group(number, &mut room.tree, |target, outer| {
        let (sight, rows) = seen.next().unwrap_or((Answer::Visible, None));
        *outer = rows_of(sight, rows, [level.terrain(own), level.terrain(target)]);
        Answer::Mixed
    });
    levels.record(number, &outer)
}

/// What the group of a block says; `None` where its bytes are damaged.
fn group(
    bundle: format::Levels,
    levels: &Levels,
    (at, own): (u32, Block),
    told: &[Block],
    tree: &mut PairSymbols,
) -> Option<LevelGroup> {
    let level = &levels.all[at as usize];
    let group = bundle.groups(at).group(own.0, own.1)?;
    let mut found = LevelGroup {
        sights: vec![Answer::Hidden; told.len()],
        pairs: PairList::default(),
    };
    let number = |&(column, row): &Block| morton::number(column, row);
    let mut records = 0;
    for (sight, target) in sights_of(group.skeleton()) {
        // A quad that is visible may hold blocks without terrain, which nobody sees.
        let nobody = sight == Answer::Visible && level.terrain(target) == 0;
        if nobody || !is_kept(levels.is_mutual(), own, target) {
            continue;
        }
        let place = told.binary_search_by_key(&number(&target), number).ok()?;
        found.sights[place] = sight;
        if sight == Answer::Mixed {
            tree.read(&group.record(records)?);
            found.pairs.push(tree.pair());
            records += 1;
        }
    }
    Some(found)
}

/// A group out of the trees of its samples.
fn of_trees(
    terrain: &TerrainBundle,
    level: &Level,
    own: Block,
    told: &[Block],
    (number, room): (usize, &mut ReadScratch),
) -> LevelGroup {
    let (grid, words) = (level.grid, level.valid.blocks());
    let viewpoints = level.terrain(own);
    let ReadScratch { rows, stamps, tree } = room;
    rows.resize(words.len(), [0; 64]);
    stamps.resize(words.len(), usize::MAX);
    for viewpoint in (0..64).filter(|v| viewpoints >> v & 1 == 1) {
        let quad = Quad::new(0, own.0 * 8 + viewpoint % 8, own.1 * 8 + viewpoint / 8);
        let mut take = |leaf: Leaf| {
            let bits = match leaf {
                Leaf::Hidden(_) => return true,
                Leaf::Visible(_) => !0,
                Leaf::Block(_, bits) => bits,
            };
            // A quad outside the grid has none.
            for block in grid.blocks_of(leaf.quad()) {
                if stamps[block] != number {
                    (stamps[block], rows[block]) = (number, [0; 64]);
                }
                rows[block][viewpoint as usize] = bits & words[block];
            }
            true
        };
        match terrain.pvs(quad) {
            Some(pvs) => pvs.sweep(&mut take),
            None => take(Leaf::Visible(grid.root())),
        };
    }
    let mut found = LevelGroup::default();
    for &target in told {
        let index = level.index(target);
        let mut sight = Answer::Hidden;
        if stamps[index] == number {
            sight = tree.analyse(&rows[index], viewpoints, words[index]);
        }
        found.push(sight, tree);
    }
    found
}
