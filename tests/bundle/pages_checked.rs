//! Checksums by page: a file that has rotted hides nobody.

use core::sync::atomic::AtomicU8;

use viewcell::format::{Tag, WorldKind};
use viewcell::query::{Bundle, MappedBundle, OpenError};
use viewcell_bake::bundle::verify;
use viewcell_bake::{RepackOptions, Silent, repack};

use crate::copy::answers;
use crate::golden::{pairs_path, path};
use crate::reader::said;
use crate::{sections, signed};

fn states(count: usize) -> Vec<AtomicU8> {
    (0..count).map(|_| AtomicU8::new(0)).collect()
}

#[test]
fn every_bundle_has_checksums_by_page_and_both_verifiers_pass_it() {
    for from in [
        path("13x9-voids"),
        pairs_path("13x9-voids"),
        pairs_path("40x9"),
        path("70x45-graded"),
        path("level"),
    ] {
        let report = verify(&from, &mut |_| {}).unwrap();
        assert!(report.is_sound(), "{report:#?}");
        if let Some(found) = said("verify", &from, &[], "") {
            assert_eq!(found, "no faults\n");
        }
        let map = MappedBundle::open_checked(&from).unwrap();
        let pages = map.bundle().unwrap().pages().unwrap();
        pages.check_some(0, pages.count());
        assert_eq!(pages.found(), [pages.count(), 0]);
        let plain = MappedBundle::open(&from).unwrap();
        if let Ok(terrain) = map.terrain() {
            assert!(answers(&terrain) == answers(&plain.terrain().unwrap()));
        }
    }
}

#[test]
fn a_bundle_without_checksums_by_page_is_opened_unchecked_and_repacked_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old.vcb", "new.vcb"].map(|name| folder.path().join(name));
    let parts = sections::parts(&std::fs::read(pairs_path("40x9")).unwrap(), None);
    std::fs::write(&old, sections::assemble(WorldKind::Terrain, &parts)).unwrap();
    let error = MappedBundle::open_checked(&old).unwrap_err().to_string();
    assert!(error.contains("PCRC"), "{error}");
    assert!(verify(&old, &mut |_| {}).unwrap().is_sound());
    repack(&old, &new, &RepackOptions::default(), &Silent).unwrap();
    MappedBundle::open_checked(&new).unwrap();
    let [old, new] = [old, new].map(|path| signed::answers(&std::fs::read(path).unwrap()));
    assert!(old == new);
}

/// One flipped bit of a group hid a visible pair, and nothing complained until somebody ran `verify`.
#[test]
fn one_flipped_bit_hides_nobody_where_pages_are_checked() {
    let mut hid = 0;
    for from in [
        path("13x9-voids"),
        pairs_path("13x9-voids"),
        pairs_path("40x9"),
    ] {
        let mut bytes = std::fs::read(&from).unwrap();
        let sound = answers(&Bundle::from_bytes(&bytes).unwrap().terrain().unwrap());
        for at in (0..bytes.len()).step_by(bytes.len() / 150 + 1) {
            bytes[at] ^= 1 << (at % 8);
            if let Ok(bundle) = Bundle::from_bytes(&bytes) {
                if let Ok(terrain) = bundle.terrain() {
                    let found = answers(&terrain);
                    hid += usize::from(sound.iter().zip(&found).any(|(was, is)| was > is));
                }
                let states = states(bundle.page_count().unwrap_or(0));
                let asked = bundle
                    .checked(&states)
                    .and_then(|bundle| Ok((answers(&bundle.terrain()?), bundle.pages())));
                if let Ok((found, pages)) = asked {
                    assert!(
                        sound.iter().zip(&found).all(|(was, is)| was <= is),
                        "byte {at}"
                    );
                    let pages = pages.unwrap();
                    pages.check_some(0, usize::MAX);
                    assert_eq!(pages.damaged().count(), 1, "byte {at}");
                }
            }
            bytes[at] ^= 1 << (at % 8);
        }
    }
    assert!(hid > 0, "unchecked, a flipped bit hides somebody");
}

