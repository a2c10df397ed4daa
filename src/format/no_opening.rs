//! What stands for [`Openings`] where nobody bakes: there is no value of it, so that code which asks for
//! one takes no room in what an engine links.

use core::convert::Infallible;
use core::marker::PhantomData;

use super::grid::{Quad, Sample};
use super::walk::Leaf;

/// Changes of the ground that wait: there are none.
#[derive(Clone, Copy, Debug)]
pub struct Openings<'a>(Infallible, PhantomData<&'a ()>);

const _: () = assert!(size_of::<Option<Openings<'static>>>() == 0);

impl Openings<'_> {
    /// Never asked.
    pub fn may_open(&self, _: Quad, _: Quad) -> bool {
        match self.0 {}
    }

    /// Never asked.
    pub fn lets_see(&self, _: Sample, _: Sample) -> bool {
        match self.0 {}
    }

    /// Never asked.
    pub fn may_open_any(&self, _: Quad, _: u64, _: Quad, _: u64) -> bool {
        match self.0 {}
    }

    /// Never asked.
    pub fn word(&self, _: Quad, _: Quad) -> u64 {
        match self.0 {}
    }

    pub(super) fn sweep(&self, _: Quad, _: Quad, _: &mut impl FnMut(Leaf) -> bool) -> bool {
        match self.0 {}
    }

    pub(super) fn grain(&self, _: Quad) -> u32 {
        match self.0 {}
    }
}
