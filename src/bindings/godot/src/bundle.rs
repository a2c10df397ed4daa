//! A bundle as a resource.

use godot::classes::{FileAccess, Resource};
use godot::global;
use godot::prelude::*;
use viewcell_sight::{OwnedBundle, Place, SolidBundle, TerrainBundle, load};

/// A bundle that `viewcell` baked. Places are numbers: of a terrain the samples, row by row from the north-western
/// corner; of a level its cells. -1 is nowhere.
#[derive(GodotClass)]
#[class(tool, init, base = Resource)]
pub struct ViewcellBundle {
    bundle: Option<OwnedBundle>,
    error: String,
    base: Base<Resource>,
}

impl ViewcellBundle {
    /// The bundle, if one is open.
    pub fn bundle(&self) -> Option<&OwnedBundle> {
        self.bundle.as_ref()
    }

    fn place(&self, number: i64) -> Option<Place> {
        self.bundle()?.world().place(u64::try_from(number).ok()?)
    }

    /// Numbers of places are below 2^32.
    fn number(&self, place: Option<Place>) -> i64 {
        let number = place.and_then(|place| self.bundle()?.world().number(place));
        number.map_or(-1, |number| number as i64)
    }

    fn sees(&self, from: i64, to: i64) -> bool {
        let places = self.place(from).zip(self.place(to));
        let answer = self.bundle().zip(places);
        answer.is_some_and(|(bundle, (a, b))| bundle.world().visible(a, b))
    }

    /// The terrain that is open, if one is.
    fn terrain(&self) -> Option<&TerrainBundle<'_>> {
        self.bundle()?.world().terrain()
    }

    /// The solid level that is open, if one is.
    fn solid(&self) -> Option<(&OwnedBundle, &SolidBundle<'_>)> {
        let bundle = self.bundle()?;
        Some((bundle, bundle.world().solid()?))
    }

    /// What was not opened, and why: for the log, and for `error_text`.
    fn fail(&mut self, error: global::Error, words: String) -> global::Error {
        godot_error!("{words}");
        self.error = words;
        error
    }
}

#[godot_api]
impl ViewcellBundle {
    /// Opens a file, such as `res://level.vcb` or `user://level.vcb`, in place of what was open: `OK`, or an error whose
    /// words are in `error_text()`.
    #[func]
    pub fn open(&mut self, path: GString) -> global::Error {
        let bytes = FileAccess::get_file_as_bytes(&path);
        let error = FileAccess::get_open_error();
        if error != global::Error::OK {
            self.bundle = None;
            let words = format!("{path}: cannot be opened as a bundle: {}", error.as_str());
            return self.fail(error, words);
        }
        self.open_named(&bytes, &format!("{path}: "))
    }

    /// Opens the bundle that the bytes are; as `open`.
    #[func]
    pub fn open_bytes(&mut self, bytes: PackedByteArray) -> global::Error {
        self.open_named(&bytes, "")
    }

    fn open_named(&mut self, bytes: &PackedByteArray, name: &str) -> global::Error {
        self.bundle = None;
        self.error.clear();
        match load(bytes.as_slice()) {
            Ok(bundle) => {
                self.bundle = Some(bundle);
                self.base_mut().emit_changed();
                global::Error::OK
            }
            Err(error) => self.fail(global::Error::ERR_FILE_CORRUPT, format!("{name}{error}")),
        }
    }

    /// Why the bundle was not opened; empty if it was.
    #[func]
    fn error_text(&self) -> GString {
        GString::from(&self.error)
    }

    /// Whether there is a bundle to ask.
    #[func]
    fn is_open(&self) -> bool {
        self.bundle.is_some()
    }

    /// Whether it is of a terrain; else of a level, of cells or solid.
    #[func]
    fn is_terrain(&self) -> bool {
        self.terrain().is_some()
    }

    /// How many places there are.
    #[func]
    fn place_count(&self) -> i64 {
        self.bundle()
            .map_or(0, |bundle| bundle.world().places() as i64)
    }

    /// Columns and rows of a terrain.
    #[func]
    fn size(&self) -> Vector2i {
        self.terrain().map_or(Vector2i::ZERO, |terrain| {
            let grid = terrain.grid();
            Vector2i::new(grid.width() as i32, grid.height() as i32)
        })
    }

    /// Metres between the columns and between the rows of a terrain.
    #[func]
    fn spacing(&self) -> Vector2 {
        self.terrain().map_or(Vector2::ZERO, |terrain| {
            let [dx, dy] = terrain.parameters().cell_spacing;
            Vector2::new(dx as f32, dy as f32)
        })
    }

