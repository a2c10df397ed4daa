//! Visibility culling of a server, frame by frame of a trace: whom the library would send to whom, and what that costs.
//!
//! Players are known by their positions alone, as in a recording: a velocity is the difference of two of them. It may be off
//! by what the player can gain in half a frame, which is part of what they may reach.

use viewcell::query::{Motion, MotionLimits, Mover, ReachableSet, SolidBundle, World};
use viewcell::watch::{Watch, WatchCounts, WatchOptions, Watched, swept};

use super::sent::{ELSEWHERE, Late, Sent, frames};
use viewcell_simulate::field::distance;
use viewcell_simulate::trace::{Trace, TracePoint};

/// How it is decided who is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the cells that both may reach.
    Bake,
    /// By a [`Watch`].
    Watch,
}

/// What a play is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CullingOptions {
    /// How it is decided.
    pub method: Method,
    /// Round-trip time of clients. [Unit: ms]
    pub rtt: u64,
    /// Speed at which players run. [Unit: of the level, a second]
    pub speed: f64,
    /// How much velocity a hit adds to others, along each axis. [Unit: of the level, a second]
    pub hit: f64,
    /// How far recorded positions may be off: those of somebody else's last frame, or rounded. [Unit: of the level]
    pub error: f64,
    /// Work of a watch in a frame; 0 for as much as it takes.
    pub work: u32,
    /// So many times as many players: each other group is the trace so much later.
    pub copies: usize,
}

/// What a play came to.
#[derive(Clone, Debug, Default)]
pub struct Culled {
    /// Who was sent to whom.
    pub sent: Sent,
    /// Frames.
    pub frames: u64,
    /// What they took, all together. [Unit: us]
    pub time: f64,
    /// What the longest of them took. [Unit: us]
    pub longest: f64,
    /// Of a watch: figures of the longest.
    pub longest_counts: WatchCounts,
    /// Players who came to life or were put elsewhere in the longest.
    pub longest_put: usize,
    /// Of a watch: figures of all frames together.
    pub counts: WatchCounts,
    /// Positions at the end of what was looked ahead, of eyes and of bodies; and how many of these were outside of where
    /// the player was taken to be able to come to.
    pub reached: [u64; 2],
    /// The same, outside.
    pub outside: [u64; 2],
}

/// What running adds to a velocity: what friction and walls take is taken into account by itself. [Unit: speeds a second]
const ACCELERATION: f64 = 10.0;
/// Acceleration of gravity, and speed of a jump. [Unit: of Quake]
const FALLING: [f64; 2] = [800.0, 270.0];
/// A step of a stair. [Unit: of Quake]
const STEP: f64 = 18.0;

impl CullingOptions {
    /// How somebody may move until some time.
    fn limits(&self, motion: &Motion, step: f64, until: f64, hit: f64) -> MotionLimits {
        let [gravity, jump] = FALLING;
        let [x, y, z] = motion.velocity.unwrap_or([0.0; 3]);
        let acceleration = ACCELERATION * self.speed;
        // The velocity of half a frame ago, by two positions.
        let (unsure, off) = (0.5 * step, 2.0 * self.error / step);
        MotionLimits {
            speed: [
                self.speed.max(x.hypot(y)) + hit,
                jump.max(z.abs() + gravity * (until + unsure)) + hit,
            ],
            acceleration: [acceleration, gravity],
            impulse: [
                acceleration * unsure + off + hit,
                jump + gravity * unsure + off + hit,
            ],
            error: [self.error; 2],
        }
    }
}

impl CullingOptions {
    /// For how long a viewer sees by what is sent now, and others are shown: to the next frame. [Unit: s]
    fn times(&self, step: f64) -> [f64; 2] {
        [self.rtt as f64 / 1000.0 + step, step]
    }

    /// Somebody while they see by what is sent now, and while others are shown.
    fn movers(&self, motion: Motion, step: f64) -> [Mover; 2] {
        let [sees, shown] = self.times(step);
        [(sees, 0.0), (shown, self.hit)].map(|(until, hit)| Mover {
            motion,
            limits: self.limits(&motion, step, until, hit),
            times: [0.0, until],
        })
    }
}

/// Players in the frames of a trace.
struct Recorded<'t> {
    rows: Vec<Vec<Option<&'t TracePoint>>>,
    times: Vec<u64>,
    /// Between frames. [Unit: s]
    step: f64,
    own: usize,
    copies: usize,
}

