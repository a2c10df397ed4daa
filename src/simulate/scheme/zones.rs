//! A server that tells of those in the same zone of a grid and in the zones around it.

use crate::simulate::scene::Scene;

use super::server::{Known, Rule};

/// Square zones with sides of this length, without floors. [Unit: of the field]
#[derive(Debug)]
pub(super) struct Zones(pub f64);

impl Rule for Zones {
    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let zone = |x: f32| (f64::from(x) / self.0).floor();
        (0..2).all(|i| (zone(viewer.at[i]) - zone(other.at[i])).abs() <= 1.0)
    }
}
