//! What a ground file holds: in numbers (`viewcell experiment layered info`), as a surface for a bake or a slice as text (`export`), and
//! as a picture of a slice or a cut (`render`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle;
use viewcell_ingest::world::Georeference;
use viewcell_layered::{Layered, Material, Patches, Path as Way, surface};
use viewcell_program::exit::{Failure, Outcome};
use viewcell_program::output::{self, FileWorkOptions, Json, say};
use viewcell_program::render::{check_png, check_width};
use viewcell_program::work;
use viewcell_view::picture::palette::{CATEGORIES, Colour, NOTHING, bytes};
use viewcell_view::picture::{Key, Page, Panel, RasterLayout, RasterWriter, check_pixels, png};

/// Print what a ground file holds: size, materials, nodes, and with --slices each slice
///
/// Example: viewcell experiment layered info level.vcg --slices
#[derive(clap::Args)]
pub(in crate::verbs) struct InfoArgs {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    /// Count each slice separately
    #[arg(long)]
    slices: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell experiment layered info --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered info")]
pub(in crate::verbs) struct InfoDocument {
    /// Columns.
    width: u32,
    /// Rows.
    height: u32,
    /// Number of slices, from the lowest to the highest non-empty one.
    slices: u64,
    /// The lowest slice's number; slice 0 lies just above height 0.
    first_slice: i32,
    /// A cube's size in metres: east, south, up.
    spacing: [f64; 3],
    /// Number of patches.
    patches: u64,
    /// Nodes of all quadtrees.
    nodes: u64,
    /// Bytes of the file in use.
    bytes: u64,
    /// Bytes of the file that hold nothing of the current ground: superseded by stamps, or left by a stamp that
    /// could not be written. viewcell experiment layered compact removes them.
    dead_bytes: u64,
    /// Memory that the ground takes when it is read.
    memory: u64,
    /// How many change sets were applied.
    version: u64,
    /// Digest of all of them in order, 16 hexadecimal digits.
    digest: String,
    /// The materials, in the order of their numbers.
    materials: Vec<MaterialRow>,
    /// Each slice of any patch, from the lowest up; absent without --slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    each_slice: Option<Vec<SliceRow>>,
}

/// A material.
#[derive(Serialize, JsonSchema)]
struct MaterialRow {
    /// Its number.
    number: u8,
    /// Its name.
    name: String,
    /// Cubes of it.
    cubes: u64,
}

/// A slice.
#[derive(Serialize, JsonSchema)]
struct SliceRow {
    /// Its number.
    slice: i32,
    /// Nodes, in all patches.
    nodes: u64,
    /// Cubes of each material, in the order of their numbers.
    cubes: Vec<u64>,
}

pub(in crate::verbs) fn info(args: &InfoArgs) -> Outcome {
    let map = super::map(&args.ground)?;
    let file = super::open(&args.ground, &map)?;
    let ground = file
        .load()
        .map_err(|error| super::failure(&args.ground, error))?;
    let live = file
        .live()
        .map_err(|error| super::failure(&args.ground, error))?;
    let dead = (map.len() as u64).saturating_sub(live);
    let info_document = info_document(&ground, [file.end(), dead], args.slices);
    args.json
        .tell(|| &info_document, info_text(&info_document).trim_end())
}

fn info_document(ground: &Patches, [bytes, dead_bytes]: [u64; 2], each: bool) -> InfoDocument {
    let frame = ground.frame();
    let slices = ground.slices();
    let names = frame.materials();
    let mut cubes = vec![0; names.len()];
    let mut rows = Vec::new();
    for slice_row in slices.clone().filter_map(|slice| slice_row(ground, slice)) {
        for (sum, count) in cubes.iter_mut().zip(&slice_row.cubes) {
            *sum += count;
        }
        if each {
            rows.push(slice_row);
        }
    }
    let materials = (1..).zip(names).zip(cubes);
    let materials = materials.map(|((number, name), cubes)| MaterialRow {
        number,
        name: name.clone(),
        cubes,
    });
    InfoDocument {
        width: frame.width(),
        height: frame.height(),
        slices: slices.len() as u64,
        first_slice: slices.start,
        spacing: frame.spacing(),
        patches: frame.patches().len() as u64,
        nodes: ground.nodes(),
        bytes,
        dead_bytes,
        memory: ground.bytes() as u64,
        version: ground.version().number,
        digest: format!("{:016x}", ground.version().digest),
        materials: materials.collect(),
        each_slice: each.then_some(rows),
    }
}

/// `None` where no patch has the slice.
fn slice_row(ground: &Patches, slice: i32) -> Option<SliceRow> {
    let stacks = ground.stacks().iter().zip(ground.frame().patches());
    let trees = stacks.filter_map(|(stack, square)| Some((stack.slice(slice)?, square)));
    let mut trees = trees.peekable();
    trees.peek()?;
    let mut cubes = vec![0; ground.frame().materials().len()];
    let mut nodes = 0;
    for (tree, square) in trees {
        nodes += tree.nodes();
        let whole = [[0, 0], [1 << square.level; 2]];
        tree.leaves_in(square.level, whole, &mut |_, _, level, material| {
            if let Some(index) = usize::from(material).checked_sub(1) {
                cubes[index] += 1u64 << (2 * level);
            }
        });
    }
    Some(SliceRow {
        slice,
        nodes,
        cubes,
    })
}

fn info_text(info_document: &InfoDocument) -> String {
    let mut info_text = String::new();
    let [east, south, up] = info_document.spacing;
    let _ = writeln!(
        info_text,
        "{} x {} x {} cubes of {east} x {south} x {up} m, slices from {}\n\
         {} patches, {} nodes, {} bytes in the file ({} dead), {} in memory\nversion {} ({})",
        info_document.width,
        info_document.height,
        info_document.slices,
        info_document.first_slice,
        info_document.patches,
        info_document.nodes,
        info_document.bytes,
        info_document.dead_bytes,
        info_document.memory,
        info_document.version,
        info_document.digest
    );
    for material in &info_document.materials {
        let (number, cubes) = (material.number, material.cubes);
        let name = output::escaped_line(&material.name);
        let _ = writeln!(info_text, "{number:>3}  {name:<20} {cubes:>14} cubes");
    }
    for slice_row in info_document.each_slice.iter().flatten() {
        let _ = writeln!(
            info_text,
            "slice {:>6}  {:>10} nodes  {:?}",
            slice_row.slice, slice_row.nodes, slice_row.cubes
        );
    }
    info_text
}

/// Write the ground's surface as a heightmap, or a slice of it as text
///
/// The surface is the top of the highest cube of each column, in metres, NaN where there is none: 32-bit floats,
/// georeferenced like the original heightmap, for viewcell bake terrain.
///
/// Example: viewcell experiment layered export level.vcg --surface crater.tif
#[derive(clap::Args)]
pub(in crate::verbs) struct ExportArgs {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    #[command(flatten)]
    what: Exported,
    /// With --text: number of the patch
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "surface"
    )]
    patch: usize,
    /// With --text: number of the slice
    #[arg(long, value_name = "Z", requires = "text", conflicts_with = "surface")]
    slice: Option<i32>,
    /// With --text: the path to a branch, one digit per level: 0 north-west, 1 north-east, 2 south-east, 3
    /// south-west
    #[arg(
        long,
        value_name = "DIGITS",
        default_value = "",
        conflicts_with = "surface"
    )]
    path: String,
    #[command(flatten)]
    work_options: FileWorkOptions,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Exported {
    /// Write the surface to this file
    #[arg(long, value_name = "OUT.tif|.npy")]
    surface: Option<PathBuf>,
    /// Write a slice of a patch to this file, as text: { before four children, e for empty, f, g, h ... for
    /// materials 1, 2, 3
    #[arg(long, value_name = "OUT.txt", requires = "slice")]
    text: Option<PathBuf>,
}

