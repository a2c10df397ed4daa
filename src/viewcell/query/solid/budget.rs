//! How much a decision at run time may take: counted looks at pairs of boxes, of about a microsecond each.

use crate::convex::Run;
use crate::instructions::Instructions;

/// What is left for decisions, and the instructions that they are run with.
#[derive(Debug)]
pub(crate) struct Budget {
    looks: u32,
    instructions: Instructions,
}

impl Budget {
    /// Nothing is left: each question says how much it may take.
    pub(crate) fn new() -> Self {
        Self {
            looks: 0,
            instructions: Instructions::detect(),
        }
    }

    /// So many looks.
    pub(crate) fn go_on_with(&mut self, looks: u32) {
        self.looks = looks;
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
        let goes_on = self.looks > 0;
        self.looks = self.looks.saturating_sub(1);
        goes_on
    }
}
