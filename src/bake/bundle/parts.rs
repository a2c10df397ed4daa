//! What a terrain bundle holds beside its PVSs, to make another bundle of it.

use std::io::Read;
use std::path::Path;

use super::error::BundleError;
use super::file::{BundleFile, Pieces, open_regular};
use super::info::provenance_in;
use super::provenance::Provenance;
use super::verify::damaged_page;
use super::writer::{GridHeader, GridKind, SolidSections};
use crate::compress::ValidPyramid;
use viewcell::format::solid::SolidParameters;
use viewcell::format::{FormatError, Patch, Sizes, Tag, TerrainParameters, WorldKind};
use viewcell_ingest::world::{Georeference, Terrain};

/// What a terrain bundle holds beside its PVSs.
#[derive(Clone, Debug)]
pub struct TerrainParts {
    /// Grid, options, coordinate reference system.
    pub header: GridHeader,
    /// Ground heights in metres as they were read, row by row, NaN for void; none of a solid level.
    pub heights: Vec<f64>,
    /// Where somebody can be.
    pub valid: ValidPyramid,
    /// How it was made.
    pub provenance: Provenance,
}

impl TerrainParts {
    /// Reads them. Errors unless the file is a terrain bundle all of whose sections have their
    /// checksums.
    pub fn read(path: &Path) -> Result<Self, BundleError> {
        let file = BundleFile::open(path)?;
        let format = BundleError::format(path);
        let found = file.header().kind;
        if !matches!(found, WorldKind::Terrain | WorldKind::Solid) {
            return Err(format(FormatError::OtherKind {
                expected: WorldKind::Terrain,
                found,
            }));
        }
        file.check_sections()?;
        let none = Sizes::default();
        let parameters = TerrainParameters::parse(&file.need(Tag::GRID, &none)?).map_err(format)?;
        let (grid, sizes) = (parameters.grid, Sizes::from(&parameters));
        let crs = file.read(Tag::CRS, &none)?;
        let solid = match found {
            WorldKind::Solid => {
                let record = file.need(Tag::SOLD, &none)?;
                let solid = SolidParameters::parse(&record).map_err(format)?;
                let sizes = Sizes::from(&solid);
                Some(SolidSections {
                    boxes: file.need(Tag::SBOX, &sizes)?,
                    buckets: file.need(Tag::SLOC, &sizes)?,
                    occluders: file.need(Tag::SOCC, &sizes)?,
                    objects: file.need(Tag::OBJS, &sizes)?,
                    // Whatever the version, it is written as of this one.
                    parameters: solid.encode().to_vec(),
                })
            }
            _ => None,
        };
        let heights: Vec<f64> = match file.read(Tag::SRCH, &sizes)? {
            _ if solid.is_some() => Vec::new(),
            Some(bytes) => {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|&n| f64::from_le_bytes(n)).collect()
            }
            None => {
                let bytes = file.need(Tag::HGTS, &sizes)?;
                let (numbers, _) = bytes.as_chunks();
                let numbers = numbers.iter().map(|&n| f32::from_le_bytes(n));
                numbers.map(f64::from).collect()
            }
        };
        let header = GridHeader {
            parameters,
            crs: crs.map(|text| String::from_utf8_lossy(&text).into_owned()),
            kind: GridKind::of(solid),
        };
        let valid = match file.read(Tag::VALD, &sizes)? {
            Some(bytes) => {
                let (words, _) = bytes.as_chunks();
                let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
                ValidPyramid::new(grid, &words[..grid.blocks()])
            }
            None => ValidPyramid::from_places(grid, std::iter::repeat(true)),
        };
        let provenance = provenance_in(path, &file.need(Tag::PROV, &none)?)?;
        Ok(Self {
            header,
            heights,
            valid,
            provenance,
        })
    }
}

impl TerrainParts {
    /// Lays the heights of a patch over these; returns the bytes of its file.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, is no patch, or has heights that no terrain has.
    pub(crate) fn lay(&mut self, path: &Path) -> Result<Vec<u8>, BundleError> {
        let bytes = read_whole(path).map_err(BundleError::read(path))?;
        let patch = Patch::parse(&bytes).map_err(BundleError::format(path))?;
        for (sample, height) in patch.heights() {
            let old = self.heights.get_mut(sample as usize);
            let old = old.filter(|_| height.is_nan() || height.abs() <= Terrain::MAX_ABS_HEIGHT);
            *old.ok_or_else(|| {
                let problem = format!(
                    "expected samples of the bundle and heights of a terrain, found {height} m at sample {sample}"
                );
                BundleError::section(path, Tag::CHTS, problem)
            })? = height;
        }
        Ok(bytes)
    }

    /// How a bundle was made, without a look at anything else in it.
    pub fn provenance(path: &Path) -> Result<Provenance, BundleError> {
        let file = BundleFile::open(path)?;
        provenance_in(path, &file.need(Tag::PROV, &Sizes::default())?)
    }
}

impl GridHeader {
    /// The ground that heights are of.
    pub(crate) fn terrain(&self, heights: &[f64], path: &Path) -> Result<Terrain, BundleError> {
        let grid = self.parameters.grid;
        let spacing = self.parameters.cell_spacing;
        let terrain = Terrain::new(grid.width(), grid.height(), heights.to_vec(), spacing);
        let terrain = terrain.map_err(|error| BundleError::Damaged {
            path: path.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(
            terrain.with_georeference(self.parameters.transform.map(|transform| Georeference {
                transform,
                crs: self.crs.clone().unwrap_or_default(),
            })),
        )
    }
}

/// All of a regular file.
fn read_whole(path: &Path) -> std::io::Result<Vec<u8>> {
    let (mut file, length) = open_regular(path)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl BundleFile {
    /// Reads the whole file. Errors unless all sections have their checksums, and all pages where the file has
    /// checksums of these.
    pub fn check_sections(&self) -> Result<(), BundleError> {
        let read = BundleError::read(self.path());
        for section in self.sections() {
            let mut pieces = Pieces::of(self.file(), section).map_err(read)?;
            let mut checksum = crc32fast::Hasher::new();
            while let Some(bytes) = pieces.next().map_err(read)? {
                checksum.update(bytes);
            }
            let found = checksum.finalize();
            if found != section.checksum {
                let expected = section.checksum;
                let problem = format!("expected checksum {expected:08x}, found {found:08x}");
                return Err(BundleError::section(self.path(), section.tag, problem));
            }
        }
        let page = damaged_page(self).map_err(read)?;
        page.map_or(Ok(()), |fault| {
            let (place, expected, found) = (fault.place, fault.expected, fault.found);
            let problem = format!("{place}: expected {expected}, found {found}");
            Err(BundleError::section(self.path(), Tag::PCRC, problem))
        })
    }
}
