//! What may keep view cells from being found.

/// Why there are no view cells.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// Nobody says where players are.
    #[error("expected a spawn point in the level, or points in `reach`, found none")]
    NoSpawn,
    /// All spawn points are outside of the box that bounds the places.
    #[error(
        "expected a spawn point, or a point of `reach`, in `within`, found {0}, all outside of it"
    )]
    Outside(usize),
    /// All spawn points are inside obstacles.
    #[error("expected a spawn point with room for a player, found {0}, all inside solids")]
    Buried(usize),
    /// Sizes that are none.
    #[error("expected a size and height of cells and a hull of more than 0, found {0}")]
    Size(f64),
    /// A level too large for cells of the size.
    #[error("expected at most {most} view cells, found {cells}; a `size` of {size} would do")]
    Many {
        /// How many there would be.
        cells: u64,
        /// How many there may be.
        most: usize,
        /// Twice the size, or so often, that there are few enough.
        size: f64,
    },
    /// Not enough memory to follow players in.
    #[error(
        "expected a level whose places take at most {limit} bytes to find, found one of up to {needed}; a `size` of {size} takes less"
    )]
    Memory {
        /// What it may take.
        needed: u64,
        /// What it must not.
        limit: u64,
        /// Twice the size.
        size: f64,
    },
    /// A level too large for voxels of the size.
    #[error(
        "expected a level of fewer voxels of {size}, found {across} m or units across; a `size` of {enough} would do"
    )]
    Large {
        /// Of the cells.
        size: f64,
        /// The longest side of the level.
        across: f64,
        /// A size that would do.
        enough: f64,
    },
}

impl PlacesError {
    /// Whether the level would do with larger cells, or with more memory.
    pub fn is_of_size(&self) -> bool {
        matches!(
            self,
            Self::Many { .. } | Self::Large { .. } | Self::Memory { .. }
        )
    }
}
