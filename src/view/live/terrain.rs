//! Answers about a terrain.
//!
//! In a coarse bundle samples are its view cells; places are taken and named by samples of the heightmap, as all verbs take them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::source::{Exposure, Opened};
use crate::picture::hillshade;
use viewcell::query::{Sample, TerrainBundle, VisibilityMode, World};
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

/// How many samples or cells of a solid level see each, as `u32` each; while they are counted, how far that is.
pub(super) fn exposed(opened: &Arc<Opened>, world: &World<'_>) -> Result<Answer, Refusal> {
    let exposure = &opened.exposure;
    if exposure.begins() {
        let opened = opened.clone();
        std::thread::spawn(move || count(&opened));
    }
    let samples = world.sights().map_or(0, |of| of.grid().samples());
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
    let world = opened.bundle.world();
    let counts = world.sights().and_then(exposure);
    let counts = match world.solid() {
        Some(level) => counts.map(|counts| by_cell(level, &counts)),
        None => counts,
    };
    let _ = opened.exposure.counts.set(counts);
}

/// What stands for the sample COL,ROW of the heightmap.
pub(super) fn place(terrain: &TerrainBundle<'_>, text: &str) -> Result<Sample, Refusal> {
    let [column, row] = column_row(text, terrain.parameters().heightmap())?;
    let place = terrain.parameters().place(column, row);
    place.ok_or_else(Refusal::damaged)
}

/// COL,ROW of a heightmap of so many columns and rows.
pub(super) fn column_row(text: &str, [columns, rows]: [u32; 2]) -> Result<[u32; 2], Refusal> {
    let numbers = text.split_once(',');
    let numbers = numbers.and_then(|(c, r)| Some([c.parse().ok()?, r.parse().ok()?]));
    let place = numbers.filter(|&[column, row]| column < columns && row < rows);
    place.ok_or_else(|| {
        Refusal::bad_request(format!(
            "{text:?}: expected COL,ROW with columns 0 to {} and rows 0 to {}",
            columns - 1,
            rows - 1
        ))
    })
}

/// Microseconds since an instant, to a tenth.
pub(super) fn micros_since(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e7).round() / 10.0
}
