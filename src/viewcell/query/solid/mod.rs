//! A bundle of a solid level: who sees whom between view cells that are boxes in space.
//!
//! There is no EPVS: a visibility distance counts steps between samples or through portals, and cells in space have
//! neither. What it is asked for, whether two players can see each other soon, [`SolidBundle::visible_within`] and
//! [`ReachableSet`](super::ReachableSet) answer by the boxes that each may reach.

mod budget;
pub(crate) mod cell_by_cell;
mod drawn;
pub(crate) mod reached;
mod solids;
pub(crate) mod within;

pub(crate) use budget::Budget;
pub(crate) use solids::Solids;

use super::Pvs;
use super::bundle::Bundle;
use super::error::OpenError;
use super::terrain::TerrainBundle;
use super::within::Extent;
use crate::format::frame::Corners;
use crate::format::occluders::Occluders;
use crate::format::solid::{SolidCells, SolidParameters};
use crate::format::{FormatError, Frame, Objects, Sizes, Tag, WorldKind};

/// A bundle of a solid level, ready for queries. Copy it freely: it is a handful of slices.
///
/// A view cell is a box of positions of a player's origin. Cell `a` sees cell `b` unless it is proven
/// that no segment from the eye of a player anywhere in `a` to any point of the body of one anywhere in
/// `b` is clear. Who is in no cell sees all, and is seen by all.
///
/// Positions, boxes and lengths are those of the engine that the level was exported from ([`SolidBundle::frame`]), in and out;
/// [`SolidBundle::as_baked`] is asked with the level's own, in which z is up.
#[derive(Clone, Copy, Debug)]
pub struct SolidBundle<'a> {
    cells: SolidCells<'a>,
    /// What it is asked with.
    frame: Frame,
    /// Who sees whom: cell n is the sample whose Morton number is n.
    sights: TerrainBundle<'a>,
    /// What hides, if the bundle has it.
    occluders: Option<Occluders<'a>>,
    /// What is drawn, of a scene.
    objects: Option<Objects<'a>>,
}

impl<'a> Bundle<'a> {
    /// The bundle as one of a solid level. O(1).
    ///
    /// # Errors
    ///
    /// Where it is of another kind, or a section that queries need is missing or has the wrong length.
    pub fn solid(&self) -> Result<SolidBundle<'a>, OpenError> {
        Ok(SolidBundle::new(self)?)
    }
}

impl<'a> SolidBundle<'a> {
    fn new(bundle: &Bundle<'a>) -> Result<Self, FormatError> {
        bundle.check_kind(WorldKind::Solid)?;
        for tag in [Tag::SOLD, Tag::SBOX, Tag::SLOC] {
            bundle.check_section(tag)?;
        }
        let record = bundle.need(Tag::SOLD, &Sizes::default())?;
        let parameters = SolidParameters::parse(record)?;
        let sizes = Sizes::from(&parameters);
        let boxes = bundle.need(Tag::SBOX, &sizes)?;
        let buckets = bundle.need(Tag::SLOC, &sizes)?;
        let sights = TerrainBundle::without_heights(bundle)?;
        if SolidParameters::grid_of(parameters.numbers()) != Some(sights.grid()) {
            return Err(FormatError::Parameter {
                tag: Tag::SOLD,
                field: "cells",
                offset: 0,
                expected: "as many cells as the grid has room for",
            });
        }
        let occluders = bundle
            .section(Tag::SOCC)
            .filter(|_| bundle.check_section(Tag::SOCC).is_ok());
        let occluders = occluders.and_then(|(_, bytes)| Occluders::new(bytes));
        let objects = match bundle.plain(Tag::OBJS, &sizes)? {
            None => None,
            Some(bytes) => {
                bundle.check_section(Tag::OBJS)?;
                let objects = Objects::new(bytes, parameters.parts);
                Some(objects.ok_or(FormatError::Parameter {
                    tag: Tag::OBJS,
                    field: "objects",
                    offset: 0,
                    expected: "as many records, and bytes of names, as it says",
                })?)
            }
        };
        Ok(Self {
            occluders,
            objects,
            frame: parameters.frame,
            cells: SolidCells::new(parameters, boxes, buckets),
            sights,
        })
    }

    /// The same level, asked with its own coordinates, in which z is up: those of [`SolidBundle::parameters`].
    pub fn as_baked(&self) -> Self {
        Self {
            frame: Frame::default(),
            ..*self
        }
    }

    /// The same level, asked with the engine's unit and the level's own axes, z up ([`Frame::upright`]).
    pub fn upright(&self) -> Self {
        Self {
            frame: self.frame.upright(),
            ..*self
        }
    }

