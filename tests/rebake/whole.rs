//! Whole terrains: hours of work, so that they are asked for (`scripts/check rebake`).
//!
//! `VIEWCELL_STAMPS` (200) stamps on parts of `VIEWCELL_SIDE` (128) samples a side, in both modes; times at `VIEWCELL_PLACES`
//! (50) places in `VIEWCELL_MODE` (`exact`, `conservative`), with `VIEWCELL_RADII` (5,25) in samples; of `VIEWCELL_TERRAINS` alone,
//! as in `jacksboro,bilbao`. `VIEWCELL_BASES`, a folder of bundles of whole terrains (jacksboro-exact.vcb) and their timings,
//! saves their bakes.
//!
//! Terrains that are not there are left out, and said to be.

use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use viewcell::dice::Dice;
use viewcell::query::{Layers, MappedBundle, Quad, Sample, TerrainBundle};
use viewcell_bake::{
    BakeOptions, Compression, RebakeJob, RebakeOptions, RebakeReport, Silent, VisibilityMode,
    bake_terrain, merge_patches, rebake,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

use super::baking::source;
use super::full_bake::{follow, sections};
use super::stamps::{Do, Stamp};

/// A number that a script gives.
pub fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// The terrains with their names.
fn terrains() -> Vec<(&'static str, Terrain)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/terrain");
    let plain = IngestOptions::default;
    let files = [
        ("jacksboro", "jacksboro_fault_dem.tif", plain()),
        (
            "gale",
            "Gale_HRSC_DEM_50m_300x285.bin",
            IngestOptions {
                vertical_scale: 0.1,
                ..plain()
            },
        ),
        ("bilbao", "bilbao_dsm_500.tif", plain()),
        (
            "slovenia",
            "slovenia_lidar_1m_TM1_564_146.tif",
            IngestOptions {
                crop: Some([300, 300, 200, 200]),
                ..plain()
            },
        ),
    ];
    let wanted = std::env::var("VIEWCELL_TERRAINS").unwrap_or_default();
    let wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|word| word == name);
    let files = files.into_iter().filter(|(name, ..)| wanted(name));
    files
        .filter_map(|(name, file, options)| {
            let path = folder.join(file);
            if !path.is_file() {
                println!("{name}: skipped, {file} is not there");
                return None;
            }
            Some((name, read_terrain(&path, &options).unwrap().terrain))
        })
        .collect()
}

/// Parts of a terrain's side, so that a full bake of each stamp is bearable.
fn part(terrain: &Terrain, dice: &mut Dice, side: u32) -> Terrain {
    let (width, height) = (terrain.width().min(side), terrain.height().min(side));
    let column = dice.roll(terrain.width() - width + 1);
    let row = dice.roll(terrain.height() - height + 1);
    let heights = (0..height)
        .flat_map(|r| (0..width).map(move |c| (c, r)))
        .map(|(c, r)| terrain.at(column + c, row + r))
        .collect();
    Terrain::new(width, height, heights, terrain.spacing()).unwrap()
}

#[test]
#[ignore = "hours: scripts/check rebake"]
fn random_stamps_follow_to_the_same_bytes() {
    let (stamps, side) = (
        number("VIEWCELL_STAMPS", 200),
        number("VIEWCELL_SIDE", 128) as u32,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, whole) in terrains() {
        for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
            let options = BakeOptions {
                mode,
                threads: 1,
                overwrite: true,
                ..BakeOptions::default()
            };
            let mut dice = Dice(200);
            let (mut asked, mut all) = (0, 0);
            let (mut old, mut new, twin) = (path("old.vcb"), path("new.vcb"), path("twin.vcb"));
            let mut ground = None;
            for stamp_number in 0..stamps {
                // A new part now and then, so that stamps lie over old ones, too.
                let before = match ground.take() {
                    Some(ground) if stamp_number % 20 != 0 => ground,
                    _ => {
                        let part = part(&whole, &mut dice, side);
                        bake_terrain(&part, &source(), &options, &old, &Silent).unwrap();
                        part
                    }
                };
                let stamp = Stamp::random(&mut dice, &before, 40.0);
                let next = stamp.on(&before);
                if next.heights().iter().all(|height| height.is_nan()) {
                    continue;
                }
                let report = follow(&old, &next, &new);
                bake_terrain(&next, &source(), &options, &twin, &Silent).unwrap();
                assert!(
                    sections(&new) == sections(&twin),
                    "{name}, {mode:?}, stamp {stamp_number} {stamp:?}"
                );
                asked += report.asked_pairs;
                all += report.all_pairs;
                std::mem::swap(&mut old, &mut new);
                ground = Some(next);
            }
            println!(
                "{name}, {mode:?}: {stamps} stamps, the same bytes; {:.1} % of pairs of blocks asked",
                100.0 * asked as f64 / all as f64
            );
        }
    }
}

