//! Tables of observers for viewsheds: CSV (RFC 4180, also with semicolons or tabs) and GeoJSON (RFC 7946), a point each.
//!
//! Names of columns, or of a feature's properties, are those that GIS people write, in any case and with any of ` `, `_`
//! and `-` between words. Those of ArcGIS's visibility tools and of the QGIS plugin Visibility Analysis are among them.
//! Columns of other names are named in a note, an empty field is as none.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::error::IngestError;
use super::source::plain_file;

/// Most bytes of a table. [Unit: bytes]
const MOST: u64 = 256 << 20;

/// How the position of an observer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceUnit {
    /// Column and row.
    Samples,
    /// Metres east and south of the north-western sample.
    Metres,
    /// Longitude and latitude in degrees.
    Degrees,
    /// X and Y in the heightmap's coordinate reference system.
    Map,
}

/// An observer as a table has it; what it does not say is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct ObserverRow {
    /// Where in the file it stands: a line or a feature.
    pub origin: String,
    /// What it is called.
    pub name: Option<String>,
    /// Its position.
    pub place: ([f64; 2], PlaceUnit),
    /// Height of the eye above ground. [Unit: m]
    pub eye: Option<f64>,
    /// Height of the heads that are looked for. [Unit: m]
    pub head: Option<f64>,
    /// The least and the greatest distance of what is seen. [Unit: m]
    pub radius: [Option<f64>; 2],
    /// From which azimuth clockwise to which. [Unit: degrees from north]
    pub azimuth: [Option<f64>; 2],
    /// The least and the greatest angle above the horizontal. [Unit: degrees]
    pub tilt: [Option<f64>; 2],
}

/// A table of observers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObserverTable {
    /// The observers, in the order of the file.
    pub rows: Vec<ObserverRow>,
    /// What was not read.
    pub notes: Vec<String>,
    /// The coordinate reference system of the positions, where the file names one: `EPSG:n`, or its own words.
    pub crs: Option<String>,
}

/// What a column means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    First(PlaceUnit),
    Second(PlaceUnit),
    Name,
    Eye,
    Head,
    Radius(usize),
    Azimuth(usize),
    Tilt(usize),
    /// Something that would change the answer, and is not known here.
    Unknown(&'static str),
}

/// The names of columns in lower case, without what stands between words.
const NAMES: &[(&[&str], Field)] = &[
    (&["x", "easting"], Field::First(PlaceUnit::Map)),
    (&["y", "northing"], Field::Second(PlaceUnit::Map)),
    (
        &["lon", "long", "lng", "longitude"],
        Field::First(PlaceUnit::Degrees),
    ),
    (&["lat", "latitude"], Field::Second(PlaceUnit::Degrees)),
    (&["col", "column"], Field::First(PlaceUnit::Samples)),
    (&["row"], Field::Second(PlaceUnit::Samples)),
    (&["east"], Field::First(PlaceUnit::Metres)),
    (&["south"], Field::Second(PlaceUnit::Metres)),
    (&["name", "label", "id", "fid"], Field::Name),
    (
        &[
            "eye",
            "eyeheight",
            "observerheight",
            "height",
            "offseta",
            "observhgt",
        ],
        Field::Eye,
    ),
    (
        &[
            "player",
            "playerheight",
            "target",
            "targetheight",
            "offsetb",
            "targethgt",
        ],
        Field::Head,
    ),
    (
        &["minradius", "mindistance", RADIUS1, "radiusin"],
        Field::Radius(0),
    ),
    (
        &["radius", "maxradius", "maxdistance", "distance", RADIUS2],
        Field::Radius(1),
    ),
    (&["azimuthfrom", "azimuth1", "azim1"], Field::Azimuth(0)),
    (&["azimuthto", "azimuth2", "azim2"], Field::Azimuth(1)),
    (
        &["tiltfrom", "mintilt", "vert2", "angledown"],
        Field::Tilt(0),
    ),
    (&["tiltto", "maxtilt", "vert1", "angleup"], Field::Tilt(1)),
    (
        &["spot"],
        Field::Unknown(
            "heights of eyes above ground, in a column eye, in place of those above sea level",
        ),
    ),
];

/// ArcGIS's distances: below 0 they are horizontal, as all are here; above it they are along the line of sight.
const RADIUS1: &str = "radius1";
const RADIUS2: &str = "radius2";

/// What to do about a table whose columns are not known.
const COLUMNS: &str = "name two columns x and y (in the coordinate reference system of the heightmap), lon and lat, column \
                       and row, or east and south (metres from the north-western sample)";

