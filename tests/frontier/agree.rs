//! A bundle that has lost something gives one answer to each question, however it is asked: two
//! places are hidden from each other if any pair of quads that hold them is.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use proptest::prelude::*;
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::query::{Answer, Grid, MappedBundle, Quad, Sample, TerrainBundle};
use viewcell_bake::bundle::verify;
use viewcell_bake::survey::{GroupSight, survey};
use viewcell_bake::{Budget, Compression, RepackOptions, Silent, Weight, repack};
use viewcell_ingest::{IngestOptions, read_terrain};

use crate::baking::bake_exactly;
use crate::common::{MUTUAL, ONE_WAY, ridges};
use crate::reader::said;
use viewcell_bake::visibility::Bodies;
use viewcell_ingest::world::Terrain;

/// The slow twin: the definition in `schemas/BUNDLE.md`, over all pairs of quads.
struct Twin {
    grid: Grid,
    terrain: Vec<bool>,
    /// By quad, its samples of terrain.
    samples: HashMap<Quad, Vec<Sample>>,
    /// What is stored of each quad: whether it has something of each other quad.
    stored: HashMap<Quad, HashSet<Quad>>,
    /// Level of the least quads with trees.
    least: u32,
    mutual: bool,
}

impl Twin {
    fn new(bundle: &TerrainBundle<'_>) -> Self {
        let grid = bundle.grid();
        let levels = grid.levels();
        let stored = grid.bake_order().map(|quad| {
            let pvs = bundle.stored_pvs(quad).unwrap();
            let seen = grid.row_by_row().filter(|&s| pvs.contains(s));
            (quad, seen.flat_map(|s| around(s.quad(), levels)).collect())
        });
        let mut samples: HashMap<Quad, Vec<Sample>> = HashMap::new();
        for s in grid.row_by_row().filter(|&s| bundle.valid().has_sample(s)) {
            for quad in around(s.quad(), levels) {
                samples.entry(quad).or_default().push(s);
            }
        }
        Self {
            grid,
            samples,
            terrain: grid
                .row_by_row()
                .map(|s| bundle.valid().has_sample(s))
                .collect(),
            stored: stored.collect(),
            least: bundle.groups().map_or(0, |_| TREE_LEVEL),
            mutual: bundle.parameters().mutual,
        }
    }

    fn index(&self, sample: Sample) -> usize {
        (sample.row * self.grid.width() + sample.column) as usize
    }

    /// The samples of terrain in a quad.
    fn samples(&self, quad: Quad) -> impl Iterator<Item = Sample> {
        self.samples.get(&quad).into_iter().flatten().copied()
    }

    /// The quads that hold a quad, itself among them.
    fn around(&self, quad: Quad) -> impl Iterator<Item = Quad> + use<> {
        around(quad, self.grid.levels())
    }

    /// Whether what is stored of a quad has nothing of another.
    fn is_hidden(&self, from: Quad, to: Quad) -> bool {
        !self.stored[&from].contains(&to)
    }

    /// By the words: hidden if any pair of quads that hold them is hidden, in a mutual
    /// bundle either way.
    fn sees(&self, a: Sample, b: Sample) -> bool {
        let pairs = self
            .around(a.quad())
            .flat_map(|from| self.around(b.quad()).map(move |to| (from, to)));
        let terrain = [a, b].iter().all(|&s| self.terrain[self.index(s)]);
        let mut hidden = pairs.into_iter().filter(|&(from, to)| {
            self.is_hidden(from, to) || self.mutual && self.is_hidden(to, from)
        });
        terrain && hidden.next().is_none()
    }

    /// The PVS of a quad, by the words of `schemas/BUNDLE.md`.
    fn pvs(&self, quad: Quad, sees: impl Fn(Sample, Sample) -> bool) -> Vec<bool> {
        let visible = |b: Sample| {
            if !self.terrain[self.index(b)] {
                return false;
            }
            if quad.level < self.least {
                return self.samples(quad).any(|a| sees(a, b));
            }
            let by_quads = self.around(quad).all(|a| !self.is_hidden(a, b.quad()));
            let mut around = self.around(b.quad()).filter(|b| b.level >= self.least);
            by_quads && (!self.mutual || around.all(|b| !self.is_hidden(b, quad)))
        };
        self.grid.row_by_row().map(visible).collect()
    }
}

