//! Quake and Half-Life: BSP29, 2PSB, BSP2, BSP30, which have no brushes. Each solid leaf of the world's tree
//! is convex: what lies on its side of all planes on the way to it.

use super::entities;
use crate::ingest::cells::bsp::world_model;
use crate::ingest::cells::lump::Lump;
use crate::ingest::cells::quake::Kind;
use crate::ingest::cells::{IngestCellsOptions, cells_from_bytes};
use crate::ingest::error::IngestError;
use crate::world::plane::Plane;
use crate::world::solid::{Aabb, Player, Solid, SolidLevel, Units, box_planes};
use crate::world::{BspChild, BspTree};

const SOLID: i32 = -2;
const SKY: i32 = -6;

/// What lies outside of the level is solid up to this far from it, so that nobody gets around it.
const MARGIN: f64 = 64.0;

/// Reads a level.
pub(super) fn read(
    bytes: &[u8],
    kind: Kind,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let file = Lump::file(bytes);
    let graph = cells_from_bytes(bytes, &IngestCellsOptions::default())?.graph;
    let models = file.entry(4, 8, 14, "models")?.records(64)?;
    let world = world_model(&models)?;
    let corner = |at: usize| [0, 4, 8].map(|k| f64::from(world.f32(at + k)));
    let bounds = Aabb {
        min: corner(0),
        max: corner(12),
    }
    .grown(MARGIN);
    if bounds.size().iter().any(|side| !(0.0..1e6).contains(side)) {
        return Err(models.lump.bad(0, "a box around the world", "another"));
    }
    let mut level = SolidLevel::new(kind.name(), Units::Quake, Player::QUAKE);
    let lump = file.entry(4, 8, 0, "entities")?;
    let text = String::from_utf8_lossy(lump.bytes);
    let entities = entities::parse(&text).map_err(|error| error.within("lump entities".into()))?;
    level.spawns = entities::spawns(&entities);
    if let Some(tree) = &graph.tree {
        let mut planes = box_planes(&bounds).to_vec();
        walk(tree, tree.root(), &mut planes, &mut level);
    }
    notes.extend(
        level
            .solids
            .is_empty()
            .then(|| "no leaf of the world is solid".into()),
    );
    Ok(level)
}

/// Adds the solid leaves under a child whose space lies behind the planes.
fn walk(tree: &BspTree, root: BspChild, planes: &mut Vec<Plane>, level: &mut SolidLevel) {
    // Each child with how many of the planes are its parent's, and its own.
    let mut waiting = vec![(root, planes.len(), None)];
    while let Some((child, above, own)) = waiting.pop() {
        planes.truncate(above);
        planes.extend(own);
        let depth = planes.len();
        match child {
            BspChild::Node(node) => {
                let node = &tree.nodes()[node as usize];
                let plane = Plane {
                    normal: node.normal.map(f64::from),
                    dist: node.dist,
                };
                waiting.push((node.children[1], depth, Some(plane)));
                waiting.push((node.children[0], depth, Some(plane.flipped())));
            }
            BspChild::Leaf(leaf) => {
                let contents = tree.leaves()[leaf as usize].contents;
                if !matches!(contents, SOLID | SKY) {
                    continue;
                }
                // What rounding has made of a leaf without volume is none.
                let Ok(solid) = Solid::from_planes(planes.iter().copied()) else {
                    continue;
                };
                if contents == SOLID {
                    level.solids.push(solid.clone());
                }
                level.obstacles.push(solid);
            }
        }
    }
}
