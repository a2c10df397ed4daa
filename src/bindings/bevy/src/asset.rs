//! Bundles as assets.

use std::fmt;
use std::ops::Deref;

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use viewcell_sight::{OpenError, OwnedBundle, load};

/// A bundle that `viewcell` baked, in memory. Clones share its bytes. It answers as the [`OwnedBundle`] that it is.
#[derive(Asset, Clone, Debug, TypePath)]
pub struct ViewCells(OwnedBundle);

impl ViewCells {
    /// Opens the bundle that `bytes` are.
    ///
    /// # Errors
    ///
    /// Where they are no bundle that this version reads, or a damaged one.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, OpenError> {
        load(bytes).map(Self)
    }
}

impl Deref for ViewCells {
    type Target = OwnedBundle;

    fn deref(&self) -> &OwnedBundle {
        &self.0
    }
}

/// Loads `.vcb` files into memory, whole.
#[derive(Debug, Default, TypePath)]
pub struct ViewCellsLoader;

impl AssetLoader for ViewCellsLoader {
    type Asset = ViewCells;
    type Settings = ();
    type Error = AssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        _: &mut LoadContext<'_>,
    ) -> Result<ViewCells, AssetError> {
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(AssetError::Read)?;
        ViewCells::from_bytes(bytes).map_err(AssetError::Bundle)
    }

    fn extensions(&self) -> &[&str] {
        &["vcb"]
    }
}

/// Why an asset is no bundle. The asset server says of which file.
#[derive(Debug)]
#[non_exhaustive]
pub enum AssetError {
    /// It cannot be read.
    Read(std::io::Error),
    /// It is no bundle that this version reads, or a damaged one.
    Bundle(OpenError),
}

impl fmt::Display for AssetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot be read: {error}"),
            Self::Bundle(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for AssetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Bundle(error) => Some(error),
        }
    }
}
