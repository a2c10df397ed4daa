//! Ray casting from the eye of one player to the body of another: for measurements beside view cells.

use super::tracer::{SegmentSight, Tracer};
use viewcell::convex::{minus, plus};
use viewcell_ingest::world::solid::{Player, Point, SolidLevel};

/// Corners of the body's box at so many heights: 24 points.
const HEIGHTS: u32 = 6;
/// How much of the box on either side of its middle they lie in, since a touch with a wall is not in the open.
const WITHIN: f64 = 0.96;

/// Lines of sight from a player's eye to points of another's body.
pub struct BodyTracer<'l> {
    tracer: Tracer<'l>,
    player: Player,
}

impl<'l> BodyTracer<'l> {
    /// Of players in a level.
    pub fn new(level: &'l SolidLevel, player: Player) -> Self {
        Self {
            tracer: Tracer::new(level),
            player,
        }
    }

    /// What is opaque.
    pub fn tracer(&self) -> &Tracer<'l> {
        &self.tracer
    }

    /// A point of the body of a player at `b` that is in sight of one at `a`. `guess` is what blocked the segment before.
    pub fn sees(&self, a: Point, b: Point, guess: &mut u32) -> Option<Point> {
        let [_, standing] = self.player.eye;
        let middle = self.tracer.middle();
        let (a, b) = (minus(a, middle), minus(b, middle));
        let eye = [a[0], a[1], a[2] + standing];
        points(&self.player, b)
            .find(|&point| self.tracer.look_again(eye, point, guess) == SegmentSight::Clear)
            .map(|point| plus(point, middle))
    }
}

impl std::fmt::Debug for BodyTracer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BodyTracer")
            .field("player", &self.player)
            .finish_non_exhaustive()
    }
}

/// The points of a body at an origin.
fn points(player: &Player, at: Point) -> impl Iterator<Item = Point> {
    let hull = player.hull;
    let (centre, half) = (hull.centre(), hull.size().map(|side| 0.5 * WITHIN * side));
    (0..4 * HEIGHTS).map(move |i| {
        let side = |bit: u32| f64::from(i >> bit & 1) * 2.0 - 1.0;
        let up = f64::from(i / 4) / f64::from(HEIGHTS - 1) * 2.0 - 1.0;
        let part = [side(0), side(1), up];
        std::array::from_fn(|k| at[k] + centre[k] + part[k] * half[k])
    })
}
