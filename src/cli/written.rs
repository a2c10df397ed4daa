//! The end of every verb that writes a bundle.

use std::path::PathBuf;

use serde::Serialize;
use viewcell::bundle::{self, Info};

use super::exit::{Exit, Outcome};
use super::info::Summary;
use super::output::{self, Json, say};
use super::progress::{Progress, Voice};
use super::verify;

/// Tells of a bundle written, verifies it if that is wanted, and prints its document if that is.
pub fn tell<D: Serialize>(
    output: PathBuf,
    verify: bool,
    voice: &Voice,
    json: &Json,
    progress: &Progress,
    document: impl FnOnce(PathBuf, Info) -> D,
) -> Outcome {
    let info = bundle::info(&output)?;
    if !voice.quiet {
        say(Summary(&info));
        say(format_args!("written: {}", output.display()));
    }
    let exit = if verify {
        verify::check(&output, progress)?
    } else {
        Exit::Done
    };
    if json.json {
        output::print_json(&document(output, info))?;
    }
    Ok(exit)
}
