//! All that may be seen from a place, its PVS, in a bundle of any kind of world; and bitmaps of places.

use super::cells::CellBundle;
use super::solid::SolidBundle;
use super::world::{Place, World};
use crate::format::bits;
use crate::format::cells::PvsRow;
use crate::format::{Answer, Pvs};

/// All that may be seen from a place, or from the quad of a terrain that it is in: what [`World::pvs`] finds.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a>(Kind<'a>);

// A box would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Samples(Pvs<'a>),
    Row(PvsRow<'a>),
    /// Of this cell.
    Boxes(SolidBundle<'a>, u32),
}

impl<'a> Seen<'a> {
    /// The PVS on a terrain, if it is one.
    pub fn terrain(&self) -> Option<&Pvs<'a>> {
        match &self.0 {
            Kind::Samples(pvs) => Some(pvs),
            _ => None,
        }
    }

    /// How many places are seen.
    pub fn count(&self) -> u64 {
        match &self.0 {
            Kind::Samples(pvs) => pvs.count(),
            Kind::Row(row) => row.count().into(),
            Kind::Boxes(level, cell) => level.visible_cells(*cell).count() as u64,
        }
    }

    /// The places seen: of a terrain and of a solid level in Morton order, else in rising order.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<'a> {
        let (pvs, row, of) = match self.0 {
            Kind::Samples(pvs) => (Some(pvs), None, None),
            Kind::Row(row) => (None, Some(row), None),
            Kind::Boxes(level, cell) => (None, None, Some((level, cell))),
        };
        let samples = pvs.into_iter().flat_map(|pvs| pvs.samples());
        let cells = row.into_iter().flat_map(|row| row.iter());
        let boxes = of
            .into_iter()
            .flat_map(|(level, cell)| level.visible_cells(cell));
        (samples.map(Place::Sample)).chain(cells.chain(boxes).map(Place::Cell))
    }

    /// Writes a bitmap of the places seen ([`World::bit`]), [`World::words`] long. A buffer that is too short gets what fits.
    pub fn expand(&self, out: &mut [u64]) {
        match &self.0 {
            Kind::Samples(pvs) => pvs.expand(out),
            Kind::Row(row) => {
                for (out, word) in out.iter_mut().zip(row.words()) {
                    *out = word;
                }
            }
            Kind::Boxes(level, cell) => {
                out.fill(0);
                for cell in level.visible_cells(*cell) {
                    bits::set(out, cell as usize);
                }
            }
        }
    }
}

impl<'a> World<'a> {
    /// How many levels of quads there are: those of a terrain's quadtree, else one, of the places themselves.
    pub fn levels(&self) -> u32 {
        self.terrain().map_or(1, |terrain| terrain.grid().levels())
    }

    /// All that may be seen from a place, or on a terrain from anywhere in the quad of a level that the place is in; level 0
    /// is that of places. `None` for a place or a level that is not there, and where the bundle is damaged; in a solid level
    /// all are seen then.
    pub fn pvs(&self, place: Place, level: u32) -> Option<Seen<'a>> {
        self.number(place).filter(|_| level < self.levels())?;
        Some(Seen(match (self, place) {
            (Self::Terrain(terrain), Place::Sample(sample)) => {
                Kind::Samples(terrain.pvs(sample.quad().ancestor(level))?)
            }
            (Self::Cells(level), Place::Cell(cell)) => Kind::Row(whole_row(level, cell)?),
            (Self::Solid(level), Place::Cell(cell)) => Kind::Boxes(*level, cell),
            _ => return None,
        }))
    }

    /// Whether anybody in the quad of a level that one place is in may be seen from anywhere in that of another, as
    /// [`World::pvs`] takes levels: level 0 is [`World::visible`].
    pub fn visible_at(&self, level: u32, from: Place, to: Place) -> bool {
        match (self.terrain(), from, to) {
            (Some(terrain), Place::Sample(from), Place::Sample(to)) if level > 0 => {
                let [from, to] = [from, to].map(|at| at.quad().ancestor(level));
                terrain.visible_quads(from, to) != Answer::Hidden
            }
            _ => self.visible(from, to),
        }
    }

    /// Words of a bitmap of places.
    pub fn words(&self) -> usize {
        let words = || usize::try_from(self.places().div_ceil(64));
        self.terrain().map_or_else(
            || words().unwrap_or(usize::MAX),
            |terrain| terrain.grid().blocks(),
        )
    }

    /// The word and the bit of a place in a bitmap: of a terrain by blocks ([`Grid::block_bit`]), else 64 cells a word, the
    /// lowest bit first. `None` for a place that is not there.
    ///
    /// [`Grid::block_bit`]: super::Grid::block_bit
    pub fn bit(&self, place: Place) -> Option<(usize, u32)> {
        self.number(place)?;
        match (self.terrain(), place) {
            (Some(terrain), _) => Some(terrain.grid().block_bit(place.sample())),
            (None, Place::Cell(cell)) => Some((cell as usize / 64, cell % 64)),
            (None, Place::Sample(_)) => None,
        }
    }
}

/// The row of a cell, if all of it is there.
fn whole_row<'a>(level: &CellBundle<'a>, cell: u32) -> Option<PvsRow<'a>> {
    let row = level.pvs(cell);
    (row.words().len() >= bits::words(level.cells())).then_some(row)
}
