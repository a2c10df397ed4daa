//! How frontiers of a terrain are grown, on the command line.

use std::str::FromStr;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use viewcell::frontier::{self, FrontierOptions, Neighbours, Turns};
use viewcell::query::Sample;

use crate::query::GivenPlace;

/// Options of growth; what is not given is as in the library's default, or, with --grow or
/// --merge lossless or lossy, as in the thesis.
#[derive(clap::Args)]
#[command(next_help_heading = "Growth of terrain frontiers")]
pub struct Options {
    /// Grow by quads of all sizes, or by single samples. With this option, or with --merge lossless or lossy, all
    /// other defaults are those of Avni's thesis: fifo, alternate, no budget, nothing tightened
    #[arg(long, value_enum)]
    grow: Option<Grow>,
    /// How the PVSs of a frontier's quads are merged. lossless: their union. lossy: what is mixed in one and
    /// hidden in the other becomes visible. blocks, the default: by whole blocks of 8 x 8 samples where the union
    /// would take long
    #[arg(long, value_enum)]
    merge: Option<Merge>,
    /// Which quad is tried next: fifo (in order of discovery), coarse (large quads first), ground (nearest in
    /// height to the player's ground), gain (most samples for the least that its PVS takes from the other player),
    /// or "toward C,R" with where A is going, or "toward C,R C,R" with where B is going as well
    #[arg(long, value_name = "ORDER")]
    order: Option<Order>,
    /// Whose frontier grows next: each in turn, or always the smaller one
    #[arg(long, value_enum)]
    turns: Option<TurnsArg>,
    /// Which quads are neighbours of a quad: 4 for those at its sides, 8 for those at its corners, too
    #[arg(long, value_name = "4|8", value_parser = ["4", "8"])]
    neighbours: Option<String>,
    /// Try no quads below this level; 0 for single samples [default: 4, or five levels below the root of small
    /// terrains]
    #[arg(long, value_name = "LEVEL")]
    finest: Option<u32>,
    /// Stop growing after this many quads have been tried; 0 for no limit
    #[arg(long, value_name = "QUADS")]
    budget: Option<u32>,
    /// When one frontier can grow no more, continue with the other (step 3 of the thesis)
    #[arg(long)]
    extend: bool,
    /// At the end, extend the smaller frontier to everything connected that the other does not see
    #[arg(long, value_name = "YES|NO", num_args = 0..=1, default_missing_value = "yes",
          value_parser = ["yes", "no"])]
    tighten: Option<String>,
    /// Leave out what lies within this many steps of a region's edge: a player who leaves the rest still has that
    /// many steps in which to agree on a new set
    #[arg(long, value_name = "CELLS", default_value_t = 0)]
    pub margin: u32,
}

