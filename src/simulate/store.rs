//! Frontier sets on a terrain that several schemes ask for: each is made once, for all of them.
//!
//! A set goes by two quads and by how it is made, so that nobody's depends on who asked first. What
//! it took to make is told each time that a scheme asks: for a scheme it is work whoever did it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::runtime::frontier::{FrontierBuilder, FrontierOptions, Order, Side};
use crate::runtime::{Quad, TerrainBundle, Visibility};

use super::half::{Half, Halves, Runs};

/// Tells how long a thread has worked. Two readings give the time between.
pub type Clock = fn() -> Duration;

/// How a set on a terrain is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// In the order of Avni's thesis.
    Published,
    /// The same, and then the smaller half as large as can be.
    Tightened,
    /// As by default.
    Usual,
}

/// A set, and how long it took to make it.
#[derive(Debug)]
struct Made {
    set: Option<Arc<Halves>>,
    work: Duration,
}

/// Which set: how it is made, the margin that is left out at its rim, and where it begins.
type Key = (Kind, u32, [Quad; 2]);

/// All sets that schemes have asked for.
#[derive(Debug)]
pub struct Store<'a> {
    clock: Clock,
    /// Whether somebody will ask for the tightened set where the published one is asked for.
    both: bool,
    state: Mutex<State<'a>>,
}

#[derive(Debug, Default)]
struct State<'a> {
    builder: Option<FrontierBuilder<'a>>,
    made: HashMap<Key, Made>,
    /// What they take. [Unit: bytes]
    bytes: usize,
}

/// The most memory that sets may take. [Unit: bytes]
const MOST_BYTES: usize = 1 << 28;
/// The most memory that what quads see may take. [Unit: bytes]
const MOST_SEEN: usize = 1 << 28;

impl<'a> Store<'a> {
    /// For schemes of these names.
    pub fn new(names: &[String], clock: Clock) -> Self {
        let has = |name: &str| names.iter().any(|other| other == name);
        Self {
            clock,
            both: has("FB") && has("tightened"),
            state: Mutex::default(),
        }
    }

    /// The set of two quads; none where one may see the other. Besides, what others have worked for it
    /// before, and what was done now that is for others.
    pub(super) fn set(
        &self,
        terrain: &TerrainBundle<'a>,
        kind: Kind,
        margin: u32,
        quads: [Quad; 2],
    ) -> (Option<Arc<Halves>>, [Duration; 2]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = state.made.get(&(kind, margin, quads)) {
            return (made.set.clone(), [made.work, Duration::ZERO]);
        }
        let begun = (self.clock)();
        let mut builder = state
            .builder
            .take()
            .unwrap_or_else(|| FrontierBuilder::new(terrain).remembering(MOST_SEEN));
        let options = match kind {
            Kind::Usual => FrontierOptions::default(),
            Kind::Published | Kind::Tightened => FrontierOptions {
                order: Order::Fifo,
                tighten: kind == Kind::Tightened || self.both,
                ..FrontierOptions::default()
            },
        };
        // Of all that is made here, what was asked for.
        let mut asked = (None, Duration::ZERO);
        let mut keep = |state: &mut State, of: Kind, set: Option<Halves>| {
            let (set, work) = (set.map(Arc::new), (self.clock)() - begun);
            if of == kind {
                asked = (set.clone(), work);
            }
            state.keep((of, margin, quads), Made { set, work });
        };
        if self.is_hidden(terrain, quads) && builder.begin_at(quads, &options).is_ok() {
            while !builder.is_grown() {
                builder.step(1);
            }
            if kind == Kind::Published || kind == Kind::Tightened && self.both {
                keep(&mut state, Kind::Published, halves(&mut builder, margin));
            }
            if kind != Kind::Published || self.both {
                while !builder.step(u32::MAX) {}
                let of = match kind {
                    Kind::Usual => kind,
                    Kind::Published | Kind::Tightened => Kind::Tightened,
                };
                keep(&mut state, of, halves(&mut builder, margin));
            }
        } else {
            keep(&mut state, kind, None);
        }
        state.builder = Some(builder);
        let (set, work) = asked;
        let for_others = ((self.clock)() - begun).saturating_sub(work);
        (set, [Duration::ZERO, for_others])
    }

    fn is_hidden(&self, terrain: &TerrainBundle, [a, b]: [Quad; 2]) -> bool {
        let hidden = |a, b| terrain.visible_quads(a, b) == Visibility::Hidden;
        hidden(a, b) && (terrain.parameters().mutual || hidden(b, a))
    }
}

impl State<'_> {
    fn keep(&mut self, key: Key, made: Made) {
        let bytes = |set: &Arc<Halves>| set.iter().map(Half::bytes).sum();
        let more = 160 + made.set.as_ref().map_or(0, bytes);
        if self.bytes + more > MOST_BYTES {
            // All at once: what comes next does not depend on which was asked for last.
            self.made.clear();
            self.bytes = 0;
        }
        self.bytes += more;
        self.made.insert(key, made);
    }
}

/// Both halves as they are now, without a margin; none where there is no set.
fn halves(builder: &mut FrontierBuilder, margin: u32) -> Option<Halves> {
    if builder.region(Side::A).is_empty() {
        return None;
    }
    Some(Side::BOTH.map(|side| {
        Half::Samples(match margin {
            0 => Runs::new(&builder.region(side)),
            _ => Runs::new(&builder.core(side, margin).region()),
        })
    }))
}
