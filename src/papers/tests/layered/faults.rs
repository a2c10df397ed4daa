//! `ground stamp --changes`, killed or failing at each of its writes and syncs: neither the changes nor their
//! change sets are lost, and a second run stamps nothing twice.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use viewcell_layered::{ChangeSet, GroundFile, Layered, Patches, encode};

use crate::common::hills;

const SIZE: [u32; 2] = [40, 30];
/// Twice in a row, they are not what they are once: what was soil becomes clay, and then rock.
const STAMPS: &str = r#"{"shape":"box","at":[20,15,0],"size":[30,20,30],"do":"replace","from":"clay","material":"rock"}
{"shape":"box","at":[20,15,0],"size":[30,20,30],"do":"replace","from":"soil","material":"clay"}
{"shape":"sphere","at":[12,9,2],"radius":4,"do":"dig"}
"#;

/// A folder with a ground and stamps; it goes when it is dropped.
struct Scene {
    folder: PathBuf,
    before: Patches,
}

impl Scene {
    fn new(name: &str) -> Self {
        let folder = format!("viewcell-faults-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let before = hills(SIZE, 5);
        let scene = Self { folder, before };
        std::fs::write(scene.path("stamps.txt"), STAMPS).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The ground as it was, and no change sets.
    fn reset(&self) {
        std::fs::write(self.path("g.vcg"), encode(&self.before)).unwrap();
        std::fs::remove_file(self.path("c.vch")).ok();
    }

    fn ground(&self) -> Patches {
        let bytes = std::fs::read(self.path("g.vcg")).unwrap();
        GroundFile::open(&bytes).unwrap().load().unwrap()
    }

    /// The change sets; `None` where there is no such file.
    fn changes(&self) -> Option<Vec<ChangeSet>> {
        let bytes = std::fs::read(self.path("c.vch")).ok()?;
        Some(ChangeSet::decode_all(&bytes).expect("whole change sets"))
    }

    fn stamp(&self, force: bool, fault: Option<(&Path, usize, bool)>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_viewcell-experiment"));
        command.current_dir(&self.folder);
        command.args(["layered", "stamp", "g.vcg", "--stamps", "stamps.txt"]);
        command.args(["--changes", "c.vch", "--quiet"]);
        if force {
            command.arg("--force");
        }
        if let Some((library, at, kills)) = fault {
            command.env("LD_PRELOAD", library);
            command.env("FAULT_AT", at.to_string());
            if kills {
                command.env("FAULT_KILLS", "1");
            }
        }
        command.output().unwrap()
    }

    /// The ground and the change sets are those of one whole run.
    fn is_done(&self, stamped: &[u8], what: &str) {
        assert!(encode(&self.ground()) == stamped, "{what}: the ground");
        let mut copy = self.before.clone();
        for set in self.changes().unwrap_or_default() {
            copy.apply(&set).unwrap();
        }
        assert!(encode(&copy) == stamped, "{what}: a copy");
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// What one run makes of the ground.
fn stamped(scene: &Scene) -> Vec<u8> {
    scene.reset();
    assert!(scene.stamp(false, None).status.success());
    let stamped = encode(&scene.ground());
    assert_ne!(stamped, encode(&scene.before));
    stamped
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn a_change_set_is_never_lost_between_the_ground_and_its_name() {
    let scene = Scene::new("sweep");
    let library = scene.path("faults.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/layered/faults.c"
        ))
        .arg("-ldl")
        .status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no C compiler");
        return;
    }
    let stamped = stamped(&scene);
    let old = encode(&scene.before);
    let check = |at: usize, kills: bool| {
        scene.reset();
        let done = scene.stamp(false, Some((&library, at, kills)));
        let what = format!("call {at}, killed: {kills}");
        let ground = encode(&scene.ground());
        assert!(
            ground == old || ground == stamped,
            "{what}: half of the changes"
        );
        let is_named = scene.changes().is_some();
        if ground == stamped {
            assert!(is_named, "{what}: the ground has changes that are lost");
            scene.is_done(&stamped, &what);
        }
        let again = scene.stamp(true, None);
        let said = String::from_utf8_lossy(&again.stderr);
        assert!(again.status.success(), "{what}: {said}");
        scene.is_done(&stamped, &format!("{what}, run again"));
        (done.status.success(), ground == old && is_named)
    };
    // Beyond its last call it is not killed.
    let killed: Vec<(bool, bool)> = (1..)
        .map(|at| check(at, true))
        .take_while(|(is_done, _)| !is_done)
        .collect();
    assert!(killed.len() > 4, "{} calls", killed.len());
    let named_first = killed.iter().any(|(_, named_first)| *named_first);
    assert!(named_first, "no call between the name and the commit");
    for at in 1..=killed.len() {
        check(at, false);
    }
}

#[test]
fn a_run_that_was_complete_is_not_stamped_twice_by_another() {
    let scene = Scene::new("twice");
    let stamped = stamped(&scene);
    assert_eq!(
        scene.stamp(false, None).status.code(),
        Some(4),
        "c.vch is there"
    );
    scene.is_done(&stamped, "refused");
    assert!(scene.stamp(true, None).status.success());
    scene.is_done(&stamped, "forced");
    // Other stamps are no second run.
    std::fs::write(
        scene.path("stamps.txt"),
        "{\"shape\":\"sphere\",\"at\":[30,20,2],\"radius\":4,\"do\":\"dig\"}\n",
    )
    .unwrap();
    assert!(scene.stamp(true, None).status.success());
    assert_eq!(scene.ground().version().number, 4);
    assert_eq!(scene.changes().unwrap().len(), 1);
}
