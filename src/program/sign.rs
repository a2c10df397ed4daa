//! `viewcell sign` adds a signature to a bundle. Also the keys that `sign` and `verify` take.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::format::Tag;
use viewcell::sign::{KeyError, PrivateKey};
use viewcell_bake::bundle::{self, BundleFile};

use super::exit::{Failure, Outcome};
use super::input;
use super::output::{FileWorkOptions, check_outputs, say};

/// Write a bundle with a signature, by which others know that it is unchanged
///
/// The key is an Ed25519 key in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519 -out key.pem` makes it.
/// `openssl pkey -in key.pem -pubout -out public.pem` writes the public key, with which others check the
/// signature, by `viewcell verify --key public.pem` or when they open the bundle. Patches are not signed: merge them, and
/// sign the result.
///
/// Example: viewcell sign level.vcb --key key.pem -o signed.vcb
#[derive(clap::Args)]
pub struct SignArgs {
    /// The private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The bundle
    bundle: PathBuf,
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    output: PathBuf,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

/// What `viewcell sign --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell sign")]
pub struct SignDocument {
    /// The bundle written.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// The public key that belongs to the signature, in hexadecimal digits.
    public_key: String,
}

pub fn sign(args: SignArgs) -> Outcome {
    let SignArgs {
        key: file,
        bundle,
        output,
        work_options,
    } = args;
    check_outputs(&[&bundle, &file], [&output], work_options.force)?;
    let key = key(&file, PrivateKey::from_pem)?;
    warn_of_readers(&file);
    let bytes = bundle::sign(&bundle, &key, &output, work_options.force)?.bytes;
    work_options.written(&output, format_args!("; {bytes} bytes"));
    let public_key = key.public().to_bytes();
    let digits = public_key.iter().map(|byte| format!("{byte:02x}"));
    work_options.json.document(|| SignDocument {
        output,
        bytes,
        public_key: digits.collect(),
    })
}

/// Reads a key.
pub fn key<K>(path: &Path, read: fn(&str) -> Result<K, KeyError>) -> Result<K, Failure> {
    let bytes = input::read(path, input::SMALL)?;
    // What is no text is no PEM.
    read(&String::from_utf8_lossy(&bytes)).map_err(Failure::bad_file(path))
}

/// Says, however quiet the verb is, that others may read a private key.
#[cfg(unix)]
fn warn_of_readers(path: &Path) {
    use std::os::unix::fs::PermissionsExt;

    let Ok(data) = std::fs::metadata(path) else {
        return;
    };
    let mode = data.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        say(format_args!(
            "warning: {}: expected a private key that its owner alone may read, found permissions \
             {mode:o}: anybody who has read it can sign as you; chmod 600 it, or make a new key",
            path.display()
        ));
    }
}

/// Who may read a file is not told by a few bits on other systems.
#[cfg(not(unix))]
fn warn_of_readers(_: &Path) {}

/// Says, however quiet the verb is, that a bundle made of others is not signed where one of them was.
pub fn warn_of_lost_signature<'p>(inputs: impl IntoIterator<Item = &'p Path>, output: &Path) {
    let is_signed = |input: &&Path| {
        let file = BundleFile::open(input);
        file.is_ok_and(|file| {
            file.sections()
                .iter()
                .any(|section| section.tag == Tag::SIGN)
        })
    };
    if let Some(input) = inputs.into_iter().find(is_signed) {
        say(format_args!(
            "warning: {} is not signed: the signature of {} is gone, since the bytes changed; sign \
             it again (viewcell sign)",
            output.display(),
            input.display()
        ));
    }
}
