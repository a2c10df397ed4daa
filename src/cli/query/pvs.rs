//! `viewcell query pvs`: everything that may be seen from a place.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::picture::{self, Ground, Viewpoint, mask_geotiff};
use viewcell::internals::runtime::{
    Bundle, CellBundle, MappedBundle, Pvs, Sample, TerrainBundle, World,
};
use viewcell::internals::world::Georeference;

use super::open::{Over, ask, cannot_open};
use super::place::{By, Place, check_cell, count_samples, quad_over};
use super::solid;
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json};
use crate::cli::render::terrain::check_drawable;

/// What can be seen from A? Prints counts; with -o draws it
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// From where: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    a: Place,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// Ask for the square of 2^LEVEL samples a side that holds A, not for A alone
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    quad: u32,
    /// Draw it: .png is a hillshade with what is hidden shaded, .tif a GeoTIFF mask, 1 = visible
    #[arg(short, long, value_name = "MASK.png|.tif")]
    output: Option<PathBuf>,
    /// Overwrite the drawing if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query pvs --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs")]
pub struct Document {
    /// Level of the quad that looks: 2^level samples a side, 0 for a single sample.
    level: u32,
    /// Column and row of its north-western sample.
    origin: [u32; 2],
    /// Number of samples seen from somewhere in it.
    visible: u64,
    /// Number of samples hidden from all of it, voids not counted.
    hidden: u64,
    /// Number of samples that are no terrain, or where nobody can be.
    void: u64,
    /// The drawing, if one was asked for.
    output: Option<PathBuf>,
}

/// What `viewcell query pvs --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs, cells")]
pub struct CellPvsDocument {
    /// The cell that looks.
    cell: u32,
    /// Number of cells seen, itself among them.
    visible: u32,
    /// Number of cells hidden.
    hidden: u32,
    /// The cells seen, in rising order.
    cells: Vec<u32>,
}

enum Drawing {
    Png,
    GeoTiff,
}

pub fn run(args: &Args) -> Outcome {
    let is_drawn = args.output.is_some() || args.quad != 0;
    let expected_terrain = |found: &str| {
        Failure::usage(format!(
            "-o and --quad: expected a terrain, found {found} in {}{}",
            args.bundle.display(),
            match found {
                "cells" => "; viewcell export matrix draws these",
                _ => "",
            }
        ))
    };
    ask(
        &args.bundle,
        &args.by,
        &args.over,
        |map, world| match world {
            World::Terrain(terrain) => on_terrain(args, map, &terrain),
            World::Cells(_) if is_drawn => Err(expected_terrain("cells")),
            World::Cells(level) => in_level(args, &level),
            World::Solid(_) if is_drawn => Err(expected_terrain("a solid level")),
            World::Solid(level) => solid::pvs(&args.bundle, &level, args.a, &args.json),
        },
    )
}

fn in_level(args: &Args, level: &CellBundle) -> Outcome {
    let cell = check_cell(&args.bundle, level, args.a)?;
    let cells: Vec<u32> = level.pvs(cell).iter().collect();
    let visible = cells.len() as u32;
    let hidden = level.cells() - visible;
    let list: Vec<String> = cells.iter().map(u32::to_string).collect();
    let text = format!(
        "{}\ncells    {}",
        shares([visible, hidden].map(u64::from)),
        list.join(" ")
    );
    let document = || CellPvsDocument {
        cell,
        visible,
        hidden,
        cells,
    };
    args.json.tell(document, text)
}

/// How much is visible and hidden, as numbers and as shares.
fn shares([visible, hidden]: [u64; 2]) -> String {
    let share = |count: u64| 100.0 * count as f64 / (visible + hidden).max(1) as f64;
    format!(
        "visible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %",
        share(visible),
        share(hidden)
    )
}

fn on_terrain(args: &Args, map: &MappedBundle, terrain: &TerrainBundle<'_>) -> Outcome {
    let drawing = args.output.as_deref().map(kind_of).transpose()?;
    let place = args.by.position(&args.bundle, map, terrain, args.a)?;
    let quad = quad_over(&args.bundle, terrain, place, args.quad)?;
    let pvs = terrain.pvs(quad).ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: the PVS of this place is damaged; see what viewcell verify says, and bake again",
            args.bundle.display()
        ))
    })?;

    if let (Some(path), Some(drawing)) = (&args.output, drawing) {
        output::check_outputs(&[&args.bundle], [path], args.force)?;
        let opened = map
            .bundle()
            .map_err(|error| cannot_open(&args.bundle, error))?;
        let bytes = match drawing {
            Drawing::Png => {
                check_drawable(&args.bundle, terrain)?;
                png(terrain, &pvs)
            }
            Drawing::GeoTiff => geotiff(&opened, terrain, &pvs),
        };
        let bytes = bytes.map_err(|error| Failure::new(Exit::Resource, error))?;
        bundle::save(path, &bytes, args.force)?;
    }

    let parameters = terrain.parameters();
    let count = |cells: &mut dyn Iterator<Item = Sample>| count_samples(parameters, cells);
    let [columns, rows] = parameters.heightmap().map(u64::from);
    let has_ground = |cell: &Sample| terrain.valid().has_sample(*cell);
    let valid = count(&mut terrain.grid().row_by_row().filter(has_ground));
    let visible = count(&mut pvs.samples());
    let hidden = valid.saturating_sub(visible);
    let void = columns * rows - valid;
    let text = format!("{}\nvoid     {void:>12}", shares([visible, hidden]));
    let origin = quad.origin();
    let document = || Document {
        level: quad.level + parameters.finest(),
        origin: [origin.column, origin.row].map(|at| at << parameters.finest()),
        visible,
        hidden,
        void,
        output: args.output.clone(),
    };
    args.json.tell(document, text)
}

fn kind_of(path: &Path) -> Result<Drawing, Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    match extension.to_ascii_lowercase().as_str() {
        "png" => Ok(Drawing::Png),
        "tif" | "tiff" => Ok(Drawing::GeoTiff),
        _ => Err(Failure::usage(format!(
            "{}: expected a name that ends in .png or .tif, found {extension:?}",
            path.display()
        ))),
    }
}

fn png(terrain: &TerrainBundle, pvs: &Pvs) -> Result<Vec<u8>, picture::PictureError> {
    let visible = picture::mask(terrain.grid(), pvs);
    let drawn = picture::viewshed_image(&Ground::new(terrain), &visible);
    picture::marked_png(&drawn, &[Viewpoint::over(pvs.quad())])
}

fn geotiff(
    bundle: &Bundle,
    terrain: &TerrainBundle,
    pvs: &Pvs,
) -> Result<Vec<u8>, picture::PictureError> {
    let parameters = terrain.parameters();
    let georeference = parameters.transform.map(|transform| Georeference {
        crs: bundle.crs().unwrap_or("").to_owned(),
        transform,
    });
    mask_geotiff(
        terrain.grid().width(),
        &picture::mask(terrain.grid(), pvs),
        parameters.spacing,
        georeference.as_ref(),
    )
}
