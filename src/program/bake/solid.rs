//! `viewcell bake solid`: a level made of solids becomes a bundle.

use std::path::{Path, PathBuf};

use crate::compression::CompressionArgs;
use crate::exit::{Failure, Outcome};
use crate::heightmap::QualityName;
use crate::level::LevelArgs;
use crate::output::check_not_input;
use crate::simulate::csv;
use crate::{input, values};
use viewcell_bake::plan::{CellChoice, Grade, Players};
use viewcell_bake::{Input, Observer as _, PlanOptions, bundle};
use viewcell_ingest::solid::split_scene;
use viewcell_ingest::world::solid::{Aabb, Cameras};

use super::verb::Verb;
use super::verb_options::{VerbOptions, bundle_of};

/// Bake a level of solids or a mesh: view cells as small as players, in three dimensions
///
/// Reads brushes of IBSP46, IBSP47 and VBSP, solid leaves of BSP29, 2PSB, BSP2, BSP30 and IBSP38, Quake .map
/// (Standard, Valve 220), OBJ, glTF, GLB and CityJSON, detected from their content. A view cell is a box of
/// positions of a player's origin that can be reached from the level's spawn points. Lengths are in the file's
/// units.
///
/// Example: viewcell bake solid ps9ctf.bsp -o ps9ctf.vcb --cell 32
#[derive(clap::Args)]
pub struct Args {
    /// The level
    input: PathBuf,

    /// The bundle to write [default: the input's name with .vcb, in the current folder]
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,

    /// How much of what could be hidden is hidden, for how much work: chooses --cell and --grade by how much work a sample
    /// of the level is, unless one of them is given
    ///
    /// samples has cells of the usual size, each of which answers for itself. --dry-run tells what each quality takes
    /// here.
    #[arg(long, value_enum, default_value_t, value_name = "QUALITY")]
    quality: QualityName,

    /// Width of the view cells near floors, and their height [default: 32 units of Quake, 1 m of meshes; larger where
    /// --quality chooses so]
    #[arg(long, value_name = "SIZE[,HEIGHT]", value_parser = cell)]
    cell: Option<[f64; 2]>,

    /// Let cells grow with distance: boxes of several cells answer as one if the distance between two is at least RATIO
    /// of their longest sides [default: 32]
    ///
    /// One sees the other if anybody in it does. No visible player is hidden; more counts as visible, in less time and
    /// fewer bytes.
    #[arg(
        long,
        value_name = "RATIO",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "32"
    )]
    grade: Option<u32>,

    /// The box of a player's body, relative to the origin [default: that of the format's game; in meshes 0.6 m
    /// wide and 1.8 m high, with the origin between the feet]; or objects
    ///
    /// With objects those of a glTF or OBJ file are seen in place of players, nodes with a mesh or groups by their names: what a
    /// camera anywhere in a view cell need not draw. Cameras are in the boxes of --within, or from --eye LOW to HIGH over all that
    /// somebody can stand on [default: 0.5,2]. What may move or has a skin is always drawn and hides nothing; what is transparent
    /// hides nothing. `viewcell bake scene FILE` and --objects say the same. Behind a comma, or as --split METRES, the size of cubes by
    /// which the meshes of a glTF file are divided, each part an object: the scene so divided, which is drawn then, is written beside
    /// the bundle as .split.glb.
    #[arg(
        long,
        value_name = "MINX,MINY,MINZ,MAXX,MAXY,MAXZ",
        allow_hyphen_values = true,
        value_parser = seen
    )]
    hull: Option<Seen>,

    /// Height of the eye above the origin, or lowest and highest, crouched and standing [default: that of the
    /// format's game: 12,26 in Quake III; 22 in Quake, which has no crouching; 1.7 m in meshes]
    #[arg(long, value_name = "LOW[,HIGH]", value_parser = eye)]
    eye: Option<[f64; 2]>,

    /// Positions that players can reach besides the level's spawn points, in the coordinates of queries: a trace
    /// (CSV with the columns t_ms,player,x,y,z and others), or lines of x,y,z
    #[arg(long, value_name = "FILE.csv")]
    reach: Option<PathBuf>,

    /// The box that bounds where players are, in the coordinates of queries: nobody is followed out of it, and whoever begins
    /// outside is left out. What hides goes on beyond. Of a scene a box that cameras are in, which may be repeated; --volume is
    /// the same
    #[arg(
        long,
        value_name = "X0,Y0,Z0,X1,Y1,Z1",
        value_parser = hull
    )]
    within: Vec<Aabb>,

    /// Number of threads; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,

    /// Overwrite the bundle if it exists
    #[arg(long)]
    force: bool,

    /// Bake again whenever the file is saved, as a draft first: each in a line, until Ctrl-C. A page of viewcell view shows
    /// the newest
    #[arg(long, conflicts_with_all = ["resume", "restart", "no_checkpoint", "dry_run", "shard"])]
    watch: bool,

    #[command(flatten)]
    reading: LevelArgs,
    #[command(flatten)]
    compression: CompressionArgs,
    #[command(flatten)]
    verb_options: VerbOptions,
}

/// What is seen.
#[derive(Clone, Copy)]
enum Seen {
    Bodies(Aabb),
    /// Of meshes that are divided by cubes of a size, if there is one.
    Objects(Option<f64>),
}

fn seen(text: &str) -> Result<Seen, String> {
    let Some(size) = text.strip_prefix("objects") else {
        return hull(text).map(Seen::Bodies);
    };
    let size = match size.strip_prefix(',') {
        None if size.is_empty() => None,
        size => Some(
            size.unwrap_or("")
                .parse()
                .ok()
                .filter(|n| values::is_length(*n)),
        ),
    };
    let fault = "expected objects or objects,METRES: a number from 0.0001 to 1e9";
    let objects = size.map(|size| size.ok_or(fault.to_owned())).transpose();
    objects.map(Seen::Objects)
}

