//! Frontier sets in a bundle of any kind: two builders behind one, and halves that stand by themselves.

use super::cells::{CellHalf, CellSets};
use crate::format::{SolidParameters, bits};
use crate::frontier::{
    Frontier, FrontierBuilder, FrontierError, FrontierOptions, Side, check_sample,
};
use crate::query::{OwnedBundle, Place, World};

/// One player's half of a frontier set in a bundle of any kind. It can be encoded, and sent to the player.
#[derive(Clone, Debug)]
pub enum Half {
    /// Samples of a terrain.
    Terrain(Frontier),
    /// Cells of a level.
    Cells(CellHalf),
    /// Cells of a solid level: cell n is the sample whose Morton number is n.
    Solid(Frontier),
}

impl Half {
    /// Whether a place is in it; one of a bundle of the other kind is not.
    pub fn contains(&self, place: Place) -> bool {
        match (self, place) {
            (Self::Terrain(half), Place::Sample(sample)) => half.contains(sample),
            (Self::Cells(half), Place::Cell(cell)) => half.contains(cell),
            (Self::Solid(half), Place::Cell(_)) => half.contains(place.sample()),
            _ => false,
        }
    }

    /// Number of samples or cells in it.
    pub fn area(&self) -> u64 {
        match self {
            Self::Terrain(half) | Self::Solid(half) => half.area(),
            Self::Cells(half) => half.area(),
        }
    }

    /// Its samples or cells, row by row or in rising order; of a solid level in no order.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let (samples, cells) = match self {
            Self::Terrain(half) | Self::Solid(half) => (Some(half.region()), None),
            Self::Cells(half) => (None, Some(half.words())),
        };
        let is_terrain = matches!(self, Self::Terrain(_));
        let samples = samples.into_iter().flat_map(|half| half.samples());
        let samples = samples.map(move |sample| match is_terrain {
            true => Place::Sample(sample),
            false => Place::Cell(SolidParameters::cell_of(sample)),
        });
        let cells = cells.into_iter();
        let cells = cells.flat_map(|words| bits::ones_of(words.iter().copied()));
        samples.chain(cells.map(Place::Cell))
    }

    /// Its compact serialised form, for [`Half::decode`]: that of [`Region::encode`], of a level of cells a bitmap.
    ///
    /// [`Region::encode`]: crate::frontier::Region::encode
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Terrain(half) | Self::Solid(half) => half.region().encode(),
            Self::Cells(half) => half.encode(),
        }
    }

    /// The half that [`Half::encode`] wrote, in the same world. That it sees nothing of another half is for the sender to
    /// know. `None` where the bytes are none of this world.
    pub fn decode(world: &World<'_>, bytes: &[u8]) -> Option<Self> {
        match (world.sights(), world.cells()) {
            (Some(sights), _) => {
                let half = Frontier::decode(sights.grid(), bytes);
                half.ok().map(|half| Self::of_samples(world, half))
            }
            (None, level) => CellHalf::decode(level?.cells(), bytes).map(Self::Cells),
        }
    }

    /// The samples of two halves, if they are of samples.
    pub(super) fn samples(halves: &[Self; 2]) -> Option<[&Frontier; 2]> {
        match halves {
            [Self::Terrain(a), Self::Terrain(b)] | [Self::Solid(a), Self::Solid(b)] => Some([a, b]),
            _ => None,
        }
    }

    /// The half of samples of [`World::sights`].
    fn of_samples(world: &World<'_>, half: Frontier) -> Self {
        match world.terrain() {
            Some(_) => Self::Terrain(half),
            None => Self::Solid(half),
        }
    }
}

/// Makes frontier sets in a bundle of any kind, one after the other.
#[derive(Debug)]
pub struct Sets<'a> {
    world: World<'a>,
    builder: Builder<'a>,
    /// What these borrow from, where it is kept.
    _source: Option<OwnedBundle>,
}

#[allow(clippy::large_enum_variant, reason = "one a session")]
#[derive(Debug)]
enum Builder<'a> {
    /// Of samples: those of a terrain, or the cells of a solid level.
    Samples(FrontierBuilder<'a>),
    /// Of cells.
    Cells(CellSets<'a>),
}

impl Sets<'static> {
    /// [`Sets::new`] of a bundle that they keep.
    pub fn of_bundle(bundle: &OwnedBundle) -> Self {
        Self {
            _source: Some(bundle.clone()),
            ..Self::new(bundle.lasting_world())
        }
    }
}

