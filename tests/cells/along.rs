//! Lines through levels, beside the slow way: asking for the cell of point after point.

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use viewcell::query::{Bundle, CellBundle};
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::Symmetry;

use crate::bundle::bake;
use crate::common::levels;

/// Random lines between points of a box, as parts of its sides.
fn lines_are_right(level: &CellBundle, [low, high]: [[f64; 3]; 2], cases: u32) {
    let part = || prop::array::uniform3(-0.1..1.1_f64);
    let point = |part: [f64; 3]| [0, 1, 2].map(|k| low[k] + part[k] * (high[k] - low[k]));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let outcome = runner.run(&(part(), part(), any::<bool>()), |(from, to, is_down)| {
        let (from, mut to) = (point(from), point(to));
        if is_down {
            [to[0], to[1]] = [from[0], from[1]];
        }
        let length = (0..3)
            .map(|k| (to[k] - from[k]).powi(2))
            .sum::<f64>()
            .sqrt();
        let stretches: Vec<_> = level.along(from, to).collect();
        let mut end = 0.0;
        for stretch in &stretches {
            prop_assert_eq!(stretch.part[0], end);
            end = stretch.part[1];
            prop_assert!(end > stretch.part[0]);
        }
        prop_assert_eq!(end, 1.0);
        // Short pieces may be left out: look only away from the ends of stretches.
        let edge = 0.05 / length.max(0.05);
        for i in 0..=400 {
            let t = f64::from(i) / 400.0;
            let held = stretches
                .iter()
                .find(|s| s.part[0] + edge < t && t < s.part[1] - edge);
            if let Some(stretch) = held {
                let at = [0, 1, 2].map(|k| from[k] + t * (to[k] - from[k]));
                prop_assert_eq!(stretch.cell, level.locate(at), "{:?}", at);
            }
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_line_leads_through_the_cells_of_its_points() {
    let Some(folder) = levels() else {
        return;
    };
    for name in [
        "q1-bsp29/dm4.bsp",
        "q2-ibsp38/dm4.bsp",
        "hl-bsp30/lqdm11.bsp",
    ] {
        let read = read_cells(&folder.join(name), &IngestCellsOptions::default());
        let graph = read.unwrap().graph;
        let bytes = bake(&graph, Symmetry::Or, 1);
        let bundle = Bundle::from_bytes(&bytes).unwrap();
        let level = bundle.cells().unwrap();
        let boxes = graph.bounds.unwrap();
        let extreme = |of: fn(f64, f64) -> f64, corner: usize| {
            [0, 1, 2].map(|k| {
                boxes
                    .iter()
                    .map(|b| f64::from(b[corner][k]))
                    .reduce(of)
                    .unwrap()
            })
        };
        lines_are_right(&level, [extreme(f64::min, 0), extreme(f64::max, 1)], 200);
    }
}

#[test]
fn a_line_that_is_no_line_ends() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1/level.vcb");
    let bytes = std::fs::read(path).unwrap();
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let level = bundle.cells().unwrap();
    let point = level.along([1.0; 3], [1.0; 3]).collect::<Vec<_>>();
    assert_eq!(point.len(), 1);
    assert_eq!(point[0].part, [0.0, 1.0]);
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        assert!(level.along([0.0; 3], [bad, 0.0, 0.0]).take(1000).count() < 1000);
    }
}
