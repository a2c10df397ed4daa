//! The layers of a hash grid: how large cells are, chosen from the boxes themselves, and which rows of cells a box may overlap.

use super::Bounds;

/// As many as a float has exponents.
const LEVELS: usize = 256;

/// Cells are longer by this than they need be, so that what a world's maker has put at even distances
/// is not a whole number of cells apart, nor as far as a table wraps around.
const UNEVEN: f32 = 1.0734;

/// Cells of a table, for each box, at most; rounded up to a power of two.
const CELLS: u32 = 4;

/// What suits the boxes of one use.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Boxes whose longest sides have so many exponents share a layer.
    powers: usize,
    /// Cells along x on the length of one along y or z. A row of cells is looked at in one go, so that short ones
    /// cost nothing but a larger table.
    columns: f32,
    /// As how many boxes that do not overlap a row of cells costs.
    pub row: f32,
}

impl Tuning {
    /// For regions.
    pub const SHORT: Self = Self {
        powers: 2,
        columns: 1.0,
        row: 20.0,
    };

    /// For the paths of regions, whose lengths differ as their speeds do.
    pub const LONG: Self = Self {
        powers: 5,
        columns: 4.0,
        row: 10.0,
    };
}

/// A grid for boxes of like size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layer {
    /// The highest exponent of their longest sides.
    pub level: u8,
    /// Their longest sides. With the fourth, which is none, they are read and written in one go.
    longest: [f32; 4],
    /// One over the length of a cell.
    per_cell: [f32; 3],
    /// Its first cell in the table.
    first: u32,
    /// The logarithms of the numbers of cells along each axis.
    x: u32,
    y: u32,
    z: u32,
}

impl Layer {
    #[inline]
    fn row(&self, y: u32, z: u32) -> u32 {
        let (y, z) = (y & ((1 << self.y) - 1), z & ((1 << self.z) - 1));
        self.first + ((z << self.y | y) << self.x)
    }

    /// The cell of a box: that of its lower corner.
    #[inline]
    fn place(&self, bounds: &Bounds) -> u32 {
        let ([x, y, z], [px, py, pz]) = (bounds.min(), self.per_cell);
        self.row(cell(y, py), cell(z, pz)) + (cell(x, px) & ((1 << self.x) - 1))
    }

    /// Calls `found` with the first and the last cell of each row of cells in which the lower corners
    /// of all boxes of this layer lie that may overlap `bounds`.
    #[inline(always)]
    pub fn rows(&self, bounds: &Bounds, mut found: impl FnMut(u32, u32)) {
        let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
        let ([lx, ly, lz, _], [px, py, pz]) = (self.longest, self.per_cell);
        let (x0, x1) = reach(ax, bx, lx, px);
        let (y0, y1) = reach(ay, by, ly, py);
        let (z0, z1) = reach(az, bz, lz, pz);
        // Never more than once around.
        let (columns, rows, planes) = (1 << self.x, 1 << self.y, 1 << self.z);
        let x1 = x1.min(x0 + columns - 1);
        let (y1, z1) = (y1.min(y0 + rows - 1), z1.min(z0 + planes - 1));
        let (first, last) = (x0 & (columns - 1), x1 & (columns - 1));
        // A row that wraps around is in two pieces.
        let wraps = first > last;
        let (middle, again) = if wraps {
            (columns - 1, 0)
        } else {
            (last, last)
        };
        let mut z = z0;
        while z <= z1 {
            let mut y = y0;
            while y <= y1 {
                let row = self.row(y, z);
                let (mut from, mut to) = (first, middle);
                loop {
                    found(row + from, row + to);
                    if to == last {
                        break;
                    }
                    (from, to) = (again, last);
                }
                y += 1;
            }
            z += 1;
        }
    }

