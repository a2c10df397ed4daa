//! Bundles that do not hold the ground that they were made of: of cells, of a part of the places, and of ground
//! below a surface. All their pairs are asked.

use std::path::PathBuf;

use viewcell::dice::Dice;
use viewcell::query::{Layers, MappedBundle};
use viewcell_bake::{
    BakeOptions, Compression, RebakeJob, RebakeOptions, RebakeReport, Silent, VisibilityMode,
    bake_terrain, merge_patches, rebake,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::full_bake::sections;
use super::layers::same_answers;
use super::stamps::{Stamp, crop, exact};

/// Follows two changes, as bundles and as patches, and compares. `made` makes of ground what is baked.
fn compare(options: BakeOptions, side: [u32; 2], seed: u64, made: impl Fn(&Terrain) -> Terrain) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (base, twin, next, merged) = (
        path("base.vcb"),
        path("twin.vcb"),
        path("next.vcb"),
        path("merged.vcb"),
    );
    let options = BakeOptions {
        threads: 1,
        overwrite: true,
        ..options
    };
    let how = RebakeOptions {
        threads: 1,
        overwrite: true,
        inside: options.inside,
        ..RebakeOptions::default()
    };
    let mut dice = Dice(seed);
    let mut ground = crop([120, 90], side);
    bake_terrain(&made(&ground), &source(), &options, &base, &Silent).unwrap();
    let mut patches: Vec<PathBuf> = Vec::new();
    for change in 0..2 {
        ground = Stamp::random(&mut dice, &ground, 9.0).on(&ground);
        let terrain = made(&ground);
        bake_terrain(&terrain, &source(), &options, &twin, &Silent).unwrap();
        let layer = path(&format!("{change}.vcp"));
        let job = RebakeJob {
            bundle: &base,
            over: &patches,
            output: Some(&next),
            patch: Some(&layer),
        };
        let RebakeReport {
            asked_pairs,
            all_pairs,
            ..
        } = rebake(&job, &terrain, &source(), &how, &Silent).unwrap();
        assert_eq!(asked_pairs, all_pairs);
        patches.push(layer);
        assert!(sections(&next) == sections(&twin), "change {change}");

        let (map, expected) = (MappedBundle::open(&base), MappedBundle::open(&twin));
        let (map, expected) = (map.unwrap(), expected.unwrap());
        let bytes: Vec<Vec<u8>> = patches.iter().map(|p| std::fs::read(p).unwrap()).collect();
        let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
        for patch in &bytes {
            layers.lay(patch).unwrap();
        }
        same_answers(layers.terrain(), expected.terrain().unwrap()).unwrap();
        let lossless = Compression::Lossless;
        merge_patches(&base, &patches, &merged, true, &lossless, &Silent).unwrap();
        assert!(sections(&merged) == sections(&twin), "merged {change}");
    }
}

/// Nobody can be on some of the ground.
fn masked(ground: &Terrain) -> Terrain {
    let gentle = ground.gentle(12.0);
    ground.clone().with_walkable(&gentle).unwrap()
}

/// Some of the ground is under houses.
fn built_over(ground: &Terrain) -> Terrain {
    let width = ground.width() as usize;
    let is_house = |at: usize| at % width % 9 < 3 && at / width % 7 < 2;
    let heights = ground.heights().iter().enumerate();
    let surface = heights.map(|(at, &height)| height + if is_house(at) { 60.0 } else { 0.0 });
    let surface = Terrain::new(
        ground.width(),
        ground.height(),
        surface.collect(),
        ground.spacing(),
    );
    let surface = surface.unwrap();
    let surface = surface.with_georeference(ground.georeference().cloned());
    surface.with_ground(ground.heights().to_vec()).unwrap()
}

#[test]
fn bundles_of_cells_follow_to_the_same_bytes() {
    let cells = |options: BakeOptions| BakeOptions {
        finest: 3,
        ..options
    };
    compare(cells(exact()), [107, 90], 51, Terrain::clone);
    compare(cells(exact()), [107, 90], 52, masked);
    let conservative = BakeOptions {
        detail: 1,
        ..cells(BakeOptions::default())
    };
    compare(conservative, [81, 66], 53, built_over);
}

#[test]
fn bundles_of_a_part_of_the_places_follow_to_the_same_bytes() {
    compare(exact(), [41, 37], 54, masked);
    compare(BakeOptions::default(), [33, 25], 55, masked);
    let taller = BakeOptions {
        eye_height: 3.0,
        ..exact()
    };
    compare(taller, [41, 37], 56, masked);
}

#[test]
fn bundles_of_ground_below_a_surface_follow_to_the_same_bytes() {
    compare(exact(), [41, 37], 57, built_over);
    let inside = BakeOptions {
        inside: true,
        mode: VisibilityMode::Conservative,
        ..exact()
    };
    compare(inside, [33, 25], 58, |ground| built_over(&masked(ground)));
}
