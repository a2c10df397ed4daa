//! Peers with frontier sets: FB and its variants.
//!
//! While each stays in their region, a pair exchanges nothing (Steed & Angus, figure 4). Of two peers
//! without a set, the one with the lower number says where they are each frame, and the other answers: with their own
//! position if the two see each other, else with an agreement to the set that both make of the two positions. A peer
//! that leaves its region says so at once. If both do so in one frame, each has what they need, and nobody answers.
//!
//! Where packets arrive within the frame, no answer is an answer, too: a peer that hears a position makes the set of it and
//! of the place that it sent last, and if it is inside, both keep to that set, and one packet was enough. Where packets
//! take time, or get lost, agreements are sent.

use std::sync::Arc;

use viewcell_simulate::field::Place;
use viewcell_simulate::scene::Scene;
use viewcell_simulate::scheme::{Scheme, Sets, says};
use viewcell_simulate::wire::{Item, Wire, Word};

use super::half::{bytes_of, lower_first};
use super::regions::{Halves, Inside, Regions};

/// What one of two players knows.
#[derive(Clone, Debug, Default)]
struct End {
    set: Option<Arc<Halves>>,
    /// What is known to be in the player's half of it: where they were last.
    inside: Option<Inside>,
    /// The place that the other was told last, and in which frame.
    told: Option<(Place, u32)>,
    /// The place that the other was in when they said so last, and the frame.
    heard: Option<(Place, u32)>,
    /// When something was heard last. [Unit: ms]
    heard_at: f64,
    /// Whether the other has not answered yet.
    asks: bool,
    /// Until when what is heard may have been said before the agreement was. [Unit: ms]
    agreed: f64,
}

/// What was last made for a pair: of which places, of which only one is known for sure, and the set.
type Made = ([Place; 2], Option<usize>, Option<Arc<Halves>>);

/// What two players share.
#[derive(Clone, Debug, Default)]
struct PeerPair {
    made: Option<Made>,
    /// In which frame the set began that is in force.
    began: Option<u32>,
}

/// Peers and their frontier sets.
#[derive(Debug)]
pub(super) struct Frontiers<'a> {
    regions: Regions<'a>,
    players: usize,
    /// Whether silence is an answer where it can be.
    silence: bool,
    /// What player i knows of player j: at i·players + j.
    ends: Vec<End>,
    pairs: Vec<PeerPair>,
    sets: Sets,
}

impl<'a> Frontiers<'a> {
    /// Of so many players.
    pub(super) fn new(regions: Regions<'a>, players: usize, silence: bool) -> Self {
        Self {
            regions,
            players,
            silence,
            ends: vec![End::default(); players * players],
            pairs: vec![PeerPair::default(); players * players],
            sets: Sets::default(),
        }
    }

    fn end(&mut self, own: usize, other: usize) -> &mut End {
        &mut self.ends[own * self.players + other]
    }

    fn pair(&mut self, a: usize, b: usize) -> &mut PeerPair {
        &mut self.pairs[a.min(b) * self.players + a.max(b)]
    }

    /// Whether a player is inside their half of the set that they keep to; none without a set.
    fn inside(&mut self, own: usize, other: usize, place: Place) -> Option<bool> {
        let end = &mut self.ends[own * self.players + other];
        let set = end.set.as_ref()?;
        if let Some(inside) = &mut end.inside
            && inside.follow(self.regions.field(), place)
        {
            return Some(true);
        }
        let half = &set[usize::from(own > other)];
        end.inside = self.regions.inside(half, place);
        Some(end.inside.is_some())
    }

    /// A player keeps to a set no more.
    fn forget(&mut self, own: usize, other: usize, scene: &Scene) {
        if self.end(own, other).set.take().is_some()
            && let Some(began) = self.pair(own, other).began.take()
        {
            self.sets.lasted.push(scene.frame as u32 - began);
            self.sets.in_force -= 1;
        }
    }

    /// The set of two places, that of the player with the lower number first. Both ends make the
    /// same one.
    fn make(
        &mut self,
        ends: [usize; 2],
        places: [Place; 2],
        gone: Option<usize>,
    ) -> Option<Arc<Halves>> {
        let key = (places, gone);
        if let Some((places, gone, set)) = &self.pair(ends[0], ends[1]).made
            && (*places, *gone) == key
        {
            return set.clone();
        }
        let set = match gone {
            None => self.regions.make(places),
            Some(gone) => self.regions.guess(places, gone),
        };
        self.pair(ends[0], ends[1]).made = Some((places, gone, set.clone()));
        set
    }

    /// A player keeps to a set from now on, if they are inside; returns whether they are.
    fn adopt(
        &mut self,
        own: usize,
        other: usize,
        place: Place,
        set: Option<Arc<Halves>>,
        scene: &Scene,
    ) -> bool {
        let Some(set) = set else {
            return false;
        };
        let half = &set[usize::from(own > other)];
        let inside = self.regions.inside(half, place);
        if inside.is_none() {
            return false;
        }
        let end = self.end(own, other);
        (end.set, end.inside) = (Some(set), inside);
        if self.pair(own, other).began.is_none() {
            self.pair(own, other).began = Some(scene.frame as u32);
            self.sets.agreed += 1;
            self.sets.in_force += 1;
        }
        true
    }

