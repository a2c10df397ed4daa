//! A scene's meshes as a level: what is in it, what is refused, and that the bundle is asked with positions of the scene.

mod common;
#[path = "../examples/shared/level.rs"]
mod level;

use std::path::{Path, PathBuf};
use std::process::Command;

use bevy_app::prelude::*;
use bevy_asset::{AssetApp, AssetPlugin, Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use bevy_transform::prelude::*;
use bevy_viewcell::scene::{Level, Occluder, SceneError, SpawnPoint};
use bevy_viewcell::{Frame, OwnedBundle, World};

use common::turned;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        AssetPlugin::default(),
        TransformPlugin,
    ))
    .init_asset::<Mesh>();
    app
}

/// One triangle, without indices.
fn triangle(app: &mut App, topology: PrimitiveTopology) -> Mesh3d {
    let mesh = Mesh::new(topology, RenderAssetUsages::default()).with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    );
    Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh))
}

#[test]
fn corners_are_where_transforms_put_them_and_mirrored_meshes_hide_nothing() {
    let mut app = app();
    assert_eq!(Level::of(app.world_mut()), Err(SceneError::NoOccluder));
    let mesh = triangle(&mut app, PrimitiveTopology::TriangleList);
    let parent = app
        .world_mut()
        .spawn(Transform::from_xyz(10.0, 0.0, 0.0))
        .id();
    let child = Transform::from_xyz(0.0, 0.0, -2.5).with_scale(Vec3::splat(2.0));
    app.world_mut()
        .spawn((mesh.clone(), child, Occluder, ChildOf(parent)));
    // What is no occluder is not in it.
    app.world_mut().spawn((mesh.clone(), Transform::IDENTITY));
    app.update();
    assert_eq!(Level::of(app.world_mut()), Err(SceneError::NoSpawnPoint));
    app.world_mut()
        .spawn((SpawnPoint, Transform::from_xyz(1.0, 2.0, 3.0)));
    app.update();
    let level = Level::of(app.world_mut()).unwrap();
    assert_eq!(
        level.obj,
        "mtllib level.mtl\nv 10 0 -2.5\nv 12 0 -2.5\nv 10 2 -2.5\nusemtl opaque\nf -3 -2 -1\n"
    );
    assert_eq!(
        (level.places.as_str(), level.triangles()),
        ("1,2.05,3\n", 1)
    );

    let mirrored = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    app.world_mut().spawn((mesh, mirrored, Occluder));
    app.update();
    let level = Level::of(app.world_mut()).unwrap();
    assert_eq!(level.obj.matches("usemtl opaque").count(), 1);
    assert_eq!(level.obj.matches("usemtl clear").count(), 1);

    let lines = triangle(&mut app, PrimitiveTopology::LineList);
    let entity = app
        .world_mut()
        .spawn((lines, Transform::IDENTITY, Occluder))
        .id();
    app.update();
    assert_eq!(
        Level::of(app.world_mut()),
        Err(SceneError::NoTriangles(entity))
    );
    app.world_mut().entity_mut(entity).insert(Mesh3d::default());
    assert_eq!(Level::of(app.world_mut()), Err(SceneError::NoMesh(entity)));
}

/// The program, where it was built.
fn program() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let built = ["target/debug/viewcell", "target/release/viewcell"].map(|name| root.join(name));
    let told = std::env::var_os("VIEWCELL_PROGRAM").map(PathBuf::from);
    built
        .into_iter()
        .chain(told)
        .find(|program| program.is_file())
}

#[test]
fn a_scene_is_baked_and_asked_with_its_own_positions() {
    let Some(program) = program() else {
        eprintln!("skipped: the program is not built");
        return;
    };
    let mut app = app();
    app.add_systems(Startup, level::spawn);
    app.update();
    let level = Level::of(app.world_mut()).unwrap();
    assert_eq!(level.triangles(), 7 * 12);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scene");
    level.write(&folder).unwrap();
    let bundle = folder.join("level.vcb");
    let mut bake = Command::new(program);
    bake.args([
        "bake", "solid", "--from", "godot", "--quiet", "--force", "-o",
    ]);
    bake.arg(&bundle).arg(folder.join("level.obj"));
    bake.arg("--reach").arg(folder.join("places.csv"));
    assert!(bake.status().unwrap().success());
    let bundle = OwnedBundle::from_bytes(std::fs::read(&bundle).unwrap()).unwrap();
    let World::Solid(solid) = bundle.world() else {
        panic!("expected a solid level");
    };
    let right = Frame::baked();
    // Every other order and sign of the coordinates is noticed.
    let mut found = 0;
    for frame in turned(right) {
        let at =
            [level::CORNER, level::SHORT, level::LONG].map(|at| frame.to_bundle(at).to_array());
        let sees = |a: usize, b: usize| solid.positions_visible(at[a], at[b]);
        let holds = sees(0, 1) && sees(0, 2) && !sees(1, 2) && !sees(2, 1);
        assert_eq!(holds, frame == right, "{frame:?}");
        found += usize::from(holds);
    }
    assert_eq!(found, 1);
}
