//! What `viewcell experiment ground` prints.

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::experiment::ground::{Conflicts, Grown, Scenario, Spread, Turn, paper};
use viewcell::internals::ground::{Columns, Layered, Patches, encode};

/// What `viewcell experiment ground --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment ground")]
pub struct Document {
    /// Of all points.
    pub seed: u64,
    /// The ground before anything happened.
    pub ground: GroundRow,
    /// Experiment I: tables 1 to 4.
    pub growth: Vec<GrowthRow>,
    /// Experiment II: tables 5 and 6.
    pub reservations: Vec<ReservationRow>,
    /// Where it is gone on.
    pub prolonged: Vec<ProlongedRow>,
}

/// The ground before anything happened.
#[derive(Serialize, JsonSchema)]
pub struct GroundRow {
    /// Nodes of quadtrees.
    pub nodes: u64,
    /// The same in the thesis.
    pub paper_nodes: u64,
    /// Runs of columns.
    pub runs: u64,
    /// Memory of quadtrees.
    pub quadtree_bytes: u64,
    /// Memory of columns.
    pub column_bytes: u64,
    /// Length of a ground file.
    pub file_bytes: u64,
}

/// Mean, median, greatest and standard deviation.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct SpreadRow {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The greatest.
    pub max: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// A row of tables 1 and 2, or 3 and 4.
#[derive(Serialize, JsonSchema)]
pub struct GrowthRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// `quadtrees` or `columns`.
    pub structure: &'static str,
    /// Clients.
    pub clients: u32,
    /// Interactions of all.
    pub interactions: u64,
    /// Nodes, or runs, that came into being.
    pub nodes: i64,
    /// The same in hundredths of those there were.
    pub percent: f64,
    /// Nodes that one interaction added.
    pub growth: SpreadRow,
    /// Nodes of a change set.
    pub changes: SpreadRow,
    /// Mean bytes of a change set.
    pub change_bytes: f64,
    /// Time of an interaction.
    pub milliseconds: SpreadRow,
    /// Memory at the end.
    pub memory: u64,
    /// The thesis's nodes, if it has this row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperGrowth>,
}

/// What the thesis printed.
#[derive(Serialize, JsonSchema)]
pub struct PaperGrowth {
    /// Interactions of all.
    pub interactions: u64,
    /// Nodes that came into being.
    pub nodes: u64,
    /// The same in percent, as the thesis prints it.
    pub percent: f64,
    /// Nodes that one interaction added.
    pub growth: SpreadRow,
    /// Nodes of a change set.
    pub changes: SpreadRow,
}

/// A row of tables 5 and 6.
#[derive(Serialize, JsonSchema)]
pub struct ReservationRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// Clients.
    pub clients: u32,
    /// Whether a client's own locks are no hindrance to it.
    pub own_locks_honoured: bool,
    /// Interactions of all.
    pub interactions: u64,
    /// Attempts of all.
    pub attempts: u64,
    /// Interactions that needed more than one.
    pub several: u64,
    /// Attempts of an interaction.
    pub each: SpreadRow,
    /// The longest that a client waited for one reservation, in ms.
    pub longest_wait: u64,
    /// When the last was granted, in ms.
    pub end: u64,
    /// Mean number of nodes that an attempt named.
    pub named: f64,
    /// What the thesis printed, without own locks: interactions, attempts, those that needed several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperAttempts>,
}

/// What the thesis printed.
#[derive(Serialize, JsonSchema)]
pub struct PaperAttempts {
    /// Interactions of all.
    pub interactions: u64,
    /// Attempts of all.
    pub attempts: u64,
    /// Interactions that needed more than one.
    pub several: u64,
    /// Attempts of an interaction.
    pub each: SpreadRow,
}

/// Where it is gone on.
#[derive(Serialize, JsonSchema)]
pub struct ProlongedRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// `quadtrees` or `columns`.
    pub structure: &'static str,
    /// The state at some points.
    pub checkpoints: Vec<CheckpointRow>,
}

/// The state at one point.
#[derive(Serialize, JsonSchema)]
pub struct CheckpointRow {
    /// After how many interactions.
    pub interactions: u64,
    /// Nodes, or runs.
    pub nodes: u64,
    /// Memory.
    pub memory: u64,
    /// Mean time of an interaction since the point before, in ms.
    pub milliseconds: f64,
}

impl GroundRow {
    pub fn of(ground: &Patches) -> Self {
        let columns = Columns::of(ground);
        Self {
            nodes: ground.nodes(),
            paper_nodes: paper::NODES,
            runs: columns.nodes(),
            quadtree_bytes: ground.bytes() as u64,
            column_bytes: columns.bytes() as u64,
            file_bytes: encode(ground).len() as u64,
        }
    }
}

impl From<Spread> for SpreadRow {
    fn from(spread: Spread) -> Self {
        Self {
            mean: spread.mean,
            median: spread.median,
            max: spread.max,
            deviation: spread.deviation,
        }
    }
}

impl GrowthRow {
    pub fn of(
        scenario: Scenario,
        structure: &'static str,
        clients: u32,
        turns: &[Turn],
        grown: &Grown,
    ) -> Self {
        let after = grown.nodes.last().copied().unwrap_or(grown.before);
        let mut before = grown.before;
        let added = grown.nodes.iter().map(|&nodes| {
            let added = nodes as f64 - before as f64;
            before = nodes;
            added
        });
        let added: Vec<f64> = added.collect();
        let changes: Vec<f64> = grown.changes.iter().map(|&nodes| nodes as f64).collect();
        let nodes = after as i64 - grown.before as i64;
        let rows = paper::growth_rows(scenario);
        let row = rows.iter().find(|row| row.clients == clients as usize);
        let row = row.filter(|_| structure == "quadtrees");
        Self {
            scenario: scenario.name(),
            structure,
            clients,
            interactions: turns.len() as u64,
            nodes,
            percent: 100.0 * nodes as f64 / grown.before as f64,
            growth: Spread::of(&added).into(),
            changes: Spread::of(&changes).into(),
            change_bytes: grown.change_bytes as f64 / turns.len().max(1) as f64,
            milliseconds: Spread::of(&grown.times).into(),
            memory: grown.memory[1],
            paper: row.map(|row| PaperGrowth {
                interactions: row.interactions,
                nodes: row.nodes,
                percent: row.percent,
                growth: row.growth.into(),
                changes: row.changes.into(),
            }),
        }
    }
}

impl ReservationRow {
    pub fn of(scenario: Scenario, clients: u32, own: bool, conflicts: &Conflicts) -> Self {
        let each: Vec<f64> = conflicts
            .attempts
            .iter()
            .map(|&tries| f64::from(tries))
            .collect();
        let attempts = conflicts
            .attempts
            .iter()
            .map(|&tries| u64::from(tries))
            .sum();
        let rows = paper::attempt_rows(scenario);
        let row = rows
            .iter()
            .find(|row| row.clients == clients as usize && !own);
        Self {
            scenario: scenario.name(),
            clients,
            own_locks_honoured: own,
            interactions: each.len() as u64,
            attempts,
            several: conflicts
                .attempts
                .iter()
                .filter(|&&tries| tries > 1)
                .count() as u64,
            each: Spread::of(&each).into(),
            longest_wait: conflicts.longest,
            end: conflicts.end,
            named: conflicts.named as f64 / attempts.max(1) as f64,
            paper: row.map(|row| PaperAttempts {
                interactions: row.interactions,
                attempts: row.attempts,
                several: row.several,
                each: row.each.into(),
            }),
        }
    }
}
