//! What a terrain bundle holds beside its PVSs, to make another bundle of it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::error::BundleError;
use super::file::BundleFile;
use super::info::{TEXT_LIMIT, provenance_in};
use super::provenance::Provenance;
use super::verify::damaged_page;
use super::writer::{GridHeader, GridKind, SolidSections};
use crate::compress::ValidPyramid;
use viewcell::format::graded::Shape;
use viewcell::format::occluders::MAX_LEN;
use viewcell::format::solid::{BOX_LEN, BUCKET_LEN, SOLID_LEN, SolidParameters};
use viewcell::format::terrain::TERRAIN_LEN;
use viewcell::format::{FormatError, Tag, TerrainParameters, TreeCode, WorldKind};

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
        let damaged = |tag: Tag, problem: String| BundleError::section(path, tag, problem);
        let found = file.header().kind;
        if !matches!(found, WorldKind::Terrain | WorldKind::Solid) {
            return Err(format(FormatError::OtherKind {
                expected: WorldKind::Terrain,
                found,
            }));
        }
        file.check_sections()?;
        let need = |tag, limit| {
            file.read(tag, limit)?
                .ok_or(format(FormatError::MissingSection { tag }))
        };
        let parameters =
            TerrainParameters::parse(&need(Tag::GRID, TERRAIN_LEN as u64)?).map_err(format)?;
        let samples = parameters.grid.samples();
        let crs = file.read(Tag::CRS, TEXT_LIMIT)?;
        let solid = match found {
            WorldKind::Solid => {
                let record = need(Tag::SOLD, SOLID_LEN as u64)?;
                let solid =
                    SolidParameters::parse(&record, file.header().version).map_err(format)?;
                Some(SolidSections {
                    boxes: need(Tag::SBOX, u64::from(solid.cells) * BOX_LEN as u64)?,
                    buckets: need(Tag::SLOC, solid.bucket_count() * BUCKET_LEN as u64)?,
                    occluders: file.read(Tag::SOCC, MAX_LEN)?.unwrap_or_default(),
                    // Whatever the version, it is written as of this one.
                    parameters: solid.encode().to_vec(),
                })
            }
            _ => None,
        };
        let heights: Vec<f64> = match file.read(Tag::SRCH, samples * 8)? {
            _ if solid.is_some() => Vec::new(),
            Some(bytes) => {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|&n| f64::from_le_bytes(n)).collect()
            }
            None => {
                let bytes = need(Tag::HGTS, samples * 4)?;
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
        let expected = header.heights();
        if heights.len() as u64 != expected {
            let problem = format!("expected {expected} heights, found {}", heights.len());
            return Err(damaged(Tag::HGTS, problem));
        }
        let blocks = match parameters.tree_code {
            TreeCode::Single | TreeCode::Pairs => parameters.grid.blocks(),
            TreeCode::Graded => {
                let shape = Shape::new(parameters.grid, parameters.grade);
                shape.blocks_below(shape.levels())
            }
        };
        let valid = match file.read(Tag::VALD, 8 * blocks as u64)? {
            Some(bytes) => {
                let (words, _) = bytes.as_chunks();
                let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
                if words.len() != blocks {
                    let problem = format!("expected {blocks} words, found {}", words.len());
                    return Err(damaged(Tag::VALD, problem));
                }
                ValidPyramid::new(parameters.grid, &words[..parameters.grid.blocks()])
            }
            None => ValidPyramid::from_places(parameters.grid, std::iter::repeat(true)),
        };
        let provenance = provenance_in(path, &need(Tag::PROV, TEXT_LIMIT)?)?;
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
        let text = file.read(Tag::PROV, TEXT_LIMIT)?;
        let missing = FormatError::MissingSection { tag: Tag::PROV };
        provenance_in(path, &text.ok_or(BundleError::format(path)(missing))?)
    }
}

impl BundleFile {
    /// Reads the whole file. Errors unless all sections have their checksums, and all pages where the file has
    /// checksums of these.
    pub fn check_sections(&self) -> Result<(), BundleError> {
        let read = BundleError::read(self.path());
        let mut buffer = vec![0; 1 << 18];
        for section in self.sections() {
            let mut file = self.file();
            file.seek(SeekFrom::Start(section.offset)).map_err(read)?;
            let mut rest = file.take(section.stored_length);
            let mut checksum = crc32fast::Hasher::new();
            loop {
                let length = rest.read(&mut buffer).map_err(read)?;
                if length == 0 {
                    break;
                }
                checksum.update(&buffer[..length]);
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
