//! Bundles to view, and a server that ends with its test.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tempfile::TempDir;
use viewcell_bake::{BakeOptions, Input};
use viewcell_view::live::{Server, Unbaked};

pub const VIEWCELL: &str = env!("CARGO_BIN_EXE_viewcell");

/// Runs the program; it must succeed. Gives what it printed.
pub fn viewcell(arguments: &[&str]) -> String {
    let ran = Command::new(VIEWCELL).args(arguments).output().unwrap();
    let words = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {words}");
    String::from_utf8(ran.stdout).unwrap()
}

/// A folder with a bundle in it.
pub struct Baked {
    folder: TempDir,
    pub bundle: PathBuf,
}

impl Baked {
    /// Bakes `kind` (terrain or cells) from a file.
    pub fn new(kind: &str, input: &Path, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("world.vcb");
        let arguments = ["bake", kind, text(input), "--quiet", "-o", text(&bundle)];
        viewcell(&[&arguments[..], options].concat());
        Self { folder, bundle }
    }

    /// A part of the demo.
    pub fn demo(options: &[&str]) -> Self {
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
        Self::new(
            "terrain",
            &demo,
            &[&["--visibility", "exact"], options].concat(),
        )
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A server in a thread of this process.
pub struct Serving {
    pub url: String,
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    pub fn new(bundle: &Path, other: Option<&Path>) -> Self {
        Self::of(Server::bind(bundle, other, None).unwrap())
    }

    /// What is not baked, whose bundle goes to `output`.
    pub fn unbaked(read: Input, output: PathBuf) -> Self {
        let world = Unbaked::new(read, BakeOptions::default(), output).unwrap();
        Self::of(Server::unbaked(world, None).unwrap())
    }

    pub fn of(server: Server) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        Self {
            url: server.url(),
            address: server.address(),
            stop,
            thread: Some(std::thread::spawn(move || {
                server.run(|| asked.load(Ordering::Relaxed)).unwrap();
            })),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}
