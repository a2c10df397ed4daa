//! Meshes of glTF 2.0 files, binary or JSON: the triangles of a scene, where its nodes put them.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::accessor::{DataType, Dimensions, Item, Iter};
use gltf::buffer::{Source, View};
use gltf::json::Root;
use gltf::material::AlphaMode;
use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Accessor, Buffer, Document, Error, Gltf, Material, Node, Primitive, Semantic};
use percent_encoding::percent_decode_str;

use super::{Look, MAGIC, Surface, without_mark};
use crate::ground::Mesh;
use crate::ingest::error::IngestError;
use crate::ingest::source::file_start;

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
/// What to do about a file that is wrong.
pub(super) const REMEDY: &str = "export the mesh again";

/// Its document, all of whose numbers lead to something, and its binary chunk.
pub(super) fn open(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), IngestError> {
    let bytes = match bytes.starts_with(MAGIC) {
        true => whole(bytes)?,
        false => without_mark(bytes),
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

/// The most corners: three of their own for each triangle.
pub(super) const MOST_CORNERS: usize = 3 * Mesh::MOST;

/// Three floats each; quantized, small integers, too.
pub(super) fn corners(
    accessor: &Accessor,
    quantized: bool,
    buffers: &[Vec<u8>],
) -> Result<Vec<[f64; 3]>, IngestError> {
    let whole = accessor.normalized();
    match (accessor.data_type(), accessor.dimensions()) {
        (DataType::F32, Dimensions::Vec3) => {
            let corners: Vec<[f32; 3]> = items(accessor, buffers)?;
            Ok(corners.into_iter().map(|of| of.map(f64::from)).collect())
        }
        (DataType::I8, Dimensions::Vec3) if quantized => {
            integers::<i8, 3>(accessor, 127.0, whole, buffers)
        }
        (DataType::U8, Dimensions::Vec3) if quantized => {
            integers::<u8, 3>(accessor, 255.0, whole, buffers)
        }
        (DataType::I16, Dimensions::Vec3) if quantized => {
            integers::<i16, 3>(accessor, 32767.0, whole, buffers)
        }
        (DataType::U16, Dimensions::Vec3) if quantized => {
            integers::<u16, 3>(accessor, 65535.0, whole, buffers)
        }
        other => Err(unlike(accessor, "corners of three 32-bit floats", other)),
    }
}

/// Quaternions of instances.
fn rotations(accessor: &Accessor, buffers: &[Vec<u8>]) -> Result<Vec<[f64; 4]>, IngestError> {
    match (accessor.data_type(), accessor.dimensions()) {
        (DataType::F32, Dimensions::Vec4) => {
            let turns: Vec<[f32; 4]> = items(accessor, buffers)?;
            Ok(turns.into_iter().map(|of| of.map(f64::from)).collect())
        }
        (DataType::I8, Dimensions::Vec4) => integers::<i8, 4>(accessor, 127.0, true, buffers),
        (DataType::I16, Dimensions::Vec4) => integers::<i16, 4>(accessor, 32767.0, true, buffers),
        other => Err(unlike(accessor, "rotations of four numbers", other)),
    }
}

/// Integers as they are, or of so many to a whole, at least -1.
fn integers<T: Item + Into<f64>, const N: usize>(
    accessor: &Accessor,
    most: f64,
    normalized: bool,
    buffers: &[Vec<u8>],
) -> Result<Vec<[f64; N]>, IngestError>
where
    [T; N]: Item,
{
    let stored: Vec<[T; N]> = items(accessor, buffers)?;
    let number = |of: T| match normalized {
        true => (of.into() / most).max(-1.0),
        false => of.into(),
    };
    Ok(stored.into_iter().map(|of| of.map(number)).collect())
}

/// Numbers of corners.
pub(super) fn numbers(accessor: &Accessor, buffers: &[Vec<u8>]) -> Result<Vec<u32>, IngestError> {
    match (accessor.data_type(), accessor.dimensions()) {
        (DataType::U8, Dimensions::Scalar) => items::<u8>(accessor, buffers).map(widened),
        (DataType::U16, Dimensions::Scalar) => items::<u16>(accessor, buffers).map(widened),
        (DataType::U32, Dimensions::Scalar) => items(accessor, buffers),
        other => Err(unlike(accessor, "unsigned numbers of corners", other)),
    }
}

fn widened<T: Into<u32>>(items: Vec<T>) -> Vec<u32> {
    items.into_iter().map(Into::into).collect()
}

fn unlike(accessor: &Accessor, expected: &str, found: (DataType, Dimensions)) -> IngestError {
    let found = format!("{:?} of {:?}", found.1, found.0);
    IngestError::bad(expected, found, REMEDY).at(place(accessor))
}

fn place(accessor: &Accessor) -> String {
    format!("accessor {}", accessor.index())
}

fn items<T: Item>(accessor: &Accessor, buffers: &[Vec<u8>]) -> Result<Vec<T>, IngestError> {
    let (count, size) = (accessor.count(), size_of::<T>());
    let bad = |expected: String, found: String| {
        IngestError::bad(expected, found, REMEDY).at(place(accessor))
    };
    if !(1..=MOST_CORNERS).contains(&count) {
        let expected = format!("1 to {MOST_CORNERS} of them");
        return Err(bad(expected, count.to_string()));
    }
    let mut parts = Vec::new();
    if let Some(view) = accessor.view() {
        parts.push((view, accessor.offset(), count, size));
    }
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let many = sparse.count();
        if !(1..=count).contains(&many) {
            return Err(bad(format!("1 to {count} others"), many.to_string()));
        }
        let index = indices.index_type().size();
        parts.push((indices.view(), indices.offset(), many, index));
        parts.push((values.view(), values.offset(), many, size));
    }
    for (view, offset, many, size) in parts {
        if !fits(&view, offset, many, size, buffers) {
            let expected = format!("{many} times {size} bytes from byte {offset} on");
            let (number, length) = (view.index(), view.length());
            let stride = view.stride().unwrap_or(size);
            let found = format!("a view ({number}) of {length} bytes, {stride} bytes apart");
            return Err(bad(expected, found));
        }
    }
    let data = |buffer: Buffer| buffers.get(buffer.index()).map(Vec::as_slice);
    let items = Iter::<T>::new(accessor.clone(), data);
    let items: Vec<T> = items.map_or(Vec::new(), |items| items.take(count).collect());
    match items.len() == count {
        true => Ok(items),
        false => Err(bad(count.to_string(), items.len().to_string())),
    }
}

/// Whether so many items of a size lie in a view, and the view in its buffer.
fn fits(view: &View, offset: usize, many: usize, size: usize, buffers: &[Vec<u8>]) -> bool {
    let stride = view.stride().unwrap_or(size);
    let end = (many - 1)
        .checked_mul(stride)
        .and_then(|last| last.checked_add(offset)?.checked_add(size));
    let view_end = view.offset().checked_add(view.length());
    let buffer = buffers.get(view.buffer().index()).map_or(0, Vec::len);
    stride >= size
        && end.is_some_and(|end| end <= view.length())
        && view_end.is_some_and(|end| end <= buffer)
}

/// The most bytes of all buffers together: far more than the largest mesh needs.
const MOST: u64 = 1 << 30;

/// Reads all buffers of the file at `path`, each of the length that the document says.
pub(super) fn read_buffers(
    document: &Document,
    mut blob: Option<Vec<u8>>,
    path: &Path,
) -> Result<Vec<Vec<u8>>, IngestError> {
    let total = document.buffers().try_fold(0, |sum: u64, buffer| {
        sum.checked_add(buffer.length() as u64)
    });
    if total.is_none_or(|total| total > MOST) {
        let found = total.map_or("more".into(), |total| total.to_string());
        let remedy = "export the mesh alone";
        return Err(
            IngestError::resource(format!("at most {MOST} bytes"), found, remedy).at("buffers"),
        );
    }
    let buffers = document.buffers().map(|buffer| {
        let length = buffer.length();
        let read = match buffer.source() {
            Source::Bin => blob.take().filter(|_| buffer.index() == 0).ok_or_else(|| {
                IngestError::bad("a URI, or the binary chunk of a .glb", "neither", REMEDY)
            }),
            Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(data) => of_data(data),
                None => beside(uri, length, path),
            },
        };
        let bytes = read.and_then(|mut bytes| {
            if bytes.len() < length {
                let found = format!("{} bytes", bytes.len());
                let remedy = "the buffer is cut short: fetch or export it again";
                return Err(IngestError::bad(format!("{length} bytes"), found, remedy));
            }
            bytes.truncate(length);
            Ok(bytes)
        });
        bytes.map_err(|error| error.within(format!("buffer {}", buffer.index())))
    });
    buffers.collect()
}

