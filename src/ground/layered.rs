//! What any structure of layered ground can do.

use std::ops::Range;

use super::change::{ChangeSet, Version};
use super::cubes::Cubes;
use super::effect::Effect;
use super::error::GroundError;
use super::frame::Frame;
use super::tree::Material;

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

/// Errors where an effect names a material that the ground does not have.
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
