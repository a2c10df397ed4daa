//! Quads of samples as view cells: each sees what any of its samples sees.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::small::{bodies, terrain};
use super::{BODIES, Dice, Viewsheds, levels, real};
use proptest::prelude::*;
use viewcell::format::morton::comes_before;
use viewcell::format::{Grid, Quad, Sample};
use viewcell::query::{Answer, MappedBundle};
use viewcell_bake::visibility::{
    Bodies, HeightField, LOOK_LEVEL, Order, Rays, ShaftField, Shafts, Sights, Stance,
    Viewsheds as _, find_sight,
};
use viewcell_bake::{
    BakeError, BakeOptions, Keep, Observer, Silent, Source, Stage, VisibilityMode, bake_terrain,
};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

/// By pairs of cells of a level, those of one in a row: whether any sample of the first sees any of
/// the second, by the kernel of samples; nothing is asked of what comes before if an order is given.
pub fn twin(
    terrain: &Terrain,
    field: &HeightField,
    finest: u32,
    order: Option<Order>,
) -> Vec<bool> {
    let level = fearless_simd::Level::baseline();
    let mut rays = Rays::new(terrain, field, level);
    if let Some(order) = order {
        rays = rays.deciding_once(order);
    }
    let (width, height) = (terrain.width(), terrain.height());
    let across = width.div_ceil(1 << finest);
    let cells = (across * height.div_ceil(1 << finest)) as usize;
    let cell = |(c, r): (u32, u32)| ((r >> finest) * across + (c >> finest)) as usize;
    let mut seen = vec![false; cells * cells];
    let side = 1 << LOOK_LEVEL;
    for (qc, qr) in
        (0..width.div_ceil(side)).flat_map(|c| (0..height.div_ceil(side)).map(move |r| (c, r)))
    {
        let sees = Viewsheds::new(&mut rays, width, qc * side, qr * side);
        let samples = |c0: u32, c1: u32, r0: u32, r1: u32| {
            (c0..c1).flat_map(move |c| (r0..r1).map(move |r| (c, r)))
        };
        let viewers = samples(
            qc * side,
            width.min((qc + 1) * side),
            qr * side,
            height.min((qr + 1) * side),
        );
        for from in viewers {
            for to in samples(0, width, 0, height) {
                if sees.sees(from, to) {
                    seen[cell(from) * cells + cell(to)] = true;
                    if order.is_some() {
                        seen[cell(to) * cells + cell(from)] = true;
                    }
                }
            }
        }
    }
    seen
}

/// The same by the kernel of cells.
pub fn coarse(field: &ShaftField, level: fearless_simd::Level, order: Option<Order>) -> Vec<bool> {
    let mut shafts = Shafts::new(field, level);
    if let Some(order) = order {
        shafts = shafts.deciding_once(order);
    }
    let grid = shafts.grid();
    let (width, height) = (grid.width(), grid.height());
    let cells = grid.samples() as usize;
    let cell = |(c, r): (u32, u32)| (r * width + c) as usize;
    let mut seen = vec![false; cells * cells];
    let mut sights = Sights::new(grid);
    let side = 1 << LOOK_LEVEL;
    for (qc, qr) in
        (0..width.div_ceil(side)).flat_map(|c| (0..height.div_ceil(side)).map(move |r| (c, r)))
    {
        shafts.look(Quad::new(LOOK_LEVEL, qc, qr), &mut sights);
        let sees = Viewsheds { width, sights };
        for from in grid.row_by_row().map(|s| (s.column, s.row)) {
            if (from.0 / side, from.1 / side) != (qc, qr) {
                continue;
            }
            for to in grid.row_by_row().map(|s| (s.column, s.row)) {
                if sees.sees(from, to) {
                    seen[cell(from) * cells + cell(to)] = true;
                    if order.is_some() {
                        seen[cell(to) * cells + cell(from)] = true;
                    }
                }
            }
        }
        sights = sees.sights;
    }
    seen
}

/// Searches for sight from cell to cell, by their numbers: from random places in squares of random samples.
fn is_in_sight(terrain: &Terrain, bodies: Bodies, far: f64, finest: u32, pair: [u32; 2]) -> bool {
    let across = terrain.width().div_ceil(1 << finest);
    let mut dice = Dice(u64::from(pair[0]) << 32 | u64::from(pair[1]));
    (0..12).any(|seed| {
        let [a, b] = pair.map(|cell| {
            let side = |first: u32, samples: u32, dice: &mut Dice| {
                first + dice.roll((1 << finest).min(samples - first))
            };
            let column = side((cell % across) << finest, terrain.width(), &mut dice);
            let row = side((cell / across) << finest, terrain.height(), &mut dice);
            (column, row)
        });
        let is_somebody = |(column, row)| terrain.has_place(column, row);
        a != b
            && is_somebody(a)
            && is_somebody(b)
            && find_sight(terrain, bodies, far, a, b, 20, seed)
    })
}

