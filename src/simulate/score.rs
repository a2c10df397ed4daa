//! What is counted of a scheme, and what frontier sets could save at most, if all moves were known beforehand.

use super::field::{Field, Place, distance};
use super::play::Play;
use super::scene::Scene;
use super::wire::{Item, SERVER};
use viewcell::format::bits;

/// What players know of each other, and what that is worth.
#[derive(Clone, Debug, Default)]
pub struct Score {
    players: usize,
    /// For how long a player who was told of another knows where they are. [Unit: frames]
    fresh: u32,
    /// For how long after somebody was put somewhere else nobody can know. [Unit: frames]
    excused: u32,
    /// For each pair, one more than the frame of the last position that the first has of the second.
    heard: Vec<u32>,
    /// For each player, until which frame they are excused.
    jumped: Vec<u32>,
    /// For each pair, for how many frames the second has been seen without being known.
    late: Vec<u32>,
    /// The pairs for which that is more than 0: a row of bits for each player, 64 a word.
    are_late: Vec<u64>,
    /// Frames in which a player who can be seen was not known, of all pairs.
    pub late_frames: u64,
    /// The same, of those who had just been put somewhere else: nobody can foresee that.
    pub late_jumps: u64,
    /// How often somebody became late.
    pub late_events: u64,
    /// The longest time that somebody was late. [Unit: frames]
    pub late_longest: u32,
    /// Frames in which a client knew where somebody was whom it could not see.
    pub exposed_frames: u64,
    /// Pairs and frames of that kind.
    pub exposed_pairs: u64,
    /// Pairs and frames in which one cannot see the other.
    pub hidden_pairs: u64,
    /// Distances of those who were exposed, added up. [Unit: of the field]
    pub exposed_distance: f64,
    /// Pairs and frames in which one can see the other.
    pub visible_pairs: u64,
    /// Packets of each frame.
    pub packets: Vec<u32>,
    /// Bytes of each frame.
    pub bytes: Vec<u32>,
    /// What each frame was like, if that is kept.
    pub kept: Option<Kept>,
}

/// What each frame was like.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Pairs of whom one could see the other, and did not know.
    pub late: Vec<u32>,
    /// Pairs of whom one knew where the other was without seeing them.
    pub exposed: Vec<u32>,
    /// Who heard of whom: bit viewer · players + other of a frame, and each frame begins a byte.
    pub told: Vec<u8>,
}

impl Score {
    /// Nobody knows anybody. `fresh` and `excused` are in frames, at least 1 and 0.
    pub fn new(play: &Play, fresh: u32, excused: u32) -> Self {
        let players = play.players;
        Self {
            players,
            fresh,
            excused,
            heard: vec![0; players * players],
            jumped: vec![0; players],
            late: vec![0; players * players],
            are_late: vec![0; players * players.div_ceil(64)],
            packets: Vec::with_capacity(play.frames),
            bytes: Vec::with_capacity(play.frames),
            ..Self::default()
        }
    }

    /// The same, and keeps what each frame is like.
    pub fn keeping(self, keep: bool) -> Self {
        Self {
            kept: keep.then(Kept::default),
            ..self
        }
    }

    /// A statement has arrived.
    pub fn hear(&mut self, item: &Item) {
        if item.to != SERVER {
            let heard = &mut self.heard[item.to as usize * self.players + item.about as usize];
            *heard = (*heard).max(item.frame + 1);
        }
    }

    /// A frame is over.
    pub fn judge(&mut self, scene: &Scene, jumped: &[bool]) {
        let frame = scene.frame as u32;
        let before = [self.late_frames + self.late_jumps, self.exposed_pairs];
        for (until, _) in self
            .jumped
            .iter_mut()
            .zip(jumped)
            .filter(|(_, jumped)| **jumped)
        {
            *until = frame + 1 + self.excused;
        }
        for viewer in (0..self.players).filter(|viewer| scene.places[*viewer].is_some()) {
            let mut exposed = false;
            for word in 0..self.players.div_ceil(64) {
                exposed |= self.judge_some(scene, viewer, word);
            }
            self.exposed_frames += u64::from(exposed);
        }
        let after = [self.late_frames + self.late_jumps, self.exposed_pairs];
        if let Some(kept) = &mut self.kept {
            let [late, exposed] = [0, 1].map(|i| (after[i] - before[i]) as u32);
            kept.late.push(late);
            kept.exposed.push(exposed);
            let now = |heard: &u32| *heard == frame + 1;
            kept.told.extend(packed(self.heard.iter().map(now)));
        }
    }

