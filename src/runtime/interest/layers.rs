//! How large the cells of grids are: chosen from the boxes themselves, anew where they no longer fit.

use super::Bounds;

/// As many as a float has exponents.
const LEVELS: usize = 256;

/// Cells are longer by this than they need be, so that what a world's maker has put at even distances
/// is not a whole number of cells apart, nor as far as a table wraps around.
const UNEVEN: f32 = 1.0734;

/// Cells of a table, for each box, at most; rounded up to a power of two.
const CELLS: u32 = 4;

/// A grid for boxes of like size.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layer {
    /// The highest exponent of their longest sides.
    pub level: u8,
    /// Their longest sides.
    longest: [f32; 3],
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
        let ([lx, ly, lz], [px, py, pz]) = (self.longest, self.per_cell);
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
}

/// Boxes whose longest sides have the same exponent.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    count: u32,
    longest: [f32; 3],
}

/// The layers of updates or of subscriptions, from that of the smallest boxes.
#[derive(Debug)]
pub(super) struct Layers {
    /// How far the bulk of the boxes is spread along each axis.
    spread: [f32; 3],
    sizes: [Size; LEVELS],
    layers: Vec<Layer>,
    /// By exponent: which layer.
    of_size: [u8; LEVELS],
    /// No box is below a layer for boxes of this exponent.
    floor: usize,
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
fn sides(bounds: &Bounds) -> [f32; 3] {
    let ([ax, ay, az], [bx, by, bz]) = (bounds.min(), bounds.max());
    [side(ax, bx), side(ay, by), side(az, bz)]
}

/// The exponent of the longest side. A side as long as the world is wide tells nothing, as the
/// height of columns that stand for regions of a plane.
#[inline]
fn size([x, y, z]: [f32; 3], [wx, wy, wz]: [f32; 3]) -> usize {
    let counted = |side: f32, spread: f32| if side <= spread { side } else { 0.0 };
    let longest = larger(larger(counted(x, wx), counted(y, wy)), counted(z, wz));
    (longest.to_bits() >> 23) as usize & (LEVELS - 1)
}

#[inline]
fn grow(longest: &mut [f32; 3], [x, y, z]: [f32; 3]) {
    let [lx, ly, lz] = longest;
    (*lx, *ly, *lz) = (larger(*lx, x), larger(*ly, y), larger(*lz, z));
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

    /// Chooses layers for what was counted, with cells that are `length` times as long as boxes. No box
    /// is put below a layer for boxes with the exponent `floor`.
    pub fn choose(&mut self, floor: usize, length: f32) {
        let Self {
            spread,
            sizes,
            layers,
            of_size,
            cells,
            ..
        } = self;
        self.floor = floor;
        layers.clear();
        *cells = 0;
        let mut add = |level: u8, of: Size| {
            let layer = Layer::new(level, of, *spread, length, *cells);
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
            // Sizes of two exponents share a layer: looking in another costs more.
            if are_few || level == first && next > 0 {
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
            layer.longest = [0.0; 3];
        }
    }

    #[inline]
    fn layer(&self, sides: [f32; 3]) -> usize {
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
        self.small += u32::from(exponent.max(self.floor) + 1 < level);
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

    pub fn bytes(&self) -> usize {
        self.layers.capacity() * size_of::<Layer>()
    }
}

impl Layer {
    fn new(level: u8, of: Size, spread: [f32; 3], length: f32, first: u32) -> Self {
        let [wx, wy, wz] = spread;
        let per_cell = of.longest.map(|side| 1.0 / (UNEVEN * length * side));
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
    (cells + 12_582_912.0).to_bits()
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
