//! Difference of two bundles of one grid, or of as many cells: where their answers differ.

use std::collections::HashMap;

use rayon::prelude::*;

use super::exposure::DamagedPvs;
use super::sight::GroupSight;
use viewcell::format::grid::quad_mask;
use viewcell::query::{CellBundle, Quad, Sample, SolidBundle, SolidParameters, TerrainBundle};

/// What two bundles of the same grid say, level by level.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// By level of the viewpoint quad.
    pub levels: Vec<LevelDifference>,
    /// By quad of the level that was asked for, row by row: the samples that are hidden from it in
    /// the first bundle and visible in the second, and the other way round.
    pub quads: Vec<[u32; 2]>,
}

/// What two bundles say of the pairs of a quad of some level and a sample, both with terrain in
/// both bundles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelDifference {
    /// All pairs.
    pub pairs: u64,
    /// Those that are visible in the first bundle, and in the second.
    pub visible: [u64; 2],
    /// Hidden in the first, visible in the second.
    pub revealed: u64,
    /// Visible in the first, hidden in the second.
    pub concealed: u64,
}

/// Compares two bundles of the same grid; what only one of them has terrain for is left out. Of
/// quads of `level` it says besides which differ.
///
/// Goes through all PVSs of both, with the threads of the current pool of `rayon`. `go_on` learns
/// how many quads more are done, of all levels, and ends the comparison by returning false; then the
/// result is `None`.
///
/// # Errors
///
/// [`DamagedPvs`] for the bundle (0 or 1) that cannot be read.
///
/// # Panics
///
/// If the grids differ, or have no such level.
pub fn difference(
    bundles: [&TerrainBundle<'_>; 2],
    level: u32,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Option<Difference>, (usize, DamagedPvs)> {
    let grid = bundles[0].grid();
    assert!(grid == bundles[1].grid() && level < grid.levels());
    let work = Work { bundles, level };
    let (columns, rows) = grid.block_shape();
    let low = (0..columns * rows).into_par_iter().map_init(
        || {
            (
                bundles.map(|bundle| GroupSight::new(*bundle)),
                Scratch::new(grid.blocks()),
            )
        },
        |(sights, scratch), block| {
            let tally = work.of_block(sights, scratch, (block % columns, block / columns))?;
            if go_on(tally.compared) {
                Ok(tally)
            } else {
                Err(Stop::Asked)
            }
        },
    );
    let quads = (4..grid.levels()).flat_map(|level| {
        let (columns, rows) = grid.quads_at(level);
        (0..rows).flat_map(move |row| (0..columns).map(move |c| Quad::new(level, c, row)))
    });
    let quads: Vec<Quad> = quads.collect();
    let high = quads.par_iter().map_init(
        || Scratch::new(grid.blocks()),
        |scratch, quad| {
            let mut tally = Tally::new(grid.levels());
            work.of_trees(scratch, *quad, &mut tally)?;
            if go_on(1) {
                Ok(tally)
            } else {
                Err(Stop::Asked)
            }
        },
    );
    let (across, down) = grid.quads_at(level);
    let mut found = Difference {
        levels: vec![LevelDifference::default(); grid.levels() as usize],
        quads: vec![[0; 2]; across as usize * down as usize],
    };
    let tallies: Result<Vec<Tally>, Stop> = low.chain(high).collect();
    match tallies {
        Err(Stop::Asked) => return Ok(None),
        Err(Stop::Damaged(which, quad)) => return Err((which, DamagedPvs(quad.origin()))),
        Ok(tallies) => {
            for tally in tallies {
                for (sum, own) in found.levels.iter_mut().zip(&tally.levels) {
                    sum.add(own);
                }
                for (quad, counts) in tally.quads {
                    found.quads[(quad.row * across + quad.column) as usize] = counts;
                }
            }
        }
    }
    Ok(Some(found))
}

/// Why a comparison ended early.
enum Stop {
    Asked,
    Damaged(usize, Quad),
}

struct Work<'w, 'a> {
    bundles: [&'w TerrainBundle<'a>; 2],
    level: u32,
}

/// Bitmaps of the grid: what either bundle says.
struct Scratch([Vec<u64>; 2]);

impl Scratch {
    fn new(blocks: usize) -> Self {
        Self([vec![0; blocks], vec![0; blocks]])
    }
}

/// What was found in a share of the work.
struct Tally {
    levels: Vec<LevelDifference>,
    quads: Vec<(Quad, [u32; 2])>,
    /// Quads looked at.
    compared: u64,
}

impl Tally {
    fn new(levels: u32) -> Self {
        Self {
            levels: vec![LevelDifference::default(); levels as usize],
            quads: Vec::new(),
            compared: 0,
        }
    }
}

impl LevelDifference {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.revealed += other.revealed;
        self.concealed += other.concealed;
        for (sum, own) in self.visible.iter_mut().zip(other.visible) {
            *sum += own;
        }
    }

    /// Mean share of the terrain that is hidden from a quad, in each bundle; 0 to 1.
    pub fn hidden_shares(&self) -> [f64; 2] {
        self.visible
            .map(|visible| 1.0 - visible as f64 / self.pairs.max(1) as f64)
    }
}

impl Work<'_, '_> {
    /// Levels 0 to 3, as far as they lie in a block.
    fn of_block(
        &self,
        sights: &mut [GroupSight<'_>; 2],
        scratch: &mut Scratch,
        (column, row): (u32, u32),
    ) -> Result<Tally, Stop> {
        let grid = self.bundles[0].grid();
        let mut tally = Tally::new(grid.levels());
        for (which, sight) in sights.iter_mut().enumerate() {
            let damaged = Stop::Damaged(which, Quad::new(3, column, row));
            sight.look(column, row).ok_or(damaged)?;
        }
        // In pairs of blocks the PVS of a quad is the union of its samples'; a tree of its own
        // may say more visible than theirs.
        let in_pairs = self.bundles.map(|bundle| bundle.groups().is_some());
        for level in 0..grid.levels().min(4) {
            let down = 3 - level;
            let each = 0..1_u32 << down;
            for (y, x) in each.clone().flat_map(|y| each.clone().map(move |x| (y, x))) {
                let quad = Quad::new(level, (column << down) + x, (row << down) + y);
                if !grid.has_quad(quad) {
                    continue;
                }
                tally.compared += 1;
                if level > 0 && in_pairs != [true; 2] {
                    self.of_trees(scratch, quad, &mut tally)?;
                    continue;
                }
                let from = quad_mask(quad);
                for (sight, words) in sights.iter().zip(&mut scratch.0) {
                    for (target, word) in words.iter_mut().enumerate() {
                        *word = sight.seen(from, target);
                    }
                }
                self.compare(scratch, quad, &mut tally);
            }
        }
        Ok(tally)
    }

    /// A quad, by its own PVSs.
    fn of_trees(&self, scratch: &mut Scratch, quad: Quad, tally: &mut Tally) -> Result<(), Stop> {
        for (which, (bundle, words)) in self.bundles.iter().zip(&mut scratch.0).enumerate() {
            let pvs = bundle.pvs(quad).ok_or(Stop::Damaged(which, quad))?;
            pvs.expand(words);
        }
        self.compare(scratch, quad, tally);
        Ok(())
    }

    /// Compares the bitmaps of a quad.
    fn compare(&self, scratch: &Scratch, quad: Quad, tally: &mut Tally) {
        let grid = self.bundles[0].grid();
        let valid = self.bundles.map(|bundle| bundle.valid());
        if valid.iter().any(|valid| !valid.has_quad(quad)) {
            return;
        }
        let (columns, _) = grid.block_shape();
        let mut found = LevelDifference::default();
        let ones = |word: u64| u64::from(word.count_ones());
        for (block, (&a, &b)) in scratch.0[0].iter().zip(&scratch.0[1]).enumerate() {
            let (column, row) = (block as u32 % columns, block as u32 / columns);
            let terrain = valid[0].block(column, row) & valid[1].block(column, row);
            let (a, b) = (a & terrain, b & terrain);
            found.pairs += ones(terrain);
            found.visible[0] += ones(a);
            found.visible[1] += ones(b);
            found.revealed += ones(b & !a);
            found.concealed += ones(a & !b);
        }
        tally.levels[quad.level as usize].add(&found);
        if quad.level == self.level && found.revealed + found.concealed > 0 {
            let counts = [found.revealed, found.concealed].map(|count| count as u32);
            tally.quads.push((quad, counts));
        }
    }
}

/// Where two levels of as many cells differ: by cell, how many are hidden from it in the
/// first and visible in the second, and the other way round; and how many pairs of different cells
/// are visible in either. O(N²).
///
/// # Panics
///
/// If they do not have as many cells.
pub fn cell_difference(levels: [&CellBundle<'_>; 2]) -> (Vec<[u32; 2]>, [u64; 2]) {
    let [a, b] = levels;
    assert_eq!(a.cells(), b.cells());
    let both: Vec<[u32; 2]> = (0..a.cells()).map(|cell| [cell; 2]).collect();
    let sees = |which: usize, from, to| from != to && levels[which].visible(from, to);
    differences(&both, &sees)
}

/// The same of two solid levels, of cells that both have: by numbers in either. Of each, from it, how many are hidden in A and
/// visible in B, and the other way round; and how many pairs are visible in A and in B.
pub fn solid_difference(
    levels: [&SolidBundle<'_>; 2],
    both: &[[u32; 2]],
) -> (Vec<[u32; 2]>, [u64; 2]) {
    differences(both, &|which, from, to| levels[which].visible(from, to))
}

/// The same by who sees whom in either.
fn differences(
    both: &[[u32; 2]],
    sees: &(dyn Fn(usize, u32, u32) -> bool + Sync),
) -> (Vec<[u32; 2]>, [u64; 2]) {
    let from_each = |from: &[u32; 2]| {
        let mut found = [0, 0];
        let mut visible = [0, 0];
        for to in both {
            let [in_a, in_b] = [0, 1].map(|which| sees(which, from[which], to[which]));
            visible[0] += u64::from(in_a);
            visible[1] += u64::from(in_b);
            found[0] += u32::from(in_b && !in_a);
            found[1] += u32::from(in_a && !in_b);
        }
        (found, visible)
    };
    let (counts, visible): (Vec<_>, Vec<[u64; 2]>) = both.par_iter().map(from_each).unzip();
    let sum = |which: usize| visible.iter().map(|visible| visible[which]).sum();
    (counts, [sum(0), sum(1)])
}

/// The cells that two solid levels both have, by their numbers in either, in the order of those of the first: boxes of the same
/// places. `None` where cells of the two are of other sizes, or of other players.
pub fn common_cells([a, b]: [&SolidBundle<'_>; 2]) -> Option<Vec<[u32; 2]>> {
    let [of_a, of_b] = [a, b].map(|level| level.parameters());
    let players = |of: &SolidParameters| (of.cell, of.hull, of.eye, of.frame);
    if players(of_a) != players(of_b) {
        return None;
    }
    // Counted in steps of cells, since the levels may begin elsewhere.
    let place = |level: &SolidBundle<'_>, cell: u32| {
        let corners = level.bounds(cell)?.map(|corner| {
            std::array::from_fn(|k| {
                ((corner[k] - of_a.origin[k]) / of_a.cell[k] * STEPS).round() as i64
            })
        });
        Some(corners)
    };
    let numbers: HashMap<[[i64; 3]; 2], u32> = (0..b.cells())
        .filter_map(|cell| Some((place(b, cell)?, cell)))
        .collect();
    let both = (0..a.cells()).filter_map(|cell| Some([cell, *numbers.get(&place(a, cell)?)?]));
    Some(both.collect())
}

/// Corners of cells are multiples of so small a part of a cell.
const STEPS: f64 = 8.0;

/// A value of each quad of a level, row by row, at each of its samples, row by row.
pub fn spread<T: Copy>(terrain: &TerrainBundle<'_>, level: u32, values: &[T]) -> Vec<T> {
    let grid = terrain.grid();
    let (columns, _) = grid.quads_at(level);
    let place = |sample: Sample| (sample.row >> level) * columns + (sample.column >> level);
    grid.row_by_row()
        .map(|sample| values[place(sample) as usize])
        .collect()
}
