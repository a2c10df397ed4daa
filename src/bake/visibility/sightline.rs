//! The definition of exact sight: one pair of samples at a time, in double precision; the slow twin of the kernels.
//!
//! The model is R3 of W. R. Franklin, C. K. Ray and S. Mehta 1994, *Geometric algorithms for siting of air defense
//! missile batteries*. [`Stance`] says where in a view cell somebody may stand.

use viewcell_ingest::world::Terrain;

/// How far above a line of sight, in metres, terrain has to rise to block it.
///
/// By definition any height above zero blocks and a touch does not. Heights come from files as
/// binary fractions of scaled numbers, so that a touch may compute as a rise of some fraction
/// of a millimetre; half a millimetre of grace (2⁻¹¹ m) keeps all such errors on the visible
/// side.
pub const TOLERANCE: f64 = 1.0 / 2048.0;

/// How high above the ground a viewer's eye is and how high a player's head, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bodies {
    /// Height of the eye above ground.
    pub eye: f64,
    /// Height of the top of the head above ground: τ of the thesis, section 3.1.
    pub head: f64,
}

impl Bodies {
    /// Whether a sees b exactly when b sees a.
    pub fn mutual(self) -> bool {
        self.eye == self.head
    }
}

/// Whether an eye over sample `a` sees a head over sample `b`; samples are (column, row).
///
/// The segment from eye to head is blocked iff at some crossing with a grid line strictly
/// between the two the surface, linear between the two samples beside the crossing, is more
/// than [`TOLERANCE`] above it; or if it is at one of its ends, which cannot be unless the surface
/// is above the ground there. A void neither sees nor is seen, and a crossing beside a void
/// never blocks. A sample sees itself. Whether somebody can be at either is not asked.
/// O(distance in samples).
pub fn sees(terrain: &Terrain, bodies: Bodies, a: (u32, u32), b: (u32, u32)) -> bool {
    Sightline::new(terrain, bodies, a, b)
        .is_some_and(|sight| sight.is_clear_in(terrain, (0.0, 1.0)))
}

/// The terrain profile under the segment from an eye to a head.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Heights of the eye and of the head. [Unit: m]
    pub ends: [f64; 2],
    /// Where the segment crosses grid lines, in order from the eye on.
    pub crossings: Vec<Crossing>,
}

/// Where a line of sight crosses a grid line.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crossing {
    /// How far along it is: 0 at the eye, 1 at the head.
    pub along: f64,
    /// Column and row.
    pub at: [f64; 2],
    /// Height of the ground there, raised as the earth bulges, in metres above the datum; NaN beside a void.
    pub ground: f64,
    /// By how many metres that is above the line; below 0 that is the clearance.
    pub over: f64,
}

impl Profile {
    /// Of samples as [`sees`] has them; `None` where one of them is void, or below the surface. O(distance in samples).
    pub fn new(terrain: &Terrain, bodies: Bodies, a: (u32, u32), b: (u32, u32)) -> Option<Self> {
        let sight = Sightline::new(terrain, bodies, a, b)?;
        let mut ends = [sight.eye, sight.head];
        let mut crossings: Vec<Crossing> = sight.crossings(terrain, (0.0, 1.0)).collect();
        if sight.a != a {
            ends.reverse();
            (crossings.iter_mut()).for_each(|at| at.along = 1.0 - at.along);
        }
        crossings.sort_by(|p, q| p.along.total_cmp(&q.along));
        Some(Self { ends, crossings })
    }

    /// Whether nothing blocks the segment: what [`sees`] says.
    pub fn is_clear(&self) -> bool {
        self.crossings.iter().all(Crossing::is_clear)
    }
}

impl Crossing {
    /// Whether the surface does not block sight here. NaN compares as clear.
    #[inline]
    fn is_clear(&self) -> bool {
        let rises = self.over > TOLERANCE;
        !rises
    }
}

/// The segment from an eye to a head that both look out of the surface.
pub(crate) struct Sightline {
    a: (u32, u32),
    b: (u32, u32),
    eye: f64,
    head: f64,
}

impl Sightline {
    /// From an eye over sample `a` to a head over `b`; `None` where one is void, or below the surface.
    pub(crate) fn new(
        terrain: &Terrain,
        bodies: Bodies,
        a: (u32, u32),
        b: (u32, u32),
    ) -> Option<Self> {
        // Mutual sight must not depend on the order in which rounding errors add up.
        let (a, b) = if bodies.mutual() && (b.1, b.0) < (a.1, a.0) {
            (b, a)
        } else {
            (a, b)
        };
        let (from, to) = (terrain.ground_at(a.0, a.1), terrain.ground_at(b.0, b.1));
        if from.is_nan() || to.is_nan() {
            return None;
        }
        let eye = from + bodies.eye;
        let head = to + bodies.head;
        // A sample sees itself, whatever is above it.
        let covered = a != b
            && (terrain.at(a.0, a.1) - eye > TOLERANCE || terrain.at(b.0, b.1) - head > TOLERANCE);
        (!covered).then_some(Self { a, b, eye, head })
    }

