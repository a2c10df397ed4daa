//! What was written is what a runtime reads.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use viewcell::format::{Quad, Tag};
use viewcell::query::{Bundle, MappedBundle, Sample};
use viewcell_bake::bundle::{BundleError, ErrorKind, Provenance, StageTime, Timings, info};

use viewcell_bake::survey::difference;

use crate::common::World;

#[test]
fn every_pair_and_every_quad_reads_back() {
    for (width, height, voids) in [(1, 1, 0), (13, 9, 5), (40, 20, 0), (33, 17, 4), (1, 30, 0)] {
        let world = World::new(width, height, voids);
        let bytes = world.bundle();
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let terrain = bundle.terrain().unwrap();
        assert_eq!(*terrain.parameters(), world.header().parameters);
        assert_eq!(bundle.crs(), Some("EPSG:32617"));
        assert_eq!(bundle.section(Tag::VALD).is_some(), voids > 0);
        for a in world.samples() {
            let at = (a.row * width + a.column) as usize;
            let height = world.heights[at] as f32;
            assert_eq!(terrain.height(a), (!height.is_nan()).then_some(height));
            for b in world.samples() {
                assert_eq!(terrain.visible(a, b), world.sees(a, b), "{a:?} {b:?}");
            }
        }
        for quad in world.grid.bake_order().filter(|quad| quad.level > 0) {
            let expected = world.quad_pvs(quad);
            let mut found = vec![!0; world.grid.blocks()];
            let pvs = terrain.pvs(quad).unwrap();
            pvs.expand(&mut found);
            assert_eq!(found, expected, "{quad:?}");
            let count: u32 = expected.iter().map(|word| word.count_ones()).sum();
            assert_eq!(pvs.count(), u64::from(count));
            assert_eq!(pvs.samples().count() as u32, count);
            assert!(pvs.samples().all(|sample| pvs.contains(sample)));
        }
        let outside = Quad::new(0, width, 0);
        assert!(terrain.pvs(outside).is_none());
        assert!(!terrain.visible(Sample::new(0, 0), Sample::new(0, height)));
        assert!(!terrain.visible(Sample::new(width, 0), Sample::new(0, 0)));
    }
}

#[test]
fn comparing_two_bundles_tells_of_every_quad() {
    let bytes = World::new(40, 20, 0).bundle();
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let terrain = || bundle.terrain().unwrap();
    let done = AtomicU64::new(0);
    let tell = |more| {
        done.fetch_add(more, Ordering::Relaxed);
        true
    };
    difference([&terrain(), &terrain()], 0, &tell)
        .unwrap()
        .unwrap();
    // Those of every level are work, not only the samples.
    assert_eq!(done.into_inner(), terrain().grid().quad_count());
}

#[test]
fn positions_are_located() {
    let bytes = World::new(40, 20, 0).bundle();
    let terrain = Bundle::from_bytes(&bytes).unwrap().terrain().unwrap();
    let at = |column, row| Some(Sample::new(column, row));
    // Spacing is 10 m by 12.5 m; sample (0, 0) owns half a spacing around it.
    assert_eq!(terrain.locate(0.0, 0.0), at(0, 0));
    assert_eq!(terrain.locate(-5.0, -6.25), at(0, 0));
    assert_eq!(terrain.locate(-5.01, 0.0), None);
    assert_eq!(terrain.locate(4.99, 6.3), at(0, 1));
    assert_eq!(terrain.locate(394.9, 243.7), at(39, 19));
    assert_eq!(terrain.locate(395.0, 0.0), None);
    assert_eq!(terrain.locate(f64::NAN, 0.0), None);
    assert_eq!(terrain.locate(f64::INFINITY, 0.0), None);
    // The transform is of pixel corners, and its rows run south.
    assert_eq!(
        terrain.locate_georeferenced(500_000.5, 3_999_999.0),
        at(0, 0)
    );
    assert_eq!(
        terrain.locate_georeferenced(500_395.0, 4_000_000.0 - 12.5 * 19.5),
        at(39, 19)
    );
    assert_eq!(terrain.locate_georeferenced(499_999.0, 3_999_999.0), None);
}

#[test]
fn a_mapped_file_answers_as_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(40, 20, 6);
    let written = world.write(&path);
    assert_eq!(written.bytes, std::fs::metadata(&path).unwrap().len());
    let map = MappedBundle::open(&path).unwrap();
    let terrain = map.terrain().unwrap();
    for a in world.samples().step_by(7) {
        for b in world.samples().step_by(3) {
            assert_eq!(terrain.visible(a, b), world.sees(a, b));
        }
    }
    let error = MappedBundle::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("directory"), "{error}");
    let error = MappedBundle::open(folder.path().join("b")).unwrap_err();
    assert!(error.to_string().contains("b: cannot be opened"), "{error}");
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let world = World::new(33, 17, 4);
    assert_eq!(world.bundle(), world.bundle());
}