    /// What one player knows of 64 others, those whose bits are in a word; returns whether they know of
    /// somebody whom they cannot see.
    fn judge_some(&mut self, scene: &Scene, viewer: usize, word: usize) -> bool {
        let (frame, first) = (scene.frame as u32, word * 64);
        let row = viewer * self.players + first;
        let end = (viewer + 1) * self.players;
        let mut known = 0;
        for (bit, heard) in self.heard[row..end.min(row + 64)].iter().enumerate() {
            known |= u64::from(heard + self.fresh > frame + 1) << bit;
        }
        let mut others = scene.present()[word];
        if viewer / 64 == word {
            others &= !(1 << (viewer % 64));
        }
        let seen = scene.truly_seen(viewer, word) & others;
        let (late, exposed) = (seen & !known, others & !seen & known);
        self.visible_pairs += u64::from(seen.count_ones());
        self.hidden_pairs += u64::from((others & !seen).count_ones());
        let words = self.players.div_ceil(64);
        let was_late = self.are_late[viewer * words + word];
        for bit in bits::ones(was_late & others & !late) {
            self.late[row + bit as usize] = 0;
        }
        self.are_late[viewer * words + word] &= !others | late;
        for bit in bits::ones(late) {
            if self.jumped[viewer].max(self.jumped[first + bit as usize]) > frame
                && self.excused > 0
            {
                self.late_jumps += 1;
                continue;
            }
            self.are_late[viewer * words + word] |= 1 << bit;
            let late = &mut self.late[row + bit as usize];
            self.late_events += u64::from(*late == 0);
            *late += 1;
            self.late_frames += 1;
            self.late_longest = self.late_longest.max(*late);
        }
        for bit in bits::ones(exposed) {
            self.exposed_pairs += 1;
            self.exposed_distance += distance(scene.at[viewer], scene.at[first + bit as usize]);
        }
        exposed != 0
    }
}

/// Answers as bits, the first the lowest of a byte.
pub fn packed(answers: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, answer) in answers.enumerate() {
        if i % 8 == 0 {
            bytes.push(0);
        }
        if let Some(byte) = bytes.last_mut() {
            *byte |= u8::from(answer) << (i % 8);
        }
    }
    bytes
}

/// What it would take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Packets that perfect peers send.
    pub perfect: u64,
    /// Times that a pair comes out of sight: as many agreements there must be, whatever the regions.
    pub out_of_sight: u64,
    /// Agreements, if each region holds all places that its player comes to, for as long as the two
    /// may be held apart at all. Nobody needs fewer.
    pub agreements: u64,
}

impl Bound {
    /// Packets in all against those of perfect peers, at so many packets an agreement.
    pub fn ratio(&self, packets: u64) -> f64 {
        (self.perfect + packets * self.agreements) as f64 / self.perfect.max(1) as f64
    }
}

/// The fewest agreements of each pair: a set lasts as long as no place that the one has been to
/// sees one that the other has been to. What holds for a stretch of time holds for each part of it,
/// so to end none early is best.
///
/// O(frames · places that a player comes to) a pair.
pub fn bound(field: &Field, play: &Play) -> Bound {
    let mut bound = Bound::default();
    for a in 0..play.players {
        for b in 0..a {
            let mut been: Option<[Vec<Place>; 2]> = None;
            for frame in 0..play.frames {
                let places = play.places(frame);
                let (Some(here), Some(there)) = (places[a], places[b]) else {
                    been = None;
                    continue;
                };
                let seen = [field.visible(there, here), field.visible(here, there)];
                bound.perfect += seen.iter().map(|seen| u64::from(*seen)).sum::<u64>();
                if seen.contains(&true) {
                    been = None;
                    continue;
                }
                let apart = been.as_ref().is_some_and(|[of_a, of_b]| {
                    let hidden = |place: Place, others: &[Place]| {
                        others.iter().all(|other| field.hidden(place, *other))
                    };
                    (of_a.contains(&here) || hidden(here, of_b))
                        && (of_b.contains(&there) || hidden(there, of_a))
                });
                if !apart {
                    bound.out_of_sight += u64::from(been.is_none());
                    bound.agreements += 1;
                    been = Some([vec![here], vec![there]]);
                } else if let Some([of_a, of_b]) = &mut been {
                    if !of_a.contains(&here) {
                        of_a.push(here);
                    }
                    if !of_b.contains(&there) {
                        of_b.push(there);
                    }
                }
            }
        }
    }
    bound
}
