//! Conservative visibility culling for a server: who must be sent to whom, each frame, in a solid level.
//!
//! Each frame a [`Watch`] is given where everybody is, and how they may move until what is sent now is outdated. A
//! player is hidden from another only by proof, for all positions that either can have until then. The tests are tried
//! in this order, and the first that decides is taken:
//!
//! 1. **An earlier proof that still holds.** It was made for boxes, often larger than the frame's. As long as both players,
//!    with all that they reach in this frame, are in those boxes, nothing is computed: a small frontier set.
//! 2. **The bake**: no cell that the one may reach sees any that the other may.
//! 3. **In sight now**: the line that was clear last time is still clear.
//! 4. **A new proof**, first for larger boxes and then for the tight ones of this frame, by the occluders that the bundle
//!    carries, beginning with those of the earlier proof (`proof`).
//!
//! If nothing is proven, the player is sent. The cost is counted in tests, not in time, so that the same frames give the
//! same answers on every machine: [`Watch::look`] takes the limit for a frame. It is spent first on pairs that were hidden
//! in the frame before, and then on the others in turn.
//!
//! **What a proof holds for.** Players keep to their limits, and may be stopped by walls at any time; their origins are in
//! cells of the level, and no eye is in what is solid. Whoever is in no cell sees all and is seen by all.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod proof;
mod reach;
mod watched;

use crate::convex::{Found, Point, Span};
use crate::format::frame::{Corners, Frame};
use crate::query::solid::Solids;
use crate::query::solid::cell_by_cell::CellByCell;
use crate::query::solid::reached::ReachedCell;
use crate::query::{Mover, OwnedBundle, SolidBundle, counted};
use proof::{MOST_NODES, ProofNode, Prover};
pub use reach::swept;
use reach::{Ground, LEVELS, Reach, Surroundings, is_within};
use watched::door;
pub use watched::{Smoke, WatchCounts, WatchOptions, Watched};

/// Most looks for one proof. What is not proven in as many is mostly in sight of a place that few come to.
const MOST_LOOKS: u32 = 96;
/// Looks for a proof of larger boxes.
const FEW_LOOKS: u32 = 24;
/// Most looks for a proof cell by cell.
const CELL_LOOKS: u32 = 96;
/// After so many proofs one after another larger boxes are tried.
const PATIENCE: u8 = 3;
/// After so many proofs by occluders cells are asked again.
const AGAIN: u8 = 5;
/// Most frames until a pair that was neither proven nor found in sight is tested again.
const LONGEST_WAIT: u8 = 4;

/// What was found of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Not looked at in this frame: sent.
    #[default]
    Unknown,
    /// A line within reach is clear, or nothing was proven.
    Sent,
    Hidden,
}

/// A viewer and another player.
#[derive(Clone, Copy, Debug, Default)]
struct WatchedPair {
    state: State,
    /// Of the boxes that the last proof was for.
    level: u8,
    /// What of the two it was for; `None` if it does not hold any more.
    generations: Option<[u32; 2]>,
    /// Marks of the doors and smoke that it needed.
    doors: u64,
    /// The line that was clear: where in the box of eyes, and in that of bodies. [Unit: half a side]
    line: Option<[[f32; 3]; 2]>,
    /// Nodes of the proof that is kept.
    nodes: u8,
    /// The level at which cells are asked first, and that of which a proof is tried first.
    baked: u8,
    next: u8,
    /// How many proofs of that level there were one after another.
    won: u8,
    /// For how many looks cells are not asked.
    proven: u8,
    /// How often one after another nothing was found, and for how many frames it is not looked at.
    lost: u8,
    wait: u8,
}

/// A player who is watched.
#[derive(Debug, Default)]
struct Player {
    is_there: bool,
    /// Whether something can be proven of them.
    sees: bool,
    is_seen: bool,
    /// Whether the bake is of such eyes, and of such a body.
    is_baked: [bool; 2],
    /// How far ahead they see, and are seen. [Unit: s]
    ahead: [f64; 2],
    /// Of the eyes, and of the body.
    reaches: [Reach; 2],
    surroundings: Surroundings,
}

/// Of a player's reaches.
const EYES: usize = 0;
const BODY: usize = 1;

