//! A scene's meshes become a level, which the program bakes; then the bundle is asked with positions of the scene.
//!
//!     cargo run --example bake_scene --features scene PROGRAM
//!
//! PROGRAM is viewcell: a path, or a name that the system finds.

#[path = "shared/level.rs"]
mod level;

use std::error::Error;
use std::process::Command;

use bevy_app::prelude::*;
use bevy_asset::{AssetApp, AssetPlugin};
use bevy_mesh::Mesh;
use bevy_transform::prelude::*;
use bevy_viewcell::scene::Level;
use bevy_viewcell::{Frame, OwnedBundle, World};

fn main() -> Result<(), Box<dyn Error>> {
    let program = std::env::args().nth(1).unwrap_or("viewcell".to_owned());
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        AssetPlugin::default(),
        TransformPlugin,
    ))
    .init_asset::<Mesh>()
    .add_systems(Startup, level::spawn);
    // Global transforms are of the end of a tick.
    app.update();
    let folder = std::env::temp_dir().join(format!("bake_scene-{}", std::process::id()));
    let baked = Level::of(app.world_mut())?;
    baked.write(&folder)?;
    let bundle = folder.join("level.vcb");
    let status = Command::new(&program)
        .args(["bake", "solid", "--from", "godot", "--quiet", "-o"])
        .arg(&bundle)
        .arg(folder.join("level.obj"))
        .arg("--reach")
        .arg(folder.join("places.csv"))
        .status()
        .map_err(|error| format!("{program}: {error}; give the path of the viewcell program"))?;
    let bytes = std::fs::read(&bundle);
    std::fs::remove_dir_all(&folder)?;
    if !status.success() {
        return Err(format!("{program}: {status}").into());
    }

    let bundle = OwnedBundle::from_bytes(bytes?)?;
    let frame = Frame::baked();
    let World::Solid(solid) = bundle.world() else {
        return Err("expected a solid level".into());
    };
    println!("{} triangles, {} cells", baked.triangles(), solid.cells());
    let arms = [
        ("the corner", level::CORNER),
        ("the short arm", level::SHORT),
        ("the long arm", level::LONG),
    ];
    for (i, (from, a)) in arms.into_iter().enumerate() {
        for (to, b) in &arms[i + 1..] {
            let [a, b] = [a, *b].map(|at| frame.to_bundle(at).to_array());
            let answer = if solid.positions_visible(a, b) {
                "may see"
            } else {
                "does not see"
            };
            println!("{from} {answer} {to}");
        }
    }
    Ok(())
}
