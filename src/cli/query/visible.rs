//! `viewcell query visible`: can one place be seen from another?

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::runtime::TerrainBundle;

use super::{Place, check_inside, pairs};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json, Stdout};

/// Can a player at B be seen from A? Prints visible or hidden
///
/// With --pairs, answers a whole file: 1 or 0 for each line, in order.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// From where: COL,ROW
    #[arg(required_unless_present = "pairs", requires = "b")]
    a: Option<Place>,
    /// To where: COL,ROW
    b: Option<Place>,
    /// Answer each line "c0 r0 c1 r1" of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b"])]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query visible --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible")]
pub struct VisibleDocument {
    /// From where: column and row.
    a: [u32; 2],
    /// To where: column and row.
    b: [u32; 2],
    /// Whether a player at b may be seen from a.
    visible: bool,
}

/// What `viewcell query visible --pairs --json` prints.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible --pairs")]
pub struct PairsDocument {
    /// Number of lines answered.
    pairs: u64,
    /// How many of them are visible.
    visible: u64,
    /// 1 for visible, 0 for hidden, a line each.
    answers: Vec<u8>,
}

pub fn run(args: &Args) -> Outcome {
    let map = super::open(&args.bundle)?;
    let terrain = super::terrain(&args.bundle, &map)?;
    match (&args.pairs, args.a, args.b) {
        (Some(file), _, _) => answer_all(args, &terrain, file),
        (None, Some(a), Some(b)) => {
            let a = check_inside(&args.bundle, &terrain, a)?;
            let b = check_inside(&args.bundle, &terrain, b)?;
            let visible = terrain.visible(a, b);
            if args.json.json {
                output::print_json(&VisibleDocument {
                    a: [a.column, a.row],
                    b: [b.column, b.row],
                    visible,
                })?;
            } else {
                output::print(if visible { "visible" } else { "hidden" })?;
            }
            Ok(Exit::Done)
        }
        _ => Err(Failure::usage(
            "expected two places A and B, or --pairs FILE".into(),
        )),
    }
}

fn answer_all(args: &Args, terrain: &TerrainBundle, file: &Path) -> Outcome {
    let cannot_read = |error| Failure::io(format!("{}: cannot be read", file.display()), error);
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(cannot_read)?)
    };
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut stdout = Stdout::lock();
    let mut document = PairsDocument::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        // One who sends a line and waits for its answer gets it.
        if input.buffer().is_empty() && !args.json.json {
            stdout.flush()?;
        }
        if input.read_until(b'\n', &mut line).map_err(cannot_read)? == 0 {
            break;
        }
        let [a, b] = match pairs::parse(&line, terrain.grid()) {
            Ok(pair) => pair,
            Err(fault) => {
                // The lines before this one keep their answers.
                stdout.finish()?;
                return Err(Failure::bad_input(format!(
                    "{}: line {}: {fault}",
                    if file == Path::new("-") {
                        "stdin".into()
                    } else {
                        file.display().to_string()
                    },
                    document.pairs + 1
                )));
            }
        };
        let visible = terrain.visible(a, b);
        document.pairs += 1;
        document.visible += u64::from(visible);
        if args.json.json {
            document.answers.push(u8::from(visible));
        } else {
            stdout.write(if visible { b"1\n" } else { b"0\n" })?;
        }
    }
    if args.json.json {
        // On one line, since a line for each answer would be most of the document.
        stdout.write(&serde_json::to_vec(&document).map_err(output::not_json)?)?;
        stdout.write(b"\n")?;
    }
    stdout.finish()?;
    Ok(Exit::Done)
}
