//! What a stamp does to the cubes that it takes.

use super::tree::{EMPTY, Material};

/// What a stamp does to the cubes that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Empties them.
    Dig,
    /// Fills those that are empty.
    Fill(Material),
    /// Makes those of a material, or all that are not empty, another material.
    Replace {
        /// What they are of; any material where it is not said.
        from: Option<Material>,
        /// What they become.
        to: Material,
    },
    /// Makes all of them a material, whatever they were.
    Put(Material),
}

impl Effect {
    /// What a cube becomes.
    pub fn on(self, material: Material) -> Material {
        match self {
            Self::Dig => EMPTY,
            Self::Fill(with) if material == EMPTY => with,
            Self::Replace { from: None, to } if material != EMPTY => to,
            Self::Replace {
                from: Some(from),
                to,
            } if material == from => to,
            Self::Put(with) => with,
            Self::Fill(_) | Self::Replace { .. } => material,
        }
    }

    /// What every cube becomes, where that is one thing.
    pub fn on_all(self) -> Option<Material> {
        match self {
            Self::Dig => Some(EMPTY),
            Self::Put(with) => Some(with),
            Self::Fill(_) | Self::Replace { .. } => None,
        }
    }

    /// The greatest number of a material that it names.
    pub fn greatest(self) -> Material {
        match self {
            Self::Dig => EMPTY,
            Self::Fill(with) | Self::Put(with) => with,
            Self::Replace { from, to } => to.max(from.unwrap_or(EMPTY)),
        }
    }
}