fn seconds(report: &RebakeReport) -> f64 {
    report.stages.iter().map(|stage| stage.seconds).sum()
}

/// A bundle that was made before, in the folder that a script gives, and the processor time that it
/// took.
fn kept(name: &str, mode: VisibilityMode) -> Option<(PathBuf, f64)> {
    let folder = PathBuf::from(std::env::var_os("VIEWCELL_BASES")?);
    let mode = match mode {
        VisibilityMode::Exact => "exact",
        _ => "conservative",
    };
    let bundle = folder.join(format!("{name}-{mode}.vcb"));
    let timings = std::fs::read(folder.join(format!("{name}-{mode}.vcb.timings.json"))).ok()?;
    let timings: serde_json::Value = serde_json::from_slice(&timings).ok()?;
    Some((bundle, timings["cpu_seconds"].as_f64()?))
}

/// The median of each stage.
fn by_stage(reports: &[RebakeReport]) -> String {
    let stages = reports[0].stages.iter().enumerate().map(|(number, stage)| {
        let mut seconds: Vec<f64> = reports.iter().map(|r| r.stages[number].seconds).collect();
        seconds.sort_by(f64::total_cmp);
        format!("{} {:.3}", stage.name, seconds[seconds.len() / 2])
    });
    stages.collect::<Vec<_>>().join(", ")
}

