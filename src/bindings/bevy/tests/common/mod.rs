//! Apps without a window, and bundles of the repository's tests.

#![allow(dead_code, reason = "each test uses some of it")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, AssetServer, Assets, Handle, LoadState};
use bevy_transform::TransformPlugin;
use bevy_viewcell::{Frame, ViewCells, ViewcellPlugin};

/// Golden bundles of the main crate's tests.
pub fn golden() -> PathBuf {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = bindings
        .and_then(Path::parent)
        .and_then(Path::parent)
        .unwrap();
    root.join("tests/golden/v1")
}

/// A bundle from there, opened beside any app.
pub fn open(name: &str) -> ViewCells {
    ViewCells::from_bytes(std::fs::read(golden().join(name)).unwrap()).unwrap()
}

/// A frame by each order and sign of its axes: once as it is.
pub fn turned(frame: Frame) -> impl Iterator<Item = Frame> {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let turns = orders
        .into_iter()
        .flat_map(|order| (0..8).map(move |signs| (order, signs)));
    turns.map(move |(order, signs)| {
        let sign = |k: usize| if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
        Frame {
            axes: std::array::from_fn(|k| frame.axes[order[k]] * sign(k)),
            ..frame
        }
    })
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
pub fn of<'a>(app: &'a App, handle: &Handle<ViewCells>) -> Option<&'a ViewCells> {
    app.world().resource::<Assets<ViewCells>>().get(handle)
}

/// Numbers by xorshift, below a limit.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % limit
    }
}
