//! Stamps (Pennings, section 4.2): a shape, which of the cubes that it touches it takes, and what becomes of them.
//!
//! All coordinates are in cubes: the cube at (column, row, slice) is the space from there to one more in each
//! direction. Where cubes are not as high as wide, a sphere is an ellipsoid here.

use super::cubes::Cubes;
use super::cut::Cut;
use super::error::GroundError;
use super::frame::Frame;
use super::tree::{EMPTY, Material};
use viewcell_ingest::ground::Shape;

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
