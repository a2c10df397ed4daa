//! `viewcell view`: a bundle in a browser, or a heightmap or a level that is not baked.

use std::path::{Path, PathBuf};

use viewcell_bake::bundle::kind_of;
use viewcell_bake::plan::{Layers, Players, WorldFile};
use viewcell_bake::{BakeOptions, Input, PlanError, PlanOptions, Silent, check_height, plan};
use viewcell_ingest::cells::IngestCellsOptions;
use viewcell_view::live::{Server, Unbaked, ViewError};

use super::bake::{bundle_of, check_output, reached};
use super::exit::{Exit, Failure, Outcome};
use super::heightmap::Reading;
use super::level::LevelArgs;
use super::output::{print, say};
use super::progress::{Progress, Voice};
use super::query::cannot_open;
use super::signals::Stop;
use super::{simulate, values};

/// Show a bundle in a browser, two side by side, or a heightmap or a level that is not baked
///
/// Prints the address of a page, opens it in the browser, and serves it to this machine alone until Ctrl-C. Hover
/// to see what is visible from a place. Drag two players to see their frontier set, or walk them with the arrow
/// keys. --traces replays movements, with what players see and hear of each other. With --dig, clicks make craters
/// and hills, and visibility follows; the bundle file stays unchanged.
///
/// Of a heightmap or a level the page shows what to check before a bake (range, extent, units, spacing, where players
/// can be), what is visible from the place under the pointer, and what a bake takes; a button bakes it. A level with view
/// cells of its own (.prt, WAD, JSON) is baked at once into a temporary file.
///
/// Example: viewcell view level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle; or a heightmap or a level, detected from its content
    #[arg(value_name = "FILE")]
    bundle: PathBuf,
    /// Another bundle of the same terrain or level, to compare
    other: Option<PathBuf>,
    /// Of a heightmap or a level: the bundle that the page bakes [default: the input's name with .vcb, in the current
    /// folder]
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,
    /// Of a heightmap: height of the top of the head above ground, in metres
    #[arg(long, value_name = "METRES", default_value_t = 1.8)]
    player_height: f64,
    /// Of a heightmap: height of the eye above ground, in metres [default: --player-height]
    #[arg(long, value_name = "METRES")]
    eye_height: Option<f64>,
    /// Of a level: positions that players can reach besides its spawn points, as for viewcell bake solid
    #[arg(long, value_name = "FILE.csv")]
    reach: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    level: LevelArgs,
    /// Of a WAD: the map
    #[arg(long, value_name = "NAME")]
    map: Option<String>,
    /// Replay the movements of players: a trace in CSV, or a demo of a QuakeWorld server (.mvd)
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    traces: Option<PathBuf>,
    /// With --traces: frames per second, in which visibility is computed and schemes send
    #[arg(long, default_value_t = 20.0, value_parser = values::positive, requires = "traces")]
    hz: f64,
    /// With --traces: names of schemes to count [default: all]
    #[arg(
        long = "scheme",
        value_name = "NAME",
        value_delimiter = ',',
        requires = "traces"
    )]
    schemes: Vec<String>,
    /// Dig where you click; the bundle must be lossless
    #[arg(long, conflicts_with_all = ["other", "traces"])]
    dig: bool,
    /// Port of the loopback interface to listen at [default: any free port]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

pub fn run(args: &Args) -> Outcome {
    // Until the server has ended.
    let mut aside = None;
    let mut server = if is_unbaked(&args.bundle) {
        match unbaked(args)? {
            Some(unbaked) => Server::unbaked(unbaked, args.port)?,
            None => {
                let folder = tempfile::tempdir();
                let folder = folder.map_err(Failure::cannot_read(&std::env::temp_dir()))?;
                let baked = bake_aside(args, folder.path())?;
                aside = Some(folder);
                Server::bind(&baked, None, args.port)?
            }
        }
    } else {
        Server::bind(&args.bundle, args.other.as_deref(), args.port)?
    };
    if let Some(trace) = &args.traces {
        let players = simulate::players(&args.bundle, trace, args.hz, args.schemes.clone())?;
        server = server.playing(players)?;
    }
    if args.dig {
        server = server.digging()?;
    }
    // Before the address is out: whoever reads it may send the signal at once.
    let stop = Stop::listen()?;
    let address = server.url();
    print(&address)?;
    if !args.no_open
        && let Err(error) = open::that_detached(&address)
    {
        say(format_args!(
            "no browser could be opened ({error}): open {address} yourself"
        ));
    }
    server.run(|| stop.asked())?;
    drop(aside);
    Ok(stop.exit())
}

/// Bakes a level of cells alone into a folder, which takes seconds where a level has visibility or few portals.
fn bake_aside(args: &Args, folder: &Path) -> Result<PathBuf, Failure> {
    let input = &args.bundle;
    let output = folder.join(input.file_name().unwrap_or_default());
    let output = output.with_extension("vcb");
    Progress::watch(&Voice::of(false), |progress| {
        let reading = IngestCellsOptions {
            map: args.map.clone(),
        };
        let read = Input::cells(input, args.level.pack.as_deref(), &reading, progress)?;
        say(format_args!(
            "{}: a level with view cells of its own: baked into a temporary file to be shown; viewcell bake {} keeps it",
            input.display(),
            input.display()
        ));
        let plan = plan(&read, &PlanOptions::default(), progress)?;
        Ok::<_, PlanError>(viewcell_bake::run(&plan, &output, None, progress)?)
    })?;
    Ok(output)
}

/// Whether a file is there, and none that this program writes, nor named so.
fn is_unbaked(path: &Path) -> bool {
    // Whoever opens a pipe waits for somebody to write.
    if !path.metadata().is_ok_and(|data| data.is_file())
        || path.extension().is_some_and(|end| end == "vcb")
    {
        return false;
    }
    kind_of(path).is_none()
}

/// Reads a heightmap or a level; `None` of a level of cells alone.
fn unbaked(args: &Args) -> Result<Option<Unbaked>, Failure> {
    let input = &args.bundle;
    for (name, given) in [
        ("--traces", args.traces.is_some()),
        ("--dig", args.dig),
        ("a second file", args.other.is_some()),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{}: expected a bundle with {name}, found another file; bake it first",
                input.display()
            )));
        }
    }
    let output = bundle_of(args.output.as_ref(), input)?;
    check_output(input, false, true, &output)?;
    let kind = WorldFile::of(input).unwrap_or(WorldFile::Terrain);
    let read = if kind == WorldFile::Terrain {
        Input::terrain(input, &args.reading.options(), &Layers::default(), &Silent)?
    } else {
        let players = Players {
            reach: reached(args.reach.as_deref())?,
            ..Players::default()
        };
        match Input::solid(input, &args.level.options(), &players, &Silent) {
            Err(_) if kind == WorldFile::Cells => return Ok(None),
            read => read?,
        }
    };
    let head = args.player_height;
    let bake = BakeOptions {
        eye_height: args.eye_height.unwrap_or(head),
        player_height: head,
        ..BakeOptions::default()
    };
    check_height("player_height", bake.player_height)?;
    check_height("eye_height", bake.eye_height)?;
    Ok(Some(Unbaked::new(read, bake, output)?))
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        let exit = match error {
            ViewError::Open(error) => return cannot_open(std::path::Path::new(""), error),
            ViewError::Dig(error) => return error.into(),
            ViewError::Differ { .. } => Exit::Usage,
            ViewError::Play { .. } => Exit::BadInput,
            ViewError::Listen { .. } | ViewError::Serve(_) => Exit::InputOutput,
        };
        Self::new(exit, error)
    }
}