#[test]
fn what_all_questions_need_is_checked_when_a_bundle_is_opened() {
    let mut bytes = std::fs::read(path("level")).unwrap();
    let at = Bundle::from_bytes(&bytes)
        .unwrap()
        .section(Tag::CPVS)
        .unwrap()
        .0
        .offset as usize;
    bytes[at] ^= 1;
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    assert!(bundle.cells().is_ok());
    let states = states(bundle.page_count().unwrap());
    let refused = bundle.checked(&states).unwrap().cells();
    assert!(
        matches!(refused, Err(OpenError::Format { .. })),
        "{refused:?}"
    );
}

/// What becomes of one flipped bit.
#[derive(Debug, Default)]
struct Caught {
    when_opened: u64,
    at_first_touch: u64,
    never: u64,
    by_verify: [u64; 2],
}

/// `scripts/check rot` names a bundle.
#[test]
#[ignore = "scripts/check rot names the bundle"]
fn every_flipped_bit_of_a_bundle_that_was_named_is_caught() {
    let from = std::env::var_os("VIEWCELL_HUNT_BUNDLE").expect("a bundle is named");
    let flips = std::env::var("VIEWCELL_HUNT_FLIPS").map_or(1_000_000, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(&from).unwrap();
    let mut dice = viewcell::dice::Dice(1);
    let mut caught = Caught::default();
    for flip in 0..flips {
        let at = (dice.bits() % bytes.len() as u64) as usize;
        let bit = 1 << dice.roll(8);
        bytes[at] ^= bit;
        let count = Bundle::from_bytes(&bytes).map(|bundle| bundle.page_count().unwrap_or(0));
        let states = states(count.unwrap_or(0));
        let opened = Bundle::from_bytes(&bytes).and_then(|bundle| {
            let bundle = bundle.checked(&states)?;
            bundle.world()?;
            Ok(bundle.pages())
        });
        match opened {
            Err(_) => caught.when_opened += 1,
            Ok(pages) if pages.is_none_or(|pages| !pages.hold(at, at + 1)) => {
                caught.at_first_touch += 1;
            }
            Ok(_) => caught.never += 1,
        }
        if flip % 1_000 == 0 {
            let damaged = folder.path().join("damaged.vcb");
            std::fs::write(&damaged, &bytes).unwrap();
            let report = verify(&damaged, &mut |_| {}).unwrap();
            caught.by_verify[0] += u64::from(!report.is_sound());
            caught.by_verify[1] += 1;
        }
        bytes[at] ^= bit;
    }
    println!("{flips} flips: {caught:?} (by verify: of every thousandth, so many of so many)");
    let states = states(Bundle::from_bytes(&bytes).unwrap().page_count().unwrap());
    let plain = Bundle::from_bytes(&bytes).unwrap();
    let checked = plain.checked(&states).unwrap();
    for (what, bundle) in [
        ("unchecked", plain),
        ("checked", checked),
        ("unchecked", plain),
    ] {
        let world = bundle.world().unwrap();
        let mut place = || world.place(dice.bits() % world.places()).unwrap();
        let pairs: Vec<_> = (0..4_000_000).map(|_| (place(), place())).collect();
        let ask = || pairs.iter().filter(|(a, b)| world.visible(*a, *b)).count();
        let begun = std::time::Instant::now();
        let (first, seen) = (ask(), begun.elapsed());
        let begun = std::time::Instant::now();
        assert_eq!(ask(), first);
        let [first, again] = [seen, begun.elapsed()].map(|time| time.as_nanos() / 4_000_000);
        println!("{what}: {first} ns a question at first, {again} ns again");
    }
    assert_eq!(caught.never, 0);
    assert_eq!(caught.by_verify[0], caught.by_verify[1]);
}
