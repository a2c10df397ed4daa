//! Levels from above.

use viewcell::query::Bundle;
use viewcell_ingest::world::{BitMatrix, CellGraph, Portal, Symmetry};
use viewcell_view::picture::Overhead;

use crate::bundle::bake;

/// A level from above, cut at a height.
fn view(graph: &CellGraph, cut: Option<f64>) -> Overhead {
    let bytes = bake(graph, Symmetry::Or, 1);
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    Overhead::new(&bundle.cells().unwrap(), cut, || Some(graph.clone()))
}

/// Cells of which nobody sees another, and nothing else is known.
fn blind(cells: usize) -> CellGraph {
    CellGraph {
        pvs: Some(BitMatrix::new(cells)),
        ..CellGraph::new(cells)
    }
}

/// The cell at parts of the view's width and height.
fn at(view: &Overhead, x: f64, y: f64) -> Option<u32> {
    let column = (x * f64::from(view.width)) as u32;
    let row = (y * f64::from(view.height)) as u32;
    view.cells[(row * view.width + column) as usize]
}

#[test]
fn a_cut_takes_off_what_begins_above_it() {
    let mut graph = blind(3);
    // A hall, a gallery in its west, and a cellar in the south-east.
    graph.bounds = Some(vec![
        [[0.0, 0.0, 0.0], [80.0, 40.0, 30.0]],
        [[0.0, 0.0, 20.0], [20.0, 40.0, 30.0]],
        [[60.0, 0.0, -20.0], [80.0, 20.0, 0.0]],
    ]);
    let whole = view(&graph, None);
    assert_eq!((whole.corner, whole.heights), ([0.0, 40.0], [-20.0, 30.0]));
    assert!(whole.width == 2 * whole.height);
    let corners =
        |view: &Overhead| [(0.1, 0.1), (0.5, 0.5), (0.9, 0.9)].map(|(x, y)| at(view, x, y));
    assert_eq!(corners(&whole), [Some(1), Some(0), Some(0)]);
    assert_eq!(
        corners(&view(&graph, Some(10.0))),
        [Some(0), Some(0), Some(0)]
    );
    let cellar = view(&graph, Some(-5.0));
    assert_eq!(corners(&cellar), [None, None, Some(2)]);
    let floors: Vec<f32> = cellar
        .floors
        .iter()
        .copied()
        .filter(|f| !f.is_nan())
        .collect();
    assert!(!floors.is_empty() && floors.iter().all(|floor| *floor == -20.0));
}

#[test]
fn cells_without_boxes_lie_around_their_portals() {
    let mut graph = blind(2);
    let corner = |x: f64, z: f64| [x, 10.0, z];
    graph.portals = vec![Portal {
        cells: [0, 1],
        winding: vec![
            corner(0.0, 0.0),
            corner(8.0, 0.0),
            corner(8.0, 4.0),
            corner(0.0, 4.0),
        ],
    }];
    graph.adjacency = CellGraph::adjacency_of(&graph.portals);
    let flat = view(&graph, None);
    assert!(flat.pixel > 0.0 && flat.cells.iter().any(Option::is_some));
}

#[test]
fn where_nothing_tells_places_every_cell_has_a_square() {
    for cells in [1, 2, 5, 130] {
        let drawn = view(&blind(cells), None);
        assert_eq!(drawn.pixel, 0.0);
        for cell in 0..cells as u32 {
            assert!(drawn.cells.contains(&Some(cell)), "{cell} of {cells}");
        }
        assert_eq!(drawn.cells.len(), (drawn.width * drawn.height) as usize);
    }
}