/// The quads that hold a quad, itself among them.
fn around(quad: Quad, levels: u32) -> impl Iterator<Item = Quad> {
    (quad.level..levels).map(move |level| {
        let up = level - quad.level;
        Quad::new(level, quad.column >> up, quad.row >> up)
    })
}

/// Holds every answer of a bundle to the twin. Returns how many pairs of samples are hidden by a
/// quad alone.
fn agree(bundle: &TerrainBundle<'_>, path: &Path) -> usize {
    let twin = Twin::new(bundle);
    let grid = bundle.grid();
    let samples: Vec<Sample> = grid.row_by_row().collect();
    let mut matrix = Vec::new();
    let mut narrowed = 0;
    for &a in &samples {
        for &b in &samples {
            let sees = twin.sees(a, b);
            assert_eq!(bundle.visible(a, b), sees, "{a:?} {b:?}");
            narrowed += usize::from(!sees && !twin.is_hidden(a.quad(), b.quad()));
            matrix.push(sees);
        }
    }
    let sees = |a: Sample, b: Sample| matrix[twin.index(a) * samples.len() + twin.index(b)];
    for &a in &samples {
        for &b in &samples {
            assert!(!twin.mutual || sees(a, b) == sees(b, a), "{a:?} {b:?}");
        }
    }
    looks_ahead_alike(bundle, &samples, sees);
    let mut words = vec![0; grid.blocks()];
    for quad in grid.bake_order() {
        let expected = twin.pvs(quad, sees);
        let pvs = bundle.pvs(quad).unwrap();
        pvs.expand(&mut words);
        let mut leaves = vec![false; samples.len()];
        pvs.samples().for_each(|s| leaves[twin.index(s)] = true);
        for &b in &samples {
            let at = twin.index(b);
            let (word, bit) = grid.block_bit(b);
            let said = [pvs.contains(b), words[word] >> bit & 1 == 1, leaves[at]];
            assert_eq!(said, [expected[at]; 3], "{quad:?} {b:?}");
            if (at + quad.column as usize).is_multiple_of(19) {
                let state = bundle.visible_quads(quad, b.quad());
                assert_eq!(state != Answer::Hidden, expected[at], "{quad:?} {b:?}");
            }
            // What is hidden from a quad is hidden from all that it holds.
            for a in twin.samples(quad).filter(|_| !expected[at]) {
                assert!(!sees(a, b), "{quad:?} {a:?} {b:?}");
            }
            let of_samples = twin.samples(quad).any(|a| sees(a, b));
            assert!(quad.level >= twin.least.max(1) || of_samples == expected[at]);
        }
        let count = expected.iter().filter(|visible| **visible).count();
        assert_eq!(pvs.count(), count as u64, "{quad:?}");
        for to in grid.bake_order().step_by(17) {
            let mut inside = twin.samples(to).map(|s| expected[twin.index(s)]).peekable();
            let any = inside.peek().is_some();
            let (mut some, mut all) = (false, true);
            inside.for_each(|visible| (some, all) = (some | visible, all & visible));
            let state = match (any && some, all) {
                (false, _) => Answer::Hidden,
                (true, true) => Answer::Visible,
                (true, false) => Answer::Mixed,
            };
            assert_eq!(pvs.state(to), state, "{quad:?} {to:?}");
            assert_eq!(bundle.visible_quads(quad, to), state);
        }
        let mut covered = 0;
        for leaf in pvs.quads() {
            covered += bundle.valid().count(leaf.quad());
        }
        assert_eq!(covered, bundle.valid().count(grid.root()));
    }
    let (columns, rows) = grid.block_shape();
    let mut sight = GroupSight::new(*bundle);
    for block in 0..columns * rows {
        sight.look(block % columns, block / columns).unwrap();
        for v in 0..64 {
            let a = Sample::new(block % columns * 8 + v % 8, block / columns * 8 + v / 8);
            for &b in samples.iter().filter(|_| grid.has_sample(a)) {
                let (word, bit) = grid.block_bit(b);
                assert_eq!(
                    sight.word(v, word) >> bit & 1 == 1,
                    sees(a, b),
                    "{a:?} {b:?}"
                );
            }
        }
    }
    let survey = survey(bundle, &|_| true).unwrap().unwrap();
    for &b in &samples {
        let seen_by = samples.iter().filter(|&&a| sees(a, b)).count();
        assert_eq!(survey.exposure[twin.index(b)], seen_by as u32);
    }
    let every = samples
        .iter()
        .flat_map(|&a| samples.iter().map(move |&b| (a, b)));
    let some: Vec<_> = every.step_by(41).collect();
    let lines = some
        .iter()
        .map(|(a, b)| format!("{} {} {} {}\n", a.column, a.row, b.column, b.row));
    if let Some(found) = said(
        "visible",
        path,
        &["--pairs", "-"],
        &lines.collect::<String>(),
    ) {
        let expected = some
            .iter()
            .map(|&(a, b)| format!("{}\n", u8::from(sees(a, b))));
        assert!(found == expected.collect::<String>());
    }
    narrowed
}

