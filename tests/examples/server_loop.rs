//! The loop of a game server: players walk, and nobody is told of whom they cannot see.
//!
//! ```sh
//! viewcell bake terrain assets/jacksboro.tif --crop 0,0,120,120 -o corner.vcb
//! cargo run --release --example server_loop -- corner.vcb
//! ```

use std::error::Error;
use std::path::PathBuf;

use viewcell::query::{MappedBundle, Place, Sample, World};
use viewcell::session::{News, Session, SessionOptions};

/// Players, and ticks of the server.
const PLAYERS: usize = 16;
const TICKS: usize = 600;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("expected a bundle of terrain, such as corner.vcb".into());
    };
    let map = MappedBundle::open(&path)?;
    let terrain = map.terrain()?;
    let grid = terrain.grid();
    let mut session = Session::new(&World::Terrain(terrain), PLAYERS, SessionOptions::default());

    // Where each player is going: a random walk that a number generator drives.
    let mut seed = 7_u64;
    let mut roll = |sides: u32| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((seed >> 33) % u64::from(sides)) as u32
    };
    let mut places: Vec<Sample> = (0..PLAYERS)
        .map(|_| Sample::new(roll(grid.width()), roll(grid.height())))
        .collect();

    let (mut sent, mut moves) = (0, 0);
    for _ in 0..TICKS {
        session.tick();
        for (player, place) in places.iter_mut().enumerate() {
            let step = |at: u32, by: u32, side: u32| (at + by).saturating_sub(1).min(side - 1);
            let next = Sample::new(
                step(place.column, roll(3), grid.width()),
                step(place.row, roll(3), grid.height()),
            );
            // Where nobody can stand, such as in a void, the move is refused.
            let moved = session.move_to(player, Some(Some(Place::Sample(next))), |notice| {
                // Here a server writes a packet to player `notice.to` about `notice.about`.
                if notice.what == News::Position {
                    sent += 1;
                }
            });
            if moved.is_ok() {
                *place = next;
                moves += 1;
            }
        }
    }
    let all = moves * 2 * (PLAYERS - 1);
    println!("{sent} notices, where telling everybody of everything would take {all}");
    println!("{} frontier sets kept the others silent", session.sets());
    Ok(())
}
