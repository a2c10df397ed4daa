//! `viewcell query pvs`: everything that may be seen from a place.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bundle;
use viewcell::picture::{self, Ground, Viewpoint, mask_geotiff};
use viewcell::runtime::{Bundle, MappedBundle, Pvs, TerrainBundle, WorldKind};
use viewcell::world::Georeference;

use super::{By, Over, Place, cells, check_by_number, quad_over};
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

enum Drawing {
    Png,
    GeoTiff,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    if map.kind() == Some(WorldKind::Cells) {
        if args.output.is_some() || args.quad != 0 {
            return Err(Failure::usage(format!(
                "-o and --quad: expected a terrain, found cells in {}; viewcell export matrix \
                 draws these",
                args.bundle.display()
            )));
        }
        check_by_number(&args.bundle, &args.by)?;
        args.over.check_none()?;
        let level = super::cells(&args.bundle, &map)?;
        return cells::pvs(&args.bundle, &level, args.a, &args.json);
    }
    let on_terrain = |terrain: TerrainBundle<'_>| on_terrain(args, &map, &terrain);
    args.over.ask(&args.bundle, &map, on_terrain)
}

fn on_terrain(args: &Args, map: &MappedBundle, terrain: &TerrainBundle<'_>) -> Outcome {
    let drawing = args.output.as_deref().map(kind_of).transpose()?;
    let sample = args.by.sample(&args.bundle, map, terrain, args.a)?;
    let quad = quad_over(&args.bundle, terrain, sample, args.quad)?;
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
            .map_err(|error| super::cannot_open(&args.bundle, error))?;
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

    let grid = terrain.grid();
    let voids = grid.samples() - terrain.valid().count(grid.root());
    let visible = pvs.count();
    let hidden = (grid.samples() - voids).saturating_sub(visible);
    let origin = quad.origin();
    if args.json.json {
        output::print_json(&Document {
            level: quad.level,
            origin: [origin.column, origin.row],
            visible,
            hidden,
            void: voids,
            output: args.output.clone(),
        })?;
    } else {
        let share = |count: u64| 100.0 * count as f64 / (grid.samples() - voids).max(1) as f64;
        output::print(format_args!(
            "visible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %\nvoid     {voids:>12}",
            share(visible),
            share(hidden)
        ))?;
    }
    Ok(Exit::Done)
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
