//! Recorded motion through a server of bevy_replicon and its clients: each client has those whom its player may see, and nobody
//! else, in every frame. `VIEWCELL_TRACE` names a trace, `VIEWCELL_LEVEL` the bundle of its level, and `VIEWCELL_TOLD` where to write who
//! had whom, for `../wasm/test/judge.mjs`.

mod common;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_replicon::prelude::*;
use bevy_replicon::test_app::{ServerTestAppExt, TestClientEntity};
use bevy_state::app::StatesPlugin;
use bevy_time::TimePlugin;
use bevy_transform::components::Transform;
use bevy_viewcell::replicon::{EyesOf, ViewcellRepliconPlugin};
use bevy_viewcell::{Frame, Seen, Sight, Target, Viewer};
use serde::{Deserialize, Serialize};

use common::{app, load};

/// The number of a player, and where they are: what is sent.
#[derive(Component, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Body(u8, [f32; 3]);

/// How far a player of QuakeWorld comes in a round trip of 50 ms and a frame of 50 ms. [Unit: the level's]
const REACH: f32 = 100.0;

/// Positions of all players, frame by frame.
fn frames(text: &str) -> Vec<Vec<[f32; 3]>> {
    let mut all: BTreeMap<u32, Vec<Option<[f32; 3]>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut numbers = line.split(',').map(|word| word.parse::<f32>().unwrap());
        let mut next = || numbers.next().unwrap();
        let (time, player) = (next() as u32, next() as usize);
        if time % 50 != 0 {
            continue;
        }
        let frame = all.entry(time).or_default();
        frame.resize(frame.len().max(player + 1), None);
        frame[player] = Some([next(), next(), next()]);
    }
    let players = all.values().map(Vec::len).max().unwrap();
    let whole = all.into_values().filter(|frame| frame.len() == players);
    whole
        .filter_map(|frame| frame.into_iter().collect())
        .collect()
}

fn with_replicon(app: &mut App) {
    app.add_plugins((
        TimePlugin,
        StatesPlugin,
        RepliconPlugins.set(ServerPlugin::new(PostUpdate)),
    ))
    .replicate::<Body>();
}

/// Plays all frames: who had whom, a line a frame; and the bytes that were sent.
fn play(motion: &[Vec<[f32; 3]>], level: &Path, hides: bool, proofs: bool) -> (String, usize) {
    let mut server = app(level.parent().unwrap());
    with_replicon(&mut server);
    if hides {
        server.add_plugins(ViewcellRepliconPlugin);
    }
    server.finish();
    let name = level.file_name().unwrap().to_str().unwrap().to_owned();
    let (bundle, _) = load(&mut server, name.leak());
    server.insert_resource(Sight {
        frame: Frame {
            origin: Vec3::ZERO,
            axes: [Vec3::X, Vec3::Y, Vec3::Z],
        },
        reach: REACH,
        proofs,
        ..Sight::of(bundle)
    });
    let mut clients = Vec::new();
    for (number, &at) in motion[0].iter().enumerate() {
        let mut client = App::new();
        client.add_plugins(TaskPoolPlugin::default());
        with_replicon(&mut client);
        client.finish();
        server.connect_client(&mut client);
        let on_server = **client.world().resource::<TestClientEntity>();
        let player = (
            Replicated,
            Viewer,
            Target,
            EyesOf(on_server),
            Body(number as u8, at),
            Transform::from_translation(at.into()),
        );
        clients.push((client, server.world_mut().spawn(player).id()));
    }
    let (mut told, mut sent) = (String::new(), 0);
    for frame in motion {
        for (&(_, player), &at) in clients.iter().zip(frame) {
            let mut player = server.world_mut().entity_mut(player);
            player.get_mut::<Transform>().unwrap().translation = at.into();
            player.get_mut::<Body>().unwrap().1 = at;
        }
        server.update();
        let messages = server.world().resource::<ServerMessages>();
        sent += messages
            .iter_sent()
            .map(|(_, _, message)| message.len())
            .sum::<usize>();
        for (client, _) in &mut clients {
            server.exchange_with_client(client);
            client.update();
            server.exchange_with_client(client);
        }
        let players: Vec<Entity> = clients.iter().map(|&(_, player)| player).collect();
        for (viewer, (client, _)) in clients.iter_mut().enumerate() {
            let mut remote = client.world_mut().query_filtered::<&Body, With<Remote>>();
            let has: HashSet<u8> = remote.iter(client.world()).map(|body| body.0).collect();
            let seen = server.world().get::<Seen>(players[viewer]).unwrap();
            for (number, player) in players.iter().enumerate() {
                let is_told = has.contains(&(number as u8));
                let expected = !hides || number == viewer || seen.contains(*player);
                assert_eq!(is_told, expected, "{viewer} has {number}");
                told.push(if is_told { '1' } else { '0' });
            }
            told.push(if viewer + 1 == players.len() {
                '\n'
            } else {
                ' '
            });
        }
    }
    (told, sent)
}

#[test]
fn clients_have_whom_their_players_may_see_in_recorded_motion() {
    let given = ["VIEWCELL_TRACE", "VIEWCELL_LEVEL", "VIEWCELL_TOLD"].map(std::env::var);
    let [Ok(trace), Ok(level), Ok(to)] = given else {
        println!("skipped: no recorded motion is named");
        return;
    };
    let motion = frames(&std::fs::read_to_string(trace).unwrap());
    let level = Path::new(&level);
    let (_, all) = play(&motion, level, false, false);
    let mut words = String::new();
    for proofs in [false, true] {
        let (told, sent) = play(&motion, level, true, proofs);
        let name = if proofs { "proofs" } else { "bake" };
        std::fs::write(format!("{to}.{name}"), &told).unwrap();
        let saved = 100.0 * (1.0 - sent as f64 / all as f64);
        writeln!(
            words,
            "{name}: {} frames, {sent} of {all} bytes, saved {saved:.1} %",
            motion.len()
        )
        .unwrap();
        assert!(sent < all);
    }
    print!("{words}");
}
