//! The hunter: random lines of sight between random positions in cells that are said to be
//! hidden from each other, on all surfaces that an engine may draw, near the boundary by choice.
//! One that is not blocked is a false *hidden*.
//!
//! `VIEWCELL_HUNT` sets the number of lines of sight a terrain.

use super::{BODIES, Dice, Viewsheds, levels, real};
use viewcell::ingest::IngestOptions;
use viewcell::visibility::{BLOCK, Field, Rays, Stance, Surface, obstruction};
use viewcell::world::Terrain;

/// Lines of sight from each block of viewpoints.
const EACH: u64 = 20_000;

fn hunt(name: &str, terrain: &Terrain) {
    let wanted = std::env::var("VIEWCELL_HUNT")
        .ok()
        .map_or(60_000, |n| n.parse().expect("VIEWCELL_HUNT: a number"));
    let (width, height) = (terrain.width(), terrain.height());
    let field = Field::new(terrain, BODIES, Stance::Cell);
    let mut rays = Rays::new(terrain, &field, *levels().last().unwrap());
    let mut dice = Dice(wanted);
    let (mut shot, mut closest) = (0u64, f64::INFINITY);
    while shot < wanted {
        let (column, row) = (dice.roll(width), dice.roll(height));
        let viewsheds = Viewsheds::new(&mut rays, width, column, row);
        let mut tries = 0;
        let before = shot;
        while shot < before + EACH && tries < 20 * EACH {
            tries += 1;
            let from = (
                (column - column % BLOCK + dice.roll(BLOCK)).min(width - 1),
                (row - row % BLOCK + dice.roll(BLOCK)).min(height - 1),
            );
            let to = (dice.roll(width), dice.roll(height));
            if viewsheds.sees(from, to) {
                continue;
            }
            // Near the boundary: a neighbour is visible. One in eight may be anywhere.
            let neighbour = |dc: i64, dr: i64| {
                let at = |at: u32, by: i64, side: u32| {
                    (i64::from(at) + by).clamp(0, i64::from(side) - 1) as u32
                };
                viewsheds.sees(from, (at(to.0, dc, width), at(to.1, dr, height)))
            };
            let near = [(1, 0), (-1, 0), (0, 1), (0, -1)]
                .iter()
                .any(|&(dc, dr)| neighbour(dc, dr));
            if !near && dice.roll(8) > 0 {
                continue;
            }
            // Corners and edges of cells are where sight slips through.
            let mut place = |sample: u32| {
                let within = match dice.roll(4) {
                    0 => -0.5,
                    1 => 0.5,
                    _ => dice.fraction() - 0.5,
                };
                f64::from(sample) + within
            };
            let a = (place(from.0), place(from.1));
            let b = (place(to.0), place(to.1));
            let surface = Surface::ALL[dice.roll(3) as usize];
            if let Some(rises) = obstruction(terrain, BODIES, surface, a, b) {
                shot += 1;
                closest = closest.min(rises);
                assert!(
                    rises > 0.0,
                    "{name}: {a:?} sees {b:?} on {surface:?}, but {to:?} is hidden from {from:?}"
                );
            }
        }
        if shot == before {
            // A block from which nothing is hidden.
            shot += 1;
        }
    }
    println!("{name}: {shot} lines of sight, all blocked, the least by {closest:.6} m");
}

#[test]
fn no_line_of_sight_slips_through_made_up_ground() {
    for kind in 0..4 {
        let mut dice = Dice(kind);
        let heights = (0..70 * 50)
            .map(|i| match kind {
                0 => 40.0 * dice.fraction(),
                1 => f64::from(dice.roll(3)) * 2.0,
                2 => 10.0 * (f64::from(i % 70) / 7.0).sin() + dice.fraction(),
                _ => {
                    if dice.roll(6) == 0 {
                        20.0
                    } else {
                        0.0
                    }
                }
            })
            .collect();
        let terrain = Terrain::new(70, 50, heights, [1.0, 1.0]).unwrap();
        hunt(&format!("made up {kind}"), &terrain);
    }
}

#[test]
fn no_line_of_sight_slips_through_real_ground() {
    let scaled = IngestOptions {
        vertical_scale: 0.1,
        ..IngestOptions::default()
    };
    let whole = IngestOptions::default();
    for (name, options) in [
        ("jacksboro_fault_dem.tif", &whole),
        ("Gale_HRSC_DEM_50m_300x285.bin", &scaled),
        ("bilbao_dsm_500.tif", &whole),
        ("goteborg_cdsm_1m.asc", &whole),
    ] {
        if let Some(terrain) = real(name, options) {
            hunt(name, &terrain);
        }
    }
}
