//! Quake III and Return to Castle Wolfenstein: IBSP of versions 46 and 47.
//!
//! What a brush may be seen through follows from the flags of its shaders, and from their scripts where there are any.
//! Whether the level's compiler took a brush for a wall is in no flag: it did if all of the brush is in leaves without
//! a cluster. Brushes of sky that are not walls hide by their drawn faces. So do brushes that players walk through, if
//! their shader scripts are known.

use super::Sky;
use super::brushes::{self, Brush, Lumps, World, run};
use super::contents::{self, Family, Hides, NON_SOLID, Side};
use super::shaders::Shaders;
use crate::cells::lump::{Lump, Record, Records};
use crate::error::IngestError;
use crate::packs::name;
use crate::world::solid::{Face, Player, Solid, SolidLevel};
use viewcell::convex::{Plane, Point, dot};

const SOLID: u32 = 1;
/// Of surfaces: made of one plane.
const PLANAR: i32 = 1;

/// A shader, as far as sight and players go.
struct Shader {
    contents: u32,
    side: Side,
    /// It is drawn from behind as well.
    two_sided: bool,
    /// One walks through it.
    non_solid: bool,
    /// Its script is known.
    scripted: bool,
}

impl Shader {
    fn of(record: Record, scripts: &Shaders) -> Self {
        let (flags, contents) = (record.i32(64) as u32, record.i32(68) as u32);
        let name = name(&record.0[..64]);
        // Caulk is not drawn where nobody looks: behind curves, and on the outside.
        let mut side = contents::side(Family::Quake3, flags, name.contains("caulk"));
        // No flag says that a texture has holes.
        let told = scripts.told(&name, &name);
        if side == Side::Drawn && told.is_open() || contents::lets_through(Family::Quake3, contents)
        {
            side = Side::Through;
        }
        let script = told.script();
        Self {
            contents,
            side,
            two_sided: script.is_some_and(|script| script.two_sided),
            non_solid: side == Side::Drawn && flags & NON_SOLID != 0 && contents & SOLID == 0,
            scripted: script.is_some(),
        }
    }
}

/// Reads a level.
pub(super) fn read(
    file: Lump,
    format: &'static str,
    scripts: &Shaders,
    sky: Sky,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    let shaders = lump(1, "shaders")?.records(72)?;
    let models = lump(7, "models")?.records(40)?;
    let stored = lump(8, "brushes")?.records(12)?;
    let sides = lump(9, "brush sides")?.records(8)?;
    let planes = lump(2, "planes")?.records(16)?;
    let world = models
        .get(0)
        .ok_or_else(|| models.lump.bad(0, "at least one model, the world", "none"))?;
    let of_world = run(
        &stored,
        &models.lump,
        32,
        [world.i32(32), world.i32(36)],
        "brushes",
    )?;
    let shaders_of: Vec<Shader> = shaders
        .iter()
        .map(|record| Shader::of(record, scripts))
        .collect();
    let shader = |lump: &Lump, at, number: i32| {
        let found = usize::try_from(number)
            .ok()
            .and_then(|number| shaders_of.get(number));
        found.ok_or_else(|| {
            lump.bad(
                at,
                format!("a shader below {}", shaders_of.len()),
                number.to_string(),
            )
        })
    };
    let sides_of: Vec<Record> = sides.iter().collect();
    let mut found = Vec::new();
    for (number, brush) in stored
        .iter()
        .enumerate()
        .skip(of_world.start)
        .take(of_world.len())
    {
        let at = stored.at(number);
        let range = run(
            &sides,
            &stored.lump,
            at,
            [brush.i32(0), brush.i32(4)],
            "sides",
        )?;
        let contents = shader(&stored.lump, at + 8, brush.i32(8))?.contents;
        let looks: Result<Vec<Side>, IngestError> = range
            .clone()
            .map(|i| Ok(shader(&sides.lump, sides.at(i) + 4, sides_of[i].i32(4))?.side))
            .collect();
        found.extend(Brush::of(Family::Quake3, contents, &looks?, number, range));
    }
    let by_sides =
        |brush: &Brush| matches!(brush.hides, Hides::Front | Hides::Structural | Hides::Sky);
    let mut surfaces = Vec::new();
    if shaders_of.iter().any(|shader| shader.non_solid) || found.iter().any(by_sides) {
        let all = [world.i32(24), world.i32(28)];
        surfaces = drawn(&file, &models.lump, all, &shaders_of)?;
    }
    let (walked, drawn): (Vec<_>, Vec<_>) = surfaces
        .into_iter()
        .partition(|(number, _)| shaders_of[*number].non_solid);
    // Flags do not say that a surface has holes. Of OpenArena's a third of those that one walks through have some, and
    // nothing but their scripts tells.
    let (walked, unknown): (Vec<_>, Vec<_>) = walked
        .into_iter()
        .partition(|(number, _)| shaders_of[*number].scripted);
    let entities = lump(0, "entities")?;
    // A plane that is none stays none.
    let side = |side: Record| usize::try_from(side.i32(0)).unwrap_or(usize::MAX);
    let tree = Tree::of(&file, &planes)?;
    let world = World {
        format,
        player: if format == "IBSP47" {
            Player::IBSP47
        } else {
            Player::QUAKE3
        },
        drawn: drawn.into_iter().map(|(_, face)| face).collect(),
        structural: &|solid| tree.is_closed(solid),
        sky,
    };
    let lumps = Lumps {
        entities,
        planes,
        sides,
    };
    let mut level = brushes::level(&world, lumps, side, &found, notes)?;
    let names: Vec<String> = shaders.iter().map(|record| name(&record.0[..64])).collect();
    scripts.tell(names.iter().map(String::as_str), true, notes);
    if !walked.is_empty() {
        notes.push(format!(
            "{} drawn triangles that players walk through hide from their front, as their shader \
             scripts say",
            walked.len()
        ));
    }
    if !unknown.is_empty() {
        notes.push(format!(
            "{} drawn triangles that players walk through hide nothing, because their shader \
             scripts are missing: read the level from its `pack`, or put scripts/*.shader beside \
             its folder",
            unknown.len()
        ));
    }
    level.faces.extend(walked.into_iter().map(|(_, face)| face));
    Ok(level)
}

