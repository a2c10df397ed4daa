//! Pairs of cells that only lines with bounds that slope hide ([`super::slopes`]): divided down to quarters of the squares
//! around samples.

use super::field::NOWHERE;
use super::sight::sight;
use super::slopes::{End, Frame, LINES, leave_highest, open};
use super::step::{PARTS, Pair, Way};
use super::{Open, Shafts};
use crate::visibility::lanes::VOID;
use crate::visibility::simd::at_level;

/// The lines between two quads.
#[derive(Clone, Copy)]
struct Between<'l> {
    way: Way,
    /// Those that may matter, and of these the highest.
    all: &'l [u32],
    highest: &'l [u32],
}

/// Pairs of four viewers and four players, each sorted from the highest down: those of two high ones first.
const HIGH_FIRST: [(usize, usize); PARTS] = [
    (0, 0),
    (0, 1),
    (1, 0),
    (1, 1),
    (0, 2),
    (2, 0),
    (1, 2),
    (2, 1),
    (0, 3),
    (3, 0),
    (2, 2),
    (1, 3),
    (3, 1),
    (2, 3),
    (3, 2),
    (3, 3),
];

impl Shafts<'_> {
    /// Whether any position in the one may see any in the other, or is not shown not to.
    pub(super) fn may_any_see(&mut self, asked: Open, tried: [(u32, u32); 2]) -> bool {
        let Open { pair, .. } = asked;
        let Some(way) = pair.longer_way() else {
            // Nothing lies between neighbours.
            return pair.level == 0 || self.may_any_part_see(pair, tried);
        };
        let known = asked.known.filter(|_| asked.turned == way.turned);
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        let slabs = match known {
            Some(_) => &self.left[pair.level as usize],
            None => {
                self.list(pair, way);
                &self.all[pair.level as usize]
            }
        };
        let lane = known.unwrap_or(0);
        let matter = slabs.iter().filter(|slab| slab.lanes >> lane & 1 == 1);
        lines.extend(matter.map(|slab| slab.x));
        let mut highest = std::mem::take(&mut self.highest);
        highest.clone_from(&lines);
        let ends = self.ends(pair, way);
        let frame = Frame::new(self.field, way);
        let above = &mut self.above;
        at_level!(self.level, simd => leave_highest(
            simd, frame, [&ends[0], &ends[1]], &mut highest, above
        ));
        let between = Between {
            way,
            all: &lines,
            highest: &highest,
        };
        let found = self.may_parts_see(pair, between, tried);
        (self.lines, self.highest) = (lines, highest);
        found
    }

    /// The same of quads that are neighbours, part by part.
    fn may_any_part_see(&mut self, pair: Pair, tried: [(u32, u32); 2]) -> bool {
        (0..PARTS).any(|lane| {
            let part = pair.part(lane);
            if !self.is_asked(part) {
                return false;
            }
            if part.a == part.b || self.field.is_smallest(part) {
                return true;
            }
            let turned = part.longer_way().is_some_and(|way| way.turned);
            // Lines are kept by those who are asked next.
            let asked = Open {
                pair: part,
                turned,
                known: None,
            };
            self.may_any_see(asked, tried)
        })
    }

    /// The same of two quads, by the lines between them or between those that they are parts of. `tried` tells
    /// which two samples do not see each other.
    fn may_parts_see(
        &mut self,
        pair: Pair,
        between: Between<'_>,
        mut tried: [(u32, u32); 2],
    ) -> bool {
        let field = self.field;
        let Pair { level, a, b } = pair;
        let peaks = match level {
            0 => [a, b],
            _ => field.peaks(level, [a, b]),
        };
        if peaks != tried && !peaks.contains(&NOWHERE) {
            if self.do_peaks_see(peaks, between) {
                return true;
            }
            tried = peaks;
        }
        let (order, count) = self.order(pair);
        let order = &order[..count];
        let ends = self.ends(pair, between.way);
        let frame = Frame::new(field, between.way);
        let left = at_level!(self.level, simd => open(
            simd, frame, [&ends[0], &ends[1]], between.highest, order
        ));
        if left == 0 || level == 0 {
            return left != 0;
        }
        order.iter().any(|&lane| {
            let part = pair.part(usize::from(lane));
            left >> lane & 1 == 1
                && (field.is_smallest(part) || self.may_parts_see(part, between, tried))
        })
    }

    /// Whether sample sees sample, of two quads with these lines between them.
    fn do_peaks_see(&mut self, peaks: [(u32, u32); 2], between: Between<'_>) -> bool {
        let field = self.field;
        let [a, b] = peaks;
        if field.too_far(a.0.abs_diff(b.0), a.1.abs_diff(b.1)) {
            return false;
        }
        let pair = Pair { level: 0, a, b };
        let way = pair.major();
        let sees = |lines: &[u32]| sight(field, way, lines.iter().copied(), peaks, false).is_ok();
        if way.turned == between.way.turned {
            // The highest mostly show that they do not.
            return sees(between.highest) && sees(between.all);
        }
        self.list(pair, way);
        sight(
            field,
            way,
            self.all[0].iter().map(|slab| slab.x),
            peaks,
            false,
        )
        .is_ok()
    }

    /// The parts of a pair that are asked for, the highest first: whoever stands high is seen most.
    fn order(&self, pair: Pair) -> ([u8; PARTS], usize) {
        let field = self.field;
        let mut order = std::array::from_fn(|lane| lane as u8);
        if pair.level == 0 {
            return (order, PARTS);
        }
        let below = &field.quads[pair.level as usize - 1];
        let sorted = |quad: (u32, u32), heights: &[f32]| {
            let mut children = [0, 1, 2, 3].map(|k| {
                let child = (2 * quad.0 + k % 2, 2 * quad.1 + k / 2);
                let is_there = child.0 < below.columns && below.number(child) < heights.len();
                let height = if is_there {
                    heights[below.number(child)]
                } else {
                    VOID
                };
                (height, k as u8)
            });
            children.sort_by(|a, b| b.0.total_cmp(&a.0));
            children
        };
        let viewers = sorted(pair.a, &below.eyes);
        let players = sorted(pair.b, &below.heads);
        let mut count = 0;
        for (i, k) in HIGH_FIRST {
            let ((eye, viewer), (head, player)) = (viewers[i], players[k]);
            let lane = 4 * viewer + player;
            let is_somebody = eye > VOID && head > VOID;
            if is_somebody && self.may_be_near(pair.part(usize::from(lane))) {
                order[count] = lane;
                count += 1;
            }
        }
        (order, count)
    }

    /// Those of the `active` parts of a pair that no line with bounds that slope hides, of those that are listed.
    pub(super) fn left_by_slopes(&mut self, asked: Open, way: Way, active: u16) -> u16 {
        let Open { pair, known, .. } = asked;
        let slabs = match known {
            Some(_) => &self.left[pair.level as usize],
            None => &self.all[pair.level as usize],
        };
        let lane = known.unwrap_or(0);
        let matter = slabs.iter().filter(|slab| slab.lanes >> lane & 1 == 1);
        self.lines.clear();
        self.lines.extend(matter.map(|slab| slab.x).take(LINES));
        let mut order = [0; PARTS];
        let mut count = 0;
        for lane in (0..PARTS as u8).filter(|lane| active >> lane & 1 == 1) {
            order[count] = lane;
            count += 1;
        }
        let ends = self.ends(pair, way);
        let frame = Frame::new(self.field, way);
        let lines = &self.lines;
        at_level!(self.level, simd => open(
            simd, frame, [&ends[0], &ends[1]], lines, &order[..count]
        ))
    }

    /// The parts of both quads of a pair.
    pub(super) fn ends(&mut self, pair: Pair, way: Way) -> [End; 2] {
        let field = self.field;
        let above = [field.bodies.eye as f32, field.bodies.head as f32];
        let mut of = |k: usize, quad: (u32, u32)| {
            let covers = &mut self.covers[k];
            if pair.level == 0 {
                let quarters = covers.of(field, quad).by_quarter();
                return End::cell(way, quad, quarters, above[k]);
            }
            let level = pair.level - 1;
            let children = std::array::from_fn(|child| {
                let child = (2 * quad.0 + child as u32 % 2, 2 * quad.1 + child as u32 / 2);
                let quads = &field.quads[level as usize];
                let is_there = child.0 << level < field.samples.width()
                    && child.1 << level < field.samples.height()
                    && field.has_anybody(level, quads.number(child));
                match (is_there, level) {
                    (false, _) => [VOID; 4],
                    (true, 0) => covers.of(field, child).whole,
                    (true, _) => field.corners[level as usize][quads.number(child)],
                }
            });
            End::quad(field, way, (pair.level, quad), children, above[k])
        };
        [of(0, pair.a), of(1, pair.b)]
    }
}
