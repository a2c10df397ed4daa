//! From the coordinates of a Bevy world to those of a bundle.

use bevy_math::{DVec3, Vec3};

/// Where a bundle lies in the world. Bevy's axes are right-handed: x to the right, y up, z towards the one who looks.
///
/// A bundle's coordinates are, of a terrain, metres east and metres south of sample (0, 0); of a level, the units and axes
/// of its file, or of the engine that its bake was told of. A place of the world becomes one of the bundle by
/// `axes[i] · (place - origin)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where in the world the bundle's coordinates are 0: of a terrain, where sample (0, 0) is, its north-west corner.
    /// A mesh that is centred on the world's origin has it at `(-width / 2, 0, -depth / 2)`.
    pub origin: Vec3,
    /// How each of the bundle's coordinates grows, per unit of the world. Of a terrain: east, south, and up, which is
    /// not asked for.
    pub axes: [Vec3; 3],
}

impl Default for Frame {
    /// [`Frame::terrain`] with a unit of the world to a metre.
    fn default() -> Self {
        Self::terrain(1.0)
    }
}

impl Frame {
    /// A terrain: east is x, south is z, up is y; `metres` are in a unit of the world.
    pub const fn terrain(metres: f32) -> Self {
        Self {
            origin: Vec3::ZERO,
            axes: [
                Vec3::new(metres, 0.0, 0.0),
                Vec3::new(0.0, 0.0, metres),
                Vec3::new(0.0, metres, 0.0),
            ],
        }
    }

    /// A level whose own z is up, as that of Quake and Doom: its x is the world's x, its y the world's -z, and its z
    /// the world's y. `units` of the level are in a unit of the world: about 40, where that is a metre.
    pub const fn level(units: f32) -> Self {
        Self {
            origin: Vec3::ZERO,
            axes: [
                Vec3::new(units, 0.0, 0.0),
                Vec3::new(0.0, 0.0, -units),
                Vec3::new(0.0, units, 0.0),
            ],
        }
    }

    /// A solid level that was exported from an engine with Bevy's axes, which are Godot's (`from` of its bake): positions of
    /// the world are those of the scene that was exported, and the bundle takes them as they are.
    pub const fn baked() -> Self {
        Self {
            origin: Vec3::ZERO,
            axes: [Vec3::X, Vec3::Y, Vec3::Z],
        }
    }

    /// The same with its origin elsewhere in the world.
    pub const fn at(mut self, origin: Vec3) -> Self {
        self.origin = origin;
        self
    }

    /// A place of the world in the bundle's coordinates.
    pub fn to_bundle(&self, place: Vec3) -> DVec3 {
        let from_origin = place.as_dvec3() - self.origin.as_dvec3();
        let along = |axis: Vec3| from_origin.dot(axis.as_dvec3());
        DVec3::from_array(self.axes.map(along))
    }

    /// A distance in the world in the bundle's units; where axes differ, along the one that makes it longest.
    pub fn length(&self, distance: f32) -> f64 {
        let longest = |most: f64, axis: Vec3| most.max(axis.as_dvec3().length());
        f64::from(distance) * self.axes.into_iter().fold(0.0, longest)
    }
}
