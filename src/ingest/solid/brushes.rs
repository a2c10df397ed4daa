//! Brushes of compiled levels: Quake II (IBSP38), Quake III (IBSP46, IBSP47), Source (VBSP).
//!
//! Only those of the world: doors, lifts and other brush entities are models of their own, move, and hide
//! nothing. Of what is drawn otherwise (curved patches, displacements, models) nothing is read.

use super::entities;
use crate::ingest::cells::lump::{Lump, Record, Records};
use crate::ingest::error::IngestError;
use crate::world::solid::{Plane, Player, Solid, SolidError, SolidLevel, Units};

/// What the readers of formats find out about one brush.
pub(super) struct Brush {
    /// Its sides, in the file's planes.
    pub sides: std::ops::Range<usize>,
    /// Hides what is behind it.
    pub opaque: bool,
    /// Stops players.
    pub stops: bool,
}

/// The lumps that brushes are made of.
pub(super) struct Lumps<'a> {
    pub entities: Lump<'a>,
    pub planes: Records<'a>,
    pub sides: Records<'a>,
}

/// Makes a level of brushes. `side` is the plane's number of a side.
pub(super) fn level(
    format: &'static str,
    player: Player,
    Lumps {
        entities,
        planes,
        sides,
    }: Lumps,
    side: impl Fn(Record) -> usize,
    brushes: &[(usize, Brush)],
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let planes_of: Vec<Plane> = planes.iter().map(plane).collect();
    let sides_of: Vec<usize> = sides.iter().map(side).collect();
    let mut level = SolidLevel::new(format, Units::Quake, player);
    let text = String::from_utf8_lossy(entities.bytes);
    let entities = entities::parse(&text).map_err(|error| error.within("lump entities".into()))?;
    level.spawns = entities::spawns(&entities);
    let mut flat = Vec::new();
    for (number, brush) in brushes {
        let found: Result<Vec<Plane>, IngestError> = brush
            .sides
            .clone()
            .map(|i| {
                let plane = sides_of.get(i).ok_or_else(|| {
                    let expected = format!("sides below {}", sides_of.len());
                    sides
                        .lump
                        .bad(0, expected, format!("side {i} in brush {number}"))
                })?;
                planes_of.get(*plane).copied().ok_or_else(|| {
                    let expected = format!("a plane below {}", planes_of.len());
                    sides
                        .lump
                        .bad(sides.at(i), expected, format!("{plane} in brush {number}"))
                })
            })
            .collect();
        match Solid::from_planes(found?) {
            Ok(solid) => {
                if brush.opaque {
                    level.solids.push(solid.clone());
                }
                if brush.stops {
                    level.obstacles.push(solid);
                }
            }
            Err(SolidError::Plane(i)) => {
                let at = sides_of[brush.sides.start + i];
                let expected = "a plane of finite numbers with a normal";
                return Err(planes.lump.bad(
                    planes.at(at),
                    expected,
                    format!("another, of brush {number}"),
                ));
            }
            Err(SolidError::Empty | SolidError::Open) => flat.push(*number),
        }
    }
    if let Some(first) = flat.first() {
        notes.push(format!(
            "{} brushes enclose no volume and hide nothing (the first is brush {first})",
            flat.len()
        ));
    }
    Ok(level)
}

fn plane(record: Record) -> Plane {
    Plane {
        normal: [0, 4, 8].map(|at| f64::from(record.f32(at))),
        dist: f64::from(record.f32(12)),
    }
}

/// A run of records: `first` and `count` as stored.
pub(super) fn run(
    records: &Records,
    lump: &Lump,
    at: usize,
    [first, count]: [i32; 2],
    what: &str,
) -> Result<std::ops::Range<usize>, IngestError> {
    let range = usize::try_from(first).ok().zip(usize::try_from(count).ok());
    let range = range.map(|(first, count)| first..first.saturating_add(count));
    range
        .filter(|range| range.end <= records.len())
        .ok_or_else(|| {
            lump.bad(
                at,
                format!("{what} among {}", records.len()),
                format!("{count} from {first} on"),
            )
        })
}

/// A name that ends with the first zero.
pub(super) fn name(bytes: &[u8]) -> String {
    let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name)
        .to_ascii_lowercase()
        .replace('\\', "/")
}
