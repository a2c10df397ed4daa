//! `viewcell experiment sent`: what a server really sent, beside what the level says.

use std::io::BufReader;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::simulate::field::Field;
use viewcell::internals::simulate::sent::{Body, Sent};

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::input;
use crate::cli::numbers;
use crate::cli::output::{self, Json};
use crate::cli::query;
use crate::cli::simulate::csv;

/// What a server really sent to whom, beside who sees whom in the level
///
/// By the eye of the other and by their box, of the same frame and of one or two before, and whether
/// those who were sent and are not visible, or the other way round, are dead, nowhere, or at the edge
/// of sight.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle of the level; with `bake cells --symmetry none` as the engine has it
    bundle: PathBuf,
    /// Who was where: CSV of the columns t_ms,player,x,y,z,pitch_deg,yaw_deg,dead
    #[arg(long, value_name = "CSV")]
    traces: PathBuf,
    /// Who was sent: CSV of the columns t_ms,player,sent, the players with blanks between them
    #[arg(long, value_name = "CSV")]
    sent: PathBuf,
    /// How far the eye is above a player's origin
    #[arg(long, value_name = "H", default_value_t = 26.0, value_parser = numbers::finite)]
    eye: f64,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment sent --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment sent")]
pub struct Document {
    /// Each way to tell who sees whom.
    rows: Vec<Row>,
}

/// A way to tell who sees whom. All numbers are of pairs and frames.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// What is looked at of the other: `eye` or `box`.
    body: &'static str,
    /// How many spots earlier players were where they are looked for.
    lag: usize,
    /// All that there are.
    all: u64,
    /// The share in which what was sent is what is visible.
    agree: f64,
    /// Sent and visible.
    both: u64,
    /// Neither.
    neither: u64,
    /// Sent, but not visible.
    sent_alone: u64,
    /// Of these, with one of the two dead.
    sent_dead: u64,
    /// Of these, with one of the two in no cell.
    sent_nowhere: u64,
    /// Of these, visible in the frame before or in the next.
    sent_near: u64,
    /// Visible, but not sent.
    visible_alone: u64,
    /// Of these, with one of the two dead.
    visible_dead: u64,
    /// Of these, not visible in the frame before or in the next.
    visible_near: u64,
}

pub fn run(args: &Args) -> Outcome {
    let map = query::open(&args.bundle)?;
    let level = query::cells(&args.bundle, &map)?;
    let trace = csv(&args.traces)?;
    let path = args.sent.display();
    let file = input::open(&args.sent, input::LARGE)?;
    let sent = Sent::read(BufReader::new(file))
        .map_err(|error| Failure::bad_input(format!("{path}: {error}")))?;
    let Field::Level(level) = Field::level(level) else {
        return Err(Failure::usage("expected a level".into()));
    };
    let mut rows = Vec::new();
    for (body, name) in [(Body::Eye, "eye"), (Body::Box, "box")] {
        for lag in 0..3 {
            let found = sent.compare(&level, &trace, args.eye, body, lag);
            if found.all() == 0 {
                return Err(Failure::bad_input(format!(
                    "{path}: expected times and players of {}, found none of them",
                    args.traces.display()
                )));
            }
            rows.push(Row {
                body: name,
                lag,
                all: found.all(),
                agree: (found.both + found.neither) as f64 / found.all() as f64,
                both: found.both,
                neither: found.neither,
                sent_alone: found.sent_alone,
                sent_dead: found.sent_dead,
                sent_nowhere: found.sent_nowhere,
                sent_near: found.sent_near,
                visible_alone: found.visible_alone,
                visible_dead: found.visible_dead,
                visible_near: found.visible_near,
            });
        }
    }
    if args.json.json {
        output::print_json(&Document { rows })?;
        return Ok(Exit::Done);
    }
    let mut text = String::from(
        "looked at  lag  agree %  sent, not visible: all  dead  nowhere   near  visible, not sent: all  \
         dead   near\n",
    );
    for row in &rows {
        text.push_str(&format!(
            "{:<9} {:>4} {:>8.2} {:>23} {:>5} {:>8} {:>6} {:>23} {:>5} {:>6}\n",
            row.body,
            row.lag,
            100.0 * row.agree,
            row.sent_alone,
            row.sent_dead,
            row.sent_nowhere,
            row.sent_near,
            row.visible_alone,
            row.visible_dead,
            row.visible_near
        ));
    }
    output::print(text.trim_end())?;
    Ok(Exit::Done)
}
