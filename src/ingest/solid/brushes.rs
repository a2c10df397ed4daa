//! Brushes of compiled levels: Quake II (IBSP38), Quake III (IBSP46, IBSP47), Source (VBSP).
//!
//! Only those of the world: doors, lifts and other brush entities are models of their own, move, and hide
//! nothing. Of what is drawn otherwise (curved patches, displacements, models) nothing is read.

use super::contents::{self, DETAIL, Family, Hides, Side, sky_note};
use super::{Sky, entities};
use crate::cells::lump::{Lump, Record, Records};
use crate::error::IngestError;
use crate::world::solid::{Aabb, Face, Plane, Player, Solid, SolidError, SolidLevel, Units};
use viewcell::convex::dot;

/// What the readers of formats find out about one brush.
pub(super) struct Brush {
    /// Its number.
    pub number: usize,
    /// Its sides, in the file's planes.
    pub sides: std::ops::Range<usize>,
    /// How it hides.
    pub hides: Hides,
    /// Its compiler did not take it for a wall.
    pub detail: bool,
    /// Stops players.
    pub stops: bool,
}

impl Brush {
    /// Of a brush with these contents and sides; none if it neither hides nor stops.
    pub(super) fn of(
        family: Family,
        contents: u32,
        looks: &[Side],
        number: usize,
        sides: std::ops::Range<usize>,
    ) -> Option<Self> {
        let hides = contents::hides(family, contents, looks);
        let stops = contents::stops(family, contents);
        (hides != Hides::Nothing || stops).then_some(Self {
            number,
            sides,
            hides,
            detail: contents & DETAIL != 0,
            stops,
        })
    }
}

/// The lumps that brushes are made of.
pub(super) struct Lumps<'a> {
    pub entities: Lump<'a>,
    pub planes: Records<'a>,
    pub sides: Records<'a>,
}

/// What is known of the level beside its brushes.
pub(super) struct World<'a> {
    /// Name of the format, and the player of its game.
    pub format: &'static str,
    pub player: Player,
    /// Opaque polygons that are drawn: of brushes that do not hide as a whole, those on their sides hide.
    pub drawn: Vec<Face>,
    /// Whether the level's compiler took a solid for a wall.
    pub structural: &'a dyn Fn(&Solid) -> bool,
    pub sky: Sky,
}

/// Makes a level of brushes. `side` is the plane's number of a side.
pub(super) fn level(
    world: &World,
    Lumps {
        entities,
        planes,
        sides,
    }: Lumps,
    side: impl Fn(Record) -> usize,
    brushes: &[Brush],
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let planes_of: Vec<Plane> = planes.iter().map(plane).collect();
    let sides_of: Vec<usize> = sides.iter().map(side).collect();
    let mut level = SolidLevel::new(world.format, Units::Quake, world.player);
    let text = String::from_utf8_lossy(entities.bytes);
    let entities = entities::parse(&text).map_err(|error| error.within("lump entities".into()))?;
    level.spawns = entities::spawns(&entities);
    let (mut flat, mut many, mut skies) = (Vec::new(), Vec::new(), [0, 0]);
    let mut in_front = InFront::new(&world.drawn);
    for brush in brushes {
        let number = brush.number;
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
        let solid = match Solid::from_planes(found?) {
            Ok(solid) => solid,
            Err(SolidError::Plane(i)) => {
                let at = sides_of[brush.sides.start + i];
                let expected = "a plane of finite numbers with a normal";
                return Err(planes.lump.bad(
                    planes.at(at),
                    expected,
                    format!("another, of brush {number}"),
                ));
            }
            Err(SolidError::Empty | SolidError::Open) => {
                flat.push(number);
                continue;
            }
            Err(SolidError::Many) => {
                many.push(number);
                continue;
            }
        };
        let mut hides = brush.hides;
        if matches!(hides, Hides::Sky | Hides::Structural) {
            let structural = !brush.detail && (world.structural)(&solid);
            let mut whole = structural;
            if hides == Hides::Sky {
                skies[usize::from(!structural)] += 1;
                whole &= world.sky == Sky::Opaque;
            }
            hides = if whole { Hides::Whole } else { Hides::Front };
        }
        match hides {
            Hides::Whole => level.solids.push(solid.clone()),
            Hides::Front => in_front.take(&solid),
            Hides::Nothing | Hides::Structural | Hides::Sky => {}
        }
        if brush.stops {
            level.obstacles.push(solid);
        }
    }
    level.faces = in_front.taken();
    notes.extend(sky_note(world.sky, "brushes", skies[0], skies[1]));
    if let Some(first) = flat.first() {
        notes.push(format!(
            "{} brushes enclose no volume and hide nothing (the first is brush {first})",
            flat.len()
        ));
    }
    if let Some(first) = many.first() {
        notes.push(format!(
            "{} brushes have more than {} sides and hide nothing (the first is brush {first})",
            many.len(),
            Solid::MOST_PLANES
        ));
    }
    Ok(level)
}

/// Drawn polygons, of which those on brushes that hide by their sides are taken.
struct InFront<'a> {
    faces: &'a [Face],
    taken: Vec<bool>,
}

impl<'a> InFront<'a> {
    fn new(faces: &'a [Face]) -> Self {
        Self {
            faces,
            taken: vec![false; faces.len()],
        }
    }

    fn take(&mut self, solid: &Solid) {
        let bounds = solid.bounds.grown(0.1);
        for (face, taken) in self.faces.iter().zip(&mut self.taken) {
            let on = |plane: &Plane| {
                dot(plane.normal, face.plane.normal) > 0.999_9
                    && face.vertices.iter().all(|v| plane.height(*v).abs() < 0.1)
            };
            *taken |= Aabb::around(&face.vertices).touches(&bounds) && solid.planes.iter().any(on);
        }
    }

    fn taken(self) -> Vec<Face> {
        let taken = self.faces.iter().zip(self.taken);
        taken
            .filter(|(_, taken)| *taken)
            .map(|(face, _)| face.clone())
            .collect()
    }
}

pub(super) fn plane(record: Record) -> Plane {
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
