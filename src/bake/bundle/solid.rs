//! The sections that only bundles of solid levels have, made from the view cells of a level.

use super::provenance::InputFile;
use super::writer::SolidSections;
use crate::compress::ValidPyramid;
use viewcell::format::frame::Corners;
use viewcell::format::solid::{
    BUCKET_LEN, BUCKET_SIDE, Bucket, CellBox, MAX_BUCKETS, MAX_SOLID_CELLS, SolidParameters,
    morton3,
};
use viewcell::format::{Grid, Sample, TerrainParameters, TreeCode, VisibilityMode};
use viewcell_ingest::world::solid::{PlaceCells, Player, SceneObject, SolidLevel};

/// View cells that no bundle has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected 1 to {MAX_SOLID_CELLS} view cells, at most {} along each axis, found {cells}, {along} along the longest: make them larger",
    MAX_BUCKETS * BUCKET_SIDE
)]
#[non_exhaustive]
pub struct TooManyCells {
    /// How many there are.
    pub cells: usize,
    /// How many of the smallest there are along the longest axis.
    pub along: u32,
}

impl SolidSections {
    /// The sections of a level with these view cells and players, from a file; without occluders.
    pub fn new(
        level: &SolidLevel,
        places: &PlaceCells,
        player: &Player,
        input: &InputFile,
    ) -> Result<Self, TooManyCells> {
        let ends = places
            .boxes
            .iter()
            .map(|one| one.min.map(|at| at + (1 << one.level)));
        let ends = ends.fold([1; 3], |most: [u32; 3], end| {
            std::array::from_fn(|axis| most[axis].max(end[axis]))
        });
        let buckets = ends.map(|end| end.div_ceil(BUCKET_SIDE));
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let parts = level.parts().count() as u32;
        let fits = (1..=MAX_SOLID_CELLS).contains(&count.saturating_add(parts))
            && count > 0
            && buckets.iter().all(|&side| side <= MAX_BUCKETS)
            && places.boxes.iter().all(|one| 1 << one.level <= BUCKET_SIDE);
        if !fits {
            return Err(TooManyCells {
                cells: places.len(),
                along: ends.into_iter().max().unwrap_or(0),
            });
        }
        let parameters = SolidParameters {
            cells: count,
            solids: level.solids.len() as u32,
            faces: level.faces.len() as u32,
            parts,
            is_scene: level.objects.is_some(),
            buckets,
            origin: places.origin,
            cell: places.cell,
            hull: [player.hull.min, player.hull.max],
            eye: player.eye,
            middle: level.middle,
            frame: level.frame,
            units: level.units.stored(),
            input_bytes: input.bytes,
            input_crc32: input.crc32().unwrap_or(0),
        };
        let [columns, rows, _] = buckets.map(|side| side as usize);
        let nothing = Bucket {
            first: 0,
            bitmap: [0; 8],
        };
        let mut table = vec![nothing; parameters.bucket_count() as usize];
        let mut boxes = Vec::new();
        for (cell, (one, &[low, high])) in (0..).zip(places.boxes.iter().zip(&places.inner)) {
            let level = one.level;
            let record = CellBox { low, high, level };
            boxes.extend(record.encode());
            let [x, y, z] = one.min.map(|at| (at / BUCKET_SIDE) as usize);
            let bucket = &mut table[(z * rows + y) * columns + x];
            if bucket.cells() == 0 {
                bucket.first = cell;
            }
            let [x, y, z] = one.min.map(|at| at % BUCKET_SIDE);
            let code = morton3(x, y, z);
            bucket.bitmap[code as usize / 64] |= 1 << (code % 64);
        }
        let mut buckets = Vec::with_capacity(table.len() * BUCKET_LEN);
        table
            .iter()
            .for_each(|bucket| buckets.extend(bucket.encode()));
        Ok(Self {
            parameters: parameters.encode().to_vec(),
            boxes,
            buckets,
            occluders: Vec::new(),
            objects: level.objects.as_deref().map_or_else(Vec::new, objects),
        })
    }
}

/// The `OBJS` section.
fn objects(all: &[SceneObject]) -> Vec<u8> {
    let (mut first, mut end) = (0, 0);
    let records = all.iter().flat_map(|of| {
        let parts = of.parts.len() as u32;
        (first, end) = (first + parts, end + of.path.len() as u32);
        [first - parts, parts, of.triangles, end]
    });
    let records: Vec<u32> = records.collect();
    let words = [all.len() as u32, first, end, 0].into_iter().chain(records);
    let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    all.iter().for_each(|of| bytes.extend(of.path.as_bytes()));
    bytes
}

/// The grid that cells are numbered into, and which of its samples are cells. Panics unless there are 1 to
/// [`MAX_SOLID_CELLS`].
pub fn grid_of_cells(cells: u32) -> ValidPyramid {
    let grid: Grid = SolidParameters::grid_of(cells).expect("as many cells as a bundle holds");
    let is_cell = |sample: Sample| SolidParameters::cell_of(sample) < cells;
    ValidPyramid::from_places(grid, grid.row_by_row().map(is_cell))
}

