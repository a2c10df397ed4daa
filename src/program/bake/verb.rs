//! A bake, from the command line to the last word, of a world of any kind.

use std::path::{Path, PathBuf};

use super::document::{ForecastDocument, finish, finish_shard, said_first};
use super::verb_options::{VerbOptions, check_ending, check_output, stopped};
use crate::exit::{Exit, Failure, Outcome};
use crate::memory;
use crate::output::say;
use crate::progress::Progress;
use crate::signals::Stop;
use viewcell_bake::{
    Baked, Input, PlanOptions, checkpoint_beside, plan, run as bake, shard_in_the_making,
};

/// A bake, from the command line to the last word.
pub(super) struct Verb<'a> {
    /// The file that is baked.
    pub input: &'a Path,
    /// Where the bundle goes.
    pub bundle: PathBuf,
    pub force: bool,
    /// Whether the bundle has a budget.
    pub is_lossy: bool,
    /// Whether what is kept of a stopped bake is a flow through portals, which has no tiles.
    pub keeps_flow: bool,
    /// Whether it is baked again when the file is saved.
    pub watch: bool,
    pub options: &'a VerbOptions,
}

impl Verb<'_> {
    /// Reads what is to be baked, plans, tells what it takes, bakes, and tells what was made.
    pub(super) fn run(
        self,
        prepare: impl Fn(&Progress) -> Result<(Input, PlanOptions), Failure>,
    ) -> Outcome {
        if self.watch {
            return self.watch(prepare);
        }
        let VerbOptions { long, voice, .. } = self.options;
        if self.is_lossy && long.shard.is_some() {
            return Err(Failure::usage(
                "--budget: expected a whole bundle, found --shard; give it to viewcell merge",
            ));
        }
        let output = long.output(self.bundle.clone());
        // A dry run leaves nothing behind: a signal ends it at once.
        let stop = if long.dry_run {
            Stop::default()
        } else {
            check_output(self.input, self.force, long.resume, &output)?;
            check_ending(&output)?;
            Stop::listen()?
        };
        let progress = Progress::new(voice, stop.clone());
        let made = self.make(prepare, &output, &progress);
        progress.finish();
        let notes = progress.notes();
        match made {
            Err(_) if stop.asked() && self.keeps_flow => {
                let kept = checkpoint_beside(&output);
                say(format_args!(
                    "viewcell: stopped; finished work is kept in {}",
                    kept.display()
                ));
                Ok(stop.exit())
            }
            Err(failure) if stop.asked() => Err(stopped(&failure, &stop)),
            Err(failure) => Err(failure),
            Ok(None) => Ok(Exit::Done),
            Ok(Some(Baked::Shard(report))) => finish_shard(report, output, notes, self.options),
            Ok(Some(_)) => finish(output, notes, self.options),
        }
    }

    /// `None` of a dry run, which has told what it foresees.
    fn make(
        &self,
        prepare: impl FnOnce(&Progress) -> Result<(Input, PlanOptions), Failure>,
        output: &Path,
        progress: &Progress,
    ) -> Result<Option<Baked>, Failure> {
        let long = &self.options.long;
        let (input, mut options) = prepare(progress)?;
        options.bake.overwrite = self.force;
        options.bake.keep = long.keep();
        let plan = plan(&input, &options, progress)?;
        if long.dry_run {
            let document = ForecastDocument::new(&plan, progress)?;
            progress.finish();
            return document.tell(&self.options.json).map(|_| None);
        }
        if !long.resume && long.shard.is_none() {
            // To foresee finer cells may take more memory than the bake.
            let is_limited = options.bake.memory.is_some();
            said_first(&plan, is_limited, progress)?;
        }
        let begun = match long.shard {
            None => checkpoint_beside(output),
            Some(_) => shard_in_the_making(output),
        };
        // What was there before may be worth something.
        if !begun.exists() {
            memory::remove_if_short(vec![begun]);
        }
        Ok(Some(bake(&plan, output, long.shard, progress)?))
    }
}
