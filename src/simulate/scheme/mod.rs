//! Schemes: who sends what to whom. Servers pass on what they are told, by a rule; peers tell each other.
//!
//! A scheme sees the players move, and answers with packets; what it is told itself comes out of
//! the network. It looks at nothing of the frame but each sender's own place, with one exception:
//! the perfect peers of the paper, who cannot be.

mod groups;
mod interface;
mod lookahead;
mod peers;
mod server;

use std::sync::Arc;

use viewcell::query::MotionLimits;

use super::field::Field;
use super::network::Timing;
use super::regions::{Construction, Regions};
use super::store::Store;
pub use interface::{Scheme, Sets};
use interface::{bytes_of, lower_first, says};
use lookahead::Ahead;
use server::Relay;

/// What schemes may be told besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchemeOptions {
    /// How far the scheme by distance tells. [Unit: of the field]
    pub distance: f64,
    /// Side of a zone. [Unit: of the field]
    pub zone: f64,
    /// How fast players are thought to be. [Unit: of the field, a second]
    pub speed: f64,
    /// How long it takes until a player has heard of another: there and back, and frames. [Unit: ms]
    pub ahead: f64,
    /// Whether all arrives within the frame.
    pub instant: bool,
    /// How players may move: the look-ahead goes by that, and by what it knows of each client's ping; none
    /// for `speed` and `ahead`, the same for all.
    pub limits: Option<MotionLimits>,
}

impl SchemeOptions {
    /// For players of this speed, all of whose packets arrive at once; the scheme by distance tells as far as they come
    /// in ten seconds, and zones are half as large.
    pub fn new(speed: f64) -> Self {
        Self {
            distance: 10.0 * speed,
            zone: 5.0 * speed,
            speed,
            ahead: 0.0,
            instant: true,
            limits: None,
        }
    }
}

/// Every scheme: its name, and what it is.
pub const SCHEMES: &[(&str, &str)] = &[
    (
        "CS",
        "a server relays each position to the players who may see it (the paper's)",
    ),
    (
        "CSA",
        "the same, all of a frame in one packet (the paper's)",
    ),
    ("NPP", "peers send to everybody (the paper's)"),
    (
        "PPP",
        "peers send to those who can see them, with perfect knowledge (the paper's)",
    ),
    ("FB", "peers with frontier sets as published (the paper's)"),
    ("distance", "a server sends players who are near"),
    (
        "aware",
        "a server sends players who are near and may be seen",
    ),
    (
        "zones",
        "a server sends players in the same zone and the zones around it",
    ),
    (
        "fat-pvs",
        "a server sends players who may be seen from nearby, as Quake's does",
    ),
    (
        "sight",
        "a server sends players in a line of sight at the present instant, as plugins do",
    ),
    (
        "look-ahead",
        "a server sends players who may come into sight before the next packet",
    ),
    (
        "tightened",
        "peers with frontier sets, the second region as large as possible",
    ),
    (
        "grown",
        "peers with frontier sets that grow, both connected",
    ),
    (
        "best",
        "peers with frontier sets that grow by distance, agreed on with one packet; if packets \
         take time, the look-ahead, and players whom nobody may see for a while are silent",
    ),
    (
        "groups",
        "a server; each player has one region against all others, and is silent in it",
    ),
];

/// The scheme of a name; none if there is none of that name. Schemes of one store share frontier sets.
pub fn scheme<'a>(
    name: &str,
    field: &'a Field<'a>,
    players: usize,
    options: &SchemeOptions,
    timing: &Timing,
    store: &Arc<Store<'a>>,
) -> Option<Box<dyn Scheme + 'a>> {
    let frontier = |construction, silence, reach| -> Box<dyn Scheme + 'a> {
        let regions = Regions::new(field, construction, reach, store.clone());
        Box::new(peers::Frontiers::new(regions, players, silence))
    };
    let reach = options.speed * options.ahead / 1000.0;
    let ahead = |limits, alone| Ahead::new(field, players, limits, timing.clone(), alone);
    Some(match name {
        "CS" => server::passing_on(players, Relay::Each, server::Seen),
        "CSA" => server::passing_on(players, Relay::Frame, server::Seen),
        "NPP" => Box::new(peers::Naive),
        "PPP" => Box::new(peers::Perfect),
        "FB" => frontier(Construction::Published, false, 0.0),
        "distance" => server::passing_on(players, Relay::Frame, server::Distance(options.distance)),
        "aware" => {
            let rule = server::Aware::new(field, players, options.distance);
            server::passing_on(players, Relay::Frame, rule)
        }
        "zones" => server::passing_on(players, Relay::Frame, server::Zones(options.zone)),
        "fat-pvs" => server::passing_on(players, Relay::Frame, server::Fat::new(players)),
        "sight" => server::passing_on(players, Relay::Frame, server::LineOfSight),
        "look-ahead" => match options.limits {
            Some(limits) => server::passing_on(players, Relay::Frame, ahead(limits, false)),
            None => {
                let rule = server::Near::new(field, players, reach);
                server::passing_on(players, Relay::Frame, rule)
            }
        },
        "tightened" => frontier(Construction::Tightened, false, 0.0),
        "grown" => frontier(Construction::Grown, false, 0.0),
        // Who is heard at once needs no time to say that they have gone too far.
        "best" if options.instant => frontier(Construction::Wide, true, 0.0),
        // Where packets take time, sets that have to be agreed on would cost more than they save.
        "best" => {
            let limits = options.limits.unwrap_or(MotionLimits::speed(options.speed));
            server::passing_on(players, Relay::Frame, ahead(limits, true))
        }
        // Who leaves a region is heard, others are asked, answer, and are told.
        "groups" => {
            let reach = if options.instant { 0.0 } else { 2.0 * reach };
            let regions = Regions::new(field, Construction::Wide, reach, store.clone());
            Box::new(groups::Groups::new(regions, players))
        }
        _ => return None,
    })
}
