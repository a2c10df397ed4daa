//! Two players on a terrain, of whom one walks away along the middle row: what is told of their sight.
//!
//!     cargo run --example walk [BUNDLE.vcb]

mod shared;

use bevy_app::{AppExit, ScheduleRunnerPlugin, prelude::*};
use bevy_asset::{AssetLoadFailedEvent, AssetServer, Assets};
use bevy_ecs::prelude::*;
use bevy_transform::prelude::*;
use bevy_viewcell::{
    Seen, Sight, SightHasEnded, SightMayBegin, Target, ViewCells, ViewcellPlugin, Viewer, World,
};

/// The name of the bundle among the assets.
#[derive(Resource)]
struct Bundle(String);

/// The player who walks, and the column they are in.
#[derive(Component)]
struct Walker(u32);

fn main() -> AppExit {
    let (assets, name) = shared::bundle();
    App::new()
        .add_plugins((
            TaskPoolPlugin::default(),
            ScheduleRunnerPlugin::default(),
            assets,
            TransformPlugin,
            ViewcellPlugin,
        ))
        .insert_resource(Bundle(name))
        .add_systems(Startup, spawn)
        .add_systems(Update, (walk, give_up))
        .add_systems(Last, tell)
        .run()
}

fn spawn(mut commands: Commands, bundle: Res<Bundle>, assets: Res<AssetServer>) {
    commands.insert_resource(Sight::of(assets.load(bundle.0.clone())));
    // Both on the western edge, as soon as it is known where that is.
    commands.spawn((Viewer, Target, Transform::IDENTITY));
    commands.spawn((Viewer, Target, Transform::IDENTITY, Walker(0)));
}

/// A column a tick, from west to east, once the bundle is there.
fn walk(
    sight: Res<Sight>,
    bundles: Res<Assets<ViewCells>>,
    mut players: Query<(&mut Transform, Option<&mut Walker>)>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some(World::Terrain(terrain)) = bundles.get(&sight.bundle).map(|bundle| bundle.world())
    else {
        return;
    };
    let ([dx, dy], grid) = (terrain.parameters().cell_spacing, terrain.grid());
    for (mut transform, walker) in &mut players {
        transform.translation.z = (grid.height() / 2) as f32 * dy as f32;
        if let Some(mut walker) = walker {
            transform.translation.x = walker.0 as f32 * dx as f32;
            walker.0 += 1;
            if walker.0 == grid.width() {
                exit.write(AppExit::Success);
            }
        }
    }
}

fn tell(
    walker: Single<(Entity, &Walker, &Seen)>,
    mut began: MessageReader<SightMayBegin>,
    mut ended: MessageReader<SightHasEnded>,
) {
    let (entity, Walker(next), seen) = walker.into_inner();
    let column = next.saturating_sub(1);
    for _ in began.read().filter(|message| message.viewer == entity) {
        println!("column {column}: the two may see each other from now on");
    }
    for _ in ended.read().filter(|message| message.viewer == entity) {
        assert!(seen.is_empty());
        println!("column {column}: neither need hear of the other");
    }
}

fn give_up(
    mut failed: MessageReader<AssetLoadFailedEvent<ViewCells>>,
    mut exit: MessageWriter<AppExit>,
) {
    for AssetLoadFailedEvent { error, .. } in failed.read() {
        eprintln!("{error}");
        exit.write(AppExit::error());
    }
}
