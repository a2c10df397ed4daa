//! Meshes of glTF 2.0 files, binary or JSON: the triangles of a scene, where its nodes put them.

mod accessors;
mod buffers;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;

use gltf::json::Root;
use gltf::material::AlphaMode;
use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Accessor, Document, Error, Gltf, Material, Node, Primitive, Semantic};

use super::surface::{Look, Surface};
use crate::error::IngestError;
use accessors::{MOST_CORNERS, corners, numbers, rotations};
use buffers::{REMEDY, read_buffers};
use viewcell_ground::Mesh;

/// What a binary glTF file begins with.
const MAGIC: &[u8] = b"glTF";

/// Whether bytes begin as a glTF file does, binary or JSON.
pub(crate) fn is_gltf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || without_mark(bytes).trim_ascii_start().first() == Some(&b'{')
}

/// JSON without a byte order mark, which some editors write.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The header, and that of the first chunk.
const SHORTEST: usize = 20;
/// What begins as these do is about colours and lights, and changes no corner.
const LOOKS: &[&str] = &[
    "EXT_lights_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_texture_",
];
/// Corners as small integers.
const QUANTIZATION: &str = "KHR_mesh_quantization";
/// A mesh in many places by one node.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";
/// What is compressed, and how it is unpacked. No crate that is written in Rust and kept up decodes them.
const COMPRESSED: &[(&str, &str)] = &[
    (
        "KHR_draco_mesh_compression",
        "unpack it: `blender -b --python-expr \"import bpy; bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.import_scene.gltf(filepath='IN.glb'); bpy.ops.export_scene.gltf(filepath='OUT.glb')\"`",
    ),
    (
        "EXT_meshopt_compression",
        "unpack it: `gltfpack -i IN.glb -o OUT.glb -noq`",
    ),
    (
        "KHR_meshopt_compression",
        "unpack it: `gltfpack -i IN.glb -o OUT.glb -noq`",
    ),
];
/// Other materials of a primitive, one of which may be glass.
const VARIANTS: &str = "KHR_materials_variants";
/// Its document, all of whose numbers lead to something, and its binary chunk.
pub(super) fn open(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), IngestError> {
    let bytes = if bytes.starts_with(MAGIC) {
        whole(bytes)?
    } else {
        without_mark(bytes)
    };
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(told)?;
    let mut root = gltf.document.into_json();
    check(&mut root)?;
    let document = Document::from_json(root).map_err(told)?;
    Ok((document, gltf.blob))
}

/// The bytes that the header of a binary file counts. (The crate takes that number as it stands.)
fn whole(bytes: &[u8]) -> Result<&[u8], IngestError> {
    let length = bytes.get(8..).and_then(|rest| rest.first_chunk::<4>());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let expected = length.max(SHORTEST);
    let counted = bytes.get(..expected).filter(|_| length == expected);
    counted.ok_or_else(|| {
        IngestError::bad(
            format!("{expected} bytes"),
            format!("{} bytes, of which its header counts {length}", bytes.len()),
            "the file is cut short or damaged: fetch or export it again",
        )
        .at("header")
    })
}

/// What the crate does not look at, or only where it is too late.
fn check(root: &mut Root) -> Result<(), IngestError> {
    let asset = &root.asset;
    let least = asset.min_version.as_deref().unwrap_or("2.0");
    if !asset.version.starts_with("2.") || least != "2.0" {
        let found = format!("{:.20}, at least {least:.20}", asset.version);
        return Err(IngestError::bad("version 2.0", found, REMEDY).at("asset"));
    }
    root.extensions_required.retain(|name| {
        let known = [QUANTIZATION, INSTANCING].contains(&name.as_str());
        !known && !LOOKS.iter().any(|start| name.starts_with(start))
    });
    if let Some(name) = root.extensions_required.first() {
        let compressed = COMPRESSED.iter().find(|(of, _)| of == name);
        let remedy = compressed.map_or("export the mesh without it", |(_, remedy)| remedy);
        return Err(
            IngestError::bad("no extension that changes meshes", name, remedy)
                .at("extensionsRequired"),
        );
    }
    for (i, mesh) in root.meshes.iter().enumerate() {
        let mut accessors = mesh.primitives.iter().flat_map(|p| p.attributes.values());
        if let Some(accessor) = accessors.find(|a| a.value() >= root.accessors.len()) {
            let expected = format!("one of {} accessors", root.accessors.len());
            let found = format!("accessor {}", accessor.value());
            return Err(IngestError::bad(expected, found, REMEDY).at(format!("mesh {i}")));
        }
    }
    Ok(())
}

fn told(error: Error) -> IngestError {
    match error {
        Error::Validation(faults) if !faults.is_empty() => {
            let (place, fault) = &faults[0];
            IngestError::bad("glTF 2.0", fault.to_string(), REMEDY).at(place.to_string())
        }
        error => IngestError::bad("glTF 2.0", error.to_string(), REMEDY),
    }
}

