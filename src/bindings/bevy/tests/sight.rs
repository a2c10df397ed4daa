//! What is told of sight, held to the bundle's own answer for each pair.

mod common;

use std::collections::HashSet;

use bevy_app::prelude::*;
use bevy_asset::{Assets, Handle};
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use bevy_viewcell::viewcell::query::Sample;
use bevy_viewcell::{
    Doubt, Frame, Frontiers, Place, Seen, Sight, SightHasEnded, SightMayBegin, Target, ViewCells,
    Viewer, World,
};

use common::{Dice, app, golden, load, open, turned};

type Pair = (Entity, Entity);

/// Reads messages as a game would.
#[derive(Default)]
struct Reader {
    began: MessageCursor<SightMayBegin>,
    ended: MessageCursor<SightHasEnded>,
    /// Pairs of which sight has begun and has not ended.
    seen: HashSet<Pair>,
}

impl Reader {
    /// Reads a tick's messages, each of which must say something new.
    fn read(&mut self, app: &App) {
        for m in self
            .ended
            .read(app.world().resource::<Messages<SightHasEnded>>())
        {
            assert!(
                self.seen.remove(&(m.viewer, m.target)),
                "{m:?} had not begun"
            );
        }
        for m in self
            .began
            .read(app.world().resource::<Messages<SightMayBegin>>())
        {
            assert!(self.seen.insert((m.viewer, m.target)), "{m:?} had begun");
        }
    }
}

/// What the components say.
fn seen(app: &mut App) -> HashSet<Pair> {
    let mut viewers = app.world_mut().query::<(Entity, &Seen)>();
    let pairs = viewers.iter(app.world()).flat_map(|(viewer, seen)| {
        assert_eq!(seen.iter().len(), seen.len());
        assert!(seen.iter().all(|target| seen.contains(target)));
        seen.iter().map(move |target| (viewer, target))
    });
    pairs.collect()
}

/// Places, and where they are in the world: of each place a point that lies well within it.
struct Map {
    bundle: ViewCells,
    frame: Frame,
    places: Vec<(Option<Place>, Vec3)>,
}

impl Map {
    fn new(name: &str) -> Self {
        let bundle = open(name);
        // A frame that differs from the default in everything.
        let origin = Vec3::new(-3.0, 7.0, 11.0);
        let off = (None, Vec3::new(-1e4, 0.0, 0.0));
        let (frame, mut places) = match bundle.world() {
            World::Terrain(terrain) => {
                let [dx, dy] = terrain.parameters().cell_spacing;
                let grid = terrain.grid();
                let at = |index: u32| {
                    let sample = Sample::new(index % grid.width(), index / grid.width());
                    let place = terrain.valid().has_sample(sample);
                    let (x, z) = (f64::from(sample.column) * dx, f64::from(sample.row) * dy);
                    let point = origin + Vec3::new(x as f32, 400.0, z as f32) / 20.0;
                    (place.then_some(Place::Sample(sample)), point)
                };
                let all = (0..grid.width() * grid.height()).map(at).collect();
                (Frame::terrain(20.0).at(origin), all)
            }
            World::Solid(level) => {
                let at = |cell: u32| {
                    let [low, high] = level.bounds(cell).unwrap();
                    let [x, y, z] = std::array::from_fn(|i| ((low[i] + high[i]) / 2.0) as f32);
                    let place = Some(Place::Cell(cell));
                    (place, origin + Vec3::new(x, z, -y) / 40.0)
                };
                let all = (0..level.cells()).map(at).collect();
                (Frame::level(40.0).at(origin), all)
            }
            World::Cells(level) => {
                let at = |cell: u32| {
                    let [x, y, z] = level.position(cell).unwrap().map(|x| x as f32);
                    // Not all of the points that stand for cells are located in them.
                    let place = level.locate([x, y, z].map(f64::from)).map(Place::Cell);
                    (place, origin + Vec3::new(x, z, -y) / 40.0)
                };
                let all = (0..level.cells()).map(at).collect::<Vec<_>>();
                assert!(all.iter().filter(|(place, _)| place.is_some()).count() > 5);
                (Frame::level(40.0).at(origin), all)
            }
        };
        places.push(off);
        Self {
            bundle,
            frame,
            places,
        }
    }

