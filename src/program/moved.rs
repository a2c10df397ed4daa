//! Verbs and options that have moved: where they are now.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A verb, an option or a value of one, and what there is now.
const MOVED: &[(&str, &str)] = &[
    (
        "ground",
        "layered ground is viewcell experiment layered, which cargo install --path src/papers --locked installs",
    ),
    ("ship", ARCHIVES),
    ("unpack", ARCHIVES),
    ("FB", SCHEMES),
    ("tightened", SCHEMES),
    ("grown", SCHEMES),
    ("groups", SCHEMES),
];

const ARCHIVES: &str =
    "gone, for zstd does it: zstd -19 --long=27 level.vcb, and zstd -d --long=27 level.vcb.zst";
const SCHEMES: &str = "peers with frontier sets are in viewcell experiment schemes, which cargo install --path src/papers --locked installs";

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
    of(found.split([' ', '=']).next()?)
}

/// Where a word has moved to, if it has.
pub fn of(name: &str) -> Option<String> {
    let row = MOVED.iter().find(|(moved, _)| *moved == name);
    row.map(|(moved, now)| format!("{moved}: {now}"))
}
