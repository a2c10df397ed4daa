//! What the tests of levels of solids share.

use std::path::Path;

use crate::data::data;
use viewcell::query::{OwnedBundle, SolidBundle, World};
use viewcell_bake::{BakeOptions, Silent, SolidWorld, Source, bake_solid};
use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid};
use viewcell_ingest::world::solid::{PlaceOptions, SolidLevel, find_places};

/// A level of the real data.
pub fn level(name: &str) -> Option<IngestedSolid> {
    Some(read_solid(&data(name)?, &SolidOptions::default()).unwrap())
}

/// The bytes of the bundle of a level, which was read from a file, with the places that options say.
pub fn bake(
    file: &Path,
    level: &SolidLevel,
    places: &PlaceOptions,
    options: &BakeOptions,
) -> Vec<u8> {
    let source = Source::new(file, level.format, Default::default()).unwrap();
    let world = SolidWorld {
        level,
        places: &find_places(level, places).unwrap().cells,
        player: &places.player,
    };
    let written = file.with_extension("vcb");
    bake_solid(world, &source, options, &written, &Silent).unwrap();
    std::fs::read(written).unwrap()
}

/// The level of a bundle.
pub fn solid(bundle: &OwnedBundle) -> &SolidBundle<'_> {
    match bundle.world() {
        World::Solid(level) => level,
        other => panic!("expected a solid level, found {other:?}"),
    }
}

/// Where the players of a trace were while they lived.
pub fn positions(name: &str) -> Option<Vec<[f64; 3]>> {
    let text = std::fs::read_to_string(data(name)?).unwrap();
    let lines = text.lines().skip(1).map(|line| line.split(',').collect());
    let alive = lines.filter(|words: &Vec<&str>| words[7] == "0");
    Some(
        alive
            .map(|words| [2, 3, 4].map(|i| words[i].parse().unwrap()))
            .collect(),
    )
}
