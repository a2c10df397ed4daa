//! As much of a coordinate reference system as spacing in metres needs.

pub(crate) use super::epsg::epsg_units;
use super::epsg::length_by_name;
use super::error::IngestError;
use super::wkt::{self, WktNode};
use crate::world::Short;

/// A coordinate reference system.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crs {
    /// `EPSG:n`, else WKT or the file's own words.
    pub name: String,
    pub units: Units,
    /// Metres in a unit of height, below zero where depths are counted; none where the CRS says nothing of heights.
    pub vertical: Option<f64>,
}

/// What the horizontal coordinates count.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Units {
    /// Lengths; so many metres each.
    Metres(f64),
    /// Longitude and latitude; so many radians each, on this ellipsoid.
    Radians(f64, Ellipsoid),
    /// Something else, in the file's words.
    Unknown(String),
}

/// An ellipsoid of revolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ellipsoid {
    /// Equatorial radius in metres.
    pub equatorial: f64,
    /// (a - b) / a; 0 for a sphere.
    pub flattening: f64,
}

/// Metres in the US survey foot.
pub(super) const US_SURVEY_FOOT: f64 = 1200.0 / 3937.0;

impl Ellipsoid {
    pub(super) const WGS84: Self = Self {
        equatorial: 6_378_137.0,
        flattening: 1.0 / 298.257_223_563,
    };

    /// From the equatorial radius and the inverse flattening, which is 0 (or infinite) for a
    /// sphere; nothing where they are no ellipsoid's.
    pub(super) fn new(equatorial: f64, inverse_flattening: f64) -> Option<Self> {
        let flattening = if inverse_flattening == 0.0 {
            0.0
        } else {
            1.0 / inverse_flattening
        };
        (equatorial.is_finite() && equatorial > 0.0 && (0.0..0.9).contains(&flattening)).then_some(
            Self {
                equatorial,
                flattening,
            },
        )
    }

    /// Metres to a radian of longitude and of latitude, at a latitude in radians: N cos φ and M,
    /// with N and M the radii of curvature in the prime vertical and in the meridian.
    pub(super) fn metres_per_radian(&self, latitude: f64) -> [f64; 2] {
        let e2 = self.flattening * (2.0 - self.flattening);
        let w2 = 1.0 - e2 * latitude.sin().powi(2);
        let prime_vertical = self.equatorial / w2.sqrt();
        let meridian = self.equatorial * (1.0 - e2) / (w2 * w2.sqrt());
        [prime_vertical * latitude.cos(), meridian]
    }
}

impl Crs {
    /// WGS 84 longitude and latitude in degrees.
    pub(super) fn wgs84() -> Self {
        Self {
            name: "EPSG:4326".to_owned(),
            units: Units::Radians(1_f64.to_radians(), Ellipsoid::WGS84),
            vertical: None,
        }
    }

    /// From well-known text (1 or 2), or the `Projection`/`Units` lines of older `.prj` files.
    /// Text that is neither stays as a name with unknown units.
    pub(super) fn from_text(text: &str) -> Self {
        let text = text.trim().trim_end_matches('\0').trim();
        // ESRI writes the CRS of heights behind the other, with a comma between.
        let parsed = wkt::parse(text).or_else(|| wkt::parse(&format!("COMPD_CS[\"\",{text}]")));
        match parsed {
            Some(node) => Self {
                name: epsg(&node).map_or_else(|| text.to_owned(), |code| format!("EPSG:{code}")),
                units: units(&node),
                vertical: vertical(&node),
            },
            None => Self {
                name: text.to_owned(),
                units: units_of_lines(text),
                vertical: heights_of_lines(text),
            },
        }
    }