/// A column's name in lower case, without what stands between words.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}

fn field(name: &str) -> Option<Field> {
    let plain = plain(name);
    let known = NAMES
        .iter()
        .find(|(names, _)| names.contains(&plain.as_str()));
    known.map(|(_, field)| *field)
}

/// Reads a table of observers, which has at least one.
///
/// # Errors
///
/// [`IngestError`] for a file that cannot be read, is no such table, or has a field that is no number.
pub fn read_observers(path: &Path) -> Result<ObserverTable, IngestError> {
    let table = text_of(path).and_then(|text| {
        let text = text.trim_start_matches('\u{feff}');
        let table = if text.trim_start().starts_with(['{', '[']) {
            of_geojson(text)
        } else {
            of_csv(text)
        }?;
        if table.rows.is_empty() {
            let remedy = "add a line, or a feature, for each observer";
            return Err(IngestError::bad("observers", "a table without any", remedy));
        }
        Ok(table)
    });
    table.map_err(|error| error.about(path))
}

/// Notes of columns that were not read, and of distances that ArcGIS measures otherwise.
fn notes_of<'a>(names: impl IntoIterator<Item = &'a String>, rows: &[ObserverRow]) -> Vec<String> {
    const SHOWN: usize = 20;
    let (mut unread, mut radius) = (Vec::new(), None);
    for name in names {
        if plain(name) == RADIUS2 {
            radius = Some(name.trim());
        }
        if field(name).is_none() && !name.trim().is_empty() {
            unread.push(name.trim());
        }
    }
    let mut notes = Vec::new();
    if !unread.is_empty() {
        let more = match unread.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        unread.truncate(SHOWN);
        notes.push(format!(
            "columns of the observers that were not read: {}{more}",
            unread.join(", ")
        ));
    }
    if let Some(name) = radius.filter(|_| rows.iter().any(|row| row.radius[1].is_some())) {
        notes.push(format!(
            "distances of the column {name} are taken as horizontal; those that ArcGIS measures along the line of sight \
             end a little nearer"
        ));
    }
    notes
}

/// The text of a file.
fn text_of(path: &Path) -> Result<String, IngestError> {
    let bytes = plain_file(path, "a table of observers", MOST)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let remedy = "save the table as UTF-8";
        IngestError::bad("UTF-8 text", "other bytes", remedy).at(format!("line {line}"))
    })
}

/// The lines of a table with commas, semicolons or tabs, whichever its head has most of.
fn of_csv(text: &str) -> Result<ObserverTable, IngestError> {
    let head = text.lines().next().unwrap_or("");
    let separator = [',', ';', '\t']
        .into_iter()
        .max_by_key(|c| (head.matches(*c).count(), *c == ','))
        .unwrap_or(',');
    let mut records = records(text, separator)?.into_iter();
    let (line, head) = records.next().unwrap_or((1, Vec::new()));
    let origin = format!("line {line}");
    let fields: Vec<Option<Field>> = head.iter().map(|name| field(name)).collect();
    let columns = Columns::new(&head, &fields).map_err(|error| error.at(&origin))?;
    let mut rows = Vec::new();
    for (line, values) in records {
        let origin = format!("line {line}");
        if values.len() != head.len() {
            return Err(IngestError::bad(
                format!("{} fields, as in line 1", head.len()),
                values.len().to_string(),
                "give each observer a field for each column, in quotes if it has a separator in it",
            )
            .at(origin));
        }
        let value = |column: usize| Some(values[column].trim()).filter(|text| !text.is_empty());
        rows.push(columns.row(origin, |column| value(column).map(str::to_owned))?);
    }
    Ok(ObserverTable {
        notes: notes_of(&head, &rows),
        rows,
        crs: None,
    })
}

