//! What a person should know of a solid level before it is baked: where it lies, who plays in it, how many view cells it has.

use std::path::Path;

use super::error::PlanError;
use viewcell_ingest::IngestError;
use viewcell_ingest::world::Short;
use viewcell_ingest::world::solid::{Aabb, Places, Player, Point, SceneObject, SolidLevel, Units};

/// Where a level lies and whose body and eyes are baked, and whether its unit is an unlikely one.
pub(super) fn notes_of_level(level: &SolidLevel, player: &Player) -> Vec<String> {
    // One of nothing has no bounds, of which its reader has told.
    if !level.bounds().size().iter().all(|size| size.is_finite()) {
        return Vec::new();
    }
    let mut notes = vec![lies(level, player)];
    notes.extend(scale_warning(level));
    notes
}

/// How many view cells were found, who was left out, and whether players seem to be where they should not.
pub fn notes_of_places(level: &SolidLevel, places: &Places) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(first) = places.outside.first() {
        notes.push(format!(
            "{} positions of players are outside of `within`, the first at {}: left out",
            places.outside.len(),
            at(level, first),
        ));
    }
    if let Some(first) = places.buried.first() {
        notes.push(format!(
            "{} positions of players are inside solids, the first at {}: no space was searched from there",
            places.buried.len(),
            at(level, first),
        ));
    }
    if let Some(first) = places.pockets.first() {
        notes.push(format!(
            "warning: from {} positions of players next to nothing can be reached, the first at {}: is it in a pocket that \
             is closed all around? Leave it out, or give one in the open with `reach`",
            places.pockets.len(),
            at(level, first),
        ));
    }
    notes.extend(shut_in(level, places));
    notes.extend(leak(level, places));
    notes.push(format!(
        "{} view cells between {} solids and {} faces",
        places.cells.len(),
        level.solids.len(),
        level.faces.len()
    ));
    notes
}

/// Bytes of the names of all objects, at most.
const MOST_NAMES: usize = 1 << 28;

/// How many objects a scene has, and what cannot be culled of it.
///
/// # Errors
///
/// A scene without one, or with names that no bundle has room for.
pub(super) fn told_of_objects(path: &Path, objects: &[SceneObject]) -> Result<String, PlanError> {
    let bad = |error: IngestError| Err(error.about(path).into());
    let Some(most) = objects.iter().max_by_key(|of| of.triangles) else {
        let expected = "objects: nodes with a mesh that is drawn (glTF), or groups (OBJ)";
        let remedy = "export what is drawn, with its names";
        return bad(IngestError::bad(expected, "none", remedy));
    };
    let names: usize = objects.iter().map(|of| of.path.len()).sum();
    if names > MOST_NAMES {
        let expected = format!("at most {MOST_NAMES} bytes of paths of objects");
        return bad(IngestError::resource(
            expected,
            names.to_string(),
            "shorten their names",
        ));
    }
    let always = objects.iter().filter(|of| of.parts.is_empty()).count();
    let parts: usize = objects.iter().map(|of| of.parts.len()).sum();
    let triangles: u64 = objects.iter().map(|of| u64::from(of.triangles)).sum();
    let count = objects.len();
    let mut note = format!("{count} objects of {triangles} triangles, in {parts} parts");
    if always > 0 {
        note += &format!(
            "; {always} are always drawn, since they may move, have a skin, or are more than triangles"
        );
    }
    if 2 * u64::from(most.triangles) > triangles {
        note += &format!(
            "; warning: {:.80} has {} of the triangles and is culled as one: split it by rooms in the program that it \
             is from, or by size (option split)",
            most.path, most.triangles
        );
    }
    Ok(note)
}

/// A position, for people, in the coordinates that the level will be asked with.
fn at(level: &SolidLevel, position: &Point) -> String {
    let [x, y, z] = level.frame.to_asked(*position).map(Short);
    format!("{x},{y},{z}")
}

/// The warning of view cells that are a handful, or few in a hundredth of the level.
fn shut_in(level: &SolidLevel, places: &Places) -> Option<String> {
    const HANDFUL: usize = 8;
    const FEW: usize = 64;
    const SHARE: f64 = 0.01;
    let cells = &places.cells;
    let volume = |within: Aabb| within.size().iter().product::<f64>();
    let (all, reached) = (
        volume(level.bounds()),
        volume(cells.bounds_of(0..cells.len())),
    );
    (cells.len() <= HANDFUL || cells.len() < FEW && reached < SHARE * all).then(|| {
        format!(
            "warning: all that players can reach is {} view cells around {}: who is elsewhere is in no cell, sees all and is \
             seen by all. Give positions where players walk, with the feet above the floor, with `reach`; where doorways are \
             too narrow, a smaller `hull`; for a finer answer a smaller `cell`",
            cells.len(),
            at(level, &cells.bounds_of(0..cells.len()).centre()),
        )
    })
}

