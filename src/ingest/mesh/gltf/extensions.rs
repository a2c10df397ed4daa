//! Extensions of nodes: whether they move, hide, or do neither.
//!
//! Sources: the registries of Khronos, of the Open Metaverse Interoperability Group, and of the vendors.

use serde_json::Value;

use crate::mesh::unhiding::{Reason, Stays};

/// A mesh in many places by one node.
pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// What an extension says of its node.
#[derive(Debug, PartialEq)]
pub(super) enum Says {
    /// Nothing that matters.
    Nothing,
    /// Of the node and all below it.
    OfAll(Reason),
    /// Of the mesh of the node.
    OfMesh(Reason),
}

/// Extensions, also with what follows a final `_`, that neither move nor hide.
const NEUTRAL: &str = "
EXT_mesh_gpu_instancing KHR_lights_ EXT_lights_ KHR_audio_ MSFT_audio_emitter OMI_audio_ MPEG_audio_
KHR_node_hoverability KHR_node_selectability KHR_xmp KHR_xmp_json_ld KHR_implicit_shapes KHR_collision_shapes
KHR_animation_pointer KHR_texture_ KHR_materials_ EXT_texture_ EXT_instance_features EXT_mesh_features
EXT_structural_metadata EXT_feature_metadata EXT_mesh_manifold OMI_spawn_point OMI_seat OMI_link
OMI_personality OMI_physics_shape OMI_physics_gravity OMI_physics_joint OMI_environment_sky GODOT_single_root
MSFT_lod MSFT_packing_ MSFT_texture_ AGI_stk_metadata CESIUM_primitive_outline FB_geometry_metadata
FB_ngon_encoding MAXAR_ ASOBO_unique_id ASOBO_macro_light VRMC_vrm";

/// Those that are read below.
const READ: &str = "
KHR_node_visibility KHR_physics_rigid_bodies KHR_rigid_bodies KHR_interactivity MSFT_rigid_bodies MSFT_physics
OMI_collider OMI_physics_body BLENDER_physics MOZ_hubs_components";

/// Those that move their nodes.
const MOVING: &str = "
AGI_articulations OMI_vehicle_ VRMC_node_constraint VRMC_springBone";

/// What Mozilla Hubs does with a node, besides what is read of it, that neither moves nor hides.
const OF_HUBS: &str = "
visible shadow spawn-point waypoint link audio audio-params audio-zone zone-audio-source directional-light
point-light spot-light ambient-light hemisphere-light environment-settings fog background reflection-probe
box-collider ammo-shape trimesh heightfield scene-preview-camera uv-scroll nav-mesh";

fn is_of(list: &str, name: &str) -> bool {
    let mut words = list.split_ascii_whitespace();
    words.any(|of| of == name || of.ends_with('_') && name.starts_with(of))
}

/// Whether meshes are where the file has them although an extension is required.
pub(super) fn is_known(name: &str) -> bool {
    [NEUTRAL, READ, MOVING].iter().any(|list| is_of(list, name))
}

/// What an extension with this value says of its node.
pub(super) fn of_node(name: &str, value: &Value) -> Says {
    let moving = || Says::OfAll(Reason::new(&format!("moved by {name}"), Stays::Drawn));
    let hidden = || Says::OfAll(Reason::new(&format!("hidden by {name}"), Stays::Out));
    let collision = || Says::OfMesh(Reason::new("of collision", Stays::Hull));
    let unknown = || {
        let what = format!("below a node with {name:.80}");
        Says::OfAll(Reason::new(&what, Stays::Drawn))
    };
    let has = |part: &str| !value[part].is_null();
    match name {
        "KHR_node_visibility" => match &value["visible"] {
            Value::Null | Value::Bool(true) => Says::Nothing,
            _ => hidden(),
        },
        // The type of a body until 2023, its motion since then. A shape is its own node's in Godot, in place of a mesh.
        "OMI_physics_body" => {
            let kind = match &value["motion"] {
                Value::Null => &value["type"],
                motion => &motion["type"],
            };
            let is_still = matches!(kind.as_str(), Some("static" | "trigger"))
                || kind.is_null() && !has("motion");
            match (is_still, has("collider") || has("trigger")) {
                (false, _) => moving(),
                (true, true) => collision(),
                (true, false) => Says::Nothing,
            }
        }
        "OMI_collider" => collision(),
        "KHR_physics_rigid_bodies" | "KHR_rigid_bodies" | "MSFT_rigid_bodies" | "MSFT_physics" => {
            if has("motion") || has("rigidBody") {
                moving()
            } else if has("trigger") || name.starts_with("MSFT_") && has("collider") {
                collision()
            } else {
                Says::Nothing
            }
        }
        "BLENDER_physics" if value["static"] != true => moving(),
        "BLENDER_physics" => Says::Nothing,
        "MOZ_hubs_components" => {
            let visible = &value["visible"]["visible"];
            let components = value.as_object();
            if has("nav-mesh") || !visible.is_null() && *visible != true {
                hidden()
            } else if components.is_some_and(|of| of.keys().all(|key| is_of(OF_HUBS, key))) {
                Says::Nothing
            } else {
                unknown()
            }
        }
        _ if is_of(NEUTRAL, name) => Says::Nothing,
        _ if is_of(MOVING, name) => moving(),
        _ => unknown(),
    }
}

