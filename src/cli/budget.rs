//! What a bundle may come to: `--budget` and `--weight`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use viewcell::bake::{Budget, Weight};
use viewcell::ingest::{IngestOptions, read_terrain};

use super::exit::Failure;

/// What a bundle may come to, and what to give up for it.
#[derive(clap::Args)]
pub struct BudgetArgs {
    /// Greatest size of the bundle: bytes, or with KB, MB, GB, KiB, MiB, GiB. What is hidden is
    /// given out as visible where that saves most bytes; never the other way round
    #[arg(long, value_name = "SIZE", help_heading = "Size")]
    pub budget: Option<ByteSize>,

    /// What it is worth that something is hidden: area, level, or a raster of where players are
    ///
    /// area: the same from every quad. level: as much from all quads of one level together as from
    /// those of any other, for frontiers, which grow on large quads. A raster of the terrain's size
    /// holds a weight of at least 0 for each sample.
    #[arg(
        long,
        value_name = "area|level|RASTER",
        requires = "budget",
        help_heading = "Size"
    )]
    pub weight: Option<WeightOf>,
}

impl BudgetArgs {
    /// The budget of a terrain of so many columns and rows; reads the weights.
    pub fn read(&self, grid: (u32, u32)) -> Result<Option<Budget>, Failure> {
        let Some(size) = self.budget else {
            return match self.weight {
                Some(_) => Err(Failure::usage(
                    "--weight: expected only with --budget".into(),
                )),
                None => Ok(None),
            };
        };
        // Heights are part of every bundle.
        let least = u64::from(grid.0) * u64::from(grid.1) * 4 + 512;
        if size.0 < least {
            return Err(Failure::usage(format!(
                "--budget {size}: expected more than {least} bytes, which the heights of {} x {} samples take",
                grid.0, grid.1
            )));
        }
        let weight = match &self.weight {
            None | Some(WeightOf::Area) => Weight::Area,
            Some(WeightOf::Level) => Weight::Level,
            Some(WeightOf::Raster(path)) => weights(path, grid)?,
        };
        Ok(Some(Budget {
            bytes: size.0,
            weight,
        }))
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

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ByteSize(pub u64);

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault =
            || format!("expected a size such as 100MB, 30MiB or 10000000 (bytes), found {text:?}");
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let factor: u64 = match unit.trim() {
            "" | "B" => 1,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(fault()),
        };
        let bytes = match number.parse::<u64>() {
            Ok(number) => number.checked_mul(factor).ok_or_else(fault)?,
            Err(_) if factor > 1 && number.contains('.') => {
                let number: f64 = number.parse().map_err(|_| fault())?;
                (number * factor as f64) as u64
            }
            Err(_) => return Err(fault()),
        };
        match bytes {
            0 => Err(format!("expected a size above 0, found {text:?}")),
            bytes => Ok(Self(bytes)),
        }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl TryFrom<String> for ByteSize {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ByteSize> for String {
    fn from(size: ByteSize) -> Self {
        size.to_string()
    }
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
