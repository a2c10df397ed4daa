//! Packs of a game's folder: `.pk3` (zip) and `.pak`, and which of several files of one name the game loads.
//!
//! Of `.pk3` the last by name counts first, and what lies loose in the folder before all of them, as ioquake3 has it.
//! Of `.pak` the one with the greatest number does, and what lies loose after all of them, as Quake and Quake II have
//! it. Where there are both, `.pk3` go first and what lies loose last.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::IngestError;
use super::held::Held;
use super::source::{file_bytes, plain_file};

/// Bytes of an entry of a pack besides its name, about.
const ENTRY: u64 = 128;

const WHAT: &str = "files out of packs";

/// A game's folder.
pub(super) struct Packs {
    folder: PathBuf,
    /// Those that count first come first.
    layers: Vec<Layer>,
}

/// Where files come from, by their names in lower case.
enum Layer {
    Loose(PathBuf),
    Pk3(Pk3),
    Pak(PathBuf, BTreeMap<String, [u64; 2]>),
}

impl Packs {
    /// Opens all packs of a folder.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read, and packs that are none.
    pub(super) fn open(folder: &Path, held: &mut Held) -> Result<Self, IngestError> {
        let entries = std::fs::read_dir(folder);
        let entries = entries.map_err(|error| IngestError::io(error).about(folder))?;
        let (mut pk3, mut pak) = (Vec::new(), Vec::new());
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.to_ascii_lowercase();
            if path.is_file() && name.ends_with(".pk3")
                || path.is_dir() && name.ends_with(".pk3dir")
            {
                pk3.push((name, path));
            } else if let Some(number) = number_of(&name).filter(|_| path.is_file()) {
                pak.push((number, path));
            }
        }
        pk3.sort_by(|a, b| b.cmp(a));
        pak.sort_by_key(|(number, _)| Reverse(*number));
        let loose = Layer::Loose(folder.to_owned());
        let mut layers = Vec::new();
        let loose_last = !pak.is_empty();
        for (_, path) in pk3 {
            layers.push(if path.is_dir() {
                Layer::Loose(path)
            } else {
                open_pk3(path, held)?
            });
        }
        for (_, path) in pak {
            let files = pak_files(&path, held).map_err(|error| error.about(&path))?;
            layers.push(Layer::Pak(path, files));
        }
        layers.insert(if loose_last { layers.len() } else { 0 }, loose);
        Ok(Self {
            folder: folder.to_owned(),
            layers,
        })
    }

    /// The bytes of the file that the game loads by a name, and from where.
    pub(super) fn read(
        &self,
        name: &Path,
        held: &mut Held,
    ) -> Result<(Vec<u8>, String), IngestError> {
        let name = name.to_string_lossy().replace('\\', "/");
        let name = name.trim_start_matches("./");
        for layer in &self.layers {
            if let Some(bytes) = layer.read(name, held)? {
                return Ok((bytes, layer.path().display().to_string()));
            }
        }
        let mut maps: Vec<String> = self
            .layers
            .iter()
            .flat_map(|layer| layer.names("maps/", ".bsp"))
            .collect();
        maps.sort();
        maps.dedup();
        let remedy = match maps.as_slice() {
            [] => "name the folder that has the game's packs in `pack`".to_owned(),
            [first, ..] => format!(
                "name one of the {} levels there, such as {first}",
                maps.len()
            ),
        };
        let found = format!("none among {} packs and loose files", self.layers.len() - 1);
        Err(
            IngestError::bad(format!("{name} in the game's folder"), found, remedy)
                .about(&self.folder),
        )
    }

    /// Hands on the texts of all files that the game loads from some folders, with where they are from.
    pub(super) fn texts(
        &self,
        folders: &[&str],
        is_one: impl Fn(&str) -> bool,
        held: &mut Held,
        mut each: impl FnMut(&str, &[u8], &mut Held) -> Result<(), IngestError>,
    ) -> Result<(), IngestError> {
        let mut read = BTreeSet::new();
        for layer in &self.layers {
            for folder in folders {
                let mut names = layer.names(&format!("{folder}/"), "");
                names.retain(|name| is_one(name) && read.insert(name.to_ascii_lowercase()));
                for name in names {
                    if let Some(bytes) = layer.read(&name, held)? {
                        each(&format!("{}: {name}", layer.path().display()), &bytes, held)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The bytes of a level: of a file, or of the one that a game loads by this name from its folder `pack`.
///
/// # Errors
///
/// What cannot be read, packs that are none, and names that are in none of them.
pub fn level_bytes(path: &Path, pack: Option<&Path>) -> Result<Vec<u8>, IngestError> {
    match pack {
        None => file_bytes(path, "a level").map_err(|error| error.about(path)),
        Some(folder) => {
            let mut held = Held::within(None);
            Ok(Packs::open(folder, &mut held)?.read(path, &mut held)?.0)
        }
    }
}

impl Layer {
    fn path(&self) -> &Path {
        match self {
            Self::Loose(path) | Self::Pak(path, _) => path,
            Self::Pk3(pack) => &pack.path,
        }
    }

    fn read(&self, name: &str, held: &mut Held) -> Result<Option<Vec<u8>>, IngestError> {
        let lower = name.to_ascii_lowercase();
        let read = match self {
            Self::Loose(folder) => loose(&folder.join(name), held),
            Self::Pak(path, files) => files
                .get(&lower)
                .map(|part| part_of(path, *part, held))
                .transpose(),
            Self::Pk3(pack) => pack.read(&lower, held),
        };
        read.map_err(|error| error.at(name).about(self.path()))
    }

    /// Names of files in a folder of it with an ending, in lower case but for those that lie loose.
    fn names(&self, folder: &str, end: &str) -> Vec<String> {
        let is_one =
            |name: &String| name.starts_with(folder) && name.to_ascii_lowercase().ends_with(end);
        match self {
            Self::Loose(path) => {
                let entries = std::fs::read_dir(path.join(folder)).into_iter().flatten();
                let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                let mut names: Vec<String> = names
                    .map(|name| format!("{folder}{name}"))
                    .filter(is_one)
                    .collect();
                names.sort();
                names
            }
            Self::Pak(_, files) => files.keys().filter(|name| is_one(name)).cloned().collect(),
            Self::Pk3(pack) => pack
                .files
                .keys()
                .filter(|name| is_one(name))
                .cloned()
                .collect(),
        }
    }
}

/// A name that ends with the first zero, in lower case.
pub(super) fn name(bytes: &[u8]) -> String {
    let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name)
        .to_ascii_lowercase()
        .replace('\\', "/")
}

/// The number of `pak0.pak`.
fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix("pak")?.strip_suffix(".pak")?.parse().ok()
}

fn loose(path: &Path, held: &mut Held) -> Result<Option<Vec<u8>>, IngestError> {
    if !path.is_file() || path.metadata().is_ok_and(|file| file.len() == 0) {
        return Ok(None);
    }
    let bytes = plain_file(path, "a file of the game", held.left())?;
    held.take(bytes.len() as u64, WHAT)?;
    Ok(Some(bytes))
}

fn damaged(expected: &str, found: impl Into<String>) -> IngestError {
    IngestError::bad(expected, found, "the pack is damaged: fetch it again")
}

/// Files of a `.pak`, with where they begin and how long they are.
///
/// ```text
/// 0   "PACK"   4 bytes
/// 4   offset and length of the table, i32 each: 64 bytes a file, name (56), offset, length
/// ```
fn pak_files(path: &Path, held: &mut Held) -> Result<BTreeMap<String, [u64; 2]>, IngestError> {
    let head = part_of(path, [0, 12], held)?;
    if !head.starts_with(b"PACK") {
        return Err(damaged("a pack that begins with PACK", "another file").at("byte 0"));
    }
    let number = |bytes: &[u8], at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        u64::from(bytes.map_or(0, u32::from_le_bytes))
    };
    let table = part_of(path, [number(&head, 4), number(&head, 8)], held)?;
    held.take(table.len() as u64 / 64 * ENTRY, WHAT)?;
    let files = table.chunks_exact(64).map(|file| {
        let name = name(&file[..56]);
        (name, [number(file, 56), number(file, 60)])
    });
    Ok(files.collect())
}

/// A part of a file: where it begins and how long it is.
fn part_of(
    path: &Path,
    [offset, length]: [u64; 2],
    held: &mut Held,
) -> Result<Vec<u8>, IngestError> {
    let mut file = File::open(path).map_err(IngestError::io)?;
    // What a damaged table asks for beyond the file's end is not there.
    let there = file
        .metadata()
        .map_err(IngestError::io)?
        .len()
        .saturating_sub(offset);
    held.take(length.min(there), WHAT)?;
    file.seek(SeekFrom::Start(offset))
        .map_err(IngestError::io)?;
    let mut bytes = Vec::new();
    let read = file.take(length).read_to_end(&mut bytes);
    read.map_err(IngestError::io)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(damaged(
            &format!("{length} bytes from byte {offset} on"),
            format!("{}", bytes.len()),
        ))
    }
}

fn open_pk3(path: PathBuf, held: &mut Held) -> Result<Layer, IngestError> {
    Pk3::open(&path, held)
        .map(Layer::Pk3)
        .map_err(|error| error.about(&path))
}

/// A `.pk3`.
struct Pk3 {
    path: PathBuf,
    archive: rawzip::ZipArchive<rawzip::FileReader>,
    files: BTreeMap<String, (rawzip::ZipArchiveEntryWayfinder, rawzip::CompressionMethod)>,
}

impl Pk3 {
    fn open(path: &Path, held: &mut Held) -> Result<Self, IngestError> {
        let no_zip = |error: rawzip::Error| damaged("a zip file", error.to_string());
        let file = File::open(path).map_err(IngestError::io)?;
        let length = file.metadata().map_err(IngestError::io)?.len();
        let mut packed = 0_u64;
        let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
        let archive = rawzip::ZipArchive::from_file(file, &mut buffer).map_err(no_zip)?;
        let mut files = BTreeMap::new();
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(no_zip)? {
            let name = String::from_utf8_lossy(entry.file_path().as_ref()).to_ascii_lowercase();
            let name = name.replace('\\', "/");
            held.take(ENTRY + name.len() as u64, WHAT)?;
            packed = packed.saturating_add(entry.compressed_size_hint());
            files.insert(name, (entry.wayfinder(), entry.compression_method()));
        }
        if packed > length {
            let expected = format!("files that lie apart in {length} bytes");
            return Err(damaged(
                &expected,
                format!("{packed} bytes of them, one over the other"),
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            archive,
            files,
        })
    }

    fn read(&self, name: &str, held: &mut Held) -> Result<Option<Vec<u8>>, IngestError> {
        let Some((place, method)) = self.files.get(name) else {
            return Ok(None);
        };
        let whole = |error: rawzip::Error| damaged("a whole file", error.to_string());
        let entry = self.archive.get_entry(*place).map_err(whole)?;
        let length = place.uncompressed_size_hint();
        held.take(length, WHAT)?;
        let reader = entry.reader();
        let mut bytes = Vec::new();
        // One byte more than it says shows that it is longer.
        let read = match *method {
            rawzip::CompressionMethod::STORE => entry
                .verifying_reader(reader)
                .take(length.saturating_add(1))
                .read_to_end(&mut bytes),
            rawzip::CompressionMethod::DEFLATE => entry
                .verifying_reader(flate2::read::DeflateDecoder::new(reader))
                .take(length.saturating_add(1))
                .read_to_end(&mut bytes),
            other => {
                let remedy = "pack it again with deflate, as games read it";
                let found = format!("method {}", other.as_u16());
                return Err(IngestError::bad("a file stored or deflated", found, remedy));
            }
        };
        read.map_err(|error| damaged("a whole file", error.to_string()))?;
        if bytes.len() as u64 != length {
            let found = format!("{} or more", bytes.len());
            return Err(damaged(&format!("{length} bytes, as the pack says"), found));
        }
        Ok(Some(bytes))
    }
}