    /// The same, without cells of whose boxes none has its middle in the ring.
    pub fn rows_in(&self, ring: &Ring, bounds: &Bounds, mut found: impl FnMut(u32, u32)) {
        let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
        let ([lx, ly, lz, _], [px, py, pz]) = (self.longest, self.per_cell);
        let (x0, x1) = reach(ax, bx, lx, px);
        let (y0, y1) = reach(ay, by, ly, py);
        let (z0, z1) = reach(az, bz, lz, pz);
        // Never more than once around.
        let (columns, rows, planes) = (1 << self.x, 1 << self.y, 1 << self.z);
        if x1 - x0 >= columns {
            self.rows(bounds, found);
            return;
        }
        let is_whole = [y1 - y0 >= rows, z1 - z0 >= planes];
        let (y1, z1) = (y1.min(y0 + rows - 1), z1.min(z0 + planes - 1));
        let mut piece = |row: u32, from: u32, to: u32| {
            let (first, last) = (from & (columns - 1), to & (columns - 1));
            // A row that wraps around is in two pieces.
            if first > last {
                found(row + first, row + columns - 1);
                found(row, row + last);
            } else {
                found(row + first, row + last);
            }
        };
        for z in z0..=z1 {
            for y in y0..=y1 {
                let row = self.row(y, z);
                let ([from, to], hole) = ring.cells(self, [y, z], is_whole);
                let (from, to) = (from.max(x0), to.min(x1));
                match hole {
                    Some([first, last]) if first <= last && from <= last && first <= to => {
                        if from < first {
                            piece(row, from, first - 1);
                        }
                        if last < to {
                            piece(row, last + 1, to);
                        }
                    }
                    _ if from <= to => piece(row, from, to),
                    _ => {}
                }
            }
        }
    }
}

/// What lies farther from a point than one distance, and no farther than another.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// The point.
    pub middle: [f32; 3],
    /// The one distance.
    pub inner: f64,
    /// The other.
    pub outer: f64,
    /// Around all boxes.
    pub all: Bounds,
}

impl Ring {
    /// Of a row the first and the last cell of those in which all boxes are that have any point no
    /// farther than the ring; and of cells whose boxes have no point as far as it.
    #[inline]
    fn cells(
        &self,
        layer: &Layer,
        [y, z]: [u32; 2],
        [any_y, any_z]: [bool; 2],
    ) -> ([u32; 2], Option<[u32; 2]>) {
        /// How many cells away from zero rounding is less than a tenth of a cell.
        const FAR: f64 = 1_000_000.0;
        let everything = [0, u32::MAX];
        let ([mx, my, mz], [lx, ly, lz, _], [px, py, pz]) = (
            self.middle.map(f64::from),
            layer.longest.map(f64::from),
            layer.per_cell.map(f64::from),
        );
        let ([_, low_y, low_z], [_, high_y, high_z]) = (self.all.min(), self.all.max());
        // How near and how far along an axis points of boxes may be.
        let distances = |low: f64, high: f64| [low.max(-high).max(0.0), low.abs().max(high.abs())];
        // Of those whose lower corners are in a cell, give or take half a cell.
        let of_cell = |cell: u32, per_cell: f64, longest: f64, middle: f64| {
            let number = f64::from(cell) - f64::from(ZERO);
            let (low, high) = (
                (number - 1.0) / per_cell,
                (number + 1.0) / per_cell + longest,
            );
            (number.abs() < FAR).then(|| distances(low - middle, high - middle))
        };
        let of_all = |low: f32, high: f32, middle: f64| {
            Some(distances(f64::from(low) - middle, f64::from(high) - middle))
        };
        let of_y = if any_y {
            of_all(low_y, high_y, my)
        } else {
            of_cell(y, py, ly, my)
        };
        let of_z = if any_z {
            of_all(low_z, high_z, mz)
        } else {
            of_cell(z, pz, lz, mz)
        };
        let Some(([y0, y1], [z0, z1])) = of_y.zip(of_z) else {
            return (everything, None);
        };
        let cells = |first: f64, last: f64| {
            let number = |cells: f64| (cells.abs() < FAR).then(|| (cells + f64::from(ZERO)) as u32);
            Some([number(first.floor())?, number(last.ceil())?])
        };
        let outer = self.outer * self.outer - y0 * y0 - z0 * z0;
        if outer < 0.0 {
            return ([u32::MAX, 0], None);
        }
        let half = outer.sqrt();
        let all = cells((mx - half - lx) * px - 1.0, (mx + half) * px + 1.0);
        let inner = self.inner * self.inner - y1 * y1 - z1 * z1;
        let hole = if self.inner > 0.0 && inner > 0.0 {
            let half = inner.sqrt();
            cells((mx - half) * px + 2.0, (mx + half - lx) * px - 2.0)
        } else {
            None
        };
        (all.unwrap_or(everything), hole)
    }
}

/// Boxes whose longest sides have the same exponent.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    count: u32,
    longest: [f32; 4],
}

