//! What a terrain bundle holds beside its PVSs, to make another bundle of it.

use std::path::Path;

use super::error::BundleError;
use super::file::{BundleFile, Pieces};
use super::info::provenance_in;
use super::provenance::Provenance;
use super::verify::damaged_page;
use super::writer::{GridHeader, GridKind, SolidSections};
use crate::compress::ValidPyramid;
use viewcell::format::solid::SolidParameters;
use viewcell::format::{FormatError, Sizes, Tag, TerrainParameters, WorldKind};

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
    /// How a bundle was made, without a look at anything else in it.
    pub fn provenance(path: &Path) -> Result<Provenance, BundleError> {
        let file = BundleFile::open(path)?;
        provenance_in(path, &file.need(Tag::PROV, &Sizes::default())?)
    }
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
