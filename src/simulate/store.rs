//! Frontier sets on a terrain that several schemes ask for: each is made once, for all of them.
//!
//! A set goes by two quads and by how it is made, so that nobody's depends on who asked first. What
//! it took to make is told each time that a scheme asks: for a scheme it is work whoever did it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use viewcell::frontier::{FrontierBuilder, FrontierOptions, Order, Side};
use viewcell::query::{Answer, Quad, TerrainBundle};

use super::half::{Grown, Halves, KeptHalf, Runs};
use super::scene::Mixed;

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
    made: HashMap<Key, Made, Mixed>,
    /// Pairs of quads of which one may see the other, and how long it took to find that out.
    seeing: HashMap<[Quad; 2], Duration, Mixed>,
    /// What they take. [Unit: bytes]
    bytes: usize,
}

/// The most memory that sets may take. [Unit: bytes]
const MOST_BYTES: usize = 1 << 28;
/// What an entry without a set takes. [Unit: bytes]
const SMALL: usize = 80;
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
        if let Some(work) = state.seeing.get(&quads) {
            return (None, [*work, Duration::ZERO]);
        }
        if let Some(made) = state.made.get(&(kind, margin, quads)) {
            return (made.set.clone(), [made.work, Duration::ZERO]);
        }
        let begun = (self.clock)();
        if !is_hidden(terrain, quads) {
            state.make_room(SMALL);
            state.seeing.insert(quads, (self.clock)() - begun);
            return (None, [Duration::ZERO; 2]);
        }
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
        // Of all that is made here, what was asked for, and how long all took.
        let (mut asked, mut done) = ((None, Duration::ZERO), Duration::ZERO);
        let mut keep = |state: &mut State, of: Kind, set: Option<Halves>| {
            let (set, work) = (set.map(Arc::new), (self.clock)() - begun);
            done = work;
            if of == kind {
                asked = (set.clone(), work);
            }
            state.keep((of, margin, quads), Made { set, work });
        };
        if builder.begin_at(quads, &options).is_ok() {
            while !builder.is_grown() {
                builder.step(1);
            }
            if kind == Kind::Published || kind == Kind::Tightened && self.both {
                keep(
                    &mut state,
                    Kind::Published,
                    grown(&mut builder, margin, false),
                );
            }
            if kind != Kind::Published || self.both {
                let of = match kind {
                    Kind::Usual => kind,
                    Kind::Published | Kind::Tightened => Kind::Tightened,
                };
                keep(&mut state, of, grown(&mut builder, margin, true));
            }
        } else {
            keep(&mut state, kind, None);
        }
        state.builder = Some(builder);
        let (set, work) = asked;
        (set, [Duration::ZERO, done - work])
    }
}

/// Whether nobody in one of two quads may see anybody in the other.
fn is_hidden(terrain: &TerrainBundle, [a, b]: [Quad; 2]) -> bool {
    let hidden = |a, b| terrain.visible_quads(a, b) == Answer::Hidden;
    if !terrain.parameters().mutual {
        return hidden(a, b) && hidden(b, a);
    }
    // Where nothing was lost both say the same. What a large quad sees is written down; of a small one
    // it is put together.
    if a.level < b.level && terrain.groups().is_some() && terrain.narrowing().is_none() {
        hidden(b, a)
    } else {
        hidden(a, b)
    }
}

impl State<'_> {
    fn keep(&mut self, key: Key, made: Made) {
        let bytes = |set: &Arc<Halves>| set.iter().map(KeptHalf::held).sum();
        let more = 160 + made.set.as_ref().map_or(0, bytes);
        self.make_room(more);
        self.made.insert(key, made);
    }

    fn make_room(&mut self, more: usize) {
        if self.bytes + more > MOST_BYTES {
            // All at once: what comes next does not depend on which was asked for last.
            self.made.clear();
            self.seeing.clear();
            self.bytes = 0;
        }
        self.bytes += more;
    }
}

/// Both halves of a set that is grown, and filled if `fill` says so; none where there is no set.
fn grown(builder: &mut FrontierBuilder, margin: u32, fill: bool) -> Option<Halves> {
    // With a margin the whole of a half is looked at in any case.
    if margin == 0
        && let Some(set) = builder.unfilled(fill)
    {
        return Some(Grown::halves(set));
    }
    while fill && !builder.step(u32::MAX) {}
    halves(builder, margin)
}

/// Both halves as they are now, without a margin; none where there is no set.
fn halves(builder: &mut FrontierBuilder, margin: u32) -> Option<Halves> {
    if builder.region(Side::A).is_empty() {
        return None;
    }
    Some(Side::BOTH.map(|side| {
        KeptHalf::Samples(match margin {
            0 => Runs::new(&builder.region(side)),
            _ => Runs::new(&builder.core(side, margin).region()),
        })
    }))
}