    /// Metres between columns and rows of a grid with this transform; in degrees, at the latitude
    /// of `centre` (column, row).
    pub(super) fn spacing(
        &self,
        transform: [f64; 6],
        centre: [f64; 2],
        notes: &mut Vec<String>,
    ) -> Result<[f64; 2], IngestError> {
        let [_, t1, t2, t3, t4, t5] = transform;
        match &self.units {
            Units::Metres(unit) => {
                if *unit != 1.0 {
                    notes.push(format!(
                        "the file's coordinates are in units of {} m",
                        Short(*unit)
                    ));
                }
                Ok([t1.hypot(t4) * unit, t2.hypot(t5) * unit])
            }
            Units::Radians(unit, ellipsoid) => {
                let latitude = (t3 + centre[0] * t4 + centre[1] * t5) * unit;
                let on_ellipsoid = latitude.abs() < std::f64::consts::FRAC_PI_2;
                if !on_ellipsoid {
                    return Err(IngestError::bad(
                        "a latitude between -90 and 90 degrees at the centre",
                        Short(latitude.to_degrees()).to_string(),
                        "give its `spacing` in metres",
                    ));
                }
                let [x, y] = ellipsoid.metres_per_radian(latitude).map(|m| m * unit);
                let spacing = [(t1 * x).hypot(t4 * y), (t2 * x).hypot(t5 * y)];
                notes.push(format!(
                    "longitude and latitude: {:.3} x {:.3} m at latitude {:.4}, on an ellipsoid of radius {:.0} m",
                    Short(spacing[0]),
                    Short(spacing[1]),
                    latitude.to_degrees(),
                    ellipsoid.equatorial
                ));
                Ok(spacing)
            }
            Units::Unknown(words) => Err(IngestError::bad(
                "a CRS in degrees or in units of length",
                words.clone(),
                "give its `spacing` in metres",
            )
            .at("CRS")),
        }
    }
}

const GEOGRAPHIC: [&str; 5] = [
    "GEOGCS",
    "GEOGCRS",
    "GEOGRAPHICCRS",
    "GEODCRS",
    "GEODETICCRS",
];
const PROJECTED: [&str; 3] = ["PROJCS", "PROJCRS", "PROJECTEDCRS"];
const VERTICAL: [&str; 4] = ["VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS"];
const COMPOUND: [&str; 2] = ["COMPD_CS", "COMPOUNDCRS"];
/// The keywords of a unit of length.
const LENGTH: [&str; 2] = ["UNIT", "LENGTHUNIT"];

fn epsg(crs: &WktNode) -> Option<u32> {
    let id = crs.child(&["AUTHORITY", "ID"])?;
    let number = id.number(1).map(|n| n.to_string());
    let code = id.text(1).map(str::to_owned).or(number)?;
    let digits = code.bytes().all(|b| b.is_ascii_digit());
    (id.text(0)?.eq_ignore_ascii_case("EPSG") && digits).then(|| code.parse().ok())?
}

/// Metres in a unit of height: of the part with heights of a compound CRS, or of the third axis.
fn vertical(crs: &WktNode) -> Option<f64> {
    if crs.is(&VERTICAL) {
        return unit_of_heights(crs);
    }
    if !crs.is(&PROJECTED) && !crs.is(&GEOGRAPHIC) {
        // A compound or bound CRS. Not what a projection is based on: its heights are not those of the projection.
        let is_part = |child: &&WktNode| {
            [&VERTICAL[..], &PROJECTED, &GEOGRAPHIC, &COMPOUND]
                .iter()
                .any(|kind| child.is(kind))
                || child.is(&["SOURCECRS"])
        };
        let of_part = crs.children().filter(is_part).find_map(vertical);
        if of_part.is_some() {
            return of_part;
        }
    }
    let third = crs.children().filter(|child| child.is(&["AXIS"])).nth(2);
    third
        .and_then(|axis| {
            let unit = axis.child(&LENGTH).or_else(|| crs.child(&["LENGTHUNIT"]))?;
            positive(unit.number(1)?)
        })
        .or_else(|| epsg_units(epsg(crs)?)?.vertical)
}

/// A unit by one of these keywords. Versions differ in where it stands: at the CRS, or at its axis.
fn unit(crs: &WktNode, keywords: &[&str]) -> Option<f64> {
    let unit = crs.child(keywords);
    let unit = unit.or_else(|| crs.child(&["AXIS"])?.child(keywords));
    positive(unit?.number(1)?)
}

