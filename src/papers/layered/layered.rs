//! What every structure of layered ground can do, and the plain array of cubes that tests compare the others with.

use std::ops::Range;

use super::change::{ChangeSet, Version};
use super::cubes::Cubes;
use super::error::GroundError;
use super::frame::Frame;
use super::stamp::Effect;
use super::tree::{EMPTY, Material};

/// Layered ground: cubes of materials that stamps change.
///
/// Two structures that begin with the same cubes and get the same stamps have the same cubes. A place
/// that lies in no patch is empty for good: stamps leave it alone.
pub trait Layered {
    /// What does not change.
    fn frame(&self) -> &Frame;

    /// What was changed so far.
    fn version(&self) -> Version;

    /// The slices from the lowest to the highest that is not empty.
    fn slices(&self) -> Range<i32>;

    /// What a cube is of: empty where there is no patch.
    fn material(&self, column: u32, row: u32, slice: i32) -> Material;

    /// The highest slice in which a column is not empty.
    fn top(&self, column: u32, row: u32) -> Option<i32>;

    /// What a stamp would change; empty if nothing. O(what it takes).
    fn plan(&self, cubes: &Cubes, effect: Effect) -> ChangeSet;

    /// Makes changes, all of them or, with an error, none.
    ///
    /// # Errors
    ///
    /// A change set for another version or other ground, one that is damaged, or of another structure.
    fn apply(&mut self, changes: &ChangeSet) -> Result<(), GroundError>;

    /// Nodes of quadtrees, or what the structure has in their place.
    fn nodes(&self) -> u64;

    /// Memory that it takes. [Unit: bytes]
    fn bytes(&self) -> usize;

    /// Stamps: plans, and makes the changes. `None` if there are none, and the version stays.
    ///
    /// # Errors
    ///
    /// Where the effect names a material that the ground does not have, or the ground would have more slices
    /// than may be.
    fn stamp(&mut self, cubes: &Cubes, effect: Effect) -> Result<Option<ChangeSet>, GroundError> {
        check_effect(self.frame(), effect)?;
        let changes = self.plan(cubes, effect);
        if changes.is_empty() {
            return Ok(None);
        }
        self.apply(&changes)?;
        Ok(Some(changes))
    }
}

/// Checks the materials that an effect names.
///
/// # Errors
///
/// Where the effect names a material that the ground does not have.
pub fn check_effect(frame: &Frame, effect: Effect) -> Result<(), GroundError> {
    let greatest = usize::from(effect.greatest());
    if greatest <= frame.materials().len() {
        return Ok(());
    }
    Err(GroundError::bad(
        "\"material\"",
        format!("a material of 0 to {}", frame.materials().len()),
        greatest.to_string(),
    ))
}

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
        if self.slices.contains(&slice) {
            self.cubes[self.index(column, row, slice)]
        } else {
            EMPTY
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
