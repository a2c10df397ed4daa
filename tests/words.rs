//! What the library says is for everybody: it names no flag of the command line.
//!
//! Whoever calls it from Rust, Python or C has no `--force`. Options have the names of the library's
//! own fields, in backquotes, and `src/cli/flags.rs` makes flags of them. Comments may speak of
//! flags, and so may names of other programs' (`gdal_translate -co`), but for the two that are ours
//! as well.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn no_text_of_the_library_names_a_flag() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    files.retain(|file| !file.starts_with(source.join("cli")));
    assert!(files.len() > 100, "found only {} files", files.len());
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for literal in literals(&text) {
            if names_a_flag(&literal) {
                let name = file.strip_prefix(root).unwrap().display();
                faults.push(format!("{name}: {literal:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_checker_finds_flags_in_texts_alone() {
    for faulty in [
        r##"f("give it with --spacing")"##,
        r##"let quote = '"'; f("--crop")"##,
        r##"f('\'', "\"--crop")"##,
        r##"f(r#"a "quoted" --crop"#)"##,
        r##"f("elsewhere with -o")"##,
        r##"f("over two \
            lines: -o, or not")"##,
        r##"f("--{name}")"##,
        r##"fn f<'a>() { g("--crop") }"##,
        "/* \" */ f(\"--crop\")",
    ] {
        assert!(
            literals(faulty).iter().any(|text| names_a_flag(text)),
            "{faulty}"
        );
    }
    for sound in [
        "// bake with \"--crop\"\nf()",
        "/// `viewcell bake \"--crop\"`",
        "/* \"--crop\" /* \"-o\" */ \"-o\" */",
        "let x = y --z;",
        r##"f("gdal_translate -co TILED=YES -b N IN OUT")"##,
        r##"f("<!-- a page --> a -- b, ---- c")"##,
        r##"f("give its `spacing`")"##,
    ] {
        assert!(
            !literals(sound).iter().any(|text| names_a_flag(text)),
            "{sound}"
        );
    }
}

/// Does a text name a flag, as `--crop` or `-o`?
fn names_a_flag(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
    (0..bytes.len()).any(|i| {
        let begins = i == 0 || !(at(i - 1) == b'-' || at(i - 1).is_ascii_alphanumeric());
        let long = at(i) == b'-'
            && at(i + 1) == b'-'
            && (at(i + 2).is_ascii_lowercase() || at(i + 2) == b'{');
        let short = at(i) == b'-' && at(i + 1) == b'o' && !at(i + 2).is_ascii_alphanumeric();
        begins && (long || short)
    })
}

/// The texts in quotes in a source file, as they are written there.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut word = false; // whether what went before is part of a name
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => end_of_comment(rest),
            '"' => {
                let end = end_of_text(rest);
                found.push(rest[1..end].trim_end_matches('"').to_owned());
                end
            }
            'r' | 'b' | 'c' if !word && raw(rest).is_some() => {
                let (text, end) = raw(rest).unwrap();
                found.push(text.to_owned());
                end
            }
            // A character ends with a quote; a lifetime does not.
            '\'' if rest.starts_with("'\\") => 3 + rest[3..].find('\'').map_or(0, |end| end + 1),
            '\'' => match rest.char_indices().nth(2) {
                Some((at, '\'')) => at + 1,
                _ => 1,
            },
            c => c.len_utf8(),
        };
        word = c.is_alphanumeric() || c == '_';
        rest = &rest[end..];
    }
    found
}

/// Where the comment in `/*` that begins a text ends; they nest.
fn end_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += 1;
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Where the text in quotes that begins a text ends.
fn end_of_text(text: &str) -> usize {
    let mut escaped = true; // the first quote ends nothing
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The raw text that begins a text, and where it ends.
fn raw(text: &str) -> Option<(&str, usize)> {
    let after = text.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inner = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&close)?;
    let begin = text.len() - inner.len();
    Some((&inner[..length], begin + length + close.len()))
}

/// All `.rs` files under a folder.
fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
}
