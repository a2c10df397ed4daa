//! Answers about places of a bundle of any kind: what is seen from them, frontier sets and whether these keep their promise.
//!
//! Places are taken as COL,ROW of the heightmap on a terrain, by number in a level. Sets of them are sent as bitmaps
//! ([`World::bit`]): a word for each 8 × 8 samples, or 64 cells a word.

use std::time::Instant;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::check::{Checked, check_sight};
use super::level::cell_number;
use super::terrain::{self, micros_since};
use viewcell::frontier::{FrontierOptions, Side};
use viewcell::query::{CellBundle, Place, Sample, SolidParameters, World};
use viewcell::session::{Half, Sets};
use viewcell_ingest::world::ones;

/// The place that a text names: what stands for a sample of the heightmap, or a cell.
pub(super) fn place(world: &World<'_>, text: &str) -> Result<Place, Refusal> {
    match world.terrain() {
        Some(terrain) => terrain::place(terrain, text).map(Place::Sample),
        None => cell_number(text, world.places() as u32).map(Place::Cell),
    }
}

/// The PVS of a place, or on a terrain of the quad of a level over it.
pub(super) fn pvs(world: &World<'_>, at: &str, level: u32) -> Result<Answer, Refusal> {
    let place = place(world, at)?;
    let highest = world.levels() - 1;
    if level > highest {
        let expected = format!("level {level}: expected 0 to {highest}");
        return Err(Refusal::bad_request(expected));
    }
    let start = Instant::now();
    let mut words = vec![0_u64; world.words()];
    let seen = world.pvs(place, level).ok_or_else(Refusal::damaged)?;
    seen.expand(&mut words);
    let seen = count(&words);
    let micros = micros_since(start);
    let mut answer = Answer::new(json!({ "seen": seen, "micros": micros }));
    if let (Some(terrain), Place::Sample(sample)) = (world.terrain(), place) {
        answer = answer.entry("height", terrain.height(sample));
    } else if world.solid().is_some() {
        answer = answer.entry("bounds", json!(world.bounds(place)));
    }
    Ok(answer.with(words))
}

fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Two players whose frontier set is asked for.
pub(super) struct Players<'a> {
    /// Where one is.
    pub a: &'a str,
    /// Where the other is.
    pub b: &'a str,
    /// On a terrain: steps from the edge of a half that are left out.
    pub margin: u32,
    /// How far each may come, in a solid level.
    pub reach: Option<f64>,
}

/// The frontier set of two players: both halves; in a solid level with `reach`, whether they may see each other when each
/// has come so far from the middle of their cell.
pub(super) fn frontier(world: &World<'_>, players: &Players<'_>) -> Result<Answer, Refusal> {
    let [a, b] = [place(world, players.a)?, place(world, players.b)?];
    let reach = players.reach.filter(|_| world.solid().is_some());
    if let Some(reach) = reach.filter(|reach| !(*reach >= 0.0 && reach.is_finite())) {
        return Err(Refusal::bad_request(format!(
            "reach={reach}: expected a length, 0 or more, in the unit of the page"
        )));
    }
    let mut sets = Sets::new(world);
    let start = Instant::now();
    grow(&mut sets, [a, b])?;
    let micros = micros_since(start);
    let (tried, merged) = sets.work().unzip();
    let within = reach.map(|reach| world.visible_within(a, b, [reach; 2]));
    let made = Side::BOTH.map(|side| sets.half(side, players.margin));
    Ok(halves(world, made.each_ref().map(Some))
        .entry("micros", micros)
        .entry("tried", tried)
        .entry("merged", merged)
        .entry("within", within)
        .entry("visible", world.visible(a, b) || world.visible(b, a)))
}

fn grow(sets: &mut Sets<'_>, [a, b]: [Place; 2]) -> Result<(), Refusal> {
    let begun = sets.begin(a, b, &FrontierOptions::default());
    begun.map_err(|error| Refusal::bad_request(error.to_string()))?;
    while !sets.step(u32::MAX) {}
    Ok(())
}

/// Two halves, and their sizes; empty where there is none.
pub(super) fn halves(world: &World<'_>, halves: [Option<&Half>; 2]) -> Answer {
    let words = halves.map(|half| bitmap(world, half));
    let sizes = words.each_ref().map(|words| count(words));
    Answer::new(json!({ "sizes": sizes })).with(words.into_iter().flatten())
}

fn bitmap(world: &World<'_>, half: Option<&Half>) -> Vec<u64> {
    let mut words = vec![0_u64; world.words()];
    let places = half.into_iter().flat_map(Half::places);
    for (word, bit) in places.filter_map(|place| world.bit(place)) {
        words[word] |= 1 << bit;
    }
    words
}

/// Whether the frontier set of two players keeps its promise, member by member.
pub(super) fn check(world: &World<'_>, players: &Players<'_>) -> Result<Answer, Refusal> {
    let pair = [place(world, players.a)?, place(world, players.b)?];
    let mut sets = Sets::new(world);
    grow(&mut sets, pair)?;
    let made = Side::BOTH.map(|side| sets.half(side, 0));
    let start = Instant::now();
    let (looked, sees) = match (world, &made) {
        (World::Cells(level), [Half::Cells(a), Half::Cells(b)]) => {
            check_rows(level, [a.words(), b.words()])
        }
        (
            _,
            [
                Half::Terrain(a) | Half::Solid(a),
                Half::Terrain(b) | Half::Solid(b),
            ],
        ) => {
            let sights = world.sights().ok_or_else(Refusal::damaged)?;
            let Checked { looked, sees } = check_sight(sights, [a.region(), b.region()]);
            let named = |sample| match world.terrain() {
                Some(terrain) => {
                    let Sample { column, row } = terrain.parameters().middle_of(sample);
                    json!([column, row])
                }
                None => json!(SolidParameters::cell_of(sample)),
            };
            (looked, sees.map(|both| both.map(named)))
        }
        _ => return Err(Refusal::damaged()),
    };
    Ok(Answer::new(json!({
        "holds": sees.is_none(),
        "sees": sees,
        "looked": looked,
        "micros": micros_since(start),
    })))
}

/// Looks from every cell of both halves at the other: how many that are, and two cells of which one sees the other.
fn check_rows(level: &CellBundle<'_>, [ab, ba]: [&[u64]; 2]) -> (u64, Option<[Value; 2]>) {
    let mut looked = 0;
    let mut sees = None;
    for (own, other) in [(ab, ba), (ba, ab)] {
        for cell in ones(own).map(|cell| cell as u32) {
            looked += 1;
            let seen = level.pvs(cell).words().zip(other);
            let both: Vec<u64> = seen.map(|(seen, other)| seen & other).collect();
            sees = sees.or(ones(&both).next().map(|seen| [cell, seen as u32]));
        }
    }
    (looked, sees.map(|both| both.map(Value::from)))
}