fn unit_of_heights(crs: &WktNode) -> Option<f64> {
    let Some(unit) = unit(crs, &LENGTH) else {
        return epsg_units(epsg(crs)?)?.vertical;
    };
    // ESRI's own text has a parameter for it.
    let direction = crs
        .children()
        .find(|child| child.is(&["PARAMETER"]) && child.text(0) == Some("Direction"));
    let axis = crs.child(&["AXIS"]);
    let down = axis.and_then(|axis| axis.word(1)) == Some("DOWN")
        || direction.and_then(|direction| direction.number(1)) == Some(-1.0);
    Some(if down { -unit } else { unit })
}

fn units(crs: &WktNode) -> Units {
    if crs.is(&PROJECTED) {
        unit(crs, &LENGTH)
            .or_else(|| epsg_units(epsg(crs)?)?.horizontal)
            .map_or_else(
                || Units::Unknown("a projection without a unit of length".to_owned()),
                Units::Metres,
            )
    } else if crs.is(&GEOGRAPHIC) {
        let radians = unit(crs, &["UNIT", "ANGLEUNIT"]).unwrap_or(1_f64.to_radians());
        let ellipsoid = crs
            .descendant(&["SPHEROID", "ELLIPSOID"])
            .and_then(|e| Ellipsoid::new(e.number(1)?, e.number(2)?));
        match ellipsoid {
            Some(ellipsoid) => Units::Radians(radians, ellipsoid),
            None => Units::Unknown("longitude and latitude without an ellipsoid".to_owned()),
        }
    } else if let Some(horizontal) = crs.children().find(|child| {
        // Compound, bound and transformed systems hold the horizontal one.
        child.is(&GEOGRAPHIC) || child.is(&PROJECTED) || child.is(&["SOURCECRS"])
    }) {
        units(horizontal)
    } else {
        Units::Unknown(crs.keyword.clone())
    }
}

/// The word behind a keyword of ESRI's older `.prj` files: a keyword and a word on each line.
fn word_after(text: &str, keyword: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        words
            .next()?
            .eq_ignore_ascii_case(keyword)
            .then(|| words.next().unwrap_or_default().to_ascii_uppercase())
    })
}

/// Metres in a unit of height by such a file: its name, or how many are a metre.
fn heights_of_lines(text: &str) -> Option<f64> {
    match word_after(text, "Zunits")?.as_str() {
        "METERS" | "METRES" | "METER" | "METRE" => Some(1.0),
        "FEET" | "FOOT" => Some(0.3048),
        number => {
            let of_a_metre = number
                .parse()
                .ok()
                .filter(|&n: &f64| n > 0.0 && n.is_finite());
            of_a_metre.map(|n| 1.0 / n)
        }
    }
}

fn units_of_lines(text: &str) -> Units {
    let word_after = |keyword| word_after(text, keyword);
    match word_after("Units").as_deref() {
        Some("METERS" | "METRES" | "METER" | "METRE") => Units::Metres(1.0),
        Some("FEET" | "FOOT") => Units::Metres(US_SURVEY_FOOT),
        Some("DD") => Units::Radians(1_f64.to_radians(), Ellipsoid::WGS84),
        Some(other) => Units::Unknown(format!("units {other}")),
        None if word_after("Projection").as_deref() == Some("GEOGRAPHIC") => {
            Units::Radians(1_f64.to_radians(), Ellipsoid::WGS84)
        }
        None => Units::Unknown("a text that is no WKT".to_owned()),
    }
}

/// Metres in a unit of height by its name; none, with a note, where it is not known.
pub(super) fn length_named(name: &str, notes: &mut Vec<String>) -> Option<f64> {
    let metres = match name.trim().to_ascii_lowercase().as_str() {
        "" => return None,
        "m" | "metre" | "meter" | "metres" | "meters" => 1.0,
        "ft" | "foot" | "feet" | "international foot" => 0.3048,
        "us survey foot" | "us survey feet" | "us-ft" | "ftus" | "us_survey_foot" | "foot_us" => {
            US_SURVEY_FOOT
        }
        "km" => 1000.0,
        "dm" => 0.1,
        "cm" => 0.01,
        "mm" => 0.001,
        other => match length_by_name(other) {
            Some(unit) => unit.size,
            None => {
                notes.push(format!(
                    "unit of height {name:?} is not known: metres assumed (if not, give `vertical_scale`)"
                ));
                return None;
            }
        },
    };
    Some(metres)
}

