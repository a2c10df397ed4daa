//! Portal flow: the PVS of a graph of cells and portals.
//!
//! Did not pay: a first round only so many portals deep, to narrow the rows (costs what it saves); smaller batches, the
//! most open rows of a batch first, no waiting for the batch before (2 %).

use std::ops::ControlFlow;
use std::path::Path;

use rayon::prelude::*;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::passages::Passages;
use super::walk::Walk;
use super::winding::ON_PLANE;
use viewcell_ingest::world::{BitMatrix, CellGraph, ones};

/// Passages that are walked at once, by however many threads. None of them knows what the others
/// of its batch find out, so that bytes do not depend on who is first.
const BATCH: usize = 64;

/// How close to the truth, and how long it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlowMethod {
    /// Passages see what a way leads to that lies in front of them: seconds for a large level,
    /// and visible for some two to three times as many pairs as there should be.
    Fast,
    /// Lines of sight through every chain of portals.
    #[default]
    Full,
}

/// What a caller may ask of [`flow`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowOptions<'a> {
    /// Fast or full.
    pub method: FlowMethod,
    /// Where finished work is kept, so that a full flow that was killed goes on. The file is made
    /// if it is not there, stays after the flow, and is for the caller to delete.
    pub checkpoint: Option<&'a Path>,
}

/// How far a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowProgress {
    /// Pairs of passages that are decided.
    pub done: u64,
    /// Pairs that are to be decided.
    pub total: u64,
}

/// Why there is no PVS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// Progress was answered with a break.
    #[error("stopped")]
    Stopped,
    /// A portal that leads to a cell that is not there.
    #[error("expected cells below {cells} at portal {portal}, found {found:?}")]
    Cell {
        /// The portal.
        portal: usize,
        /// Its cells.
        found: [u32; 2],
        /// Cells there are.
        cells: usize,
    },
    /// The checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// Computes who sees whom in a level of cells and portals: bit (a, b) is set if a straight line
/// may lead from somewhere in cell a through portals into cell b. A cell sees itself.
///
/// Conservative: what is not set is hidden, except through slits of less than 1/1000 of a unit
/// ([`ON_PLANE`]). Symmetric. The same for any number of threads (those of rayon's current pool),
/// resumed or not.
///
/// Portals must be convex, and point from their first cell into their second, as
/// `ingest::cells` reads them.
///
/// Full flow goes through the passages (portals in one direction) from the one that sees least to
/// the one that sees most. What is found is used at once: as the row of a passage that later
/// chains lead through, and, because lines of sight have two ends, as the answer for every pair
/// whose other end is asked later. Memory: for P passages, P²/8 bytes; twice that while the fast
/// flow that comes first is at work.
///
/// # Errors
///
/// [`FlowError`]: stopped by `progress`, which is called after each batch of passages; a portal
/// without its cells; a checkpoint that cannot be used.
pub fn flow(
    graph: &CellGraph,
    options: &FlowOptions<'_>,
    progress: &mut dyn FnMut(FlowProgress) -> ControlFlow<()>,
) -> Result<BitMatrix, FlowError> {
    let there = |cell: u32| (cell as usize) < graph.cells;
    let missing =
        |portal: &viewcell_ingest::world::Portal| !portal.cells.iter().all(|&cell| there(cell));
    if let Some(portal) = graph.portals.iter().position(missing) {
        return Err(FlowError::Cell {
            portal,
            found: graph.portals[portal].cells,
            cells: graph.cells,
        });
    }
    let passages = Passages::new(graph);
    let mut rows = fast(&passages, graph.cells);
    if options.method == FlowMethod::Full {
        full(&passages, &mut rows, options.checkpoint, progress)?;
    }
    Ok(pvs(&passages, &rows, graph.cells))
}

