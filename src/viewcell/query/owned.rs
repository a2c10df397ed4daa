//! A bundle and the bytes that it is of, in one value.

use std::path::PathBuf;
use std::sync::Arc;

use super::bundle::Bundle;
use super::error::OpenError;
use super::layers::Layers;
#[cfg(feature = "mmap")]
use super::map::MappedBundle;
use super::world::World;

/// A bundle that owns its bytes: it can be moved, kept and shared between threads. Clones share the bytes, which
/// stay until the last of them is dropped.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use viewcell::query::{OwnedBundle, World};
///
/// let bundle = OwnedBundle::from_bytes(std::fs::read("level.vcb")?)?;
/// let world = bundle.world();
/// let (a, b) = ([120.0, 340.5, 0.0], [800.0, 95.0, 0.0]);
/// if let (Some(a), Some(b)) = (world.locate(a), world.locate(b))
///     && !world.visible(a, b)
/// {
///     // a need not hear of b
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OwnedBundle(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    /// These borrow from what is below.
    world: World<'static>,
    bundle: Bundle<'static>,
    _layers: Option<Arc<Layers<'static>>>,
    _kept: Kept,
}

/// What is borrowed from: behind an `Arc` each, which may be moved while its contents are borrowed. (A `Box` may
/// not: whoever moves it claims its contents for themselves.)
#[derive(Debug)]
#[allow(dead_code, reason = "kept, and read through what borrows from it")]
enum Kept {
    /// The bytes stay anyway.
    Static,
    Bytes(Arc<[u8]>),
    #[cfg(feature = "mmap")]
    Map(Arc<MappedBundle>),
    /// A bundle, and patches over it with their names.
    Patched(OwnedBundle, Arc<Vec<(PathBuf, Vec<u8>)>>),
}

/// What an `Arc` holds, for as long as anybody holds the `Arc`.
///
/// # Safety
///
/// The caller keeps the `Arc`, changes nothing in it, and lends what borrows from it only for as long as it is kept.
#[allow(unsafe_code)]
unsafe fn lasting<T: ?Sized>(held: &Arc<T>) -> &'static T {
    // SAFETY: as the caller promises: the contents of an `Arc` stay where they are until the last one is dropped.
    unsafe { &*Arc::as_ptr(held) }
}

impl OwnedBundle {
    /// Opens the bundle that `bytes` are. As [`Bundle::from_bytes`], in O(1) once they are shared;
    /// [`Bundle::check_sections`] looks at the rest.
    ///
    /// # Errors
    ///
    /// As [`Bundle::from_bytes`] and [`Bundle::world`].
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Result<Self, OpenError> {
        let bytes = bytes.into();
        // SAFETY: kept beside, and lent with a borrow of this.
        #[allow(unsafe_code)]
        let bundle = Bundle::from_bytes(unsafe { lasting(&bytes) })?;
        Self::new(bundle, Kept::Bytes(bytes))
    }

