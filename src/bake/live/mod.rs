//! Ground that changes while a server runs: every answer is conservative at every instant, and as a bake's soon
//! after.
//!
//! ```text
//! stamp       changes the ground: heights, and what that may open; then publishes a new snapshot
//!   snapshot  what readers have: the bundle, patches over it, and openings of the pending changes
//! patches     a thread: takes pending changes, from the oldest on, makes a patch and publishes it
//! session     players, and which of their frontier sets a change ends
//! ```
//!
//! **Invariants.**
//!
//! 1. *Safe.* What a [`Snapshot`] hides is hidden on the ground of that snapshot. Its PVSs are those of
//!    the ground with the first [`Snapshot::decided`] changes, as a bake makes them; of each later
//!    change it has an opening, and [`viewcell::format::answer::openings`] says why whoever may see somebody by
//!    any of these counts as visible.
//! 2. *At once.* [`Rebaker::stamp`] returns after the snapshot with the new ground is in place.
//!    [`Rebaker::now`] then gives that snapshot, or a later one: there is one pointer to it, which
//!    is exchanged atomically, and only under the lock of the ground. Readers never
//!    wait for that lock.
//! 3. *Whole.* A snapshot never changes. A patch and the end of the openings that it decides are in place
//!    together: no reader has one without the other.
//! 4. *Soon right.* The thread takes changes until none is pending. A snapshot without pending changes
//!    answers as a bake of its ground does. A patch that cannot be made leaves its changes pending,
//!    and its error is kept.
//!
//! A reader that keeps an old snapshot has the answers of an old instant. So servers load the
//! snapshot once a tick, or once a query: it is a pointer.

mod ground;
mod owned_layers;
mod rebaker;
mod session;
mod snapshot;
#[cfg(test)]
mod tests;

pub use rebaker::{Rebaker, Stamped};
pub use session::{LiveGround, LiveSession, LiveSets};
pub use snapshot::Snapshot;