/// Reads the triangles of the default scene, or the first, from the bytes of the file at `path`.
///
/// # Errors
///
/// A file that is no glTF 2.0 or needs an extension that changes meshes, a buffer that is not there or lies
/// elsewhere, a mesh with a skin or a pose, lines or points, without triangles, or not closed.
pub(super) fn read_gltf(bytes: &[u8], path: &Path) -> Result<Mesh, IngestError> {
    let mut left = LeftOut::default();
    let surface = read(bytes, path, &mut left)?;
    match left.first() {
        Some(error) => Err(error),
        None => Ok(Mesh::new(surface.corners, surface.triangles)?),
    }
}

/// As [`read_gltf`], with how the triangles are drawn; they need not be closed, and what cannot hide is left
/// out, which is told.
///
/// # Errors
///
/// As [`read_gltf`], but for closedness and for what is left out.
pub(crate) fn read_surface(
    bytes: &[u8],
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<Surface, IngestError> {
    let mut left = LeftOut::default();
    let surface = read(bytes, path, &mut left)?;
    left.tell(notes);
    Ok(surface)
}

/// What has no place of its own, or no area: how many there are, and the first.
#[derive(Default)]
struct LeftOut {
    /// Nodes whose meshes have a skin or a pose.
    posed: (usize, usize),
    /// Primitives of lines and points.
    thin: (usize, String),
    /// Nodes that repeat another.
    again: (usize, usize),
}

impl LeftOut {
    /// Why a mesh that must be whole is none.
    fn first(&self) -> Option<IngestError> {
        if self.posed.0 > 0 {
            let remedy = "apply its pose before the export";
            let error = IngestError::bad("a mesh in no pose", "a skin or weights", remedy);
            return Some(error.at(format!("node {}", self.posed.1)));
        }
        let found = format!("lines or points: {}", self.thin.1);
        let expected = "triangles, in strips and fans or not";
        (self.thin.0 > 0).then(|| IngestError::bad(expected, found, REMEDY).at(self.thin.1.clone()))
    }

    fn tell(&self, notes: &mut Vec<String>) {
        if let (number @ 1.., first) = self.posed {
            notes.push(format!(
                "{number} meshes with a skin or in a pose are left out and hide nothing (the first: node {first})"
            ));
        }
        if let (number @ 1.., first) = &self.thin {
            notes.push(format!(
                "{number} primitives of lines and points are left out and hide nothing (the first: {first})"
            ));
        }
        if let (number @ 1.., first) = self.again {
            notes.push(format!(
                "{number} meshes are where they are already, and left out (the first: node {first})"
            ));
        }
    }
}

fn read(bytes: &[u8], path: &Path, left: &mut LeftOut) -> Result<Surface, IngestError> {
    let (document, blob) = open(bytes)?;
    let buffers = read_buffers(&document, blob, path)?;
    let mut surface = Surface {
        quantized: document.extensions_used().any(|name| name == QUANTIZATION),
        ..Surface::default()
    };
    let mut met = HashSet::new();
    for Placed {
        node,
        placement,
        still,
    } in nodes(&document)?
    {
        let Some(mesh) = node.mesh() else { continue };
        let weights = node.weights().or(mesh.weights()).unwrap_or_default();
        if node.skin().is_some() || weights.iter().any(|weight| *weight != 0.0) {
            left.posed.0 += 1;
            if left.posed.0 == 1 {
                left.posed.1 = node.index();
            }
            continue;
        }
        let places = instances(&node, &document, &buffers)
            .map_err(|error| error.within(format!("node {}", node.index())))?;
        for place in places {
            let placement = placement.then(&place);
            if !met.insert((mesh.index(), still, placement.key())) {
                left.again.0 += 1;
                if left.again.0 == 1 {
                    left.again.1 = node.index();
                }
                continue;
            }
            for primitive in mesh.primitives() {
                let place = || format!("primitive {} of mesh {}", primitive.index(), mesh.index());
                if is_thin(primitive.mode()) {
                    left.thin.0 += 1;
                    if left.thin.0 == 1 {
                        left.thin.1 = place();
                    }
                    continue;
                }
                let mut look = Look::of(&primitive.material());
                // A mesh that may be morphed moves.
                let is_fixed = still && primitive.morph_targets().next().is_none();
                look.opaque &= is_fixed && primitive.extension_value(VARIANTS).is_none();
                surface
                    .add(&primitive, look, &placement, &buffers)
                    .map_err(|error| error.within(place()))?;
            }
        }
    }
    if surface.triangles.is_empty() && left.first().is_none() {
        return Err(IngestError::bad(
            "triangles in the default scene",
            "none",
            REMEDY,
        ));
    }
    Ok(surface)
}

fn is_thin(mode: Mode) -> bool {
    matches!(
        mode,
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip
    )
}

/// Where a node has its mesh, from the node itself: in one place, or in many by an extension.
fn instances(
    node: &Node,
    document: &Document,
    buffers: &[Vec<u8>],
) -> Result<Vec<Placement>, IngestError> {
    let Some(instancing) = node.extension_value(INSTANCING) else {
        return Ok(vec![Placement::UNMOVED]);
    };
    let accessor = |name: &str| {
        let number = &instancing["attributes"][name];
        if number.is_null() {
            return Ok(None);
        }
        let found = number
            .as_u64()
            .and_then(|number| document.accessors().nth(usize::try_from(number).ok()?));
        let found = found.ok_or_else(|| {
            let expected = format!("one of {} accessors", document.accessors().len());
            IngestError::bad(expected, format!("{:.40}", number.to_string()), REMEDY)
        });
        found.map(Some)
    };
    let [at, turns, sizes] = ["TRANSLATION", "ROTATION", "SCALE"].map(accessor);
    let (at, turns, sizes) = (at?, turns?, sizes?);
    let given = [&at, &turns, &sizes];
    let mut counts = given
        .iter()
        .filter_map(|of| of.as_ref().map(Accessor::count));
    let count = counts.next().unwrap_or(0);
    if let Some(other) = counts.find(|&other| other != count) {
        let expected = format!("{count} instances");
        return Err(IngestError::bad(expected, other.to_string(), REMEDY));
    }
    let triples = |of: &Option<Accessor>, otherwise: [f64; 3]| match of {
        Some(accessor) => corners(accessor, false, buffers),
        None => Ok(vec![otherwise; count]),
    };
    let (at, sizes) = (triples(&at, [0.0; 3])?, triples(&sizes, [1.0; 3])?);
    let turns = match &turns {
        Some(accessor) => rotations(accessor, buffers)?,
        None => vec![[0.0, 0.0, 0.0, 1.0]; count],
    };
    let each = at.into_iter().zip(turns).zip(sizes);
    Ok(each
        .map(|((at, turn), size)| Placement::decomposed(at, turn, size))
        .collect())
}

/// A node of the scene, and where it is.
struct Placed<'a> {
    node: Node<'a>,
    placement: Placement,
    /// Neither the node nor one above it is animated or may be switched off.
    still: bool,
}

