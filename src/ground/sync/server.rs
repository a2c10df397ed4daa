//! The server: it holds the ground that counts.

use std::collections::{BTreeMap, VecDeque};

use super::client::digest_of;
use super::message::{Message, Reach, Reason};
use crate::change::{Body, Branches, ChangeSet, Version};
use crate::code::encode_tree;
use crate::file::encode;
use crate::layered::{Layered, check_effect};
use crate::patches::{Patches, Stack};
use crate::path::{Locks, NodeName};
use crate::stamp::Stamp;
use crate::tree::{EMPTY, Tree};

/// How a server deals with reservations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    /// How long a reservation holds: t_lock. [Unit: ms]
    pub lock: u64,
    /// Whether a client's own reservations are no hindrance to it.
    pub own: bool,
    /// How many change sets are kept for those who were away.
    pub keep: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            lock: 100,
            own: true,
            keep: 1000,
        }
    }
}

/// A server without a network: messages go in, messages come out.
#[derive(Debug)]
pub struct Server {
    ground: Patches,
    options: ServerOptions,
    /// The last change sets, oldest first.
    log: VecDeque<ChangeSet>,
    /// What each client is told of: the lowest slice of each patch. `None` is all.
    clients: BTreeMap<u64, Option<Vec<i32>>>,
    reaches: BTreeMap<u64, Reach>,
    locks: Locks,
    /// The ticket of each client's reservation.
    granted: BTreeMap<u64, u32>,
}

/// No slice of the patch is told of.
const NOT_TOLD: i32 = i32::MAX;

impl Server {
    /// A server of some ground.
    pub fn new(ground: Patches, options: ServerOptions) -> Self {
        Self {
            ground,
            options,
            log: VecDeque::new(),
            clients: BTreeMap::new(),
            reaches: BTreeMap::new(),
            locks: Locks::default(),
            granted: BTreeMap::new(),
        }
    }

    /// The ground.
    pub fn ground(&self) -> &Patches {
        &self.ground
    }

    /// Forgets a client that is gone.
    pub fn gone(&mut self, client: u64) {
        self.clients.remove(&client);
        self.reaches.remove(&client);
        self.granted.remove(&client);
        self.locks.release(client);
    }

    /// Takes a message; gives those to send, and to whom.
    pub fn receive(&mut self, now: u64, from: u64, message: &[u8]) -> Vec<(u64, Vec<u8>)> {
        self.locks.expire(now);
        let answers = match Message::decode(message) {
            Ok(Message::Hello { version, reach }) => self.hello(from, version, reach),
            // Whoever did not say what it has is told nothing.
            _ if !self.clients.contains_key(&from) => Vec::new(),
            Ok(Message::Stamp { ticket, stamp }) => self.stamp(from, ticket, &stamp),
            Ok(Message::Reserve {
                ticket,
                stamp,
                nodes,
            }) => self.reserve(now, from, ticket, &stamp, nodes),
            Ok(Message::Changes { ticket, bytes }) => self.changes(from, ticket, &bytes),
            _ => Vec::new(),
        };
        let encoded = answers
            .into_iter()
            .map(|(to, answer)| (to, answer.encode()));
        encoded.collect()
    }

    fn hello(
        &mut self,
        from: u64,
        version: Option<Version>,
        reach: Option<Reach>,
    ) -> Vec<(u64, Message)> {
        self.granted.remove(&from);
        self.locks.release(from);
        let found = self.ground.version();
        if let (Some(said), None) = (version, reach) {
            let first = self.log.front().map_or(found, |set| set.from);
            let known = |set: &&ChangeSet| set.from == said;
            if said == found || self.log.iter().any(|set| known(&set)) {
                self.clients.insert(from, None);
                let missed = self.log.iter().filter(|set| set.from.number >= said.number);
                return missed.map(|set| (from, told(0, set))).collect();
            }
            if said.number >= first.number {
                self.clients.remove(&from);
                return vec![(from, Message::Mistaken { said, found })];
            }
        }
        let lowest = reach.map(|reach| self.lowest(&reach));
        self.reaches.remove(&from);
        self.reaches.extend(reach.map(|reach| (from, reach)));
        let part = match &lowest {
            Some(lowest) => &self.part(lowest),
            None => &self.ground,
        };
        let file = encode(part);
        self.clients.insert(from, lowest.clone());
        let lowest = lowest.unwrap_or_default();
        vec![(from, Message::Ground { file, lowest })]
    }

