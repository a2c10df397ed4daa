//! The ground as it is now, and what a change of it may open.

use crate::visibility::Stance;
use viewcell::format::bytes::put;
use viewcell::format::grid::Sample;
use viewcell::format::{Area, Grid, Opening, Quad, Sunk};
use viewcell_ingest::IngestError;
use viewcell_ingest::world::Terrain;

/// A change that cannot be.
pub(super) fn refused(
    place: impl Into<String>,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> IngestError {
    IngestError::bad(expected, found, "nothing was changed").at(place)
}

/// The ground as readers have it.
#[derive(Clone)]
pub(crate) struct Ground {
    /// As in a bundle: `f32` row by row.
    pub heights: Vec<u8>,
    /// A word for each block, as in a bundle.
    pub valid: Vec<u8>,
    /// By quad: see [`viewcell::format::Openings::new`].
    pub lows: Vec<f32>,
}

/// The ground as those have it who change it.
pub(crate) struct Survey {
    grid: Grid,
    stance: Stance,
    /// By sample: by how much the round earth lowers it; none where it is flat.
    drop: Vec<f64>,
    /// NaN for void.
    pub heights: Vec<f64>,
    /// Samples that are no void.
    there: u64,
}

impl Survey {
    /// The ground of a terrain. `drop` says by how much each sample is lower for sight; none if by
    /// nothing.
    pub(super) fn new(terrain: &Terrain, grid: Grid, stance: Stance, drop: Vec<f64>) -> Self {
        let heights = terrain.heights().to_vec();
        let there = heights.iter().filter(|height| !height.is_nan()).count() as u64;
        Self {
            grid,
            stance,
            drop,
            heights,
            there,
        }
    }

    /// The same as readers have it.
    pub(super) fn ground(&self) -> Ground {
        let mut ground = Ground {
            heights: vec![0; self.heights.len() * 4],
            valid: vec![0; self.grid.blocks() * 8],
            lows: vec![f32::INFINITY; self.grid.quad_count() as usize],
        };
        let all = Area {
            columns: [0, self.grid.width() - 1],
            rows: [0, self.grid.height() - 1],
        };
        self.write(all, &mut ground);
        ground
    }

    /// Changes samples, each given once by its place row by row, and returns what that may open; `None`
    /// where no height is another one. Then nothing is written, nor if this errors.
    ///
    /// # Errors
    ///
    /// Heights that no terrain has, and where nothing would be left but voids.
    pub(super) fn change(
        &mut self,
        samples: &[(usize, f64)],
        ground: &mut Ground,
    ) -> Result<Option<Opening>, IngestError> {
        let mut there = self.there;
        let (mut changed, mut sunk) = (None::<Area>, None::<Area>);
        for &(at, after) in samples {
            let before = self.heights[at];
            if before == after || before.is_nan() && after.is_nan() {
                continue;
            }
            let sample = self.sample(at);
            if after.abs() > Terrain::MAX_ABS_HEIGHT {
                return Err(refused(
                    format!("sample ({}, {})", sample.column, sample.row),
                    format!("a height within ±{} m", Terrain::MAX_ABS_HEIGHT),
                    format!("{after}"),
                ));
            }
            there = there + u64::from(before.is_nan()) - u64::from(after.is_nan());
            let here = Area::of(sample.quad());
            let join = |area: Option<Area>| Some(area.map_or(here, |area| area.join(here)));
            changed = join(changed);
            if after.is_nan() || after < before {
                sunk = join(sunk);
            }
        }
        let Some(changed) = changed else {
            return Ok(None);
        };
        if there == 0 {
            let expected = "at least one sample that is no void";
            return Err(refused("change", expected, "none"));
        }
        let sunk = sunk.map(|area| Sunk {
            area,
            // Of the whole rectangle: it can only be higher than that of what sank.
            top: self.highest(area.grown(1)),
        });
        for &(at, after) in samples {
            self.heights[at] = after;
        }
        self.there = there;
        self.write(changed, ground);
        Ok(Some(Opening { changed, sunk }))
    }

    fn sample(&self, at: usize) -> Sample {
        let width = self.grid.width();
        Sample::new(at as u32 % width, at as u32 / width)
    }

    /// The samples of an area that are in the grid.
    fn samples(&self, area: Area) -> impl Iterator<Item = (u32, u32)> + use<> {
        let range = |[first, last]: [u32; 2], side: u32| first..last.saturating_add(1).min(side);
        let columns = range(area.columns, self.grid.width());
        range(area.rows, self.grid.height())
            .flat_map(move |row| columns.clone().map(move |column| (column, row)))
    }

    /// A height as sight has it; NaN for void.
    fn seen(&self, (column, row): (u32, u32)) -> f64 {
        let at = row as usize * self.grid.width() as usize + column as usize;
        self.heights[at] - self.drop.get(at).unwrap_or(&0.0)
    }

    /// The highest ground of an area as sight has it; of voids alone, lower than all.
    fn highest(&self, area: Area) -> f64 {
        let heights = self.samples(area).map(|place| self.seen(place));
        // A void is NaN, which is no maximum.
        heights.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Writes what readers have of an area.
    fn write(&self, area: Area, ground: &mut Ground) {
        let (width, grid) = (self.grid.width() as usize, self.grid);
        for (column, row) in self.samples(area) {
            let at = row as usize * width + column as usize;
            let height = self.heights[at];
            put(&mut ground.heights, at * 4, &(height as f32).to_le_bytes());
            let (word, bit) = grid.block_bit(Sample::new(column, row));
            let byte = &mut ground.valid[word * 8 + bit as usize / 8];
            let bit = 1 << (bit % 8);
            *byte = if height.is_nan() {
                *byte & !bit
            } else {
                *byte | bit
            };
        }
        // Whoever stands beside what has changed may stand lower.
        let reach = match self.stance {
            Stance::Sample => 0,
            Stance::Cell => 1,
        };
        let near = area.grown(reach);
        for (column, row) in self.samples(near) {
            let here = Area::of(Sample::new(column, row).quad());
            let low = if self.seen((column, row)).is_nan() {
                f32::INFINITY
            } else {
                self.samples(here.grown(reach))
                    .map(|place| self.seen(place))
                    .filter(|height| !height.is_nan())
                    .fold(f32::INFINITY, |low, height| low.min(not_above(height)))
            };
            ground.lows[row as usize * width + column as usize] = low;
        }
        for level in 1..grid.levels() {
            let (columns, rows) = grid.quads_at(level);
            let range = |[first, last]: [u32; 2], limit: u32| {
                first >> level..(last >> level).saturating_add(1).min(limit)
            };
            for row in range(near.rows, rows) {
                for column in range(near.columns, columns) {
                    let quad = Quad::new(level, column, row);
                    let children = (0..4).filter_map(|index| grid.quad_index(quad.child(index)?));
                    let low = children.fold(f32::INFINITY, |low, child| {
                        low.min(ground.lows[child as usize])
                    });
                    if let Some(index) = grid.quad_index(quad) {
                        ground.lows[index as usize] = low;
                    }
                }
            }
        }
    }
}

/// The greatest `f32` that is not above a height.
fn not_above(height: f64) -> f32 {
    let near = height as f32;
    if f64::from(near) > height {
        near.next_down()
    } else {
        near
    }
}
