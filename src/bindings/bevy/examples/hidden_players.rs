//! An authoritative server and two clients of it, over TCP on the loopback. Neither client receives the other's
//! player while the two are hidden from each other, which is asserted on what arrives.
//!
//!     cargo run --example hidden_players --features replicon [BUNDLE.vcb]
//!
//! In a game each of the three is a program of its own; here they take turns in one, which ends by itself.

mod shared;

use std::error::Error;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets};
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon_example_backend::{ExampleClient, ExampleServer, RepliconExampleBackendPlugins};
use bevy_state::app::StatesPlugin;
use bevy_time::TimePlugin;
use bevy_transform::prelude::*;
use bevy_viewcell::replicon::{EyesOf, ViewcellRepliconPlugin};
use bevy_viewcell::viewcell::query::Sample;
use bevy_viewcell::{Sight, Target, ViewCells, ViewcellPlugin, Viewer, World as Of};
use serde::{Deserialize, Serialize};

/// A player's name and place: what a wall-hack would show.
#[derive(Component, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Player {
    name: String,
    column: u32,
    row: u32,
}

/// What server and clients have in common.
fn networked() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        StatesPlugin,
        RepliconPlugins.set(ServerPlugin::new(PostUpdate)),
        RepliconExampleBackendPlugins,
    ))
    .replicate::<Player>();
    app
}

fn server() -> Result<(App, std::net::SocketAddr), Box<dyn Error>> {
    let (assets, name) = shared::bundle();
    let mut app = networked();
    app.add_plugins((
        assets,
        TransformPlugin,
        ViewcellPlugin,
        ViewcellRepliconPlugin,
    ))
    .add_observer(welcome)
    .finish();
    let bundle = app.world().resource::<AssetServer>().load(name);
    app.insert_resource(Sight::of(bundle));
    let socket = ExampleServer::new(0)?;
    let address = socket.local_addr()?;
    app.insert_resource(socket);
    Ok((app, address))
}

/// Who connects gets a player, whose eyes are the client's.
fn welcome(client: On<Add, AuthorizedClient>, players: Query<&Player>, mut commands: Commands) {
    let name = ["Alice", "Bob"][players.iter().count() % 2];
    let player = Player {
        name: name.into(),
        column: 0,
        row: 0,
    };
    let eyes = EyesOf(client.entity);
    commands.spawn((
        Replicated,
        Viewer,
        Target,
        eyes,
        player,
        Transform::IDENTITY,
    ));
}

fn client(address: std::net::SocketAddr) -> Result<App, Box<dyn Error>> {
    let mut app = networked();
    app.finish();
    app.insert_resource(ExampleClient::new(address)?);
    Ok(app)
}

/// The players that a client has received.
fn received(client: &mut App) -> Vec<Player> {
    let mut players = client.world_mut().query_filtered::<&Player, With<Remote>>();
    let mut players: Vec<Player> = players.iter(client.world()).cloned().collect();
    players.sort_by(|a, b| a.name.cmp(&b.name));
    players
}

/// Lets all three take turns until something holds. Loopback takes its time.
fn until(
    what: &str,
    server: &mut App,
    clients: &mut [App; 2],
    mut holds: impl FnMut(&mut App, &mut [App; 2]) -> bool,
) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        server.update();
        clients.iter_mut().for_each(|client| client.update());
        if holds(server, clients) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(format!("waited 30 s for: {what}").into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut server, address) = server()?;
    let mut clients = [client(address)?, client(address)?];
    until("the bundle", &mut server, &mut clients, |server, _| {
        server
            .world()
            .resource::<Assets<ViewCells>>()
            .iter()
            .count()
            == 1
    })?;
    until(
        "both players",
        &mut server,
        &mut clients,
        |server, clients| {
            let mut players = server.world_mut().query::<&Player>();
            let both = players.iter(server.world()).count() == 2;
            both && clients
                .iter_mut()
                .all(|client| !received(client).is_empty())
        },
    )?;

    let bundles = server.world().resource::<Assets<ViewCells>>();
    let (_, bundle) = bundles.iter().next().ok_or("no bundle")?;
    let bundle = bundle.clone();
    let Of::Terrain(terrain) = bundle.world() else {
        return Err("expected a bundle of a terrain, found one of a level".into());
    };
    let ([dx, dy], grid) = (terrain.parameters().cell_spacing, terrain.grid());
    // Alice stays in the middle of the western edge; Bob walks along the middle row.
    let row = grid.height() / 2;
    let mut apart = 0;
    for column in 0..grid.width() {
        let places = [Sample::new(0, row), Sample::new(column, row)];
        let mut players = server.world_mut().query::<(&mut Player, &mut Transform)>();
        for (mut player, mut transform) in players.iter_mut(server.world_mut()) {
            let at = places[usize::from(player.name == "Bob")];
            (player.column, player.row) = (at.column, at.row);
            transform.translation.x = at.column as f32 * dx as f32;
            transform.translation.z = at.row as f32 * dy as f32;
        }
        let sees = terrain.visible(places[0], places[1]);
        // A client's own player, which it always has, comes after all that was sent before.
        until(
            "this tick's news",
            &mut server,
            &mut clients,
            |_, clients| {
                clients.iter_mut().all(|client| {
                    let players = received(client);
                    let at = |player: &Player| Sample::new(player.column, player.row);
                    let is_now =
                        |player: &Player| at(player) == places[usize::from(player.name == "Bob")];
                    players.iter().all(is_now) && players.len() == 1 + usize::from(sees)
                })
            },
        )?;
        // And nothing else is on its way.
        for _ in 0..3 {
            server.update();
            for client in &mut clients {
                client.update();
                let names: Vec<_> = received(client)
                    .into_iter()
                    .map(|player| player.name)
                    .collect();
                assert_eq!(names.len() == 2, sees, "column {column}: {names:?}");
            }
        }
        apart += u32::from(!sees);
        println!(
            "Bob in column {column:2}: {}",
            if sees {
                "each client has both players"
            } else {
                "each client has its own player"
            }
        );
    }
    if apart == 0 || apart == grid.width() {
        return Err("this row shows nothing: they are always or never hidden".into());
    }
    println!(
        "hidden in {apart} of {} columns, and never sent there",
        grid.width()
    );
    Ok(())
}