/// The bytes of a `data:` URI, from behind its colon.
fn of_data(data: &str) -> Result<Vec<u8>, IngestError> {
    let bad = |found: String| IngestError::bad("base64 in a data: URI", found, REMEDY);
    let text = data.split_once(',');
    let text = text.filter(|(kind, _)| kind.ends_with(";base64"));
    let (_, text) = text.ok_or_else(|| bad(format!("data:{:.40}", data)))?;
    STANDARD
        .decode(text)
        .map_err(|error| bad(error.to_string()))
}

/// The first bytes of a file that a URI names: in the folder of the file at `path`, or below.
fn beside(uri: &str, length: usize, path: &Path) -> Result<Vec<u8>, IngestError> {
    let name = inside(uri).ok_or_else(|| {
        let expected = "the name of a file in the folder of the mesh, or below";
        let remedy = "put the buffer beside the mesh, or export it as .glb";
        IngestError::bad(expected, format!("{uri:.200}"), remedy)
    })?;
    let file = path.parent().unwrap_or(Path::new("")).join(name);
    let read = || {
        let mut bytes = file_start(&file, "the mesh's buffer", length as u64)?;
        if bytes.len() < length {
            let found = format!("{} bytes", bytes.len());
            let remedy = "the buffer is cut short: fetch or export it again";
            return Err(IngestError::bad(format!("{length} bytes"), found, remedy));
        }
        bytes.truncate(length);
        Ok(bytes)
    };
    read().map_err(|error: IngestError| error.of(&file))
}

/// The path that a URI names, if it is relative, and does not lead out of where it begins on any system.
fn inside(uri: &str) -> Option<PathBuf> {
    let text = percent_decode_str(uri).decode_utf8().ok()?;
    if uri.contains(':') || text.contains(['\\', ':', '\0']) {
        return None;
    }
    let path = PathBuf::from(text.as_ref());
    let mut parts = path.components();
    let below = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (below && path.file_name().is_some()).then_some(path)
}
