//! A level of cells from above, as if its roofs were off: one picture in which a cell may lie under
//! another, to be cut lower by whoever looks. [`super::Floors`] is for paper, where nobody can cut.

use rayon::prelude::*;

use viewcell::format::frame::{Corners, hull};
use viewcell::query::CellBundle;
use viewcell_ingest::world::CellGraph;

/// Pixels of the longer side. A level's walls are some pixels thick then.
const SIDE: f64 = 720.0;

/// Which cell lies at each pixel, and how high its floor is there.
///
/// In a pixel lies the topmost floor at or below the height of the cut. The first row is the
/// northernmost: y grows upwards, x to the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Overhead {
    /// Pixels a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// x of the left edge and y of its upper edge. [Unit: of the level]
    pub corner: [f64; 2],
    /// Side of a pixel. [Unit: of the level; 0 where nothing tells where cells lie]
    pub pixel: f64,
    /// The least and the greatest height of the level, between which a cut makes sense.
    pub heights: [f64; 2],
    /// The cell at each pixel, row by row; `None` where there is none.
    pub cells: Vec<Option<u32>>,
    /// The height of the floor at each pixel, row by row; NaN where there is none.
    pub floors: Vec<f32>,
}

impl Overhead {
    /// The view of a level cut at a height; at its greatest where `cut` is `None`.
    ///
    /// By the level's BSP it is exact. Else cells are drawn as their boxes; `graph` gives, where
    /// the bundle has no boxes, portals whose corners they are drawn around. Where nothing tells
    /// where cells lie, they are squares in the order of their numbers.
    pub fn new(
        level: &CellBundle<'_>,
        cut: Option<f64>,
        graph: impl FnOnce() -> Option<CellGraph>,
    ) -> Self {
        let cells = level.cells();
        let boxes = (0..cells).map(|cell| level.bounds(cell).map(|b| b.map(|c| c.map(f64::from))));
        let boxes: Option<Vec<Corners>> = boxes.collect();
        let boxes = boxes.or_else(|| around_portals(cells, &graph()?));
        let around = boxes.as_deref().and_then(around);
        let (Some(boxes), Some(around)) = (boxes, around) else {
            return Self::of_numbers(cells);
        };
        let [low, high] = around;
        let extent = [high[0] - low[0], high[1] - low[1]];
        let pixel = extent[0].max(extent[1]) / SIDE;
        if !(pixel > 0.0 && pixel.is_finite()) {
            return Self::of_numbers(cells);
        }
        let [width, height] = extent.map(|side| ((side / pixel).ceil() as usize).max(1));
        let cut = cut.unwrap_or(high[2]).clamp(low[2], high[2]);
        let mut view = Self {
            width: width as u32,
            height: height as u32,
            corner: [low[0], high[1]],
            pixel,
            heights: [low[2], high[2]],
            cells: vec![None; width * height],
            floors: vec![f32::NAN; width * height],
        };
        match level.parameters().nodes {
            0 => view.draw_boxes(&boxes, cut),
            _ => view.look_down(level, low[2] - 1.0, cut),
        }
        view
    }

    /// Looks down through the middle of each pixel to the first floor.
    fn look_down(&mut self, level: &CellBundle<'_>, bottom: f64, cut: f64) {
        let ([left, top], pixel, width) = (self.corner, self.pixel, self.width as usize);
        let rows = self.cells.par_chunks_mut(width);
        let rows = rows.zip(self.floors.par_chunks_mut(width)).enumerate();
        rows.for_each(|(row, (cells, floors))| {
            let y = top - (row as f64 + 0.5) * pixel;
            for (column, (cell, floor)) in cells.iter_mut().zip(floors).enumerate() {
                let x = left + (column as f64 + 0.5) * pixel;
                let line = level.along([x, y, cut], [x, y, bottom]);
                let room = line.skip_while(|stretch| stretch.cell.is_none());
                // Whoever is in this column stands where the room ends.
                if let Some(last) = room.take_while(|stretch| stretch.cell.is_some()).last() {
                    *cell = last.cell;
                    *floor = (cut + (bottom - cut) * last.part[1]) as f32;
                }
            }
        });
    }

    /// Paints boxes from the lowest to the highest that begins below the cut.
    fn draw_boxes(&mut self, boxes: &[Corners], cut: f64) {
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.retain(|&cell| boxes[cell][0][2] <= cut);
        order.sort_by(|&a, &b| boxes[a][0][2].total_cmp(&boxes[b][0][2]));
        let (width, height) = (self.width as usize, self.height as usize);
        for cell in order {
            let [low, high] = boxes[cell];
            // Also what is thinner than a pixel takes one.
            let pixels = |from: f64, to: f64, most: usize| {
                let at = |x: f64| ((x / self.pixel).max(0.0) as usize).min(most);
                let first = at(from).min(most - 1);
                first..at(to).max(first + 1)
            };
            let [left, top] = self.corner;
            let columns = pixels(low[0] - left, high[0] - left, width);
            let rows = pixels(top - high[1], top - low[1], height);
            for row in rows {
                let run = row * width + columns.start..row * width + columns.end;
                self.cells[run.clone()].fill(Some(cell as u32));
                self.floors[run].fill(low[2] as f32);
            }
        }
    }

    /// Squares with gaps between them, row by row.
    fn of_numbers(cells: u32) -> Self {
        let columns = f64::from(cells).sqrt().ceil() as u32;
        let rows = cells.div_ceil(columns.max(1));
        let side = (SIDE as u32 / columns.max(1)).clamp(3, 48);
        let (width, height) = (columns * side, rows * side);
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let cells: Vec<Option<u32>> = pixels
            .map(|(x, y)| {
                let cell = y / side * columns + x / side;
                let gap = x % side == 0 || y % side == 0;
                (!gap && cell < cells).then_some(cell)
            })
            .collect();
        Self {
            width,
            height,
            corner: [0.0; 2],
            pixel: 0.0,
            heights: [0.0; 2],
            floors: cells.iter().map(|c| c.map_or(f32::NAN, |_| 0.0)).collect(),
            cells,
        }
    }
}

/// The box around all boxes; `None` unless it is finite.
fn around(boxes: &[Corners]) -> Option<Corners> {
    let all = boxes.iter().copied().reduce(hull);
    all.filter(|[low, high]| low.iter().chain(high).all(|x| x.is_finite()))
}

/// The box around the corners of each cell's portals; `None` where there are no portals. A cell
/// without one lies nowhere.
fn around_portals(cells: u32, graph: &CellGraph) -> Option<Vec<Corners>> {
    let mut boxes: Vec<Option<Corners>> = vec![None; cells as usize];
    for portal in &graph.portals {
        for corner in &portal.winding {
            for cell in portal.cells {
                let own = &mut boxes[cell as usize];
                *own = Some(own.map_or([*corner; 2], |b| hull(b, [*corner; 2])));
            }
        }
    }
    let somewhere = boxes.iter().flatten().next()?[0];
    Some(boxes.iter().map(|b| b.unwrap_or([somewhere; 2])).collect())
}
