//! What does not change when ground does: its size, its patches, the names of its materials.

use std::ops::Range;

use super::error::GroundError;
use super::tree::{MOST_MATERIALS, Material};

/// A patch: a square of `2^level` cubes a side, its corner at a multiple of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    /// Its first column.
    pub x: u32,
    /// Its first row.
    pub y: u32,
    /// The logarithm of its side.
    pub level: u8,
}

/// Where the ground lies on a planet.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeference {
    /// Its coordinate reference system, as rasters name it.
    pub crs: String,
    /// From columns and rows to coordinates, in GDAL's order.
    pub transform: [f64; 6],
}

/// What does not change when ground does.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    width: u32,
    height: u32,
    spacing: [f64; 3],
    materials: Vec<String>,
    widest: u8,
    patches: Vec<Square>,
    /// Where it lies on a planet, if anywhere.
    pub place: Option<Georeference>,
}

/// The sides of patches, as logarithms (Pennings, section 4.3.1, step 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// w_max: patches have this side where all of it is ground.
    pub most: u8,
    /// w_min: patches are not divided below this.
    pub least: u8,
}

impl Default for Sides {
    fn default() -> Self {
        Self { most: 10, least: 4 }
    }
}

impl Frame {
    /// The most columns or rows.
    pub const MOST_SIDE: u32 = 1 << 24;
    /// Slices are numbered from minus this to this.
    pub const MOST_SLICE: i32 = 1 << 24;
    /// The most slices from the lowest to the highest.
    pub const MOST_SLICES: i32 = 1 << 16;
    /// The most samples: columns times rows.
    pub const MOST_SAMPLES: u64 = 1 << 28;

    /// Divides `width` × `height` columns into patches. `has` says whether there is any ground at
    /// (column, row). `spacing` is the size of a cube in metres: east, south, up. `materials` are the
    /// names of materials 1, 2 and so on.
    ///
    /// # Errors
    ///
    /// Sizes beyond the limits, a spacing that is no size, more materials than there are numbers.
    pub fn new(
        [width, height]: [u32; 2],
        spacing: [f64; 3],
        materials: Vec<String>,
        sides: Sides,
        has: impl Fn(u32, u32) -> bool,
    ) -> Result<Self, GroundError> {
        if !(2..=24).contains(&sides.most) || !(2..=sides.most).contains(&sides.least) {
            return Err(GroundError::bad(
                "sides of patches",
                "powers of two from 4 to 2^24, the least not above the most",
                format!("2^{} and 2^{}", sides.least, sides.most),
            ));
        }
        check_size([width, height])?;
        let mut patches = Vec::new();
        let (step, level) = (1usize << sides.most, sides.most);
        for y in (0..height).step_by(step) {
            for x in (0..width).step_by(step) {
                let square = Square { x, y, level };
                if divide(square, sides.least, [width, height], &has, &mut patches) == Filled::All {
                    patches.push(square);
                }
            }
        }
        patches.sort_by_key(|patch| morton(patch.x, patch.y));
        Self::of_patches([width, height], spacing, materials, sides.most, patches)
    }

    /// Of patches that are known.
    ///
    /// # Errors
    ///
    /// As [`Frame::new`], and for patches that overlap, are not in order, or lie outside.
    pub fn of_patches(
        [width, height]: [u32; 2],
        spacing: [f64; 3],
        materials: Vec<String>,
        widest: u8,
        patches: Vec<Square>,
    ) -> Result<Self, GroundError> {
        check_size([width, height])?;
        let sound = |metres: &f64| (1e-6..=1e9).contains(metres);
        if !spacing.iter().all(sound) {
            return Err(GroundError::bad(
                "spacing",
                "a cube's size east, south and up, each 1e-6 to 1e9 m",
                format!("{spacing:?}"),
            ));
        }
        if materials.len() > usize::from(MOST_MATERIALS) {
            return Err(GroundError::bad(
                "materials",
                format!("at most {MOST_MATERIALS}"),
                materials.len().to_string(),
            ));
        }
        if !(2..=24).contains(&widest) {
            return Err(GroundError::bad(
                "widest patch",
                "2 to 24",
                widest.to_string(),
            ));
        }
        let mut end = 0;
        for patch in &patches {
            let side = 1u64 << patch.level.min(32);
            let aligned = |at: u32| u64::from(at).is_multiple_of(side);
            let begin = morton(patch.x, patch.y);
            if patch.level > widest
                || !(aligned(patch.x) && aligned(patch.y))
                || patch.x >= width
                || patch.y >= height
                || begin < end
            {
                return Err(GroundError::bad(
                    format!("patch at ({}, {})", patch.x, patch.y),
                    "patches inside, aligned, in Morton order, none over another",
                    format!("a side of 2^{}", patch.level),
                ));
            }
            end = begin + side * side;
        }
        Ok(Self {
            width,
            height,
            spacing,
            materials,
            widest,
            patches,
            place: None,
        })
    }