pub fn check(terrain: &Terrain, bodies: Bodies, stance: Stance, finest: u32, far: f64) {
    let cells = |samples: u32| samples.div_ceil(1 << finest);
    let grid = Grid::new(cells(terrain.width()), cells(terrain.height())).unwrap();
    let field = HeightField::new(terrain, bodies, stance).with_max_distance(far);
    let exact = HeightField::new(terrain, bodies, Stance::Sample).with_max_distance(far);
    let shafts = ShaftField::new(terrain, bodies, stance, finest).with_max_distance(far);
    let mut orders: Vec<Option<Order>> = vec![None];
    if bodies.eye == bodies.head {
        orders.push(Some(comes_before));
    }
    for order in orders {
        let all = twin(terrain, &field, finest, order);
        // What samples see exactly is seen from their squares all the more.
        let exact = twin(terrain, &exact, finest, order);
        let mut before = None;
        for level in levels() {
            let found = coarse(&shafts, level, order);
            assert!(
                found
                    .iter()
                    .zip(&exact)
                    .all(|(&found, &exact)| found || !exact)
            );
            // Of squares each kernel proves in its own way what is hidden. Cells hide little less, and where they hide
            // more, no search finds sight.
            let told = format!("of level {finest}, {stance:?}, {order:?}");
            let more = found
                .iter()
                .zip(&all)
                .filter(|&(&found, &all)| found && !all);
            let (more, few) = match stance {
                Stance::Sample => (more.count(), 0),
                Stance::Cell => (more.count(), 2 + all.len() / 100),
            };
            assert!(more <= few, "{more} more of {} {told}", all.len());
            for (number, _) in found
                .iter()
                .zip(&all)
                .enumerate()
                .filter(|(_, (found, all))| !**found && **all)
            {
                assert_eq!(stance, Stance::Cell, "{number} {told}");
                let pair = [
                    number as u32 / grid.samples() as u32,
                    number as u32 % grid.samples() as u32,
                ];
                assert!(
                    !is_in_sight(terrain, bodies, far, finest, pair),
                    "{number} {told}"
                );
            }
            assert!(
                before
                    .replace(found.clone())
                    .is_none_or(|before| before == found)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The less detail is looked at, the less is hidden.
    #[test]
    fn what_is_hidden_without_detail_is_hidden(
        terrain in terrain(),
        bodies in bodies(),
        finest in 1u32..=5,
    ) {
        let see = |detail| {
            let field = ShaftField::new(&terrain, bodies, Stance::Cell, finest);
            let field = field.with_detail(detail);
            let all: Vec<_> = levels().into_iter().map(|level| coarse(&field, level, None)).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{detail}");
            all[0].clone()
        };
        let mut finer = see(0);
        for detail in 1..=finest {
            let seen = see(detail);
            prop_assert!(finer.iter().zip(&seen).all(|(&finer, &seen)| seen || !finer));
            finer = seen;
        }
    }

    #[test]
    fn cells_see_what_their_samples_see(
        terrain in terrain(),
        bodies in bodies(),
        finest in 1u32..=5,
        far in prop_oneof![Just(f64::INFINITY), 3.0..40.0],
    ) {
        for stance in [Stance::Sample, Stance::Cell] {
            check(&terrain, bodies, stance, finest, far);
        }
    }
}

/// Bakes into a folder; all of it, or cells of a level.
fn bake(terrain: &Terrain, mode: VisibilityMode, finest: u32, folder: &Path) -> MappedBundle {
    let options = BakeOptions {
        eye_height: BODIES.eye,
        player_height: BODIES.head,
        mode,
        finest,
        ..BakeOptions::default()
    };
    let path = folder.join(format!("{finest}.vcb"));
    let source = Source::of_terrain(terrain);
    bake_terrain(terrain, &source, &options, &path, &Silent).unwrap();
    MappedBundle::open(&path).unwrap()
}

#[test]
fn bundles_of_cells_hide_nothing_that_exact_bundles_of_samples_show() {
    let mut terrains = vec![{
        let mut dice = super::Dice(7);
        let heights = (0..90 * 77).map(|_| 3.0 * dice.fraction()).collect();
        Terrain::new(90, 77, heights, [2.0, 3.0]).unwrap()
    }];
    let crop = |window| IngestOptions {
        crop: Some(window),
        ..IngestOptions::default()
    };
    let jacksboro = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    for window in [
        [60, 40, 100, 70],
        // Here two lines rise equally high above the sight between two samples.
        [80, 192, 48, 32],
        [328, 48, 56, 24],
        [24, 184, 64, 16],
        [160, 16, 96, 40],
        [112, 232, 40, 112],
    ] {
        terrains.push(read_terrain(&jacksboro, &crop(window)).unwrap().terrain);
    }
    terrains.extend(real("bilbao_dsm_500.tif", &crop([200, 100, 100, 70])));
    for terrain in &terrains {
        let folder = tempfile::tempdir().unwrap();
        let exact = bake(terrain, VisibilityMode::Exact, 0, folder.path());
        let exact = exact.terrain().unwrap();
        for mode in [VisibilityMode::Exact, VisibilityMode::Conservative] {
            let folder = tempfile::tempdir().unwrap();
            let full = bake(terrain, mode, 0, folder.path());
            let full = full.terrain().unwrap();
            for finest in [3, 4] {
                let cells = bake(terrain, mode, finest, folder.path());
                let cells = cells.terrain().unwrap();
                let grid: Grid = cells.grid();
                assert_eq!(cells.parameters().finest(), finest);
                let (mut seen, mut found) = (0_u64, 0_u64);
                for a in grid.row_by_row() {
                    let [pvs, least] = [&full, &exact]
                        .map(|bundle| bundle.pvs(Quad::new(finest, a.column, a.row)).unwrap());
                    for b in grid.row_by_row() {
                        let quad = Quad::new(finest, b.column, b.row);
                        let any = pvs.state(quad) != Answer::Hidden;
                        let is_found = cells.visible(a, b);
                        let is_seen = least.state(quad) != Answer::Hidden;
                        assert!(
                            is_found || !is_seen,
                            "{a:?} {b:?} of level {finest}, {mode:?}"
                        );
                        seen += u64::from(any);
                        found += u64::from(is_found);
                        assert!(
                            is_found == any || mode == VisibilityMode::Conservative,
                            "{a:?} {b:?} of level {finest}"
                        );
                    }
                }
                // In a window of some hundred pairs two may be more.
                assert!(
                    found <= seen + (seen / 1000).max(2),
                    "{found} of level {finest}, {mode:?}, where quads show {seen}"
                );
                let sample = Sample::new(terrain.width() / 2, terrain.height() / 2);
                let place = cells.parameters().place(sample.column, sample.row);
                let cell = Sample::new(sample.column >> finest, sample.row >> finest);
                assert_eq!(place, Some(cell));
                let [dx, dy] = terrain.spacing();
                let [x, y] = [sample.column, sample.row].map(f64::from);
                assert_eq!(cells.locate(x * dx, y * dy), place);
            }
        }
    }
}

/// Asks to stop when a first look is done and the kernel has asked many times since.
#[derive(Default)]
struct StopsInTheSecondLook {
    looks: AtomicU64,
    asked: AtomicU64,
}

impl Observer for StopsInTheSecondLook {
    fn stage(&self, _: Stage, _: u64) {}
    fn advance(&self, stage: Stage, _: u64) {
        self.looks
            .fetch_add(u64::from(stage == Stage::Visibility), Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.looks.load(Ordering::Relaxed) > 0 && self.asked.fetch_add(1, Ordering::Relaxed) > 50
    }
}

#[test]
fn a_bake_of_cells_stops_within_a_look_and_keeps_the_looks_that_are_done() {
    let mut dice = Dice(5);
    let heights =
        (0..256 * 256_u32).map(|i| 20.0 * (f64::from(i % 256) / 9.0).sin() + dice.fraction());
    let terrain = Terrain::new(256, 256, heights.collect(), [1.0; 2]).unwrap();
    let source = Source::of_terrain(&terrain);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        finest: 3,
        threads: 1,
        keep: Keep::Nothing,
        ..BakeOptions::default()
    };
    bake_terrain(&terrain, &source, &options, &path("whole.vcb"), &Silent).unwrap();
    // All blocks are of one tile.
    let keep = |keep: Keep| BakeOptions {
        keep,
        ..options.clone()
    };
    let stops = StopsInTheSecondLook::default();
    let output = path("stopped.vcb");
    let error = bake_terrain(&terrain, &source, &keep(Keep::New), &output, &stops).unwrap_err();
    assert_eq!(stops.looks.load(Ordering::Relaxed), 1);
    assert!(
        matches!(
            error,
            BakeError::Kept {
                done: 0,
                total: 1,
                ..
            }
        ),
        "{error}"
    );
    let report = bake_terrain(&terrain, &source, &keep(Keep::Resume), &output, &Silent).unwrap();
    assert_eq!(report.tiles, 1);
    let read = |name| std::fs::read(path(name)).unwrap();
    assert!(read("whole.vcb") == read("stopped.vcb"));
}
