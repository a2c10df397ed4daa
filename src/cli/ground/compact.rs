//! `viewcell ground compact`: a ground file without what is superseded.

use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::ground::{GroundFile, Layered, encode, hold};

use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::{self, Json, say};

/// Write a ground file anew without what stamps superseded: the same ground and version in fewer bytes
///
/// Change sets for this version still apply. The file is put in the place of the old one when it is whole;
/// who has the old one open keeps it as it is. Where there is nothing to take out, it is left alone.
#[derive(clap::Args)]
pub struct Args {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Write another file, and leave this one as it is
    #[arg(short, long, value_name = "OUT.vcg")]
    output: Option<PathBuf>,
    /// Overwrite the other file if it is there
    #[arg(long, requires = "output")]
    force: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell ground compact --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ground compact")]
pub struct Document {
    /// The file that holds the ground without what is superseded.
    output: PathBuf,
    /// Length of the file as it was, in bytes.
    bytes_before: u64,
    /// Length of the file as it is now.
    bytes: u64,
    /// The version of the ground, which stays.
    version: u64,
}

pub fn run(args: &Args) -> Outcome {
    output::check_outputs(&[&args.ground], &args.output, args.force)?;
    let document = match &args.output {
        Some(output) => write_other(&args.ground, output, args.force)?,
        None => write_anew(&args.ground)?,
    };
    if !args.quiet {
        say(format_args!(
            "{}: {} bytes became {}, version {}",
            document.output.display(),
            document.bytes_before,
            document.bytes,
            document.version
        ));
    }
    args.json.document(|| &document)
}

fn write_other(path: &Path, output: &Path, force: bool) -> Result<Document, Failure> {
    let map = super::map(path)?;
    let (bytes, version) = compacted(path, &map)?;
    bundle::save(output, &bytes, force)?;
    Ok(Document {
        output: output.to_owned(),
        bytes_before: map.len() as u64,
        bytes: bytes.len() as u64,
        version,
    })
}

fn write_anew(path: &Path) -> Result<Document, Failure> {
    let cannot = |error| Failure::io(format!("{}: cannot be written anew", path.display()), error);
    // Nobody makes it grow from here on, until another is in its place.
    let mut held = hold(path).map_err(cannot)?;
    let mut before = Vec::new();
    held.read_to_end(&mut before).map_err(cannot)?;
    let (bytes, version) = compacted(path, &before)?;
    if bytes.len() < before.len() {
        bundle::replace(path, &bytes)?;
    }
    Ok(Document {
        output: path.to_owned(),
        bytes_before: before.len() as u64,
        bytes: bytes.len().min(before.len()) as u64,
        version,
    })
}

/// The bytes of a new file with the ground of a file, and its version.
fn compacted(path: &Path, bytes: &[u8]) -> Result<(Vec<u8>, u64), Failure> {
    let file = GroundFile::open(bytes).map_err(|error| super::failure(path, error))?;
    let ground = file.load().map_err(|error| super::failure(path, error))?;
    Ok((encode(&ground), ground.version().number))
}
