//! A bake that was asked for on the page: how far it is, and how it is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use viewcell_bake::{Observer, Quality, Stage};

/// What is known of the bake that goes on, or of the last one.
#[derive(Default)]
pub(super) struct Observed {
    stop: AtomicBool,
    done: AtomicU64,
    now: Mutex<Now>,
    /// The quality of the last bake that was stopped.
    kept: Mutex<Option<Quality>>,
}

#[derive(Clone, Debug, Default)]
enum Now {
    #[default]
    Nothing,
    Running {
        quality: Quality,
        since: Instant,
        stage: &'static str,
        total: u64,
    },
    /// It was stopped; what is done is kept.
    Stopped(Quality),
    Failed(String),
    /// The bundle is there, and can be asked.
    Done,
}

impl Observed {
    fn set(&self, now: Now) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn now(&self) -> Now {
        self.now
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Begins, unless a bake goes on. Gives the quality that was stopped before, if one was.
    pub(super) fn begin(&self, quality: Quality) -> Result<Option<Quality>, String> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        match *now {
            Now::Running { quality, .. } => {
                return Err(format!(
                    "a bake of quality {} goes on: stop it first",
                    quality.name()
                ));
            }
            Now::Done => return Err("the bundle is baked: reload the page".to_owned()),
            Now::Nothing | Now::Stopped(_) | Now::Failed(_) => {}
        }
        self.stop.store(false, Ordering::SeqCst);
        *now = Now::Running {
            quality,
            since: Instant::now(),
            stage: Stage::Prepare.name(),
            total: 0,
        };
        Ok(*self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks it to stop.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// It has ended: with the bundle, or with the reason why there is none.
    pub(super) fn end(&self, ended: Result<(), String>) {
        let Now::Running { quality, .. } = self.now() else {
            return;
        };
        self.set(match ended {
            Ok(()) => Now::Done,
            Err(_) if self.is_stopped() => {
                *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(quality);
                Now::Stopped(quality)
            }
            Err(error) => Now::Failed(error),
        });
    }

    /// For the page.
    pub(super) fn told(&self) -> Value {
        match self.now() {
            Now::Nothing => json!({ "bake": "none" }),
            Now::Running {
                quality,
                since,
                stage,
                total,
            } => json!({
                "bake": "running",
                "quality": quality.name(),
                "stage": stage,
                "part": self.done.load(Ordering::Relaxed) as f64 / total.max(1) as f64,
                "seconds": since.elapsed().as_secs_f64(),
                "stopping": self.is_stopped(),
            }),
            Now::Stopped(quality) => json!({ "bake": "stopped", "quality": quality.name() }),
            Now::Failed(error) => json!({ "bake": "failed", "error": error }),
            Now::Done => json!({ "bake": "done" }),
        }
    }
}

impl Observer for Observed {
    fn stage(&self, next: Stage, units: u64) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Ordering::Relaxed);
        if let Now::Running { stage, total, .. } = &mut *now {
            (*stage, *total) = (next.name(), units);
        }
    }

    fn advance(&self, _: Stage, done: u64) {
        // Threads report in any order; the greatest count is the latest.
        self.done.fetch_max(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.is_stopped()
    }
}
