//! The rule on statistics.

use crate::bundle::provenance::{LevelStatistics, Statistics};
use crate::bundle::verify::checker::Faults;

/// Checks [`super::STATISTICS`]: those told by those found in the trees.
pub(super) fn compare(told: &Statistics, found: &Statistics, faults: &mut Faults) {
    let mut same = |place: String, told: u64, found: u64| {
        if told != found {
            faults.add(place, None, format!("{found}, by the trees"), told);
        }
    };
    same("samples".to_owned(), told.samples, found.samples);
    same("voids".to_owned(), told.voids, found.voids);
    same(
        "levels".to_owned(),
        told.levels.len() as u64,
        found.levels.len() as u64,
    );
    for (told, found) in told.levels.iter().zip(&found.levels) {
        type Field = (&'static str, fn(&LevelStatistics) -> u64);
        let fields: [Field; 5] = [
            ("number", |level| u64::from(level.level)),
            ("quads", |level| level.quads),
            ("quads with terrain", |level| level.quads_with_terrain),
            ("visible samples", |level| level.visible_samples),
            ("tree bytes", |level| level.tree_bytes),
        ];
        for (field, of) in fields {
            same(
                format!("{field} of level {}", found.level),
                of(told),
                of(found),
            );
        }
    }
    for (told, found) in told.levels.iter().zip(&found.levels) {
        if (told.hidden_share - found.hidden_share).abs() > 1e-9 {
            let place = format!("hidden share of level {}", found.level);
            faults.add(place, None, found.hidden_share, told.hidden_share);
        }
    }
}
