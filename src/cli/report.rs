//! `viewcell report`: one page of HTML that tells what a bundle is.

mod cells;
mod common;
pub(super) mod document;
mod look;
mod solid;
mod terrain;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::runtime::WorldKind;

use super::exit::{Exit, Failure, Outcome};
use super::export::work::{Manner, Work};
use super::output::{self, say};
use super::query;
use document::Page;
use look::Look;

/// Tell on one page of HTML what was baked, what is hidden, and what it cost
///
/// The page holds its pictures and needs no network: what is hidden at each level, what share is
/// visible at each distance, a map of exposure, the most exposed and the most hidden places, sizes,
/// times (where the bundle's .timings.json lies beside it), losses to a budget, and warnings.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// File to write
    #[arg(short, long, value_name = "REPORT.html")]
    output: PathBuf,
    /// Let the page hold the bundle, of up to 64 MB, to be looked around in: what is seen from where the
    /// mouse is. Needs no server; a link to the page may say from where to look, report.html#178,166, and
    /// at whom, #178,166;300,100
    #[arg(long)]
    interactive: bool,
    #[command(flatten)]
    manner: Manner,
}

/// What `viewcell report --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell report")]
pub struct Document {
    /// The page.
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// What it warns of.
    warnings: Vec<String>,
}

pub fn run(args: &Args) -> Outcome {
    check_html(&args.output)?;
    if args.interactive {
        look::check(&args.bundle)?;
    }
    let work = Work::begin(&args.bundle, &args.output, &args.manner)?;
    let info = bundle::info(&args.bundle)?;
    let map = query::open(&args.bundle)?;
    let page = match map.kind() {
        Some(WorldKind::Cells) => Some(cells::page(&args.bundle, &map, &info)?),
        Some(WorldKind::Solid) => solid::page(&args.bundle, &work, &map, &info)?,
        _ => terrain::page(&args.bundle, &work, &map, &info)?,
    };
    let Some(page) = page else {
        return Ok(work.stop.stopped());
    };
    let mut page = page;
    if args.interactive {
        page.look = Some(Look::new(&args.bundle, &map)?);
    }
    let html = page.html()?;
    if !work.save(|file| file.write_all(html.as_bytes()))? {
        return Ok(work.stop.stopped());
    }
    let Page { warnings, .. } = page;
    if args.manner.effort.json.json {
        output::print_json(&Document {
            output: args.output.clone(),
            bytes: html.len() as u64,
            warnings,
        })?;
    } else {
        for warning in &warnings {
            say(format_args!("note: {warning}"));
        }
        output::print(format_args!("written: {}", args.output.display()))?;
    }
    Ok(Exit::Done)
}

/// Fails unless a file's name says that it is HTML.
fn check_html(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    if ["html", "htm"]
        .iter()
        .any(|html| extension.eq_ignore_ascii_case(html))
    {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: expected a name that ends in .html, found {extension:?}",
        path.display()
    )))
}
