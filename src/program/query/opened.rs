//! Bundles opened: mapped, with patches over them, and read as the world that they are of.

use std::io;
use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};
use crate::input;
use viewcell::format::{FormatError, WorldKind};
use viewcell::query::{
    Bundle, CellBundle, MappedBundle, OpenError, OwnedBundle, SolidBundle, TerrainBundle, World,
};
use viewcell_ingest::solid::IngestedSolid;

/// A bundle that a verb asks, and its path for what a person is told.
pub struct Opened {
    path: PathBuf,
    bundle: OwnedBundle,
}

/// Maps a bundle.
pub fn open(path: &Path) -> Result<Opened, Failure> {
    let map = MappedBundle::open(path).and_then(OwnedBundle::of_map);
    let bundle = map.map_err(|error| cannot_open(path, error))?;
    let path = path.to_owned();
    Ok(Opened { path, bundle })
}

impl Opened {
    /// Where it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is of, with all that can be asked of any kind.
    pub fn world(&self) -> &World<'_> {
        self.bundle.world()
    }

    /// Which kind that is.
    pub fn kind(&self) -> WorldKind {
        self.world().kind()
    }

    /// Its header and sections, without patches.
    pub fn bundle(&self) -> Bundle<'_> {
        self.bundle.bundle()
    }

    /// The terrain. Fails where it is of another kind.
    pub fn terrain(&self) -> Result<TerrainBundle<'_>, Failure> {
        self.of_kind(WorldKind::Terrain, self.world().terrain())
    }

    /// The level of cells. Fails where it is of another kind.
    pub fn cells(&self) -> Result<CellBundle<'_>, Failure> {
        self.of_kind(WorldKind::Cells, self.world().cells())
    }

    /// The solid level. Fails where it is of another kind.
    pub fn solid(&self) -> Result<SolidBundle<'_>, Failure> {
        self.of_kind(WorldKind::Solid, self.world().solid())
    }

    /// What only one kind has. Fails for the others.
    pub(super) fn of_kind<T: Copy>(
        &self,
        expected: WorldKind,
        found: Option<&T>,
    ) -> Result<T, Failure> {
        found.copied().ok_or_else(|| {
            let found = self.kind();
            cannot_open(
                &self.path,
                FormatError::OtherKind { expected, found }.into(),
            )
        })
    }

    /// Fails where it is a level of cells that knows of none where it is.
    pub fn check_locates(&self) -> Result<(), Failure> {
        let is_known =
            |level: &CellBundle<'_>| level.parameters().nodes > 0 || level.bounds(0).is_some();
        if self.world().cells().is_none_or(is_known) {
            return Ok(());
        }
        Err(Failure::bad_input(format!(
            "{}: expected a BSP or boxes of cells, found neither; bake the level's BSP",
            self.path.display()
        )))
    }

    /// The solid level, if it was baked from this file, which was read.
    pub fn solid_of(&self, file: &Path, read: &IngestedSolid) -> Result<SolidBundle<'_>, Failure> {
        let bundle = self.solid()?;
        let parameters = bundle.parameters();
        if (parameters.input_bytes, parameters.input_crc32) != (read.bytes, read.crc32) {
            return Err(Failure::bad_input(format!(
                "{}: expected a bundle of {}, found one of another file; bake the level again",
                self.path.display(),
                file.display()
            )));
        }
        Ok(bundle)
    }
}

/// Patches over a bundle.
#[derive(clap::Args)]
pub struct Over {
    /// A patch to apply to the bundle (viewcell rebake), or several in the order in which they were made
    #[arg(long, value_name = "P.vcp", num_args = 1..)]
    pub patch: Vec<PathBuf>,
}

impl Over {
    /// Opens a bundle with the patches over it. Fails where there are any and it is of no terrain.
    pub fn open(&self, path: &Path) -> Result<Opened, Failure> {
        let opened = open(path)?;
        let Some(patch) = self.patch.first() else {
            return Ok(opened);
        };
        if opened.world().terrain().is_none() {
            return Err(Failure::usage(format!(
                "--patch {}: expected a bundle of a terrain, found one of cells",
                patch.display()
            )));
        }
        let read = |patch: &PathBuf| Ok((patch.clone(), input::read(patch, input::LARGE)?));
        let patches = self
            .patch
            .iter()
            .map(read)
            .collect::<Result<_, Failure>>()?;
        let bundle = opened.bundle.with_patches(patches);
        let bundle = bundle.map_err(|error| cannot_open(path, error))?;
        Ok(Opened { bundle, ..opened })
    }
}

pub fn cannot_open(path: &Path, error: OpenError) -> Failure {
    let exit = match &error {
        // A map takes addresses, of which there may be few (ulimit -v).
        OpenError::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => Exit::Resource,
        OpenError::Io { .. } => Exit::InputOutput,
        _ => Exit::BadInput,
    };
    Failure::new(exit, error.at(path))
}
