//! Writing a bundle of a grid of view cells: of a terrain or of a solid level.
//!
//! The file is written under another name in its own folder, synced, and renamed when it is complete
//! ([`super::output`]). Trees are streamed; only the index (8 bytes a quad) is in memory.

use std::collections::BTreeMap;
use std::path::Path;

use wincode::{SchemaRead, SchemaWrite};

use super::error::BundleError;
use super::output::{OpenSection, Output, Written, check_output};
use super::provenance::{Provenance, stated_checksum};
use crate::compress::ValidPyramid;
use crate::compress::graded::valid_levels;
use viewcell::format::graded::Shape;
use viewcell::format::{Grid, Header, Quad, Section, Tag, TerrainParameters, TreeCode, WorldKind};

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
        ];
        sections.into_iter().filter(|(_, bytes)| !bytes.is_empty())
    }
}

/// Writes a terrain bundle: trees in bake order in, a finished file out. Dropped before
/// [`TerrainWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct TerrainWriter {
    out: Output,
    grid: Grid,
    overwrite: bool,
    /// The quad whose tree is due.
    due: Option<Quad>,
    /// Offsets of the trees, by [`Grid::quad_index`].
    index: Vec<u64>,
    trees: OpenSection,
    front: Front,
}

impl TerrainWriter {
    /// Begins a bundle. `heights` are in metres, row by row, NaN for void.
    ///
    /// Errors where the output exists and is not to be overwritten, its folder is not there, or
    /// the heights do not fit the grid.
    pub fn create(
        path: &Path,
        overwrite: bool,
        header: &GridHeader,
        heights: &[f64],
    ) -> Result<Self, BundleError> {
        let valid = of_heights(header.parameters.grid, heights)?;
        Self::create_on(path, overwrite, header, (heights, &valid))
    }

    /// The same for ground on which somebody can be only where it is `valid`, which no void is.
    pub fn create_on(
        path: &Path,
        overwrite: bool,
        header: &GridHeader,
        ground: (&[f64], &ValidPyramid),
    ) -> Result<Self, BundleError> {
        check_output(path, overwrite)?;
        let mut out = Output::create(path)?;
        let grid = header.parameters.grid;
        let index = new_index(&out, grid.quad_count())?;
        let front = Front::write(&mut out, header, ground, &[Tag::TREE, Tag::TIDX])?;
        let trees = out.begin(Tag::TREE, Section::REQUIRED)?;
        Ok(Self {
            out,
            grid,
            overwrite,
            due: Some(grid.first_in_bake_order()),
            index,
            trees,
            front,
        })
    }

    /// Appends the tree of a quad. Errors unless it is the quad that is due in bake order
    /// ([`Grid::next_in_bake_order`]).
    pub fn push_tree(
        &mut self,
        level: u32,
        column: u32,
        row: u32,
        bytes: &[u8],
    ) -> Result<(), BundleError> {
        let quad = Quad::new(level, column, row);
        let (true, Some(index)) = (self.due == Some(quad), self.grid.quad_index(quad)) else {
            return Err(BundleError::Order {
                expected: self.due,
                found: Some(quad),
            });
        };
        self.index[index as usize] = self.out.position - self.trees.offset;
        self.trees.checksum.update(bytes);
        self.due = self.grid.next_in_bake_order(quad);
        self.out.write(bytes)
    }

    /// Writes what remains, syncs, and gives the file its name. Errors if trees are missing, or
    /// if meanwhile somebody else made a file of that name and it is not to be overwritten.
    pub fn finish(mut self, provenance: &Provenance) -> Result<Written, BundleError> {
        self.write_index()?;
        self.front.finish(self.out, provenance, self.overwrite)
    }

