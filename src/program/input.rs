//! Files that are read whole: regular files up to a size, or stdin.

use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use viewcell_bake::Source;

use super::exit::Failure;
use super::output::is_stream;

/// Most bytes of a file of options, names or changes. [Unit: bytes]
pub const SMALL: u64 = 64 << 20;
/// Most bytes of any other file that is read whole. [Unit: bytes]
pub const LARGE: u64 = 4 << 30;

/// Opens a regular file of at most `most` bytes, for reading as many and no more.
pub fn open(path: &Path, most: u64) -> Result<io::Take<File>, Failure> {
    let cannot_read = Failure::cannot_read(path);
    // Asked before opening, since opening a pipe waits for somebody to write.
    let data = fs::metadata(path).map_err(cannot_read)?;
    if data.is_dir() {
        return Err(cannot_read(io::ErrorKind::IsADirectory.into()));
    }
    if !data.is_file() {
        let found = "expected a regular file, found a device or a pipe";
        return Err(cannot_read(io::Error::other(found)));
    }
    if data.len() > most {
        return Err(too_large(path, most));
    }
    Ok(File::open(path).map_err(cannot_read)?.take(most))
}

/// The bytes of a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    read_all(path, open(path, most)?, most)
}

/// The text of a regular file of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String, Failure> {
    text(path, read(path, most)?)
}

/// The text of a regular file, or of stdin if it is `-`: at most `most` bytes.
pub fn read_text_or_stdin(path: &Path, most: u64) -> Result<String, Failure> {
    if is_stream(path) {
        text(
            path,
            read_all(path, io::stdin().lock().take(most + 1), most)?,
        )
    } else {
        read_text(path, most)
    }
}

fn read_all(path: &Path, mut from: impl Read, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match from.read_to_end(&mut bytes) {
        Ok(length) if length as u64 > most => Err(too_large(path, most)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::io(
            format!("{}: cannot be read", path.display()),
            error,
        )),
    }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        Failure::bad_input(format!(
            "{}: expected UTF-8 text, found other bytes at byte {}",
            path.display(),
            error.utf8_error().valid_up_to()
        ))
    })
}

/// What a bundle says of a file that it is made of.
pub fn source(path: &Path, format: &str, options: Map<String, Value>) -> Result<Source, Failure> {
    Source::new(path, format, options).map_err(Failure::cannot_read(path))
}

fn too_large(path: &Path, most: u64) -> Failure {
    Failure::bad_input(format!(
        "{}: expected at most {} MiB, found more",
        path.display(),
        most >> 20
    ))
}