/// For each passage, those that a way leads to on which each is in front of it and it is behind
/// each.
fn fast(passages: &Passages, cells: usize) -> BitMatrix {
    let mut rows = BitMatrix::new(passages.len());
    let stride = rows.stride();
    let found: Vec<Vec<u64>> = (0..passages.len())
        .into_par_iter()
        .map_init(
            || (vec![false; cells], Vec::new()),
            |(reached, cells), source| {
                let mut row = vec![0; stride];
                reached.fill(false);
                reached[passages.to[source] as usize] = true;
                cells.push(passages.to[source]);
                while let Some(cell) = cells.pop() {
                    for exit in passages.out_of(cell) {
                        if passages.may_follow(source, exit, ON_PLANE) {
                            row[exit / 64] |= 1 << (exit % 64);
                            let to = passages.to[exit];
                            if !std::mem::replace(&mut reached[to as usize], true) {
                                cells.push(to);
                            }
                        }
                    }
                }
                row
            },
        )
        .collect();
    for (source, row) in found.iter().enumerate() {
        rows.row_mut(source).copy_from_slice(row);
    }
    // A line of sight runs both ways.
    for (source, row) in found.iter().enumerate() {
        for exit in ones(row) {
            let (back, home) = passages.reversed(source, exit);
            if found[back][home / 64] >> (home % 64) & 1 == 0 {
                rows.clear(source, exit);
            }
        }
    }
    rows
}

/// Narrows the rows of a fast flow to lines of sight.
fn full(
    passages: &Passages,
    rows: &mut BitMatrix,
    checkpoint: Option<&Path>,
    progress: &mut dyn FnMut(FlowProgress) -> ControlFlow<()>,
) -> Result<(), FlowError> {
    let count = |row: &[u64]| -> u64 { row.iter().map(|word| u64::from(word.count_ones())).sum() };
    let counts: Vec<u64> = rows.rows().map(count).collect();
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|&passage| (counts[passage], passage));

    let mut kept = match checkpoint {
        Some(path) => Some(Checkpoint::open(path, passages.digest(), rows.stride())?),
        None => None,
    };
    let total = counts.iter().sum();
    let mut done = 0;
    // Passages whose other direction is finished: what the rows say of them is final.
    let mut known = vec![0; rows.stride()];
    for batch in order.chunks(BATCH) {
        let restored = match &mut kept {
            Some(checkpoint) => checkpoint.next(batch.len())?,
            None => None,
        };
        let seen = match restored {
            Some(seen) => seen,
            None => {
                let seen = walk(passages, rows, &known, batch);
                if let Some(checkpoint) = &mut kept {
                    checkpoint.append(&seen)?;
                }
                seen
            }
        };
        for (&source, seen) in batch.iter().zip(&seen) {
            let hidden: Vec<u64> = (rows.row(source).iter().zip(seen))
                .map(|(row, seen)| row & !seen)
                .collect();
            for exit in ones(&hidden) {
                let (back, home) = passages.reversed(source, exit);
                rows.clear(source, exit);
                rows.clear(back, home);
            }
        }
        for &source in batch {
            let back = passages.reverse[source] as usize;
            known[back / 64] |= 1 << (back % 64);
            done += counts[source];
        }
        if progress(FlowProgress { done, total }).is_break() {
            return Err(FlowError::Stopped);
        }
    }
    Ok(())
}

/// What each passage of a batch sees, by what is known before the batch.
fn walk(passages: &Passages, rows: &BitMatrix, known: &[u64], batch: &[usize]) -> Vec<Vec<u64>> {
    batch
        .par_iter()
        .with_max_len(1)
        .map_init(
            || Walk::new(passages),
            |walk, &source| {
                let row = rows.row(source).iter();
                let mut seen: Vec<u64> = row.zip(known).map(|(row, known)| row & known).collect();
                walk.see(rows, source, &mut seen);
                seen
            },
        )
        .collect()
}

/// A cell sees itself, its neighbours, and all that is seen through the passages out of it.
fn pvs(passages: &Passages, rows: &BitMatrix, cells: usize) -> BitMatrix {
    let mut pvs = BitMatrix::new(cells);
    pvs.set_diagonal();
    for cell in 0..cells {
        for source in passages.out_of(cell as u32) {
            pvs.set(cell, passages.to[source] as usize);
            for exit in rows.ones(source) {
                pvs.set(cell, passages.to[exit] as usize);
            }
        }
    }
    pvs
}
