//! Re-bakes of graded bundles: of each chunk whose terrain has changed those pairs are asked again, level by level, that may see
//! each other otherwise now; all other groups are those of the bundle. What comes out is a bundle: patches are of bundles whose
//! blocks cover the whole grid.
//!
//! What a kernel finds out about two cells depends on the terrain of their chunk: on what lies between and around them
//! ([`crate::visibility::Change`]), on the range of all its heights, and on where it has voids. Where one of the latter changes,
//! all pairs of the chunk are asked, and where the bundle does not hold the ground that it was made of: in one of larger cells.

use std::borrow::Cow;
use std::io;

use super::asking::{ALL, Asker, Asking};
use super::job::{Clock, RebakeJob, RebakeReport, changed_heights, provenance};
use super::layers::Before;
use crate::compress::levels::{Block, keep_outer, quarter, rows_of};
use crate::compress::pairs::PairSymbols;
use crate::job::budget::options::Compression;
use crate::job::error::{BakeError, unreadable};
use crate::job::graded::GradedWork;
use crate::job::grid::Work;
use crate::job::levels::{self, LevelGroup, Levels};
use crate::job::observer::{Observer, Stage};
use crate::job::options::{BakeOptions, as_seen};
use crate::job::parallel::{Workers, thread_count};
use crate::job::report::Finish;
use crate::job::source::Source;
use crate::job::store::file::Store;
use crate::job::terrain::TerrainCells;
use crate::job::visibility::Chunk;
use crate::visibility::LOOK_BLOCKS;
use viewcell::format::Answer;
use viewcell_ingest::world::Terrain;

/// As [`super::rebake::rebake`], of a graded bundle.
pub(super) fn rebake(
    before: &Before,
    job: &RebakeJob,
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    (mut finish, mut clock): (Finish, Clock),
    observer: &dyn Observer,
) -> Result<RebakeReport, BakeError> {
    let graded = BakeError::Graded {
        path: job.bundle.to_owned(),
    };
    let (Some(output), None, true) = (job.output, job.patch, job.over.is_empty()) else {
        return Err(graded);
    };
    let input = &source.input.name;
    options.grid(terrain, input)?;
    let asked = &*options.asked_for(terrain, input)?;
    let seen = as_seen(asked, options.curvature)?;
    let cells = TerrainCells::of(asked, options);
    let valid = cells.valid();
    let parameters = &cells.header().parameters;
    let work = GradedWork::new(parameters, &valid, &seen, options);
    let parts = &before.parts;
    let ground = if before.holds_ground() {
        Some(parts.header.terrain(&parts.heights, job.bundle)?)
    } else {
        None
    };
    let ground = ground
        .as_ref()
        .map(|ground| as_seen(ground, options.curvature));
    let ground = ground.transpose()?;
    clock.stage("prepare");

    let workers = Workers::new(thread_count(options.threads), observer)?;
    let unreadable = |what: &dyn std::fmt::Display| unreadable(job.bundle, what.to_string());
    let bundle = before.map.terrain().map_err(|error| unreadable(&error))?;
    let was = levels::Unpacking {
        path: job.bundle,
        terrain: bundle,
        parameters: &parts.header.parameters,
        valid: &parts.valid,
    };
    let let_go = &|| before.map.let_go();
    let mut store = levels::unpack(&was, output, let_go, &workers)?;
    clock.stage("read");
    let again = Again {
        work: &work,
        was: Levels::new(&parts.header.parameters, &parts.valid),
        grounds: [ground.as_deref(), Some(&*seen)],
    };
    let found = again.run(&mut store, &workers)?;
    clock.stage("visibility");
    let place = cells.destination(output, options.overwrite, &valid);
    let mut made = provenance(source);
    let lossless = Compression::Lossless;
    let written = levels::write(&[store], &place, &workers, &lossless, &mut made)?;
    clock.stage("compress");
    finish.stages = clock.stages.clone();
    Ok(RebakeReport {
        asked_pairs: found.asked,
        all_pairs: found.all,
        changed_pairs: found.changed,
        changed_samples: changed_heights(&parts.heights, cells.terrain.ground()).len() as u64,
        patch_bytes: 0,
        stages: clock.stages,
        bundle: Some(finish.report(written, made, &place)),
    })
}

