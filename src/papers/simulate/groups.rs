//! A server with frontier sets that groups share (Avni, section 5.2): each player has one region
//! against all others, and is silent in it.
//!
//! Others are grouped by where they are: a set is made of the largest quads (in a level: of the cells) around two
//! players of which neither sees the other, and all who are in the same two share it. What a player's sets have in
//! common is their one region. Clients know theirs, and say where they are only when they leave it, or while there is
//! somebody from whom no set keeps them apart. Of these positions the server passes on those of players who are seen: a
//! packet a frame for each client that sees somebody.
//!
//! If somebody leaves a region, the server has to know where those are who shared a set with them,
//! and asks the silent ones. Then each whose region is another now is told so.
//!
//! Did not pay: fewer pairs of blocks for a PVS, 16 quads a set in place of 64, giving up at single samples (a third of
//! time or packets at most).

use std::collections::VecDeque;
use std::sync::Arc;

use super::regions::{Halves, Inside, Regions};
use viewcell_simulate::field::Place;
use viewcell_simulate::scene::Scene;
use viewcell_simulate::wire::{Item, SERVER, Wire, Word};

use super::half::{bytes_of, lower_first};
use viewcell_simulate::scheme::{Scheme, Sets, says};

/// The one region of a client: what halves have in common, and whether it may be silent there.
#[derive(Clone, Debug, Default)]
struct Own {
    /// The sets, and which half of each.
    halves: Vec<(Arc<Halves>, usize)>,
    silent: bool,
}

/// What a client knows.
#[derive(Clone, Debug, Default)]
struct Client {
    version: u32,
    own: Own,
    /// What is known to be in their region: where they were last.
    inside: Option<Inside>,
}

/// What the server knows of a player.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Where they were last heard to be, and in which frame.
    last: Option<(Place, [f32; 3], u32)>,
    /// Whether they have been asked where they are.
    asked: bool,
    /// With how many others there is no set.
    open: usize,
    /// Whether their region is another than they were told.
    changed: bool,
    version: u32,
    /// The version that they are known to have.
    acknowledged: u32,
    /// Regions on their way.
    told: VecDeque<(u32, Own)>,
}

/// What is between two players.
#[derive(Clone, Debug)]
enum Between {
    /// A set, since when.
    Apart(Arc<Halves>, u32),
    /// None: they see each other, or did so in these places.
    Open(Option<[Place; 2]>),
    /// It is to be found out, as soon as it is known where both are.
    Asked,
}

/// A server and its groups.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    regions: Regions<'a>,
    clients: Vec<Client>,
    known: Vec<Known>,
    /// The pair i < j, at j·(j - 1) / 2 + i.
    pairs: Vec<Between>,
    sets: Sets,
    /// The frame for which the server has sent its packets.
    done: Option<usize>,
}

/// Most regions on their way to a client that are kept.
const MOST_TOLD: usize = 64;

impl<'a> Groups<'a> {
    /// Of so many players.
    pub(super) fn new(regions: Regions<'a>, players: usize) -> Self {
        Self {
            regions,
            clients: vec![Client::default(); players],
            known: vec![Known::default(); players],
            pairs: vec![Between::Open(None); players * players.saturating_sub(1) / 2],
            sets: Sets::default(),
            done: None,
        }
    }

    fn at(a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        high * (high - 1) / 2 + low
    }

    /// Whether the client says where it is.
    fn speaks(&mut self, player: usize, place: Place) -> bool {
        let client = &mut self.clients[player];
        if client.version == 0 || !client.own.silent {
            return true;
        }
        let regions = &mut self.regions;
        if let Some(inside) = &mut client.inside
            && inside.follow(regions.field(), place)
        {
            return false;
        }
        let parts = client.own.halves.iter();
        let mut parts = parts.map(|(set, side)| regions.inside(&set[*side], place));
        client.inside = match parts.next() {
            None => Some(Inside::only(place)),
            Some(first) => {
                first.and_then(|first| parts.try_fold(first, |all, part| Some(all.common(part?))))
            }
        };
        client.inside.is_none()
    }

