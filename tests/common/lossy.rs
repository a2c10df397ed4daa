//! What every lossy bundle of a made-up world has to keep to. A test that includes this has a
//! module `common`, of `bundle/common.rs`, beside it.

use std::path::Path;

use crate::common::{Silent, World};
use viewcell::query::{Answer, TerrainBundle};
use viewcell_bake::bundle::{Info, info, verify};
use viewcell_bake::{RepackOptions, repack};

/// Writes the bundle of a world into a folder: `trees.vcb` of single trees, and `all.vcb`, which is
/// small and lossless. Returns the length of this.
pub fn write(world: &World, folder: &Path) -> u64 {
    let path = |name: &str| folder.join(name);
    world.try_write(&path("trees.vcb"), true).unwrap();
    let options = RepackOptions {
        overwrite: true,
        ..RepackOptions::default()
    };
    let report = repack(&path("trees.vcb"), &path("all.vcb"), &options, &Silent);
    report.unwrap().bytes
}

/// Errors if anything hidden in `lossy` is visible in `all`, at any quad of any level; returns
/// the samples hidden before and still, over all PVSs.
pub fn compare(all: &TerrainBundle, lossy: &TerrainBundle) -> (u64, u64) {
    let grid = all.grid();
    let (mut before, mut after) = (vec![0; grid.blocks()], vec![0; grid.blocks()]);
    let (mut hidden, mut still) = (0, 0);
    let valid = all.valid();
    let terrain = valid.count(grid.root());
    for quad in grid.bake_order() {
        let (one, other) = (all.pvs(quad).unwrap(), lossy.pvs(quad).unwrap());
        one.expand(&mut before);
        other.expand(&mut after);
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before & !after, 0, "hidden by mistake from {quad:?}");
        }
        if valid.has_quad(quad) {
            hidden += terrain - one.count();
            still += terrain - other.count();
        }
        for target in grid.bake_order().step_by(5) {
            let said = lossy.visible_quads(quad, target);
            let truth = all.visible_quads(quad, target);
            assert!(
                truth == Answer::Hidden || said != Answer::Hidden,
                "{quad:?} {target:?}"
            );
            assert_eq!(said, other.state(target));
        }
    }
    (hidden, still)
}

/// The facts of a bundle in which every check passes.
pub fn sound(path: &Path) -> Info {
    let report = verify(path, &mut |_| {}).unwrap();
    let failed: Vec<_> = report.failed().collect();
    assert!(report.is_sound(), "{failed:?}");
    info(path).unwrap()
}
