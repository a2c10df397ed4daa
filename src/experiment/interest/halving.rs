//! Liu's pairwise matching over space and time by halving the interval (thesis, algorithm 2).

use crate::runtime::interest::Bounds;

/// Whether the swept volumes of two regions, which move from `was` to `now` along straight lines,
/// still overlap in some interval of `depth` halvings: 1 for Liu's threshold δt/2, 6 for δt/64.
///
/// It never misses a pair that meets. It calls some that only pass by each other, fewer with each
/// halving.
pub fn halving(was: [&Bounds; 2], now: [&Bounds; 2], depth: u32) -> bool {
    let mut stack = vec![(0_u32, 0_u32)];
    while let Some((level, number)) = stack.pop() {
        // The interval from number / 2^level on, one 2^level-th long. These are exact.
        let length = 0.5_f64.powi(level as i32);
        let (from, to) = (f64::from(number) * length, f64::from(number + 1) * length);
        if !volumes_overlap(was, now, from, to) {
            continue;
        }
        if level == depth {
            return true;
        }
        stack.push((level + 1, 2 * number + 1));
        stack.push((level + 1, 2 * number));
    }
    false
}

fn volumes_overlap(was: [&Bounds; 2], now: [&Bounds; 2], from: f64, to: f64) -> bool {
    (0..3).all(|axis| {
        let span = |which: usize| {
            let (was, now) = (was[which], now[which]);
            let at = |corner: fn(&Bounds) -> [f32; 3], share: f64| {
                let (a, b) = (f64::from(corner(was)[axis]), f64::from(corner(now)[axis]));
                a + (b - a) * share
            };
            let low = at(Bounds::min, from).min(at(Bounds::min, to));
            let high = at(Bounds::max, from).max(at(Bounds::max, to));
            // Rounding may hide a touch.
            let slack = 1e-12 * (low.abs() + high.abs());
            (low - slack, high + slack)
        };
        let ((a, b), (c, d)) = (span(0), span(1));
        a <= d && c <= b
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use crate::runtime::interest::linear;

    #[test]
    fn it_misses_none_and_invents_fewer_with_each_halving() {
        let mut dice = Dice(2);
        let mut bounds = |side: f64| {
            let low = [(); 3].map(|()| (dice.fraction() * side) as f32);
            Bounds::new(low, low.map(|x| x + 1.0)).unwrap()
        };
        let mut invented = [0; 8];
        let mut met = 0;
        for _ in 0..40_000 {
            let (a, b, c, d) = (bounds(12.0), bounds(12.0), bounds(12.0), bounds(12.0));
            let truly = linear([&a, &b], [&c, &d]).is_some();
            met += u32::from(truly);
            for (depth, invented) in (0..).zip(&mut invented) {
                let called = halving([&a, &b], [&c, &d], depth);
                assert!(
                    called || !truly,
                    "missed at {depth}: {a:?} {b:?} {c:?} {d:?}"
                );
                *invented += u32::from(called && !truly);
            }
        }
        assert!(met > 100, "{met}");
        assert!(invented.is_sorted_by(|a, b| a >= b), "{invented:?}");
        // Without halving most are invented, with Liu's finest threshold few.
        assert!(
            invented[0] > 5 * met && invented[6] < met / 8,
            "{met}: {invented:?}"
        );
    }
}
