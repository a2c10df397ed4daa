//! The same packets as datagrams over the loopback: a socket for the server and one for each
//! client.
//!
//! A packet is sent from its sender's socket and read from its receiver's. What is read must say what
//! was sent, in as many bytes as were counted; a datagram that does not come within a second is lost.
//! In the bytes are the players, positions, frames and agreements. Places follow from positions, and are
//! passed on beside them.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use super::packet::{Item, SERVER, Word, pieces};

/// Sockets of a game.
#[derive(Debug)]
pub struct Loopback {
    /// Those of the players, and the server's.
    sockets: Vec<(UdpSocket, SocketAddr)>,
    until: Instant,
    number: u16,
    buffer: Vec<u8>,
    /// Datagrams that were read.
    pub datagrams: u64,
    /// Their bytes, without headers of UDP and IP.
    pub bytes: u64,
    /// What headers of IP take besides, where a datagram is longer than a piece. [Unit: bytes]
    pub pieces: u64,
}

/// How long a datagram may take.
const LONGEST: Duration = Duration::from_secs(1);
/// The longest datagram of UDP. [Unit: bytes]
const MOST_BYTES: usize = 65_507;

impl Loopback {
    /// Binds a socket for each player and one for the server, at free ports of the loopback.
    ///
    /// # Errors
    ///
    /// Where the system gives none.
    pub fn new(players: usize, most: Duration) -> io::Result<Self> {
        let bind = |_| {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.set_read_timeout(Some(LONGEST))?;
            let address = socket.local_addr()?;
            Ok((socket, address))
        };
        Ok(Self {
            sockets: (0..=players).map(bind).collect::<io::Result<_>>()?,
            until: Instant::now() + most,
            number: 0,
            buffer: vec![0; MOST_BYTES],
            datagrams: 0,
            bytes: 0,
            pieces: 0,
        })
    }

    /// Sends a packet and reads it; returns whether it came.
    ///
    /// # Errors
    ///
    /// Where a socket fails, where other bytes come than were sent, and where the time is over that
    /// all may take.
    pub fn carry(&mut self, items: &[Item]) -> io::Result<bool> {
        if Instant::now() > self.until {
            return Err(io::Error::new(
                ErrorKind::TimedOut,
                "the time is over that all datagrams may take together: fewer players or seconds",
            ));
        }
        let Some(first) = items.first() else {
            return Ok(true);
        };
        self.number = self.number.wrapping_add(1);
        let bytes = encode(self.number, items);
        let last = self.sockets.len() - 1;
        let socket = |who: u32| if who == SERVER { last } else { who as usize };
        let ((sender, from), (receiver, to)) = (
            &self.sockets[socket(first.from)],
            &self.sockets[socket(first.to)],
        );
        sender.send_to(&bytes, to)?;
        let (length, source) = loop {
            match receiver.recv_from(&mut self.buffer) {
                Ok((length, source)) if source == *from => break (length, source),
                // Somebody else's: the loopback is everybody's.
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        };
        let read = &self.buffer[..length];
        if read != bytes || !says(read, items) {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                format!(
                    "{source}: expected the {} bytes that were sent, found {length} others",
                    bytes.len()
                ),
            ));
        }
        self.datagrams += 1;
        self.bytes += length as u64;
        self.pieces += 20 * (pieces(length as u64) - 1);
        Ok(true)
    }
}

/// The bytes of a packet: its number (u16), the kind of what is said first (u16; all else are
/// positions), the frame (u32); then for each statement the player (u16) and the position (3 × f32),
/// and behind an agreement what it answers and the frame (u32 each). All little-endian.
fn encode(number: u16, items: &[Item]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + 14 * items.len());
    bytes.extend(number.to_le_bytes());
    let first = items.first();
    bytes.extend(first.map_or(0, |item| kind(item.word)).to_le_bytes());
    bytes.extend(first.map_or(0, |item| item.frame).to_le_bytes());
    for item in items {
        bytes.extend((item.about as u16).to_le_bytes());
        item.at.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        if matches!(item.word, Word::Agree | Word::Quiet) {
            bytes.extend(item.answers.to_le_bytes());
            bytes.extend(item.frame.to_le_bytes());
        }
    }
    bytes
}

fn kind(word: Word) -> u16 {
    match word {
        Word::Position => 0,
        Word::Hello => 1,
        Word::Agree => 2,
        Word::Quiet => 3,
    }
}

/// Whether the bytes of a packet say these things.
fn says(mut bytes: &[u8], items: &[Item]) -> bool {
    fn next<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (first, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(*first)
    }
    let mut read = || {
        let _number: [u8; 2] = next(&mut bytes)?;
        let word = u16::from_le_bytes(next(&mut bytes)?);
        let frame = u32::from_le_bytes(next(&mut bytes)?);
        let first = items.first()?;
        let mut same = word == kind(first.word) && frame == first.frame;
        for (i, item) in items.iter().enumerate() {
            same &= item.about == u32::from(u16::from_le_bytes(next(&mut bytes)?));
            for x in item.at {
                same &= x.to_bits() == u32::from_le_bytes(next(&mut bytes)?);
            }
            if i == 0 && word == 2 {
                same &= item.answers == u32::from_le_bytes(next(&mut bytes)?);
                same &= item.frame == u32::from_le_bytes(next(&mut bytes)?);
            }
            same &= i == 0 || item.word == Word::Position;
        }
        Some(same)
    };
    read() == Some(true) && bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AGREEMENT, POSITION, PREAMBLE};

    fn item(from: u32, to: u32, word: Word) -> Item {
        Item {
            from,
            to,
            about: 1,
            word,
            place: 7,
            at: [1.5, -2.0, 3.25],
            frame: 9,
            answers: 4,
        }
    }

    #[test]
    fn packets_come_as_they_were_sent_and_weigh_what_is_counted() {
        let mut loopback = Loopback::new(2, Duration::from_secs(60)).unwrap();
        let relayed = [
            item(SERVER, 0, Word::Agree),
            item(SERVER, 0, Word::Position),
        ];
        assert!(loopback.carry(&relayed).unwrap());
        assert!(loopback.carry(&[item(1, SERVER, Word::Position)]).unwrap());
        assert!(loopback.carry(&[item(0, 1, Word::Hello)]).unwrap());
        assert_eq!(loopback.datagrams, 3);
        assert_eq!(loopback.bytes, 3 * PREAMBLE + 4 * POSITION + AGREEMENT);
    }

    #[test]
    fn other_bytes_are_found_out() {
        let items = [item(0, 1, Word::Hello)];
        let bytes = encode(3, &items);
        assert!(says(&bytes, &items));
        for at in 2..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(!says(&other, &items), "byte {at}");
        }
        assert!(!says(&bytes[..bytes.len() - 1], &items));
    }

    #[test]
    fn time_is_bounded() {
        let mut loopback = Loopback::new(2, Duration::ZERO).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        let error = loopback.carry(&[item(0, 1, Word::Hello)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
