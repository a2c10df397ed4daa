//! Verbs, options and values that have moved or are gone: what there is now.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A verb, an option or a value; the verb or option that it was of, and what there is now.
const MOVED: &[(&str, &str, &str)] = &[
    (
        "ground",
        "",
        "layered ground is viewcell experiment layered",
    ),
    ("sectors", "--visibility", SECTORS),
    ("--sectors", "bake", SECTORS),
    ("--compression", "", PRUNING),
    ("--nodes-per-quad", "", PRUNING),
    ("--ties", "", PRUNING),
    ("--grow", "frontier", GROWTH),
    ("--merge", "frontier", GROWTH),
    ("--order", "frontier", GROWTH),
    ("--turns", "frontier", GROWTH),
    ("--neighbours", "frontier", GROWTH),
    ("--finest", "frontier", GROWTH),
    ("--extend", "frontier", GROWTH),
    ("--tighten", "frontier", GROWTH),
    ("--construction", "frontier", GROWTH),
    ("FB", SIMULATE, SCHEMES),
    ("tightened", SIMULATE, SCHEMES),
    ("grown", SIMULATE, SCHEMES),
    ("groups", SIMULATE, SCHEMES),
];

/// A verb, and what there is in its place.
const GONE: &[(&str, &str)] = &[
    (
        "seal",
        "every bundle has checksums by page; repack an older one, or bake it again",
    ),
    ("ship", "zstd -19 --long=27 level.vcb does the same"),
    ("unpack", "zstd -d --long=27 level.vcb.zst does the same"),
];

/// Whose schemes are no values to the parser.
const SIMULATE: &str = "simulate";
const SECTORS: &str = "radial sectors hide who can be seen, and are compared with the other modes by \
                       viewcell experiment visibility";
const PRUNING: &str =
    "pruning deepest first is viewcell experiment compression; --budget gives up least";
const GROWTH: &str = "other ways to grow frontier sets are viewcell experiment growth";
const SCHEMES: &str = "peers with frontier sets are in viewcell experiment schemes";

/// What to say of a word that the parser does not know, if it was known once.
pub fn sentence(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        _ => return None,
    };
    let Some(ContextValue::String(found)) = error.get(kind) else {
        return None;
    };
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        // Of a value the option is known, and no usage.
        _ => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(option)) => option.clone(),
            _ => String::new(),
        },
    };
    let name = found.split([' ', '=']).next()?;
    if let Some((gone, now)) = GONE.iter().find(|(gone, _)| *gone == name) {
        return Some(format!("{gone} is gone: {now}"));
    }
    moved(name, |verb| usage.contains(verb))
}

/// The same of a scheme of `simulate`.
pub fn scheme(name: &str) -> Option<String> {
    moved(name, |verb| verb == SIMULATE)
}

/// The same of an option of a job file.
pub fn option(name: &str) -> Option<String> {
    moved(&format!("--{name}"), |verb| ["", "bake"].contains(&verb))
}

fn moved(name: &str, of: impl Fn(&str) -> bool) -> Option<String> {
    let mut rows = MOVED.iter();
    let (word, _, now) = rows.find(|(word, verb, _)| *word == name && of(verb))?;
    Some(format!(
        "{word}: {now} (cargo install --path src/papers --locked)"
    ))
}
