//! The plans of a level's floors: each cell is on one of them. [`super::Overhead`] is the single picture of a
//! level of cells that is cut at a height.

use std::cmp::Ordering;
use std::ops::Range;

use image::{Rgba, RgbaImage};
use rayon::prelude::*;

use super::palette::{Colour, NOTHING, bytes};
use viewcell::format::Frame;
use viewcell::format::frame::ends;
use viewcell::format::solid::STEPS;
use viewcell::query::{CellBundle, SolidBundle};
use viewcell_ingest::world::solid::PlaceCells;

/// A level from above, x to the right and y up. Each cell is on one floor; where cells of a floor
/// lie above one another the upper one shows, but those in which players stand before those in the air.
#[derive(Clone, Debug)]
pub struct Floors {
    size: (u32, u32),
    /// How wide and high a pixel is. [Unit: as the level]
    pixel: f64,
    /// x of the left edge and y of the upper one. [Unit: as the level]
    corner: [f64; 2],
    floors: Vec<Floor>,
}

/// Cells whose ground lies at about one height.
#[derive(Clone, Debug)]
pub struct Floor {
    /// Between the lowest and the highest ground of its cells. [Unit: as the level]
    pub heights: [f32; 2],
    /// The cell at each pixel, row by row, north first; [`NOBODY`] for none.
    pub cells: Vec<u32>,
    /// All cells of the floor, also those that lie under others, in ascending order.
    pub members: Vec<u32>,
}

/// Where there is no cell.
pub const NOBODY: u32 = u32::MAX;

/// Most floors of a plan.
const MOST_FLOORS: usize = 6;
/// Most pixels of all floors together, and most of all boxes, which may lie over one another: a
/// plan of more is drawn coarser.
const MOST_PIXELS: f64 = 50e6;
const MOST_PAINTED: f64 = 1e9;
/// The same where each pixel of a box is looked for in the BSP.
const MOST_LOOKED_FOR: f64 = 60e6;
/// A cell is looked for in the BSP at these parts of its height.
const LOOKS: [f64; 3] = [0.5, 0.2, 0.8];

/// The cell that holds a point.
type Locate<'l> = &'l (dyn Fn([f64; 3]) -> Option<u32> + Sync);

/// A cell's box, if it has one that can be drawn.
#[derive(Clone, Copy, Debug)]
struct CellBox {
    cell: u32,
    low: [f64; 3],
    high: [f64; 3],
    /// The place that it is in the air over, by its index among those before it.
    over: Option<usize>,
}

impl Floors {
    /// The plan of a level, its longer side so many pixels long, or fewer where that would be a
    /// hundred million pixels, or as many looks. `None` where the bundle does not know where cells
    /// are.
    ///
    /// Where the bundle has a BSP, a cell is drawn where the BSP says that it is at a fifth, half or
    /// four fifths of its height; else its box is. A cell that is found nowhere is one pixel.
    pub fn new(level: &CellBundle<'_>, side: u32) -> Option<Self> {
        let bounds = |cell| Some(level.bounds(cell)?.map(|corner| corner.map(f64::from)));
        let places = (0..level.cells()).filter_map(|cell| place(cell, bounds(cell)?));
        let locate = |at| level.locate(at);
        let has_bsp = level.parameters().nodes > 0;
        Self::draw(places.collect(), has_bsp.then_some(&locate), side)
    }

    /// The same of a solid level, z up and in the unit that it is asked with: of each cell the box of positions. Floors are those that players stand on;
    /// a cell in the air is on the floor below its middle.
    pub fn of_solid(level: &SolidBundle<'_>, side: u32) -> Option<Self> {
        let level = level.upright();
        let bounds = |cell| level.bounds(cell);
        let locate = |at| level.locate(at);
        let height = level.cell_size()[2];
        Self::over_ground(level.cells(), &bounds, &locate, height, side)
    }

    /// The same of the view cells that were found in a level that is asked by a frame.
    pub fn of_places(places: &PlaceCells, frame: Frame, side: u32) -> Option<Self> {
        let frame = frame.upright();
        let bounds = |cell| {
            let bounds = places.bounds(cell as usize);
            Some(frame.corners_to_asked([bounds.min, bounds.max]))
        };
        let locate = |at| places.locate(frame.to_level(at));
        let height = frame.length_to_asked(places.cell[2]);
        Self::over_ground(places.len() as u32, &bounds, &locate, height, side)
    }

