//! Experiment I: how ground grows, how large change sets are, and how long it takes (section 5.2).

use std::time::Duration;

use cpu_time::ThreadTime;

use super::walk::Turn;
use crate::ground::{ChangeSet, Columns, GroundError, Layered, Patches};

/// Which structure holds the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Quadtrees, as in the thesis.
    Quadtrees,
    /// A column of runs a sample.
    Columns,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Grown {
    /// Nodes, or runs, before.
    pub before: u64,
    /// After each interaction.
    pub nodes: Vec<u64>,
    /// Nodes of each change set; 0 where nothing changed.
    pub changes: Vec<u64>,
    /// Bytes of all change sets, as they are sent.
    pub change_bytes: u64,
    /// What the server does for an interaction: the surface looked for, the stamp made, changes planned and
    /// applied; not their bytes. Of the processor. [Unit: ms]
    pub times: Vec<f64>,
    /// Memory before and after. [Unit: bytes]
    pub memory: [u64; 2],
    /// Of the whole ground at the end.
    pub digest: u64,
    /// The state at some points of a long run.
    pub checkpoints: Vec<Checkpoint>,
}

/// The state at one point of a long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    /// After how many interactions.
    pub interactions: u64,
    /// Nodes, or runs.
    pub nodes: u64,
    /// Memory. [Unit: bytes]
    pub memory: u64,
    /// Mean time of the processor for an interaction since the checkpoint before. [Unit: ms]
    pub milliseconds: f64,
}

/// Makes all interactions on some ground.
///
/// # Errors
///
/// A ground that grows beyond its limits.
pub fn grow_ground(
    ground: &Patches,
    structure: Structure,
    turns: &[Turn],
    with_bytes: bool,
) -> Result<Grown, GroundError> {
    match structure {
        Structure::Quadtrees => run(&mut ground.clone(), ground, turns, with_bytes),
        Structure::Columns => run(&mut Columns::of(ground), ground, turns, with_bytes),
    }
}

fn run(
    ground: &mut impl Layered,
    before: &Patches,
    turns: &[Turn],
    with_bytes: bool,
) -> Result<Grown, GroundError> {
    let mut grown = Grown {
        before: ground.nodes(),
        nodes: Vec::with_capacity(turns.len()),
        changes: Vec::with_capacity(turns.len()),
        change_bytes: 0,
        times: Vec::with_capacity(turns.len()),
        memory: [ground.bytes() as u64; 2],
        digest: 0,
        checkpoints: Vec::new(),
    };
    let mut next = 1_000;
    let mut since = (0, Duration::ZERO);
    for (i, turn) in turns.iter().enumerate() {
        let began = ThreadTime::now();
        let stamp = turn.stamp(before);
        let cubes = stamp.cubes(ground.frame())?;
        let changes = ground.stamp(&cubes, stamp.effect)?;
        let took = began.elapsed();
        grown.times.push(took.as_secs_f64() * 1e3);
        grown.nodes.push(ground.nodes());
        grown
            .changes
            .push(changes.as_ref().map_or(0, ChangeSet::nodes));
        if let Some(changes) = changes.filter(|_| with_bytes) {
            grown.change_bytes += changes.encode().len() as u64;
        }
        since = (since.0 + 1, since.1 + took);
        if i + 1 == next || i + 1 == turns.len() {
            grown.checkpoints.push(Checkpoint {
                interactions: i as u64 + 1,
                nodes: ground.nodes(),
                memory: ground.bytes() as u64,
                milliseconds: since.1.as_secs_f64() * 1e3 / since.0 as f64,
            });
            since = (0, Duration::ZERO);
            next = if next < 10_000 {
                next * 2
            } else {
                next + 10_000
            };
        }
    }
    grown.memory[1] = ground.bytes() as u64;
    grown.digest = ground.version().digest;
    Ok(grown)
}
