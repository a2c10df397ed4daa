//! No member of one half sees a member of the other, by the uncompressed PVS, in both directions.

use crate::common::{Baked, Dice, MUTUAL, Matrix, ONE_WAY, all_options, bake, real, ridges};
use viewcell::runtime::frontier::{FrontierBuilder, FrontierOptions, Grow, Merge, Region, Side};
use viewcell::runtime::{Bundle, Quad, Sample, TerrainBundle};
use viewcell::visibility::Bodies;
use viewcell::world::Terrain;

/// What a set must be, beside free of leaks.
fn check(matrix: &Matrix, builder: &mut FrontierBuilder<'_>, [a, b]: [Sample; 2], what: &str) {
    let terrain = *builder.terrain();
    if let Some([x, y]) = matrix.leak(builder) {
        panic!("{what}: {a:?} {b:?}: {x:?} and {y:?} see each other");
    }
    let of_a = builder.region(Side::A);
    let of_b = builder.region(Side::B);
    let empty = matrix.sees(a, b) || matrix.sees(b, a);
    for (region, start) in [(of_a, a), (of_b, b)] {
        assert_eq!(region.is_empty(), empty, "{what}: {a:?} {b:?}");
        assert_eq!(region.contains(start), !empty);
        assert_eq!(region.area(), region.samples().count() as u64);
        assert!(region.samples().all(|s| terrain.valid().has_sample(s)));
    }
    for (side, region) in [(Side::A, of_a.to_frontier()), (Side::B, of_b.to_frontier())] {
        assert_eq!(builder.core(side, 0), region);
        let core = builder.core(side, 2);
        assert!(core.region().samples().all(|s| region.contains(s)));
    }
}

/// All pairs of a small terrain; each pair takes so many of the options in turn.
fn exhaust(world: &Terrain, bodies: Bodies, at_once: usize) {
    let baked = bake(world, bodies);
    let terrain = baked.map.terrain().unwrap();
    let matrix = Matrix::new(world, bodies);
    let mut builder = FrontierBuilder::new(&terrain);
    let all = all_options();
    let mut next = 0;
    let mut sets = 0;
    for a in matrix.samples() {
        for b in matrix.samples() {
            if !terrain.valid().has_sample(a) || !terrain.valid().has_sample(b) {
                assert!(builder.build(a, b, &all[0]).is_err());
                continue;
            }
            for _ in 0..at_once {
                next += 1;
                let options = &all[next % all.len()];
                builder.build(a, b, options).unwrap();
                check(&matrix, &mut builder, [a, b], &format!("{options:?}"));
                sets += 1;
            }
        }
    }
    assert!(sets > 1_000);
}

#[test]
fn no_set_of_any_pair_of_a_small_terrain_leaks() {
    for (seed, voids) in [(1, false), (2, true), (3, false)] {
        exhaust(&ridges(13, 10, seed, voids), MUTUAL, 3);
    }
}

#[test]
fn no_set_leaks_where_sight_is_one_way() {
    for (seed, voids) in [(4, false), (5, true)] {
        exhaust(&ridges(12, 11, seed, voids), ONE_WAY, 3);
    }
}

#[test]
fn no_set_of_some_pairs_leaks_with_any_options() {
    let world = ridges(19, 17, 6, true);
    for bodies in [MUTUAL, ONE_WAY] {
        let baked = bake(&world, bodies);
        let terrain = baked.map.terrain().unwrap();
        let matrix = Matrix::new(&world, bodies);
        let mut builder = FrontierBuilder::new(&terrain);
        let mut dice = Dice(9);
        for options in all_options() {
            for _ in 0..12 {
                let mut place = || loop {
                    let place = Sample::new(dice.roll(19), dice.roll(17));
                    if terrain.valid().has_sample(place) {
                        return place;
                    }
                };
                let (a, b) = (place(), place());
                builder.build(a, b, &options).unwrap();
                check(&matrix, &mut builder, [a, b], &format!("{options:?}"));
            }
        }
    }
}

