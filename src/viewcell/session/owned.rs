//! Sessions in a bundle of any kind, which they keep.

use super::sets::Sets;
use super::world::SessionWorld;
use crate::query::{OwnedBundle, World};

impl SessionWorld for OwnedBundle {
    type Sets = Sets<'static>;

    fn world(&self) -> &World<'_> {
        self.world()
    }

    fn sets(&self) -> Sets<'static> {
        Sets::of_bundle(self)
    }

    fn with_sets<R>(sets: &mut Sets<'static>, work: impl FnOnce(&mut Sets<'_>) -> R) -> R {
        work(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::FrontierError;
    use crate::query::{Extent, Place};
    use crate::session::{Half, Session, SessionOptions};
    use std::path::Path;

    fn open(name: &str) -> OwnedBundle {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1");
        OwnedBundle::from_bytes(std::fs::read(golden.join(name)).unwrap()).unwrap()
    }

    /// Moves players in a session on a bundle and in one on its world.
    fn same(bundle: &OwnedBundle) {
        let options = SessionOptions {
            peers: true,
            ..SessionOptions::default()
        };
        let mut session = Session::new(bundle, 5, options);
        let mut borrowed = Session::new(bundle.world(), 5, options);
        let mut seed = 7_u64;
        let mut dice = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % sides
        };
        for turn in 0..600 {
            let player = turn % 5;
            session.tick();
            borrowed.tick();
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
                Some(place) => borrowed.move_within(player, Some(place), reach, tell),
                None => borrowed.move_to(player, place.map(Some), tell),
            };
            assert_eq!((is_told, told), (is_expected, expected));
            for other in 0..5 {
                assert_eq!(session.age(player, other), borrowed.age(player, other));
                let (half, twin) = (session.half(player, other), borrowed.half(player, other));
                assert_eq!(half.is_some(), twin.is_some());
                if let Some(half) = half {
                    assert_eq!(half.places().count() as u64, half.area());
                    assert!(half.places().all(|place| half.contains(place)));
                }
                for place in (0..bundle.world().places()).filter_map(|n| bundle.world().place(n)) {
                    let is_in = |half: Option<&Half>| half.is_some_and(|half| half.contains(place));
                    assert_eq!(is_in(half), is_in(twin));
                }
            }
        }
        assert!(session.sets() > 20 && session.sets() == borrowed.sets());
    }

    #[test]
    fn a_session_on_a_bundle_tells_what_one_on_its_world_tells() {
        for name in ["13x9-voids.vcb", "40x9-pairs.vcb", "level.vcb", "solid.vcb"] {
            same(&open(name));
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
