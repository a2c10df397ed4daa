//! `viewcell::query`: a bundle that is kept, of whichever kind, and what is no bundle.

use std::error::Error;

use viewcell::query::{
    Answer, FormatError, MappedBundle, OpenError, OwnedBundle, Place, Sample, World,
};
use viewcell_outside::{Outcome, wall};

/// What a server keeps: it owns the bundle, and can be moved into a thread.
struct Server {
    bundle: OwnedBundle,
}

impl Server {
    fn sees(&self, from: [f64; 3], to: [f64; 3]) -> Option<bool> {
        let world = self.bundle.world();
        Some(world.visible(world.locate(from)?, world.locate(to)?))
    }
}

fn main() -> Outcome {
    let path = wall("query.vcb")?;
    let server = Server {
        bundle: OwnedBundle::open(&path)?,
    };
    let (west, east) = ([20.0, 80.0, 0.0], [210.0, 80.0, 0.0]);
    let asked = std::thread::spawn(move || (server.sees(west, east), server));
    let (seen, server) = asked.join().map_err(|_| "a thread panicked")?;
    assert_eq!(seen, Some(false));
    assert_eq!(server.sees(west, [120.0, 80.0, 0.0]), Some(true));
    assert_eq!(server.sees(west, [-999.0, 0.0, 0.0]), None);

    let read = OwnedBundle::from_bytes(std::fs::read(&path)?)?;
    read.bundle().check_sections()?;
    let place = read.world().place(25).ok_or("no place")?;
    assert_eq!(place, Place::Sample(Sample::new(1, 1)));
    let World::Terrain(terrain) = read.world() else {
        return Err("expected a terrain".into());
    };
    let quad = Sample::new(0, 0).quad();
    let pvs = terrain.pvs(quad).ok_or("damaged")?;
    assert!(pvs.contains(Sample::new(3, 3)) && !pvs.contains(Sample::new(20, 3)));
    assert_ne!(terrain.visible_quads(quad, quad), Answer::Hidden);

    let map = MappedBundle::open(&path)?;
    let error = map.bundle()?.cells().unwrap_err();
    assert!(matches!(
        error,
        OpenError::Format {
            error: FormatError::OtherKind { .. },
            ..
        }
    ));
    let error = OwnedBundle::from_bytes(vec![0; 9]).unwrap_err();
    assert!(
        error
            .source()
            .is_some_and(|cause| cause.is::<FormatError>())
    );
    let error = OwnedBundle::open(path.with_extension("gone")).unwrap_err();
    assert!(
        error
            .source()
            .is_some_and(|cause| cause.is::<std::io::Error>())
    );
    Ok(())
}
