//! Look-ahead scheme: the server sends the positions of all who may come into sight before their next packet arrives, by the
//! look-ahead of `viewcell::query`.
//!
//! Did not pay: the greatest speed in any direction, from the whole cell, for ping and two frames (69 % exposed on dm2 in
//! place of 31).

use crate::field::Field;
use crate::network::Timing;
use crate::scene::Scene;
use viewcell::query::{MotionLimits, Predictor};

use super::server::{Known, Rule};

/// Whoever may come to be seen by where both may be, each from their own motion, when the next packet comes.
#[derive(Debug)]
pub(super) struct Ahead<'a> {
    ahead: Predictor<'a>,
    timing: Timing,
    /// The frame in which each player was heard of last.
    heard: Vec<Option<u32>>,
    /// Who was in the way when a player was to be let alone last, and the frame in which to ask again.
    near: Vec<(usize, usize)>,
    /// Whether players who are alone are let alone.
    quiet: bool,
}

/// How many positions a player saves at least who is let alone: the packet that says so costs one.
const LEAST: u32 = 3;
/// For how long players are let alone at most. [Unit: s]
const LONGEST: f64 = 10.0;
/// After how many frames it is asked again.
const AGAIN: usize = 4;

impl<'a> Ahead<'a> {
    /// Players who move within limits, on a network. If `quiet`, those whom nobody may see for a while are let
    /// alone, and send nothing.
    pub(super) fn new(
        field: &Field<'a>,
        players: usize,
        limits: MotionLimits,
        timing: Timing,
        quiet: bool,
    ) -> Self {
        Self {
            ahead: Predictor::new(*field.world(), limits, players),
            timing,
            heard: vec![None; players],
            near: (0..players).map(|player| (player, 0)).collect(),
            quiet,
        }
    }
}

impl Rule for Ahead<'_> {
    fn begin(&mut self, scene: &Scene, known: &[Option<Known>]) {
        for player in known.iter().flatten() {
            if self.heard[player.player] != Some(player.frame) {
                self.heard[player.player] = Some(player.frame);
                let time = f64::from(player.frame) * scene.step / 1000.0;
                let motion = player.motion(scene.step, self.ahead.limits());
                self.ahead.moved(player.player, time, motion);
            }
        }
    }

    fn tells(&mut self, scene: &Scene, viewer: &Known, other: &Known) -> bool {
        let frames = self
            .timing
            .frames_until_next(viewer.player, scene.frame, scene.step);
        if frames[1] as u32 <= viewer.frame.min(other.frame) {
            // It arrives at once, and they are where they say.
            return scene.would_see((viewer.player, viewer.place), (other.player, other.place));
        }
        let times = frames.map(|frame| frame as f64 * scene.step / 1000.0);
        self.ahead.may_see(viewer.player, other.player, times)
    }

    fn allows(&self, way: [f64; 3], seconds: f64) -> bool {
        self.ahead.limits().allow(way, seconds)
    }

    fn quiet_until(&mut self, scene: &Scene, player: &Known) -> Option<u32> {
        let (near, again) = &mut self.near[player.player];
        if !self.quiet || scene.frame < *again {
            return None;
        }
        *again = scene.frame + AGAIN;
        let [_, begin] = self
            .timing
            .frames_until_next(player.player, scene.frame, scene.step);
        let (mut found, mut frames) = (None, LEAST);
        while f64::from(frames) * scene.step / 1000.0 <= LONGEST {
            // Until the first position after that has gone all its way.
            let until = begin + frames as usize;
            let end = self
                .timing
                .longest_until_known(player.player, until, scene.step);
            let times = [scene.frame, end].map(|frame| frame as f64 * scene.step / 1000.0);
            if !self.ahead.is_alone(player.player, times, near) {
                break;
            }
            found = Some(until as u32);
            frames *= 2;
        }
        found
    }
}
