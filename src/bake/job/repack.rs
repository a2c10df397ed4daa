//! Repacking: a bundle to another bundle of the same PVSs, lossless or within a budget.
//!
//! The PVSs of a bundle, of either tree code, are first written as groups into a store; what follows is that of a
//! bake.

use super::budget::options::Compression;
use super::compress::{compress, put_together};
use super::encode::{Assembly, Destination};
use super::error::{BakeError, unreadable};
use super::graded;
use super::observer::{Observer, Stage};
use super::parallel::{Workers, thread_count};
use super::report::{BakeReport, Finish};
use super::store::file::Store;
use super::store::group::{BlockOrder, Group, Targets};
use super::store::groups::StoredGroups;
use crate::bundle::{TerrainParts, check_output};
use crate::compress::ValidPyramid;
use crate::compress::pairs::group::{is_kept, sights_of};
use crate::compress::pairs::{PairBits, PairList, PairSymbols};
use std::path::Path;
use viewcell::format::Answer;
use viewcell::format::{Groups, Leaf, Quad, ReadPvs, TreeCode};
use viewcell::query::{MappedBundle, TerrainBundle, World};

/// How to repack.
#[derive(Clone, Debug, Default)]
pub struct RepackOptions {
    /// What is kept.
    pub compression: Compression,
    /// Threads that compute; 0 for as many as there are processors. Changes no byte.
    pub threads: usize,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
}

/// Writes the PVSs of the bundle `input`, of any tree code, into a bundle at `output`, compressed
/// anew. The bytes are those of a bake with that compression.
///
/// # Errors
///
/// Where the input has lost something before; where it is damaged, or a file cannot be read or written.
pub fn repack(
    input: &Path,
    output: &Path,
    options: &RepackOptions,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(thread_count(options.threads), "none");
    check_output(output, options.overwrite)?;
    let TerrainParts {
        header,
        heights,
        valid,
        mut provenance,
    } = TerrainParts::read(input)?;
    if header.parameters.lossy {
        return Err(BakeError::Lossy {
            path: input.to_owned(),
        });
    }
    let place = Destination {
        path: output,
        overwrite: options.overwrite,
        header: &header,
        heights: &heights,
        valid: &valid,
    };
    let workers = &Workers::new(finish.threads(), observer)?;
    finish.restart_clock();
    let written = match &options.compression {
        compression if header.parameters.tree_code == TreeCode::Graded => {
            let map = MappedBundle::open(input).map_err(|error| unreadable(input, error))?;
            let terrain = map.terrain().map_err(|error| unreadable(input, error))?;
            let graded = terrain.graded();
            let graded = graded.ok_or_else(|| unreadable(input, "expected levels of groups"))?;
            let levels = (&header.parameters, &valid);
            let store = graded::unpack(graded, levels, (input, output), |_| true, workers)?;
            put_together(&[store], &place, workers, compression, &mut provenance)?
        }
        compression => {
            let order = BlockOrder::new(valid.grid(), Targets::of(place.mutual()));
            let store = unpack(input, &place, &order, workers)?;
            let assembly = Assembly {
                groups: StoredGroups {
                    stores: &[store],
                    order: &order,
                },
                place: &place,
                workers,
            };
            compress(&assembly, compression, &mut provenance)?
        }
    };
    finish.stage("compress");
    Ok(finish.report(written, provenance, &place))
}

/// Groups that are read before the system may take back the memory of what they were read from:
/// the trees of all blocks may be more than memory holds.
const LET_GO: usize = 64;

/// A bundle that is read.
struct Reader<'a> {
    terrain: TerrainBundle<'a>,
    valid: &'a ValidPyramid,
    order: &'a BlockOrder,
    mutual: bool,
}

/// Room for a thread to read groups in.
#[derive(Default)]
struct ReadScratch {
    /// By block, row by row: what each viewpoint sees of it, where a stamp is the group's.
    rows: Vec<[u64; 64]>,
    stamps: Vec<usize>,
    pair: PairSymbols,
}

/// Puts the groups of the bundle `source`, which is lossless, into a store beside the place
/// of another.
pub(crate) fn unpack(
    source: &Path,
    place: &Destination,
    order: &BlockOrder,
    workers: &Workers,
) -> Result<Store, BakeError> {
    let map = MappedBundle::open(source).map_err(|error| unreadable(source, error))?;
    let world = map.bundle().and_then(|bundle| bundle.world());
    let sights = match world.map_err(|error| unreadable(source, error))? {
        World::Solid(level) => *level.sights(),
        _ => map.terrain().map_err(|error| unreadable(source, error))?,
    };
    unpack_terrain((source, sights), &|| map.let_go(), place, order, workers)
}