impl<'a> Sets<'a> {
    /// For sets in a world. Allocates, here and nowhere else.
    pub fn new(world: &World<'a>) -> Self {
        Self {
            _source: None,
            world: *world,
            builder: match world {
                World::Terrain(terrain) => Builder::Samples(FrontierBuilder::new(terrain)),
                World::Cells(level) => Builder::Cells(CellSets::new(level)),
                World::Solid(level) => Builder::Samples(FrontierBuilder::new(level.sights())),
            },
        }
    }

    /// The world.
    pub fn world(&self) -> &World<'_> {
        &self.world
    }

    /// Begins the set of two players; the one before is gone. Both halves stay empty where one sees the other. In a level of
    /// cells it is complete at once.
    ///
    /// # Errors
    ///
    /// Where somebody cannot be at one of the places.
    pub fn begin(
        &mut self,
        a: Place,
        b: Place,
        options: &FrontierOptions,
    ) -> Result<(), FrontierError> {
        check(&self.world, a)?;
        check(&self.world, b)?;
        match (&mut self.builder, a, b) {
            (Builder::Samples(builder), ..) => builder.begin(a.sample(), b.sample(), options),
            (Builder::Cells(sets), Place::Cell(a), Place::Cell(b)) => {
                sets.begin(a, b);
                Ok(())
            }
            _ => Err(FrontierError::OtherKind),
        }
    }

    /// Goes on for at most so many quads: whether the set is complete. It may be used at any time.
    pub fn step(&mut self, quads: u32) -> bool {
        match &mut self.builder {
            Builder::Samples(builder) => builder.step(quads),
            Builder::Cells(_) => true,
        }
    }

    /// Lets another player into the second half, if they can be.
    pub fn join(&mut self, place: Place) -> bool {
        match (&mut self.builder, place) {
            (Builder::Samples(builder), _) => builder.join(Side::B, place.sample()),
            (Builder::Cells(_), _) => self.contains(Side::B, place),
        }
    }

    /// Whether a place, which is there, is in a half. Constant time.
    pub fn contains(&self, side: Side, place: Place) -> bool {
        match (&self.builder, place) {
            (Builder::Samples(builder), _) => builder.region(side).contains(place.sample()),
            (Builder::Cells(sets), Place::Cell(cell)) => {
                bits::has(sets.half(side as usize), cell as usize)
            }
            (Builder::Cells(_), Place::Sample(_)) => false,
        }
    }

    /// Number of places in a half.
    pub fn area(&self, side: Side) -> u64 {
        match &self.builder {
            Builder::Samples(builder) => builder.region(side).area(),
            Builder::Cells(sets) => bits::count(sets.half(side as usize)),
        }
    }

    /// A half that stands by itself; of a terrain without what lies within so many steps of its edge. Allocates.
    pub fn half(&mut self, side: Side, margin: u32) -> Half {
        // Steps from cell to cell are none between samples.
        let margin = self.world.terrain().map_or(0, |_| margin);
        match &mut self.builder {
            Builder::Samples(builder) => Half::of_samples(&self.world, builder.core(side, margin)),
            Builder::Cells(sets) => Half::Cells(CellHalf::of(sets.half(side as usize))),
        }
    }

    /// Both halves of the set, complete, as [`Sets::half`] has them. Allocates.
    pub(super) fn finish(&mut self, margin: u32) -> [Half; 2] {
        while !self.step(u32::MAX) {}
        Side::BOTH.map(|side| self.half(side, margin))
    }

    /// How many quads have been tried, and how many PVSs merged; none in a level of cells.
    pub fn work(&self) -> Option<(u64, u64)> {
        match &self.builder {
            Builder::Samples(builder) => Some(builder.work()),
            Builder::Cells(_) => None,
        }
    }
}

/// Errors where nobody can be at a place.
pub(super) fn check(world: &World<'_>, place: Place) -> Result<(), FrontierError> {
    match (world.terrain(), place) {
        (Some(terrain), Place::Sample(sample)) => check_sample(terrain, sample),
        (None, Place::Cell(cell)) => {
            let cells = u32::try_from(world.places()).unwrap_or(u32::MAX);
            let is_there = cell < cells;
            is_there
                .then_some(())
                .ok_or(FrontierError::NoCell { cell, cells })
        }
        _ => Err(FrontierError::OtherKind),
    }
}