/// The layers of updates or of subscriptions, from that of the smallest boxes.
#[derive(Debug)]
pub struct Layers {
    /// How far the bulk of the boxes is spread along each axis.
    spread: [f32; 3],
    sizes: [Size; LEVELS],
    layers: Vec<Layer>,
    /// By exponent: which layer.
    of_size: [u8; LEVELS],
    /// No box is below a layer for boxes of this exponent.
    floor: usize,
    /// Boxes of how many exponents share a layer.
    powers: usize,
    /// Cells of all layers.
    cells: u32,
    /// Boxes in this tick, and among them those that are much smaller than their layer was made for,
    /// and those that are larger.
    came: u32,
    small: u32,
    large: u32,
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            spread: [0.0; 3],
            sizes: [Size::default(); LEVELS],
            layers: Vec::new(),
            of_size: [0; LEVELS],
            floor: 0,
            powers: Tuning::SHORT.powers,
            cells: 0,
            came: 0,
            small: 0,
            large: 0,
        }
    }
}

/// One instruction, as [`f32::max`] is not; of numbers.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A side, and no less than what rounding may hide at its coordinates.
#[inline]
fn side(min: f32, max: f32) -> f32 {
    larger(
        max - min,
        larger(min.abs(), max.abs()) * (4.0 * f32::EPSILON),
    )
}

#[inline]
fn sides(bounds: &Bounds) -> [f32; 4] {
    let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
    [side(ax, bx), side(ay, by), side(az, bz), 0.0]
}

/// The exponent of the longest side. A side as long as the world is wide tells nothing, as the
/// height of columns that stand for regions of a plane.
#[inline]
fn size([x, y, z, _]: [f32; 4], [wx, wy, wz]: [f32; 3]) -> usize {
    let counted = |side: f32, spread: f32| if side <= spread { side } else { 0.0 };
    let longest = larger(larger(counted(x, wx), counted(y, wy)), counted(z, wz));
    (longest.to_bits() >> 23) as usize & (LEVELS - 1)
}

#[inline]
fn grow(longest: &mut [f32; 4], [x, y, z, w]: [f32; 4]) {
    let [lx, ly, lz, lw] = longest;
    (*lx, *ly) = (larger(*lx, x), larger(*ly, y));
    (*lz, *lw) = (larger(*lz, z), larger(*lw, w));
}

impl Layers {
    /// Counts the boxes that layers are to be chosen for, whose bulk is spread as far as `spread` along
    /// each axis.
    pub fn count(&mut self, spread: [f32; 3], boxes: impl Iterator<Item = Bounds>) {
        self.spread = spread;
        self.sizes.fill(Size::default());
        for bounds in boxes {
            let sides = sides(&bounds);
            if let Some(size) = self.sizes.get_mut(size(sides, spread)) {
                size.count += 1;
                grow(&mut size.longest, sides);
            }
        }
    }

    /// The exponent of the smallest boxes that were counted.
    pub fn lowest(&self) -> usize {
        let used = self.sizes.iter().position(|size| size.count > 0);
        used.unwrap_or(0)
    }

    /// Chooses layers for what was counted, with cells that are `length` times as long as boxes, and as
    /// a 16th of those with the exponent `floor`, which look for them. No box is put below a layer for those.
    pub fn choose(&mut self, floor: usize, length: f32, tuning: Tuning) {
        let Self {
            spread,
            sizes,
            layers,
            of_size,
            cells,
            ..
        } = self;
        (self.floor, self.powers) = (floor, tuning.powers);
        layers.clear();
        *cells = 0;
        let mut add = |level: u8, of: Size| {
            let side = f32::from_bits((floor as u32) << 23) / 16.0;
            let [x, y, z, _] = of.longest.map(|longest| length * larger(longest, side));
            let sides = [x / tuning.columns, y, z];
            let layer = Layer::new(level, of, *spread, sides, *cells);
            *cells += 1 << (layer.x + layer.y + layer.z);
            layers.push(layer);
        };
        let (mut gathered, mut count, mut first) = (Size::default(), 0, 0);
        for (level, size) in sizes.iter().enumerate() {
            if gathered.count == 0 {
                first = level;
            }
            gathered.count += size.count;
            grow(&mut gathered.longest, size.longest);
            if let Some(of) = of_size.get_mut(level) {
                // If it has a layer, the next one to come.
                *of = count;
            }
            if level < floor || gathered.count == 0 {
                continue;
            }
            // A few small boxes do no harm among many that are twice as large.
            let next = sizes.get(level + 1).map_or(0, |next| next.count);
            let are_few = gathered.count < next / 8;
            // Sizes of a few exponents share a layer: looking in another costs more.
            if are_few || level + 1 < first + tuning.powers && next > 0 {
                continue;
            }
            add(level as u8, gathered);
            count = count.saturating_add(1);
            gathered = Size::default();
        }
        if gathered.count > 0 {
            add(u8::MAX, gathered);
        }
    }

