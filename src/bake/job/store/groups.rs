//! The groups of a bake, in whichever of its stores they lie.

use super::error::StoreError;
use super::file::Store;

/// The bytes of the groups of a bake, by the numbers of their blocks, in one store or in several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stores<'a>(pub &'a [Store]);

impl Stores<'_> {
    /// The bytes of a block's group. Errors where it is missing.
    pub(crate) fn read(&self, number: usize) -> Result<Vec<u8>, StoreError> {
        for store in self.0 {
            if let Some(bytes) = store.read(number)? {
                return Ok(bytes);
            }
        }
        Err(self.damaged(number))
    }

    /// The error of a group that is not what one was made of.
    pub(crate) fn damaged(&self, number: usize) -> StoreError {
        let holder = self.0.iter().find(|store| store.has(number));
        match holder.or(self.0.first()) {
            Some(store) => store.damaged(number),
            None => StoreError::NoShards,
        }
    }
}