    /// How the coordinates that it is asked with become the level's.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// What a unit is called that it is asked with: `m`, `cm`, `units` and others.
    pub fn unit(&self) -> &'static str {
        self.parameters().units.asked(self.frame)
    }

    /// The body, from the player's origin.
    pub fn hull(&self) -> Corners {
        self.frame.corners_to_asked(self.parameters().hull)
    }

    /// Heights of the eye over the player's origin, from crouched to standing.
    pub fn eye(&self) -> [f64; 2] {
        let eye = self.parameters().eye;
        eye.map(|up| self.frame.length_to_asked(up))
    }

    /// Size of the smallest cells, by axis.
    pub fn cell_size(&self) -> [f64; 3] {
        let size = self.frame.to_asked(self.parameters().cell);
        size.map(f64::abs)
    }

    /// What was baked, in the level's own coordinates: the `SOLD` section.
    pub fn parameters(&self) -> &SolidParameters {
        self.cells.parameters()
    }

    /// Number of cells.
    pub fn cells(&self) -> u32 {
        self.parameters().cells
    }

    /// The cell that a player is in whose origin is at a position. `None` where no player was expected to
    /// be able to be. Constant time.
    #[inline]
    pub fn locate(&self, position: [f64; 3]) -> Option<u32> {
        self.cells.locate(self.frame.to_level(position))
    }

    /// The positions of a player's origin that a cell stands for: least and greatest corner. `None` for a
    /// cell that is not there.
    pub fn bounds(&self, cell: u32) -> Option<Corners> {
        let corners = self.baked_bounds(cell)?;
        Some(self.frame.corners_to_asked(corners))
    }

    /// The same in the level's own coordinates.
    pub(crate) fn baked_bounds(&self, cell: u32) -> Option<Corners> {
        if cell < self.cells() {
            self.cells.bounds(cell)
        } else {
            None
        }
    }

    /// The positions of a cell; all for one that is not there.
    pub(crate) fn extent_of(&self, cell: u32) -> Extent {
        let baked = self.baked_bounds(cell);
        baked.map_or(Extent::everywhere(), |corners| {
            Extent::of_box(corners).to_asked(self.frame)
        })
    }

    /// Whether anybody in cell `a` may see any part of anybody in cell `b`. `true` where either is not
    /// there, and where the bundle is damaged. Not the same the other way round: eyes are higher than feet.
    #[inline]
    pub fn visible(&self, a: u32, b: u32) -> bool {
        if a >= self.cells() || b >= self.cells() {
            return true;
        }
        let [a, b] = [a, b].map(SolidParameters::sample);
        self.sights.visible(a, b)
    }

    /// Whether a player whose origin is at `a` may see any part of one whose origin is at `b`. `true`
    /// where either is in no cell.
    #[inline]
    pub fn positions_visible(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        match (self.locate(a), self.locate(b)) {
            (Some(a), Some(b)) => self.visible(a, b),
            _ => true,
        }
    }

    /// The same for a viewer whose eye is `eye` over the origin: `true` as well where that is none of the heights that the
    /// bundle was baked for ([`SolidParameters::eye`]).
    #[inline]
    pub fn visible_from_eye(&self, a: [f64; 3], eye: f64, b: [f64; 3]) -> bool {
        let [low, high] = self.eye();
        !(low..=high).contains(&eye) || self.positions_visible(a, b)
    }

    /// Everything that may be seen from a cell, by samples of [`SolidBundle::sights`]; `None` for a cell
    /// that is not there, and where the bundle is damaged.
    pub fn pvs(&self, cell: u32) -> Option<Pvs<'a>> {
        if cell < self.cells() {
            self.sights.pvs(SolidParameters::sample(cell).quad())
        } else {
            None
        }
    }

    /// The cells that may be seen from a cell, in Morton order; all where the bundle is damaged.
    pub fn visible_cells(&self, cell: u32) -> impl Iterator<Item = u32> + use<'a> {
        let (pvs, cells) = (self.pvs(cell), self.cells());
        let all = if pvs.is_none() { cells } else { 0 };
        let seen = pvs.into_iter().flat_map(|pvs| pvs.samples());
        // Not the parts of a scene.
        let seen = seen.map(SolidParameters::cell_of);
        seen.filter(move |cell| *cell < cells).chain(0..all)
    }

    /// Who sees whom as a terrain of numbers: cell n is the sample whose Morton number is n
    /// ([`SolidParameters::sample`]). For frontier sets, which grow by its quads, and for those who make
    /// other bundles.
    pub fn sights(&self) -> &TerrainBundle<'a> {
        &self.sights
    }
}