/// Who must be sent to whom in a solid level, frame by frame.
///
/// ```no_run
/// # use viewcell::query::{Motion, MotionLimits, Mover, SolidBundle};
/// # use viewcell::watch::{Watch, Watched, WatchOptions};
/// # fn f(level: SolidBundle<'_>, players: Vec<(usize, [f64; 3], [f64; 3], f64)>) -> Option<()> {
/// let mut watch = Watch::new(level, 32, WatchOptions::default())?;
/// let limits = MotionLimits {
///     speed: [320.0, 1000.0],
///     acceleration: [5120.0, 800.0],
///     impulse: [0.0, 270.0],
///     error: [1.0, 1.0],
/// };
/// // Each frame, of everybody:
/// for (player, position, velocity, ping) in players {
///     let motion = Motion { position, velocity: Some(velocity) };
///     let until = |seconds| Mover { motion, limits, times: [0.0, seconds] };
///     let (sees, shown) = (until(ping + 0.05), until(0.05));
///     watch.set(player, &Watched { sees, shown, step: 18.0, eye: None, body: None });
/// }
/// watch.begin();
/// watch.look(1000);
/// let sends = watch.sends(3, 5);
/// # Some(()) }
/// ```
///
/// A player who is teleported needs nothing else, and sees from there at once. All memory is allocated at first, except
/// that lists of occluders grow in the first frames.
#[derive(Debug)]
pub struct Watch<'a> {
    ground: Ground<'a>,
    /// What the caller asks with; all else is in the level's own coordinates.
    frame: Frame,
    solids: Solids,
    prover: Prover,
    options: WatchOptions,
    players: Box<[Player]>,
    /// Of viewer v and player p at v * players + p.
    pairs: Box<[WatchedPair]>,
    /// As many nodes for each pair.
    nodes: Box<[ProofNode]>,
    /// How long each smoke stays that is an occluder, the longest first. [Unit: s]
    stays: Vec<f64>,
    /// Cells of a pair.
    room: [Vec<ReachedCell>; 2],
    /// Pairs to be looked at in this frame, and the next of them.
    queue: Vec<u32>,
    next: usize,
    /// The pair with which the next frame begins.
    turn: usize,
    counts: WatchCounts,
    /// What it borrows from, where it keeps that.
    _source: Option<OwnedBundle>,
}

impl Watch<'static> {
    /// [`Watch::new`] of a bundle that the watch keeps. `None` also where it is of no solid level.
    pub fn of_bundle(bundle: &OwnedBundle, players: usize, options: WatchOptions) -> Option<Self> {
        let level = *bundle.lasting_world().solid()?;
        Some(Self {
            _source: Some(bundle.clone()),
            ..Self::new(level, players, options)?
        })
    }
}

impl<'a> Watch<'a> {
    /// Of players numbered from 0, none of whom is there yet. `None` where the bundle has no occluders, or they are damaged.
    pub fn new(level: SolidBundle<'a>, players: usize, options: WatchOptions) -> Option<Self> {
        let solids = level.solids()?;
        let pairs = players.checked_mul(players)?;
        Some(Self {
            ground: Ground::new(level.as_baked()),
            frame: level.frame(),
            prover: Prover::new(&solids),
            solids,
            options,
            players: std::iter::repeat_with(Player::default)
                .take(players)
                .collect(),
            pairs: vec![WatchedPair::default(); pairs].into(),
            nodes: vec![ProofNode::default(); pairs.checked_mul(MOST_NODES)?].into(),
            stays: Vec::new(),
            room: [Vec::with_capacity(64), Vec::with_capacity(64)],
            queue: Vec::with_capacity(pairs),
            next: 0,
            turn: 0,
            counts: WatchCounts::default(),
            _source: None,
        })
    }

    /// How many players there is room for.
    pub fn players(&self) -> usize {
        self.players.len()
    }

    /// Where a player is in the frame that begins next. One whom there is no room for is passed over. Nothing is proven of
    /// eyes or of a body whose least is above their greatest, nor of times before now or beyond [`WatchOptions::max_ahead`].
    pub fn set(&mut self, number: usize, watched: &Watched) {
        let Some(player) = self.players.get_mut(number) else {
            return;
        };
        let of = self.ground.level.parameters();
        let (baked_eye, baked_body) = (of.eye, of.hull);
        let watched = watched.to_level(self.frame, of);
        let eye = watched.eye.unwrap_or(baked_eye);
        let body = watched.body.unwrap_or(baked_body);
        let [least, most] = eye;
        let [feet, head] = body;
        player.is_there = true;
        player.is_baked = [
            baked_eye[0] <= least && least <= most && most <= baked_eye[1],
            is_within(&body, &baked_body),
        ];
        let most_ahead = self.options.max_ahead;
        player.surroundings.begin();
        let [eyes, bodies] = &mut player.reaches;
        let height = [[0.0, 0.0, least], [0.0, 0.0, most]];
        let until = |mover: &Mover| mover.times.map(counted).into_iter().fold(0.0, f64::max);
        let [sees, shown] = [until(&watched.sees), until(&watched.shown)];
        player.ahead = [sees, shown];
        player.sees = eyes.set(&self.ground, &watched.sees, [watched.step, sees], height)
            && least <= most
            && sees <= most_ahead;
        player.is_seen = bodies.set(&self.ground, &watched.shown, [watched.step, shown], body)
            && feet.iter().zip(head).all(|(low, high)| *low <= high);
    }

