//! Stamps (Pennings, section 4.2): a shape, which of the cubes that it touches it takes, and what becomes of them.
//!
//! All coordinates are in cubes: the cube at (column, row, slice) is the space from there to one more in each
//! direction. Where cubes are not as high as wide, a sphere is an ellipsoid here.

use super::cubes::Cubes;
use super::error::GroundError;
use super::frame::Frame;
use super::mesh::{Lines, Mesh};
use super::tree::{EMPTY, Material};

/// When a shape takes a cube.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Rule {
    /// When the cube's middle is in it: the cut halfway up a slice.
    #[default]
    Halfway,
    /// When it occupies at least this share of the cube: more than 0, at most 1. Measured along 16
    /// lines through the cube.
    Share(f64),
}

/// A shape, and what it does to the cubes that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamp {
    /// The shape, in cubes.
    pub shape: Shape,
    /// What it does.
    pub effect: Effect,
    /// Which cubes it takes.
    pub rule: Rule,
}

/// Centres nearer to a surface than this lie on it, whatever rounding makes of them: those on the surface of a sphere, an
/// ellipsoid or a cylinder are in it, and those on the western, northern or lower face of a box. [Unit: cubes]
pub(super) const ON: f64 = 1e-9;

/// Lines through a cube in one direction, for shares.
const LINES: usize = 4;

impl Stamp {
    /// The most cubes in the box around a stamp.
    pub const MOST_CUBES: u64 = 500_000_000;

