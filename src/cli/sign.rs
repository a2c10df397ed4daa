//! `viewcell sign`, and the keys that it and `verify` take.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::sign::{KeyError, PrivateKey};

use super::exit::{Exit, Failure, Outcome};
use super::input;
use super::output::{self, check_outputs, say};
use super::seal;

/// Write a bundle with a signature, by which others know that it is as you made it
///
/// The key is of Ed25519, in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519 -out key.pem` makes it.
/// `openssl pkey -in key.pem -pubout -out public.pem` prints what those need who check the signature, with
/// `viewcell verify --key public.pem` or when they open the bundle. The signed bundle has checksums by page, too.
/// Patches are not signed: merge them, and sign what comes out.
///
/// Example: viewcell sign level.vcb --key key.pem -o signed.vcb
#[derive(clap::Args)]
pub struct SignArgs {
    /// The private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    seal: seal::Args,
}

/// What `viewcell sign --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell sign")]
pub struct Document {
    /// The bundle written.
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// The public key that belongs to the signature, in hexadecimal digits.
    public_key: String,
}

pub fn run(args: SignArgs) -> Outcome {
    let seal::Args {
        bundle,
        output,
        force,
        quiet,
        json,
    } = args.seal;
    check_outputs(&[&bundle, &args.key], [&output], force)?;
    let key = key(&args.key, PrivateKey::from_pem)?;
    let bytes = bundle::sign(&bundle, &key, &output, force)?.bytes;
    if !quiet {
        say(format_args!("written: {}; {bytes} bytes", output.display()));
    }
    if json.json {
        let public_key = key.public().to_bytes();
        output::print_json(&Document {
            output,
            bytes,
            public_key: public_key
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        })?;
    }
    Ok(Exit::Done)
}

/// Reads a key.
pub fn key<K>(path: &Path, read: fn(&str) -> Result<K, KeyError>) -> Result<K, Failure> {
    let bad = |error: &dyn Display| Failure::bad_input(format!("{}: {error}", path.display()));
    let bytes = input::read(path, input::SMALL)?;
    // What is no text is no PEM.
    read(&String::from_utf8_lossy(&bytes)).map_err(|error| bad(&error))
}
