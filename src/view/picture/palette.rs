//! The colours of all pictures and charts.
//!
//! People with any colour vision tell them apart: lightness alone orders what has an order, and
//! what has none is distinguished by Okabe and Ito's colours.

/// Red, green and blue of sRGB, each 0 to 255.
pub type Colour = [f32; 3];

/// Sunlit ground that is seen.
pub const VISIBLE: Colour = [255.0, 226.0, 128.0];
/// Sunlit ground that is hidden.
pub const HIDDEN: Colour = [62.0, 84.0, 150.0];
/// What a picture says nothing of.
pub const NEUTRAL: Colour = [190.0, 190.0, 185.0];
/// Where no player can be, and what no chain of visible steps reaches.
pub const NOTHING: Colour = [226.0, 226.0, 222.0];
/// Who looks.
pub const MARK: Colour = [214.0, 40.0, 40.0];

/// Okabe and Ito's colours without black and yellow, which lines and paper have.
pub const CATEGORIES: [Colour; 6] = [
    [0.0, 114.0, 178.0],
    [230.0, 159.0, 0.0],
    [0.0, 158.0, 115.0],
    [204.0, 121.0, 167.0],
    [86.0, 180.0, 233.0],
    [213.0, 94.0, 0.0],
];

/// Colours from one to another, evenly spaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp(&'static [Colour]);

/// Viridis, of van der Walt and Smith: from dark violet to light yellow.
pub const VIRIDIS: Ramp = Ramp(&[
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
]);

/// The half of the first player, from the first that joined to the last: dark to light blue.
pub const HALF_A: Ramp = Ramp(&[
    [8.0, 48.0, 140.0],
    [45.0, 110.0, 205.0],
    [120.0, 185.0, 240.0],
]);

/// The half of the second player, likewise: dark to light orange.
pub const HALF_B: Ramp = Ramp(&[
    [140.0, 60.0, 0.0],
    [222.0, 120.0, 20.0],
    [255.0, 190.0, 95.0],
]);

/// What joined a half when growth was over: paler than all that grew.
pub const AFTER_A: Colour = [200.0, 224.0, 250.0];
/// The same of the second player.
pub const AFTER_B: Colour = [255.0, 226.0, 190.0];

/// How much was lost, from little to much: light grey over orange to dark red.
pub const LOSS: Ramp = Ramp(&[
    [244.0, 226.0, 190.0],
    [240.0, 178.0, 90.0],
    [216.0, 98.0, 30.0],
    [120.0, 16.0, 40.0],
]);

impl Ramp {
    /// The colour at `part` of the way; before 0 and after 1 those of the ends.
    pub fn at(self, part: f64) -> Colour {
        let last = self.0.len() - 1;
        let part = part.clamp(0.0, 1.0) * last as f64;
        let stop = (part as usize).min(last - 1);
        let weight = (part - stop as f64) as f32;
        let mix = |c: usize| self.0[stop][c] * (1.0 - weight) + self.0[stop + 1][c] * weight;
        [mix(0), mix(1), mix(2)]
    }
}

/// A colour in a light of 0 to 1. Yellow and orange turn brown in the shade: their red fades last, their blue first. All
/// alike they would turn olive.
pub fn shaded(colour: Colour, light: f32) -> Colour {
    let [red, _, blue] = colour;
    let exponents = if red > 1.3 * blue {
        [0.6, 1.0, 1.6]
    } else {
        [1.0; 3]
    };
    [0, 1, 2].map(|c| colour[c] * light.powf(exponents[c]))
}

/// A linear scale of counts from their 2nd to their 98th percentile: a few that are far off do not darken all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    ends: [u32; 2],
}

impl Fitted {
    /// Of counts; those of 0 are of nothing.
    pub fn new(counts: &[u32]) -> Self {
        let mut counts: Vec<u32> = counts.iter().copied().filter(|count| *count > 0).collect();
        let last = counts.len().saturating_sub(1) as f64;
        let ends = [0.02, 0.98].map(|part| {
            let at = (part * last).round() as usize;
            if counts.is_empty() {
                return 0;
            }
            *counts.select_nth_unstable(at).1
        });
        Self { ends }
    }

    /// Where a count lies: 0 up to the one end, 1 from the other on.
    pub fn part(self, count: u32) -> f64 {
        let [low, high] = self.ends.map(f64::from);
        ((f64::from(count) - low) / (high - low).max(1.0)).clamp(0.0, 1.0)
    }

    /// Ticks at the ends and between them, as shares of `all`.
    pub fn ticks(self, all: u64) -> Vec<(f64, String)> {
        let [low, high] = self.ends.map(f64::from);
        let tick = |part: f64| {
            let share = 100.0 * (low + part * (high - low)) / all.max(1) as f64;
            let digits = if high >= 0.1 * all as f64 { 0 } else { 2 };
            (part, format!("{share:.digits$} %"))
        };
        [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(tick).into()
    }
}

/// Where `count` lies between 1 and `most` by its logarithm: 0 to 1. Half as much is as far from
/// `most` wherever it lies, which counts that spread over decades want.
pub fn logarithmic(count: u64, most: u64) -> f64 {
    (count.max(1) as f64).ln() / (most.max(2) as f64).ln()
}

/// The bytes of a colour.
pub fn bytes(colour: Colour) -> [u8; 3] {
    colour.map(|c| c as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness([r, g, b]: Colour) -> f32 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn ramps_are_in_order_of_lightness() {
        for (ramp, rises) in [
            (VIRIDIS, true),
            (HALF_A, true),
            (HALF_B, true),
            (LOSS, false),
        ] {
            let light: Vec<f32> = (0..=32)
                .map(|i| lightness(ramp.at(f64::from(i) / 32.0)))
                .collect();
            assert!(light.windows(2).all(|w| (w[0] < w[1]) == rises), "{ramp:?}");
        }
        assert!(lightness(AFTER_A) > lightness(HALF_A.at(1.0)));
        assert!(lightness(AFTER_B) > lightness(HALF_B.at(1.0)));
    }

    #[test]
    fn a_scale_is_fitted_to_all_but_a_few_and_shade_keeps_hues() {
        let mut counts: Vec<u32> = (100..=200).collect();
        counts.extend([0, 0, 1_000_000]);
        let scale = Fitted::new(&counts);
        assert_eq!(scale.ends, [102, 199]);
        assert_eq!(
            [0, 102, 199, 1_000_000].map(|count| scale.part(count)),
            [0.0, 0.0, 1.0, 1.0]
        );
        let words: Vec<String> = scale.ticks(1000).into_iter().map(|tick| tick.1).collect();
        assert_eq!(words, ["10 %", "13 %", "17 %", "20 %"]);
        assert_eq!(Fitted::new(&[]).part(0), 0.0);
        for light in [0.5, 0.75, 1.0] {
            let [r, g, b] = shaded(VISIBLE, light);
            assert!(r > g && g > b && (light == 1.0 || r > 1.2 * g));
            let [r, g, b] = shaded(HIDDEN, light);
            assert!(r < g && g < b);
        }
    }

    #[test]
    fn beyond_its_ends_a_ramp_stays() {
        assert_eq!(VIRIDIS.at(-1.0), [68.0, 1.0, 84.0]);
        assert_eq!(VIRIDIS.at(2.0), [253.0, 231.0, 37.0]);
        assert_eq!((logarithmic(0, 0), logarithmic(100, 100)), (0.0, 1.0));
        assert_eq!(logarithmic(10, 100), 0.5);
    }
}
