//! A watch with the bundle that it reads: for bindings, which keep both as one object.

use super::{Smoke, Watch, WatchCounts, WatchOptions, Watched};
use crate::format::frame::Corners;
use crate::query::OwnedBundle;

/// A [`Watch`] that keeps its bundle.
#[derive(Debug)]
pub struct OwnedWatch {
    // Dropped first: it borrows from the other.
    watch: Watch<'static>,
    _source: OwnedBundle,
}

impl OwnedWatch {
    /// Of players numbered from 0, none of whom is there yet. `None` unless the bundle is of a solid level, and says what
    /// hides in it.
    pub fn new(bundle: &OwnedBundle, players: usize, options: WatchOptions) -> Option<Self> {
        let level = *bundle.lasting_world().solid()?;
        Some(Self {
            watch: Watch::new(level, players, options)?,
            _source: bundle.clone(),
        })
    }

    /// How many players it has room for.
    pub fn players(&self) -> usize {
        self.watch.players()
    }

    /// [`Watch::set`].
    pub fn set(&mut self, player: usize, watched: &Watched) {
        self.watch.set(player, watched);
    }

    /// [`Watch::remove`].
    pub fn remove(&mut self, player: usize) {
        self.watch.remove(player);
    }

    /// [`Watch::set_doors`].
    pub fn set_doors(&mut self, doors: &[Corners]) {
        self.watch.set_doors(doors);
    }

    /// [`Watch::set_smokes`].
    pub fn set_smokes(&mut self, smokes: &[Smoke]) {
        self.watch.set_smokes(smokes);
    }

    /// [`Watch::begin`].
    pub fn begin(&mut self) {
        self.watch.begin();
    }

    /// [`Watch::look`].
    pub fn look(&mut self, work: u32) -> bool {
        self.watch.look(work)
    }

    /// [`Watch::sends`].
    pub fn sends(&self, viewer: usize, player: usize) -> bool {
        self.watch.sends(viewer, player)
    }

    /// [`Watch::counts`].
    pub fn counts(&self) -> WatchCounts {
        self.watch.counts()
    }
}
