//! `viewcell::live`: ground that changes while players are on it.

use viewcell::query::{Place, Sample};
use viewcell::session::SessionOptions;
use viewcell_bake::RebakeOptions;
use viewcell_bake::live::{LiveSession, Rebaker};
use viewcell_ingest::ground::{Shape, TopEffect};
use viewcell_outside::{Outcome, wall};

fn main() -> Outcome {
    let rebaker = Rebaker::open(&wall("live.vcb")?, &[], &RebakeOptions::default())?;
    let (west, east) = (Sample::new(2, 8), Sample::new(21, 8));
    let mut session: LiveSession = rebaker.session(2, SessionOptions::default());
    session.move_to(0, Some(Some(Place::Sample(west))), |_| ())?;
    session.move_to(1, Some(Some(Place::Sample(east))), |_| ())?;
    assert!(!rebaker.now().terrain().visible(west, east) && session.age(0, 1).is_some());
    // A breach in the wall, from the first sample on 120 m east and 80 m south.
    let breach = Shape::Cuboid {
        from: [110.0, 50.0, 0.0],
        to: [130.0, 110.0, 30.0],
    };
    let stamped = rebaker.stamp(&breach, TopEffect::Dig)?;
    assert!(stamped.changed > 0);
    let mut told = Vec::new();
    session.follow(|notice| told.push((notice.to, notice.about)));
    assert!(rebaker.now().terrain().visible(west, east));
    assert!(told.contains(&(0, 1)) && told.contains(&(1, 0)), "{told:?}");
    rebaker.settle();
    assert!(rebaker.take_error().is_none());
    assert!(rebaker.now().terrain().visible(west, east));
    Ok(())
}
