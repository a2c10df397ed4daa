//! Tables of changed ground alone: which lines of sight may meet it.
//!
//! Where neither end of a line of sight has changed, its answer can change only if it passes below a changed edge, as
//! that was or as it is. So the tables hold the higher of the ground before and after, for those edges alone of which
//! an end has changed. The tables are of a small piece of the terrain, so that old ground needs no tables of the whole.

use crate::visibility::TOLERANCE;
use crate::visibility::lanes::{Lanes, Layout, SIDE, VOID, Windows, fold};
use crate::visibility::samples::bounds::Span;
use crate::visibility::samples::height_field::HeightField;
use crate::visibility::samples::nodes::{OpenSquare, Reach};
use crate::visibility::samples::view_block::ViewpointRows;
use crate::visibility::sightline::Bodies;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use viewcell_ingest::world::Terrain;

/// Samples of void around the piece: no window that meets it begins further away.
const PAD: usize = 96;

/// Changed ground for sight along the columns and along the rows.
#[derive(Debug)]
pub(crate) struct ChangedGround {
    pub axes: [ChangedAxis; 2],
    /// As `HeightField::below`, for the range of these heights.
    below: f32,
}

/// Changed ground as seen along one axis; turned over its diagonal for the other.
pub(crate) struct ChangedAxis {
    layout: Layout,
    /// The greatest ground over a slab's window.
    greatest: Windows,
    /// First and last column and row of the piece, on the axis's grid.
    pub columns: [i32; 2],
    pub rows: [i32; 2],
}

impl std::fmt::Debug for ChangedAxis {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "ChangedAxis({:?}, {:?})", self.columns, self.rows)
    }
}

/// The viewpoints whose visibility may have changed, and the slabs between which that is decided.
pub(crate) struct Touched {
    pub lanes: u64,
    /// The first slab that changed ground may reach, and the one after the last.
    pub first: i32,
    pub end: i32,
}

impl Touched {
    /// By nothing.
    pub(crate) const NOTHING: Self = Self {
        lanes: 0,
        first: i32::MAX,
        end: i32::MIN,
    };

    /// By the one or the other.
    pub(crate) fn and(self, other: Self) -> Self {
        if other.lanes == 0 {
            return self;
        }
        Self {
            lanes: self.lanes | other.lanes,
            first: self.first.min(other.first),
            end: self.end.max(other.end),
        }
    }
}

impl ChangedGround {
    /// Of what has changed, which lies within `columns` and `rows`, first and last.
    pub(crate) fn new(
        old: &Terrain,
        new: &Terrain,
        bodies: Bodies,
        columns: [i32; 2],
        rows: [i32; 2],
    ) -> Self {
        let [base, reach] = HeightField::frame(new, bodies);
        let at = |terrain: &Terrain, column: i32, row: i32| {
            let inside = (0..terrain.width() as i32).contains(&column)
                && (0..terrain.height() as i32).contains(&row);
            if inside {
                terrain.at(column as u32, row as u32)
            } else {
                f64::NAN
            }
        };
        let changed = |column: i32, row: i32| {
            let (before, after) = (at(old, column, row), at(new, column, row));
            before != after && !(before.is_nan() && after.is_nan())
        };
        let grown = |[first, last]: [i32; 2]| [first - 1, last + 1];
        let (columns, rows) = (grown(columns), grown(rows));
        let (width, height) = (length(columns), length(rows));
        let mut ground = vec![VOID; width * height];
        let mut reach = reach;
        for r in 0..height {
            for c in 0..width {
                let (column, row) = (columns[0] + c as i32, rows[0] + r as i32);
                let beside = (0..9).any(|k| changed(column + k % 3 - 1, row + k / 3 - 1));
                // A void is NaN, which is no maximum.
                let highest = at(old, column, row).max(at(new, column, row));
                if beside && !highest.is_nan() {
                    ground[r * width + c] = (highest - base) as f32;
                    reach = reach.max((highest - base).abs() + bodies.eye.max(bodies.head));
                }
            }
        }
        let turned: Vec<f32> = (0..width * height)
            .map(|i| ground[i % height * width + i / height])
            .collect();
        // As in `HeightField::new`.
        let slack = 64.0 * reach * 2f64.powi(-24);
        Self {
            axes: [
                ChangedAxis::new(&ground, columns, rows),
                ChangedAxis::new(&turned, rows, columns),
            ],
            below: (TOLERANCE - slack) as f32,
        }
    }
}

