//! Sight between view cells: hidden only where it is proved for all positions in both.
//!
//! `cells` decides pairs of cells for a block of viewers at once, `refine` what that leaves open,
//! quarter by quarter. `continuous` is the slow twin: sight between any positions, on drawn surfaces.

pub(crate) mod cells;
pub(crate) mod continuous;
pub(crate) mod refine;
