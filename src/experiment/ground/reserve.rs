//! Experiment II: how often clients must ask for a reservation (section 5.3).
//!
//! Time is a number. A client looks for the nodes that its ball touches and asks; the server looks too,
//! and refuses if one of them is locked. A lock holds for t_lock; who was refused asks again after
//! t_wait. All begin at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::walk::Turn;
use crate::ground::{GroundError, Layered, Locks, Patches};

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
