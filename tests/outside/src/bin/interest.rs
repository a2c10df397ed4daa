//! `viewcell::interest`: who comes to be near whom.

use viewcell::interest::{Bounds, Interest, InterestError, Kind};
use viewcell_outside::Outcome;

fn main() -> Outcome {
    let mut interest = Interest::new();
    let monster = interest.insert(Kind::Update, Bounds::around([0.0; 3], [1.0; 3])?)?;
    let player = interest.insert(
        Kind::Subscription,
        Bounds::around([9.0, 0.0, 0.0], [5.0; 3])?,
    )?;
    assert!(interest.tick().began.is_empty());
    interest.move_to(player, Bounds::around([4.0, 0.0, 0.0], [5.0; 3])?)?;
    assert_eq!(interest.tick().began.len(), 1);
    interest.remove(monster)?;
    assert_eq!(interest.tick().ceased.len(), 1);
    let error: InterestError = interest.remove(monster).unwrap_err();
    assert!(!error.to_string().is_empty());
    Ok(())
}
