//! How far regions are spread and how long their sides are, from a few of them.

use super::Regions;

/// Regions that are looked at.
const REGIONS: usize = 128;

/// What is known of the bulk of the regions.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// How far it is spread along each axis.
    pub spread: [f32; 3],
    /// The longest side of a typical region, that of an axis along which it is shorter than the bulk
    /// is spread.
    pub side: f32,
    lows: [Vec<f32>; 3],
    sides: Vec<f32>,
}

impl Sample {
    /// Looks at some regions. A few that are far away tell nothing: up to a tenth of them may be
    /// anywhere.
    pub fn measure(&mut self, regions: &Regions) {
        self.lows.iter_mut().for_each(Vec::clear);
        self.sides.clear();
        let places = regions.places();
        let step = places.div_ceil(REGIONS).max(1) | 1;
        let some = (0..places).step_by(step).map(|index| index as u32);
        let some = some.filter(|&index| regions.is_alive(index));
        for index in some.clone() {
            let axes = self.lows.iter_mut().zip(regions.now(index).min());
            axes.for_each(|(lows, low)| lows.push(low));
        }
        for (lows, spread) in self.lows.iter_mut().zip(&mut self.spread) {
            lows.sort_unstable_by(f32::total_cmp);
            let cut = lows.len() / 20;
            let ends = lows.get(cut).zip(lows.iter().rev().nth(cut));
            *spread = ends.map_or(0.0, |(first, last)| last - first);
        }
        for index in some {
            let bounds = regions.now(index);
            let sides = bounds.max().into_iter().zip(bounds.min());
            let sides = sides.map(|(high, low)| high - low).zip(self.spread);
            let counted = sides.filter(|(side, spread)| side <= spread);
            self.sides
                .push(counted.fold(0.0, |longest, (side, _)| longest.max(side)));
        }
        self.sides.sort_unstable_by(f32::total_cmp);
        // Of points and boxes, boxes.
        let typical = self.sides.len() * 3 / 4;
        self.side = self.sides.get(typical).copied().unwrap_or(0.0);
    }

    pub fn bytes(&self) -> usize {
        let lows: usize = self.lows.iter().map(Vec::capacity).sum();
        (lows + self.sides.capacity()) * size_of::<f32>()
    }
}