/// The records of a table, each with the number of the line on which it begins; without empty lines.
fn records(text: &str, separator: char) -> Result<Vec<(usize, Vec<String>)>, IngestError> {
    let mut records = Vec::new();
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut line, mut first, mut quoted) = (1, 1, false);
    let mut chars = text.chars().peekable();
    loop {
        let c = chars.next();
        match c {
            Some('"') if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            Some('"') if quoted || field.trim().is_empty() => {
                if !quoted {
                    field.clear();
                }
                quoted = !quoted;
            }
            None if quoted => {
                let remedy = "close the quotes, or double a \" that is meant";
                let error = IngestError::bad("a closing \"", "the end of the file", remedy);
                return Err(error.at(format!("line {first}")));
            }
            Some('\n') | None if !quoted => {
                fields.push(std::mem::take(&mut field));
                let record = std::mem::take(&mut fields);
                if record.iter().any(|field| !field.trim().is_empty()) {
                    records.push((first, record));
                }
                line += 1;
                first = line;
                if c.is_none() {
                    return Ok(records);
                }
            }
            Some(c) if c == separator && !quoted => fields.push(std::mem::take(&mut field)),
            Some(c) => {
                line += usize::from(c == '\n');
                field.push(c);
            }
            None => return Ok(records),
        }
    }
}

/// Which column holds what.
struct Columns {
    place: [(usize, PlaceUnit); 2],
    known: Vec<(usize, Field, String)>,
}

impl Columns {
    fn new(names: &[String], fields: &[Option<Field>]) -> Result<Self, IngestError> {
        let mut known: Vec<(usize, Field, String)> = Vec::new();
        for (column, (name, field)) in names.iter().zip(fields).enumerate() {
            let Some(field) = *field else {
                continue;
            };
            if let Field::Unknown(expected) = field {
                let remedy = "rename the column, or leave it out";
                return Err(IngestError::bad(
                    expected,
                    format!("a column {name:?}"),
                    remedy,
                ));
            }
            match known.iter().find(|(_, there, _)| *there == field) {
                // More than one may be a name: the first is.
                Some(_) if field == Field::Name => {}
                Some((_, _, other)) => {
                    let found = format!("{other:?} and {name:?}");
                    let remedy = "rename one of the two";
                    return Err(IngestError::bad("one column of a meaning", found, remedy));
                }
                None => known.push((column, field, name.clone())),
            }
        }
        let find = |wanted: Field| known.iter().find(|(_, field, _)| *field == wanted);
        let units = [
            PlaceUnit::Map,
            PlaceUnit::Degrees,
            PlaceUnit::Samples,
            PlaceUnit::Metres,
        ];
        let mut pairs = units.into_iter().filter_map(|unit| {
            let (x, y) = (find(Field::First(unit))?, find(Field::Second(unit))?);
            Some([(x.0, unit), (y.0, unit)])
        });
        let place = pairs.next().ok_or_else(|| {
            let shown: Vec<&str> = names.iter().map(|name| name.trim()).take(20).collect();
            let found = if shown.iter().all(|name| name.is_empty()) {
                "no names of columns".to_owned()
            } else {
                format!("the columns {}", shown.join(", "))
            };
            IngestError::bad("columns of positions", found, COLUMNS)
        })?;
        if pairs.next().is_some() {
            let remedy = "leave one of the two pairs of columns out";
            return Err(IngestError::bad(
                "one pair of columns of positions",
                "two",
                remedy,
            ));
        }
        Ok(Self { place, known })
    }

    /// An observer of which `value` has the text of a column, or `None`.
    fn row(
        &self,
        origin: String,
        value: impl Fn(usize) -> Option<String>,
    ) -> Result<ObserverRow, IngestError> {
        let number = |column: usize| {
            let Some(text) = value(column) else {
                return Ok(None);
            };
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            let name = self.known.iter().find(|(at, ..)| *at == column);
            let name = name.map_or("", |(_, _, name)| name.trim());
            // What was found is not to fill the screen.
            let shown: String = text.chars().take(60).collect();
            let remedy = "write numbers with a point, and without units";
            let wrong =
                || IngestError::bad(format!("a number as {name}"), format!("{shown:?}"), remedy);
            number.map(Some).ok_or_else(|| wrong().at(&origin))
        };
        let of = |wanted: Field| {
            let column = self.known.iter().find(|(_, field, _)| *field == wanted);
            column.map_or(Ok(None), |(column, ..)| number(*column))
        };
        let metres = |index: usize| {
            let wanted = Field::Radius(index);
            let column = self.known.iter().find(|(_, field, _)| *field == wanted);
            let is_arcgis =
                column.is_some_and(|(.., name)| [RADIUS1, RADIUS2].contains(&&*plain(name)));
            match of(wanted)? {
                Some(metres) if is_arcgis && metres < 0.0 => Ok(Some(-metres)),
                // A ring along the line of sight hides less than a horizontal one.
                Some(metres) if is_arcgis && index == 0 && metres > 0.0 => Err(IngestError::bad(
                    "RADIUS1 below 0, which ArcGIS measures horizontally",
                    format!("{metres}, which is along the line of sight"),
                    format!("write -{metres}, or name the column min_radius"),
                )
                .at(&origin)),
                metres => Ok(metres),
            }
        };
        let two = |make: fn(usize) -> Field| Ok::<_, IngestError>([of(make(0))?, of(make(1))?]);
        let [(x, unit), (y, _)] = self.place;
        let [Some(x), Some(y)] = [number(x)?, number(y)?] else {
            let remedy = "fill in the position, or leave the observer out";
            return Err(IngestError::bad("two coordinates", "an empty field", remedy).at(origin));
        };
        let name = self
            .known
            .iter()
            .find(|(_, field, _)| *field == Field::Name);
        Ok(ObserverRow {
            name: name.and_then(|(column, ..)| value(*column)),
            place: ([x, y], unit),
            eye: of(Field::Eye)?,
            head: of(Field::Head)?,
            radius: [metres(0)?, metres(1)?],
            azimuth: two(Field::Azimuth)?,
            tilt: two(Field::Tilt)?,
            origin,
        })
    }
}

