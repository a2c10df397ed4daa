//! What hides in a solid level, for tests at run time: the `SOCC` section.
//!
//! A header of [`HEADER_LEN`] bytes; for each occluder a record of [`RECORD_LEN`] bytes; then all planes,
//! [`PLANE_LEN`] bytes each, those of the first occluder first.

use super::bytes::{f64_at, put, u32_at};
use super::frame::Corners;

/// Length of the header: occluders, `u32`; planes, `u32`; extent, `f64`.
pub const HEADER_LEN: usize = 16;
/// Length of a record: kind, `u32`; planes, `u32`; first plane, `u32`; 4 bytes reserved; thickness, `f64`; box, `f64` × 6.
pub const RECORD_LEN: usize = 72;
/// Length of a plane: normal, `f64` × 3; distance, `f64`.
pub const PLANE_LEN: usize = 32;
/// Greatest number of occluders, and of planes.
pub const MAX_OCCLUDERS: u32 = 1 << 24;
/// Greatest length of the section.
pub const MAX_LEN: u64 = HEADER_LEN as u64 + MAX_OCCLUDERS as u64 * (RECORD_LEN + PLANE_LEN) as u64;

/// One occluder: a convex set of points p with normal · p <= distance for each of its planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OccluderRecord {
    /// 0: a solid. 1: a polygon, which hides from both sides. 2: one that hides from its front alone. Of a polygon the
    /// first plane is its own, and the others go through its edges.
    pub kind: u32,
    /// Number of planes.
    pub planes: u32,
    /// Number of its first plane.
    pub first: u32,
    /// How far what is opaque of a polygon may lie off its plane. [Unit: the level's]
    pub thick: f64,
    /// The box around it.
    pub bounds: Corners,
}

/// The section.
#[derive(Clone, Copy, Debug)]
pub struct Occluders<'a> {
    bytes: &'a [u8],
    count: u32,
    planes: u32,
    extent: f64,
}

impl<'a> Occluders<'a> {
    /// The section with these bytes; `None` where its length is not what it says.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (count, planes) = (u32_at(bytes, 0)?, u32_at(bytes, 4)?);
        let extent = f64_at(bytes, 8).filter(|extent| extent.is_finite() && *extent > 0.0)?;
        let fits = count.max(planes) <= MAX_OCCLUDERS
            && bytes.len()
                == HEADER_LEN + count as usize * RECORD_LEN + planes as usize * PLANE_LEN;
        fits.then_some(Self {
            bytes,
            count,
            planes,
            extent,
        })
    }

    /// Number of occluders.
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Greatest coordinate, in amount, of what they are proven for: planes are moved inwards by
    /// more than arithmetic errs by up to there. [Unit: the level's]
    pub const fn extent(&self) -> f64 {
        self.extent
    }

    /// An occluder; `None` for one that is not there, or makes no sense.
    pub fn record(&self, number: u32) -> Option<OccluderRecord> {
        if number >= self.count {
            return None;
        }
        let at = HEADER_LEN + number as usize * RECORD_LEN;
        let word = |i: usize| u32_at(self.bytes, at + i * 4);
        let finite = |i: usize| f64_at(self.bytes, at + 16 + i * 8).filter(|n| n.is_finite());
        let record = OccluderRecord {
            kind: word(0)?,
            planes: word(1)?,
            first: word(2)?,
            thick: finite(0)?,
            bounds: [
                [finite(1)?, finite(2)?, finite(3)?],
                [finite(4)?, finite(5)?, finite(6)?],
            ],
        };
        let end = record.first.checked_add(record.planes)?;
        let [low, high] = record.bounds;
        let sound = record.kind <= 2
            && record.planes > u32::from(record.kind > 0)
            && end <= self.planes
            && record.thick >= 0.0
            && low.iter().zip(high).all(|(low, high)| *low <= high);
        sound.then_some(record)
    }

    /// Normal and distance of a plane; `None` for one that is not there or has a number that is none.
    pub fn plane(&self, number: u32) -> Option<([f64; 3], f64)> {
        if number >= self.planes {
            return None;
        }
        let at = HEADER_LEN + self.count as usize * RECORD_LEN + number as usize * PLANE_LEN;
        let finite = |i: usize| f64_at(self.bytes, at + i * 8).filter(|n| n.is_finite());
        Some(([finite(0)?, finite(1)?, finite(2)?], finite(3)?))
    }
}

/// The bytes of the header.
pub fn encode_header(occluders: u32, planes: u32, extent: f64) -> [u8; HEADER_LEN] {
    let mut bytes = [0; HEADER_LEN];
    put(&mut bytes, 0, &occluders.to_le_bytes());
    put(&mut bytes, 4, &planes.to_le_bytes());
    put(&mut bytes, 8, &extent.to_le_bytes());
    bytes
}

impl OccluderRecord {
    /// Its bytes.
    pub fn encode(&self) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        let words = [self.kind, self.planes, self.first];
        for (i, word) in words.iter().enumerate() {
            put(&mut bytes, i * 4, &word.to_le_bytes());
        }
        let numbers = [&self.thick].into_iter().chain(self.bounds.as_flattened());
        for (i, number) in numbers.enumerate() {
            put(&mut bytes, 16 + i * 8, &number.to_le_bytes());
        }
        bytes
    }
}

/// The bytes of a plane.
pub fn encode_plane(normal: [f64; 3], dist: f64) -> [u8; PLANE_LEN] {
    let mut bytes = [0; PLANE_LEN];
    for (i, number) in normal.iter().chain([&dist]).enumerate() {
        put(&mut bytes, i * 8, &number.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_nonsense_is_refused() {
        let record = OccluderRecord {
            kind: 1,
            planes: 2,
            first: 0,
            thick: 0.5,
            bounds: [[-1.0, 0.0, 1.0], [2.0, 3.0, 4.0]],
        };
        let bytes = |record: OccluderRecord, dist: f64| {
            let mut bytes = encode_header(1, 2, 1000.0).to_vec();
            bytes.extend(record.encode());
            bytes.extend(encode_plane([0.0, 0.0, 1.0], 7.0));
            bytes.extend(encode_plane([1.0, 0.0, 0.0], dist));
            bytes
        };
        let good = bytes(record, 8.0);
        let occluders = Occluders::new(&good).unwrap();
        assert_eq!((occluders.len(), occluders.extent()), (1, 1000.0));
        assert_eq!(occluders.record(0), Some(record));
        assert_eq!(occluders.record(1), None);
        assert_eq!(occluders.plane(1), Some(([1.0, 0.0, 0.0], 8.0)));
        assert_eq!(occluders.plane(2), None);
        for length in 0..good.len() {
            assert!(Occluders::new(&good[..length]).is_none(), "{length}");
        }
        for bad in [
            OccluderRecord { kind: 3, ..record },
            OccluderRecord {
                planes: 3,
                ..record
            },
            OccluderRecord {
                planes: 1,
                ..record
            },
            OccluderRecord {
                first: u32::MAX,
                ..record
            },
            OccluderRecord {
                thick: f64::NAN,
                ..record
            },
            OccluderRecord {
                bounds: [[9.0; 3], [1.0; 3]],
                ..record
            },
        ] {
            let bytes = bytes(bad, 8.0);
            assert_eq!(Occluders::new(&bytes).unwrap().record(0), None, "{bad:?}");
        }
        let bytes = bytes(record, f64::INFINITY);
        assert_eq!(Occluders::new(&bytes).unwrap().plane(1), None);
        let endless = encode_header(0, 0, f64::INFINITY);
        assert!(Occluders::new(&endless).is_none());
    }
}
