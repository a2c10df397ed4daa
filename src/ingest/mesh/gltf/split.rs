//! A scene whose meshes are divided by cubes: each part is a node of its own, which can be culled by itself.
//!
//! Corners stay where they are in the file, with all that belongs to them; the triangles of a mesh are put into another order, so
//! that those of each part, and the parts one after the other, are ranges of one list of numbers of corners.

use std::collections::BTreeMap;
use std::path::Path;

use gltf::binary::Header;
use gltf::mesh::Mode;
use gltf::{Glb, Primitive};
use serde_json::{Value, json};

use super::accessors::numbers;
use super::buffers::read_buffers;
use super::extensions::INSTANCING;
use super::nodes::nodes;
use super::{Parsed, QUANTIZATION, json_and_blob};
use crate::error::IngestError;
use crate::mesh::surface::{Look, Surface};

/// How a triangle is drawn, which does not matter.
const LOOK: Look = Look {
    two_sided: false,
    opaque: true,
    drawn: true,
};

/// The scene of the file at `path` as a binary file that needs no other buffer, with meshes divided by cubes of so many units.
/// Meshes that move, bend or are in many places stay whole, and so do those of a single cube.
///
/// # Errors
///
/// As the file is read; one that is larger than a binary file can be.
pub(crate) fn split(bytes: &[u8], path: &Path, size: f64) -> Result<Vec<u8>, IngestError> {
    let (mut file, _) = json_and_blob(bytes)?;
    let Parsed {
        document,
        blob,
        changing,
    } = Parsed::of(bytes)?;
    let buffers = read_buffers(&document, blob, path)?;
    let quantized = document.extensions_used().any(|name| name == QUANTIZATION);
    let mut order: Vec<u8> = Vec::new();
    let view = document.views().len();
    for of in nodes(&document, &changing, None)? {
        let (node, Some(mesh)) = (&of.node, of.node.mesh()) else {
            continue;
        };
        let is_whole =
            |of: &Primitive| of.mode() != Mode::Triangles || of.morph_targets().next().is_some();
        if node.skin().is_some()
            || node.extension_value(INSTANCING).is_some()
            || mesh.primitives().any(|of| is_whole(&of))
        {
            continue;
        }
        // By cube, of each primitive its triangles.
        let mut cubes: BTreeMap<[i64; 3], BTreeMap<usize, Vec<[u32; 3]>>> = BTreeMap::new();
        for primitive in mesh.primitives() {
            let mut surface = Surface {
                quantized,
                ..Surface::default()
            };
            surface.add(&primitive, LOOK, &of.placement, &buffers)?;
            let order = primitive.indices().map(|of| numbers(&of, &buffers));
            let order = order.transpose()?;
            for (number, corners) in surface.triangles.iter().enumerate() {
                let at = |k: usize| corners.map(|corner| surface.corners[corner as usize][k]);
                // As the surface has them y and z of the file are exchanged.
                let middle = [0, 2, 1].map(|k| at(k).iter().sum::<f64>() / 3.0);
                // By the numbers that corners have in the file.
                let own = [0, 1, 2].map(|k| 3 * number + k);
                let own = own.map(|at| order.as_ref().map_or(at as u32, |order| order[at]));
                let parts = cubes.entry(middle.map(|at| (at / size).floor() as i64));
                let of = parts.or_default().entry(primitive.index()).or_default();
                of.push(own);
            }
        }
        if cubes.len() < 2 {
            continue;
        }
        for ([x, y, z], parts) in cubes {
            let primitives = parts.into_iter().map(|(number, triangles)| {
                let mut part = file["meshes"][mesh.index()]["primitives"][number].clone();
                let accessor = json!({
                    "bufferView": view, "byteOffset": order.len(), "componentType": 5125,
                    "count": 3 * triangles.len(), "type": "SCALAR",
                });
                part["indices"] = added(&mut file["accessors"], accessor);
                order.extend(
                    triangles
                        .as_flattened()
                        .iter()
                        .flat_map(|of| of.to_le_bytes()),
                );
                part
            });
            let primitives: Vec<Value> = primitives.collect();
            let mut own = file["meshes"][mesh.index()].clone();
            own["primitives"] = primitives.into();
            let own = added(&mut file["meshes"], own);
            let name = format!("part {x},{y},{z}");
            let part = added(&mut file["nodes"], json!({ "name": name, "mesh": own }));
            let node = &mut file["nodes"][node.index()];
            if let Some(node) = node.as_object_mut() {
                node.remove("mesh");
            }
            added(&mut node["children"], part);
        }
    }
    whole(file, buffers, order)
}

/// Adds something to a list, which may not be there yet; its number.
fn added(list: &mut Value, what: Value) -> Value {
    match list.as_array_mut() {
        Some(all) => {
            all.push(what);
            (all.len() - 1).into()
        }
        None => {
            *list = json!([what]);
            0.into()
        }
    }
}

/// A binary file with all buffers in one, and the order of triangles behind them.
fn whole(mut file: Value, buffers: Vec<Vec<u8>>, order: Vec<u8>) -> Result<Vec<u8>, IngestError> {
    let mut bin = Vec::new();
    let firsts: Vec<usize> = buffers
        .into_iter()
        .map(|buffer| {
            let first = bin.len();
            bin.extend(buffer);
            bin.resize(bin.len().next_multiple_of(8), 0);
            first
        })
        .collect();
    for view in file["bufferViews"].as_array_mut().into_iter().flatten() {
        let first = view["buffer"]
            .as_u64()
            .and_then(|of| firsts.get(of as usize));
        let offset = view["byteOffset"].as_u64().unwrap_or(0);
        view["byteOffset"] = (offset + *first.unwrap_or(&0) as u64).into();
        view["buffer"] = 0.into();
        // Of a buffer that is another way to the same bytes.
        if let Some(view) = view.as_object_mut() {
            view.remove("extensions");
        }
    }
    let own =
        json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": order.len(), "target": 34963 });
    if !order.is_empty() {
        added(&mut file["bufferViews"], own);
    }
    bin.extend(order);
    file["buffers"] = json!([{ "byteLength": bin.len() }]);
    let glb = Glb {
        header: Header {
            magic: *super::MAGIC.first_chunk().unwrap_or(b"glTF"),
            version: 2,
            length: 0,
        },
        json: file.to_string().into_bytes().into(),
        bin: Some(bin.into()),
    };
    glb.to_vec().map_err(super::told)
}
