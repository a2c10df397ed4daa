//! GeoTIFF's own tags: where the raster lies and in which CRS (OGC GeoTIFF 1.1).

use super::crs::{Crs, Ellipsoid, US_SURVEY_FOOT, Units};
use super::error::IngestError;
use crate::world::Short;

/// The tags that place a raster, as stored.
#[derive(Default)]
pub(super) struct GeoTags {
    /// ModelPixelScale, 33550.
    pub pixel_scale: Vec<f64>,
    /// ModelTiepoint, 33922.
    pub tie_points: Vec<f64>,
    /// ModelTransformation, 34264.
    pub transformation: Vec<f64>,
    /// GeoKeyDirectory, 34735.
    pub directory: Vec<u16>,
    /// GeoDoubleParams, 34736.
    pub doubles: Vec<f64>,
    /// GeoAsciiParams, 34737.
    pub ascii: String,
}

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const CITATION: u16 = 1026;
const GEOGRAPHIC_TYPE: u16 = 2048;
const GEOGRAPHIC_CITATION: u16 = 2049;
const ANGULAR_UNITS: u16 = 2054;
const ANGULAR_UNIT_SIZE: u16 = 2055;
const SEMI_MAJOR_AXIS: u16 = 2057;
const SEMI_MINOR_AXIS: u16 = 2058;
const INVERSE_FLATTENING: u16 = 2059;
const PROJECTED_TYPE: u16 = 3072;
const PROJECTED_CITATION: u16 = 3073;
const LINEAR_UNITS: u16 = 3076;
const LINEAR_UNIT_SIZE: u16 = 3077;
const VERTICAL_UNITS: u16 = 4099;

/// The code for a thing that other keys describe.
const USER_DEFINED: u16 = 32767;

/// The error of tags that place nothing.
fn no_place(expected: &str, found: &[f64]) -> IngestError {
    let found: Vec<String> = found.iter().map(|n| Short(*n).to_string()).collect();
    IngestError::bad(
        format!("{expected} to place the raster by"),
        found.join(", "),
        "write them anew (gdal_translate -a_ullr ULX ULY LRX LRY INPUT OUT.tif), or without them \
         (gdal_translate -co PROFILE=BASELINE INPUT OUT.tif) and give `spacing`",
    )
}

impl GeoTags {
    fn has_keys(&self) -> bool {
        self.directory.len() > 4
    }

    /// A key's four words: key, tag that holds the value (0: here), count, value or index.
    fn entry(&self, key: u16) -> Option<&[u16]> {
        let keys = self.directory.get(4..)?;
        keys.chunks_exact(4).find(|entry| entry[0] == key)
    }

    fn short(&self, key: u16) -> Option<u16> {
        let entry = self.entry(key)?;
        (entry[1] == 0).then_some(entry[3])
    }

    fn double(&self, key: u16) -> Option<f64> {
        let entry = self.entry(key)?;
        if entry[1] != 34736 {
            return None;
        }
        self.doubles.get(usize::from(entry[3])).copied()
    }

    fn text(&self, key: u16) -> Option<&str> {
        let entry = self.entry(key)?;
        if entry[1] != 34737 {
            return None;
        }
        let start = usize::from(entry[3]);
        let text = self.ascii.get(start..start + usize::from(entry[2]))?;
        Some(text.trim_end_matches(['|', '\0', ' ']))
    }