    /// A player has gone, or counts for nobody.
    pub fn remove(&mut self, number: usize) {
        if let Some(player) = self.players.get_mut(number) {
            player.is_there = false;
            player.reaches.iter_mut().for_each(Reach::clear);
        }
    }

    /// Doors that are closed from the next frame on, in place of those before: opaque boxes. What of a box is no number
    /// hides nothing. Where one has opened, what it helped to prove does not hold any more. Allocates.
    pub fn set_doors(&mut self, doors: &[Corners]) {
        let doors: Vec<Corners> = doors.iter().map(|of| door(self.frame, *of)).collect();
        let opened = self.prover.set_movable(&mut self.solids, false, &doors);
        self.forget(opened);
    }

    /// Smoke that there is from the next frame on, in place of that before: to be called in each frame while there is any. It
    /// hides who is outside of the box around it from who is outside of that, of pairs for which it stays: until the one sees,
    /// and the other is seen, so that nobody is hidden by smoke that has gone when they are looked for. What of a sphere is no
    /// number, or out of the level, hides nothing. Allocates.
    pub fn set_smokes(&mut self, smokes: &[Smoke]) {
        let stays = |smoke: &&(&Smoke, Corners)| {
            smoke.0.seconds >= 0.0 && self.solids.span(smoke.1).is_some()
        };
        let all: Vec<(&Smoke, Corners)> = smokes
            .iter()
            .map(|smoke| (smoke, smoke.bounds(self.frame)))
            .collect();
        let mut stay: Vec<&(&Smoke, Corners)> = all.iter().filter(stays).collect();
        stay.sort_by(|(a, _), (b, _)| b.seconds.total_cmp(&a.seconds));
        self.stays = stay.iter().map(|(smoke, _)| smoke.seconds).collect();
        let stay: Vec<Corners> = stay.into_iter().map(|(_, bounds)| *bounds).collect();
        let gone = self.prover.set_movable(&mut self.solids, true, &stay);
        self.forget(gone);
    }

    /// What was proven by what has these marks does not hold any more.
    fn forget(&mut self, marks: u64) {
        for pair in &mut self.pairs {
            if pair.doors & marks != 0 {
                pair.generations = None;
            }
        }
    }

    /// Begins a frame. A pair stays hidden if an earlier proof holds for all that both may reach now; all others are sent
    /// until they are tested.
    pub fn begin(&mut self) {
        let count = self.players.len();
        self.counts = WatchCounts::default();
        self.queue.clear();
        self.next = 0;
        let Self {
            players,
            pairs,
            queue,
            counts,
            prover,
            stays,
            ..
        } = self;
        let mut numbers = (0..).zip(pairs.iter_mut());
        // Those who were hidden and are not any more come first, and those in sight last.
        for (viewer, from) in players.iter().enumerate() {
            for ((number, pair), (other, to)) in
                numbers.by_ref().take(count).zip(players.iter().enumerate())
            {
                if viewer == other || !from.is_there || !to.is_there {
                    *pair = WatchedPair::default();
                    continue;
                }
                counts.pairs += 1;
                let level = usize::from(pair.level);
                let now = Some(generations([from, to], level));
                if pair.state == State::Hidden {
                    let holds = || {
                        pair.doors == 0 || !prover.has_gone(pair.doors, lasting(stays, [from, to]))
                    };
                    if now == pair.generations && from.sees && to.is_seen && holds() {
                        counts.kept += 1;
                        counts.hidden += 1;
                        continue;
                    }
                    pair.wait = 0;
                    queue.push(number);
                    pair.state = State::Unknown;
                } else {
                    // Marks those that come second.
                    pair.state = State::Sent;
                }
            }
        }
        let turn = self.turn.min(pairs.len());
        for are_in_sight in [false, true] {
            let (before, after) = pairs.split_at_mut(turn);
            let last = (turn..).zip(after).chain((0..).zip(before));
            for (number, pair) in last.filter(|(_, pair)| pair.state == State::Sent) {
                if pair.line.is_some() != are_in_sight {
                    continue;
                }
                pair.state = State::Unknown;
                if pair.wait > 0 {
                    pair.wait -= 1;
                } else {
                    queue.push(number as u32);
                }
            }
        }
        self.turn = 0;
    }

