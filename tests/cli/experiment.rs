//! `viewcell experiment` without the papers' program, which has its own tests.

/// The program alone, as `cargo install --path .` leaves it.
#[test]
fn without_the_second_program_it_is_said_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder
        .path()
        .join("viewcell")
        .with_extension(std::env::consts::EXE_EXTENSION);
    std::fs::copy(env!("CARGO_BIN_EXE_viewcell"), &alone).unwrap();
    let ran = std::process::Command::new(alone)
        .args(["experiment", "epvs", "rooms.vcb"])
        .env("PATH", "")
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(4), "{said}");
    assert!(
        said.contains("viewcell-experiment")
            && said.contains("cargo install --path src/papers --locked"),
        "{said}"
    );
}
