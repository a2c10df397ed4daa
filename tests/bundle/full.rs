//! A device without space.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use viewcell_bake::bundle::{BundleError, ErrorKind};

use crate::common::World;

/// A small file system in memory, for as long as this lives.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` where the test may not mount.
    fn new(bytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null())
            .status();
        matches!(mounted, Ok(status) if status.success()).then_some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn no_space_is_told_and_leaves_nothing() {
    let world = World::new(40, 9, 0);
    let needed = world.bundle().len() as u32;
    // Full while trees are streamed, and full at the very end.
    for size in [8 << 10, needed.next_multiple_of(4096) - 4096] {
        let Some(disk) = SmallDisk::new(size) else {
            // Straight to stderr: what a test that passes prints is not shown.
            let _ = writeln!(
                std::io::stderr(),
                "skipped: no right to mount a small file system"
            );
            return;
        };
        let path = disk.path().join("a.vcb");
        let error = world.try_write(&path, false).unwrap_err();
        assert!(matches!(error, BundleError::NoSpace { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Resource);
        let words = error.to_string();
        assert!(
            words.contains("a.vcb") && words.contains("bytes"),
            "{words}"
        );
        assert_eq!(std::fs::read_dir(disk.path()).unwrap().count(), 0);
        // What was there is still there.
        std::fs::write(&path, "old").unwrap();
        world.try_write(&path, true).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}
