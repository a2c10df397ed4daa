//! Continuous collision detection: when two moving boxes overlap between two ticks.
//!
//! **Along straight lines** ([`linear`]) an axis asks two things at an instant t from 0 to 1: that the one box ends no
//! earlier than the other begins, and the other way round. Each is a difference of coordinates that is linear in t
//! and must not be negative, so that it holds from an instant on, or up to one. All six together hold from the latest of
//! the former to the earliest of the latter: a pair overlaps in one piece. Whether there is such a piece is a comparison of
//! two products of differences, which is made without rounding ([`compare_products`]).
//!
//! **Along polynomials** of degree 3 at most ([`polynomial`]) two boxes overlap along an axis while the distance of their
//! middles is at most the sum of their half sides, which asks two things of one polynomial: that it is not above the sum,
//! and not below its negative. Written in Bernstein's basis, a polynomial lies between its least and its greatest
//! coefficient. Halving the time makes these bounds closer, until all six hold, one fails, or time is shorter than
//! [`RESOLUTION`], which then counts as overlapping.

use std::cmp::Ordering;

use viewcell::interest::{Bounds, InterestError};

/// From when to when two regions overlap, as shares of the time between two ticks; each within a
/// 2^-50th of the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first instant, 0 to 1.
    pub from: f64,
    /// The last instant, not before the first.
    pub to: f64,
}

/// A difference that must not be negative: at 0, and at 1.
type Condition = [Difference; 2];

/// When two boxes that move from `was` to `now` overlap between two ticks, if they do: nothing is
/// missed and nothing invented.
///
/// What was nowhere comes at 1, and what is nowhere went at 0.
pub fn linear(was: [&Bounds; 2], now: [&Bounds; 2]) -> Option<Span> {
    let ([a, b], [c, d]) = (was, now);
    let nowhere = |bounds: &&Bounds| **bounds == Bounds::NOWHERE;
    if now.iter().any(nowhere) {
        return a.overlaps(b).then_some(Span { from: 0.0, to: 0.0 });
    }
    if was.iter().any(nowhere) {
        return c.overlaps(d).then_some(Span { from: 1.0, to: 1.0 });
    }
    if surely_apart(a, b, c, d) {
        return None;
    }
    let conditions = conditions(a, b, c, d);
    // Those that begin to hold, and those that cease to.
    let (mut latest, mut earliest): (Option<Condition>, Option<Condition>) = (None, None);
    for condition in conditions {
        let [first, last] = condition;
        match (first.rounded < 0.0, last.rounded < 0.0) {
            (true, true) => return None,
            (true, false) => {
                if latest.is_none_or(|other| starts_before(other, condition)) {
                    latest = Some(condition);
                }
            }
            (false, true) => {
                if earliest.is_none_or(|other| ends_before(condition, other)) {
                    earliest = Some(condition);
                }
            }
            (false, false) => {}
        }
    }
    if let (Some([p, q]), Some([r, s])) = (latest, earliest) {
        // -p / (q - p) is not after r / (r - s): p · s is not more than r · q.
        if compare_products((p, s), (r, q)) == Ordering::Greater {
            return None;
        }
    }
    let share = |[from, to]: Condition| from.rounded / (from.rounded - to.rounded);
    let from = latest.map_or(0.0, share).clamp(0.0, 1.0);
    let to = earliest.map_or(1.0, share).clamp(0.0, 1.0);
    Some(Span {
        from,
        to: to.max(from),
    })
}

