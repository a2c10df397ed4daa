//! Wavefront OBJ files, and the libraries of materials (MTL) that they name.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use crate::error::{IngestError, IngestErrorKind};
use crate::held::Held;
use crate::source::plain_file;

/// Corners and faces of a file.
#[derive(Default)]
pub(crate) struct ObjFile {
    pub corners: Vec<[f64; 3]>,
    pub faces: Vec<ObjFace>,
    /// Names of materials that are used; faces have their numbers.
    pub materials: Vec<String>,
    /// Names of objects, and of groups as a line has them, one with blanks or several; the first is none. Faces have their
    /// numbers.
    pub names: Vec<String>,
    /// What is written behind `mtllib`, each once.
    pub libraries: Vec<String>,
    /// Points, lines, curves and free-form surfaces, of which nothing is read, and the line of the first.
    pub others: (usize, usize),
}

/// A face: three corners or more, by their numbers from 0 on, which need not be there.
pub(crate) struct ObjFace {
    pub corners: Vec<u32>,
    /// Where the file says so, counted from 1.
    pub line: usize,
    /// The number of its material; none if no material is named.
    pub material: Option<u32>,
    /// The numbers of the names of its object and its groups.
    pub names: [u32; 2],
}

impl ObjFile {
    /// Reads a file. Numbers of corners are not compared with how many there are.
    ///
    /// # Errors
    ///
    /// A corner that is no three numbers, a face of fewer than three corners; names the line.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, IngestError> {
        let text = String::from_utf8_lossy(bytes);
        let mut file = Self::default();
        let mut materials = HashMap::new();
        let mut libraries = HashSet::new();
        let mut material = None;
        let (mut names, mut of_names) = ([0; 2], HashMap::new());
        number_of(String::new(), &mut of_names, &mut file.names);
        for (number, line) in lines(text.trim_start_matches('\u{feff}')) {
            let bad = |expected: &str| {
                let found = format!("{:.60}", line.trim());
                IngestError::bad(expected, found, "export the mesh again")
                    .at(format!("line {number}"))
            };
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let numbers: Option<Vec<f64>> =
                        words.take(3).map(|word| word.parse().ok()).collect();
                    let corner = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
                    file.corners
                        .push(corner.ok_or_else(|| bad("v and three numbers"))?);
                }
                Some("f") => {
                    let corner = |word: &str| {
                        let number: i64 = word.split('/').next()?.parse().ok()?;
                        let number = match number {
                            1.. => number - 1,
                            // Counted back from the last.
                            ..=-1 => (file.corners.len() as i64).checked_add(number)?,
                            0 => return None,
                        };
                        u32::try_from(number).ok()
                    };
                    let face: Option<Vec<u32>> = words.map(corner).collect();
                    let face = face.filter(|face| face.len() >= 3);
                    file.faces.push(ObjFace {
                        corners: face
                            .ok_or_else(|| bad("f and the numbers of three corners or more"))?,
                        line: number,
                        material,
                        names,
                    });
                }
                Some(word @ ("o" | "g")) => {
                    let name = words.collect::<Vec<_>>().join(" ");
                    let number = number_of(name, &mut of_names, &mut file.names);
                    names[usize::from(word == "g")] = number;
                }
                Some("usemtl") => {
                    let name = words.collect::<Vec<_>>().join(" ");
                    material = Some(number_of(name, &mut materials, &mut file.materials));
                }
                Some("mtllib") => {
                    let names = words.collect::<Vec<_>>().join(" ");
                    if libraries.insert(names.clone()) {
                        file.libraries.push(names);
                    }
                }
                Some("p" | "l" | "curv" | "curv2" | "surf") => {
                    file.others.0 += 1;
                    if file.others.0 == 1 {
                        file.others.1 = number;
                    }
                }
                _ => {}
            }
        }
        Ok(file)
    }
}

/// The number of a name in a list, to which it is added once.
fn number_of(name: String, numbers: &mut HashMap<String, u32>, names: &mut Vec<String>) -> u32 {
    *numbers.entry(name).or_insert_with_key(|name| {
        names.push(name.clone());
        names.len() as u32 - 1
    })
}

/// Lines with the number of their first, from 1 on. A backslash at the end joins a line with the next, but not
/// in a comment, nor behind a letter of a name: Windows' paths may end with one.
fn lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut rest = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        let (number, line) = rest.next()?;
        let Some(mut begun) = continued(line, line) else {
            return Some((number, line.into()));
        };
        let mut whole = String::new();
        loop {
            whole.push_str(begun);
            whole.push(' ');
            let Some((_, next)) = rest.next() else { break };
            match continued(line, next) {
                Some(more) => begun = more,
                None => {
                    whole.push_str(next);
                    break;
                }
            }
        }
        Some((number, whole.into()))
    })
}