/// Look-ahead by one sample says of no pair that it is visible of which all nine squares around the one
/// are hidden from all nine around the other.
fn looks_ahead_alike(
    bundle: &TerrainBundle<'_>,
    samples: &[Sample],
    sees: impl Fn(Sample, Sample) -> bool,
) {
    let grid = bundle.grid();
    let [dx, dy] = bundle.parameters().cell_spacing;
    let reach = dx.min(dy) / 2.0;
    let around = |s: Sample| {
        let side = |at: u32, end: u32| at.saturating_sub(1)..(at + 2).min(end);
        side(s.row, grid.height())
            .flat_map(move |row| side(s.column, grid.width()).map(move |c| Sample::new(c, row)))
    };
    let can_be = |&s: &Sample| bundle.valid().has_sample(s);
    for (i, &a) in samples.iter().enumerate().filter(|(_, s)| can_be(s)) {
        for &b in samples
            .iter()
            .skip(i % 11)
            .step_by(11)
            .filter(|s| can_be(s))
        {
            let any = around(a).any(|a| around(b).any(|b| sees(a, b) || sees(b, a)));
            let found = bundle.visible_within(a, b, [reach; 2]);
            // Single trees are asked of so many quads, and no more.
            let is_exact = bundle.groups().is_some();
            assert!(found == any || !is_exact && found, "{a:?} {b:?}");
        }
    }
}

/// The independent reader says the same of every PVS.
fn read_alike(bundle: &TerrainBundle<'_>, path: &Path) {
    let Some(found) = said("trees", path, &[], "") else {
        return;
    };
    let mut words = vec![0; bundle.grid().blocks()];
    let mut lines = found.lines();
    for quad in bundle.grid().bake_order() {
        let pvs = bundle.pvs(quad).unwrap();
        pvs.expand(&mut words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = format!(" {} {:08x}", pvs.count(), viewcell::format::crc32(&bytes));
        let line = lines.next().unwrap();
        assert!(line.ends_with(&end), "{quad:?}: {line}, not{end}");
    }
    assert_eq!(said("verify", path, &[], "").unwrap(), "no faults\n");
}

fn hides_nothing_visible(all: &TerrainBundle<'_>, bundle: &TerrainBundle<'_>) {
    for a in all.grid().row_by_row() {
        for b in all.grid().row_by_row() {
            assert!(all.visible(a, b) <= bundle.visible(a, b), "{a:?} {b:?}");
        }
    }
}

/// Makes a bundle of a terrain that has lost something, and holds it to all of this. Returns how
/// many pairs of samples are hidden by a quad alone.
fn check(
    world: &Terrain,
    bodies: Bodies,
    options: impl Fn(u64) -> RepackOptions,
    read: bool,
) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (all, lossy) = (
        folder.path().join("all.vcb"),
        folder.path().join("lossy.vcb"),
    );
    bake_exactly(world, bodies, &all);
    let lossless = std::fs::metadata(&all).unwrap().len();
    if repack(&all, &lossy, &options(lossless), &Silent).is_err() {
        // Too small a budget for this world.
        return 0;
    }
    hold([&all, &lossy], read)
}

