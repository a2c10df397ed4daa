//! Bundles for downloads, and back.

use viewcell_bake::bundle::{BundleError, ErrorKind, ship, unpack};

use crate::common::World;

#[test]
fn what_is_shipped_comes_back_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let world = World::new(40, 33, 7);
    for bytes in [world.bundle(), world.pairs()] {
        std::fs::write(path("a.vcb"), &bytes).unwrap();
        let done = ship(&path("a.vcb"), &path("a.vcz"), true).unwrap();
        assert_eq!(done.bundle_bytes, bytes.len() as u64);
        assert!(done.shipped_bytes < done.bundle_bytes);
        let again = unpack(&path("a.vcz"), &path("b.vcb"), true).unwrap();
        assert_eq!(again, done);
        assert!(std::fs::read(path("b.vcb")).unwrap() == bytes);
        let kept = unpack(&path("a.vcz"), &path("b.vcb"), false).unwrap_err();
        assert!(matches!(kept, BundleError::Exists { .. }), "{kept}");
    }
}

#[test]
fn damage_on_the_way_is_found_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.vcb"), World::new(9, 9, 0).pairs()).unwrap();
    ship(&path("a.vcb"), &path("a.vcz"), false).unwrap();
    let sound = std::fs::read(path("a.vcz")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(path("bad.vcz"), bytes).unwrap();
        let error = unpack(&path("bad.vcz"), &path("b.vcb"), false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{what}: {error}");
        assert!(error.to_string().contains("bad.vcz"), "{error}");
        assert!(!path("b.vcb").exists(), "{what}");
    };
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x20;
        // The frame's header has bits that say nothing of what is in it.
        std::fs::write(path("bad.vcz"), &bytes).unwrap();
        match unpack(&path("bad.vcz"), &path("b.vcb"), true) {
            Ok(_) => {
                let (one, other) = (std::fs::read(path("a.vcb")), std::fs::read(path("b.vcb")));
                assert!(at >= 24 && one.unwrap() == other.unwrap(), "byte {at}");
                std::fs::remove_file(path("b.vcb")).unwrap();
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Input, "{error}"),
        }
        assert!(!path("b.vcb").exists(), "byte {at}");
    }
    for length in (0..sound.len()).step_by(7) {
        refused(&sound[..length], "cut off");
    }
    refused(b"something else, and long enough", "another file");
    // A damaged bundle is not shipped.
    let mut bundle = std::fs::read(path("a.vcb")).unwrap();
    let last = bundle.len() - 1;
    bundle[last] ^= 1;
    std::fs::write(path("c.vcb"), bundle).unwrap();
    let error = ship(&path("c.vcb"), &path("c.vcz"), false).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    assert!(!path("c.vcz").exists());
}
