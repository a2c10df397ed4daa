//! `viewcell query pvs`: everything that may be seen from a place; and `viewcell query locate`: which cell holds a point?

use std::path::{Path, PathBuf};

use crate::exit::{Failure, Outcome};
use crate::output::{self, Json, escaped_line, say};
use crate::render::check_drawable;
use crate::values;
use viewcell::query::{Bundle, Place, Pvs, Quad, Sample, SolidBundle, TerrainBundle, World};
use viewcell_bake::bundle;
use viewcell_view::picture::{self, Ground, Viewpoint, mask_geotiff};

use super::answer::{self, Answer, LocatedCell, LocatedSample, SeenObject};
use super::opened::{Opened, Over};
use super::place::{By, GivenPlace, Standing, count_samples};

/// What can be seen from A? Prints counts; -o draws it
///
/// Of a scene (bake scene) the objects that a camera may see are printed, a line each: number, tab, path.
/// `viewcell query objects` is the same.
///
/// Example: viewcell query pvs level.vcb 10,20 -o seen.tif
#[derive(clap::Args)]
pub struct PvsArgs {
    /// The bundle
    bundle: PathBuf,
    /// From where: COL,ROW, or a cell's number
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

#[derive(Clone, Copy)]
enum Drawing {
    Png,
    GeoTiff,
}

pub fn pvs(args: &PvsArgs) -> Outcome {
    let opened = args.by.open(&args.bundle, &args.over)?;
    match opened.world() {
        World::Terrain(terrain) => pvs_on_terrain(args, &opened, terrain),
        level if args.output.is_some() || args.quad != 0 => {
            let (found, instead) = match level.cells() {
                Some(_) => ("cells", "; viewcell export matrix draws these"),
                None => ("a solid level", ""),
            };
            Err(Failure::usage(format!(
                "-o and --quad: expected a terrain, found {found} in {}{instead}",
                args.bundle.display()
            )))
        }
        World::Solid(scene) if scene.objects().is_some() => objects(args, &opened, scene),
        level => pvs_in_level(args, &opened, level),
    }
}

/// The objects that a camera may see, a line each.
fn objects(args: &PvsArgs, opened: &Opened, scene: &SolidBundle<'_>) -> Outcome {
    let position = args.by.position(opened, args.a)?;
    let world = opened.world();
    let cell = position.place.and_then(|place| world.number(place));
    let all = scene.objects();
    let seen = scene.objects_from(cell.map(|cell| cell as u32));
    let objects = seen.map(|number| {
        // One whose record is damaged is seen all the same.
        let of = all.and_then(|all| all.get(number));
        SeenObject {
            number,
            path: of.as_ref().map_or("", |of| of.path).to_owned(),
            triangles: of.map_or(0, |of| of.triangles),
        }
    });
    let objects: Vec<SeenObject> = objects.collect();
    if cell.is_none() {
        say(format_args!(
            "{position} is in no view cell of {}: a camera there sees all objects",
            args.bundle.display()
        ));
    }
    let line = |of: &SeenObject| format!("{}\t{}", of.number, escaped_line(&of.path));
    let lines: Vec<String> = objects.iter().map(line).collect();
    let document = || {
        Answer::Objects(answer::Objects {
            kind: opened.kind().to_string(),
            cell: cell.map(|cell| cell as u32),
            objects,
        })
    };
    args.json.tell(document, lines.join("\n"))
}

fn pvs_in_level(args: &PvsArgs, opened: &Opened, level: &World<'_>) -> Outcome {
    let position = args.by.position(opened, args.a)?;
    let (cell, seen) = (opened.cell(&position)?, opened.pvs(&position, 0)?);
    let cells = seen.places().filter_map(|place| level.number(place));
    let cells: Vec<u32> = cells.map(|cell| cell as u32).collect();
    let visible = cells.len() as u64;
    let hidden = level.places() - visible;
    let shares = shares([visible, hidden]);
    let text = match level.solid() {
        Some(_) => format!("cell     {cell:>12}\n{shares}"),
        None => {
            let list: Vec<String> = cells.iter().map(u32::to_string).collect();
            format!("{shares}\ncells    {}", list.join(" "))
        }
    };
    let document = || {
        Answer::Pvs(answer::Pvs {
            kind: level.kind().to_string(),
            level: None,
            origin: None,
            cell: Some(cell),
            visible,
            hidden,
            void: None,
            cells: Some(cells),
            output: None,
        })
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

/// How many samples of the heightmap a view cell of a terrain sees.
pub fn samples_seen(opened: &Opened, cell: Sample) -> Result<u64, Failure> {
    let (terrain, seen) = (opened.terrain()?, opened.seen(Place::Sample(cell), 0)?);
    let samples = seen.terrain().map(Pvs::samples).into_iter().flatten();
    Ok(count_samples(terrain.parameters(), samples))
}

fn pvs_on_terrain(args: &PvsArgs, opened: &Opened, terrain: &TerrainBundle<'_>) -> Outcome {
    let drawing = args.output.as_deref().map(kind_of).transpose()?;
    let place = args.by.position(opened, args.a)?;
    let pvs = &opened.terrain_pvs(&place, args.quad)?;

    if let (Some(path), Some(drawing)) = (&args.output, drawing) {
        output::check_outputs(&[&args.bundle], [path], args.force)?;
        let bytes = match drawing {
            Drawing::Png => {
                check_drawable(&args.bundle, terrain)?;
                png(terrain, pvs)
            }
            Drawing::GeoTiff => Ok(geotiff(&opened.bundle(), terrain, pvs)),
        };
        let bytes = bytes.map_err(Failure::resource)?;
        bundle::save(path, &bytes, args.force)?;
    }

    let parameters = terrain.parameters();
    let count = |cells: &mut dyn Iterator<Item = Sample>| count_samples(parameters, cells);
    let [columns, rows] = parameters.heightmap().map(u64::from);
    let has_ground = |cell: &Sample| terrain.valid().has_sample(*cell);
    let valid = count(&mut terrain.grid().row_by_row().filter(has_ground));
    let visible = count(&mut pvs.samples());
    let hidden = valid.saturating_sub(visible);
    let void = columns * rows - valid;
    let text = format!("{}\nvoid     {void:>12}", shares([visible, hidden]));
    let Quad { level, .. } = pvs.quad();
    let Sample { column, row } = pvs.quad().origin();
    let document = || {
        Answer::Pvs(answer::Pvs {
            kind: opened.kind().to_string(),
            level: Some(level + parameters.finest()),
            origin: Some([column, row].map(|at| at << parameters.finest())),
            cell: None,
            visible,
            hidden,
            void: Some(void),
            cells: None,
            output: args.output.clone(),
        })
    };
    args.json.tell(document, text)
}

fn kind_of(path: &Path) -> Result<Drawing, Failure> {
    let endings = [
        ("png", Drawing::Png),
        ("tif", Drawing::GeoTiff),
        ("tiff", Drawing::GeoTiff),
    ];
    output::of_ending(path, &endings, ".png or .tif")
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
    point: String,
    // Numbers by themselves, so that options are options still where they end.
    #[arg(hide = true)]
    second: Option<String>,
    #[arg(hide = true)]
    third: Option<String>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    #[command(flatten)]
    json: Json,
}

pub fn locate(args: &LocateArgs) -> Outcome {
    let numbers = [Some(&args.point), args.second.as_ref(), args.third.as_ref()];
    let point = numbers.map(|n| n.map(String::as_str));
    let point = point.into_iter().flatten().collect::<Vec<_>>().join(",");
    let opened = args.by.open(&args.bundle, &args.over)?;
    let world = opened.world();
    if let World::Terrain(terrain) = world {
        if point.split(',').count() == 3 {
            // A point of a level: says that there is none.
            opened.cells()?;
        }
        return locate_on_terrain(args, &opened, terrain, &point);
    }
    opened.check_locates()?;
    let point = values::point(&point)
        .ok_or_else(|| Failure::usage(format!("{point}: expected X,Y,Z: three finite numbers")))?;
    let place = world.locate(point);
    let cell = place.and_then(|place| world.number(place));
    let words = cell.map_or("nowhere".into(), |cell| cell.to_string());
    let document = || {
        Answer::Cell(LocatedCell {
            kind: world.kind().to_string(),
            point,
            cell: cell.map(|cell| cell as u32),
            bounds: place.and_then(|place| world.bounds(place)),
        })
    };
    args.json.tell(document, words)
}

fn locate_on_terrain(
    args: &LocateArgs,
    opened: &Opened,
    terrain: &TerrainBundle<'_>,
    point: &str,
) -> Outcome {
    let place: GivenPlace = point
        .parse()
        .map_err(|fault| Failure::usage(format!("{point}: {fault}")))?;
    let position = args.by.position(opened, place)?;
    let parameters = terrain.parameters();
    let [sample, cell] = opened.samples(&position)?;
    let (column, row) = (sample.column, sample.row);
    let height = terrain.height(cell);
    let standing = position.standing(opened.world(), 0);
    let metres =
        |at: u32, cell: f64| f64::from(at) * cell / f64::from(1_u32 << parameters.finest());
    let [dx, dy] = parameters.cell_spacing;
    let document = || {
        Answer::Sample(LocatedSample {
            kind: opened.kind().to_string(),
            sample: [column, row],
            cell: (parameters.finest() > 0).then_some([cell.column, cell.row]),
            at: [metres(column, dx), metres(row, dy)],
            height,
            place: standing,
        })
    };
    let words = match (height, standing) {
        (None, _) => "void".to_owned(),
        (Some(height), Standing::NotWalkable) => format!("{height} m, not walkable"),
        (Some(height), _) => format!("{height} m"),
    };
    // A coarse bundle has one height a cell, which is not that of the sample.
    let of = match (parameters.finest(), height) {
        (0, _) | (_, None) => "",
        _ => ", the height of its cell",
    };
    args.json
        .tell(document, format_args!("{column},{row}  {words}{of}"))
}
