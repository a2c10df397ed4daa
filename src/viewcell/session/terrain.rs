//! Sessions on a terrain.

use super::world::{SessionOptions, SessionWorld};
use super::{Notice, Session};
use crate::format::Sample;
use crate::frontier::{Frontier, FrontierBuilder, FrontierError, Side};
use crate::query::{Extent, Place, TerrainBundle, World};

impl<'a> SessionWorld for TerrainBundle<'a> {
    type Place = Sample;
    type Half = Frontier;
    type Builder = FrontierBuilder<'a>;

    fn builder(&self) -> FrontierBuilder<'a> {
        FrontierBuilder::new(self)
    }

    fn check(&self, place: Sample) -> Result<(), FrontierError> {
        match (
            self.grid().has_sample(place),
            self.valid().has_sample(place),
        ) {
            (false, _) => Err(FrontierError::Outside(place)),
            (true, false) => Err(FrontierError::Void(place)),
            (true, true) => Ok(()),
        }
    }

    fn is_mutual(&self) -> bool {
        self.parameters().mutual
    }

    fn visible(&self, from: Sample, to: Sample) -> bool {
        self.visible(from, to)
    }

    fn extent(&self, place: Sample) -> Extent {
        World::Terrain(*self).extent(Place::Sample(place))
    }

    fn sees(&self, from: &Extent, to: &Extent) -> bool {
        self.visible_regions(from, to)
    }

    fn contains(half: &Frontier, place: Sample) -> bool {
        half.contains(place)
    }

    fn contains_all(&self, half: &Frontier, region: &Extent) -> bool {
        let mut samples = self.samples_in(region).peekable();
        // Of a region without a sample nothing is known: who may be there is not silent.
        samples.peek().is_some() && samples.all(|sample| half.contains(sample))
    }

    fn begin(
        builder: &mut FrontierBuilder<'a>,
        here: Sample,
        there: Sample,
        options: &SessionOptions,
    ) {
        // Both stand on terrain: places are checked when they are told.
        let _ = builder.begin(here, there, &options.frontier);
    }

    fn join(builder: &mut FrontierBuilder<'a>, place: Sample) -> bool {
        builder.join(Side::B, place)
    }

    fn finish(builder: &mut FrontierBuilder<'a>, options: &SessionOptions) -> [Frontier; 2] {
        while !builder.step(u32::MAX) {}
        Side::BOTH.map(|side| builder.core(side, options.margin))
    }

    fn keeps(&self, _: &Self, halves: &[Frontier; 2]) -> bool {
        is_true(self, halves)
    }
}

impl<'a> Session<TerrainBundle<'a>> {
    /// The ground has changed, and `terrain` is how it is now ([`crate::query::Layers`]). Frontier
    /// sets that are no longer true are dropped, and only those; `tell` is called with what both
    /// players of such a pair are to know. What follows is asked of `terrain`.
    ///
    /// Takes time for each set: for each pair of blocks of 8 × 8 samples of its two halves that of a
    /// query. Allocates.
    ///
    /// # Errors
    ///
    /// Where the terrain has other sides; then nothing has changed.
    pub fn ground_changed(
        &mut self,
        terrain: &TerrainBundle<'a>,
        tell: impl FnMut(Notice),
    ) -> Result<(), FrontierError> {
        let sides = |terrain: &TerrainBundle| [terrain.grid().width(), terrain.grid().height()];
        let (expected, found) = (sides(self.world()), sides(terrain));
        if expected != found {
            return Err(FrontierError::OtherSize { expected, found });
        }
        self.change(*terrain, tell);
        Ok(())
    }
}

/// Whether nobody in one half of a set sees anybody in the other.
fn is_true(terrain: &TerrainBundle, [a, b]: &[Frontier; 2]) -> bool {
    let hidden = |from: &Frontier, to: &Frontier| {
        from.blocks().all(|(viewer, bits)| {
            to.blocks()
                .all(|(target, seen)| !may_see(terrain, (viewer, bits), (target, seen)))
        })
    };
    hidden(a, b) && (terrain.parameters().mutual || hidden(b, a))
}

/// A block, and samples in it as a word of a block bitmap.
type Part = ((u32, u32), u64);

/// Whether any of some samples of a block may see any of some samples of another.
fn may_see(terrain: &TerrainBundle, (viewer, from): Part, (target, to): Part) -> bool {
    let known = terrain.part_sees(viewer, from, target, to);
    if let (Some(sees), None) = (known, terrain.narrowing()) {
        return sees;
    }
    let samples = |((column, row), bits): Part| {
        let place = move |bit: u32| Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3);
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(place)
    };
    samples((viewer, from)).any(|a| samples((target, to)).any(|b| terrain.visible(a, b)))
}
