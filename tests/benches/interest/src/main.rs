//! The production matcher beside trees of other libraries that are built anew in each tick.

mod others;
mod world;

use cpu_time::ProcessTime;
use others::{Changes, Matcher};
use viewcell::runtime::interest::{Interest, Kind, Region};
use world::World;

/// The runtime's.
struct Ours {
    interest: Interest,
    regions: Vec<[Region; 2]>,
}

impl Matcher for Ours {
    fn tick(&mut self, boxes: &[([f32; 3], [f32; 3])]) -> Changes {
        use viewcell::runtime::interest::Bounds;
        let bounds = |&(min, max): &([f32; 3], [f32; 3])| Bounds::new(min, max).unwrap();
        if self.regions.is_empty() {
            let kinds = [Kind::Update, Kind::Subscription];
            for place in boxes {
                let place = bounds(place);
                let regions = kinds.map(|kind| self.interest.insert(kind, place).unwrap());
                self.regions.push(regions);
            }
        }
        for (regions, place) in self.regions.iter().zip(boxes) {
            let place = bounds(place);
            for &region in regions {
                self.interest.move_to(region, place).unwrap();
            }
        }
        let changes = self.interest.tick();
        let count = |pairs: &[_]| pairs.len() as u64;
        (count(changes.began), count(changes.ceased))
    }
}

/// The mean and the median of a tick in milliseconds of processor, and how many changes there were.
fn measure(matcher: &mut dyn Matcher, mut world: World, ticks: u32) -> ([f64; 2], Changes) {
    // Until the matcher is warm.
    for _ in 0..40 {
        matcher.tick(&world.boxes());
        world.step();
    }
    let mut sum = (0, 0);
    let mut spent = Vec::new();
    for _ in 0..ticks {
        let boxes = world.boxes();
        let started = ProcessTime::now();
        let (began, ceased) = matcher.tick(&boxes);
        spent.push(started.elapsed().as_secs_f64() * 1e3);
        sum = (sum.0 + began, sum.1 + ceased);
        world.step();
    }
    spent.sort_by(f64::total_cmp);
    let mean = spent.iter().sum::<f64>() / f64::from(ticks);
    ([mean, spent[spent.len() / 2]], sum)
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: f64| given.get(at).map_or(or, |n| n.parse().unwrap());
    let only_ours = given.get(3).is_some_and(|which| which == "ours");
    let ticks = number(0, 30.0) as u32;
    let (speed, density) = (number(1, 0.5), number(2, 0.001));
    println!(
        "entities world    ms a tick, changes a tick: ours / parry3d rebuilt / parry3d refitted / rstar rebuilt"
    );
    let sizes: Vec<usize> = std::env::var("SIZES").map_or(vec![1_000, 10_000, 100_000], |s| {
        s.split(',').map(|n| n.parse().unwrap()).collect()
    });
    for entities in sizes {
        for skewed in [false, true] {
            if std::env::var("WORLD").is_ok_and(|w| (w == "skewed") != skewed) {
                continue;
            }
            let world = World::new(entities, density, speed, skewed);
            let mut ours = Ours {
                interest: Interest::new(),
                regions: Vec::new(),
            };
            let ticks = if entities < 100_000 {
                ticks * 10
            } else {
                ticks
            };
            let ([mean, median], changes) = measure(&mut ours, world.clone(), ticks);
            let name = if skewed { "skewed" } else { "even" };
            print!(
                "{entities:7} {name:8} {mean:8.3} {median:8.3} {:9.1}",
                (changes.0 + changes.1) as f64 / f64::from(ticks)
            );
            if !only_ours {
                for mut other in others::all() {
                    let ([mean, median], theirs) =
                        measure(other.as_mut(), world.clone(), ticks.min(20));
                    let _ = theirs;
                    print!("  {mean:8.3} {median:8.3}");
                }
            }
            println!();
        }
    }
}
