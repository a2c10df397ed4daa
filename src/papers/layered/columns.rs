//! Ground as columns: for each sample the runs of materials above one another.
//!
//! Equal columns are kept once. Neighbours are often equal where layers lie flat, and then a sample
//! takes the four bytes of its column's number. Beside quadtrees a terrain of 1024 × 1024 × 100 cubes takes six times the
//! bytes before anybody digs, and a third after 100,000 stamps, each in half the time.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::change::{Body, ChangeSet, ColumnRun, Runs, Version};
use super::cubes::Cubes;
use super::error::GroundError;
use super::frame::Frame;
use super::layered::Layered;
use super::patches::Patches;
use super::stamp::Effect;
use super::tree::{EMPTY, Material};

/// Cubes of one material above one another: the slice where they begin. They end where the next run
/// begins. The last is empty and has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Start {
    slice: i32,
    material: Material,
}

type Runs1 = Arc<[Start]>;

/// Layered ground as a run-length column a sample.
#[derive(Clone, Debug)]
pub struct Columns {
    frame: Frame,
    version: Version,
    /// The number of each sample's column, row by row.
    samples: Vec<u32>,
    kept: Kept,
}

/// Each different column once.
#[derive(Clone, Debug, Default)]
struct Kept {
    columns: Vec<Runs1>,
    /// How many samples have it.
    uses: Vec<u32>,
    unused: Vec<u32>,
    numbers: HashMap<Runs1, u32, BuildHasherDefault<Quick>>,
    /// Runs of all samples, those of equal columns counted again.
    runs: u64,
}

impl Kept {
    fn number_of(&mut self, column: &[Start]) -> u32 {
        self.runs += column.len() as u64;
        if let Some(&number) = self.numbers.get(column) {
            let uses = &mut self.uses[number as usize];
            *uses = uses.saturating_add(1); // that of nothing stays at the most
            return number;
        }
        let column: Runs1 = column.into();
        let number = match self.unused.pop() {
            Some(number) => {
                self.columns[number as usize] = column.clone();
                self.uses[number as usize] = 1;
                number
            }
            None => {
                self.columns.push(column.clone());
                self.uses.push(1);
                self.columns.len() as u32 - 1
            }
        };
        self.numbers.insert(column, number);
        number
    }

    fn release(&mut self, number: u32) {
        self.runs -= self.columns[number as usize].len() as u64;
        let uses = &mut self.uses[number as usize];
        *uses -= 1;
        if *uses == 0 {
            let none: Runs1 = Arc::new([]);
            let column = std::mem::replace(&mut self.columns[number as usize], none);
            self.numbers.remove(&column);
            self.unused.push(number);
        }
    }
}

/// Mixes words as they come; what is hashed comes from the ground alone.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    fn write_i32(&mut self, value: i32) {
        self.write_u64(value as u32 as u64);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Columns {
    /// The same cubes as those of patches, and the same version.
    pub fn of(patches: &Patches) -> Self {
        let frame = patches.frame().clone();
        let samples = frame.width() as usize * frame.height() as usize;
        let mut kept = Kept::default();
        let nothing = kept.number_of(&[]);
        kept.uses[0] = u32::MAX; // never given back
        let mut columns = Self {
            samples: vec![nothing; samples],
            version: patches.version(),
            frame,
            kept,
        };
        for (square, stack) in columns.frame.clone().patches().iter().zip(patches.stacks()) {
            let side = 1u32 << square.level;
            // Some rows at a time, so that columns in the making take little memory.
            let rows = (1 << 16 >> square.level).clamp(1, side);
            let mut making: Vec<Vec<Start>> = vec![Vec::new(); (side * rows) as usize];
            for first in (0..side).step_by(rows as usize) {
                making.iter_mut().for_each(Vec::clear);
                for (i, tree) in stack.slices.iter().enumerate() {
                    let slice = stack.bottom + i as i32;
                    let within = [[0, first], [side, first + rows]];
                    tree.leaves_in(square.level, within, &mut |_, [x, y], level, material| {
                        let end = y + (1 << level);
                        for row in y.max(first)..end.min(first + rows) {
                            let start = ((row - first) * side + x) as usize;
                            for column in &mut making[start..start + (1 << level)] {
                                push(column, slice, material);
                            }
                        }
                    });
                }
                for row in first..first + rows {
                    for x in 0..side {
                        let (column, y) = (square.x + x, square.y + row);
                        if column < columns.frame.width() && y < columns.frame.height() {
                            let runs = &mut making[((row - first) * side + x) as usize];
                            push(runs, stack.range().end, EMPTY);
                            let at = columns.index(column, y);
                            columns.samples[at] = columns.kept.number_of(runs);
                        }
                    }
                }
            }
        }
        columns
    }

    fn index(&self, column: u32, row: u32) -> usize {
        row as usize * self.frame.width() as usize + column as usize
    }

    fn column(&self, column: u32, row: u32) -> &[Start] {
        &self.kept.columns[self.samples[self.index(column, row)] as usize]
    }
}

