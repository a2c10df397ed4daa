//! Frontier sets of a terrain bundle.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::bundle;
use viewcell::picture::{self, Ground, Part, Viewpoint};
use viewcell::runtime::frontier::{
    Frontier, FrontierBuilder, FrontierError, FrontierOptions, Side,
};
use viewcell::runtime::{MappedBundle, Sample, TerrainBundle};

use super::args::{Args, NO_SET, print_sizes};
use super::options::OptionsDocument;
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Stdout, say};
use crate::cli::query::pairs;
use crate::cli::render::terrain::check_drawable;

/// What `viewcell frontier --json` prints, and `--pairs` a line each.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell frontier")]
pub struct Document {
    /// One player: column and row.
    a: [u32; 2],
    /// The other player: column and row.
    b: [u32; 2],
    /// Whether one can see the other, so that both regions are empty.
    visible: bool,
    /// Number of samples in the region of a.
    size_a: u64,
    /// Number of samples in the region of b.
    size_b: u64,
    /// How long the computation took, in microseconds, without opening the bundle.
    micros: f64,
    /// Number of quads tried.
    tried: u64,
    /// Number of PVSs merged.
    merged: u64,
    /// How the regions were grown.
    options: OptionsDocument,
    /// The drawing, if one was asked for.
    output: Option<PathBuf>,
    /// The file of members, if one was asked for.
    members: Option<PathBuf>,
}

/// Both regions.
struct Set {
    halves: [Frontier; 2],
    micros: f64,
    work: (u64, u64),
}

pub fn run(args: &Args, map: &MappedBundle, terrain: TerrainBundle<'_>) -> Outcome {
    let options = args.options.resolve();
    let mut builder = FrontierBuilder::new(&terrain);
    let sample = |place| args.by.sample(&args.bundle, map, &terrain, place);
    let (a, b) = match (&args.pairs, args.a, args.b) {
        (Some(file), _, _) => return answer_all(args, &options, &mut builder, file),
        (None, Some(a), Some(b)) => (sample(a)?, sample(b)?),
        _ => {
            return Err(Failure::usage(
                "expected two places A and B, or --pairs FILE".into(),
            ));
        }
    };
    if let Some(path) = &args.output {
        let is_png = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("png"));
        if !is_png {
            return Err(Failure::usage(format!(
                "{}: expected a name that ends in .png",
                path.display()
            )));
        }
        check_drawable(&args.bundle, &terrain)?;
    }
    let set = build(args, &options, &mut builder, a, b)
        .map_err(|error| Failure::usage(format!("{}: {error}", args.bundle.display())))?;
    if let Some(path) = &args.members {
        bundle::save_with(path, args.force, |file| write_members(file, &set))?;
    }
    if let Some(path) = &args.output {
        let png = draw(&options, &mut builder, &set, [a, b])?;
        bundle::save(path, &png, args.force)?;
    }
    let document = document(args, &options, &terrain, &set, [a, b]);
    if document.visible {
        say(NO_SET);
    }
    if args.json.json {
        output::print_json(&document)?;
    } else {
        let samples = terrain.valid().count(terrain.grid().root());
        print_sizes([document.size_a, document.size_b], samples)?;
    }
    Ok(Exit::Done)
}

fn build(
    args: &Args,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    a: Sample,
    b: Sample,
) -> Result<Set, FrontierError> {
    let start = Instant::now();
    builder.build(a, b, options)?;
    let mut micros = start.elapsed().as_secs_f64() * 1e6;
    let work = builder.work();
    let start = Instant::now();
    let halves = Side::BOTH.map(|side| builder.core(side, args.options.margin));
    if args.options.margin > 0 {
        micros += start.elapsed().as_secs_f64() * 1e6;
    }
    Ok(Set {
        halves,
        micros,
        work,
    })
}

fn document(
    args: &Args,
    options: &FrontierOptions,
    terrain: &TerrainBundle<'_>,
    set: &Set,
    [a, b]: [Sample; 2],
) -> Document {
    let [size_a, size_b] = [&set.halves[0], &set.halves[1]].map(Frontier::area);
    Document {
        a: [a.column, a.row],
        b: [b.column, b.row],
        visible: terrain.visible(a, b) || terrain.visible(b, a),
        size_a,
        size_b,
        micros: (set.micros * 10.0).round() / 10.0,
        tried: set.work.0,
        merged: set.work.1,
        options: OptionsDocument::new(options, args.options.margin),
        output: args.output.clone(),
        members: args.members.clone(),
    }
}

fn write_members(file: &mut dyn Write, set: &Set) -> io::Result<()> {
    let mut out = io::BufWriter::new(file);
    for (name, half) in ["a", "b"].into_iter().zip(&set.halves) {
        for sample in half.region().samples() {
            writeln!(out, "{name} {} {}", sample.column, sample.row)?;
        }
    }
    out.flush()
}

/// Grows the set once more, to see when each sample joined.
fn draw(
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    set: &Set,
    players: [Sample; 2],
) -> Result<Vec<u8>, Failure> {
    let parts = picture::growth(builder, players, options);
    let mut parts = parts.map_err(|error| Failure::usage(error.to_string()))?;
    let terrain = builder.terrain();
    for (part, sample) in parts.iter_mut().zip(terrain.grid().row_by_row()) {
        // A margin leaves out some of what was grown.
        if !set.halves.iter().any(|half| half.contains(sample)) {
            *part = Part::Neither;
        }
    }
    let drawn = picture::frontier_image(&Ground::new(terrain), &parts);
    picture::marked_png(&drawn, &players.map(Viewpoint::at))
        .map_err(|error| Failure::new(Exit::Resource, error))
}

fn answer_all(
    args: &Args,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    file: &Path,
) -> Outcome {
    let cannot_read = |error| Failure::io(format!("{}: cannot be read", file.display()), error);
    let stdin = file == Path::new("-");
    let input: Box<dyn Read> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(cannot_read)?)
    };
    let mut input = BufReader::new(input);
    let mut stdout = Stdout::lock();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        // One who sends a line and waits for its answer gets it.
        if input.buffer().is_empty() {
            stdout.flush()?;
        }
        if input.read_until(b'\n', &mut line).map_err(cannot_read)? == 0 {
            break;
        }
        let terrain = *builder.terrain();
        let answer = pairs::parse(&line, terrain.parameters()).and_then(|[a, b]| {
            let set = build(args, options, builder, a, b).map_err(|error| error.to_string())?;
            Ok(document(args, options, &terrain, &set, [a, b]))
        });
        match answer {
            Ok(document) => {
                stdout.write(&serde_json::to_vec(&document).map_err(output::not_json)?)?;
                stdout.write(b"\n")?;
            }
            Err(fault) => {
                // The lines before this one keep their answers.
                stdout.finish()?;
                let name = match stdin {
                    true => "stdin".into(),
                    false => file.display().to_string(),
                };
                return Err(Failure::bad_input(format!(
                    "{name}: line {number}: {fault}"
                )));
            }
        }
    }
    stdout.finish()?;
    Ok(Exit::Done)
}
