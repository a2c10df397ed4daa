//! The ground that pictures of a terrain are painted on: a hillshade of the heightmap.
//!
//! A bundle of coarse view cells has one height a cell. Its heightmap is used if it is given, or if it lies beside the
//! bundle under the recorded name and with the recorded digest. It is read with the options of the bake.

use std::path::{Path, PathBuf};

use viewcell::query::TerrainBundle;
use viewcell_bake::Source;
use viewcell_bake::bundle::TerrainParts;
use viewcell_view::picture::{Ground, check_pixels};

use super::exit::Failure;
use super::heightmap::Reading;
use super::query::Opened;

/// Where the heightmap of a coarse bundle lies.
#[derive(clap::Args)]
pub struct Shading {
    /// Of a terrain baked in coarse cells: the heightmap, for the shading [default: the file of the bake, if it lies beside
    /// the bundle]
    #[arg(long, value_name = "FILE")]
    pub heightmap: Option<PathBuf>,
}

impl Shading {
    /// Fails where a heightmap is given for a bundle that is no terrain.
    pub fn check(&self, opened: &Opened) -> Result<(), Failure> {
        if self.heightmap.is_none() || opened.world().terrain().is_some() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--heightmap: expected a terrain, found the level {}",
            opened.path().display()
        )))
    }
}

/// The ground of a bundle. Fails where a heightmap is given and is not the bundle's.
pub fn ground(
    path: &Path,
    terrain: &TerrainBundle<'_>,
    given: Option<&Path>,
) -> Result<Ground, Failure> {
    let parameters = terrain.parameters();
    let [columns, rows] = parameters.heightmap();
    let coarse = || Ok(Ground::new(terrain));
    if parameters.finest() == 0 {
        return match given {
            Some(_) => Err(Failure::usage(format!(
                "--heightmap: expected a bundle of coarse cells, found one of samples, which has the heights: {}",
                path.display()
            ))),
            None => coarse(),
        };
    }
    let has_pixels = check_pixels(columns.into(), rows.into());
    if given.is_none() && has_pixels.is_err() {
        return coarse();
    }
    has_pixels.map_err(Failure::resource)?;
    let provenance = TerrainParts::provenance(path)?;
    let beside = || {
        let file = path.with_file_name(&provenance.input.name);
        let length = file.metadata().ok()?.len();
        let found = (length == provenance.input.bytes)
            .then(|| Source::new(&file, &provenance.input.format, Default::default()));
        let is_same = found?.ok()?.input.digest == provenance.input.digest;
        is_same.then_some(file)
    };
    let Some(file) = given.map(Path::to_owned).or_else(beside) else {
        return coarse();
    };
    let reading = match Reading::of_bundle(&provenance.options) {
        Ok(reading) => reading,
        // Made by another program, in other words.
        Err(_) if given.is_none() => return coarse(),
        Err(error) => {
            return Err(Failure::bad_input(format!(
                "{}: section PROV: expected the options of a bake, found others: {error}; leave --heightmap out",
                path.display()
            )));
        }
    };
    let read = reading.read(&file)?.terrain;
    let found = [read.width(), read.height()];
    if found != [columns, rows] {
        return Err(Failure::bad_input(format!(
            "{}: expected the heightmap of {}, {columns} x {rows} samples, found {} x {}",
            file.display(),
            path.display(),
            found[0],
            found[1]
        )));
    }
    let there = read.heights().iter().zip(read.places());
    let heights: Vec<f32> = there
        .map(|(height, is)| if is { *height as f32 } else { f32::NAN })
        .collect();
    let side = 1 << parameters.finest();
    Ok(Ground::of_heights(columns, &heights, read.spacing()).in_cells(side))
}
