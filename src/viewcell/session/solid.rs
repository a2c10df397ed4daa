//! Sessions in a solid level.
//!
//! A place is a cell, or none: who is in no cell sees all and is seen by all, so that both directions are told of, and
//! there is no set. Sets are those of the terrain whose samples are the cells. It keeps both directions of sight, as
//! it is not mutual: a quad joins a half only if it neither sees nor is seen by any cell of the other half.

use super::cells::check_cell;
use super::world::{SessionOptions, SessionWorld};
use crate::format::SolidParameters;
use crate::frontier::{Frontier, FrontierBuilder, FrontierError};
use crate::query::{Extent, SolidBundle, TerrainBundle};

impl<'a> SessionWorld for SolidBundle<'a> {
    /// The number of a cell; `None` in no cell.
    type Place = Option<u32>;
    /// Cell n is the sample whose Morton number is n ([`SolidParameters::sample`]).
    type Half = Frontier;
    type Builder = FrontierBuilder<'a>;

    fn builder(&self) -> FrontierBuilder<'a> {
        FrontierBuilder::new(self.sights())
    }

    fn check(&self, place: Option<u32>) -> Result<(), FrontierError> {
        place.map_or(Ok(()), |cell| check_cell(cell, self.cells()))
    }

    fn is_mutual(&self) -> bool {
        self.sights().parameters().mutual
    }

    fn visible(&self, from: Option<u32>, to: Option<u32>) -> bool {
        from.zip(to).is_none_or(|(from, to)| self.visible(from, to))
    }

    fn extent(&self, place: Option<u32>) -> Extent {
        place.map_or(Extent::everywhere(), |cell| self.extent_of(cell))
    }

    fn sees(&self, from: &Extent, to: &Extent) -> bool {
        self.sees_region(from, to)
    }

    fn contains(half: &Frontier, place: Option<u32>) -> bool {
        place.is_some_and(|cell| half.contains(SolidParameters::sample(cell)))
    }

    fn contains_all(&self, half: &Frontier, region: &Extent) -> bool {
        let half = half.region();
        let is_in =
            |((column, row), cells): ((u32, u32), u64)| cells & !half.block(column, row) == 0;
        // Whoever is in no cell sees all.
        self.parts(&region.to_level(self.frame()))
            .is_some_and(|parts| parts.blocks().all(is_in))
    }

    fn begin(
        builder: &mut FrontierBuilder<'a>,
        here: Option<u32>,
        there: Option<u32>,
        options: &SessionOptions,
    ) {
        // Whoever sees somebody has no set with them: both are in a cell.
        if let (Some(here), Some(there)) = (here, there) {
            let [here, there] = [here, there].map(SolidParameters::sample);
            TerrainBundle::begin(builder, here, there, options);
        }
    }

    fn join(builder: &mut FrontierBuilder<'a>, place: Option<u32>) -> bool {
        place.is_some_and(|cell| TerrainBundle::join(builder, SolidParameters::sample(cell)))
    }

    fn finish(builder: &mut FrontierBuilder<'a>, options: &SessionOptions) -> [Frontier; 2] {
        // Steps from cell to cell are none between samples.
        let margin = 0;
        TerrainBundle::finish(builder, &SessionOptions { margin, ..*options })
    }
}
