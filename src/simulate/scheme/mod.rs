//! Schemes: who sends what to whom. Servers relay what they receive, by a rule; peers send to each other.
//!
//! A scheme sees the players move, and returns packets; what it receives comes from the network. It reads
//! nothing of the frame but each sender's own place, with one exception: the perfect peers of the paper,
//! which cannot exist.

mod interface;
mod lookahead;
mod peers;
mod server;

use viewcell::query::MotionLimits;

use super::field::Field;
use super::network::Timing;
pub use interface::{Scheme, Sets, says};
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

/// Schemes, by their names.
pub trait Schemes {
    /// The name of each, and what it is.
    fn names(&self) -> Vec<(&'static str, &'static str)>;

    /// The scheme of a name; none if there is none of that name.
    fn make<'a>(
        &self,
        name: &str,
        field: &'a Field<'a>,
        players: usize,
        options: &SchemeOptions,
        timing: &Timing,
    ) -> Option<Box<dyn Scheme + 'a>>;
}

/// Those of servers, and the two that others are measured by.
#[derive(Clone, Copy, Debug)]
pub struct Usual;

impl Schemes for Usual {
    fn names(&self) -> Vec<(&'static str, &'static str)> {
        vec![
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
                "best",
                "the look-ahead; where packets take time, players whom nobody may see for a while are silent",
            ),
        ]
    }

    fn make<'a>(
        &self,
        name: &str,
        field: &'a Field<'a>,
        players: usize,
        options: &SchemeOptions,
        timing: &Timing,
    ) -> Option<Box<dyn Scheme + 'a>> {
        let reach = options.speed * options.ahead / 1000.0;
        let ahead = |limits, quiet| {
            let rule = Ahead::new(field, players, limits, timing.clone(), quiet);
            server::passing_on(players, Relay::Frame, rule)
        };
        Some(match name {
            "CS" => server::passing_on(players, Relay::Each, server::Seen),
            "CSA" => server::passing_on(players, Relay::Frame, server::Seen),
            "NPP" => Box::new(peers::Naive),
            "PPP" => Box::new(peers::Perfect),
            "distance" => {
                server::passing_on(players, Relay::Frame, server::Distance(options.distance))
            }
            "aware" => {
                let rule = server::Aware::new(field, players, options.distance);
                server::passing_on(players, Relay::Frame, rule)
            }
            "zones" => server::passing_on(players, Relay::Frame, server::Zones(options.zone)),
            "fat-pvs" => server::passing_on(players, Relay::Frame, server::Fat::new(players)),
            "sight" => server::passing_on(players, Relay::Frame, server::LineOfSight),
            "look-ahead" => match options.limits {
                Some(limits) => ahead(limits, false),
                None => {
                    let rule = server::Near::new(field, players, reach);
                    server::passing_on(players, Relay::Frame, rule)
                }
            },
            "best" => {
                let limits = options.limits.unwrap_or(MotionLimits::speed(options.speed));
                // Where packets take no time, silence saves little, and who is put elsewhere would be late.
                ahead(limits, !options.instant)
            }
            _ => return None,
        })
    }
}
