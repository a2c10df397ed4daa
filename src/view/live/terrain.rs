//! Answers about a terrain.
//!
//! Sets of samples are sent as block bitmaps, a `u64` for each 8 × 8 samples. In a coarse bundle these samples are its
//! view cells; places are taken and named by samples of the heightmap, as all verbs take them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::check::{Checked, check_sight};
use super::source::{Exposure, Opened};
use crate::picture::hillshade;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Region, Side};
use viewcell::query::{Quad, Sample, TerrainBundle, VisibilityMode, World};
use viewcell_bake::survey::{by_cell, survey};

/// What the terrain is.
pub(super) fn about(terrain: &TerrainBundle<'_>, crs: Option<&str>) -> Value {
    let parameters = terrain.parameters();
    let grid = terrain.grid();
    json!({
        "kind": "terrain",
        "width": grid.width(),
        "height": grid.height(),
        "levels": grid.levels(),
        "samples": terrain.valid().count(grid.root()),
        "spacing": parameters.cell_spacing,
        "side": 1_u32 << parameters.finest(),
        "heightmap": parameters.heightmap(),
        "mode": match parameters.visibility {
            VisibilityMode::Exact => "exact".to_owned(),
            VisibilityMode::Conservative => "conservative".to_owned(),
            VisibilityMode::Sectors(count) => format!("{count} sectors"),
        },
        "mutual": parameters.mutual,
        "eye": parameters.eye_height,
        "head": parameters.player_height,
        "crs": crs.filter(|_| parameters.transform.is_some()),
        "transform": parameters.transform,
    })
}

/// The ground: its light as `u8` a sample, 0 for a void and 1 to 255 from shadow to sun, and its
/// heights in metres as `f32` a sample, NaN for a void.
pub(super) fn ground(terrain: &TerrainBundle<'_>) -> Answer {
    let grid = terrain.grid();
    let heights: Vec<f32> = grid
        .row_by_row()
        .map(|sample| terrain.height(sample).unwrap_or(f32::NAN))
        .collect();
    shaded(grid.width(), heights, terrain.parameters().cell_spacing)
}

/// The same of heights, row by row.
pub(super) fn shaded(width: u32, heights: Vec<f32>, spacing: [f64; 2]) -> Answer {
    let light = hillshade(width, &heights, spacing);
    let light = light.into_iter().map(|light| {
        if light.is_nan() {
            0
        } else {
            1 + (254.0 * light).round() as u8
        }
    });
    // Heights first: behind them the bytes need no alignment.
    Answer::new(json!({})).with(heights).with(light)
}

/// The PVS of the quad of a level over a sample.
pub(super) fn pvs(terrain: &TerrainBundle<'_>, at: &str, level: u32) -> Result<Answer, Refusal> {
    let sample = place(terrain, at)?;
    let grid = terrain.grid();
    if level > grid.root_level() {
        let highest = grid.root_level();
        return Err(Refusal::bad_request(format!(
            "level {level}: expected 0 to {highest}"
        )));
    }
    let start = Instant::now();
    let quad = Quad::new(level, sample.column >> level, sample.row >> level);
    let pvs = terrain.pvs(quad).ok_or_else(Refusal::damaged)?;
    let mut words = vec![0_u64; grid.blocks()];
    pvs.expand(&mut words);
    let seen: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
    let micros = micros_since(start);
    let height = terrain.height(sample);
    let head = json!({ "seen": seen, "micros": micros, "height": height });
    Ok(Answer::new(head).with(words))
}

/// The frontier set of two players: both halves, each without a margin of so many steps.
pub(super) fn frontier(
    terrain: &TerrainBundle<'_>,
    a: &str,
    b: &str,
    margin: u32,
) -> Result<Answer, Refusal> {
    let players = [place(terrain, a)?, place(terrain, b)?];
    let mut builder = FrontierBuilder::new(terrain);
    let start = Instant::now();
    build(&mut builder, players)?;
    let micros = micros_since(start);
    let (tried, merged) = builder.work();
    let answer = match margin {
        0 => halves(Side::BOTH.map(|side| builder.region(side))),
        _ => {
            let cores = Side::BOTH.map(|side| builder.core(side, margin));
            halves([cores[0].region(), cores[1].region()])
        }
    };
    let [a, b] = players;
    let visible = terrain.visible(a, b) || terrain.visible(b, a);
    Ok(answer
        .entry("micros", micros)
        .entry("tried", tried)
        .entry("merged", merged)
        .entry("visible", visible))
}

