//! What the code for Unreal Engine asks, in the engine's centimetres.

use std::path::Path;
use std::process::Command;

use crate::cells::corridor;
use crate::common::{compile, library, ok};
use crate::programs::wall;

/// For each of the questions (two places and a reach) whether they may see each other.
fn ask(program: &Path, bundle: &Path, questions: &[[&str; 3]]) -> Vec<bool> {
    ask_with(program, &[], bundle, questions)
}

fn ask_with(program: &Path, options: &[&str], bundle: &Path, questions: &[[&str; 3]]) -> Vec<bool> {
    let mut command = Command::new(program);
    command
        .args(options)
        .arg(bundle)
        .args(questions.iter().flatten());
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

/// The L of `tests/solid/axes.rs`, as Unreal's exporter writes it: x forward, y right, z up, in centimetres.
#[test]
fn a_level_that_unreal_exported_is_asked_with_unreals_positions() {
    let Some(program) = compile("sight.cpp") else {
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    let bundle = folder.join("unreal.vcb");
    let (corner, short, long) = ([150, 150, 10], [150, 700, 10], [1800, 150, 10]);
    let written = |[x, y, z]: [i32; 3]| format!("{x},{y},{z}");
    let answers = |turn: &dyn Fn([i32; 3]) -> [i32; 3]| {
        let [corner, short, long] = [corner, short, long].map(|at| written(turn(at)));
        let questions = [
            [&*corner, &*short, "0"],
            [&*corner, &*long, "0"],
            [&*short, &*long, "0"],
            [&*short, &*long, "800"],
        ];
        ask_with(&program, &["--level"], &bundle, &questions)
    };
    let right = [true, true, false, true];
    assert_eq!(answers(&|at| at), right);
    // Every other order and sign of the coordinates gives other answers: who is in no cell sees all.
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        for signs in 0..8 {
            let turn = |at: [i32; 3]| {
                std::array::from_fn(|k| at[order[k]] * if signs >> k & 1 == 1 { -1 } else { 1 })
            };
            let is_right = order == [0, 1, 2] && signs == 0;
            assert_eq!(answers(&turn) == right, is_right, "{order:?} {signs}");
        }
    }

    let mut command = Command::new(&program);
    let players = [corner, short, long].map(written);
    command.arg("--watch").arg(&bundle).args(players);
    assert_eq!(ok(&command.output().unwrap()), "011\n100\n100\n");

    // Another engine's axes are refused.
    for other in ["unity.vcb", "godot.vcb"] {
        let mut command = Command::new(&program);
        let refused = command.arg("--level").arg(folder.join(other));
        let refused = refused.output().unwrap();
        let words = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(5));
        assert!(
            words.contains(other) && words.contains("--from unreal"),
            "{words}"
        );
    }
}

/// The plugin on stand-ins for the engine's types: compiled file by file, and run.
#[test]
fn the_plugin_hides_whom_nobody_sees() {
    if compile("sight.cpp").is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("src/bindings/unreal/test/run"));
    command.arg(library());
    command.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("unreal"));
    let words = ok(&command.output().unwrap());
    assert!(words.contains("400 frames"), "{words}");
}