    /// Tells the other where a player is.
    fn say(&mut self, own: usize, other: usize, word: Word, scene: &Scene, wire: &mut Wire) {
        let Some(place) = scene.places[own] else {
            return;
        };
        let answers = self.end(own, other).heard.map_or(place, |(place, _)| place);
        self.end(own, other).told = Some((place, scene.frame as u32));
        wire.send(Item {
            word,
            answers,
            ..says(scene, own, place, other as u32)
        });
    }

    /// The other asks where a player is.
    fn answer(&mut self, own: usize, other: usize, item: &Item, scene: &Scene, wire: &mut Wire) {
        let Some(place) = scene.places[own] else {
            return;
        };
        let instant = wire.is_instant();
        if let Some(set) = self.end(own, other).set.clone() {
            // They may have asked before they heard that there is a set.
            let old = f64::from(item.frame) * scene.step < self.end(own, other).agreed;
            if old
                && self
                    .regions
                    .keeps(&set[usize::from(other > own)], item.place)
            {
                return;
            }
        }
        let crossed = self.end(own, other).asks
            && self
                .end(own, other)
                .told
                .is_some_and(|(_, frame)| frame == item.frame);
        let told = self.end(own, other).told;
        self.forget(own, other, scene);
        let pair = |own_place, other_place| lower_first([own, other], own_place, other_place);
        if crossed && let Some((told, _)) = told {
            self.end(own, other).asks = false;
            let set = self.make([own, other], pair(told, item.place), None);
            self.adopt(own, other, place, set, scene);
            return;
        }
        if self.regions.field().hidden(place, item.place) {
            if self.silence
                && instant
                && let Some((told, _)) = told
            {
                let gone = usize::from(own > other);
                let set = self.make([own, other], pair(told, item.place), Some(gone));
                if self.adopt(own, other, place, set, scene) {
                    return;
                }
            }
            let set = self.make([own, other], pair(place, item.place), None);
            if self.adopt(own, other, place, set, scene) {
                let wait = wire.longest() + scene.step;
                self.end(own, other).agreed = wire.now() + wait;
                self.say(own, other, Word::Agree, scene, wire);
                return;
            }
        }
        self.say(own, other, Word::Position, scene, wire);
    }
}

impl Scheme for Frontiers<'_> {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        for own in 0..self.players {
            for other in (0..self.players).filter(|other| *other != own) {
                let (Some(place), true) = (scene.places[own], scene.places[other].is_some()) else {
                    self.forget(own, other, scene);
                    continue;
                };
                let kept = self.inside(own, other, place);
                if kept == Some(true) {
                    continue;
                }
                self.forget(own, other, scene);
                // The second of two sends where the first sends nothing.
                let silent = wire.now() - self.end(own, other).heard_at > 1.5 * scene.step;
                if own < other || kept == Some(false) || silent {
                    self.end(own, other).asks = true;
                    self.say(own, other, Word::Hello, scene, wire);
                }
            }
        }
    }

    fn receive(&mut self, scene: &Scene, item: &Item, wire: &mut Wire) {
        let (own, other) = (item.to as usize, item.from as usize);
        let now = wire.now();
        let end = self.end(own, other);
        if end.heard.is_none_or(|(_, frame)| frame <= item.frame) {
            end.heard = Some((item.place, item.frame));
        }
        end.heard_at = now;
        match item.word {
            Word::Hello => self.answer(own, other, item, scene, wire),
            Word::Position | Word::Quiet => {
                self.end(own, other).asks = false;
                self.forget(own, other, scene);
            }
            Word::Agree => {
                self.end(own, other).asks = false;
                let Some(place) = scene.places[own] else {
                    return;
                };
                let places = lower_first([own, other], item.answers, item.place);
                let set = self.make([own, other], places, None);
                self.adopt(own, other, place, set, scene);
            }
        }
    }

    fn settle(&mut self, scene: &Scene, wire: &mut Wire) {
        if !wire.is_instant() || !self.silence {
            return;
        }
        // Nobody has answered: they are inside.
        for own in 0..self.players {
            for other in (0..self.players).filter(|other| *other != own) {
                if !core::mem::take(&mut self.end(own, other).asks) {
                    continue;
                }
                let end = self.end(own, other);
                let (Some((told, _)), Some((heard, _))) = (end.told, end.heard) else {
                    continue;
                };
                let places = lower_first([own, other], told, heard);
                let gone = usize::from(own < other);
                let set = self.make([own, other], places, Some(gone));
                self.adopt(own, other, told, set, scene);
            }
        }
    }

    fn sets(&self) -> Sets {
        Sets {
            bytes: bytes_of(self.ends.iter().filter_map(|end| end.set.as_ref())),
            ..self.sets.clone()
        }
    }
}
