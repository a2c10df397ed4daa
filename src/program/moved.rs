//! Verbs, options and values that have moved or are gone: what there is now.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Verbs, options and values that are with the papers, a line each: their names; the verbs or options that they were of, all
/// if there is none; what there is now.
const MOVED: &str = "
ground; ; layered ground is viewcell experiment layered
sectors --sectors; --visibility, bake; radial sectors hide who can be seen, and are compared with the other modes by \
viewcell experiment visibility
--compression --nodes-per-quad --ties; ; pruning deepest first is viewcell experiment compression; --budget gives up least
--simd; ; the work of vector instructions is compared by viewcell experiment visibility --simd
--grow --merge --order --turns --neighbours --finest --extend --tighten --construction; frontier; other ways to grow frontier \
sets are viewcell experiment growth
--bound; simulate; what frontier sets could save is told by viewcell experiment schemes --bound
FB tightened grown groups; simulate; peers with frontier sets are in viewcell experiment schemes
";

/// A verb, and what there is in its place.
const GONE: &[(&str, &str)] = &[
    (
        "seal",
        "every bundle has checksums by page; repack an older one, or bake it again",
    ),
    ("ship", "zstd -19 --long=27 level.vcb does the same"),
    ("unpack", "zstd -d --long=27 level.vcb.zst does the same"),
    ("within", "viewcell query visible --reach R does the same"),
];

/// Options that are gone, in the same way: what is typed now.
const REPLACED: &str = "
--lonlat; ; --xy takes LON,LAT where the coordinate reference system is in degrees
--metres; viewshed; --observers takes a table with the columns east,south
--weight; ; --budget SIZE,WEIGHT
--verify; ; viewcell verify OUT.vcb checks the finished bundle
--refraction; ; --earth-curvature=K
--vertical-offset; ; --vertical-scale S,METRES
--max-samples; ; as many samples are read as there is memory for
--checkpoint; cells; --resume keeps finished work in OUT.vcb.checkpoint
--over; rebake; patches are named after the bundle: viewcell rebake BUNDLE PATCHES
--inside --ground-tolerance --placement; rebake; it is as the bundle was baked
--up --from --keep --drop --opaque-without-material; rebake, simulate; it is as the bundle was baked
--sky; simulate; it is as the bundle was baked
--portals; import; viewcell bake cells --portals stores those of a level
--recompute --fast --resume --checkpoint --threads --progress; import; who sees whom is that of the matrix
--threads; check, diff, render, report, export exposure; the work takes seconds; RAYON_NUM_THREADS says with how many
--progress; check, diff, render, report, export exposure; the work takes seconds, and shows how far it is
--repeat; simulate; --seed 1..20 plays twenty
--walk --pause --deaths --respawn; simulate; --motion objectives,walk=V,pause=S,deaths=RATE,respawn=S
--burst; simulate; --loss PERCENT,ROW
--queue; simulate; --bandwidth KBIT/S,MS
--rtt-spread --jitter; simulate; --rtt MS,spread=SIGMA,jitter=MS
--count --each --all; viewshed; --kind count|each|all
--acceleration --impulse; simulate; --speed V,acceleration=A,impulse=V
--distance; simulate; --scheme distance=D
--zone; simulate; --scheme zones=D
";

/// Whose schemes are no values to the parser.
const SIMULATE: &str = "simulate";

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
    replaced(name, |verb| usage.contains(verb)).or_else(|| moved(name, |verb| usage.contains(verb)))
}

/// The same of a scheme of `simulate`.
pub fn scheme(name: &str) -> Option<String> {
    moved(name, |verb| verb == SIMULATE)
}

/// The same of an option of a job file.
pub fn option(name: &str) -> Option<String> {
    let name = format!("--{name}");
    let of = |verb: &str| ["", "bake"].contains(&verb);
    replaced(&name, of).or_else(|| moved(&name, of))
}

fn replaced(name: &str, of: impl Fn(&str) -> bool) -> Option<String> {
    Some(format!("{name} is gone: {}", found(REPLACED, name, of)?))
}

fn moved(name: &str, of: impl Fn(&str) -> bool) -> Option<String> {
    let now = found(MOVED, name, of)?;
    Some(format!(
        "{name}: {now} (cargo install --path src/papers --locked)"
    ))
}

/// What a table says of a name.
fn found(table: &'static str, name: &str, of: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut rows = rows(table);
    let is = |names: &str, verbs: &str| {
        names.split(' ').any(|word| word == name) && verbs.split(", ").any(&of)
    };
    rows.find(|[names, verbs, _]| is(names, verbs))
        .map(|[.., now]| now)
}

/// Names, verbs and what there is now.
fn rows(table: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    table.trim().lines().map(|row| {
        let mut parts = row.splitn(3, "; ");
        [(); 3].map(|()| parts.next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;

    /// Each command that has no others below it: its words, and its options.
    fn leaves(command: &Command, before: &str, into: &mut Vec<(String, Vec<String>)>) {
        let words = format!("{before} {}", command.get_name());
        for below in command.get_subcommands() {
            leaves(below, &words, into);
        }
        let options = command.get_arguments().filter_map(clap::Arg::get_long);
        let options = options.map(|name| format!("--{name}"));
        into.push((words.trim().to_owned(), options.collect()));
    }

    #[test]
    fn what_is_refused_is_no_option_and_of_a_verb_that_there_is() {
        let mut all = Vec::new();
        leaves(&crate::Cli::command(), "", &mut all);
        for [names, verbs, now] in rows(REPLACED) {
            assert!(!now.is_empty(), "{names}");
            for verb in verbs.split(", ") {
                let of = all.iter().filter(|(words, _)| words.contains(verb));
                let known: Vec<_> = of.flat_map(|(_, options)| options).collect();
                assert!(!known.is_empty(), "{names}: {verb}");
                assert!(
                    !names
                        .split(' ')
                        .any(|name| known.iter().any(|option| *option == name)),
                    "{names}: {verb}"
                );
            }
        }
    }
}
