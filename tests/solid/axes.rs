//! An L-shaped level as each engine's exporter writes it, baked, and asked with that engine's positions. The bundles are kept for
//! the tests of bindings.
//!
//! `VIEWCELL_BLESS=1 cargo test --test solid axes` writes them anew.

use std::path::Path;

use viewcell::format::Frame;
use viewcell::query::{Bundle, SolidBundle};
use viewcell_bake::{BakeOptions, Silent, SolidWorld, Source, bake_solid};
use viewcell_ingest::solid::{Exporter, SolidOptions, read_solid};
use viewcell_ingest::world::solid::{PlaceOptions, find_places};

use crate::meshes::{ENGINES, Point, Write, all_axes, obj};

/// Walls around an L, as along, across and up in metres: 20 along and 8 across, 3 wide and high.
const WALLS: [[Point; 2]; 7] = [
    [[-1.0, -1.0, -1.0], [21.0, 9.0, 0.0]],
    [[-1.0, -1.0, 3.0], [21.0, 9.0, 4.0]],
    [[-1.0, -1.0, 0.0], [21.0, 0.0, 3.0]],
    [[-1.0, 0.0, 0.0], [0.0, 8.0, 3.0]],
    [[20.0, 0.0, 0.0], [21.0, 3.0, 3.0]],
    [[-1.0, 8.0, 0.0], [3.0, 9.0, 3.0]],
    [[3.0, 3.0, 0.0], [21.0, 9.0, 3.0]],
];
/// Between the feet of players in the corner, at the end of the short arm, and at that of the long one.
const CORNER: Point = [1.5, 1.5, 0.1];
const SHORT: Point = [1.5, 7.0, 0.1];
const LONG: Point = [18.0, 1.5, 0.1];

fn baked(from: Exporter, engine: Write, to_obj: Write) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, written) = (folder.path().join("l.obj"), folder.path().join("l.vcb"));
    std::fs::write(&mesh, obj(&WALLS, |at| to_obj(engine(at)))).unwrap();
    let options = SolidOptions {
        from: Some(from),
        ..SolidOptions::default()
    };
    let level = read_solid(&mesh, &options).unwrap().level;
    let mut place_options = PlaceOptions::of(&level);
    place_options.reach = vec![level.frame.to_level(engine(CORNER))];
    let places = find_places(&level, &place_options).unwrap().cells;
    let source = Source::new(&mesh, level.format, Default::default()).unwrap();
    let world = SolidWorld {
        level: &level,
        places: &places,
        player: &place_options.player,
    };
    bake_solid(world, &source, &BakeOptions::default(), &written, &Silent).unwrap();
    std::fs::read(written).unwrap()
}

/// Whether the L is where an engine has it, if its positions are taken by some axes.
fn is_there(level: &SolidBundle<'_>, frame: Frame, engine: Write) -> bool {
    let at = [CORNER, SHORT, LONG].map(|at| frame.to_level(engine(at)));
    let [Some(corner), Some(short), Some(long)] = at.map(|at| level.locate(at)) else {
        return false;
    };
    let sees = |a, b| level.visible(a, b) && level.visible(b, a);
    sees(corner, short)
        && sees(corner, long)
        && !level.visible(short, long)
        && !level.visible(long, short)
}

#[test]
fn a_level_is_asked_with_the_positions_of_the_engine_that_it_comes_from() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/axes");
    for (from, engine, _, to_obj) in ENGINES {
        let name = format!("{from:?}.vcb").to_lowercase();
        let bytes = baked(from, engine, to_obj);
        if std::env::var_os("VIEWCELL_BLESS").is_some() {
            std::fs::write(folder.join(&name), &bytes).unwrap();
        }
        assert!(
            std::fs::read(folder.join(&name)).unwrap() == bytes,
            "{name}"
        );
        let level = Bundle::from_bytes(&bytes).unwrap().solid().unwrap();
        let frame = level.parameters().frame;
        for axes in all_axes() {
            let other = Frame { axes, ..frame };
            assert_eq!(
                is_there(&level, other, engine),
                axes == frame.axes,
                "{name} {axes:?}"
            );
        }
        let scale = frame.scale * 100.0;
        assert!(
            !is_there(&level, Frame { scale, ..frame }, engine),
            "{name}"
        );
    }
}
