//! Clients of bevy_replicon: what arrives is what they may see, looked at byte by byte.

mod common;

use std::collections::HashSet;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_replicon::prelude::*;
use bevy_replicon::test_app::{ServerTestAppExt, TestClientEntity};
use bevy_state::app::StatesPlugin;
use bevy_time::TimePlugin;
use bevy_transform::components::Transform;
use bevy_viewcell::replicon::{EyesOf, ViewcellRepliconPlugin};
use bevy_viewcell::viewcell::query::{Sample, TerrainBundle};
use bevy_viewcell::{Sight, Target, ViewCells, Viewer, World};
use serde::{Deserialize, Serialize};

use common::{Dice, app, golden, load, open};

/// What only those may know who see its owner: a number that no message has by chance.
#[derive(Component, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Secret([u8; 12]);

fn secret(number: u8) -> Secret {
    Secret([
        0xC3, number, 0x5A, 0x99, number, 0xE1, 0x77, number, 0x3C, 0xD8, number, 0xB4,
    ])
}

const TERRAIN: &str = "40x9-pairs.vcb";

fn terrain(bundle: &ViewCells) -> TerrainBundle<'_> {
    match bundle.world() {
        World::Terrain(terrain) => *terrain,
        World::Cells(_) | World::Solid(_) => panic!("no terrain"),
    }
}

/// The middle of a sample in the world.
fn point(bundle: &ViewCells, sample: Sample) -> Vec3 {
    let [dx, dy] = terrain(bundle).parameters().cell_spacing;
    let (x, z) = (f64::from(sample.column) * dx, f64::from(sample.row) * dy);
    Vec3::new(x as f32, 0.0, z as f32)
}

fn server() -> App {
    let mut server = app(&golden());
    server
        .add_plugins((
            TimePlugin,
            StatesPlugin,
            RepliconPlugins.set(ServerPlugin::new(PostUpdate)),
        ))
        .add_plugins(ViewcellRepliconPlugin)
        .replicate::<Secret>()
        .finish();
    let (bundle, _) = load(&mut server, TERRAIN);
    server.insert_resource(Sight::of(bundle));
    server
}

fn client() -> App {
    let mut client = App::new();
    client
        .add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            StatesPlugin,
            RepliconPlugins.set(ServerPlugin::new(PostUpdate)),
        ))
        .replicate::<Secret>()
        .finish();
    client
}

/// A client, the entity that stands for it on the server, and the secrets of which bytes came.
struct Peer {
    app: App,
    on_server: Entity,
}

impl Peer {
    fn connect(server: &mut App) -> Self {
        let mut app = client();
        server.connect_client(&mut app);
        let on_server = **app.world().resource::<TestClientEntity>();
        Self { app, on_server }
    }

    /// A tick of this client, after one of the server: the numbers of the secrets that are in the bytes for it.
    fn tick(&mut self, server: &mut App) -> HashSet<u8> {
        let sent = server.world().resource::<ServerMessages>();
        let mut told = HashSet::new();
        for (to, _, message) in sent.iter_sent() {
            for number in (0..8).filter(|_| to == self.on_server) {
                if message.windows(12).any(|bytes| bytes == secret(number).0) {
                    told.insert(number);
                }
            }
        }
        server.exchange_with_client(&mut self.app);
        self.app.update();
        server.exchange_with_client(&mut self.app);
        told
    }

    /// The numbers of the secrets of entities that the client has.
    fn has(&mut self) -> HashSet<u8> {
        let mut remote = self
            .app
            .world_mut()
            .query_filtered::<&Secret, With<Remote>>();
        let secrets = remote.iter(self.app.world());
        secrets.map(|secret| secret.0[1]).collect()
    }
}

/// Puts a player of a client on the map.
fn spawn(server: &mut App, client: Entity, number: u8, at: Vec3) -> Entity {
    let at = Transform::from_translation(at);
    let player = (
        Replicated,
        Viewer,
        Target,
        EyesOf(client),
        secret(number),
        at,
    );
    server.world_mut().spawn(player).id()
}

fn put(server: &mut App, player: Entity, at: Vec3) {
    let mut transform = server.world_mut().get_mut::<Transform>(player).unwrap();
    transform.translation = at;
}

/// Two samples that are hidden from each other, and one from which both are seen.
fn hidden_pair(bundle: &ViewCells) -> [Sample; 3] {
    let terrain = terrain(bundle);
    let samples = || (0..360).map(|i| Sample::new(i % 40, i / 40));
    let pairs = samples().flat_map(|a| samples().map(move |b| (a, b)));
    let mut hidden = pairs.filter(|&(a, b)| !terrain.visible(a, b));
    hidden
        .find_map(|(a, b)| {
            let mut between = samples().filter(|&c| terrain.visible(c, a) && terrain.visible(c, b));
            between.next().map(|c| [a, b, c])
        })
        .unwrap()
}

fn set(numbers: impl IntoIterator<Item = u8>) -> HashSet<u8> {
    numbers.into_iter().collect()
}

