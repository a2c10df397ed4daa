//! Objects of CityJSON that are one building: parents, their parts, and what belongs to these.
//!
//! Of a building the geometries of the greatest level of detail are what there is. The others are pictures of the same thing,
//! whichever of its objects has them: a block of a `Building` may fill the gate between its parts.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// The buildings of a file, or of a feature.
pub(super) struct Buildings<'a> {
    numbers: HashMap<&'a str, usize>,
    /// Of each object an object of the same building; itself in one.
    same: Vec<usize>,
    /// Of each object those that it is a part of.
    above: Vec<Vec<usize>>,
    /// Of each building its greatest level of detail.
    finest: Vec<f64>,
}

impl<'a> Buildings<'a> {
    pub(super) fn of(objects: &'a Map<String, Value>) -> Self {
        let names = objects.keys().map(String::as_str);
        let count = objects.len();
        let mut found = Self {
            numbers: names.zip(0..).collect(),
            same: (0..count).collect(),
            above: vec![Vec::new(); count],
            finest: vec![f64::NEG_INFINITY; count],
        };
        // A group has members anywhere in a town.
        let is_group = |object: &Value| object["type"] == "CityObjectGroup";
        for (name, object) in objects {
            if is_group(object) {
                continue;
            }
            // With the names of versions 0.8 and 0.9.
            for (key, is_above) in [
                ("parents", true),
                ("parent", true),
                ("children", false),
                ("Parts", false),
                ("Installations", false),
            ] {
                let list = match &object[key] {
                    Value::Array(list) => &list[..],
                    one => std::slice::from_ref(one),
                };
                for other in list.iter().filter_map(Value::as_str) {
                    if objects.get(other).is_none_or(is_group) {
                        continue;
                    }
                    let [a, b] = [&name[..], other].map(|name| found.numbers[name]);
                    let (part, of) = if is_above { (a, b) } else { (b, a) };
                    found.above[part].push(of);
                    let (a, b) = (found.root(a), found.root(b));
                    found.same[a.max(b)] = a.min(b);
                }
            }
        }
        found
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.same[number] != number {
            self.same[number] = self.same[self.same[number]];
            number = self.same[number];
        }
        number
    }

    /// That an object has a geometry of this level of detail.
    pub(super) fn add(&mut self, name: &str, detail: f64) {
        let root = self.root(self.numbers[name]);
        self.finest[root] = self.finest[root].max(detail);
    }

    /// The greatest level of detail of the building that an object belongs to.
    pub(super) fn finest(&mut self, name: &str) -> f64 {
        let root = self.root(self.numbers[name]);
        self.finest[root]
    }

    /// An object, and all that it is a part of.
    pub(super) fn lineage(&self, name: &str) -> Vec<usize> {
        let mut all = vec![self.numbers[name]];
        let mut met: HashSet<usize> = all.iter().copied().collect();
        let mut next = 0;
        while let Some(&number) = all.get(next) {
            let above = self.above[number].iter().copied();
            all.extend(above.filter(|&of| met.insert(of)));
            next += 1;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_parts_are_one_building_and_members_of_groups_are_not() {
        let objects = json!({
            "a": {"type": "Building", "children": ["b"]},
            "b": {"type": "BuildingPart", "parents": ["a"]},
            "c": {"type": "BuildingInstallation", "parents": ["b"]},
            "d": {"type": "Building", "Parts": ["e", "nowhere"]},
            "e": {"type": "BuildingPart"},
            "f": {"type": "Building", "parents": ["g"]},
            "g": {"type": "CityObjectGroup", "children": ["a", "d", "f"]},
            "h": {"type": "Building", "parents": ["h"]},
        });
        let objects = objects.as_object().unwrap();
        let mut buildings = Buildings::of(objects);
        for (name, detail) in [
            ("a", 1.2),
            ("c", 2.2),
            ("d", 3.0),
            ("e", 1.0),
            ("f", 1.0),
            ("h", 2.0),
        ] {
            buildings.add(name, detail);
        }
        let finest = ["a", "b", "c", "d", "e", "f", "h"].map(|name| buildings.finest(name));
        assert_eq!(finest, [2.2, 2.2, 2.2, 3.0, 3.0, 1.0, 2.0]);
        assert_eq!(buildings.lineage("c").len(), 3);
        assert_eq!(buildings.lineage("h").len(), 1);
    }
}
