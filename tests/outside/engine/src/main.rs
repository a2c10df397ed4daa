//! Opens the bundle of the first argument, whatever its kind, and asks who sees whom, with `viewcell` alone.

use std::error::Error;

use viewcell::query::OwnedBundle;
use viewcell::session::{Session, SessionOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected a bundle")?;
    let bundle = OwnedBundle::open(&std::path::PathBuf::from(path))?;
    let world = bundle.world();
    let mut places = (0..world.places()).filter_map(|number| world.place(number));
    // But for voids, whoever is somewhere sees themselves.
    assert!(places.any(|place| world.visible(place, place)));
    let mut session = Session::new(world, 2, SessionOptions::default());
    session.tick();
    Ok(())
}