    /// The place at a point in the bundle's own coordinates, or -1: of a terrain, x metres east and z metres south of its
    /// first sample, y not being asked for; of a level that was baked from Godot's export, those of the scene, of another the
    /// axes and units of its file.
    #[func]
    fn locate(&self, point: Vector3) -> i64 {
        self.number(self.bundle().and_then(|bundle| locate(bundle, point)))
    }

    /// Whether somebody at one place may see somebody at another. Nowhere is hidden.
    #[func]
    fn visible(&self, from: i64, to: i64) -> bool {
        self.sees(from, to)
    }

    /// Whether it is of a solid level.
    #[func]
    fn is_solid(&self) -> bool {
        self.solid().is_some()
    }

    /// Whether a player whose origin is at one point of a solid level may see any part of one whose origin is at another.
    /// Who is in no cell sees all and is seen by all.
    #[func]
    fn visible_points(&self, from: Vector3, to: Vector3) -> bool {
        let Some((bundle, level)) = self.solid() else {
            godot_error!("visible_points: expected a bundle of a solid level to be open");
            return true;
        };
        level.positions_visible(coordinates(bundle, from), coordinates(bundle, to))
    }

    /// Whether either of two players may see the other in a solid level on their paths, up to so far each. Errs towards
    /// true.
    #[func]
    fn visible_within(&self, a: Vector3, b: Vector3, reach_a: f64, reach_b: f64) -> bool {
        let Some((bundle, level)) = self.solid() else {
            godot_error!("visible_within: expected a bundle of a solid level to be open");
            return true;
        };
        level.positions_visible_within(
            coordinates(bundle, a),
            coordinates(bundle, b),
            [reach_a, reach_b],
        )
    }

    /// The objects of a scene (`viewcell bake scene`) that a camera at a point may see, by number: all others need not be drawn.
    #[func]
    fn objects_seen(&self, point: Vector3) -> PackedInt32Array {
        let Some((bundle, scene)) = self.solid() else {
            godot_error!("objects_seen: expected a bundle of a scene to be open");
            return PackedInt32Array::new();
        };
        let cell = scene.locate(coordinates(bundle, point));
        scene
            .objects_from(cell)
            .map(|object| object as i32)
            .collect()
    }

    /// Where each object is in its scene: names from the root to it, with / between them; empty where that is damaged.
    #[func]
    fn object_paths(&self) -> PackedStringArray {
        let objects = self.solid().and_then(|(_, scene)| scene.objects());
        let path = |number| {
            objects
                .and_then(|all| all.get(number))
                .map_or("", |of| of.path)
        };
        let count = objects.map_or(0, |all| all.count());
        (0..count)
            .map(|number| GString::from(path(number)))
            .collect()
    }

    /// The box of positions of a player's origin that a cell of a solid level stands for; empty where there is none.
    #[func]
    fn bounds(&self, cell: i64) -> Aabb {
        let found = u32::try_from(cell)
            .ok()
            .and_then(|cell| self.solid()?.1.bounds(cell));
        let [low, high] = found.unwrap_or_default().map(|corner| {
            let [x, y, z] = corner.map(|at| at as f32);
            Vector3::new(x, y, z)
        });
        Aabb::new(low, high - low)
    }

    /// The same of many pairs of places as `visible`: from, to, from, to, and so on. Gives a 1 or a 0 for each.
    #[func]
    fn visible_pairs(&self, pairs: PackedInt64Array) -> PackedByteArray {
        let (pairs, rest) = pairs.as_slice().as_chunks::<2>();
        if !rest.is_empty() {
            godot_error!("visible_pairs: expected an even number of places, found an odd one");
            return PackedByteArray::new();
        }
        pairs
            .iter()
            .map(|&[from, to]| u8::from(self.sees(from, to)))
            .collect()
    }
}

/// The place at a point in the bundle's coordinates, with Godot's axes where it is a terrain.
pub fn locate(bundle: &OwnedBundle, point: Vector3) -> Option<Place> {
    bundle.world().locate(coordinates(bundle, point))
}

/// A point in the bundle's own coordinates.
pub fn coordinates(bundle: &OwnedBundle, point: Vector3) -> [f64; 3] {
    let [x, y, z] = [point.x, point.y, point.z].map(f64::from);
    match bundle.world().terrain() {
        Some(_) => [x, z, y],
        None => [x, y, z],
    }
}
