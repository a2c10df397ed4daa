//! The production matcher beside trees of other libraries that are built anew in each tick.

mod others;
mod players;
mod world;

use cpu_time::ProcessTime;
use others::{Changes, Matcher};
use viewcell_papers::interest::matching::{Interest, Kind, Region};
use world::World;

/// The runtime's.
struct Ours {
    interest: Interest,
    regions: Vec<[Region; 2]>,
    /// Whether time is looked at between the ticks, too.
    sweeps: bool,
}

impl Matcher for Ours {
    fn tick(&mut self, boxes: &[([f32; 3], [f32; 3])]) -> Changes {
        use viewcell::interest::Bounds;
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
        if self.sweeps {
            let events = self.interest.sweep();
            return (events.began.len() as u64, events.ceased.len() as u64);
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

/// `cargo run --release -- players BUNDLE [PLAYERS [METRES [TICKS]]]`, or
/// `cargo run --release -- [TICKS [SPEED [DENSITY [ENTITIES,ENTITIES,... [even|skewed [ours|sweeps]]]]]]`
fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: f64| given.get(at).map_or(or, |n| n.parse().unwrap());
    if given.first().is_some_and(|first| first == "players") {
        let (players, reach, ticks) = (number(2, 10_000.0), number(3, 300.0), number(4, 200.0));
        players::walk(&given[1], players as usize, reach as f32, ticks as u32);
        return;
    }
    let (ticks, speed, density) = (number(0, 30.0) as u32, number(1, 0.5), number(2, 0.001));
    let sizes = given.get(3).map_or("1000,10000,100000", String::as_str);
    let worlds = match given.get(4).map(String::as_str) {
        Some("even") => &[false][..],
        Some("skewed") => &[true],
        _ => &[false, true],
    };
    println!("entities world  matcher           mean ms  median ms  changes a tick");
    for entities in sizes.split(',').map(|n| n.parse().unwrap()) {
        for &skewed in worlds {
            let world = World::new(entities, density, speed, skewed);
            let ours = Ours {
                interest: Interest::new(),
                regions: Vec::new(),
                sweeps: given.get(5).is_some_and(|which| which == "sweeps"),
            };
            let mut matchers: Vec<(&str, Box<dyn Matcher>)> = vec![("ours", Box::new(ours))];
            if given.get(5).is_none() {
                matchers.extend(others::all());
            }
            let mut expected = None;
            for (name, mut matcher) in matchers {
                let ([mean, median], changes) = measure(matcher.as_mut(), world.clone(), ticks);
                assert_eq!(*expected.get_or_insert(changes), changes, "{name}");
                let each = (changes.0 + changes.1) as f64 / f64::from(ticks);
                let which = if skewed { "skewed" } else { "even" };
                println!("{entities:8} {which:6} {name:17} {mean:7.3} {median:9.3} {each:15.1}");
            }
        }
    }
}
