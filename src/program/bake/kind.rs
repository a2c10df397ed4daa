//! The kind of world that a file is of, detected from its content: `viewcell bake FILE` bakes it as that.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Command;

/// How much of a file is looked at. [Unit: bytes]
const HEAD: u64 = 64 << 10;

/// Which verb of `viewcell bake` reads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Terrain,
    Cells,
    Solid,
}

impl Kind {
    /// The verb.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terrain => "terrain",
            Self::Cells => "cells",
            Self::Solid => "solid",
        }
    }

    /// Of a file that can be read.
    pub fn of(path: &Path) -> Option<Self> {
        // Whoever opens a pipe waits for somebody to write.
        if !path.metadata().is_ok_and(|data| data.is_file()) {
            return None;
        }
        let mut head = Vec::new();
        File::open(path)
            .ok()?
            .take(HEAD)
            .read_to_end(&mut head)
            .ok()?;
        Some(Self::of_head(&head, path))
    }

    /// By how a file begins. A level that is compiled has view cells of its own, which take seconds.
    fn of_head(head: &[u8], path: &Path) -> Self {
        const LEVELS: [&[u8]; 8] = [
            b"IBSP",
            b"VBSP",
            b"BSP2",
            b"2PSB",
            b"IWAD",
            b"PWAD",
            &[29, 0, 0, 0],
            &[30, 0, 0, 0],
        ];
        if LEVELS.iter().any(|magic| head.starts_with(magic)) {
            return Self::Cells;
        }
        if head.starts_with(b"glTF") {
            return Self::Solid;
        }
        // Rasters have bytes of 0, texts have none.
        if head.contains(&0) {
            return Self::Terrain;
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with("PRT") {
            return Self::Cells;
        }
        if text.contains("\"classname\"") {
            return Self::Solid;
        }
        if text.starts_with('{') {
            let is_mesh = ["\"CityJSON", "\"asset\"", "\"CityObjects\""]
                .iter()
                .any(|word| text.contains(word));
            return if text.contains("\"cells\"") && !is_mesh {
                Self::Cells
            } else {
                Self::Solid
            };
        }
        let is_obj = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("obj"))
            || text
                .lines()
                .any(|line| line.starts_with("v ") || line.starts_with("mtllib "));
        if is_obj { Self::Solid } else { Self::Terrain }
    }
}

/// The arguments of the program with the verb that `bake FILE` leaves out: the kind that its input has.
///
/// Which of the words is the input the parser says. Where no kind takes all of the options, it is the first that is a
/// file, and the verb says what is wrong.
pub fn with_kind(command: &Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let verbs = ["terrain", "cells", "solid", "help"];
    let rest = if arguments.get(1).is_some_and(|verb| verb == "bake") {
        arguments.get(2..).unwrap_or_default()
    } else {
        return arguments;
    };
    let is = |words: &[&str], at: &OsString| words.iter().any(|word| at == word);
    if rest.first().is_none_or(|first| is(&verbs, first))
        || rest
            .iter()
            .any(|at| is(&["--job"], at) || at.to_string_lossy().starts_with("--job="))
    {
        return arguments;
    }
    let kinds = [Kind::Terrain, Kind::Cells, Kind::Solid];
    let inputs = kinds.map(|kind| input(command, kind, &arguments));
    let found = inputs.each_ref().map(|input| Kind::of(input.as_deref()?));
    let own = kinds
        .into_iter()
        .zip(found)
        .find(|(kind, of)| *of == Some(*kind));
    let mut words = rest
        .iter()
        .filter(|at| !at.to_string_lossy().starts_with('-'));
    let kind = own
        .map(|(kind, _)| kind)
        .or_else(|| found.into_iter().flatten().next())
        .or_else(|| words.clone().find_map(|at| Kind::of(Path::new(at))));
    let kind = match kind {
        Some(kind) => kind,
        // That there is no such file is said by the verb; a word without a dot is no file's name.
        None if words.any(|at| at.to_string_lossy().contains(['.', '/'])) => Kind::Terrain,
        None => return arguments,
    };
    arguments.insert(2, kind.name().into());
    arguments
}

/// The input by the options of a kind; `None` where it does not take all of them.
fn input(command: &Command, kind: Kind, arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.to_vec();
    arguments.insert(2, kind.name().into());
    let parsed = command.clone().try_get_matches_from(arguments).ok()?;
    let (_, bake) = parsed.subcommand()?;
    let (_, of_kind) = bake.subcommand()?;
    of_kind.try_get_one::<PathBuf>("input").ok()?.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_detected_from_content_and_not_from_names() {
        let kinds: [(&[u8], &str, Kind); 12] = [
            (b"II*\0\x08\0\0\0", "a.tif", Kind::Terrain),
            (b"ncols 3\nnrows 2\n", "a.asc", Kind::Terrain),
            (b"IBSP\x2e\0\0\0", "a.bin", Kind::Cells),
            (&[29, 0, 0, 0, 1, 0], "a.bsp", Kind::Cells),
            (b"PWAD\x01\0", "a.wad", Kind::Cells),
            (b"PRT1\n3\n2\n", "a", Kind::Cells),
            (b"{\"cells\": 3, \"portals\": []}", "a.json", Kind::Cells),
            (
                b"// Game: Quake\n{\n\"classname\" \"worldspawn\"\n",
                "a.txt",
                Kind::Solid,
            ),
            (b"glTF\x02\0\0\0", "a.bin", Kind::Solid),
            (b"{\"asset\": {\"version\": \"2.0\"}}", "a", Kind::Solid),
            (
                b"{\"version\": \"2.0\", \"type\": \"CityJSON\"}",
                "a.json",
                Kind::Solid,
            ),
            (b"# a cube\no cube\nv 0 0 0\n", "a.txt", Kind::Solid),
        ];
        for (head, name, kind) in kinds {
            assert_eq!(Kind::of_head(head, Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn verbs_and_jobs_stay_as_they_are() {
        let with = |words: &str| {
            let words = words.split(' ').map(OsString::from);
            let command = <crate::Cli as clap::CommandFactory>::command();
            let all: Vec<String> = with_kind(&command, words)
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect();
            all.join(" ")
        };
        for line in [
            "viewcell bake terrain no.tif",
            "viewcell bake --job no.toml",
            "viewcell bake --help",
            "viewcell bake",
            "viewcell bake nonsense",
            "viewcell info no.vcb",
        ] {
            assert_eq!(with(line), line);
        }
        assert_eq!(with("viewcell bake no.tif"), "viewcell bake terrain no.tif");
    }
}
