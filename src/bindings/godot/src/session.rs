//! A node that tells whose sight of whom may begin, and whose has ended.

use std::collections::{HashMap, HashSet};

use godot::classes::{INode3D, Node3D};
use godot::prelude::*;
use viewcell_sight::{AskOptions, Being, Known, Watch};

use crate::bundle::{ViewcellBundle, coordinates};

/// Watches nodes, and tells in each physics frame of changes of sight between them.
///
/// Its own transform says where the bundle lies in the world. A point in its space is, of a terrain, x metres east and z
/// metres south of the first sample, y being up; of a level that was baked from Godot's export, one of the scene; of another level,
/// one in the axes and units of its file. Where these have z up, as Quake's do, rotate the node by -90 degrees about x.
#[derive(GodotClass)]
#[class(init, base = Node3D)]
pub struct ViewcellSession {
    /// Which bundle hides whom.
    #[export]
    bundle: Option<Gd<ViewcellBundle>>,
    /// How far either of two may come before an answer takes effect, in metres or the level's units: speed times (ping +
    /// a frame). Sight may begin so much earlier.
    #[export]
    reach: f64,
    /// Whether those see and are seen who are at no place of the bundle: off the map, above a void, in solid; and
    /// everybody, if there is no bundle.
    #[export]
    #[init(val = true)]
    doubt_is_visible: bool,
    /// Whether, in a solid level with a reach, what the bake calls visible is looked at between the occluders themselves:
    /// less is seen, for some microseconds a pair and frame. Of at most 256 nodes.
    #[export]
    proofs: bool,
    watched: HashMap<InstanceId, Watched>,
    watch: Watch<InstanceId>,
    seen: HashMap<InstanceId, HashSet<InstanceId>>,
    base: Base<Node3D>,
}

#[derive(Clone, Copy)]
struct Watched {
    is_viewer: bool,
    is_target: bool,
}

#[godot_api]
impl INode3D for ViewcellSession {
    fn physics_process(&mut self, _delta: f64) {
        self.tick();
    }
}

#[godot_api]
impl ViewcellSession {
    /// A viewer may see a target from now on.
    #[signal]
    fn sight_may_begin(viewer: Gd<Node3D>, target: Gd<Node3D>);

    /// A viewer does not see a target any more. By their `get_instance_id()`, since either may have been freed.
    #[signal]
    fn sight_has_ended(viewer_id: i64, target_id: i64);

    /// Watches a node from the next physics frame on: as one that sees, as one that is seen, or both, as players are.
    /// Nodes that are freed or leave the tree are watched no more.
    #[func]
    fn watch(&mut self, node: Gd<Node3D>, is_viewer: bool, is_target: bool) {
        let watched = Watched {
            is_viewer,
            is_target,
        };
        self.watched.insert(node.instance_id(), watched);
    }

    /// Watches a node no more. Sight of it, and by it, ends in the next physics frame.
    #[func]
    fn unwatch(&mut self, node: Gd<Node3D>) {
        self.watched.remove(&node.instance_id());
    }

    /// Whether a viewer may see a target since the last physics frame.
    #[func]
    fn sees(&self, viewer: Gd<Node3D>, target: Gd<Node3D>) -> bool {
        let seen = self.seen.get(&viewer.instance_id());
        seen.is_some_and(|seen| seen.contains(&target.instance_id()))
    }

    /// All that a viewer may see since the last physics frame, and that has not been freed.
    #[func]
    fn seen(&self, viewer: Gd<Node3D>) -> Array<Gd<Node3D>> {
        let seen = self.seen.get(&viewer.instance_id()).into_iter().flatten();
        seen.filter_map(|&target| node(target)).collect()
    }

    /// Looks who sees whom now. Called in each physics frame; call it where it must be known earlier, in the tree.
    #[func]
    fn tick(&mut self) {
        // Outside of the tree it has no place in the world, and neither has the bundle.
        if !self.base().is_inside_tree() {
            return;
        }
        self.watched
            .retain(|&id, _| node(id).is_some_and(|node| node.is_inside_tree()));
        let bundle = self.bundle.as_ref();
        let bundle = bundle.and_then(|bundle| bundle.bind().bundle().cloned());
        let known = bundle.clone().map_or(Known::Nothing, Known::Bundle);
        let ask_options = AskOptions {
            reach: self.reach,
            doubt: self.doubt_is_visible,
            frontiers: false,
            proofs: self.proofs,
        };
        self.watch.ask(known, ask_options);
        for (
            &entity,
            &Watched {
                is_viewer,
                is_target,
            },
        ) in &self.watched
        {
            let Some(node) = node(entity) else {
                continue;
            };
            let point = self.base().to_local(node.get_global_position());
            let place = bundle
                .as_ref()
                .map(|bundle| (bundle.world(), coordinates(bundle, point)));
            self.watch.put(Being {
                entity,
                is_viewer,
                is_target,
                place: place.and_then(|(world, point)| world.locate(point)),
                point: place.map_or([0.0; 3], |(_, point)| point),
            });
        }
        let mut changes = Vec::new();
        self.watch.tick(|change| changes.push(change));
        for change in &changes {
            if change.begins {
                self.seen
                    .entry(change.viewer)
                    .or_default()
                    .insert(change.target);
            } else if let Some(seen) = self.seen.get_mut(&change.viewer) {
                seen.remove(&change.target);
            }
        }
        self.seen.retain(|_, seen| !seen.is_empty());
        // Only now, so that whoever is told finds the same in `sees`.
        for change in changes {
            let (viewer, target) = (change.viewer, change.target);
            if !change.begins {
                let ids = [viewer.to_i64(), target.to_i64()];
                self.signals().sight_has_ended().emit(ids[0], ids[1]);
            } else if let (Some(viewer), Some(target)) = (node(viewer), node(target)) {
                self.signals().sight_may_begin().emit(&viewer, &target);
            }
        }
    }
}

/// A node that has not been freed.
fn node(id: InstanceId) -> Option<Gd<Node3D>> {
    Gd::try_from_instance_id(id).ok()
}
