//! What the thesis's tables say of many numbers.

/// Mean, median, greatest and standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The greatest.
    pub max: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Of numbers; zeros of none.
    pub fn of(numbers: &[f64]) -> Self {
        if numbers.is_empty() {
            return Self::default();
        }
        let many = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / many;
        let square = |number: &f64| (number - mean) * (number - mean);
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |i: usize| sorted[i];
        Self {
            mean,
            median: (at((sorted.len() - 1) / 2) + at(sorted.len() / 2)) / 2.0,
            max: at(sorted.len() - 1),
            deviation: (numbers.iter().map(square).sum::<f64>() / many).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_a_small_list() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((spread.mean, spread.median, spread.max), (2.5, 2.5, 4.0));
        assert!((spread.deviation - 1.25f64.sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), Spread::default());
    }
}
