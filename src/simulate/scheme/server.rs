//! What schemes with a server share: clients tell it where they are, and it passes that on. And their rules, by which
//! it tells of whom to whom, but for the look-ahead.

use crate::field::{Field, Place};
use crate::scene::Scene;
use crate::wire::{Item, SERVER, Wire, Word};
use viewcell::interest::{Awareness, Senses, Sight};
use viewcell::query::{Answer, Motion, MotionLimits, Quad};

use super::{Scheme, says};

/// What the server knows of a player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Who it is.
    pub player: usize,
    /// The place that the player was in.
    pub place: Place,
    /// Where in it.
    pub at: [f32; 3],
    /// In which frame.
    pub frame: u32,
    /// The same of two positions before.
    before: [Option<([f32; 3], u32)>; 2],
}

impl Known {
    /// How the player moves, as far as positions tell that are a few frames apart; who is faster than the
    /// limits allow has been put elsewhere, and may go anyhow.
    pub(super) fn motion(&self, step: f64, limits: &MotionLimits) -> Motion {
        let mut last = (self.at, self.frame);
        let mut begin = None;
        for before in self.before.iter().flatten() {
            let seconds = f64::from(last.1 - before.1) * step / 1000.0;
            if self.frame - before.1 > MOST_FRAMES || !limits.allow(way(before.0, last.0), seconds)
            {
                break;
            }
            last = *before;
            begin = Some(last);
        }
        let velocity = begin.map(|(at, frame)| {
            let seconds = f64::from(self.frame - frame) * step / 1000.0;
            way(at, self.at).map(|way| way / seconds)
        });
        Motion {
            position: self.at.map(f64::from),
            velocity,
        }
    }
}

impl Known {
    /// What the server says of the player.
    fn told(&self, to: usize, word: Word, answers: u32) -> Item {
        Item {
            from: SERVER,
            to: to as u32,
            about: self.player as u32,
            word,
            place: self.place,
            at: self.at,
            frame: self.frame,
            answers,
        }
    }
}

/// Positions that are further back say little of how fast somebody is.
const MOST_FRAMES: u32 = 3;

/// The way from one position to another.
fn way(from: [f32; 3], to: [f32; 3]) -> [f64; 3] {
    let [a, b, c] = from.map(f64::from);
    let [x, y, z] = to.map(f64::from);
    [x - a, y - b, z - c]
}

/// Of whom a server tells whom.
pub(super) trait Rule: Send {
    /// A frame begins.
    fn begin(&mut self, _scene: &Scene, _known: &[Option<Known>]) {}

    /// Whether the one is told of the other.
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool;

    /// Whether it is about who sees whom.
    fn asks_pairs(&self) -> bool {
        false
    }

    /// Whether a player may come so far within some seconds, who is let alone.
    fn allows(&self, _way: [f64; 3], _seconds: f64) -> bool {
        true
    }

    /// Until which frame a player whom nobody may see need not say where they are; none if they have to.
    fn quiet_until(&mut self, _scene: &Scene, _player: &Known) -> Option<u32> {
        None
    }

    /// Whether it goes by the two places alone: then it is asked only when one of them changes.
    fn goes_by_places(&self, _scene: &Scene) -> bool {
        false
    }
}

/// When the server passes on what it hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relay {
    /// At once, a packet for each position and each client.
    Each,
    /// Once a frame, one packet for each client.
    Frame,
}

/// A server with a rule.
#[derive(Debug)]
pub(super) struct Server<R> {
    relay: Relay,
    rule: R,
    known: Vec<Option<Known>>,
    /// Of whom there is something new.
    news: Vec<bool>,
    /// The frame in which the server has sent its packets.
    done: Option<usize>,
    /// For each pair, the two places that the rule was last asked of, and what it said.
    answers: Vec<Option<([Place; 2], bool)>>,
    /// Until which frame the server lets each player alone.
    alone: Vec<u32>,
    /// Each client's own: until which frame it is let alone, and where it was.
    clients: Vec<(u32, [f64; 3])>,
}

impl<R: Rule> Server<R> {
    /// A server that knows nobody yet.
    fn new(players: usize, relay: Relay, rule: R) -> Self {
        Self {
            relay,
            rule,
            known: vec![None; players],
            news: vec![false; players],
            done: None,
            answers: vec![None; players * players],
            alone: vec![0; players],
            clients: vec![(0, [0.0; 3]); players],
        }
    }