    /// Columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The size of a cube in metres: east, south, up.
    pub fn spacing(&self) -> [f64; 3] {
        self.spacing
    }

    /// The names of materials 1, 2 and so on.
    pub fn materials(&self) -> &[String] {
        &self.materials
    }

    /// The name of a material; `empty` for 0.
    pub fn name_of(&self, material: Material) -> &str {
        match usize::from(material).checked_sub(1) {
            Some(i) => self.materials.get(i).map_or("unknown", String::as_str),
            None => "empty",
        }
    }

    /// The patches, in Morton order of their corners.
    pub fn patches(&self) -> &[Square] {
        &self.patches
    }

    /// The logarithm of the greatest side that a patch may have.
    pub fn widest(&self) -> u8 {
        self.widest
    }

    /// The patch that holds a column and row.
    pub fn patch_at(&self, column: u32, row: u32) -> Option<usize> {
        let code = morton(column, row);
        let after = self.patches.partition_point(|p| morton(p.x, p.y) <= code);
        let index = after.checked_sub(1)?;
        let patch = self.patches[index];
        (code - morton(patch.x, patch.y) < 1 << (2 * patch.level)).then_some(index)
    }

    /// The numbers of the patches that touch a box of columns and rows.
    pub fn patches_in(&self, columns: Range<u32>, rows: Range<u32>) -> Vec<usize> {
        let mut found = Vec::new();
        if columns.is_empty() || rows.is_empty() {
            return found;
        }
        let (w, many) = (self.widest, 1u64 << (2 * self.widest));
        let index = |code| self.patches.partition_point(|p| morton(p.x, p.y) < code);
        for row in rows.start >> w..=(rows.end - 1) >> w {
            for column in columns.start >> w..=(columns.end - 1) >> w {
                let first = morton(column << w, row << w);
                found.extend((index(first)..index(first + many)).filter(|&i| {
                    let (patch, side) = (self.patches[i], 1u64 << self.patches[i].level);
                    u64::from(columns.start) < u64::from(patch.x) + side
                        && patch.x < columns.end
                        && u64::from(rows.start) < u64::from(patch.y) + side
                        && patch.y < rows.end
                }));
            }
        }
        found.sort_unstable();
        found
    }

    /// What a position in metres is in cubes. East and south are counted from the first sample, which
    /// is the middle of the first cube; heights from the world's origin, above which slice 0 lies.
    pub fn cubes_of(&self, [east, south, up]: [f64; 3]) -> [f64; 3] {
        let [dx, dy, dz] = self.spacing;
        [east / dx + 0.5, south / dy + 0.5, up / dz]
    }
}

fn check_size([width, height]: [u32; 2]) -> Result<(), GroundError> {
    let inside = |side: u32| (1..=Frame::MOST_SIDE).contains(&side);
    let samples = u64::from(width) * u64::from(height);
    if inside(width) && inside(height) && samples <= Frame::MOST_SAMPLES {
        return Ok(());
    }
    Err(GroundError::bad(
        "size",
        format!(
            "1 to {} columns and rows, at most {} samples",
            Frame::MOST_SIDE,
            Frame::MOST_SAMPLES
        ),
        format!("{width} x {height}"),
    ))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    None,
    Some,
    All,
}

