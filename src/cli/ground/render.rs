//! `viewcell ground render`: a slice or a cut as a picture.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use viewcell::internals::bundle;
use viewcell::internals::ground::{Layered, Material, Patches};
use viewcell::internals::picture::palette::{CATEGORIES, Colour, NOTHING, bytes};
use viewcell::internals::picture::{Key, Page, Panel, Unit, check_pixels, png};

use crate::cli::exit::{Exit, Failure, Outcome};
use crate::cli::output::{self, Json};
use crate::cli::render::{check_png, check_width};

/// Draw a slice of the ground from above, or a cut through it from the side
#[derive(clap::Args)]
pub struct Args {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    #[command(flatten)]
    what: What,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 1200)]
    width: u32,
    /// One pixel a cube, without title, legend and scale
    #[arg(long)]
    bare: bool,
    /// Overwrite the file if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: Json,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// This slice, from above
    #[arg(long, value_name = "Z")]
    slice: Option<i32>,
    /// A cut along this row, from the south
    #[arg(long, value_name = "ROW")]
    row: Option<u32>,
    /// A cut along this column, from the east
    #[arg(long, value_name = "COL")]
    column: Option<u32>,
}

/// What `viewcell ground render --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell ground render")]
pub struct Document {
    /// The file.
    output: PathBuf,
    /// What is drawn.
    title: String,
    /// Its width in pixels.
    width: u32,
    /// Its height in pixels.
    height: u32,
}

pub fn run(args: &Args) -> Outcome {
    check_png(&args.output)?;
    check_width(args.width, args.bare)?;
    output::check_outputs(&[&args.ground], [&args.output], args.force)?;
    let ground = super::load(&args.ground)?;
    let page = page(args, &ground)?;
    let failed = |error| Failure::new(Exit::Resource, error);
    let picture = match args.bare {
        true => page.panels[0].picture.clone(),
        false => page.draw(args.width).map_err(failed)?,
    };
    bundle::save(&args.output, &png(&picture).map_err(failed)?, args.force)?;
    if args.json.json {
        output::print_json(&Document {
            output: args.output.clone(),
            title: page.title,
            width: picture.width(),
            height: picture.height(),
        })?;
    } else {
        output::print(page.title)?;
    }
    Ok(Exit::Done)
}

fn page(args: &Args, ground: &Patches) -> Result<Page, Failure> {
    let frame = ground.frame();
    let (width, height) = (frame.width(), frame.height());
    let slices = ground.slices();
    let [dx, dy, dz] = frame.spacing();
    let high = (slices.len() as u32).max(1);
    let inside = |name: &str, value: u32, end: u32| match value < end {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "--{name} {value}: expected 0 to {}",
            end - 1
        ))),
    };
    if let Some(slice) = args.what.slice
        && !slices.contains(&slice)
    {
        let expected = match slices.is_empty() {
            true => "ground, of which there is none".to_owned(),
            false => format!("{} to {}", slices.start, slices.end - 1),
        };
        return Err(Failure::usage(format!(
            "--slice {slice}: expected {expected}"
        )));
    }
    // Rows of a cut go down from the highest slice.
    let slice_of = |y: u32| slices.end - 1 - y as i32;
    type At<'a> = Box<dyn Fn(u32, u32) -> Material + 'a>;
    let (size, pixel, title, at): (_, _, _, At<'_>) = match (args.what.slice, args.what.row) {
        (Some(slice), _) => (
            [width, height],
            [dx, dy],
            format!(
                "slice {slice}, {} to {} m high",
                f64::from(slice) * dz,
                f64::from(slice + 1) * dz
            ),
            Box::new(move |x, y| ground.material(x, y, slice)),
        ),
        (_, Some(row)) => {
            inside("row", row, height)?;
            let at = move |x, y| ground.material(x, row, slice_of(y));
            (
                [width, high],
                [dx, dz],
                format!("cut along row {row}"),
                Box::new(at),
            )
        }
        _ => {
            let column = args.what.column.unwrap_or(0);
            inside("column", column, width)?;
            let at = move |x, y| ground.material(column, x, slice_of(y));
            (
                [height, high],
                [dy, dz],
                format!("cut along column {column}"),
                Box::new(at),
            )
        }
    };
    check_pixels(size[0].into(), size[1].into())
        .map_err(|error| Failure::new(Exit::Resource, error))?;
    let mut picture = image::RgbaImage::new(size[0], size[1]);
    for (x, y, place) in picture.enumerate_pixels_mut() {
        let [red, green, blue] = bytes(colour(at(x, y)));
        *place = image::Rgba([red, green, blue, 255]);
    }
    let names = (0..=frame.materials().len() as u8)
        .map(|material| Key::Swatch(colour(material), frame.name_of(material).to_owned()));
    let name = args
        .ground
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    Ok(Page {
        title: format!("{name}: {title}"),
        subtitle: format!(
            "version {}, {} nodes",
            ground.version().number,
            ground.nodes()
        ),
        panels: vec![Panel {
            caption: String::new(),
            picture,
            marks: Vec::new(),
        }],
        pixel,
        unit: Unit::Metres,
        north: None,
        legend: names.collect(),
    })
}

/// A material's colour; those beyond the sixth are darker ones of the same.
fn colour(material: Material) -> Colour {
    let Some(index) = usize::from(material).checked_sub(1) else {
        return NOTHING;
    };
    let darker = 0.75f32.powi((index / CATEGORIES.len()) as i32);
    CATEGORIES[index % CATEGORIES.len()].map(|part| part * darker)
}
