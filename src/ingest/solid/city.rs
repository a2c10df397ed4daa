//! CityJSON, versions 0.8 to 2.0: solids and surfaces of a town, z up, in metres.

use serde_json::Value;

use super::mesh::{Polygon, Tally, add_shell};
use crate::ingest::error::IngestError;
use crate::world::solid::{Player, Point, SolidLevel, Units};

const REMEDY: &str = "the file is damaged: fetch or export it again";

/// Whether bytes begin as CityJSON does.
pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let head = String::from_utf8_lossy(head);
    head.trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{')
        && head.contains("\"CityJSON\"")
}

/// Reads a town. Of each object the geometry of the greatest level of detail counts.
///
/// # Errors
///
/// What is no CityJSON, or leads to vertices that are not there; names the object.
pub(super) fn read(bytes: &[u8], notes: &mut Vec<String>) -> Result<SolidLevel, IngestError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: Value = serde_json::from_slice(bytes).map_err(|error| {
        IngestError::bad("CityJSON", error.to_string().replace('`', "\""), REMEDY)
    })?;
    let vertices = vertices(&file)?;
    let objects = file["CityObjects"]
        .as_object()
        .ok_or_else(|| IngestError::bad("CityObjects", "none", REMEDY))?;
    let mut town = Town {
        vertices,
        level: SolidLevel::new("CityJSON", Units::Metres, Player::PERSON),
        tally: Tally::default(),
        faces: 0,
        pierced: 0,
        templates: 0,
    };
    for (name, object) in objects {
        let geometries = object["geometry"].as_array().map_or(&[][..], Vec::as_slice);
        let finest = geometries
            .iter()
            .map(detail)
            .fold(f64::NEG_INFINITY, f64::max);
        for geometry in geometries
            .iter()
            .filter(|geometry| detail(geometry) >= finest)
        {
            let added = town.add(geometry);
            added.map_err(|error| error.at(format!("object {name:.80}")))?;
        }
    }
    town.level.crs = crs(&file["metadata"]);
    town.tally.tell(&town.level, "face", notes)?;
    if town.pierced > 0 {
        notes.push(format!("{} surfaces with holes hide nothing", town.pierced));
    }
    if town.templates > 0 {
        notes.push(format!(
            "{} geometries of templates hide nothing",
            town.templates
        ));
    }
    Ok(town.level)
}

/// The CRS of the metadata: since version 1.0 `referenceSystem`, a URN or URL that ends in a code, before
/// that a number. Of a compound one the part on the ground.
fn crs(metadata: &Value) -> Option<String> {
    let code = match metadata["referenceSystem"].as_str() {
        Some(name) if name.contains("EPSG") => name.rsplit([':', '/']).next()?.parse().ok()?,
        _ => metadata["crs"]["epsg"].as_u64()?,
    };
    let on_ground = match code {
        7405 => 27700,
        7415 => 28992,
        5554..=5556 => code - 5554 + 25831,
        5972..=5976 => code - 5972 + 25832,
        other => other,
    };
    Some(format!("EPSG:{on_ground}"))
}

fn vertices(file: &Value) -> Result<Vec<Point>, IngestError> {
    let triple = |value: &Value| -> Option<Point> {
        let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
        numbers?.try_into().ok()
    };
    let part = |name: &str, otherwise: Point| match &file["transform"] {
        Value::Null => Ok(otherwise),
        transform => triple(&transform[name]).ok_or_else(|| {
            IngestError::bad("three numbers", "others", REMEDY).at(format!("transform, {name}"))
        }),
    };
    let (scale, translate) = (part("scale", [1.0; 3])?, part("translate", [0.0; 3])?);
    let stored = file["vertices"]
        .as_array()
        .ok_or_else(|| IngestError::bad("vertices", "none", REMEDY))?;
    let place = |(i, vertex): (usize, &Value)| {
        let at = triple(vertex).ok_or_else(|| {
            IngestError::bad("three numbers", "others", REMEDY).at(format!("vertex {i}"))
        })?;
        Ok(std::array::from_fn(|k| scale[k] * at[k] + translate[k]))
    };
    stored.iter().enumerate().map(place).collect()
}

