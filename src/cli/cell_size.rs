//! How large view cells of a terrain are.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// How many quads of a size lie between two that answer as one, if a person does not say: who is
/// 16 cells away is asked for by cells, who is 32 away by 2 × 2.
const GRADE: &str = "16";

/// Cells of a terrain, and how they grow.
#[derive(Clone, clap::Args, serde::Deserialize, JsonSchema)]
#[command(next_help_heading = "Players")]
pub struct CellSizeArgs {
    /// Level of the quads that are the view cells, for large terrains: 3 for squares of 8 samples a
    /// side, up to 6; 0 for samples
    ///
    /// A cell sees another if anybody anywhere in it sees anybody anywhere in the other. Places are
    /// given by samples still: the cell that holds one answers for it.
    #[arg(long, value_name = "L", default_value_t = 0)]
    #[serde(default)]
    pub finest: u32,

    /// Let cells grow with distance, with --finest: who is far away is asked for by quads of 2 × 2
    /// cells, who is further by 4 × 4, up to 16 × 16
    ///
    /// Quads answer as one where at least RATIO of their size lie between them, across or down; 16 if
    /// no number is given. One sees the other if anybody in it does. What is hidden is as true as ever,
    /// in fewer bytes; more is visible.
    #[arg(
        long,
        value_name = "RATIO",
        num_args = 0..=1,
        require_equals = true,
        default_value = "0",
        default_missing_value = GRADE,
        hide_default_value = true
    )]
    #[serde(default, deserialize_with = "grade")]
    #[schemars(schema_with = "grade_schema")]
    pub grade: u32,

    /// Level of the smallest quads that are told apart within cells, with --finest: 0 for samples, which
    /// hides the most; 1, 2 ... up to L, for cells as wholes, which takes the least time
    ///
    /// For terrains of thousands of samples a side. What is hidden is as true as ever; more is visible.
    /// Conservative visibility alone.
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    #[serde(default)]
    pub detail: u32,
}

/// Reads `grade` of a job file: true, or the ratio.
fn grade<'de, D: Deserializer<'de>>(file: D) -> Result<u32, D::Error> {
    struct Grade;
    impl Visitor<'_> for Grade {
        type Value = u32;

        fn expecting(&self, words: &mut fmt::Formatter) -> fmt::Result {
            words.write_str("true, false or a number of 1 to 4096")
        }

        fn visit_bool<E: Error>(self, grows: bool) -> Result<u32, E> {
            let ratio = if grows { GRADE } else { "0" };
            ratio.parse().map_err(E::custom)
        }

        fn visit_i64<E: Error>(self, ratio: i64) -> Result<u32, E> {
            let wrong = || E::invalid_value(Unexpected::Signed(ratio), &self);
            u32::try_from(ratio).map_err(|_| wrong())
        }
    }
    file.deserialize_any(Grade)
}

fn grade_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "description": "Let cells grow with distance, with finest: who is far away is asked for by quads of \
                        cells. true, or how many quads of a size lie between those that answer as one",
        "type": ["boolean", "integer"],
        "default": false,
        "minimum": 0,
        "maximum": 4096
    })
}
