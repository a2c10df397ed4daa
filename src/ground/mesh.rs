//! Closed meshes of triangles.

use super::error::GroundError;

/// Lines from west to east at one height, each with the pieces of it that lie in a shape: where they
/// begin and end, upwards, none touching another.
pub(super) type Lines = Vec<Vec<[f64; 2]>>;

/// A closed mesh of triangles, in cubes. What its surface winds around is inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    corners: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The most triangles.
    pub const MOST: usize = 1 << 22;

    /// Of corners and of triangles, three numbers of corners each.
    ///
    /// # Errors
    ///
    /// A number that is none, a corner that is not there, and an edge that does not have as many
    /// triangles on the one side as on the other: the mesh is not closed. Corners in the same place
    /// are one corner.
    pub fn new(corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, GroundError> {
        let bad = |expected: &str, found: String| Err(GroundError::bad("mesh", expected, found));
        if triangles.is_empty() || triangles.len() > Self::MOST {
            return bad("1 to 4194304 triangles", triangles.len().to_string());
        }
        if let Some(i) = corners
            .iter()
            .position(|c| !c.iter().all(|n| n.is_finite()))
        {
            return bad(
                "finite numbers",
                format!("{:?} at corner {}", corners[i], i + 1),
            );
        }
        if let Some(corner) = triangles
            .iter()
            .flatten()
            .find(|c| **c as usize >= corners.len())
        {
            let expected = format!("{} corners", corners.len());
            return bad(
                &expected,
                format!("a triangle at corner {}", u64::from(*corner) + 1),
            );
        }
        let mesh = Self { corners, triangles };
        if let Some([a, b]) = mesh.open_edge() {
            let [a, b] = [a, b].map(|corner| mesh.corners[corner as usize]);
            return bad(
                "a closed mesh, whose triangles all turn the same way",
                format!("an edge from {a:?} to {b:?} with nothing on its other side"),
            );
        }
        Ok(mesh)
    }

    /// Its corners.
    pub fn corners(&self) -> &[[f64; 3]] {
        &self.corners
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The same mesh with its corners elsewhere.
    pub fn moved(&self, to: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        Self {
            corners: self.corners.iter().map(|corner| to(*corner)).collect(),
            triangles: self.triangles.clone(),
        }
    }

    /// An edge that is not passed as often in the one direction as in the other.
    fn open_edge(&self) -> Option<[u32; 2]> {
        // Corners by their first equal.
        let mut order: Vec<u32> = (0..self.corners.len() as u32).collect();
        // Adding 0 makes of -0 the same place.
        let key = |corner: u32| self.corners[corner as usize].map(|n| (n + 0.0).to_bits());
        order.sort_by_key(|corner| (key(*corner), *corner));
        let mut first = vec![0; order.len()];
        let mut before = None;
        for corner in order {
            let one = match before {
                Some(one) if key(one) == key(corner) => one,
                _ => corner,
            };
            first[corner as usize] = one;
            before = Some(one);
        }
        let mut edges: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * self.triangles.len());
        for triangle in &self.triangles {
            let corners = triangle.map(|corner| first[corner as usize]);
            for i in 0..3 {
                let (from, to) = (corners[i], corners[(i + 1) % 3]);
                if from != to {
                    let direction = if from < to { 1 } else { -1 };
                    edges.push(([from.min(to), from.max(to)], direction));
                }
            }
        }
        edges.sort_unstable();
        let open = |edge: &&[([u32; 2], i32)]| edge.iter().map(|(_, way)| way).sum::<i32>() != 0;
        let mut same = edges.chunk_by(|a, b| a.0 == b.0);
        same.find(open).map(|edge| edge[0].0)
    }

    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        let used = || {
            self.triangles
                .iter()
                .flatten()
                .map(|c| self.corners[*c as usize])
        };
        let ends = |from: f64, choose: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis| used().map(|corner| corner[axis]).fold(from, choose))
        };
        [
            ends(f64::INFINITY, f64::min),
            ends(f64::NEG_INFINITY, f64::max),
        ]
    }

    /// As [`super::stamp::Shape::cut`].
    pub(super) fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines) {
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); lines.len()];
        for triangle in &self.triangles {
            let corners = triangle.map(|corner| self.corners[corner as usize]);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let corners = vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        (corners, triangles)
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        let (corners, triangles) = tetrahedron();
        assert!(Mesh::new(corners.clone(), triangles.clone()).is_ok());
        assert!(Mesh::new(corners.clone(), triangles[..3].to_vec()).is_err());
        let mut turned = triangles.clone();
        turned[0].reverse();
        let error = Mesh::new(corners.clone(), turned).unwrap_err().to_string();
        assert!(error.contains("closed"), "{error}");
        let mut far = triangles.clone();
        far[0][0] = 4;
        assert!(Mesh::new(corners.clone(), far).is_err());
        let mut nan = corners.clone();
        nan[1][1] = f64::NAN;
        assert!(Mesh::new(nan, triangles.clone()).is_err());
        assert!(Mesh::new(corners, vec![]).is_err());
    }

    #[test]
    fn corners_in_one_place_are_one() {
        let (corners, triangles) = tetrahedron();
        let apart = triangles.iter().flatten().map(|c| corners[*c as usize]);
        let apart = apart.collect();
        let numbers = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        assert!(Mesh::new(apart, numbers).is_ok());
    }

    #[test]
    fn a_cut_is_the_inside() {
        let (corners, triangles) = tetrahedron();
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
