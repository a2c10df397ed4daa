//! Shapes cut by lines, which says what of them lies in cubes.

use viewcell_ingest::ground::{Mesh, ON, Shape};

/// Lines from west to east at one height, each with the pieces of it that lie in a shape: where they
/// begin and end, upwards, none touching another.
pub(super) type Lines = Vec<Vec<[f64; 2]>>;

/// A shape that can be cut.
pub(super) trait Cut {
    /// Cuts it at height `z` by lines: the first at `y`, the others `step` further south each.
    fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines);
}

impl Cut for Shape {
    fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines) {
        lines.iter_mut().for_each(Vec::clear);
        let at_line = |line: usize| y + step * line as f64;
        match self {
            Self::Mesh(mesh) => mesh.cut(z, y, step, lines),
            Self::Cuboid { from, to } => {
                let [from, to] = [from, to].map(|corner| corner.map(|at| at - ON));
                if (from[2]..to[2]).contains(&z) {
                    for (i, line) in lines.iter_mut().enumerate() {
                        if (from[1]..to[1]).contains(&at_line(i)) {
                            line.push([from[0], to[0]]);
                        }
                    }
                }
            }
            Self::Ellipsoid { at, radii } => {
                let up = z - at[2];
                for (i, line) in lines.iter_mut().enumerate() {
                    let south = at_line(i) - at[1];
                    line.extend(chord(at[0], *radii, [south, up]));
                }
            }
            Self::Cylinder { at, radii, height } => {
                if (z - at[2]).abs() <= height / 2.0 + ON {
                    for (i, line) in lines.iter_mut().enumerate() {
                        let radii = [radii[0], radii[1], radii[1]];
                        line.extend(chord(at[0], radii, [at_line(i) - at[1], 0.0]));
                    }
                }
            }
        }
    }
}

impl Cut for Mesh {
    fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines) {
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); lines.len()];
        for triangle in self.triangles() {
            let corners = triangle.map(|corner| self.corners()[corner as usize]);
            let Some([from, to]) = cut_triangle(corners, z) else {
                continue;
            };
            // Whoever lies at a line counts as south of it, so that each crossing counts once.
            let (low, high) = (from[1].min(to[1]), from[1].max(to[1]));
            let first = ((low - y) / step).floor().max(0.0) as usize;
            for (i, line) in crossings.iter_mut().enumerate().skip(first) {
                let at = y + step * i as f64;
                if at > high {
                    break;
                }
                if (from[1] > at) == (to[1] > at) {
                    continue;
                }
                let part = (at - from[1]) / (to[1] - from[1]);
                let x = from[0] + part * (to[0] - from[0]);
                line.push((x, if to[1] > at { 1 } else { -1 }));
            }
        }
        for (line, mut crossings) in lines.iter_mut().zip(crossings) {
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut winding, mut began) = (0, 0.0);
            for (x, way) in crossings {
                let before = winding;
                winding += way;
                if before == 0 {
                    began = x;
                } else if winding == 0 && x > began {
                    line.push([began, x]);
                }
            }
        }
    }
}

/// Where a triangle crosses a height, its direction kept. Whoever lies at the height counts as below, so that a lower
/// face belongs to the mesh, as it does to a box.
fn cut_triangle(corners: [[f64; 3]; 3], z: f64) -> Option<[[f64; 2]; 2]> {
    let mut up = None;
    let mut down = None;
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if (a[2] <= z) == (b[2] <= z) {
            continue;
        }
        // The same place for both triangles at an edge, whichever way they pass it.
        let (low, high) = if a[2] <= z { (a, b) } else { (b, a) };
        let part = (z - low[2]) / (high[2] - low[2]);
        let at = [0, 1].map(|axis| low[axis] + part * (high[axis] - low[axis]));
        if a[2] <= z {
            up = Some(at);
        } else {
            down = Some(at);
        }
    }
    Some([up?, down?])
}

/// The piece of a line in an ellipsoid, and what is [`ON`] it.
fn chord(middle: f64, radii: [f64; 3], away: [f64; 2]) -> Option<[f64; 2]> {
    let [east, south, up] = radii.map(|radius| radius + ON);
    let [y, z] = [away[0] / south, away[1] / up];
    let left = 1.0 - y * y - z * z;
    let half = (left >= 0.0).then(|| east * left.sqrt())?;
    Some([middle - half, middle + half])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_the_inside() {
        let corners = vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let mesh = Mesh::new(corners, triangles).unwrap();
        let mut lines = vec![Vec::new(); 8];
        mesh.cut(2.5, 0.5, 1.0, &mut lines);
        for (i, line) in lines.iter().enumerate() {
            let end = 8.0 - 2.5 - (i as f64 + 0.5);
            if end > 0.0 {
                assert_eq!(line, &[[0.0, end]])
            } else {
                assert!(line.is_empty())
            }
        }
    }
}