    /// Of so many cells, the smallest of which are so high.
    fn over_ground(
        cells: u32,
        bounds: &dyn Fn(u32) -> Option<[[f64; 3]; 2]>,
        locate: Locate<'_>,
        height: f64,
        side: u32,
    ) -> Option<Self> {
        let places = (0..cells).filter_map(|cell| place(cell, bounds(cell)?));
        let mut places: Vec<CellBox> = places.collect();
        places.sort_by(by_ground);
        let mut numbers = vec![None; cells as usize];
        let step = height / f64::from(2 * STEPS);
        for (number, place) in places.iter_mut().enumerate() {
            let [x, y] = [0, 1].map(|axis| place.low[axis].midpoint(place.high[axis]));
            let below = locate([x, y, place.low[2] - step]);
            place.over = below.and_then(|cell| numbers[cell as usize]);
            numbers[place.cell as usize] = Some(number);
        }
        Self::draw(places, None, side)
    }

    fn draw(mut places: Vec<CellBox>, locate: Option<Locate<'_>>, side: u32) -> Option<Self> {
        if places.is_empty() {
            return None;
        }
        let corners = || places.iter().flat_map(|place| [place.low, place.high]);
        let [[west, east], [south, north]] = [0, 1].map(|k| ends(corners().map(|at| at[k])));
        let across = [east - west, north - south];
        let pixel = across[0].max(across[1]).max(1e-6) / f64::from(side.max(1));
        let floors = floors(&mut places);
        let pixel = affordable(pixel, across, floors.len(), &places, locate.is_some());
        let size = across.map(|length| ((length / pixel).ceil() as u32).max(1));
        let painted = floors.into_par_iter().map(|mut places| {
            // The upper ones over the lower, and players who stand over those in the air.
            places.sort_by(|a, b| {
                let stands = |place: &CellBox| place.over.is_none();
                let order = stands(a).cmp(&stands(b));
                order.then(a.middle().total_cmp(&b.middle()))
            });
            let mut cells = vec![NOBODY; size[0] as usize * size[1] as usize];
            if let Some(locate) = locate {
                let drawn: Vec<Vec<u32>> = places
                    .par_iter()
                    .map(|place| place.pixels(locate, [west, north], pixel, size))
                    .collect();
                for (place, pixels) in places.iter().zip(drawn) {
                    for pixel in pixels {
                        cells[pixel as usize] = place.cell;
                    }
                }
            } else {
                for place in &places {
                    let [columns, rows] = place.ranges([west, north], pixel, size);
                    for row in rows {
                        let row = (row * size[0]) as usize;
                        let run = row + columns.start as usize..row + columns.end as usize;
                        cells[run].fill(place.cell);
                    }
                }
            }
            let stand = places.iter().filter(|place| place.over.is_none());
            let grounds = ends(stand.map(|place| place.low[2]));
            let mut members: Vec<u32> = places.iter().map(|place| place.cell).collect();
            members.sort_unstable();
            Floor {
                heights: grounds.map(|ground| ground as f32),
                cells,
                members,
            }
        });
        Some(Self {
            size: (size[0], size[1]),
            pixel,
            corner: [west, north],
            floors: painted.collect(),
        })
    }

    /// Pixels across and down.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// How wide and high a pixel is. [Unit: as the level]
    pub fn pixel(&self) -> f64 {
        self.pixel
    }

    /// x of the left edge and y of the upper one. [Unit: as the level]
    pub fn corner(&self) -> [f64; 2] {
        self.corner
    }

    /// The floors, the lowest first.
    pub fn list(&self) -> &[Floor] {
        &self.floors
    }

    /// A floor with each cell in its colour and an edge around it, over a pale outline of the other
    /// floors; where there is nothing it is transparent.
    pub fn paint(&self, floor: usize, colour: impl Fn(u32) -> Colour) -> RgbaImage {
        let (width, height) = self.size;
        let cells = &self.floors[floor].cells;
        let at = |x: u32, y: u32| cells[(y * width + x) as usize];
        RgbaImage::from_fn(width, height, |x, y| {
            let cell = at(x, y);
            let opaque = |colour| {
                let [r, g, b] = bytes(colour);
                Rgba([r, g, b, 255])
            };
            if cell == NOBODY {
                let place = (y * width + x) as usize;
                let other = self.floors.iter().any(|floor| floor.cells[place] != NOBODY);
                return if other {
                    opaque(NOTHING)
                } else {
                    Rgba([255, 255, 255, 0])
                };
            }
            let edge =
                x + 1 < width && at(x + 1, y) != cell || y + 1 < height && at(x, y + 1) != cell;
            opaque(colour(cell).map(|c| if edge { c * 0.68 } else { c }))
        })
    }

