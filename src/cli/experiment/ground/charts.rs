//! Its charts.

use std::path::Path;

use viewcell::internals::bundle;
use viewcell::internals::experiment::ground::{Conflicts, Grown, Scenario};
use viewcell::internals::picture::{CHART_SIZE, Chart, Curve, Series};

use crate::cli::exit::Failure;

/// A curve of at most a thousand points.
pub fn curve(name: &str, values: &[u64]) -> Curve {
    let step = values.len().div_ceil(1000).max(1);
    let points = values.iter().enumerate().step_by(step);
    Curve {
        name: name.into(),
        points: points.map(|(i, &value)| [i as f64, value as f64]).collect(),
    }
}

pub fn attempts_curve(own: bool, conflicts: &Conflicts) -> Curve {
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

pub fn draw_growth(
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

pub fn draw(path: &Path, title: &str, y: &str, curves: &[Curve]) -> Result<(), Failure> {
    let chart = Chart {
        title,
        x: "interactions",
        y,
        series: Series::Curves(curves),
        size: CHART_SIZE,
    };
    Ok(bundle::save(path, chart.svg().as_bytes(), true)?)
}
