//! Sessions in a bundle of any kind, which they keep.

use super::cells::{CellHalf, CellSets};
use super::world::{SessionOptions, SessionWorld};
use crate::format::SolidParameters;
use crate::frontier::{Frontier, FrontierBuilder, FrontierError};
use crate::query::{CellBundle, Extent, OwnedBundle, Place, SolidBundle, TerrainBundle, World};

/// One player's half of a frontier set in a bundle of any kind. It can be encoded, and sent to the player.
#[derive(Clone, Debug)]
pub enum Half {
    /// Samples of a terrain.
    Terrain(Frontier),
    /// Cells of a level.
    Cells(CellHalf),
    /// Cells of a solid level: cell n is the sample whose Morton number is n.
    Solid(Frontier),
}

impl Half {
    /// Whether a place is in it; one of a bundle of the other kind is not.
    pub fn contains(&self, place: Place) -> bool {
        match (self, place) {
            (Self::Terrain(half), Place::Sample(sample)) => half.contains(sample),
            (Self::Cells(half), Place::Cell(cell)) => half.contains(cell),
            (Self::Solid(half), Place::Cell(cell)) => half.contains(SolidParameters::sample(cell)),
            _ => false,
        }
    }

    /// Number of samples or cells in it.
    pub fn area(&self) -> u64 {
        match self {
            Self::Terrain(half) | Self::Solid(half) => half.area(),
            Self::Cells(half) => half.area(),
        }
    }

    /// Its compact serialised form, for [`Half::decode`]: that of [`Region::encode`], of a level of cells a bitmap.
    ///
    /// [`Region::encode`]: crate::frontier::Region::encode
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Terrain(half) | Self::Solid(half) => half.region().encode(),
            Self::Cells(half) => half.encode(),
        }
    }

    /// The half that [`Half::encode`] wrote, in the same world. That it sees nothing of another half is for the sender to
    /// know. `None` where the bytes are none of this world.
    pub fn decode(world: &World<'_>, bytes: &[u8]) -> Option<Self> {
        match world {
            World::Terrain(terrain) => {
                let half = Frontier::decode(terrain.grid(), bytes);
                half.ok().map(Self::Terrain)
            }
            World::Cells(level) => CellHalf::decode(level.cells(), bytes).map(Self::Cells),
            World::Solid(level) => {
                let half = Frontier::decode(level.sights().grid(), bytes);
                half.ok().map(Self::Solid)
            }
        }
    }
}

/// What makes frontier sets in a bundle of any kind.
#[derive(Debug)]
pub struct OwnedSets {
    sets: Sets,
    /// What the sets borrow from.
    _bundle: OwnedBundle,
}

