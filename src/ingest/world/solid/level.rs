//! A level: what hides, what stops players, and who they are.

use std::ops::Range;

use super::aabb::Aabb;
use super::face::Face;
use super::object::SceneObject;
use super::polyhedron::Solid;
use viewcell::convex::{Point, minus, plus};
use viewcell::format::{Frame, SolidUnits};

/// A player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    /// The box of the body, relative to the origin: all of it that may be seen, standing or crouched.
    pub hull: Aabb,
    /// The body at its smallest, relative to the origin: where this has room a player can be.
    pub crouched: Aabb,
    /// Heights of the eye over the origin, from crouched to standing.
    pub eye: [f64; 2],
}

impl Player {
    /// Of Quake, whose players do not crouch.
    pub const QUAKE: Self = Self::of(16.0, [-24.0, 32.0], 32.0, [22.0, 22.0]);
    /// Of Quake II.
    pub const QUAKE2: Self = Self::of(16.0, [-24.0, 32.0], 4.0, [-2.0, 22.0]);
    /// Of Quake III.
    pub const QUAKE3: Self = Self::of(15.0, [-24.0, 32.0], 16.0, [12.0, 26.0]);
    /// Of all games of IBSP47: Quake Live (15 wide each way, 32 high), Return to Castle Wolfenstein and Enemy
    /// Territory (18 wide, 48 high, prone down to -8).
    pub const IBSP47: Self = Self {
        crouched: Self::of(15.0, [-24.0, 48.0], -8.0, [-8.0, 40.0]).crouched,
        ..Self::of(18.0, [-24.0, 48.0], -8.0, [-8.0, 40.0])
    };
    /// Of Half-Life. Its origin is in the middle of the body, and 18 lower while it crouches.
    pub const HALF_LIFE: Self = Self {
        crouched: Aabb {
            min: [-16.0, -16.0, -18.0],
            max: [16.0, 16.0, 18.0],
        },
        ..Self::of(16.0, [-36.0, 36.0], 18.0, [12.0, 28.0])
    };
    /// Of Source: the origin is between the feet.
    pub const SOURCE: Self = Self::of(16.0, [0.0, 72.0], 36.0, [28.0, 64.0]);
    /// Of a `.map` whose game is not known but has crouching: Quake II and III together.
    pub const QUAKE2_OR_3: Self = Self {
        crouched: Self::of(15.0, [-24.0, 32.0], 4.0, [-2.0, 26.0]).crouched,
        ..Self::of(16.0, [-24.0, 32.0], 4.0, [-2.0, 26.0])
    };
    /// Of levels in metres: 1.8 m high and 0.6 m wide, the origin between the feet.
    pub const PERSON: Self = Self::of(0.3, [0.0, 1.8], 1.8, [1.7, 1.7]);

    /// The same with another body, of which the crouched one keeps what it has in common with it, and other heights of the
    /// eye; as it is where they are not given.
    pub fn with(self, hull: Option<Aabb>, eye: Option<[f64; 2]>) -> Self {
        let hull = hull.unwrap_or(self.hull);
        Self {
            crouched: self.crouched.within(&hull).unwrap_or(hull),
            hull,
            eye: eye.unwrap_or(self.eye),
        }
    }

    /// A body as wide either way, from `low` to `high`, crouched to `top`.
    const fn of(wide: f64, [low, high]: [f64; 2], top: f64, eye: [f64; 2]) -> Self {
        let hull = Aabb {
            min: [-wide, -wide, low],
            max: [wide, wide, high],
        };
        let crouched = Aabb {
            max: [wide, wide, top],
            ..hull
        };
        Self {
            hull,
            crouched,
            eye,
        }
    }

    /// One of a size all the time.
    pub const fn standing(hull: Aabb, eye: f64) -> Self {
        Self {
            hull,
            crouched: hull,
            eye: [eye, eye],
        }
    }
}

/// What a unit of the coordinates is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Of Quake and its kin: about an inch, at 32 to a player's width.
    Quake,
    /// Metres.
    Metres,
}

impl Units {
    /// The size of view cells if nobody says another.
    pub fn cell(self) -> f64 {
        match self {
            Self::Quake => 32.0,
            Self::Metres => 1.0,
        }
    }

    /// Up to this height of the feet over a floor cells are of the size asked for.
    pub fn near_floor(self) -> f64 {
        match self {
            Self::Quake => 64.0,
            Self::Metres => 2.0,
        }
    }

    /// A level's middle is a multiple of this, so that the grid of view cells stays where it is in the file.
    fn middle(self) -> f64 {
        match self {
            Self::Quake => 1024.0,
            Self::Metres => 64.0,
        }
    }

    /// As bundles have it.
    pub fn stored(self) -> SolidUnits {
        match self {
            Self::Quake => SolidUnits::Quake,
            Self::Metres => SolidUnits::Metres,
        }
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quake => "units",
            Self::Metres => "m",
        }
    }
}

