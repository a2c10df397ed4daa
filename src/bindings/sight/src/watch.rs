//! Who sees whom, kept from tick to tick.

use std::collections::HashMap;
use std::hash::Hash;

use viewcell::query::{Motion, MotionLimits, Mover, OwnedBundle, Place};
use viewcell::session::{Half, Session, SessionOptions};
use viewcell::watch::{self, WatchOptions, Watched};

/// Sessions take the square of their players in memory: some 20 MB for as many. Beyond, each pair is asked.
const MOST_IN_SESSION: usize = 1024;

/// Proofs take the square of their players in memory: 60 MB for as many. Beyond, the bake alone is asked.
const MOST_PROVEN: usize = 256;

/// Looks at a pair of boxes in a tick, of about a microsecond each. Who is not come to counts as seen.
const LOOKS: u32 = 20_000;

/// What there is to ask.
#[derive(Clone, Debug)]
pub enum Known {
    /// Nothing yet: nobody sees anybody.
    Waiting,
    /// Nothing, and nothing will come: as in doubt.
    Nothing,
    /// A bundle.
    Bundle(OwnedBundle),
}

/// How it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskOptions {
    /// How far, in the bundle's units, each may come before the next answer.
    pub reach: f64,
    /// Whether those see each other of whom the bundle says nothing.
    pub doubt: bool,
    /// Whether frontier sets are kept for those who are both viewers and targets.
    pub frontiers: bool,
    /// Whether, in a solid level with a reach, what the bake calls visible is looked at between the occluders themselves:
    /// less is seen, for some microseconds a pair.
    pub proofs: bool,
}

impl Default for AskOptions {
    /// Without a look-ahead and without frontier sets; doubts are visible.
    fn default() -> Self {
        Self {
            reach: 0.0,
            doubt: true,
            frontiers: false,
            proofs: false,
        }
    }
}

/// Somebody who sees, is seen, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Being<K> {
    /// Who it is, in the engine.
    pub entity: K,
    /// Whether it sees.
    pub is_viewer: bool,
    /// Whether it is seen.
    pub is_target: bool,
    /// Where it is; `None` where the bundle knows no place.
    pub place: Option<Place>,
    /// The point that it is at, in the bundle's own coordinates: a look-ahead in a solid level begins there.
    pub point: [f64; 3],
}

/// A pair whose sight has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<K> {
    /// Who sees.
    pub viewer: K,
    /// Who is seen.
    pub target: K,
    /// Whether it may begin; else it has ended.
    pub begins: bool,
}

#[derive(Debug)]
struct Player<K> {
    being: Being<K>,
    /// Whom a viewer sees: by the number of the player.
    sees: Vec<bool>,
    /// The player's number in the session, where they have one.
    in_session: Option<usize>,
    /// Whether all that is known of them may have changed since the last tick.
    has_moved: bool,
    /// Whether they were there in the tick at hand.
    is_there: bool,
}

impl<K> Player<K> {
    /// Whether there may be anything to ask of what they see.
    fn is_asked(&self) -> bool {
        self.being.is_viewer || !self.sees.is_empty()
    }
}

/// Who sees whom, of all who are there.
///
/// In each tick: [`Watch::ask`], [`Watch::put`] for each being, [`Watch::tick`]. A pair is asked when one of the two has
/// come to another place. Where frontier sets are kept, those who are both viewers and targets are in a session, and a
/// pair that has a set is not asked while both stay in it.
#[derive(Debug)]
pub struct Watch<K> {
    /// Players are silent as long as both stay in their halves of a frontier set.
    session: Option<Session<OwnedBundle>>,
    /// Players that the session has room for, and those of its numbers that are free.
    room: usize,
    free_in_session: Vec<usize>,
    known: Known,
    ask_options: AskOptions,
    /// Who is proven hidden, by the numbers of players: where it is asked for, in a solid level.
    proofs: Option<watch::Watch<'static>>,
    /// Whether it matters where in its place somebody is: with a look-ahead in a solid level.
    by_point: bool,
    players: Vec<Option<Player<K>>>,
    free: Vec<usize>,
    numbers: HashMap<K, usize>,
}

