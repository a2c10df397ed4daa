//! `viewcell experiment ground`: Pennings' experiments on layered ground.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::{
    Checkpoint, Conflicts, Grown, PAPER_NODES, PaperAttempts, PaperGrowth, ReserveOptions,
    Scenario, Spread, Structure, Turn, grow_ground, paper_terrain, reserve, turns,
};
use viewcell_bake::bundle;
use viewcell_layered::{Columns, Layered, Patches, encode};
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::output::{Json, say};
use viewcell_view::picture::{Chart, Curve, Series};

/// Layered ground that clients dig in: how it grows, and how often clients conflict (Pennings)
///
/// The ground is generated from the thesis's description: 1024 x 1024 x 100 cubes, five soils. Half of the clients
/// dig balls with a radius of 25 cubes at the surface, half fill them. Experiment I counts nodes and change sets
/// (tables 1 to 4), experiment II attempts to reserve nodes (tables 5 and 6); the thesis's figures are printed
/// beside. Times are processor time of a server for one interaction.
///
/// Example: viewcell experiment ground --clients 2,10 --seed 1
#[derive(clap::Args)]
pub(super) struct Args {
    /// Seed of all random points
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Numbers of clients, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [2, 4, 6, 8, 10], value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: Vec<u32>,
    /// Also run this many interactions of 10 clients, in both scenarios and structures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    prolonged: Option<u32>,
    /// Do only that, without the tables
    #[arg(long, requires = "prolonged")]
    only_prolonged: bool,
    /// Time in ms that a client of experiment II takes to find nodes and request them
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

pub(super) fn run(args: &Args) -> Outcome {
    if let Some(folder) = &args.figures
        && !folder.is_dir()
    {
        let message = format!("{}: expected a folder that is there", folder.display());
        return Err(Failure::usage(message));
    }
    let failed = |error| Failure::resource(anyhow::Error::new(error));
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
                .map_err(|error| Failure::resource(anyhow::Error::new(error)))?;
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
                checkpoints: grown.checkpoints,
            });
        }
    }
    Ok(())
}

/// A curve of at most a thousand points.
pub(super) fn curve(name: &str, values: &[u64]) -> Curve {
    let step = values.len().div_ceil(1000).max(1);
    let points = values.iter().enumerate().step_by(step);
    Curve {
        name: name.into(),
        points: points.map(|(i, &value)| [i as f64, value as f64]).collect(),
    }
}

pub(super) fn attempts_curve(own: bool, conflicts: &Conflicts) -> Curve {
    let attempts: Vec<u64> = conflicts
        .attempts
        .iter()
        .map(|&tries| tries.into())
        .collect();
    curve(
        if own {
            "own locks honoured"
        } else {
            "as the thesis"
        },
        &attempts,
    )
}

pub(super) fn draw_growth(
    folder: &Path,
    scenario: Scenario,
    clients: u32,
    structure: &str,
    grown: &Grown,
) -> Result<(), Failure> {
    let title = |what: &str| {
        format!(
            "Experiment I: {}, {clients} clients, {what}",
            scenario.name()
        )
    };
    let file = |what: &str| {
        folder.join(format!(
            "{what}-{}-{clients}-{structure}.svg",
            scenario.name()
        ))
    };
    let nodes = [curve(structure, &grown.nodes)];
    draw(&file("terrain"), &title("terrain"), "nodes", &nodes)?;
    let changes = [curve(structure, &grown.changes)];
    draw(&file("changes"), &title("change sets"), "nodes", &changes)
}

pub(super) fn draw(path: &Path, title: &str, y: &str, curves: &[Curve]) -> Result<(), Failure> {
    let chart = Chart::new(title, ["interactions", y], Series::Curves(curves));
    Ok(bundle::save(path, chart.svg().as_bytes(), true)?)
}

/// What `viewcell experiment ground --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment ground")]
pub(super) struct Document {
    /// Seed of all random points.
    pub seed: u64,
    /// The ground before anything happened.
    pub ground: GroundRow,
    /// Experiment I: tables 1 to 4.
    pub growth: Vec<GrowthRow>,
    /// Experiment II: tables 5 and 6.
    pub reservations: Vec<ReservationRow>,
    /// The continued run.
    pub prolonged: Vec<ProlongedRow>,
}

