//! What the pages of terrains and levels have in common.

use std::path::Path;

use serde_json::Value;
use viewcell::internals::bundle::Info;
use viewcell::internals::picture::grouped;

use super::document::{Page, Section};
use crate::cli::info::{Bytes, processors, reason};
use crate::cli::progress::Seconds;
use crate::cli::render::name;

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The page around its sections.
pub fn page(
    path: &Path,
    info: &Info,
    figures: Vec<(String, String)>,
    mut warnings: Vec<String>,
    mut sections: Vec<Section>,
) -> Page {
    let made = info.provenance.as_ref();
    let lead = match made {
        Some(made) => format!(
            "Who can see whom in {}, baked by {}",
            made.input.name, made.tool
        ),
        None => "Who can see whom".to_owned(),
    };
    if made.is_none() {
        warnings.push("The bundle does not say how it was made.".into());
    }
    if let Some(loss) = made.and_then(|made| made.loss.as_ref()) {
        warnings.push(format!(
            "Some of what is hidden is given out as visible, {}; nothing that is visible is given \
             out as hidden.",
            reason(&loss.given)
        ));
    }
    sections.push(sizes(info));
    sections.push(times(info));
    Page {
        name: name(path),
        lead,
        figures,
        warnings,
        sections,
        look: None,
        tool: format!("viewcell {}", env!("CARGO_PKG_VERSION")),
        checksum: info.checksum.clone(),
    }
}

/// What was baked and how: `world` tells of what is in the bundle.
pub fn making(info: &Info, world: Vec<(String, String)>) -> Section {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
    if let Some(made) = &info.provenance {
        let input = &made.input;
        row(
            "Input",
            format!("{}, {}, {}", input.name, input.format, Bytes(input.bytes)),
        );
        row("Its digest", input.digest.clone());
        row("Made by", made.tool.clone());
    }
    row(
        "Format",
        format!("{}, version {}", info.kind, info.format_version),
    );
    rows.extend(world);
    let options = info.provenance.iter().flat_map(|made| &made.options);
    let options: Vec<Vec<String>> = options
        .map(|(name, value)| vec![name.clone(), words(value)])
        .collect();
    let section = Section::new("What was baked, and how", "").facts(rows);
    if options.is_empty() {
        return section;
    }
    section.table("Options of the bake", 2, &["Option", "Value"], options)
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

fn sizes(info: &Info) -> Section {
    let rows = info.sections.iter().map(|section| {
        vec![
            section.tag.clone(),
            section.holds.clone(),
            grouped(section.bytes),
            percent(section.bytes as f64 / info.bytes.max(1) as f64),
        ]
    });
    let words = format!("The file has {} bytes.", grouped(info.bytes));
    let head = ["Section", "Holds", "Bytes", "Share"];
    Section::new("Where its bytes go", words).table("", 2, &head, rows.collect())
}

fn times(info: &Info) -> Section {
    let title = "What the bake took";
    let Some(timings) = &info.timings else {
        let words = "Not known: there is no file of timings beside the bundle, or not of this one.";
        return Section::new(title, words);
    };
    let words = format!(
        "{} from start to end and {} of processor time on {}, with {} of memory at most.",
        Seconds(timings.elapsed_seconds),
        Seconds(timings.cpu_seconds),
        processors(timings),
        Bytes(timings.peak_memory_bytes)
    );
    let rows = timings
        .stages
        .iter()
        .map(|stage| vec![stage.name.clone(), Seconds(stage.seconds).to_string()]);
    Section::new(title, words).table("", 1, &["Stage", "Work of all threads"], rows.collect())
}
