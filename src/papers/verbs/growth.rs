//! `viewcell experiment growth`: one frontier set, grown by the papers' algorithms and their parts.

use std::str::FromStr;
use std::time::Instant;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use viewcell::format::SolidParameters;
use viewcell::frontier::Side;
use viewcell::query::TerrainBundle;
use viewcell_ingest::world::ones;

use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::frontier::{Growth as Grown, SetDocument};
use viewcell_program::query::{GivenPlace, Opened, PairArgs, Position, count_samples};

use crate::constructions::Construction;
use crate::growth::{self, Growth, GrowthOptions, Neighbours, Turns};

/// A frontier set, grown as chosen (Avni's thesis, 3.3 and 3.5; Steed and Angus, equations 1 and 2)
///
/// As viewcell frontier, with the parts of the algorithms to choose from. What is not given is as there, or, with
/// --grow or --merge lossless or lossy, as in the thesis.
///
/// Example: viewcell experiment growth level.vcb 10,20 90,40 --grow hierarchical --merge lossy
#[derive(clap::Args)]
#[group(skip)]
#[command(mut_arg("pairs", |pairs| pairs.hide(true)))]
pub(super) struct Args {
    #[command(flatten)]
    pair: PairArgs,
    /// On a terrain: stop growing after this many quads have been tried; 0 for no limit [default: 64]
    #[arg(long, value_name = "QUADS")]
    budget: Option<u32>,
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
    /// When one frontier can grow no more, continue with the other (step 3 of the thesis)
    #[arg(long)]
    extend: bool,
    /// At the end, extend the smaller frontier to everything connected that the other does not see
    #[arg(long, value_name = "YES|NO", num_args = 0..=1, default_missing_value = "yes",
          value_parser = ["yes", "no"])]
    tighten: Option<String>,
    /// For cells: how to make the regions
    #[arg(long, value_name = "HOW", value_parser = construction())]
    construction: Option<Construction>,
}

pub(super) fn run(args: &Args) -> Outcome {
    if args.pair.pairs.is_some() {
        return Err(Failure::usage(
            "--pairs: expected two places; viewcell experiment frontier grows many sets",
        ));
    }
    let opened = args.pair.open()?;
    let positions = args.pair.positions(&opened)?;
    let world = opened.world();
    let document = match world.sights() {
        Some(sights) => args.by_samples(&opened, sights, &positions)?,
        None => args.in_level(&opened, &positions)?,
    };
    document.tell(&args.pair.json, world)
}

impl Args {
    fn refused(&self, reason: impl std::fmt::Display) -> Failure {
        Failure::usage(format!("{}: {reason}", self.pair.bundle.display()))
    }

    /// On a terrain, and in a solid level by the numbers of its cells.
    fn by_samples(
        &self,
        opened: &Opened,
        sights: &TerrainBundle<'_>,
        pair: &[Position; 2],
    ) -> Result<SetDocument, Failure> {
        let (a, b) = (opened.sample(&pair[0])?, opened.sample(&pair[1])?);
        let mut growth = Growth::new(sights);
        let start = Instant::now();
        growth
            .build(a, b, &self.resolve())
            .map_err(|error| self.refused(error))?;
        let world = opened.world();
        let grown = Grown {
            micros: start.elapsed().as_secs_f64() * 1e6,
            work: Some(growth.work()),
            construction: world.solid().map(|_| "quads"),
        };
        let region = |side| {
            let words = growth.words(side);
            let is_in = move |sample: &_| growth::has(sights.grid(), words, *sample);
            sights.grid().row_by_row().filter(is_in)
        };
        Ok(if world.solid().is_some() {
            let cells = Side::BOTH.map(|side| region(side).map(SolidParameters::cell_of).collect());
            SetDocument::new(world, pair, [0; 2], &grown).with_regions(cells)
        } else {
            let sizes = Side::BOTH.map(|side| count_samples(sights.parameters(), region(side)));
            SetDocument::new(world, pair, sizes, &grown)
        })
    }

    fn in_level(&self, opened: &Opened, pair: &[Position; 2]) -> Result<SetDocument, Failure> {
        let level = &opened.cells()?;
        let cells = [opened.cell(&pair[0])?, opened.cell(&pair[1])?];
        let construction = self.construction.unwrap_or_default();
        if construction.needs_neighbours() && !level.has_neighbours() {
            return Err(self.refused(format!(
                "--construction {}: the bundle does not say which cells are adjacent; bake the level with --portals",
                construction.name()
            )));
        }
        let regions = construction.regions(level, cells).unwrap_or_default();
        let grown = Grown {
            construction: Some(construction.name()),
            ..Grown::default()
        };
        let cells = regions.map(|region| ones(&region).map(|cell| cell as u32).collect());
        let document = SetDocument::new(opened.world(), pair, [0; 2], &grown);
        Ok(document.with_regions(cells))
    }

    /// What is asked for.
    fn resolve(&self) -> GrowthOptions {
        let thesis =
            self.grow.is_some() || matches!(self.merge, Some(Merge::Lossless | Merge::Lossy));
        let mut options = GrowthOptions::default();
        if thesis {
            options = GrowthOptions::thesis(Default::default(), Default::default());
        }
        match self.grow {
            Some(Grow::Hierarchical) => options.grow = growth::Grow::Hierarchical,
            Some(Grow::Simple) => options.grow = growth::Grow::Simple,
            None => {}
        }
        match self.merge {
            Some(Merge::Lossless) => options.merge = growth::Merge::Lossless,
            Some(Merge::Lossy) => options.merge = growth::Merge::Lossy,
            Some(Merge::Blocks) => {
                options.merge = growth::Merge::Blocks(GrowthOptions::PAIRS);
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

/// Reads the name of a construction, with a line of help for each.
fn construction() -> impl TypedValueParser<Value = Construction> {
    let help = |construction| match construction {
        Construction::Published => "Equations 1 and 2 of Steed and Angus, by distances",
        Construction::Grown => "Both grow through adjacent cells, in turn",
        Construction::Widened => {
            "Both grow through adjacent cells, the nearest first, and are then extended to all \
             that the other does not see"
        }
        _ => "The same for A, and for B everything that A's region does not see",
    };
    let values = Construction::ALL.map(|all| PossibleValue::new(all.name()).help(help(all)));
    PossibleValuesParser::new(values).map(|name| {
        let mut all = Construction::ALL.into_iter();
        all.find(|construction| construction.name() == name)
            .unwrap_or_default()
    })
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
struct Order(growth::Order);

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use growth::Order::{Coarse, Fifo, Gain, Ground, Toward};
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
