//! Pennings' experiments: I, how ground grows, how large change sets are, and how long it takes (section 5.2); II, how
//! often clients must ask for a reservation (section 5.3).
//!
//! Time is a number. A client looks for the nodes that its ball touches and asks; the server looks too, and refuses if
//! one of them is locked. A lock holds for t_lock; a client that was refused asks again after t_wait. All begin at
//! once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use cpu_time::ThreadTime;
use serde::Serialize;

use viewcell_layered::{ChangeSet, Columns, GroundError, Layered, Locks, Patches};

use super::walk::Turn;

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

/// The state at one point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "CheckpointRow")]
pub struct Checkpoint {
    /// After how many interactions.
    pub interactions: u64,
    /// Nodes, or runs.
    pub nodes: u64,
    /// Memory.
    // In bytes.
    pub memory: u64,
    /// Mean time of an interaction since the point before, in ms.
    // Of the processor.
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

/// How reservations go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReserveOptions {
    /// How long a lock holds. [Unit: ms]
    pub lock: u64,
    /// After how long one who was refused asks again. [Unit: ms]
    pub wait: u64,
    /// From one interaction to the next. [Unit: ms]
    pub pause: u64,
    /// What a client takes to look for nodes and to ask. The thesis does not say; at 0 a second attempt
    /// on a path always fails. [Unit: ms]
    pub asking: u64,
    /// Whether a client's own locks are no hindrance to it, as the thesis proposes.
    pub own: bool,
}

impl Default for ReserveOptions {
    fn default() -> Self {
        Self {
            lock: 100,
            wait: 50,
            pause: 25,
            asking: 20,
            own: false,
        }
    }
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conflicts {
    /// Attempts of each interaction, in the order in which they were granted.
    pub attempts: Vec<u32>,
    /// Nodes that all attempts named.
    pub named: u64,
    /// The longest that a client waited for one reservation. [Unit: ms]
    pub longest: u64,
    /// When the last interaction was granted. [Unit: ms]
    pub end: u64,
}

/// Makes all interactions, each when it was reserved.
///
/// # Errors
///
/// A ground that grows beyond its limits.
pub fn reserve(
    ground: &Patches,
    turns: &[Turn],
    options: &ReserveOptions,
) -> Result<Conflicts, GroundError> {
    let before = ground;
    let mut ground = before.clone();
    let clients = turns.iter().map(|turn| turn.client + 1).max().unwrap_or(0);
    let mut queues: Vec<std::vec::IntoIter<Turn>> = (0..clients)
        .map(|client| {
            let own: Vec<Turn> = turns
                .iter()
                .copied()
                .filter(|t| t.client == client)
                .collect();
            own.into_iter()
        })
        .collect();
    let mut current: Vec<Option<Turn>> = queues.iter_mut().map(Iterator::next).collect();
    let mut tries = vec![(0u32, 0u64); clients];
    let mut locks = Locks::default();
    let mut found = Conflicts::default();
    // The server takes them as they come; at the same instant, by number.
    let mut due: BinaryHeap<Reverse<(u64, usize)>> =
        (0..clients).map(|c| Reverse((0, c))).collect();
    while let Some(Reverse((now, client))) = due.pop() {
        let Some(turn) = current[client] else {
            continue;
        };
        let now = now + options.asking;
        let stamp = turn.stamp(before);
        let (corner, size) = stamp.reach(ground.frame())?;
        let nodes = ground.affected(corner, size);
        found.named += nodes.len() as u64;
        locks.expire(now);
        let (count, since) = &mut tries[client];
        if *count == 0 {
            *since = now;
        }
        *count += 1;
        let own = options.own.then_some(client as u64);
        if locks.conflict(&nodes, own).is_some() {
            due.push(Reverse((now + options.wait, client)));
            continue;
        }
        locks.lock(client as u64, nodes, now + options.lock);
        let cubes = stamp.cubes(ground.frame())?;
        ground.stamp(&cubes, stamp.effect)?;
        found.attempts.push(*count);
        found.longest = found.longest.max(now - *since);
        found.end = now;
        tries[client] = (0, 0);
        current[client] = queues[client].next();
        due.push(Reverse((now + options.pause, client)));
    }
    Ok(found)
}
