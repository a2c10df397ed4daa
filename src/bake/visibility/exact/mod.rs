//! The kernel of exact sight: a block of 8 × 8 viewpoints at a time, all targets.
//!
//! `rays` goes through the targets of four blocks, `squares` decides squares of displacements
//! together, `displacement` single ones. `height_field` has the tables, `bounds` where the lines of
//! sight of a square pass, `view_block` the viewpoints that look.

pub(crate) mod bounds;
pub(crate) mod displacement;
pub(crate) mod height_field;
pub(crate) mod rays;
pub(crate) mod squares;
pub(crate) mod view_block;
