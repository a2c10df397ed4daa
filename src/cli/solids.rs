//! Buildings on a terrain: `--solids` and `--placement`.

use std::path::Path;

use viewcell::internals::ingest::Ingested;
use viewcell::internals::ingest::solid::read_solid;
use viewcell::internals::world::Terrain;
use viewcell::internals::world::solid::{Heightmap, Placement, SolidLevel, rasterize};

use super::exit::Failure;

/// Lays the solids of a file on a terrain, which was read from `input`: what they hide, and that feet stand on them.
pub fn lay(
    ingested: &mut Ingested,
    input: &Path,
    file: &Path,
    placement: Option<&str>,
) -> Result<(), Failure> {
    let read = read_solid(file)?;
    let terrain = &ingested.terrain;
    let placement = match placement {
        Some(text) => parse(text)?,
        None => by_crs((file, &read.level), (input, terrain))?,
    };
    let size = [terrain.width() as usize, terrain.height() as usize];
    let heightmap = Heightmap {
        size,
        spacing: terrain.spacing(),
        heights: terrain.heights(),
    };
    let laid = rasterize(&read.level, &placement, &heightmap);
    if laid.covered == 0 {
        let found = extent(&read.level, &placement);
        let [east, south] = [0, 1].map(|k| (size[k] - 1) as f64 * terrain.spacing()[k]);
        return Err(Failure::bad_input(format!(
            "{}: expected solids on {}, which is {east} m from west to east and {south} m from north to south; found {found}; give --placement EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample",
            file.display(),
            input.display(),
        )));
    }
    let tops = laid.top.iter().zip(terrain.ground());
    let feet = tops.map(|(top, ground)| match ground.is_nan() {
        true => f64::NAN,
        false => ground.max(*top),
    });
    let feet: Vec<f64> = feet.collect();
    let same = feet
        .iter()
        .zip(&laid.surface)
        .all(|(a, b)| a.to_bits() == b.to_bits());
    let (width, height) = (terrain.width(), terrain.height());
    let raised = Terrain::new(width, height, laid.surface, terrain.spacing()).and_then(|raised| {
        let raised = raised.with_georeference(terrain.georeference().cloned());
        match same {
            true => Ok(raised),
            // Feet may be above what surely hides.
            false => raised.with_ground_within(feet, f64::INFINITY),
        }
    });
    ingested.terrain =
        raised.map_err(|error| Failure::bad_input(format!("{}: {error}", file.display())))?;
    let notes = read
        .notes
        .iter()
        .map(|note| format!("{}: {note}", file.display()));
    ingested.notes.extend(notes);
    ingested.notes.push(format!(
        "{}: hides more than the terrain at {} samples; feet are on it at {}",
        file.display(),
        laid.raised,
        laid.covered
    ));
    Ok(())
}

/// Three or four numbers.
pub fn parse(text: &str) -> Result<Placement, Failure> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|word| word.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    match numbers.as_deref() {
        Some(&[east, south, up]) => Ok((east, south, up, 1.0)),
        Some(&[east, south, up, scale]) if scale > 0.0 => Ok((east, south, up, scale)),
        _ => Err(Failure::usage(format!(
            "--placement {text}: expected EAST,SOUTH,UP or EAST,SOUTH,UP,SCALE: metres, and metres a unit, more than 0"
        ))),
    }
    .map(|(east, south, up, scale)| Placement {
        origin: [east, south, up],
        scale,
    })
}

/// Where solids of the terrain's own CRS lie.
fn by_crs(
    (file, level): (&Path, &SolidLevel),
    (input, terrain): (&Path, &Terrain),
) -> Result<Placement, Failure> {
    let fails = |expected: String| {
        Failure::bad_input(format!(
            "{}: expected {expected}; give --placement EAST,SOUTH,UP: where the origin of the solids is, in metres from the first sample of {}",
            file.display(),
            input.display(),
        ))
    };
    let name = |crs: Option<&str>| crs.unwrap_or("none").to_owned();
    let known = terrain.georeference().filter(|known| known.has_crs());
    let (Some(crs), Some(known)) = (&level.crs, known) else {
        let (of_solids, of_terrain) = (name(level.crs.as_deref()), name(known.map(|k| &*k.crs)));
        return Err(fails(format!(
            "a coordinate reference system of solids and of terrain, found {of_solids} and {of_terrain}"
        )));
    };
    if *crs != known.crs {
        return Err(fails(format!("solids in {}, found {crs}", known.crs)));
    }
    let [x, east, skew_x, y, skew_y, south] = known.transform;
    let [dx, dy] = terrain.spacing();
    let metric = (east - dx).abs() <= 1e-6 * dx && (south + dy).abs() <= 1e-6 * dy;
    if skew_x != 0.0 || skew_y != 0.0 || !metric {
        return Err(fails("rows from west to east in a system of metres".into()));
    }
    Ok(Placement {
        origin: [-(x + 0.5 * east), y + 0.5 * south, 0.0],
        scale: 1.0,
    })
}

/// Where solids lie, for people.
fn extent(level: &SolidLevel, placement: &Placement) -> String {
    let bounds = level.bounds();
    let [east, south, up] = placement.origin;
    let at = |x: f64| placement.scale * x;
    format!(
        "them {:.1} to {:.1} m east, {:.1} to {:.1} m south and {:.1} to {:.1} m up",
        east + at(bounds.min[0]),
        east + at(bounds.max[0]),
        south - at(bounds.max[1]),
        south - at(bounds.min[1]),
        up + at(bounds.min[2]),
        up + at(bounds.max[2]),
    )
}