    /// The lowest slice that a reach wants of each patch.
    fn lowest(&self, reach: &Reach) -> Vec<i32> {
        let frame = self.ground.frame();
        let mut lowest = vec![NOT_TOLD; frame.patches().len()];
        let range = |[from, to]: [u32; 2], end: u32| from.min(end)..to.min(end);
        let columns = range(reach.columns, frame.width());
        let rows = range(reach.rows, frame.height());
        for patch in frame.patches_in(columns, rows) {
            let square = frame.patches()[patch];
            let side = 1 << square.level;
            let (right, bottom) = (
                frame.width().min(square.x + side),
                frame.height().min(square.y + side),
            );
            let places = (square.y..bottom).flat_map(|y| (square.x..right).map(move |x| (x, y)));
            let tops = places.filter_map(|(x, y)| self.ground.top(x, y));
            let surface = tops.min().unwrap_or(0);
            lowest[patch] = surface.saturating_sub_unsigned(reach.depth);
        }
        lowest
    }

    /// The ground from these slices upwards.
    fn part(&self, lowest: &[i32]) -> Patches {
        let stacks = self
            .ground
            .stacks()
            .iter()
            .zip(lowest)
            .map(|(stack, &lowest)| {
                let from = stack.range().start.max(lowest);
                let slices =
                    (from..stack.range().end).filter_map(|slice| stack.slice(slice).cloned());
                Stack::new(from, slices)
            });
        let frame = self.ground.frame().clone();
        Patches::new(frame, self.ground.version(), stacks.collect())
    }

    fn stamp(&mut self, from: u64, ticket: u32, stamp: &Stamp) -> Vec<(u64, Message)> {
        let planned = check_effect(self.ground.frame(), stamp.effect)
            .and_then(|()| stamp.cubes(self.ground.frame()))
            .map(|cubes| self.ground.plan(&cubes, stamp.effect));
        let refused = |why: String| vec![(from, Message::Nothing { ticket, why })];
        match planned {
            Err(error) => refused(error.to_string()),
            Ok(changes) if changes.is_empty() => refused(String::new()),
            Ok(changes) => self.make(from, ticket, changes.body),
        }
    }

    /// Makes changes, and tells everybody.
    fn make(&mut self, from: u64, ticket: u32, body: Body) -> Vec<(u64, Message)> {
        let changes = ChangeSet::new(self.ground.version(), body);
        if let Err(error) = self.ground.apply(&changes) {
            let why = error.to_string();
            return vec![(from, Message::Nothing { ticket, why })];
        }
        let mut answers = self.deeper(&changes);
        for (&client, lowest) in &self.clients {
            let ticket = if client == from { ticket } else { 0 };
            let told = match lowest {
                None => told(ticket, &changes),
                Some(lowest) => told(ticket, &part_of(&changes, lowest)),
            };
            answers.push((client, told));
        }
        self.log.push_back(changes);
        while self.log.len() > self.options.keep {
            self.log.pop_front();
        }
        answers
    }

    /// More slices for those who have a patch, where it was dug deeper than they know. They are told as they
    /// are after the change, of which the client hears next: a branch that is put in twice is the same.
    fn deeper(&mut self, changes: &ChangeSet) -> Vec<(u64, Message)> {
        let Body::Branches(branches) = &changes.body else {
            return Vec::new();
        };
        let mut deepest: BTreeMap<u32, i32> = BTreeMap::new();
        for record in branches.records() {
            let slice = deepest.entry(record.patch).or_insert(record.slice);
            *slice = record.slice.min(*slice);
        }
        let clients: Vec<u64> = self.clients.keys().copied().collect();
        let mut answers = Vec::new();
        for client in clients {
            for (&patch, &slice) in &deepest {
                answers.extend(
                    self.tell_from(client, patch, slice)
                        .map(|more| (client, more)),
                );
            }
        }
        answers
    }

    /// The slices of a patch that a client lacks, down to a slice and as much deeper as it likes, but not
    /// below all ground. Nothing where it has them, or not the patch at all.
    fn tell_from(&mut self, client: u64, patch: u32, slice: i32) -> Option<Message> {
        let depth = self.reaches.get(&client).map_or(0, |reach| reach.depth);
        let known = self
            .clients
            .get_mut(&client)?
            .as_mut()?
            .get_mut(patch as usize)?;
        if *known == NOT_TOLD || slice >= *known {
            return None;
        }
        let stack = &self.ground.stacks()[patch as usize];
        let level = self.ground.frame().patches()[patch as usize].level;
        let bottom = stack.range().start.min(slice);
        let from = slice.saturating_sub_unsigned(depth).max(bottom);
        let empty = Tree::of(EMPTY);
        let trees = (from..*known)
            .map(|slice| encode_tree(stack.slice(slice).unwrap_or(&empty), level))
            .collect();
        *known = from;
        Some(Message::Slices {
            patch,
            lowest: from,
            trees,
        })
    }

