//! Writing a terrain bundle.
//!
//! The file is made under a temporary name in its own folder, synced, and renamed when it is
//! whole: at every moment the output's name stands for the old file or the new one. Trees are
//! streamed; of the bundle only the index (8 bytes a quad) is in memory.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::error::BundleError;
use super::provenance::Provenance;
use crate::compress::ValidPyramid;
use crate::format::header::{ALIGNMENT, ENTRY_LEN, HEADER_LEN};
use crate::format::{Grid, Header, Quad, Section, Tag, TerrainParameters, WorldKind, crc32};

/// zstd level of the cold sections: compressed once, read now and then.
const ZSTD_LEVEL: i32 = 12;

/// What a terrain bundle says of itself: the `GRID` section, and the CRS.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainHeader {
    /// The `GRID` section.
    pub parameters: TerrainParameters,
    /// Coordinate reference system: `EPSG:n`, WKT, or what the source file said.
    pub crs: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Length of the bundle in bytes.
    pub bytes: u64,
    /// Checksum in its header, which stands for the whole file.
    pub checksum: u32,
    /// Its sections.
    pub sections: Vec<Section>,
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
    sections: Vec<Section>,
    /// Sections that the table has room for.
    expected_sections: usize,
}

impl TerrainWriter {
    /// Begins a bundle. `heights` are in metres, row by row, NaN for void.
    ///
    /// Errors where the output exists and is not to be overwritten, its folder is not there, or
    /// the heights do not fit the grid.
    pub fn create(
        path: &Path,
        overwrite: bool,
        header: &TerrainHeader,
        heights: &[f64],
    ) -> Result<Self, BundleError> {
        let grid = header.parameters.grid;
        if heights.len() as u64 != grid.samples() {
            return Err(BundleError::Heights {
                expected: grid.samples(),
                found: heights.len() as u64,
            });
        }
        check_output(path, overwrite)?;
        let mut index = Vec::new();
        index
            .try_reserve_exact(grid.quad_count() as usize)
            .map_err(|_| BundleError::Memory {
                path: path.to_owned(),
                bytes: grid.quad_count() * 8,
            })?;
        index.resize(grid.quad_count() as usize, 0);
        let has_voids = heights.iter().any(|height| height.is_nan());
        let rounds = heights
            .iter()
            .any(|&height| !height.is_nan() && f64::from(height as f32) != height);
        let expected_sections =
            5 + usize::from(header.crs.is_some()) + usize::from(has_voids) + usize::from(rounds);
        let table_end = HEADER_LEN + expected_sections * ENTRY_LEN;
        let mut out = Output::create(path)?;
        // Header and table come last; until then their place holds zeros, which no reader takes
        // for a bundle.
        out.write(&vec![0; table_end])?;

        let mut sections = Vec::new();
        let record = header.parameters.encode();
        sections.push(out.section(Tag::GRID, Section::REQUIRED, [record.as_slice()])?);
        if let Some(crs) = &header.crs {
            sections.push(out.section(Tag::CRS, 0, [crs.as_bytes()])?);
        }
        if has_voids {
            let valid = ValidPyramid::from_heights(grid, heights);
            let words = valid.blocks().iter().map(|word| word.to_le_bytes());
            sections.push(out.section(Tag::VALD, Section::REQUIRED, words)?);
        }
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
        let trees = out.begin(Tag::TREE, Section::REQUIRED)?;
        Ok(Self {
            out,
            grid,
            overwrite,
            due: Some(grid.first_in_bake_order()),
            index,
            trees,
            sections,
            expected_sections,
        })
    }

    /// The quad whose tree is due; `None` when all have come.
    pub fn due(&self) -> Option<Quad> {
        self.due
    }

    /// Bytes written so far.
    pub fn bytes_written(&self) -> u64 {
        self.out.position
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
        self.out.write(bytes)?;
        self.due = self.grid.next_in_bake_order(quad);
        Ok(())
    }

    /// Writes what remains, syncs, and gives the file its name. Errors if trees are missing, or
    /// if meanwhile somebody else made a file of that name and it is not to be overwritten.
    pub fn finish(mut self, provenance: &Provenance) -> Result<Written, BundleError> {
        if self.due.is_some() {
            return Err(BundleError::Order {
                expected: self.due,
                found: None,
            });
        }
        let out = &mut self.out;
        self.sections.push(out.end(self.trees));
        let offsets = self.index.iter().map(|offset| offset.to_le_bytes());
        self.sections
            .push(out.section(Tag::TIDX, Section::REQUIRED, offsets)?);
        let text = serde_json::to_vec(provenance)
            .map_err(|error| out.error("writing provenance", error.into()))?;
        self.sections
            .push(out.compressed_section(Tag::PROV, &text)?);
        assert_eq!(self.sections.len(), self.expected_sections);

        let table: Vec<u8> = self.sections.iter().flat_map(Section::encode).collect();
        let bytes = out.position;
        let header = Header {
            kind: WorldKind::Terrain,
            file_length: bytes,
            section_count: self.sections.len() as u32,
            table_checksum: crc32(&table),
        }
        .encode();
        self.out.persist(&[&header, &table], self.overwrite)?;
        Ok(Written {
            bytes,
            checksum: Header::checksum_of(&header),
            sections: self.sections,
        })
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

/// Errors where an output would not be written in the end, so that it shows before the work.
///
/// [`TerrainWriter::create`] calls it too; a caller with a long way to go before that may call
/// it first.
pub fn check_output(path: &Path, overwrite: bool) -> Result<(), BundleError> {
    let folder = folder_of(path);
    let Some(name) = path.file_name() else {
        return Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a folder",
        });
    };
    if !folder.is_dir() {
        return Err(BundleError::NoFolder {
            folder: folder.to_owned(),
            name: PathBuf::from(name),
        });
    }
    match std::fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(there) if there.is_dir() => Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a folder",
        }),
        Ok(_) if !overwrite => Err(BundleError::Exists {
            path: path.to_owned(),
        }),
        // A rename would put a file in the place of a device or a pipe.
        Ok(there) if !there.is_file() && !there.is_symlink() => Err(BundleError::NotAFile {
            path: path.to_owned(),
            found: "a device or a pipe",
        }),
        Ok(_) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A section that is being streamed.