#[test]
fn info_says_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(33, 17, 4);
    let written = world.write(&path);
    let info = info(&path).unwrap();
    assert_eq!(info.bytes, written.bytes);
    assert_eq!(info.checksum, format!("{:08x}", written.checksum));
    let terrain = info.terrain.unwrap();
    assert_eq!((terrain.width, terrain.height, terrain.levels), (33, 17, 7));
    let statistics = info.provenance.unwrap().statistics;
    assert_eq!(statistics.levels.len(), 7);
    let pairs = world
        .samples()
        .flat_map(|a| world.samples().map(move |b| (a, b)))
        .filter(|&(a, b)| world.sees(a, b));
    assert_eq!(statistics.levels[0].visible_samples, pairs.count() as u64);
    let tree_bytes: u64 = statistics.levels.iter().map(|level| level.tree_bytes).sum();
    let section = info.sections.iter().find(|s| s.tag == "TREE").unwrap();
    assert_eq!(section.bytes, tree_bytes);
    assert_eq!(info.timings, None);
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_existing_output_is_kept_unless_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    std::fs::write(&path, "mine").unwrap();
    let world = World::new(9, 9, 0);
    let error = world.try_write(&path, false).unwrap_err();
    assert!(matches!(error, BundleError::Exists { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    world.try_write(&path, true).unwrap();
    assert!(MappedBundle::open(&path).is_ok());
    assert_eq!(entries(folder.path()), ["a.vcb"]);
}

#[test]
fn an_output_that_appears_meanwhile_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(1, 1, 0);
    let mut writer = world.writer(&path, false).unwrap();
    for quad in world.grid.bake_order() {
        writer.push_union(quad, &[1]).unwrap();
    }
    std::fs::write(&path, "somebody else's").unwrap();
    let error = writer.finish(&Provenance::default()).unwrap_err();
    assert!(matches!(error, BundleError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"somebody else's");
    assert_eq!(entries(folder.path()), ["a.vcb"]);
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(9, 9, 0);
    let mut writer = world.writer(&path, false).unwrap();
    writer.push_union(Quad::new(0, 0, 0), &[1]).unwrap();
    // Where the system knows files without a name, it has none yet.
    assert!(entries(folder.path()).len() <= 1);
    drop(writer);
    assert_eq!(entries(folder.path()).len(), 0);
}

#[test]
fn trees_must_come_in_bake_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let world = World::new(9, 9, 0);
    let create = || world.writer(&path, false).unwrap();
    let mut writer = create();
    writer.push_union(Quad::new(0, 0, 0), &[1]).unwrap();
    let error = writer.push_union(Quad::new(0, 0, 1), &[1]).unwrap_err();
    assert!(matches!(error, BundleError::Order { .. }), "{error}");
    let error = create().finish(&Provenance::default()).unwrap_err();
    assert!(
        matches!(error, BundleError::Order { found: None, .. }),
        "{error}"
    );
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(9, 9, 0);
    let path = folder.path().join("missing").join("a.vcb");
    let error = world.try_write(&path, false).unwrap_err();
    assert!(matches!(error, BundleError::NoFolder { .. }), "{error}");
    let error = world.try_write(folder.path(), true).unwrap_err();
    assert!(matches!(error, BundleError::NotAFile { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn times_are_read_for_their_own_bundle_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    let written = World::new(9, 9, 0).write(&path);
    let timings = Timings {
        bundle_bytes: written.bytes,
        bundle_checksum: written.checksum,
        stages: vec![StageTime {
            name: "visibility".to_owned(),
            seconds: 1.25,
        }],
        threads: 2,
        ..Timings::default()
    };
    timings.write_beside(&path).unwrap();
    assert_eq!(entries(folder.path()), ["a.vcb", "a.vcb.timings.json"]);
    assert_eq!(info(&path).unwrap().timings, Some(timings));
    // Another bundle of the same name: its times are not known.
    World::new(9, 9, 3).try_write(&path, true).unwrap();
    assert_eq!(info(&path).unwrap().timings, None);
    std::fs::write(Timings::path_beside(&path), "no JSON").unwrap();
    assert_eq!(info(&path).unwrap().timings, None);
}
