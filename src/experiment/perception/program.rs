//! The quadratic programs of the paper: radii as small as sums of two of them allow.

/// The values of two variables, or twice that of one, must add up to so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSum {
    /// The variables.
    pub of: [usize; 2],
    /// What their sum must reach.
    pub least: f64,
}

/// The best values, and how good they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// By variable.
    pub values: Vec<f64>,
    /// The weighted sum of their squares.
    pub cost: f64,
    /// No values that reach all sums cost less than this.
    pub bound: f64,
}

/// Rounds through all sums, at most.
const ROUNDS: usize = 1_000_000;

/// Finds the values, of the least weighted sum of squares, that reach all sums (Hildreth, A quadratic
/// programming procedure, 1957): each sum has a price, and sums are put right one after the other.
///
/// All weights are positive. The values reach every sum; `cost` is within a 10^-9th of `bound`.
pub fn least_squares(weights: &[f64], sums: &[PairSum]) -> Optimum {
    let mut prices = vec![0.0; sums.len()];
    let mut values = vec![0.0; weights.len()];
    let share = |sum: &PairSum, variable: usize| {
        let times = sum.of.iter().filter(|&&of| of == variable).count();
        times as f64 / (2.0 * weights[variable])
    };
    let once = |sum: &PairSum| {
        let [a, b] = sum.of;
        if a == b { vec![a] } else { vec![a, b] }
    };
    // How far a sum rises with its own price.
    let rises: Vec<f64> = sums
        .iter()
        .map(|sum| sum.of.iter().map(|&variable| share(sum, variable)).sum())
        .collect();
    for _ in 0..ROUNDS {
        let mut moved = 0.0_f64;
        for ((sum, price), rise) in sums.iter().zip(&mut prices).zip(&rises) {
            let lacks = sum.least - sum.of.iter().map(|&of| values[of]).sum::<f64>();
            let next = (*price + lacks / rise).max(0.0);
            let by = next - *price;
            if by == 0.0 {
                continue;
            }
            *price = next;
            for variable in once(sum) {
                values[variable] += by * share(sum, variable);
            }
            moved = moved.max((by * rise / sum.least.abs().max(f64::MIN_POSITIVE)).abs());
        }
        if moved < 1e-14 {
            break;
        }
    }
    // The values that the prices make, without what many small steps have rounded.
    values.fill(0.0);
    for (sum, price) in sums.iter().zip(&prices) {
        for variable in once(sum) {
            values[variable] += price * share(sum, variable);
        }
    }
    // What the prices promise is a bound on the cost of all values that reach the sums.
    let squares = |values: &[f64]| -> f64 {
        weights
            .iter()
            .zip(values)
            .map(|(weight, value)| weight * value * value)
            .sum()
    };
    let promised: f64 = sums
        .iter()
        .zip(&prices)
        .map(|(sum, price)| sum.least * price)
        .sum();
    let bound = promised - squares(&values);
    // Rounding may leave a sum short; longer values cost that little more.
    let short = sums.iter().map(|sum| {
        let reached: f64 = sum.of.iter().map(|&of| values[of]).sum();
        if reached > 0.0 {
            sum.least / reached
        } else {
            1.0
        }
    });
    let stretch = short.fold(1.0, f64::max);
    if stretch > 1.0 {
        let stretch = stretch * (1.0 + 2.0 * f64::EPSILON);
        values.iter_mut().for_each(|value| *value *= stretch);
    }
    Optimum {
        cost: squares(&values),
        values,
        bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    #[test]
    fn the_values_reach_all_sums_and_none_cost_less() {
        let mut dice = Dice(8);
        for _ in 0..200 {
            let variables = 1 + dice.roll(12) as usize;
            let weights: Vec<f64> = (0..variables)
                .map(|_| 0.1 + 5.0 * dice.fraction())
                .collect();
            let mut sums = Vec::new();
            for a in 0..variables {
                for b in a..variables {
                    if dice.roll(3) > 0 {
                        let least = 100.0 * dice.fraction();
                        sums.push(PairSum { of: [a, b], least });
                    }
                }
            }
            let best = least_squares(&weights, &sums);
            for sum in &sums {
                let reached = best.values[sum.of[0]] + best.values[sum.of[1]];
                assert!(reached >= sum.least, "{sum:?}: {reached}");
            }
            assert!(best.values.iter().all(|value| *value >= 0.0));
            let gap = best.cost - best.bound;
            assert!(
                gap <= 1e-9 * best.cost && gap >= -1e-9 * best.cost,
                "{best:?}"
            );
        }
    }

    #[test]
    fn two_that_share_a_sum_share_it_by_their_weights() {
        let sums = [PairSum {
            of: [0, 1],
            least: 12.0,
        }];
        let best = least_squares(&[1.0, 3.0], &sums);
        assert!((best.values[0] - 9.0).abs() < 1e-9 && (best.values[1] - 3.0).abs() < 1e-9);
    }
}