    /// The same of bytes that stay for ever, such as those of `include_bytes!`.
    ///
    /// # Errors
    ///
    /// As [`OwnedBundle::from_bytes`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, OpenError> {
        Self::new(Bundle::from_bytes(bytes)?, Kept::Static)
    }

    /// Maps a file, as [`MappedBundle::open`] does: what that says of truncating holds here.
    ///
    /// # Errors
    ///
    /// As [`MappedBundle::open`] and [`Bundle::world`].
    #[cfg(feature = "mmap")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::of_map(MappedBundle::open(path)?).map_err(|error| error.at(path))
    }

    /// Maps a file and checks its pages when they are first touched, as [`MappedBundle::open_checked`] does.
    ///
    /// # Errors
    ///
    /// As [`MappedBundle::open_checked`] and [`Bundle::world`].
    #[cfg(feature = "mmap")]
    pub fn open_checked(path: impl AsRef<std::path::Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::of_map(MappedBundle::open_checked(path)?).map_err(|error| error.at(path))
    }

    /// Reads a file into memory, in huge pages where the system has them, as [`MappedBundle::open_copy`] does.
    ///
    /// # Errors
    ///
    /// As [`MappedBundle::open_copy`] and [`Bundle::world`].
    #[cfg(feature = "mmap")]
    pub fn open_copy(path: impl AsRef<std::path::Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::of_map(MappedBundle::open_copy(path)?).map_err(|error| error.at(path))
    }

    /// A bundle that was mapped.
    ///
    /// # Errors
    ///
    /// As [`Bundle::world`].
    #[cfg(feature = "mmap")]
    pub fn of_map(map: MappedBundle) -> Result<Self, OpenError> {
        let map = Arc::new(map);
        // SAFETY: kept beside, and lent with a borrow of this.
        #[allow(unsafe_code)]
        let bundle = unsafe { lasting(&map) }.bundle()?;
        Self::new(bundle, Kept::Map(map))
    }

    /// The same terrain with patches over it, in the order in which they were made: the bytes of each, and
    /// its name for errors.
    ///
    /// # Errors
    ///
    /// As [`Layers::new`] and [`Layers::lay`].
    pub fn with_patches(&self, patches: Vec<(PathBuf, Vec<u8>)>) -> Result<Self, OpenError> {
        let bundle = self.0.bundle;
        let mut layers = Layers::new(&bundle)?;
        let patches = Arc::new(patches);
        // SAFETY: kept beside, as is the bundle that layers begin with, and lent with a borrow of this.
        #[allow(unsafe_code)]
        for (name, bytes) in unsafe { lasting(&patches) } {
            layers.lay(bytes).map_err(|error| error.at(name))?;
        }
        let layers = Arc::new(layers);
        // SAFETY: the same.
        #[allow(unsafe_code)]
        let world = World::Terrain(unsafe { lasting(&layers) }.terrain());
        Ok(Self(Arc::new(Opened {
            world,
            bundle,
            _layers: Some(layers),
            _kept: Kept::Patched(self.clone(), patches),
        })))
    }

    fn new(bundle: Bundle<'static>, kept: Kept) -> Result<Self, OpenError> {
        Ok(Self(Arc::new(Opened {
            world: bundle.world()?,
            bundle,
            _layers: None,
            _kept: kept,
        })))
    }

    /// What it is of, with all that the runtime answers.
    pub fn world(&self) -> &World<'_> {
        &self.0.world
    }

    /// The bundle: its header and sections, without any patches.
    pub fn bundle(&self) -> Bundle<'_> {
        self.0.bundle
    }

    /// Whether both are clones of one bundle.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What it is of, for whoever keeps a clone of this beside all that borrows from it.
    pub(crate) fn lasting_world(&self) -> &World<'static> {
        &self.0.world
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Sample;
    use crate::query::world::Place;
    use std::path::Path;

    fn golden(name: &str) -> Vec<u8> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::read(root.join("../../tests/golden/v1").join(name)).unwrap()
    }

    fn open(name: &str) -> OwnedBundle {
        OwnedBundle::from_bytes(golden(name)).unwrap()
    }

    #[test]
    fn numbers_are_places_and_back() {
        for (name, places) in [("13x9-voids.vcb", 117), ("level.vcb", 10)] {
            let bundle = open(name);
            let world = bundle.world();
            assert_eq!(world.places(), places, "{name}");
            for number in 0..places {
                let place = world.place(number).unwrap();
                assert_eq!(world.number(place), Some(number), "{name}, {place:?}");
            }
            for number in [places, u64::from(u32::MAX), u64::MAX] {
                assert_eq!(world.place(number), None, "{name}");
            }
        }
        let (terrain, level) = (open("13x9-voids.vcb"), open("level.vcb"));
        let number = |column, row| {
            let place = Place::Sample(Sample::new(column, row));
            terrain.world().number(place)
        };
        assert_eq!(number(12, 0), Some(12));
        assert_eq!(number(0, 1), Some(13));
        assert_eq!(number(13, 0), None);
        assert_eq!(terrain.world().number(Place::Cell(0)), None);
        assert_eq!(level.world().number(Place::Cell(10)), None);
    }

    #[test]
    fn a_place_of_another_kind_of_world_is_visible() {
        let sample = Place::Sample(Sample::new(0, 0));
        for name in ["13x9-voids.vcb", "level.vcb"] {
            assert!(open(name).world().visible(sample, Place::Cell(3)), "{name}");
        }
    }

    #[test]
    fn whoever_can_be_somewhere_sees_themselves() {
        let mut voids = 0;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let Ok(bundle) = OwnedBundle::from_bytes(std::fs::read(&path).unwrap()) else {
                continue;
            };
            let world = bundle.world();
            for place in (0..world.places()).filter_map(|number| world.place(number)) {
                let can_be = world.can_be_at(place);
                assert_eq!(world.visible(place, place), can_be, "{path:?}, {place:?}");
                voids += u32::from(!can_be);
            }
        }
        assert!(voids > 39, "{voids} voids");
    }

    #[test]
    fn a_pvs_has_the_places_that_are_visible() {
        for name in ["13x9-voids.vcb", "40x9-pairs.vcb", "level.vcb", "solid.vcb"] {
            let bundle = open(name);
            let world = bundle.world();
            let places = || (0..world.places()).filter_map(|number| world.place(number));
            for from in places() {
                let seen = world.pvs(from, 0).unwrap();
                let mut found: Vec<Place> = seen.places().collect();
                found.sort_by_key(|place| world.number(*place));
                let visible = places().filter(|to| world.visible(from, *to));
                assert_eq!(found, visible.collect::<Vec<_>>(), "{name}, {from:?}");
                assert_eq!(seen.count(), found.len() as u64);
                let mut words = vec![0; world.words()];
                seen.expand(&mut words);
                let is_seen = |to: &Place| {
                    let (word, bit) = world.bit(*to).unwrap();
                    words[word] >> bit & 1 == 1
                };
                assert!(places().filter(is_seen).eq(found), "{name}, {from:?}");
            }
            assert!(world.pvs(Place::Cell(u32::MAX), 0).is_none());
            let place = world.place(0).unwrap();
            assert!(world.pvs(place, world.levels()).is_none(), "{name}");
        }
    }

    /// How many pairs see each other.
    fn seen(bundle: &OwnedBundle) -> usize {
        let world = bundle.world();
        let places = || (0..world.places()).filter_map(|number| world.place(number));
        let pairs = places().flat_map(|a| places().map(move |b| (a, b)));
        let seen = pairs.filter(|&(a, b)| world.visible(a, b)).count();
        assert!(seen > 360 && seen < 360 * 360);
        seen
    }

    #[test]
    fn many_threads_ask_one_bundle_and_clones_outlive_it() {
        let bundle = open("40x9-pairs.vcb");
        let expected = seen(&bundle);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let bundle = bundle.clone();
                scope.spawn(move || assert_eq!(seen(&bundle), expected));
            }
        });
        let clone = bundle.clone();
        assert!(clone.is_same(&bundle) && !clone.is_same(&open("40x9-pairs.vcb")));
        drop(bundle);
        assert_eq!(seen(&clone), expected);
    }

    #[test]
    fn a_bundle_of_any_kind_answers_from_memory_and_from_a_map() {
        let mut kinds = std::collections::BTreeSet::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let Ok(read) = OwnedBundle::from_bytes(std::fs::read(&path).unwrap()) else {
                continue;
            };
            kinds.insert(format!("{:?}", read.world().kind()));
            #[cfg(feature = "mmap")]
            {
                let map = OwnedBundle::open(&path).unwrap();
                assert_eq!(map.world().places(), read.world().places());
                assert_eq!(map.bundle().bytes(), read.bundle().bytes());
            }
        }
        assert!(kinds.len() >= 2, "{kinds:?}");
    }

    #[test]
    fn bytes_that_are_damaged_are_found_by_a_look_at_all() {
        let mut bytes = golden("40x9-pairs.vcb");
        assert!(open("40x9-pairs.vcb").bundle().check_sections().is_ok());
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        if let Ok(bundle) = OwnedBundle::from_bytes(bytes) {
            assert!(bundle.bundle().check_sections().is_err());
        }
    }
}