    fn write_index(&mut self) -> Result<(), BundleError> {
        if self.due.is_some() {
            return Err(BundleError::Order {
                expected: self.due,
                found: None,
            });
        }
        let out = &mut self.out;
        self.front.sections.push(out.end(self.trees.clone()));
        let offsets = self.index.iter().map(|offset| offset.to_le_bytes());
        self.front
            .sections
            .push(out.section(Tag::TIDX, Section::REQUIRED, offsets)?);
        Ok(())
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
#[derive(Debug)]
pub(super) struct Front {
    /// What has been written.
    pub sections: Vec<Section>,
    kind: WorldKind,
}

impl Front {
    /// Writes the sections before the PVSs, which take sections `pvss` in the end.
    pub(super) fn write(
        out: &mut Output,
        header: &GridHeader,
        (heights, valid): (&[f64], &ValidPyramid),
        pvss: &[Tag],
    ) -> Result<Self, BundleError> {
        let grid = header.parameters.grid;
        check_length(header.heights(), heights)?;
        let has_voids = valid.samples() < grid.samples();
        let kind = match header.kind {
            GridKind::Solid(_) => WorldKind::Solid,
            GridKind::Terrain => WorldKind::Terrain,
        };
        let rounds = heights
            .iter()
            .any(|&height| !height.is_nan() && f64::from(height as f32) != height);
        let own = match &header.kind {
            GridKind::Solid(solid) => solid.tagged().count(),
            GridKind::Terrain => [Tag::HGTS].len(),
        };
        let always = [Tag::GRID, Tag::PROV].len() + own + pvss.len();
        let optional = [header.crs.is_some(), has_voids, rounds];
        out.leave_room(always + optional.iter().filter(|&&there| there).count())?;

        let mut sections = Vec::new();
        for (tag, bytes) in header
            .kind
            .solid()
            .into_iter()
            .flat_map(SolidSections::tagged)
        {
            let flags = if tag == Tag::SOCC {
                0
            } else {
                Section::REQUIRED
            };
            sections.push(out.section(tag, flags, [bytes])?);
        }
        let record = header.parameters.encode();
        sections.push(out.section(Tag::GRID, Section::REQUIRED, [record.as_slice()])?);
        if let Some(crs) = &header.crs {
            sections.push(out.section(Tag::CRS, 0, [crs.as_bytes()])?);
        }
        if has_voids {
            let levels = match header.parameters.tree_code {
                TreeCode::Single | TreeCode::Pairs => vec![valid.clone()],
                TreeCode::Graded => valid_levels(Shape::new(grid, header.parameters.grade), valid),
            };
            let words = levels.iter().flat_map(|level| level.blocks());
            let words = words.map(|word| word.to_le_bytes());
            sections.push(out.section(Tag::VALD, Section::REQUIRED, words)?);
        }
        if kind == WorldKind::Terrain {
            let hot = heights
                .iter()
                .map(|&height| stored_height(height).to_le_bytes());
            sections.push(out.section(Tag::HGTS, Section::REQUIRED, hot)?);
            if rounds {
                let source: Vec<u8> = heights
                    .iter()
                    .flat_map(|&height| source_height(height).to_le_bytes())
                    .collect();
                sections.push(out.compressed_section(Tag::SRCH, &source)?);
            }
        }
        Ok(Self { sections, kind })
    }

    /// The same of PVSs in groups, whose codes are in `dictionary`; and begins the section of the groups.
    pub(super) fn before_groups(
        out: &mut Output,
        header: &GridHeader,
        ground: (&[f64], &ValidPyramid),
        pvss: &[Tag],
        dictionary: &[u8],
    ) -> Result<(Self, OpenSection), BundleError> {
        let mut front = Self::write(out, header, ground, pvss)?;
        let dictionary = out.section(Tag::DICT, Section::REQUIRED, [dictionary])?;
        front.sections.push(dictionary);
        Ok((front, out.begin(Tag::PAIR, Section::REQUIRED)?))
    }

    /// Writes provenance, checksums by page, table and header, syncs, and gives the file its name.
    pub(super) fn finish(
        self,
        out: Output,
        provenance: &Provenance,
        overwrite: bool,
    ) -> Result<Written, BundleError> {
        self.finish_within(u64::MAX, out, provenance, overwrite)
    }

    /// As [`Front::finish`], but a file of more than `most` bytes is not named.
    pub(super) fn finish_within(
        mut self,
        most: u64,
        mut out: Output,
        provenance: &Provenance,
        overwrite: bool,
    ) -> Result<Written, BundleError> {
        let mut provenance = provenance.clone();
        provenance.sections = match self.kind {
            WorldKind::Solid => stated(&self.sections),
            WorldKind::Terrain | WorldKind::Cells => BTreeMap::new(),
        };
        let text = serde_json::to_vec(&provenance)
            .map_err(|error| out.error("writing provenance", error.into()))?;
        self.sections
            .push(out.compressed_section(Tag::PROV, &text)?);
        out.finish(Header::of(self.kind), self.sections, most, overwrite)
    }
}

/// What provenance states of the sections of a solid level.
fn stated(sections: &[Section]) -> BTreeMap<String, String> {
    let of = |section: &&Section| [Tag::SOLD, Tag::SBOX, Tag::SOCC].contains(&section.tag);
    let stated = |section: &Section| (section.tag.to_string(), stated_checksum(section.checksum));
    sections.iter().filter(of).map(stated).collect()
}

/// Where somebody can be by the heights alone; errors unless there is one a sample.
pub(super) fn of_heights(grid: Grid, heights: &[f64]) -> Result<ValidPyramid, BundleError> {
    check_length(grid.samples(), heights)?;
    Ok(ValidPyramid::from_heights(grid, heights))
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
