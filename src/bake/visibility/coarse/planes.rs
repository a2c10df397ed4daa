//! Upper bounds over quads of the ground that somebody can be on: the least-squares plane, raised until nothing is
//! above it; or a level plane where that is lower in the middle, as over roofs.

use crate::visibility::lanes::VOID;
use crate::visibility::surface::{Cover, POINTS};
use std::ops::Range;
use viewcell::format::Grid;
use viewcell_ingest::world::Terrain;

/// The highest level of quads whose children are hidden from each other like this.
pub(crate) const MAX_SLOPE_LEVEL: u32 = 5;

/// Heights over the corners of a rectangle on the map: north-west, north-east, south-west, south-east.
pub(crate) type Corners = [f32; 4];

/// By level of quads from 1 to below [`MAX_SLOPE_LEVEL`]: heights over the corners of each, whose bilinear interpolation is nowhere
/// below any ground in it that somebody can be on; [`VOID`] where nobody can. (Of the cells of samples [`super::covers`] tells.) Heights are in metres above `base`.
pub(crate) fn corners(
    terrain: &Terrain,
    samples: Grid,
    base: f64,
    is_anybody: impl Fn((u32, u32)) -> bool,
) -> Vec<Vec<Corners>> {
    let (width, height) = (samples.width(), samples.height());
    let mut corners = vec![Vec::new(); MAX_SLOPE_LEVEL as usize];
    // Rows of the largest quads, one after the other.
    let band = 1 << (MAX_SLOPE_LEVEL - 1);
    for first in (0..height).step_by(band) {
        let end = height.min(first + band as u32);
        let covers: Vec<_> = (first..end)
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .map(|place| is_anybody(place).then(|| Cover::new(terrain, place.0, place.1)))
            .collect();
        for (level, corners) in (0..).zip(&mut corners).skip(1) {
            let side = 1 << level;
            for row in (first..end).step_by(side) {
                for column in (0..width).step_by(side) {
                    let columns = column..width.min(column + side as u32);
                    let rows = row - first..end.min(row + side as u32) - first;
                    corners.push(plane_above(&covers, width, columns, rows, base));
                }
            }
        }
    }
    corners
}

/// Heights over the corners of some columns and rows of cells, on a plane that none of their ground is above; [`VOID`]
/// where there is none. The plane of least squares, raised; or a level one if that is lower in the middle, as it
/// is over roofs.
fn plane_above(
    covers: &[Option<Cover>],
    width: u32,
    columns: Range<u32>,
    rows: Range<u32>,
    base: f64,
) -> Corners {
    // Places in samples from the middle, and heights.
    let middle = [&columns, &rows].map(|range| f64::from(range.start + range.end - 1) / 2.0);
    let half = [&columns, &rows].map(|range| f64::from(range.end - range.start) / 2.0);
    let each = || {
        let cells = rows
            .clone()
            .flat_map(|row| columns.clone().map(move |column| (column, row)));
        cells.filter_map(|(column, row)| {
            let cover = covers[(row * width + column) as usize].as_ref()?;
            Some((
                f64::from(column) - middle[0],
                f64::from(row) - middle[1],
                cover,
            ))
        })
    };
    let point = |k: usize| {
        let at = |k: usize| k as f64 / (POINTS - 1) as f64 - 0.5;
        (at(k % POINTS), at(k / POINTS))
    };
    let (mut count, mut x, mut y, mut h) = (0.0, 0.0, 0.0, 0.0);
    let (mut xx, mut xy, mut yy, mut xh, mut yh) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut greatest = f64::MIN;
    for (column, row, cover) in each() {
        greatest = greatest.max(cover.greatest - base);
        for (k, height) in cover.quarters.iter().enumerate() {
            let (east, south) = point(k);
            let (east, south, height) = (column + east, row + south, height - base);
            count += 1.0;
            x += east;
            y += south;
            h += height;
            xx += east * east;
            xy += east * south;
            yy += south * south;
            xh += east * height;
            yh += south * height;
        }
    }
    if count == 0.0 {
        return [VOID; 4];
    }
    xx -= x * x / count;
    xy -= x * y / count;
    yy -= y * y / count;
    xh -= x * h / count;
    yh -= y * h / count;
    // There are nine points of each cell: never on a line.
    let determinant = xx * yy - xy * xy;
    let east = (xh * yy - yh * xy) / determinant;
    let south = (yh * xx - xh * xy) / determinant;
    let mut raised = f64::MIN;
    for (column, row, cover) in each() {
        for (k, height) in cover.quarters.iter().enumerate() {
            let (x, y) = point(k);
            let plane = east * (column + x) + south * (row + y);
            raised = raised.max(height - base - plane);
        }
    }
    if greatest <= raised {
        return [greatest as f32; 4];
    }
    [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
        .map(|(x, y)| (raised + east * x * half[0] + south * y * half[1]) as f32)
}
