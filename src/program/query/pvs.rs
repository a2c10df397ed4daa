//! `viewcell query pvs`: everything that may be seen from a place; and `viewcell query locate`: which cell holds a point?

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Failure, Outcome};
use crate::output::{self, Json};
use crate::render::check_drawable;
use crate::values;
use viewcell::query::{
    Bundle, CellBundle, MappedBundle, Pvs, Quad, Sample, TerrainBundle, TerrainParameters, World,
};
use viewcell_bake::bundle;
use viewcell_view::picture::{self, Ground, Viewpoint, mask_geotiff};

use super::ask::{Over, ask_world};
use super::bundles::{cannot_open, cells};
use super::place::{By, GivenPlace, Standing, check_cell, count_samples, quad_at, quad_over};
use super::solid;

/// What can be seen from A? Prints counts; -o draws it
///
/// Example: viewcell query pvs level.vcb 10,20 -o seen.tif
#[derive(clap::Args)]
pub struct PvsArgs {
    /// The bundle
    bundle: PathBuf,
    /// From where: COL,ROW, or a cell's number
    #[arg(allow_hyphen_values = true)]
    a: GivenPlace,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// Query the square of 2^LEVEL samples a side that contains A, instead of A alone
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    quad: u32,
    /// Write a drawing: .png is a hillshade with hidden places shaded, .tif a GeoTIFF mask, 1 = visible, 0 =
    /// hidden, 255 = no data
    #[arg(short, long, value_name = "MASK.png|.tif")]
    output: Option<PathBuf>,
    /// Overwrite the drawing if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query pvs --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs")]
pub struct PvsDocument {
    /// Level of the quad that looks: 2^level samples a side, 0 for a single sample.
    level: u32,
    /// Column and row of its north-western sample.
    origin: [u32; 2],
    /// Number of samples seen from somewhere in it.
    visible: u64,
    /// Number of samples hidden from all of it, voids not counted.
    hidden: u64,
    /// Number of voids and of samples where nobody can be.
    void: u64,
    /// The drawing, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    output: Option<PathBuf>,
}

/// What `viewcell query pvs --json` prints for cells.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query pvs, cells")]
pub struct CellPvsDocument {
    /// The cell that looks.
    cell: u32,
    /// Number of cells seen, itself among them.
    visible: u32,
    /// Number of cells hidden.
    hidden: u32,
    /// The cells seen, in rising order.
    cells: Vec<u32>,
}

enum Drawing {
    Png,
    GeoTiff,
}

pub fn pvs(args: &PvsArgs) -> Outcome {
    let is_drawn = args.output.is_some() || args.quad != 0;
    let expected_terrain = |found: &str| {
        Failure::usage(format!(
            "-o and --quad: expected a terrain, found {found} in {}{}",
            args.bundle.display(),
            match found {
                "cells" => "; viewcell export matrix draws these",
                _ => "",
            }
        ))
    };
    ask_world(
        &args.bundle,
        &args.by,
        &args.over,
        |map, world| match world {
            World::Terrain(terrain) => pvs_on_terrain(args, map, &terrain),
            World::Cells(_) if is_drawn => Err(expected_terrain("cells")),
            World::Cells(level) => pvs_in_level(args, &level),
            World::Solid(_) if is_drawn => Err(expected_terrain("a solid level")),
            World::Solid(level) => solid::pvs(&args.bundle, &level, args.a, &args.json),
        },
    )
}

fn pvs_in_level(args: &PvsArgs, level: &CellBundle) -> Outcome {
    let cell = check_cell(&args.bundle, level, args.a)?;
    let cells: Vec<u32> = level.pvs(cell).iter().collect();
    let visible = cells.len() as u32;
    let hidden = level.cells() - visible;
    let list: Vec<String> = cells.iter().map(u32::to_string).collect();
    let text = format!(
        "{}\ncells    {}",
        shares([visible, hidden].map(u64::from)),
        list.join(" ")
    );
    let document = || CellPvsDocument {
        cell,
        visible,
        hidden,
        cells,
    };
    args.json.tell(document, text)
}

/// How much is visible and hidden, as numbers and as shares.
fn shares([visible, hidden]: [u64; 2]) -> String {
    let share = |count: u64| 100.0 * count as f64 / (visible + hidden).max(1) as f64;
    format!(
        "visible  {visible:>12}  {:5.1} %\nhidden   {hidden:>12}  {:5.1} %",
        share(visible),
        share(hidden)
    )
}

/// How many samples of the heightmap a quad of view cells sees.
pub fn samples_seen(path: &Path, terrain: &TerrainBundle<'_>, quad: Quad) -> Result<u64, Failure> {
    let pvs = read(path, terrain, quad)?;
    Ok(samples_in(terrain.parameters(), &pvs))
}

fn samples_in(parameters: &TerrainParameters, pvs: &Pvs<'_>) -> u64 {
    count_samples(parameters, pvs.samples())
}

fn read<'t>(path: &Path, terrain: &TerrainBundle<'t>, quad: Quad) -> Result<Pvs<'t>, Failure> {
    terrain.pvs(quad).ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: the PVS of this place is damaged; see what viewcell verify says, and bake again",
            path.display()
        ))
    })
}

