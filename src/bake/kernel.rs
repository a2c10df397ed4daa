//! Which kernel a visibility mode takes.

use super::options::{BakeOptions, Mode, mutual};
use crate::format::morton::comes_before;
use crate::visibility::{
    Bodies, Change, CoarseRays, HeightField, Order, Rays, SectorField, Sectors, Stance, Viewsheds,
};
use crate::world::Terrain;

/// The terrain as the kernel of a mode reads it.
pub(super) enum Kernel<'t> {
    /// With the order of blocks, if each pair is decided once, and the level of the view cells and how
    /// they grow.
    Rays(&'t Terrain, Box<HeightField>, Option<Order>, [u32; 2]),
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
        let rays = |stance| {
            let field = HeightField::new(terrain, bodies, stance).with_max_distance(max_distance);
            let order = mutual(options).then_some(comes_before as Order);
            Self::Rays(
                terrain,
                Box::new(field),
                order,
                [options.finest, options.grade],
            )
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

    /// The kernel for one thread, to be asked what may have changed; `None` for a method that cannot
    /// tell.
    pub fn following<'k>(
        &'k self,
        level: fearless_simd::Level,
        change: &'k Change,
    ) -> Option<Rays<'k>> {
        let Self::Rays(terrain, field, order, [0, _]) = self else {
            return None;
        };
        let rays = Rays::new(terrain, field, level).following(change);
        Some(match order {
            Some(order) => rays.deciding_once(*order),
            None => rays,
        })
    }

    /// The kernel itself, for one thread.
    pub fn viewsheds(&self, level: fearless_simd::Level) -> Box<dyn Viewsheds + '_> {
        match self {
            Self::Rays(terrain, field, order, [finest, grade]) => {
                let rays = Rays::new(terrain, field, level);
                let rays = match order {
                    Some(order) => rays.deciding_once(*order),
                    None => rays,
                };
                match finest {
                    0 => Box::new(rays),
                    finest => Box::new(CoarseRays::new(rays, *finest, *grade)),
                }
            }
            Self::Sectors(field) => Box::new(Sectors::new(field, level)),
        }
    }
}
