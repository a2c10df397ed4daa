//! Provenance: the options of a bake as its bundle tells them, by their names on the command line. Only those are told that
//! change the result; a budget is not, of which the bundle says what was lost.

use serde_json::{Map, Value, json};

use crate::job::VisibilityMode;
use crate::job::{BakeOptions, CellOptions};
use crate::visibility::Curvature;
use crate::visibility::portals::FlowMethod;
use viewcell::format::Frame;
use viewcell_ingest::cells::IngestCellsOptions;
use viewcell_ingest::solid::{Exporter, Sky, SolidOptions, UpAxis};
use viewcell_ingest::world::solid::{Aabb, Cameras, PlaceOptions};
use viewcell_ingest::world::{Short, Symmetry};
use viewcell_ingest::{ByteOrder, IngestOptions};

/// A number in as few digits as tell it apart.
pub(super) fn short(number: f64) -> String {
    Short(number).to_string()
}

pub(super) fn set(options: Value) -> Map<String, Value> {
    match options {
        Value::Object(options) => options.into_iter().filter(|(_, v)| !v.is_null()).collect(),
        _ => Map::new(),
    }
}

/// How a heightmap was read.
pub(super) fn told_of_heightmap(reading: &IngestOptions) -> Map<String, Value> {
    set(json!({
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
    }))
}

/// How a terrain is baked.
pub(super) fn told_of_terrain(bake: &BakeOptions) -> Map<String, Value> {
    let visibility = match bake.mode {
        VisibilityMode::Conservative => "conservative",
        VisibilityMode::Exact => "exact",
    };
    let above_zero = |level: u32| (level > 0).then_some(level);
    let radius = bake.curvature.map(|earth| earth.radius);
    set(json!({
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
    }))
}

/// Of a mesh: its axes, and what its materials do.
pub(super) fn told_of_mesh(reading: &SolidOptions) -> Map<String, Value> {
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
        "split": reading.split,
    }))
}

/// How a solid level was read.
pub(super) fn told_of_level(reading: &SolidOptions) -> Map<String, Value> {
    let mut told = told_of_mesh(reading);
    told.extend((reading.sky == Sky::Clear).then(|| ("sky".into(), "clear".into())));
    told
}

/// Where players are looked for in it. How its cells grow the bake itself tells.
pub(super) fn told_of_places(places: &PlaceOptions, frame: Frame) -> Map<String, Value> {
    let (hull, eye, within) = (places.player.hull, places.player.eye, places.within);
    let asked = |of: &Aabb| frame.corners_to_asked([of.min, of.max]).concat();
    match &places.cameras {
        None => {}
        Some(Cameras::Volumes(volumes)) => {
            let volumes: Vec<_> = volumes.iter().map(asked).collect();
            return set(json!({ "cell": [places.size, places.height], "volume": volumes }));
        }
        Some(Cameras::Floors(eye)) => {
            return set(json!({ "cell": [places.size, places.height], "eye": eye }));
        }
    }
    let hull = [hull.min, hull.max].concat();
    set(json!({
        "cell": [places.size, places.height],
        "hull": hull,
        "eye": eye,
        "reach": (!places.reach.is_empty()).then_some(places.reach.len()),
        "within": within.as_ref().map(asked),
    }))
}

/// How a level of cells was read.
pub(super) fn told_of_map(reading: &IngestCellsOptions) -> Map<String, Value> {
    set(json!({ "map": reading.map.as_ref().map(|map| map.to_ascii_uppercase()) }))
}

/// How a level of cells is baked.
pub(super) fn told_of_cells(bake: &CellOptions) -> Map<String, Value> {
    set(json!({
        "symmetry": match bake.symmetry {
            Symmetry::Or => "or",
            Symmetry::And => "and",
            Symmetry::None => "none",
        },
        "recompute": bake.recompute.then_some(true),
        "fast": (bake.flow == FlowMethod::Fast).then_some(true),
        "portals": bake.portals.then_some(true),
    }))
}
