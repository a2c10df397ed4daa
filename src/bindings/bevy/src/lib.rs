//! Who can see whom in a [Bevy](https://bevyengine.org) world, answered from bundles (`.vcb`) that `viewcell` baked.
//!
//! [`ViewcellPlugin`] loads bundles as assets, and tells each tick of which [`Target`]s sight may begin for which
//! [`Viewer`]s, and of which it has ended:
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_asset::{AssetPlugin, AssetServer};
//! use bevy_ecs::prelude::*;
//! use bevy_transform::prelude::*;
//! use bevy_viewcell::{Sight, SightHasEnded, SightMayBegin, Target, ViewcellPlugin, Viewer};
//!
//! fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//!     commands.insert_resource(Sight::of(assets.load("level.vcb")));
//!     for x in [5.0, 300.0] {
//!         commands.spawn((Viewer, Target, Transform::from_xyz(x, 0.0, 40.0)));
//!     }
//! }
//!
//! fn tell(mut began: MessageReader<SightMayBegin>, mut ended: MessageReader<SightHasEnded>) {
//!     for SightMayBegin { viewer, target } in began.read() {
//!         println!("{viewer} may see {target} from now on");
//!     }
//!     for SightHasEnded { viewer, target } in ended.read() {
//!         println!("{viewer} sees {target} no more");
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), TransformPlugin, ViewcellPlugin))
//!     .add_systems(Startup, spawn)
//!     .add_systems(Last, tell);
//! ```
//!
//! With the feature `replicon`, [`replicon`] hides from clients of bevy_replicon what they cannot see; with the feature
//! `scene`, [`scene`] writes a scene's meshes as a level to bake.

#![warn(missing_docs)]

mod asset;
mod frame;
#[cfg(feature = "replicon")]
pub mod replicon;
#[cfg(feature = "scene")]
pub mod scene;
mod sight;

pub use asset::{AssetError, ViewCells, ViewCellsLoader};
pub use frame::Frame;
pub use sight::{
    Doubt, Frontiers, Seen, Sight, SightHasEnded, SightMayBegin, SightSystems, Target,
    ViewcellPlugin, Viewer,
};
pub use viewcell;
pub use viewcell_sight::{Half, OpenError, OwnedBundle, Place, World};
