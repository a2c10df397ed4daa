//! What is kept of a bake: `--budget`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use viewcell_bake::{Budget, Compression, Weight};
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
    ///
    /// After a comma may be said which hidden places are worth most, as in 10MB,level. area, if nothing is said: all hidden
    /// area counts the same; what a quad sees counts as many times as the quad's side has samples. level: each level of
    /// quads counts the same, so that large quads, on which frontier sets grow, lose least; where cells grow with
    /// distance, near pairs are worth more than far ones. The name of a raster of where players are: it has the bundle's
    /// columns and rows, and holds a weight of at least 0 for each sample.
    #[arg(long, value_name = "SIZE[,WEIGHT]", value_parser = budget)]
    #[serde(default, deserialize_with = "size")]
    #[schemars(
        with = "Option<ByteSize>",
        description = "Maximum size of the bundle: bytes, or with KB, MB, GB, KiB, MiB, GiB. To reach it, some hidden places \
             are stored as visible; a visible place is never stored as hidden."
    )]
    pub budget: Option<Given>,

    /// With a budget, which hidden places are worth most: area, level, or a raster of where players are.
    #[arg(skip)]
    pub weight: Option<WeightOf>,
}

/// A size, and on the command line what is worth most.
type Given = (ByteSize, Option<WeightOf>);

fn budget(text: &str) -> Result<Given, String> {
    let (size, weight) = text
        .split_once(',')
        .map_or((text, None), |(size, weight)| (size, Some(weight)));
    Ok((size.parse()?, weight.map(|weight| weight.to_owned().into())))
}

/// Reads `budget` of a job file.
fn size<'de, D: Deserializer<'de>>(file: D) -> Result<Option<Given>, D::Error> {
    Ok(Option::deserialize(file)?.map(|size| (size, None)))
}

impl CompressionArgs {
    /// What is kept of a terrain of so many columns and rows; reads the weights.
    pub fn read(&self, (width, height): (u32, u32)) -> Result<Compression, Failure> {
        let Some((size, weight)) = &self.budget else {
            if self.weight.is_some() {
                return Err(Failure::usage("weight: expected only with budget"));
            }
            return Ok(Compression::Lossless);
        };
        // Heights are part of every bundle.
        let least = u64::from(width) * u64::from(height) * 4 + 512;
        if size.0 < least {
            return Err(Failure::usage(format!(
                "--budget {size}: expected more than {least} bytes, which the heights of {width} x {height} samples take"
            )));
        }
        let weight = match weight.as_ref().or(self.weight.as_ref()) {
            None | Some(WeightOf::Area) => Weight::Area,
            Some(WeightOf::Level) => Weight::Level,
            Some(WeightOf::Raster(path)) => weights(path, (width, height))?,
        };
        Ok(Compression::Optimal(Budget {
            bytes: size.0,
            weight,
        }))
    }

    /// Whether anything may be lost.
    pub fn is_lossy(&self) -> bool {
        self.budget.is_some()
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
