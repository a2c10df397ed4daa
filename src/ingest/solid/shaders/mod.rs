//! Shader scripts of Quake III and its kin, and what they say of a level's textures: one answer for levels that are
//! compiled and those that are not.
//!
//! Where a script tells of a texture it decides. Where none does its name does. Where a script is damaged, what it may
//! have told of hides nothing.

mod script;
mod words;

use std::collections::HashMap;
use std::path::Path;

use self::script::Fault;
pub(super) use self::script::Shader;
pub(super) use self::words::{Surface, surface};
use super::contents::{self, Named, Side};
use crate::error::{IngestError, IngestErrorKind};
use crate::held::Held;
use crate::source::plain_file;

/// Where games have scripts, and how their names end: Quake III and most others; Jedi Knight, Soldier of Fortune;
/// XreaL, ET: Legacy.
pub(super) const FOLDERS: [&str; 3] = ["scripts", "shaders", "materials"];
pub(super) const ENDINGS: [&str; 4] = [".shader", ".shaderx", ".mtr", ".mtrx"];

/// Bytes of a shader besides its name, about.
const ENTRY: u64 = 160;

/// Shaders by their names.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    known: HashMap<String, Known>,
    /// Scripts that are damaged, by their names.
    faults: Vec<(String, Fault)>,
}

/// A shader, as all scripts together have it.
#[derive(Debug)]
struct Known {
    shader: Shader,
    /// The script with a word in it that is not known.
    doubtful: Option<String>,
    /// The damaged script that may tell of it.
    lost: Option<usize>,
}

/// What is known of a texture.
pub(super) enum Told<'a> {
    Script(&'a Shader),
    /// No script tells of it: what its name says.
    Name(Named),
    /// Some damaged script may have told of it.
    Lost,
}

impl Told<'_> {
    /// Whether sight may go through.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Script(shader) => shader.seen_through,
            Self::Name(named) => named.nothing || named.side == Side::Through,
            Self::Lost => true,
        }
    }

    pub(super) fn script(&self) -> Option<&Shader> {
        match self {
            Self::Script(shader) => Some(shader),
            _ => None,
        }
    }
}

impl Shaders {
    /// Those of scripts in the folders where a game has them, beside the level or beside its folder.
    ///
    /// # Errors
    ///
    /// More of them than an input may hold, and scripts that cannot be read.
    pub(super) fn beside(level: &Path, held: &mut Held) -> Result<Self, IngestError> {
        let mut shaders = Self::default();
        let folder = level.parent().unwrap_or(Path::new(""));
        for folder in [folder.to_owned(), folder.join("..")] {
            for scripts in FOLDERS {
                shaders.add_folder(&folder.join(scripts), held)?;
            }
        }
        Ok(shaders)
    }