    /// The slow twin: one pair, asked of the bundle.
    fn sees(&self, from: usize, to: usize, sight: &Sight) -> bool {
        let (Some(a), Some(b)) = (self.places[from].0, self.places[to].0) else {
            return sight.doubt == Doubt::Visible;
        };
        if sight.reach == 0.0 {
            return self.bundle.world().visible(a, b);
        }
        let reach = [self.frame.length(sight.reach); 2];
        match (self.bundle.world(), a, b) {
            (World::Terrain(terrain), Place::Sample(a), Place::Sample(b)) => {
                terrain.visible_within(a, b, reach)
            }
            (World::Cells(level), Place::Cell(a), Place::Cell(b)) => {
                level.visible_within(a, b, reach)
            }
            (World::Solid(level), ..) => {
                let [a, b] =
                    [from, to].map(|at| self.frame.to_bundle(self.places[at].1).to_array());
                level.positions_visible_within(a, b, reach)
            }
            _ => panic!("{a:?} or {b:?} is of another world"),
        }
    }
}

/// Beings come, walk, jump, change what they are and go, for some ticks; in each, what is told must be what is so.
fn walk(name: &'static str, reach: f32, doubt: Doubt, frontiers: bool) {
    let ticks = 300;
    let map = Map::new(name);
    let mut app = app(&golden());
    let (bundle, _) = load(&mut app, name);
    let sight = Sight {
        frame: map.frame,
        reach,
        doubt,
        frontiers,
        ..Sight::of(bundle)
    };
    app.insert_resource(sight.clone());
    let mut dice = Dice(0x12C0_004D);
    let mut reader = Reader::default();
    // Who they are, the place they are at, whether they see and are seen.
    let mut beings: Vec<(Entity, usize, bool, bool)> = Vec::new();
    let (mut begun, mut ended, mut most, mut halves) = (0, 0, 0, 0);
    for tick in 0..ticks {
        let count = map.places.len() as u32;
        if beings.len() < 24 && dice.below(4) == 0 || tick < 8 {
            let at = dice.below(count) as usize;
            let transform = Transform::from_translation(map.places[at].1);
            let what = dice.below(6);
            let (sees, is_seen) = (what != 0, what != 1);
            let mut entity = app.world_mut().spawn(transform);
            if sees {
                entity.insert(Viewer);
            }
            if is_seen {
                entity.insert(Target);
            }
            beings.push((entity.id(), at, sees, is_seen));
        }
        for being in &mut beings {
            let (entity, at, sees, is_seen) = being;
            match dice.below(12) {
                0..5 => *at = (*at + 1) % map.places.len(),
                5 => *at = dice.below(count) as usize,
                6 if tick % 7 == 0 => {
                    *sees = !*sees;
                    let mut entity = app.world_mut().entity_mut(*entity);
                    if *sees {
                        entity.insert(Viewer)
                    } else {
                        entity.remove::<Viewer>()
                    };
                }
                7 if tick % 7 == 0 => {
                    *is_seen = !*is_seen;
                    let mut entity = app.world_mut().entity_mut(*entity);
                    if *is_seen {
                        entity.insert(Target)
                    } else {
                        entity.remove::<Target>()
                    };
                }
                _ => {}
            }
            let point = map.places[*at].1;
            app.world_mut()
                .get_mut::<Transform>(*entity)
                .unwrap()
                .translation = point;
        }
        if beings.len() > 4 && dice.below(10) == 0 {
            let gone = beings.swap_remove(dice.below(beings.len() as u32) as usize);
            app.world_mut().despawn(gone.0);
        }
        app.update();
        let before = reader.seen.clone();
        reader.read(&app);
        let mut expected = HashSet::new();
        for &(viewer, from, sees, _) in &beings {
            for &(target, to, _, is_seen) in &beings {
                if viewer != target && sees && is_seen && map.sees(from, to, &sight) {
                    expected.insert((viewer, target));
                }
            }
        }
        assert_eq!(reader.seen, expected, "{name}, tick {tick}: messages");
        assert_eq!(seen(&mut app), expected, "{name}, tick {tick}: components");
        halves += count_halves(&app, &map, &beings);
        begun += expected.difference(&before).count();
        ended += before.difference(&expected).count();
        most = most.max(expected.len());
    }
    assert!(
        begun > 20 && ended > 20 && most > 4,
        "{name}: {begun}, {ended}, {most}"
    );
    assert_eq!(halves > 100, frontiers, "{name}: {halves} halves");
}

