//! Quads of samples as view cells: each sees what any of its samples sees.

use std::path::Path;

use super::small::{bodies, terrain};
use super::{BODIES, Viewsheds, levels, real};
use proptest::prelude::*;
use viewcell::bake::{BakeOptions, Mode, Silent, Source, bake_terrain};
use viewcell::format::morton::comes_before;
use viewcell::format::{Grid, Quad, Sample};
use viewcell::ingest::{IngestOptions, read_terrain};
use viewcell::runtime::{MappedBundle, Visibility};
use viewcell::visibility::{
    Bodies, CoarseRays, HeightField, LOOK_LEVEL, Order, Rays, Sights, Stance, Viewsheds as _,
};
use viewcell::world::Terrain;

/// By pairs of cells of a level, those of one in a row: whether any sample of the first sees any of
/// the second, by the kernel of samples; nothing is asked of what comes before if an order is given.
fn twin(terrain: &Terrain, field: &HeightField, finest: u32, order: Option<Order>) -> Vec<bool> {
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
fn coarse(
    (terrain, field, level): (&Terrain, &HeightField, fearless_simd::Level),
    finest: u32,
    order: Option<Order>,
) -> Vec<bool> {
    let mut rays = Rays::new(terrain, field, level);
    if let Some(order) = order {
        rays = rays.deciding_once(order);
    }
    let mut rays = CoarseRays::new(rays, finest);
    let grid = rays.grid();
    let (width, height) = (grid.width(), grid.height());
    let cells = grid.samples() as usize;
    let cell = |(c, r): (u32, u32)| (r * width + c) as usize;
    let mut seen = vec![false; cells * cells];
    let mut sights = Sights::new(grid);
    let side = 1 << LOOK_LEVEL;
    for (qc, qr) in
        (0..width.div_ceil(side)).flat_map(|c| (0..height.div_ceil(side)).map(move |r| (c, r)))
    {
        rays.look(Quad::new(LOOK_LEVEL, qc, qr), &mut sights);
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

pub fn check(terrain: &Terrain, bodies: Bodies, stance: Stance, finest: u32, far: f64) {
    let field = HeightField::new(terrain, bodies, stance).with_max_distance(far);
    let mut orders: Vec<Option<Order>> = vec![None];
    if bodies.eye == bodies.head {
        orders.push(Some(comes_before));
    }
    for order in orders {
        let all = twin(terrain, &field, finest, order);
        let mut before = None;
        for level in levels() {
            let found = coarse((terrain, &field, level), finest, order);
            for (number, (&all, &found)) in all.iter().zip(&found).enumerate() {
                // A cell that is hidden has nothing that is seen. Of cells, a witness may call
                // visible what another line would have hidden.
                assert!(found || !all, "{number} of level {finest}, {stance:?}");
                assert!(
                    found == all || stance == Stance::Cell,
                    "{number} of level {finest}, {order:?}"
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

    #[test]
    fn cells_see_what_their_samples_see(
        terrain in terrain(),
        bodies in bodies(),
        finest in 3u32..=5,
        far in prop_oneof![Just(f64::INFINITY), 3.0..40.0],
    ) {
        for stance in [Stance::Sample, Stance::Cell] {
            check(&terrain, bodies, stance, finest, far);
        }
    }
}

/// Bakes into a folder; all of it, or cells of a level.
fn bake(terrain: &Terrain, mode: Mode, finest: u32, folder: &Path) -> MappedBundle {
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
fn bundles_of_cells_hide_nothing_that_bundles_of_samples_show() {
    let mut terrains = vec![{
        let mut dice = super::Dice(7);
        let heights = (0..90 * 77).map(|_| 3.0 * dice.fraction()).collect();
        Terrain::new(90, 77, heights, [2.0, 3.0]).unwrap()
    }];
    let crop = |column, row| IngestOptions {
        crop: Some([column, row, 100, 70]),
        ..IngestOptions::default()
    };
    let jacksboro = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    terrains.push(read_terrain(&jacksboro, &crop(60, 40)).unwrap().terrain);
    terrains.extend(real("bilbao_dsm_500.tif", &crop(200, 100)));
    for terrain in &terrains {
        for mode in [Mode::Exact, Mode::Conservative] {
            let folder = tempfile::tempdir().unwrap();
            let full = bake(terrain, mode, 0, folder.path());
            let full = full.terrain().unwrap();
            for finest in [3, 4] {
                let cells = bake(terrain, mode, finest, folder.path());
                let cells = cells.terrain().unwrap();
                let grid: Grid = cells.grid();
                assert_eq!(cells.parameters().finest(), finest);
                let (mut seen, mut more) = (0_u64, 0_u64);
                for a in grid.row_by_row() {
                    let pvs = full.pvs(Quad::new(finest, a.column, a.row)).unwrap();
                    for b in grid.row_by_row() {
                        let any =
                            pvs.state(Quad::new(finest, b.column, b.row)) != Visibility::Hidden;
                        let found = cells.visible(a, b);
                        assert!(found || !any, "{a:?} {b:?} of level {finest}, {mode:?}");
                        seen += u64::from(any);
                        more += u64::from(found && !any);
                    }
                }
                match mode {
                    Mode::Exact => assert_eq!(more, 0),
                    _ => assert!(more * 100 <= seen, "{more} more than {seen}"),
                }
                let sample = Sample::new(70, 61);
                let place = cells.parameters().place(70, 61);
                assert_eq!(place, Some(Sample::new(70 >> finest, 61 >> finest)));
                let [dx, dy] = terrain.spacing();
                let [x, y] = [sample.column, sample.row].map(f64::from);
                assert_eq!(cells.locate(x * dx, y * dy), place);
            }
        }
    }
}
