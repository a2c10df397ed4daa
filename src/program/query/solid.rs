//! Questions to a bundle of a solid level.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::output::{Json, say};
use viewcell::query::{Extent, SolidBundle};

use super::lines;
use super::place::GivenPlace;

/// What `viewcell query visible --json` prints for solid levels.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible, solid levels")]
pub struct SolidVisibleDocument {
    /// The view cell that sees; null if the position is in none.
    a: Option<u32>,
    /// The view cell that is looked at; null if the position is in none.
    b: Option<u32>,
    /// How far each may move, in units of its positions; absent if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<[f64; 2]>,
    /// Whether anybody in b may be seen from a.
    visible: bool,
}

/// What `viewcell query pvs --json` prints for solid levels.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs, solid levels")]
pub struct SolidPvsDocument {
    /// The view cell that looks.
    cell: u32,
    /// Number of cells seen, itself among them.
    visible: u32,
    /// Number of cells hidden.
    hidden: u32,
    /// The cells seen, in Morton order.
    cells: Vec<u32>,
}

/// What `viewcell query locate --json` prints for solid levels.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query locate, solid levels")]
pub struct SolidLocateDocument {
    /// The position of a player's origin.
    point: [f64; 3],
    /// The view cell that contains it; null outside all cells.
    cell: Option<u32>,
    /// The positions that the cell contains.
    bounds: Option<[[f64; 3]; 2]>,
}

/// A place in a solid level.
#[derive(Clone, Copy)]
enum Where {
    Cell(u32),
    Point([f64; 3]),
}

impl Where {
    fn of(path: &Path, level: &SolidBundle, place: GivenPlace) -> Result<Self, Failure> {
        match place {
            GivenPlace::Cell(cell) if cell < level.cells() => Ok(Self::Cell(cell)),
            GivenPlace::Cell(cell) => Err(Failure::usage(format!(
                "cell {cell} is not in {}: expected 0 to {}",
                path.display(),
                level.cells() - 1
            ))),
            GivenPlace::Point(point) => Ok(Self::Point(point)),
            place => Err(Failure::usage(format!(
                "{place}: expected X,Y,Z or the number of a cell, since {} is of a solid level",
                path.display()
            ))),
        }
    }

    /// The cell.
    fn cell(self, level: &SolidBundle) -> Option<u32> {
        match self {
            Self::Cell(cell) => Some(cell),
            Self::Point(point) => level.locate(point),
        }
    }

    /// Where somebody may reach who is at a position, or anywhere in a cell.
    fn region(self, level: &SolidBundle, reach: f64) -> Extent {
        match self {
            Self::Point(point) => Extent::ball(point, reach),
            Self::Cell(cell) => level.positions_within(cell, reach),
        }
    }
}

/// The cell that a place is, or is in.
pub fn cell_at(path: &Path, level: &SolidBundle, place: GivenPlace) -> Result<u32, Failure> {
    Where::of(path, level, place)?.cell(level).ok_or_else(|| {
        Failure::usage(format!(
            "{place} is in no view cell of {}: a player there may see all",
            path.display()
        ))
    })
}

/// Whether a player at `a` may see one at `b`, now or on paths of up to `reach`.
fn may_see(level: &SolidBundle, [a, b]: [Where; 2], reach: Option<[f64; 2]>) -> bool {
    match reach {
        Some(reach) => {
            let [of_a, of_b] = reach;
            may_see(level, [a, b], None)
                || level.sees_region(&a.region(level, of_a), &b.region(level, of_b))
        }
        None => match (a.cell(level), b.cell(level)) {
            (Some(a), Some(b)) => level.visible(a, b),
            _ => true,
        },
    }
}

pub fn visible(
    path: &Path,
    level: &SolidBundle,
    places: [GivenPlace; 2],
    reach: Option<[f64; 2]>,
    json: &Json,
) -> Outcome {
    let [a, b] = places;
    let both = [Where::of(path, level, a)?, Where::of(path, level, b)?];
    let visible = may_see(level, both, reach);
    let [a, b] = both.map(|place| place.cell(level));
    for (place, _) in places.iter().zip([a, b]).filter(|(_, cell)| cell.is_none()) {
        say(format_args!(
            "{place} is in no view cell of {}: who is there sees all and is seen by all; if players can be there, bake with \
             --reach {place} in a file",
            path.display()
        ));
    }
    let document = || SolidVisibleDocument {
        a,
        b,
        reach,
        visible,
    };
    json.tell(document, if visible { "visible" } else { "hidden" })
}

/// Answers lines of six numbers, two positions, or of two numbers of cells; says how many positions are in no cell.
pub fn visible_pairs(
    level: &SolidBundle,
    file: &Path,
    reach: Option<[f64; 2]>,
    json: &Json,
) -> Outcome {
    let mut places = [0, 0];
    let outcome = lines::answer_visible(file, json, &mut places, |line| {
        let both = match lines::parse_points(line) {
            Some(points) => points.map(Where::Point),
            None => lines::parse_cells_or(line, level.cells(), lines::POINTS)?.map(Where::Cell),
        };
        let nowhere = both.iter().filter(|at| at.cell(level).is_none());
        Ok((may_see(level, both, reach), nowhere.count() as u64))
    })?;
    let [nowhere, places] = places;
    if nowhere > 0 {
        let doubt = if 2 * nowhere > places {
            "; is the bundle of another level?"
        } else {
            ""
        };
        say(format_args!(
            "{nowhere} of {places} positions are in no view cell: they see all and are seen by all{doubt}"
        ));
    }
    Ok(outcome)
}

pub fn pvs(path: &Path, level: &SolidBundle, place: GivenPlace, json: &Json) -> Outcome {
    let cell = cell_at(path, level, place)?;
    let cells: Vec<u32> = level.visible_cells(cell).collect();
    let visible = cells.len() as u32;
    let hidden = level.cells() - visible;
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(level.cells());
    let text = format!(
        "cell     {cell:>12}\nvisible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %",
        share(visible),
        share(hidden),
    );
    let document = || SolidPvsDocument {
        cell,
        visible,
        hidden,
        cells,
    };
    json.tell(document, text)
}

pub fn locate(level: &SolidBundle, point: [f64; 3], json: &Json) -> Outcome {
    let cell = level.locate(point);
    let bounds = cell.and_then(|cell| level.bounds(cell));
    let document = || SolidLocateDocument {
        point,
        cell,
        bounds,
    };
    let words = cell.map_or("nowhere".into(), |cell| cell.to_string());
    json.tell(document, words)
}
