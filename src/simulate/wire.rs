//! What becomes of packets: how long they take, which get lost, what they weigh.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::dice::Dice;

use super::field::Place;

/// The server's number among those who send; players are numbered from 0.
pub const SERVER: u32 = u32::MAX;

/// Headers of UDP (8 bytes) and of IP version 4 (20).
pub const HEADERS: u64 = 28;
/// Header of a game's packet: its number, its kind, the frame.
pub const PREAMBLE: u64 = 8;
/// A position: whose, and x, y and z in four bytes each.
pub const POSITION: u64 = 14;
/// What an agreement on a frontier set takes beside a position: the place that it answers, and the
/// frame.
pub const AGREEMENT: u64 = 8;
/// What of a packet IP carries in one piece, its own header taken off.
pub const PIECE: u64 = 1480;

/// How packets travel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// There and back: between a client and the server, and between two peers. [Unit: ms]
    pub rtt: f64,
    /// Added to each way at random, from nothing to this. [Unit: ms]
    pub jitter: f64,
    /// The share of packets that get lost.
    pub loss: f64,
    /// How many packets get lost in a row where any do, in the mean (Gilbert-Elliott: a state in
    /// which all get lost); 1 for independent losses.
    pub burst: f64,
}

impl Network {
    /// Whether all arrives at once, so that questions are answered within a frame.
    pub fn is_instant(&self) -> bool {
        self.rtt == 0.0 && self.jitter == 0.0 && self.loss == 0.0
    }
}

/// What is said of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Where they are.
    Position,
    /// Where they are, and an answer is wanted.
    Hello,
    /// Where they are, and that they keep to the frontier set that is made from there and from the
    /// place that they were told last.
    Agree,
}

/// One statement in a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Who says it.
    pub from: u32,
    /// To whom.
    pub to: u32,
    /// Of which player.
    pub about: u32,
    /// What.
    pub word: Word,
    /// The place that player was in.
    pub place: Place,
    /// Where in it.
    pub at: [f32; 3],
    /// In which frame.
    pub frame: u32,
    /// The place that an agreement answers.
    pub answers: Place,
}

/// Everything that one scheme sends.
#[derive(Debug)]
pub struct Wire {
    network: Network,
    dice: Dice,
    /// For each who sends, whether packets get lost now: players, then the server.
    losing: Vec<bool>,
    now: f64,
    /// What arrives at once.
    here: VecDeque<Item>,
    /// What is on its way.
    later: BinaryHeap<Travelling>,
    sent: u64,
    /// When the last packet arrives; none if it is lost.
    arrival: Option<f64>,
    /// Bytes of the last packet, without the headers of UDP and IP.
    length: u64,
    /// Packets from clients and from the server.
    pub packets: [u64; 2],
    /// Bytes from clients and from the server.
    pub bytes: [u64; 2],
    /// Packets that did not arrive.
    pub lost: u64,
}

#[derive(Debug)]
struct Travelling {
    arrival: f64,
    number: u64,
    item: Item,
}

impl PartialEq for Travelling {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Travelling {}

impl PartialOrd for Travelling {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Travelling {
    /// The greatest is the first to arrive.
    fn cmp(&self, other: &Self) -> Ordering {
        let time = other.arrival.total_cmp(&self.arrival);
        time.then(other.number.cmp(&self.number))
    }
}

impl Wire {
    /// An empty network. The same seed loses the same packets.
    pub fn new(network: Network, players: usize, seed: u64) -> Self {
        Self {
            network,
            dice: Dice(seed),
            losing: vec![false; players + 1],
            now: 0.0,
            here: VecDeque::new(),
            later: BinaryHeap::new(),
            sent: 0,
            arrival: None,
            length: 0,
            packets: [0; 2],
            bytes: [0; 2],
            lost: 0,
        }
    }

    /// Whether questions are answered within a frame.
    pub fn is_instant(&self) -> bool {
        self.network.is_instant()
    }

    /// Whether what arrives does so within the frame: packets may get lost.
    pub fn is_prompt(&self) -> bool {
        self.network.rtt == 0.0 && self.network.jitter == 0.0
    }

    /// How packets travel.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What the clock says. [Unit: ms]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Sends a packet with one statement.
    pub fn send(&mut self, item: Item) {
        let side = usize::from(item.from == SERVER);
        self.packets[side] += 1;
        self.bytes[side] += HEADERS + PREAMBLE;
        self.length = PREAMBLE;
        self.arrival = self.travel(item.from);
        self.put(item);
    }

    /// Puts a further statement into the packet that was sent last.
    pub fn add(&mut self, item: Item) {
        self.put(item);
    }

    fn put(&mut self, item: Item) {
        let side = usize::from(item.from == SERVER);
        let more = match item.word {
            Word::Agree => POSITION + AGREEMENT,
            _ => POSITION,
        };
        let pieces = |length: u64| (length + 8).div_ceil(PIECE);
        // Each further piece has a header of IP of its own.
        self.bytes[side] += more + 20 * (pieces(self.length + more) - pieces(self.length));
        self.length += more;
        let Some(arrival) = self.arrival else {
            return;
        };
        if arrival <= self.now {
            self.here.push_back(item);
        } else {
            self.sent += 1;
            self.later.push(Travelling {
                arrival,
                number: self.sent,
                item,
            });
        }
    }

    /// When a packet that is sent now arrives; none if it gets lost.
    fn travel(&mut self, from: u32) -> Option<f64> {
        let Network {
            rtt,
            jitter,
            loss,
            burst,
        } = self.network;
        if loss > 0.0 {
            let last = self.losing.len() - 1;
            let losing = &mut self.losing[(from as usize).min(last)];
            // Two states: a packet ends a burst with 1 / burst, and begins one as often as makes up
            // the share that gets lost.
            let chance = match (*losing, burst > 1.0) {
                (_, false) => loss,
                (true, true) => 1.0 - 1.0 / burst,
                (false, true) => loss / (burst * (1.0 - loss)),
            };
            *losing = self.dice.fraction() < chance;
            if *losing {
                self.lost += 1;
                return None;
            }
        }
        let late = if jitter > 0.0 {
            jitter * self.dice.fraction()
        } else {
            0.0
        };
        Some(self.now + rtt / 2.0 + late)
    }

    /// Sets the clock to `limit`, or to when the next packet arrives if that is earlier; returns
    /// whether something has arrived by then.
    pub fn advance(&mut self, limit: f64) -> bool {
        if !self.here.is_empty() {
            return true;
        }
        match self.later.peek() {
            Some(next) if next.arrival <= limit => {
                self.now = self.now.max(next.arrival);
                true
            }
            _ => {
                self.now = self.now.max(limit);
                false
            }
        }
    }

    /// What has arrived, in order.
    pub fn receive(&mut self) -> Option<Item> {
        if let Some(next) = self.later.peek()
            && next.arrival <= self.now
        {
            return self.later.pop().map(|next| next.item);
        }
        self.here.pop_front()
    }
}
