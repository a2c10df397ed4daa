//! What the thread of a bake tells, for Python to read in its own: nothing waits for the interpreter.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use viewcell_bake::{BakeError, Observer, Stage};

/// A stage by its name, and how many units it has.
type Begun = (&'static str, u64);

/// What the threads of a bake tell.
#[derive(Default)]
pub struct Watch {
    notes: Mutex<Vec<String>>,
    stages: Mutex<Vec<Begun>>,
    done: AtomicU64,
    stop: AtomicBool,
    /// Files may be written from now on.
    writes: AtomicBool,
}

/// How much of it Python has been told.
#[derive(Default)]
pub struct Told {
    notes: usize,
    stages: usize,
    done: u64,
}

impl Observer for Watch {
    fn stage(&self, stage: Stage, total: u64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Ordering::Relaxed);
        stages.push((stage.name(), total));
    }

    fn advance(&self, _: Stage, done: u64) {
        self.done.fetch_max(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn note(&self, note: &str) {
        let mut all = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(note.to_owned());
    }
}

impl Watch {
    /// Before anything is written. Errors where it is to stop.
    pub fn before_writing(&self) -> Result<(), BakeError> {
        self.writes.store(true, Ordering::SeqCst);
        if self.cancelled() {
            return Err(BakeError::Cancelled);
        }
        Ok(())
    }

    /// Tells it to stop. Whether nothing was written so far, nor will be.
    pub fn stop(&self) -> bool {
        self.stop.store(true, Ordering::SeqCst);
        !self.writes.load(Ordering::SeqCst)
    }

    /// Tells what is new: notes, every stage at its beginning, and how far the current one has come.
    pub fn tell(
        &self,
        hear: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
        told: &mut Told,
    ) -> PyResult<()> {
        let notes = {
            let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.get(told.notes..).unwrap_or_default().to_vec()
        };
        told.notes += notes.len();
        for note in notes {
            hear.call1((note,))?;
        }
        let Some(progress) = progress else {
            return Ok(());
        };
        let (stages, done) = {
            let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
            (stages.clone(), self.done.load(Ordering::Relaxed))
        };
        for (stage, total) in stages.iter().skip(told.stages) {
            progress.call1((*stage, 0, *total))?;
        }
        if stages.len() > told.stages {
            (told.stages, told.done) = (stages.len(), 0);
        }
        if let Some((stage, total)) = stages.last()
            && done > told.done
        {
            told.done = done;
            progress.call1((*stage, done.min(*total), *total))?;
        }
        Ok(())
    }
}
