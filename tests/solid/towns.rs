//! CityJSON: what hides in a town, and where it stands.

use std::path::Path;

use serde_json::{Value, json};
use viewcell_ingest::solid::{IngestedSolid, SolidOptions, solid_from_bytes};

use crate::boxes::SIDES;
use crate::data::data;

fn try_read(bytes: &[u8]) -> Result<IngestedSolid, String> {
    solid_from_bytes(bytes, Path::new("level"), &SolidOptions::default())
        .map_err(|error| error.to_string())
}

fn read(town: &Value) -> IngestedSolid {
    try_read(town.to_string().as_bytes()).unwrap()
}

/// Boundaries of a box whose corners are numbered from `first` on: 0 and 1 along x, then y, then z.
fn shell(first: usize) -> Value {
    json!(SIDES.map(|side| [side.map(|corner| first + corner)]))
}

fn corners([low, high]: [[i32; 3]; 2]) -> Vec<[i32; 3]> {
    (0..8)
        .map(|i| [0, 1, 2].map(|k| [low[k], high[k]][i >> k & 1]))
        .collect()
}

/// A wall from -1 to 1 along x, 10 wide and high, with more in its geometry.
pub fn wall(more: &Value) -> Value {
    let mut geometry = json!({"type": "Solid", "lod": "2", "boundaries": [shell(0)]});
    let all = geometry.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    json!({
        "type": "CityJSON", "version": "2.0",
        "transform": {"scale": [0.1, 0.1, 0.1], "translate": [85_000, 447_000, 0]},
        "CityObjects": {"wall": {"type": "Building", "geometry": [geometry]}},
        "vertices": corners([[-10, -50, 0], [10, 50, 100]]),
        "appearance": {"materials": [{"name": "brick"}, {"name": "glass", "transparency": 0.8}, {"transparency": 0}]},
    })
}

/// Whether the wall hides what is on its other side.
fn hides(town: &Value) -> bool {
    let level = read(town).level;
    level.blocks([84_990.0, 447_000.0, 5.0], [85_010.0, 447_000.0, 5.0])
}

#[test]
fn a_closure_surface_hides_nothing_and_stops_nobody() {
    let of_kind = |kind: &str, values: Value| {
        wall(
            &json!({"semantics": {"surfaces": [{"type": kind}, {"type": "RoofSurface"}], "values": values}}),
        )
    };
    assert!(hides(&wall(&json!({}))));
    for kind in ["WallSurface", "Door"] {
        assert!(hides(&of_kind(kind, json!([[0, 0, 0, 0, 0, 0]]))), "{kind}");
    }
    for kind in ["ClosureSurface", "Window", "WaterSurface"] {
        let town = of_kind(kind, json!([[0, 0, 0, 0, 0, 0]]));
        // There must be something that stops somebody.
        match kind {
            "ClosureSurface" => {
                let error = try_read(town.to_string().as_bytes()).unwrap_err();
                assert!(error.contains("faces with an area"), "{error}");
            }
            _ => assert!(!hides(&town), "{kind}"),
        }
        // The sides across x: the fourth and the last.
        let town = of_kind(kind, json!([[1, 1, 1, 0, 1, 0]]));
        assert!(!hides(&town), "{kind}");
        let level = read(&town).level;
        assert_eq!((level.faces.len(), level.solids.len()), (4, 0), "{kind}");
        let stopping = level.obstacles.len() * 6 + level.obstacle_faces.len();
        let expected = if kind == "ClosureSurface" { 4 } else { 6 };
        assert_eq!(stopping, expected, "{kind}");
    }
}