/// What is before the backslash, if the line goes on; `first` is where the statement begins.
fn continued<'a>(first: &str, line: &'a str) -> Option<&'a str> {
    let begun = line.trim_end().strip_suffix('\\')?;
    let word = first.split_whitespace().next().unwrap_or("");
    let has_name = ["o", "g", "usemtl", "mtllib", "usemap", "maplib"].contains(&word);
    let goes_on = !word.starts_with('#')
        && (!has_name || begun.is_empty() || begun.ends_with(char::is_whitespace));
    goes_on.then_some(begun)
}

/// What the libraries of a file say.
#[derive(Default)]
pub(crate) struct Libraries {
    /// Of each material the word that says that it is seen through, if one does.
    pub clear: BTreeMap<String, Option<&'static str>>,
    /// Libraries that are not there, or no plain files: their names, and why.
    pub missing: Vec<String>,
}

impl Libraries {
    /// Reads the libraries of the file at `path`, each once: plain files in its folder or below.
    ///
    /// # Errors
    ///
    /// More of them than the input may hold.
    pub(crate) fn read(
        named: &[String],
        path: &Path,
        held: &mut Held,
    ) -> Result<Self, IngestError> {
        let mut read = Self::default();
        let mut met = HashSet::new();
        for name in named.iter().flat_map(|names| split(names, path)) {
            if !met.insert(name) {
                continue;
            }
            let mut why = None;
            let file = places(name, path).into_iter().find_map(|file| {
                match plain_file(&file, "a library of materials", held.left()) {
                    Ok(bytes) => Some(Ok(bytes)),
                    // Missing is the last that is worth telling.
                    Err(error) if error.kind() == IngestErrorKind::Read => None,
                    Err(error) if error.kind() == IngestErrorKind::Resource => {
                        Some(Err(error.about(&file)))
                    }
                    Err(error) => {
                        why.get_or_insert(format!("{name:.80} ({})", error.found()));
                        None
                    }
                }
            });
            match file.transpose()? {
                Some(bytes) => {
                    held.take(bytes.len() as u64, "libraries of materials")?;
                    read.add(&bytes);
                }
                None => read
                    .missing
                    .push(why.unwrap_or_else(|| format!("{name:.80}"))),
            }
        }
        Ok(read)
    }

    fn add(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut material: Option<(String, Material)> = None;
        for (_, line) in lines(text.trim_start_matches('\u{feff}')) {
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or("").to_ascii_lowercase();
            if word == "newmtl" {
                self.end(material.take());
                let name = words.collect::<Vec<_>>().join(" ");
                material = Some((name, Material::default()));
                continue;
            }
            if let Some((_, material)) = &mut material {
                let words = words.take_while(|word| !word.starts_with('#'));
                material.take(&word, &words.collect::<Vec<_>>());
            }
        }
        self.end(material);
    }

    /// Of a material that is described twice either may be meant.
    fn end(&mut self, material: Option<(String, Material)>) {
        if let Some((name, material)) = material {
            let clear = self.clear.entry(name).or_default();
            *clear = clear.or(material.is_clear());
        }
    }
}

/// What a material says of what is seen through it.
#[derive(Default)]
struct Material {
    /// The first word that says so.
    clear: Option<&'static str>,
    /// It says that it is opaque.
    opaque: bool,
    /// The filter of transmission lets all through, or nothing. Maya writes it so of what is opaque.
    white: bool,
    /// A model of illumination with transparency or refraction.
    glass: Option<u32>,
}

impl Material {
    /// Takes a line's first word, in lower case, and the others.
    fn take(&mut self, word: &str, words: &[&str]) {
        let number = || words.last().and_then(|word| word.parse::<f64>().ok());
        let mut clear = |word, is_clear| {
            if is_clear {
                self.clear.get_or_insert(word);
            }
        };
        match word {
            "d" => {
                clear("d", number() != Some(1.0));
                self.opaque |= number() == Some(1.0);
            }
            "tr" => {
                clear("Tr", number() != Some(0.0));
                self.opaque |= number() == Some(0.0);
            }
            "map_d" => clear("map_d", true),
            "map_tr" => clear("map_Tr", true),
            "tf" => {
                self.white = words.iter().all(|word| word.parse() == Ok(1.0_f64));
                if !self.white {
                    self.clear.get_or_insert("Tf");
                }
            }
            "illum" => {
                let model = words.first().and_then(|word| word.parse().ok());
                self.glass = model.filter(|model| [4, 6, 7, 9].contains(model));
            }
            _ => {}
        }
    }