/// A level as a union of convex solids and faces. All coordinates are counted from `middle`, but for `middle` itself.
#[derive(Clone, Debug)]
pub struct SolidLevel {
    /// What hides: opaque solids. They may touch and overlap.
    pub solids: Vec<Solid>,
    /// What hides without volume: opaque faces, of meshes.
    pub faces: Vec<Face>,
    /// Solids that stop players, opaque or not.
    pub obstacles: Vec<Solid>,
    /// Faces that stop players.
    pub obstacle_faces: Vec<Face>,
    /// Opaque closed shells that are no solid: of each its part of `obstacle_faces`.
    pub shells: Vec<Range<usize>>,
    /// What is drawn, of a scene whose objects are seen in place of players.
    pub objects: Option<Vec<SceneObject>>,
    /// Origins of players where they enter the level; destinations of teleporters, too.
    pub spawns: Vec<Point>,
    /// The player of the game that the format belongs to.
    pub player: Player,
    /// Of the coordinates.
    pub units: Units,
    /// The coordinates of the file that all others here are counted from: margins of rounding grow with
    /// coordinates, and must not depend on where in a national grid a level lies.
    pub middle: Point,
    /// How the coordinates that are asked with differ from the level's.
    pub frame: Frame,
    /// Coordinate reference system, `EPSG:n`, if the file names one.
    pub crs: Option<String>,
    /// What the file was: `IBSP46`, `Quake map`, `OBJ`, …
    pub format: &'static str,
}

impl SolidLevel {
    /// A level of nothing.
    pub fn new(format: &'static str, units: Units, player: Player) -> Self {
        Self {
            solids: Vec::new(),
            faces: Vec::new(),
            obstacles: Vec::new(),
            obstacle_faces: Vec::new(),
            shells: Vec::new(),
            objects: None,
            spawns: Vec::new(),
            player,
            units,
            middle: [0.0; 3],
            frame: Frame::default(),
            crs: None,
            format,
        }
    }

    /// Counts all coordinates from the middle of the level, to a whole number of `Units::middle`.
    pub fn centre(&mut self) {
        let bounds = self.bounds();
        if !bounds.min.iter().chain(&bounds.max).all(|x| x.is_finite()) {
            return;
        }
        let unit = self.units.middle();
        let by = bounds.centre().map(|x| unit * (x / unit).round() + 0.0);
        if by == [0.0; 3] {
            return;
        }
        let aside = |at: &mut Point| *at = minus(*at, by);
        for solid in self.solids.iter_mut().chain(&mut self.obstacles) {
            solid.planes.iter_mut().for_each(|p| *p = p.about(by));
            solid.vertices.iter_mut().for_each(aside);
            solid.bounds = Aabb::around(&solid.vertices);
        }
        for face in self.faces.iter_mut().chain(&mut self.obstacle_faces) {
            face.plane = face.plane.about(by);
            face.vertices.iter_mut().for_each(aside);
        }
        let objects = self.objects.iter_mut().flatten();
        let parts = objects.flat_map(|of| &mut of.parts);
        parts.for_each(|part| *part = part.about(by));
        self.spawns.iter_mut().for_each(aside);
        self.middle = plus(self.middle, by);
    }

    /// The box around all that hides or stops players.
    pub fn bounds(&self) -> Aabb {
        let solids = self
            .solids
            .iter()
            .chain(&self.obstacles)
            .map(|solid| solid.bounds);
        let faces = self.faces.iter().chain(&self.obstacle_faces);
        let faces = faces.map(|face| Aabb::around(&face.vertices));
        solids
            .chain(faces)
            .chain(self.parts().copied())
            .fold(Aabb::EMPTY, |all, one| all.union(&one))
    }

    /// The polygons of all that somebody can stand on, roofs among them: of solids what faces up, of meshes both sides.
    pub fn floors(&self) -> impl Iterator<Item = Vec<Point>> {
        // As steep as people walk.
        const UP: f64 = 0.7;
        let faces = self.obstacle_faces.iter();
        let faces = faces.filter(|face| face.plane.normal[2].abs() > UP);
        let faces = faces.map(|face| face.vertices.clone());
        let solids = self.obstacles.iter().flat_map(|solid| {
            let up = |i: &usize| solid.planes[*i].normal[2] > UP;
            let up = (0..solid.planes.len()).filter(up);
            up.map(|i| solid.face(i))
        });
        faces.chain(solids)
    }

    /// The parts of all objects, one object after the other.
    pub fn parts(&self) -> impl Iterator<Item = &Aabb> {
        self.objects.iter().flatten().flat_map(|of| &of.parts)
    }

    /// Whether something opaque is strictly between two points, in coordinates of the file: the definition, one by
    /// one. O(level).
    pub fn blocks(&self, a: Point, b: Point) -> bool {
        let (a, b) = (minus(a, self.middle), minus(b, self.middle));
        self.solids.iter().any(|solid| solid.meets(a, b))
            || self.faces.iter().any(|face| face.meets(a, b))
    }
}