#[test]
fn a_material_with_transparency_hides_nothing() {
    for (material, expected) in [
        (json!({"x": {"value": 0}}), true),
        (json!({"x": {"value": 2}}), true),
        (json!({"x": {"value": 1}}), false),
        (json!({"x": {"values": [[0, 0, 0, 1, 0, 1]]}}), false),
        (json!({"x": {"values": [[1, 1, 1, 0, 1, 0]]}}), true),
        (json!({"x": {"values": [[1, 1, 1, null, 1, null]]}}), true),
        (json!({"day": {"value": 0}, "night": {"value": 1}}), false),
        // A material that is not there may be glass.
        (json!({"x": {"value": 9}}), false),
    ] {
        let town = wall(&json!({"material": material}));
        assert_eq!(hides(&town), expected, "{material}");
    }
}

#[test]
fn water_hides_nothing() {
    let mut town = wall(&json!({}));
    town["CityObjects"]["wall"]["type"] = "WaterBody".into();
    assert!(!hides(&town));
}

#[test]
fn rooms_storeys_and_plants_are_no_walls() {
    let town = |kind: &str| {
        let mut town = wall(&json!({}));
        town["CityObjects"]["wall"]["type"] = kind.into();
        // There must be something that stops somebody, beside the line that is asked.
        let house = json!([{"type": "Solid", "lod": "2", "boundaries": [shell(8)]}]);
        town["CityObjects"]["house"] = json!({"type": "Building", "geometry": house});
        let vertices = town["vertices"].as_array_mut().unwrap();
        vertices.extend(
            corners([[-10, 900, 0], [10, 950, 100]])
                .into_iter()
                .map(|at| json!(at)),
        );
        town
    };
    for kind in ["Building", "BuildingPart", "TINRelief"] {
        assert!(hides(&town(kind)), "{kind}");
    }
    for kind in "BuildingRoom BuildingStorey BuildingUnit BridgeRoom TunnelHollowSpace SolitaryVegetationObject
        PlantCover CityObjectGroup".split_whitespace() {
        assert!(!hides(&town(kind)), "{kind}");
        let notes = read(&town(kind)).notes.join("\n");
        assert!(notes.contains("6 of rooms, storeys"), "{kind}: {notes}");
    }
}

#[test]
fn the_type_of_a_town_may_come_last() {
    let mut town = wall(&json!({}));
    town["CityObjects"]["wall"]["attributes"] = json!({"note": "x".repeat(100_000)});
    let text = town.to_string();
    let kind = "\"type\":\"CityJSON\",";
    assert!(text.contains(kind), "{text:.200}");
    let late = text.replacen(kind, "", 1);
    let late = format!("{},\"type\":\"CityJSON\"}}", &late[..late.len() - 1]);
    assert_eq!(try_read(late.as_bytes()).unwrap().level.solids.len(), 1);
    // What says CityJSON elsewhere is none.
    let other = late.replace("\"type\":\"CityJSON\"", "\"note\":\"CityJSON\"");
    let error = try_read(other.as_bytes()).unwrap_err();
    assert!(!error.contains("CityJSON"), "{error}");
}

#[test]
fn a_sequence_is_read_as_its_town() {
    let town = wall(&json!({"material": {"x": {"value": 0}}}));
    let mut head = town.clone();
    head["CityObjects"] = json!({});
    head["vertices"] = json!([]);
    head.as_object_mut().unwrap().remove("appearance");
    let feature = |material: usize| {
        let mut feature = wall(&json!({"material": {"x": {"value": material}}}));
        feature["type"] = "CityJSONFeature".into();
        feature["id"] = "wall".into();
        let all = feature.as_object_mut().unwrap();
        all.remove("transform");
        all.remove("version");
        feature
    };
    let read = |parts: &[&Value]| {
        let lines: Vec<String> = parts.iter().map(|part| part.to_string()).collect();
        try_read(lines.join("\n").as_bytes())
    };
    let sequence = read(&[&head, &feature(0)]).unwrap().level;
    assert_eq!(sequence.solids, self::read(&town).level.solids);
    // Each feature has materials of its own.
    let two = read(&[&head, &feature(1), &feature(0)]).unwrap().level;
    assert_eq!((two.solids.len(), two.obstacles.len()), (1, 2));
    for (parts, words) in [
        (&[&feature(0)][..], "the type CityJSON first"),
        (
            &[&head, &town][..],
            "part 2: expected the type CityJSONFeature",
        ),
        (&[&head, &json!({"type": "CityJSONFeature"})][..], "part 2"),
    ] {
        let error = read(parts).unwrap_err();
        assert!(error.contains(words), "{words:?} in {error}");
    }
    let error = try_read(format!("{head}\n{{\"type\"").as_bytes()).unwrap_err();
    assert!(error.contains("part 2"), "{error}");
}

