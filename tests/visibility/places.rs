//! Terrain where nobody can be, and ground below what hides.

use super::coarse;
use super::small::{all_pairs_of, bodies, terrain};
use super::{BODIES, Dice, levels};
use proptest::prelude::*;
use std::path::Path;
use viewcell::format::Sample;
use viewcell::format::morton::comes_before;
use viewcell::query::{Answer, MappedBundle, Quad};
use viewcell_bake::bundle::verify;
use viewcell_bake::visibility::{
    Bodies, HeightField, Order, Rays, Stance, covered, find_sight, sees,
};
use viewcell_bake::{
    BakeOptions, Keep, RepackOptions, ShardOf, Silent, Source, VisibilityMode, bake_shard,
    bake_terrain, merge, repack,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// Where players can be: here and there, on one side of a line, or in a rectangle; somewhere.
fn walkable(terrain: &Terrain, kind: u32, seed: u64) -> Vec<bool> {
    let mut dice = Dice(seed);
    let (width, height) = (terrain.width(), terrain.height());
    let line = dice.roll(width + height);
    let [c, r] = [dice.roll(width), dice.roll(height)];
    let samples = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let mut walkable: Vec<bool> = samples
        .map(|(column, row)| match kind {
            0 => dice.roll(2) == 0,
            1 => column + row <= line,
            _ => (c..c + 9).contains(&column) && (r..r + 6).contains(&row),
        })
        .collect();
    // The one that is no void.
    walkable[0] = true;
    walkable
}

/// The same ground, with boxes of all heights on it.
fn built(ground: Terrain, seed: u64) -> Terrain {
    let mut dice = Dice(seed);
    let (width, height) = (ground.width(), ground.height());
    let mut surface = ground.heights().to_vec();
    for _ in 0..1 + width * height / 40 {
        let [c, r] = [dice.roll(width), dice.roll(height)];
        let [w, h] = [0; 2].map(|_| 1 + dice.roll(5));
        let over = [0.5, 1.8, 1.9, 4.0, 9.0][dice.roll(5) as usize];
        for row in r..height.min(r + h) {
            for column in c..width.min(c + w) {
                let at = (row * width + column) as usize;
                surface[at] = ground.heights()[at] + over;
            }
        }
    }
    // Somewhere to stand.
    surface[0] = ground.heights()[0];
    let mut below = ground.heights().to_vec();
    if dice.roll(3) == 0 {
        // Ground is not known everywhere.
        let at = 1.max(dice.roll(width * height)) as usize;
        if at < below.len() {
            below[at] = f64::NAN;
        }
    } else if dice.roll(2) == 0 {
        // Nor is what stands on it.
        let at = 1.max(dice.roll(width * height)) as usize;
        if at < surface.len() {
            surface[at] = f64::NAN;
        }
    }
    let surface = Terrain::new(width, height, surface, ground.spacing()).unwrap();
    surface.with_ground(below).unwrap()
}

/// All answers, pair by pair.
fn answers(
    terrain: &Terrain,
    bodies: Bodies,
    stance: Stance,
    level: fearless_simd::Level,
    once: bool,
) -> Vec<bool> {
    let field = HeightField::new(terrain, bodies, stance);
    let mut rays = Rays::new(terrain, &field, level);
    if once {
        rays = rays.deciding_once(comes_before as Order);
    }
    let mut answers = Vec::new();
    all_pairs_of(terrain, rays, |_, _, seen| answers.push(seen));
    answers
}

/// The pairs in the order of [`answers`].
fn pairs(terrain: &Terrain) -> Vec<[(u32, u32); 2]> {
    let field = HeightField::new(terrain, BODIES, Stance::Sample);
    let rays = Rays::new(terrain, &field, levels()[0]);
    let mut pairs = Vec::new();
    all_pairs_of(terrain, rays, |from, to, _| pairs.push([from, to]));
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn a_mask_takes_away_what_is_not_walkable_and_changes_no_other_answer(
        terrain in terrain(),
        bodies in bodies(),
        (kind, seed) in (0u32..3, any::<u64>()),
        stance in prop_oneof![Just(Stance::Sample), Just(Stance::Cell)],
        once in any::<bool>(),
    ) {
        let once = once && bodies.mutual();
        let masked = walkable(&terrain, kind, seed);
        let masked = terrain.clone().with_walkable(&masked).unwrap();
        let level = levels()[seed as usize % levels().len()];
        let all = answers(&terrain, bodies, stance, level, once);
        let some = answers(&masked, bodies, stance, level, once);
        for ([a, b], (all, some)) in pairs(&terrain).into_iter().zip(all.into_iter().zip(some)) {
            let asked = masked.has_place(a.0, a.1) && masked.has_place(b.0, b.1);
            prop_assert_eq!(some, all && asked, "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn samples_on_the_ground_see_what_the_definition_says(
        terrain in terrain(),
        bodies in bodies(),
        (kind, seed) in (0u32..4, any::<u64>()),
        once in any::<bool>(),
    ) {
        let mut terrain = built(terrain, seed);
        if kind < 3 {
            let walkable = walkable(&terrain, kind, seed);
            terrain = terrain.with_walkable(&walkable).unwrap();
        }
        let level = levels()[seed as usize % levels().len()];
        let once = once && bodies.mutual();
        let found = answers(&terrain, bodies, Stance::Sample, level, once);
        let later = |a: (u32, u32), b: (u32, u32)| {
            once && comes_before((b.0 / 8, b.1 / 8), (a.0 / 8, a.1 / 8))
        };
        for ([a, b], found) in pairs(&terrain).into_iter().zip(found) {
            let asked = terrain.has_place(a.0, a.1) && terrain.has_place(b.0, b.1);
            let due = asked && !later(a, b) && sees(&terrain, bodies, a, b);
            prop_assert_eq!(found, due, "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn no_search_finds_a_line_of_sight_between_hidden_cells_on_the_ground(
        terrain in terrain(),
        bodies in bodies(),
        seed in any::<u64>(),
    ) {
        let terrain = built(terrain, seed);
        let level = levels()[seed as usize % levels().len()];
        let found = answers(&terrain, bodies, Stance::Cell, level, false);
        let inside = covered(&terrain, bodies.head, Stance::Cell);
        let at = |(c, r): (u32, u32)| (r * terrain.width() + c) as usize;
        let mut dice = Dice(seed);
        for ([a, b], found) in pairs(&terrain).into_iter().zip(found) {
            let places = terrain.has_place(a.0, a.1) && terrain.has_place(b.0, b.1);
            prop_assert!(!found || places);
            // Whom the surface covers wherever in the cell they are, nobody else sees.
            prop_assert!(!(found && a != b && inside[at(b)]), "{:?} {:?}", a, b);
            prop_assert!(found || !places || a != b);
            if places && !found && dice.roll(16) == 0 {
                let sight = find_sight(&terrain, bodies, f64::INFINITY, a, b, 20, 1);
                prop_assert!(!sight, "{:?} {:?}", a, b);
            }
        }
    }
}

/// The same with a share of voids in the surface, and half as many in the ground.
fn pierced(terrain: Terrain, share: f64, dice: &mut Dice) -> Terrain {
    let mut void = |heights: &[f64], share: f64| -> Vec<f64> {
        let mut heights = heights.to_vec();
        for height in &mut heights[1..] {
            if dice.fraction() < share {
                *height = f64::NAN;
            }
        }
        heights
    };
    let surface = void(terrain.heights(), share);
    let ground = void(terrain.ground(), share / 2.0);
    let surface = Terrain::new(
        terrain.width(),
        terrain.height(),
        surface,
        terrain.spacing(),
    );
    surface.unwrap().with_ground(ground).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_search_finds_a_line_of_sight_past_voids_between_hidden_cells(
        terrain in terrain(),
        bodies in bodies(),
        share in prop_oneof![Just(0.05), Just(0.2), Just(0.5)],
        seed in any::<u64>(),
    ) {
        let mut dice = Dice(seed);
        let terrain = pierced(built(terrain, seed), share, &mut dice);
        let level = levels()[seed as usize % levels().len()];
        let found = answers(&terrain, bodies, Stance::Cell, level, false);
        for ([a, b], found) in pairs(&terrain).into_iter().zip(found) {
            let places = terrain.has_place(a.0, a.1) && terrain.has_place(b.0, b.1);
            if places && !found && dice.roll(8) == 0 {
                let sight = find_sight(&terrain, bodies, f64::INFINITY, a, b, 20, seed);
                prop_assert!(!sight, "{:?} {:?}", a, b);
            }
        }
    }
}

#[test]
fn a_house_beside_a_void_of_the_surface_covers_only_where_it_is_drawn() {
    let (width, height) = (2, 9);
    let mut surface = vec![0.0; 18];
    surface[8..14].fill(9.0);
    surface[12] = f64::NAN;
    let terrain = Terrain::new(width, height, surface, [1.0, 2.0]).unwrap();
    let terrain = terrain.with_ground(vec![0.0; 18]).unwrap();
    // South of the sample (0, 5) its cell is in a patch with a void.
    let [a, b] = [(0, 5), (1, 7)];
    assert!(find_sight(&terrain, BODIES, f64::INFINITY, a, b, 20, 1));
    for level in levels() {
        let seen = answers(&terrain, BODIES, Stance::Cell, level, false);
        let found = pairs(&terrain).into_iter().zip(seen);
        let of_both = found.filter(|&(pair, _)| pair == [a, b] || pair == [b, a]);
        assert!(of_both.map(|(_, seen)| seen).eq([true, true]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn cells_of_samples_see_what_their_places_see(
        terrain in terrain(),
        bodies in bodies(),
        (kind, seed) in (0u32..3, any::<u64>()),
        finest in 3u32..=5,
    ) {
        let ground = built(terrain.clone(), seed);
        for terrain in [terrain, ground] {
            let walkable = walkable(&terrain, kind, seed);
            let terrain = terrain.with_walkable(&walkable).unwrap();
            for stance in [Stance::Sample, Stance::Cell] {
                coarse::check(&terrain, bodies, stance, finest, f64::INFINITY);
            }
        }
    }
}

#[test]
fn ground_that_is_the_surface_changes_nothing() {
    let mut dice = Dice(3);
    let heights: Vec<f64> = (0..41 * 30).map(|_| f64::from(dice.roll(9))).collect();
    let plain = Terrain::new(41, 30, heights.clone(), [1.0, 2.0]).unwrap();
    let both = plain.clone().with_ground(heights).unwrap();
    for stance in [Stance::Sample, Stance::Cell] {
        let of = |terrain| answers(terrain, BODIES, stance, levels()[0], true);
        assert_eq!(of(&plain), of(&both));
    }
}

/// A street between two rows of houses, 6 m high, with a gap in the northern one: 21 samples long,
/// houses in rows 2 to 4 and 8 to 10 of 13.
fn street() -> Terrain {
    let house =
        |column: u32, row: u32| (2..=4).contains(&row) && column != 10 || (8..=10).contains(&row);
    let surface = (0..13).flat_map(|row| (0..21).map(move |column| (column, row)));
    let surface = surface.map(|(c, r)| if house(c, r) { 6.0 } else { 0.0 });
    let surface = Terrain::new(21, 13, surface.collect(), [2.0, 2.0]).unwrap();
    surface.with_ground(vec![0.0; 21 * 13]).unwrap()
}

fn bake(terrain: &Terrain, options: &BakeOptions, path: &Path) -> MappedBundle {
    let source = Source::of_terrain(terrain);
    bake_terrain(terrain, &source, options, path, &Silent).unwrap();
    let report = verify(path, &mut |_| {}).unwrap();
    assert!(report.is_sound(), "{report:?}");
    MappedBundle::open(path).unwrap()
}

#[test]
fn houses_hide_who_is_behind_them_and_who_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
        for inside in [false, true] {
            let options = BakeOptions {
                mode,
                inside,
                overwrite: true,
                ..BakeOptions::default()
            };
            let map = bake(&street(), &options, &folder.path().join("street.vcb"));
            let bundle = map.terrain().unwrap();
            let sees = |a: (u32, u32), b: (u32, u32)| {
                bundle.visible(Sample::new(a.0, a.1), Sample::new(b.0, b.1))
            };
            // Along the street, and not across a house; through the gap.
            assert!(sees((0, 6), (20, 6)) && sees((3, 5), (18, 7)));
            assert!(!sees((5, 6), (5, 0)) && !sees((5, 6), (5, 12)));
            assert!(sees((10, 6), (10, 0)));
            // In a house.
            assert!(!sees((5, 6), (5, 3)) && !sees((5, 3), (6, 3)) && !sees((5, 3), (5, 6)));
            assert_eq!(sees((5, 3), (5, 3)), inside);
            assert_eq!(bundle.valid().has_sample(Sample::new(5, 3)), inside);
            // The ground goes on below it.
            assert_eq!(bundle.height(Sample::new(5, 3)), Some(0.0));
            assert!(bundle.parameters().covered);
            assert_eq!(bundle.parameters().walkable, !inside);
        }
    }
}

/// Under an awning of 2.5 m a tall player looks out over its top, and nobody sees the head below.
#[test]
fn a_place_whose_head_is_covered_and_whose_eye_is_free_sees_and_is_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let awning = |c: u32, r: u32| (6..18).contains(&c) && (6..18).contains(&r);
    let (width, height) = (40, 32);
    let samples = (0..height).flat_map(|r| (0..width).map(move |c| (c, r)));
    let surface = samples.map(|(c, r)| if awning(c, r) { 2.5 } else { 0.0 });
    let surface = Terrain::new(width, height, surface.collect(), [2.0, 2.0]).unwrap();
    let terrain = surface
        .with_ground(vec![0.0; (width * height) as usize])
        .unwrap();
    let bodies = Bodies {
        eye: 3.0,
        head: 1.8,
    };
    for (mode, finest) in [
        (VisibilityMode::Exact, 0),
        (VisibilityMode::Conservative, 0),
        (VisibilityMode::Exact, 3),
        (VisibilityMode::Conservative, 3),
    ] {
        let options = BakeOptions {
            eye_height: bodies.eye,
            player_height: bodies.head,
            mode,
            finest,
            overwrite: true,
            ..BakeOptions::default()
        };
        let map = bake(&terrain, &options, &folder.path().join("awning.vcb"));
        let bundle = map.terrain().unwrap();
        if finest > 0 {
            // The cell below the awning, and one beside it.
            let (below, beside) = (Sample::new(1, 1), Sample::new(3, 1));
            assert!(bundle.visible(below, beside) && !bundle.visible(beside, below));
            continue;
        }
        let mut dice = Dice(3);
        for a in bundle.grid().row_by_row() {
            for _ in 0..60 {
                let b = Sample::new(dice.roll(width), dice.roll(height));
                let due = sees(&terrain, bodies, (a.column, a.row), (b.column, b.row));
                let found = bundle.visible(a, b);
                assert!(
                    found == due || mode == VisibilityMode::Conservative && found,
                    "{a:?} {b:?}, {mode:?}"
                );
            }
        }
        let (below, beside) = (Sample::new(12, 12), Sample::new(30, 12));
        assert!(bundle.visible(below, beside) && !bundle.visible(beside, below));
    }
}

#[test]
fn voids_of_the_ground_are_no_places_and_voids_of_the_surface_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // A wall from north to south, with a void in the surface of column 12, and one in the ground below the wall.
    let (width, height) = (24_u32, 16_u32);
    let is_void = |c: u32, r: u32| c == 12 && (6..10).contains(&r);
    let samples: Vec<(u32, u32)> = (0..height)
        .flat_map(|r| (0..width).map(move |c| (c, r)))
        .collect();
    let wall = |&(c, r): &(u32, u32)| match c {
        12 if is_void(c, r) => f64::NAN,
        12 => 20.0,
        _ => 0.0,
    };
    let ground = |&(c, r): &(u32, u32)| if c == 12 && r < 6 { f64::NAN } else { 0.0 };
    let surface = samples.iter().map(wall).collect();
    let terrain = Terrain::new(width, height, surface, [1.0; 2]).unwrap();
    let terrain = terrain
        .with_ground(samples.iter().map(ground).collect())
        .unwrap();
    for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
        let options = BakeOptions {
            mode,
            overwrite: true,
            ..BakeOptions::default()
        };
        let map = bake(&terrain, &options, &folder.path().join("wall.vcb"));
        let bundle = map.terrain().unwrap();
        let sees = |a: (u32, u32), b: (u32, u32)| {
            bundle.visible(Sample::new(a.0, a.1), Sample::new(b.0, b.1))
        };
        // Where the ground is void nobody is, and the surface hides.
        assert!(!bundle.valid().has_sample(Sample::new(12, 2)));
        assert!(!sees((2, 2), (21, 2)));
        // Where the surface is void there is ground to stand on, and nothing hides.
        assert!(bundle.valid().has_sample(Sample::new(12, 8)));
        assert!(sees((2, 8), (21, 8)) && sees((2, 8), (12, 8)) && sees((12, 8), (21, 8)));
    }
}

#[test]
fn ground_above_the_surface_is_taken_within_a_tolerance_and_only_shows_more() {
    let mut dice = Dice(11);
    let (width, height) = (24, 20);
    let count = (width * height) as usize;
    let ground: Vec<f64> = (0..count).map(|_| dice.fraction() * 6.0).collect();
    let surface: Vec<f64> = ground.iter().map(|h| h + dice.fraction() - 0.5).collect();
    let terrain = Terrain::new(width, height, surface.clone(), [1.0; 2]).unwrap();
    let error = terrain.clone().with_ground(ground.clone()).unwrap_err();
    assert!(error.to_string().contains("`ground_tolerance`"), "{error}");
    assert!(
        terrain
            .clone()
            .with_ground_within(ground.clone(), 0.2)
            .is_err()
    );
    let crossed = terrain.with_ground_within(ground.clone(), 0.5).unwrap();
    let above = crossed.ground_above().unwrap();
    assert!(
        above.most > 0.4 && above.samples as usize > count / 3,
        "{above}"
    );
    // A surface that is raised to the ground hides no less.
    let raised = surface
        .iter()
        .zip(&ground)
        .map(|(s, g)| s.max(*g))
        .collect();
    let raised = Terrain::new(width, height, raised, [1.0; 2]).unwrap();
    let raised = raised.with_ground(ground).unwrap();
    let all = pairs(&crossed);
    let found = answers(&crossed, BODIES, Stance::Sample, levels()[0], false);
    for (&[a, b], found) in all.iter().zip(&found) {
        assert_eq!(*found, sees(&crossed, BODIES, a, b), "{a:?} {b:?}");
        assert!(*found || !sees(&raised, BODIES, a, b), "{a:?} {b:?}");
    }
    let found = answers(&crossed, BODIES, Stance::Cell, levels()[0], false);
    for (&[a, b], found) in all.iter().zip(&found) {
        let is_hidden = !found && dice.roll(40) == 0;
        assert!(!is_hidden || !find_sight(&crossed, BODIES, f64::INFINITY, a, b, 20, 1));
    }
}

#[test]
fn nobody_can_be_where_all_is_covered() {
    let surface = Terrain::new(9, 9, vec![5.0; 81], [1.0; 2]).unwrap();
    let terrain = surface.with_ground(vec![0.0; 81]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let bake = |options: &BakeOptions| {
        let source = Source::of_terrain(&terrain);
        bake_terrain(&terrain, &source, options, &path, &Silent)
    };
    let error = bake(&BakeOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nobody can be anywhere"), "{error}");
}

/// A crop of jacksboro, and where it is less steep than most.
fn hills() -> [Terrain; 2] {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let crop = IngestOptions {
        crop: Some([60, 40, 70, 50]),
        ..IngestOptions::default()
    };
    let all = read_terrain(&file, &crop).unwrap().terrain;
    let gentle = all.gentle(14.0);
    let some = all.clone().with_walkable(&gentle).unwrap();
    [all, some]
}

#[test]
fn bundles_of_walkable_terrain_answer_as_those_of_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let [all, some] = hills();
    let places: Vec<bool> = some.places().collect();
    let count = places.iter().filter(|&&place| place).count();
    assert!(count * 4 > places.len() && count * 4 < 3 * places.len());
    for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
        for finest in [0, 3] {
            if finest > 0 && mode != VisibilityMode::Exact {
                continue;
            }
            let options = BakeOptions {
                mode,
                finest,
                ..BakeOptions::default()
            };
            let name = |which| folder.path().join(format!("{which}-{mode:?}-{finest}.vcb"));
            let maps = [
                bake(&all, &options, &name("all")),
                bake(&some, &options, &name("some")),
            ];
            let [every, part] = [&maps[0], &maps[1]].map(|map| map.terrain().unwrap());
            let grid = part.grid();
            assert!(!every.parameters().walkable);
            assert!(part.parameters().walkable || finest > 0);
            let mut dice = Dice(9);
            for a in grid.row_by_row() {
                assert_eq!(part.height(a), every.height(a));
                for _ in 0..50 {
                    let b = Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
                    let asked = part.valid().has_sample(a) && part.valid().has_sample(b);
                    let due = asked && every.visible(a, b);
                    // Of cells, fewer samples see fewer.
                    let found = part.visible(a, b);
                    assert!(
                        found == due || finest > 0 && !found,
                        "{a:?} {b:?}, {mode:?}"
                    );
                }
            }
            if finest == 0 {
                let walkable = |s: Sample| places[(s.row * some.width() + s.column) as usize];
                assert!(
                    grid.row_by_row()
                        .all(|s| part.valid().has_sample(s) == walkable(s))
                );
                let bytes = |which| std::fs::metadata(name(which)).unwrap().len();
                assert!(bytes("some") < bytes("all"));
                continue;
            }
            // A cell sees what its places see, exactly.
            let samples = folder.path().join("some-Exact-0.vcb");
            let samples = MappedBundle::open(&samples).unwrap();
            let samples = samples.terrain().unwrap();
            for a in grid.row_by_row() {
                let pvs = samples.pvs(Quad::new(finest, a.column, a.row)).unwrap();
                for b in grid.row_by_row() {
                    let state = pvs.state(Quad::new(finest, b.column, b.row));
                    assert_eq!(part.visible(a, b), state != Answer::Hidden, "{a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn walkable_bundles_are_the_same_from_shards_repacked_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [_, terrain] = hills();
    let path = |name: &str| folder.path().join(name);
    let source = Source::of_terrain(&terrain);
    for (finest, mode) in [
        (0, VisibilityMode::Exact),
        (3, VisibilityMode::Conservative),
    ] {
        let options = BakeOptions {
            mode,
            finest,
            overwrite: true,
            ..BakeOptions::default()
        };
        drop(bake(&terrain, &options, &path("whole.vcb")));
        let whole = std::fs::read(path("whole.vcb")).unwrap();
        let shards = [1, 2].map(|index| {
            let shard = path(&format!("{index}.vcs"));
            let of = ShardOf::new(index, 2).unwrap();
            bake_shard(&terrain, &source, &options, of, &shard, &Silent).unwrap();
            shard
        });
        merge(
            &shards,
            &path("merged.vcb"),
            true,
            &options.compression,
            &Silent,
        )
        .unwrap();
        assert!(std::fs::read(path("merged.vcb")).unwrap() == whole);
        let again = RepackOptions {
            overwrite: true,
            ..RepackOptions::default()
        };
        repack(&path("whole.vcb"), &path("again.vcb"), &again, &Silent).unwrap();
        assert!(std::fs::read(path("again.vcb")).unwrap() == whole);
        // The bundle is there already, unless other places are asked for.
        let resume = BakeOptions {
            keep: Keep::Resume,
            overwrite: false,
            ..options
        };
        let bake = |terrain: &Terrain| {
            bake_terrain(terrain, &source, &resume, &path("whole.vcb"), &Silent)
        };
        let report = bake(&terrain).unwrap();
        assert_eq!(report.kept_tiles, report.tiles);
        let fewer: Vec<bool> = (0..terrain.samples()).map(|i| i > 1500).collect();
        let fewer = terrain.clone().with_walkable(&fewer).unwrap();
        assert!(bake(&fewer).is_err());
    }
}
