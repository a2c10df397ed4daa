//! `viewcell bake --watch`: a world is baked again whenever its file is saved, as a draft first.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use super::document::Document;
use super::verb::Verb;
use super::verb_options::check_output;
use crate::exit::{Exit, Failure, Outcome};
use crate::flags::message;
use crate::info::Bytes;
use crate::output::{print_json_line, say};
use crate::progress::{Progress, Seconds};
use crate::signals::Stop;
use viewcell_bake::plan::{CellChoice, InputWorld};
use viewcell_bake::{Input, Keep, PlanOptions, Quality, bundle, plan, run as bake};

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(200);

impl Verb<'_> {
    /// Bakes now, and whenever a file is saved, until a signal comes. A save during a bake ends it, and the next begins.
    pub(super) fn watch(
        mut self,
        prepare: impl Fn(&Progress) -> Result<(Input, PlanOptions), Failure>,
    ) -> Outcome {
        check_output(self.input, self.force, false, &self.bundle)?;
        let stop = Stop::listen()?;
        while !stop.asked() {
            let (files, input) = (saved(self.input), self.input.to_owned());
            let changed = stop.or(PAUSE, move || saved(&input) != files);
            match self.bake_twice(&prepare, &changed) {
                // The save that ended the bake, or a file that was half written when it was read.
                Err(_) if changed.asked() => (),
                Err(Failure::Failed { error, .. }) => {
                    say(format_args!("viewcell: {}", message(&error)));
                }
                made => made?,
            }
            while !changed.asked() {
                sleep(PAUSE);
            }
            // A large file is written in parts: it is read when nothing has changed for a while.
            while !stop.asked() && {
                let before = saved(self.input);
                sleep(PAUSE);
                saved(self.input) != before
            } {}
        }
        Ok(Exit::Done)
    }

    /// Bakes a draft, where a quality chooses the cells, and then what was asked for. Tells each in a line.
    fn bake_twice(
        &mut self,
        prepare: impl Fn(&Progress) -> Result<(Input, PlanOptions), Failure>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let (voice, begun) = (&self.options.voice, Instant::now());
        let progress = Progress::new(voice, stop.clone());
        let (input, mut options) = prepare(&progress)?;
        let asked = options.cells;
        let is_cells = matches!(input.world, InputWorld::Cells(_));
        let quality = |of: &CellChoice| of.chooses().filter(|_| !is_cells);
        let draft = quality(&asked).filter(|&quality| quality != Quality::Draft);
        let draft = draft.map(|_| CellChoice::from(Quality::Draft));
        options.bake.keep = Keep::Nothing;
        for cells in draft.into_iter().chain([asked]) {
            // After the first bake what is there is its own.
            options.bake.overwrite = self.force;
            options.cells = cells;
            let plan = plan(&input, &options, &progress)?;
            bake(&plan, &self.bundle, None, &progress)?;
            self.force = true;
            progress.finish();
            let info = bundle::info(&self.bundle)?;
            if !voice.quiet {
                let name = quality(&options.cells).map(|quality| format!("{}: ", quality.name()));
                let made = info.provenance.as_ref();
                let share = made.and_then(|made| made.statistics.levels.first());
                let share =
                    share.map(|level| format!(", {:.2} % hidden", 100.0 * level.hidden_share));
                say(format_args!(
                    "{}{}: {}{}, {}",
                    name.unwrap_or_default(),
                    self.bundle.display(),
                    Bytes(info.bytes),
                    share.unwrap_or_default(),
                    Seconds(begun.elapsed().as_secs_f64())
                ));
            }
            if self.options.json.json {
                print_json_line(&Document::of(self.bundle.clone(), progress.notes(), info))?;
            }
        }
        Ok(())
    }
}

/// The files that a world may consist of, which begin with its name, and when each was saved: it changes when one of them does.
fn saved(input: &Path) -> Vec<(OsString, Option<(SystemTime, u64)>)> {
    let stem = input.file_stem().unwrap_or_default().as_encoded_bytes();
    let folder = input.parent().filter(|folder| *folder != Path::new(""));
    let files = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let when = |of: Metadata| Some((of.modified().ok()?, of.len()));
    let mut files: Vec<_> = (files.into_iter().flatten().flatten())
        .filter(|file| {
            let name = file.file_name();
            // Bundles, and what lies beside them.
            let is_made = name.to_string_lossy().contains(".vcb");
            name.as_encoded_bytes().starts_with(stem) && !is_made
        })
        .map(|file| (file.file_name(), file.metadata().ok().and_then(when)))
        .collect();
    // Also in a folder that may not be listed.
    files.push((OsString::new(), input.metadata().ok().and_then(when)));
    files.sort();
    files
}