/// Whether two boxes stay apart by more than rounding can hide; most pairs that are asked about do.
/// There are no branches in it that could be guessed wrong.
#[inline]
fn surely_apart(a: &Bounds, b: &Bounds, c: &Bounds, d: &Bounds) -> bool {
    let axes = |high: [f32; 3], low: [f32; 3]| {
        let ([hx, hy, hz], [lx, ly, lz]) = (high.map(f64::from), low.map(f64::from));
        [hx - lx, hy - ly, hz - lz]
    };
    let first = [axes(a.max(), b.min()), axes(b.max(), a.min())];
    let last = [axes(c.max(), d.min()), axes(d.max(), c.min())];
    let (mut from, mut to, mut never) = (0.0_f64, 1.0_f64, false);
    for (first, last) in first.iter().flatten().zip(last.iter().flatten()) {
        let (before, after) = (*first < 0.0, *last < 0.0);
        never |= before & after;
        // Each is off by a 2^-50th at most; where nothing changes it is no number, and not used.
        let at = first / (first - last);
        from = from.max(if before { at } else { 0.0 });
        to = to.min(if after { at } else { 1.0 });
    }
    never | (from > to + 1e-12)
}

fn conditions(a: &Bounds, b: &Bounds, c: &Bounds, d: &Bounds) -> [Condition; 6] {
    let reach = |high: [[f32; 3]; 2], low: [[f32; 3]; 2]| {
        let ([[hx, hy, hz], [ix, iy, iz]], [[lx, ly, lz], [mx, my, mz]]) = (high, low);
        let of = |h, l, i, m| [Difference::new(h, l), Difference::new(i, m)];
        [of(hx, lx, ix, mx), of(hy, ly, iy, my), of(hz, lz, iz, mz)]
    };
    let [x, y, z] = reach([a.max(), c.max()], [b.min(), d.min()]);
    let [u, v, w] = reach([b.max(), d.max()], [a.min(), c.min()]);
    [x, u, y, v, z, w]
}

/// Of two conditions that begin to hold, whether the first does so before the second:
/// -p / (q - p) < -r / (s - r), which is p · s > r · q.
fn starts_before([p, q]: Condition, [r, s]: Condition) -> bool {
    compare_products((p, s), (r, q)) == Ordering::Greater
}

/// Of two conditions that cease to hold, whether the first does so before the second:
/// p / (p - q) < r / (r - s), which is p · s > r · q.
fn ends_before([p, q]: Condition, [r, s]: Condition) -> bool {
    compare_products((p, s), (r, q)) == Ordering::Greater
}

// Exact comparison: sums of floats that do not overlap, as Shewchuk (Adaptive precision floating-point arithmetic and
// fast robust geometric predicates, 1997) describes them. Differences and products of floats of 32 bits never
// leave the range of 64.

/// A difference of two coordinates, exactly: the rounded difference, and what rounding took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Difference {
    rounded: f64,
    rest: f64,
}

