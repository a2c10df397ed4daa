//! Options of compression: lossless, within a budget, or deepest first.

use crate::bundle::{Given, Loss};

pub use crate::compress::prune::Ties;

/// What is kept of the PVSs. Nothing that is visible is ever hidden.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Compression {
    /// All.
    #[default]
    Lossless,
    /// What fits a budget: given up is what costs least occlusion for the bytes it saves.
    Optimal(Budget),
    /// A number of nodes a PVS: given up is what is deepest (thesis section 3.4).
    DeepestFirst(DeepestFirst),
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
            (
                Self::DeepestFirst(to),
                Some(Given::DeepestFirst {
                    nodes_per_quad,
                    ties,
                }),
            ) => to.nodes == *nodes_per_quad && to.ties.name() == ties,
            _ => false,
        }
    }

    /// Whether what comes of this is the same after that loss as without it: pruning in several
    /// goes is, with fewer nodes and the same ties each time.
    pub(crate) fn goes_on_after(&self, loss: &Loss) -> bool {
        match (self, &loss.given) {
            (
                Self::DeepestFirst(to),
                Given::DeepestFirst {
                    nodes_per_quad,
                    ties,
                },
            ) => to.nodes <= *nodes_per_quad && to.ties.name() == ties,
            _ => false,
        }
    }
}

/// The thesis's way, kept for comparison.
///
/// Every PVS is pruned by itself, so that of two samples one may be visible from the other but not
/// the other way round, and a quad may see less than one of its samples; all that it says is
/// hidden is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepestFirst {
    /// Greatest number of nodes of a PVS's quadtree, which goes down to single samples.
    pub nodes: u64,
    /// What goes first of what is equally deep.
    pub ties: Ties,
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