fn pvs_on_terrain(args: &PvsArgs, map: &MappedBundle, terrain: &TerrainBundle<'_>) -> Outcome {
    let drawing = args.output.as_deref().map(kind_of).transpose()?;
    let place = args.by.position(&args.bundle, terrain, args.a)?;
    let quad = quad_over(&args.bundle, terrain, place, args.quad)?;
    let pvs = read(&args.bundle, terrain, quad)?;

    if let (Some(path), Some(drawing)) = (&args.output, drawing) {
        output::check_outputs(&[&args.bundle], [path], args.force)?;
        let opened = map
            .bundle()
            .map_err(|error| cannot_open(&args.bundle, error))?;
        let bytes = match drawing {
            Drawing::Png => {
                check_drawable(&args.bundle, terrain)?;
                png(terrain, &pvs)
            }
            Drawing::GeoTiff => Ok(geotiff(&opened, terrain, &pvs)),
        };
        let bytes = bytes.map_err(Failure::resource)?;
        bundle::save(path, &bytes, args.force)?;
    }

    let parameters = terrain.parameters();
    let count = |cells: &mut dyn Iterator<Item = Sample>| count_samples(parameters, cells);
    let [columns, rows] = parameters.heightmap().map(u64::from);
    let has_ground = |cell: &Sample| terrain.valid().has_sample(*cell);
    let valid = count(&mut terrain.grid().row_by_row().filter(has_ground));
    let visible = samples_in(parameters, &pvs);
    let hidden = valid.saturating_sub(visible);
    let void = columns * rows - valid;
    let text = format!("{}\nvoid     {void:>12}", shares([visible, hidden]));
    let origin = quad.origin();
    let document = || PvsDocument {
        level: quad.level + parameters.finest(),
        origin: [origin.column, origin.row].map(|at| at << parameters.finest()),
        visible,
        hidden,
        void,
        output: args.output.clone(),
    };
    args.json.tell(document, text)
}

fn kind_of(path: &Path) -> Result<Drawing, Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    match extension.to_ascii_lowercase().as_str() {
        "png" => Ok(Drawing::Png),
        "tif" | "tiff" => Ok(Drawing::GeoTiff),
        _ => Err(Failure::usage(format!(
            "{}: expected a name that ends in .png or .tif, found {extension:?}",
            path.display()
        ))),
    }
}

fn png(terrain: &TerrainBundle, pvs: &Pvs) -> Result<Vec<u8>, picture::PictureError> {
    let visible = picture::mask(terrain.grid(), pvs);
    let drawn = picture::viewshed_image(&Ground::new(terrain), &visible);
    picture::marked_png(&drawn, &[Viewpoint::over(pvs.quad())])
}

fn geotiff(bundle: &Bundle, terrain: &TerrainBundle, pvs: &Pvs) -> Vec<u8> {
    let seen = picture::mask(terrain.grid(), pvs).into_iter();
    let samples = terrain.grid().row_by_row();
    let mask: Vec<Option<bool>> = samples
        .zip(seen)
        .map(|(sample, seen)| terrain.valid().has_sample(sample).then_some(seen))
        .collect();
    mask_geotiff(
        terrain.grid().width(),
        &mask,
        terrain.parameters().cell_spacing,
        picture::georeference_of(bundle, terrain).as_ref(),
    )
}