/// Two regions, and their sizes in samples.
pub(super) fn halves(regions: [Region<'_>; 2]) -> Answer {
    let sizes = regions.map(|region| region.area());
    let words = regions.into_iter().flat_map(|region| {
        let (columns, rows) = region.grid().block_shape();
        (0..rows).flat_map(move |r| (0..columns).map(move |c| region.block(c, r)))
    });
    Answer::new(json!({ "sizes": sizes })).with(words)
}

/// Whether the frontier set of two players keeps its promise, member by member.
pub(super) fn check(terrain: &TerrainBundle<'_>, a: &str, b: &str) -> Result<Answer, Refusal> {
    let players = [place(terrain, a)?, place(terrain, b)?];
    let mut builder = FrontierBuilder::new(terrain);
    build(&mut builder, players)?;
    let start = Instant::now();
    let Checked { looked, sees } =
        check_sight(terrain, Side::BOTH.map(|side| builder.region(side)));
    let named = |cell| {
        let sample = terrain.parameters().middle_of(cell);
        [sample.column, sample.row]
    };
    Ok(Answer::new(json!({
        "holds": sees.is_none(),
        "sees": sees.map(|both| both.map(named)),
        "looked": looked,
        "micros": micros_since(start),
    })))
}

pub(super) fn build(builder: &mut FrontierBuilder<'_>, [a, b]: [Sample; 2]) -> Result<(), Refusal> {
    let built = builder.build(a, b, &FrontierOptions::default());
    built.map_err(|error| Refusal::bad_request(error.to_string()))
}

/// How many samples see each sample, as `u32` a sample; while they are counted, how far that is.
pub(super) fn exposed(opened: &Arc<Opened>, samples: u64) -> Result<Answer, Refusal> {
    let exposure = &opened.exposure;
    if exposure.begins() {
        let opened = opened.clone();
        std::thread::spawn(move || count(&opened));
    }
    counted(exposure, samples)
}

/// What has been counted, or how far that is.
pub(super) fn counted(exposure: &Exposure, samples: u64) -> Result<Answer, Refusal> {
    match exposure.counts.get() {
        None => {
            let part = exposure.done.load(Ordering::Relaxed) as f64 / samples.max(1) as f64;
            Ok(Answer::new(json!({ "part": part.min(1.0) })))
        }
        Some(None) => Err(Refusal::damaged()),
        Some(Some(counts)) => {
            let most = counts.iter().max();
            Ok(Answer::new(json!({ "most": most })).with(counts.iter().copied()))
        }
    }
}

/// Goes on until it is done, or until the bundle has been replaced and nobody else holds it.
fn count(opened: &Arc<Opened>) {
    let go_on = |viewpoints| {
        opened
            .exposure
            .done
            .fetch_add(viewpoints, Ordering::Relaxed);
        Arc::strong_count(opened) > 1
    };
    let exposure = |sights| Some(survey(sights, &go_on).ok().flatten()?.exposure);
    let counts = match opened.bundle.world() {
        World::Terrain(terrain) => exposure(terrain),
        World::Solid(level) => exposure(level.sights()).map(|counts| by_cell(level, &counts)),
        World::Cells(_) => None,
    };
    let _ = opened.exposure.counts.set(counts);
}

/// What stands for the sample COL,ROW of the heightmap.
pub(super) fn place(terrain: &TerrainBundle<'_>, text: &str) -> Result<Sample, Refusal> {
    let numbers = text.split_once(',');
    let numbers = numbers.and_then(|(c, r)| Some((c.parse().ok()?, r.parse().ok()?)));
    let place = numbers.and_then(|(column, row)| terrain.parameters().place(column, row));
    place.ok_or_else(|| {
        let [columns, rows] = terrain.parameters().heightmap().map(|count| count - 1);
        Refusal::bad_request(format!(
            "{text:?}: expected COL,ROW with columns 0 to {columns} and rows 0 to {rows}"
        ))
    })
}

/// Microseconds since an instant, to a tenth.
pub(super) fn micros_since(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e7).round() / 10.0
}
