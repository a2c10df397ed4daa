//! Graded bundles: re-baked for a change of the ground, repacked, and within a budget.

use std::path::Path;

use viewcell::dice::Dice;
use viewcell::query::{MappedBundle, Quad, Sample, TerrainBundle};
use viewcell_bake::bundle::{info, verify};
use viewcell_bake::{
    BakeErrorKind, BakeOptions, Budget, Compression, RebakeJob, RebakeOptions, RepackOptions,
    Silent, VisibilityMode, Weight, bake_terrain, rebake, repack,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::full_bake::{follow, sections};
use super::stamps::{Stamp, crop, exact};
use super::whole::number;

fn graded(options: BakeOptions, grade: u32) -> BakeOptions {
    BakeOptions {
        grade,
        threads: 1,
        overwrite: true,
        ..options
    }
}

/// Follows two changes, and compares with bakes of the new ground. Returns how many of the pairs were asked.
fn compare(
    ground: Terrain,
    options: BakeOptions,
    seed: u64,
    made: impl Fn(&Terrain) -> Terrain,
) -> [u64; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mut old, mut new, twin) = (path("old.vcb"), path("new.vcb"), path("twin.vcb"));
    bake_terrain(&made(&ground), &source(), &options, &old, &Silent).unwrap();
    let (mut dice, mut ground) = (Dice(seed), ground);
    let (mut pairs, mut changed) = ([0; 2], [0; 2]);
    for change in 0..2 {
        ground = Stamp::random(&mut dice, &ground, 9.0).on(&ground);
        let terrain = made(&ground);
        let report = follow(&old, &terrain, &new);
        bake_terrain(&terrain, &source(), &options, &twin, &Silent).unwrap();
        assert!(sections(&new) == sections(&twin), "change {change}");
        assert!(report.changed_pairs <= report.asked_pairs);
        changed = [
            changed[0] + report.changed_pairs,
            changed[1] + report.changed_samples,
        ];
        pairs = [pairs[0] + report.asked_pairs, pairs[1] + report.all_pairs];
        std::mem::swap(&mut old, &mut new);
    }
    assert!(!changed.contains(&0));
    pairs
}

#[test]
fn graded_bundles_follow_to_the_same_bytes() {
    // Several chunks, of which a small change meets few.
    let wide = crop([0, 0], [401, 89]);
    let [asked, all] = compare(wide, graded(exact(), 4), 61, Terrain::clone);
    assert!(asked < all * 3 / 4, "{asked} of {all}");
    let ground = || crop([120, 90], [90, 70]);
    compare(
        ground(),
        graded(BakeOptions::default(), 2),
        62,
        Terrain::clone,
    );
    let cells = BakeOptions {
        finest: 1,
        detail: 1,
        ..BakeOptions::default()
    };
    let [asked, all] = compare(ground(), graded(cells, 4), 63, Terrain::clone);
    assert_eq!(asked, all);
    let taller = BakeOptions {
        eye_height: 3.0,
        ..exact()
    };
    let masked = |ground: &Terrain| {
        let gentle = ground.gentle(12.0);
        ground.clone().with_walkable(&gentle).unwrap()
    };
    compare(ground(), graded(taller, 2), 64, masked);
}