    /// Tells everybody of those whom they are to be told of.
    fn tell(&mut self, scene: &Scene, wire: &mut Wire) {
        self.rule.begin(scene, &self.known);
        let (keeps, players) = (self.rule.goes_by_places(scene), self.known.len());
        let mut is_told = vec![false; players];
        for viewer in self.known.iter().flatten() {
            let mut first = true;
            for other in self.known.iter().flatten() {
                if viewer.player == other.player
                    || self.relay == Relay::Each && !self.news[other.player]
                {
                    continue;
                }
                let answer = &mut self.answers[viewer.player * players + other.player];
                let places = [viewer.place, other.place];
                let tells = match answer {
                    Some((known, tells)) if keeps && *known == places => *tells,
                    _ => self.rule.tells(scene, viewer, other),
                };
                *answer = Some((places, tells));
                if !tells {
                    continue;
                }
                is_told[viewer.player] = true;
                is_told[other.player] = true;
                let item = other.told(viewer.player, Word::Position, 0);
                if first || self.relay == Relay::Each {
                    wire.send(item);
                } else {
                    wire.add(item);
                }
                first = false;
            }
        }
        for player in self.known.iter().flatten() {
            let number = player.player;
            let now = scene.frame as u32;
            match (is_told[number], now < self.alone[number]) {
                // Somebody was put where they may see them.
                (true, true) => {
                    self.alone[number] = 0;
                    wire.send(player.told(number, Word::Hello, 0));
                }
                (false, false) => {
                    if let Some(until) = self.rule.quiet_until(scene, player) {
                        self.alone[number] = until;
                        wire.send(player.told(number, Word::Quiet, until));
                    }
                }
                _ => {}
            }
        }
        self.news.fill(false);
    }

    /// A client says where it is.
    fn say(scene: &Scene, player: usize, wire: &mut Wire) {
        if let Some(place) = scene.places[player] {
            wire.send(says(scene, player, place, SERVER));
        }
    }
}

/// A server that passes on what clients tell it, by a rule.
pub(super) fn passing_on<'a>(
    players: usize,
    relay: Relay,
    rule: impl Rule + 'a,
) -> Box<dyn Scheme + 'a> {
    Box::new(Server::new(players, relay, rule))
}

impl<R: Rule> Scheme for Server<R> {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        // With a network that takes time, what has come in since the last frame is what there is.
        if self.relay == Relay::Frame && !wire.is_prompt() {
            self.tell(scene, wire);
        }
        for player in 0..self.known.len() {
            let (until, before) = &mut self.clients[player];
            let at = scene.at[player];
            let way = [0, 1, 2].map(|axis| at[axis] - before[axis]);
            *before = at;
            // Who is put elsewhere says so.
            if scene.frame as u32 >= *until || !self.rule.allows(way, scene.step / 1000.0) {
                *until = 0;
                Self::say(scene, player, wire);
            }
        }
    }

    fn receive(&mut self, scene: &Scene, item: &Item, wire: &mut Wire) {
        if item.to != SERVER {
            let player = item.to as usize;
            match item.word {
                Word::Quiet => self.clients[player].0 = item.answers,
                Word::Hello if self.clients[player].0 > scene.frame as u32 => {
                    self.clients[player].0 = 0;
                    Self::say(scene, player, wire);
                }
                _ => {}
            }
            return;
        }
        let player = item.from as usize;
        let older = |known: &Known| known.frame <= item.frame;
        if self.known[player].as_ref().is_none_or(older) {
            let before = self.known[player].filter(|known| known.frame < item.frame);
            let before = before.map_or([None; 2], |known| {
                [Some((known.at, known.frame)), known.before[0]]
            });
            self.known[player] = Some(Known {
                player,
                place: item.place,
                at: item.at,
                frame: item.frame,
                before,
            });
            self.news[player] = true;
        }
    }

    fn settle(&mut self, scene: &Scene, wire: &mut Wire) {
        let waits = self.relay == Relay::Frame && !wire.is_prompt();
        // What it sent itself settles, too.
        if !waits
            && self.news.contains(&true)
            && (self.relay == Relay::Each || self.done != Some(scene.frame))
        {
            self.done = Some(scene.frame);
            self.tell(scene, wire);
        }
    }

    fn asks_pairs(&self) -> bool {
        self.rule.asks_pairs()
    }
}

