//! A scene's meshes as a level that `viewcell bake solid --from godot` takes: OBJ with Bevy's axes, which are Godot's.
//!
//! Whatever has an [`Occluder`] hides; players begin at [`SpawnPoint`]s. A system, or a program that loads the scene and nothing
//! else, writes it once its meshes are loaded:
//!
//! ```no_run
//! use bevy_ecs::prelude::*;
//! use bevy_viewcell::scene::Level;
//!
//! fn export(world: &mut World) -> Result<(), Box<dyn std::error::Error>> {
//!     Ok(Level::of(world)?.write("level".as_ref())?)
//! }
//! ```
//!
//! Then `viewcell bake solid level/level.obj --from godot --reach level/places.csv -o level.vcb`, and
//! [`Frame::baked`](crate::Frame::baked).

use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;

use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use bevy_transform::prelude::GlobalTransform;

/// What the soles of a place are lifted by, so that they touch no floor.
const LIFT: Vec3 = Vec3::new(0.0, 0.05, 0.0);

/// A mesh that hides: it is always there and drawn, never moves, and nobody sees through it. Triangles hide from the front, which
/// Bevy draws; one that is mirrored by its transform stops players and hides nothing.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Occluder;

/// A place where players begin: its origin is between their feet.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct SpawnPoint;

/// Why a scene is no level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneError {
    /// No entity with a mesh is an [`Occluder`].
    NoOccluder,
    /// No entity is a [`SpawnPoint`].
    NoSpawnPoint,
    /// A mesh that is not there: not loaded yet, or kept for the renderer alone.
    NoMesh(Entity),
    /// A mesh of other than triangles.
    NoTriangles(Entity),
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOccluder => write!(f, "nothing hides: give meshes the component Occluder"),
            Self::NoSpawnPoint => write!(
                f,
                "no place is known where players can be: give entities the component SpawnPoint"
            ),
            Self::NoMesh(entity) => write!(
                f,
                "{entity}: expected its mesh, found none: wait until it is loaded, and keep it in the main world"
            ),
            Self::NoTriangles(entity) => {
                write!(
                    f,
                    "{entity}: expected triangles, found other primitives: remove its Occluder"
                )
            }
        }
    }
}

impl std::error::Error for SceneError {}

/// A level to bake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The meshes, as OBJ.
    pub obj: String,
    /// Positions where players can be, a line each: x,y,z.
    pub places: String,
    triangles: usize,
}

impl Level {
    /// The level of a world, whose global transforms are up to date. The same scene gives the same level.
    ///
    /// # Errors
    ///
    /// Where nothing hides, nobody can be anywhere, or a mesh cannot be read.
    pub fn of(world: &mut World) -> Result<Self, SceneError> {
        let mut occluders =
            world.query_filtered::<(Entity, &Mesh3d, &GlobalTransform), With<Occluder>>();
        let mut spawns = world.query_filtered::<&GlobalTransform, With<SpawnPoint>>();
        let meshes = world.get_resource::<Assets<Mesh>>();
        let mut parts = Vec::new();
        let mut triangles = 0;
        for (entity, Mesh3d(mesh), transform) in occluders.iter(world) {
            let mesh = meshes.and_then(|meshes| meshes.get(mesh));
            let corners = corners(entity, mesh.ok_or(SceneError::NoMesh(entity))?)?;
            triangles += corners.len() / 3;
            parts.push(part(&corners, transform));
        }
        let mut places: Vec<_> = spawns
            .iter(world)
            .map(|transform| transform.translation() + LIFT)
            .map(|Vec3 { x, y, z }| format!("{x},{y},{z}\n"))
            .collect();
        if triangles == 0 {
            return Err(SceneError::NoOccluder);
        }
        if places.is_empty() {
            return Err(SceneError::NoSpawnPoint);
        }
        // Worlds have no order.
        parts.sort_unstable();
        places.sort_unstable();
        let obj = "mtllib level.mtl\n".to_owned() + &parts.concat();
        let places = places.concat();
        Ok(Self {
            obj,
            places,
            triangles,
        })
    }

    /// How many triangles it has.
    pub fn triangles(&self) -> usize {
        self.triangles
    }

    /// Writes `level.obj`, `level.mtl` and `places.csv` into a folder, which is made.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("level.obj"), &self.obj)?;
        std::fs::write(
            folder.join("level.mtl"),
            "newmtl opaque\nd 1\nnewmtl clear\nd 0.5\n",
        )?;
        std::fs::write(folder.join("places.csv"), &self.places)
    }
}

/// Three corners to a triangle.
fn corners(entity: Entity, mesh: &Mesh) -> Result<Vec<Vec3>, SceneError> {
    if mesh.try_indices().is_ok() {
        let triangles = mesh
            .triangles()
            .map_err(|_| SceneError::NoTriangles(entity))?;
        return Ok(triangles.flat_map(|triangle| triangle.vertices).collect());
    }
    let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok();
    let positions = positions.and_then(|positions| positions.as_float3());
    let positions = positions.ok_or(SceneError::NoMesh(entity))?;
    if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
        return Err(SceneError::NoTriangles(entity));
    }
    let (whole, _) = positions.as_chunks::<3>();
    Ok(whole
        .as_flattened()
        .iter()
        .copied()
        .map(Vec3::from)
        .collect())
}

/// A part of the file, which numbers its corners from the last.
fn part(corners: &[Vec3], transform: &GlobalTransform) -> String {
    let mut text = String::new();
    for &corner in corners {
        let Vec3 { x, y, z } = transform.transform_point(corner);
        writeln!(text, "v {x} {y} {z}").ok();
    }
    let is_mirrored = transform.affine().matrix3.determinant() < 0.0;
    text += if is_mirrored {
        "usemtl clear\n"
    } else {
        "usemtl opaque\n"
    };
    for first in (0..corners.len()).step_by(3) {
        let last = corners.len() - first;
        writeln!(text, "f -{last} -{} -{}", last - 1, last - 2).ok();
    }
    text
}