/// The points of a collection of features.
fn of_geojson(text: &str) -> Result<ObserverTable, IngestError> {
    let document: Value = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        IngestError::bad("GeoJSON", error.to_string(), "export the file again").at(place)
    })?;
    let features = document
        .get("features")
        .and_then(Value::as_array)
        .ok_or_else(|| {
            let kind = document.get("type").and_then(Value::as_str);
            let found = kind.map_or("another document".to_owned(), |kind| format!("a {kind}"));
            IngestError::bad(
                "a FeatureCollection of points",
                found,
                "export the observers as GeoJSON features, one a point",
            )
        })?;
    let mut rows = Vec::new();
    for (i, feature) in features.iter().enumerate() {
        let origin = format!("feature {}", i + 1);
        rows.push(of_feature(feature, origin.clone()).map_err(|error| error.at(origin))?);
    }
    let properties = features
        .iter()
        .filter_map(|feature| feature["properties"].as_object());
    let names: BTreeSet<&String> = properties
        .flat_map(|properties| properties.keys())
        .collect();
    let mut notes = notes_of(names, &rows);
    let has_third = |feature: &&Value| {
        let position = feature["geometry"]["coordinates"].as_array();
        position.is_some_and(|position| position.len() > 2)
    };
    let third = features.iter().filter(has_third).count();
    if third > 0 {
        notes.push(format!(
            "the third coordinates of {third} observers were not read: their eyes are above the ground, by a property eye"
        ));
    }
    Ok(ObserverTable {
        rows,
        notes,
        crs: document["crs"]["properties"]["name"]
            .as_str()
            .map(crs_named),
    })
}

/// `EPSG:n` of a name such as `urn:ogc:def:crs:EPSG::32633`; other names as they are.
fn crs_named(name: &str) -> String {
    let words: Vec<&str> = name.split(':').collect();
    match words[..] {
        [.., authority, _, code] | [authority, code] if authority.eq_ignore_ascii_case("EPSG") => {
            format!("EPSG:{code}")
        }
        // Longitude and latitude of WGS 84, in the order of GeoJSON.
        [.., "CRS84"] => "EPSG:4326".to_owned(),
        _ => name.to_owned(),
    }
}

fn of_feature(feature: &Value, origin: String) -> Result<ObserverRow, IngestError> {
    let geometry = &feature["geometry"];
    let kind = geometry["type"].as_str().unwrap_or("no geometry");
    let position = geometry["coordinates"].as_array().map(Vec::as_slice);
    let (Some([x, y, ..]), "Point") = (position, kind) else {
        let remedy = "make a point of each observer";
        return Err(IngestError::bad("a Point", kind, remedy));
    };
    let nothing = serde_json::Map::new();
    let properties = feature["properties"].as_object().unwrap_or(&nothing);
    // The coordinates are two columns more; others that say the same are left alone.
    let is_position = |name: &str| matches!(field(name), Some(Field::First(_) | Field::Second(_)));
    let (mut names, mut values) = (vec!["x".to_owned(), "y".to_owned()], vec![x, y]);
    for (name, value) in properties.iter().filter(|(name, _)| !is_position(name)) {
        names.push(name.clone());
        values.push(value);
    }
    let fields: Vec<Option<Field>> = names.iter().map(|name| field(name)).collect();
    let text = |column: usize| match values[column] {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    };
    Columns::new(&names, &fields)?.row(origin, text)
}
