//! Draws what it is given: every page of a terrain and of a level, and what is counted for them.
#![no_main]

mod reseal;

use libfuzzer_sys::fuzz_target;
use viewcell::frontier::FrontierOptions;
use viewcell::query::{Bundle, CellBundle, Sample, TerrainBundle, World};
use viewcell_bake::survey::{cell_difference, difference, seen_by, spread, survey};
use viewcell_view::picture::{
    Ground, LevelPages, MatrixFormat, MatrixOf, Overhead, PAGE_WIDTHS, Page, TerrainPages, mask,
    mask_geotiff, matrix_file,
};

/// Most samples or cells that are drawn: a picture takes its time.
const MOST: u64 = 1 << 12;

fuzz_target!(|data: &[u8]| {
    let bytes = reseal::reseal(data);
    let Ok(bundle) = Bundle::from_bytes(&bytes) else {
        return;
    };
    if let Ok(terrain) = bundle.terrain() {
        if terrain.grid().samples() <= MOST {
            draw_terrain(terrain, bundle.crs().is_some());
        }
    } else if let Ok(level) = bundle.cells()
        && u64::from(level.cells()) <= MOST
    {
        draw_level(level);
    }
});

fn draw(page: &Page) {
    // What is too large for a picture is refused.
    let _ = page.draw(PAGE_WIDTHS.0);
    let _ = page.squeeze();
}

fn draw_terrain(terrain: TerrainBundle<'_>, crs: bool) {
    let grid = terrain.grid();
    let pages = TerrainPages::new(terrain, Ground::new(&terrain), "a", crs);
    draw(&pages.plain());
    for quad in [
        Sample::new(grid.width() / 2, grid.height() / 2).quad(),
        grid.root(),
    ] {
        if let Some(pvs) = terrain.pvs(quad) {
            draw(&pages.pvs(&pvs));
            let seen: Vec<_> = mask(grid, &pvs).into_iter().map(Some).collect();
            let _ = mask_geotiff(grid.width(), &seen, terrain.parameters().cell_spacing, None);
        }
    }
    let corners = [
        Sample::new(0, 0),
        Sample::new(grid.width() - 1, grid.height() - 1),
    ];
    if let Ok(page) = pages.frontier(corners, &FrontierOptions::default()) {
        draw(&page);
    }
    if let Ok(Some(found)) = survey(&terrain, &|_| true) {
        draw(&pages.exposure(&found.exposure, &[(corners[0], "1".into())]));
    }
    let level = 3.min(grid.levels() - 1);
    if let Ok(Some(found)) = difference([&terrain, &terrain], level, &|_| true) {
        let lost: Vec<u32> = found.quads.iter().map(|[revealed, _]| *revealed).collect();
        let lost = spread(&terrain, level, &lost);
        draw(&pages.losses("a", "b", &[("c", &lost), ("d", &lost)]));
    }
}

fn draw_level(level: CellBundle<'_>) {
    if level.cells() <= 256 {
        for of in [MatrixOf::Pvs, MatrixOf::Distances] {
            for format in [MatrixFormat::Png, MatrixFormat::Npy, MatrixFormat::Csv] {
                let _ = matrix_file(&level, of, format);
            }
        }
    }
    let _ = Overhead::new(&level, None, || None);
    let Some(pages) = LevelPages::new(&World::Cells(level), "a", 64) else {
        return;
    };
    let last = level.cells().saturating_sub(1);
    draw(&pages.plain());
    draw(&pages.pvs(last));
    draw(&pages.distance(0));
    draw(&pages.frontier([0, last]));
    draw(&pages.exposure(&seen_by(&level), &[(last, "1")]));
    let (found, _) = cell_difference([&level, &level]);
    let lost: Vec<u32> = found.iter().map(|[revealed, _]| *revealed).collect();
    draw(&pages.losses("a", "b", &[("c", &lost)]));
}
