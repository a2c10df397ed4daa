//! `viewcell ground stamp`: dig and fill.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::ground::{ChangeSet, GroundFile, Layered, Patches, Stamp};
use viewcell::internals::ingest::ground::read_stamps;

use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::{self, Json, say};

/// Change ground by stamps, where it lies: all of them, or none if one is wrong
///
/// A line of JSON each, which schemas/ground-stamp-line.json describes:
///
///   {"shape":"sphere","at":[120,80,35],"radius":5,"do":"dig"}
///   {"shape":"box","at":[9,9,2],"size":[4,4,1],"do":"fill","material":"clay"}
///
/// Lengths are metres: east and south from the first sample, and up from height 0. Shapes are sphere,
/// box, cylinder and mesh (a closed one, in an OBJ or glTF file). A stamp that changes nothing makes no
/// version.
#[derive(clap::Args)]
pub struct Args {
    /// The ground file, which is changed
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Stamps, a line of JSON each
    #[arg(long, value_name = "FILE")]
    stamps: PathBuf,
    /// Also write the change sets, for viewcell ground apply
    #[arg(long, value_name = "OUT.vch")]
    changes: Option<PathBuf>,
    /// Overwrite the change sets if they are there
    #[arg(long)]
    force: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell ground stamp --json` and `viewcell ground apply --json` print.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ground stamp")]
pub struct Document {
    /// Stamps, or change sets, that were read.
    read: u64,
    /// Change sets that were made, or applied.
    changed: u64,
    /// The version of the ground now.
    version: u64,
    /// Nodes of quadtrees before.
    nodes_before: u64,
    /// Nodes of quadtrees now.
    nodes: u64,
    /// Nodes in all change sets.
    change_nodes: u64,
}

impl Document {
    pub fn new(read: usize, before: u64, ground: &impl Layered, sets: &[ChangeSet]) -> Self {
        Self {
            read: read as u64,
            changed: sets.len() as u64,
            version: ground.version().number,
            nodes_before: before,
            nodes: ground.nodes(),
            change_nodes: sets.iter().map(ChangeSet::nodes).sum(),
        }
    }

    /// Tells of it.
    pub fn tell(&self, quiet: bool, json: &Json) -> Outcome {
        if !quiet {
            say(format_args!(
                "{} of {} changed something; {} nodes became {}; version {}",
                self.changed, self.read, self.nodes_before, self.nodes, self.version
            ));
        }
        json.document(|| self)
    }
}

pub fn run(args: &Args) -> Outcome {
    let inputs = [args.ground.as_path(), args.stamps.as_path()];
    output::check_outputs(&inputs, &args.changes, args.force)?;
    let map = super::map(&args.ground)?;
    let file = super::open(&args.ground, &map)?;
    let load = |file: &GroundFile<'_>| {
        file.load()
            .map_err(|error| super::failure(&args.ground, error))
    };
    let mut ground = load(&file)?;
    let stamps = read_stamps(&args.stamps, ground.frame())?;
    if let Some(path) = &args.changes
        && let Some(previous) = before_changes(path, &file)
    {
        let mut ground = load(&previous)?;
        let before = ground.nodes();
        let sets = apply(args, &stamps, &mut ground)?;
        if std::fs::read(path).is_ok_and(|bytes| bytes == encoded(&sets)) {
            if !args.quiet {
                say(format_args!(
                    "{}: holds these changes already, and {} has them: a run that was interrupted was \
                     complete; nothing is stamped twice",
                    args.ground.display(),
                    path.display()
                ));
            }
            return Document::new(stamps.len(), before, &ground, &sets)
                .tell(args.quiet, &args.json);
        }
    }
    let before = ground.nodes();
    let sets = apply(args, &stamps, &mut ground)?;
    match &args.changes {
        Some(path) => write_both(args, &ground, &sets, path)?,
        None => super::write(&args.ground, &ground, &sets)?,
    }
    Document::new(stamps.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}

/// Stamps all of them in memory.
fn apply(
    args: &Args,
    stamps: &[(usize, Stamp)],
    ground: &mut Patches,
) -> Result<Vec<ChangeSet>, Failure> {
    let mut sets = Vec::new();
    for (line, stamp) in stamps {
        let made = stamp
            .cubes(ground.frame())
            .and_then(|cubes| ground.stamp(&cubes, stamp.effect));
        let changes = made.map_err(|error| {
            let place = format!("{}: line {line}", args.stamps.display());
            super::failure(Path::new(&place), error)
        })?;
        sets.extend(changes);
    }
    Ok(sets)
}

/// The bytes of a file of change sets.
fn encoded(sets: &[ChangeSet]) -> Vec<u8> {
    sets.iter().flat_map(ChangeSet::encode).collect()
}

/// The ground before it last grew, if a file of change sets that is already there says how it became the
/// ground of today: an interrupted run may have written both.
fn before_changes<'a>(path: &Path, ground: &GroundFile<'a>) -> Option<GroundFile<'a>> {
    let sets = ChangeSet::decode_all(&std::fs::read(path).ok()?).ok()?;
    let previous = ground.previous().ok()??;
    let fits = sets.last()?.to == ground.version() && sets.first()?.from == previous.version();
    fits.then_some(previous)
}

/// Writes the change sets and the ground, in an order in which neither is lost whenever the process is
/// killed: the ground is appended to, the change sets are written, synced and renamed, and then the ground
/// is committed. Where there is no room for both, neither is there.
fn write_both(
    args: &Args,
    ground: &Patches,
    sets: &[ChangeSet],
    path: &Path,
) -> Result<(), Failure> {
    let mut appended = Ok(None);
    let saved = bundle::save_with(path, args.force, |file| {
        file.write_all(&encoded(sets))?;
        file.flush()?;
        appended = super::append(&args.ground, ground, sets);
        match &appended {
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::other("the ground could not be written")),
        }
    });
    let appended = appended?;
    saved?;
    let Some(appended) = appended else {
        return Ok(());
    };
    appended.commit().map_err(|error| {
        let what = format!(
            "{}: cannot be written, though its change sets are whole in {}; run it again with --force, \
             which stamps nothing twice",
            args.ground.display(),
            path.display()
        );
        Failure::io(what, error)
    })
}
