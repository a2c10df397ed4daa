//! Snapshots: the ground and who sees whom, at one instant; never changed.

use std::sync::Arc;

use super::ground::Ground;
use super::owned_layers::OwnedLayers;
use viewcell::format::{Opening, Openings, Sample, Valid};
use viewcell::query::TerrainBundle;

/// So many openings are kept after their patch is there, for sessions that come later.
const KEPT: usize = 256;

/// The ground of an instant, and who sees whom on it. Never changes: who keeps it keeps that instant.
pub struct Snapshot {
    /// Changes of the ground so far; and how many of them are in the patches.
    version: u64,
    baked: u64,
    pub(crate) laid: Arc<OwnedLayers>,
    ground: Arc<Ground>,
    /// Of the last changes, in their order.
    openings: Vec<Opening>,
}

impl Snapshot {
    /// What was opened, before any change.
    pub(crate) fn new(laid: Arc<OwnedLayers>, ground: Ground) -> Self {
        Self {
            version: 0,
            baked: 0,
            laid,
            ground: Arc::new(ground),
            openings: Vec::new(),
        }
    }

    /// The same once the ground has changed again.
    pub(crate) fn changed(&self, ground: Ground, opening: Opening) -> Self {
        let waiting = (self.version - self.baked) as usize;
        let spare = self.openings.len().saturating_sub(waiting + KEPT);
        let mut openings = self.openings[spare..].to_vec();
        openings.push(opening);
        Self {
            version: self.version + 1,
            baked: self.baked,
            laid: self.laid.clone(),
            ground: Arc::new(ground),
            openings,
        }
    }

    /// The same once there is a patch for the changes up to `baked`.
    pub(crate) fn patched(&self, laid: OwnedLayers, baked: u64) -> Self {
        Self {
            version: self.version,
            baked,
            laid: Arc::new(laid),
            ground: self.ground.clone(),
            openings: self.openings.clone(),
        }
    }

    pub(crate) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// How many times the ground had changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many of these changes are decided. The others wait: whom they may let be seen counts as
    /// visible.
    pub fn decided(&self) -> u64 {
        self.baked
    }

    /// Of each change that waits, in their order, what it may open.
    pub fn waiting(&self) -> &[Opening] {
        let waiting = (self.version - self.baked) as usize;
        &self.openings[self.openings.len() - waiting..]
    }

    /// Whether no change waits: then answers are those of a bake of this ground.
    pub fn is_settled(&self) -> bool {
        self.version == self.baked
    }

    /// The terrain: all its answers are safe. What they hide is hidden on the ground of this
    /// instant. O(1); keep what it returns.
    pub fn terrain(&self) -> TerrainBundle<'_> {
        let decided = self.decided_terrain();
        if self.is_settled() {
            return decided;
        }
        let grid = decided.grid();
        let openings = Openings::new(decided.parameters(), self.waiting(), &self.ground.lows);
        let valid = Valid::from_blocks(grid, &self.ground.valid);
        decided.opened(valid, &self.ground.heights, openings)
    }

    /// The terrain as it was before what still waits: **not safe**, unless all is decided. For
    /// those who want to show what waits.
    pub fn decided_terrain(&self) -> TerrainBundle<'_> {
        self.laid.layers().terrain()
    }

    /// Whether sample `b` counts as visible from `a` only because changes wait.
    pub fn only_waits(&self, a: Sample, b: Sample) -> bool {
        !self.is_settled() && self.terrain().visible(a, b) && !self.decided_terrain().visible(a, b)
    }

    /// What changes after the first `version` ones may have opened; `None` where that is no longer
    /// known.
    pub(crate) fn since(&self, version: u64) -> Option<Openings<'_>> {
        let later = usize::try_from(self.version.checked_sub(version)?).ok()?;
        let first = self.openings.len().checked_sub(later)?;
        let terrain = self.decided_terrain();
        let list = &self.openings[first..];
        Some(Openings::new(terrain.parameters(), list, &self.ground.lows))
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({} of {} decided)", self.baked, self.version)
    }
}
