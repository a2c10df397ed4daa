//! Objects that a scene draws, in parts.

use super::aabb::Aabb;

/// An object that a scene draws.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneObject {
    /// Names from the root of the scene to it, with `/` between them.
    pub path: String,
    /// How many triangles it has.
    pub triangles: u32,
    /// Boxes that hold all of these together; none of what may move, and is always drawn.
    pub parts: Vec<Aabb>,
}

/// An object has at most so many parts, and parts up to this size are not divided. [Unit: m]
const MOST_PARTS: usize = 64;
const SMALL: f64 = 2.0;

/// The parts of an object, by the boxes of its triangles: so that an L-shaped house is not one box.
pub fn parts(mut triangles: Vec<Aabb>) -> Vec<Aabb> {
    let mut parts = Vec::new();
    if !triangles.is_empty() {
        divide(&mut triangles, MOST_PARTS, &mut parts);
    }
    parts
}

/// At the middle of the triangles, along the longest side.
fn divide(triangles: &mut [Aabb], most: usize, parts: &mut Vec<Aabb>) {
    let whole = triangles
        .iter()
        .fold(Aabb::EMPTY, |all, one| all.union(one));
    let (size, middle) = (whole.size(), triangles.len() / 2);
    let longest = (0..3)
        .max_by(|&a, &b| size[a].total_cmp(&size[b]))
        .unwrap_or(0);
    if most == 1 || middle == 0 || size[longest] <= SMALL {
        parts.push(whole);
        return;
    }
    // In the order of the file where they are alike.
    triangles.sort_by(|a, b| {
        let [a, b] = [a, b].map(|of| of.min[longest] + of.max[longest]);
        a.total_cmp(&b)
    });
    let (low, high) = triangles.split_at_mut(middle);
    divide(low, most / 2, parts);
    divide(high, most / 2, parts);
}