/// Divides a square until its parts are all ground or none, or as small as may be; `patches` gets the
/// parts of a square that is neither.
fn divide(
    square: Square,
    least: u8,
    [width, height]: [u32; 2],
    has: &impl Fn(u32, u32) -> bool,
    patches: &mut Vec<Square>,
) -> Filled {
    let Square { x, y, level } = square;
    if x >= width || y >= height {
        return Filled::None;
    }
    if level == least {
        let side = 1u32 << level;
        let (right, bottom) = (width.min(x + side), height.min(y + side));
        let places = (y..bottom).flat_map(|y| (x..right).map(move |x| (x, y)));
        let ground = places.filter(|&(x, y)| has(x, y)).count();
        if ground == 0 {
            return Filled::None;
        }
        if ground < 1 << (2 * level) {
            patches.push(square);
            return Filled::Some;
        }
        return Filled::All;
    }
    let half = 1u32 << (level - 1);
    let parts = [[0, 0], [half, 0], [0, half], [half, half]].map(|[dx, dy]| Square {
        x: x + dx,
        y: y + dy,
        level: level - 1,
    });
    let filled = parts.map(|part| divide(part, least, [width, height], has, patches));
    if filled.iter().all(|part| *part == filled[0]) && filled[0] != Filled::Some {
        return filled[0];
    }
    for (part, filled) in parts.into_iter().zip(filled) {
        if filled == Filled::All {
            patches.push(part);
        }
    }
    Filled::Some
}

/// Columns in the even bits, rows in the odd ones.
pub(super) fn morton(x: u32, y: u32) -> u64 {
    let spread = |value: u32| {
        let mut bits = u64::from(value);
        bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
        bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
        bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
        (bits | bits << 1) & 0x5555_5555_5555_5555
    };
    spread(x) | spread(y) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

    fn frame(size: [u32; 2], sides: Sides, has: impl Fn(u32, u32) -> bool) -> Frame {
        Frame::new(size, [1.0; 3], Vec::new(), sides, has).unwrap()
    }

    #[test]
    fn patches_are_as_large_as_all_ground_lets_them_be() {
        let sides = Sides { most: 5, least: 2 };
        let whole = frame([64, 32], sides, |_, _| true);
        assert_eq!(whole.patches().len(), 2);
        // A corner of 5 x 4 without ground.
        let cut = frame([32, 32], sides, |x, y| x >= 5 || y >= 4);
        let levels = |frame: &Frame| {
            let mut levels: Vec<u8> = frame.patches().iter().map(|p| p.level).collect();
            levels.sort_unstable();
            levels
        };
        assert_eq!(
            levels(&cut),
            [2, 2, 2, 3, 3, 3, 4, 4, 4],
            "one of 4 x 4 is gone"
        );
        assert!(frame([40, 40], sides, |_, _| false).patches().is_empty());
    }

    #[test]
    fn a_patch_is_found_by_place_and_by_box() {
        let mut dice = Dice(9);
        let hole = |x: u32, y: u32| !(x / 7 * 31 + y / 9 * 17).is_multiple_of(5);
        let sides = Sides { most: 6, least: 2 };
        let frame = frame([150, 210], sides, hole);
        for _ in 0..500 {
            let (x, y) = (dice.roll(150), dice.roll(210));
            let holds = |i: &usize| {
                let patch = frame.patches()[*i];
                x >> patch.level << patch.level == patch.x
                    && y >> patch.level << patch.level == patch.y
            };
            let found = (0..frame.patches().len()).find(holds);
            assert_eq!(frame.patch_at(x, y), found);
            assert!(found.is_some() || !hole(x, y));
            let (w, h) = (1 + dice.roll(60), 1 + dice.roll(60));
            let touched: Vec<usize> = (0..frame.patches().len())
                .filter(|&i| {
                    let Square {
                        x: px,
                        y: py,
                        level,
                    } = frame.patches()[i];
                    x < px + (1 << level) && px < x + w && y < py + (1 << level) && py < y + h
                })
                .collect();
            assert_eq!(frame.patches_in(x..x + w, y..y + h), touched);
        }
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let square = |x, y, level| Square { x, y, level };
        let of = |patches| Frame::of_patches([64, 64], [1.0; 3], Vec::new(), 5, patches);
        assert!(of(vec![square(0, 0, 5), square(32, 0, 4)]).is_ok());
        for patches in [
            vec![square(32, 0, 4), square(0, 0, 5)],
            vec![square(0, 0, 5), square(16, 0, 4)],
            vec![square(8, 0, 4)],
            vec![square(64, 0, 4)],
            vec![square(0, 0, 6)],
            vec![square(0, 0, 40)],
        ] {
            assert!(of(patches.clone()).is_err(), "{patches:?}");
        }
        let sized =
            |size, dz| Frame::new(size, [1.0, 1.0, dz], vec![], Sides::default(), |_, _| true);
        assert!(sized([0, 5], 1.0).is_err() && sized([1 << 25, 1], 1.0).is_err());
        assert!(sized([5, 5], f64::NAN).is_err() && sized([5, 5], 0.0).is_err());
    }
}
