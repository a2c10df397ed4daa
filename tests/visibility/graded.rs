//! Graded bundles: near pairs cell by cell, far ones as quads, against unions of what samples see.

use std::path::Path;

use super::coarse::twin;
use super::small::bodies;
use super::{BODIES, Dice};
use proptest::prelude::*;
use viewcell::format::levels::Shape;
use viewcell::format::{Grid, Quad, ReadPvs as _, Sample};
use viewcell::query::{Answer, MappedBundle, TerrainBundle};
use viewcell_bake::visibility::{Bodies, HeightField, Stance, find_sight};
use viewcell_bake::{
    BakeErrorKind, BakeOptions, Keep, Observer, ShardOf, Silent, Source, Stage, VisibilityMode,
    bake_shard, bake_terrain, forecast, merge,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// Ground of some blocks, rough or smooth, some of it void.
fn terrain() -> impl Strategy<Value = Terrain> {
    let side = prop_oneof![Just(9u32), 25u32..=27, 39u32..=42, Just(71)];
    (side.clone(), side, 0..6usize, any::<u64>()).prop_map(|(width, height, kind, seed)| {
        let mut dice = Dice(seed);
        let heights = (0..height).flat_map(|r| (0..width).map(move |c| (c, r)));
        let heights = heights.map(|(c, r)| match kind {
            0 if dice.roll(4) == 0 => f64::NAN,
            // A whole corner without terrain.
            1 if c < 20 && r < 20 => f64::NAN,
            2 => f64::from(dice.roll(3)),
            // A lake, between shores that see each other.
            3 if c.abs_diff(width / 2).max(r.abs_diff(height / 2)) < 20 => f64::NAN,
            _ => {
                let waves = (f64::from(c) / 7.0).sin() + (f64::from(r) / 9.0).cos();
                4.0 * waves + 0.8 * dice.fraction()
            }
        });
        let mut heights: Vec<f64> = heights.collect();
        *heights.last_mut().unwrap() = 1.0;
        Terrain::new(width, height, heights, [1.0, 2.0]).unwrap()
    })
}

fn options(bodies: Bodies, mode: VisibilityMode, [finest, grade]: [u32; 2]) -> BakeOptions {
    BakeOptions {
        eye_height: bodies.eye,
        player_height: bodies.head,
        mode,
        finest,
        grade,
        threads: 2,
        ..BakeOptions::default()
    }
}

fn bake(terrain: &Terrain, options: &BakeOptions, folder: &Path) -> MappedBundle {
    let path = folder.join("a.vcb");
    let source = Source::of_terrain(terrain);
    let options = BakeOptions {
        overwrite: true,
        ..options.clone()
    };
    bake_terrain(terrain, &source, &options, &path, &Silent).unwrap();
    let report = viewcell_bake::bundle::verify(&path, &mut |_| ()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    MappedBundle::open(&path).unwrap()
}

/// The level that answers for two view cells, by the words of the format.
fn level(shape: Shape, a: Sample, b: Sample) -> u32 {
    let near = |level: &u32| {
        let block = |at: u32| at >> (3 + level);
        let apart = |a: u32, b: u32| block(a).abs_diff(block(b));
        apart(a.column, b.column).max(apart(a.row, b.row)) <= shape.reach()
    };
    (0..20).find(near).unwrap()
}

/// All ways to ask, against who sees whom between view cells.
fn check_queries(bundle: &TerrainBundle, sees: &dyn Fn(Sample, Sample) -> bool, dice: &mut Dice) {
    let grid = bundle.grid();
    let cells: Vec<Sample> = grid.row_by_row().collect();
    let valid = bundle.valid();
    for &a in &cells {
        for &b in &cells {
            assert_eq!(bundle.visible(a, b), sees(a, b), "{a:?} {b:?}");
        }
    }
    let quads: Vec<Quad> = grid.bake_order().collect();
    for _ in 0..60 {
        let a = quads[dice.roll(quads.len() as u32) as usize];
        let pvs = bundle.pvs(a).unwrap();
        let inside: Vec<Sample> = cells
            .iter()
            .copied()
            .filter(|cell| cell.quad().ancestor(a.level) == a)
            .collect();
        let seen = |b: Sample| inside.iter().any(|&a| sees(a, b));
        let mut words = vec![0; grid.blocks()];
        pvs.expand(&mut words);
        let mut count = 0;
        for &b in &cells {
            let (word, bit) = grid.block_bit(b);
            let told = words[word] >> bit & 1 == 1;
            assert_eq!(pvs.contains(b), told, "{a:?} {b:?}");
            // Larger quads are told by larger cells.
            let exact = seen(b);
            assert!(told || !exact, "{a:?} {b:?}");
            assert!(a.level > 3 || told == exact, "{a:?} {b:?}");
            assert!(!told || valid.has_sample(b));
            count += u64::from(told);
        }
        assert_eq!(pvs.count(), count);
        let leaves: u64 = pvs.quads().map(|leaf| leaf.visible_samples(&valid)).sum();
        assert_eq!(leaves, count, "{a:?}");
        let mut listed = 0;
        for sample in pvs.samples() {
            assert!(pvs.contains(sample));
            listed += 1;
        }
        assert_eq!(listed, count);
        for _ in 0..20 {
            let b = quads[dice.roll(quads.len() as u32) as usize];
            let [some, all] = [0, 1].map(|which| {
                let mut of_it = cells
                    .iter()
                    .filter(|c| c.quad().ancestor(b.level) == b && valid.has_sample(**c));
                if which == 0 {
                    of_it.any(|&c| pvs.contains(c))
                } else {
                    of_it.all(|&c| pvs.contains(c))
                }
            });
            let expected = match (some, all) {
                (false, _) => Answer::Hidden,
                (true, true) => Answer::Visible,
                _ => Answer::Mixed,
            };
            assert_eq!(bundle.visible_quads(a, b), expected, "{a:?} {b:?}");
            assert_eq!(pvs.is_hidden(b), expected == Answer::Hidden, "{a:?} {b:?}");
        }
    }
    // Look-ahead errs towards visible alone.
    let [dx, dy] = bundle.parameters().cell_spacing;
    for _ in 0..200 {
        let [a, b] = [0, 1].map(|_| cells[dice.roll(cells.len() as u32) as usize]);
        if !valid.has_sample(a) || !valid.has_sample(b) {
            continue;
        }
        let reach = [0, 1].map(|_| f64::from(dice.roll(5)) * dx);
        let within = |from: Sample, reach: f64| {
            let near = move |at: u32, other: u32, step: f64| {
                (f64::from(at.abs_diff(other)) - 1.0).max(0.0) * step
            };
            cells.iter().copied().filter(move |c| {
                let (x, y) = (near(c.column, from.column, dx), near(c.row, from.row, dy));
                (x * x + y * y).sqrt() < reach || *c == from
            })
        };
        let any =
            within(a, reach[0]).any(|a| within(b, reach[1]).any(|b| sees(a, b) || sees(b, a)));
        assert!(
            bundle.visible_within(a, b, reach) || !any,
            "{a:?} {b:?} {reach:?}"
        );
    }
}

/// A strip has five levels, of which the highest has cells of 16 x 16: larger than blocks of the lowest.
#[test]
fn all_ways_to_ask_agree_where_cells_are_larger_than_blocks() {
    let mut dice = Dice(7);
    let heights = (0..9).flat_map(|r| (0..200).map(move |c| (c, r)));
    let heights = heights.map(|(c, r)| match c % 50 {
        // Walls with a gap, so that far cells see some of the others.
        0 if r != 4 => 9.0,
        _ if dice.roll(40) == 0 => f64::NAN,
        _ => 0.3 * dice.fraction(),
    });
    let terrain = Terrain::new(200, 9, heights.collect(), [1.0, 1.0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = options(BODIES, VisibilityMode::Exact, [0, 1]);
    let map = bake(&terrain, &options, folder.path());
    let bundle = map.terrain().unwrap();
    assert_eq!(Shape::new(bundle.grid(), 1).levels(), 5);
    let (first, last) = (Sample::new(1, 4), Sample::new(199, 4));
    assert!(bundle.visible(first, last) && !bundle.visible(Sample::new(1, 0), Sample::new(60, 0)));
    check_queries(&bundle, &|a, b| bundle.visible(a, b), &mut dice);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Exact sight between quads is the union of that between their samples.
    #[test]
    fn quads_that_answer_see_what_their_samples_see(
        terrain in terrain(),
        bodies in bodies(),
        finest in 0..3u32,
        grade in prop_oneof![1..=4u32, Just(7)],
        seed in any::<u64>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = options(bodies, VisibilityMode::Exact, [finest, grade]);
        let map = bake(&terrain, &options, folder.path());
        let bundle = map.terrain().unwrap();
        let shape = Shape::new(bundle.grid(), grade);
        let field = HeightField::new(&terrain, bodies, Stance::Sample);
        let unions: Vec<Vec<bool>> = (0..shape.levels())
            .map(|level| twin(&terrain, &field, finest + level, None))
            .collect();
        let mutual = bodies.eye == bodies.head;
        assert_eq!(bundle.parameters().mutual, mutual);
        let sees = |a: Sample, b: Sample| {
            let level = level(shape, a, b);
            let grid: Grid = shape.level(level);
            let number = |at: Sample| {
                ((at.row >> level) * grid.width() + (at.column >> level)) as usize
            };
            let is_there = |at| bundle.valid().has_sample(at);
            let cells = grid.samples() as usize;
            is_there(a) && is_there(b) && unions[level as usize][number(a) * cells + number(b)]
        };
        check_queries(&bundle, &sees, &mut Dice(seed));
    }

    /// Whatever is hidden, no search finds sight, and exact bundles do not show it.
    #[test]
    fn what_is_hidden_conservatively_is_hidden(
        terrain in terrain(),
        bodies in bodies(),
        finest in 0..3u32,
        grade in 1..=5u32,
        seed in any::<u64>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = options(bodies, VisibilityMode::Conservative, [finest, grade]);
        let map = bake(&terrain, &options, folder.path());
        let bundle = map.terrain().unwrap();
        let field = HeightField::new(&terrain, bodies, Stance::Sample);
        let exact = twin(&terrain, &field, finest, None);
        let grid = bundle.grid();
        let number = |at: Sample| (at.row * grid.width() + at.column) as usize;
        let mut dice = Dice(seed);
        let mut hunted = 0;
        for a in grid.row_by_row() {
            for b in grid.row_by_row() {
                let told = bundle.visible(a, b);
                let seen = exact[number(a) * grid.samples() as usize + number(b)];
                assert!(told || !seen, "{a:?} {b:?}");
                if told || dice.roll(200) > 0 || hunted > 300 {
                    continue;
                }
                let sample = |cell: Sample, dice: &mut Dice| {
                    let side = |at: u32, end: u32, dice: &mut Dice| {
                        let first = at << finest;
                        first + dice.roll((1 << finest).min(end - first))
                    };
                    (
                        side(cell.column, terrain.width(), dice),
                        side(cell.row, terrain.height(), dice),
                    )
                };
                let (from, to) = (sample(a, &mut dice), sample(b, &mut dice));
                if terrain.has_place(from.0, from.1) && terrain.has_place(to.0, to.1) {
                    hunted += 1;
                    let found = find_sight(&terrain, bodies, f64::INFINITY, from, to, 20, seed);
                    assert!(!found, "{from:?} {to:?}");
                }
            }
        }
        let of = |a: Sample, b: Sample| bundle.visible(a, b);
        check_queries(&bundle, &of, &mut dice);
    }
}

/// A quad that is seen as a whole has blocks without terrain.
#[test]
fn bundles_of_ground_with_a_lake_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    let heights = (0..100 * 90).map(|i| {
        let (x, y) = (f64::from(i % 100), f64::from(i / 100));
        let is_lake = (x - 50.0).hypot(y - 45.0) < 30.0;
        let height = 10.0 * (x / 7.0).sin() + 8.0 * (y / 6.0).cos();
        if is_lake { f64::NAN } else { height }
    });
    let terrain = Terrain::new(100, 90, heights.collect(), [2.0, 2.0]).unwrap();
    for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
        for cells in [[0, 1], [0, 4], [1, 8]] {
            bake(&terrain, &options(BODIES, mode, cells), folder.path());
        }
    }
}

/// Whoever asks to stop does not wait for a forecast.
#[test]
fn forecasts_end_when_they_are_asked_to() {
    struct Stops;
    impl Observer for Stops {
        fn stage(&self, _: Stage, _: u64) {}
        fn advance(&self, _: Stage, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let heights = (0..80 * 80).map(|i| f64::from(i % 13));
    let terrain = Terrain::new(80, 80, heights.collect(), [1.0; 2]).unwrap();
    for grade in [0, 4] {
        let options = options(BODIES, VisibilityMode::Exact, [0, grade]);
        forecast(&terrain, &options, "a", &Silent).unwrap();
        let stopped = forecast(&terrain, &options, "a", &Stops).unwrap_err();
        assert_eq!(stopped.kind(), BakeErrorKind::Cancelled);
    }
}

/// Bytes do not depend on threads, shards, instructions or an interruption.
#[test]
fn graded_bundles_are_the_same_however_they_are_baked() {
    let jacksboro = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let crop = IngestOptions {
        crop: Some([70, 20, 150, 143]),
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&jacksboro, &crop).unwrap().terrain;
    let source = Source::of_terrain(&terrain);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for finest in [0, 1] {
        let options = BakeOptions {
            overwrite: true,
            ..options(BODIES, VisibilityMode::Conservative, [finest, 4])
        };
        bake_terrain(&terrain, &source, &options, &path("a.vcb"), &Silent).unwrap();
        let whole = std::fs::read(path("a.vcb")).unwrap();
        let one = BakeOptions {
            threads: 1,
            simd: viewcell_bake::visibility::Simd::Baseline,
            keep: Keep::Restart,
            ..options.clone()
        };
        bake_terrain(&terrain, &source, &one, &path("b.vcb"), &Silent).unwrap();
        assert!(std::fs::read(path("b.vcb")).unwrap() == whole);
        let shards: Vec<_> = (1..=3)
            .map(|index| {
                let shard = path(&format!("{index}.vcs"));
                let of = ShardOf::new(index, 3).unwrap();
                bake_shard(&terrain, &source, &options, of, &shard, &Silent).unwrap();
                shard
            })
            .collect();
        let lossless = options.compression.clone();
        merge(&shards, &path("c.vcb"), true, &lossless, &Silent).unwrap();
        assert!(std::fs::read(path("c.vcb")).unwrap() == whole);
    }
}