    /// Tests pairs that are undecided in this frame. `work` limits how many tests of a pair of boxes are made: about as many
    /// microseconds. True if all pairs were tested; else it may be called again. A proof that was begun is finished.
    pub fn look(&mut self, work: u32) -> bool {
        let until = self.counts.work.saturating_add(work);
        while let Some(&number) = self.queue.get(self.next) {
            if self.counts.work >= until {
                self.turn = number as usize;
                return false;
            }
            self.next += 1;
            self.consider(number as usize);
        }
        self.turn = 0;
        true
    }

    /// Whether a player must be sent to a viewer. True for numbers that there is no room for; false where either is not there,
    /// and of a player and themselves.
    pub fn sends(&self, viewer: usize, other: usize) -> bool {
        let (Some(from), Some(to)) = (self.players.get(viewer), self.players.get(other)) else {
            return true;
        };
        let pair = self.pairs.get(viewer * self.players.len() + other);
        let is_hidden = pair.is_none_or(|pair| pair.state == State::Hidden);
        viewer != other && from.is_there && to.is_there && !is_hidden
    }

    /// What the frame came to until now.
    pub fn counts(&self) -> WatchCounts {
        self.counts
    }

    fn consider(&mut self, number: usize) {
        let count = self.players.len();
        let (viewer, other) = (number / count.max(1), number % count.max(1));
        let Self {
            ground,
            solids,
            prover,
            players,
            pairs,
            nodes,
            counts,
            stays,
            room,
            ..
        } = self;
        let nodes = nodes.get_mut(number * MOST_NODES..(number + 1) * MOST_NODES);
        let both = players.get_disjoint_mut([viewer, other]);
        let (Ok([from, to]), Some(pair), Some(nodes)) = (both, pairs.get_mut(number), nodes) else {
            return;
        };
        counts.looked += 1;
        counts.work += 1;
        pair.state = State::Sent;
        if !from.sees || !to.is_seen {
            return;
        }
        let is_baked = from.is_baked[0] && to.is_baked[1];
        prover.leave_smoke(lasting(stays, [from, to]));
        // What needed a proof by occluders mostly does so again.
        pair.proven = pair.proven.saturating_sub(1);
        if is_baked && pair.proven == 0 {
            for level in (0..=usize::from(pair.baked)).rev() {
                counts.work += find(ground, solids, [from, to], level);
                if are_hidden_by_cells(&ground.level, [from, to], level) {
                    pair.hide([from, to], level, counts);
                    pair.baked = (level + 1).min(LEVELS - 1) as u8;
                    counts.baked += 1;
                    return;
                }
            }
        }
        counts.work += find(ground, solids, [from, to], 0);
        let Some([a, b]) = spans([from, to], 0).map(|spans| spans.map(|span| *span)) else {
            return;
        };
        let (a, b) = (&a, &b);
        if let Some(line) = pair.line {
            counts.work += 1;
            let [first, second] = line;
            let line = [place(a, first), place(b, second)];
            if is_in_reach(solids, from, to, line) && prover.is_clear(solids, line) {
                counts.in_sight += 1;
                pair.wait = 1;
                return;
            }
            pair.line = None;
        }
        pair.baked = 0;
        let first = usize::from(pair.next);
        let mut found = Found::Open;
        for level in [first, 0] {
            counts.work += find(ground, solids, [from, to], level);
            let Some(spans) = spans([from, to], level) else {
                continue;
            };
            let kept = nodes.get(..usize::from(pair.nodes)).unwrap_or_default();
            let most = if level > 0 { FEW_LOOKS } else { MOST_LOOKS };
            let work;
            (found, work) = prover.prove(solids, spans, kept, most);
            counts.work += work;
            if found == Found::Hidden {
                let made = prover.made();
                pair.nodes = made.len() as u8;
                for (node, made) in nodes.iter_mut().zip(made) {
                    *node = *made;
                }
                pair.hide([from, to], level, counts);
                pair.doors = prover.doors();
                if pair.proven == 0 {
                    pair.proven = AGAIN;
                }
                if level == first {
                    pair.won += 1;
                    if pair.won >= PATIENCE {
                        pair.won = 0;
                        pair.next = (first + 1).min(LEVELS - 1) as u8;
                    }
                }
                return;
            }
            pair.won = 0;
            if level == 0 {
                break;
            }
            pair.next -= 1;
        }
        pair.next = 0;
        if pair.proven > 0 {
            pair.proven = 0;
            if is_baked && are_hidden_by_cells(&ground.level, [from, to], 0) {
                pair.hide([from, to], 0, counts);
                counts.baked += 1;
                return;
            }
        }
        if found == Found::Clear {
            let line = prover.clear();
            if is_in_reach(solids, from, to, line) {
                let [first, second] = line;
                pair.line = Some([part(a, first), part(b, second)]);
                pair.lost = 0;
                return;
            }
        }
        let (eyes, body) = (from.reach(EYES), to.reach(BODY));
        let offsets = [eyes.offsets, body.offsets];
        let question = CellByCell {
            level: &ground.level,
            solids,
            offsets,
            is_baked,
        };
        let [own, others] = room;
        for (room, cells) in [(&mut *own, eyes.cells()), (&mut *others, body.cells())] {
            room.clear();
            room.extend_from_slice(cells);
        }
        if !own.is_empty() && !others.is_empty() {
            let (hidden, work) = prover.prove_cells(question, [own, others], CELL_LOOKS);
            counts.work += work;
            if hidden {
                pair.hide([from, to], 0, counts);
                pair.doors = prover.doors();
                counts.by_cells += 1;
                return;
            }
        }
        pair.lost = (pair.lost + 1).min(LONGEST_WAIT);
        pair.wait = if found == Found::Open { pair.lost } else { 1 };
    }
}