/// Which cell or sample contains a point? Prints the number of the cell, or COL,ROW of the sample and the height
/// of the ground
///
/// In a level the point is X,Y,Z in the units and axes of its file, or of the engine in --from of a solid one's
/// bake. The cell of a level of cells is found by the level's BSP or, without one, by the boxes of the cells. If
/// there is no cell, the answer is nowhere. In a terrain the place is EAST,SOUTH with --at,
/// X,Y with --xy, and otherwise COL,ROW.
///
/// Example: viewcell query locate e1m1.vcb 480,-352,88
#[derive(clap::Args)]
pub struct LocateArgs {
    /// The bundle
    bundle: PathBuf,
    /// The point: numbers separated by commas or spaces
    #[arg(allow_hyphen_values = true)]
    point: String,
    // Numbers by themselves, so that options are options still where they end.
    #[arg(allow_hyphen_values = true, hide = true)]
    second: Option<String>,
    #[arg(allow_hyphen_values = true, hide = true)]
    third: Option<String>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    #[command(flatten)]
    json: Json,
}

/// What `viewcell query locate --json` prints for terrains.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query locate, terrains")]
pub struct LocateTerrainDocument {
    /// Column and row of the sample.
    sample: [u32; 2],
    /// Column and row of the view cell that contains it, in a bundle of --finest; absent if view cells are
    /// samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<[u32; 2]>,
    /// How far east and south of sample (0, 0) it lies, in metres.
    at: [f64; 2],
    /// Height of its ground, with cell that of the view cell, in metres; null at a void.
    height: Option<f32>,
    /// Whether somebody can be there. If not, nothing is visible to or from there.
    place: Standing,
}

/// What `viewcell query locate --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell query locate")]
pub struct LocateDocument {
    /// The point.
    point: [f64; 3],
    /// The cell that contains it; null in solid and outside the level.
    cell: Option<u32>,
}

pub fn locate(args: &LocateArgs) -> Outcome {
    let numbers = [Some(&args.point), args.second.as_ref(), args.third.as_ref()];
    let point = numbers.map(|n| n.map(String::as_str));
    let point = point.into_iter().flatten().collect::<Vec<_>>().join(",");
    let in_space = || {
        values::point(&point)
            .ok_or_else(|| Failure::usage(format!("{point}: expected X,Y,Z: three finite numbers")))
    };
    ask_world(
        &args.bundle,
        &args.by,
        &args.over,
        |map, world| match world {
            World::Terrain(terrain) => {
                if point.split(',').count() == 3 {
                    // A point of a level: says that there is none.
                    cells(&args.bundle, map)?;
                }
                locate_on_terrain(args, &terrain, &point)
            }
            World::Solid(level) => {
                let point = in_space()?;
                solid::locate(&level, point, &args.json)
            }
            World::Cells(level) => {
                if level.parameters().nodes == 0 && level.bounds(0).is_none() {
                    return Err(Failure::bad_input(format!(
                        "{}: expected a BSP or boxes of cells, found neither; bake the level's BSP",
                        args.bundle.display()
                    )));
                }
                let point = in_space()?;
                let cell = level.locate(point);
                let words = cell.map_or("nowhere".into(), |cell| cell.to_string());
                args.json.tell(|| LocateDocument { point, cell }, words)
            }
        },
    )
}

fn locate_on_terrain(args: &LocateArgs, terrain: &TerrainBundle<'_>, point: &str) -> Outcome {
    let place: GivenPlace = point
        .parse()
        .map_err(|fault| Failure::usage(format!("{point}: {fault}")))?;
    let place = args.by.position(&args.bundle, terrain, place)?;
    let [column, row] = place.numbers();
    let height = terrain.height(place.cell);
    let standing = Standing::within(terrain, quad_at(terrain, place.sample, 0));
    let parameters = terrain.parameters();
    let metres =
        |at: u32, cell: f64| f64::from(at) * cell / f64::from(1_u32 << parameters.finest());
    let [dx, dy] = parameters.cell_spacing;
    let document = || LocateTerrainDocument {
        sample: [column, row],
        cell: (parameters.finest() > 0).then_some([place.cell.column, place.cell.row]),
        at: [metres(column, dx), metres(row, dy)],
        height,
        place: standing,
    };
    let height = match (height, standing) {
        (None, _) => "void".to_owned(),
        (Some(height), Standing::NotWalkable) => format!("{height} m, not walkable"),
        (Some(height), _) => format!("{height} m"),
    };
    // A coarse bundle has one height a cell, which is not that of the sample.
    let of = match (parameters.finest(), terrain.height(place.cell)) {
        (0, _) | (_, None) => "",
        _ => ", the height of its cell",
    };
    args.json
        .tell(document, format_args!("{column},{row}  {height}{of}"))
}