/// How many players have halves of frontier sets: both are in theirs, and none of one sees the other.
fn count_halves(app: &App, map: &Map, beings: &[(Entity, usize, bool, bool)]) -> usize {
    let frontiers = app.world().resource::<Frontiers>();
    let mut found = 0;
    for &(one, here, ..) in beings {
        for &(other, there, ..) in beings {
            let Some(half) = frontiers.half(one, other) else {
                continue;
            };
            let theirs = frontiers.half(other, one).unwrap();
            let far = map.places[there].0.unwrap();
            assert!(theirs.contains(far));
            assert!(map.places[here].0.is_some_and(|place| half.contains(place)));
            let own = map.places.iter().filter_map(|(place, _)| *place);
            for place in own.filter(|place| half.contains(*place)) {
                let world = map.bundle.world();
                assert!(!world.visible(place, far) && !world.visible(far, place));
            }
            found += 1;
        }
    }
    found
}

#[test]
fn what_is_told_on_a_terrain_is_what_is_visible() {
    walk("40x9-pairs.vcb", 0.0, Doubt::Visible, false);
    walk("40x9-pairs.vcb", 0.0, Doubt::Visible, true);
    walk("40x24-within-budget.vcb", 0.0, Doubt::Hidden, false);
    walk("40x24-within-budget.vcb", 0.0, Doubt::Hidden, true);
}

#[test]
fn what_is_told_on_a_terrain_with_voids_is_what_is_visible() {
    walk("13x9-voids-pairs.vcb", 0.0, Doubt::Visible, false);
    walk("13x9-voids-pairs.vcb", 0.0, Doubt::Visible, true);
    walk("13x9-voids.vcb", 0.0, Doubt::Hidden, false);
    walk("13x9-voids.vcb", 0.0, Doubt::Hidden, true);
}

#[test]
fn what_is_told_in_a_level_is_what_is_visible() {
    walk("level.vcb", 0.0, Doubt::Visible, false);
    walk("level.vcb", 0.0, Doubt::Visible, true);
    walk("level.vcb", 0.0, Doubt::Hidden, false);
    walk("level.vcb", 0.0, Doubt::Hidden, true);
}

#[test]
fn what_is_told_in_a_solid_level_is_what_is_visible() {
    for doubt in [Doubt::Visible, Doubt::Hidden] {
        for reach in [0.0, 0.5, 2.0] {
            walk("solid.vcb", reach, doubt, false);
            walk("solid.vcb", reach, doubt, true);
        }
    }
}

#[test]
fn a_look_ahead_tells_earlier() {
    walk("40x24-within-budget.vcb", 6.0, Doubt::Visible, false);
    walk("40x24-within-budget.vcb", 6.0, Doubt::Visible, true);
    walk("13x9-voids-pairs.vcb", 1.0, Doubt::Hidden, false);
    walk("13x9-voids-pairs.vcb", 1.0, Doubt::Hidden, true);
    walk("level.vcb", 0.5, Doubt::Hidden, false);
    walk("level.vcb", 0.5, Doubt::Hidden, true);
}

/// Two players who neither see nor are seen at these places.
fn hidden_pair(map: &Map) -> (usize, usize) {
    let sight = Sight {
        doubt: Doubt::Visible,
        ..Sight::of(Handle::default())
    };
    let places = 0..map.places.len();
    let pairs = places
        .clone()
        .flat_map(|a| places.clone().map(move |b| (a, b)));
    let mut hidden = pairs.filter(|&(a, b)| !map.sees(a, b, &sight) && !map.sees(b, a, &sight));
    hidden.next().unwrap()
}

/// A game with two players who neither see nor are seen.
struct Two {
    app: App,
    map: Map,
    bundle: Handle<ViewCells>,
    /// The first, and where they stand.
    player: Entity,
    at: Vec3,
}

impl Two {
    fn new(doubt: Doubt) -> Self {
        let map = Map::new("40x9-pairs.vcb");
        let (a, b) = hidden_pair(&map);
        let mut app = app(&golden());
        let (bundle, _) = load(&mut app, "40x9-pairs.vcb");
        app.insert_resource(Sight {
            frame: map.frame,
            doubt,
            ..Sight::of(bundle.clone())
        });
        let [player, _] = [a, b].map(|at| {
            let at = Transform::from_translation(map.places[at].1);
            app.world_mut().spawn((Viewer, Target, at)).id()
        });
        app.update();
        assert!(seen(&mut app).is_empty());
        Self {
            at: map.places[a].1,
            app,
            map,
            bundle,
            player,
        }
    }
}

