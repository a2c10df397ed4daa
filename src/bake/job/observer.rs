//! Observers of a bake, who may stop it.

/// A stage, for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// A file is read.
    Read,
    /// View cells of a solid level are found.
    Places,
    /// Tables for the kernels.
    Prepare,
    /// What an earlier bake did is checked and taken over; counted in tiles.
    Resume,
    /// Who sees whom; counted in pairs of samples.
    Visibility,
    /// Groups become a bundle; counted in blocks.
    Compress,
    /// Trees lose their deepest nodes; counted in quads.
    Prune,
    /// Shards are opened and checked; counted in shards.
    Merge,
    /// Lines of sight through portals; counted in pairs of portals' sides.
    Portals,
    /// How many visible steps lead from cell to cell.
    Distances,
    /// Index, provenance, sync.
    Finish,
    /// A forecast samples some quads of viewpoints; counted in these.
    Estimate,
}

impl Stage {
    /// Its name in progress and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Places => "places",
            Self::Prepare => "prepare",
            Self::Resume => "resume",
            Self::Visibility => "visibility",
            Self::Compress => "compress",
            Self::Prune => "prune",
            Self::Merge => "merge",
            Self::Portals => "portals",
            Self::Distances => "distances",
            Self::Finish => "finish",
            Self::Estimate => "estimate",
        }
    }

    /// What its work is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Read | Self::Places | Self::Prepare | Self::Distances | Self::Finish => "steps",
            Self::Compress => "blocks",
            Self::Prune | Self::Estimate => "quads",
            Self::Resume => "tiles",
            Self::Merge => "shards",
            Self::Visibility | Self::Portals => "pairs",
        }
    }
}

/// Observes a bake, and may stop it.
pub trait Observer: Sync {
    /// A stage of `total` units begins.
    fn stage(&self, _stage: Stage, _total: u64) {}
    /// Of the stage, `done` units are done.
    fn advance(&self, _stage: Stage, _done: u64) {}
    /// Whether to stop: the bake ends soon, and leaves nothing behind but what it keeps.
    fn cancelled(&self) -> bool {
        false
    }
    /// A person should know of this, before or after the work; options are named in backquotes.
    fn note(&self, _: &str) {}
}

/// The no-op observer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
