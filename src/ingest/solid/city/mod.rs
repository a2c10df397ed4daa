//! CityJSON, versions 0.8 to 2.0, and CityJSONSeq: solids and surfaces of a town, z up.
//!
//! A sequence (`.city.jsonl`) has a town without objects first, and then features, one a line, each with
//! vertices and materials of its own.

mod buildings;
mod corners;
mod looks;
mod reference;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::{Deserializer, Value};

use self::buildings::Buildings;
use self::corners::{Corners, REMEDY, Transform, template_corners};
use self::looks::{Looks, Materials};
use self::reference::Reference;
use super::SolidOptions;
use super::shell::{Polygon, Tally, add_shell};
use crate::error::IngestError;
use crate::held::Held;
use crate::mesh::selection::Selection;
use crate::mesh::unhiding::{Reason, Stays, Unhiding};
use crate::mesh::without_mark;
use crate::world::solid::{Player, Point, SolidLevel, Units};

/// Whether a file is JSON whose `type`, wherever it stands, is that of CityJSON.
pub(super) fn matches(bytes: &[u8]) -> bool {
    let bytes = without_mark(bytes);
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return false;
    }
    let mut found = None;
    let mut reader = Deserializer::from_slice(bytes);
    let read = ObjectType(&mut found).deserialize(&mut reader);
    match (found, read) {
        (Some(kind), _) => kind.starts_with("CityJSON"),
        (None, Ok(())) => false,
        // Damaged before the type: whoever has such a file is told of a town.
        (None, Err(_)) => {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
            head.contains("\"CityJSON\"")
        }
    }
}