    /// GDAL's affine transform, for outer corners of pixels also where the file gives centres.
    /// Errors where the file gives numbers that place nothing.
    pub(super) fn transform(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Option<[f64; 6]>, IngestError> {
        let mut t = if let [m0, m1, _, m3, m4, m5, _, m7, ..] = self.transformation[..] {
            [m3, m0, m1, m7, m4, m5]
        } else if let ([sx, sy, ..], [i, j, _, x, y, _, ..]) =
            (&self.pixel_scale[..], &self.tie_points[..])
        {
            let is_scale = |scale: &f64| scale.is_finite() && *scale != 0.0;
            if !is_scale(sx) || !is_scale(sy) {
                return Err(
                    no_place("two numbers above 0", &[*sx, *sy]).at("tag 33550 (ModelPixelScale)")
                );
            }
            if *sx < 0.0 || *sy < 0.0 {
                notes.push(format!(
                    "the pixel scale (tag 33550) is {} x {}, expected two numbers above 0: taken \
                     without the sign",
                    Short(*sx),
                    Short(*sy)
                ));
            }
            let (sx, sy) = (sx.abs(), sy.abs());
            if ![i, j, x, y].iter().all(|n| n.is_finite()) {
                return Err(
                    no_place("finite numbers", &[*i, *j, *x, *y]).at("tag 33922 (ModelTiepoint)")
                );
            }
            [x - i * sx, sx, 0.0, y + j * sy, 0.0, -sy]
        } else {
            if self.tie_points.len() > 6 {
                notes.push(
                    "ground control points are not read: the raster is taken as it lies".to_owned(),
                );
            }
            return Ok(None);
        };
        if !t.iter().all(|n| n.is_finite()) {
            return Err(no_place("finite numbers", &t).at("tag 34264 (ModelTransformation)"));
        }
        // In the convention of points the raster's origin is the centre of the first pixel.
        if self.short(RASTER_TYPE) == Some(2) {
            t[0] -= (t[1] + t[2]) / 2.0;
            t[3] -= (t[4] + t[5]) / 2.0;
        }
        Ok(Some(t))
    }

    /// The CRS, if the file has any keys.
    pub(super) fn crs(&self, notes: &mut Vec<String>) -> Option<Crs> {
        if !self.has_keys() {
            return None;
        }
        let code = |key| {
            self.short(key)
                .filter(|code| !matches!(*code, 0 | USER_DEFINED))
        };
        let (projected, geographic) = (code(PROJECTED_TYPE), code(GEOGRAPHIC_TYPE));
        let citation = [PROJECTED_CITATION, CITATION, GEOGRAPHIC_CITATION]
            .into_iter()
            .find_map(|key| self.text(key).filter(|text| !text.is_empty()));
        let (code, units) = match self.short(MODEL_TYPE) {
            Some(2) => (geographic, self.angular(notes)),
            Some(1) => (projected, self.linear(citation, notes)),
            // Some writers leave the model type out.
            None if projected.is_some() => (projected, self.linear(citation, notes)),
            None if geographic.is_some() => (geographic, self.angular(notes)),
            other => (
                None,
                Units::Unknown(match other {
                    Some(3) => "a geocentric CRS".to_owned(),
                    Some(n) => format!("model type {n}"),
                    None => "GeoKeys without a CRS".to_owned(),
                }),
            ),
        };
        let name = match (code, citation) {
            (Some(code), _) => format!("EPSG:{code}"),
            (None, Some(words)) => words.to_owned(),
            (None, None) => "unknown".to_owned(),
        };
        if code == Some(3857) {
            notes.push(
                "Web Mercator stretches lengths by 1/cos(latitude): give the true `spacing`, or project the raster"
                    .to_owned(),
            );
        }
        Some(Crs { name, units })
    }

    fn linear(&self, citation: Option<&str>, notes: &mut Vec<String>) -> Units {
        match self.short(LINEAR_UNITS) {
            Some(USER_DEFINED) => match self.double(LINEAR_UNIT_SIZE) {
                Some(size) if size.is_finite() && size > 0.0 => Units::Metres(size),
                _ => Units::Unknown("a user-defined unit of length without its size".to_owned()),
            },
            Some(code) => match length(code) {
                Some(metres) => Units::Metres(metres),
                None => Units::Unknown(format!("unit of length EPSG:{code}")),
            },
            None => {
                // ESRI writes the whole CRS into the citation.
                if let Some((_, wkt)) = citation.and_then(|c| c.split_once("ESRI PE String = "))
                    && let units @ Units::Metres(_) = Crs::from_text(wkt).units
                {
                    return units;
                }
                notes.push("the file names no unit of length: metres assumed".to_owned());
                Units::Metres(1.0)
            }
        }
    }

    fn angular(&self, notes: &mut Vec<String>) -> Units {
        let radians = match self.short(ANGULAR_UNITS) {
            None | Some(9102 | 9122) => 1_f64.to_radians(),
            Some(9101) => 1.0,
            Some(9103) => (1.0_f64 / 60.0).to_radians(),
            Some(9104) => (1.0_f64 / 3600.0).to_radians(),
            Some(9105 | 9106) => 0.9_f64.to_radians(),
            Some(code) => match self.double(ANGULAR_UNIT_SIZE) {
                Some(size) if code == USER_DEFINED && size.is_finite() && size > 0.0 => size,
                _ => return Units::Unknown(format!("unit of angle EPSG:{code}")),
            },
        };
        let ellipsoid = self.double(SEMI_MAJOR_AXIS).and_then(|a| {
            let inverse = self.double(INVERSE_FLATTENING).or_else(|| {
                let b = self.double(SEMI_MINOR_AXIS)?;
                Some(if b == a { 0.0 } else { a / (a - b) })
            });
            Ellipsoid::new(a, inverse.unwrap_or(0.0))
        });
        let ellipsoid = ellipsoid.unwrap_or_else(|| {
            if self.short(GEOGRAPHIC_TYPE) != Some(4326) {
                notes.push("the file names no ellipsoid: WGS 84 assumed".to_owned());
            }
            Ellipsoid::WGS84
        });
        Units::Radians(radians, ellipsoid)
    }

    /// Metres in the unit of heights, where the file names one that is no metre.
    pub(super) fn vertical_unit(&self, notes: &mut Vec<String>) -> f64 {
        match self.short(VERTICAL_UNITS) {
            None | Some(0) => 1.0,
            Some(code) => length(code).unwrap_or_else(|| {
                notes.push(format!(
                    "unit of height EPSG:{code} is not known: metres assumed (if not, give `vertical_scale`)"
                ));
                1.0
            }),
        }
    }
}

/// Metres in a unit of length of the EPSG registry.
fn length(code: u16) -> Option<f64> {
    Some(match code {
        9001 => 1.0,
        9002 => 0.3048,
        9003 => US_SURVEY_FOOT,
        9005 => 0.304_797_265_4,
        9030 => 1852.0,
        9036 => 1000.0,
        1025 => 0.001,
        1033 => 0.01,
        _ => return None,
    })
}
