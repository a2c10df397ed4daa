//! Plays schemes, frame by frame, all on the same moves.

use std::time::Duration;

use super::field::Field;
use super::loopback::Loopback;
use super::network::Timing;
use super::play::Play;
use super::scene::Scene;
use super::scheme::{Scheme, SchemeOptions, Schemes, Sets};
use super::score::Score;
use super::wire::{Network, Wire};

/// Tells how long a thread has worked. Two readings give the time between.
pub type Clock = fn() -> Duration;

/// How schemes are played.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How packets travel.
    pub network: Network,
    /// What schemes are told.
    pub scheme: SchemeOptions,
    /// Whether a player must be in a line of sight, too, to count as seen: in a level.
    pub lines: bool,
    /// Which packets get lost.
    pub seed: u64,
    /// What work is measured by.
    pub clock: Clock,
    /// Whether to keep what each frame was like, to look at it.
    pub keep: bool,
    /// Whether packets go as datagrams over the loopback, on a network on which all arrives at once;
    /// and how long that may take in all.
    pub loopback: Option<Duration>,
}

impl RunOptions {
    /// On a network on which all arrives at once, without lines of sight, and without a clock.
    pub fn new(scheme: SchemeOptions) -> Self {
        Self {
            network: Network::default(),
            scheme,
            lines: false,
            seed: 1,
            clock: || Duration::ZERO,
            keep: false,
            loopback: None,
        }
    }
}

/// What came of one scheme.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The scheme's name.
    pub name: String,
    /// Packets sent: from clients, and from the server.
    pub packets: [u64; 2],
    /// Bytes sent: from clients, and from the server.
    pub bytes: [u64; 2],
    /// Packets that got lost.
    pub lost: u64,
    /// Frontier sets.
    pub sets: Sets,
    /// What players knew of each other.
    pub score: Score,
    /// How long it worked.
    pub work: Duration,
    /// Over the loopback: datagrams that were read, and their bytes with headers of UDP and IP.
    pub carried: Option<[u64; 2]>,
}

/// Why nothing was played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no scheme of that name; and those that there are.
    #[error("there is no scheme {:?}; expected one of {}", .0, .1.join(", "))]
    NoScheme(String, Vec<&'static str>),
    /// The loopback fails a scheme.
    #[error("{0}, over the loopback: {1}")]
    Loopback(String, #[source] std::io::Error),
}

/// One scheme at work.
struct Lane<'a> {
    name: String,
    scheme: Box<dyn Scheme + 'a>,
    wire: Wire,
    score: Score,
    work: Duration,
    /// Packets and bytes up to the last frame.
    before: [u64; 2],
}

impl Lane<'_> {
    /// Lets everything arrive that does so up to a time.
    fn deliver(&mut self, scene: &Scene, until: f64) {
        while self.wire.advance(until) {
            while let Some(item) = self.wire.receive() {
                self.score.hear(&item);
                self.scheme.receive(scene, &item, &mut self.wire);
            }
            self.scheme.settle(scene, &mut self.wire);
        }
    }

    fn total(&self) -> [u64; 2] {
        [self.wire.packets, self.wire.bytes].map(|[up, down]| up + down)
    }
}

/// Plays schemes of these names; the numbers are the same whatever others are played beside.
///
/// # Errors
///
/// [`RunError`] for a name that is none, and where the loopback fails.
pub fn run<'a>(
    field: &'a Field<'a>,
    play: &Play,
    schemes: &dyn Schemes,
    names: &[String],
    options: &RunOptions,
) -> Result<Vec<Outcome>, RunError> {
    let network = &options.network;
    let frames = |ms: f64| (ms / play.step).ceil() as u32;
    // Through a server a position takes two ways and may wait for a frame at either end.
    let way = network.longest(play.players, options.seed);
    let fresh = if network.is_instant() {
        1
    } else {
        frames(way) + 3 + if network.loss > 0.0 { 2 } else { 0 }
    };
    let excused = if network.is_instant() { 0 } else { fresh };
    let timing = Timing::new(network, play.players, options.seed);
    let mut lanes = names
        .iter()
        .map(|name| {
            let scheme = schemes.make(name, field, play.players, &options.scheme, &timing);
            let scheme = scheme.ok_or_else(|| {
                let names = schemes.names().into_iter().map(|(name, _)| name);
                RunError::NoScheme(name.clone(), names.collect())
            })?;
            let sockets = options
                .loopback
                .map(|most| Loopback::new(play.players, most));
            let sockets = sockets.transpose();
            let sockets = sockets.map_err(|error| RunError::Loopback(name.clone(), error))?;
            Ok(Lane {
                name: name.clone(),
                scheme,
                wire: Wire::new(network.clone(), play.players, options.seed).over(sockets),
                score: Score::new(play, fresh, excused).keeping(options.keep),
                work: Duration::ZERO,
                before: [0; 2],
            })
        })
        .collect::<Result<Vec<_>, RunError>>()?;
    let mut scene = Scene::new(field, play, options.lines);
    let clock = options.clock;
    for frame in 0..play.frames {
        let now = frame as f64 * play.step;
        // To look at the clock takes as long as some schemes do.
        let mut last = clock();
        let mut since = || {
            let begin = core::mem::replace(&mut last, clock());
            last - begin
        };
        if !network.is_instant() {
            for lane in &mut lanes {
                // What arrives on the way finds everybody where they were.
                lane.deliver(&scene, now - 1e-6);
                lane.work += since();
            }
        }
        scene.show(play, frame);
        let sight = since();
        for lane in &mut lanes {
            lane.deliver(&scene, now);
            lane.scheme.tick(&scene, &mut lane.wire);
            lane.deliver(&scene, now);
            lane.work += since();
            if lane.scheme.asks_pairs() {
                lane.work += sight;
            }
        }
        for lane in &mut lanes {
            lane.score.judge(&scene, play.jumped(frame));
            let total = lane.total();
            let since = |i: usize| u32::try_from(total[i] - lane.before[i]).unwrap_or(u32::MAX);
            lane.score.packets.push(since(0));
            lane.score.bytes.push(since(1));
            lane.before = total;
        }
    }
    let outcome = |mut lane: Lane| {
        let carried = lane.wire.carried();
        let carried = carried.map_err(|error| RunError::Loopback(lane.name.clone(), error))?;
        Ok(Outcome {
            name: lane.name,
            packets: lane.wire.packets,
            bytes: lane.wire.bytes,
            lost: lane.wire.lost,
            sets: lane.scheme.sets(),
            score: lane.score,
            work: lane.work,
            carried,
        })
    };
    lanes.into_iter().map(outcome).collect()
}