/// The ground before anything happened.
#[derive(Serialize, JsonSchema)]
pub(super) struct GroundRow {
    /// Nodes of quadtrees.
    pub nodes: u64,
    /// The same in the thesis.
    pub paper_nodes: u64,
    /// Runs of columns.
    pub runs: u64,
    /// Memory of quadtrees.
    pub quadtree_bytes: u64,
    /// Memory of columns.
    pub column_bytes: u64,
    /// Length of a ground file.
    pub file_bytes: u64,
}

/// A row of tables 1 and 2, or 3 and 4.
#[derive(Serialize, JsonSchema)]
pub(super) struct GrowthRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// `quadtrees` or `columns`.
    pub structure: &'static str,
    /// Clients.
    pub clients: u32,
    /// Interactions of all.
    pub interactions: u64,
    /// Nodes, or runs, that were added.
    pub nodes: i64,
    /// The same as a percentage of those before.
    pub percent: f64,
    /// Nodes that one interaction added.
    pub growth: Spread,
    /// Nodes of a change set.
    pub changes: Spread,
    /// Mean bytes of a change set.
    pub change_bytes: f64,
    /// Time of an interaction.
    pub milliseconds: Spread,
    /// Memory at the end.
    pub memory: u64,
    /// The thesis's nodes, if it has this row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperGrowth>,
}

/// A row of tables 5 and 6.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReservationRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// Clients.
    pub clients: u32,
    /// Whether a client's own locks are no hindrance to it.
    pub own_locks_honoured: bool,
    /// Interactions of all.
    pub interactions: u64,
    /// Attempts of all.
    pub attempts: u64,
    /// Interactions that needed more than one.
    pub several: u64,
    /// Attempts of an interaction.
    pub each: Spread,
    /// The longest that a client waited for one reservation, in ms.
    pub longest_wait: u64,
    /// When the last was granted, in ms.
    pub end: u64,
    /// Average number of nodes per attempt.
    pub named: f64,
    /// What the thesis printed, without own locks: interactions, attempts, those that needed several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperAttempts>,
}

/// The continued run.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProlongedRow {
    /// `random_interaction` or `coherent_path`.
    pub scenario: &'static str,
    /// `quadtrees` or `columns`.
    pub structure: &'static str,
    /// The state at some points.
    pub checkpoints: Vec<Checkpoint>,
}

impl GroundRow {
    pub(super) fn of(ground: &Patches) -> Self {
        let columns = Columns::of(ground);
        Self {
            nodes: ground.nodes(),
            paper_nodes: PAPER_NODES,
            runs: columns.nodes(),
            quadtree_bytes: ground.bytes() as u64,
            column_bytes: columns.bytes() as u64,
            file_bytes: encode(ground).len() as u64,
        }
    }
}

impl GrowthRow {
    pub(super) fn of(
        scenario: Scenario,
        structure: &'static str,
        clients: u32,
        turns: &[Turn],
        grown: &Grown,
    ) -> Self {
        let after = grown.nodes.last().copied().unwrap_or(grown.before);
        let mut before = grown.before;
        let added = grown.nodes.iter().map(|&nodes| {
            let added = nodes as f64 - before as f64;
            before = nodes;
            added
        });
        let added: Vec<f64> = added.collect();
        let changes: Vec<f64> = grown.changes.iter().map(|&nodes| nodes as f64).collect();
        let nodes = after as i64 - grown.before as i64;
        let paper = PaperGrowth::of(scenario, clients as usize);
        Self {
            scenario: scenario.name(),
            structure,
            clients,
            interactions: turns.len() as u64,
            nodes,
            percent: 100.0 * nodes as f64 / grown.before as f64,
            growth: Spread::of(&added),
            changes: Spread::of(&changes),
            change_bytes: grown.change_bytes as f64 / turns.len().max(1) as f64,
            milliseconds: Spread::of(&grown.times),
            memory: grown.memory[1],
            paper: paper.filter(|_| structure == "quadtrees"),
        }
    }
}

