//! `viewcell::frontier`: a set, a session, and what it refuses.

use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions, Side};
use viewcell::query::{OwnedBundle, Place, Sample, World};
use viewcell::session::{Session, SessionOptions};
use viewcell_outside::{Outcome, wall};

fn main() -> Outcome {
    let bundle = OwnedBundle::open(wall("frontier.vcb")?)?;
    let World::Terrain(terrain) = bundle.world() else {
        return Err("expected a terrain".into());
    };
    let (alice, bob) = (Sample::new(2, 8), Sample::new(21, 8));
    let mut options = FrontierOptions::default();
    options.limit = Some(16);
    let mut builder = FrontierBuilder::new(terrain);
    builder.build(alice, bob, &options)?;
    assert!(builder.region(Side::A).contains(alice) && builder.region(Side::B).contains(bob));

    let mut options = SessionOptions::default();
    options.peers = true;
    let mut session = Session::new(bundle.world(), 2, options);
    session.tick();
    let [alice, bob] = [alice, bob].map(Place::Sample);
    session.move_to(0, Some(Some(alice)), |_| ())?;
    session.move_to(1, Some(Some(bob)), |_| ())?;
    assert_eq!(session.age(0, 1), Some(0));
    assert!(session.half(0, 1).is_some_and(|half| half.contains(alice)));
    let error = session.move_to(7, Some(Some(alice)), |_| ()).unwrap_err();
    assert_eq!(
        error,
        FrontierError::NoPlayer {
            player: 7,
            players: 2
        }
    );
    let outside = Sample::new(99, 0);
    let place = Some(Some(Place::Sample(outside)));
    let error = session.move_to(0, place, |_| ()).unwrap_err();
    assert_eq!(error, FrontierError::Outside(outside));
    assert_eq!(session.place(0), Some(Some(alice)));
    Ok(())
}