/// Where cameras are over floors, in units of the file, if nobody says another.
const OVER_FLOORS: [f64; 2] = [0.5, 2.0];

/// SIZE or SIZE,HEIGHT.
fn cell(text: &str) -> Result<[f64; 2], String> {
    let cell = values::one_or_two(text).map(|(size, height)| [size, height.unwrap_or(size)]);
    let cell = cell.filter(|cell| cell.iter().all(|n| values::is_length(*n)));
    cell.ok_or("expected SIZE or SIZE,HEIGHT: numbers from 0.0001 to 1e9".to_owned())
}

/// LOW or LOW,HIGH.
fn eye(text: &str) -> Result<[f64; 2], String> {
    let eye = values::one_or_two(text).map(|(low, high)| [low, high.unwrap_or(low)]);
    let is_range = |[low, high]: &[f64; 2]| {
        low <= high && values::is_coordinate(*low) && values::is_coordinate(*high)
    };
    let fault = "expected UP or LOW,HIGH: numbers from -1e9 to 1e9, the lower first";
    eye.filter(is_range).ok_or(fault.to_owned())
}

/// A box: six numbers.
pub fn hull(text: &str) -> Result<Aabb, String> {
    let fault = "expected X0,Y0,Z0,X1,Y1,Z1: six numbers from -1e9 to 1e9, each of the first three below its counterpart";
    let numbers = values::numbers(text);
    let numbers = numbers.filter(|numbers| numbers.iter().all(|n| values::is_coordinate(*n)));
    match numbers.as_deref() {
        Some(&[a, b, c, d, e, f]) if a < d && b < e && c < f => Ok(Aabb {
            min: [a, b, c],
            max: [d, e, f],
        }),
        _ => Err(fault.to_owned()),
    }
}

pub fn run(args: &Args) -> Outcome {
    let verb = Verb {
        input: &args.input,
        bundle: bundle_of(args.output.as_ref(), &args.input)?,
        force: args.force,
        is_lossy: args.compression.budget.is_some(),
        keeps_flow: false,
        watch: args.watch,
        options: &args.verb_options,
    };
    let is_scene = matches!(args.hull, Some(Seen::Objects(_)));
    if args.within.len() > 1 && !is_scene {
        let found = args.within.len();
        return Err(Failure::usage(format!(
            "--within: expected one box of players, found {found}; give one around all"
        )));
    }
    if is_scene && (args.reach.is_some() || args.eye.is_some() && !args.within.is_empty()) {
        return Err(Failure::usage(
            "expected cameras by --volume or by --eye, found --reach, or both; leave one out",
        ));
    }
    verb.run(|progress| {
        let players = Players {
            hull: match args.hull {
                Some(Seen::Bodies(hull)) => Some(hull),
                _ => None,
            },
            eye: args.eye,
            reach: reached(args.reach.as_deref())?,
            within: (args.within.first().filter(|_| !is_scene)).map(|of| [of.min, of.max]),
            cameras: is_scene.then(|| match args.within.is_empty() {
                true => Cameras::Floors(args.eye.unwrap_or(OVER_FLOORS)),
                false => Cameras::Volumes(args.within.clone()),
            }),
        };
        let mut reading = args.reading.options();
        if let Some(Seen::Objects(Some(size))) = args.hull {
            reading.split = Some(size);
            let long = &args.verb_options.long;
            if !long.dry_run && long.shard.is_none() {
                let divided = split_scene(&args.input, size)?;
                let whole =
                    bundle_of(args.output.as_ref(), &args.input)?.with_extension("split.glb");
                check_not_input(&args.input, &whole)?;
                let again = args.force || args.watch || long.resume;
                bundle::save_with(&whole, again, |file| file.write_all(&divided))?;
                progress.note(&format!("meshes are divided: draw {}", whole.display()));
            }
        }
        let input = Input::solid(&args.input, &reading, &players, progress)?;
        let cells = CellChoice {
            quality: args.quality.quality(),
            cell: args.cell,
            grade: args.grade.map(Grade::Ratio),
            ..CellChoice::default()
        };
        let mut options = PlanOptions {
            cells,
            budget: args.compression.choice(),
            ..PlanOptions::default()
        };
        options.bake.threads = args.threads;
        Ok((input, options))
    })
}

/// Positions of a trace, or of lines of three numbers, which may have a line of names above them; none of no file.
pub fn reached(file: Option<&Path>) -> Result<Vec<[f64; 3]>, Failure> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let text = input::read_text(file, input::LARGE)?;
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or("");
    if first.contains("t_ms") {
        let trace = csv(file)?;
        let alive = trace.players.iter().flatten().filter(|spot| !spot.dead);
        return Ok(alive.map(|spot| spot.at).collect());
    }
    let is_header = |line: &str| {
        let names = line
            .split(',')
            .map(|name| name.trim().trim_matches('"').to_ascii_lowercase());
        names.eq(["x", "y", "z"])
    };
    let mut points = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || number == 1 && is_header(line) {
            continue;
        }
        match values::numbers(line).as_deref() {
            Some(&[x, y, z]) => points.push([x, y, z]),
            _ => {
                return Err(Failure::bad_input(format!(
                    "{}: line {number}: expected x,y,z: three finite numbers, found {line:?}",
                    file.display()
                )));
            }
        }
    }
    Ok(points)
}
