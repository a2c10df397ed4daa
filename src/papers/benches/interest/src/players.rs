//! Players who walk on a terrain and are told of those who are near and may be seen.

use std::collections::BTreeSet;

use cpu_time::ProcessTime;
use viewcell::interest::{Awareness, Senses};
use viewcell::query::{MappedBundle, Place, Sample, World};

use crate::world::Dice;

/// So many players on a bundle of a terrain, 20 ticks a second, within so many metres. Every twentieth
/// tick is compared with what the bundle says of all pairs of which the first is one of 100 players.
pub fn walk(path: &str, players: usize, reach: f32, ticks: u32) {
    let map = MappedBundle::open(path).unwrap();
    let world = map.bundle().and_then(|bundle| bundle.world()).unwrap();
    let World::Terrain(terrain) = &world else {
        panic!("expected a terrain");
    };
    let (grid, [dx, dy]) = (terrain.grid(), terrain.parameters().cell_spacing);
    let wide = f64::from(grid.width() - 1) * dx;
    let high = f64::from(grid.height() - 1) * dy;
    let mut dice = Dice(5);
    let senses = Senses {
        reach,
        acuity: f32::INFINITY,
        radius: 1.0,
    };
    let mut awareness = Awareness::new(world);
    let mut at: Vec<[f64; 2]> = Vec::new();
    let mut step: Vec<[f64; 2]> = Vec::new();
    let place = |[x, y]: [f64; 2]| {
        let sample = Sample::new((x / dx).round() as u32, (y / dy).round() as u32);
        ([x as f32, y as f32, 0.0], Place::Sample(sample))
    };
    for number in 0..players {
        at.push([dice.fraction() * wide, dice.fraction() * high]);
        step.push([0.0; 2]);
        let (position, sample) = place(at[number]);
        let player = awareness.insert(position, sample, senses);
        assert_eq!(player, Ok(number as u32));
    }
    let mut told = BTreeSet::new();
    let (mut spent, mut changes, mut checked) = (Vec::new(), 0, 0);
    for tick in 0..ticks {
        for (at, step) in at.iter_mut().zip(&mut step) {
            // Up to 6 m a second, and another way every few seconds.
            if tick == 0 || dice.fraction() < 0.01 {
                *step = [(); 2].map(|()| (dice.fraction() - 0.5) * 0.6);
            }
            for ((at, step), most) in at.iter_mut().zip(step).zip([wide, high]) {
                *at = (*at + *step).clamp(0.0, most);
            }
        }
        let started = ProcessTime::now();
        for (player, &at) in (0..).zip(&at) {
            let (position, sample) = place(at);
            awareness.move_to(player, position, sample).unwrap();
        }
        let found = awareness.tick();
        if tick >= 40 {
            spent.push(started.elapsed().as_secs_f64() * 1e3);
            changes += found.began.len() + found.ceased.len();
        }
        told.extend(found.began.iter().copied());
        found
            .ceased
            .iter()
            .for_each(|pair| assert!(told.remove(pair)));
        if tick % 20 == 0 {
            let first = |pair: &&[u32; 2]| (pair[0] as usize) < 100;
            let told: Vec<[u32; 2]> = told.iter().filter(first).copied().collect();
            let mut expected = Vec::new();
            for a in 0..players.min(100) {
                let (here, from) = place(at[a]);
                for (b, &other) in at.iter().enumerate() {
                    let (there, to) = place(other);
                    let square = |i: usize| (f64::from(here[i]) - f64::from(there[i])).powi(2);
                    let near = square(0) + square(1) <= f64::from(reach).powi(2);
                    if a != b && near && world.visible(from, to) {
                        expected.push([a as u32, b as u32]);
                    }
                }
            }
            assert_eq!(told, expected, "tick {tick}");
            checked += expected.len();
        }
    }
    spent.sort_by(f64::total_cmp);
    let mean = spent.iter().sum::<f64>() / spent.len() as f64;
    println!(
        "{players} players on {:.1} by {:.1} km: mean {mean:.3} ms a tick, median {:.3}, worst {:.3}; \
         {} pairs, {:.0} changes a tick; {checked} pairs compared with the bundle",
        wide / 1e3,
        high / 1e3,
        spent[spent.len() / 2],
        spent[spent.len() - 1],
        awareness.count(),
        f64::from(changes as u32) / spent.len() as f64,
    );
}
