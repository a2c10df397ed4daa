//! `viewcell bake cells`: a level becomes a bundle; and `viewcell import`: other tools' visibility does.

use std::path::{Path, PathBuf};

use crate::exit::{Failure, Outcome};
use crate::output::{Json, check_not_input};
use crate::progress::{Progress, Voice};
use crate::values;
use viewcell_bake::plan::WorldFile;
use viewcell_bake::visibility::portals::FlowMethod;
use viewcell_bake::{CellOptions, Input, PlanOptions};
use viewcell_ingest::cells::{IngestCellsOptions, IngestedCells, read_cells};
use viewcell_ingest::world::CellGraph;
use viewcell_ingest::{read_matrix, world};

use super::verb::Verb;
use super::verb_options::Long;
use super::verb_options::{VerbOptions, bundle_of};

/// Bake a level of cells: who sees whom among them, and how far apart they are
///
/// Reads BSP29, 2PSB, BSP2, BSP30, IBSP38, IBSP46, IBSP47, VBSP, portal files (PRT1, PRT2), Doom WADs, and cell
/// graphs in JSON (schemas/cells.json), detected from their content. If a level has no visibility, it is computed
/// from the portals; those of a BSP are derived from its planes.
///
/// Example: viewcell bake cells e1m1.bsp -o e1m1.vcb
#[derive(clap::Args)]
pub struct CellsArgs {
    /// The level
    input: PathBuf,

    #[command(flatten)]
    writing: Writing,

    /// Store portals, and so which cells are adjacent, in the bundle of a level that has visibility
    #[arg(long)]
    portals: bool,

    /// Number of threads; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,

    /// The game's folder: the level is its maps/NAME.bsp, loose or in a pack (.pk3, .pak), as the game would load it
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,

    /// Compute who sees whom from portals, even if the level has visibility
    #[arg(long)]
    recompute: bool,

    /// Compute it in seconds; two to three times as much counts as visible
    #[arg(long)]
    fast: bool,

    /// Save finished work in OUT.vcb.checkpoint, and continue from what a killed bake has left there
    #[arg(long)]
    resume: bool,

    /// Bake again whenever the file is saved, each in a line, until Ctrl-C. A page of viewcell view shows the newest
    #[arg(long, conflicts_with = "resume")]
    watch: bool,

    #[command(flatten)]
    voice: Voice,
}

/// How cells become a bundle, whatever they are read from.
#[derive(clap::Args)]
struct Writing {
    /// The bundle to write [default: the input's name with .vcb, in the current folder]
    #[arg(short, long, value_name = "OUT.vcb")]
    output: Option<PathBuf>,

    /// What to do if one of two cells sees the other, but not the other way round
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Symmetry::Or)]
    symmetry: Symmetry,

    /// The map, in a WAD
    #[arg(long, value_name = "NAME")]
    map: Option<String>,

    /// Overwrite the bundle if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    json: Json,
}

/// How a PVS is made symmetric.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Symmetry {
    /// Visible if either sees the other: never hides what is visible
    Or,
    /// Visible if both see each other: hides what one of them sees
    And,
    /// Unchanged: distances have a direction, and players in a frontier set may see each other
    None,
}

impl Symmetry {
    pub fn world(self) -> world::Symmetry {
        match self {
            Self::Or => world::Symmetry::Or,
            Self::And => world::Symmetry::And,
            Self::None => world::Symmetry::None,
        }
    }
}

impl Writing {
    /// What the file leaves open.
    fn reading(&self) -> IngestCellsOptions {
        IngestCellsOptions {
            map: self.map.clone(),
        }
    }

    /// How they are baked.
    fn options(&self) -> PlanOptions {
        PlanOptions {
            graph: CellOptions {
                symmetry: self.symmetry.world(),
                ..CellOptions::default()
            },
            ..PlanOptions::default()
        }
    }

    /// Bakes what `prepare` reads from a file.
    fn run(
        &self,
        input: &Path,
        [resume, watch]: [bool; 2],
        voice: Voice,
        prepare: impl Fn(&Progress) -> Result<(Input, PlanOptions), Failure>,
    ) -> Outcome {
        let long = Long {
            resume,
            ..Long::default()
        };
        let options = VerbOptions {
            long,
            voice,
            json: self.json,
        };
        let verb = Verb {
            input,
            bundle: self.bundle(input)?,
            force: self.force,
            is_lossy: false,
            keeps_flow: resume,
            watch,
            options: &options,
        };
        verb.run(prepare)
    }

    /// Where the bundle goes.
    fn bundle(&self, input: &Path) -> Result<PathBuf, Failure> {
        bundle_of(self.output.as_ref(), input)
    }
}

pub fn run(args: &CellsArgs) -> Outcome {
    let CellsArgs { input, writing, .. } = args;
    let is_json = input.extension().is_some_and(|end| end == "json");
    if !is_json && WorldFile::of(input) == Some(WorldFile::Solid) {
        return Err(Failure::bad_input(format!(
            "{}: expected a level with view cells of its own, as compilers write them, found solids or faces; viewcell \
             bake solid divides it into view cells",
            input.display()
        )));
    }
    writing.run(input, [args.resume, args.watch], args.voice, |progress| {
        let read = Input::cells(input, args.pack.as_deref(), &writing.reading(), progress)?;
        let mut options = writing.options();
        options.bake.threads = args.threads;
        options.graph.recompute = args.recompute;
        options.graph.portals = args.portals;
        if args.fast {
            options.graph.flow = FlowMethod::Fast;
        }
        Ok((read, options))
    })
}

/// Make a bundle from visibility that another tool made or a person edited
///
/// Example: viewcell import matrix e1m1.npy -o edited.vcb
#[derive(clap::Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Matrix(MatrixArgs),
}

/// A bundle of cells from a matrix: PNG, .npy or .csv as export matrix writes them
///
/// Row A, column B says whether A sees B: a picture by at least half brightness, numbers by any value other than
/// 0. --level names a level whose boxes, portals and BSP go into the bundle.
///
/// Example: viewcell import matrix e1m1.npy --level e1m1.bsp -o edited.vcb
#[derive(clap::Args)]
pub struct MatrixArgs {
    /// The matrix
    input: PathBuf,
    #[command(flatten)]
    writing: Writing,
    /// Print nothing on stderr but errors
    #[arg(short, long)]
    quiet: bool,
    /// The level that the matrix describes
    #[arg(long, value_name = "LEVEL")]
    level: Option<PathBuf>,
}

pub fn import(args: &ImportArgs) -> Outcome {
    let What::Matrix(args) = &args.what;
    let MatrixArgs { input, writing, .. } = args;
    if let Some(level) = &args.level {
        check_not_input(level, &writing.bundle(input)?)?;
    }
    writing.run(input, [false; 2], Voice::of(args.quiet), |progress| {
        let pvs = read_matrix(input)?;
        let (mut graph, mut notes) = match &args.level {
            None => (CellGraph::new(pvs.n()), Vec::new()),
            Some(path) => {
                let level = read_cells(path, &writing.reading())?;
                (level.graph, level.notes)
            }
        };
        if graph.cells != pvs.n() {
            return Err(Failure::bad_input(format!(
                "{}: expected {} rows, as the level has cells, found {}",
                input.display(),
                graph.cells,
                pvs.n()
            )));
        }
        notes.push("visibility is that of the matrix".into());
        graph.pvs = Some(pvs);
        let ingested = IngestedCells {
            graph,
            format: "matrix",
            notes,
        };
        let read = Input::graph(input, ingested, &writing.reading(), progress)?;
        Ok((read, writing.options()))
    })
}
