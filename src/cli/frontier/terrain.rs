//! Frontier sets of a terrain bundle.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::format::TerrainParameters;
use viewcell::internals::picture::{self, Ground, Part, Viewpoint};
use viewcell::internals::runtime::frontier::{
    Frontier, FrontierBuilder, FrontierError, FrontierOptions, Side,
};
use viewcell::internals::runtime::{MappedBundle, Sample, TerrainBundle};

use super::options::OptionsDocument;
use super::{Args, NO_SET, sizes};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{Stdout, say};
use crate::cli::query::{Position, count_samples, pairs, samples_of};
use crate::cli::render::check_png;
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
    if let Some(file) = &args.pair.pairs {
        return answer_all(args, &options, &mut builder, file);
    }
    let pair = args.pair.positions(map, &terrain)?;
    if let Some(path) = &args.output {
        check_png(path)?;
        check_drawable(&args.pair.bundle, &terrain)?;
    }
    let set = build(args, &options, &mut builder, pair)
        .map_err(|error| Failure::usage(format!("{}: {error}", args.pair.bundle.display())))?;
    if let Some(path) = &args.members {
        let parameters = terrain.parameters();
        bundle::save_with(path, args.force, |file| {
            write_members(file, parameters, &set)
        })?;
    }
    if let Some(path) = &args.output {
        let png = draw(&options, &mut builder, &set, pair.map(|place| place.cell))?;
        bundle::save(path, &png, args.force)?;
    }
    let document = document(args, &options, &terrain, &set, pair);
    if document.visible {
        say(NO_SET);
    }
    let grid = terrain.grid();
    let all = match terrain.parameters().finest() {
        0 => terrain.valid().count(grid.root()),
        _ => {
            let valid = |cell: &Sample| terrain.valid().has_sample(*cell);
            count_samples(terrain.parameters(), grid.row_by_row().filter(valid))
        }
    };
    let sizes = sizes([document.size_a, document.size_b], all);
    args.pair.json.tell(|| document, sizes)
}

fn build(
    args: &Args,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    [a, b]: [Position; 2],
) -> Result<Set, FrontierError> {
    let start = Instant::now();
    builder.build(a.cell, b.cell, options)?;
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
    [a, b]: [Position; 2],
) -> Document {
    let parameters = terrain.parameters();
    let [size_a, size_b] = [0, 1].map(|side| match parameters.finest() {
        0 => set.halves[side].area(),
        _ => count_samples(parameters, set.halves[side].region().samples()),
    });
    Document {
        a: a.numbers(),
        b: b.numbers(),
        visible: terrain.visible(a.cell, b.cell) || terrain.visible(b.cell, a.cell),
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

fn write_members(
    file: &mut dyn Write,
    parameters: &TerrainParameters,
    set: &Set,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(file);
    for (name, half) in ["a", "b"].into_iter().zip(&set.halves) {
        let cells = half.region().samples();
        for sample in cells.flat_map(|cell| samples_of(parameters, cell)) {
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
    let terrain = *builder.terrain();
    let mut stdout = Stdout::lock();
    pairs::answer_lines(file, &mut stdout, |line, words| {
        let pair = pairs::parse(line, terrain.parameters())?;
        let set = build(args, options, builder, pair).map_err(|error| error.to_string())?;
        let document = document(args, options, &terrain, &set, pair);
        serde_json::to_writer(&mut *words, &document).map_err(|error| error.to_string())?;
        words.push(b'\n');
        Ok(())
    })?;
    stdout.finish()?;
    Ok(Exit::Done)
}