    /// All boxes are to be placed anew.
    pub fn begin(&mut self) {
        (self.came, self.small, self.large) = (0, 0, 0);
        for layer in &mut self.layers {
            layer.longest = [0.0; 4];
        }
    }

    #[inline]
    fn layer(&self, sides: [f32; 4]) -> usize {
        let of = self.of_size.get(size(sides, self.spread));
        let last = self.layers.len().saturating_sub(1);
        usize::from(of.copied().unwrap_or(0)).min(last)
    }

    /// The cell of a box, which is in it from now on.
    #[inline]
    pub fn place(&mut self, bounds: &Bounds) -> u32 {
        let sides = sides(bounds);
        let number = self.layer(sides);
        let exponent = size(sides, self.spread);
        self.came += 1;
        let Some(layer) = self.layers.get_mut(number) else {
            self.large += 1;
            return 0;
        };
        let level = usize::from(layer.level);
        self.small += u32::from(exponent.max(self.floor) + self.powers <= level);
        self.large += u32::from(exponent > level);
        grow(&mut layer.longest, sides);
        layer.place(bounds)
    }

    /// Whether layers do not fit what was placed.
    pub fn is_stale(&self) -> bool {
        self.large > 0 || self.small > self.came / 4 + 8
    }

    /// From that of the smallest boxes.
    #[inline]
    pub fn all(&self) -> &[Layer] {
        &self.layers
    }

    /// How many cells all layers have together.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// The level of the layer that a box is in.
    #[inline]
    pub fn level(&self, bounds: &Bounds) -> u8 {
        let number = self.layer(sides(bounds));
        self.layers.get(number).map_or(0, |layer| layer.level)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.layers.capacity() * size_of::<Layer>()
    }
}

impl Layer {
    fn new(level: u8, of: Size, spread: [f32; 3], sides: [f32; 3], first: u32) -> Self {
        let [wx, wy, wz] = spread;
        let per_cell = sides.map(|side| 1.0 / (UNEVEN * side));
        let [px, py, pz] = per_cell;
        let log = |cells: f32| {
            (cells as u32)
                .min(1 << 24)
                .next_power_of_two()
                .trailing_zeros()
        };
        let (mut x, mut y, mut z) = (log(wx * px), log(wy * py), log(wz * pz));
        let most = (CELLS * of.count.min(1 << 27))
            .next_power_of_two()
            .trailing_zeros();
        while x + y + z > most {
            let longest = x.max(y).max(z);
            // Rows are kept long: they lie in one piece.
            if z == longest {
                z -= 1;
            } else if y == longest {
                y -= 1;
            } else {
                x -= 1;
            }
        }
        Self {
            level,
            longest: of.longest,
            per_cell,
            first,
            x,
            y,
            z,
        }
    }
}

/// The cell of zero.
const ZERO: u32 = 12_582_912.0_f32.to_bits();

/// The cell of a coordinate along one axis: a number that grows by 1 from cell to cell, and never
/// falls where the coordinate grows. All that is millions of cells away is in one.
#[inline]
fn cell(coordinate: f32, per_cell: f32) -> u32 {
    const FAR: f32 = 4_000_000.0;
    let cells = coordinate * per_cell;
    // Also where this is no number, which zero times infinity is.
    let cells = if cells > -FAR { cells } else { -FAR };
    let cells = if cells < FAR { cells } else { FAR };
    // Where floats are 1 apart, rounding does the rest, and their bits count up.
    (cells + f32::from_bits(ZERO)).to_bits()
}

/// Among which cells of a level the lower corners of all regions of that level lie that may overlap
/// `from` to `to` along an axis.
#[inline]
fn reach(from: f32, to: f32, longest: f32, per_cell: f32) -> (u32, u32) {
    // Both subtractions round by at most a 2^-24th of these numbers' sum.
    let low = (from - longest) - (from.abs() + longest) * (2.0 * f32::EPSILON);
    (cell(low, per_cell), cell(to, per_cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_fall() {
        let mut last = 0;
        for step in -4000..4000 {
            let here = cell(step as f32 * 0.37, 0.9);
            assert!(here >= last);
            last = here;
        }
        for (low, high) in [(f32::MIN, -1e30), (-1.0, 0.0), (1e30, f32::MAX)] {
            for per_cell in [0.0, 1e-30, 1.0, 1e30, f32::INFINITY] {
                assert!(
                    cell(low, per_cell) <= cell(high, per_cell),
                    "{low} {per_cell}"
                );
            }
        }
        assert_eq!(cell(0.6, 1.0) - cell(-0.6, 1.0), 2);
    }
}
