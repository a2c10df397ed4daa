//! Closed meshes of triangles.

use crate::error::IngestError;

/// A closed mesh of triangles. What its surface winds around is inside.
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
    pub fn new(corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, IngestError> {
        let bad = |expected: &str, found: String| {
            Err(IngestError::bad(expected, found, "correct it there").at("mesh"))
        };
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

    /// Its least and greatest corner.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
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
}
