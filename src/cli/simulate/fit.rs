//! `viewcell simulate fit`: how players of a trace move, to be made up in other numbers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::runtime::MotionLimits;
use viewcell::internals::simulate::fit::{self, Fit};

use super::ways;
use crate::cli::exit::{Exit, Outcome};
use crate::cli::numbers;
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
    #[arg(long, value_name = "V", default_value_t = 2000.0, value_parser = numbers::positive)]
    jump: f64,
    /// For --speed and --impulse of the look-ahead: frames a second
    #[arg(long, default_value = "20", value_parser = numbers::positive)]
    hz: f64,
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
    /// How fast players are at most, along the ground and up or down, in metres or units a second: the greater
    /// is --speed of the look-ahead.
    speed: [f64; 2],
    /// How much their velocity changed at most at once: the greater is --impulse.
    impulse: [f64; 2],
    /// How far positions are off at most, in metres or units.
    error: [f64; 2],
}

impl Document {
    pub fn new(fit: &Fit, limits: &MotionLimits) -> Self {
        Self {
            players: fit.players,
            seconds: fit.seconds,
            walk: fit.speed,
            pause: fit.pause,
            deaths: fit.deaths,
            respawn: fit.respawn,
            moving: fit.moving,
            speed: limits.speed,
            impulse: limits.impulse,
            error: limits.error,
        }
    }
}

pub fn run(args: &Args) -> Outcome {
    let trace = ways::recorded(&args.trace)?;
    let fit = fit::fit(&trace, args.jump);
    let limits = fit::limits_of_trace(&trace, args.jump, args.hz);
    if args.json.json {
        output::print_json(&Document::new(&fit, &limits))?;
        return Ok(Exit::Done);
    }
    output::print(format!(
        "{} players, {:.0} s, who move {:.0} % of their life\n\
         --walk {:.1} --pause {:.2} --deaths {:.2} --respawn {:.2}\n\
         look-ahead: --speed {:.1} --impulse {:.1}",
        fit.players,
        fit.seconds,
        100.0 * fit.moving,
        fit.speed,
        fit.pause,
        fit.deaths,
        fit.respawn,
        limits.speed[0].max(limits.speed[1]),
        limits.impulse[0].max(limits.impulse[1])
    ))?;
    Ok(Exit::Done)
}
