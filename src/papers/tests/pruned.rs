//! Bundles pruned deepest first: never hidden where nothing was lost says visible, and of as many nodes as they may have.

#[path = "../../../tests/bundle/common.rs"]
#[allow(dead_code, unreachable_pub)]
mod common;
#[path = "../../../tests/common/lossy.rs"]
#[allow(unreachable_pub)]
mod lossy;

use common::{Silent, World};
use lossy::{compare, sound, write};
use viewcell::query::{MappedBundle, TerrainBundle};
use viewcell_bake::compress::ValidPyramid;
use viewcell_bake::{BakeError, RepackOptions, repack};
use viewcell_papers::pruned::write_pruned;
use viewcell_papers::pruning::{DeepestFirst, DepthPruner, Ties};

#[test]
fn the_thesis_s_way_keeps_to_its_nodes_and_hides_nothing_by_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for world in [World::new(40, 33, 0), World::new(30, 41, 6)] {
        write(&world, folder.path());
        let all = MappedBundle::open(path("all.vcb")).unwrap();
        let all = all.terrain().unwrap();
        let valid = ValidPyramid::from_heights(world.grid, &world.heights);
        let mut pruner = DepthPruner::new(&valid);
        let mut kept = Vec::new();
        for (nodes, ties) in [
            (1, Ties::RowByRow),
            (41, Ties::RowByRow),
            (41, Ties::FewestHidden),
            (161, Ties::RowByRow),
            (1 << 20, Ties::FewestHidden),
        ] {
            let (output, to) = (path("lossy.vcb"), DeepestFirst { nodes, ties });
            write_pruned(&path("trees.vcb"), &output, to).unwrap();
            write_pruned(&path("all.vcb"), &path("other.vcb"), to).unwrap();
            assert!(std::fs::read(&output).unwrap() == std::fs::read(path("other.vcb")).unwrap());
            let made = sound(&output);
            let map = MappedBundle::open(&output).unwrap();
            let lossy = map.terrain().unwrap();
            let (hidden, still) = compare(&all, &lossy);
            let mut pvs = vec![0; world.grid.blocks()];
            for quad in world.grid.bake_order() {
                // What is stored has so many nodes; what is answered may hide more.
                lossy.stored_pvs(quad).unwrap().expand(&mut pvs);
                assert!(pruner.count(&pvs) <= nodes, "{quad:?}");
            }
            let loss = made.provenance.unwrap().loss.unwrap();
            let before: u64 = loss.levels.iter().map(|level| level.hidden_before).sum();
            assert_eq!(before, hidden);
            kept.push(still as f64 / hidden as f64);
        }
        assert!(
            kept[0] < kept[1] && kept[1] < kept[3] && kept[3] < 1.0,
            "{kept:?}"
        );
        assert!(kept[2] >= kept[1] && kept[4] == 1.0, "{kept:?}");
    }
}

#[test]
fn pruning_in_several_goes_comes_to_the_same_trees() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for ties in [Ties::RowByRow, Ties::FewestHidden] {
        let world = World::new(40, 33, 6);
        write(&world, folder.path());
        let prune = |from: &str, to: &str, nodes| {
            write_pruned(&path(from), &path(to), DeepestFirst { nodes, ties }).unwrap();
        };
        prune("all.vcb", "at-once.vcb", 61);
        prune("all.vcb", "161.vcb", 161);
        prune("161.vcb", "101.vcb", 101);
        prune("101.vcb", "61.vcb", 61);
        let maps = ["at-once.vcb", "61.vcb", "161.vcb"];
        let maps = maps.map(|name| MappedBundle::open(path(name)).unwrap());
        let [at_once, again, other] = [0, 1, 2].map(|i| maps[i].terrain().unwrap());
        let trees = |bundle: &TerrainBundle| -> Vec<u64> {
            let mut words = vec![0; world.grid.blocks()];
            let quads = world.grid.bake_order();
            quads
                .flat_map(|quad| {
                    bundle.stored_pvs(quad).unwrap().expand(&mut words);
                    words.clone()
                })
                .collect()
        };
        assert!(trees(&at_once) == trees(&again));
        assert!(trees(&at_once) != trees(&other));
        // What was lost is lost for every other compression.
        let options = RepackOptions::default();
        let error = repack(&path("161.vcb"), &path("no.vcb"), &options, &Silent);
        assert!(matches!(error, Err(BakeError::Lossy { .. })), "{error:?}");
    }
}
