//! Provenance: the options of a bake as its bundle tells them, by their names on the command line. Only those are told that
//! change the result; a budget is not, of which the bundle says what was lost.

use serde_json::{Map, Value, json};

use crate::job::VisibilityMode;
use crate::job::{BakeOptions, CellOptions};
use crate::visibility::Curvature;
use crate::visibility::portals::FlowMethod;
use viewcell_ingest::cells::IngestCellsOptions;
use viewcell_ingest::solid::{Exporter, Sky, SolidOptions, UpAxis};
use viewcell_ingest::world::solid::PlaceOptions;
use viewcell_ingest::world::{Short, Symmetry};
use viewcell_ingest::{ByteOrder, IngestOptions};

/// A number in as few digits as tell it apart.
pub(super) fn short(number: f64) -> String {
    Short(number).to_string()
}

fn set(options: Value) -> Map<String, Value> {
    match options {
        Value::Object(options) => options.into_iter().filter(|(_, v)| !v.is_null()).collect(),
        _ => Map::new(),
    }
}

/// Of a terrain that was read from a file, or was there (`None`); where players can be, [`Layers`](super::Layers) tell.
pub fn told_of_terrain(reading: Option<&IngestOptions>, bake: &BakeOptions) -> Map<String, Value> {
    let visibility = match bake.mode {
        VisibilityMode::Conservative => "conservative",
        VisibilityMode::Exact => "exact",
    };
    let above_zero = |level: u32| (level > 0).then_some(level);
    let radius = bake.curvature.map(|earth| earth.radius);
    let mut told = set(json!({
        "player-height": bake.player_height,
        "eye-height": bake.eye_height,
        "max-distance": bake.max_distance,
        "earth-curvature": bake.curvature.map(|_| true),
        "earth-radius": radius.filter(|&radius| radius != Curvature::EARTH_RADIUS),
        "refraction": bake.curvature.map(|earth| earth.refraction),
        "visibility": visibility,
        "finest": above_zero(bake.finest),
        "grade": above_zero(bake.grade),
        "detail": above_zero(bake.detail),
    }));
    if let Some(reading) = reading {
        told.extend(set(json!({
            "spacing": reading.spacing.map(|[dx, dy]| if dx == dy { json!(dx) } else { json!([dx, dy]) }),
            "vertical-scale": reading.vertical_scale,
            "vertical-offset": reading.vertical_offset,
            "size": reading.size,
            "byte-order": reading.byte_order.map(|order| match order {
                ByteOrder::Little => "little",
                ByteOrder::Big => "big",
            }),
            "nodata": reading.nodata,
            "crop": reading.crop,
        })));
    }
    told
}

/// Of a mesh: its axes, and what its materials do.
pub fn told_of_mesh(reading: &SolidOptions) -> Map<String, Value> {
    set(json!({
        "up": reading.up.map(|up| match up {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        }),
        "from": reading.from.map(|from| match from {
            Exporter::Unity => "unity",
            Exporter::Unreal => "unreal",
            Exporter::Godot => "godot",
            Exporter::Blender => "blender",
        }),
        "opaque-without-material": reading.opaque_without_material.then_some(true),
        "keep": (!reading.keep.is_empty()).then_some(&reading.keep),
        "drop": (!reading.drop.is_empty()).then_some(&reading.drop),
    }))
}

/// Of a solid level. How its cells grow the bake itself tells.
pub fn told_of_solid(reading: &SolidOptions, places: &PlaceOptions) -> Map<String, Value> {
    let (hull, eye) = (places.player.hull, places.player.eye);
    let hull = [hull.min, hull.max].concat();
    let mut told = told_of_mesh(reading);
    told.extend(set(json!({
        "sky": (reading.sky == Sky::Clear).then_some("clear"),
        "cell": [places.size, places.height],
        "hull": hull,
        "eye": eye,
        "reach": (!places.reach.is_empty()).then_some(places.reach.len()),
    })));
    told
}

/// Of a level of cells.
pub fn told_of_cells(reading: &IngestCellsOptions, bake: &CellOptions) -> Map<String, Value> {
    set(json!({
        "symmetry": match bake.symmetry {
            Symmetry::Or => "or",
            Symmetry::And => "and",
            Symmetry::None => "none",
        },
        "recompute": bake.recompute.then_some(true),
        "fast": (bake.flow == FlowMethod::Fast).then_some(true),
        "portals": bake.portals.then_some(true),
        "map": reading.map.as_ref().map(|map| map.to_ascii_uppercase()),
    }))
}
