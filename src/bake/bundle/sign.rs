//! Signing a bundle.

use std::path::Path;

use super::error::BundleError;
use super::file::BundleFile;
use super::output::Written;
use super::output::check_output;
use super::seal::{Signing, copy};
use viewcell::sign::{Contents, PrivateKey, is_signed};

/// Writes the bundle `input` with a signature of its contents, section `SIGN`, and checksums by page. Another
/// signature that it has is left out. Patches of the old file do not go over the new one, as after
/// [`seal`](fn@super::seal).
///
/// # Errors
///
/// Where [`seal`](fn@super::seal) errors.
pub fn sign(
    input: &Path,
    key: &PrivateKey,
    output: &Path,
    overwrite: bool,
) -> Result<Written, BundleError> {
    check_output(output, overwrite)?;
    let bundle = BundleFile::open(input)?;
    let signing = Signing {
        contents: Contents::default(),
        key,
    };
    copy(&bundle, is_signed, Some(signing), (output, overwrite))
}
