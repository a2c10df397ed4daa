//! The triangles of a scene, where its nodes put them.

use std::path::Path;

use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Document, Node, Primitive, Semantic};

use super::accessors::{MOST_CORNERS, corners, numbers};
use super::buffers::read_buffers;
use super::document::{REMEDY, open};
use crate::ground::Mesh;
use crate::ingest::error::IngestError;

/// Reads the triangles of the default scene, or the first, from the bytes of the file at `path`.
///
/// # Errors
///
/// A file that is no glTF 2.0 or needs an extension that changes meshes, a buffer that is not there or lies
/// elsewhere, a mesh with a skin or a pose, without triangles, or not closed.
pub fn read_gltf(bytes: &[u8], path: &Path) -> Result<Mesh, IngestError> {
    let (document, blob) = open(bytes)?;
    let buffers = read_buffers(&document, blob, path)?;
    let mut surface = Surface::default();
    for (node, placement) in nodes(&document)? {
        let Some(mesh) = node.mesh() else { continue };
        let weights = node.weights().or(mesh.weights()).unwrap_or_default();
        if node.skin().is_some() || weights.iter().any(|weight| *weight != 0.0) {
            let remedy = "apply its pose before the export";
            return Err(
                IngestError::bad("a mesh in no pose", "a skin or weights", remedy)
                    .at(format!("node {}", node.index())),
            );
        }
        for primitive in mesh.primitives() {
            let added = surface.add(&primitive, &placement, &buffers);
            added.map_err(|error| {
                let (mesh, number) = (mesh.index(), primitive.index());
                error.within(format!("primitive {number} of mesh {mesh}"))
            })?;
        }
    }
    if surface.triangles.is_empty() {
        return Err(IngestError::bad(
            "triangles in the default scene",
            "none",
            REMEDY,
        ));
    }
    Ok(Mesh::new(surface.corners, surface.triangles)?)
}

/// All nodes of the scene that counts, with where they are.
fn nodes(document: &Document) -> Result<Vec<(Node<'_>, Placement)>, IngestError> {
    let scene = document
        .default_scene()
        .or_else(|| document.scenes().next());
    let scene = scene.ok_or_else(|| IngestError::bad("a scene", "none", REMEDY))?;
    let mut met = vec![false; document.nodes().len()];
    let mut waiting: Vec<_> = scene
        .nodes()
        .map(|node| (node, Placement::UNMOVED))
        .collect();
    let mut found = Vec::new();
    while let Some((node, parent)) = waiting.pop() {
        // Also what keeps a node from being below itself.
        if std::mem::replace(&mut met[node.index()], true) {
            let place = format!("node {}", node.index());
            let expected = "each node in one place of the scene";
            return Err(IngestError::bad(expected, "one in two", REMEDY).at(place));
        }
        let placement = parent.then(&Placement::of(node.transform()));
        waiting.extend(node.children().map(|child| (child, placement)));
        found.push((node, placement));
    }
    Ok(found)
}

