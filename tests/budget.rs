//! Bundles within a budget: never hidden where nothing was lost says visible, and as large as they
//! may be.

#[path = "common/baking.rs"]
mod baking;
#[path = "bundle/common.rs"]
#[allow(dead_code)]
mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/lossy.rs"]
mod lossy;

use common::{Silent, World, mix};
use lossy::{compare, sound, write};
use viewcell::query::{Answer, MappedBundle, Quad, TerrainBundle};
use viewcell_bake::bundle::info;
use viewcell_bake::visibility::Bodies;
use viewcell_bake::{BakeError, BakeErrorKind, Budget, Compression, RepackOptions, Weight, repack};
use viewcell_ingest::{IngestOptions, read_terrain};

fn within(bytes: u64, weight: Weight) -> RepackOptions {
    RepackOptions {
        compression: Compression::Optimal(Budget { bytes, weight }),
        threads: 2,
        overwrite: true,
    }
}

#[test]
fn nothing_is_hidden_by_mistake_at_any_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let places = |world: &World| {
        let weights = world
            .samples()
            .map(|s| if s.column < 20 { 5.0 } else { 0.1 });
        Weight::places(weights.collect(), world.grid.samples()).unwrap()
    };
    for world in [
        World::new(40, 33, 0),
        World::new(33, 40, 6),
        World::new(30, 33, 5).one_way(),
    ] {
        let lossless = write(&world, folder.path());
        let all = MappedBundle::open(path("all.vcb")).unwrap();
        let all = all.terrain().unwrap();
        let mut kept = Vec::new();
        for (percent, weight) in [
            (90, Weight::Area),
            (75, Weight::Level),
            (75, places(&world)),
            (60, Weight::Area),
        ] {
            let bytes = lossless * percent / 100;
            let output = path("lossy.vcb");
            let report =
                repack(&path("all.vcb"), &output, &within(bytes, weight), &Silent).unwrap();
            assert!(report.bytes <= bytes, "{} of {bytes}", report.bytes);
            let made = sound(&output);
            assert!(made.terrain.unwrap().lossy);
            let map = MappedBundle::open(&output).unwrap();
            let (hidden, still) = compare(&all, &map.terrain().unwrap());
            let loss = made.provenance.unwrap().loss.unwrap();
            let told: f64 = loss
                .levels
                .iter()
                .map(|level| level.kept_share * level.hidden_before as f64)
                .sum();
            let sum: u64 = loss.levels.iter().map(|level| level.hidden_before).sum();
            assert_eq!(sum, hidden);
            assert!((told - still as f64).abs() < 1e-6 * told, "{told} {still}");
            kept.push(still as f64 / hidden as f64);
        }
        assert!(
            kept[0] > kept[3] && kept[3] > 0.0 && kept[0] < 1.0,
            "{kept:?}"
        );
    }
}

#[test]
fn a_budget_that_is_larger_than_needed_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(&World::new(30, 20, 4), folder.path());
    let options = within(1 << 30, Weight::Area);
    repack(&path("trees.vcb"), &path("large.vcb"), &options, &Silent).unwrap();
    let bytes = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(bytes("all.vcb"), bytes("large.vcb"));
    assert_eq!(
        info(&path("large.vcb")).unwrap().provenance.unwrap().loss,
        None
    );
}

