//! The program by itself.

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

#[test]
fn the_readme_has_a_row_for_each_experiment() {
    let help = experiment(&["--help"]);
    let verbs = help.split("Commands:").nth(1).unwrap();
    let verbs = verbs.split("Options:").next().unwrap();
    let verbs = verbs.lines().filter_map(|line| line.strip_prefix("  "));
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split(' ').next()).collect();
    let readme = include_str!("../../README.md");
    let missing = |verb: &&&str| !readme.contains(&format!("`viewcell experiment {verb} "));
    let own = ["", "completions", "man", "help"];
    let missing: Vec<_> = verbs
        .iter()
        .filter(|verb| !own.contains(verb))
        .filter(missing)
        .collect();
    assert!(verbs.len() > 10 && missing.is_empty(), "{missing:?}");
}
