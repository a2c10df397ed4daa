//! What is kept of a bake: `--budget`, `--weight`, `--compression` and its options.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use viewcell::format::Grid;
use viewcell_bake::compress::prune::nodes_for;
use viewcell_bake::{Budget, Compression, DeepestFirst, Weight};
use viewcell_ingest::{IngestOptions, read_terrain};

use super::exit::Failure;
use super::values::ByteSize;

/// What is kept of a bake that loses nothing.
#[derive(Clone, clap::Args, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Size")]
pub struct CompressionArgs {
    /// Maximum size of the bundle: bytes, or with KB, MB, GB, KiB, MiB, GiB. To reach it, some hidden places are
    /// stored as visible; a visible place is never stored as hidden
    #[arg(long, value_name = "SIZE")]
    pub budget: Option<ByteSize>,

    /// With --budget, which hidden places are worth most: area, level, or a raster of where players are
    ///
    /// area: all hidden area counts the same; what a quad sees counts as many times as the quad's side has
    /// samples. level: each level of quads counts the same, so that large quads, on which frontier sets grow, lose
    /// least; where cells grow with distance, near pairs are worth more than far ones. A raster has the bundle's columns and rows, and holds a weight of at least 0 for each sample.
    #[arg(long, value_name = "area|level|RASTER")]
    pub weight: Option<WeightOf>,

    /// How to make the bundle smaller: with the least loss, or as in Avni's thesis, for comparison
    #[arg(long, value_enum)]
    pub compression: Option<Method>,

    /// With --compression deepest-first: nodes that each PVS may have [default: as many as the budget allows at
    /// three bytes a node]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes_per_quad: Option<u64>,

    /// With --compression deepest-first: which of equally deep nodes are cut first
    #[arg(long, value_enum)]
    pub ties: Option<Ties>,
}

/// How to come to a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Drop what hides the least for its bytes
    Optimal,
    /// Drop the deepest nodes of each PVS, down to the same number of nodes (thesis section 3.4)
    DeepestFirst,
}

/// Which of equally deep nodes go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The first in row order
    RowByRow,
    /// Those that hide the fewest of their four quads (thesis section 5.2)
    FewestHidden,
}

impl CompressionArgs {
    /// What is kept of a terrain of so many columns and rows; reads the weights.
    pub fn read(&self, (width, height): (u32, u32)) -> Result<Compression, Failure> {
        match self.compression {
            Some(Method::DeepestFirst) => {
                let grid = Grid::new(width, height)
                    .map_err(|error| Failure::bad_input(error.to_string()))?;
                return self.deepest_first(grid);
            }
            Some(Method::Optimal) if self.budget.is_none() => {
                return Err(Failure::usage(
                    "--compression optimal: expected a --budget to reach",
                ));
            }
            _ => {}
        }
        let only = |given: bool, option, with| {
            if given {
                Err(Failure::usage(format!(
                    "{option}: expected only with {with}"
                )))
            } else {
                Ok(())
            }
        };
        let deepest = "--compression deepest-first";
        only(self.nodes_per_quad.is_some(), "--nodes-per-quad", deepest)?;
        only(self.ties.is_some(), "--ties", deepest)?;
        let Some(size) = self.budget else {
            only(self.weight.is_some(), "--weight", "--budget")?;
            return Ok(Compression::Lossless);
        };
        // Heights are part of every bundle.
        let least = u64::from(width) * u64::from(height) * 4 + 512;
        if size.0 < least {
            return Err(Failure::usage(format!(
                "--budget {size}: expected more than {least} bytes, which the heights of {width} x {height} samples take"
            )));
        }
        let weight = match &self.weight {
            None | Some(WeightOf::Area) => Weight::Area,
            Some(WeightOf::Level) => Weight::Level,
            Some(WeightOf::Raster(path)) => weights(path, (width, height))?,
        };
        Ok(Compression::Optimal(Budget {
            bytes: size.0,
            weight,
        }))
    }

    fn deepest_first(&self, grid: Grid) -> Result<Compression, Failure> {
        if self.weight.is_some() {
            return Err(Failure::usage(
                "--weight: deepest-first uses no weights; expected --compression optimal with it",
            ));
        }
        let nodes = match (self.nodes_per_quad, self.budget) {
            // A job file knows of no ranges.
            (Some(0), None) => {
                return Err(Failure::usage("--nodes-per-quad 0: expected at least 1"));
            }
            (Some(nodes), None) => nodes,
            (None, Some(size)) => match nodes_for(grid, size.0) {
                0 => {
                    let least = 3 * grid.quad_count();
                    return Err(Failure::usage(format!(
                        "--budget {size}: expected at least {least} bytes, which one node of 3 bytes for each of {} quads takes",
                        grid.quad_count()
                    )));
                }
                nodes => nodes,
            },
            _ => {
                return Err(Failure::usage(
                    "--compression deepest-first: expected --nodes-per-quad or --budget, one of them",
                ));
            }
        };
        let ties = match self.ties {
            None | Some(Ties::RowByRow) => viewcell_bake::Ties::RowByRow,
            Some(Ties::FewestHidden) => viewcell_bake::Ties::FewestHidden,
        };
        Ok(Compression::DeepestFirst(DeepestFirst { nodes, ties }))
    }

    /// Whether anything may be lost.
    pub fn is_lossy(&self) -> bool {
        self.budget.is_some() || self.compression.is_some()
    }

    /// Whether the tree of each quad is pruned by itself.
    pub fn prunes_trees(&self) -> bool {
        matches!(self.compression, Some(Method::DeepestFirst))
    }
}

/// The weights in a raster.
fn weights(path: &Path, (width, height): (u32, u32)) -> Result<Weight, Failure> {
    let raster = read_terrain(path, &IngestOptions::default())?.terrain;
    let bad = |fault: String| Failure::bad_input(format!("{}: {fault}", path.display()));
    if (raster.width(), raster.height()) != (width, height) {
        return Err(bad(format!(
            "expected weights for {width} x {height} samples, found {} x {}",
            raster.width(),
            raster.height()
        )));
    }
    let weights = raster.heights().iter();
    let weights = weights.map(|&weight| if weight.is_nan() { 0.0 } else { weight });
    Weight::places(weights.collect(), u64::from(width) * u64::from(height)).map_err(bad)
}

/// What it is worth that something is hidden.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "String")]
#[schemars(with = "String")]
pub enum WeightOf {
    Area,
    Level,
    Raster(PathBuf),
}

impl From<String> for WeightOf {
    fn from(text: String) -> Self {
        match text.as_str() {
            "area" => Self::Area,
            "level" => Self::Level,
            path => Self::Raster(path.into()),
        }
    }
}

impl FromStr for WeightOf {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.to_owned().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let size = |text: &str| text.parse::<ByteSize>().map(|size| size.0);
        for (text, bytes) in [
            ("100MB", 100_000_000),
            ("30MiB", 30 << 20),
            ("10000000", 10_000_000),
            ("1.5 GB", 1_500_000_000),
            ("12kB", 12_000),
            ("7B", 7),
            ("10", 10),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "10XB",
            "MB",
            "-5MB",
            "0",
            "0MB",
            "1.5",
            "1e6",
            "99999999999GB",
            "1..5MB",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