#[allow(clippy::large_enum_variant, reason = "one a session")]
#[derive(Debug)]
enum Sets {
    Terrain(FrontierBuilder<'static>),
    Cells(CellSets<'static>),
    Solid(FrontierBuilder<'static>),
}

impl SessionWorld for OwnedBundle {
    /// `None`: somewhere, at no place of the bundle. Who is there sees all and is seen by all.
    type Place = Option<Place>;
    type Half = Half;
    type Builder = OwnedSets;

    fn patience(&self) -> u32 {
        match self.world() {
            World::Terrain(terrain) => terrain.patience(),
            World::Cells(level) => level.patience(),
            World::Solid(level) => level.patience(),
        }
    }

    fn builder(&self) -> OwnedSets {
        OwnedSets {
            sets: match self.lasting_world() {
                World::Terrain(terrain) => Sets::Terrain(terrain.builder()),
                World::Cells(level) => Sets::Cells(level.builder()),
                World::Solid(level) => Sets::Solid(level.builder()),
            },
            _bundle: self.clone(),
        }
    }

    fn check(&self, place: Option<Place>) -> Result<(), FrontierError> {
        match (self.world(), place) {
            (_, None) => Ok(()),
            (World::Terrain(terrain), Some(Place::Sample(sample))) => terrain.check(sample),
            (World::Cells(level), Some(Place::Cell(cell))) => level.check(cell),
            (World::Solid(level), Some(Place::Cell(cell))) => level.check(Some(cell)),
            _ => Err(FrontierError::OtherKind),
        }
    }

    fn is_mutual(&self) -> bool {
        self.world().is_mutual()
    }

    fn visible(&self, from: Option<Place>, to: Option<Place>) -> bool {
        from.zip(to)
            .is_none_or(|(from, to)| self.world().visible(from, to))
    }

    fn extent(&self, place: Option<Place>) -> Extent {
        place.map_or(Extent::everywhere(), |place| self.world().extent(place))
    }

    fn sees(&self, from: &Extent, to: &Extent) -> bool {
        self.world().sees_region(from, to)
    }

    fn contains(half: &Half, place: Option<Place>) -> bool {
        place.is_some_and(|place| half.contains(place))
    }

    fn contains_all(&self, half: &Half, region: &Extent) -> bool {
        match (self.world(), half) {
            (World::Terrain(terrain), Half::Terrain(half)) => terrain.contains_all(half, region),
            (World::Cells(level), Half::Cells(half)) => level.contains_all(half, region),
            (World::Solid(level), Half::Solid(half)) => level.contains_all(half, region),
            _ => false,
        }
    }

    fn begin(
        sets: &mut OwnedSets,
        here: Option<Place>,
        there: Option<Place>,
        options: &SessionOptions,
    ) {
        match (&mut sets.sets, here, there) {
            (Sets::Terrain(sets), Some(Place::Sample(a)), Some(Place::Sample(b))) => {
                TerrainBundle::begin(sets, a, b, options);
            }
            (Sets::Cells(sets), Some(Place::Cell(a)), Some(Place::Cell(b))) => {
                CellBundle::begin(sets, a, b, options);
            }
            (Sets::Solid(sets), Some(Place::Cell(a)), Some(Place::Cell(b))) => {
                SolidBundle::begin(sets, Some(a), Some(b), options);
            }
            // Who is at no place sees all, and has no set.
            _ => {}
        }
    }

    fn join(sets: &mut OwnedSets, place: Option<Place>) -> bool {
        match (&mut sets.sets, place) {
            (Sets::Terrain(sets), Some(Place::Sample(sample))) => TerrainBundle::join(sets, sample),
            (Sets::Cells(sets), Some(Place::Cell(cell))) => CellBundle::join(sets, cell),
            (Sets::Solid(sets), Some(Place::Cell(cell))) => SolidBundle::join(sets, Some(cell)),
            _ => false,
        }
    }

    fn finish(sets: &mut OwnedSets, options: &SessionOptions) -> [Half; 2] {
        match &mut sets.sets {
            Sets::Terrain(sets) => TerrainBundle::finish(sets, options).map(Half::Terrain),
            Sets::Cells(sets) => CellBundle::finish(sets, options).map(Half::Cells),
            Sets::Solid(sets) => SolidBundle::finish(sets, options).map(Half::Solid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use std::path::Path;

    fn open(name: &str) -> OwnedBundle {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1");
        OwnedBundle::from_bytes(std::fs::read(golden.join(name)).unwrap()).unwrap()
    }

    /// Moves players in a session on a bundle of any kind and in one on a world of its own kind.
    fn same<W: SessionWorld + Clone>(
        bundle: &OwnedBundle,
        world: &W,
        of: impl Fn(Place) -> W::Place,
    ) {
        let options = SessionOptions {
            peers: true,
            ..SessionOptions::default()
        };
        let mut session = Session::new(bundle, 5, options);
        let mut typed = Session::new(world, 5, options);
        let mut seed = 7_u64;
        let mut dice = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % sides
        };
        for turn in 0..600 {
            let player = turn % 5;
            session.tick();
            typed.tick();
            let place = match dice(20) {
                0 => None,
                _ => bundle.world().place(dice(bundle.world().places())),
            };
            let reach = Extent::ball([0.0, 0.0, 20.0], dice(40) as f64);
            let (mut told, mut expected) = (Vec::new(), Vec::new());
            let tell = |notice| told.push(notice);
            let is_told = match place.filter(|_| turn % 3 == 0) {
                Some(place) => session.move_within(player, Some(place), reach, tell),
                None => session.move_to(player, place.map(Some), tell),
            };
            let tell = |notice| expected.push(notice);
            let is_expected = match place.filter(|_| turn % 3 == 0) {
                Some(place) => typed.move_within(player, of(place), reach, tell),
                None => typed.move_to(player, place.map(&of), tell),
            };
            assert_eq!((is_told, told), (is_expected, expected));
            for other in 0..5 {
                assert_eq!(session.age(player, other), typed.age(player, other));
                let (half, typed) = (session.half(player, other), typed.half(player, other));
                assert_eq!(half.is_some(), typed.is_some());
                for place in (0..bundle.world().places()).filter_map(|n| bundle.world().place(n)) {
                    let is_in = half.is_some_and(|half| half.contains(place));
                    assert_eq!(
                        is_in,
                        typed.is_some_and(|half| W::contains(half, of(place)))
                    );
                }
            }
        }
        assert!(session.sets() > 20 && session.sets() == typed.sets());
    }

    #[test]
    fn a_session_on_a_bundle_of_any_kind_tells_what_one_on_its_own_kind_tells() {
        for name in ["13x9-voids.vcb", "40x9-pairs.vcb", "level.vcb", "solid.vcb"] {
            let bundle = open(name);
            match bundle.world() {
                World::Terrain(terrain) => same(&bundle, terrain, |place| match place {
                    Place::Sample(sample) => sample,
                    Place::Cell(_) => unreachable!("a cell on a terrain"),
                }),
                World::Cells(level) => same(&bundle, level, cell),
                World::Solid(level) => same(&bundle, level, |place| Some(cell(place))),
            }
        }
    }

    fn cell(place: Place) -> u32 {
        match place {
            Place::Cell(cell) => cell,
            Place::Sample(_) => unreachable!("a sample in a level"),
        }
    }

    #[test]
    fn whoever_is_at_no_place_of_a_bundle_sees_all_and_outlives_it() {
        for (name, other) in [
            ("40x9-pairs.vcb", Place::Cell(0)),
            ("level.vcb", Place::Sample(crate::format::Sample::new(0, 0))),
            ("solid.vcb", Place::Sample(crate::format::Sample::new(0, 0))),
        ] {
            let bundle = open(name);
            let mut session = Session::new(&bundle, 3, SessionOptions::default());
            let place = bundle.world().place(0);
            drop(bundle);
            session.move_to(0, Some(place), |_| ()).unwrap();
            for again in [2, 2] {
                let mut told = 0;
                session.move_to(1, Some(None), |_| told += 1).unwrap();
                assert_eq!(told, again, "{name}");
                assert_eq!((session.sets(), session.age(0, 1)), (0, None));
            }
            let refused = session.move_to(1, Some(Some(other)), |_| ());
            assert_eq!(refused, Err(FrontierError::OtherKind), "{name}");
            assert_eq!(session.place(1), Some(None));
        }
    }
}