/// What a solid level's bundle has in `GRID`: numbers of cells in place of samples, and sight that is not the same both ways,
/// since eyes are not where feet are.
pub(crate) fn terrain_of_solid(
    [low, high]: Corners,
    eye: [f64; 2],
    grid: Grid,
) -> TerrainParameters {
    TerrainParameters {
        grid,
        cell_spacing: [1.0; 2],
        eye_height: eye[1] - low[2],
        player_height: high[2] - low[2],
        max_distance: f64::INFINITY,
        visibility: VisibilityMode::Conservative,
        mutual: false,
        tree_code: TreeCode::Levels,
        grade: 0,
        lossy: false,
        earth_radius: 0.0,
        refraction: 0.0,
        transform: None,
        coarse: None,
        walkable: false,
        covered: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;
    use viewcell::format::SolidCells;
    use viewcell_ingest::world::solid::{Aabb, PlaceBox, Units};

    /// Of each cube of 8 finest cells a side, a random part: some as a whole, some in pieces.
    fn random_boxes(dice: &mut Dice) -> Vec<PlaceBox> {
        let mut boxes = Vec::new();
        for (x, y, z) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
            let level = dice.roll(4) as u8;
            let side = 1 << level;
            for piece in 0..(8 / side) * (8 / side) * (8 / side) {
                let per = 8 / side;
                let at = [piece % per, piece / per % per, piece / per / per];
                if dice.roll(3) > 0 {
                    let min = std::array::from_fn(|axis| [x, y, z][axis] * 8 + at[axis] * side);
                    boxes.push(PlaceBox { min, level });
                }
            }
        }
        boxes
    }

    fn sections(places: &PlaceCells) -> SolidSections {
        let input = InputFile {
            name: "a.bsp".to_owned(),
            format: "IBSP46".to_owned(),
            bytes: 5,
            digest: "crc32:0000000a".to_owned(),
        };
        let level = SolidLevel::new("IBSP46", Units::Quake, Player::QUAKE3);
        SolidSections::new(&level, places, &Player::QUAKE3, &input).unwrap()
    }

    #[test]
    fn positions_are_located_as_the_list_of_boxes_locates_them() {
        let mut dice = Dice(11);
        let boxes = random_boxes(&mut dice);
        let places = PlaceCells::new([32.0, 32.0, 24.0], [-100.0, 7.0, 3.0], boxes);
        let sections = sections(&places);
        let parameters = SolidParameters::parse(&sections.parameters).unwrap();
        let cells = SolidCells::new(parameters, &sections.boxes, &sections.buckets);
        for _ in 0..20_000 {
            let at = [0; 3].map(|_: u32| f64::from(dice.roll(1200)) - 150.0);
            match (cells.locate(at), places.locate(at)) {
                // On the far border of a cell beside which there is none: boxes are closed.
                (Some(cell), None) => {
                    assert!(places.bounds(cell as usize).contains(at), "{at:?}");
                    assert!((0..3).any(|k| places.bounds(cell as usize).max[k] == at[k]));
                }
                (found, expected) => assert_eq!(found, expected, "{at:?}"),
            }
        }
        for cell in 0..places.len() {
            let bounds = places.bounds(cell);
            assert_eq!(cells.bounds(cell as u32), Some([bounds.min, bounds.max]));
            assert_eq!(cells.locate(bounds.centre()), Some(cell as u32));
        }
    }

    #[test]
    fn cells_near_a_box_are_all_that_touch_it_and_not_many_more() {
        let mut dice = Dice(12);
        let (mut touched, mut shown) = (0, 0);
        for round in 0..50 {
            let boxes = random_boxes(&mut dice);
            let places = PlaceCells::new([32.0, 32.0, 24.0], [-100.0, 7.0, 3.0], boxes);
            let sections = sections(&places);
            let parameters = SolidParameters::parse(&sections.parameters).unwrap();
            let cells = SolidCells::new(parameters, &sections.boxes, &sections.buckets);
            for _ in 0..100 {
                // Corners are often on borders of cells.
                let low: [f64; 3] = [0, 1, 2].map(|axis| {
                    let at = f64::from(dice.roll(260)) * 0.125 - 2.0;
                    places.origin[axis] + at * places.cell[axis]
                });
                let side = dice.roll(3);
                let high = low.map(|at| at + f64::from(dice.roll(30) * side) * 4.0);
                let near = cells.near([low, high]);
                let mut found = Vec::new();
                for place in (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]) {
                    let Some(near) = near else { break };
                    let take = |cell| {
                        found.push(cell);
                        Some(())
                    };
                    cells.cells_near(place, near, take).unwrap();
                }
                shown += found.len();
                let region = Aabb {
                    min: low,
                    max: high,
                };
                for cell in 0..places.len() {
                    if places.bounds(cell).touches(&region) {
                        touched += 1;
                        let is_found = found.contains(&(cell as u32));
                        assert!(is_found, "round {round}, cell {cell}, {region:?}");
                    }
                }
            }
        }
        assert!(
            touched > 10_000 && shown < 4 * touched,
            "{shown} for {touched}"
        );
    }
}
