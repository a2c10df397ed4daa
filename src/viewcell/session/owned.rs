//! Sessions in a bundle of any kind, which they keep.

use super::sets::{self, Half, Sets};
use super::world::{PATIENCE, SessionOptions, SessionWorld};
use crate::frontier::{FrontierError, Side};
use crate::query::{Extent, OwnedBundle, Place};

/// What makes frontier sets in a bundle of any kind, which it keeps.
#[derive(Debug)]
pub struct OwnedSets {
    pub(crate) sets: Sets<'static>,
    /// What the sets borrow from.
    _bundle: OwnedBundle,
}

impl OwnedSets {
    /// For sets in a bundle. Allocates.
    pub(crate) fn new(bundle: &OwnedBundle) -> Self {
        Self {
            sets: Sets::new(bundle.lasting_world()),
            _bundle: bundle.clone(),
        }
    }
}

impl SessionWorld for OwnedBundle {
    /// `None`: somewhere, at no place of the bundle. Who is there sees all and is seen by all.
    type Place = Option<Place>;
    type Half = Half;
    type Builder = OwnedSets;

    fn patience(&self) -> u32 {
        let level = self.world().cells();
        level.map_or(PATIENCE, SessionWorld::patience)
    }

    fn builder(&self) -> OwnedSets {
        OwnedSets::new(self)
    }

    fn check(&self, place: Option<Place>) -> Result<(), FrontierError> {
        place.map_or(Ok(()), |place| sets::check(self.world(), place))
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
        let world = self.world();
        match half {
            Half::Terrain(half) => {
                (world.terrain()).is_some_and(|of| of.contains_all(half, region))
            }
            Half::Cells(half) => (world.cells()).is_some_and(|of| of.contains_all(half, region)),
            Half::Solid(half) => (world.solid()).is_some_and(|of| of.contains_all(half, region)),
        }
    }

    fn begin(
        sets: &mut OwnedSets,
        here: Option<Place>,
        there: Option<Place>,
        options: &SessionOptions,
    ) {
        // Who is at no place sees all, and has no set; places are checked when they are told.
        if let Some((here, there)) = here.zip(there) {
            let _ = sets.sets.begin(here, there, &options.frontier);
        }
    }

    fn join(sets: &mut OwnedSets, place: Option<Place>) -> bool {
        place.is_some_and(|place| sets.sets.join(place))
    }

    fn finish(sets: &mut OwnedSets, options: &SessionOptions) -> [Half; 2] {
        while !sets.sets.step(u32::MAX) {}
        Side::BOTH.map(|side| sets.sets.half(side, options.margin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::World;
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
                if let Some(half) = half {
                    assert_eq!(half.places().count() as u64, half.area());
                    assert!(half.places().all(|place| half.contains(place)));
                }
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