/// The warning of players who start indoors and come to be outside, or who start there.
fn leak(level: &SolidLevel, places: &Places) -> Option<String> {
    let outside = |cells: u64| {
        let all = places.cells.len();
        format!(
            "{cells} of {all} view cells have nothing above them, as on top of the level and beside its walls"
        )
    };
    match places.open.first() {
        _ if places.open_cells == 0 => None,
        None => Some(format!(
            "warning: {}, though players start below something: the level leaks. Close the hole (a compiler's leak file \
             shows it), or bake a sealed level; outside cells take work and bytes, and hide nobody wrongly",
            outside(places.open_cells)
        )),
        // Meshes are mostly open to the sky, and then all players are; levels of Quake and its kin are sealed, with a sky of brushes.
        Some(_) if level.units == Units::Metres && places.open.len() == places.started => None,
        Some(first) => Some(format!(
            "warning: {}, and so have {} of {} positions where players start, the first at {}: is that outside of the walls? \
             Leave it out, or bound the places by `within`",
            outside(places.open_cells),
            places.open.len(),
            places.started,
            at(level, first)
        )),
    }
}

/// Where a level lies, and whose body and eyes are baked, in the coordinates that it will be asked with.
fn lies(level: &SolidLevel, player: &Player) -> String {
    let frame = level.frame;
    let bounds = level.bounds().about(level.middle.map(|x| -x));
    let [low, _] = frame.corners_to_asked([bounds.min, bounds.max]);
    let sizes = |of: &Aabb| frame.to_asked(of.size()).map(f64::abs);
    let numbers = |of: &[f64], between: &str| {
        let rounded = |x: f64| (x * 1000.0).round() / 1000.0;
        let words: Vec<String> = of.iter().map(|&x| Short(rounded(x)).to_string()).collect();
        words.join(between)
    };
    let eyes = match player.eye.map(|up| frame.length_to_asked(up)) {
        [low, high] if low == high => format!("eyes at {}", Short(low)),
        [low, high] => format!("eyes from {} to {}", Short(low), Short(high)),
    };
    format!(
        "{}: {} {} from {} on, {} up; bodies of {}, {eyes} above the origin",
        level.format,
        numbers(&sizes(&bounds), " x "),
        level.units.stored().asked(frame),
        numbers(&low, ","),
        ["x", "y", "z"][frame.up()],
        numbers(&sizes(&player.hull), " x "),
    )
}

/// What a level in metres of an unlikely size probably is.
fn scale_warning(level: &SolidLevel) -> Option<String> {
    const SMALL: f64 = 2.0;
    const LARGE: f64 = 50_000.0;
    let across = level.bounds().size().into_iter().fold(0.0, f64::max);
    if level.units != Units::Metres || (SMALL..=LARGE).contains(&across) {
        return None;
    }
    let (size, guess) = if across < SMALL {
        ("small", "a unit larger than the metre")
    } else {
        ("large", "centimetres (`from` unreal) or millimetres")
    };
    Some(format!(
        "warning: {} m across is {size} for a level that people walk in: is the file in {guess}? \
         Then export it in metres, or give `cell`, `hull` and `eye` in its unit",
        Short(across)
    ))
}

/// At most so many places where somebody stands are looked for in a level that names none.
const MOST_STANDING: usize = 1000;

/// Origins of players who stand on what a level has, in coordinates of the file: above the middles of surfaces that look
/// up, roofs and closed rooms among them. For levels that do not say where players begin; what there is no room for counts
/// as buried, as anywhere.
pub fn standing(level: &SolidLevel, player: &Player) -> Vec<Point> {
    let middles = level.floors().map(|corners| {
        let middle = Aabb::around(&corners).centre();
        [0, 1, 2].map(|axis| {
            let feet = if axis == 2 { player.hull.min[2] } else { 0.0 };
            middle[axis] - feet + level.middle[axis]
        })
    });
    let middles: Vec<Point> = middles.collect();
    let every = middles.len().div_ceil(MOST_STANDING).max(1);
    middles.into_iter().step_by(every).collect()
}
