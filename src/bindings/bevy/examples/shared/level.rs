//! A scene to bake: an L of 20 m to the east and 8 m to the north, 3 m wide and high.

use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::{Vec3, primitives::Cuboid};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_transform::prelude::*;
use bevy_viewcell::scene::{Occluder, SpawnPoint};

/// Between the feet of players in the corner, at the end of the short arm, and at that of the long one.
pub const CORNER: Vec3 = Vec3::new(1.5, 0.1, -1.5);
pub const SHORT: Vec3 = Vec3::new(1.5, 0.1, -7.0);
pub const LONG: Vec3 = Vec3::new(18.0, 0.1, -1.5);

/// Least and greatest corners of its walls.
const WALLS: [[Vec3; 2]; 7] = [
    [Vec3::new(-1.0, -1.0, -9.0), Vec3::new(21.0, 0.0, 1.0)],
    [Vec3::new(-1.0, 3.0, -9.0), Vec3::new(21.0, 4.0, 1.0)],
    [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(21.0, 3.0, 1.0)],
    [Vec3::new(-1.0, 0.0, -8.0), Vec3::new(0.0, 3.0, 0.0)],
    [Vec3::new(20.0, 0.0, -3.0), Vec3::new(21.0, 3.0, 0.0)],
    [Vec3::new(-1.0, 0.0, -9.0), Vec3::new(3.0, 3.0, -8.0)],
    [Vec3::new(3.0, 0.0, -9.0), Vec3::new(21.0, 3.0, -3.0)],
];

/// Spawns it: boxes of one mesh that their transforms scale.
pub fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
    let cube = meshes.add(Mesh::from(Cuboid::from_length(1.0)));
    for [low, high] in WALLS {
        let transform = Transform::from_translation((low + high) / 2.0).with_scale(high - low);
        commands.spawn((Mesh3d(cube.clone()), transform, Occluder));
    }
    commands.spawn((SpawnPoint, Transform::from_translation(CORNER.with_y(0.0))));
}
