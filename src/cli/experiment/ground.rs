//! `viewcell experiment ground`: Pennings' experiments on layered ground.

mod charts;
mod document;
mod text;

use std::path::PathBuf;

use viewcell::internals::experiment::ground::{
    ReserveOptions, Scenario, Structure, grow_ground, paper_terrain, reserve, turns,
};
use viewcell::internals::ground::Patches;

use charts::{attempts_curve, curve, draw, draw_growth};
pub use document::Document;
use document::{CheckpointRow, GroundRow, GrowthRow, ProlongedRow, ReservationRow};
use text::text;

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{Json, say};

/// Layered ground that clients dig in: how it grows, how often they are in each other's way (Pennings)
///
/// The ground is made up after the thesis's description: 1024 x 1024 x 100 cubes, five soils. Half of
/// the clients dig balls with a radius of 25 cubes at the surface, half fill them. Experiment I counts
/// nodes and change sets (tables 1 to 4), experiment II attempts to reserve nodes (tables 5 and 6);
/// the thesis's figures stand beside. Times are of the processor, for what a server does with one
/// interaction.
#[derive(clap::Args)]
pub struct Args {
    /// Of all points
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Numbers of clients, with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [2, 4, 6, 8, 10], value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: Vec<u32>,
    /// Also go on to so many interactions of 10 clients, in both scenarios and structures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    prolonged: Option<u32>,
    /// Only go on, without the tables
    #[arg(long, requires = "prolonged")]
    only_prolonged: bool,
    /// What a client of experiment II takes to look for nodes and to ask, in ms
    #[arg(long, value_name = "MS", default_value_t = 20)]
    asking: u64,
    /// Write charts into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

const SCENARIOS: [Scenario; 2] = [Scenario::Random, Scenario::Coherent];
const STRUCTURES: [(Structure, &str); 2] = [
    (Structure::Quadtrees, "quadtrees"),
    (Structure::Columns, "columns"),
];

pub fn run(args: &Args) -> Outcome {
    if let Some(folder) = &args.figures
        && !folder.is_dir()
    {
        let message = format!("{}: expected a folder that is there", folder.display());
        return Err(Failure::usage(message));
    }
    let failed = |error| Failure::new(Exit::Resource, anyhow::Error::new(error));
    let ground = paper_terrain().map_err(failed)?;
    let mut document = Document {
        seed: args.seed,
        ground: GroundRow::of(&ground),
        growth: Vec::new(),
        reservations: Vec::new(),
        prolonged: Vec::new(),
    };
    for scenario in SCENARIOS.into_iter().filter(|_| !args.only_prolonged) {
        for &clients in &args.clients {
            let turns = turns(scenario, clients as usize, None, args.seed);
            say(format_args!("{}, {clients} clients", scenario.name()));
            for (structure, name) in STRUCTURES {
                let grown = grow_ground(&ground, structure, &turns, true).map_err(failed)?;
                if let Some(folder) = &args.figures {
                    draw_growth(folder, scenario, clients, name, &grown)?;
                }
                document
                    .growth
                    .push(GrowthRow::of(scenario, name, clients, &turns, &grown));
            }
            let mut curves = Vec::new();
            for own in [false, true] {
                let options = ReserveOptions {
                    own,
                    asking: args.asking,
                    ..ReserveOptions::default()
                };
                let conflicts = reserve(&ground, &turns, &options).map_err(failed)?;
                curves.push(attempts_curve(own, &conflicts));
                document
                    .reservations
                    .push(ReservationRow::of(scenario, clients, own, &conflicts));
            }
            if let Some(folder) = &args.figures {
                let title = format!("Experiment II: {}, {clients} clients", scenario.name());
                let file = format!("attempts-{}-{clients}.svg", scenario.name());
                draw(
                    &folder.join(file),
                    &title,
                    "attempts of an interaction",
                    &curves,
                )?;
            }
        }
    }
    prolong(args, &ground, &mut document)?;
    args.json.tell(|| &document, text(&document).trim_end())
}

fn prolong(args: &Args, ground: &Patches, document: &mut Document) -> Result<(), Failure> {
    let Some(total) = args.prolonged else {
        return Ok(());
    };
    for scenario in SCENARIOS {
        let turns = turns(scenario, 10, Some(total as usize), args.seed);
        for (structure, name) in STRUCTURES {
            say(format_args!(
                "{}, {total} interactions, {name}",
                scenario.name()
            ));
            let grown = grow_ground(ground, structure, &turns, false)
                .map_err(|error| Failure::new(Exit::Resource, anyhow::Error::new(error)))?;
            if let Some(folder) = &args.figures {
                let file = format!("prolonged-{}-{name}.svg", scenario.name());
                let title = format!("{}, {total} interactions", scenario.name());
                draw(
                    &folder.join(file),
                    &title,
                    "nodes",
                    &[curve(name, &grown.nodes)],
                )?;
            }
            document.prolonged.push(ProlongedRow {
                scenario: scenario.name(),
                structure: name,
                checkpoints: grown
                    .checkpoints
                    .iter()
                    .map(|point| CheckpointRow {
                        interactions: point.interactions,
                        nodes: point.nodes,
                        memory: point.memory,
                        milliseconds: point.milliseconds,
                    })
                    .collect(),
            });
        }
    }
    Ok(())
}
