//! Frontier sets for the schemes: two regions, no place of one visible from any of the other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use viewcell::format::bits;
use viewcell::query::{Quad, Sample, TerrainBundle};

use viewcell_simulate::field::{CellLevel, Field, Place};

use super::store::{Kind, Store};
use crate::constructions::{self, Construction as OfCells, spread, widen};

pub use super::half::{Few, Halves, KeptHalf, Runs};

/// How sets are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construction {
    /// In a level by the equations of Steed and Angus; on a terrain in the order of Avni's thesis,
    /// quads of 16 × 16 samples and more, from the largest hidden quads of 8 × 8 or more on.
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
    /// Memory for what is within reach of a cell.
    memory: Vec<u64>,
    /// The sets on a terrain.
    store: Store<'a>,
    /// The cells within reach of a cell.
    reaches: HashMap<Place, Box<[u64]>>,
    kept: Kept,
}

/// Sets that were made before. Players go the same paths again and again.
#[derive(Debug, Default)]
struct Kept {
    of_places: HashMap<[Place; 2], Option<Arc<Halves>>, FxBuildHasher>,
    /// By the blocks of 8 × 8 samples that the players are in.
    of_blocks: HashMap<[Quad; 2], Option<Arc<Halves>>, FxBuildHasher>,
    of_quads: HashMap<[Quad; 2], Option<Arc<Halves>>, FxBuildHasher>,
    /// What they take. [Unit: bytes]
    bytes: usize,
}

/// The most memory that sets made before may take. [Unit: bytes]
const MOST_BYTES: usize = 1 << 28;

impl Kept {
    /// Makes room for so many bytes more.
    fn grows(&mut self, more: usize) {
        if self.bytes + more > MOST_BYTES {
            // All at once: what comes next does not depend on which was asked for last.
            *self = Self::default();
        }
        self.bytes += more;
    }
}

/// A place that is known to be in a half, and others near it.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    place: Place,
    /// On a terrain, samples of the same block.
    few: Option<Few>,
}

impl Inside {
    /// The place alone.
    pub fn only(place: Place) -> Self {
        Self { place, few: None }
    }

    /// The place.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Goes on to another place; returns whether that is known to be in the half, too.
    pub fn follow(&mut self, field: &Field, place: Place) -> bool {
        // Most have not left the sample or cell that they were in.
        let stays = self.place == place || self.few.is_some_and(|few| few.has(field.sample(place)));
        if stays {
            self.place = place;
        }
        stays
    }

    /// What is known to be in two halves.
    pub fn common(self, other: Self) -> Self {
        let few = self.few.zip(other.few).map(|(mut few, other)| {
            few.bits &= other.bits;
            few
        });
        Self { few, ..self }
    }
}

/// Level of the least of them.
const BLOCK_LEVEL: u32 = 3;

/// Levels of the quads that a set may begin with, those of the one and of the other player, the
/// first pair that is hidden from each other.
const STARTS: [[u32; 2]; 6] = [[6, 6], [5, 5], [4, 4], [4, 3], [3, 4], [3, 3]];

/// How far a player may have gone since they were last heard of, for whom a set is made without
/// asking; in distances between the middles of cells, of which a player comes through several in a
/// frame. [Unit: of the level]
const GONE: f64 = 200.0;

impl<'a> Regions<'a> {
    /// For a field. With a reach, players leave a region as soon as they might come out of it
    /// within that.
    pub fn new(field: &'a Field<'a>, construction: Construction, reach: f64) -> Self {
        let mut memory = Vec::new();
        if let Some(level) = field.level() {
            memory = vec![0; level.bundle.reach_memory()];
        }
        Self {
            field,
            construction,
            reach,
            memory,
            store: Store::default(),
            reaches: HashMap::new(),
            kept: Kept::default(),
        }
    }

    /// Where it is.
    pub fn field(&self) -> &'a Field<'a> {
        self.field
    }

