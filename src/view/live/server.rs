//! The server: one port of the loopback, until it is asked to stop.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::connections::serve;
use super::dig::Digging;
use super::guard::guard;
use super::play::Players;
use super::routes::{View, answer};
use super::source::Shown;
use super::unbaked::Unbaked;
use super::walk::Walks;
use viewcell::query::OpenError;
use viewcell_bake::live::Rebaker;
use viewcell_bake::{BakeError, RebakeOptions};

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// A bundle cannot be opened.
    #[error("{0}")]
    Open(OpenError),
    /// Two bundles that cannot be laid side by side.
    #[error(
        "{} is {one}, {} is {other}: expected bundles of the same terrain or level to compare",
        .paths[0].display(), .paths[1].display()
    )]
    Differ {
        /// Both.
        paths: [PathBuf; 2],
        /// What the first is of.
        one: String,
        /// What the second is of.
        other: String,
    },
    /// Nothing can listen there.
    #[error("port {port}: cannot listen on 127.0.0.1: {error}; {advice}")]
    Listen {
        /// The port asked for; 0 for any.
        port: u16,
        /// What the system says.
        error: io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// Players cannot be played.
    #[error("{}: {why}", .path.display())]
    Play {
        /// Of the trace.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The ground cannot be changed.
    #[error("{0}")]
    Dig(BakeError),
    /// The server could not go on.
    #[error("the view's server cannot go on: {0}")]
    Serve(io::Error),
}

/// A view of one bundle, or of two side by side, that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    view: View,
}

impl Server {
    /// Opens the bundles and listens on the loopback, at `port` or at any that is free. O(1), as
    /// opening bundles is.
    ///
    /// # Errors
    ///
    /// [`ViewError`] where a bundle cannot be opened, the two are of different worlds, or nothing
    /// can listen at the port.
    pub fn bind(bundle: &Path, other: Option<&Path>, port: Option<u16>) -> Result<Self, ViewError> {
        let first = Shown::open(bundle).map_err(ViewError::Open)?;
        let mut sources = vec![first];
        if let Some(path) = other {
            let second = Shown::open(path).map_err(ViewError::Open)?;
            let [one, two] = [&sources[0], &second].map(shape);
            if one != two {
                return Err(ViewError::Differ {
                    paths: [bundle, path].map(Path::to_owned),
                    one,
                    other: two,
                });
            }
            sources.push(second);
        }
        Self::listen(sources, None, port)
    }

    /// Shows a world that is not baked, and lets people bake it.
    ///
    /// # Errors
    ///
    /// [`ViewError::Listen`].
    pub fn unbaked(world: Unbaked, port: Option<u16>) -> Result<Self, ViewError> {
        Self::listen(Vec::new(), Some(Arc::new(world)), port)
    }

    fn listen(
        sources: Vec<Shown>,
        unbaked: Option<Arc<Unbaked>>,
        port: Option<u16>,
    ) -> Result<Self, ViewError> {
        let port = port.unwrap_or(0);
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|error: io::Error| ViewError::Listen {
            port,
            advice: match error.kind() {
                io::ErrorKind::AddrInUse => "leave `port` out for a free one, or choose another",
                _ => "leave `port` out for a free one, or choose one from 1024 on",
            },
            error,
        })?;
        let walks = Walks::default();
        Ok(Self {
            listener,
            address,
            view: View {
                sources,
                unbaked,
                walks,
                players: None,
                digging: None,
            },
        })
    }

    /// Plays the paths of players, too, in the first bundle. Says nothing yet of what schemes come to.
    ///
    /// # Panics
    ///
    /// Where there is no bundle.
    ///
    /// # Errors
    ///
    /// [`ViewError::Play`] where most players are outside of the bundle, and where it would take too
    /// much memory.
    pub fn playing(mut self, players: Players) -> Result<Self, ViewError> {
        let opened = self.view.sources[0].current();
        players.check(&opened).map_err(|why| ViewError::Play {
            path: players.path.clone(),
            why,
        })?;
        self.view.players = Some(Arc::new(players));
        Ok(self)
    }

    /// Lets people dig in the first bundle, which must have lost nothing; the file stays as it is.
    ///
    /// # Errors
    ///
    /// [`ViewError::Dig`] where [`Rebaker::open`] errors.
    pub fn digging(mut self) -> Result<Self, ViewError> {
        let path = self.view.sources[0].path();
        let rebaker = Rebaker::open(path, &[], &RebakeOptions::default());
        let rebaker = rebaker.map_err(ViewError::Dig)?;
        self.view.digging = Some(Arc::new(Digging::new(rebaker)));
        Ok(self)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the page is, for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until `stop` says so. A bake that goes on then is stopped, and what is done of it kept.
    ///
    /// # Errors
    ///
    /// [`ViewError::Serve`] where the system gives no thread.
    pub fn run(self, stop: impl Fn() -> bool) -> Result<(), ViewError> {
        let port = self.address.port();
        let view = self.view;
        let unbaked = view.unbaked.clone();
        let guarded = move |request: &_| guard(port, request, || answer(&view, request));
        let served = serve(self.listener, guarded, stop).map_err(ViewError::Serve);
        if let Some(unbaked) = unbaked {
            unbaked.end();
        }
        served
    }
}

/// What a bundle is of, in words that are equal for two that can be compared.
fn shape(source: &Shown) -> String {
    let opened = source.current();
    let world = opened.bundle.world();
    let Some(terrain) = world.terrain() else {
        let level = world.solid().map_or("level", |_| "solid level");
        return format!("a {level} of {} cells", world.places());
    };
    let parameters = terrain.parameters();
    let [width, height] = parameters.heightmap();
    let samples = format!("a terrain of {width} x {height} samples");
    match parameters.finest() {
        0 => samples,
        finest => format!("{samples} in cells of {0} x {0}", 1_u32 << finest),
    }
}
