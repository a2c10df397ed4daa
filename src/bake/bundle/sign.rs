//! Signing a bundle.

use std::path::Path;

use super::error::BundleError;
use super::file::BundleFile;
use super::output::Written;
use super::output::check_output;
use super::seal::{Witness, copy};
use viewcell::format::{Section, Tag};
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
    let count = bundle.sections().iter().filter(|s| is_signed(s)).count();
    let mut signing = Signing {
        contents: Some(Contents::new(bundle.header().kind, count as u32)),
        key,
    };
    copy(&bundle, is_signed, Some(&mut signing), (output, overwrite))
}

struct Signing<'k> {
    /// Until they are signed.
    contents: Option<Contents>,
    key: &'k PrivateKey,
}

impl Witness for Signing<'_> {
    fn take(&mut self, bytes: &[u8]) {
        if let Some(contents) = &mut self.contents {
            contents.take(bytes);
        }
    }

    fn end(&mut self, section: &Section) {
        if let Some(contents) = &mut self.contents {
            contents.end(section);
        }
    }

    fn added(&mut self) -> (Tag, Vec<u8>) {
        let signed = self.contents.take().map(|contents| contents.sign(self.key));
        (Tag::SIGN, signed.unwrap_or_default())
    }
}
