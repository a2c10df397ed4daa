//! `viewcell experiment layered`: layered ground that changes. Here its files grow by stamps and by change sets that were made
//! elsewhere, and are written anew without what is superseded. `file` opens them.

pub(super) mod build;
mod file;
pub(super) mod show;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle;
use viewcell_layered::{ChangeSet, GroundFile, Layered, Patches, Stamp, encode, hold, read_stamps};

use file::{append, failure, load, map, open, write};
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::output::{self, Json, say};

/// Build layered ground, dig in it, and export its surface for a bake
///
/// A ground file (.vcg) holds cubes of materials in patches, slices and quadtrees; src/papers/layered/FORMAT.md specifies its
/// bytes. Stamps append to the file, and compact makes it small again.
///
/// Example: viewcell experiment layered info level.vcg
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Which {
    Build(Box<build::Args>),
    Info(show::InfoArgs),
    Stamp(StampArgs),
    Apply(ApplyArgs),
    Export(show::ExportArgs),
    Render(show::RenderArgs),
    Compact(CompactArgs),
}

pub(super) fn run(args: &Args) -> Outcome {
    match &args.which {
        Which::Build(args) => build::run(args),
        Which::Info(args) => show::info(args),
        Which::Stamp(args) => stamp(args),
        Which::Apply(args) => apply(args),
        Which::Export(args) => show::export(args),
        Which::Render(args) => show::render(args),
        Which::Compact(args) => compact(args),
    }
}