#[test]
fn the_bytes_do_not_depend_on_threads_or_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for world in [World::new(60, 50, 7), World::new(33, 40, 5).one_way()] {
        let whole = write(&world, folder.path());
        let within = |percent, weight| {
            let bytes = whole * percent / 100;
            Compression::Optimal(Budget { bytes, weight })
        };
        for compression in [
            Compression::Lossless,
            within(95, Weight::Level),
            within(60, Weight::Area),
        ] {
            let mut first = None;
            for (source, threads) in [
                ("trees.vcb", 1),
                ("all.vcb", 2),
                ("trees.vcb", 3),
                ("all.vcb", 7),
            ] {
                let options = RepackOptions {
                    compression: compression.clone(),
                    threads,
                    overwrite: true,
                };
                repack(&path(source), &path("a.vcb"), &options, &Silent).unwrap();
                let bytes = std::fs::read(path("a.vcb")).unwrap();
                let same = bytes == *first.get_or_insert_with(|| bytes.clone());
                assert!(same, "{source}, {threads} threads, {compression:?}");
            }
            let lossless = first == Some(std::fs::read(path("all.vcb")).unwrap());
            assert_eq!(lossless, compression == Compression::Lossless);
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    World::new(40, 33, 0).write(&path("trees.vcb"));
    let error = repack(
        &path("trees.vcb"),
        &path("a.vcb"),
        &within(100, Weight::Area),
        &Silent,
    );
    let Err(BakeError::Budget { budget: 100, least }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.unwrap_err().kind(), BakeErrorKind::Usage);
    // What the error says can be.
    repack(
        &path("trees.vcb"),
        &path("a.vcb"),
        &within(least, Weight::Area),
        &Silent,
    )
    .unwrap();
    let small = std::fs::metadata(path("a.vcb")).unwrap().len();
    assert!(small <= least, "{small} of {least}");
    sound(&path("a.vcb"));
    // A bundle that has lost something is no source for another.
    let error = repack(
        &path("a.vcb"),
        &path("b.vcb"),
        &within(1 << 30, Weight::Area),
        &Silent,
    );
    assert!(matches!(error, Err(BakeError::Lossy { .. })), "{error:?}");
    assert!(!path("b.vcb").exists());
    // Weights that are none.
    for (weights, words) in [
        (vec![1.0; 7], "1320 weights"),
        (vec![0.0; 1320], "only zeros"),
        ([vec![1.0; 1319], vec![-1.0]].concat(), "-1"),
        ([vec![f64::NAN], vec![1.0; 1319]].concat(), "NaN"),
    ] {
        let error = Weight::places(weights, 1320).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

/// Where weights are zero, occlusion goes first.
#[test]
fn weights_say_where_occlusion_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let world = World::new(64, 48, 0);
    let bytes = write(&world, folder.path()) * 7 / 10;
    let west = |weight: f64, other: f64| {
        let weights = world
            .samples()
            .map(|s| if s.column < 32 { weight } else { other });
        Weight::places(weights.collect(), world.grid.samples()).unwrap()
    };
    let hidden_in_the_west = |weight: Weight| {
        let output = path("lossy.vcb");
        repack(&path("all.vcb"), &output, &within(bytes, weight), &Silent).unwrap();
        let map = MappedBundle::open(&output).unwrap();
        let terrain = map.terrain().unwrap();
        let west = world.samples().filter(|s| s.column < 32);
        let samples = world.grid.samples();
        west.map(|s| samples - terrain.pvs(Quad::new(0, s.column, s.row)).unwrap().count())
            .sum::<u64>()
    };
    let (loved, unloved) = (
        hidden_in_the_west(west(1.0, 0.0)),
        hidden_in_the_west(west(0.0, 1.0)),
    );
    assert!(loved > unloved + unloved / 20, "{loved} {unloved}");
}

/// Bundles of real terrains, of which `VIEWCELL_PAIRS` pairs of quads of all levels are asked, and a thousandth of that of PVSs.
#[test]
#[ignore = "half an hour: scripts/check budget"]
fn nothing_is_hidden_by_mistake_on_real_terrains() {
    let pairs = std::env::var("VIEWCELL_PAIRS").unwrap().parse().unwrap();
    for name in ["jacksboro_fault_dem.tif", "bilbao_dsm_500.tif"] {
        let Some(input) = data::data(&format!("terrain/{name}")) else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let terrain = read_terrain(&input, &IngestOptions::default()).unwrap();
        let bodies = Bodies {
            eye: 1.8,
            head: 1.8,
        };
        baking::bake_exactly(&terrain.terrain, bodies, &path("all.vcb"));
        let all = MappedBundle::open(path("all.vcb")).unwrap();
        for megabytes in [100, 30, 10] {
            let budget = within(megabytes * 1_000_000, Weight::Area);
            repack(&path("all.vcb"), &path("lossy.vcb"), &budget, &Silent).unwrap();
            sound(&path("lossy.vcb"));
            let lossy = MappedBundle::open(path("lossy.vcb")).unwrap();
            print!("{name} in {megabytes} MB, ");
            ask(&all.terrain().unwrap(), &lossy.terrain().unwrap(), pairs);
        }
    }
}

fn ask(all: &TerrainBundle<'_>, lossy: &TerrainBundle<'_>, pairs: u64) {
    let grid = all.grid();
    assert_eq!(grid, lossy.grid());
    let quad = |level: u32, seed: u64| {
        let (columns, rows) = grid.quads_at(level);
        let drawn = mix(seed);
        Quad::new(
            level,
            (drawn as u32) % columns,
            ((drawn >> 32) as u32) % rows,
        )
    };
    let (mut hidden, mut kept) = (0, 0);
    for i in 0..pairs {
        let level = (i % u64::from(grid.levels())) as u32;
        let (from, to) = (quad(level, 2 * i), quad((i / 7 % 5) as u32, 2 * i + 1));
        let (truth, said) = (all.visible_quads(from, to), lossy.visible_quads(from, to));
        if truth == Answer::Hidden {
            hidden += 1;
            kept += u64::from(said == Answer::Hidden);
        } else {
            assert_ne!(said, Answer::Hidden, "{from:?} {to:?}");
        }
    }
    // Whole PVSs, too.
    let (mut before, mut after) = (vec![0; grid.blocks()], vec![0; grid.blocks()]);
    for i in 0..pairs / 1000 {
        let from = quad((i % u64::from(grid.levels())) as u32, !i);
        all.pvs(from).unwrap().expand(&mut before);
        lossy.pvs(from).unwrap().expand(&mut after);
        let wrong = before
            .iter()
            .zip(&after)
            .any(|(all, said)| all & !said != 0);
        assert!(!wrong, "{from:?}");
    }
    assert!(hidden > 0 && kept > 0, "{hidden} {kept}");
    println!("{pairs} pairs: {hidden} hidden, {kept} of them still; none by mistake");
}
