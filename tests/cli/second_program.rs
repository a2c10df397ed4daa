//! The second program by itself. It is a test of the crate `viewcell-papers`, so that Cargo builds the program for all
//! tests: those of `viewcell experiment` are in `tests/cli`, and find it beside `viewcell`.

use std::process::Command;

fn experiment(arguments: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_viewcell-experiment"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{arguments:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn help_is_as_if_the_programs_were_one() {
    let help = experiment(&["--help"]);
    assert!(
        help.contains("Usage: viewcell experiment <COMMAND>"),
        "{help}"
    );
    for verb in ["frontier", "epvs", "compression", "visibility", "interest"] {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb}: {help}");
    }
    assert!(help.contains("Exit codes:"), "{help}");
}

#[test]
fn manual_pages_and_completions_are_its_own() {
    assert!(experiment(&["man"]).contains(".TH viewcell-experiment"));
    assert!(experiment(&["completions", "bash"]).contains("viewcell"));
}
