//! How much a decision at run time may take: counted looks at pairs of boxes, of about a microsecond each, and time.

use std::time::{Duration, Instant};

use crate::convex::Run;
use crate::instructions::Instructions;

/// What is left for decisions, and the instructions that they are run with.
#[derive(Debug)]
pub(crate) struct Budget {
    looks: u32,
    /// The clock is not asked where this is none.
    until: Option<Instant>,
    instructions: Instructions,
}

impl Budget {
    /// Nothing is left: each question says how much it may take.
    pub(crate) fn new() -> Self {
        Self {
            looks: 0,
            until: None,
            instructions: Instructions::detect(),
        }
    }

    /// So many looks, whatever time they take.
    pub(crate) fn go_on_with(&mut self, looks: u32) {
        (self.looks, self.until) = (looks, None);
    }

    /// For some time.
    pub(crate) fn go_on_for(&mut self, time: Duration) {
        (self.looks, self.until) = (u32::MAX, Instant::now().checked_add(time));
    }

    /// How many looks are left.
    pub(crate) fn looks(&self) -> u32 {
        self.looks
    }
}

impl Run for Budget {
    #[inline(always)]
    fn vectorize<T>(&self, kernel: impl FnOnce() -> T) -> T {
        self.instructions.vectorize(kernel)
    }

    #[inline(never)]
    fn goes_on(&mut self) -> bool {
        let goes_on = self.looks > 0 && self.until.is_none_or(|until| Instant::now() < until);
        self.looks = self.looks.saturating_sub(1);
        goes_on
    }
}