    /// The cubes that it takes of some ground.
    ///
    /// # Errors
    ///
    /// A shape of no size, numbers that are none, a box around it that is too large, a stamp that
    /// touches no patch.
    pub fn cubes(&self, frame: &Frame) -> Result<Cubes, GroundError> {
        self.shape.check()?;
        if let Rule::Share(share) = self.rule
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(GroundError::bad(
                "\"share\"",
                "more than 0, at most 1",
                share.to_string(),
            ));
        }
        let (corner, size) = self.reach(frame)?;
        if size[2] > Frame::MOST_SLICES as u32 {
            return Err(GroundError::bad(
                "stamp",
                format!("a shape of at most {} cubes up", Frame::MOST_SLICES),
                size[2].to_string(),
            ));
        }
        let count: u64 = size.iter().map(|side| u64::from(*side)).product();
        if count > Self::MOST_CUBES {
            let [x, y, z] = size;
            return Err(GroundError::bad(
                "stamp",
                format!("at most {} cubes in the box around it", Self::MOST_CUBES),
                format!("{x} x {y} x {z}; make several of it"),
            ));
        }
        let mut cubes = Cubes::new(corner, size);
        match self.rule {
            Rule::Halfway => self.take_middles(&mut cubes),
            Rule::Share(share) => self.take_shares(share - 1e-9, &mut cubes),
        }
        Ok(cubes)
    }

    /// The box of cubes that it touches: corner and size.
    ///
    /// # Errors
    ///
    /// Where it touches no cube of the ground.
    pub fn reach(&self, frame: &Frame) -> Result<([i32; 3], [u32; 3]), GroundError> {
        let [from, to] = self.shape.bounds();
        let most = f64::from(Frame::MOST_SLICE);
        let ends = [
            [0.0, frame.width().into()],
            [0.0, frame.height().into()],
            [-most, most],
        ];
        let (mut corner, mut size) = ([0; 3], [0; 3]);
        for axis in 0..3 {
            let [least, greatest] = ends[axis];
            let (from, to) = (from[axis].floor().max(least), to[axis].ceil().min(greatest));
            if from >= to || from.is_nan() || to.is_nan() {
                return Err(GroundError::Outside);
            }
            (corner[axis], size[axis]) = (from as i32, (to - from) as u32);
        }
        let [x, y, _] = corner.map(|at| at as u32);
        if frame.patches_in(x..x + size[0], y..y + size[1]).is_empty() {
            return Err(GroundError::Outside);
        }
        Ok((corner, size))
    }

    fn take_middles(&self, cubes: &mut Cubes) {
        let ([x, y, _], [width, height, _]) = (cubes.corner(), cubes.size());
        let mut lines = vec![Vec::new(); height as usize];
        // The cubes whose middles lie in the piece [from, to).
        let first = |at: f64| {
            (at - 0.5)
                .ceil()
                .clamp(x.into(), f64::from(x) + f64::from(width))
        };
        for slice in cubes.slices() {
            let z = f64::from(slice) + 0.5;
            self.shape.cut(z, f64::from(y) + 0.5, 1.0, &mut lines);
            for (row, line) in (y..).zip(&lines) {
                for [from, to] in line {
                    let columns = first(*from) as i32..first(*to) as i32;
                    if !columns.is_empty() {
                        cubes.take(columns, row, slice);
                    }
                }
            }
        }
    }

    fn take_shares(&self, share: f64, cubes: &mut Cubes) {
        let ([x, y, _], [width, height, _]) = (cubes.corner(), cubes.size());
        let n = LINES as f64;
        let least = share * n * n;
        let mut lines = vec![Vec::new(); height as usize * LINES];
        // What each cube has beside what all between a piece's ends have.
        let stride = width as usize + 1;
        let mut parts = vec![0.0; stride * height as usize];
        let mut whole = vec![0.0; stride * height as usize];
        for slice in cubes.slices() {
            parts.fill(0.0);
            whole.fill(0.0);
            for i in 0..LINES {
                let z = f64::from(slice) + (i as f64 + 0.5) / n;
                self.shape
                    .cut(z, f64::from(y) + 0.5 / n, 1.0 / n, &mut lines);
                for (i, line) in lines.iter().enumerate() {
                    let start = i / LINES * stride;
                    for [from, to] in line {
                        let inside = |at: f64| (at - f64::from(x)).clamp(0.0, width.into());
                        let (from, to) = (inside(*from), inside(*to));
                        let (first, last) = (from.floor() as usize, to.floor() as usize);
                        if first == last {
                            parts[start + first] += to - from;
                        } else {
                            parts[start + first] += 1.0 - from.fract();
                            parts[start + last] += to.fract();
                            whole[start + first + 1] += 1.0;
                            whole[start + last] -= 1.0;
                        }
                    }
                }
            }
            for row in 0..height as usize {
                let mut all = 0.0;
                for column in 0..width as usize {
                    let i = row * stride + column;
                    all += whole[i];
                    if all + parts[i] >= least {
                        let column = x + column as i32;
                        cubes.take(column..column + 1, y + row as i32, slice);
                    }
                }
            }
        }
    }
}

/// A shape in cubes.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A sphere, squeezed as cubes are.
    Ellipsoid {
        /// Its middle.
        at: [f64; 3],
        /// Its radii east, south and up.
        radii: [f64; 3],
    },
    /// A box along the axes. Its western, northern and lower faces are part of it.
    Cuboid {
        /// Its least corner.
        from: [f64; 3],
        /// Its greatest corner.
        to: [f64; 3],
    },
    /// An upright cylinder.
    Cylinder {
        /// Its middle.
        at: [f64; 3],
        /// Its radii east and south.
        radii: [f64; 2],
        /// From bottom to top.
        height: f64,
    },
    /// A closed mesh of triangles.
    Mesh(Mesh),
}