/// Adds what begins at a slice above all that is there.
fn push(column: &mut Vec<Start>, slice: i32, material: Material) {
    let before = column.last().map_or(EMPTY, |start| start.material);
    if material != before {
        column.push(Start { slice, material });
    }
}

fn material_in(column: &[Start], slice: i32) -> Material {
    let after = column.partition_point(|start| start.slice <= slice);
    after.checked_sub(1).map_or(EMPTY, |i| column[i].material)
}

/// Puts a run into a column.
fn put(column: &[Start], run: &ColumnRun, into: &mut Vec<Start>) {
    into.clear();
    let below = column.partition_point(|start| start.slice < run.from);
    into.extend_from_slice(&column[..below]);
    push(into, run.from, run.material);
    push(into, run.to, material_in(column, run.to));
    let above = column.partition_point(|start| start.slice <= run.to);
    for start in &column[above..] {
        push(into, start.slice, start.material);
    }
}

impl Layered for Columns {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn version(&self) -> Version {
        self.version
    }

    fn slices(&self) -> Range<i32> {
        let ends = |column: &Runs1| Some((column.first()?.slice, column.last()?.slice));
        let ends = || self.kept.columns.iter().filter_map(ends);
        let from = ends().map(|(from, _)| from).min();
        let to = ends().map(|(_, to)| to).max();
        from.unwrap_or(0)..to.unwrap_or(0)
    }

    fn material(&self, column: u32, row: u32, slice: i32) -> Material {
        material_in(self.column(column, row), slice)
    }

    fn top(&self, column: u32, row: u32) -> Option<i32> {
        Some(self.column(column, row).last()?.slice - 1)
    }

    fn plan(&self, cubes: &Cubes, effect: Effect) -> ChangeSet {
        let mut runs = Vec::new();
        let mut patch = None;
        cubes.runs_up(|column, row, slices| {
            // Neighbours are mostly of one patch.
            let holds = |square: &super::frame::Square| {
                (column ^ square.x) >> square.level == 0 && (row ^ square.y) >> square.level == 0
            };
            if !patch.as_ref().is_some_and(holds) {
                let found = self.frame.patch_at(column, row);
                patch = found.map(|i| self.frame.patches()[i]);
            }
            if patch.is_none() {
                return;
            }
            let starts = self.column(column, row);
            let mut from = slices.start;
            let mut next = starts.partition_point(|start| start.slice <= from);
            let mut before: Option<ColumnRun> = None;
            while from < slices.end {
                let material = next.checked_sub(1).map_or(EMPTY, |i| starts[i].material);
                let to = starts
                    .get(next)
                    .map_or(slices.end, |start| start.slice.min(slices.end));
                let becomes = effect.on(material);
                if becomes != material {
                    match &mut before {
                        Some(run) if run.to == from && run.material == becomes => run.to = to,
                        _ => {
                            runs.extend(before.take());
                            before = Some(ColumnRun {
                                row,
                                column,
                                from,
                                to,
                                material: becomes,
                            });
                        }
                    }
                }
                (from, next) = (to, next + 1);
            }
            runs.extend(before);
        });
        runs.sort_unstable();
        ChangeSet::new(self.version, Body::Runs(Runs { runs }))
    }

    fn apply(&mut self, changes: &ChangeSet) -> Result<(), GroundError> {
        changes.check(self.version, &self.frame)?;
        let Body::Runs(runs) = &changes.body else {
            return Err(GroundError::bad(
                "change set",
                "runs of columns, as this structure makes them",
                "branches of quadtrees",
            ));
        };
        // To look at every column for the slices that are there would take longer than the change.
        if let Some(touched) = changes.body.slices()
            && touched.start.abs().max(touched.end.abs()) > Frame::MOST_SLICES / 2
        {
            changes.body.check_growth(self.slices())?;
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut i = 0;
        while let Some(&ColumnRun { row, column, .. }) = runs.runs.get(i) {
            let at = self.index(column, row);
            let number = self.samples[at];
            old.clear();
            old.extend_from_slice(&self.kept.columns[number as usize]);
            while let Some(run) = runs.runs.get(i)
                && (run.row, run.column) == (row, column)
            {
                put(&old, run, &mut new);
                std::mem::swap(&mut old, &mut new);
                i += 1;
            }
            self.samples[at] = self.kept.number_of(&old);
            if number != 0 {
                self.kept.release(number);
            }
        }
        self.version = changes.to;
        Ok(())
    }

    /// Runs of materials, in all columns.
    fn nodes(&self) -> u64 {
        self.kept.runs
    }

    fn bytes(&self) -> usize {
        // Two counts stand before what is shared.
        let column = |runs: &Runs1| 2 * size_of::<usize>() + size_of_val(&**runs);
        let kept = &self.kept;
        size_of::<Self>()
            + self.samples.capacity() * size_of::<u32>()
            + kept.columns.capacity() * size_of::<Runs1>()
            + (kept.uses.capacity() + kept.unused.capacity()) * size_of::<u32>()
            + kept.numbers.capacity() * (size_of::<(Runs1, u32)>() + 1) * 8 / 7
            + kept.columns.iter().map(column).sum::<usize>()
    }
}