    /// The server has heard where somebody is, and where they were before. Both who have a set are
    /// inside of it where they were last heard to be.
    fn heard(&mut self, player: usize, frame: u32, before: Option<Place>) {
        for other in (0..self.known.len()).filter(|other| *other != player) {
            let Some((place, ..)) = self.known[player].last else {
                return;
            };
            let at = Self::at(player, other);
            if let Between::Apart(set, _) = &self.pairs[at] {
                let half = &set[usize::from(player > other)];
                if before == Some(place) || self.regions.keeps(half, place) {
                    continue;
                }
            }
            let Some((there, _, last)) = self.known[other].last else {
                continue;
            };
            // Who is not silent says where they are by themselves.
            let is_old = self.known[other].open == 0 && last < frame;
            if is_old || self.known[other].asked {
                self.put(at, [player, other], Between::Asked, frame);
                self.known[other].asked = true;
                continue;
            }
            let places = lower_first([player, other], place, there);
            if matches!(self.pairs[at], Between::Open(Some(tried)) if tried == places) {
                continue;
            }
            let keeps = |regions: &mut Regions, set: &Arc<Halves>| {
                (0..2).all(|side| regions.keeps(&set[side], places[side]))
            };
            let set = self.regions.make(places);
            let between = match set.filter(|set| keeps(&mut self.regions, set)) {
                Some(set) => Between::Apart(set, frame),
                None => Between::Open(Some(places)),
            };
            self.put(at, [player, other], between, frame);
        }
    }

    /// Sets what is between two players.
    fn put(&mut self, at: usize, players: [usize; 2], between: Between, frame: u32) {
        let opens = |between: &Between| usize::from(!matches!(between, Between::Apart(..)));
        let (before, after) = (opens(&self.pairs[at]), opens(&between));
        if let Between::Apart(_, since) = &self.pairs[at] {
            self.sets.lasted.push(frame - since);
            self.sets.in_force -= 1;
        }
        if after == 0 {
            self.sets.agreed += 1;
            self.sets.in_force += 1;
        }
        self.pairs[at] = between;
        for player in players {
            let known = &mut self.known[player];
            // Before anything was said of the two, both counted as having no set.
            known.open = known.open + after - before;
            known.changed |= before + after < 2;
        }
    }

    /// The region of a player as it is now.
    fn own(&self, player: usize) -> Own {
        let mut own = Own {
            halves: Vec::new(),
            silent: self.known[player].open == 0,
        };
        // Who speaks in any case need not know where they might be silent.
        if !own.silent {
            return own;
        }
        for other in (0..self.known.len()).filter(|other| *other != player) {
            if let Between::Apart(set, _) = &self.pairs[Self::at(player, other)] {
                let side = usize::from(player > other);
                let same =
                    |(known, on): &(Arc<Halves>, usize)| Arc::ptr_eq(known, set) && *on == side;
                if !own.halves.iter().any(same) {
                    own.halves.push((set.clone(), side));
                }
            }
        }
        own
    }

    /// Asks those who are silent where they are, if that is to be known; returns whether it did.
    fn ask(&mut self, scene: &Scene, wire: &mut Wire) -> bool {
        let mut asks = false;
        for player in 0..self.known.len() {
            let Some((place, at, _)) = self.known[player].last.filter(|_| self.known[player].asked)
            else {
                continue;
            };
            asks = true;
            wire.send(item(
                player,
                player,
                Word::Hello,
                (place, at),
                scene.frame,
                0,
            ));
        }
        asks
    }

