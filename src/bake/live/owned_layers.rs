//! A mapped bundle and patches over it, in one value that owns both.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use self_cell::self_cell;

use crate::bundle::{BundleError, PatchParts, Provenance, Replaced, patch_bytes};
use crate::job::error::{BakeError, unreadable};
use crate::job::incremental::layers::Before;
use viewcell::format::Patch;
use viewcell::query::Layers;

/// So many patches lie over a bundle at most: each query asks which of them has what it looks for.
pub(crate) const MOST_PATCHES: usize = 4;

/// What layers borrow from.
pub(crate) struct Files {
    before: Arc<Before>,
    patches: Vec<Arc<Vec<u8>>>,
}

self_cell!(
    /// Layers, and the bytes that they are of.
    pub(crate) struct OwnedLayers {
        owner: Files,
        #[covariant]
        dependent: Layers,
    }
);

impl OwnedLayers {
    /// A bundle with patches over it, in their order.
    pub(crate) fn open(
        before: Arc<Before>,
        patches: Vec<Arc<Vec<u8>>>,
        path: &Path,
    ) -> Result<Self, BakeError> {
        let wrong = |error: viewcell::query::OpenError| unreadable(path, error);
        Self::try_new(Files { before, patches }, |files| {
            let bundle = files.before.map.bundle().map_err(wrong)?;
            let mut layers = Layers::new(&bundle).map_err(wrong)?;
            for patch in &files.patches {
                layers.lay(patch).map_err(wrong)?;
            }
            Ok(layers)
        })
    }

    /// The layers.
    pub(crate) fn layers(&self) -> &Layers<'_> {
        self.borrow_dependent()
    }

    /// The bundle.
    pub(crate) fn before(&self) -> &Before {
        &self.borrow_owner().before
    }

    /// The same with one more patch. Where these are too many, or more than the bundle, they become
    /// one.
    pub(crate) fn with(&self, patch: Vec<u8>, path: &Path) -> Result<Self, BakeError> {
        let Files { before, patches } = self.borrow_owner();
        let mut patches = patches.clone();
        patches.push(Arc::new(patch));
        let bytes: u64 = patches.iter().map(|patch| patch.len() as u64).sum();
        if patches.len() > 1
            && (patches.len() > MOST_PATCHES || bytes > self.layers().base_id().length)
        {
            patches = vec![Arc::new(fold(before, self.layers(), &patches, path)?)];
        }
        Self::open(before.clone(), patches, path)
    }

    /// One patch that does what all do.
    pub(crate) fn folded(&self, path: &Path) -> Result<Vec<u8>, BakeError> {
        let Files { before, patches } = self.borrow_owner();
        fold(before, self.layers(), patches, path)
    }

    /// How many patches there are.
    #[cfg(test)]
    pub(crate) fn patches(&self) -> usize {
        self.borrow_owner().patches.len()
    }
}

/// What is replaced, and by which bytes.
type Pieces<'a> = BTreeMap<u32, &'a [u8]>;

/// Puts pieces, given by where each begins among `bytes`, in the place of older ones.
fn put<'a>(pieces: &mut Pieces<'a>, places: impl Iterator<Item = (u32, u64)>, bytes: &'a [u8]) {
    let places: Vec<(u32, u64)> = places.collect();
    let mut starts: Vec<u64> = places.iter().map(|&(_, start)| start).collect();
    starts.push(bytes.len() as u64);
    starts.sort_unstable();
    for (what, start) in places {
        let next = starts.partition_point(|&other| other <= start);
        let end = starts.get(next).copied().unwrap_or(bytes.len() as u64);
        let piece = bytes.get(start as usize..end as usize).unwrap_or(&[]);
        pieces.insert(what, piece);
    }
}

fn replaced(pieces: &Pieces) -> Replaced {
    let mut replaced = Replaced::default();
    for (what, bytes) in pieces {
        replaced.push(*what, bytes);
    }
    replaced
}

/// Patches over a bundle as one: of each group, tree and height the last one. All are in the codes of
/// the bundle, so that they go over as they are.
fn fold(
    before: &Before,
    layers: &Layers,
    patches: &[Arc<Vec<u8>>],
    path: &Path,
) -> Result<Vec<u8>, BakeError> {
    let (mut groups, mut trees) = (Pieces::new(), Pieces::new());
    let mut heights = BTreeMap::new();
    let mut valid = None;
    for patch in patches {
        let patch = Patch::parse(patch).map_err(|error| unreadable(path, error))?;
        put(&mut groups, patch.groups(), patch.pairs());
        put(&mut trees, patch.trees(), patch.tree_bytes());
        heights.extend(patch.heights());
        if let Some(words) = patch.valid() {
            let (words, _) = words.as_chunks();
            valid = Some(words.iter().map(|&word| u64::from_le_bytes(word)).collect());
        }
    }
    let heights: Vec<(u32, f64)> = heights.into_iter().collect();
    let valid: Option<Vec<u64>> = valid;
    let (base, parts) = (layers.base_id(), &before.parts);
    let bytes = patch_bytes(&PatchParts {
        base,
        parent: base,
        valid: valid.as_deref(),
        blocks: parts.header.parameters.grid.blocks() as u32,
        heights: &heights,
        groups: &replaced(&groups),
        trees: &replaced(&trees),
        provenance: &Provenance {
            statistics: Default::default(),
            ..parts.provenance.clone()
        },
    });
    bytes.map_err(|error| BundleError::write(path, "compressing", 0, error).into())
}
