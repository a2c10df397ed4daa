//! Programs that ask levels of cells.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use viewcell::frontier::cells;
use viewcell::query::{Bundle, CellBundle, Place, World};
use viewcell::session::{News, Session, SessionOptions};
use viewcell_bake::{CellOptions, bake_cells};
use viewcell_ingest::world::{BitMatrix, BspChild, BspLeaf, BspNode, BspTree, CellGraph};

use crate::baking::source;
use crate::common::{compile, ok, python, same};
use viewcell_bake::Silent;

/// A corridor of 70 cells, 10 long each, of which every cell sees two steps ahead; nobody sees
/// into the last but itself. With a BSP, and knowing which cells touch, or with neither.
pub fn corridor(known: bool) -> (tempfile::TempDir, PathBuf) {
    const N: u32 = 70;
    let mut graph = CellGraph::new(N as usize);
    let pvs = |a: usize, b: usize| a.abs_diff(b) <= 2 && (a < 69) == (b < 69);
    graph.pvs = Some(BitMatrix::from_fn(N as usize, pvs));
    if known {
        graph.adjacency = (1..N).map(|b| [b - 1, b]).collect();
        graph.tree = Some(planes(N));
    } else {
        let low = |cell: u32| cell as f32 * 10.0;
        let bounds = (0..N).map(|cell| [[low(cell), 0.0, 0.0], [low(cell + 1), 8.0, 8.0]]);
        graph.bounds = Some(bounds.collect());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corridor.vcb");
    let options = CellOptions::default();
    bake_cells(&graph, &source(), &options, &path, &Silent).unwrap();
    (folder, path)
}

/// Planes x = 0, 10, 20 ... cut off one cell after the other; nothing before the first and behind
/// the last.
fn planes(cells: u32) -> BspTree {
    let leaf = |cell| BspLeaf {
        contents: 0,
        cell,
        bounds: [[0.0; 3]; 2],
    };
    let leaves = (0..cells).map(|cell| leaf(Some(cell))).chain([leaf(None)]);
    let nodes = (0..=cells).map(|i| BspNode {
        normal: [1.0, 0.0, 0.0],
        dist: f64::from(i) * 10.0,
        children: [
            if i == cells {
                BspChild::Leaf(cells)
            } else {
                BspChild::Node(i + 1)
            },
            BspChild::Leaf(i.checked_sub(1).unwrap_or(cells)),
        ],
    });
    let root = BspChild::Node(0);
    BspTree::new(nodes.collect(), leaves.collect(), root, cells as usize).unwrap()
}

fn digit(bit: bool) -> char {
    if bit { '1' } else { '0' }
}

/// The first lines: what it is, and where points are.
fn places(level: &CellBundle) -> String {
    let parameters = level.parameters();
    let mut lines = format!(
        "{} cells, up to {} apart, mutual 1, BSP {}, neighbours {}\n",
        level.cells(),
        parameters.greatest_distance,
        u32::from(parameters.nodes > 0),
        u32::from(level.has_neighbours()),
    );
    for x in (-5..800).step_by(5) {
        let cell = level.locate([f64::from(x), 1.0, 1.0]);
        write!(lines, "{} ", cell.map_or(-1, i64::from)).unwrap();
    }
    lines + "\n"
}

/// Who sees whom, and how far apart they are.
fn matrix(level: &CellBundle) -> String {
    let mut lines = String::new();
    let n = level.cells();
    for a in 0..n {
        lines.extend((0..n).map(|b| digit(level.visible(a, b))));
        for b in 0..n {
            let steps = level.distance(a, b).map_or(-12, i64::from);
            write!(lines, " {steps}").unwrap();
        }
        lines.push('\n');
    }
    lines
}

fn frontiers(level: &CellBundle) -> String {
    let mut lines = String::new();
    let n = level.cells();
    let mut memory = vec![0; cells::words(n)];
    for a in (0..n).step_by(7) {
        for b in 0..n {
            let set = level.frontier(a, b, &mut memory).unwrap();
            let region = |region: Option<&[u64]>| -> String {
                let has = |cell: u32| {
                    region.is_some_and(|r| r[cell as usize / 64] >> (cell % 64) & 1 == 1)
                };
                (0..n).map(|cell| digit(has(cell))).collect()
            };
            let made = u32::from(set.is_some());
            let [ab, ba] = [region(set.map(|s| s.ab)), region(set.map(|s| s.ba))];
            writeln!(lines, "{a} {b} {made} {ab} {ba}").unwrap();
        }
    }
    lines
}

/// The walk of `cells.c`, in Rust.
fn session(level: &CellBundle, peers: bool) -> String {
    const PLAYERS: usize = 6;
    let options = SessionOptions {
        patience: Some(3),
        peers,
        ..SessionOptions::default()
    };
    let mut session = Session::new(&World::Cells(*level), PLAYERS, options);
    let mut seed = 1_u32;
    let mut dice = |sides: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % sides
    };
    let mut lines = String::new();
    for tick in 0..60 {
        session.tick();
        for player in 0..PLAYERS {
            let next = match session.place(player) {
                Some(Some(Place::Cell(cell))) => (cell + dice(3)).checked_sub(1),
                _ => Some(dice(level.cells())),
            };
            let next = next.map(|cell| Some(Place::Cell(cell)));
            let _ = session.move_to(player, next, |notice| {
                let what = u32::from(notice.what == News::Frontier);
                let (to, about) = (notice.to, notice.about);
                writeln!(lines, "{tick} {player} {to} {about} {what}").unwrap();
            });
        }
    }
    writeln!(lines, "{} sets", session.sets()).unwrap();
    lines
}

/// What a bundle says.
fn told(path: &Path, what: impl Fn(&CellBundle) -> String) -> String {
    let bytes = std::fs::read(path).unwrap();
    what(&Bundle::from_bytes(&bytes).unwrap().cells().unwrap())
}

#[test]
fn a_program_in_c_gets_the_answers_of_the_runtime_about_cells() {
    let Some(program) = compile("cells.c") else {
        return;
    };
    for known in [true, false] {
        let (_folder, path) = corridor(known);
        let stdout = ok(&Command::new(&program).arg(&path).output().unwrap());
        let expected = told(&path, |level| {
            let sessions = [false, true].map(|peers| session(level, peers)).concat();
            places(level) + &matrix(level) + &frontiers(level) + &sessions
        });
        same(&stdout, &expected);
        assert!(!stdout.contains("\n0 sets"));
        // The corridor is what it was meant to be; a point on a box's edge is in the first.
        assert!(stdout.starts_with("70 cells, up to 34 apart"));
        let places = ["-1 0 0 0 1 1 ", "-1 0 0 1 1 2 "][usize::from(known)];
        assert!(stdout.lines().nth(1).unwrap().starts_with(places));
        assert!(stdout.contains(" -12"));
    }
}

#[test]
fn a_script_in_python_gets_the_answers_of_the_runtime_about_cells() {
    let (_folder, path) = corridor(true);
    let Some(output) = python("cells.py", &path) else {
        return;
    };
    let expected = told(&path, |level| matrix(level) + &frontiers(level));
    let stdout = ok(&output);
    same(&stdout, &expected);
}
