//! `viewcell export matrix`, `vis` and `json`: levels of cells, for other tools.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use viewcell::format::bits;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell_bake::bundle;
use viewcell_bake::read_level;
use viewcell_ingest::cells::{CellGraphFile, IngestCellsOptions, PortalFile, PortalFileKind};
use viewcell_ingest::export::{external_vis, with_visibility};
use viewcell_ingest::world::BitMatrix;
use viewcell_view::picture::{MatrixFormat, MatrixOf, matrix_file};

use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::output::{self, FileWorkOptions, Stdout, check_outputs, is_stream};
use crate::query;

/// Who sees whom among the cells of a level, as a picture or a matrix of numbers
///
/// Row A, column B says whether A sees B. A picture is white where B is visible. With --distances numbers are
/// visible steps, -1 for unreachable, and a picture is lighter the nearer B is.
///
/// Example: viewcell export matrix e1m1.vcb -o e1m1.png
#[derive(clap::Args)]
pub struct MatrixArgs {
    /// The bundle
    bundle: PathBuf,
    #[command(flatten)]
    to: To,
    /// Write distances instead of visibility
    #[arg(long)]
    distances: bool,
}

/// The visibility of a bundle, in a copy of the level that it was baked from
///
/// Everything else in the copy stays unchanged. In a WAD, the REJECT table of one map changes. A name that ends in
/// .vis makes an external file that source ports of Quake read beside the level (BSP29 only).
///
/// Example: viewcell export vis e1m1.vcb e1m1.bsp -o new.bsp
#[derive(clap::Args)]
pub struct VisArgs {
    /// The bundle
    bundle: PathBuf,
    /// The level that it was baked from
    level: PathBuf,
    /// The map, in a WAD with several
    #[arg(long, value_name = "NAME")]
    map: Option<String>,
    #[command(flatten)]
    to: To,
}

/// A level of cells as JSON (schemas/cells.json)
///
/// Example: viewcell export json e1m1.vcb -o e1m1.json
#[derive(clap::Args)]
pub struct JsonArgs {
    /// The bundle
    bundle: PathBuf,
    #[command(flatten)]
    to: To,
}

/// The portals of a level as a portal file (PRT1)
///
/// A bundle has portals if its input has them, or if it was baked with --portals.
///
/// Example: viewcell export prt e1m1.vcb -o e1m1.prt
#[derive(clap::Args)]
pub struct PrtArgs {
    /// The bundle
    bundle: PathBuf,
    #[command(flatten)]
    to: To,
}

/// Where the file goes.
#[derive(clap::Args)]
struct To {
    /// File to write; - is stdout, for the exports vis, json and prt
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

/// What exports of cells print with --json.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell export matrix, vis, json, prt")]
pub struct Document {
    /// The file written.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// Cells of the level.
    cells: u64,
}

impl To {
    /// The ending of the name, in lower case.
    fn ending(&self) -> String {
        let ending = self.output.extension().and_then(OsStr::to_str);
        ending.unwrap_or("").to_ascii_lowercase()
    }

    fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        if !is_stream(&self.output) {
            return check_outputs(inputs, [&self.output], self.work_options.force);
        }
        if self.work_options.json.json {
            Err(Failure::usage(
                "--json: stdout is for the file already, by -o -; leave out one of them",
            ))
        } else {
            Ok(())
        }
    }

    fn save(&self, bytes: &[u8], cells: usize) -> Outcome {
        if is_stream(&self.output) {
            let mut stdout = Stdout::lock();
            stdout.write(bytes)?;
            stdout.finish()?;
            return Ok(Exit::Done);
        }
        bundle::save(&self.output, bytes, self.work_options.force)?;
        self.work_options.written(&self.output, "");
        self.work_options.json.document(|| Document {
            output: self.output.clone(),
            bytes: bytes.len() as u64,
            cells: cells as u64,
        })
    }
}

pub fn matrix(args: &MatrixArgs) -> Outcome {
    let endings = [
        ("png", MatrixFormat::Png),
        ("npy", MatrixFormat::Npy),
        ("csv", MatrixFormat::Csv),
    ];
    let format = output::of_ending(&args.to.output, &endings, ".png, .npy or .csv")?;
    args.to.check(&[&args.bundle])?;
    let opened = query::open(&args.bundle)?;
    let level = opened.cells()?;
    let of = if args.distances {
        MatrixOf::Distances
    } else {
        MatrixOf::Pvs
    };
    let bytes = matrix_file(&level, of, format);
    let bytes = bytes.map_err(Failure::resource)?;
    args.to.save(&bytes, level.cells() as usize)
}

pub fn vis(args: &VisArgs) -> Outcome {
    args.to.check(&[&args.bundle, &args.level])?;
    let pvs = pvs_of(&args.bundle)?;
    let level = input::read(&args.level, input::LARGE)?;
    let bytes = if args.to.ending() == "vis" {
        let name = args.level.file_name().unwrap_or_default();
        external_vis(&level, &name.to_string_lossy(), &pvs)
    } else {
        let map = args.map.clone();
        with_visibility(&level, &IngestCellsOptions { map }, &pvs)
    };
    let bytes = bytes.map_err(|error| error.about(&args.level))?;
    args.to.save(&bytes, pvs.n())
}

/// Who sees whom in a bundle.
fn pvs_of(path: &Path) -> Result<BitMatrix, Failure> {
    let opened = query::open(path)?;
    let level = opened.cells()?;
    let cells = level.cells();
    let rows = (0..cells).flat_map(|cell| {
        let row = level.pvs(cell);
        (0..bits::words(cells)).map(move |i| row.word(i))
    });
    Ok(BitMatrix::from_words(cells as usize, rows.collect()))
}

pub fn prt(args: &PrtArgs) -> Outcome {
    args.to.check(&[&args.bundle])?;
    let graph = read_level(&args.bundle)?;
    if graph.portals.is_empty() {
        return Err(Failure::bad_input(format!(
            "{}: expected portals, found none; bake the level with --portals",
            args.bundle.display()
        )));
    }
    let file = PortalFile {
        cells: graph.cells,
        portals: graph.portals,
        kind: PortalFileKind::Prt1,
    };
    args.to.save(file.write().as_bytes(), graph.cells)
}

pub fn json(args: &JsonArgs) -> Outcome {
    args.to.check(&[&args.bundle])?;
    let graph = read_level(&args.bundle)?;
    let name = args.bundle.file_name().unwrap_or_default();
    let about = format!("From {}", name.to_string_lossy());
    let file = CellGraphFile::of(&graph, Some(about));
    let mut bytes = serde_json::to_vec(&file).map_err(output::not_json)?;
    bytes.push(b'\n');
    args.to.save(&bytes, graph.cells)
}
