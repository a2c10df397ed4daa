//! Planes by coordinate, for SIMD lanes.

use super::plane::Plane;

/// Planes that are looked at together.
pub(super) const LANES: usize = 8;

pub(super) type Lane = [f32; LANES];

/// Some planes. What is left of the last run of several is behind any box.
#[derive(Clone, Debug)]
pub(super) struct PlaneRun {
    pub normal: [Lane; 3],
    pub dist: Lane,
}

impl PlaneRun {
    /// All of these planes.
    pub(super) fn all(planes: &[Plane]) -> Vec<Self> {
        planes.chunks(LANES).map(Self::new).collect()
    }

    fn new(planes: &[Plane]) -> Self {
        let mut run = Self {
            normal: [[0.0; LANES]; 3],
            dist: [1.0; LANES],
        };
        for (lane, plane) in planes.iter().enumerate() {
            for k in 0..3 {
                run.normal[k][lane] = plane.normal[k] as f32;
            }
            run.dist[lane] = plane.dist as f32;
        }
        run
    }
}