impl Options {
    /// What is asked for.
    pub fn resolve(&self) -> FrontierOptions {
        let thesis =
            self.grow.is_some() || matches!(self.merge, Some(Merge::Lossless | Merge::Lossy));
        let mut options = FrontierOptions::default();
        if thesis {
            options = FrontierOptions::thesis(Default::default(), Default::default());
        }
        match self.grow {
            Some(Grow::Hierarchical) => options.grow = frontier::Grow::Hierarchical,
            Some(Grow::Simple) => options.grow = frontier::Grow::Simple,
            None => {}
        }
        match self.merge {
            Some(Merge::Lossless) => options.merge = frontier::Merge::Lossless,
            Some(Merge::Lossy) => options.merge = frontier::Merge::Lossy,
            Some(Merge::Blocks) => {
                options.merge = frontier::Merge::Blocks(FrontierOptions::PAIRS);
            }
            None => {}
        }
        if let Some(Order(order)) = self.order {
            options.order = order;
        }
        match self.turns {
            Some(TurnsArg::Alternate) => options.turns = Turns::Alternate,
            Some(TurnsArg::Balance) => options.turns = Turns::Balance,
            None => {}
        }
        match self.neighbours.as_deref() {
            Some("4") => options.neighbours = Neighbours::Four,
            Some(_) => options.neighbours = Neighbours::Eight,
            None => {}
        }
        if let Some(finest) = self.finest {
            options.finest = Some(finest);
        }
        match self.budget {
            Some(0) => options.limit = None,
            Some(limit) => options.limit = Some(limit),
            None => {}
        }
        options.extend |= self.extend;
        if let Some(tighten) = &self.tighten {
            options.tighten = tighten == "yes";
        }
        options
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Grow {
    Hierarchical,
    Simple,
}

#[derive(Clone, Copy, ValueEnum)]
enum Merge {
    Lossless,
    Lossy,
    Blocks,
}

#[derive(Clone, Copy, ValueEnum)]
enum TurnsArg {
    Alternate,
    Balance,
}

#[derive(Clone, Copy)]
struct Order(frontier::Order);

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use frontier::Order::{Coarse, Fifo, Gain, Ground, Toward};
        Ok(Self(match text {
            "fifo" => Fifo,
            "coarse" => Coarse,
            "ground" => Ground,
            "gain" => Gain,
            _ => {
                let mut words = text.split([' ', ':', '=']);
                let mut place = || words.next().map(GivenPlace::from_str).transpose();
                if !text.starts_with("toward") {
                    return Err("expected fifo, coarse, ground, gain or \"toward C,R\"".into());
                }
                let _ = place(); // the word itself
                let (a, b) = (place()?, place()?);
                if a.is_none() || place()?.is_some() {
                    return Err("expected \"toward C,R\" or \"toward C,R C,R\"".into());
                }
                let sample = |place: Option<GivenPlace>| match place {
                    None => Ok(None),
                    Some(GivenPlace::Sample(sample)) => Ok(Some(sample)),
                    Some(GivenPlace::Cell(_) | GivenPlace::Numbers(_) | GivenPlace::Point(_)) => {
                        Err("expected \"toward C,R\"".to_owned())
                    }
                };
                Toward(sample(a)?, sample(b)?)
            }
        }))
    }
}

/// The options that a frontier set was grown with.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "growth of a terrain frontier")]
pub struct OptionsDocument {
    /// `hierarchical` or `simple`.
    grow: &'static str,
    /// `lossless`, `lossy` or `blocks`.
    merge: &'static str,
    /// `fifo`, `coarse`, `ground`, `gain` or `toward`.
    order: &'static str,
    /// With `toward`: where the players go.
    toward: Option<[Option<[u32; 2]>; 2]>,
    /// `alternate` or `balance`.
    turns: &'static str,
    /// How many neighbours a quad has: 4 or 8.
    neighbours: u32,
    /// Level of the smallest quads tried; null for 4, or five levels below the root of small terrains.
    finest: Option<u32>,
    /// Most quads tried; null for no limit.
    budget: Option<u32>,
    /// Whether only the two samples remain if no larger quads are mutually invisible.
    give_up: bool,
    /// Whether one frontier grew on when the other could grow no more.
    extend: bool,
    /// Whether the smaller frontier was given what the other does not see.
    tighten: bool,
    /// Steps from the edge of a region within which samples are left out.
    margin: u32,
}

impl OptionsDocument {
    pub fn new(options: &FrontierOptions, margin: u32) -> Self {
        let place = |sample: Sample| [sample.column, sample.row];
        Self {
            grow: match options.grow {
                frontier::Grow::Hierarchical => "hierarchical",
                frontier::Grow::Simple => "simple",
            },
            merge: match options.merge {
                frontier::Merge::Lossless => "lossless",
                frontier::Merge::Lossy => "lossy",
                frontier::Merge::Blocks(_) => "blocks",
            },
            order: match options.order {
                frontier::Order::Fifo => "fifo",
                frontier::Order::Coarse => "coarse",
                frontier::Order::Ground => "ground",
                frontier::Order::Gain => "gain",
                frontier::Order::Toward(..) => "toward",
            },
            toward: match options.order {
                frontier::Order::Toward(a, b) => Some([a.map(place), b.map(place)]),
                _ => None,
            },
            turns: match options.turns {
                Turns::Alternate => "alternate",
                Turns::Balance => "balance",
            },
            neighbours: match options.neighbours {
                Neighbours::Four => 4,
                Neighbours::Eight => 8,
            },
            finest: options.finest,
            budget: options.limit,
            give_up: options.give_up,
            extend: options.extend,
            tighten: options.tighten,
            margin,
        }
    }
}
