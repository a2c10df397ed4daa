//! Meshes of glTF 2.0 files, binary or JSON: the triangles of a scene, where its nodes put them.

mod accessors;
mod animations;
mod buffers;
mod extensions;
mod nodes;
mod placement;
mod split;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use gltf::json::Root;
use gltf::material::AlphaMode;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Error, Glb, Material, Node, Primitive, Semantic};
use serde::Deserialize;
use serde_json::Value;

use super::closed::Mesh;
use super::selection::Selection;
use super::surface::{Drawn, Look, Surface};
use super::undrawn;
use super::unhiding::{Reason, Stays, Unhiding};
use crate::error::IngestError;
use accessors::{MOST_CORNERS, corners, numbers, rotations};
use animations::Changing;
use buffers::{REMEDY, read_buffers};
use extensions::INSTANCING;
use nodes::{Placed, hidden_by, nodes, path_of};
use placement::Placement;
pub(crate) use split::split;

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
/// Corners as small integers.
const QUANTIZATION: &str = "KHR_mesh_quantization";
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

/// A file, all of whose numbers lead to something.
pub(super) struct Parsed {
    document: Document,
    /// The binary chunk.
    blob: Option<Vec<u8>>,
    changing: Changing,
}

/// The document, and the binary chunk.
fn json_and_blob(bytes: &[u8]) -> Result<(Value, Option<Vec<u8>>), IngestError> {
    let (json, blob) = if bytes.starts_with(MAGIC) {
        let glb = Glb::from_slice(whole(bytes)?).map_err(told)?;
        (glb.json, glb.bin.map(|bin| bin.into_owned()))
    } else {
        (without_mark(bytes).into(), None)
    };
    Ok((serde_json::from_slice(&json).map_err(broken)?, blob))
}

fn broken(error: serde_json::Error) -> IngestError {
    IngestError::bad("glTF 2.0", error.to_string().replace('`', "\""), REMEDY)
}

impl Parsed {
    fn of(bytes: &[u8]) -> Result<Self, IngestError> {
        let (mut json, blob) = json_and_blob(bytes)?;
        let animations = json
            .as_object_mut()
            .and_then(|file| file.remove("animations"));
        let animations = animations.unwrap_or_default();
        let count = json["nodes"].as_array().map_or(0, Vec::len);
        let changing = Changing::of(&animations, &json["extensions"], count)?;
        let mut root = Root::deserialize(json).map_err(broken)?;
        check(&mut root)?;
        Ok(Self {
            document: Document::from_json(root).map_err(told)?,
            blob,
            changing,
        })
    }
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
    root.extensions_required
        .retain(|name| name != QUANTIZATION && !extensions::is_known(name));
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
    let surface = read(bytes, path, None, &mut left)?;
    match left.first() {
        Some(error) => Err(error),
        None => Mesh::new(surface.corners, surface.triangles),
    }
}

/// As [`read_gltf`], with how the triangles are drawn; they need not be closed, and what cannot hide is left
/// out, which is told.
///
/// # Errors
///
/// As [`read_gltf`], but for closedness and for what is left out; a file of which nothing is drawn.
pub(crate) fn read_surface(
    bytes: &[u8],
    path: &Path,
    selection: &Selection,
    notes: &mut Vec<String>,
) -> Result<Surface, IngestError> {
    let mut left = LeftOut::default();
    let surface = read(bytes, path, Some(selection), &mut left)?;
    left.tell(notes);
    Ok(surface)
}

/// What has no place of its own, or no area: how many there are, and the first.
#[derive(Default)]
struct LeftOut {
    /// A node whose mesh has a skin or a pose.
    posed: Option<usize>,
    /// Primitives of lines and points.
    thin: (usize, String),
    /// Nodes that repeat another.
    again: (usize, usize),
    /// Faces that hide nothing.
    faces: Unhiding,
}

