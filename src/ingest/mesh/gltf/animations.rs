//! What animations and behaviours may change: nodes, meshes and materials by number.
//!
//! Read here and not by the crate, which refuses channels without a node (to be ignored, by the specification) and those of
//! `KHR_animation_pointer`.

use std::collections::HashSet;

use serde_json::Value;

use super::buffers::REMEDY;
use crate::error::IngestError;

/// What changes by itself.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changing {
    pub(super) nodes: HashSet<usize>,
    /// Those whose morph targets are blended.
    pub(super) meshes: HashSet<usize>,
    /// Those that may become transparent.
    pub(super) materials: HashSet<usize>,
    /// A pointer that a graph makes may lead to any node.
    pub(super) all: bool,
}

impl Changing {
    /// By the animations of a file of so many nodes, and by the extensions of the file itself, whose graphs may change
    /// nodes, too.
    ///
    /// # Errors
    ///
    /// A channel of a node that is not there.
    pub(super) fn of(
        animations: &Value,
        extensions: &Value,
        nodes: usize,
    ) -> Result<Self, IngestError> {
        let mut changing = Self::default();
        for (i, animation) in list(animations).iter().enumerate() {
            for channel in list(&animation["channels"]) {
                let node = &channel["target"]["node"];
                if node.is_null() {
                    continue;
                }
                let found = node.as_u64().and_then(|node| usize::try_from(node).ok());
                let found = found.filter(|&node| node < nodes).ok_or_else(|| {
                    let found = format!("node {:.40}", node.to_string());
                    IngestError::bad(format!("one of {nodes} nodes"), found, REMEDY)
                        .at(format!("animation {i}"))
                })?;
                changing.nodes.insert(found);
            }
        }
        changing.follow(animations);
        changing.follow(extensions);
        Ok(changing)
    }

    /// All texts of a value that are pointers into the file.
    fn follow(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.pointer(text),
            Value::Array(items) => items.iter().for_each(|item| self.follow(item)),
            Value::Object(items) => items.values().for_each(|item| self.follow(item)),
            _ => {}
        }
    }

    fn pointer(&mut self, text: &str) {
        let mut parts = text.trim_start_matches(['#', '/']).split('/');
        let (Some(list), Some(number)) = (parts.next(), parts.next()) else {
            return;
        };
        let rest = parts.collect::<Vec<_>>().join("/");
        let number: Option<usize> = number.parse().ok();
        match (list, number) {
            ("nodes", Some(number)) => {
                self.nodes.insert(number);
            }
            ("meshes", Some(number)) => {
                self.meshes.insert(number);
            }
            ("nodes" | "meshes", None) => self.all = true,
            ("materials", number) => {
                let is_seen = ["baseColor", "diffuseFactor", "alpha", "ransmission"];
                if is_seen.iter().any(|part| rest.contains(part)) {
                    match number {
                        Some(number) => {
                            self.materials.insert(number);
                        }
                        None => self.all = true,
                    }
                }
            }
            _ => {}
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn channels_and_pointers_change_what_they_lead_to() {
        let of = |target: Value| {
            let animations = json!([{"channels": [{"sampler": 0, "target": target}]}]);
            Changing::of(&animations, &Value::Null, 3).unwrap()
        };
        let pointer = |to: &str| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": to}}});
        let nodes = |nodes: &[usize]| Changing {
            nodes: nodes.iter().copied().collect(),
            ..Changing::default()
        };
        assert_eq!(of(json!({"path": "translation"})), nodes(&[]));
        assert_eq!(of(json!({"path": "translation", "node": 2})), nodes(&[2]));
        for path in [
            "translation",
            "rotation",
            "scale",
            "weights",
            "extensions/KHR_node_visibility/visible",
        ] {
            assert_eq!(
                of(pointer(&format!("/nodes/1/{path}"))),
                nodes(&[1]),
                "{path}"
            );
        }
        assert_eq!(
            of(pointer("/meshes/4/weights/0")).meshes,
            HashSet::from([4])
        );
        assert!(of(pointer("/nodes/{node}/translation")).all);
        for (path, due) in [
            ("emissiveFactor", false),
            ("normalTexture/scale", false),
            ("pbrMetallicRoughness/roughnessFactor", false),
            ("pbrMetallicRoughness/baseColorFactor", true),
            ("alphaCutoff", true),
            (
                "extensions/KHR_materials_transmission/transmissionFactor",
                true,
            ),
        ] {
            let found = of(pointer(&format!("/materials/0/{path}")));
            assert_eq!(found.materials.contains(&0), due, "{path}");
            assert!(found.nodes.is_empty() && !found.all);
        }
        assert_eq!(
            of(pointer("/extensions/KHR_lights_punctual/lights/0/color")),
            nodes(&[])
        );
        let graph = json!({"KHR_interactivity": {"graphs": [{"configuration": {"pointer": {"value": ["/nodes/0/rotation"]}}}]}});
        assert_eq!(Changing::of(&Value::Null, &graph, 3).unwrap(), nodes(&[0]));
        let error = Changing::of(
            &json!([{"channels": [{"target": {"node": 3}}]}]),
            &Value::Null,
            3,
        );
        assert!(error.unwrap_err().to_string().contains("one of 3 nodes"));
    }
}