/// Whoever may be seen, by the PVS of each place (CS, CSA).
#[derive(Debug)]
pub(super) struct Seen;

impl Rule for Seen {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        scene.would_see((viewer.player, viewer.place), (other.player, other.place))
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}

/// Whoever is no further away, whoever sees them. [Unit: of the field]
#[derive(Debug)]
pub(super) struct Distance(pub f64);

impl Rule for Distance {
    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let square: f32 = (0..3).map(|i| (viewer.at[i] - other.at[i]).powi(2)).sum();
        f64::from(square) <= self.0 * self.0
    }
}

/// Those in the same zone of a grid and in the zones around it: square zones with sides of this length, without
/// floors. [Unit: of the field]
#[derive(Debug)]
pub(super) struct Zones(pub f64);

impl Rule for Zones {
    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let zone = |x: f32| (f64::from(x) / self.0).floor();
        (0..2).all(|i| (zone(viewer.at[i]) - zone(other.at[i])).abs() <= 1.0)
    }
}

/// Whoever is in a line of sight at the instant, as plugins against wall-hacks have it.
///
/// In a level: from the eye to the other's eye, feet and both shoulders, through the level's BSP.
/// In a solid level: from the eye to points of the body, through its solids and faces, if those are given. Else what the
/// bundle says of the two places.
#[derive(Debug)]
pub(super) struct LineOfSight;

impl Rule for LineOfSight {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        match scene.field.lines() {
            Some(lines) => lines.in_sight(viewer.at.map(f64::from), other.at.map(f64::from)),
            None => scene.would_see((viewer.player, viewer.place), (other.player, other.place)),
        }
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}

/// Whoever may come to be seen within a fixed distance of where they are.
#[derive(Debug)]
pub(super) struct Near {
    reach: f64,
    players: usize,
    /// For each pair the places that were asked of last, and the answer, where it is the same both
    /// ways; else empty.
    both_ways: Vec<Option<([Place; 2], bool)>>,
}

/// Up to so many samples a reach is looked at sample by sample: then it does not matter who asks.
const NEAR: f64 = 3.0;

impl Near {
    /// With a reach, in units of the field.
    pub(super) fn new(field: &Field, players: usize, reach: f64) -> Self {
        let is_same = field.terrain().is_some_and(|terrain| {
            let [dx, dy] = terrain.parameters().cell_spacing;
            field.is_mutual() && terrain.groups().is_some() && reach <= NEAR * dx.min(dy)
        });
        let pairs = if is_same { players * players } else { 0 };
        Self {
            reach,
            players,
            both_ways: vec![None; pairs],
        }
    }
}

impl Rule for Near {
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let mut pair = [(viewer.player, viewer.place), (other.player, other.place)];
        pair.sort_unstable();
        let [(low, a), (high, b)] = pair;
        if let Some(Some((places, tells))) = self.both_ways.get(low * self.players + high)
            && *places == [a, b]
        {
            return *tells;
        }
        let (from, to) = (viewer.place, other.place);
        let tells = scene.field.within(from, to, self.reach);
        if let Some(known) = self.both_ways.get_mut(low * self.players + high) {
            *known = Some(([a, b], tells));
        }
        tells
    }

    fn goes_by_places(&self, _scene: &Scene) -> bool {
        true
    }
}

/// How far from the eye leaves are taken in. [Unit: of the level]
const FAT: f64 = 8.0;

/// Whoever may be seen from close by a player: the fat PVS of QuakeWorld and Quake II, who take all leaves within 8
/// units of the eye; on a terrain, the block of 8 × 8 samples that the player is in.
#[derive(Debug)]
pub(super) struct Fat {
    /// For each player the cells around the eye.
    around: Vec<Vec<Place>>,
    /// On a terrain for each pair of players the blocks that were asked of last, and which samples of
    /// the second are seen from the first.
    seen: Vec<Option<([Quad; 2], u64)>>,
}

impl Fat {
    /// Of so many players.
    pub(super) fn new(players: usize) -> Self {
        Self {
            around: vec![Vec::new(); players],
            seen: vec![None; players * players],
        }
    }
}

