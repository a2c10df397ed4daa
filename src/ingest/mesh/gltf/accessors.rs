//! Accessors of a glTF file: numbers in its buffers, checked against their lengths.

use gltf::accessor::{DataType, Dimensions, Item, Iter};
use gltf::buffer::View;
use gltf::{Accessor, Buffer};

use super::buffers::REMEDY;
use crate::error::IngestError;
use crate::mesh::closed::Mesh;

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
pub(super) fn rotations(
    accessor: &Accessor,
    buffers: &[Vec<u8>],
) -> Result<Vec<[f64; 4]>, IngestError> {
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
    let number = |of: T| {
        if normalized {
            (of.into() / most).max(-1.0)
        } else {
            of.into()
        }
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
    if items.len() == count {
        Ok(items)
    } else {
        Err(bad(count.to_string(), items.len().to_string()))
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
