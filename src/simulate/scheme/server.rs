//! What schemes with a server share: clients tell it where they are, and it passes that on.

use crate::runtime::{Motion, MotionLimits};
use crate::simulate::field::Place;
use crate::simulate::scene::Scene;
use crate::simulate::wire::{Item, SERVER, Wire, Word};

use super::interface::Scheme;

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
    pub(super) fn new(players: usize, relay: Relay, rule: R) -> Self {
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
                let item = Item {
                    from: SERVER,
                    to: viewer.player as u32,
                    about: other.player as u32,
                    word: Word::Position,
                    place: other.place,
                    at: other.at,
                    frame: other.frame,
                    answers: 0,
                };
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
            let says = |word, answers| Item {
                from: SERVER,
                to: number as u32,
                about: number as u32,
                word,
                place: player.place,
                at: player.at,
                frame: player.frame,
                answers,
            };
            let now = scene.frame as u32;
            match (is_told[number], now < self.alone[number]) {
                // Somebody was put where they may see them.
                (true, true) => {
                    self.alone[number] = 0;
                    wire.send(says(Word::Hello, 0));
                }
                (false, false) => {
                    if let Some(until) = self.rule.quiet_until(scene, player) {
                        self.alone[number] = until;
                        wire.send(says(Word::Quiet, until));
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
            wire.send(Item {
                from: player as u32,
                to: SERVER,
                about: player as u32,
                word: Word::Position,
                place,
                at: scene.at[player].map(|x| x as f32),
                frame: scene.frame as u32,
                answers: 0,
            });
        }
    }
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
