//! What cannot be seen from outside: a patch that fails, a thread that panics, patches that pile up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::laid::MOST_PATCHES;
use super::rebaker::{Rebaker, patch};
use crate::bake::{BakeOptions, Mode, RebakeOptions, Silent, Source, bake_terrain, unreadable};
use crate::format::Sample;
use crate::world::Terrain;

fn bundle(folder: &Path) -> std::path::PathBuf {
    let heights = (0..20 * 16).map(|i| if i % 20 == 9 { 20.0 } else { 0.0 });
    let terrain = Terrain::new(20, 16, heights.collect(), [10.0; 2]).unwrap();
    let path = folder.join("wall.vcb");
    let options = BakeOptions {
        mode: Mode::Exact,
        threads: 1,
        ..BakeOptions::default()
    };
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
    path
}

#[test]
fn a_patch_that_fails_leaves_its_changes_waiting_and_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let tries = Arc::new(AtomicU32::new(0));
    let (counted, own) = (tries.clone(), path.clone());
    let how = RebakeOptions::default();
    let live = Rebaker::with(&path, &[], &how, move |_| {
        Box::new(
            move |laid, ground, observer| match counted.fetch_add(1, Ordering::SeqCst) {
                0 => Err(unreadable(&own, &"no memory left")),
                1 => panic!("a fault of the program"),
                _ => patch(&own, &RebakeOptions::default(), laid, ground, observer),
            },
        )
    });
    let live = live.unwrap();
    let (west, east) = (Sample::new(1, 8), Sample::new(18, 8));
    let gap: Vec<(Sample, f64)> = (6..11).map(|row| (Sample::new(9, row), 0.0)).collect();
    live.change(&gap).unwrap();
    live.settle();
    assert_eq!(tries.load(Ordering::SeqCst), 1);
    let waits = |live: &Rebaker| {
        let now = live.now();
        !now.is_settled() && now.terrain().visible(west, east) && now.only_waits(west, east)
    };
    assert!(waits(&live));
    let error = live.take_error().unwrap().to_string();
    assert!(error.contains("no memory left"), "{error}");
    assert!(live.take_error().is_none(), "handed out once");
    // The next change tries again.
    live.change(&[(Sample::new(0, 0), 1.0)]).unwrap();
    live.settle();
    assert!(waits(&live));
    let error = live.take_error().unwrap().to_string();
    assert!(error.contains("panicked"), "{error}");
    // And so does whoever asks for it.
    live.hold(false);
    live.settle();
    let now = live.now();
    assert_eq!((now.decided(), tries.load(Ordering::SeqCst)), (2, 3));
    assert!(now.terrain().visible(west, east) && live.take_error().is_none());
}

#[test]
fn patches_do_not_pile_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let live = Rebaker::open(&path, &[], &RebakeOptions::default()).unwrap();
    let mut most = 0;
    for change in 0..3 * MOST_PATCHES as u32 {
        live.change(&[(Sample::new(change, change), 3.0)]).unwrap();
        live.settle();
        let patches = live.now().laid.patches();
        assert!((1..=MOST_PATCHES).contains(&patches), "{patches}");
        most = most.max(patches);
    }
    assert!(most > 1, "always one");
}

#[test]
fn what_a_reader_keeps_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let live = Rebaker::open(&bundle(folder.path()), &[], &RebakeOptions::default()).unwrap();
    let kept = live.now();
    live.change(&[(Sample::new(9, 8), 0.0)]).unwrap();
    live.settle();
    drop(live);
    assert_eq!((kept.version(), kept.decided()), (0, 0));
    assert!(
        !kept
            .terrain()
            .visible(Sample::new(1, 8), Sample::new(18, 8))
    );
}