#[test]
fn without_a_bundle_nobody_sees_while_it_loads_and_doubt_holds_where_it_fails() {
    let mut app = app(&golden());
    let players = [0.0, 1.0].map(|x| {
        let at = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((Viewer, Target, at)).id()
    });
    app.update();
    assert!(seen(&mut app).is_empty(), "no sight is asked for");
    for (doubt, pairs) in [(Doubt::Visible, 2), (Doubt::Hidden, 0), (Doubt::Visible, 2)] {
        let (handle, _) = load(&mut app, "nothing.vcb");
        app.insert_resource(Sight {
            doubt,
            ..Sight::of(handle)
        });
        app.update();
        assert_eq!(seen(&mut app).len(), pairs, "{doubt:?}");
    }
    // Another one that is on its way.
    let handle = app
        .world()
        .resource::<bevy_asset::AssetServer>()
        .load("40x9-pairs.vcb");
    app.insert_resource(Sight::of(handle));
    app.world_mut().run_schedule(PostUpdate);
    assert!(seen(&mut app).is_empty(), "it loads");
    let begun = std::time::Instant::now();
    while seen(&mut app).is_empty() && begun.elapsed().as_secs() < 60 {
        app.update();
    }
    assert_eq!(seen(&mut app).len(), 2, "they stand in one sample");
    app.world_mut().despawn(players[0]);
    app.update();
    assert!(seen(&mut app).is_empty());
}

#[test]
fn another_bundle_or_frame_in_its_place_is_asked_anew() {
    let Two {
        mut app,
        map,
        bundle,
        ..
    } = Two::new(Doubt::Visible);
    // The same players stand elsewhere on the map: off it.
    app.world_mut().resource_mut::<Sight>().frame.origin.x += 1e6;
    app.update();
    assert_eq!(seen(&mut app).len(), 2);
    app.world_mut().resource_mut::<Sight>().frame = map.frame;
    app.update();
    assert!(seen(&mut app).is_empty());
    // The file has changed, and was loaded again.
    let other = open("1x1-pairs.vcb");
    let mut assets = app.world_mut().resource_mut::<Assets<ViewCells>>();
    assets.insert(&bundle, other).unwrap();
    app.update();
    assert_eq!(seen(&mut app).len(), 2, "off a map of one sample");
    let mut assets = app.world_mut().resource_mut::<Assets<ViewCells>>();
    assets.insert(&bundle, map.bundle.clone()).unwrap();
    app.update();
    assert!(seen(&mut app).is_empty());
}

#[test]
fn a_bundle_that_is_let_go_leaves_doubt() {
    for (doubt, pairs) in [(Doubt::Visible, 2), (Doubt::Hidden, 0)] {
        let Two {
            mut app, bundle, ..
        } = Two::new(doubt);
        let mut assets = app.world_mut().resource_mut::<Assets<ViewCells>>();
        assert!(assets.remove(&bundle).is_some());
        for _ in 0..2 {
            app.update();
            assert_eq!(seen(&mut app).len(), pairs, "{doubt:?}");
        }
        app.world_mut().remove_resource::<Sight>();
        app.update();
        assert!(seen(&mut app).is_empty());
    }
}

#[test]
fn numbers_that_are_none_leave_doubt() {
    let Two {
        mut app,
        player,
        at,
        ..
    } = Two::new(Doubt::Visible);
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        let put = |app: &mut App, at: Vec3| {
            let mut player = app.world_mut().entity_mut(player);
            player.get_mut::<Transform>().unwrap().translation = at;
            app.update();
        };
        put(&mut app, Vec3::splat(wrong));
        assert_eq!(seen(&mut app).len(), 2, "{wrong}");
        put(&mut app, at);
        assert!(seen(&mut app).is_empty());
        app.world_mut().resource_mut::<Sight>().reach = wrong;
        app.update();
        app.world_mut().resource_mut::<Sight>().reach = 0.0;
        app.update();
        assert!(seen(&mut app).is_empty());
    }
}