/// The opaque triangles of planar surfaces, each with its shader.
fn drawn(
    file: &Lump,
    models: &Lump,
    all: [i32; 2],
    shaders: &[Shader],
) -> Result<Vec<(usize, Face)>, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    let surfaces = lump(13, "surfaces")?.records(104)?;
    let vertices = lump(10, "vertices")?.records(44)?;
    let indices = lump(11, "indices")?.records(4)?;
    let all = run(&surfaces, models, 24, all, "surfaces")?;
    let vertices_of: Vec<Record> = vertices.iter().collect();
    let indices_of: Vec<i32> = indices.iter().map(|index| index.i32(0)).collect();
    let mut faces = Vec::new();
    for (number, surface) in surfaces.iter().enumerate().skip(all.start).take(all.len()) {
        let at = surfaces.at(number);
        let shader = usize::try_from(surface.i32(0)).unwrap_or(usize::MAX);
        let Some(found) = shaders.get(shader) else {
            let expected = format!("a shader below {}", shaders.len());
            return Err(surfaces.lump.bad(at, expected, surface.i32(0).to_string()));
        };
        if surface.i32(8) != PLANAR || found.side != Side::Drawn {
            continue;
        }
        let of = |first: usize, records: &Records, what| {
            let part = [surface.i32(first), surface.i32(first + 4)];
            run(records, &surfaces.lump, at + first, part, what)
        };
        let corners = &vertices_of[of(12, &vertices, "vertices")?];
        for triangle in indices_of[of(20, &indices, "indices")?].chunks_exact(3) {
            // Clockwise as stored.
            let corner = |&i: &i32| usize::try_from(i).ok().and_then(|i| corners.get(i));
            let found: Option<Vec<&Record>> = triangle.iter().rev().map(corner).collect();
            let found = found.ok_or_else(|| {
                let expected = format!("indices below {}", corners.len());
                surfaces
                    .lump
                    .bad(at + 20, expected, format!("{triangle:?}"))
            })?;
            let vector = |record: &Record, at: usize| -> Point {
                [0, 4, 8].map(|k| f64::from(record.f32(at + k)))
            };
            let polygon: Vec<Point> = found.iter().map(|record| vector(record, 0)).collect();
            let normal = vector(found[0], 28);
            let two_sided = shaders[shader].two_sided;
            let triangle = Face::from_polygon(&polygon, two_sided).unwrap_or_default();
            // Where winding and normal differ nobody knows which side is drawn.
            let sure = triangle
                .into_iter()
                .filter(|face| dot(face.plane.normal, normal) > 0.5);
            faces.extend(sure.map(|face| (shader, face)));
        }
    }
    Ok(faces)
}

/// The level's tree: which of its leaves are in no cluster.
struct Tree {
    /// Plane and children; leaves from -1 down.
    nodes: Vec<(Plane, [i32; 2])>,
    in_cluster: Vec<bool>,
}

/// A brush may reach into a leaf beside it by what rounding has done to planes. [Unit: of the file]
const ROUNDED: f64 = 0.25;

impl Tree {
    fn of(file: &Lump, planes: &Records) -> Result<Self, IngestError> {
        let planes: Vec<Record> = planes.iter().collect();
        let nodes = file.entry(8, 8, 3, "nodes")?.records(36)?;
        let leaves = file.entry(8, 8, 4, "leaves")?.records(48)?;
        let node = |record: Record| {
            let plane = usize::try_from(record.i32(0)).ok();
            let plane = *plane.and_then(|plane| planes.get(plane))?;
            Some((brushes::plane(plane), [record.i32(4), record.i32(8)]))
        };
        Ok(Self {
            // Without a tree nothing is known to be a wall.
            nodes: nodes
                .iter()
                .map(node)
                .collect::<Option<_>>()
                .unwrap_or_default(),
            in_cluster: leaves.iter().map(|leaf| leaf.i32(0) >= 0).collect(),
        })
    }

    /// Whether all of a solid is in leaves without a cluster, of a level that has clusters.
    fn is_closed(&self, solid: &Solid) -> bool {
        if self.nodes.is_empty() || !self.in_cluster.contains(&true) {
            return false;
        }
        let inner = solid.planes.iter().map(|plane| Plane {
            dist: plane.dist - ROUNDED,
            ..*plane
        });
        let inner = Solid::from_planes(inner).unwrap_or_else(|_| solid.clone());
        let mut waiting = vec![(0, inner)];
        // Each node of a tree is met once.
        let mut steps = self.nodes.len() + self.in_cluster.len() + 1;
        while let Some((child, solid)) = waiting.pop() {
            if steps == 0 {
                return false;
            }
            steps -= 1;
            let Ok(node) = usize::try_from(child) else {
                match self.in_cluster.get(!child as usize) {
                    Some(false) => continue,
                    _ => return false,
                }
            };
            let Some((plane, children)) = self.nodes.get(node) else {
                return false;
            };
            for (child, plane) in children.iter().zip([plane.flipped(), *plane]) {
                if let Some(part) = solid.behind(plane) {
                    waiting.push((*child, part));
                }
            }
        }
        true
    }
}
