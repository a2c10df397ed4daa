//! Which surfaces of CityJSON are transparent: by what they are called, and by their materials.

use std::rc::Rc;

use serde_json::Value;

/// Of each material of a file or feature, whether it is seen through.
#[derive(Default)]
pub(super) struct Materials(Vec<bool>);

impl Materials {
    pub(super) fn of(part: &Value) -> Self {
        let materials = part["appearance"]["materials"].as_array();
        let clear = |material: &Value| match &material["transparency"] {
            Value::Null => false,
            transparency => transparency.as_f64() != Some(0.0),
        };
        Self(materials.map_or(Vec::new(), |list| list.iter().map(clear).collect()))
    }
}

/// What a surface does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) opaque: bool,
    /// Players do not go through.
    pub(super) stops: bool,
}

/// What is said of the surfaces of a geometry, or of a part of it.
#[derive(Clone)]
pub(super) struct Looks<'a> {
    /// Of each kind of surface of the geometry, and of those of no kind.
    kinds: Rc<[Look]>,
    other: Look,
    materials: &'a Materials,
    /// Numbers of kinds, in lists as deep as the boundaries.
    values: &'a Value,
    /// Of each theme numbers of materials, in lists as deep, or one for all.
    themes: Vec<&'a Value>,
}

impl<'a> Looks<'a> {
    pub(super) fn of(geometry: &'a Value, materials: &'a Materials, is_water: bool) -> Self {
        let kinds = geometry["semantics"]["surfaces"].as_array();
        let themes = geometry["material"].as_object();
        Self {
            kinds: kinds.map_or(Rc::default(), |kinds| kinds.iter().map(of_kind).collect()),
            other: Look {
                opaque: !is_water,
                stops: true,
            },
            materials,
            values: &geometry["semantics"]["values"],
            themes: themes.map_or(Vec::new(), |themes| {
                let numbers = |theme: &'a Value| match &theme["value"] {
                    Value::Null => &theme["values"],
                    one => one,
                };
                themes.values().map(numbers).collect()
            }),
        }
    }

    /// Of the i-th part.
    pub(super) fn nested(&self, i: usize) -> Self {
        Self {
            kinds: Rc::clone(&self.kinds),
            other: self.other,
            materials: self.materials,
            values: &self.values[i],
            themes: self.themes.iter().map(|theme| nested(theme, i)).collect(),
        }
    }

    /// Of the i-th surface.
    pub(super) fn of_surface(&self, i: usize) -> Look {
        let kind = self.values[i].as_u64();
        let kind = kind.and_then(|kind| self.kinds.get(usize::try_from(kind).ok()?));
        let mut look = kind.copied().unwrap_or(self.other);
        for theme in &self.themes {
            look.opaque &= match nested(theme, i) {
                Value::Null => true,
                // One that is not there may be glass.
                number => number
                    .as_u64()
                    .and_then(|number| self.materials.0.get(usize::try_from(number).ok()?))
                    .is_some_and(|clear| !clear),
            };
        }
        look
    }
}

/// A list's i-th item; one number holds for all.
fn nested(numbers: &Value, i: usize) -> &Value {
    match numbers {
        Value::Array(list) => list.get(i).unwrap_or(&Value::Null),
        one => one,
    }
}

/// Closure surfaces are not there: they say where a tunnel or an open hall ends.
fn of_kind(kind: &Value) -> Look {
    let kind = kind["type"].as_str().unwrap_or("");
    Look {
        opaque: !["Window", "ClosureSurface", "WaterSurface"].contains(&kind),
        stops: kind != "ClosureSurface",
    }
}
