//! `viewcell experiment layered build`: ground from heightmaps, images or voxels.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle;
use viewcell_ingest::world::Short;
use viewcell_layered::{
    GroundOptions, GroundSource, Layered, MOST_CUBES, Sides, encode, read_ground, read_layers,
};
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::flags::with_flags;
use viewcell_program::heightmap::Reading;
use viewcell_program::output::{self, FileWorkOptions, say};
use viewcell_program::values;

use super::file::{unmade, words};

/// Make a ground file from a heightmap, a stack of images, or voxels
///
/// The layers are a JSON file, from the top down; src/papers/schemas/layered-layers.json is its schema, and src/papers/layered/FORMAT.md
/// explains it:
///
///   {"cube_height": 0.5, "bottom": -20, "layers": [{"name": "soil", "depth": 2},
///   {"name": "clay", "depth": "clay.tif"}, {"name": "rock"}]}
///
/// Example: viewcell experiment layered build --heightmap level.tif --layers layers.json -o level.vcg
#[derive(clap::Args)]
pub(in crate::verbs) struct Args {
    #[command(flatten)]
    source: Source,
    /// JSON file of layers
    #[arg(long, value_name = "FILE")]
    layers: PathBuf,
    /// Ground file to write
    #[arg(short, long, value_name = "OUT.vcg")]
    output: PathBuf,
    /// Height of a cube in metres; overrides the layers' file
    #[arg(long, value_name = "METRES", value_parser = values::positive)]
    cube_height: Option<f64>,
    /// Refuse ground with more cubes
    #[arg(long, value_name = "N", default_value_t = MOST_CUBES)]
    max_cubes: u64,
    /// Cubes a side of the largest patches, a power of two
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(4..=1 << 24))]
    largest_patch: u32,
    /// Cubes a side of the smallest patches, a power of two
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(4..=1 << 24))]
    smallest_patch: u32,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// Heightmap of the surface; layers have depths
    #[arg(long, value_name = "FILE")]
    heightmap: Option<PathBuf>,
    /// Grey PNGs of one size, the lowest slice first, or a folder of them; layers have values
    #[arg(long, value_name = "PNG", num_args = 1..)]
    stack: Option<Vec<PathBuf>>,
    /// Raw voxels: one byte per cube, the lowest slice first, each row by row; layers have values
    #[arg(long, value_name = "FILE", requires = "size")]
    voxels: Option<PathBuf>,
}

/// What `viewcell experiment layered build --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered build")]
pub(in crate::verbs) struct Document {
    /// The file.
    #[serde(serialize_with = "viewcell_program::output::names")]
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// Columns.
    width: u32,
    /// Rows.
    height: u32,
    /// Slices from the lowest to the highest.
    slices: u64,
    /// Patches.
    patches: u64,
    /// Nodes of quadtrees.
    nodes: u64,
    /// Notes about the input.
    notes: Vec<String>,
}

pub(in crate::verbs) fn run(args: &Args) -> Outcome {
    let source = args.source.named();
    let mut inputs = vec![args.layers.as_path()];
    match &source {
        GroundSource::Stack(paths) => inputs.extend(paths.iter().map(PathBuf::as_path)),
        GroundSource::Heightmap(path) | GroundSource::Voxels(path) => inputs.push(path),
    }
    output::check_outputs(&inputs, [&args.output], args.work_options.force)?;
    let layers = read_layers(&args.layers)?;
    let options = args.options()?;
    let folder = args.layers.parent().unwrap_or(Path::new(""));
    let grounded = read_ground(&source, &layers, folder, &options);
    let grounded = grounded.map_err(|error| unmade(&error))?;
    let ground = grounded.ground;
    let notes: Vec<String> = grounded.notes.iter().map(|note| with_flags(note)).collect();
    let bytes = encode(&ground);
    bundle::save(&args.output, &bytes, args.work_options.force)?;
    if !args.work_options.quiet {
        notes
            .iter()
            .for_each(|note| say(format_args!("note: {note}")));
        say(format_args!(
            "{}: {}",
            args.output.display(),
            words(&ground)
        ));
    }
    args.work_options.json.document(|| Document {
        output: args.output.clone(),
        bytes: bytes.len() as u64,
        width: ground.frame().width(),
        height: ground.frame().height(),
        slices: ground.slices().len() as u64,
        patches: ground.frame().patches().len() as u64,
        nodes: ground.nodes(),
        notes,
    })
}

impl Source {
    fn named(&self) -> GroundSource {
        match (&self.heightmap, &self.stack, &self.voxels) {
            (Some(path), ..) => GroundSource::Heightmap(path.clone()),
            (_, Some(paths), _) => GroundSource::Stack(paths.clone()),
            (.., voxels) => GroundSource::Voxels(voxels.clone().unwrap_or_default()),
        }
    }
}

impl Args {
    fn options(&self) -> Result<GroundOptions, Failure> {
        let (most, least) = (self.largest_patch, self.smallest_patch);
        if !(most.is_power_of_two() && least.is_power_of_two() && least <= most) {
            return Err(Failure::usage(format!(
                "--largest-patch {most} and --smallest-patch {least}: expected powers of two, the \
                 smallest not above the largest"
            )));
        }
        if let Some(up) = self.cube_height
            && !(1e-6..=1e9).contains(&up)
        {
            return Err(Failure::usage(format!(
                "--cube-height: expected metres from 1e-6 to 1e9, found {}",
                Short(up)
            )));
        }
        Ok(GroundOptions {
            reading: self.reading.options(),
            cube_height: self.cube_height,
            sides: Sides {
                most: most.ilog2() as u8,
                least: least.ilog2() as u8,
            },
            max_cubes: self.max_cubes,
        })
    }
}