impl Difference {
    /// `a` - `b`.
    #[inline]
    fn new(a: f32, b: f32) -> Self {
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
fn compare_products(
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

/// The shortest time that is distinguished, as a share of the time between two ticks. Boxes that come
/// closer than they can move in it may be said to touch; none that do are missed.
pub const RESOLUTION: f64 = 1.0 / (1_u64 << DEPTH) as f64;

const DEPTH: u32 = 26;

/// A box whose middle moves along a polynomial between two ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Of each axis the coefficients in Bernstein's basis.
    middle: [[f64; 4]; 3],
    half: [f64; 3],
    /// No number in the above is larger.
    size: f64,
}

impl Path {
    /// For each axis the coefficients of 1, t, t² and t³, t from 0 at the last tick to 1 at this one,
    /// and half of each side.
    ///
    /// # Errors
    ///
    /// [`InterestError::NotFinite`] and, for a negative half, [`InterestError::Inverted`].
    pub fn new(powers: [[f32; 4]; 3], half: [f32; 3]) -> Result<Self, InterestError> {
        for ((dimension, powers), half) in (0..).zip(powers).zip(half) {
            if !half.is_finite() || powers.iter().any(|power| !power.is_finite()) {
                return Err(InterestError::NotFinite { dimension });
            }
            if half < 0.0 {
                return Err(InterestError::Inverted { dimension });
            }
        }
        let middle = powers.map(|powers| {
            let [a, b, c, d] = powers.map(f64::from);
            [a, a + b / 3.0, a + (2.0 * b + c) / 3.0, a + b + c + d]
        });
        let half = half.map(f64::from);
        let sum = |powers: [f32; 4]| powers.iter().map(|x| f64::from(x.abs())).sum::<f64>();
        let size = powers.into_iter().map(sum).chain(half).fold(0.0, f64::max);
        Ok(Self { middle, half, size })
    }

    /// A box around all that the path passes through, or a little more.
    ///
    /// # Errors
    ///
    /// [`InterestError::NotFinite`] where floats do not reach so far.
    pub fn swept(&self) -> Result<Bounds, InterestError> {
        let slack = self.slack();
        let side = |sign: f64| {
            let axes = self.middle.iter().zip(self.half);
            let mut corner = [0.0_f32; 3];
            for ((middle, half), place) in axes.zip(&mut corner) {
                let far = middle.iter().map(|x| sign * x).fold(f64::MIN, f64::max);
                let exact = far + half + slack;
                let rounded = exact as f32;
                let up = f64::from(rounded) >= exact;
                *place = (if up { rounded } else { rounded.next_up() }) * sign as f32;
            }
            corner
        };
        Bounds::new(side(-1.0), side(1.0))
    }

    /// What rounding may have moved anything by.
    fn slack(&self) -> f64 {
        64.0 * f64::EPSILON * self.size
    }
}

/// When two boxes overlap between two ticks: calls `found` with each span of time, in order. No two
/// of them touch.
pub fn polynomial(one: &Path, other: &Path, mut found: impl FnMut(Span)) {
    let slack = one.slack() + other.slack();
    let mut apart = [[0.0; 4]; 3];
    let mut reach = [0.0; 3];
    for ((apart, a), b) in apart.iter_mut().zip(one.middle).zip(other.middle) {
        for ((apart, a), b) in apart.iter_mut().zip(a).zip(b) {
            *apart = a - b;
        }
    }
    for ((reach, a), b) in reach.iter_mut().zip(one.half).zip(other.half) {
        *reach = a + b + slack;
    }
    let mut open: Option<Span> = None;
    search(
        apart,
        &reach,
        [0.0, 1.0],
        DEPTH,
        &mut |span| match &mut open {
            Some(open) if open.to == span.from => open.to = span.to,
            _ => {
                if let Some(whole) = open.replace(span) {
                    found(whole);
                }
            }
        },
    );
    if let Some(last) = open {
        found(last);
    }
}

/// Calls `found` with the parts of a time, in order, in which all axes are within reach.
fn search(
    apart: [[f64; 4]; 3],
    reach: &[f64; 3],
    [from, to]: [f64; 2],
    depth: u32,
    found: &mut impl FnMut(Span),
) {
    let mut always = true;
    for (apart, reach) in apart.iter().zip(reach) {
        let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = apart.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > *reach || greatest < -reach {
            return;
        }
        always &= greatest <= *reach && least >= -reach;
    }
    if always || depth == 0 {
        found(Span { from, to });
        return;
    }
    let middle = 0.5 * (from + to);
    let halves = apart.map(halve);
    search(
        halves.map(|[first, _]| first),
        reach,
        [from, middle],
        depth - 1,
        found,
    );
    search(
        halves.map(|[_, last]| last),
        reach,
        [middle, to],
        depth - 1,
        found,
    );
}

/// The coefficients over the first and over the last half of the time (de Casteljau).
fn halve([a, b, c, d]: [f64; 4]) -> [[f64; 4]; 2] {
    let mean = |x: f64, y: f64| 0.5 * (x + y);
    let (ab, bc, cd) = (mean(a, b), mean(b, c), mean(c, d));
    let (abc, bcd) = (mean(ab, bc), mean(bc, cd));
    let middle = mean(abc, bcd);
    [[a, ab, abc, middle], [middle, bcd, cd, d]]
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
