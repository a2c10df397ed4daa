//! A server that tells of those who are near, whoever sees them.

use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Whoever is no further away. [Unit: of the field]
#[derive(Debug)]
pub(super) struct Distance(pub f64);

impl Rule for Distance {
    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let square: f32 = (0..3).map(|i| (viewer.at[i] - other.at[i]).powi(2)).sum();
        f64::from(square) <= self.0 * self.0
    }
}
