//! Curvature of the earth and refraction of the air.
//!
//! Between two places D apart over the ground, the earth bulges over the chord: at a fraction t of
//! the way by D²·t·(1 - t) / 2R. Air is denser below, and bends sight along with the ground: with
//! a refraction coefficient k as if the earth had a radius of R / (1 - k). So ground rises above
//! its chord by c·D²·t·(1 - t), with c = (1 - k) / 2R.
//!
//! That is what lowering all ground by c·|x - o|² does, x being the place and o any origin: a
//! parabola lies above its chord by c·D²·t·(1 - t) wherever both ends are, and what else the
//! origin changes is linear along the sight, so that it does not matter who is above whom. Hence
//! no kernel of visibility knows of it: they are given ground that was lowered
//! ([`Curvature::lower`]), and what they promise holds for that. The ground between two samples is
//! straight, as ever.
//!
//! Angles against the sky ([`super::Horizons`]) do depend on the origin, which is the eye then:
//! what it sees at a distance D is lowered by c·D² ([`Curvature::drop_at`]).

use viewcell_ingest::world::{Terrain, TerrainError};

/// The shape of the earth, as far as sight goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// Radius of the earth in metres.
    pub radius: f64,
    /// Refraction coefficient k: how much sight bends, as a share of the earth's own curvature. At
    /// least 0, less than 1.
    pub refraction: f64,
}

impl Curvature {
    /// The mean radius of the earth in metres (IUGG).
    pub const EARTH_RADIUS: f64 = 6_371_008.8;

    /// The refraction that is usual in viewsheds: light by day, 1/7.
    pub const REFRACTION: f64 = 1.0 / 7.0;

    /// The earth with this refraction coefficient.
    pub fn earth(refraction: f64) -> Self {
        Self {
            radius: Self::EARTH_RADIUS,
            refraction,
        }
    }

    /// By how many metres the ground halfway between two places rises above its chord, for each
    /// square metre of half their distance: c.
    pub fn bulge(self) -> f64 {
        (1.0 - self.refraction) / (2.0 * self.radius)
    }

    /// By how many metres ground so many metres away lies lower, seen from here, than on a flat
    /// earth: c times the square of its distance.
    pub fn drop_at(self, metres: f64) -> f64 {
        self.bulge() * metres * metres
    }

    /// The ground that straight sight sees as light on the round earth sees `terrain`: each sample
    /// lowered by c times the square of its distance from the grid's middle.
    ///
    /// # Errors
    ///
    /// Where that is beyond [`Terrain::MAX_ABS_HEIGHT`]: thousands of kilometres away.
    pub fn lower(self, terrain: &Terrain) -> Result<Terrain, TerrainError> {
        let (width, height) = (terrain.width(), terrain.height());
        let [dx, dy] = terrain.spacing();
        let from_middle = |at: u32, side: u32| f64::from(at) - f64::from(side - 1) / 2.0;
        let c = self.bulge();
        terrain.lowered(|column, row| {
            let x = from_middle(column, width) * dx;
            let y = from_middle(row, height) * dy;
            c * (x * x + y * y)
        })
    }
}
