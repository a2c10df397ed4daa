//! Packets: what they say of players, and how many bytes they take.

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
    /// That they need not say where they are before a frame: the number in `answers`.
    Quiet,
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

/// In how many pieces IP carries so many bytes of a packet.
pub fn pieces(length: u64) -> u64 {
    (length + 8).div_ceil(PIECE)
}
