//! Its tables.

use std::fmt::Write as _;

use super::document::{Document, SpreadRow};

pub fn text(document: &Document) -> String {
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

fn cells(spread: &SpreadRow) -> String {
    format!(
        "{:.1} | {:.1} | {:.0} | {:.1}",
        spread.mean, spread.median, spread.max, spread.deviation
    )
}