impl Rule for Fat {
    fn begin(&mut self, scene: &Scene, known: &[Option<Known>]) {
        for player in known.iter().flatten() {
            let around = &mut self.around[player.player];
            around.clear();
            around.push(player.place);
            if scene.field.terrain().is_none() {
                let [x, y, z] = player.at.map(f64::from);
                for corner in 0..8_u32 {
                    let side = |axis: u32| FAT * (f64::from(corner >> axis & 1) * 2.0 - 1.0);
                    let place = scene.field.locate([x + side(0), y + side(1), z + side(2)]);
                    around.extend(place);
                }
                around.sort_unstable();
                around.dedup();
            }
        }
    }

    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        match scene.field.terrain() {
            Some(terrain) => {
                let samples = [viewer.place, other.place].map(|place| scene.field.sample(place));
                let [from, to] = samples.map(|sample| (sample.column >> 3, sample.row >> 3));
                let blocks = [from, to].map(|(column, row)| Quad::new(3, column, row));
                let (Some(groups), None) = (terrain.groups(), terrain.narrowing()) else {
                    let seen = terrain.visible_quads(blocks[0], samples[1].quad());
                    return seen != Answer::Hidden;
                };
                // Who walks on stays in a block for a while.
                let slot = viewer.player * self.around.len() + other.player;
                let seen = match self.seen[slot] {
                    Some((known, seen)) if known == blocks => seen,
                    _ => groups.seen_from(from, !0, to),
                };
                self.seen[slot] = Some((blocks, seen));
                seen >> ((samples[1].row & 7) << 3 | samples[1].column & 7) & 1 == 1
            }
            None => {
                let around = &self.around[viewer.player];
                let sees = |&from: &Place| scene.field.visible(from, other.place);
                around.iter().any(sees)
            }
        }
    }

    fn goes_by_places(&self, scene: &Scene) -> bool {
        scene.field.terrain().is_some()
    }
}

/// A field that is asked who may be seen.
#[derive(Clone, Copy, Debug)]
struct Watched<'a>(&'a Field<'a>);

impl Sight for Watched<'_> {
    type Place = Place;

    fn visible(&self, from: Place, to: Place) -> bool {
        self.0.visible(from, to)
    }
}

/// Whoever is no further away and may be seen, as the runtime's awareness has them: what a server of thousands calls
/// each tick.
#[derive(Debug)]
pub(super) struct Aware<'a> {
    distance: f64,
    awareness: Awareness<Watched<'a>>,
    /// By player: the number in the awareness of those who are there.
    numbers: Vec<Option<u32>>,
    /// By that number: the player.
    players: Vec<usize>,
    /// For each pair of players whether the first is told of the second.
    told: Vec<bool>,
}

impl<'a> Aware<'a> {
    /// Nobody is there yet. The distance is in units of the field.
    pub(super) fn new(field: &'a Field<'a>, players: usize, distance: f64) -> Self {
        Self {
            distance,
            awareness: Awareness::new(Watched(field)),
            numbers: vec![None; players],
            players: Vec::new(),
            told: vec![false; players * players],
        }
    }

    fn place(&mut self, known: &Known) {
        let number = &mut self.numbers[known.player];
        if let Some(number) = *number {
            // A place that is none leaves the player where they were.
            let _ = self.awareness.move_to(number, known.at, known.place);
            return;
        }
        let senses = Senses {
            reach: self.distance.min(f64::from(f32::MAX / 4.0)) as f32,
            acuity: f32::INFINITY,
            radius: 0.0,
        };
        if let Ok(new) = self.awareness.insert(known.at, known.place, senses) {
            *number = Some(new);
            if self.players.len() <= new as usize {
                self.players.resize(new as usize + 1, 0);
            }
            self.players[new as usize] = known.player;
        }
    }
}

impl Rule for Aware<'_> {
    fn begin(&mut self, _scene: &Scene, known: &[Option<Known>]) {
        for known in known.iter().flatten() {
            self.place(known);
        }
        let (count, players) = (self.numbers.len(), &self.players);
        let changes = self.awareness.tick();
        for (pairs, told) in [(changes.began, true), (changes.ceased, false)] {
            for pair in pairs {
                let [viewer, other] = pair.map(|number| players[number as usize]);
                self.told[viewer * count + other] = told;
            }
        }
    }

    fn tells(&mut self, _scene: &Scene, viewer: &Known, other: &Known) -> bool {
        self.told[viewer.player * self.numbers.len() + other.player]
    }

    fn asks_pairs(&self) -> bool {
        true
    }
}