#[derive(Debug)]
struct OpenSection {
    tag: Tag,
    flags: u32,
    offset: u64,
    checksum: crc32fast::Hasher,
}

/// The file in the making.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    temporary: TempPath,
    position: u64,
}

impl Output {
    fn create(path: &Path) -> Result<Self, BundleError> {
        let temporary = temporary_for(path)
            .map_err(|error| BundleError::write(path, "creating it", 0, error))?;
        let (file, temporary) = temporary.into_parts();
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 20, file),
            temporary,
            position: 0,
        })
    }

    fn error(&self, action: &'static str, error: io::Error) -> BundleError {
        BundleError::write(&self.path, action, self.position, error)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        self.file
            .write_all(bytes)
            .map_err(|error| self.error("writing", error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Begins a section at the next aligned place.
    fn begin(&mut self, tag: Tag, flags: u32) -> Result<OpenSection, BundleError> {
        let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])?;
        Ok(OpenSection {
            tag,
            flags,
            offset: self.position,
            checksum: crc32fast::Hasher::new(),
        })
    }

    /// Ends the section, all of which has been written.
    fn end(&self, section: OpenSection) -> Section {
        let length = self.position - section.offset;
        Section {
            tag: section.tag,
            flags: section.flags,
            offset: section.offset,
            stored_length: length,
            length,
            checksum: section.checksum.finalize(),
        }
    }

    /// Writes a whole section, piece by piece.
    fn section<P: AsRef<[u8]>>(
        &mut self,
        tag: Tag,
        flags: u32,
        pieces: impl IntoIterator<Item = P>,
    ) -> Result<Section, BundleError> {
        let mut section = self.begin(tag, flags)?;
        // Checksums are fast only over long runs.
        let mut run = Vec::with_capacity(1 << 16);
        let mut pieces = pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            run.extend_from_slice(piece.as_ref());
            if run.len() >= 1 << 15 || pieces.peek().is_none() {
                section.checksum.update(&run);
                self.write(&run)?;
                run.clear();
            }
        }
        Ok(self.end(section))
    }

    /// Writes a whole section as a zstd frame.
    fn compressed_section(&mut self, tag: Tag, bytes: &[u8]) -> Result<Section, BundleError> {
        // One thread: zstd's bytes depend on whether it has workers.
        let frame = zstd::bulk::compress(bytes, ZSTD_LEVEL)
            .map_err(|error| self.error("compressing", error))?;
        let mut section = self.section(tag, Section::ZSTD, [frame])?;
        section.length = bytes.len() as u64;
        Ok(section)
    }

    /// Puts `start` at the beginning of the file, makes the file durable, and names it.
    fn persist(mut self, start: &[&[u8]], overwrite: bool) -> Result<(), BundleError> {
        let finished = (|| {
            self.file.seek(SeekFrom::Start(0))?;
            for bytes in start {
                self.file.write_all(bytes)?;
            }
            self.file.flush()?;
            self.file.get_ref().sync_all()
        })();
        finished.map_err(|error| self.error("syncing", error))?;
        let Self {
            path,
            file,
            temporary,
            position,
        } = self;
        drop(file);
        name_file(temporary, &path, overwrite).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return BundleError::Exists { path: path.clone() };
            }
            BundleError::write(&path, "renaming it into place", position, error)
        })
    }
}

/// A temporary file in the folder of `path`, with the permissions that a new file has.
fn temporary_for(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".viewcell-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process's umask takes away what a new file of this user must not have.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
}

/// Renames a temporary file to `path`, and makes the name durable.
fn name_file(temporary: TempPath, path: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        temporary.persist(path)?;
    } else {
        temporary.persist_noclobber(path)?;
    }
    // A rename is durable once its folder is. Some file systems cannot sync a folder; the file
    // is whole all the same.
    if let Ok(folder) = File::open(folder_of(path)) {
        folder.sync_all().ok();
    }
    Ok(())
}

/// Writes a small file in one go, as bundles are written: under a temporary name, synced, then
/// renamed. Errors as [`check_output`] does, and where writing fails.
pub fn save(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), BundleError> {
    check_output(path, overwrite)?;
    save_file(path, bytes, overwrite).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => BundleError::Exists {
            path: path.to_owned(),
        },
        _ => BundleError::write(path, "saving it", 0, error),
    })
}

fn save_file(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let mut temporary = temporary_for(path)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    name_file(temporary.into_temp_path(), path, overwrite)
}

/// Writes a small file over what was there.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    save_file(path, bytes, true)
}