fn positive(n: f64) -> Option<f64> {
    (n.is_finite() && n > 0.0).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTM: &str = r#"PROJCS["WGS 84 / UTM zone 11N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]],PROJECTION["Transverse_Mercator"],UNIT["metre",1],AUTHORITY["EPSG","32611"]]"#;

    #[test]
    fn well_known_text_gives_its_own_code_and_unit() {
        let crs = Crs::from_text(UTM);
        assert_eq!(crs.name, "EPSG:32611");
        assert_eq!(crs.units, Units::Metres(1.0));
        let feet = UTM.replace(r#"UNIT["metre",1]"#, r#"UNIT["ft",0.3048]"#);
        assert_eq!(Crs::from_text(&feet).units, Units::Metres(0.3048));
        let compound = format!(r#"COMPD_CS["both",{feet},VERT_CS["h",UNIT["metre",1]]]"#);
        let crs = Crs::from_text(&compound);
        assert_eq!(crs.units, Units::Metres(0.3048));
        assert_eq!(crs.name, compound);
    }

    #[test]
    fn second_edition_keeps_units_with_the_axes() {
        let crs = Crs::from_text(
            r#"PROJCRS["p",BASEGEOGCRS["b",DATUM["d",ELLIPSOID["e",6378137,298.25]]],CONVERSION["c",METHOD["m"]],CS[Cartesian,2],AXIS["x",east,LENGTHUNIT["US survey foot",0.304800609601219]],AXIS["y",north],ID["EPSG",2227]]"#,
        );
        assert_eq!(crs.name, "EPSG:2227");
        assert_eq!(crs.units, Units::Metres(0.304800609601219));
    }

    #[test]
    fn degrees_on_mars_are_shorter() {
        let mars = Crs::from_text(
            r#"GEOGCS["Mars 2000",DATUM["D",SPHEROID["S",3396190,0]],PRIMEM["R",0],UNIT["Degree",0.017453292519943295]]"#,
        );
        let mut notes = Vec::new();
        let grid = [0.0, 1.0, 0.0, 1.0, 0.0, -1.0];
        let [dx, dy] = mars.spacing(grid, [1.0, 1.0], &mut notes).unwrap();
        assert!(
            (dx - 59_274.7).abs() < 0.1 && (dy - dx).abs() < 1e-9,
            "{dx} {dy}"
        );
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn a_degree_on_wgs84_is_as_the_tables_say() {
        // A degree of latitude is 110,574 m at the equator and 111,694 m at the poles; one of
        // longitude is 111,319 m at the equator and 55,800 m at latitude 60.
        let degree = |latitude: f64| {
            Ellipsoid::WGS84
                .metres_per_radian(latitude.to_radians())
                .map(|m| (m.to_radians()).round())
        };
        assert_eq!(degree(0.0), [111_319.0, 110_574.0]);
        assert_eq!(degree(60.0)[0], 55_800.0);
        assert_eq!(degree(90.0)[1], 111_694.0);
    }

    #[test]
    fn old_prj_lines_and_nonsense() {
        let crs = Crs::from_text("Projection    GEOGRAPHIC\nUnits         DD\n");
        assert!(matches!(crs.units, Units::Radians(..)));
        let crs = Crs::from_text("Projection UTM\nZone 11\nUnits METERS\n");
        assert_eq!(crs.units, Units::Metres(1.0));
        assert!(matches!(Crs::from_text("[[").units, Units::Unknown(_)));
        assert!(matches!(Crs::from_text("").units, Units::Unknown(_)));
    }

    #[test]
    fn a_pole_at_the_centre_has_no_spacing() {
        let grid = [0.0, 1.0, 0.0, 91.0, 0.0, -1.0];
        assert!(
            Crs::wgs84()
                .spacing(grid, [1.0, 1.0], &mut Vec::new())
                .is_err()
        );
    }
}