impl Player {
    fn reach(&self, which: usize) -> &Reach {
        let [eyes, body] = &self.reaches;
        if which == EYES { eyes } else { body }
    }
}

impl WatchedPair {
    /// Of these two, by what was found of boxes of a level.
    fn hide(&mut self, of: [&Player; 2], level: usize, counts: &mut WatchCounts) {
        self.state = State::Hidden;
        self.level = level as u8;
        self.generations = Some(generations(of, level));
        self.doors = 0;
        self.line = None;
        self.lost = 0;
        counts.hidden += 1;
        counts.larger += u32::from(level > 0);
    }
}

/// Finds the boxes of a level, of the eyes of the one and of the body of the other; and how much work that was.
#[inline(never)]
fn find(ground: &mut Ground<'_>, solids: &Solids, of: [&mut Player; 2], level: usize) -> u32 {
    let mut work = 0;
    for (player, which) in of.into_iter().zip([EYES, BODY]) {
        let around = &mut player.surroundings;
        work += Reach::find(&mut player.reaches, which, level, around, (ground, solids));
    }
    work
}

/// How many smokes stay for as long as a pair looks ahead, of those that stay so long, the longest first.
fn lasting(stays: &[f64], [from, to]: [&Player; 2]) -> usize {
    let [sees, _] = from.ahead;
    let [_, shown] = to.ahead;
    stays.partition_point(|stays| *stays >= sees.max(shown))
}

fn generations([from, to]: [&Player; 2], level: usize) -> [u32; 2] {
    let (eyes, body) = (from.reach(EYES), to.reach(BODY));
    [eyes.generation(level), body.generation(level)]
}

/// Where the eyes of the one and the body of the other may be.
fn spans([from, to]: [&Player; 2], level: usize) -> Option<[&Span; 2]> {
    let (eyes, body) = (from.reach(EYES), to.reach(BODY));
    Some([eyes.span(level)?, body.span(level)?])
}

/// Whether no cell that the one may reach sees any that the other may.
#[inline(never)]
fn are_hidden_by_cells(bundle: &SolidBundle<'_>, [from, to]: [&Player; 2], level: usize) -> bool {
    let parts = from
        .reach(EYES)
        .parts(level)
        .zip(to.reach(BODY).parts(level));
    parts.is_some_and(|(from, to)| !bundle.sees_parts(from, to))
}

/// Whether somebody may look along a line from where they may be to where the other may.
fn is_in_reach(solids: &Solids, from: &Player, to: &Player, [a, b]: [Point; 2]) -> bool {
    from.reach(EYES).meets(solids, a) && to.reach(BODY).meets(solids, b)
}

/// Where a point is in a box: -1 is the least coordinate, 1 the greatest.
fn part(of: &Span, at: Point) -> [f32; 3] {
    let mut part = [0.0; 3];
    for (((part, at), centre), half) in part.iter_mut().zip(at).zip(of.centre).zip(of.half) {
        *part = if half > 0.0 {
            ((at - centre) / half) as f32
        } else {
            0.0
        };
    }
    part
}

/// The point of a box that is there.
fn place(of: &Span, part: [f32; 3]) -> Point {
    let mut at = of.centre;
    for ((at, half), part) in at.iter_mut().zip(of.half).zip(part) {
        *at += half * f64::from(part);
    }
    at
}
