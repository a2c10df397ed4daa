//! The coordinate reference system of a CityJSON file: what a unit of its coordinates is.

use serde_json::Value;

use crate::crs::epsg_units;
use crate::error::IngestError;
use crate::world::Short;
use crate::world::solid::Point;

/// What the metadata say of coordinates.
#[derive(Debug, PartialEq)]
pub(super) struct Reference {
    /// `EPSG:n` of the part on the ground.
    pub(super) crs: Option<String>,
    /// Metres in a unit of each axis.
    pub(super) metres: Point,
    /// Metres in a unit that positions are asked in.
    pub(super) asked: f64,
}

impl Reference {
    /// # Errors
    ///
    /// Coordinates that are no lengths with heights on the third axis.
    pub(super) fn of(metadata: &Value, notes: &mut Vec<String>) -> Result<Self, IngestError> {
        let name = metadata["referenceSystem"].as_str().unwrap_or("");
        let mut codes = codes(name);
        if name.is_empty() {
            let code = metadata["crs"]["epsg"].as_u64();
            codes.extend(code.and_then(|code| u32::try_from(code).ok()));
        }
        let refused = |found: String| {
            let remedy = "reproject the town, such as with `cjio IN crs_reproject 7415 save OUT`";
            let error = IngestError::bad("coordinates in lengths, z up", found, remedy);
            Err(error.at("metadata, referenceSystem"))
        };
        let mut found = Self {
            crs: codes
                .first()
                .map(|&code| format!("EPSG:{}", on_ground(code))),
            metres: [1.0; 3],
            asked: 1.0,
        };
        let Some(&code) = codes.first() else {
            if name.contains("CRS84") {
                return refused(format!("degrees ({name:.80})"));
            }
            notes.push(match name {
                "" => "the town names no coordinate reference system: its coordinates are taken as metres, z up".to_owned(),
                name => format!("the town's coordinate reference system, {name:.80}, is not known: its coordinates are taken as metres, z up"),
            });
            return Ok(found);
        };
        let Some(units) = epsg_units(code) else {
            notes.push(format!(
                "EPSG:{code} is not known: the town's coordinates are taken as metres, z up"
            ));
            return Ok(found);
        };
        if units.is_geographic {
            return refused(format!("degrees (EPSG:{code})"));
        }
        let Some(horizontal) = units.horizontal else {
            return refused(format!("no coordinates on the ground (EPSG:{code})"));
        };
        let of_heights = codes.get(1).and_then(|&code| epsg_units(code));
        let vertical = units
            .vertical
            .or(of_heights.and_then(|units| units.vertical));
        // Where nothing is said of heights they are as the rest.
        let vertical = vertical.unwrap_or(horizontal);
        if vertical <= 0.0 {
            return refused(format!("depths (EPSG:{code})"));
        }
        found.metres = [horizontal, horizontal, vertical];
        if found.metres != [1.0; 3] {
            let asked = if horizontal == vertical {
                "in the file's units"
            } else {
                "in metres"
            };
            if horizontal == vertical {
                found.asked = horizontal;
            }
            notes.push(format!(
                "EPSG:{code} counts units of {} m on the ground and of {} m in height: converted \
                 to metres; positions in queries are {asked}",
                Short(horizontal),
                Short(vertical)
            ));
        }
        Ok(found)
    }
}

/// The codes of EPSG in a URN or URL, in their order: a compound system may name its parts.
fn codes(name: &str) -> Vec<u32> {
    let parts = name.split("EPSG").skip(1);
    let code = |part: &str| {
        let part = part.split([',', '&', '?']).next()?;
        part.rsplit([':', '/'])
            .find(|word| !word.is_empty())?
            .parse()
            .ok()
    };
    parts.filter_map(code).collect()
}

/// Of compound systems that are common in Europe, the part on the ground.
fn on_ground(code: u32) -> u32 {
    match code {
        7405 => 27700,
        7415 => 28992,
        5554..=5556 => code - 5554 + 25831,
        5972..=5976 => code - 5972 + 25832,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FOOT: f64 = 1200.0 / 3937.0;

    fn of(name: &str) -> Result<Reference, String> {
        Reference::of(&json!({ "referenceSystem": name }), &mut Vec::new())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn feet_are_converted_and_degrees_refused() {
        for (name, metres, asked) in [
            ("https://www.opengis.net/def/crs/EPSG/0/7415", [1.0; 3], 1.0),
            ("urn:ogc:def:crs:EPSG::2263", [FOOT; 3], FOOT),
            (
                "urn:ogc:def:crs,crs:EPSG::2263,crs:EPSG::6360",
                [FOOT; 3],
                FOOT,
            ),
            (
                "urn:ogc:def:crs,crs:EPSG::2263,crs:EPSG::5703",
                [FOOT, FOOT, 1.0],
                1.0,
            ),
            (
                "http://www.opengis.net/def/crs-compound?1=http://www.opengis.net/def/crs/EPSG/0/26985&2=http://www.opengis.net/def/crs/EPSG/0/6360",
                [1.0, 1.0, FOOT],
                1.0,
            ),
            ("local", [1.0; 3], 1.0),
            ("EPSG:999999", [1.0; 3], 1.0),
        ] {
            let found = of(name).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
            assert!(
                (0..3).all(|k| near(found.metres[k], metres[k])),
                "{name}: {found:?}"
            );
            assert!(near(found.asked, asked), "{name}: {found:?}");
        }
        for (name, word) in [
            ("https://www.opengis.net/def/crs/EPSG/0/4979", "degrees"),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", "degrees"),
            ("EPSG:4978", "no coordinates on the ground"),
        ] {
            let error = of(name).unwrap_err();
            assert!(
                error.contains(word) && error.contains("crs_reproject"),
                "{error}"
            );
        }
    }
}