#[test]
fn neither_client_hears_of_the_other_while_they_are_hidden() {
    let bundle = open(TERRAIN);
    let [a, b, between] = hidden_pair(&bundle).map(|sample| point(&bundle, sample));
    let mut server = server();
    let mut clients = [Peer::connect(&mut server), Peer::connect(&mut server)];
    let players = [(0, a), (1, b)].map(|(number, at)| {
        let client = clients[usize::from(number)].on_server;
        spawn(&mut server, client, number, at)
    });
    let mut tick = |server: &mut App, told: [&[u8]; 2], has: [&[u8]; 2]| {
        server.update();
        for (client, (told, has)) in clients.iter_mut().zip(told.into_iter().zip(has)) {
            let words = client.tick(server);
            assert_eq!(words, set(told.iter().copied()), "told");
            assert_eq!(client.has(), set(has.iter().copied()), "has");
        }
    };
    // Each hears of its own player alone; then of nothing new.
    tick(&mut server, [&[0], &[1]], [&[0], &[1]]);
    for _ in 0..5 {
        tick(&mut server, [&[], &[]], [&[0], &[1]]);
    }
    // What a hidden player does is not told either.
    *server.world_mut().get_mut::<Secret>(players[1]).unwrap() = secret(2);
    tick(&mut server, [&[], &[2]], [&[0], &[2]]);
    // One comes into sight, and goes: both are told once, and forget.
    put(&mut server, players[0], between);
    tick(&mut server, [&[2], &[0]], [&[0, 2], &[0, 2]]);
    put(&mut server, players[0], a);
    tick(&mut server, [&[], &[]], [&[0], &[2]]);
    *server.world_mut().get_mut::<Secret>(players[1]).unwrap() = secret(3);
    tick(&mut server, [&[], &[3]], [&[0], &[3]]);
    // What is no target any more is nothing that sight hides.
    server.world_mut().entity_mut(players[1]).remove::<Target>();
    tick(&mut server, [&[3], &[]], [&[0, 3], &[3]]);
    server.world_mut().entity_mut(players[1]).insert(Target);
    tick(&mut server, [&[], &[]], [&[0], &[3]]);
    // Whose player is gone sees nothing; who despawned is forgotten by those who saw.
    put(&mut server, players[0], between);
    tick(&mut server, [&[3], &[0]], [&[0, 3], &[0, 3]]);
    server.world_mut().despawn(players[0]);
    tick(&mut server, [&[], &[]], [&[], &[3]]);
}

#[test]
fn clients_that_come_late_or_have_two_pairs_of_eyes_have_what_these_see() {
    let bundle = open(TERRAIN);
    let [a, b, between] = hidden_pair(&bundle).map(|sample| point(&bundle, sample));
    let mut server = server();
    let mut first = Peer::connect(&mut server);
    spawn(&mut server, first.on_server, 0, a);
    server.update();
    first.tick(&mut server);
    // While another connects, and before it has a player, it is sent nothing.
    let mut second = Peer::connect(&mut server);
    assert_eq!(second.has(), set([]));
    let player = spawn(&mut server, second.on_server, 1, b);
    server.update();
    second.tick(&mut server);
    assert_eq!(second.has(), set([1]));
    // A camera is a viewer, and no target.
    let at = Transform::from_translation(between);
    let camera = server
        .world_mut()
        .spawn((Viewer, EyesOf(second.on_server), at))
        .id();
    server.update();
    assert_eq!(second.tick(&mut server), set([0]));
    assert_eq!(second.has(), set([0, 1]));
    server.world_mut().entity_mut(camera).remove::<Viewer>();
    server.update();
    second.tick(&mut server);
    assert_eq!(second.has(), set([1]));
    // Its player changes hands.
    server
        .world_mut()
        .entity_mut(player)
        .insert(EyesOf(first.on_server));
    server.update();
    first.tick(&mut server);
    second.tick(&mut server);
    assert_eq!((first.has(), second.has()), (set([0, 1]), set([])));
}

#[test]
fn what_clients_have_is_what_their_players_see_in_every_tick() {
    let bundle = open(TERRAIN);
    let map = terrain(&bundle);
    let mut server = server();
    let mut dice = Dice(4711);
    let mut clients: Vec<Peer> = (0..4).map(|_| Peer::connect(&mut server)).collect();
    let mut places: Vec<Sample> = Vec::new();
    let mut players = Vec::new();
    for (number, client) in clients.iter().enumerate() {
        let at = Sample::new(dice.below(40), dice.below(9));
        places.push(at);
        players.push(spawn(
            &mut server,
            client.on_server,
            number as u8,
            point(&bundle, at),
        ));
    }
    let (mut seen, mut hidden) = (0, 0);
    for tick in 0..200 {
        for (at, player) in places.iter_mut().zip(&players) {
            at.column = (at.column + dice.below(3)).saturating_sub(1).min(39);
            at.row = (at.row + dice.below(3)).saturating_sub(1).min(8);
            put(&mut server, *player, point(&bundle, *at));
        }
        server.update();
        for (number, client) in clients.iter_mut().enumerate() {
            let told = client.tick(&mut server);
            let sees =
                |&other: &usize| other == number || map.visible(places[number], places[other]);
            let expected: HashSet<u8> = (0..4).filter(sees).map(|other| other as u8).collect();
            assert!(
                told.is_subset(&expected),
                "tick {tick}: {number} is told {told:?}"
            );
            assert_eq!(client.has(), expected, "tick {tick}, client {number}");
            seen += expected.len() - 1;
            hidden += 4 - expected.len();
        }
    }
    assert!(seen > 100 && hidden > 100, "{seen} seen, {hidden} hidden");
}
