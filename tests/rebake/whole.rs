//! Whole terrains: hours of work, so that they are asked for (`scripts/check-rebake`).
//!
//! Terrains that are not there are left out, and said to be.

use std::path::{Path, PathBuf};

use viewcell::bake::{
    BakeOptions, Mode, RebakeJob, RebakeOptions, RebakeReport, Silent, bake_terrain, rebake,
};
use viewcell::dice::Dice;
use viewcell::ingest::{IngestOptions, read_terrain};
use viewcell::world::Terrain;

use super::baking::source;
use super::stamps::{Do, Stamp};
use super::twin::{follow, sections};

/// A number that a script gives.
fn number(name: &str, default: usize) -> usize {
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
#[ignore = "hours: scripts/check-rebake"]
fn random_stamps_follow_to_the_same_bytes() {
    let (stamps, side) = (
        number("VIEWCELL_STAMPS", 200),
        number("VIEWCELL_SIDE", 128) as u32,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, whole) in terrains() {
        for mode in [Mode::Exact, Mode::Conservative] {
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

#[test]
#[ignore = "an hour: scripts/check-rebake"]
fn what_a_bake_that_follows_takes() {
    let places = number("VIEWCELL_PLACES", 50);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    println!("| terrain | radius | | bake | median | least | times less, median | at worst |");
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    for (name, terrain) in terrains() {
        let options = BakeOptions {
            mode: Mode::Exact,
            threads: 1,
            overwrite: true,
            ..BakeOptions::default()
        };
        let base = path("base.vcb");
        let report = bake_terrain(&terrain, &source(), &options, &base, &Silent).unwrap();
        let full = report.timings.cpu_seconds;
        for radius in [5.0, 25.0] {
            for what in [Do::Dig, Do::Fill] {
                for patch in [false, true] {
                    let mut dice = Dice(50);
                    let mut taken: Vec<f64> = (0..places)
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
                            let report = rebake(&job, &next, &source(), &options, &Silent);
                            seconds(&report.unwrap())
                        })
                        .collect();
                    taken.sort_by(f64::total_cmp);
                    let (median, worst) = (taken[places / 2], taken[places - 1]);
                    println!(
                        "| {name} | {radius} | {what:?}, a {} | {full:.1} s | {median:.3} s | {:.3} s | {:.0} | {:.0} |",
                        if patch { "patch" } else { "bundle" },
                        taken[0],
                        full / median,
                        full / worst
                    );
                }
            }
        }
    }
}
