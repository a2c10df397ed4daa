//! What is known so far of players whose movements are played, and of what schemes of networking make of them.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, OnceLock};

/// What is known so far.
#[derive(Default)]
pub(super) struct Played {
    /// Whether anybody finds out.
    pub begun: AtomicBool,
    /// Frames of which it is known who sees whom.
    pub frames: AtomicUsize,
    /// The paths; or why there are none.
    pub ways: OnceLock<Result<Ways, String>>,
    /// What schemes come to that are done.
    pub counts: Mutex<Vec<Counts>>,
}

/// Where players are, frame by frame.
pub(super) struct Ways {
    /// How many players.
    pub players: usize,
    /// How many frames.
    pub frames: usize,
    /// How long a frame takes. [Unit: ms]
    pub step: f64,
    /// x and y of each player. [Unit: of the bundle]
    pub at: Vec<f32>,
    /// The place of each player, as the bundle numbers it; all ones for none.
    pub places: Vec<u32>,
    /// Of each player: 1 if they are somewhere, 2 if they are dead, 4 if they were put there.
    pub flags: Vec<u8>,
    /// Who sees whom, as in [`viewcell_simulate::score::Kept`].
    pub sees: Vec<u8>,
}

/// What a scheme came to, frame by frame.
pub(super) struct Counts {
    /// The scheme's name.
    pub name: String,
    /// Packets.
    pub packets: Vec<u32>,
    /// Bytes.
    pub bytes: Vec<u32>,
    /// Pairs of whom one could see the other, and did not know.
    pub late: Vec<u32>,
    /// Pairs of whom one knew where the other was without seeing them.
    pub exposed: Vec<u32>,
    /// Who heard of whom.
    pub told: Vec<u8>,
}
