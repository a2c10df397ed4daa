//! Playback of traces: the players' paths, and what each scheme of networking sends for them.
//!
//! A thread of its own computes this. It ends when it is done, or with the bundle.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use serde_json::json;

use super::answer::{Answer, Refusal};
use super::played::{Counts, Ways};
use super::source::Opened;
use viewcell_simulate::field::Field;
use viewcell_simulate::play::{Play, PlayOptions};
use viewcell_simulate::run::{Outcome, RunOptions, run};
use viewcell_simulate::scene::Scene;
use viewcell_simulate::scheme::Usual;
use viewcell_simulate::score::packed;
use viewcell_simulate::trace::Trace;

/// Players, and what is to be found out about them.
#[derive(Clone, Debug)]
pub struct Players {
    /// Who was where.
    pub trace: Trace,
    /// Where that was read, for what is told of it.
    pub path: PathBuf,
    /// How it is played.
    pub options: PlayOptions,
    /// Names of the schemes to count.
    pub schemes: Vec<String>,
    /// How schemes are played, for a field and its play.
    pub run: fn(&Field, &Play) -> RunOptions,
}

/// The most that is kept of a play, and sent to the page. [Unit: MB]
const MOST: f64 = 256.0;

impl Players {
    /// How many players.
    pub fn count(&self) -> usize {
        self.trace.players.len()
    }

    /// Says why they cannot be played in a bundle.
    pub(super) fn check(&self, opened: &Opened) -> Result<(), String> {
        let players = self.count() as f64;
        let [first, last] = self.trace.span();
        let frames = (last - first) as f64 * self.options.hz / 1000.0 + 1.0;
        // Where each is and how they are, and a bit for each pair and scheme.
        let pairs = players * players / 8.0 + 1.0;
        let megabytes =
            frames * (13.0 * players + pairs * (1 + self.schemes.len()) as f64) / 1_048_576.0;
        if megabytes > MOST {
            return Err(format!(
                "expected a play that takes at most {MOST} MB of memory, found {players} players, \
                 {frames:.0} frames and {} schemes, which take {megabytes:.0}; play fewer `schemes`, or \
                 at fewer `hz`",
                self.schemes.len(),
            ));
        }
        self.play(&field(opened)).map(|_| ())
    }

    fn play(&self, field: &Field) -> Result<Play, String> {
        Play::new(&self.trace, field, &self.options).map_err(|error| error.to_string())
    }

    /// Who is dead in each frame: a row for each frame.
    fn dead(&self, play: &Play) -> Vec<bool> {
        let first = self.trace.span()[0] as f64;
        let mut dead = vec![false; play.players * play.frames];
        for (player, spots) in self.trace.players.iter().enumerate() {
            let mut next = 0;
            for frame in 0..play.frames {
                let now = first + frame as f64 * play.step + 1e-6;
                while spots.get(next).is_some_and(|spot| spot.time as f64 <= now) {
                    next += 1;
                }
                let last = next.checked_sub(1).map(|last| spots[last].dead);
                dead[frame * play.players + player] = last.unwrap_or(false);
            }
        }
        dead
    }
}

fn field(opened: &Opened) -> Field<'_> {
    Field::new(*opened.bundle.world())
}

/// Where players are, and who sees whom; until that is known, how much of it is.
pub(super) fn ways(opened: &Arc<Opened>, players: &Arc<Players>) -> Result<Answer, Refusal> {
    let played = &opened.played;
    if !played.begun.swap(true, Ordering::Relaxed) {
        let (opened, players) = (opened.clone(), players.clone());
        std::thread::spawn(move || find_out(&opened, &players));
    }
    match played.ways.get() {
        None => Ok(Answer::new(json!({
            "known": played.frames.load(Ordering::Relaxed),
        }))),
        Some(Err(why)) => Err(Refusal::failed(why.clone())),
        Some(Ok(ways)) => Ok(Answer::new(json!({
            "players": ways.players,
            "frames": ways.frames,
            "step": ways.step,
            "schemes": players.schemes,
        }))
        .with(ways.at.iter().copied())
        .with(ways.places.iter().copied())
        .with(ways.flags.iter().copied())
        .with(ways.sees.iter().copied())),
    }
}

