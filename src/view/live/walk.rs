//! Walks: two players who move step by step, and agree on a new frontier set when they must.
//!
//! A walk is a [`Session`] of two peers. It lives in a thread of its own, which ends with the walk's last sender.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::answer::{Answer, Refusal};
use super::places;
use super::source::Opened;
use viewcell::query::{OwnedBundle, World};
use viewcell::session::{News, Session, SessionOptions};

/// Walks that go on at the same time; one more ends the oldest.
const MOST_WALKS: usize = 16;

/// All walks.
#[derive(Default)]
pub(super) struct Walks(Mutex<State>);

#[derive(Default)]
struct State {
    next: u64,
    walks: VecDeque<(u64, Sender<Step>)>,
}

/// Steps of players: where to, in the order of players; `None` stays where they are.
struct Step {
    to: [Option<String>; 2],
    answer: Sender<Result<Answer, Refusal>>,
}

impl Walks {
    /// Begins a walk with both players in their places.
    pub(super) fn begin(
        &self,
        opened: Arc<Opened>,
        places: [String; 2],
    ) -> Result<Answer, Refusal> {
        let (sender, steps) = channel();
        let mut state = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let id = state.next;
        state.next += 1;
        if state.walks.len() == MOST_WALKS {
            state.walks.pop_front();
        }
        state.walks.push_back((id, sender));
        drop(state);
        std::thread::spawn(move || walk(&opened.bundle, &steps));
        Ok(self.step(id, places.map(Some))?.entry("walk", id))
    }

    /// Goes on with a walk.
    pub(super) fn step(&self, id: u64, to: [Option<String>; 2]) -> Result<Answer, Refusal> {
        let gone = || Refusal::not_found(format!("walk {id} is over; begin another"));
        let (answer, answered) = channel();
        let state = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let walk = state.walks.iter().find(|walk| walk.0 == id);
        let sent = walk.map(|walk| walk.1.send(Step { to, answer }));
        drop(state);
        sent.ok_or_else(gone)?.map_err(|_| gone())?;
        answered.recv().map_err(|_| gone())?
    }
}

/// A walk in a bundle of any kind.
fn walk(bundle: &OwnedBundle, steps: &Receiver<Step>) {
    let options = SessionOptions {
        peers: true,
        ..SessionOptions::default()
    };
    let mut walk = Walk {
        session: Session::new(bundle, 2, options),
        told: 0,
        ticks: 0,
    };
    for step in steps {
        // Whoever asked may be gone.
        let _ = step.answer.send(walk.step(bundle.world(), &step.to));
    }
}

struct Walk {
    session: Session<OwnedBundle>,
    /// Positions told on moves, without those that come with a frontier set.
    told: u64,
    ticks: u64,
}

impl Walk {
    fn step(&mut self, world: &World<'_>, to: &[Option<String>; 2]) -> Result<Answer, Refusal> {
        self.session.tick();
        self.ticks += 1;
        for (player, to) in to.iter().enumerate() {
            let Some(to) = to else { continue };
            let place = places::place(world, to)?;
            let told = &mut self.told;
            let moved = self.session.move_to(player, Some(Some(place)), |notice| {
                *told += u64::from(notice.what == News::Position);
            });
            moved.map_err(|error| Refusal::bad_request(error.to_string()))?;
        }
        let halves = [self.session.half(0, 1), self.session.half(1, 0)];
        let places = (self.session.place(0).flatten()).zip(self.session.place(1).flatten());
        let visible = places.is_some_and(|(a, b)| world.visible(a, b) || world.visible(b, a));
        Ok(places::halves(world, halves)
            .entry("sets", self.session.sets())
            .entry("told", self.told)
            .entry("ticks", self.ticks)
            .entry("age", self.session.age(0, 1))
            .entry("visible", visible))
    }
}