/// What was read so far: metres east, south and up.
#[derive(Default)]
struct Surface {
    corners: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn add(
        &mut self,
        primitive: &Primitive,
        placement: &Placement,
        buffers: &[Vec<u8>],
    ) -> Result<(), IngestError> {
        let bad = |expected: &str, found: String| Err(IngestError::bad(expected, found, REMEDY));
        let Some(positions) = primitive.get(&Semantic::Positions) else {
            return bad("POSITION", "none".into());
        };
        let strip = match primitive.mode() {
            Mode::Triangles => None,
            Mode::TriangleStrip => Some(true),
            Mode::TriangleFan => Some(false),
            other => return bad("triangles, in strips and fans or not", format!("{other:?}")),
        };
        let indices = primitive.indices();
        let count = indices.as_ref().unwrap_or(&positions).count();
        let many = match strip {
            None if count.is_multiple_of(3) => count / 3,
            None => {
                return bad(
                    "three corners for each triangle",
                    format!("{count} corners"),
                );
            }
            Some(_) => count.saturating_sub(2),
        };
        // Before anything is read: a file may have the same corners in many meshes.
        if many == 0 || self.triangles.len().saturating_add(many) > Mesh::MOST {
            let found = format!("{many} more than {}", self.triangles.len());
            return bad("1 to 4194304 triangles", found);
        }
        if self.corners.len().saturating_add(positions.count()) > MOST_CORNERS {
            return bad("at most 12582912 corners", "more".into());
        }
        let corners = corners(&positions, buffers)?;
        let order = match indices {
            Some(indices) => numbers(&indices, buffers)?,
            None => (0..corners.len() as u32).collect(),
        };
        if let Some(number) = order
            .iter()
            .find(|number| **number as usize >= corners.len())
        {
            let expected = format!("numbers of {} corners", corners.len());
            return bad(&expected, number.to_string());
        }
        let first = self.corners.len() as u32;
        self.corners
            .extend(corners.into_iter().map(|corner| placement.place(corner)));
        // Whoever is mirrored would be inside out.
        let mirrored = placement.mirrors();
        let triangles = (0..many).map(|i| {
            let [a, b, c] = match strip {
                None => [3 * i, 3 * i + 1, 3 * i + 2],
                Some(true) => [i, i + 1 + i % 2, i + 2 - i % 2],
                Some(false) => [i + 1, i + 2, 0],
            };
            let corners = if mirrored { [a, c, b] } else { [a, b, c] };
            corners.map(|corner| first + order[corner])
        });
        self.triangles.extend(triangles);
        Ok(())
    }
}

/// Where a node is: three axes, and its origin.
#[derive(Clone, Copy)]
struct Placement([[f64; 3]; 4]);

impl Placement {
    const UNMOVED: Self = Self([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);

    fn of(transform: Transform) -> Self {
        match transform {
            Transform::Matrix { matrix } => {
                Self(matrix.map(|column| [0, 1, 2].map(|axis| column[axis].into())))
            }
            Transform::Decomposed {
                translation,
                rotation,
                scale,
            } => {
                let [x, y, z, w] = rotation.map(f64::from);
                // Quaternions are rounded to 32 bits; the turn is one all the same, and exact if it is a quarter.
                let norm = x * x + y * y + z * z + w * w;
                let [a, b, c] = scale.map(f64::from);
                let axes = [
                    [
                        w * w + x * x - y * y - z * z,
                        2.0 * (x * y + w * z),
                        2.0 * (x * z - w * y),
                    ],
                    [
                        2.0 * (x * y - w * z),
                        w * w - x * x + y * y - z * z,
                        2.0 * (y * z + w * x),
                    ],
                    [
                        2.0 * (x * z + w * y),
                        2.0 * (y * z - w * x),
                        w * w - x * x - y * y + z * z,
                    ],
                ];
                let [x, y, z] = axes.map(|axis| axis.map(|along| along / norm));
                Self([
                    x.map(|along| a * along),
                    y.map(|along| b * along),
                    z.map(|along| c * along),
                    translation.map(f64::from),
                ])
            }
        }
    }

    /// What is there for a node in a node that is here.
    fn then(&self, inner: &Self) -> Self {
        let [x, y, z, origin] = inner.0;
        let from = self.moved(origin);
        Self([self.turned(x), self.turned(y), self.turned(z), from])
    }

    fn turned(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [a, b, c, _] = self.0;
        [0, 1, 2].map(|axis| a[axis] * x + b[axis] * y + c[axis] * z)
    }

    fn moved(&self, at: [f64; 3]) -> [f64; 3] {
        let turned = self.turned(at);
        [0, 1, 2].map(|axis| turned[axis] + self.0[3][axis])
    }

    /// Where a corner is: metres east, south and up.
    fn place(&self, corner: [f32; 3]) -> [f64; 3] {
        let [x, y, z] = self.moved(corner.map(f64::from));
        [x, z, y]
    }

    fn mirrors(&self) -> bool {
        let [[a, b, c], [d, e, f], [g, h, i], _] = self.0;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
