//! GeoTIFF's own tags: where the raster lies and in which CRS (OGC GeoTIFF 1.1).

use super::crs::{Crs, Ellipsoid, Units};
use super::epsg::{CrsUnits, epsg_units, unit_of_angle, unit_of_length};
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
const VERTICAL_TYPE: u16 = 4096;
const VERTICAL_UNITS: u16 = 4099;

/// The code for a thing that other keys describe.
const USER_DEFINED: u16 = 32767;

/// The error of tags that place nothing.
fn no_place(expected: &str, found: &[f64]) -> IngestError {
    let found: Vec<String> = found.iter().map(|n| Short(*n).to_string()).collect();
    IngestError::bad(
        format!("{expected} to place the raster by"),
        found.join(", "),
        "write them again (gdal_translate -a_ullr ULX ULY LRX LRY INPUT OUT.tif), or without them \
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
            // Columns may run to the west. How rows run is not the scale's to say.
            if *sy < 0.0 {
                notes.push(format!(
                        "the pixel scale (tag 33550) is {} x {}, expected a second number above 0: taken without the sign",
                        Short(*sx),
                        Short(*sy)
                    ));
            }
            let (sx, sy) = (*sx, sy.abs());
            if ![i, j, x, y].iter().all(|n| n.is_finite()) {
                return Err(
                    no_place("finite numbers", &[*i, *j, *x, *y]).at("tag 33922 (ModelTiepoint)")
                );
            }
            [x - i * sx, sx, 0.0, y + j * sy, 0.0, -sy]
        } else {
            if self.tie_points.len() > 6 {
                notes.push(
                    "ground control points are not read: the raster is taken without them"
                        .to_owned(),
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

    /// A code of the EPSG registry.
    fn code(&self, key: u16) -> Option<u16> {
        self.short(key)
            .filter(|code| !matches!(*code, 0 | USER_DEFINED))
    }

    /// The CRS, if the file has any keys.
    pub(super) fn crs(&self, notes: &mut Vec<String>) -> Option<Crs> {
        if !self.has_keys() {
            return None;
        }
        let (projected, geographic) = (self.code(PROJECTED_TYPE), self.code(GEOGRAPHIC_TYPE));
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
        let vertical = self.vertical_unit(code, notes);
        if let (None, Units::Metres(unit)) = (vertical, &units)
            && *unit != 1.0
        {
            notes.push(format!(
                "the grid counts in units of {} m and the file names no unit of height: metres assumed (if \
                 heights are in the same unit, give `vertical_scale` {})",
                Short(*unit),
                Short(*unit)
            ));
        }
        Some(Crs {
            name,
            units,
            vertical,
        })
    }

    /// The unit of a projected CRS: the file's own, else that of the code.
    fn linear(&self, citation: Option<&str>, notes: &mut Vec<String>) -> Units {
        let code = self.code(PROJECTED_TYPE);
        let of_code = code.map(|code| {
            epsg_units(code.into())
                .filter(|units| !units.is_geographic)
                .and_then(|units| units.horizontal)
        });
        let own = match self.short(LINEAR_UNITS) {
            Some(USER_DEFINED) => match self.double(LINEAR_UNIT_SIZE) {
                Some(size) if size.is_finite() && size > 0.0 => Some(size),
                _ => {
                    return Units::Unknown(
                        "a user-defined unit of length without its size".to_owned(),
                    );
                }
            },
            Some(unit) => match unit_of_length(unit) {
                Some(unit) => Some(unit.size),
                None => return Units::Unknown(format!("unit of length EPSG:{unit}")),
            },
            None => None,
        };
        match (own, of_code, code) {
            (Some(own), Some(Some(other)), Some(code)) if (own / other - 1.0).abs() > 1e-7 => {
                notes.push(format!(
                    "the file says that its unit is {} m (key {LINEAR_UNITS}), and that of EPSG:{code} is {} m: \
                     the file's is taken (if it is not, give `spacing`)",
                    Short(own),
                    Short(other)
                ));
                Units::Metres(own)
            }
            (Some(own), ..) | (None, Some(Some(own)), _) => Units::Metres(own),
            (None, Some(None), Some(code)) => Units::Unknown(format!(
                "EPSG:{code} and no unit of length, which is no projection that is known here"
            )),
            (None, ..) => {
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
        let code = self.code(GEOGRAPHIC_TYPE);
        let of_code = code.and_then(|code| epsg_units(code.into()));
        let radians = match (self.short(ANGULAR_UNITS), of_code) {
            (Some(USER_DEFINED), _) => match self.double(ANGULAR_UNIT_SIZE) {
                Some(size) if size.is_finite() && size > 0.0 => size,
                _ => return Units::Unknown(format!("unit of angle EPSG:{USER_DEFINED}")),
            },
            (Some(unit), _) => match unit_of_angle(unit) {
                Some(unit) => unit.size,
                None => return Units::Unknown(format!("unit of angle EPSG:{unit}")),
            },
            (
                None,
                Some(CrsUnits {
                    is_geographic: true,
                    horizontal: Some(radians),
                    ..
                }),
            ) => radians,
            (None, Some(_)) => {
                return Units::Unknown(format!(
                    "EPSG:{} as longitude and latitude, which it is not",
                    code.unwrap_or_default()
                ));
            }
            (None, None) => {
                if let Some(code) = code {
                    notes.push(format!(
                        "EPSG:{code} is not known here: degrees assumed (if not, give `spacing`)"
                    ));
                }
                1_f64.to_radians()
            }
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

    /// Metres in the unit of heights: that of the keys, else of the vertical CRS, else of a CRS `horizontal` that has
    /// heights, too; none where nothing names one.
    fn vertical_unit(&self, horizontal: Option<u16>, notes: &mut Vec<String>) -> Option<f64> {
        // What cannot be found is said, and what else the file says is asked.
        let mut unknown = |what: String| {
            notes.push(format!(
                "{what} is not known here: metres of height assumed (if not, give `vertical_scale`)"
            ));
        };
        let of_crs = match self.code(VERTICAL_TYPE) {
            // GeoTIFF 1.0 had numbers of its own for ellipsoids and datums, which say nothing of units.
            Some(5001..=5199) | None => None,
            Some(code) => {
                let unit = epsg_units(code.into()).and_then(|units| units.vertical);
                if unit.is_none() && self.code(VERTICAL_UNITS).is_none() {
                    unknown(format!("vertical CRS EPSG:{code}"));
                }
                unit
            }
        };
        let own = self.code(VERTICAL_UNITS).and_then(|code| {
            let unit = unit_of_length(code).map(|unit| unit.size);
            if unit.is_none() && of_crs.is_none() {
                unknown(format!("unit of height EPSG:{code}"));
            }
            unit
        });
        // Of a CRS of depths the unit alone may be given again.
        let own = own.map(|own| match of_crs {
            Some(depths) if depths < 0.0 => -own,
            _ => own,
        });
        own.or(of_crs)
            .or_else(|| epsg_units(horizontal?.into())?.vertical)
    }
}