/// What `viewcell experiment layered export --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered export")]
pub(in crate::verbs) struct ExportDocument {
    /// The file.
    #[serde(serialize_with = "viewcell_program::output::names")]
    output: PathBuf,
    /// Columns of the surface, or cubes a side of the slice.
    width: u32,
    /// Rows of the surface, or cubes a side of the slice.
    height: u32,
    /// Samples without ground.
    voids: u64,
    /// The version of the ground.
    version: u64,
}

pub(in crate::verbs) fn export(args: &ExportArgs) -> Outcome {
    let output = args.what.surface.as_ref().or(args.what.text.as_ref());
    let Some(output) = output else {
        return Err(Failure::usage("expected --surface or --text"));
    };
    output::check_outputs(&[&args.ground], [output], args.work_options.force)?;
    let document = match &args.what.surface {
        Some(output) => write_surface(args, output)?,
        None => write_text(args, output)?,
    };
    if !args.work_options.quiet {
        let (width, height) = (document.width, document.height);
        say(format_args!("{}: {width} x {height}", output.display()));
    }
    args.work_options.json.document(|| &document)
}

fn write_surface(args: &ExportArgs, output: &Path) -> Result<ExportDocument, Failure> {
    let format = work::raster_format_of(output)?;
    let ground = super::load(&args.ground)?;
    let frame = Layered::frame(&ground);
    let heights = surface(&ground);
    let heights: Vec<f32> = heights.into_iter().map(|metres| metres as f32).collect();
    let georeference = frame.place.as_ref().map(|place| Georeference {
        crs: place.crs.clone(),
        transform: place.transform,
    });
    let [dx, dy, _] = frame.spacing();
    let layout = RasterLayout {
        width: frame.width(),
        height: frame.height(),
        description: "",
        bands: &["height in metres".to_owned()],
        nodata: "nan",
        spacing: [dx, dy],
        georeference: georeference.as_ref(),
    };
    bundle::save_with(output, args.work_options.force, |file| {
        let mut raster = RasterWriter::new::<f32>(file, format, &layout)?;
        raster.write(&heights)?;
        raster.finish().map(drop)
    })?;
    Ok(ExportDocument {
        output: output.to_owned(),
        width: frame.width(),
        height: frame.height(),
        voids: heights.iter().filter(|height| height.is_nan()).count() as u64,
        version: Layered::version(&ground).number,
    })
}