/// Where a change is small beside the terrain, most pairs of every level are taken over; `VIEWCELL_STAMPS` (8) changes of as many
/// terrains.
#[test]
fn random_ground_is_followed_to_the_same_bytes_on_all_levels() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, twin] = ["old.vcb", "new.vcb", "twin.vcb"].map(|name| folder.path().join(name));
    let mut dice = Dice(65);
    let (mut asked, mut all) = (0, 0);
    for round in 0..number("VIEWCELL_STAMPS", 8) {
        let size = [100 + dice.roll(120), 60 + dice.roll(100)];
        let rough = [0.0, 1.0, 6.0][dice.roll(3) as usize];
        let tilt = 0.3 * dice.fraction();
        let crop = crop([dice.roll(150), dice.roll(150)], size);
        let heights = (0..).zip(crop.heights()).map(|(at, height)| {
            let hole = round % 4 == 3 && at % 977 < 5;
            let height = tilt * height + rough * dice.fraction();
            if hole { f64::NAN } else { height }
        });
        let ground = Terrain::new(size[0], size[1], heights.collect(), [2.0, 2.5]).unwrap();
        let cells = round % 5 == 4;
        let options = BakeOptions {
            mode: [VisibilityMode::Exact, VisibilityMode::Conservative][round % 2],
            finest: u32::from(cells),
            eye_height: [1.8, 1.8, 3.0][dice.roll(3) as usize],
            ..BakeOptions::default()
        };
        let grade = [1, 4, 4, 16][dice.roll(4) as usize];
        let options = graded(options, grade);
        let changed = Stamp::random(&mut dice, &ground, 5.0).on(&ground);
        bake_terrain(&ground, &source(), &options, &old, &Silent).unwrap();
        bake_terrain(&changed, &source(), &options, &twin, &Silent).unwrap();
        let report = follow(&old, &changed, &new);
        assert!(
            sections(&new) == sections(&twin),
            "round {round}, {size:?}: {options:?}"
        );
        if !cells {
            asked += report.asked_pairs;
            all += report.all_pairs;
        }
    }
    assert!(asked < all * 3 / 4, "{asked} of {all}");
}

#[test]
fn there_are_no_patches_of_graded_bundles() {
    let folder = tempfile::tempdir().unwrap();
    let [bundle, patch] = ["a.vcb", "a.vcp"].map(|name| folder.path().join(name));
    let ground = crop([120, 90], [40, 40]);
    let options = graded(exact(), 1);
    bake_terrain(&ground, &source(), &options, &bundle, &Silent).unwrap();
    let job = RebakeJob {
        bundle: &bundle,
        over: &[],
        output: None,
        patch: Some(&patch),
    };
    let error = rebake(&job, &ground, &source(), &RebakeOptions::default(), &Silent).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("for a patch, found a graded one"),
        "{error}"
    );
    assert!(!patch.exists());
}

fn within(bytes: u64, weight: Weight, threads: usize) -> RepackOptions {
    RepackOptions {
        compression: Compression::Optimal(Budget { bytes, weight }),
        threads,
        overwrite: true,
    }
}

/// Whether anything that is hidden in `lossy` is visible in `all`, from a sample or from a quad, or hidden from a quad and
/// visible from a sample in it. Returns the pairs of samples that are hidden in each.
fn hidden(all: TerrainBundle, lossy: TerrainBundle) -> [u64; 2] {
    let grid = all.grid();
    let is_within = |one: &[u64], other: &[u64]| one.iter().zip(other).all(|(a, b)| a & !b == 0);
    let expand = |bundle: TerrainBundle, quad: Quad| {
        let mut bits = vec![0; grid.blocks()];
        bundle.pvs(quad).unwrap().expand(&mut bits);
        bits
    };
    let samples: Vec<Sample> = grid.row_by_row().collect();
    let mut hidden = [0; 2];
    for quad in grid.bake_order() {
        let [before, after] = [all, lossy].map(|bundle| expand(bundle, quad));
        assert!(is_within(&before, &after), "{quad:?}");
        if quad.level > 0 {
            continue;
        }
        for (count, seen) in hidden.iter_mut().zip([&before, &after]) {
            let visible: u64 = seen.iter().map(|word| u64::from(word.count_ones())).sum();
            *count += grid.samples() - visible;
        }
        let from = Sample::new(quad.column, quad.row);
        for &to in samples.iter().skip(quad.column as usize % 89).step_by(89) {
            let (word, bit) = grid.block_bit(to);
            let bits = [&before, &after].map(|seen| seen[word] >> bit & 1 == 1);
            assert_eq!([all, lossy].map(|bundle| bundle.visible(from, to)), bits);
        }
        if quad.column % 7 == 3 {
            let above = quad.ancestor(4);
            assert!(
                is_within(&after, &expand(lossy, above)),
                "{quad:?} in {above:?}"
            );
        }
    }
    hidden
}