#[test]
#[ignore = "an hour: scripts/check rebake"]
fn time_of_an_incremental_re_bake() {
    let places = number("VIEWCELL_PLACES", 50);
    let mode = match std::env::var("VIEWCELL_MODE").as_deref() {
        Ok("conservative") => VisibilityMode::Conservative,
        Ok("exact") | Err(_) => VisibilityMode::Exact,
        Ok(other) => panic!("expected VIEWCELL_MODE exact or conservative, found {other}"),
    };
    let radii = std::env::var("VIEWCELL_RADII").unwrap_or("5,25".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    println!(
        "| terrain | radius | | bake | median | least | times less, median | at worst | seconds by stage |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---|");
    for (name, terrain) in terrains() {
        let options = BakeOptions {
            mode,
            threads: 1,
            overwrite: true,
            ..BakeOptions::default()
        };
        let (base, full) = match kept(name, mode) {
            Some(kept) => kept,
            None => {
                let base = path("base.vcb");
                let report = bake_terrain(&terrain, &source(), &options, &base, &Silent).unwrap();
                (base, report.timings.cpu_seconds)
            }
        };
        for radius in radii.split(',') {
            let radius: f64 = radius.parse().expect("VIEWCELL_RADII");
            for what in [Do::Dig, Do::Fill] {
                for patch in [false, true] {
                    let mut dice = Dice(50);
                    let reports: Vec<RebakeReport> = (0..places)
                        .map(|_| {
                            let stamp = Stamp {
                                column: dice.fraction() * f64::from(terrain.width()),
                                row: dice.fraction() * f64::from(terrain.height()),
                                radius,
                                metres: radius * terrain.spacing()[0] / 4.0,
                                what,
                            };
                            let next = stamp.on(&terrain);
                            let (bundle, crater) = (path("out.vcb"), path("out.vcp"));
                            let job = RebakeJob {
                                bundle: &base,
                                over: &[],
                                output: (!patch).then_some(&*bundle),
                                patch: patch.then_some(&*crater),
                            };
                            let options = RebakeOptions {
                                threads: 1,
                                overwrite: true,
                                ..RebakeOptions::default()
                            };
                            rebake(&job, &next, &source(), &options, &Silent).unwrap()
                        })
                        .collect();
                    let mut taken: Vec<f64> = reports.iter().map(seconds).collect();
                    taken.sort_by(f64::total_cmp);
                    let (median, worst) = (taken[places / 2], taken[places - 1]);
                    println!(
                        "| {name} | {radius} | {what:?}, a {} | {full:.1} s | {median:.3} s | {:.3} s | {:.0} | {:.0} | {} |",
                        if patch { "patch" } else { "bundle" },
                        taken[0],
                        full / median,
                        full / worst,
                        by_stage(&reports)
                    );
                }
            }
        }
    }
}

#[test]
#[ignore = "minutes: scripts/check rebake"]
fn what_queries_over_four_patches_take() {
    let folder = tempfile::tempdir().unwrap();
    println!(
        "| terrain | asked | nanoseconds, merged | over four patches | times | bytes of the patches |"
    );
    println!("|---|---|---:|---:|---:|---:|");
    for (name, terrain) in terrains() {
        let base = kept(name, VisibilityMode::Exact).map_or_else(
            || {
                let base = folder.path().join("base.vcb");
                let options = BakeOptions {
                    mode: VisibilityMode::Exact,
                    overwrite: true,
                    ..BakeOptions::default()
                };
                bake_terrain(&terrain, &source(), &options, &base, &Silent).unwrap();
                base
            },
            |(base, _)| base,
        );
        let mut dice = Dice(4);
        let mut ground = terrain;
        let mut patches: Vec<PathBuf> = Vec::new();
        for number in 0..4 {
            let stamp = Stamp {
                column: dice.fraction() * f64::from(ground.width()),
                row: dice.fraction() * f64::from(ground.height()),
                radius: 10.0,
                metres: 3.0 * ground.spacing()[0],
                what: [Do::Dig, Do::Fill][number % 2],
            };
            ground = stamp.on(&ground);
            let patch = folder.path().join(format!("{name}-{number}.vcp"));
            let job = RebakeJob {
                bundle: &base,
                over: &patches,
                output: None,
                patch: Some(&patch),
            };
            rebake(&job, &ground, &source(), &RebakeOptions::default(), &Silent).unwrap();
            patches.push(patch);
        }
        let bytes: Vec<Vec<u8>> = patches.iter().map(|p| std::fs::read(p).unwrap()).collect();
        let map = MappedBundle::open(&base).unwrap();
        let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
        for patch in &bytes {
            layers.lay(patch).unwrap();
        }
        let mut sample = || Sample::new(dice.roll(ground.width()), dice.roll(ground.height()));
        let pairs: Vec<[Sample; 2]> = (0..1 << 20).map(|_| [sample(), sample()]).collect();
        let visible = |bundle: &TerrainBundle| {
            let seen = pairs.iter().filter(|[a, b]| bundle.visible(*a, *b)).count();
            assert!(seen > 0);
            pairs.len()
        };
        let pvs = |bundle: &TerrainBundle, level: u32| {
            let mut words = vec![0; bundle.grid().blocks()];
            let quads = pairs
                .iter()
                .step_by(1 << 9)
                .map(|[a, _]| Quad::new(level, a.column >> level, a.row >> level));
            quads
                .map(|quad| bundle.pvs(quad).expect("a PVS").expand(&mut words))
                .count()
        };
        type Question<'a> = &'a dyn Fn(&TerrainBundle) -> usize;
        let questions: [(&str, Question); 3] = [
            ("visible", &visible),
            ("PVS of a sample", &|bundle| pvs(bundle, 0)),
            ("PVS of 32 x 32 samples", &|bundle| pvs(bundle, 5)),
        ];
        // The same answers from one bundle.
        let merged = folder.path().join(format!("{name}-merged.vcb"));
        let lossless = Compression::Lossless;
        merge_patches(&base, &patches, &merged, false, &lossless, &Silent).unwrap();
        let merged = MappedBundle::open(&merged).unwrap();
        let (plain, layered) = (merged.terrain().unwrap(), layers.terrain());
        let size: usize = bytes.iter().map(Vec::len).sum();
        for (question, ask) in questions {
            // In turn, and the least of each: others work on the machine, too.
            let mut least = [f64::INFINITY; 2];
            for _ in 0..7 {
                for (least, bundle) in least.iter_mut().zip([&plain, &layered]) {
                    let begun = ThreadTime::now();
                    let asked = ask(bundle);
                    *least = least.min(begun.elapsed().as_nanos() as f64 / asked as f64);
                }
            }
            let [plain, layered] = least;
            println!(
                "| {name} | {question} | {plain:.0} | {layered:.0} | {:.2} | {size} |",
                layered / plain
            );
        }
    }
}