    fn reserve(
        &mut self,
        now: u64,
        from: u64,
        ticket: u32,
        stamp: &Stamp,
        nodes: u64,
    ) -> Vec<(u64, Message)> {
        let answer = match stamp.reach(self.ground.frame()) {
            Err(error) => Message::Nothing {
                ticket,
                why: error.to_string(),
            },
            Ok((corner, size)) => {
                let more = self.below(from, corner, size);
                if !more.is_empty() {
                    let reason = Reason::Stale;
                    let denied = Message::Denied { ticket, reason };
                    let answers = more.into_iter().chain([denied]);
                    return answers.map(|answer| (from, answer)).collect();
                }
                let found = self.ground.affected(corner, size);
                let own = self.options.own.then_some(from);
                if digest_of(&found) != nodes {
                    let reason = Reason::Stale;
                    Message::Denied { ticket, reason }
                } else if self.locks.conflict(&found, own).is_some() {
                    let reason = Reason::Locked;
                    Message::Denied { ticket, reason }
                } else {
                    self.locks.lock(from, found, now + self.options.lock);
                    self.granted.insert(from, ticket);
                    Message::Granted { ticket }
                }
            }
        };
        vec![(from, answer)]
    }

    /// The slices that a client lacks of those that a box touches.
    fn below(&mut self, client: u64, corner: [i32; 3], size: [u32; 3]) -> Vec<Message> {
        let [x, y, slice] = corner;
        let (columns, rows) = (x as u32..x as u32 + size[0], y as u32..y as u32 + size[1]);
        let patches = self.ground.frame().patches_in(columns, rows);
        let more = patches.into_iter().filter_map(|patch| {
            // Below all ground there is nothing to be told.
            let bottom = self.ground.stacks()[patch].range().start;
            self.tell_from(client, patch as u32, slice.max(bottom))
        });
        more.collect()
    }

    /// What a client changed that holds a reservation.
    fn changes(&mut self, from: u64, ticket: u32, bytes: &[u8]) -> Vec<(u64, Message)> {
        let refused = |why: &str| {
            let why = why.to_owned();
            vec![(from, Message::Nothing { ticket, why })]
        };
        let late = || {
            let reason = Reason::Stale;
            vec![(from, Message::Denied { ticket, reason })]
        };
        if self.granted.remove(&from) != Some(ticket) {
            return late();
        }
        let changes = match ChangeSet::decode(bytes) {
            Ok((changes, _)) => changes,
            Err(error) => return refused(&error.to_string()),
        };
        if let Err(error) = changes.body.check(self.ground.frame()) {
            return refused(&error.to_string());
        }
        let Body::Branches(branches) = &changes.body else {
            return refused("runs of columns are not what this server holds");
        };
        if changes.is_empty() {
            return refused("");
        }
        if !self.reserved(from, branches) {
            return late();
        }
        self.make(from, ticket, changes.body)
    }

    /// Whether a client holds all nodes that branches replace.
    fn reserved(&self, client: u64, branches: &Branches) -> bool {
        branches.records().iter().all(|record| {
            let name: NodeName = (record.patch, record.slice, record.path);
            if self.locks.holds(client, name) {
                return true;
            }
            let level = self.ground.frame().patches()[record.patch as usize].level;
            let stack = &self.ground.stacks()[record.patch as usize];
            let (Some(tree), Some((corner, below))) =
                (stack.slice(record.slice), record.path.square(level))
            else {
                return false;
            };
            let end = corner.map(|at| at + (1 << below));
            let mut all = true;
            tree.leaves_in(level, [corner, end], &mut |path, _, _, _| {
                all &= self.locks.holds(client, (record.patch, record.slice, path));
            });
            all
        })
    }
}

fn told(ticket: u32, changes: &ChangeSet) -> Message {
    Message::Changes {
        ticket,
        bytes: changes.encode(),
    }
}

/// The same changes, without those of slices that nobody told of.
fn part_of(changes: &ChangeSet, lowest: &[i32]) -> ChangeSet {
    let Body::Branches(branches) = &changes.body else {
        return changes.clone();
    };
    let mut part = Branches::default();
    for (record, codes) in branches.iter() {
        if record.slice >= lowest[record.patch as usize] {
            part.push(record.patch, record.slice, record.path, codes);
        }
    }
    ChangeSet {
        from: changes.from,
        to: changes.to,
        body: Body::Branches(part),
    }
}
