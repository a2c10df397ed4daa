//! The BSP of a cell bundle: `CBSP`.

use crate::format::bytes::{array_at, f32_at, f64_at, put, u32_at};

/// Length in bytes of a node of `CBSP`: distance `f64`, normal 3 `f32`, children 2 `i32`.
pub const NODE_LEN: usize = 28;

/// What lies on one side of a node's plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Child {
    /// A further node; greater than the node whose child it is.
    Node(u32),
    /// A cell.
    Cell(u32),
    /// Solid, or no place that the PVS speaks of.
    Nothing,
}

impl Child {
    /// Its number: a node from 0 up, -1 for nothing, cell c as -2 - c.
    pub const fn code(self) -> i32 {
        match self {
            Self::Node(node) => node as i32,
            Self::Nothing => -1,
            Self::Cell(cell) => -2 - cell as i32,
        }
    }

    /// The child of a number.
    pub const fn from_code(code: i32) -> Self {
        match code {
            0.. => Self::Node(code as u32),
            -1 => Self::Nothing,
            _ => Self::Cell((-2_i64 - code as i64) as u32),
        }
    }
}

/// A node of the BSP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneNode {
    /// A point p is in front of the plane if normal · p >= distance.
    pub distance: f64,
    /// Normal of the plane.
    pub normal: [f32; 3],
    /// What lies in front, and behind.
    pub children: [Child; 2],
}

impl PlaneNode {
    /// The bytes of the node.
    pub fn encode(&self) -> [u8; NODE_LEN] {
        let mut bytes = [0; NODE_LEN];
        put(&mut bytes, 0, &self.distance.to_le_bytes());
        for (i, number) in self.normal.iter().enumerate() {
            put(&mut bytes, 8 + 4 * i, &number.to_le_bytes());
        }
        for (i, child) in self.children.iter().enumerate() {
            put(&mut bytes, 20 + 4 * i, &child.code().to_le_bytes());
        }
        bytes
    }

    /// Node `index` of `CBSP`.
    pub fn at(nodes: &[u8], index: u32) -> Option<Self> {
        let bytes: [u8; NODE_LEN] = array_at(nodes, (index as usize).checked_mul(NODE_LEN)?)?;
        let child = |at| Some(Child::from_code(u32_at(&bytes, at)? as i32));
        Some(Self {
            distance: f64_at(&bytes, 0)?,
            normal: [f32_at(&bytes, 8)?, f32_at(&bytes, 12)?, f32_at(&bytes, 16)?],
            children: [child(20)?, child(24)?],
        })
    }

    /// What lies on the side of a point; a point on the plane is in front.
    pub fn side_of(&self, point: [f64; 3]) -> Child {
        let [a, b, c] = self.normal.map(f64::from);
        let [x, y, z] = point;
        let height = a * x + b * y + c * z - self.distance;
        let [front, behind] = self.children;
        if height < 0.0 { behind } else { front }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_back_from_their_numbers() {
        for child in [
            Child::Node(0),
            Child::Node(7),
            Child::Nothing,
            Child::Cell(0),
            Child::Cell(65_535),
        ] {
            assert_eq!(Child::from_code(child.code()), child);
        }
        assert_eq!(Child::from_code(i32::MIN), Child::Cell(2_147_483_646));
    }
}
