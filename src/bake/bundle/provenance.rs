//! How a bundle was made: the `PROV` section, JSON in a zstd frame.
//!
//! It holds nothing that depends on the machine or the hour, so that the same input and options
//! give the same bytes; times are in [`super::timings`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wincode::{SchemaRead, SchemaWrite};

use crate::compress::ValidPyramid;
use crate::compress::pairs::PairCounts;
use viewcell::format::{Grid, Quad};

/// How a bundle was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Provenance {
    /// Program and version, such as `viewcell 0.2.0`.
    pub tool: String,
    /// The file that the world came from.
    pub input: InputFile,
    /// The options of the bake, by their names on the command line.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// What came out, of a terrain.
    #[serde(default, skip_serializing_if = "Statistics::is_empty")]
    pub statistics: Statistics,
    /// What was lost to a compression; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What came out, of a level of cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellStatistics>,
    /// Of a solid level, checksums of sections that follow from nothing else in the bundle, by their names: `crc32:` and eight
    /// hexadecimal digits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sections: BTreeMap<String, String>,
}

/// A checksum as [`Provenance::sections`] states it.
pub(crate) fn stated_checksum(checksum: u32) -> String {
    format!("crc32:{checksum:08x}")
}

/// What was lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// What was given up first, and what for.
    #[serde(flatten)]
    pub given: Given,
    /// By level of the viewpoint quad.
    pub levels: Vec<LossyLevel>,
}

/// What was given up first, and what for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "compression", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Given {
    /// What costs least occlusion for the bytes it saves.
    Optimal {
        /// Bytes that the file was to come to.
        budget_bytes: u64,
        /// What hidden area was worth: `area`, `level` or `places`.
        weight: String,
        /// Hidden area that was given up for a byte: samples hidden from a viewpoint, by weight.
        area_per_byte: f64,
    },
    /// What is deepest, of each PVS (thesis section 3.4).
    DeepestFirst {
        /// Nodes that each PVS was to come to.
        nodes_per_quad: u64,
        /// What came first of what is equally deep: `row-by-row` or `fewest-hidden`.
        ties: String,
    },
}

impl Loss {
    /// What was lost between the statistics of all and of what is left.
    pub fn between(given: Given, before: &Statistics, after: &Statistics) -> Self {
        Self::of(given, before.hidden(), after)
    }

    /// What was lost of so many hidden samples a level.
    fn of(given: Given, before: impl Iterator<Item = u64>, after: &Statistics) -> Self {
        let levels = after.levels.iter().zip(before).zip(after.hidden());
        let kept = |((level, before), after): ((&LevelStatistics, u64), u64)| LossyLevel {
            level: level.level,
            hidden_before: before,
            kept_share: match before {
                0 => 1.0,
                all => after as f64 / all as f64,
            },
        };
        Self {
            given,
            levels: levels.map(kept).collect(),
        }
    }
}

/// What was lost at a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossyLevel {
    /// The level.
    pub level: u32,
    /// Hidden samples before, summed over the PVSs of the level's quads.
    pub hidden_before: u64,
    /// Share of these that are hidden still; 0 to 1.
    pub kept_share: f64,
}

/// What came out of a bake of cells. Pairs are of different cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellStatistics {
    /// Cells.
    pub cells: u64,
    /// Portals between them, where they are known.
    pub portals: u64,
    /// Unordered pairs of which the input had one see the other but not the other way round.
    pub one_way_pairs: u64,
    /// Ordered pairs that are visible in the bundle.
    pub visible_pairs: u64,
    /// Mean share of the other cells that is hidden from a cell.
    pub hidden_share: f64,
    /// Ordered pairs by distance: first those one step apart, which are the visible ones.
    pub pairs_by_distance: Vec<u64>,
    /// Ordered pairs that no chain of visible steps joins.
    pub unreachable_pairs: u64,
    /// Parts of the level between which nobody sees anybody.
    pub components: u64,
    /// Cells of the largest of them.
    pub largest_component: u64,
}