impl Shape {
    /// Its least and greatest corner.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let around = |at: &[f64; 3], radii: [f64; 3]| {
            let ends = |sign: f64| [0, 1, 2].map(|axis| at[axis] + sign * radii[axis]);
            [ends(-1.0), ends(1.0)]
        };
        match self {
            Self::Ellipsoid { at, radii } => around(at, *radii),
            Self::Cuboid { from, to } => [*from, *to],
            Self::Cylinder { at, radii, height } => around(at, [radii[0], radii[1], height / 2.0]),
            Self::Mesh(mesh) => mesh.bounds(),
        }
    }

    /// Checks its size and its numbers.
    ///
    /// # Errors
    ///
    /// Where it has no size, or a number of it is NaN or infinite.
    pub fn check(&self) -> Result<(), GroundError> {
        let [from, to] = self.bounds();
        let numbers = from.into_iter().chain(to);
        if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
            return Err(GroundError::bad(
                "stamp",
                "finite numbers",
                number.to_string(),
            ));
        }
        match (0..3).find(|&axis| to[axis] <= from[axis]) {
            None => Ok(()),
            Some(axis) => Err(GroundError::bad(
                "stamp",
                "a shape with a size",
                format!("none {}", ["east", "south", "up"][axis]),
            )),
        }
    }

    /// Cuts it at height `z` by lines: the first at `y`, the others `step` further south each.
    pub(super) fn cut(&self, z: f64, y: f64, step: f64, lines: &mut Lines) {
        lines.iter_mut().for_each(Vec::clear);
        let at_line = |line: usize| y + step * line as f64;
        match self {
            Self::Mesh(mesh) => mesh.cut(z, y, step, lines),
            Self::Cuboid { from, to } => {
                let [from, to] = [from, to].map(|corner| corner.map(|at| at - ON));
                if (from[2]..to[2]).contains(&z) {
                    for (i, line) in lines.iter_mut().enumerate() {
                        if (from[1]..to[1]).contains(&at_line(i)) {
                            line.push([from[0], to[0]]);
                        }
                    }
                }
            }
            Self::Ellipsoid { at, radii } => {
                let up = z - at[2];
                for (i, line) in lines.iter_mut().enumerate() {
                    let south = at_line(i) - at[1];
                    line.extend(chord(at[0], *radii, [south, up]));
                }
            }
            Self::Cylinder { at, radii, height } => {
                if (z - at[2]).abs() <= height / 2.0 + ON {
                    for (i, line) in lines.iter_mut().enumerate() {
                        let radii = [radii[0], radii[1], radii[1]];
                        line.extend(chord(at[0], radii, [at_line(i) - at[1], 0.0]));
                    }
                }
            }
        }
    }
}

/// The piece of a line in an ellipsoid, and what is [`ON`] it.
fn chord(middle: f64, radii: [f64; 3], away: [f64; 2]) -> Option<[f64; 2]> {
    let [east, south, up] = radii.map(|radius| radius + ON);
    let [y, z] = [away[0] / south, away[1] / up];
    let left = 1.0 - y * y - z * z;
    let half = (left >= 0.0).then(|| east * left.sqrt())?;
    Some([middle - half, middle + half])
}

/// What a stamp does to the cubes that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Empties them.
    Dig,
    /// Fills those that are empty.
    Fill(Material),
    /// Makes those of a material, or all that are not empty, another material.
    Replace {
        /// What they are of; any material where it is not said.
        from: Option<Material>,
        /// What they become.
        to: Material,
    },
    /// Makes all of them a material, whatever they were.
    Put(Material),
}

impl Effect {
    /// What a cube becomes.
    pub fn on(self, material: Material) -> Material {
        match self {
            Self::Dig => EMPTY,
            Self::Fill(with) if material == EMPTY => with,
            Self::Replace { from: None, to } if material != EMPTY => to,
            Self::Replace {
                from: Some(from),
                to,
            } if material == from => to,
            Self::Put(with) => with,
            Self::Fill(_) | Self::Replace { .. } => material,
        }
    }

    /// What every cube becomes, where that is one thing.
    pub fn on_all(self) -> Option<Material> {
        match self {
            Self::Dig => Some(EMPTY),
            Self::Put(with) => Some(with),
            Self::Fill(_) | Self::Replace { .. } => None,
        }
    }

    /// The greatest number of a material that it names.
    pub fn greatest(self) -> Material {
        match self {
            Self::Dig => EMPTY,
            Self::Fill(with) | Self::Put(with) => with,
            Self::Replace { from, to } => to.max(from.unwrap_or(EMPTY)),
        }
    }
}