/// All nodes of the scene that counts.
fn nodes(document: &Document) -> Result<Vec<Placed<'_>>, IngestError> {
    let scene = document
        .default_scene()
        .or_else(|| document.scenes().next());
    let scene = scene.ok_or_else(|| IngestError::bad("a scene", "none", REMEDY))?;
    let mut still: Vec<bool> = document.nodes().map(|node| is_still(&node)).collect();
    for animation in document.animations() {
        for channel in animation.channels() {
            still[channel.target().node().index()] = false;
        }
    }
    let mut met = vec![false; document.nodes().len()];
    let mut waiting: Vec<_> = scene
        .nodes()
        .map(|node| (node, Placement::UNMOVED, true))
        .collect();
    let mut found = Vec::new();
    while let Some((node, parent, still_above)) = waiting.pop() {
        // Also what keeps a node from being below itself.
        if std::mem::replace(&mut met[node.index()], true) {
            let place = format!("node {}", node.index());
            let expected = "each node in one place of the scene";
            return Err(IngestError::bad(expected, "one in two", REMEDY).at(place));
        }
        let placement = parent.then(&Placement::of(node.transform()));
        let still = still_above && still[node.index()];
        waiting.extend(node.children().map(|child| (child, placement, still)));
        found.push(Placed {
            node,
            placement,
            still,
        });
    }
    Ok(found)
}

/// Whether nothing in the node itself says that it may move or not be drawn.
fn is_still(node: &Node) -> bool {
    let known = |name: &String| name.starts_with("KHR_lights_") || name == INSTANCING;
    node.extensions()
        .is_none_or(|extensions| extensions.keys().all(known))
}

/// Whether an extension lets light through a material, or is not known not to.
fn may_be_seen_through(material: &Material) -> bool {
    let clear =
        |name: &String| !name.starts_with("KHR_materials_") || name.contains("transmission");
    material
        .extensions()
        .is_some_and(|extensions| extensions.keys().any(clear))
}

impl Look {
    fn of(material: &Material) -> Self {
        Self {
            two_sided: material.double_sided(),
            opaque: material.alpha_mode() == AlphaMode::Opaque && !may_be_seen_through(material),
        }
    }
}

impl Surface {
    fn add(
        &mut self,
        primitive: &Primitive,
        look: Look,
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
            _ => Some(false),
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
        let corners = corners(&positions, self.quantized, buffers)?;
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
        self.looks.resize(self.triangles.len(), look);
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
            } => Self::decomposed(
                translation.map(f64::from),
                rotation.map(f64::from),
                scale.map(f64::from),
            ),
        }
    }

    /// First the size, then the turn, then the place.
    fn decomposed(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let [x, y, z, w] = rotation;
        // Quaternions are rounded to 32 bits; the turn is one all the same, and exact if it is a quarter.
        let norm = x * x + y * y + z * z + w * w;
        let [a, b, c] = scale;
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
            translation,
        ])
    }

    /// The same for the same place.
    fn key(&self) -> [u64; 12] {
        let numbers = self.0.as_flattened();
        // Minus zero is zero.
        std::array::from_fn(|i| (numbers[i] + 0.0).to_bits())
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
    fn place(&self, corner: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.moved(corner);
        [x, z, y]
    }

    fn mirrors(&self) -> bool {
        let [[a, b, c], [d, e, f], [g, h, i], _] = self.0;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
