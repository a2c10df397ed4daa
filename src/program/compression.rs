//! What is kept of a bake: `--budget`.

use schemars::JsonSchema;
use viewcell_bake::Compression;
use viewcell_bake::plan::{BudgetChoice, WeightChoice};

use super::exit::Failure;
use super::values::ByteSize;

/// What is kept of a bake that loses nothing.
#[derive(Clone, clap::Args, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
    #[schemars(
        with = "Option<ByteSize>",
        description = "Maximum size of the bundle: bytes, or with KB, MB, GB, KiB, MiB, GiB. To reach it, some hidden places \
             are stored as visible; a visible place is never stored as hidden."
    )]
    pub budget: Option<Given>,
}

/// A size, and on the command line what is worth most.
type Given = (ByteSize, Option<WeightChoice>);

fn budget(text: &str) -> Result<Given, String> {
    let (size, weight) = text
        .split_once(',')
        .map_or((text, None), |(size, weight)| (size, Some(weight)));
    Ok((size.parse()?, weight.map(|weight| weight.to_owned().into())))
}

impl CompressionArgs {
    /// For the library.
    pub fn choice(&self) -> Option<BudgetChoice> {
        let (size, weight) = self.budget.as_ref()?;
        Some(BudgetChoice {
            bytes: size.0,
            weight: weight.clone().unwrap_or_default(),
        })
    }

    /// What is kept of a bundle of so many columns and rows; reads the weights.
    pub fn read(&self, (width, height): (u32, u32)) -> Result<Compression, Failure> {
        Ok(match self.choice() {
            None => Compression::Lossless,
            Some(budget) => budget.compression([width, height])?,
        })
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