impl<K> Default for Watch<K> {
    fn default() -> Self {
        Self {
            session: None,
            room: 0,
            free_in_session: Vec::new(),
            proofs: None,
            known: Known::Waiting,
            ask_options: AskOptions::default(),
            by_point: false,
            players: Vec::new(),
            free: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<K: Copy + Eq + Hash> Watch<K> {
    /// What there is to ask, and how. Where that is not what it was, all pairs are asked again.
    pub fn ask(&mut self, known: Known, mut ask_options: AskOptions) {
        let is_same = match (&self.known, &known) {
            (Known::Waiting, Known::Waiting) | (Known::Nothing, Known::Nothing) => true,
            (Known::Bundle(old), Known::Bundle(new)) => old.is_same(new),
            _ => false,
        };
        // A reach that is no number is endless.
        if ask_options.reach.is_nan() {
            ask_options.reach = f64::INFINITY;
        }
        if is_same && self.ask_options == ask_options {
            return;
        }
        (self.session, self.room) = (None, 0);
        self.free_in_session.clear();
        self.proofs = None;
        self.by_point = false;
        if let Known::Bundle(bundle) = &known {
            self.by_point = ask_options.reach > 0.0 && bundle.world().solid().is_some();
        }
        (self.known, self.ask_options) = (known, ask_options);
        for player in self.players.iter_mut().flatten() {
            player.has_moved = true;
            player.in_session = None;
        }
    }

    /// Somebody is there in this tick. Who is not said to be there has gone.
    pub fn put(&mut self, mut being: Being<K>) {
        if !self.by_point {
            being.point = [0.0; 3];
        }
        if let Some(&number) = self.numbers.get(&being.entity)
            && let Some(player) = self.players.get_mut(number).and_then(Option::as_mut)
        {
            player.has_moved |= player.being != being;
            player.being = being;
            player.is_there = true;
            return;
        }
        let player = Some(Player {
            being,
            sees: Vec::new(),
            in_session: None,
            has_moved: true,
            is_there: true,
        });
        let number = match self.free.pop() {
            Some(number) => {
                self.players[number] = player;
                number
            }
            None => {
                self.players.push(player);
                self.players.len() - 1
            }
        };
        self.numbers.insert(being.entity, number);
    }

    /// Ends a tick: whose sight of whom may begin, and whose has ended.
    pub fn tick(&mut self, mut tell: impl FnMut(Change<K>)) {
        self.let_go(&mut tell);
        self.follow();
        let has_moved = |player: &Player<K>| player.has_moved;
        let moved = self.numbers_of(has_moved);
        if !moved.is_empty() {
            self.prove();
        }
        // Whoever has seen somebody is asked once more after they have ceased to be a viewer.
        for viewer in self.numbers_of(Player::is_asked) {
            if self.players[viewer].as_ref().is_some_and(has_moved) {
                for target in 0..self.players.len() {
                    self.decide(viewer, target, &mut tell);
                }
            } else {
                for &target in &moved {
                    self.decide(viewer, target, &mut tell);
                }
            }
        }
        for player in self.players.iter_mut().flatten() {
            (player.has_moved, player.is_there) = (false, false);
            if !player.being.is_viewer {
                player.sees = Vec::new();
            }
        }
    }

    /// A player's own half of the frontier set with another, where sets are kept and the two have one: as long as the one
    /// stays in it, and the other in theirs, neither sees the other.
    pub fn half(&self, player: K, other: K) -> Option<&Half> {
        let in_session = |who: K| {
            let number = *self.numbers.get(&who)?;
            self.players.get(number)?.as_ref()?.in_session
        };
        self.session
            .as_ref()?
            .half(in_session(player)?, in_session(other)?)
    }

    /// The numbers of those of whom something holds.
    fn numbers_of(&self, holds: impl Fn(&Player<K>) -> bool) -> Vec<usize> {
        let players = self.players.iter().enumerate();
        let found = players.filter(|(_, player)| player.as_ref().is_some_and(&holds));
        found.map(|(number, _)| number).collect()
    }

    /// Those who were not there in this tick go.
    fn let_go(&mut self, tell: &mut impl FnMut(Change<K>)) {
        let gone = self.numbers_of(|player| !player.is_there);
        let entities = |players: &[Option<Player<K>>], number: usize| {
            players
                .get(number)?
                .as_ref()
                .map(|player| player.being.entity)
        };
        for viewer in self.numbers_of(Player::is_asked) {
            let Some(entity) = entities(&self.players, viewer) else {
                continue;
            };
            // All whom they saw, if they have gone themselves; else those who have gone.
            let all: Vec<usize> = match self.players[viewer].as_ref() {
                Some(player) if !player.is_there => (0..player.sees.len()).collect(),
                _ => Vec::new(),
            };
            let whom = if all.is_empty() { &gone } else { &all };
            for &target in whom {
                let sees = self.players[viewer]
                    .as_mut()
                    .and_then(|player| player.sees.get_mut(target));
                if sees.is_some_and(std::mem::take)
                    && let Some(target) = entities(&self.players, target)
                {
                    tell(Change {
                        viewer: entity,
                        target,
                        begins: false,
                    });
                }
            }
        }
        for number in gone {
            let Some(player) = self.players[number].take() else {
                continue;
            };
            if let (Some(in_session), Some(session)) = (player.in_session, &mut self.session) {
                put(session, in_session, None);
                self.free_in_session.push(in_session);
            }
            self.numbers.remove(&player.being.entity);
            self.free.push(number);
        }
    }

    /// Tells the session who has moved.
    fn follow(&mut self) {
        // Only those are in it who both see and are seen: of others a pair is asked in one direction alone, and there
        // may be very many that never move.
        let wants = |player: &Player<K>| player.being.is_viewer && player.being.is_target;
        let Known::Bundle(bundle) = &self.known else {
            return;
        };
        let wanted = self
            .players
            .iter()
            .flatten()
            .filter(|player| wants(player))
            .count();
        if !self.ask_options.frontiers || !(2..=MOST_IN_SESSION).contains(&wanted) {
            self.session = None;
            return;
        }
        if wanted > self.room || self.session.is_none() {
            self.room = wanted.next_power_of_two().clamp(8, MOST_IN_SESSION);
            let options = SessionOptions::default();
            self.session = Some(Session::new(bundle, self.room, options));
            self.free_in_session = (0..self.room).rev().collect();
            for player in self.players.iter_mut().flatten() {
                player.in_session = None;
            }
        }
        let Some(session) = &mut self.session else {
            return;
        };
        session.tick();
        for player in self.players.iter_mut().flatten() {
            match (player.in_session, wants(player)) {
                (Some(number), false) => {
                    put(session, number, None);
                    self.free_in_session.push(number);
                    player.in_session = None;
                }
                (Some(number), true) if player.has_moved => {
                    put(session, number, player.being.place);
                }
                (None, true) => {
                    player.in_session = self.free_in_session.pop();
                    if let Some(number) = player.in_session {
                        put(session, number, player.being.place);
                    }
                }
                _ => {}
            }
        }
    }

    /// Looks who is hidden from whom for all that both reach.
    fn prove(&mut self) {
        let Known::Bundle(bundle) = &self.known else {
            return;
        };
        let count = self.players.len();
        if !self.ask_options.proofs || !self.by_point || count > MOST_PROVEN {
            self.proofs = None;
            return;
        }
        if self
            .proofs
            .as_ref()
            .is_none_or(|proofs| proofs.players() < count)
        {
            let room = count.next_power_of_two().clamp(8, MOST_PROVEN);
            // A reach is a distance, of which all times are.
            self.proofs = watch::Watch::of_bundle(bundle, room, WatchOptions { max_ahead: 1.0 });
        }
        let Some(proofs) = &mut self.proofs else {
            return;
        };
        for number in 0..proofs.players() {
            let Some(player) = self.players.get(number).and_then(Option::as_ref) else {
                proofs.remove(number);
                continue;
            };
            let reach = [self.ask_options.reach; 2];
            let mover = Mover {
                motion: Motion {
                    position: player.being.point,
                    velocity: None,
                },
                limits: MotionLimits {
                    speed: reach,
                    acceleration: [f64::INFINITY; 2],
                    impulse: [0.0; 2],
                    error: [0.0; 2],
                },
                times: [0.0, 1.0],
            };
            let watched = Watched {
                sees: mover,
                shown: mover,
                step: 0.0,
                eye: None,
                body: None,
            };
            proofs.set(number, &watched);
        }
        proofs.begin();
        proofs.look(LOOKS);
    }

    /// Looks whether one sees the other now, and tells if that has changed.
    fn decide(&mut self, viewer: usize, target: usize, tell: &mut impl FnMut(Change<K>)) {
        let (Some(one), Some(other)) = (&self.players[viewer], &self.players[target]) else {
            return;
        };
        if viewer == target {
            return;
        }
        let saw = one.sees.get(target).copied().unwrap_or(false);
        let is_asked = one.being.is_viewer && other.being.is_target;
        let silent = || {
            // Whoever looks ahead sees beyond a set before anybody has left it.
            if self.ask_options.reach > 0.0 {
                return false;
            }
            let pair = one.in_session.zip(other.in_session);
            let session = self.session.as_ref();
            session
                .zip(pair)
                .is_some_and(|(session, (a, b))| session.age(a, b).is_some())
        };
        let begins = is_asked
            && match &self.known {
                Known::Waiting => false,
                Known::Nothing => self.ask_options.doubt,
                Known::Bundle(_) if silent() => false,
                Known::Bundle(bundle) => {
                    let reach = self.ask_options.reach;
                    let seen = sees(bundle, &one.being, &other.being, reach);
                    let is_open = |seen| {
                        let proofs = self.proofs.as_ref();
                        seen && proofs.is_none_or(|proofs| proofs.sends(viewer, target))
                    };
                    seen.map_or(self.ask_options.doubt, is_open)
                }
            };
        if begins == saw {
            return;
        }
        let change = Change {
            viewer: one.being.entity,
            target: other.being.entity,
            begins,
        };
        let count = self.players.len();
        if let Some(Some(one)) = self.players.get_mut(viewer) {
            one.sees.resize(count.max(one.sees.len()), false);
            one.sees[target] = begins;
        }
        tell(change);
    }
}

/// Tells a session where a player is. Who is at no place of the bundle is nowhere, and asked for with each move.
fn put(session: &mut Session<OwnedBundle>, player: usize, place: Option<Place>) {
    // Whom the notices would be for is asked anyway, once all have moved.
    let is_told = session.move_to(player, place.map(Some), |_| ()).is_ok()
        || session.move_to(player, None, |_| ()).is_ok();
    debug_assert!(is_told, "whoever goes to nowhere is not refused");
}

/// Whether one may see the other now, or either way before both have come so far.
fn sees<K>(bundle: &OwnedBundle, one: &Being<K>, other: &Being<K>, reach: f64) -> Option<bool> {
    let (from, to) = (one.place?, other.place?);
    let world = bundle.world();
    if reach <= 0.0 {
        return Some(world.visible(from, to));
    }
    Some(match world.solid() {
        // Less than from anywhere in their cells.
        Some(level) => level.positions_visible_within(one.point, other.point, [reach; 2]),
        None => world.visible_within(from, to, [reach; 2]),
    })
}
