//! What the tests of levels of solids share.

use crate::data::data;
use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid};

/// A level of the real data.
pub fn level(name: &str) -> Option<IngestedSolid> {
    Some(read_solid(&data(name)?, &SolidOptions::default()).unwrap())
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