impl LeftOut {
    /// Why a mesh that must be whole is none.
    fn first(&self) -> Option<IngestError> {
        if let Some(node) = self.posed {
            let remedy = "apply its pose before the export";
            let error = IngestError::bad("a mesh in no pose", "a skin or weights", remedy);
            return Some(error.at(format!("node {node}")));
        }
        let found = format!("lines or points: {}", self.thin.1);
        let expected = "triangles, in strips and fans or not";
        (self.thin.0 > 0).then(|| IngestError::bad(expected, found, REMEDY).at(self.thin.1.clone()))
    }

    fn tell(&self, notes: &mut Vec<String>) {
        notes.extend(self.faces.note());
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

/// Reads all triangles; with a selection those that are drawn or stop players.
fn read(
    bytes: &[u8],
    path: &Path,
    selection: Option<&Selection>,
    left: &mut LeftOut,
) -> Result<Surface, IngestError> {
    let Parsed {
        document,
        blob,
        changing,
    } = Parsed::of(bytes)?;
    let buffers = read_buffers(&document, blob, path)?;
    let mut surface = Surface {
        quantized: document.extensions_used().any(|name| name == QUANTIZATION),
        ..Surface::default()
    };
    let materials = materials(&document, &changing, selection);
    let mut met = HashMap::new();
    let nodes = nodes(&document, &changing, selection)?;
    for (at, of) in nodes.iter().enumerate() {
        let Placed {
            node, placement, ..
        } = of;
        let reason = of.reason.clone();
        let Some(mesh) = node.mesh() else { continue };
        let weights = node.weights().or(mesh.weights()).unwrap_or_default();
        let posed = node.skin().is_some() || weights.iter().any(|weight| *weight != 0.0);
        if posed {
            left.posed.get_or_insert(node.index());
        }
        let stays = reason.as_ref().map(|reason| reason.stays);
        let is_drawn = stays.is_none_or(|stays| stays == Stays::Drawn);
        let mut drawn = Drawn {
            path: path_of(&nodes, at),
            polygons: Vec::new(),
            always: stays.is_some() || posed,
        };
        let posed = posed.then(|| Reason::new("with a skin or in a pose", Stays::Out));
        let reason = Reason::of_both(reason, posed);
        let places = instances(node, &document, &buffers)
            .map_err(|error| error.within(format!("node {}", node.index())))?;
        for place in places {
            let placement = placement.then(&place);
            let what = reason.as_ref().map(|of| of.what.clone());
            let key = (mesh.index(), what, placement.key());
            if let Some(polygons) = met.get(&key) {
                drawn.polygons.push(Range::clone(polygons));
                left.again.0 += 1;
                if left.again.0 == 1 {
                    left.again.1 = node.index();
                }
                continue;
            }
            let first = surface.triangles.len();
            for primitive in mesh.primitives() {
                let place = || format!("primitive {} of mesh {}", primitive.index(), mesh.index());
                if is_thin(primitive.mode()) {
                    left.thin.0 += 1;
                    // Where it is drawn is not known.
                    drawn.always = true;
                    if left.thin.0 == 1 {
                        left.thin.1 = place();
                    }
                    continue;
                }
                let material = primitive.material();
                let of_material = material.index().and_then(|i| materials[i].clone());
                let morphs = primitive.morph_targets().next().is_some();
                let changes = if morphs || changing.meshes.contains(&mesh.index()) {
                    drawn.always = true;
                    Some(Reason::new("with morph targets", Stays::Drawn))
                } else {
                    let variants = primitive.extension_value(VARIANTS).is_some();
                    variants.then(|| Reason::new("with variants of their material", Stays::Drawn))
                };
                let reason = Reason::of_both(
                    reason.clone(),
                    Reason::of_both(of_material.clone(), changes),
                );
                let faces = triangles_of(&primitive);
                left.faces
                    .count(faces, reason.as_ref(), || match material.index() {
                        Some(i) if reason == of_material => {
                            named(&format!("material {i}"), material.name())
                        }
                        _ => named(
                            &format!("node {}", node.index()),
                            node.name().or(mesh.name()),
                        ),
                    });
                let stays = reason.map(|reason| reason.stays);
                // What a convention leaves out an engine may draw.
                drawn.always |= stays.is_some_and(|stays| stays != Stays::Drawn);
                if selection.is_some() && stays == Some(Stays::Out) {
                    continue;
                }
                let look = Look {
                    two_sided: material.double_sided(),
                    opaque: stays.is_none(),
                    drawn: stays != Some(Stays::Hull),
                };
                surface
                    .add(&primitive, look, &placement, &buffers)
                    .map_err(|error| error.within(place()))?;
            }
            let polygons = first..surface.triangles.len();
            drawn.polygons.push(polygons.clone());
            met.insert(key, polygons);
        }
        if is_drawn {
            surface.drawn.push(drawn);
        }
    }
    if let Some(selection) = selection {
        selection.check()?;
    }
    if surface.triangles.is_empty() && left.first().is_none() {
        return Err(match left.faces.note() {
            None => IngestError::bad("triangles in the default scene", "none", REMEDY),
            Some(note) => {
                IngestError::bad("a mesh that is drawn", note, "export what is drawn, too")
            }
        });
    }
    Ok(surface)
}

fn named(place: &str, name: Option<&str>) -> String {
    name.map_or(place.to_owned(), |name| format!("{place}, {name:.80}"))
}

/// Of each material what there is against its hiding.
fn materials(
    document: &Document,
    changing: &Changing,
    selection: Option<&Selection>,
) -> Vec<Option<Reason>> {
    let reason = |material: Material| {
        let selection = selection?;
        let clear = match material.alpha_mode() {
            AlphaMode::Blend => Some("blended".to_owned()),
            AlphaMode::Mask => Some("masked".to_owned()),
            AlphaMode::Opaque => {
                let mut extensions = material.extensions().into_iter().flat_map(|of| of.keys());
                let clear = extensions.find(|name| extensions::is_clear(name));
                clear.map(|name| format!("transparent by {name:.80}"))
            }
        };
        let is_animated = material
            .index()
            .is_some_and(|i| changing.materials.contains(&i));
        let clear = clear.or(is_animated.then(|| "of a material whose colour is animated".into()));
        let clear = clear.map(|what| Reason::new(&what, Stays::Drawn));
        let clear = Reason::of_both(clear, hidden_by(material.extras()));
        let name = material.name().unwrap_or("");
        selection.of(&[name], Reason::of_both(clear, undrawn::of_material(name)))
    };
    document.materials().map(reason).collect()
}

/// How many triangles a primitive says that it has.
fn triangles_of(primitive: &Primitive) -> usize {
    let corners = primitive
        .indices()
        .or_else(|| primitive.get(&Semantic::Positions));
    let count = corners.map_or(0, |of| of.count());
    match primitive.mode() {
        Mode::Triangles => count / 3,
        _ => count.saturating_sub(2),
    }
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
        let known = self.shared.remove(&positions.index());
        let held: usize = self.shared.values().map(Vec::len).sum();
        let most = held.saturating_add(positions.count().min(MOST_CORNERS + 1));
        if self.corners.len().saturating_add(most) > MOST_CORNERS && known.is_none() {
            return bad("at most 12582912 corners", "more".into());
        }
        let corners = match known {
            Some(corners) => corners,
            None => corners(&positions, self.quantized, buffers)?,
        };
        let mut order = match indices {
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
        if order.len() < corners.len() {
            // A part of a mesh: the corners of the others are theirs.
            let mut used = order.clone();
            used.sort_unstable();
            used.dedup();
            for of in &mut order {
                *of = used.partition_point(|other| other < of) as u32;
            }
            let used = used.iter().map(|of| corners[*of as usize]);
            self.corners.extend(used.map(|of| placement.place(of)));
            self.shared.insert(positions.index(), corners);
        } else {
            let all = corners.iter().map(|of| placement.place(*of));
            self.corners.extend(all);
        }
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
