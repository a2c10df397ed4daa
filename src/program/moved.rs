//! Verbs and options that have moved: where they are now.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A verb, an option or a value of one, and where that is now.
const MOVED: &[(&str, &str)] = &[];

/// What to say of a word that the parser does not know, if it was known once.
pub(super) fn sentence(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        _ => return None,
    };
    let Some(ContextValue::String(found)) = error.get(kind) else {
        return None;
    };
    let name = found.split([' ', '=']).next()?;
    let row = MOVED.iter().find(|(moved, _)| *moved == name);
    row.map(|(moved, now)| format!("{moved}: {now}"))
}