fn sound(path: &Path) {
    let report = verify(path, &mut |_| {}).unwrap();
    let failed: Vec<_> = report.failed().collect();
    assert!(report.is_sound(), "{failed:?}");
}

/// Nothing is hidden that is not hidden without loss, at any budget; a tighter one hides less; a bake within it has the same
/// bytes, whatever the threads.
#[test]
fn nothing_is_hidden_by_mistake_in_a_graded_bundle_at_any_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (whole, output, twin) = (path("whole.vcb"), path("lossy.vcb"), path("twin.vcb"));
    let holed = |ground: Terrain| {
        let heights = ground.heights().iter().enumerate();
        let heights = heights.map(|(at, &height)| if at % 97 < 9 { f64::NAN } else { height });
        let [width, height] = [ground.width(), ground.height()];
        Terrain::new(width, height, heights.collect(), ground.spacing()).unwrap()
    };
    let taller = BakeOptions {
        eye_height: 4.0,
        ..BakeOptions::default()
    };
    for (number, (ground, options)) in [
        (crop([60, 40], [62, 50]), graded(exact(), 2)),
        (holed(crop([120, 90], [49, 58])), graded(taller, 4)),
    ]
    .into_iter()
    .enumerate()
    {
        bake_terrain(&ground, &source(), &options, &whole, &Silent).unwrap();
        let lossless = std::fs::metadata(&whole).unwrap().len();
        let map = MappedBundle::open(&whole).unwrap();
        let all = map.terrain().unwrap();
        let count = u64::from(ground.width()) * u64::from(ground.height());
        let west = (0..count).map(|at| {
            if at % u64::from(ground.width()) < 30 {
                4.0
            } else {
                0.5
            }
        });
        let places = Weight::places(west.collect(), count).unwrap();
        // Without a loss it is the same bundle.
        repack(&whole, &output, &within(lossless, Weight::Area, 2), &Silent).unwrap();
        assert!(std::fs::read(&whole).unwrap() == std::fs::read(&output).unwrap());
        let mut still = u64::MAX;
        for (percent, weight) in [
            (90, Weight::Area),
            (70, Weight::Area),
            (70, places),
            (70, Weight::Level),
        ] {
            let bytes = lossless * percent / 100;
            let by_area = weight == Weight::Area;
            let report = repack(&whole, &output, &within(bytes, weight.clone(), 2), &Silent);
            assert!(report.unwrap().bytes <= bytes);
            let length = std::fs::metadata(&output).unwrap().len();
            assert!(length * 100 >= bytes * 97, "{length} of {bytes}");
            sound(&output);
            let [before, after] = {
                let map = MappedBundle::open(&output).unwrap();
                hidden(all, map.terrain().unwrap())
            };
            assert!(after < before && after > before / 2, "{after} of {before}");
            let made = info(&output).unwrap();
            assert!(made.terrain.unwrap().lossy);
            let loss = made.provenance.unwrap().loss.unwrap();
            let told = &loss.levels[0];
            let kept = told.kept_share * told.hidden_before as f64;
            // Voids are hidden, too, and not counted.
            let voids = before - told.hidden_before;
            assert!(
                (kept - (after - voids) as f64).abs() < 1e-3,
                "{kept} {after}"
            );
            if by_area {
                assert!(after < still, "{percent} %");
                still = after;
                let options = BakeOptions {
                    compression: Compression::Optimal(Budget { bytes, weight }),
                    ..options.clone()
                };
                bake_terrain(&ground, &source(), &options, &twin, &Silent).unwrap();
                assert!(
                    std::fs::read(&twin).unwrap() == std::fs::read(&output).unwrap(),
                    "{number}"
                );
            }
        }
        // What has lost something is no source of another.
        let error = repack(
            &output,
            &twin,
            &within(lossless / 2, Weight::Area, 1),
            &Silent,
        );
        assert_eq!(error.unwrap_err().kind(), BakeErrorKind::Input);
        // Too little for what a group has at least.
        let error = repack(&whole, &twin, &within(900, Weight::Area, 1), &Silent).unwrap_err();
        assert!(error.to_string().contains("900"), "{error}");
    }
}
