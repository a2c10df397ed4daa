//! The environment of a simulation: a bundle of any kind of world, whose places have numbers. It also has the adjacency
//! graph of a level of cells, and what lies along a line of sight: by the BSP of a level of cells, or by what the
//! caller passes for a solid level.

use viewcell::query::{
    CellBundle, Frame, Place as PlaceOf, Sample, SolidBundle, TerrainBundle, World,
};

/// Where a player is, by number ([`World::number`]): a cell, or a sample counted row by row.
pub type Place = u32;

/// A bundle that is played on. Positions are in the coordinates of [`World::locate`], z up in any level ([`World::upright`]);
/// in a solid level they are those of players' origins.
#[derive(Debug)]
pub struct Field<'a> {
    /// What positions of a trace are in.
    frame: Frame,
    world: World<'a>,
    /// Of a level of cells.
    level: Option<CellLevel<'a>>,
    lines: Option<&'a dyn Lines>,
}

/// A level, and which of its cells touch.
#[derive(Debug)]
pub struct CellLevel<'a> {
    /// The bundle.
    pub bundle: CellBundle<'a>,
    /// For each cell those that it touches, and how far their middles are from its own.
    pub touching: Vec<Vec<(u32, f64)>>,
}

impl CellLevel<'_> {
    /// The cells that a cell touches, and how far their middles are from its own.
    pub fn touching(&self, cell: Place) -> impl Iterator<Item = (Place, f64)> {
        self.touching[cell as usize].iter().copied()
    }
}

impl<'a> Field<'a> {
    /// A bundle. O(N²) for a level of cells that does not know which of them touch.
    pub fn new(world: World<'a>) -> Self {
        let level = world.cells().map(|bundle| CellLevel {
            touching: touching(bundle),
            bundle: *bundle,
        });
        Self {
            frame: world.frame(),
            world: world.upright(),
            level,
            lines: None,
        }
    }

    /// With lines of sight in a solid level by whoever has its solids.
    pub fn with_lines(self, lines: Option<&'a dyn Lines>) -> Self {
        Self { lines, ..self }
    }

    /// A position of a trace, in the coordinates of the engine that a solid level was exported from, with z up.
    pub fn turned(&self, at: [f64; 3]) -> [f64; 3] {
        self.frame.axes_alone().to_level(at)
    }

    /// The bundle.
    pub fn world(&self) -> &World<'a> {
        &self.world
    }

    /// The terrain, if it is one.
    pub fn terrain(&self) -> Option<&TerrainBundle<'a>> {
        self.world.terrain()
    }

    /// The level of cells, if it is one.
    pub fn level(&self) -> Option<&CellLevel<'a>> {
        self.level.as_ref()
    }

    /// The solid level, if it is one.
    pub fn solid(&self) -> Option<&SolidBundle<'a>> {
        self.world.solid()
    }

    /// Who knows what is in a line of sight: of a level of cells its BSP.
    pub fn lines(&self) -> Option<&dyn Lines> {
        match &self.level {
            Some(level) => Some(&level.bundle),
            None => self.lines,
        }
    }

    /// Who sees whom as a grid of samples; none for a level of cells.
    pub fn samples(&self) -> Option<&TerrainBundle<'a>> {
        self.world.sights()
    }

    /// How many places there are.
    pub fn places(&self) -> u32 {
        u32::try_from(self.world.places()).unwrap_or(u32::MAX)
    }

    /// The place that holds a position; none outside, in solid and in a void.
    pub fn locate(&self, position: [f64; 3]) -> Option<Place> {
        self.number(self.world.locate(position)?)
    }

    fn number(&self, place: PlaceOf) -> Option<Place> {
        u32::try_from(self.world.number(place)?).ok()
    }

    fn place(&self, number: Place) -> Option<PlaceOf> {
        self.world.place(number.into())
    }

    /// The sample of a place in the grid of [`Field::samples`]; sample (0, 0) in a level of cells.
    pub fn sample(&self, place: Place) -> Sample {
        let sample = self.place(place).and_then(|at| self.world.sample(at));
        sample.unwrap_or(Sample::new(0, 0))
    }

    /// The place of a sample.
    pub fn place_of(&self, sample: Sample) -> Place {
        let number = self.world.place_of(sample);
        number.map_or(0, |place| self.number(place).unwrap_or(0))
    }

    /// The middle of a place: of a sample at the height of the ground, of a cell's box; zeros where there is none.
    pub fn middle(&self, place: Place) -> [f64; 3] {
        let place = self.place(place);
        let middle = place.and_then(|place| self.world.middle(place));
        middle.unwrap_or_default()
    }

    /// Whether somebody at `to` may be seen from `from`.
    #[inline]
    pub fn visible(&self, from: Place, to: Place) -> bool {
        match (self.place(from), self.place(to)) {
            (Some(from), Some(to)) => self.world.visible(from, to),
            _ => true,
        }
    }

    /// Whether sight is the same both ways.
    pub fn is_mutual(&self) -> bool {
        self.world.is_mutual()
    }

    /// Whether neither of two players sees the other.
    pub fn hidden(&self, a: Place, b: Place) -> bool {
        !self.visible(a, b) && (self.is_mutual() || !self.visible(b, a))
    }

    /// Whether two players may see each other when each has come up to `reach` far.
    pub fn within(&self, a: Place, b: Place, reach: f64) -> bool {
        match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) => self.world.visible_within(a, b, [reach; 2]),
            _ => true,
        }
    }
}