/// What custom properties of a node say, as programs of modelling write them.
pub(super) fn of_extras(extras: &Value) -> Option<Reason> {
    // Also of a nested object, such as `userData`.
    let has = |names: &str, value: bool| {
        let all = extras.as_object().into_iter().flatten();
        let nested = all.clone().filter_map(|(_, of)| of.as_object()).flatten();
        all.chain(nested).any(|(key, of)| {
            let is = of.as_bool().or(of.as_f64().map(|number| number != 0.0));
            is_of(names, &key.to_ascii_lowercase()) && is == Some(value)
        })
    };
    let hidden = "hidden hide hide_render hide_viewport invisible nodraw no_draw";
    let hidden = has(hidden, true);
    let collision = "collision collider iscollider is_collider collision_only";
    let collision = has(collision, true);
    if hidden || has("visible visibility render renderable", false) {
        Some(Reason::new("hidden by their extras", Stays::Out))
    } else {
        collision.then(|| Reason::new("of collision, by their extras", Stays::Hull))
    }
}

/// Whether an extension of a material lets light through, or is not known not to.
pub(super) fn is_clear(name: &str) -> bool {
    const OPAQUE: &str = "
KHR_materials_ KHR_texture_ EXT_texture_ KHR_xmp KHR_xmp_json_ld EXT_structural_metadata FB_materials_modmap
MOZ_lightmap MSFT_packing_ VRMC_materials_hdr_emissiveMultiplier";
    !is_of(OPAQUE, name) || name.contains("transmission")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn extensions_of_nodes_move_hide_or_do_neither() {
        let says = |name: &str, value: Value| match of_node(name, &value) {
            Says::Nothing => "nothing",
            Says::OfMesh(_) => "mesh",
            Says::OfAll(Reason {
                stays: Stays::Out, ..
            }) => "hidden",
            Says::OfAll(Reason { what, .. }) if what.starts_with("moved") => "moved",
            Says::OfAll(_) => "unknown",
        };
        const ROWS: &str = r#"KHR_node_visibility {} => nothing
KHR_node_visibility {"visible": true} => nothing
KHR_node_visibility {"visible": false} => hidden
KHR_node_visibility {"visible": 0} => hidden
OMI_physics_body {"motion": {"type": "static"}} => nothing
OMI_physics_body {"motion": {"type": "dynamic"}} => moved
OMI_physics_body {"motion": {"type": "kinematic"}} => moved
OMI_physics_body {"motion": {}} => moved
OMI_physics_body {"type": "static"} => nothing
OMI_physics_body {"type": "rigid"} => moved
OMI_physics_body {"type": "character"} => moved
OMI_physics_body {"collider": {"shape": 0}} => mesh
OMI_physics_body {"trigger": {"shape": 0}} => mesh
OMI_collider {"type": "box"} => mesh
KHR_physics_rigid_bodies {"motion": {}} => moved
KHR_physics_rigid_bodies {"collider": {}} => nothing
KHR_physics_rigid_bodies {"trigger": {}} => mesh
KHR_audio_emitter {"emitter": 0} => nothing
KHR_lights_punctual {} => nothing
EXT_lights_area {} => nothing
OMI_spawn_point {} => nothing
OMI_vehicle_body {} => moved
AGI_articulations {} => moved
BLENDER_physics {"static": true} => nothing
BLENDER_physics {"mass": 1} => moved
MOZ_hubs_components {"visible": {"visible": false}} => hidden
MOZ_hubs_components {"visible": {"visible": true}, "shadow": {}} => nothing
MOZ_hubs_components {"nav-mesh": {}} => hidden
MOZ_hubs_components {"floaty-object": {}} => unknown
ACME_teleporter {} => unknown"#;
        for (told, due) in ROWS.lines().map(|row| row.split_once(" => ").unwrap()) {
            let (name, value) = told.split_once(' ').unwrap();
            let value: Value = serde_json::from_str(value).unwrap();
            assert_eq!(says(name, value.clone()), due, "{name} {value}");
        }
        for (extras, due) in [
            (json!({"visible": false}), true),
            (json!({"visible": true, "name": "a"}), false),
            (json!({"Hide_Render": 1}), true),
            (json!({"hidden": false}), false),
            (json!({"userData": {"visible": false}}), true),
            (json!({"collision": true}), true),
            (json!({"collision": false}), false),
            (json!("hidden"), false),
        ] {
            assert_eq!(of_extras(&extras).is_some(), due, "{extras}");
        }
        assert!(is_clear("KHR_materials_diffuse_transmission") && is_clear("ACME_glass"));
        assert!(!is_clear("KHR_materials_clearcoat"));
    }
}
