//! `viewcell view`: a bundle in a browser.

use std::path::PathBuf;

use viewcell_view::live::{Server, ViewError};

use super::exit::{Exit, Failure, Outcome};
use super::output::{print, say};
use super::query::cannot_open;
use super::signals::Stop;
use super::{simulate, values};

/// Show a bundle in a browser, or two side by side
///
/// Prints the address of a page, opens it in the browser, and serves it to this machine alone until Ctrl-C. Hover
/// to see what is visible from a place. Drag two players to see their frontier set, or walk them with the arrow
/// keys. --traces replays movements, with what players see and hear of each other. With --dig, clicks make craters
/// and hills, and visibility follows; the bundle file stays unchanged.
///
/// Example: viewcell view level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Another of the same terrain or level, to compare
    other: Option<PathBuf>,
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
    let mut server = Server::bind(&args.bundle, args.other.as_deref(), args.port)?;
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
    Ok(stop.exit())
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