/// As [`unpack`], of a bundle that is open. Now and then `let_go` is told that what was read is not
/// needed again.
pub(crate) fn unpack_terrain(
    (source, terrain): (&Path, TerrainBundle),
    let_go: &dyn Fn(),
    place: &Destination,
    order: &BlockOrder,
    workers: &Workers,
) -> Result<Store, BakeError> {
    let reader = Reader {
        terrain,
        valid: place.valid,
        order,
        mutual: place.mutual(),
    };
    let mut store = Store::copy_of(source, place.path, order.len())?;
    workers.observer.stage(Stage::Compress, order.len() as u64);
    workers.run(
        0..order.len(),
        |number| {
            if number % LET_GO == 0 {
                let_go();
            }
            Ok(())
        },
        |room: &mut ReadScratch, number, ()| {
            let group = match terrain.groups() {
                Some(groups) => reader.of_pairs(groups, number, room),
                None => reader.of_trees(number, room),
            };
            group.encode(number, reader.order)
        },
        |number, group| {
            workers.observer.advance(Stage::Compress, number as u64 + 1);
            let group = group.map_err(|error| store.cannot_encode(error))?;
            Ok(store.append(&[(number, group)])?)
        },
    )?;
    Ok(store)
}

impl Reader<'_> {
    fn index(&self, (column, row): (u32, u32)) -> usize {
        (row * self.valid.grid().block_shape().0 + column) as usize
    }

    fn nothing(&self) -> Group {
        Group {
            sights: vec![Answer::Hidden; self.order.len()],
            pairs: PairList::default(),
        }
    }

    /// A group out of the trees of its samples.
    fn of_trees(&self, number: usize, room: &mut ReadScratch) -> Group {
        let terrain = self.valid.blocks();
        let block = self.order.block(number);
        let viewpoints = terrain[self.order.index(number)];
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
        let mut group = self.nothing();
        for target in self.order.told_by(number) {
            if room.stamps[target] != number {
                continue;
            }
            let bits = PairBits::new(&room.rows[target], viewpoints, terrain[target]);
            let sight = bits.analyse(&mut room.pair);
            group.sights[target] = sight;
            if sight == Answer::Mixed {
                group.pairs.push(room.pair.pair());
            }
        }
        group
    }

    /// Shows the words of a PVS that are not 0, in no order. One that cannot be read says visible.
    fn sweep(&self, quad: Quad, mut take: impl FnMut(usize, u64)) {
        let (grid, terrain) = (self.valid.grid(), self.valid.blocks());
        let (columns, rows) = grid.block_shape();
        let mut show = |block: usize, bits: u64| take(block, bits & terrain[block]);
        let mut take_leaf = |leaf: Leaf| {
            match leaf {
                Leaf::Block(quad, bits) if quad.column < columns && quad.row < rows => {
                    show(self.index((quad.column, quad.row)), bits);
                }
                Leaf::Visible(quad) => {
                    grid.blocks_of(quad).for_each(|block| show(block, !0));
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

    /// A group out of its bytes. Those that are damaged say visible.
    fn of_pairs(&self, groups: Groups, number: usize, room: &mut ReadScratch) -> Group {
        let block = self.order.block(number);
        let mut read = self.nothing();
        let Some(group) = groups.group(block.0, block.1) else {
            for target in self.order.told_by(number) {
                read.sights[target] = Answer::Visible;
            }
            return read;
        };
        let terrain = self.valid.blocks();
        let mut records = 0;
        for (sight, target) in sights_of(group.skeleton()) {
            if !is_kept(self.mutual, block, target) {
                continue;
            }
            // A quad that is visible may hold blocks without terrain, which nobody sees.
            if sight == Answer::Visible && terrain[self.index(target)] == 0 {
                continue;
            }
            let mut known = sight;
            if sight == Answer::Mixed {
                match group.record(records) {
                    Some(record) => {
                        room.pair.read(&record);
                        read.pairs.push(room.pair.pair());
                    }
                    None => known = Answer::Visible,
                }
                records += 1;
            }
            read.sights[self.index(target)] = known;
        }
        read
    }
}
