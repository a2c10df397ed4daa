//! Entities that move, for experiments on interest matching.

use viewcell::internals::experiment::interest::{Distribution, RunOptions};

use crate::cli::exit::Failure;
use crate::cli::numbers;

/// What moves, and how.
#[derive(clap::Args)]
pub struct PlayArgs {
    /// Entities
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub entities: u32,
    /// Mean speed, in sides of a region a tick
    #[arg(long, value_name = "SF", default_value_t = 0.5, value_parser = numbers::finite)]
    pub speed: f64,
    /// Ticks to measure
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub ticks: u32,
    /// Of all that is drawn at random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Also tell of what begins and ceases between ticks, with the instants
    #[arg(long)]
    pub space_time: bool,
    /// Entities in a cube of a region's side
    #[arg(long, value_name = "D", default_value_t = 0.001, value_parser = numbers::finite)]
    pub density: f64,
    /// How entities are spread
    #[arg(long, value_name = "HOW", default_value = "even")]
    world: World,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum World {
    /// At random all over
    Even,
    /// Half of them in a thousandth of the space
    Skewed,
    /// All in one spot
    Spot,
    /// Along one axis
    Line,
    /// Sides from 1 to 10,000
    Sizes,
    /// Each somewhere else in each tick
    Teleports,
}

impl PlayArgs {
    /// The same for the library.
    pub fn options(&self, threads: usize) -> Result<RunOptions, Failure> {
        let sound = |name: &str, value: f64, least: f64| {
            if value >= least && value <= 1e6 {
                return Ok(value);
            }
            Err(Failure::usage(format!(
                "--{name}: expected a number from {least} to 1000000, found {value}"
            )))
        };
        Ok(RunOptions {
            entities: self.entities as usize,
            speed: sound("speed", self.speed, 0.0)?,
            ticks: self.ticks,
            seed: self.seed,
            density: sound("density", self.density, 1e-9)?,
            distribution: self.world.distribution(),
            space_time: self.space_time,
            threads,
        })
    }
}

impl World {
    fn distribution(self) -> Distribution {
        match self {
            Self::Even => Distribution::Even,
            Self::Skewed => Distribution::Skewed,
            Self::Spot => Distribution::Spot,
            Self::Line => Distribution::Line,
            Self::Sizes => Distribution::Sizes,
            Self::Teleports => Distribution::Teleports,
        }
    }
}
