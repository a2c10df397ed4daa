//! Components, messages, and the system that tells of sight.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::{AssetApp, AssetServer, Assets, Handle, LoadState};
use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::prelude::*;
use bevy_transform::TransformSystems;
use bevy_transform::components::GlobalTransform;

use crate::asset::{ViewCells, ViewCellsLoader};
use crate::frame::Frame;
use viewcell_sight::{AskOptions, Being, Half, Known, Watch};

/// Loads bundles, and tells each tick whose sight of whom may begin, and whose has ended.
///
/// Needs bevy's `TaskPoolPlugin`, `AssetPlugin` and `TransformPlugin` before it; `DefaultPlugins` has all three.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViewcellPlugin;

impl Plugin for ViewcellPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ViewCells>()
            .init_asset_loader::<ViewCellsLoader>()
            .init_resource::<Frontiers>()
            .add_message::<SightMayBegin>()
            .add_message::<SightHasEnded>()
            .add_systems(
                PostUpdate,
                watch
                    .in_set(SightSystems)
                    .after(TransformSystems::Propagate),
            );
    }
}

/// The system that tells of sight, in `PostUpdate` after transforms were propagated.
#[derive(SystemSet, Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct SightSystems;

/// Which bundle hides whom, and how it is asked. Without this resource nobody sees anybody.
#[derive(Resource, Clone, Debug)]
pub struct Sight {
    /// The bundle. While it loads nobody sees anybody.
    pub bundle: Handle<ViewCells>,
    /// Where it lies in the world.
    pub frame: Frame,
    /// How far either of two may come before an answer takes effect, in the world's units: speed times (ping + a
    /// tick). Sight *may begin* so much earlier, and whoever comes round a corner has been told who stands behind
    /// it. With 0, sight is that of where they are.
    pub reach: f32,
    /// What holds where the bundle says nothing.
    pub doubt: Doubt,
    /// Whether to keep frontier sets between players in a `Session` of the library, for peers who tell each other where
    /// they are only when one has left theirs ([`Frontiers`]). A server that knows all has no need of them: growing
    /// sets takes longer than asking.
    pub frontiers: bool,
    /// Whether, in a solid level with a reach, what the bake calls visible is looked at between the occluders themselves:
    /// less is seen, for some microseconds a pair and tick. Of at most 256 viewers and targets.
    pub proofs: bool,
}

/// What holds of somebody at no place of the bundle (off the map, above a void, in solid), and of everybody where a
/// bundle cannot be loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doubt {
    /// They see and are seen: the game goes on.
    #[default]
    Visible,
    /// They neither see nor are seen: nothing is given away.
    Hidden,
}

impl Sight {
    /// Sight by a bundle, with [`Frame::default`], no look-ahead, doubts that are visible, no frontier
    /// sets and no proofs.
    pub fn of(bundle: Handle<ViewCells>) -> Self {
        Self {
            bundle,
            frame: Frame::default(),
            reach: 0.0,
            doubt: Doubt::default(),
            frontiers: false,
            proofs: false,
        }
    }
}

/// An entity that sees, from where its `GlobalTransform` is. How high eyes are was said when the bundle was baked; in
/// a level, the transform must be in the open, above the floor.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(Seen, GlobalTransform)]
pub struct Viewer;

/// An entity that is seen, where its `GlobalTransform` is. Players are both viewers and targets.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(GlobalTransform)]
pub struct Target;

/// Whom a [`Viewer`] may see since the last tick, itself not among them.
#[derive(Component, Clone, Debug, Default)]
pub struct Seen(EntityHashSet);

impl Seen {
    /// Whether a target may be seen.
    pub fn contains(&self, target: Entity) -> bool {
        self.0.contains(&target)
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> + '_ {
        self.0.iter().copied()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A viewer may see a target from now on.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SightMayBegin {
    /// Who sees.
    pub viewer: Entity,
    /// Who is seen.
    pub target: Entity,
}

/// A viewer does not see a target any more; either may have been despawned.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SightHasEnded {
    /// Who saw.
    pub viewer: Entity,
    /// Who was seen.
    pub target: Entity,
}

/// What is kept from tick to tick: who sees whom, and where [`Sight::frontiers`] says so, frontier sets.
#[derive(Resource, Debug, Default)]
pub struct Frontiers(Watch<Entity>);

impl Frontiers {
    /// A player's own half of the frontier set with another: as long as the one stays in it, and the other in theirs,
    /// neither sees the other. `None` where they have none: one may see the other, either is not both a viewer and a
    /// target, or the last set between them did not last long enough to make another already.
    pub fn half(&self, player: Entity, other: Entity) -> Option<&Half> {
        self.0.half(player, other)
    }
}

// What a system has to do with is what its arguments are.
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn watch(
    sight: Option<Res<Sight>>,
    bundles: Res<Assets<ViewCells>>,
    server: Res<AssetServer>,
    mut watched: ResMut<Frontiers>,
    beings: Query<
        (Entity, &GlobalTransform, Has<Viewer>, Has<Target>),
        Or<(With<Viewer>, With<Target>)>,
    >,
    mut seen: Query<&mut Seen>,
    mut began: MessageWriter<SightMayBegin>,
    mut ended: MessageWriter<SightHasEnded>,
) {
    let watch = &mut watched.0;
    let known = match &sight {
        None => Known::Waiting,
        Some(sight) => match bundles.get(&sight.bundle) {
            Some(bundle) => Known::Bundle((**bundle).clone()),
            None => match server.get_load_state(&sight.bundle) {
                Some(LoadState::Loading) => Known::Waiting,
                _ => Known::Nothing,
            },
        },
    };
    let bundle = match &known {
        Known::Bundle(bundle) => Some(bundle.clone()),
        _ => None,
    };
    let frame = sight
        .as_ref()
        .map_or_else(Frame::default, |sight| sight.frame);
    let ask_options = sight
        .as_ref()
        .map_or_else(AskOptions::default, |sight| AskOptions {
            reach: frame.length(sight.reach),
            doubt: sight.doubt == Doubt::Visible,
            frontiers: sight.frontiers,
            proofs: sight.proofs,
        });
    watch.ask(known, ask_options);
    for (entity, transform, is_viewer, is_target) in &beings {
        let point = frame.to_bundle(transform.translation()).to_array();
        watch.put(Being {
            entity,
            is_viewer,
            is_target,
            place: bundle
                .as_ref()
                .and_then(|bundle| bundle.world().locate(point)),
            point,
        });
    }
    watch.tick(|change| {
        let (viewer, target) = (change.viewer, change.target);
        if let Ok(mut seen) = seen.get_mut(viewer) {
            if change.begins {
                seen.0.insert(target);
            } else {
                seen.0.remove(&target);
            }
        }
        if change.begins {
            began.write(SightMayBegin { viewer, target });
        } else {
            ended.write(SightHasEnded { viewer, target });
        }
    });
}
