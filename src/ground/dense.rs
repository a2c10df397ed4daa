//! The slow twin: a number for every cube.

use std::ops::Range;

use super::cubes::Cubes;
use super::effect::Effect;
use super::frame::Frame;
use super::layered::Layered;
use super::tree::{EMPTY, Material};

/// Every cube of a range of slices. Whatever is outside stays empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    size: [u32; 2],
    slices: Range<i32>,
    cubes: Vec<Material>,
    /// Whether a column lies in a patch.
    ground: Vec<bool>,
}

impl Dense {
    /// The cubes of some ground, in these slices.
    pub fn of(ground: &impl Layered, slices: Range<i32>) -> Self {
        let frame = ground.frame();
        let (width, height) = (frame.width(), frame.height());
        let places = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
        let cubes = slices
            .clone()
            .flat_map(|z| places().map(move |(x, y)| ground.material(x, y, z)));
        Self {
            size: [width, height],
            cubes: cubes.collect(),
            ground: places().map(|(x, y)| is_in_patch(frame, x, y)).collect(),
            slices,
        }
    }

    /// What a cube is of.
    pub fn material(&self, column: u32, row: u32, slice: i32) -> Material {
        match self.slices.contains(&slice) {
            true => self.cubes[self.index(column, row, slice)],
            false => EMPTY,
        }
    }

    /// Changes one cube after the other.
    pub fn stamp(&mut self, cubes: &Cubes, effect: Effect) {
        for slice in self.slices.clone() {
            for row in 0..self.size[1] {
                for column in 0..self.size[0] {
                    let sample = (row * self.size[0] + column) as usize;
                    if self.ground[sample] && cubes.takes(column as i32, row as i32, slice) {
                        let index = self.index(column, row, slice);
                        self.cubes[index] = effect.on(self.cubes[index]);
                    }
                }
            }
        }
    }

    fn index(&self, column: u32, row: u32, slice: i32) -> usize {
        let rows = (slice - self.slices.start) as usize * self.size[1] as usize;
        (rows + row as usize) * self.size[0] as usize + column as usize
    }
}

/// One patch after the other.
fn is_in_patch(frame: &Frame, x: u32, y: u32) -> bool {
    frame.patches().iter().any(|patch| {
        let side = 1 << patch.level;
        (patch.x..patch.x + side).contains(&x) && (patch.y..patch.y + side).contains(&y)
    })
}
