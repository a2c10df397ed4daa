//! Which kernel a visibility mode takes.

use super::options::{BakeOptions, Mode, mutual};
use crate::format::morton::comes_before;
use crate::visibility::{
    Bodies, HeightField, Order, Rays, SectorField, Sectors, ShaftField, Shafts, Stance, Viewsheds,
};
use crate::world::Terrain;

/// The terrain as the kernel of a mode reads it.
pub(super) enum Kernel<'t> {
    /// With the order of blocks, if each pair is decided once.
    Rays(&'t Terrain, Box<HeightField>, Option<Order>),
    Shafts(Box<ShaftField<'t>>, Option<Order>),
    Sectors(SectorField),
}

impl<'t> Kernel<'t> {
    /// Tables of the mode that `options` ask for.
    pub fn new(terrain: &'t Terrain, options: &BakeOptions) -> Self {
        let bodies = Bodies {
            eye: options.eye_height,
            head: options.player_height,
        };
        let max_distance = options.max_distance.unwrap_or(f64::INFINITY);
        let order = mutual(options).then_some(comes_before as Order);
        let rays = |stance| match options.finest {
            0 => {
                let field = HeightField::new(terrain, bodies, stance);
                let field = field.with_max_distance(max_distance);
                Self::Rays(terrain, Box::new(field), order)
            }
            finest => {
                let field = ShaftField::new(terrain, bodies, stance, [finest, options.grade])
                    .with_max_distance(max_distance)
                    .with_detail(options.detail);
                Self::Shafts(Box::new(field), order)
            }
        };
        match options.mode {
            Mode::Exact => rays(Stance::Sample),
            Mode::Conservative => rays(Stance::Cell),
            Mode::Sectors(sectors) => {
                let field = SectorField::new(terrain, bodies, sectors);
                Self::Sectors(field.with_max_distance(max_distance))
            }
        }
    }

    /// The kernel for one thread that can be asked what may have changed; `None` for a method that
    /// cannot tell.
    pub fn rays(&self, level: fearless_simd::Level) -> Option<Rays<'_>> {
        let Self::Rays(terrain, field, order) = self else {
            return None;
        };
        let rays = Rays::new(terrain, field, level);
        Some(match order {
            Some(order) => rays.deciding_once(*order),
            None => rays,
        })
    }

    /// The kernel itself, for one thread.
    pub fn viewsheds(&self, level: fearless_simd::Level) -> Box<dyn Viewsheds + '_> {
        match self {
            Self::Rays(terrain, field, order) => {
                let rays = Rays::new(terrain, field, level);
                match order {
                    Some(order) => Box::new(rays.deciding_once(*order)),
                    None => Box::new(rays),
                }
            }
            Self::Shafts(field, order) => {
                let shafts = Shafts::new(field, level);
                match order {
                    Some(order) => Box::new(shafts.deciding_once(*order)),
                    None => Box::new(shafts),
                }
            }
            Self::Sectors(field) => Box::new(Sectors::new(field, level)),
        }
    }
}
