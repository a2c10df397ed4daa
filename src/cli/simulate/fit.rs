//! `viewcell simulate fit`: how players of a trace move, to be made up in other numbers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::simulate::fit::{self, Fit};

use super::ways;
use crate::cli::exit::{Exit, Outcome};
use crate::cli::output::{self, Json};

/// How players of a trace move, as options of made-up motion
///
/// Speed, stops, deaths and how long these last, in the mean. `viewcell simulate BUNDLE --like TRACE
/// --players 256` takes them over.
#[derive(clap::Args)]
pub struct Args {
    /// Who was where: a trace of CSV, or a demo of a QuakeWorld server (.mvd)
    trace: PathBuf,
    /// Who is faster has not walked: died, or came through a teleporter
    #[arg(long, value_name = "V", default_value_t = 2000.0)]
    jump: f64,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell simulate fit --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell simulate fit")]
pub struct Document {
    /// Players of the trace.
    players: usize,
    /// How long it is, in seconds.
    seconds: f64,
    /// How fast players are who move, in metres or units a second: --walk.
    walk: f64,
    /// For how many seconds they stop: --pause.
    pause: f64,
    /// How often a minute of life each dies: --deaths.
    deaths: f64,
    /// For how many seconds they stay dead: --respawn.
    respawn: f64,
    /// The share of their life in which they move.
    moving: f64,
}

impl Document {
    pub fn new(fit: &Fit) -> Self {
        Self {
            players: fit.players,
            seconds: fit.seconds,
            walk: fit.speed,
            pause: fit.pause,
            deaths: fit.deaths,
            respawn: fit.respawn,
            moving: fit.moving,
        }
    }
}

pub fn run(args: &Args) -> Outcome {
    let trace = ways::recorded(&args.trace)?;
    let fit = fit::fit(&trace, args.jump);
    if args.json.json {
        output::print_json(&Document::new(&fit))?;
        return Ok(Exit::Done);
    }
    output::print(format!(
        "{} players, {:.0} s, who move {:.0} % of their life\n\
         --walk {:.1} --pause {:.2} --deaths {:.2} --respawn {:.2}",
        fit.players,
        fit.seconds,
        100.0 * fit.moving,
        fit.speed,
        fit.pause,
        fit.deaths,
        fit.respawn
    ))?;
    Ok(Exit::Done)
}