impl<'t> Recorded<'t> {
    /// Of a trace of two frames or more, so many times.
    fn new(trace: &'t Trace, copies: usize) -> Option<Self> {
        let (times, rows): (Vec<u64>, Vec<_>) = frames(trace).into_iter().unzip();
        let step = times.windows(2).map(|pair| pair[1] - pair[0]).min()?;
        Some(Self {
            rows,
            times,
            step: step as f64 / 1000.0,
            own: trace.players.len(),
            copies: copies.max(1),
        })
    }

    fn at(&self, index: usize, player: usize) -> Option<[f64; 3]> {
        let count = self.rows.len();
        let index = (index + player / self.own * count / self.copies) % count;
        self.rows[index][player % self.own].map(|point| point.at)
    }

    /// How a player moves who was not put there since the frame before.
    fn motion(&self, index: usize, player: usize) -> Option<Motion> {
        let position = self.at(index, player)?;
        let before = index.checked_sub(1);
        let before = before.and_then(|index| self.at(index, player));
        let before = before.filter(|before| distance(*before, position) <= ELSEWHERE);
        let velocity = |before: [f64; 3]| [0, 1, 2].map(|k| (position[k] - before[k]) / self.step);
        let velocity = before.map(velocity);
        Some(Motion { position, velocity })
    }
}

/// Plays a trace in a level; `clock` is the time in microseconds. `None` where the bundle lacks what hides, and for a trace of
/// one frame.
pub fn cull(
    trace: &Trace,
    level: SolidBundle<'_>,
    options: &CullingOptions,
    mut clock: impl FnMut() -> f64,
) -> Option<Culled> {
    let recorded = Recorded::new(trace, options.copies)?;
    let step = recorded.step;
    let players = recorded.own * recorded.copies;
    let mut found = Culled::default();
    let mut server = Server::new(level, players, options)?;
    for (index, &time) in recorded.times.iter().enumerate() {
        let known = (0..players).map(|player| recorded.motion(index, player));
        let known: Vec<_> = known
            .map(|motion| motion.map(|motion| options.movers(motion, step)))
            .collect();
        found.watch(&recorded, index, &known);
        let begun = clock();
        server.frame(&known);
        let took = clock() - begun;
        found.frames += 1;
        found.time += took;
        server.add(&mut found.counts);
        if took > found.longest {
            found.longest = took;
            found.longest_counts = WatchCounts::default();
            server.add(&mut found.longest_counts);
            let put = known.iter().flatten();
            let put = put.filter(|[sees, _]| sees.motion.velocity.is_none());
            found.longest_put = put.count();
        }
        for viewer in (0..players).filter(|viewer| known[*viewer].is_some()) {
            let others = (0..players).filter(|other| server.sends(viewer, *other));
            found.sent.add(time, viewer, others.collect());
        }
    }
    Some(found)
}

/// Whether somebody may come to a place while they are looked ahead for.
fn may_reach(mover: &Mover, at: [f64; 3]) -> bool {
    let [low, high] = swept(&mover.motion, &mover.limits, STEP, mover.times[1]).corners();
    (0..3).all(|k| low[k] <= at[k] && at[k] <= high[k])
}

/// Of how many late pairs both were where they could be expected to be, by what was known when the snapshot was made.
pub fn foreseen(trace: &Trace, options: &CullingOptions, late: &[Late]) -> usize {
    let Some(recorded) = Recorded::new(trace, 1) else {
        return 0;
    };
    let is_foreseen = |late: &&Late| {
        let Ok(index) = recorded.times.binary_search(&late.shown) else {
            return false;
        };
        let movers = |player: usize| {
            let motion = recorded.motion(index, player)?;
            Some(options.movers(motion, recorded.step))
        };
        let ((viewer, from, _), (other, to)) = (late.viewer, late.other);
        movers(viewer).is_some_and(|[sees, _]| may_reach(&sees, from))
            && movers(other).is_some_and(|[_, shown]| may_reach(&shown, to))
    };
    late.iter().filter(is_foreseen).count()
}

impl Culled {
    /// Counts who will be outside of where they are taken to be able to come to.
    fn watch(&mut self, recorded: &Recorded<'_>, index: usize, known: &[Option<[Mover; 2]>]) {
        for (player, movers) in known.iter().enumerate() {
            let Some(movers) = movers else { continue };
            for (k, mover) in movers.iter().enumerate() {
                let frames = (mover.times[1] / recorded.step).round() as usize;
                let way: Option<Vec<_>> = (0..=frames)
                    .map(|more| recorded.at(index + more, player))
                    .collect();
                let Some(way) = way else { continue };
                if way
                    .windows(2)
                    .any(|pair| distance(pair[0], pair[1]) > ELSEWHERE)
                {
                    continue;
                }
                self.reached[k] += 1;
                self.outside[k] += u64::from(!may_reach(mover, way[frames]));
            }
        }
    }
}

