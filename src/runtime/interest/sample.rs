//! How far regions are spread and how far they move, from a few of them.

use super::{Bounds, Regions};

/// Regions that are looked at.
const REGIONS: usize = 128;

fn some(regions: &Regions) -> impl Iterator<Item = u32> + '_ {
    let places = regions.places();
    let step = places.div_ceil(REGIONS).max(1) | 1;
    let some = (0..places).step_by(step).map(|index| index as u32);
    some.filter(|&index| regions.is_alive(index))
}

/// What is known of the bulk of the regions.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// How far it is spread along each axis.
    pub spread: [f32; 3],
    lows: [Vec<f32>; 3],
}

impl Sample {
    /// How many times as far as they are long regions have moved in this tick.
    pub fn speed(regions: &Regions) -> f32 {
        let (mut sides, mut steps) = (0.0, 0.0);
        for index in some(regions) {
            let (was, now) = (regions.was(index), regions.now(index));
            if *was != Bounds::NOWHERE {
                steps += now.farthest(was);
                let lengths = now.max().into_iter().zip(now.min());
                sides += lengths.fold(0.0, |most: f32, (high, low)| most.max(high - low));
            }
        }
        // No number where none moved and none has sides.
        (steps / sides).max(0.0)
    }

    /// Looks at some regions. A few that are far away tell nothing: up to a tenth of them may be
    /// anywhere.
    pub fn measure(&mut self, regions: &Regions) {
        self.lows.iter_mut().for_each(Vec::clear);
        for index in some(regions) {
            let axes = self.lows.iter_mut().zip(regions.now(index).min());
            axes.for_each(|(lows, low)| lows.push(low));
        }
        for (lows, spread) in self.lows.iter_mut().zip(&mut self.spread) {
            lows.sort_unstable_by(f32::total_cmp);
            let cut = lows.len() / 20;
            let ends = lows.get(cut).zip(lows.iter().rev().nth(cut));
            *spread = ends.map_or(0.0, |(first, last)| last - first);
        }
    }

    pub fn bytes(&self) -> usize {
        self.lows.iter().map(Vec::capacity).sum::<usize>() * size_of::<f32>()
    }
}
