//! Quake and Half-Life: BSP29, 2PSB, BSP2, BSP30, which have no brushes. Each solid leaf of the world's tree
//! is convex: what lies on its side of all planes on the way to it.
//!
//! A solid leaf stops players, but need not hide: a compiler makes solid leaves of fences and of what has the texture
//! `skip`, too. The faces around it say which. It hides nothing where one of them is of a fence, where it has
//! marksurfaces (walls have none), or where no face covers it towards the open; unless the level has no faces at all.

use std::collections::HashMap;

use super::contents;
use super::drawn::{self, ByPlane, Drawn};
use super::{Sky, entities};
use crate::cells::bsp::world_model;
use crate::cells::lump::{Lump, Records};
use crate::cells::quake::BspVersion;
use crate::cells::{IngestCellsOptions, cells_from_bytes};
use crate::error::IngestError;
use crate::world::solid::{Aabb, Player, Solid, SolidLevel, Units, area, behind, box_planes};
use crate::world::{BspChild, BspTree};
use viewcell::convex::{Plane, Point, dot};

const SOLID: i32 = -2;
const SKY: i32 = -6;

/// Leaves at the bounds of the level, solid or open, go on up to this far from them, and nobody gets further: a game has the
/// solid ones there still, around which players would come.
const MARGIN: f64 = 64.0;
/// What stops players there is as thick as this.
const RIM: f64 = 16.0;

/// Corners of faces are stored rounded: a strip of this width around a side is none that is left open.
/// [Unit: of the file]
const ROUNDED: f64 = 0.125;

/// Reads a level.
pub(super) fn read(
    bytes: &[u8],
    kind: BspVersion,
    sky: Sky,
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
    let player = match kind {
        BspVersion::Bsp30 => Player::HALF_LIFE,
        _ => Player::QUAKE,
    };
    let mut level = SolidLevel::new(kind.name(), Units::Quake, player);
    let lump = file.entry(4, 8, 0, "entities")?;
    let text = String::from_utf8_lossy(lump.bytes);
    let entities = entities::parse(&text).map_err(|error| error.within("lump entities".into()))?;
    level.spawns = entities::spawns(&entities);
    let Some(tree) = &graph.tree else {
        return Ok(level);
    };
    let leaves = Leaves::of(tree, &bounds);
    let run = super::brushes::run(
        &file
            .entry(4, 8, 7, "faces")?
            .records(if kind.is_wide() { 28 } else { 20 })?,
        &models.lump,
        56,
        [world.i32(56), world.i32(60)],
        "faces",
    )?;
    let faces = drawn::Lumps::quake(&file, kind)?.faces(run)?;
    let names = drawn::texture_names(&file)?;
    let stored = file.entry(4, 8, 10, "leaves")?.records(kind.leaf_len())?;
    let hides = leaves.hide(&faces, &names, &marked(&stored, kind), &bounds, notes);
    let (mut skies, mut volume) = (0, false);
    for (leaf, hides) in leaves.found.into_iter().zip(hides) {
        let hides = match leaf.contents {
            SKY => {
                skies += 1;
                sky == Sky::Opaque
            }
            other => hides && contents::leaf(other).hides,
        };
        volume |= hides;
        if hides {
            level.solids.push(leaf.solid.clone());
        }
        level.obstacles.push(leaf.solid);
    }
    let sides = box_planes(&bounds);
    level.obstacles.extend(sides.iter().filter_map(|side| {
        let inner = Plane {
            dist: RIM - side.dist,
            ..side.flipped()
        };
        Solid::from_planes(sides.iter().copied().chain([inner])).ok()
    }));
    notes.extend(contents::sky_note(sky, "leaves", skies, 0));
    notes.extend((!volume).then(|| "no leaf of the world hides anything".into()));
    Ok(level)
}

/// For each leaf as stored, whether it has marksurfaces.
fn marked(leaves: &Records, kind: BspVersion) -> Vec<bool> {
    leaves
        .iter()
        .map(|leaf| match kind {
            BspVersion::Bsp29 | BspVersion::Bsp30 => leaf.u16(22) > 0,
            BspVersion::Bsp2Rmq => leaf.i32(24) > 0,
            BspVersion::Bsp2 => leaf.i32(36) > 0,
        })
        .collect()
}

/// Where a leaf hangs: its parent and the side of it. Solid leaves share a number.
type At = (u32, usize);

/// A leaf that stops players.
struct Found {
    /// Its number.
    leaf: u32,
    contents: i32,
    solid: Solid,
}

/// The leaves of the world that stop players.
struct Leaves<'a> {
    tree: &'a BspTree,
    found: Vec<Found>,
    by_place: HashMap<At, usize>,
}

impl<'a> Leaves<'a> {
    /// Those of a tree, within bounds.
    fn of(tree: &'a BspTree, bounds: &Aabb) -> Self {
        let mut leaves = Self {
            tree,
            found: Vec::new(),
            by_place: HashMap::new(),
        };
        let mut planes = box_planes(bounds).to_vec();
        // Each child with where it hangs, how many of the planes are its parent's, and its own.
        let mut waiting = vec![(tree.root(), (u32::MAX, 0), planes.len(), None)];
        while let Some((child, at, above, own)) = waiting.pop() {
            planes.truncate(above);
            planes.extend(own);
            let depth = planes.len();
            match child {
                BspChild::Node(number) => {
                    let node = &tree.nodes()[number as usize];
                    let plane = plane_of(tree, number);
                    waiting.push((node.children[1], (number, 1), depth, Some(plane)));
                    waiting.push((node.children[0], (number, 0), depth, Some(plane.flipped())));
                }
                BspChild::Leaf(leaf) => {
                    let contents = tree.leaves()[leaf as usize].contents;
                    if !contents::leaf(contents).stops {
                        continue;
                    }
                    // What rounding has made of a leaf without volume is none.
                    let Ok(solid) = Solid::from_planes(planes.iter().copied()) else {
                        continue;
                    };
                    leaves.by_place.insert(at, leaves.found.len());
                    leaves.found.push(Found {
                        leaf,
                        contents,
                        solid,
                    });
                }
            }
        }
        leaves
    }