    fn is_clear(&self) -> Option<&'static str> {
        let glass = match self.glass {
            // Maya's for all that it writes.
            Some(4) => !self.white && !self.opaque,
            other => other.is_some(),
        };
        self.clear.or(glass.then_some("illum"))
    }
}

/// The names of libraries in a line: one with spaces if there is such a file, else each word or what ends
/// with `.mtl`.
fn split<'a>(names: &'a str, path: &Path) -> Vec<&'a str> {
    if places(names, path).iter().any(|file| file.is_file()) {
        return vec![names];
    }
    let mut split = Vec::new();
    let lower = names.to_ascii_lowercase();
    // Nothing is looked at again for each name of a long line.
    let mut ends = lower
        .match_indices(".mtl ")
        .map(|(at, _)| at + 4)
        .peekable();
    let mut at = 0;
    while at < names.len() {
        let rest = &names[at..];
        while ends.next_if(|&end| end <= at).is_some() {}
        let end = match ends.peek() {
            Some(&end) => end,
            None if lower.ends_with(".mtl") => names.len(),
            None => at + rest.find(' ').unwrap_or(rest.len()),
        };
        split.push(names[at..end].trim());
        at = end + (names[end..].len() - names[end..].trim_start().len());
    }
    split
}

/// Where a library may be: as it is named in the folder of the file, or below; and beside the file.
fn places(name: &str, path: &Path) -> Vec<PathBuf> {
    let name = PathBuf::from(name.replace('\\', "/"));
    let mut parts = name.components();
    let below = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let named = below.then(|| path.parent().unwrap_or(Path::new("")).join(&name));
    let beside = name.file_name().map(|name| path.with_file_name(name));
    let mut places: Vec<PathBuf> = named.into_iter().chain(beside).collect();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_joins_lines_but_not_comments_and_names() {
        let text = "# C:\\models\\\nv 1 \\\n2 \\\n3\nusemtl C:\\brick\\\nv 4 5 6\nf 1 2\\\n 3\n\
                    mtllib a.mtl \\\n b.mtl\nl 1 2\np 1\n";
        let file = ObjFile::read(text.as_bytes()).unwrap();
        assert_eq!(file.corners, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(file.faces[0].corners, [0, 1, 2]);
        assert_eq!(file.faces[0].line, 7);
        assert_eq!(file.materials, ["C:\\brick\\"]);
        assert_eq!(file.libraries, ["a.mtl b.mtl"]);
        assert_eq!(file.others, (2, 11));
        // At the end of the file there is nothing to be joined.
        assert!(ObjFile::read(b"v 1 2 3 \\").is_ok());
    }

    #[test]
    fn glass_has_many_words_in_libraries() {
        let is_clear = |body: &str| {
            let mut libraries = Libraries::default();
            libraries.add(format!("newmtl a\n{body}\nnewmtl b\nd 1\n").as_bytes());
            assert!(libraries.clear["b"].is_none());
            libraries.clear["a"].is_some()
        };
        for (body, clear) in [
            ("Kd 1 1 1", false),
            ("d 1.0", false),
            ("d 0.3", true),
            ("d 0.3 # glass 1", true),
            ("d -halo 0.0", true),
            ("D 0.3", true),
            ("Tr 0", false),
            ("tr 0.7", true),
            ("Tr 0.7 # 0", true),
            ("map_d a.png", true),
            ("map_Tr a.png", true),
            ("illum 2", false),
            ("illum 4", true),
            ("illum 4\nd 1", false),
            ("illum 7\nTf 1 1 1\nd 1", true),
            // As Maya writes what is opaque, and what is not.
            ("illum 4\nTf 1 1 1", false),
            ("illum 4\nTf 0.2 0.2 0.2", true),
            ("illum 7\nTf 1 1 1", true),
            ("illum 9\nd 1", true),
            ("illum 6", true),
            ("d oops", true),
        ] {
            assert_eq!(is_clear(body), clear, "{body}");
        }
    }

    #[test]
    fn several_libraries_on_a_line_and_names_with_blanks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        let names = |line| split(line, &path);
        assert_eq!(names("a.mtl b.mtl"), ["a.mtl", "b.mtl"]);
        assert_eq!(names("my room.mtl other.MTL"), ["my room.mtl", "other.MTL"]);
        assert_eq!(names("one two"), ["one", "two"]);
        std::fs::write(folder.path().join("one two"), "x").unwrap();
        assert_eq!(names("one two"), ["one two"]);
    }
}