/// Looks for the `type` of a JSON object, and keeps nothing else.
struct ObjectType<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for ObjectType<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectType<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<str>>()? {
            match (&*key, &self.0) {
                ("type", None) => {
                    if let Value::String(kind) = map.next_value()? {
                        *self.0 = Some(kind);
                    }
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Reads a town. Of each building the geometries of the greatest level of detail count.
///
/// # Errors
///
/// What is no CityJSON, or leads to vertices that are not there; names the object.
pub(super) fn read(
    bytes: &[u8],
    options: &SolidOptions,
    held: &mut Held,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let mut parts = Deserializer::from_slice(without_mark(bytes)).into_iter::<Value>();
    let mut part = |number: usize| match parts.next() {
        None => Ok(None),
        Some(Ok(part)) => Ok(Some(part)),
        Some(Err(error)) => {
            let found = error.to_string().replace('`', "\"");
            let error = IngestError::bad("CityJSON", found, REMEDY);
            Err(match number {
                1 => error,
                _ => error.at(format!("part {number}")),
            })
        }
    };
    let head = part(1)?.unwrap_or_default();
    if head["type"] != "CityJSON" {
        let found = format!("{:.40}", head["type"].to_string());
        let remedy = "features of a sequence need its first line, which has their transform: put it in front";
        return Err(IngestError::bad("the type CityJSON first", found, remedy).at("type"));
    }
    let reference = Reference::of(&head["metadata"], notes)?;
    let transform = Transform::of(&head, reference.metres)?;
    let templates = Templates::of(&head, reference.metres)?;
    let mut town = Town {
        level: SolidLevel::new("CityJSON", Units::Metres, Player::PERSON),
        tally: Tally::default(),
        faces: 0,
        unhiding: Unhiding::default(),
        selection: Selection::new(&options.keep, &options.drop),
        object: String::new(),
        held,
    };
    town.add(&head, &transform, &templates)?;
    let mut number = 2;
    while let Some(feature) = part(number)? {
        let place = || format!("part {number}");
        if feature["type"] != "CityJSONFeature" {
            let found = format!("{:.40}", feature["type"].to_string());
            let error = IngestError::bad("the type CityJSONFeature", found, REMEDY);
            return Err(error.at(place()));
        }
        town.add(&feature, &transform, &templates)
            .map_err(|error| error.within(place()))?;
        number += 1;
    }
    town.level.crs = reference.crs;
    town.level.frame.scale = reference.asked;
    town.selection.check()?;
    let note = town.unhiding.note();
    town.tally
        .tell(&town.level, "face", notes)
        .map_err(|error| match &note {
            Some(note) => IngestError::bad(error.expected(), note, REMEDY),
            None => error,
        })?;
    notes.extend(note);
    Ok(town.level)
}

/// The level of detail: a number until version 1.0, a text since then.
fn detail(geometry: &Value) -> f64 {
    let lod = &geometry["lod"];
    let number = lod.as_f64().or_else(|| lod.as_str()?.parse().ok());
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}

/// How many surfaces a geometry has.
fn surfaces_of(geometry: &Value) -> usize {
    fn count(boundaries: &Value, depth: usize) -> usize {
        let parts = boundaries.as_array().map_or(&[][..], Vec::as_slice);
        match depth {
            0 => parts.len(),
            depth => parts.iter().map(|part| count(part, depth - 1)).sum(),
        }
    }
    let boundaries = &geometry["boundaries"];
    match geometry["type"].as_str().unwrap_or("") {
        "MultiSurface" | "CompositeSurface" => count(boundaries, 0),
        "Solid" => count(boundaries, 1),
        "MultiSolid" | "CompositeSolid" => count(boundaries, 2),
        _ => 0,
    }
}

/// Geometries that objects have in common, each with its own origin.
struct Templates {
    geometries: Vec<Value>,
    /// Bytes that one more of each takes.
    weights: Vec<u64>,
    corners: Vec<Point>,
    materials: Materials,
}

impl Templates {
    fn of(file: &Value, metres: Point) -> Result<Self, IngestError> {
        let stored = &file["geometry-templates"];
        let geometries = stored["templates"].as_array().cloned().unwrap_or_default();
        Ok(Self {
            corners: if geometries.is_empty() {
                Vec::new()
            } else {
                template_corners(&stored["vertices-templates"], metres)?
            },
            weights: geometries
                .iter()
                .map(|geometry| weight(&geometry["boundaries"]))
                .collect(),
            geometries,
            materials: Materials::of(file),
        })
    }

    /// The template of an instance, and its weight.
    fn get(&self, instance: &Value) -> Result<(&Value, u64), IngestError> {
        let number = &instance["template"];
        let found = number.as_u64().and_then(|number| {
            let number = usize::try_from(number).ok()?;
            Some((self.geometries.get(number)?, self.weights[number]))
        });
        found.ok_or_else(|| {
            let expected = format!("the number of one of {} templates", self.geometries.len());
            IngestError::bad(expected, format!("{:.40}", number.to_string()), REMEDY)
        })
    }
}

/// Bytes that the faces of boundaries take, about.
fn weight(boundaries: &Value) -> u64 {
    let Some(parts) = boundaries.as_array() else {
        return 2 * size_of::<Point>() as u64;
    };
    let is_ring = parts.first().is_none_or(|part| !part.is_array());
    let ring = if is_ring { 256 } else { 0 };
    parts.iter().map(weight).fold(ring, u64::saturating_add)
}

/// Types of objects whose geometry is no matter, or is seen through: spaces and logical parts of a building, plants.
const SPACES: [&str; 8] = [
    "BuildingRoom",
    "BuildingStorey",
    "BuildingUnit",
    "BridgeRoom",
    "TunnelHollowSpace",
    "SolitaryVegetationObject",
    "PlantCover",
    "CityObjectGroup",
];

struct Town<'h> {
    level: SolidLevel,
    tally: Tally,
    /// So far.
    faces: usize,
    unhiding: Unhiding,
    selection: Selection,
    /// The name of the object that is being read.
    object: String,
    /// Counts what templates are repeated to.
    held: &'h mut Held,
}

impl Town<'_> {
    /// Adds the objects of a file, or of a feature.
    fn add(
        &mut self,
        part: &Value,
        transform: &Transform,
        templates: &Templates,
    ) -> Result<(), IngestError> {
        let objects = part["CityObjects"]
            .as_object()
            .ok_or_else(|| IngestError::bad("CityObjects", "none", REMEDY))?;
        let vertices = transform.vertices(&part["vertices"])?;
        let corners = Corners::of(&vertices);
        let materials = Materials::of(part);
        let is_space = |object: &Value| SPACES.iter().any(|space| object["type"] == *space);
        let of_object = |name: &str, error: IngestError| error.at(format!("object {name:.80}"));
        let whole = |geometry| match is_instance(geometry) {
            true => templates.get(geometry).map(|(template, _)| template),
            false => Ok(geometry),
        };
        let mut buildings = Buildings::of(objects);
        for (name, object) in objects.iter().filter(|(_, object)| !is_space(object)) {
            for geometry in geometries(object) {
                let geometry = whole(geometry).map_err(|error| of_object(name, error))?;
                buildings.add(name, detail(geometry));
            }
        }
        let names: Vec<&str> = objects.keys().map(String::as_str).collect();
        for (name, object) in objects {
            let is_water = object["type"] == "WaterBody";
            let finest = buildings.finest(name);
            // Of a chain of parts all the way up, for each of them.
            let lineage = match self.selection.drops() {
                true => buildings.lineage(name),
                false => Vec::new(),
            };
            let lineage: Vec<&str> = lineage.into_iter().map(|number| names[number]).collect();
            self.object.clone_from(name);
            for geometry in geometries(object) {
                let of_object = |error| of_object(name, error);
                let surfaces = whole(geometry).map_err(of_object)?;
                let own = if is_space(object) {
                    Some(Reason::new(
                        "of rooms, storeys, units, hollow spaces, plants and groups",
                        Stays::Out,
                    ))
                } else {
                    let coarse = detail(surfaces) < finest;
                    coarse.then(|| Reason::new("of coarser levels of detail", Stays::Out))
                };
                let own = self.selection.of(&[name], own);
                if let Some(reason) = own.or(self.selection.dropped(&lineage)) {
                    self.count(surfaces_of(surfaces), Some(&reason));
                    continue;
                }
                let added = if is_instance(geometry) {
                    self.place(geometry, is_water, &corners, templates)
                } else {
                    let looks = Looks::of(geometry, &materials, is_water);
                    self.geometry(geometry, &looks, &corners)
                };
                added.map_err(of_object)?;
            }
        }
        Ok(())
    }

    /// Counts surfaces of the object.
    fn count(&mut self, surfaces: usize, reason: Option<&Reason>) {
        let object = &self.object;
        let place = || format!("object {object:.80}");
        self.unhiding.count(surfaces, reason, place);
    }

    /// Adds what a template has, where an instance of it is.
    fn place(
        &mut self,
        instance: &Value,
        is_water: bool,
        corners: &Corners,
        templates: &Templates,
    ) -> Result<(), IngestError> {
        let (template, weight) = templates.get(instance)?;
        self.held.take(weight, "surfaces of templates")?;
        if is_instance(template) {
            return Err(IngestError::bad(
                "a template of surfaces",
                "an instance",
                REMEDY,
            ));
        }
        let place = list(&instance["boundaries"])?;
        let origin = corners.get(place.first().unwrap_or(&Value::Null))?;
        let matrix = &instance["transformationMatrix"];
        let corners = Corners::placed(&templates.corners, matrix, origin)?;
        let looks = Looks::of(template, &templates.materials, is_water);
        self.geometry(template, &looks, &corners)
    }

    fn geometry(
        &mut self,
        geometry: &Value,
        looks: &Looks,
        corners: &Corners,
    ) -> Result<(), IngestError> {
        let boundaries = &geometry["boundaries"];
        match geometry["type"].as_str().unwrap_or("") {
            "MultiSurface" | "CompositeSurface" => {
                let mut polygons = Vec::new();
                self.surfaces(boundaries, looks, corners, &mut polygons)?;
                self.shell(&polygons)
            }
            "Solid" => self.solid(boundaries, looks, corners),
            "MultiSolid" | "CompositeSolid" => {
                for (i, solid) in list(boundaries)?.iter().enumerate() {
                    self.solid(solid, &looks.nested(i), corners)?;
                }
                Ok(())
            }
            "MultiPoint" | "MultiLineString" => Ok(()),
            other => Err(IngestError::bad(
                "a kind of geometry of CityJSON",
                format!("{other:.40}"),
                REMEDY,
            )),
        }
    }

    /// Adds a solid. One with a hollow is no convex one: its faces hide, outer and inner together.
    fn solid(
        &mut self,
        shells: &Value,
        looks: &Looks,
        corners: &Corners,
    ) -> Result<(), IngestError> {
        let mut polygons = Vec::new();
        for (i, shell) in list(shells)?.iter().enumerate() {
            self.surfaces(shell, &looks.nested(i), corners, &mut polygons)?;
        }
        self.shell(&polygons)
    }

    fn surfaces(
        &mut self,
        surfaces: &Value,
        looks: &Looks,
        corners: &Corners,
        polygons: &mut Vec<Polygon>,
    ) -> Result<(), IngestError> {
        for (i, rings) in list(surfaces)?.iter().enumerate() {
            let rings = list(rings)?;
            let place = self.faces;
            self.faces += 1;
            let Some(outer) = rings.first() else { continue };
            let look = looks.of_surface(i);
            let why = match (rings.len(), look.opaque, look.stops) {
                (2.., ..) => Some("with holes"),
                (_, _, false) => Some("closure surfaces"),
                (_, false, _) => Some("transparent"),
                _ => None,
            };
            let why = why.map(|why| Reason::new(why, Stays::Drawn));
            self.count(1, why.as_ref());
            polygons.push(Polygon {
                vertices: corners.ring(list(outer)?)?,
                two_sided: false,
                opaque: look.opaque && rings.len() == 1,
                stops: look.stops,
                drawn: true,
                place,
            });
        }
        Ok(())
    }

    fn shell(&mut self, polygons: &[Polygon]) -> Result<(), IngestError> {
        if polygons.is_empty() {
            Ok(())
        } else {
            add_shell(&mut self.level, polygons, "face", &mut self.tally)
        }
    }
}

fn geometries(object: &Value) -> &[Value] {
    object["geometry"].as_array().map_or(&[][..], Vec::as_slice)
}

fn is_instance(geometry: &Value) -> bool {
    geometry["type"] == "GeometryInstance"
}

fn list(value: &Value) -> Result<&[Value], IngestError> {
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| {
        IngestError::bad(
            "boundaries, lists in lists",
            format!("{:.40}", value.to_string()),
            REMEDY,
        )
    })
}
