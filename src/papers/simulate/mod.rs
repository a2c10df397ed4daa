//! Schemes of the papers for `viewcell_simulate`, peers who agree on frontier sets; and what servers would have sent, or sent.
//!
//! Sources: A. Steed and C. Angus, *Supporting Scalable Peer to Peer Virtual Environments using
//! Frontier Sets*, sections 5 to 7; S. Avni, *Frontier Sets in Large Terrains*, section 5.2.

pub mod culling;
mod groups;
mod half;
mod peers;
pub mod regions;
pub mod sent;
mod store;

use viewcell_simulate::field::Field;
use viewcell_simulate::network::Timing;
use viewcell_simulate::scheme::{Scheme, SchemeOptions, Schemes, Usual};

use regions::{Construction, Regions};

/// All schemes: the product's, and the papers'.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl Schemes for All {
    fn names(&self) -> Vec<(&'static str, &'static str)> {
        let mut names = Usual.names();
        names.extend([
            ("FB", "peers with frontier sets as published (the paper's)"),
            (
                "tightened",
                "peers with frontier sets, the second region as large as possible",
            ),
            (
                "grown",
                "peers with frontier sets that grow, both connected",
            ),
            (
                "agreed",
                "peers with frontier sets that grow by distance; where packets take no time, one packet agrees on a set",
            ),
            (
                "groups",
                "a server; each player has one region against all others, and is silent in it",
            ),
        ]);
        names
    }

    fn make<'a>(
        &self,
        name: &str,
        field: &'a Field<'a>,
        players: usize,
        options: &SchemeOptions,
        timing: &Timing,
    ) -> Option<Box<dyn Scheme + 'a>> {
        let frontier = |construction, silence| -> Box<dyn Scheme + 'a> {
            let regions = Regions::new(field, construction, 0.0);
            Box::new(peers::Frontiers::new(regions, players, silence))
        };
        Some(match name {
            "FB" => frontier(Construction::Published, false),
            "tightened" => frontier(Construction::Tightened, false),
            "grown" => frontier(Construction::Grown, false),
            // Who is heard at once needs no time to say that they have gone too far.
            "agreed" => frontier(Construction::Wide, true),
            // Who leaves a region is heard, others are asked, answer, and are told.
            "groups" => {
                let reach = options.speed * options.ahead / 1000.0;
                let reach = if options.instant { 0.0 } else { 2.0 * reach };
                let regions = Regions::new(field, Construction::Wide, reach);
                Box::new(groups::Groups::new(regions, players))
            }
            _ => return Usual.make(name, field, players, options, timing),
        })
    }
}
