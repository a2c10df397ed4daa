//! What finds pairs.

use super::{Record, Regions};

/// How pairs are found. All methods say the same changes in the same order.
pub trait Method {
    /// Records the pairs that overlap now and did not, and those that overlapped and do not now,
    /// each once, in the order of [`super::Changes`]. It is called for every tick in which a region has
    /// moved, come or gone, and in no other.
    fn tick(&mut self, regions: &Regions, changes: &mut Record);

    /// Records what began and what ceased while each region moved along a straight line from where it
    /// was to where it is, with the instants, in the order of [`super::Events`]. Called instead of
    /// [`Method::tick`].
    fn sweep(&mut self, regions: &Regions, changes: &mut Record);

    /// Bytes of memory that the method itself uses.
    fn bytes(&self) -> usize;
}
