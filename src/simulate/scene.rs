//! One frame: where everybody is, and who sees whom, in rows of bits.

use super::field::{Field, Place};
use super::play::Play;
use viewcell::format::bits;

/// A frame of a play.
#[derive(Debug)]
pub struct Scene<'s> {
    /// Where it is played.
    pub field: &'s Field<'s>,
    /// How many players.
    pub players: usize,
    /// The number of the frame.
    pub frame: usize,
    /// How long a frame takes. [Unit: ms]
    pub step: f64,
    /// Where everybody is.
    pub places: Vec<Option<Place>>,
    /// Where everybody's eye is.
    pub at: Vec<[f64; 3]>,
    /// Who sees whom, by the bundle: a row of bits for each viewer, 64 a word.
    sees: Vec<u64>,
    /// Who is anywhere: a row of bits.
    present: Vec<u64>,
    /// Whether a line of sight is asked for besides, to judge by.
    lines: bool,
    /// Who is somewhere else than in the frame before.
    moved: Vec<bool>,
    /// Pairs that the bundle was asked of.
    pub asked: u64,
}

impl<'s> Scene<'s> {
    /// Before the first frame.
    pub fn new(field: &'s Field<'s>, play: &Play, lines: bool) -> Self {
        let players = play.players;
        Self {
            field,
            players,
            frame: 0,
            step: play.step,
            places: vec![None; players],
            at: vec![[0.0; 3]; players],
            sees: vec![0; players * players.div_ceil(64)],
            present: vec![0; players.div_ceil(64)],
            lines,
            moved: vec![false; players],
            asked: 0,
        }
    }

    /// Goes on to a frame. Only pairs of whom one has gone somewhere else are looked up.
    pub fn show(&mut self, play: &Play, frame: usize) {
        self.frame = frame;
        self.at.copy_from_slice(play.at(frame));
        for (player, &place) in play.places(frame).iter().enumerate() {
            self.moved[player] = self.places[player] != place;
            self.places[player] = place;
            set(&mut self.present, player, place.is_some());
        }
        let words = self.players.div_ceil(64);
        let mutual = self.field.is_mutual();
        for a in 0..self.players {
            for b in 0..a {
                if !self.moved[a] && !self.moved[b] {
                    continue;
                }
                let (there, back) = match (self.places[a], self.places[b]) {
                    (Some(here), Some(there)) => {
                        self.asked += 1;
                        let sees = self.field.visible(here, there);
                        let seen = if mutual {
                            sees
                        } else {
                            self.field.visible(there, here)
                        };
                        (sees, seen)
                    }
                    _ => (false, false),
                };
                set(&mut self.sees[a * words..], b, there);
                set(&mut self.sees[b * words..], a, back);
            }
        }
    }

    /// When the frame is. [Unit: ms]
    pub fn now(&self) -> f64 {
        self.frame as f64 * self.step
    }

    /// Whether a player can see another, by the bundle.
    #[inline]
    pub fn sees(&self, viewer: usize, other: usize) -> bool {
        let row = viewer * self.players.div_ceil(64);
        self.sees[row + other / 64] >> (other % 64) & 1 == 1
    }

    /// Who is anywhere: bit i % 64 of word i / 64 for player i.
    pub fn present(&self) -> &[u64] {
        &self.present
    }

    /// Whom of 64 players one can see, those of a word of [`Scene::present`], by what is judged by.
    pub fn truly_seen(&self, viewer: usize, word: usize) -> u64 {
        let seen = self.sees[viewer * self.players.div_ceil(64) + word];
        if !self.lines {
            return seen;
        }
        let truly = |bit: &u32| self.truly_sees(viewer, word * 64 + *bit as usize);
        bits::ones(seen).filter(truly).map(|bit| 1 << bit).sum()
    }

    /// Whether a player can see another, by what is judged by.
    fn truly_sees(&self, viewer: usize, other: usize) -> bool {
        let sees = self.sees(viewer, other);
        match self.field.lines().filter(|_| sees && self.lines) {
            Some(lines) => lines.in_sight(self.at[viewer], self.at[other]),
            None => sees,
        }
    }

    /// Whether somebody at one place can see somebody at another, where the two are thought to be.
    pub fn would_see(&self, viewer: (usize, Place), other: (usize, Place)) -> bool {
        if self.places[viewer.0] == Some(viewer.1) && self.places[other.0] == Some(other.1) {
            return self.sees(viewer.0, other.0);
        }
        self.field.visible(viewer.1, other.1)
    }
}

/// Sets a bit of a row.
pub(super) fn set(row: &mut [u64], bit: usize, on: bool) {
    let word = &mut row[bit / 64];
    *word = *word & !(1 << (bit % 64)) | u64::from(on) << (bit % 64);
}
