//! Where in a view cell somebody may stand.

/// Where viewers and players may stand in a view cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// On the sample.
    Sample,
    /// Anywhere in the unit square around it, on any of the surfaces that an engine may draw.
    Cell,
}
