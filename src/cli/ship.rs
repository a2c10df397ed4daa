//! `viewcell ship` and `viewcell unpack`: bundles for downloads, and back.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle::{self, BundleError, Shipped};

use super::exit::Outcome;
use super::output::{Json, check_outputs, say};

/// Write a bundle in a smaller form for downloads, which must be unpacked to be used
///
/// Example: viewcell ship level.vcb -o level.vcz
#[derive(clap::Args)]
pub struct ShipArgs {
    /// The bundle
    bundle: PathBuf,
    /// File to write; if not given, the bundle's name with .vcz
    #[arg(short, long, value_name = "OUT.vcz")]
    output: Option<PathBuf>,
    #[command(flatten)]
    manner: Manner,
}

/// Write the bundle that was shipped, byte for byte
///
/// Example: viewcell unpack level.vcz -o level.vcb
#[derive(clap::Args)]
pub struct UnpackArgs {
    /// The file that viewcell ship wrote
    shipped: PathBuf,
    /// Bundle to write; if not given, the file's name with .vcb
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,
    #[command(flatten)]
    manner: Manner,
}

#[derive(clap::Args)]
struct Manner {
    /// Overwrite the file if it is there
    #[arg(long)]
    force: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell ship --json` and `viewcell unpack --json` print.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ship and unpack")]
pub struct Document {
    /// The file written.
    output: PathBuf,
    /// Length of the bundle in bytes.
    bundle_bytes: u64,
    /// Length in bytes of its form for downloads.
    shipped_bytes: u64,
}

pub fn ship(args: ShipArgs) -> Outcome {
    let output = args.output.unwrap_or(args.bundle.with_extension("vcz"));
    run(bundle::ship, &args.bundle, output, &args.manner)
}

pub fn unpack(args: UnpackArgs) -> Outcome {
    let output = args.output.unwrap_or(args.shipped.with_extension("vcb"));
    run(bundle::unpack, &args.shipped, output, &args.manner)
}

fn run(
    work: fn(&Path, &Path, bool) -> Result<Shipped, BundleError>,
    input: &Path,
    output: PathBuf,
    manner: &Manner,
) -> Outcome {
    check_outputs(&[input], [&output], manner.force)?;
    let done = work(input, &output, manner.force)?;
    if !manner.quiet {
        say(format_args!(
            "written: {}; the bundle has {} bytes, its form for downloads {}",
            output.display(),
            done.bundle_bytes,
            done.shipped_bytes
        ));
    }
    manner.json.document(|| Document {
        output,
        bundle_bytes: done.bundle_bytes,
        shipped_bytes: done.shipped_bytes,
    })
}
