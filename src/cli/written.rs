//! The end of every verb that writes a bundle.

use std::path::PathBuf;

use serde::Serialize;
use viewcell::internals::bundle::{self, Info};

use super::exit::{Exit, Failure, Outcome};
use super::info::Summary;
use super::output::{self, Json, say};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::verify;

/// The options of verbs that make a bundle of others.
#[derive(clap::Args)]
pub struct Writing {
    /// Bundle to write
    #[arg(short, long, value_name = "OUT.vcb")]
    pub output: PathBuf,
    /// Overwrite the bundle if it is there
    #[arg(long)]
    pub force: bool,
    /// Check the finished bundle with every rule of viewcell verify
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    json: Json,
}

impl Writing {
    /// Has `make` write the bundle, and tells of it, or that a signal stopped it.
    pub fn run<D: Serialize>(
        &self,
        make: impl FnOnce(&Progress) -> Result<(), Failure>,
        document: impl FnOnce(PathBuf, Info) -> D,
    ) -> Outcome {
        let stop = Stop::listen()?;
        let progress = Progress::new(&self.voice, stop.clone());
        let made = make(&progress);
        progress.finish();
        match made {
            Err(_) if stop.asked() => Ok(stop.stopped()),
            Err(failure) => Err(failure),
            Ok(()) => tell(
                self.output.clone(),
                self.verify,
                &self.voice,
                &self.json,
                &progress,
                document,
            ),
        }
    }
}

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