impl ReservationRow {
    pub(super) fn of(scenario: Scenario, clients: u32, own: bool, conflicts: &Conflicts) -> Self {
        let tries = || conflicts.attempts.iter();
        let each: Vec<f64> = tries().map(|&tries| f64::from(tries)).collect();
        let attempts = tries().map(|&tries| u64::from(tries)).sum();
        let paper = PaperAttempts::of(scenario, clients as usize);
        Self {
            scenario: scenario.name(),
            clients,
            own_locks_honoured: own,
            interactions: each.len() as u64,
            attempts,
            several: tries().filter(|&&tries| tries > 1).count() as u64,
            each: Spread::of(&each),
            longest_wait: conflicts.longest,
            end: conflicts.end,
            named: conflicts.named as f64 / attempts.max(1) as f64,
            paper: paper.filter(|_| !own),
        }
    }
}

pub(super) fn text(document: &Document) -> String {
    let mut text = String::new();
    let ground = &document.ground;
    let _ = writeln!(
        text,
        "{} nodes (the thesis {}), {} runs; {} bytes as quadtrees, {} as columns, {} in a file\n",
        ground.nodes,
        ground.paper_nodes,
        ground.runs,
        ground.quadtree_bytes,
        ground.column_bytes,
        ground.file_bytes
    );
    if !document.growth.is_empty() {
        text.push_str(
            "| scenario | structure | clients | interactions | nodes | % | growth mean | median | max | sd \
             | change set mean | median | max | sd | bytes | ms mean | median | max | MB |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
    }
    for row in &document.growth {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.1} | {} | {} | {:.0} | {:.3} | {:.3} | {:.3} | {:.1} |",
            row.scenario,
            row.structure,
            row.clients,
            row.interactions,
            row.nodes,
            row.percent,
            cells(&row.growth),
            cells(&row.changes),
            row.change_bytes,
            row.milliseconds.mean,
            row.milliseconds.median,
            row.milliseconds.max,
            row.memory as f64 / 1e6
        );
        if let Some(paper) = &row.paper {
            let _ = writeln!(
                text,
                "| | *the thesis* | {} | {} | {} | {:.1} | {} | {} | | | | | |",
                row.clients,
                paper.interactions,
                paper.nodes,
                paper.percent,
                cells(&paper.growth),
                cells(&paper.changes)
            );
        }
    }
    if !document.reservations.is_empty() {
        text.push_str(
            "\n| scenario | own locks | clients | interactions | attempts | several | % | mean | median | max | sd \
             | longest ms | end ms | nodes named |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
    }
    for row in &document.reservations {
        let share = |several: u64, all: u64| 100.0 * several as f64 / all.max(1) as f64;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.1} | {} | {} | {} | {:.0} |",
            row.scenario,
            if row.own_locks_honoured {
                "honoured"
            } else {
                "hinder"
            },
            row.clients,
            row.interactions,
            row.attempts,
            row.several,
            share(row.several, row.interactions),
            cells(&row.each),
            row.longest_wait,
            row.end,
            row.named
        );
        if let Some(paper) = &row.paper {
            let _ = writeln!(
                text,
                "| | *the thesis* | {} | {} | {} | {} | {:.1} | {} | | | |",
                row.clients,
                paper.interactions,
                paper.attempts,
                paper.several,
                share(paper.several, paper.interactions),
                cells(&paper.each)
            );
        }
    }
    for row in &document.prolonged {
        let _ = writeln!(
            text,
            "\n{}, {}\n\n| interactions | nodes | MB | ms |\n|---:|---:|---:|---:|",
            row.scenario, row.structure
        );
        for point in &row.checkpoints {
            let _ = writeln!(
                text,
                "| {} | {} | {:.1} | {:.3} |",
                point.interactions,
                point.nodes,
                point.memory as f64 / 1e6,
                point.milliseconds
            );
        }
    }
    text
}

fn cells(spread: &Spread) -> String {
    format!(
        "{:.1} | {:.1} | {:.0} | {:.1}",
        spread.mean, spread.median, spread.max, spread.deviation
    )
}