    /// Tells each client its region, if it is another, and whom it sees.
    fn tell(&mut self, scene: &Scene, wire: &mut Wire) {
        let lossy = wire.network().loss > 0.0;
        for viewer in 0..self.known.len() {
            let Some((here, at, _)) = self.known[viewer].last else {
                continue;
            };
            let mut first = true;
            let mut put = |wire: &mut Wire, item: Item| {
                if core::mem::take(&mut first) {
                    wire.send(item);
                } else {
                    wire.add(item);
                }
            };
            let again = lossy && self.known[viewer].acknowledged < self.known[viewer].version;
            if self.known[viewer].changed || again {
                let own = self.own(viewer);
                let known = &mut self.known[viewer];
                known.changed = false;
                known.version += 1;
                known.told.push_back((known.version, own));
                if known.told.len() > MOST_TOLD {
                    known.told.pop_front();
                }
                let version = known.version;
                let spot = (here, at);
                put(
                    wire,
                    item(viewer, viewer, Word::Agree, spot, scene.frame, version),
                );
            }
            if self.known[viewer].open == 0 {
                continue;
            }
            for other in (0..self.known.len()).filter(|other| *other != viewer) {
                let Some((there, at, frame)) = self.known[other].last else {
                    continue;
                };
                let apart = matches!(self.pairs[Self::at(viewer, other)], Between::Apart(..));
                if !apart && scene.would_see((viewer, here), (other, there)) {
                    let frame = frame as usize;
                    put(
                        wire,
                        item(viewer, other, Word::Position, (there, at), frame, 0),
                    );
                }
            }
        }
    }
}

/// A statement of the server.
fn item(
    to: usize,
    about: usize,
    word: Word,
    (place, at): (Place, [f32; 3]),
    frame: usize,
    version: u32,
) -> Item {
    Item {
        from: SERVER,
        to: to as u32,
        about: about as u32,
        word,
        place,
        at,
        frame: frame as u32,
        answers: version,
    }
}

impl Scheme for Groups<'_> {
    fn tick(&mut self, scene: &Scene, wire: &mut Wire) {
        if !wire.is_instant() {
            self.ask(scene, wire);
            self.tell(scene, wire);
        }
        for player in 0..self.clients.len() {
            let Some(place) = scene.places[player] else {
                continue;
            };
            if self.speaks(player, place) {
                wire.send(Item {
                    answers: self.clients[player].version,
                    ..says(scene, player, place, SERVER)
                });
            }
        }
    }

    fn receive(&mut self, scene: &Scene, item: &Item, wire: &mut Wire) {
        if item.to == SERVER {
            let player = item.from as usize;
            let known = &mut self.known[player];
            known.acknowledged = known.acknowledged.max(item.answers);
            if known.last.is_none() {
                // So many others have come before, and there is no set with any of them.
                let here = self.known.iter().filter(|known| known.last.is_some());
                let others = here.count();
                self.known[player].open = others;
                for (other, known) in self.known.iter_mut().enumerate() {
                    if other != player && known.last.is_some() {
                        known.open += 1;
                        known.changed = true;
                    }
                }
            }
            let known = &mut self.known[player];
            if known.last.is_none_or(|(.., frame)| frame <= item.frame) {
                let before = known.last.map(|(place, ..)| place);
                known.last = Some((item.place, item.at, item.frame));
                known.asked = false;
                self.heard(player, item.frame, before);
            }
            return;
        }
        let player = item.to as usize;
        let answers = match item.word {
            Word::Hello => true,
            Word::Agree => {
                let told = &mut self.known[player].told;
                if item.answers > self.clients[player].version
                    && let Some(at) = told
                        .iter()
                        .position(|(version, _)| *version == item.answers)
                {
                    let (version, own) = told[at].clone();
                    told.drain(..=at);
                    self.clients[player] = Client {
                        version,
                        own,
                        inside: None,
                    };
                }
                // Who is silent would never say that they have it.
                wire.network().loss > 0.0 && self.clients[player].own.silent
            }
            Word::Position | Word::Quiet => false,
        };
        if answers && let Some(place) = scene.places[player] {
            wire.send(Item {
                answers: self.clients[player].version,
                ..says(scene, player, place, SERVER)
            });
        }
    }

    fn settle(&mut self, scene: &Scene, wire: &mut Wire) {
        if wire.is_instant() && self.done != Some(scene.frame) && !self.ask(scene, wire) {
            self.done = Some(scene.frame);
            self.tell(scene, wire);
        }
    }

    fn asks_pairs(&self) -> bool {
        true
    }

    fn sets(&self) -> Sets {
        let sets = self.pairs.iter().filter_map(|between| match between {
            Between::Apart(set, _) => Some(set),
            _ => None,
        });
        Sets {
            bytes: bytes_of(sets),
            ..self.sets.clone()
        }
    }
}
