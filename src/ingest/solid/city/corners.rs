//! Vertices of CityJSON: scaled to metres; those of templates, where these are placed.

use serde_json::Value;

use crate::error::IngestError;
use crate::world::solid::Point;

pub(super) const REMEDY: &str = "the file is damaged: fetch or export it again";

/// How stored integers become coordinates.
pub(super) struct Transform {
    scale: Point,
    translate: Point,
    /// Metres in a unit of each axis.
    metres: Point,
}

impl Transform {
    pub(super) fn of(file: &Value, metres: Point) -> Result<Self, IngestError> {
        let part = |name: &str, otherwise: Point| match &file["transform"] {
            Value::Null => Ok(otherwise),
            transform => numbers(&transform[name])
                .ok_or_else(|| wrong(&transform[name]).at(format!("transform, {name}"))),
        };
        Ok(Self {
            scale: part("scale", [1.0; 3])?,
            translate: part("translate", [0.0; 3])?,
            metres,
        })
    }

    pub(super) fn vertices(&self, stored: &Value) -> Result<Vec<Point>, IngestError> {
        let place = |[x, y, z]: Point| {
            let ([a, b, c], [d, e, f]) = (self.scale, self.translate);
            in_metres([a * x + d, b * y + e, c * z + f], self.metres)
        };
        let vertices = triples(stored, "vertex")?;
        Ok(vertices.into_iter().map(place).collect())
    }
}

/// The corners of templates, which are no integers.
pub(super) fn template_corners(stored: &Value, metres: Point) -> Result<Vec<Point>, IngestError> {
    let corners = triples(stored, "vertex of templates")?;
    Ok(corners
        .into_iter()
        .map(|at| in_metres(at, metres))
        .collect())
}

fn in_metres([x, y, z]: Point, [a, b, c]: Point) -> Point {
    [a * x, b * y, c * z]
}

fn triples(stored: &Value, what: &str) -> Result<Vec<Point>, IngestError> {
    let stored = stored
        .as_array()
        .ok_or_else(|| IngestError::bad("vertices", "none", REMEDY))?;
    let one = |(i, vertex): (usize, &Value)| {
        numbers(vertex).ok_or_else(|| wrong(vertex).at(format!("{what} {i}")))
    };
    stored.iter().enumerate().map(one).collect()
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    numbers?.try_into().ok()
}

fn wrong(found: &Value) -> IngestError {
    IngestError::bad(
        "three numbers",
        format!("{:.40}", found.to_string()),
        REMEDY,
    )
}

/// Corners by their numbers, where they are.
pub(super) struct Corners<'a> {
    of: &'a [Point],
    placement: Option<Placement>,
}

/// Where an instance of a template is.
struct Placement {
    /// Three rows of three.
    rows: [Point; 3],
    origin: Point,
}

impl<'a> Corners<'a> {
    pub(super) fn of(vertices: &'a [Point]) -> Self {
        Self {
            of: vertices,
            placement: None,
        }
    }

    /// Corners of a template, turned and moved by a matrix of 16 numbers, row by row, and then to an origin.
    pub(super) fn placed(
        of: &'a [Point],
        matrix: &Value,
        origin: Point,
    ) -> Result<Self, IngestError> {
        let affine = numbers::<16>(matrix).filter(|m| m[12..] == [0.0, 0.0, 0.0, 1.0]);
        let m = affine.ok_or_else(|| {
            let expected = "a transformationMatrix of 16 numbers, the last four 0, 0, 0, 1";
            IngestError::bad(expected, format!("{:.80}", matrix.to_string()), REMEDY)
        })?;
        Ok(Self {
            of,
            placement: Some(Placement {
                rows: [[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]],
                origin: [origin[0] + m[3], origin[1] + m[7], origin[2] + m[11]],
            }),
        })
    }

    pub(super) fn get(&self, index: &Value) -> Result<Point, IngestError> {
        let found = index
            .as_u64()
            .and_then(|index| self.of.get(usize::try_from(index).ok()?));
        let &[x, y, z] = found.ok_or_else(|| {
            let expected = format!("numbers of {} vertices", self.of.len());
            IngestError::bad(expected, format!("{:.40}", index.to_string()), REMEDY)
        })?;
        Ok(match &self.placement {
            None => [x, y, z],
            Some(Placement { rows, origin }) => {
                let along = |[a, b, c]: Point| a * x + b * y + c * z;
                [0, 1, 2].map(|k| along(rows[k]) + origin[k])
            }
        })
    }

    /// The corners of a ring, anticlockwise seen from the front.
    pub(super) fn ring(&self, ring: &[Value]) -> Result<Vec<Point>, IngestError> {
        let corners: Result<Vec<Point>, IngestError> =
            ring.iter().map(|index| self.get(index)).collect();
        let mut corners = corners?;
        if self.placement.as_ref().is_some_and(Placement::mirrors) {
            corners.reverse();
        }
        Ok(corners)
    }
}

impl Placement {
    fn mirrors(&self) -> bool {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
