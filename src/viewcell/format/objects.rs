//! The `OBJS` section: the objects that a scene draws. Each is hidden where all of its parts are: boxes that hold all its
//! triangles together. Parts are numbered after the view cells, and are seen from cells as cells are.
//!
//! ```text
//! 0    objects              u32
//! 4    parts                u32      of all objects, as `SOLD` has them
//! 8    names                u32      bytes of all names
//! 12   reserved             u32      0
//! ```
//!
//! For each object, in the order of the file that it is from, 16 bytes:
//!
//! ```text
//! 0    first part           u32      counted from the first part of the scene
//! 4    parts                u32      0: it may move, and is always drawn
//! 8    triangles            u32
//! 12   end of its name      u32      in the names, where the next begins
//! ```
//!
//! Then the names, UTF-8: for each object its path in the scene.

use core::ops::Range;

use super::bytes::u32_at;

/// Length in bytes of the header, and of a record.
pub const RECORD_LEN: usize = 16;

/// The section.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    bytes: &'a [u8],
    count: u32,
    parts: u32,
    names: &'a str,
}

/// What a scene draws by one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// Its parts; none of what is always drawn.
    pub parts: Range<u32>,
    /// How many triangles it has.
    pub triangles: u32,
    /// Where it is in the scene: names from the root to it, with `/` between them.
    pub path: &'a str,
}

impl<'a> Objects<'a> {
    /// The section with these bytes, of a scene of so many parts; `None` where it is not of the length that it says, or of
    /// other parts.
    pub fn new(bytes: &'a [u8], parts: u32) -> Option<Self> {
        let count = u32_at(bytes, 0)?;
        let first = (count as usize).checked_add(1)?.checked_mul(RECORD_LEN)?;
        let names = core::str::from_utf8(bytes.get(first..)?).ok()?;
        let is_sound = u32_at(bytes, 4)? == parts && u32_at(bytes, 8)? as usize == names.len();
        is_sound.then_some(Self {
            bytes,
            count,
            parts,
            names,
        })
    }

    /// How many there are.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The parts of an object; `None` of one that is not there, or whose parts are not.
    #[inline]
    pub fn parts(&self, number: u32) -> Option<Range<u32>> {
        if number >= self.count {
            return None;
        }
        let record = (number as usize + 1) * RECORD_LEN;
        let (first, parts) = (u32_at(self.bytes, record)?, u32_at(self.bytes, record + 4)?);
        let end = first.checked_add(parts).filter(|end| *end <= self.parts)?;
        Some(first..end)
    }

    /// An object; `None` of one that is not there, or whose record is damaged.
    pub fn get(&self, number: u32) -> Option<Object<'a>> {
        let parts = self.parts(number)?;
        let record = (number as usize + 1) * RECORD_LEN;
        // Where the name before ends; of the first, what is reserved.
        let begin = u32_at(self.bytes, record - 4)?;
        let end = u32_at(self.bytes, record + 12)?;
        Some(Object {
            parts,
            triangles: u32_at(self.bytes, record + 8)?,
            path: self.names.get(begin as usize..end as usize)?,
        })
    }
}