/// What has become of the pairs of blocks.
#[derive(Default)]
struct Found {
    asked: u64,
    all: u64,
    changed: u64,
}

/// A group after it was asked.
#[derive(Default)]
struct Asked {
    asked: u64,
    changed: u64,
    /// Its number and its bytes, if it may be another.
    record: Option<(usize, Vec<u8>)>,
}

/// What is asked again.
struct Again<'a> {
    work: &'a GradedWork<'a>,
    /// The levels as they were: where there was terrain.
    was: Levels,
    /// The ground that straight sight met, if it is known, and the one that it meets.
    grounds: [Option<&'a Terrain>; 2],
}

/// What a thread works with.
struct AgainScratch<'k> {
    asker: Option<Asker<'k>>,
    tree: PairSymbols,
    open: Vec<bool>,
}

impl Again<'_> {
    /// Replaces those groups of the store that are others now.
    fn run(&self, store: &mut Store, workers: &Workers) -> Result<Found, BakeError> {
        let levels = self.work.levels();
        let chunks = self.work.chunks(levels.tiles());
        workers
            .observer
            .stage(Stage::Visibility, levels.blocks() as u64);
        let (mut found, mut done) = (Found::default(), 0);
        for (chunk, numbers) in chunks {
            done += numbers.len() as u64;
            let of = |number: &usize| self.told(*number).len() as u64;
            found.all += numbers.iter().map(of).sum::<u64>();
            let parts = self.grounds.map(|ground| self.work.part(&chunk, ground?));
            let [before, now] = parts.each_ref().map(Option::as_ref);
            let changed = match (before, now) {
                (Some(before), Some(now)) => changed_heights(before.heights(), now.heights()),
                (None, None) if self.grounds[0].is_some() => Vec::new(),
                _ => vec![(0, f64::NAN)],
            };
            if !changed.is_empty() {
                let is_void = |height: Option<&f64>| height.is_none_or(|height| height.is_nan());
                let moves = |&(at, now): &(u32, f64)| {
                    let before = before.and_then(|before| before.heights().get(at as usize));
                    is_void(before) != now.is_nan()
                };
                let before = before.filter(|_| !changed.iter().any(moves));
                let (options, window) = (self.work.options_of(&chunk), chunk.window());
                let asking = Asking::new([before, now], &options, window);
                self.ask(
                    &chunk,
                    &numbers,
                    asking.as_ref(),
                    store,
                    &mut found,
                    workers,
                )?;
            }
            workers.observer.advance(Stage::Visibility, done);
        }
        Ok(found)
    }

    /// The blocks that the group of one covers.
    fn told(&self, number: usize) -> Cow<'_, [Block]> {
        let (at, own) = self.was.find(number);
        self.was.told_by(at, own)
    }

    /// Asks for the groups of a chunk; where nobody is, nobody sees anything.
    fn ask(
        &self,
        chunk: &Chunk<'_>,
        numbers: &[usize],
        asking: Option<&Asking<'_>>,
        store: &mut Store,
        found: &mut Found,
        workers: &Workers,
    ) -> Result<(), BakeError> {
        let quad = |number: usize| self.was.look_quad(number);
        let pieces: Vec<&[usize]> = numbers.chunk_by(|&a, &b| quad(a) == quad(b)).collect();
        let blocks = chunk.grid().blocks();
        let mut replaced = Vec::new();
        workers.run_in(
            || AgainScratch {
                asker: asking.map(Asking::asker),
                tree: PairSymbols::default(),
                open: vec![false; LOOK_BLOCKS * blocks],
            },
            0..pieces.len(),
            |piece| {
                let groups = pieces[piece].iter().map(|&number| {
                    let bytes = store.read(number)?.unwrap_or_default();
                    let group = self.was.decode(&bytes, self.told(number).len());
                    Ok((number, group.ok_or_else(|| store.damaged(number))?))
                });
                groups.collect::<Result<Vec<_>, BakeError>>()
            },
            |room, _, groups| self.look(chunk, asking, groups, room),
            |_, groups| {
                for group in groups {
                    let group = group.map_err(|error| store.cannot_encode(error))?;
                    found.asked += group.asked;
                    found.changed += group.changed;
                    replaced.extend(group.record);
                }
                Ok(())
            },
        )?;
        Ok(store.append(&replaced)?)
    }

    /// Asks for the groups of a quad, which are given as they were.
    fn look(
        &self,
        chunk: &Chunk<'_>,
        asking: Option<&Asking<'_>>,
        groups: Vec<(usize, LevelGroup)>,
        room: &mut AgainScratch<'_>,
    ) -> Vec<io::Result<Asked>> {
        let AgainScratch { asker, tree, open } = room;
        let blocks = open.len() / LOOK_BLOCKS;
        if let (Some(asker), Some(asking)) = (asker.as_mut(), asking) {
            open.fill(false);
            for (number, group) in &groups {
                let (own, child) = self.place(chunk, *number);
                for (target, &sight) in self.told(*number).iter().zip(&group.sights) {
                    let target = chunk.place(*target);
                    open[child * blocks + target] = asking.is_open(own, target, sight);
                }
            }
            asker.look(chunk.look_quad(groups[0].0), open);
        }
        let asker = asker.as_ref().zip(asking);
        let of_group = |(number, group)| self.follow(chunk, asker, number, &group, tree);
        groups.into_iter().map(of_group).collect()
    }

    /// A group with what has been decided in it.
    fn follow(
        &self,
        chunk: &Chunk<'_>,
        asker: Option<(&Asker<'_>, &Asking<'_>)>,
        number: usize,
        before: &LevelGroup,
        tree: &mut PairSymbols,
    ) -> io::Result<Asked> {
        let levels = self.work.levels();
        let (at, block) = levels.find(number);
        let (own, child) = self.place(chunk, number);
        let told = self.told(number);
        // Nobody sees anybody where nobody is.
        let decided = |target: Block| match asker {
            Some((asker, _)) => asker.decided(child, chunk.place(target)),
            None => Some(&ALL),
        };
        let mut found = Asked {
            asked: told
                .iter()
                .filter(|&&target| decided(target).is_some())
                .count() as u64,
            ..Asked::default()
        };
        if found.asked == 0 {
            return Ok(found);
        }
        let mut seen = before.sights.iter().zip(before.rows());
        let group = levels.group(number, tree, |target, rows| {
            let [was, there] = [&self.was, levels]
                .map(|levels| [block, target].map(|block| levels.all[at as usize].terrain(block)));
            let (&sight, old) = seen.next().unwrap_or((&Answer::Visible, None));
            let before = rows_of(sight, old, was);
            *rows = before;
            let Some(decided) = decided(target) else {
                return Answer::Mixed;
            };
            match asker {
                None => *rows = [0; 64],
                Some((asker, asking)) => {
                    let places = [own, chunk.place(target)];
                    asking.merge(asker, (child, places), decided, there, rows);
                }
            }
            if at > 0 {
                keep_outer(levels.shape, block, target, rows);
            }
            found.changed += u64::from(*rows != before);
            Answer::Mixed
        });
        found.record = Some((number, levels.record(number, &group)?));
        Ok(found)
    }

    /// The place of a block, by its number, in the grid of a chunk, and which block of its quad it is.
    fn place(&self, chunk: &Chunk<'_>, number: usize) -> (usize, usize) {
        let (_, block) = self.was.find(number);
        (chunk.place(block), quarter(block) as usize)
    }
}
