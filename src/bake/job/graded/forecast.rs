//! Forecast of a graded bake, by sampling: the kernels run on some quads of viewpoints of the lowest levels, and time and size
//! are extrapolated.

use std::collections::BTreeSet;

use super::fill::GradedWork;
use crate::compress::levels::{rows_of, visible_pairs};
use crate::compress::pairs::{Codebook, Histogram};
use crate::job::error::BakeError;
use crate::job::grid::Work;
use crate::job::levels::LevelGroup;
use crate::job::observer::Observer;
use crate::job::visibility::Clock;
use viewcell::format::Answer;
use viewcell::format::Quad;
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::pairs::table_length;

/// Level of the chunks that are looked from: their tables are a few of those of a bake.
const CHUNK_LEVEL: u32 = 6;

/// Levels from a block to a chunk.
const IN_CHUNK: u32 = CHUNK_LEVEL - BLOCK_LEVEL;

/// Levels of cells, as quads of samples, whose chunks of that level take little time to prepare.
const QUICK: u32 = 3;

/// Chunks that are looked from at each level, and quads of viewpoints in each.
const CHUNKS: usize = 3;
const QUADS: usize = 1;

/// Seconds of processor that a level may take.
const SECONDS: f64 = 0.2;

/// What a graded bake comes to.
pub(crate) struct GradedForecast {
    /// Seconds of processor.
    pub cpu_seconds: f64,
    /// Bytes of the groups and their index.
    pub bytes: u64,
    /// Of the pairs of view cells that are stored one by one, the share that is hidden: 0 to 1.
    pub hidden_near: f64,
    /// Quads of viewpoints that were sampled, and those of the whole bake.
    pub quads: [usize; 2],
}

/// What a level comes to, by the groups that were looked at.
#[derive(Default)]
struct Sampled {
    histogram: Histogram,
    /// Bytes of heads and tables.
    around: u64,
    /// Pairs of blocks that have terrain.
    pairs: u64,
    /// At level 0: pairs of view cells that see each other, and all.
    visible: u64,
    cells: u64,
    /// Seconds of processor: of looking, and of tables for a sample of the terrain.
    looking: f64,
    tables: f64,
}

/// Foresees a bake.
pub(crate) fn forecast(
    work: &GradedWork<'_>,
    observer: &dyn Observer,
) -> Result<GradedForecast, BakeError> {
    let levels = work.levels();
    let mut all = GradedForecast {
        cpu_seconds: 0.0,
        bytes: 0,
        hidden_near: 0.0,
        quads: [
            0,
            levels
                .all
                .iter()
                .map(|level| level.blocks.len().div_ceil(4))
                .sum(),
        ],
    };
    // Of the last level that was looked from: seconds and bytes.
    let mut last = (0.0, 0.0);
    for (at, level) in (0..).zip(&levels.all) {
        if at > 0 && work.finest() + at > QUICK {
            // Each level has a quarter of the cells of the one below.
            last = (last.0 / 4.0, last.1 / 4.0);
            all.cpu_seconds += last.0;
            all.bytes += last.1 as u64;
            continue;
        }
        let mut found = Sampled::default();
        // Row by row, those that have terrain.
        let with_terrain = level
            .blocks
            .iter()
            .filter(|&&block| level.terrain(block) != 0);
        let chunks = with_terrain.map(|&(column, row)| (row >> IN_CHUNK, column >> IN_CHUNK));
        let chunks: BTreeSet<(u32, u32)> = chunks.collect();
        let step = (chunks.len() / CHUNKS).max(1);
        for &(row, column) in chunks.iter().skip(step / 2).step_by(step).take(CHUNKS) {
            if observer.cancelled() {
                return Err(BakeError::Cancelled);
            }
            let quad = Quad::new(CHUNK_LEVEL, column, row);
            all.quads[0] += found.look(work, (at, quad));
            if found.looking > SECONDS {
                break;
            }
        }
        if found.pairs == 0 {
            continue;
        }
        let blocks = level.blocks.iter();
        let due: u64 = blocks
            .map(|&block| levels.pairs_with_terrain(at, block))
            .sum();
        let share = found.pairs as f64 / due as f64;
        let codebook = Codebook::new(&found.histogram);
        let coded = codebook.cost() - codebook.section().len() as u64 + found.around;
        let tables = found.tables * work.table_samples(at);
        last = (
            found.looking / share + tables,
            coded as f64 / share + 8.0 * level.blocks.len() as f64,
        );
        all.cpu_seconds += last.0;
        all.bytes += last.1 as u64;
        if at == 0 {
            all.hidden_near = 1.0 - found.visible as f64 / found.cells.max(1) as f64;
        }
    }
    Ok(all)
}

impl Sampled {
    /// Looks from some quads of a chunk; returns from how many.
    fn look(&mut self, work: &GradedWork<'_>, (at, quad): (u32, Quad)) -> usize {
        let levels = work.levels();
        let level = &levels.all[at as usize];
        let inside = |block: (u32, u32)| {
            Quad::new(BLOCK_LEVEL, block.0, block.1).ancestor(CHUNK_LEVEL) == quad
        };
        let blocks = level.blocks.iter().enumerate();
        let blocks = blocks.filter(|(_, block)| inside(**block));
        let numbers: Vec<usize> = blocks.map(|(index, _)| level.first + index).collect();
        let has_terrain = |&number: &usize| level.terrain(levels.find(number).1) != 0;
        let looks: Vec<&[usize]> = numbers
            .chunk_by(|&a, &b| levels.look_quad(a) == levels.look_quad(b))
            .filter(|look| look.iter().any(has_terrain))
            .collect();
        let step = (looks.len() / QUADS).max(1);
        let chosen = looks.iter().skip(step / 2).step_by(step).take(QUADS);
        let clock = Clock::default();
        let chunk = work.chunk(at, quad);
        let groups: Vec<(usize, LevelGroup)> = work.with_kernels(&chunk, &clock, |kernels| {
            let mut scratch = chunk.scratch(kernels, &work.options_of(&chunk));
            let mut look = |numbers: &&[usize]| {
                let groups = chunk.look(&mut scratch, numbers, &clock, &|| false);
                numbers
                    .iter()
                    .copied()
                    .zip(groups.unwrap_or_default())
                    .collect::<Vec<_>>()
            };
            chosen.flat_map(&mut look).collect()
        });
        let [prepare, visibility, pairs] = clock.seconds();
        self.looking += visibility + pairs;
        self.tables = prepare / work.samples(&chunk).max(1.0);
        let valid = &levels.all[0].valid;
        for (number, group) in &groups {
            let (_, own) = levels.find(*number);
            let told = levels.told_by(at, own);
            self.histogram.count_all(&group.pairs);
            let mixed = group
                .sights
                .iter()
                .filter(|&&sight| sight == Answer::Mixed)
                .count();
            self.around += table_length(mixed) as u64 + told.len() as u64 / 2;
            self.pairs += levels.pairs_with_terrain(at, own);
            if at > 0 {
                continue;
            }
            let mut pairs = group.pairs.iter();
            for (&target, &sight) in told.iter().zip(&group.sights) {
                let mixed = match sight {
                    Answer::Mixed => pairs.next().map(|pair| pair.rows()),
                    _ => None,
                };
                let terrain = [level.terrain(own), level.terrain(target)];
                let rows = rows_of(sight, mixed, terrain);
                let all = rows_of(Answer::Visible, None, terrain);
                let count = |rows| visible_pairs(valid, at, [own, target], rows);
                self.visible += count(&rows);
                self.cells += count(&all);
            }
        }
        groups.len().div_ceil(4)
    }
}
