//! Clients of [bevy_replicon](https://docs.rs/bevy_replicon) receive the targets that they may see, and no other.
//!
//! A wall-hack shows what a client was told, so an authoritative server had better not tell. [`ViewcellRepliconPlugin`]
//! sets a bit of its own in each client's [`ClientVisibility`]: a [`Target`] is sent to a client as long as one of the
//! client's viewers, those with [`EyesOf`] it, may see it. Other filters of visibility hold as well. What is no
//! [`Target`] is not hidden; children of a hidden entity are, if they are targets.
//!
//! A client without a viewer is sent no target.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity::{EntityHashMap, EntityHashSet};
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::server::visibility::client_visibility::ClientVisibility;
use bevy_replicon::server::visibility::filters_mask::FilterBit;
use bevy_replicon::server::visibility::registry::FilterRegistry;
use bevy_replicon::shared::replication::registry::ReplicationRegistry;

use crate::{Seen, SightHasEnded, SightMayBegin, SightSystems, Target, Viewer};

/// Hides from clients what none of their viewers sees. Goes after replicon's plugins and
/// [`ViewcellPlugin`](crate::ViewcellPlugin), on the server alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViewcellRepliconPlugin;

impl Plugin for ViewcellRepliconPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<SightBit>().add_systems(
            PostUpdate,
            show_and_hide
                .run_if(is_news)
                .after(SightSystems)
                .before(ServerSystems::Send),
        );
    }
}

/// A [`Viewer`] through which a client sees: the entity of the client, which has replicon's `ConnectedClient`. One
/// client may have several, and is always sent those of them that are targets.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct EyesOf(pub Entity);

/// The bit of [`ClientVisibility`] that says whether sight lets a client have an entity.
#[derive(Resource, Clone, Copy, Debug)]
pub struct SightBit(pub FilterBit);

impl FromWorld for SightBit {
    fn from_world(world: &mut World) -> Self {
        let bit = world.resource_scope(|world, mut filters: Mut<FilterRegistry>| {
            world.resource_scope(|world, mut registry: Mut<ReplicationRegistry>| {
                filters.register_scope::<Entity>(world, &mut registry, ScopeLifetime::WhileVisible)
            })
        });
        Self(bit)
    }
}

/// Whether anything has come that changes who is sent what.
// A condition of its own, since what has been added is looked up among what the system changes.
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn is_news(
    mut began: MessageReader<SightMayBegin>,
    mut ended: MessageReader<SightHasEnded>,
    mut shown: RemovedComponents<Target>,
    mut without_eyes: RemovedComponents<EyesOf>,
    mut blind: RemovedComponents<Viewer>,
    targets: Query<(), Added<Target>>,
    eyes: Query<(), Or<(Changed<EyesOf>, Added<Viewer>)>>,
    clients: Query<(), Added<ClientVisibility>>,
) -> bool {
    // All are read: what is left over would be news once more.
    let sight = began.read().count() + ended.read().count();
    let gone = shown.read().count() + without_eyes.read().count() + blind.read().count();
    sight + gone > 0 || !targets.is_empty() || !eyes.is_empty() || !clients.is_empty()
}

fn show_and_hide(
    bit: Res<SightBit>,
    mut shown: RemovedComponents<Target>,
    targets: Query<Entity, With<Target>>,
    eyes: Query<(Entity, &EyesOf, &Seen), With<Viewer>>,
    mut clients: Query<(Entity, &mut ClientVisibility)>,
) {
    // What is no target any more is not for sight to hide. Replicon itself forgets what was despawned.
    for entity in shown.read().filter(|entity| !targets.contains(*entity)) {
        for (_, mut visibility) in &mut clients {
            visibility.set(entity, bit.0, true);
        }
    }
    let mut told: EntityHashMap<EntityHashSet> = EntityHashMap::new();
    for (viewer, EyesOf(client), seen) in &eyes {
        let told = told.entry(*client).or_default();
        told.insert(viewer);
        told.extend(seen.iter());
    }
    let nobody = EntityHashSet::new();
    for (client, mut visibility) in &mut clients {
        let told = told.get(&client).unwrap_or(&nobody);
        for target in &targets {
            visibility.set(target, bit.0, told.contains(&target));
        }
    }
}
