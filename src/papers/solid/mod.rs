//! Solid levels against a ray caster that is independent of the kernel: how much of what view cells call visible is in
//! sight, and a hunt for a clear segment between cells that they call hidden.

mod hunt;
mod shares;
#[cfg(test)]
mod tests;

use viewcell_bake::{BakeError, pool, thread_count};

pub use hunt::{Boxes, ClearSegment, Hiding, HuntOptions, Hunted, hunt};
pub use shares::{Decided, Frames, InSight, decided_by_bundle, decided_by_cells, in_sight};

/// Does work in a pool of so many threads; 0 for as many as there are processors.
///
/// # Errors
///
/// [`BakeError::Option`] for more than the system can start.
pub fn in_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, BakeError> {
    Ok(pool(thread_count(threads))?.install(work))
}
