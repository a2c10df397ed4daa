//! A bundle within a budget of bytes that loses least hidden area: Lagrangian rate-distortion optimization. [`search`] finds the
//! multiplier (hidden area for a byte); what it leads to, [`super::levels`] knows.

pub(crate) mod options;
pub(crate) mod search;
pub(crate) mod weights;
