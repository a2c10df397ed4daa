//! A frontier set over a hillshade, like figure 3.7 of the thesis.

use image::RgbaImage;
use viewcell::format::bits;

use super::hillshade::{Ground, NUMBER_LIGHT};
use super::palette::{AFTER_A, AFTER_B, Colour, HALF_A, HALF_B, NEUTRAL};
use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions, Side};
use viewcell::query::Sample;

/// What a sample is to a frontier set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Part {
    /// In neither half.
    #[default]
    Neither,
    /// In the first player's half.
    A(Joined),
    /// In the second player's half.
    B(Joined),
}

/// When a sample joined its half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joined {
    /// While both halves grew: 0 at their beginning, 1 with the last that joined.
    Growing(f64),
    /// When growth was over: by the extension of one half, or out of what the other does not see.
    After,
}

impl Part {
    /// Blue and orange tell apart for people with any colour vision; what joined later is lighter.
    pub fn colour(self) -> Colour {
        match self {
            Self::Neither => NEUTRAL,
            Self::A(Joined::Growing(when)) => HALF_A.at(when),
            Self::A(Joined::After) => AFTER_A,
            Self::B(Joined::Growing(when)) => HALF_B.at(when),
            Self::B(Joined::After) => AFTER_B,
        }
    }
}

/// Grows a frontier set with the runtime, a quad at a time, and says when each sample joined, row
/// by row. The builder is left with the finished set. O(samples / 64) for each quad that joins.
///
/// # Errors
///
/// Where nobody can stand.
pub fn growth(
    builder: &mut FrontierBuilder<'_>,
    [a, b]: [Sample; 2],
    options: &FrontierOptions,
) -> Result<Vec<Part>, FrontierError> {
    builder.begin(a, b, options)?;
    let mut halves = Side::BOTH.map(|side| DrawnHalf::new(side, builder));
    let (mut step, mut last) = (0, 0);
    loop {
        let was_grown = builder.is_grown();
        let is_done = builder.step(1);
        step += 1;
        for half in &mut halves {
            let joined = if was_grown { AFTER } else { step };
            if half.take(builder, joined) && !was_grown {
                last = step;
            }
        }
        if is_done {
            break;
        }
    }
    let when = |step| match step {
        AFTER => Joined::After,
        step => Joined::Growing(f64::from(step) / f64::from(last.max(1))),
    };
    let [of_a, of_b] = &halves;
    let part = |(a, b): (&Option<u32>, &Option<u32>)| match (*a, *b) {
        (Some(step), _) => Part::A(when(step)),
        (_, Some(step)) => Part::B(when(step)),
        _ => Part::Neither,
    };
    Ok(of_a.joined.iter().zip(&of_b.joined).map(part).collect())
}

/// The step of what joined when growth was over.
const AFTER: u32 = u32::MAX;

/// One half as far as it has been looked at.
struct DrawnHalf {
    side: Side,
    area: u64,
    /// By block of 8 × 8 samples, the samples in it.
    words: Vec<u64>,
    /// By sample, row by row: the step in which it joined.
    joined: Vec<Option<u32>>,
}

impl DrawnHalf {
    /// What a builder that has begun has.
    fn new(side: Side, builder: &FrontierBuilder<'_>) -> Self {
        let grid = builder.terrain().grid();
        let mut half = Self {
            side,
            area: 0,
            words: vec![0; grid.blocks()],
            joined: vec![None; grid.samples() as usize],
        };
        half.take(builder, 0);
        half
    }

    /// Takes in what has joined since the last time; returns whether anything has.
    fn take(&mut self, builder: &FrontierBuilder<'_>, step: u32) -> bool {
        let region = builder.region(self.side);
        if region.area() == self.area {
            return false;
        }
        self.area = region.area();
        let grid = region.grid();
        let (columns, _) = grid.block_shape();
        for (block, before) in self.words.iter_mut().enumerate() {
            let (column, row) = (block as u32 % columns, block as u32 / columns);
            let now = region.block(column, row);
            let new = now & !*before;
            *before = now;
            for bit in bits::ones(new) {
                let (x, y) = (column * 8 + bit % 8, row * 8 + bit / 8);
                if grid.has_sample(Sample::new(x, y)) {
                    self.joined[(y * grid.width() + x) as usize] = Some(step);
                }
            }
        }
        true
    }
}

/// A frontier set over the ground, one pixel a sample; `parts` are row by row, voids transparent.
///
/// # Panics
///
/// If `parts` is not as long as the terrain has samples.
pub fn frontier_image(ground: &Ground, parts: &[Part]) -> RgbaImage {
    ground.paint(NUMBER_LIGHT, |i| parts[i].colour())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_colour_and_voids_have_none() {
        let mut heights = [0.0; 8];
        heights[7] = f32::NAN;
        let when = [Joined::Growing(0.0), Joined::Growing(1.0), Joined::After];
        let mut parts = vec![Part::Neither];
        parts.extend(when.map(Part::A));
        parts.extend(when.map(Part::B));
        parts.push(Part::Neither);
        let ground = Ground::of_heights(8, &heights, [1.0; 2]);
        let picture = frontier_image(&ground, &parts);
        let mut colours: Vec<[u8; 4]> = picture.pixels().map(|pixel| pixel.0).collect();
        assert_eq!(colours.pop().map(|c| c[3]), Some(0));
        assert!(colours.iter().all(|colour| colour[3] == 255));
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 7);
    }
}
