//! How far regions are spread and how far they move, from a few of them.

use super::{Bounds, Regions};

/// Regions, or boxes of a kind, that are looked at.
const SOME: usize = 128;

fn step(of: usize) -> usize {
    of.div_ceil(SOME).max(1) | 1
}

fn some(regions: &Regions) -> impl Iterator<Item = u32> + '_ {
    let places = regions.places();
    let some = (0..places).step_by(step(places));
    some.map(|index| index as u32)
        .filter(|&index| regions.is_alive(index))
}

/// What is known of the bulk of the regions.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// How far it is spread along each axis.
    pub spread: [f32; 3],
    middles: [Vec<f32>; 3],
}

impl Sample {
    /// How many times as far as they are long regions have moved in this tick.
    pub(super) fn speed(regions: &Regions) -> f32 {
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

    /// Looks at some boxes. A few that are far away tell nothing: up to a tenth of them may be
    /// anywhere.
    pub(super) fn measure(&mut self, boxes: &[impl ExactSizeIterator<Item = Bounds> + Clone]) {
        self.middles.iter_mut().for_each(Vec::clear);
        for boxes in boxes {
            let some = boxes.clone().step_by(step(boxes.len()));
            for bounds in some.filter(|bounds| *bounds != Bounds::NOWHERE) {
                let axes = self.middles.iter_mut().zip(bounds.middle());
                axes.for_each(|(middles, middle)| middles.push(middle));
            }
        }
        for (middles, spread) in self.middles.iter_mut().zip(&mut self.spread) {
            middles.sort_unstable_by(f32::total_cmp);
            let cut = middles.len() / 20;
            let ends = middles.get(cut).zip(middles.iter().rev().nth(cut));
            *spread = ends.map_or(0.0, |(first, last)| last - first);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.middles.iter().map(Vec::capacity).sum::<usize>() * size_of::<f32>()
    }
}