#[test]
fn templates_stand_where_their_instances_are() {
    let mut town = wall(&json!({}));
    let wall = town["CityObjects"]["wall"]["geometry"][0].take();
    let template = corners([[-1, -5, 0], [1, 5, 10]]);
    town["geometry-templates"] = json!({"templates": [wall], "vertices-templates": template});
    town["vertices"] = json!([[0, 0, 0], [1000, 0, 0]]);
    let instance = |vertex: usize, matrix: [f64; 16]| json!({"type": "GeometryInstance", "template": 0, "boundaries": [vertex], "transformationMatrix": matrix});
    let plain = [
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    // A quarter turn, to y; then mirrored and half as high.
    let mut turned = plain;
    (turned[0], turned[1], turned[4], turned[5]) = (0.0, -1.0, 1.0, 0.0);
    let mut mirrored = plain;
    (mirrored[0], mirrored[3], mirrored[10]) = (-1.0, 5.0, 0.5);
    town["CityObjects"] = json!({
        "a": {"type": "CityFurniture", "geometry": [instance(0, plain)]},
        "b": {"type": "CityFurniture", "geometry": [instance(1, turned)]},
        "c": {"type": "CityFurniture", "geometry": [instance(1, mirrored)]},
    });
    let level = read(&town).level;
    let bounds: Vec<_> = level.solids.iter().map(|solid| solid.bounds).collect();
    let near = |at: [f64; 3], due: [f64; 3]| {
        (0..3).all(|k| (at[k] + level.middle[k] - due[k]).abs() < 1e-6)
    };
    let due = [
        [[84_999.0, 446_995.0, 0.0], [85_001.0, 447_005.0, 10.0]],
        [[85_095.0, 446_999.0, 0.0], [85_105.0, 447_001.0, 10.0]],
        [[85_104.0, 446_995.0, 0.0], [85_106.0, 447_005.0, 5.0]],
    ];
    assert_eq!(bounds.len(), due.len());
    for (found, [low, high]) in bounds.iter().zip(due) {
        assert!(near(found.min, low) && near(found.max, high), "{found:?}");
    }
    for (place, value, words) in [
        ("template", json!(1), "one of 1 templates"),
        ("boundaries", json!([2]), "numbers of 2 vertices"),
        ("transformationMatrix", json!([1]), "transformationMatrix"),
    ] {
        let mut town = town.clone();
        town["CityObjects"]["b"]["geometry"][0][place] = value;
        let error = try_read(town.to_string().as_bytes()).unwrap_err();
        assert!(
            error.contains(words) && error.contains("object b"),
            "{error}"
        );
    }
}

/// The reports of towns in which people were hidden or which were refused.
#[test]
fn towns_of_reports_answer_as_they_should() {
    for (name, hides) in [
        ("closure_surface.city.json", false),
        ("glass_material.city.json", false),
        ("seq.city.jsonl", true),
    ] {
        let Some(path) = data(&format!("reports/files/{name}")) else {
            return;
        };
        let level = try_read(&std::fs::read(path).unwrap()).unwrap().level;
        let [a, b] = [84_997.0, 85_003.0].map(|x| [x, 447_000.0, 1.7]);
        assert_eq!(level.blocks(a, b), hides, "{name}");
    }
    let Some(path) = data("reports/files/late_type.city.json") else {
        return;
    };
    assert!(
        !try_read(&std::fs::read(path).unwrap())
            .unwrap()
            .level
            .solids
            .is_empty()
    );
}

#[test]
fn a_town_in_feet_is_converted_and_one_in_degrees_refused() {
    let mut town = wall(&json!({}));
    let of = |town: &mut Value, code: u32| {
        let name = format!("https://www.opengis.net/def/crs/EPSG/0/{code}");
        town["metadata"] = json!({ "referenceSystem": name });
        try_read(town.to_string().as_bytes())
    };
    let (metres, feet) = (of(&mut town, 28992).unwrap(), of(&mut town, 2263).unwrap());
    let foot = 1200.0 / 3937.0;
    let volume = |read: &IngestedSolid| read.level.solids[0].volume();
    let ratio = volume(&feet) / volume(&metres);
    assert!((ratio - foot * foot * foot).abs() < 1e-6, "{ratio}");
    // Positions are asked for in the file's units.
    let ask = |read: &IngestedSolid| {
        let ends = [[84_990.0, 447_000.0, 5.0], [85_010.0, 447_000.0, 5.0]];
        let [a, b] = ends.map(|at| read.level.frame.to_level(at));
        read.level.blocks(a, b)
    };
    assert!(ask(&metres) && ask(&feet));
    assert!(
        feet.notes[0].contains("EPSG:2263") && metres.notes.is_empty(),
        "{:?}",
        feet.notes
    );
    let error = of(&mut town, 4979).unwrap_err();
    assert!(error.contains("degrees (EPSG:4979)"), "{error}");
    if let Some(path) = data("reports/files/feet_2263.city.json") {
        let read = try_read(&std::fs::read(path).unwrap()).unwrap();
        let size = read.level.bounds().size();
        assert!(
            (size[0] - 13.0).abs() < 0.01 && (size[2] - 4.0).abs() < 0.01,
            "{size:?}"
        );
    }
    if let Some(path) = data("reports/files/degrees_4979.city.json") {
        let error = try_read(&std::fs::read(path).unwrap()).err().unwrap();
        assert!(error.contains("degrees"), "{error}");
    }
}

/// A block of 2 m across x, or a gate of two posts, as an object of a level of detail.
fn building(town: &mut Value, name: &str, object: Value, lod: &str, boxes: &[[[i32; 3]; 2]]) {
    let mut geometry = Vec::new();
    for &of in boxes {
        let vertices = town["vertices"].as_array_mut().unwrap();
        let first = vertices.len();
        vertices.extend(corners(of).into_iter().map(|at| json!(at)));
        geometry.push(json!({"type": "Solid", "lod": lod, "boundaries": [shell(first)]}));
    }
    let mut object = object;
    object["geometry"] = geometry.into();
    town["CityObjects"][name] = object;
}

const BLOCK: &[[[i32; 3]; 2]] = &[[[-10, -50, 0], [10, 50, 100]]];
const GATE: &[[[i32; 3]; 2]] = &[
    [[-10, -50, 0], [10, -10, 100]],
    [[-10, 10, 0], [10, 50, 100]],
];

#[test]
fn a_coarse_block_of_a_building_of_finer_parts_hid_what_is_seen_through_them() {
    let empty = || {
        let mut town = wall(&json!({}));
        town["CityObjects"] = json!({});
        town["vertices"] = json!([]);
        town
    };
    let part = |kind: &str, of: &str| json!({"type": kind, "parents": [of]});
    let whole = |parts: &[&str]| json!({"type": "Building", "children": parts});
    // Which has the block, and which the gate.
    for (coarse, fine, hides) in [
        ("1.2", "2.2", false),
        ("1", "3", false),
        ("2.2", "2.2", true),
        ("nan", "2", false),
    ] {
        for kind in [
            "BuildingPart",
            "BuildingInstallation",
            "BuildingConstructiveElement",
        ] {
            let mut town = empty();
            building(&mut town, "b", whole(&["p"]), coarse, BLOCK);
            building(&mut town, "p", part(kind, "b"), fine, GATE);
            assert_eq!(self::hides(&town), hides, "{coarse} {fine} {kind}");
            let note = read(&town).notes.join("\n");
            let words =
                "6 of 18 faces hide nothing: 6 of coarser levels of detail (the first: object b)";
            assert_eq!(note.contains(words), !hides, "{note}");
        }
        // The other way round, said by the part or the building alone, and by a part of a part.
        let mut town = empty();
        building(&mut town, "b", json!({"type": "Building"}), fine, GATE);
        building(&mut town, "p", part("BuildingPart", "b"), coarse, BLOCK);
        assert_eq!(self::hides(&town), hides, "{coarse} {fine}");
        let mut town = empty();
        building(&mut town, "b", whole(&["p"]), coarse, BLOCK);
        building(
            &mut town,
            "p",
            json!({"type": "BuildingPart", "children": ["q"]}),
            coarse,
            &[],
        );
        building(&mut town, "q", json!({"type": "BuildingPart"}), fine, GATE);
        assert_eq!(self::hides(&town), hides, "{coarse} {fine}");
    }
    // Houses of a group are not one building.
    let mut town = empty();
    building(
        &mut town,
        "b",
        json!({"type": "Building", "parents": ["g"]}),
        "1.2",
        BLOCK,
    );
    building(
        &mut town,
        "p",
        json!({"type": "Building", "parents": ["g"]}),
        "2.2",
        GATE,
    );
    town["CityObjects"]["g"] = json!({"type": "CityObjectGroup", "children": ["b", "p"]});
    assert!(self::hides(&town));
    if let Some(path) = data("reports/second/parts.city.json") {
        let read = try_read(&std::fs::read(path).unwrap()).unwrap();
        let [a, b] = [84_997.0, 85_003.0].map(|x| [x, 447_000.0, 1.5]);
        assert!(!read.level.blocks(a, b), "{:?}", read.notes);
        assert!(
            read.notes.join("\n").contains("of coarser levels"),
            "{:?}",
            read.notes
        );
    }
}

/// A template of a thousand surfaces, which a small file names again and again.
#[test]
fn what_templates_are_repeated_to_is_counted() {
    let ring = json!([[[0, 1, 2]]]);
    let surfaces: Vec<_> = (0..1000).map(|_| ring[0].clone()).collect();
    let matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    let instance = json!({"type": "GeometryInstance", "template": 0, "boundaries": [0], "transformationMatrix": matrix});
    let town = |instances: usize| {
        let objects: serde_json::Map<String, serde_json::Value> = (0..instances)
            .map(|i| {
                (
                    format!("o{i}"),
                    json!({"type": "CityFurniture", "geometry": [instance]}),
                )
            })
            .collect();
        json!({
            "type": "CityJSON", "version": "2.0",
            "transform": {"scale": [1, 1, 1], "translate": [0, 0, 0]},
            "geometry-templates": {
                "templates": [{"type": "MultiSurface", "lod": "2", "boundaries": surfaces}],
                "vertices-templates": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
            },
            "CityObjects": objects,
            "vertices": [[0, 0, 0]],
        })
        .to_string()
    };
    let read = |text: &str, memory| {
        let options = viewcell_ingest::solid::SolidOptions {
            memory,
            ..Default::default()
        };
        viewcell_ingest::solid::solid_from_bytes(
            text.as_bytes(),
            std::path::Path::new("town"),
            &options,
        )
        .map(|_| ())
        .map_err(|error| error.to_string())
    };
    let small = town(20);
    assert_eq!(read(&small, None), Ok(()));
    let error = read(&small, Some(5 << 20)).unwrap_err();
    assert!(
        error.contains("at most 5 MiB of surfaces of templates"),
        "{error}"
    );
    let large = town(5_000);
    assert!(large.len() < 1 << 20);
    let error = read(&large, None).unwrap_err();
    assert!(
        error.contains("at most 512 MiB of surfaces of templates"),
        "{error}"
    );
}