/// What a scheme comes to in each frame: packets, bytes, late and exposed pairs, each as `u32` a
/// frame, and who heard of whom as bits. While it is not known, that it is waited for.
pub(super) fn counts(opened: &Opened, players: &Players, name: &str) -> Result<Answer, Refusal> {
    if !players.schemes.iter().any(|scheme| scheme == name) {
        return Err(Refusal::bad_request(format!(
            "scheme {name:?}: expected one of {}",
            players.schemes.join(", ")
        )));
    }
    let done = opened.played.counts.lock();
    let done = done.unwrap_or_else(PoisonError::into_inner);
    let Some(counts) = done.iter().find(|counts| counts.name == name) else {
        return Ok(Answer::new(json!({ "waits": true })));
    };
    let [packets, bytes] = [&counts.packets, &counts.bytes].map(|numbers| numbers.iter().copied());
    let [late, exposed] = [&counts.late, &counts.exposed].map(|numbers| numbers.iter().copied());
    Ok(Answer::new(json!({ "waits": false }))
        .with(packets)
        .with(bytes)
        .with(late)
        .with(exposed)
        .with(counts.told.iter().copied()))
}

/// First the paths, then what each scheme comes to; goes on until all is done, or until nobody else
/// holds the bundle.
fn find_out(opened: &Arc<Opened>, players: &Players) {
    let goes_on = || Arc::strong_count(opened) > 1;
    let played = &opened.played;
    let field = field(opened);
    let play = match players.play(&field) {
        Ok(play) => play,
        Err(why) => {
            let _ = played.ways.set(Err(why));
            return;
        }
    };
    let mut scene = Scene::new(&field, &play, false);
    let mut sees = Vec::new();
    for frame in 0..play.frames {
        scene.show(&play, frame);
        let pairs = (0..play.players * play.players)
            .map(|pair| scene.sees(pair / play.players, pair % play.players));
        sees.extend(packed(pairs));
        played.frames.store(frame + 1, Ordering::Relaxed);
        if !goes_on() {
            return;
        }
    }
    let _ = played.ways.set(Ok(told(&play, &players.dead(&play), sees)));
    let options = RunOptions {
        keep: true,
        ..(players.run)(&field, &play)
    };
    for name in &players.schemes {
        if !goes_on() {
            return;
        }
        let names = std::slice::from_ref(name);
        let outcomes = run(&field, &play, &Usual, names, &options).unwrap_or_default();
        let done = played.counts.lock();
        done.unwrap_or_else(PoisonError::into_inner)
            .extend(outcomes.into_iter().map(counted));
    }
}

fn told(play: &Play, dead: &[bool], sees: Vec<u8>) -> Ways {
    let mut ways = Ways {
        players: play.players,
        frames: play.frames,
        step: play.step,
        at: Vec::new(),
        places: Vec::new(),
        flags: Vec::new(),
        sees,
    };
    for frame in 0..play.frames {
        let at = play
            .at(frame)
            .iter()
            .flat_map(|at| [at[0] as f32, at[1] as f32]);
        ways.at.extend(at);
        let places = play.places(frame);
        ways.places
            .extend(places.iter().map(|place| place.unwrap_or(u32::MAX)));
        let flags = play
            .jumped(frame)
            .iter()
            .zip(places)
            .zip(&dead[frame * play.players..]);
        ways.flags.extend(flags.map(|((jumped, place), dead)| {
            u8::from(place.is_some()) | u8::from(*dead) << 1 | u8::from(*jumped) << 2
        }));
    }
    ways
}

fn counted(outcome: Outcome) -> Counts {
    let kept = outcome.score.kept.unwrap_or_default();
    Counts {
        name: outcome.name,
        packets: outcome.score.packets,
        bytes: outcome.score.bytes,
        late: kept.late,
        exposed: kept.exposed,
        told: kept.told,
    }
}
