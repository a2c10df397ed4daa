//! Ray caster of samples: a block of 8 × 8 viewpoints at a time, all targets, exact or for view cells.
//!
//! - `rays`: the kernel and its working memory;
//! - `walk`: goes through the targets of four blocks;
//! - `nodes`, `filter`, `squares`: squares of displacements, what is asked of them, and how they are decided together;
//! - `displacement`: a single displacement, exactly;
//! - `cells`, `refine`: a single displacement of view cells, hidden only where it is proved for all positions in both; quarter
//!   by quarter where whole cells leave it open;
//! - `height_field`: the tables; `bounds`: where the lines of sight of a square pass; `view_block`: the viewpoints that look;
//!   `viewers`: the eyes over quarters of their cells.

pub(crate) mod bounds;
pub(crate) mod cells;
pub(crate) mod displacement;
pub(crate) mod filter;
pub(crate) mod height_field;
pub(crate) mod nodes;
pub(crate) mod rays;
pub(crate) mod refine;
pub(crate) mod squares;
pub(crate) mod view_block;
pub(crate) mod viewers;
pub(crate) mod walk;
