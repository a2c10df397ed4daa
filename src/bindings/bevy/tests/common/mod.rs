//! Apps without a window, and bundles of the repository's tests.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, AssetServer, Assets, Handle, LoadState};
use bevy_transform::TransformPlugin;
use bevy_viewcell::{ViewCells, ViewcellPlugin};

/// Golden bundles of the main crate's tests.
#[allow(dead_code)]
pub fn golden() -> PathBuf {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = bindings
        .and_then(Path::parent)
        .and_then(Path::parent)
        .unwrap();
    root.join("tests/golden/v1")
}

/// A bundle from there, opened beside any app.
#[allow(dead_code)]
pub fn open(name: &str) -> ViewCells {
    ViewCells::from_bytes(std::fs::read(golden().join(name)).unwrap()).unwrap()
}

/// What an app needs, with assets from a folder.
pub fn app(assets: &Path) -> App {
    let mut app = App::new();
    let assets = AssetPlugin {
        file_path: assets.to_str().unwrap().into(),
        ..AssetPlugin::default()
    };
    app.add_plugins((
        TaskPoolPlugin::default(),
        assets,
        TransformPlugin,
        ViewcellPlugin,
    ));
    app
}

/// Loads a bundle through the asset server; returns once it is there, or cannot be.
pub fn load(app: &mut App, name: &'static str) -> (Handle<ViewCells>, LoadState) {
    let handle: Handle<ViewCells> = app.world().resource::<AssetServer>().load(name);
    let begun = Instant::now();
    loop {
        app.update();
        match app.world().resource::<AssetServer>().load_state(&handle) {
            LoadState::Loading | LoadState::NotLoaded => {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "{name} does not load"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
            state => return (handle, state),
        }
    }
}

/// The bundle of a handle.
#[allow(dead_code)]
pub fn of<'a>(app: &'a App, handle: &Handle<ViewCells>) -> Option<&'a ViewCells> {
    app.world().resource::<Assets<ViewCells>>().get(handle)
}

/// Numbers by xorshift, below a limit.
#[allow(dead_code)]
pub struct Dice(pub u64);

#[allow(dead_code)]
impl Dice {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % limit
    }
}
