//! Where the examples' bundle is.

use std::path::{Path, PathBuf};

use bevy_asset::AssetPlugin;

/// The bundle that the first argument names, else one of the repository's tests: its folder as that of the app's
/// assets, and its name there. A game has its bundles among its assets.
pub fn bundle() -> (AssetPlugin, String) {
    let ours = "../../../tests/golden/v1/40x9-pairs.vcb";
    let given = std::env::args().nth(1).map(PathBuf::from);
    let path = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(ours));
    let path = std::path::absolute(path).expect("the name of a file");
    let folder = path
        .parent()
        .expect("the name of a file")
        .display()
        .to_string();
    let name = path
        .file_name()
        .expect("the name of a file")
        .to_string_lossy();
    let assets = AssetPlugin {
        file_path: folder,
        ..AssetPlugin::default()
    };
    (assets, name.into_owned())
}
