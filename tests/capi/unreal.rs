//! What the code for Unreal Engine asks, in the engine's centimetres.

use std::path::Path;
use std::process::Command;

use crate::cells::corridor;
use crate::common::{compile, ok};
use crate::programs::wall;

/// For each of the questions (two places and a reach) whether they may see each other.
fn ask(program: &Path, bundle: &Path, questions: &[[&str; 3]]) -> Vec<bool> {
    let mut command = Command::new(program);
    command.arg(bundle).args(questions.iter().flatten());
    let words = ok(&command.output().unwrap());
    let visible = |line| match line {
        "visible" => true,
        "hidden" => false,
        _ => panic!("{line:?}"),
    };
    words.lines().map(visible).collect()
}

#[test]
fn places_in_centimetres_are_asked_of_both_worlds_and_doubt_is_visible() {
    let Some(program) = compile("sight.cpp") else {
        return;
    };
    let (_folder, bundle) = wall();
    // Samples are 10 m apart; the wall is column 4; the last sample is a void.
    let found = ask(
        &program,
        &bundle,
        &[
            ["0,2000,0", "8000,2000,0", "0"],
            ["0,2000,0", "3000,4000,0", "0"],
            ["0,2000,0", "8000,2000,0", "4500"],
            ["0,2000,0", "8000,4000,0", "0"],
            ["0,2000,0", "9900,2000,0", "0"],
            ["nan,2000,0", "8000,2000,0", "0"],
        ],
    );
    assert_eq!(found, [false, true, true, true, true, true]);

    let (_folder, bundle) = corridor(true);
    // Cells are 10 units long, and see two ahead.
    let found = ask(
        &program,
        &bundle,
        &[
            ["500,100,100", "2500,100,100", "0"],
            ["500,100,100", "5500,100,100", "0"],
            ["500,100,100", "5500,100,100", "4000"],
            ["500,100,100", "-500,100,100", "0"],
        ],
    );
    assert_eq!(found, [true, false, true, true]);
}
