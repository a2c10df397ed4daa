//! `viewcell report`: one page of HTML that tells what a bundle is.

mod levels;
mod look;
mod page;
mod terrain;

use std::path::PathBuf;

use look::Look;
use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::World;
use viewcell_bake::bundle;

use super::exit::{Exit, Outcome};
use super::output::{self, FileWorkOptions, of_ending, say};
use super::query;
use super::shading::Shading;
pub use page::{Page, Section};
use page::{finished_page, making, named};

/// Write one page of HTML: what was baked, what is hidden, and what it cost
///
/// The page contains its pictures and needs no network. It shows what is hidden at each level, what share is
/// visible at each distance, a map of exposure, the most exposed and the most hidden places, sizes, times (if the
/// bundle's .timings.json is beside it), losses to a budget, and warnings.
///
/// Example: viewcell report level.vcb -o level.html
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// File to write
    #[arg(short, long, value_name = "REPORT.html")]
    output: PathBuf,
    /// Include the bundle, of up to 64 MB, in the page, which then shows what is visible from the place under the
    /// mouse. Needs no server. A link to the page may name a viewer, report.html#178,166, and a target,
    /// #178,166;300,100
    #[arg(long)]
    interactive: bool,
    #[command(flatten)]
    shading: Shading,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

/// What `viewcell report --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell report")]
pub struct Document {
    /// The page.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// Its length in bytes.
    bytes: u64,
    /// Its warnings.
    warnings: Vec<String>,
}

pub fn run(args: &Args) -> Outcome {
    let endings = [("html", ()), ("htm", ())];
    of_ending(&args.output, &endings, ".html")?;
    if args.interactive {
        look::check(&args.bundle)?;
    }
    let work = args.work_options.begin(&args.bundle, &args.output)?;
    let info = bundle::info(&args.bundle)?;
    let opened = query::open(&args.bundle)?;
    args.shading.check(&opened)?;
    let heightmap = args.shading.heightmap.as_deref();
    let page = match opened.world() {
        World::Cells(_) | World::Solid(_) => levels::page(&opened, &work, &info),
        World::Terrain(_) => terrain::page(&opened, &work, &info, heightmap),
    };
    let mut page = page?;
    if args.interactive {
        page.look = Some(Look::new(&opened, heightmap)?);
    }
    let html = page.html()?;
    work.save(|file| file.write_all(html.as_bytes()))?;
    let Page { warnings, .. } = page;
    if args.work_options.json.json {
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