    /// The set of two players; none where one sees the other.
    pub fn make(&mut self, places: [Place; 2]) -> Option<Arc<Halves>> {
        if !self.field.hidden(places[0], places[1]) {
            return None;
        }
        let Some(level) = self.field.level() else {
            return self.on_terrain(places);
        };
        if let Some(set) = self.kept.of_places.get(&places) {
            return set.clone();
        }
        let set = self.in_level(level, places).map(Arc::new);
        let words = bits::words(level.bundle.cells());
        self.kept.grows(64 + 16 * words);
        self.kept.of_places.insert(places, set.clone());
        set
    }

    fn in_level(&self, level: &CellLevel, [a, b]: [Place; 2]) -> Option<Halves> {
        let bundle = &level.bundle;
        let regions = match self.construction {
            Construction::Published => OfCells::Published.regions(bundle, [a, b])?,
            Construction::Tightened => OfCells::Tightened.regions(bundle, [a, b])?,
            Construction::Grown => {
                let neighbours = |cell| level.touching(cell).map(|(next, _)| (next, 1.0));
                let pvs = |cell| bundle.pvs(cell);
                spread(bundle.cells(), [&[a], &[b]], pvs, neighbours)
            }
            Construction::Wide => return Some(widened(level, [&[a], &[b]])),
        };
        Some(halves(regions))
    }

    /// A set for two players of whom one, number `gone` of the pair, has not been heard of for a
    /// while and may be somewhere else by now; none where it cannot be told.
    pub fn guess(&mut self, pair: [Place; 2], gone: usize) -> Option<Arc<Halves>> {
        let [a, b] = pair;
        if self.field.hidden(a, b) {
            return self.make(pair);
        }
        let (Some(level), Construction::Wide) = (self.field.level(), self.construction) else {
            return None;
        };
        // Wherever they may have gone to from where they were seen.
        let here = [pair[1 - gone]];
        let around = within(level, pair[gone], GONE);
        let hidden = |cell: &Place| self.field.hidden(here[0], *cell);
        let seeds: Vec<Place> = around.into_iter().filter(hidden).collect();
        if seeds.is_empty() {
            return None;
        }
        let seeds: [&[Place]; 2] = match gone {
            0 => [&seeds, &here],
            _ => [&here, &seeds],
        };
        Some(Arc::new(widened(level, seeds)))
    }

    /// The set of the largest quads around two players of which neither sees the other: whoever
    /// comes to the same quads is given the same set, so that few are made. Where the 8 × 8 samples
    /// around each may see each other, a set is soon left, and is made of these alone.
    fn on_terrain(&mut self, [a, b]: [Place; 2]) -> Option<Arc<Halves>> {
        let grid = self.field.samples()?;
        if self.field.solid().is_some() && self.reach > 0.0 {
            // Samples beside each other say nothing of how far cells are apart.
            return None;
        }
        let around = [a, b].map(|place| self.field.sample(place));
        let blocks = around.map(|sample| sample.quad().ancestor(BLOCK_LEVEL));
        let set = match self.kept.of_blocks.get(&blocks) {
            Some(set) => set.clone(),
            None => {
                let set = self.of_quads(grid, around);
                self.kept.grows(96);
                self.kept.of_blocks.insert(blocks, set.clone());
                set
            }
        };
        set.or_else(|| self.nearby(grid, around).map(Arc::new))
    }

    /// The set of the largest quads of which neither sees the other.
    fn of_quads(
        &mut self,
        terrain: &TerrainBundle<'a>,
        around: [Sample; 2],
    ) -> Option<Arc<Halves>> {
        let kind = match self.construction {
            Construction::Published => Kind::Published,
            Construction::Tightened => Kind::Tightened,
            Construction::Grown | Construction::Wide => Kind::Usual,
        };
        // The way along which samples are closer to each other leads through more of them.
        let [dx, dy] = terrain.parameters().cell_spacing;
        let steps = (self.reach / dx.min(dy)).ceil();
        // One more for where in the sample a player is.
        let margin = if steps > 0.0 { steps as u32 + 1 } else { 0 };
        for levels in STARTS {
            let quads = [0, 1].map(|i| around[i].quad().ancestor(levels[i]));
            let set = match self.kept.of_quads.get(&quads) {
                Some(set) => set.clone(),
                None => {
                    let set = self.store.set(terrain, kind, margin, quads);
                    let bytes = |set: &Arc<Halves>| set.iter().map(KeptHalf::bytes).sum();
                    self.kept.grows(128 + set.as_ref().map_or(0, bytes));
                    self.kept.of_quads.insert(quads, set.clone());
                    set
                }
            };
            if set.is_some() {
                return set;
            }
        }
        None
    }