/// Who decides.
enum Server<'a> {
    Cells(Box<Cells<'a>>),
    Watch(Box<Watch<'a>>, u32),
}

/// What asks the cells that players reach.
struct Cells<'a> {
    sets: [Vec<ReachableSet<'a>>; 2],
    is_there: Vec<bool>,
    /// Whether somebody is sent.
    pairs: Vec<bool>,
}

impl<'a> Server<'a> {
    fn new(level: SolidBundle<'a>, players: usize, options: &CullingOptions) -> Option<Self> {
        if options.method == Method::Watch {
            let watch = Watch::new(level, players, WatchOptions::default())?;
            let work = if options.work == 0 {
                u32::MAX
            } else {
                options.work
            };
            return Some(Self::Watch(Box::new(watch), work));
        }
        let set = ReachableSet::new(World::Solid(level));
        Some(Self::Cells(Box::new(Cells {
            sets: [vec![set.clone(); players], vec![set; players]],
            is_there: vec![false; players],
            pairs: vec![false; players * players],
        })))
    }

    fn frame(&mut self, known: &[Option<[Mover; 2]>]) {
        match self {
            Self::Cells(cells) => cells.frame(known),
            Self::Watch(watch, work) => {
                for (player, movers) in known.iter().enumerate() {
                    match movers {
                        Some([sees, shown]) => {
                            let of = Watched {
                                sees: *sees,
                                shown: *shown,
                                step: STEP,
                                eye: None,
                                body: None,
                            };
                            watch.set(player, &of);
                        }
                        None => watch.remove(player),
                    }
                }
                watch.begin();
                watch.look(*work);
            }
        }
    }

    fn sends(&self, viewer: usize, other: usize) -> bool {
        match self {
            Self::Cells(cells) => cells.pairs[viewer * cells.is_there.len() + other],
            Self::Watch(watch, _) => watch.sends(viewer, other),
        }
    }

    fn add(&self, sum: &mut WatchCounts) {
        if let Self::Watch(watch, _) = self {
            let of = watch.counts();
            sum.pairs += of.pairs;
            sum.hidden += of.hidden;
            sum.kept += of.kept;
            sum.looked += of.looked;
            sum.baked += of.baked;
            sum.in_sight += of.in_sight;
            sum.work += of.work;
            sum.larger += of.larger;
            sum.by_cells += of.by_cells;
        }
    }
}

impl Cells<'_> {
    fn frame(&mut self, known: &[Option<[Mover; 2]>]) {
        for (player, movers) in known.iter().enumerate() {
            self.is_there[player] = movers.is_some();
            for (k, sets) in self.sets.iter_mut().enumerate() {
                match movers {
                    Some(movers) => {
                        let mut mover = movers[k];
                        mover.limits.error[1] += STEP;
                        sets[player].set(&mover);
                    }
                    None => sets[player].clear(),
                }
            }
        }
        let players = known.len();
        for viewer in 0..players {
            for other in 0..players {
                let are_there = viewer != other && self.is_there[viewer] && self.is_there[other];
                let [eyes, bodies] = &self.sets;
                self.pairs[viewer * players + other] =
                    are_there && eyes[viewer].sees(&bodies[other]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_late_where_nobody_could_expect_them_is_not_foreseen() {
        // Two who stand, in two frames.
        let header = viewcell_simulate::trace::HEADER;
        let lines = "0,0,0,0,0,0,0,0\n0,1,500,0,0,0,0,0\n50,0,0,0,0,0,0,0\n50,1,500,0,0,0,0,0\n";
        let trace = Trace::read(format!("{header}\n{lines}").as_bytes()).unwrap();
        let mut options = CullingOptions {
            method: Method::Watch,
            rtt: 0,
            speed: 100.0,
            hit: 0.0,
            error: 1.0,
            work: 0,
            copies: 1,
        };
        let late = |shown: u64, from: f64, to: f64| Late {
            shown,
            viewer: (0, [from, 0.0, 0.0], shown),
            other: (1, [to, 0.0, 0.0]),
        };
        let all = [
            late(50, 1.0, 501.0),
            late(50, 150.0, 501.0),
            late(50, 1.0, 650.0),
            late(70, 1.0, 501.0),
        ];
        assert_eq!(foreseen(&trace, &options, &all), 1);
        // Positions that may be off by more reach further.
        options.error = 200.0;
        assert_eq!(foreseen(&trace, &options, &all), 3);
    }
}
