//! Frontier sets for the schemes: two regions, no place of one visible from any of the other.

use std::collections::HashMap;

use crate::runtime::cell_frontier::Construction as OfCells;
use crate::runtime::frontier::{FrontierBuilder, FrontierOptions, Order, Side};

use super::field::{Field, Place};
use super::grow::{Seeds, Wide};
use super::half::has;

pub use super::half::{Half, Halves};

/// How sets are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construction {
    /// In a level by the equations of Steed and Angus; on a terrain in the order of Avni's thesis,
    /// quads of 16 × 16 samples and more.
    Published,
    /// The same, and then the second, or the smaller, region as large as can be.
    Tightened,
    /// In a level over touching cells in turn; on a terrain by default.
    Grown,
    /// In a level over touching cells by distance, and then both as large as can be; on a terrain by
    /// default.
    Wide,
}

/// Makes sets, and tells who is still inside.
#[derive(Debug)]
pub struct Regions<'a> {
    field: &'a Field<'a>,
    construction: Construction,
    /// How far a player may go before there is another set. [Unit: of the field]
    reach: f64,
    /// Memory for a set of cells.
    memory: Vec<u64>,
    wide: Option<Wide<'a>>,
    builder: Option<FrontierBuilder<'a>>,
    /// The cells within reach of a cell.
    reaches: HashMap<Place, Box<[u64]>>,
}

/// How far a player may have gone since they were last heard of, for whom a set is made without
/// asking; in distances between the middles of cells, of which a player comes through several in a
/// frame. [Unit: of the level]
const GONE: f64 = 200.0;

impl<'a> Regions<'a> {
    /// For a field. With a reach, players leave a region as soon as they might come out of it
    /// within that.
    pub fn new(field: &'a Field<'a>, construction: Construction, reach: f64) -> Self {
        let (mut memory, mut wide, mut builder) = (Vec::new(), None, None);
        match field {
            Field::Terrain(terrain) => builder = Some(FrontierBuilder::new(terrain)),
            Field::Level(level) => {
                let cells = level.bundle.cells();
                let words = match construction {
                    Construction::Published | Construction::Tightened => {
                        OfCells::Tightened.words(cells)
                    }
                    _ => 0,
                };
                memory = vec![0; words.max(level.bundle.reach_memory().one)];
                wide = Some(Wide::new(level));
            }
        }
        Self {
            field,
            construction,
            reach,
            memory,
            wide,
            builder,
            reaches: HashMap::new(),
        }
    }

    /// Where it is.
    pub fn field(&self) -> &'a Field<'a> {
        self.field
    }

    /// The set of two players; none where one sees the other.
    pub fn make(&mut self, [a, b]: [Place; 2]) -> Option<Halves> {
        if !self.field.hidden(a, b) {
            return None;
        }
        match self.field {
            Field::Terrain(_) => self.on_terrain(a, b),
            Field::Level(level) => {
                let simple = match self.construction {
                    Construction::Published => OfCells::Published,
                    Construction::Tightened => OfCells::Tightened,
                    Construction::Grown => {
                        return self.wide.as_mut().map(|wide| wide.grow_in_turn(a, b));
                    }
                    Construction::Wide => {
                        let wide = self.wide.as_mut();
                        return wide.map(|wide| wide.grow(&Seeds::One(a), &Seeds::One(b)));
                    }
                };
                let set = level.bundle.frontier(a, b, simple, &mut self.memory);
                let set = set.ok().flatten()?;
                Some([set.ab, set.ba].map(|words| Half::Cells(words.into())))
            }
        }
    }

    /// A set for two players of whom one, number `gone` of the pair, has not been heard of for a
    /// while and may be somewhere else by now; none where it cannot be told.
    pub fn guess(&mut self, pair: [Place; 2], gone: usize) -> Option<Halves> {
        let [a, b] = pair;
        if self.field.hidden(a, b) {
            return self.make(pair);
        }
        let (Some(wide), Construction::Wide) = (&mut self.wide, self.construction) else {
            return None;
        };
        // Wherever they may have gone to from where they were seen.
        let here = pair[1 - gone];
        let around = wide.around(pair[gone], GONE);
        let hidden = |cell: &Place| self.field.hidden(here, *cell);
        let seeds: Vec<Place> = around.into_iter().filter(hidden).collect();
        if seeds.is_empty() {
            return None;
        }
        let (mut seeds, mut one) = (Seeds::Many(seeds), Seeds::One(here));
        if gone == 0 {
            core::mem::swap(&mut seeds, &mut one);
        }
        Some(wide.grow(&one, &seeds))
    }

    fn on_terrain(&mut self, a: Place, b: Place) -> Option<Halves> {
        let Field::Terrain(terrain) = self.field else {
            return None;
        };
        let builder = self.builder.as_mut()?;
        // The thesis's own options take up to a second a set: its order, with large quads alone.
        let published = FrontierOptions {
            order: Order::Fifo,
            tighten: false,
            ..FrontierOptions::default()
        };
        let options = match self.construction {
            Construction::Published => published,
            Construction::Tightened => FrontierOptions {
                tighten: true,
                ..published
            },
            Construction::Grown | Construction::Wide => FrontierOptions::default(),
        };
        let (a, b) = (self.field.sample(a), self.field.sample(b));
        builder.build(a, b, &options).ok()?;
        if !builder.region(Side::A).contains(a) {
            return None;
        }
        // The way along which samples are closer to each other leads through more of them.
        let [dx, dy] = terrain.parameters().spacing;
        let steps = (self.reach / dx.min(dy)).ceil();
        // One more for where in the sample a player is.
        let margin = if steps > 0.0 { steps as u32 + 1 } else { 0 };
        Some(Side::BOTH.map(|side| Half::Samples(builder.core(side, margin))))
    }

    /// Whether a player is well inside a half: not out of it within the reach.
    pub fn keeps(&mut self, half: &Half, place: Place) -> bool {
        let words = match half {
            Half::Samples(samples) => return samples.contains(self.field.sample(place)),
            Half::Cells(words) => words,
        };
        if self.reach == 0.0 {
            return has(words, place);
        }
        let Field::Level(level) = self.field else {
            return false;
        };
        let (memory, reach) = (&mut self.memory, self.reach);
        let within = self.reaches.entry(place).or_insert_with(|| {
            let cells = level.bundle.reach(place, reach, memory);
            cells.map_or(Box::default(), |cells| cells.words().into())
        });
        !within.is_empty()
            && within
                .iter()
                .zip(words)
                .all(|(reach, half)| reach & !half == 0)
    }
}