fn length([first, last]: [i32; 2]) -> usize {
    (last - first + 1) as usize
}

impl ChangedAxis {
    fn new(ground: &[f32], columns: [i32; 2], rows: [i32; 2]) -> Self {
        let (width, height) = (length(columns), length(rows));
        let layout = Layout::new(width, height, PAD);
        let mut plane = vec![VOID; layout.stride * layout.rows];
        for (row, values) in ground.chunks_exact(width).enumerate() {
            let at = layout.flat(0, row);
            plane[at..at + width].copy_from_slice(values);
        }
        let slabs = fold(&plane, 1, f32::max);
        let stride = layout.stride;
        Self {
            greatest: Windows::new(&layout, slabs, stride, f32::max),
            layout,
            columns,
            rows,
        }
    }

    /// The slabs that a viewpoint's sight may share with changed ground, by their major coordinate:
    /// the first, and the one after the last.
    fn slabs(&self, rows: ViewpointRows<'_>, reach: Reach) -> [i32; 2] {
        let (near, far) = (rows.column, rows.column + SIDE as i32 - 1);
        let [first, last] = match rows.sign {
            0.. => [self.columns[0] - far, self.columns[1] - near],
            _ => [near - self.columns[1], far - self.columns[0]],
        };
        // Slab x reaches from line x to the next.
        [(first - 1).max(0), (last + 1).min(reach.u1)]
    }
}

/// Which viewpoints of the rows may see a target of the node otherwise, where no end has changed.
#[simd]
pub(crate) fn touched<S: Simd, const N: usize>(
    simd: S,
    over: &ChangedGround,
    rows: ViewpointRows<'_>,
    reach: Reach,
    node: OpenSquare,
) -> Touched {
    let axis = &over.axes[usize::from(rows.turned)];
    let Reach { u0, u1, v0, v1, .. } = reach;
    let [begin, stop] = axis.slabs(rows, reach);
    let (mut first, mut end) = (stop, begin);
    let active = rows.lanes(node.active);
    let mut lanes = 0;
    // As in `decide`: over slab x no sight is lower than `lowest + x · flattest`.
    let span = Span::of_samples(u0, u1, v0, v1);
    let (p, q) = rows.turn((node.p, node.q));
    let target = rows.axis.layout.index(rows.column + p, rows.row + q);
    let heads = match (node.level as usize).checked_sub(1) {
        Some(level) => &rows.axis.head_min[level],
        None => &rows.axis.head,
    };
    let eye: Lanes<S, N> = rows.axis.eye_min.load(simd, rows.index(0, 0));
    let rise = heads.load(simd, target).minus(eye);
    let (near, far) = (span.near, span.far);
    let flattest = rise.times(near.slope).min(rise.times(far.slope));
    let lowest = eye.raised(over.below).plus(
        rise.times(near.offset)
            .min(rise.times(far.offset + far.slope)),
    );
    let (low_step, high_step) = (span.low.slope.min(0), span.high.slope.max(0));
    let (least, most) = (v0.min(0), v1.max(0));
    let back = i32::from(rows.sign < 0);
    for x in begin..stop {
        let lo = (((span.low.at(x) + low_step) >> 32) as i32).max(least);
        let hi = (((span.high.at(x) + high_step) >> 32) as i32 + 1).min(most);
        let (top, bottom) = (rows.row + lo, rows.row + hi + SIDE as i32 - 1);
        if bottom < axis.rows[0] || top > axis.rows[1] {
            continue;
        }
        let column = rows.column + (x + back) * rows.sign - axis.columns[0];
        let at = axis.layout.index(column, top - axis.rows[0]);
        let ground: Lanes<S, N> = axis.greatest.load(simd, at, hi - lo + 1);
        let met = ground.above(flattest.mul_add(x as f32, lowest)) & active;
        if met != 0 {
            lanes |= met;
            first = first.min(x);
            end = end.max(x + 1);
        }
    }
    Touched {
        lanes: rows.of_block(lanes),
        first,
        end,
    }
}