/// The file that a world came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, SchemaRead, SchemaWrite)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputFile {
    /// Its name, without folders.
    pub name: String,
    /// Its format, as sniffed.
    pub format: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its digest, algorithm first: `crc32:cbf43926`.
    pub digest: String,
}

impl InputFile {
    /// The CRC-32 of the file, by its digest.
    pub fn crc32(&self) -> Option<u32> {
        u32::from_str_radix(self.digest.strip_prefix("crc32:")?, 16).ok()
    }
}

/// What came out of a bake. All sums are of integers, so that they do not depend on the order
/// in which threads finish.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statistics {
    /// Samples with terrain.
    pub samples: u64,
    /// Samples without.
    pub voids: u64,
    /// By level of the viewpoint quad, from single samples to the root.
    pub levels: Vec<LevelStatistics>,
}

/// What came out of a bake at one level of the quadtree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LevelStatistics {
    /// The level; quads have sides of 2^level samples.
    pub level: u32,
    /// Quads of the level.
    pub quads: u64,
    /// Quads that have terrain, and so a PVS that need not be empty.
    pub quads_with_terrain: u64,
    /// Visible samples, summed over the PVSs of the level's quads.
    pub visible_samples: u64,
    /// Bytes of the level's trees. Those of pairs of blocks, which serve levels 0 to 3, count at
    /// level 3.
    pub tree_bytes: u64,
    /// Mean share of the terrain that is hidden from a quad that has terrain; 0 to 1.
    pub hidden_share: f64,
}

impl Statistics {
    /// Whether they are of no terrain.
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Hidden samples of each level, summed over the PVSs of its quads.
    fn hidden(&self) -> impl Iterator<Item = u64> {
        let all = |level: &LevelStatistics| level.quads_with_terrain * self.samples;
        let levels = self.levels.iter();
        levels.map(move |level| all(level).saturating_sub(level.visible_samples))
    }

    /// Statistics to be filled by [`Statistics::record`].
    pub fn new(grid: Grid, samples: u64) -> Self {
        let level = |level| {
            let (columns, rows) = grid.quads_at(level);
            LevelStatistics {
                level,
                quads: u64::from(columns) * u64::from(rows),
                ..LevelStatistics::default()
            }
        };
        Self {
            samples,
            voids: grid.samples() - samples,
            levels: (0..grid.levels()).map(level).collect(),
        }
    }

    /// Those of levels 0 to 3, by the groups of all blocks, which have so many bytes.
    pub(crate) fn of_groups(valid: &ValidPyramid, counts: &PairCounts, bytes: u64) -> Self {
        let mut statistics = Self::new(valid.grid(), valid.samples());
        for (level, (visible, quads)) in (0..).zip(counts.visible.into_iter().zip(counts.quads)) {
            statistics.add(level, quads, visible, if level == 3 { bytes } else { 0 });
        }
        statistics
    }

    /// Takes in the PVS of one quad: whether the quad has terrain, how many samples are visible
    /// from it, and the length of its tree. In any order.
    pub fn record(&mut self, quad: Quad, has_terrain: bool, visible_samples: u64, bytes: usize) {
        self.add(
            quad.level,
            u64::from(has_terrain),
            visible_samples,
            bytes as u64,
        );
    }

    /// Takes in the PVSs of several quads of a level: how many of them have terrain, and sums.
    pub fn add(&mut self, level: u32, with_terrain: u64, visible_samples: u64, bytes: u64) {
        let level = &mut self.levels[level as usize];
        level.quads_with_terrain += with_terrain;
        level.visible_samples += visible_samples;
        level.tree_bytes += bytes;
        let pairs = level.quads_with_terrain as f64 * self.samples as f64;
        level.hidden_share = if pairs > 0.0 {
            1.0 - level.visible_samples as f64 / pairs
        } else {
            0.0
        };
    }
}