fn write_text(args: &ExportArgs, output: &Path) -> Result<ExportDocument, Failure> {
    let map = super::map(&args.ground)?;
    let file = super::open(&args.ground, &map)?;
    let Some(square) = file.frame().patches().get(args.patch) else {
        return Err(Failure::usage(format!(
            "--patch {}: expected one of the {} patches, counted from 0",
            args.patch,
            file.frame().patches().len()
        )));
    };
    let path = Way::parse(&args.path).ok_or_else(|| {
        Failure::usage(format!("--path {}: expected digits from 0 to 3", args.path))
    })?;
    let slice = args.slice.unwrap_or(0);
    let tree = file
        .slice(args.patch, slice)
        .map_err(|error| super::failure(&args.ground, error))?;
    let text = match tree {
        Some(tree) => tree.branch_text(path),
        None => (path == Way::ROOT).then(|| "e".to_owned()),
    };
    let Some(text) = text else {
        return Err(Failure::usage(format!(
            "--path {}: expected the path to a node, found a leaf on it",
            args.path
        )));
    };
    bundle::save(output, (text + "\n").as_bytes(), args.work_options.force)?;
    Ok(ExportDocument {
        output: output.to_owned(),
        width: 1 << square.level,
        height: 1 << square.level,
        voids: 0,
        version: file.version().number,
    })
}

/// Draw a slice of the ground from above, or a cut through it from the side
///
/// Example: viewcell experiment layered render level.vcg --slice 12 -o slice.png
#[derive(clap::Args)]
pub(in crate::verbs) struct RenderArgs {
    /// The ground file
    #[arg(value_name = "G.vcg")]
    ground: PathBuf,
    #[command(flatten)]
    what: Drawn,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 1200)]
    width: u32,
    /// One pixel per cube, without title, legend and scale
    #[arg(long)]
    bare: bool,
    /// Overwrite the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: Json,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Drawn {
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

/// What `viewcell experiment layered render --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell experiment layered render")]
pub(in crate::verbs) struct RenderDocument {
    /// The file.
    #[serde(serialize_with = "viewcell_program::output::names")]
    output: PathBuf,
    /// What is drawn.
    title: String,
    /// Its width in pixels.
    width: u32,
    /// Its height in pixels.
    height: u32,
}

pub(in crate::verbs) fn render(args: &RenderArgs) -> Outcome {
    check_png(&args.output)?;
    check_width(args.width, args.bare)?;
    output::check_outputs(&[&args.ground], [&args.output], args.force)?;
    let ground = super::load(&args.ground)?;
    let page = page(args, &ground)?;
    let failed = Failure::resource;
    let picture = if args.bare {
        page.panels[0].picture.clone()
    } else {
        page.draw(args.width).map_err(failed)?
    };
    bundle::save(&args.output, &png(&picture).map_err(failed)?, args.force)?;
    let document = || RenderDocument {
        output: args.output.clone(),
        title: page.title.clone(),
        width: picture.width(),
        height: picture.height(),
    };
    args.json.tell(document, &page.title)
}

fn page(args: &RenderArgs, ground: &Patches) -> Result<Page, Failure> {
    let frame = ground.frame();
    let (width, height) = (frame.width(), frame.height());
    let slices = ground.slices();
    let [dx, dy, dz] = frame.spacing();
    let high = (slices.len() as u32).max(1);
    let inside = |name: &str, value: u32, end: u32| {
        if value < end {
            Ok(())
        } else {
            Err(Failure::usage(format!(
                "--{name} {value}: expected 0 to {}",
                end - 1
            )))
        }
    };
    if let Some(slice) = args.what.slice
        && !slices.contains(&slice)
    {
        let expected = if slices.is_empty() {
            "ground, of which there is none".to_owned()
        } else {
            format!("{} to {}", slices.start, slices.end - 1)
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
    check_pixels(size[0].into(), size[1].into()).map_err(Failure::resource)?;
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
        unit: "m",
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
