//! `viewcell render`: a picture of what a bundle says.

mod args;
pub(super) mod cells;
pub(super) mod solid;
pub(super) mod terrain;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use image::RgbaImage;
use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::picture::{self, PAGE_WIDTHS, Page};
use viewcell::internals::runtime::WorldKind;

use super::exit::{Exit, Failure, Outcome};
use super::export::work::Work;
use super::output;
use super::query;

pub use args::{Args, name};

/// What `viewcell render --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell render")]
pub struct Document {
    /// The picture.
    output: PathBuf,
    /// What it shows: its title.
    title: String,
    /// The same in numbers: its second line.
    subtitle: String,
    /// Its width in pixels.
    width: u32,
    /// Its height in pixels.
    height: u32,
}

/// Most pixels a side of a bare map.
const MOST: u32 = PAGE_WIDTHS.1;

pub fn run(args: &Args) -> Outcome {
    check_png(&args.output)?;
    if let Some(width) = args.width {
        check_width(width, args.bare)?;
    }
    let work = Work::begin(&args.bundle, &args.output, &args.manner)?;
    let map = query::open(&args.bundle)?;
    let page = match map.kind() {
        Some(WorldKind::Cells) => Some(cells::page(args, &map)?),
        Some(WorldKind::Solid) => solid::page(args, &work, &map)?,
        _ => terrain::page(args, &work, &map)?,
    };
    let Some(page) = page else {
        return Ok(work.stop.stopped());
    };
    save(args, &work, &page)
}

/// Encodes and writes a page, or its map alone.
fn save(args: &Args, work: &Work<'_>, page: &Page) -> Outcome {
    let too_large = |error| Failure::new(Exit::Resource, error);
    let drawn = if args.bare {
        bare(args, page)?
    } else {
        page.draw(args.width.unwrap_or(1200)).map_err(too_large)?
    };
    let bytes = picture::png(&drawn).map_err(too_large)?;
    if !work.save(|file| file.write_all(&bytes))? {
        return Ok(work.stop.stopped());
    }
    if !args.bare {
        work.tell(page.squeeze().as_slice());
    }
    if args.manner.effort.json.json {
        output::print_json(&Document {
            output: args.output.clone(),
            title: page.title.clone(),
            subtitle: page.subtitle.clone(),
            width: drawn.width(),
            height: drawn.height(),
        })?;
    } else {
        output::print(format_args!("{}\n{}", page.title, page.subtitle))?;
    }
    Ok(Exit::Done)
}

/// The maps of a page, one below the other, as they are or so many pixels wide.
fn bare(args: &Args, page: &Page) -> Result<RgbaImage, Failure> {
    let Some(panel) = page.panels.first() else {
        return Err(Failure::usage("there is nothing to draw".into()));
    };
    let (columns, rows) = panel.picture.dimensions();
    let width = args.width.unwrap_or(columns);
    let scale = f64::from(width) / f64::from(columns);
    let height = (f64::from(rows) * scale).round().max(1.0);
    let all = height * page.panels.len() as f64;
    if all > f64::from(MOST) || width > MOST {
        return Err(Failure::usage(format!(
            "--width {width}: the map would be {width} x {all} pixels; expected {MOST} a side at most"
        )));
    }
    picture::check_pixels(width.into(), all as u64)
        .map_err(|error| Failure::new(Exit::Resource, error))?;
    let mut maps = RgbaImage::new(width, all as u32);
    for (i, panel) in page.panels.iter().enumerate() {
        let map = picture::resized(&panel.picture, width, height as u32);
        image::imageops::replace(&mut maps, &map, 0, i as i64 * height as i64);
    }
    Ok(maps)
}

/// Fails unless a page, or a bare map, can be so many pixels wide.
pub(super) fn check_width(width: u32, bare: bool) -> Result<(), Failure> {
    let least = if bare { 1 } else { PAGE_WIDTHS.0 };
    if (least..=MOST).contains(&width) {
        return Ok(());
    }
    let hint = match (1..least).contains(&width) {
        true => "; narrower ones have no room for a legend",
        false => "",
    };
    Err(Failure::usage(format!(
        "--width {width}: expected {least} to {MOST} pixels{hint}"
    )))
}

/// Fails unless a file's name says that it is a PNG.
pub(super) fn check_png(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    if extension.eq_ignore_ascii_case("png") {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: expected a name that ends in .png, found {extension:?}",
        path.display()
    )))
}