/// Systems without an order between them, which Bevy runs in threads.
#[test]
fn many_systems_ask_one_asset() {
    #[derive(Resource, Default)]
    struct Asked(std::sync::atomic::AtomicU32);

    fn ask<const SYSTEM: usize>(
        bundles: Res<Assets<ViewCells>>,
        sight: Res<Sight>,
        asked: Res<Asked>,
    ) {
        let bundle = bundles.get(&sight.bundle).unwrap();
        let world = bundle.world();
        let all = || (0..world.places()).map(|number| world.place(number).unwrap());
        let found = all().flat_map(|a| all().map(move |b| (a, b)));
        let found = found.filter(|&(a, b)| world.visible(a, b)).count();
        assert!(found > 360, "system {SYSTEM}: {found}");
        let found = u32::try_from(found).unwrap();
        asked
            .0
            .fetch_add(found, std::sync::atomic::Ordering::Relaxed);
    }

    let mut app = app(&golden());
    let (bundle, _) = load(&mut app, "40x9-pairs.vcb");
    app.insert_resource(Sight::of(bundle))
        .init_resource::<Asked>();
    app.add_systems(Update, ask::<0>);
    app.update();
    let asked = |app: &mut App| {
        let mut asked = app.world_mut().resource_mut::<Asked>();
        std::mem::take(asked.0.get_mut())
    };
    let once = asked(&mut app);
    app.add_systems(Update, (ask::<1>, ask::<2>, ask::<3>, ask::<4>, ask::<5>));
    for _ in 0..5 {
        app.update();
        assert_eq!(asked(&mut app), 6 * once);
    }
}

#[test]
fn transforms_are_those_of_the_world_not_of_the_parent() {
    let map = Map::new("40x9-pairs.vcb");
    let (a, b) = hidden_pair(&map);
    let mut app = app(&golden());
    let (bundle, _) = load(&mut app, "40x9-pairs.vcb");
    app.insert_resource(Sight {
        frame: map.frame,
        doubt: Doubt::Visible,
        ..Sight::of(bundle)
    });
    // Eyes on a body: both are off the map by their own transforms.
    let half = map.places[a].1 / 2.0;
    let body = app
        .world_mut()
        .spawn(Transform::from_translation(half))
        .id();
    let eyes = app
        .world_mut()
        .spawn((Viewer, Transform::from_translation(half), ChildOf(body)))
        .id();
    let target = app
        .world_mut()
        .spawn((Target, Transform::from_translation(map.places[b].1)))
        .id();
    app.update();
    assert!(!app.world().get::<Seen>(eyes).unwrap().contains(target));
    app.world_mut()
        .get_mut::<Transform>(body)
        .unwrap()
        .translation
        .x -= 1e6;
    app.update();
    assert!(app.world().get::<Seen>(eyes).unwrap().contains(target));
}

#[test]
fn axes_are_as_the_frames_say() {
    let at = |frame: Frame, x, y, z| frame.to_bundle(Vec3::new(x, y, z)).to_array();
    assert_eq!(at(Frame::default(), 3.0, 5.0, 7.0), [3.0, 7.0, 5.0]);
    let frame = Frame::terrain(0.5).at(Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(at(frame, 3.0, 5.0, 7.0), [1.0, 2.0, 1.5]);
    assert_eq!(frame.length(4.0), 2.0);
    // North in the world is -z, in the level +y.
    assert_eq!(at(Frame::level(32.0), 1.0, 2.0, -3.0), [32.0, 96.0, 64.0]);
}

/// The L of `tests/solid/axes.rs` by an exporter with Bevy's axes: what the world has where is what the bundle has there.
#[test]
fn a_level_with_bevys_axes_is_asked_with_positions_of_the_world() {
    let folder = golden().with_file_name("axes");
    let frame = Frame::baked();
    let places = [[1.5, 0.1, -1.5], [1.5, 0.1, -7.0], [18.0, 0.1, -1.5]].map(Vec3::from_array);
    let seen = |frame: Frame, proofs: bool| {
        let mut app = app(&folder);
        let (handle, _) = load(&mut app, "godot.vcb");
        app.insert_resource(Sight {
            frame,
            reach: 0.5,
            proofs,
            ..Sight::of(handle)
        });
        let beings = places.map(|at| {
            let transform = Transform::from_translation(at);
            app.world_mut().spawn((Viewer, Target, transform)).id()
        });
        app.update();
        let sees = |a: usize, b: usize| {
            let seen = app.world().get::<Seen>(beings[a]).unwrap();
            seen.contains(beings[b])
        };
        [
            sees(0, 1),
            sees(1, 0),
            sees(0, 2),
            sees(2, 0),
            sees(1, 2),
            sees(2, 1),
        ]
    };
    let right = [true, true, true, true, false, false];
    for proofs in [false, true] {
        assert_eq!(seen(frame, proofs), right, "proofs {proofs}");
    }
    // By any mirrored or swapped axis somebody is in no cell, and seen.
    for turned in turned(frame) {
        assert_eq!(seen(turned, false) == right, turned == frame, "{turned:?}");
    }
}
