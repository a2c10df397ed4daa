//! Which of two products of differences is larger, without rounding.
//!
//! Sums of floats that do not overlap, as Shewchuk (Adaptive precision floating-point arithmetic and
//! fast robust geometric predicates, 1997) describes them. Differences and products of floats of 32
//! bits never leave the range of 64.

use std::cmp::Ordering;

/// A difference of two coordinates, exactly: the rounded difference, and what rounding took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    pub rounded: f64,
    rest: f64,
}

impl Difference {
    /// `a` - `b`.
    #[inline]
    pub(super) fn new(a: f32, b: f32) -> Self {
        let (a, b) = (f64::from(a), f64::from(b));
        let rounded = a - b;
        let of_b = a - rounded;
        let of_a = rounded + of_b;
        Self {
            rounded,
            rest: (a - of_a) + (of_b - b),
        }
    }
}

/// How `p` · `s` compares with `r` · `q`.
#[inline]
pub(super) fn compare_products(
    (p, s): (Difference, Difference),
    (r, q): (Difference, Difference),
) -> Ordering {
    let (left, right) = (p.rounded * s.rounded, r.rounded * q.rounded);
    // Each factor is wrong by a 2^-53rd of itself, and each product once more.
    if (left - right).abs() > 4.0 * f64::EPSILON * (left.abs() + right.abs()) {
        return left.total_cmp(&right);
    }
    exactly((p, s), (r, q))
}

fn exactly((p, s): (Difference, Difference), (r, q): (Difference, Difference)) -> Ordering {
    let mut sum = [0.0; 16];
    for (a, b, sign) in [(p, s, 1.0), (r, q, -1.0)] {
        for a in [a.rounded, a.rest] {
            for b in [b.rounded, b.rest] {
                let product = a * b;
                let rest = a.mul_add(b, -product);
                add(&mut sum, sign * rest);
                add(&mut sum, sign * product);
            }
        }
    }
    let largest = sum.iter().rev().find(|term| **term != 0.0);
    largest.map_or(Ordering::Equal, |term| term.total_cmp(&0.0))
}

/// Adds a number to terms that do not overlap and grow; there may be zeros among them. Sixteen terms
/// are enough for sixteen numbers, since every addition lengthens the sum by one at most.
fn add(sum: &mut [f64; 16], number: f64) {
    let mut longer = [0.0; 16];
    let mut free = longer.iter_mut();
    let mut keep = |term: f64| {
        if term != 0.0
            && let Some(place) = free.next()
        {
            *place = term;
        }
    };
    let mut carry = number;
    for term in sum.iter().filter(|term| **term != 0.0) {
        let total = carry + *term;
        let of_term = total - carry;
        keep((carry - (total - of_term)) + (*term - of_term));
        carry = total;
    }
    keep(carry);
    *sum = longer;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(p: [f32; 2], s: [f32; 2], r: [f32; 2], q: [f32; 2]) -> Ordering {
        let of = |[a, b]: [f32; 2]| Difference::new(a, b);
        compare_products((of(p), of(s)), (of(r), of(q)))
    }

    #[test]
    fn products_of_integers_compare_as_integers_do() {
        let mut state = 9_u64;
        let mut roll = |range: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_041);
            ((state >> 33) % range) as i64
        };
        let mut equal = 0;
        for round in 0..200_000 {
            let range = if round % 2 == 0 { 9 } else { 1 << 24 };
            let mut pair = || [roll(range) - roll(range), roll(range)];
            let (mut p, mut s, r, q) = (pair(), pair(), pair(), pair());
            if round % 3 == 0 {
                // The same product, up to one.
                (p, s) = (q, r);
                p[0] += [0, 1, -1][roll(3) as usize];
            }
            // Floats of 32 bits hold these.
            let small = |[a, b]: [i64; 2]| [a.clamp(-(1 << 24), 1 << 24), b];
            let (p, s, r, q) = (small(p), small(s), small(r), small(q));
            let difference = |[a, b]: [i64; 2]| i128::from(a - b);
            let expected = (difference(p) * difference(s)).cmp(&(difference(r) * difference(q)));
            let floats = |[a, b]: [i64; 2]| [a as f32, b as f32];
            let found = compare(floats(p), floats(s), floats(r), floats(q));
            assert_eq!(found, expected, "{p:?} {s:?} {r:?} {q:?}");
            equal += u32::from(found == Ordering::Equal);
        }
        assert!(equal > 10_000);
    }

    #[test]
    fn what_rounding_hides_is_seen() {
        let (large, small) = ([1e30, 0.0], [1.0, 0.0]);
        // (1e30 + 1e-30) · 1 is more than 1e30 · 1, and (1e-45 · 1e-45) is more than nothing.
        assert_eq!(
            compare([1e30, -1e-30], small, large, small),
            Ordering::Greater
        );
        assert_eq!(compare([1e30, 1e-30], small, large, small), Ordering::Less);
        assert_eq!(
            compare([1e-45, 0.0], [1e-45, 0.0], [0.0; 2], small),
            Ordering::Greater
        );
        assert_eq!(compare(large, small, small, large), Ordering::Equal);
        let (most, least) = (f32::MAX, f32::MIN);
        assert_eq!(
            compare([most, least], [most, least], [most, least], [most, 0.0]),
            Ordering::Greater
        );
    }
}
