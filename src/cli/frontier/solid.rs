//! `viewcell frontier`, of a solid level: by quads of the numbers of its cells.

use std::path::Path;

use viewcell::internals::format::SolidParameters;
use viewcell::internals::runtime::SolidBundle;
use viewcell::internals::runtime::frontier::{FrontierBuilder, FrontierOptions, Side};

use super::Args;
use super::cells::{Document, show};
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::Stdout;
use crate::cli::query::pairs;

pub fn run(args: &Args, level: &SolidBundle<'_>) -> Outcome {
    let path = args.pair.bundle.display();
    if args.output.is_some() {
        return Err(Failure::usage(format!(
            "-o: expected a terrain to draw, found the solid level {path}; viewcell render --frontier draws its floors"
        )));
    }
    if args.construction.is_some() || args.options.margin > 0 {
        return Err(Failure::usage(format!(
            "--construction, --margin: expected neither, since {path} is of a solid level, whose sets grow over quads of \
             the numbers of its cells"
        )));
    }
    let options = args.options.resolve();
    let mut builder = FrontierBuilder::new(level.sights());
    match &args.pair.pairs {
        Some(file) => answer_all(level, &options, &mut builder, file),
        None => {
            let pair = args.pair.solid_cells(level)?;
            let document = build(level, &options, &mut builder, pair)
                .map_err(|error| Failure::usage(format!("{path}: {error}")))?;
            show(args, level.cells(), &document)
        }
    }
}

fn build(
    level: &SolidBundle<'_>,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    [a, b]: [u32; 2],
) -> Result<Document, String> {
    let samples = [a, b].map(SolidParameters::sample);
    builder
        .build(samples[0], samples[1], options)
        .map_err(|error| error.to_string())?;
    let regions = Side::BOTH.map(|side| {
        let region = builder.region(side);
        let mut cells: Vec<usize> = region
            .samples()
            .map(|sample| SolidParameters::cell_of(sample) as usize)
            .collect();
        cells.sort_unstable();
        cells
    });
    let visible = level.visible(a, b) || level.visible(b, a);
    Ok(Document::new([a, b], visible, "quads", regions))
}

fn answer_all(
    level: &SolidBundle<'_>,
    options: &FrontierOptions,
    builder: &mut FrontierBuilder<'_>,
    file: &Path,
) -> Outcome {
    let mut stdout = Stdout::lock();
    pairs::answer_lines(file, &mut stdout, |line, words| {
        let pair = pairs::parse_cells(line, level.cells())?;
        let document = build(level, options, builder, pair)?.without_regions();
        serde_json::to_writer(&mut *words, &document).map_err(|error| error.to_string())?;
        words.push(b'\n');
        Ok(())
    })?;
    stdout.finish()?;
    Ok(Exit::Done)
}
