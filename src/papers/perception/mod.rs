//! Perception-based filtering: who is large enough on whose screen to be told of; observers and targets are read from
//! files of comma-separated values.
//!
//! An observer perceives what covers at least so many pixels of the screen in its longest direction. Distances are in
//! the unit of the targets' radii, angles in radians.

mod distance;
mod radii;

use std::collections::HashSet;

pub use distance::{Observer, ObserverError};
pub use radii::{Avatar, Optimum, PairSum, Radii, distances, least_squares, radii};

/// What can be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The radius of the sphere around it.
    pub radius: f64,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected there, what was found.
    pub message: String,
}

/// A named row, and how many there are of it.
pub(super) type Row<T> = (String, f64, T);

/// Reads observers: columns `name`, `fov` (degrees across the screen), `screen` (pixels across) and
/// `pixels` (the threshold), in any order; `height` (pixels from top to bottom) is as many as across
/// unless told, `count` is 1.
///
/// # Errors
///
/// The first line that is wrong.
pub fn read_observers(text: &str) -> Result<Vec<Row<Observer>>, TableError> {
    read(
        text,
        &["name", "fov", "screen", "pixels"],
        &["height"],
        |row| {
            let across = row.pixels("screen")?;
            let down = if row.has("height") {
                row.pixels("height")?
            } else {
                across
            };
            let (degrees, threshold) = (row.number("fov")?, row.number("pixels")?);
            Observer::new(degrees, [across, down], threshold).map_err(|error| error.to_string())
        },
    )
}

/// Reads targets: columns `name` and `radius`; `count` is 1 unless told.
///
/// # Errors
///
/// The first line that is wrong.
pub fn read_targets(text: &str) -> Result<Vec<Row<Target>>, TableError> {
    read(text, &["name", "radius"], &[], |row| {
        let radius = row.number("radius")?;
        if radius > 0.0 && radius.is_finite() {
            Ok(Target { radius })
        } else {
            Err(format!("expected a radius above 0, found {radius}"))
        }
    })
}

/// A line by the names of its columns.
struct Fields<'t> {
    columns: &'t [&'t str],
    fields: Vec<&'t str>,
}

impl Fields<'_> {
    fn get(&self, column: &str) -> Option<&str> {
        let at = self.columns.iter().position(|name| *name == column)?;
        self.fields.get(at).copied()
    }

    fn has(&self, column: &str) -> bool {
        self.get(column).is_some()
    }

    fn number(&self, column: &str) -> Result<f64, String> {
        let found = self.get(column).unwrap_or("");
        let wrong = |_| format!("expected a number in column {column}, found `{found}`");
        found.parse().map_err(wrong)
    }

    fn pixels(&self, column: &str) -> Result<u32, String> {
        let found = self.get(column).unwrap_or("");
        let wrong = |_| format!("expected whole pixels in column {column}, found `{found}`");
        found.parse().map_err(wrong)
    }
}

fn read<T>(
    text: &str,
    required: &[&str],
    optional: &[&str],
    parse: impl Fn(&Fields<'_>) -> Result<T, String>,
) -> Result<Vec<Row<T>>, TableError> {
    let fail = |line: usize, message: String| TableError { line, message };
    let mut lines = (1..).zip(text.lines());
    let header = lines.next().map_or("", |(_, header)| header);
    let header = header.trim_start_matches('\u{feff}');
    let columns: Vec<&str> = header.split(',').map(str::trim).collect();
    for column in required {
        if !columns.contains(column) {
            let message = format!("expected the column `{column}`, found `{header}`");
            return Err(fail(1, message));
        }
    }
    let known = |column: &str| {
        column == "count" || required.contains(&column) || optional.contains(&column)
    };
    if let Some(column) = columns.iter().find(|column| !known(column)) {
        let message = format!(
            "expected columns {}, count, found `{column}`",
            [required, optional].concat().join(", ")
        );
        return Err(fail(1, message));
    }
    let mut names = HashSet::new();
    let mut rows = Vec::new();
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if fields.len() != columns.len() {
            let message = format!("expected {} fields, found {}", columns.len(), fields.len());
            return Err(fail(line, message));
        }
        let row = Fields {
            columns: &columns,
            fields,
        };
        let name = row.get("name").unwrap_or("").to_owned();
        if name.is_empty() || !names.insert(name.clone()) {
            let message = format!("expected a name of its own, found `{name}`");
            return Err(fail(line, message));
        }
        let count = if row.has("count") {
            row.number("count").map_err(|message| fail(line, message))?
        } else {
            1.0
        };
        if !(count > 0.0 && count.is_finite()) {
            let message = format!("expected a count above 0, found {count}");
            return Err(fail(line, message));
        }
        let value = parse(&row).map_err(|message| fail(line, format!("{name}: {message}")))?;
        rows.push((name, count, value));
    }
    if rows.is_empty() {
        return Err(fail(
            2,
            "expected at least one row below the header, found none".into(),
        ));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_be_in_any_order() {
        let rows = read_observers("pixels,name,fov,screen,count\n2,person,120,1024,3\n").unwrap();
        let observer = Observer::new(120.0, [1024, 1024], 2.0).unwrap();
        assert_eq!(rows, [("person".into(), 3.0, observer)]);
        let rows = read_targets("name,radius\ntruck,2.5\n").unwrap();
        assert_eq!(rows, [("truck".into(), 1.0, Target { radius: 2.5 })]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let faults = [
            ("name,fov,screen\n", 1, "`pixels`"),
            ("name,fov,screen,pixels,colour\n", 1, "colour"),
            ("name,fov,screen,pixels\n", 2, "at least one"),
            ("name,fov,screen,pixels\na,90,100\n", 2, "4 fields"),
            ("name,fov,screen,pixels\na,180,100,1\n", 2, "field of view"),
            ("name,fov,screen,pixels\na,0,100,1\n", 2, "field of view"),
            ("name,fov,screen,pixels\na,90,0,1\n", 2, "at least a pixel"),
            ("name,fov,screen,pixels\na,90,100,0\n", 2, "more than 0"),
            ("name,fov,screen,pixels\na,x,100,1\n", 2, "column fov"),
            (
                "name,fov,screen,pixels\na,90,1,1\na,90,1,1\n",
                3,
                "of its own",
            ),
            ("name,fov,screen,pixels,count\na,90,1,1,0\n", 2, "a count"),
        ];
        for (text, line, words) in faults {
            let error = read_observers(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(words), "{error}");
        }
        let error = read_targets("name,radius\nb,0\n").unwrap_err();
        assert!(error.message.contains("above 0"), "{error}");
    }
}