/// Change ground by stamps, in place: all of them, or none if one is wrong
///
/// Stamps are JSON, one per line, as src/papers/schemas/layered-stamp-line.json describes:
///
///   {"shape":"sphere","at":[120,80,35],"radius":5,"do":"dig"}
///   {"shape":"box","at":[9,9,2],"size":[4,4,1],"do":"fill","material":"clay"}
///
/// Lengths are metres: east and south from the first sample, and up from height 0. Shapes are sphere,
/// box, cylinder and mesh (a closed one, in an OBJ or glTF file). A stamp that changes nothing makes no
/// version.
///
/// Example: viewcell experiment layered stamp level.vcg --stamps stamps.jsonl
#[derive(clap::Args)]
pub(super) struct StampArgs {
    /// The ground file, which is changed
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Stamps in JSON, one per line
    #[arg(long, value_name = "FILE")]
    stamps: PathBuf,
    /// Also write the change sets, for viewcell experiment layered apply
    #[arg(long, value_name = "OUT.vch")]
    changes: Option<PathBuf>,
    /// Overwrite the change sets if they exist
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment layered stamp --json` and `viewcell experiment layered apply --json` print.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered stamp")]
pub(super) struct StampDocument {
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

impl StampDocument {
    pub(super) fn new(read: usize, before: u64, ground: &impl Layered, sets: &[ChangeSet]) -> Self {
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
    pub(super) fn tell(&self, quiet: bool, json: &Json) -> Outcome {
        if !quiet {
            say(format_args!(
                "{} of {} changed something; {} nodes became {}; version {}",
                self.changed, self.read, self.nodes_before, self.nodes, self.version
            ));
        }
        json.document(|| self)
    }
}

pub(super) fn stamp(args: &StampArgs) -> Outcome {
    let inputs = [args.ground.as_path(), args.stamps.as_path()];
    output::check_outputs(&inputs, &args.changes, args.force)?;
    let map = map(&args.ground)?;
    let file = open(&args.ground, &map)?;
    let load = |file: &GroundFile<'_>| file.load().map_err(|error| failure(&args.ground, error));
    let mut ground = load(&file)?;
    let stamps = read_stamps(&args.stamps, ground.frame())?;
    if let Some(path) = &args.changes
        && let Some(previous) = before_changes(path, &file)
    {
        let mut ground = load(&previous)?;
        let before = ground.nodes();
        let sets = stamped(args, &stamps, &mut ground)?;
        if std::fs::read(path).is_ok_and(|bytes| bytes == encoded(&sets)) {
            if !args.quiet {
                say(format_args!(
                    "{}: holds these changes already, and {} has their change sets: an interrupted \
                     run was complete, so no stamp is applied again",
                    args.ground.display(),
                    path.display()
                ));
            }
            return StampDocument::new(stamps.len(), before, &ground, &sets)
                .tell(args.quiet, &args.json);
        }
    }
    let before = ground.nodes();
    let sets = stamped(args, &stamps, &mut ground)?;
    match &args.changes {
        Some(path) => write_both(args, &ground, &sets, path)?,
        None => write(&args.ground, &ground, &sets)?,
    }
    StampDocument::new(stamps.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}

/// Stamps all of them in memory.
fn stamped(
    args: &StampArgs,
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
            failure(Path::new(&place), error)
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
    args: &StampArgs,
    ground: &Patches,
    sets: &[ChangeSet],
    path: &Path,
) -> Result<(), Failure> {
    let mut appended = Ok(None);
    let saved = bundle::save_with(path, args.force, |file| {
        file.write_all(&encoded(sets))?;
        file.flush()?;
        appended = append(&args.ground, ground, sets);
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
            "{}: cannot be written, though its change sets are complete in {}; run it again with \
             --force, which applies no stamp twice",
            args.ground.display(),
            path.display()
        );
        Failure::io(what, error)
    })
}

/// Apply change sets that viewcell experiment layered stamp wrote: all of them, or none if one does not fit
///
/// Each is for one version of one ground. Change sets that were applied already, or are out of order, are refused.
///
/// Example: viewcell experiment layered apply level.vcg --changes changes.vch
#[derive(clap::Args)]
pub(super) struct ApplyArgs {
    /// The ground file, which is changed
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Change sets, in order
    #[arg(long, value_name = "FILE.vch")]
    changes: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

pub(super) fn apply(args: &ApplyArgs) -> Outcome {
    let mut ground = load(&args.ground)?;
    let bytes = map(&args.changes)?;
    let before = ground.nodes();
    let told = |error| failure(&args.changes, error);
    let sets = ChangeSet::decode_all(&bytes).map_err(told)?;
    for set in &sets {
        ground.apply(set).map_err(told)?;
    }
    write(&args.ground, &ground, &sets)?;
    StampDocument::new(sets.len(), before, &ground, &sets).tell(args.quiet, &args.json)
}

/// Rewrite a ground file without superseded data: the same ground and version in fewer bytes
///
/// Change sets for this version still apply. The new file replaces the old one when it is complete; a process that
/// has the old one open keeps its content. If nothing is superseded, the file stays unchanged.
///
/// Example: viewcell experiment layered compact level.vcg
#[derive(clap::Args)]
pub(super) struct CompactArgs {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Write another file, and leave this one unchanged
    #[arg(short, long, value_name = "OUT.vcg")]
    output: Option<PathBuf>,
    /// Overwrite the other file if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment layered compact --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered compact")]
pub(super) struct CompactDocument {
    /// The file without superseded data.
    #[serde(serialize_with = "viewcell_program::output::names")]
    output: PathBuf,
    /// Length of the file before, in bytes.
    bytes_before: u64,
    /// Length of the file now, in bytes.
    bytes: u64,
    /// The version of the ground, which does not change.
    version: u64,
}

pub(super) fn compact(args: &CompactArgs) -> Outcome {
    output::check_outputs(&[&args.ground], &args.output, args.force)?;
    let document = match &args.output {
        Some(output) => write_other(&args.ground, output, args.force)?,
        None => write_anew(&args.ground)?,
    };
    if !args.quiet {
        say(format_args!(
            "{}: {} bytes became {}, version {}",
            document.output.display(),
            document.bytes_before,
            document.bytes,
            document.version
        ));
    }
    args.json.document(|| &document)
}

fn write_other(path: &Path, output: &Path, force: bool) -> Result<CompactDocument, Failure> {
    let map = map(path)?;
    let (bytes, version) = compacted(path, &map)?;
    bundle::save(output, &bytes, force)?;
    Ok(CompactDocument {
        output: output.to_owned(),
        bytes_before: map.len() as u64,
        bytes: bytes.len() as u64,
        version,
    })
}

fn write_anew(path: &Path) -> Result<CompactDocument, Failure> {
    let cannot = |error| Failure::io(format!("{}: cannot be rewritten", path.display()), error);
    // Nobody makes it grow from here on, until another is in its place.
    let mut held = hold(path).map_err(cannot)?;
    let mut before = Vec::new();
    held.read_to_end(&mut before).map_err(cannot)?;
    let (bytes, version) = compacted(path, &before)?;
    if bytes.len() < before.len() {
        bundle::replace(path, &bytes, held)?;
    }
    Ok(CompactDocument {
        output: path.to_owned(),
        bytes_before: before.len() as u64,
        bytes: bytes.len().min(before.len()) as u64,
        version,
    })
}

/// The bytes of a new file with the ground of a file, and its version.
fn compacted(path: &Path, bytes: &[u8]) -> Result<(Vec<u8>, u64), Failure> {
    let file = GroundFile::open(bytes).map_err(|error| failure(path, error))?;
    let ground = file.load().map_err(|error| failure(path, error))?;
    Ok((encode(&ground), ground.version().number))
}
