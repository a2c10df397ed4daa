//! `viewcell experiment epvs`: table 1 of Steed & Angus, of a level of one's own.

use std::path::PathBuf;

use viewcell::internals::experiment::measure_level;

use crate::cli::compression::ByteSize;
use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json};
use crate::cli::query;

/// Widths of a level, and density and size of its frontiers (Steed & Angus, table 1)
///
/// The widths are over ordered pairs of different cells that some chain of visible steps joins.
/// The density is the share of pairs of different cells, drawn at random, that have a frontier,
/// that is, that do not see each other. The size of a frontier is the number of cells in either
/// region, as a share of those that could be; its mean is over the pairs drawn that have one.
///
/// Once over all pairs, with all cells of the level counted as the paper does; and once over pairs
/// of one component, with its cells alone counted, lest parts of a level that never see each other
/// flatter the numbers.
///
/// At last, what it takes to make the frontiers of all pairs beforehand (the method of 2004, section 2),
/// and to make them when they are asked for.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Pairs to draw; if there are fewer, each is taken once
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pairs: u64,
    /// Memory for the frontiers that are made beforehand for all pairs; with less than all take, so
    /// many are made, and the rest is counted
    #[arg(long, value_name = "SIZE", default_value = "1GB")]
    memory: ByteSize,
    #[command(flatten)]
    json: Json,
}

pub fn run(args: &Args) -> Outcome {
    let map = query::open(&args.bundle)?;
    let level = query::cells(&args.bundle, &map)?;
    let document = measure_level(&level, args.pairs, args.memory.0)
        .map_err(|error| Failure::new(Exit::Resource, error))?;
    if args.json.json {
        output::print_json(&document)?;
        return Ok(Exit::Done);
    }
    let mut text = format!(
        "cells          {}\ncomponents     {}, the largest of {}\nmax width      {}\n\
         average width  {:.2}\nunreachable    {:.1} % of pairs\n\n\
         construction  among            pairs  density %   size %  smaller %\n",
        document.cells,
        document.components,
        document.largest_component,
        document.max_width,
        document.average_width,
        document.unreachable
    );
    for row in &document.frontiers {
        text.push_str(&format!(
            "{:<12}  {:<13} {:>8} {:>10.1} {:>8.1} {:>10.1}\n",
            row.construction, row.among, row.pairs, row.density, row.size, row.smaller
        ));
    }
    let ahead = &document.ahead;
    text.push_str(&format!(
        "\nbeforehand     {} sets, {} bytes, {} bytes where equal regions are kept once, {:.2} s, {:.0} ns to \
         look one up\nwhen asked     {} bytes and {:.1} us a set\n",
        ahead.sets,
        ahead.bytes,
        ahead.shared_bytes,
        ahead.seconds,
        ahead.lookup_ns,
        ahead.asked_bytes,
        ahead.asked_us
    ));
    output::print(text.trim_end())?;
    Ok(Exit::Done)
}