/// The level of detail: a number until version 1.0, a text since then.
fn detail(geometry: &Value) -> f64 {
    let lod = &geometry["lod"];
    let number = lod.as_f64().or_else(|| lod.as_str()?.parse().ok());
    number.unwrap_or(0.0)
}

struct Town {
    vertices: Vec<Point>,
    level: SolidLevel,
    tally: Tally,
    /// So far.
    faces: usize,
    pierced: usize,
    templates: usize,
}

impl Town {
    fn add(&mut self, geometry: &Value) -> Result<(), IngestError> {
        let (boundaries, values) = (&geometry["boundaries"], &geometry["semantics"]["values"]);
        // Surfaces of windows are seen through.
        let kinds = geometry["semantics"]["surfaces"].as_array();
        let clear: Vec<bool> = kinds.map_or(Vec::new(), |kinds| {
            kinds.iter().map(|kind| kind["type"] == "Window").collect()
        });
        match geometry["type"].as_str().unwrap_or("") {
            "MultiSurface" | "CompositeSurface" => self.shell(boundaries, values, &clear),
            "Solid" => self.solid(boundaries, values, &clear),
            "MultiSolid" | "CompositeSolid" => {
                for (i, solid) in list(boundaries)?.iter().enumerate() {
                    self.solid(solid, &values[i], &clear)?;
                }
                Ok(())
            }
            "MultiPoint" | "MultiLineString" => Ok(()),
            "GeometryInstance" => {
                self.templates += 1;
                Ok(())
            }
            other => Err(IngestError::bad(
                "a kind of geometry of CityJSON",
                format!("{other:.40}"),
                REMEDY,
            )),
        }
    }

    fn solid(&mut self, shells: &Value, values: &Value, clear: &[bool]) -> Result<(), IngestError> {
        let shells = list(shells)?;
        // A solid with a hollow is no convex one: its faces hide, outer and inner together.
        if shells.len() > 1 {
            let together: Vec<Value> = shells
                .iter()
                .filter_map(Value::as_array)
                .flatten()
                .cloned()
                .collect();
            let kinds = values.as_array().map_or(&[][..], Vec::as_slice);
            let kinds: Vec<Value> = kinds
                .iter()
                .filter_map(Value::as_array)
                .flatten()
                .cloned()
                .collect();
            return self.shell(&Value::Array(together), &Value::Array(kinds), clear);
        }
        shells
            .iter()
            .enumerate()
            .try_for_each(|(i, shell)| self.shell(shell, &values[i], clear))
    }

    fn shell(
        &mut self,
        surfaces: &Value,
        values: &Value,
        clear: &[bool],
    ) -> Result<(), IngestError> {
        let mut polygons = Vec::new();
        for (i, rings) in list(surfaces)?.iter().enumerate() {
            let rings = list(rings)?;
            let place = self.faces;
            self.faces += 1;
            let Some(outer) = rings.first() else { continue };
            let kind = values[i].as_u64().and_then(|kind| clear.get(kind as usize));
            self.pierced += usize::from(rings.len() > 1);
            polygons.push(Polygon {
                vertices: self.ring(outer)?,
                two_sided: false,
                opaque: kind != Some(&true) && rings.len() == 1,
                place,
            });
        }
        if polygons.is_empty() {
            return Ok(());
        }
        add_shell(&mut self.level, &polygons, "face", &mut self.tally)
    }

    fn ring(&self, ring: &Value) -> Result<Vec<Point>, IngestError> {
        let corner = |index: &Value| {
            let found = index
                .as_u64()
                .and_then(|index| self.vertices.get(usize::try_from(index).ok()?));
            found.copied().ok_or_else(|| {
                let expected = format!("numbers of {} vertices", self.vertices.len());
                IngestError::bad(expected, format!("{:.40}", index.to_string()), REMEDY)
            })
        };
        list(ring)?.iter().map(corner).collect()
    }
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
