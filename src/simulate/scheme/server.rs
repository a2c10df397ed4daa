//! What schemes with a server share: clients tell it where they are, and it passes that on.

use crate::simulate::field::Place;
use crate::simulate::scene::Scene;
use crate::simulate::wire::{Item, SERVER, Wire, Word};

use super::interface::Scheme;

/// What the server knows of a player.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Who it is.
    pub player: usize,
    /// The place that the player was in.
    pub place: Place,
    /// Where in it.
    pub at: [f32; 3],
    /// In which frame.
    pub frame: u32,
}

/// Of whom a server tells whom.
pub trait Rule: Send {
    /// A frame begins.
    fn begin(&mut self, _scene: &Scene, _known: &[Option<Known>]) {}

    /// Whether the one is told of the other.
    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool;

    /// Whether it is about who sees whom.
    fn asks_pairs(&self) -> bool {
        false
    }

    /// Whether it goes by the two places alone: then it is asked only when one of them changes.
    fn goes_by_places(&self, _scene: &Scene) -> bool {
        false
    }
}

/// When the server passes on what it hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relay {
    /// At once, a packet for each position and each client.
    Each,
    /// Once a frame, one packet for each client.
    Frame,
}

/// A server with a rule.
#[derive(Debug)]
pub struct Server<R> {
    relay: Relay,
    rule: R,
    known: Vec<Option<Known>>,
    /// Of whom there is something new.
    news: Vec<bool>,
    /// The frame in which the server has sent its packets.
    done: Option<usize>,
    /// For each pair, the two places that the rule was last asked of, and what it said.
    answers: Vec<Option<([Place; 2], bool)>>,
}

impl<R: Rule> Server<R> {
    /// A server that knows nobody yet.
    pub fn new(players: usize, relay: Relay, rule: R) -> Self {
        Self {
            relay,
            rule,
            known: vec![None; players],
            news: vec![false; players],
            done: None,
            answers: vec![None; players * players],
        }
    }

    /// Tells everybody of those whom they are to be told of.
    fn tell(&mut self, scene: &Scene, wire: &mut Wire) {
        self.rule.begin(scene, &self.known);
        let (keeps, players) = (self.rule.goes_by_places(scene), self.known.len());
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
        self.news.fill(false);
    }
}

impl<R: Rule> Scheme for Server<R> {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        // With a network that takes time, what has come in since the last frame is what there is.
        if self.relay == Relay::Frame && !wire.is_prompt() {
            self.tell(scene, wire);
        }
        for (player, place) in scene.places.iter().enumerate() {
            let Some(place) = *place else {
                continue;
            };
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

    fn receive(&mut self, _scene: &Scene, item: &Item, _wire: &mut Wire) {
        if item.to != SERVER {
            return;
        }
        let player = item.from as usize;
        let older = |known: &Known| known.frame <= item.frame;
        if self.known[player].as_ref().is_none_or(older) {
            self.known[player] = Some(Known {
                player,
                place: item.place,
                at: item.at,
                frame: item.frame,
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
