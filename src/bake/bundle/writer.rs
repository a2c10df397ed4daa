//! Writing a bundle of a grid of view cells: of a terrain or of a solid level.
//!
//! The file is written under another name in its own folder, synced, and renamed when it is complete
//! ([`super::output`]). Trees are streamed; only the index (8 bytes a quad) is in memory.

use std::collections::BTreeMap;

use wincode::{SchemaRead, SchemaWrite};

use super::error::BundleError;
use super::output::{Output, Written};
use super::provenance::{Provenance, stated_checksum};
use crate::compress::ValidPyramid;
use crate::compress::levels::valid_levels;
use viewcell::format::levels::Shape;
use viewcell::format::{Section, Sizes, Tag, TerrainParameters, TreeCode, WorldKind};

/// What a bundle of a grid of view cells says of itself: the `GRID` section, the CRS, and what the cells are of.
#[derive(Clone, Debug, PartialEq)]
pub struct GridHeader {
    /// The `GRID` section.
    pub parameters: TerrainParameters,
    /// Coordinate reference system: `EPSG:n`, WKT, or what the source file said.
    pub crs: Option<String>,
    /// What the cells of the grid are.
    pub kind: GridKind,
}

/// What the view cells of a grid are. All else is the same: who sees whom is coded by their Morton numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum GridKind {
    /// Samples of a terrain, which have heights.
    Terrain,
    /// Boxes in a solid level. They have no heights.
    Solid(SolidSections),
}

impl GridHeader {
    /// How many heights there are: one a sample of a terrain.
    pub(crate) fn heights(&self) -> u64 {
        match self.kind {
            GridKind::Terrain => self.parameters.grid.samples(),
            GridKind::Solid(_) => 0,
        }
    }

    /// Whether the heights alone tell where somebody can be.
    pub(crate) fn heights_tell_places(&self) -> bool {
        self.kind == GridKind::Terrain && !self.parameters.walkable
    }
}

impl GridKind {
    /// Boxes where there are sections of them, else samples.
    pub(crate) fn of(solid: Option<SolidSections>) -> Self {
        solid.map_or(Self::Terrain, Self::Solid)
    }

    /// The sections of a solid level.
    pub fn solid(&self) -> Option<&SolidSections> {
        match self {
            Self::Terrain => None,
            Self::Solid(sections) => Some(sections),
        }
    }
}

/// The sections that only a bundle of a solid level has ([`viewcell::format::solid`]).
#[derive(Clone, Debug, PartialEq, Eq, SchemaRead, SchemaWrite)]
pub struct SolidSections {
    /// `SOLD`.
    pub parameters: Vec<u8>,
    /// `SBOX`.
    pub boxes: Vec<u8>,
    /// `SLOC`.
    pub buckets: Vec<u8>,
    /// `SOCC`; empty in a bundle without.
    pub occluders: Vec<u8>,
    /// `OBJS`; empty but of a scene.
    pub objects: Vec<u8>,
}

impl SolidSections {
    /// How many bytes they take in a bundle.
    pub fn bytes(&self) -> u64 {
        let lengths = self.tagged().map(|(_, bytes)| bytes.len() as u64);
        lengths.sum()
    }

    fn tagged(&self) -> impl Iterator<Item = (Tag, &[u8])> {
        let sections = [
            (Tag::SOLD, &self.parameters[..]),
            (Tag::SBOX, &self.boxes),
            (Tag::SLOC, &self.buckets),
            (Tag::SOCC, &self.occluders),
            (Tag::OBJS, &self.objects),
        ];
        sections.into_iter().filter(|(_, bytes)| !bytes.is_empty())
    }
}

/// Room for an index of so many entries.
pub(super) fn new_index(out: &Output, entries: u64) -> Result<Vec<u64>, BundleError> {
    let mut index = Vec::new();
    index
        .try_reserve_exact(entries as usize)
        .map_err(|_| BundleError::Memory {
            path: out.path.clone(),
            bytes: entries * 8,
        })?;
    index.resize(entries as usize, 0);
    Ok(index)
}