    /// Which of them hide, sky apart. `marked` is for each leaf as stored whether it has marksurfaces.
    fn hide(
        &self,
        faces: &[Drawn],
        names: &[String],
        marked: &[bool],
        bounds: &Aabb,
        notes: &mut Vec<String>,
    ) -> Vec<bool> {
        let of = |drawn: &Drawn| contents::leaf_texture(&names[drawn.texture]);
        let is_solid = |i: usize| self.found[i].contents == SOLID;
        let mut fence = vec![false; self.found.len()];
        for (fence, found) in fence.iter_mut().zip(&self.found) {
            *fence = found.contents == SOLID && marked[found.leaf as usize];
        }
        for drawn in faces.iter().filter(|drawn| of(drawn).lets_through) {
            let backwards = drawn.face.plane.flipped();
            self.pieces(&drawn.face.vertices, &backwards, &mut |at, _, piece| {
                if let Some(&i) = self.by_place.get(&at).filter(|_| area(piece) > 1e-3) {
                    fence[i] = is_solid(i);
                }
            });
        }
        let by_plane = ByPlane::new(faces.iter().filter(|drawn| of(drawn).drawn));
        // A level of which nothing is drawn was compiled for its leaves alone.
        let is_bare = faces.is_empty();
        if is_bare {
            notes.push(
                "the level has no drawn faces: all of its solid leaves are taken for walls".into(),
            );
        }
        let open: Vec<bool> = (0..self.found.len())
            .map(|i| {
                let may_be = !is_bare && is_solid(i) && !fence[i];
                may_be && self.is_open(&self.found[i].solid, &by_plane, bounds)
            })
            .collect();
        for (what, taken) in [
            (
                "are of fences (marksurfaces of their own, or a texture `{`)",
                &fence,
            ),
            (
                "have sides that are not drawn, as the texture skip leaves them",
                &open,
            ),
        ] {
            let first = (0..taken.len()).find(|&i| taken[i]);
            let Some(first) = first else { continue };
            let count = taken.iter().filter(|taken| **taken).count();
            let [x, y, z] = self.found[first].solid.bounds.centre().map(f64::round);
            notes.push(format!(
                "{count} of {} solid leaves {what}: they stop players and hide nothing (the first is around {x},{y},{z})",
                (0..self.found.len()).filter(|&i| is_solid(i)).count(),
            ));
        }
        let hides = fence.iter().zip(&open);
        hides.map(|(fence, open)| !fence && !open).collect()
    }

    /// Whether one can look into a solid: a part of a side is towards the open, and no face is there.
    fn is_open(&self, solid: &Solid, faces: &ByPlane, bounds: &Aabb) -> bool {
        solid.planes.iter().enumerate().any(|(i, plane)| {
            // Beyond the bounds nobody is.
            if box_planes(bounds).contains(plane) {
                return false;
            }
            let mut open = false;
            self.pieces(&solid.face(i), plane, &mut |_, leaf, piece| {
                let contents = self.tree.leaves()[leaf as usize].contents;
                let rim: f64 = (0..piece.len())
                    .map(|k| {
                        let along: Point = std::array::from_fn(|axis| {
                            piece[(k + 1) % piece.len()][axis] - piece[k][axis]
                        });
                        dot(along, along).sqrt()
                    })
                    .sum();
                open |= !contents::leaf(contents).stops
                    && area(piece) > 1.0 + ROUNDED * rim
                    && faces.uncovered(plane, piece) > 1.0 + ROUNDED * rim;
            });
            open
        })
    }

    /// Hands on the pieces of a polygon that lies on a plane, with the leaves in which they lie, as seen from
    /// the front of the plane.
    fn pieces(&self, polygon: &[Point], plane: &Plane, each: &mut impl FnMut(At, u32, &[Point])) {
        let mut waiting = vec![(self.tree.root(), (u32::MAX, 0), polygon.to_vec())];
        while let Some((child, at, polygon)) = waiting.pop() {
            let number = match child {
                BspChild::Leaf(leaf) => {
                    each(at, leaf, &polygon);
                    continue;
                }
                BspChild::Node(number) => number,
            };
            let node = &self.tree.nodes()[number as usize];
            let cut = plane_of(self.tree, number);
            let along = dot(cut.normal, plane.normal);
            let on = |p: &Point| cut.height(*p).abs() < ROUNDED;
            if along.abs() > 0.999_99 && polygon.iter().all(on) {
                let side = usize::from(along < 0.0);
                waiting.push((node.children[side], (number, side), polygon));
                continue;
            }
            for (side, cut) in [cut.flipped(), cut].into_iter().enumerate() {
                let piece = behind(&polygon, &cut);
                if piece.len() >= 3 {
                    waiting.push((node.children[side], (number, side), piece));
                }
            }
        }
    }
}

fn plane_of(tree: &BspTree, node: u32) -> Plane {
    let node = &tree.nodes()[node as usize];
    Plane {
        normal: node.normal.map(f64::from),
        dist: node.dist,
    }
}