/// Holds a bundle that has lost something to one that has not.
fn hold([all, lossy]: [&Path; 2], read: bool) -> usize {
    let report = verify(lossy, &mut |_| {}).unwrap();
    let failed: Vec<_> = report.failed().collect();
    assert!(report.is_sound(), "{failed:?}");
    let maps = [all, lossy].map(|path| MappedBundle::open(path).unwrap());
    let [all, bundle] = [0, 1].map(|i| maps[i].terrain().unwrap());
    hides_nothing_visible(&all, &bundle);
    if read {
        read_alike(&bundle, lossy);
    }
    agree(&bundle, lossy)
}

fn lossy(compression: Compression) -> RepackOptions {
    RepackOptions {
        compression,
        threads: 2,
        overwrite: true,
    }
}

fn within(bytes: u64, weight: Weight) -> RepackOptions {
    lossy(Compression::Optimal(Budget { bytes, weight }))
}

/// A bundle within a budget that is kept: it hides nothing that is visible without loss.
#[test]
fn a_kept_bundle_within_a_budget_answers_by_the_same_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/golden/v1/40x24-within-budget.vcb");
    let report = verify(&path, &mut |_| {}).unwrap();
    assert!(
        report.is_sound(),
        "{:?}",
        report.failed().collect::<Vec<_>>()
    );
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.vcb");
    let options = IngestOptions {
        crop: Some([150, 120, 40, 24]),
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&root.join("assets/jacksboro.tif"), &options).unwrap();
    bake_exactly(&terrain.terrain, MUTUAL, &all);
    let maps = [&all, &path].map(|path| MappedBundle::open(path).unwrap());
    let [all, bundle] = [0, 1].map(|i| maps[i].terrain().unwrap());
    hides_nothing_visible(&all, &bundle);
    assert!(agree(&bundle, &path) > 0);
}

#[test]
fn every_answer_of_a_bundle_within_a_budget_agrees_with_every_other() {
    for (seed, voids, bodies, percent) in [
        (1, false, MUTUAL, 80),
        (2, true, MUTUAL, 88),
        (3, true, ONE_WAY, 85),
    ] {
        let options = |bytes| within(bytes * percent / 100, Weight::Level);
        let narrowed = check(&ridges(34, 19, seed, voids), bodies, options, seed == 2);
        assert!(narrowed > 0, "{seed}: no quad has kept what a sample lost");
    }
}

/// Of trees that were each pruned to 61 nodes, as versions before could.
#[test]
fn every_answer_of_a_pruned_bundle_agrees_with_every_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pruned = root.join("tests/golden/v1/20x18-pruned.vcb");
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.vcb");
    bake_exactly(&ridges(20, 18, 4, true), MUTUAL, &all);
    let narrowed = hold([&all, &pruned], true);
    assert!(narrowed > 0, "no quad has kept what a sample lost");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn whatever_is_lost_every_answer_agrees_with_every_other(
        width in 1u32..38,
        height in 1u32..24,
        seed in any::<u64>(),
        voids in any::<bool>(),
        one_way in any::<bool>(),
        percent in 50u64..100,
        weight in prop_oneof![Just(Weight::Area), Just(Weight::Level)],
    ) {
        let bodies = if one_way { ONE_WAY } else { MUTUAL };
        let options = |bytes| within(bytes * percent / 100, weight.clone());
        check(&ridges(width, height, seed, voids), bodies, options, false);
    }
}
