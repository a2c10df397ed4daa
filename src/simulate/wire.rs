//! Packets in flight: when each arrives, and which get lost.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use viewcell::dice::Dice;

use super::loopback::Loopback;
use super::network::{Lines, Losses};

pub use super::network::Network;
pub use super::packet::{
    AGREEMENT, HEADERS, Item, PIECE, POSITION, PREAMBLE, SERVER, Word, pieces,
};

/// Everything that one scheme sends.
#[derive(Debug, Default)]
pub struct Wire {
    network: Network,
    dice: Dice,
    losses: Losses,
    /// There and back, for each player. [Unit: ms]
    times: Vec<f64>,
    /// Of the clients: up and down.
    lines: [Lines; 2],
    now: f64,
    /// What arrives at once.
    here: VecDeque<Item>,
    /// What is on its way.
    later: BinaryHeap<Travelling<Item>>,
    /// Where lines carry so much and no more: what is on its way to a client's line.
    coming: BinaryHeap<Travelling<Packet>>,
    /// The same: the packet that may be added to.
    open: Option<Packet>,
    /// Real sockets, if packets go over them.
    loopback: Option<Loopback>,
    fault: Option<std::io::Error>,
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

/// A packet on its way to a line.
#[derive(Debug)]
struct Packet {
    items: Vec<Item>,
    /// With all headers.
    bytes: u64,
    /// How long it takes from line to line, but for those; none if it gets lost. [Unit: ms]
    way: Option<f64>,
}

#[derive(Debug)]
struct Travelling<T> {
    arrival: f64,
    number: u64,
    item: T,
}

impl<T> PartialEq for Travelling<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Travelling<T> {}

impl<T> PartialOrd for Travelling<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Travelling<T> {
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
            dice: Dice(seed),
            losses: Losses::new(players),
            times: network.times(players, seed),
            lines: [Lines::new(players), Lines::new(players)],
            network,
            ..Self::default()
        }
    }

    /// Whether questions are answered within a frame.
    pub fn is_instant(&self) -> bool {
        self.network.is_instant()
    }

    /// Whether what arrives does so within the frame: packets may get lost.
    pub fn is_prompt(&self) -> bool {
        self.network.is_prompt()
    }

    /// How packets travel.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Sends everything over sockets of the loopback from now on. On a network on which all arrives
    /// at once.
    pub fn over(mut self, loopback: Option<Loopback>) -> Self {
        self.loopback = loopback;
        self
    }

    /// Datagrams and bytes that went over the loopback, headers of UDP and IP added.
    ///
    /// # Errors
    ///
    /// Why the loopback carries nothing any more.
    pub fn carried(&mut self) -> std::io::Result<Option<[u64; 2]>> {
        self.close();
        match (self.fault.take(), &self.loopback) {
            (Some(fault), _) => Err(fault),
            (None, Some(loopback)) => {
                let headers = HEADERS * loopback.datagrams + loopback.pieces;
                Ok(Some([loopback.datagrams, loopback.bytes + headers]))
            }
            (None, None) => Ok(None),
        }
    }

    /// What the clock says. [Unit: ms]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The longest that a question and its answer take between two peers. [Unit: ms]
    pub fn longest(&self) -> f64 {
        let longest = self.times.iter().copied().fold(0.0, f64::max);
        longest + 2.0 * self.network.jitter
    }

    /// Sends a packet with one statement.
    pub fn send(&mut self, item: Item) {
        self.close();
        let side = usize::from(item.from == SERVER);
        self.packets[side] += 1;
        self.bytes[side] += HEADERS + PREAMBLE;
        self.length = PREAMBLE;
        let way = self.way(item.from, item.to);
        self.arrival = way.map(|way| self.now + way);
        if self.network.bandwidth.is_some() || self.loopback.is_some() {
            self.open = Some(Packet {
                items: Vec::new(),
                bytes: HEADERS + PREAMBLE,
                way,
            });
        }
        self.put(item);
    }

    /// Puts a further statement into the packet that was sent last.
    pub fn add(&mut self, item: Item) {
        self.put(item);
    }

    fn put(&mut self, item: Item) {
        let side = usize::from(item.from == SERVER);
        let more = match item.word {
            Word::Agree | Word::Quiet => POSITION + AGREEMENT,
            _ => POSITION,
        };
        // Each further piece has a header of IP of its own.
        let bytes = more + 20 * (pieces(self.length + more) - pieces(self.length));
        self.bytes[side] += bytes;
        self.length += more;
        if let Some(open) = &mut self.open {
            open.bytes += bytes;
            open.items.push(item);
            return;
        }
        let Some(arrival) = self.arrival else {
            return;
        };
        if arrival <= self.now {
            self.here.push_back(item);
        } else {
            self.put_later(arrival, item);
        }
    }

    fn put_later(&mut self, arrival: f64, item: Item) {
        self.sent += 1;
        self.later.push(Travelling {
            arrival,
            number: self.sent,
            item,
        });
    }

    /// The packet that was sent last is whole, and goes to its sender's line.
    fn close(&mut self) {
        let Some(packet) = self.open.take() else {
            return;
        };
        let Some(from) = packet.items.first().map(|item| item.from) else {
            return;
        };
        if let Some(loopback) = &mut self.loopback {
            match loopback.carry(&packet.items) {
                Ok(true) => self.here.extend(packet.items),
                Ok(false) => self.lost += 1,
                // Nothing goes on, and it is told at the end.
                Err(error) => self.fault = Some(self.fault.take().unwrap_or(error)),
            }
            return;
        }
        let passed = self.lines[0].pass(&self.network, from, self.now, packet.bytes);
        match (passed, packet.way) {
            (Some(passed), Some(way)) => {
                self.sent += 1;
                self.coming.push(Travelling {
                    arrival: passed + way,
                    number: self.sent,
                    item: packet,
                });
            }
            (None, Some(_)) => self.lost += 1,
            // It gets lost further on, and has been counted.
            (_, None) => {}
        }
    }

    /// How long a packet that is sent now takes; none if it gets lost.
    fn way(&mut self, from: u32, to: u32) -> Option<f64> {
        if self.losses.next(&self.network, from, &mut self.dice) {
            self.lost += 1;
            return None;
        }
        let late = if self.network.jitter > 0.0 {
            self.network.jitter * self.dice.fraction()
        } else {
            0.0
        };
        let time = |player: u32| self.times.get(player as usize).copied();
        // There and back between two peers is the mean of theirs, and a way is half of that.
        let way = match (time(from), time(to)) {
            (Some(a), Some(b)) => (a + b) / 4.0,
            (a, b) => a.or(b).unwrap_or(self.network.rtt) / 2.0,
        };
        Some(way + late)
    }

    /// Lets packets pass the lines of those whom they go to, up to a time.
    fn pass(&mut self, limit: f64) {
        while let Some(next) = self.coming.peek()
            && next.arrival <= limit
            // What has passed is looked at first, if it arrives before.
            && self.later.peek().is_none_or(|first| next.arrival < first.arrival)
        {
            let Some(Travelling { arrival, item, .. }) = self.coming.pop() else {
                return;
            };
            let Some(to) = item.items.first().map(|item| item.to) else {
                continue;
            };
            match self.lines[1].pass(&self.network, to, arrival, item.bytes) {
                Some(passed) => {
                    for item in item.items {
                        self.put_later(passed, item);
                    }
                }
                None => self.lost += 1,
            }
        }
    }

    /// Sets the clock to `limit`, or to when the next packet arrives if that is earlier; returns
    /// whether something has arrived by then.
    pub fn advance(&mut self, limit: f64) -> bool {
        self.close();
        self.pass(limit);
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
        self.close();
        if let Some(next) = self.later.peek()
            && next.arrival <= self.now
        {
            return self.later.pop().map(|next| next.item);
        }
        self.here.pop_front()
    }
}
