//! `src/viewcell/capi/viewcell.h` is what cbindgen makes of the sources.
//!
//! To write it anew: `VIEWCELL_WRITE_HEADER=1 cargo test --test capi header`.

use cbindgen::{Builder, Config, DocumentationStyle, Language};
use std::path::Path;

const FRONT: &str = "\
/* viewcell.h: who can see whom, and until where may they walk before they can.
 *
 * The viewcell program bakes a bundle (.vcb) from a terrain, from a level of cells as in Quake and related games, or from
 * a solid level. A game opens it, locates its players, and queries. The same functions query a bundle of any kind:
 *
 *     viewcell_bundle *bundle;
 *     char why[256];
 *     if (viewcell_open(VIEWCELL_ABI_VERSION, \"level.vcb\", VIEWCELL_MAP, &bundle, why, sizeof why) != VIEWCELL_OK)
 *         return fail(why);
 *     viewcell_position here = {120.0, 340.5, 0.0}, there = {800.0, 95.0, 0.0};
 *     viewcell_place alice, bob;
 *     viewcell_locate(bundle, &here, &alice);
 *     viewcell_locate(bundle, &there, &bob);
 *     if (viewcell_visible(bundle, alice, bob) == 0)
 *         ;  // alice need not hear of bob
 *
 * A place is the number of a view cell: a sample of a terrain, row by row; a cluster; a cell of a solid level. Where a
 * position is at no place, viewcell_locate gives VIEWCELL_NOWHERE. A player there sees all and is seen by all, so that
 * doubt never hides anybody. viewcell_info describes the bundle; functions for what only one kind of world has, such as
 * quads and distances, return VIEWCELL_KIND for others.
 *
 * Players who cannot see each other may agree on a frontier set: two regions, no place in one
 * visible from any place in the other. While each stays in theirs, neither sends a packet:
 *
 *     viewcell_frontier *frontier;            // once, for all sets to come
 *     viewcell_frontier_new(bundle, &frontier);
 *     viewcell_frontier_begin(frontier, alice, bob, VIEWCELL_BUDGET);
 *     while (viewcell_frontier_step(frontier, 16) == 0)
 *         ;  // or 16 quads a frame: what is there may be used at any time
 *     if (viewcell_frontier_contains(frontier, 0, where_alice_is_now) == 1)
 *         ;  // she keeps silent
 *
 * A viewcell_session does this for many players: it takes moves, and returns who must be told what.
 *
 * Packets take time, and players move meanwhile. viewcell_visible_within tests all places within reach of two places.
 * viewcell_sees_within tests positions, which in a solid level hides more than their cells do:
 *
 *     viewcell_position alice = {480.0, -352.0, 88.0}, bob = {1200.0, 96.0, 24.0};
 *     if (viewcell_sees_within(bundle, &alice, &bob, 48.0, 32.0) == 0)
 *         ;  // alice need not hear of bob, though she comes 48 units far meanwhile, and he 32
 *
 * Velocities and limits of movement narrow that further: viewcell_sees_in_motion says whether one player may see another,
 * each within a time interval of their own, and viewcell_session_move_in_motion does so for sessions.
 * In a solid level a viewcell_watch does all of that for a server, frame by frame: it says whom to send to whom. Where the
 * cells say that two may see each other, it tests the solids themselves, closed doors and smoke.
 *
 * Every function returns a viewcell_status: 0 or more is an answer, less than 0 says why there is
 * none. On failure nothing is written through output pointers, except the null handles and lengths
 * that are named below. A pointer that is not null must point to what its type says, for the length
 * of the call. Handles are numbers stored in pointers: never dereference them. A closed handle
 * gives VIEWCELL_CLOSED for ever, unless it is closed during another call; so does a handle of
 * another type, and what was never a handle. Closing frees all that the handle stood for. A damaged
 * bundle gives wrong answers (visible rather than hidden), never a crash.
 *
 * Threads: a function that takes a const handle may be called by any number of threads at a time;
 * one that takes a handle that is not const needs it exclusively for the call. Different handles are
 * independent, even those of one bundle. Where a function allocates, it says so.
 *
 * Made from the sources by cbindgen; do not edit.
 */";

/// In the order of the header.
const FILES: [&str; 11] = [
    "status", "bundle", "patched", "place", "info", "objects", "visible", "frontier", "session",
    "motion", "watch",
];

fn generate() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/viewcell/capi");
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        include_guard: Some("VIEWCELL_H".into()),
        documentation_style: DocumentationStyle::C99,
        header: Some(FRONT.into()),
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        usize_is_size_t: true,
        style: cbindgen::Style::Type,
        line_length: 100,
        ..Config::default()
    };
    let mut builder = Builder::new().with_config(config);
    for file in FILES {
        builder = builder.with_src(root.join(format!("{file}.rs")));
    }
    let bindings = builder.generate().unwrap();
    let mut header = Vec::new();
    bindings.write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/viewcell/capi/viewcell.h");
    let header = generate();
    if std::env::var_os("VIEWCELL_WRITE_HEADER").is_some() {
        std::fs::write(&file, &header).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == header,
        "src/viewcell/capi/viewcell.h is out of date; write it anew with \
         `VIEWCELL_WRITE_HEADER=1 cargo test --test capi header`"
    );
    let folder = file.parent().unwrap().read_dir().unwrap();
    for at in folder.map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&at).unwrap();
        let of_file = text.split("extern \"C\" fn ").skip(1);
        for name in of_file.map(|text| text.split('(').next().unwrap()) {
            assert!(header.contains(&format!("{name}(")), "{name}");
        }
    }
}

/// Those that do not read the header name its version themselves.
#[test]
fn bindings_name_the_version_of_the_header() {
    let version = viewcell::capi::VIEWCELL_ABI_VERSION;
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bindings");
    for (file, line) in [
        ("csharp/Runtime/Native.cs", "const uint AbiVersion = "),
        ("wasm/engine.js", "const ABI = "),
    ] {
        let text = std::fs::read_to_string(bindings.join(file)).unwrap();
        assert!(text.contains(&format!("{line}{version};")), "{file}");
    }
}