    /// Where a cell is drawn: its floor, and the pixel of it that is nearest to their middle.
    /// `None` for one that is under others, or whose place is not known.
    pub fn find(&self, cell: u32) -> Option<(usize, [u32; 2])> {
        self.floors.iter().enumerate().find_map(|(number, floor)| {
            let own = || {
                let places = floor.cells.iter().enumerate();
                let places = places.filter(|(_, at)| **at == cell);
                places.map(|(i, _)| [i as u32 % self.size.0, i as u32 / self.size.0])
            };
            let count = own().count().max(1) as f64;
            let middle =
                [0, 1].map(|axis| own().map(|at| f64::from(at[axis])).sum::<f64>() / count);
            let far =
                |at: &[u32; 2]| (f64::from(at[0]) - middle[0]).hypot(f64::from(at[1]) - middle[1]);
            let nearest = own().min_by(|a, b| far(a).total_cmp(&far(b)))?;
            Some((number, nearest))
        })
    }
}

impl CellBox {
    fn middle(&self) -> f64 {
        (self.low[2] + self.high[2]) / 2.0
    }

    /// The area of its ground.
    fn area(&self) -> f64 {
        if self.over.is_some() {
            return 0.0;
        }
        (self.high[0] - self.low[0]).max(1.0) * (self.high[1] - self.low[1]).max(1.0)
    }

    /// The columns and rows of a plan that the box covers.
    fn ranges(&self, [west, north]: [f64; 2], pixel: f64, size: [u32; 2]) -> [Range<u32>; 2] {
        let range = |from: f64, to: f64, most: u32| {
            let from = (from / pixel).floor().clamp(0.0, f64::from(most - 1)) as u32;
            let to = (to / pixel).ceil().clamp(0.0, f64::from(most)) as u32;
            from..to.max(from + 1)
        };
        [
            range(self.low[0] - west, self.high[0] - west, size[0]),
            range(north - self.high[1], north - self.low[1], size[1]),
        ]
    }

    /// The pixels of a plan where the BSP says that the cell is, by their places row by row.
    fn pixels(
        &self,
        locate: Locate<'_>,
        [west, north]: [f64; 2],
        pixel: f64,
        size: [u32; 2],
    ) -> Vec<u32> {
        let [columns, rows] = self.ranges([west, north], pixel, size);
        let is_here = |x: u32, y: u32| {
            let east = west + (f64::from(x) + 0.5) * pixel;
            let up = north - (f64::from(y) + 0.5) * pixel;
            LOOKS.iter().any(|part| {
                let height = self.low[2] + part * (self.high[2] - self.low[2]);
                locate([east, up, height]) == Some(self.cell)
            })
        };
        let all = rows
            .clone()
            .flat_map(|y| columns.clone().map(move |x| (x, y)));
        let found: Vec<u32> = all
            .filter(|&(x, y)| is_here(x, y))
            .map(|(x, y)| y * size[0] + x)
            .collect();
        if !found.is_empty() {
            return found;
        }
        let (x, y) = (
            columns.start.midpoint(columns.end),
            rows.start.midpoint(rows.end),
        );
        vec![y.min(size[1] - 1) * size[0] + x.min(size[0] - 1)]
    }
}

/// A pixel of at least `pixel` a side at which a plan stays within its limits.
fn affordable(
    mut pixel: f64,
    across: [f64; 2],
    floors: usize,
    places: &[CellBox],
    has_bsp: bool,
) -> f64 {
    let most = if has_bsp {
        MOST_LOOKED_FOR
    } else {
        MOST_PAINTED
    };
    // Not more than these steps: a box has a pixel, however coarse the plan is.
    for _ in 0..64 {
        let pixels = |length: f64| (length / pixel).ceil().max(1.0);
        let all = floors as f64 * pixels(across[0]) * pixels(across[1]);
        let of = |place: &CellBox| {
            let side = |axis: usize| pixels(place.high[axis] - place.low[axis]) + 1.0;
            side(0) * side(1)
        };
        let boxes: f64 = places.iter().map(of).sum();
        let times = (all / MOST_PIXELS).max(boxes / most);
        if times <= 1.0 {
            break;
        }
        pixel *= times.sqrt().max(1.1);
    }
    pixel
}

