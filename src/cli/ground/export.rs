//! `viewcell ground export`: the surface for a bake, or a slice as text.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::ground::{Path as Way, surface};
use viewcell::internals::picture::{RasterLayout, RasterWriter};
use viewcell::internals::world::Georeference;

use crate::cli::exit::{Failure, Outcome};
use crate::cli::export::work;
use crate::cli::output::{self, Json, say};

/// Write the ground's surface as a heightmap, or a slice of it as text
///
/// The surface is the top of the highest cube of each column, in metres, NaN where there is none: 32-bit
/// floats that lie where the heightmap lay, to be baked by viewcell bake terrain.
#[derive(clap::Args)]
pub struct Args {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    #[command(flatten)]
    what: What,
    /// With --text: number of the patch
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "surface"
    )]
    patch: usize,
    /// With --text: number of the slice
    #[arg(long, value_name = "Z", requires = "text", conflicts_with = "surface")]
    slice: Option<i32>,
    /// With --text: the way to a branch, a digit for each step: 0 north-west, 1 north-east, 2
    /// south-east, 3 south-west
    #[arg(
        long,
        value_name = "DIGITS",
        default_value = "",
        conflicts_with = "surface"
    )]
    path: String,
    /// Overwrite the file if it is there
    #[arg(long)]
    force: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Write the surface here
    #[arg(long, value_name = "OUT.tif|.npy")]
    surface: Option<PathBuf>,
    /// Write a slice of a patch here, as text: { before four children, e for empty, f, g, h ... for
    /// materials 1, 2, 3
    #[arg(long, value_name = "OUT.txt", requires = "slice")]
    text: Option<PathBuf>,
}

/// What `viewcell ground export --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ground export")]
pub struct Document {
    /// The file.
    output: PathBuf,
    /// Columns of the surface, or cubes a side of the slice.
    width: u32,
    /// Rows of the surface, or cubes a side of the slice.
    height: u32,
    /// Samples without ground.
    voids: u64,
    /// The version of the ground.
    version: u64,
}

pub fn run(args: &Args) -> Outcome {
    let output = args.what.surface.as_ref().or(args.what.text.as_ref());
    let Some(output) = output else {
        return Err(Failure::usage("expected --surface or --text".into()));
    };
    output::check_outputs(&[&args.ground], [output], args.force)?;
    let document = match &args.what.surface {
        Some(output) => write_surface(args, output)?,
        None => write_text(args, output)?,
    };
    if !args.quiet {
        let (width, height) = (document.width, document.height);
        say(format_args!("{}: {width} x {height}", output.display()));
    }
    args.json.document(|| &document)
}

fn write_surface(args: &Args, output: &Path) -> Result<Document, Failure> {
    let format = work::raster_format_of(output)?;
    let ground = super::load(&args.ground)?;
    let frame = viewcell::internals::ground::Layered::frame(&ground);
    let heights = surface(&ground);
    let heights: Vec<f32> = heights.into_iter().map(|metres| metres as f32).collect();
    let georeference = frame.place.as_ref().map(|place| Georeference {
        crs: place.crs.clone(),
        transform: place.transform,
    });
    let [dx, dy, _] = frame.spacing();
    let layout = RasterLayout {
        width: frame.width(),
        height: frame.height(),
        bands: &["height in metres".to_owned()],
        nodata: "nan",
        spacing: [dx, dy],
        georeference: georeference.as_ref(),
    };
    bundle::save_with(output, args.force, |file| {
        let mut raster = RasterWriter::new::<f32>(file, format, &layout)?;
        raster.write(&heights)?;
        raster.finish().map(drop)
    })?;
    Ok(Document {
        output: output.to_owned(),
        width: frame.width(),
        height: frame.height(),
        voids: heights.iter().filter(|height| height.is_nan()).count() as u64,
        version: viewcell::internals::ground::Layered::version(&ground).number,
    })
}

fn write_text(args: &Args, output: &Path) -> Result<Document, Failure> {
    let map = super::map(&args.ground)?;
    let file = super::open(&args.ground, &map)?;
    let Some(square) = file.frame().patches().get(args.patch) else {
        return Err(Failure::usage(format!(
            "--patch {}: expected one of the {} patches, counted from 0",
            args.patch,
            file.frame().patches().len()
        )));
    };
    let path = Way::parse(&args.path).ok_or_else(|| {
        Failure::usage(format!("--path {}: expected digits from 0 to 3", args.path))
    })?;
    let slice = args.slice.unwrap_or(0);
    let tree = file
        .slice(args.patch, slice)
        .map_err(|error| super::failure(&args.ground, error))?;
    let text = match tree {
        Some(tree) => tree.branch_text(path),
        None => (path == Way::ROOT).then(|| "e".to_owned()),
    };
    let Some(text) = text else {
        return Err(Failure::usage(format!(
            "--path {}: expected the way to a node, found a leaf on it",
            args.path
        )));
    };
    bundle::save(output, (text + "\n").as_bytes(), args.force)?;
    Ok(Document {
        output: output.to_owned(),
        width: 1 << square.level,
        height: 1 << square.level,
        voids: 0,
        version: file.version().number,
    })
}