    /// Height of the sight a fraction `t` of the way along.
    #[inline]
    fn at(&self, t: f64) -> f64 {
        self.eye + t * (self.head - self.eye)
    }

    /// Whether nothing blocks it at the crossings in a piece of it, from a fraction to another; at some crossings
    /// beside these, too.
    pub(crate) fn is_clear_in(&self, terrain: &Terrain, piece: (f64, f64)) -> bool {
        self.crossings(terrain, piece).all(|at| at.is_clear())
    }

    /// The crossings in a piece, and some beside these: those with columns, then those with rows.
    #[inline]
    fn crossings(&self, terrain: &Terrain, piece: (f64, f64)) -> impl Iterator<Item = Crossing> {
        let (a, b) = (self.a, self.b);
        let crossing = move |along: f64, at: [f64; 2], first: f64, w: f64, second: f64| {
            let ground = if w == 0.0 {
                first
            } else {
                first + w * (second - first)
            };
            Crossing {
                along,
                at,
                ground,
                over: ground - self.at(along),
            }
        };
        let columns = crossings(a.0, a.1, b.0, b.1, piece).map(move |(t, c, r, w)| {
            let next = if w == 0.0 { r } else { r + 1 };
            let at = [f64::from(c), f64::from(r) + w];
            crossing(t, at, terrain.at(c, r), w, terrain.at(c, next))
        });
        let rows = crossings(a.1, a.0, b.1, b.0, piece).map(move |(t, r, c, w)| {
            let next = if w == 0.0 { c } else { c + 1 };
            let at = [f64::from(c) + w, f64::from(r)];
            crossing(t, at, terrain.at(c, r), w, terrain.at(next, r))
        });
        columns.chain(rows)
    }

    /// A piece in pieces of at most so many columns and rows, in order.
    pub(crate) fn pieces(
        &self,
        side: u32,
        (first, last): (f64, f64),
    ) -> impl Iterator<Item = (f64, f64)> + use<> {
        let columns = self.a.0.abs_diff(self.b.0);
        let rows = self.a.1.abs_diff(self.b.1);
        let length = f64::from(columns.max(rows)) * (last - first);
        let count = (length / f64::from(side)).ceil().max(1.0);
        let part = (last - first) / count;
        (0..count as u32).map(move |i| {
            let from = first + f64::from(i) * part;
            (from, (from + part).min(last))
        })
    }

    /// The first and the last column, and row, of the samples beside the crossings in a piece.
    pub(crate) fn samples_below(&self, (first, last): (f64, f64)) -> [(u32, u32); 2] {
        let range = |a: u32, b: u32| {
            let rise = f64::from(b) - f64::from(a);
            let (from, to) = (f64::from(a) + first * rise, f64::from(a) + last * rise);
            let least = (from.min(to) - 1e-6).floor().max(f64::from(a.min(b)));
            let most = (from.max(to) + 1e-6).ceil().min(f64::from(a.max(b)));
            (least as u32, most as u32)
        };
        [range(self.a.0, self.b.0), range(self.a.1, self.b.1)]
    }

    /// How low it goes in a piece. [Unit: m]
    pub(crate) fn lowest(&self, (first, last): (f64, f64)) -> f64 {
        self.at(first).min(self.at(last))
    }
}

/// Crossings of the segment (u0, v0)-(u1, v1) with the lines u = integer strictly between its
/// ends, in a piece of it and perhaps beside it: (t along the segment, u, floor of v, fraction of v).
fn crossings(
    u0: u32,
    v0: u32,
    u1: u32,
    v1: u32,
    (first, last): (f64, f64),
) -> impl Iterator<Item = (f64, u32, u32, f64)> {
    let span = i64::from(u0.abs_diff(u1));
    let step = (i64::from(u1) - i64::from(u0)).signum();
    let rise = i64::from(v1) - i64::from(v0);
    // Rounding does not leave out the first or the last.
    let first = (first * span as f64 - 1e-6).ceil().max(1.0) as i64;
    let last = (last * span as f64 + 1e-6).floor() as i64;
    (first..=last.min(span - 1)).map(move |i| {
        let whole = (i * rise).div_euclid(span);
        let rest = (i * rise).rem_euclid(span);
        (
            i as f64 / span as f64,
            (i64::from(u0) + i * step) as u32,
            (i64::from(v0) + whole) as u32,
            rest as f64 / span as f64,
        )
    })
}

/// Where viewers and players may stand in a view cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// On the sample.
    Sample,
    /// Anywhere in the unit square around it, on any of the surfaces that an engine may draw.
    Cell,
}