/// A member of a half, in a quad, that sees one of the other half's `members` (a block bitmap).
/// Quads that lie in the half are asked whole, since the PVS of a quad is that of its samples.
fn who_sees(
    terrain: &TerrainBundle<'_>,
    half: &Region<'_>,
    quad: Quad,
    members: &[u64],
) -> Option<Sample> {
    let inside = |sample: Sample| half.contains(sample) || !terrain.valid().has_sample(sample);
    let (width, height) = (terrain.grid().width(), terrain.grid().height());
    let origin = quad.origin();
    let side = 1 << quad.level;
    let mut samples = (origin.row..height.min(origin.row + side)).flat_map(|row| {
        let columns = origin.column..width.min(origin.column + side);
        columns.map(move |column| Sample::new(column, row))
    });
    if samples.clone().all(inside) {
        let mut seen = vec![0; members.len()];
        terrain.pvs(quad).unwrap().expand(&mut seen);
        if seen
            .iter()
            .zip(members)
            .all(|(seen, member)| seen & member == 0)
        {
            return None;
        }
        if quad.level == 0 {
            return half.contains(origin).then_some(origin);
        }
    } else if !samples.any(|sample| half.contains(sample)) {
        return None;
    }
    (0..4)
        .filter_map(|child| quad.child(child))
        .filter(|&child| terrain.grid().has_quad(child))
        .find_map(|child| who_sees(terrain, half, child, members))
}

/// Random sets of a real terrain, judged by the PVSs of the bundle's samples; these are held to
/// the definition by the tests of visibility.
fn hunt(terrain: &TerrainBundle<'_>, sets: u64) {
    let grid = terrain.grid();
    let mut builder = FrontierBuilder::new(terrain);
    let mut dice = Dice(sets);
    let all = all_options();
    let mut members = vec![0_u64; grid.blocks()];
    let mut found = 0;
    let mut tried = 0;
    while found < sets {
        tried += 1;
        assert!(tried < 1_000 * sets, "hardly any pair is hidden");
        let mut place = || Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
        let (a, b) = (place(), place());
        // Growth along samples without a limit takes too long for a test.
        let options = match found % 3 {
            0 => FrontierOptions::default(),
            1 if found % 5 == 0 => FrontierOptions::thesis(Grow::Hierarchical, Merge::Lossless),
            _ => FrontierOptions {
                budget: Some(200),
                ..all[(found as usize) % all.len()]
            },
        };
        if builder.build(a, b, &options).is_err() || builder.region(Side::A).is_empty() {
            continue;
        }
        found += 1;
        let (of_a, of_b) = (builder.region(Side::A), builder.region(Side::B));
        assert!(of_a.contains(a) && of_b.contains(b));
        // What the members of the smaller half see must not meet the larger one: in a mutual
        // bundle that is both directions.
        let (few, many) = if of_a.area() < of_b.area() {
            (of_a, of_b)
        } else {
            (of_b, of_a)
        };
        assert!(terrain.parameters().mutual);
        members.fill(0);
        for sample in many.samples() {
            let (block, bit) = grid.block_bit(sample);
            members[block] |= 1 << bit;
        }
        if let Some(sample) = who_sees(terrain, &few, grid.root(), &members) {
            panic!("{options:?}: {a:?} {b:?}: {sample:?} sees a member of the other half");
        }
    }
    println!("{found} sets, no leak");
}

fn hunt_real(baked: &Baked) {
    hunt(&baked.map.terrain().unwrap(), 300);
}

#[test]
fn no_set_of_gale_leaks() {
    let crop = Some([60, 60, 120, 110]);
    if let Some((_, baked)) = real("Gale_HRSC_DEM_50m_300x285.bin", 0.1, crop) {
        hunt_real(&baked);
    }
}

#[test]
fn no_set_of_bilbao_leaks() {
    if let Some((_, baked)) = real("bilbao_dsm_500.tif", 1.0, Some([200, 200, 100, 100])) {
        hunt_real(&baked);
    }
}

/// `scripts/hunt-leaks` names a bundle, and how many sets.
#[test]
fn no_set_of_a_bundle_that_was_named_leaks() {
    let Some(path) = std::env::var_os("VIEWCELL_HUNT_BUNDLE") else {
        return;
    };
    let sets = std::env::var("VIEWCELL_HUNT_SETS").map_or(10_000, |sets| sets.parse().unwrap());
    let map = viewcell::runtime::MappedBundle::open(path).unwrap();
    hunt(&map.terrain().unwrap(), sets);
}

#[test]
fn the_test_of_leaks_finds_one() {
    let world = ridges(9, 9, 3, false);
    let baked = bake(&world, MUTUAL);
    // The same bundle, but all its heights' visibility of another world: sets must leak.
    let other = ridges(9, 9, 8, false);
    let matrix = Matrix::new(&other, MUTUAL);
    let terrain = Bundle::from_bytes(&baked.bytes).unwrap().terrain().unwrap();
    let mut builder = FrontierBuilder::new(&terrain);
    let leaks = matrix.samples().filter(|&b| {
        builder
            .build(Sample::new(1, 1), b, &FrontierOptions::default())
            .unwrap();
        matrix.leak(&builder).is_some()
    });
    assert!(leaks.count() > 0);
}
