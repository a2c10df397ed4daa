//! A bundle with patches over it: read, its ground, and a bundle made of them.

use std::path::{Path, PathBuf};

use crate::bundle::{BundleError, Provenance, TerrainParts, Written, check_output};
use crate::compress::ValidPyramid;
use crate::job::budget::options::Compression;
use crate::job::destination::Destination;
use crate::job::error::{BakeError, unreadable};
use crate::job::levels;
use crate::job::observer::{Observer, Stage};
use crate::job::parallel::Workers;
use crate::job::report::{BakeReport, Finish};
use viewcell::format::{Patch, Tag};
use viewcell::query::{Layers, MappedBundle};
use viewcell_ingest::world::Terrain;

/// The files that a bake goes on from, as they are in memory.
pub(crate) struct Before {
    pub(crate) parts: TerrainParts,
    pub(crate) map: MappedBundle,
    pub(crate) patches: Vec<Vec<u8>>,
}

impl Before {
    /// Reads a bundle, and the patches over it.
    pub(crate) fn read(bundle: &Path, over: &[PathBuf]) -> Result<Self, BakeError> {
        let mut parts = TerrainParts::read(bundle)?;
        if parts.header.parameters.lossy {
            return Err(BakeError::Lossy {
                path: bundle.to_owned(),
            });
        }
        let map = MappedBundle::open(bundle).map_err(|error| unreadable(bundle, error))?;
        let mut patches = Vec::new();
        for path in over {
            let bytes = parts.lay(path)?;
            let patch = Patch::parse(&bytes).map_err(BundleError::format(path))?;
            if let Some(provenance) = provenance_of(&patch) {
                let statistics = std::mem::take(&mut parts.provenance.statistics);
                parts.provenance = provenance;
                parts.provenance.statistics = statistics;
            }
            patches.push(bytes);
        }
        Ok(Self {
            parts,
            map,
            patches,
        })
    }

    /// Whether the bundle holds all that decides who sees whom in it: the ground of all samples, which hides
    /// and on which everybody may be.
    pub(crate) fn holds_ground(&self) -> bool {
        let parameters = &self.parts.header.parameters;
        parameters.coarse.is_none() && !parameters.walkable && !parameters.covered
    }

    /// The ground that the bundle is of, with the patches over it; errors where it does not hold all of it.
    pub(crate) fn ground(&self, path: &Path) -> Result<Terrain, BakeError> {
        if self.holds_ground() {
            Ok(self.parts.header.terrain(&self.parts.heights, path)?)
        } else {
            Err(BakeError::NoGround {
                path: path.to_owned(),
            })
        }
    }

    /// The patches over the bundle.
    pub(crate) fn layers(&self, bundle: &Path, over: &[PathBuf]) -> Result<Layers<'_>, BakeError> {
        let opened = self.map.bundle().and_then(|bundle| Layers::new(&bundle));
        let mut layers = opened.map_err(|error| unreadable(bundle, error))?;
        for (bytes, path) in self.patches.iter().zip(over) {
            layers.lay(bytes).map_err(|error| unreadable(path, error))?;
        }
        Ok(layers)
    }
}

/// How a patch was made; `None` where it does not say.
fn provenance_of(patch: &Patch) -> Option<Provenance> {
    const LIMIT: usize = 1 << 20;
    let (section, bytes) = patch.section(Tag::PROV)?;
    let length = usize::try_from(section.length).ok()?.min(LIMIT);
    let text = zstd::bulk::decompress(bytes, length).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The ground that a bundle is of, with the patches over it in their order.
///
/// # Errors
///
/// Where something cannot be read, and where the bundle is of cells of several samples, of a part of the
/// places, of ground under a surface, or has lost something.
pub fn ground_of(bundle: &Path, over: &[PathBuf]) -> Result<Terrain, BakeError> {
    Before::read(bundle, over)?.ground(bundle)
}

/// Writes a bundle of what layers hold.
pub(crate) fn write(
    layers: &Layers,
    (path, map): (&Path, &MappedBundle),
    place: &Destination,
    compression: &Compression,
    mut provenance: Provenance,
    workers: &Workers,
) -> Result<(Provenance, Written), BakeError> {
    let source = levels::Unpacking {
        path,
        terrain: layers.terrain(),
        parameters: &place.header.parameters,
        valid: place.valid,
    };
    let store = levels::unpack(&source, place.path, &|| map.let_go(), workers)?;
    let written = levels::write(&[store], place, workers, compression, &mut provenance)?;
    Ok((provenance, written))
}

/// Makes a bundle of another and of patches over it, given in their order.
///
/// # Errors
///
/// As [`super::rebake::rebake`].
pub fn merge_patches(
    bundle: &Path,
    patches: &[PathBuf],
    output: &Path,
    overwrite: bool,
    compression: &Compression,
    observer: &dyn Observer,
) -> Result<BakeReport, BakeError> {
    let mut finish = Finish::new(1, "none");
    check_output(output, overwrite)?;
    observer.stage(Stage::Merge, patches.len() as u64);
    let before = Before::read(bundle, patches)?;
    let layers = before.layers(bundle, patches)?;
    observer.advance(Stage::Merge, patches.len() as u64);
    let TerrainParts {
        header,
        heights,
        provenance,
        ..
    } = &before.parts;
    let grid = header.parameters.grid;
    let places = layers.terrain().valid();
    let places = grid.row_by_row().map(|sample| places.has_sample(sample));
    let valid = ValidPyramid::from_places(grid, places);
    let place = Destination {
        path: output,
        overwrite,
        header,
        heights,
        valid: &valid,
    };
    let workers = Workers::new(1, observer)?;
    finish.restart_clock();
    let (made, written) = write(
        &layers,
        (bundle, &before.map),
        &place,
        compression,
        provenance.clone(),
        &workers,
    )?;
    finish.stage("compress");
    Ok(finish.report(written, made, &place))
}