    /// Adds the scripts of a folder, if it is there.
    fn add_folder(&mut self, folder: &Path, held: &mut Held) -> Result<(), IngestError> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(());
        };
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_script(&path.to_string_lossy()))
            .collect();
        paths.sort();
        for path in paths {
            match plain_file(&path, "a shader script", held.left()) {
                Ok(bytes) => {
                    held.take(bytes.len() as u64, "shader scripts")?;
                    self.add(&path.display().to_string(), &bytes, held)?;
                }
                // An empty one, or no file at all: nothing is told.
                Err(error) if error.kind() == IngestErrorKind::Bad => {}
                Err(error) => return Err(error.about(&path)),
            }
        }
        Ok(())
    }

    /// Adds the shaders of a script. Which of two of one name a game takes depends on its packs: what either says lets
    /// sight through does.
    pub(super) fn add(
        &mut self,
        name: &str,
        bytes: &[u8],
        held: &mut Held,
    ) -> Result<(), IngestError> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let mut full = Ok(());
        let read = script::read(text, |shader, found| {
            for key in keys(shader) {
                if full.is_ok() {
                    full = self.merge(name, key, found.clone(), held);
                }
            }
        });
        full?;
        let Err(mut fault) = read else { return Ok(()) };
        // Text of another width, of which no name is found.
        fault.is_cut |= text.contains('\0');
        let number = self.faults.len();
        let from = fault.from;
        self.faults.push((name.to_owned(), fault));
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '{' | '}');
        for word in text[from..].split(is_end).filter(|word| !word.is_empty()) {
            for key in keys(word) {
                let lost = Shader {
                    seen_through: true,
                    ..Shader::default()
                };
                self.merge(name, key.clone(), lost, held)?;
                if let Some(known) = self.known.get_mut(&key) {
                    known.lost.get_or_insert(number);
                }
            }
        }
        Ok(())
    }

    fn merge(
        &mut self,
        script: &str,
        key: String,
        shader: Shader,
        held: &mut Held,
    ) -> Result<(), IngestError> {
        let doubtful = || shader.doubt.is_some().then(|| script.to_owned());
        if let Some(known) = self.known.get_mut(&key) {
            known.doubtful = known.doubtful.take().or_else(doubtful);
            let merged = &mut known.shader;
            merged.seen_through |= shader.seen_through;
            merged.two_sided &= shader.two_sided;
            for param in shader.params {
                if !merged.params.contains(&param) {
                    merged.params.push(param);
                }
            }
            merged.doubt = merged.doubt.take().or(shader.doubt);
            return Ok(());
        }
        let bytes: usize = shader.params.iter().map(|param| param.len() + 24).sum();
        held.take(ENTRY + (key.len() + bytes) as u64, "shaders")?;
        let doubtful = doubtful();
        let known = Known {
            shader,
            doubtful,
            lost: None,
        };
        self.known.insert(key, known);
        Ok(())
    }

    /// What is known of a shader, by its whole name; where no script tells of it, by the name of its `texture` as the
    /// level has it.
    pub(super) fn told(&self, name: &str, texture: &str) -> Told<'_> {
        match self.find(name) {
            Some(known) if known.lost.is_some() => Told::Lost,
            Some(known) => Told::Script(&known.shader),
            None if self.cut().is_some() => Told::Lost,
            None => Told::Name(contents::named(&texture.to_ascii_lowercase())),
        }
    }

    fn find(&self, name: &str) -> Option<&Known> {
        keys(name).find_map(|key| self.known.get(&key))
    }

    /// The number of a script whose end is missing, which may have told of anything.
    fn cut(&self) -> Option<usize> {
        self.faults.iter().position(|(_, fault)| fault.is_cut)
    }

    /// Notes of a level with shaders of these names. `may_have` says that it is of a game that has scripts.
    pub(super) fn tell<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        may_have: bool,
        notes: &mut Vec<String>,
    ) {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let found: Vec<_> = names.iter().map(|name| (*name, self.find(name))).collect();
        if may_have && !names.is_empty() && found.iter().all(|(_, known)| known.is_none()) {
            notes.push(
                "no shader script is beside the level: which textures have holes is guessed from their \
                 names; read the level from its `pack`, or put scripts/*.shader beside its folder"
                    .into(),
            );
        }
        for (number, (script, fault)) in self.faults.iter().enumerate() {
            let is_lost = |known: &Option<&Known>| match known {
                Some(known) => known.lost == Some(number),
                None => self.cut() == Some(number),
            };
            let lost: Vec<&str> = found
                .iter()
                .filter(|(_, known)| is_lost(known))
                .map(|(name, _)| *name)
                .collect();
            let of = match lost.first() {
                None => "no shader of the level is behind that place".to_owned(),
                Some(first) => format!(
                    "{} of the level's shaders, of which it may tell from there on, hide nothing (the first: \
                     {first:.80}): mend the script",
                    lost.len()
                ),
            };
            notes.push(format!(
                "{script}: line {}: expected {}, found {}; {of}",
                fault.line, fault.expected, fault.found
            ));
        }
        let mut doubtful = found.iter().filter_map(|(name, known)| {
            let known = (*known)?;
            let (line, word) = known.shader.doubt.as_ref()?;
            let script = known.doubtful.as_deref().unwrap_or("");
            Some(format!("{name:.80}, by `{word}` in {script}, line {line}").replace('`', "\""))
        });
        if let Some(first) = doubtful.next() {
            notes.push(format!(
                "{} shaders hide nothing, because words of their scripts are not known (the first: {first})",
                doubtful.count() + 1
            ));
        }
    }
}

/// Whether a file's name is that of a script.
pub(super) fn is_script(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ENDINGS.iter().any(|end| name.ends_with(end))
}

/// What a shader is found by: its name in lower case, and the same without the ending of an image. A shader for the
/// compiler alone has another ending.
fn keys(name: &str) -> impl Iterator<Item = String> {
    let name = name.to_ascii_lowercase().replace('\\', "/");
    let name = name.strip_suffix(":q3map").unwrap_or(&name).to_owned();
    let file = name.rfind('/').map_or(0, |at| at + 1);
    let stem = name[file..].rfind('.').filter(|&dot| dot > 0);
    let stem = stem.map(|dot| name[..file + dot].to_owned());
    std::iter::once(name).chain(stem)
}

#[cfg(test)]
mod tests;