/// The box of a cell; `None` where it has none, or none that can be drawn.
fn place(cell: u32, [low, high]: [[f64; 3]; 2]) -> Option<CellBox> {
    let is_box = (0..3)
        .all(|axis| low[axis] <= high[axis] && low[axis].abs() < 1e9 && high[axis].abs() < 1e9);
    // A cell that nothing is known of has a box without extent.
    (is_box && low != high).then_some(CellBox {
        cell,
        low,
        high,
        over: None,
    })
}

/// From the lowest ground up.
fn by_ground(a: &CellBox, b: &CellBox) -> Ordering {
    a.low[2].total_cmp(&b.low[2]).then(a.cell.cmp(&b.cell))
}

/// Shares cells out to floors by the heights of their grounds: as many as storeys of twice the
/// height of a cell lie over each other, each ground with the floor that it is nearest to the mean
/// of (Lloyd's algorithm). Places in the air have no ground, and are with what they are over.
fn floors(places: &mut [CellBox]) -> Vec<Vec<CellBox>> {
    places.sort_by(by_ground);
    let all: f64 = places.iter().map(CellBox::area).sum();
    // The ground below which so much of the area lies.
    let ground = |part: f64| {
        let mut below = 0.0;
        let reached = places.iter().find(|place| {
            below += place.area();
            below >= part * all
        });
        reached.or(places.last()).map_or(0.0, |place| place.low[2])
    };
    let mut heights: Vec<f64> = places.iter().map(|p| p.high[2] - p.low[2]).collect();
    heights.sort_by(f64::total_cmp);
    let storey = 2.0 * heights[heights.len() / 2].max(1e-6);
    let range = ground(0.97) - ground(0.03);
    let count = ((range / storey).round() as usize).clamp(1, MOST_FLOORS);
    let mut means: Vec<f64> = (0..count)
        .map(|i| ground((i as f64 + 0.5) / count as f64))
        .collect();
    means.dedup();
    let nearest = |means: &[f64], height: f64| {
        let far = |mean: &f64| (mean - height).abs();
        let floors = means.iter().enumerate();
        let best = floors.min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
        best.map_or(0, |(floor, _)| floor)
    };
    for _ in 0..20 {
        let mut sums = vec![[0.0; 2]; means.len()];
        for place in places.iter() {
            let [sum, area] = &mut sums[nearest(&means, place.low[2])];
            *sum += place.low[2] * place.area();
            *area += place.area();
        }
        for (mean, [sum, area]) in means.iter_mut().zip(sums) {
            if area > 0.0 {
                *mean = sum / area;
            }
        }
    }
    let mut floors = vec![Vec::new(); means.len()];
    let mut chosen: Vec<usize> = Vec::with_capacity(places.len());
    for place in places.iter() {
        let floor = place
            .over
            .map_or_else(|| nearest(&means, place.low[2]), |over| chosen[over]);
        chosen.push(floor);
        floors[floor].push(*place);
    }
    floors.retain(|places| !places.is_empty());
    floors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shared_out_to_floors_by_their_ground() {
        // Three storeys of some 350, where cells are 130 high.
        let grounds = [0.0, 8.0, 4.0, 300.0, 296.0, 304.0, 700.0, 690.0, 696.0];
        let mut places: Vec<CellBox> = grounds
            .into_iter()
            .enumerate()
            .map(|(cell, ground)| CellBox {
                cell: cell as u32,
                low: [0.0, 0.0, ground],
                high: [100.0, 100.0, ground + 130.0],
                over: None,
            })
            .collect();
        let floors = floors(&mut places);
        let cells: Vec<Vec<u32>> = floors
            .iter()
            .map(|floor| floor.iter().map(|place| place.cell).collect())
            .collect();
        assert_eq!(cells, [[0, 2, 1], [4, 3, 5], [7, 8, 6]]);
    }

    #[test]
    fn a_flat_level_has_one_floor() {
        let flat = |cell| CellBox {
            cell,
            low: [0.0; 3],
            high: [1.0, 1.0, 0.0],
            over: None,
        };
        assert_eq!(floors(&mut [flat(0), flat(1)]).len(), 1);
    }
}
