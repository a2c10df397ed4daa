//! Two boxes that move between two ticks, each corner along a straight line: when they overlap.
//!
//! An axis asks two things at an instant t from 0 to 1: that the one box ends no earlier than the
//! other begins, and the other way round. Each is a difference of coordinates that is linear in t and
//! must not be negative, so that it holds from an instant on, or up to one. All six together hold
//! from the latest of the former to the earliest of the latter: a pair overlaps in one piece. Whether
//! there is such a piece is decided exactly.

use std::cmp::Ordering;

use super::Bounds;
use super::exact::{Difference, compare_products};

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
