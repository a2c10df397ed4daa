//! `viewcell ground stamp`: dig and fill.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bundle;
use viewcell::ground::{ChangeSet, Layered, Patches};
use viewcell::ingest::ground::read_stamps;

use super::open;
use crate::cli::exit::{Exit, Failure, Outcome};
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
        if json.json {
            output::print_json(self)?;
        }
        Ok(Exit::Done)
    }
}

pub fn run(args: &Args) -> Outcome {
    let inputs = [args.ground.as_path(), args.stamps.as_path()];
    output::check_outputs(&inputs, &args.changes, args.force)?;
    let mut ground = open::load(&args.ground)?;
    let stamps = read_stamps(&args.stamps, ground.frame())?;
    let before = ground.nodes();
    let mut sets = Vec::new();
    for (line, stamp) in &stamps {
        let made = stamp
            .cubes(ground.frame())
            .and_then(|cubes| ground.stamp(&cubes, stamp.effect));
        let changes = made.map_err(|error| {
            let place = format!("{}: line {line}", args.stamps.display());
            open::failure(Path::new(&place), error)
        })?;
        sets.extend(changes);
    }
    match &args.changes {
        Some(path) => write_both(args, &ground, &sets, path)?,
        None => open::write(&args.ground, &ground, &sets)?,
    }
    Document::new(stamps.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}

/// Writes the change sets and the ground. The ground grows when the change sets are written, but not named:
/// where there is no room for both, neither is there.
fn write_both(
    args: &Args,
    ground: &Patches,
    sets: &[ChangeSet],
    path: &Path,
) -> Result<(), Failure> {
    let mut failure = None;
    let saved = bundle::save_with(path, args.force, |file| {
        for set in sets {
            file.write_all(&set.encode())?;
        }
        file.flush()?;
        open::write(&args.ground, ground, sets).map_err(|error| {
            failure = Some(error);
            io::Error::other("the ground could not be written")
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(saved?),
    }
}