/// The sections of a terrain bundle that do not depend on how PVSs are coded: what comes before
/// the PVSs, the provenance behind them, and the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    kind: WorldKind,
}

impl Front {
    /// Writes the sections before the PVSs.
    pub(super) fn write(
        out: &mut Output,
        header: &GridHeader,
        (heights, valid): (&[f64], &ValidPyramid),
    ) -> Result<Self, BundleError> {
        let parameters = &header.parameters;
        let grid = parameters.grid;
        check_length(header.heights(), heights)?;
        let has_voids = valid.samples() < grid.samples();
        let (kind, solid) = match &header.kind {
            GridKind::Solid(sections) => (WorldKind::Solid, Some(sections)),
            GridKind::Terrain => (WorldKind::Terrain, None),
        };
        let rounds = heights
            .iter()
            .any(|&height| !height.is_nan() && f64::from(height as f32) != height);
        let occludes = solid.is_some_and(|solid| !solid.occluders.is_empty());
        let draws = solid.is_some_and(|solid| !solid.objects.is_empty());
        let optional = [header.crs.is_some(), has_voids, rounds, occludes, draws];
        let optional = optional.iter().filter(|&&there| there).count();
        out.begin_bundle(kind, &Sizes::from(parameters), optional)?;

        for (tag, bytes) in solid.into_iter().flat_map(SolidSections::tagged) {
            out.whole(tag, bytes)?;
        }
        out.whole(Tag::GRID, &parameters.encode())?;
        if let Some(crs) = &header.crs {
            out.whole(Tag::CRS, crs.as_bytes())?;
        }
        if has_voids {
            let levels = match parameters.tree_code {
                TreeCode::Single => vec![valid.clone()],
                TreeCode::Levels => valid_levels(Shape::of(parameters), valid),
            };
            let words = levels.iter().flat_map(|level| level.blocks());
            out.section(Tag::VALD, words.map(|word| word.to_le_bytes()))?;
        }
        if kind == WorldKind::Terrain {
            let hot = heights.iter().map(|&height| stored_height(height));
            out.section(Tag::HGTS, hot.map(f32::to_le_bytes))?;
        }
        if rounds {
            let source = heights.iter().map(|&height| source_height(height));
            let source: Vec<u8> = source.flat_map(f64::to_le_bytes).collect();
            out.whole(Tag::SRCH, &source)?;
        }
        Ok(Self { kind })
    }

    /// Writes provenance, checksums by page, table and header, syncs, and gives the file its name; but a file of more than
    /// `most` bytes is not named.
    pub(super) fn finish_within(
        self,
        most: u64,
        out: Output,
        provenance: &Provenance,
    ) -> Result<Written, BundleError> {
        let mut provenance = provenance.clone();
        provenance.sections = match self.kind {
            WorldKind::Solid => stated(&out.sections),
            WorldKind::Terrain | WorldKind::Cells => BTreeMap::new(),
        };
        out.finish_with(self.kind, &provenance, most)
    }
}

/// What provenance states of the sections of a solid level.
fn stated(sections: &[Section]) -> BTreeMap<String, String> {
    let of =
        |section: &&Section| [Tag::SOLD, Tag::SBOX, Tag::SOCC, Tag::OBJS].contains(&section.tag);
    let stated = |section: &Section| (section.tag.to_string(), stated_checksum(section.checksum));
    sections.iter().filter(of).map(stated).collect()
}

fn check_length(expected: u64, heights: &[f64]) -> Result<(), BundleError> {
    let found = heights.len() as u64;
    if found == expected {
        Ok(())
    } else {
        Err(BundleError::Heights { expected, found })
    }
}

/// The height that `HGTS` stores: every void as the same NaN.
fn stored_height(height: f64) -> f32 {
    if height.is_nan() {
        f32::NAN
    } else {
        height as f32
    }
}

/// The height that `SRCH` stores: every void as the same NaN.
fn source_height(height: f64) -> f64 {
    if height.is_nan() { f64::NAN } else { height }
}
