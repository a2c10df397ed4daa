//! Whole messages, in order, over packets that get lost.

use std::collections::{BTreeMap, VecDeque};

use super::super::code::Cursor;
use viewcell::format::crc32;

/// The most bytes of a message in one packet.
const PIECE: usize = 1200;
/// The most packets on their way at a time.
const WINDOW: usize = 64;
/// Checksum, number, number that is expected, kind.
const HEAD: usize = 13;
const DATA: u8 = 1;
const LAST: u8 = 2;
/// The most bytes of one message.
const MOST: usize = 1 << 28;

/// One end of a connection.
#[derive(Debug, Default)]
pub struct Link {
    /// After how long a packet is sent again. [Unit: ms]
    resend: u64,
    next: u32,
    /// Number, packet's kind and bytes, when it was sent last.
    waiting: VecDeque<(u32, u8, Vec<u8>, Option<u64>)>,
    expected: u32,
    early: BTreeMap<u32, (u8, Vec<u8>)>,
    partial: Vec<u8>,
    ready: VecDeque<Vec<u8>>,
    tell: bool,
}

impl Link {
    /// Sends again what nobody has confirmed after so many milliseconds.
    pub fn new(resend: u64) -> Self {
        Self {
            resend,
            ..Self::default()
        }
    }

    /// Takes a message to be sent.
    pub fn send(&mut self, message: &[u8]) {
        let mut pieces = message.chunks(PIECE).peekable();
        if pieces.peek().is_none() {
            self.push(DATA | LAST, &[]);
        }
        while let Some(piece) = pieces.next() {
            let last = if pieces.peek().is_none() { LAST } else { 0 };
            self.push(DATA | last, piece);
        }
    }

    fn push(&mut self, kind: u8, piece: &[u8]) {
        self.waiting
            .push_back((self.next, kind, piece.to_vec(), None));
        self.next = self.next.wrapping_add(1);
    }

    /// The next packet that is due.
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let resend = self.resend;
        let due = |sent: Option<u64>| sent.is_none_or(|sent| now >= sent + resend);
        let waiting = self
            .waiting
            .iter_mut()
            .take(WINDOW)
            .find(|packet| due(packet.3));
        if let Some((number, kind, piece, sent)) = waiting {
            *sent = Some(now);
            self.tell = false;
            return Some(packet(*number, self.expected, *kind, piece));
        }
        std::mem::take(&mut self.tell).then(|| packet(0, self.expected, 0, &[]))
    }

    /// Takes a packet that came; those that are damaged are as if they had been lost.
    pub fn receive(&mut self, packet: &[u8]) {
        let Some((number, expected, kind, piece)) = read(packet) else {
            return;
        };
        // What the other end expects, it has all before.
        while let Some((first, ..)) = self.waiting.front()
            && (expected.wrapping_sub(*first) as i32) > 0
        {
            self.waiting.pop_front();
        }
        if kind & DATA == 0 {
            return;
        }
        self.tell = true;
        let ahead = number.wrapping_sub(self.expected);
        if (ahead as usize) < WINDOW {
            self.early.insert(number, (kind, piece.to_vec()));
        }
        while let Some((kind, piece)) = self.early.remove(&self.expected) {
            self.expected = self.expected.wrapping_add(1);
            if self.partial.len() + piece.len() <= MOST {
                self.partial.extend_from_slice(&piece);
            }
            if kind & LAST != 0 {
                self.ready.push_back(std::mem::take(&mut self.partial));
            }
        }
    }

    /// The next whole message that came.
    pub fn next_message(&mut self) -> Option<Vec<u8>> {
        self.ready.pop_front()
    }

    /// Whether all that was sent was confirmed.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.ready.is_empty() && !self.tell
    }
}

fn packet(number: u32, expected: u32, kind: u8, piece: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.extend(number.to_le_bytes());
    bytes.extend(expected.to_le_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(piece);
    let checksum = crc32(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn read(packet: &[u8]) -> Option<(u32, u32, u8, &[u8])> {
    if packet.len() > HEAD + PIECE {
        return None;
    }
    let mut cursor = Cursor(packet);
    let checksum = cursor.u32()?;
    if crc32(cursor.0) != checksum {
        return None;
    }
    Some((cursor.u32()?, cursor.u32()?, cursor.u8()?, cursor.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    #[test]
    fn messages_come_whole_and_in_order_however_many_packets_get_lost() {
        let mut dice = Dice(5);
        let sent: Vec<Vec<u8>> = (0..60u32)
            .map(|i| (0..dice.roll(5000)).map(|k| (i + k) as u8).collect())
            .collect();
        let (mut a, mut b) = (Link::new(20), Link::new(20));
        sent.iter().for_each(|message| a.send(message));
        b.send(b"back");
        let mut on_the_way: Vec<(u64, bool, Vec<u8>)> = Vec::new();
        let mut came = Vec::new();
        for now in 0..20_000 {
            while let Some(packet) = a.poll(now) {
                on_the_way.push((now + u64::from(dice.roll(30)), true, packet));
            }
            while let Some(packet) = b.poll(now) {
                on_the_way.push((now + u64::from(dice.roll(30)), false, packet));
            }
            let due: Vec<_> = on_the_way
                .extract_if(.., |packet| packet.0 <= now)
                .collect();
            for (_, to_b, mut packet) in due {
                match dice.roll(10) {
                    0..3 => continue,
                    3 => packet[7] ^= 1,
                    _ => {}
                }
                let times = 1 + dice.roll(2);
                (0..times).for_each(|_| {
                    if to_b {
                        b.receive(&packet)
                    } else {
                        a.receive(&packet)
                    }
                });
            }
            came.extend(std::iter::from_fn(|| b.next_message()));
            if came.len() == sent.len() && a.is_idle() {
                break;
            }
        }
        assert_eq!(came, sent);
    }
}