/// Boxes of leaves are kept in whole units by most formats: those of leaves that touch may miss
/// each other by as much. [Unit: of the level]
const SLACK: f32 = 1.0;

/// For each cell those that it touches, with the distance between the middles of their boxes.
///
/// From the bundle where it knows; else cells touch whose boxes do. That is more than truly touch,
/// which does no harm where regions grow: what is hidden is looked up. Where the bundle has no
/// boxes either, no cells touch.
pub fn touching(level: &CellBundle) -> Vec<Vec<(u32, f64)>> {
    let boxes: Vec<[[f32; 3]; 2]> = (0..level.cells())
        .map_while(|cell| level.bounds(cell))
        .collect();
    let middle = |cell: u32| match boxes.get(cell as usize) {
        Some([low, high]) => [0, 1, 2].map(|i| (f64::from(low[i]) + f64::from(high[i])) / 2.0),
        None => [0.0; 3],
    };
    let meet = |a: u32, b: u32| match (boxes.get(a as usize), boxes.get(b as usize)) {
        (Some(a), Some(b)) => {
            (0..3).all(|i| a[0][i] <= b[1][i] + SLACK && b[0][i] <= a[1][i] + SLACK)
        }
        _ => false,
    };
    (0..level.cells())
        .map(|a| {
            let cells: Vec<u32> = if level.has_neighbours() {
                level.neighbours(a).filter(|b| *b < level.cells()).collect()
            } else {
                (0..level.cells())
                    .filter(|b| *b != a && meet(a, *b))
                    .collect()
            };
            let far = |b| distance(middle(a), middle(b));
            cells.into_iter().map(|b| (b, far(b))).collect()
        })
        .collect()
}

/// The straight distance between two points.
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    square.sqrt()
}

/// Who knows what is in a line of sight.
pub trait Lines: std::fmt::Debug + Sync {
    /// Whether a player at a position has another in a line of sight; positions are those of the field.
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool;
}

impl Lines for CellBundle<'_> {
    fn in_sight(&self, viewer: [f64; 3], other: [f64; 3]) -> bool {
        in_sight(self, viewer, other)
    }
}

/// How far below the eye the feet are, and how far aside the shoulders. [Unit: of the level]
const BODY: [f64; 2] = [44.0, 16.0];

/// Whether the eye, the feet or a shoulder of somebody whose eye is at a point can be seen from an eye.
fn in_sight(level: &CellBundle, eye: [f64; 3], [x, y, z]: [f64; 3]) -> bool {
    let [down, aside] = BODY;
    let (dx, dy) = (x - eye[0], y - eye[1]);
    let flat = (dx * dx + dy * dy).sqrt().max(1e-9);
    let (u, v) = (-dy / flat * aside, dx / flat * aside);
    let middle = z - down / 2.0;
    [
        [x, y, z],
        [x, y, z - down],
        [x + u, y + v, middle],
        [x - u, y - v, middle],
    ]
    .into_iter()
    .any(|point| level.along(eye, point).all(|part| part.cell.is_some()))
}
