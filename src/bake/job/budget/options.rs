//! Options of compression: lossless, or within a budget.

use crate::bundle::{Given, Loss};

/// What is kept of the PVSs. Nothing that is visible is ever hidden.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Compression {
    /// All.
    #[default]
    Lossless,
    /// What fits a budget: given up is what costs least occlusion for the bytes it saves.
    Optimal(Budget),
}

impl Compression {
    /// Whether this makes of one and the same bake a bundle of so many bytes that has lost `loss`.
    /// A bundle does not tell what places were worth: if some of it was lost to them, the answer is
    /// no.
    pub(crate) fn makes(&self, loss: Option<&Loss>, bytes: u64) -> bool {
        match (self, loss.map(|loss| &loss.given)) {
            (Self::Lossless, None) => true,
            (Self::Optimal(budget), None) => bytes <= budget.bytes,
            (
                Self::Optimal(budget),
                Some(Given::Optimal {
                    budget_bytes,
                    weight,
                    ..
                }),
            ) => {
                bytes <= budget.bytes
                    && budget.bytes == *budget_bytes
                    && budget.weight.name() == weight
                    && !matches!(budget.weight, Weight::Places(_))
            }
            _ => false,
        }
    }
}

/// What a bundle may come to, and what to give up for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Greatest length of the file in bytes.
    pub bytes: u64,
    /// What it is worth that something is hidden.
    pub weight: Weight,
}

/// What it is worth that a sample is hidden from a quad; in a graded bundle, that a cell of a level is hidden from another.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Weight {
    /// The root of the number of the quad's samples: more from large quads, of which there are few,
    /// but less than for [`Weight::Level`]. In a graded bundle the pairs of view cells in two cells: the same anywhere.
    #[default]
    Area,
    /// The number of samples of the quad: each level of the quadtree is worth the same. In a graded bundle, too, so that near
    /// pairs are worth more.
    Level,
    /// By place: so much from a sample, row by row, and from a quad the mean of its samples, times
    /// the root of their number.
    Places(Vec<f64>),
}

impl Weight {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Level => "level",
            Self::Places(_) => "places",
        }
    }

    /// Weights of places, none negative and not all zero.
    ///
    /// # Errors
    ///
    /// Says what is wrong where there is another number of them than samples, one is negative or no number,
    /// or all are 0.
    pub fn places(weights: Vec<f64>, samples: u64) -> Result<Self, String> {
        if weights.len() as u64 != samples {
            let found = weights.len();
            return Err(format!(
                "expected {samples} weights, one a sample, found {found}"
            ));
        }
        if let Some(at) = weights.iter().position(|&w| !(0.0..=1e30).contains(&w)) {
            return Err(format!(
                "expected weights of 0 to 1e30, found {} as number {at}, row by row",
                weights[at]
            ));
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err("expected some weight above 0, found only zeros".to_owned());
        }
        Ok(Self::Places(weights))
    }
}