    /// Of the 8 × 8 samples around the first player those that the second does not see, and of those
    /// around the second all that none of the first sees.
    fn nearby(&self, terrain: &TerrainBundle, [a, b]: [Sample; 2]) -> Option<Halves> {
        // A margin would leave nothing of it.
        if self.reach > 0.0 {
            return None;
        }
        let mut halves = [Few::new(a), Few::new(b)];
        let [of_a, of_b] = &mut halves;
        let valid = |few: &Few| terrain.valid().block(few.block().0, few.block().1);
        if let (Some(groups), true) = (terrain.groups(), self.field.is_mutual()) {
            let seen = groups.seen_from(of_b.block(), Few::bit(b), of_a.block());
            of_a.bits = valid(of_a) & !seen;
            let seen = groups.seen_from(of_a.block(), of_a.bits, of_b.block());
            of_b.bits = valid(of_b) & !seen;
        } else {
            // Bundles of single trees, and those in which sight may be one way, are asked pair by
            // pair, and of the second player's own sample alone.
            of_b.bits = Few::bit(b);
            let hidden = |a: &Sample| {
                self.field
                    .hidden(self.field.place_of(*a), self.field.place_of(b))
            };
            of_a.bits = of_a.samples(valid(of_a)).filter(hidden).map(Few::bit).sum();
        }
        if !halves[0].has(a) || !halves[1].has(b) {
            return None;
        }
        Some(halves.map(KeptHalf::Few))
    }

    /// Whether a player is well inside a half: not out of it within the reach.
    pub fn keeps(&mut self, half: &KeptHalf, place: Place) -> bool {
        self.inside(half, place).is_some()
    }

    /// The same, with what else is known then.
    pub fn inside(&mut self, half: &KeptHalf, place: Place) -> Option<Inside> {
        let few = match half {
            KeptHalf::Cells(words) => {
                return self.holds(words, place).then_some(Inside::only(place));
            }
            KeptHalf::Samples(samples) => samples.around(self.field.sample(place)),
            KeptHalf::Few(few) => few.has(self.field.sample(place)).then_some(*few),
        };
        few.map(|few| Inside {
            place,
            few: Some(few),
        })
    }

    /// Whether a player is well inside some cells.
    fn holds(&mut self, words: &[u64], place: Place) -> bool {
        if self.reach == 0.0 {
            return bits::has(words, place as usize);
        }
        let Some(level) = self.field.level() else {
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

/// Regions as halves.
fn halves(regions: constructions::Regions) -> Halves {
    regions.map(|words| KeptHalf::Cells(words.into()))
}

/// As large a set as can be, of those who may be in some cells.
fn widened(level: &CellLevel, seeds: [&[Place]; 2]) -> Halves {
    let bundle = &level.bundle;
    let (pvs, neighbours) = (|cell| bundle.pvs(cell), |cell| level.touching(cell));
    halves(widen(bundle.cells(), seeds, pvs, neighbours))
}

/// The cells that somebody may have come to who has gone no further, the nearest first.
fn within(level: &CellLevel, cell: Place, limit: f64) -> Vec<Place> {
    let mut far: HashMap<Place, u64> = HashMap::new();
    let (mut found, mut waiting) = (Vec::new(), BinaryHeap::from([Reverse((0, cell))]));
    while let Some(Reverse((distance, cell))) = waiting.pop() {
        if far.insert(cell, distance).is_some() {
            continue;
        }
        found.push(cell);
        for (next, length) in level.touching(cell) {
            let distance = distance + length as u64;
            if distance as f64 <= limit && !far.contains_key(&next) {
                waiting.push(Reverse((distance, next)));
            }
        }
    }
    found
}
