//! Where words and bytes go.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{self, Path, PathBuf};
use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use viewcell_bake::bundle;

use super::exit::{Exit, Failure, Outcome};

/// How a verb prints its result.
#[derive(Clone, Copy, clap::Args)]
pub struct Json {
    /// Print one JSON document on stdout, as described in schemas/
    #[arg(long)]
    pub json: bool,
}

impl Json {
    /// Prints a document if that is asked for: what has no other result on stdout.
    pub fn document<D: Serialize>(&self, document: impl FnOnce() -> D) -> Outcome {
        if self.json {
            print_json(&document())?;
        }
        Ok(Exit::Done)
    }

    /// Prints a result: as a document if that is asked for, as text otherwise.
    pub fn tell<D: Serialize>(&self, document: impl FnOnce() -> D, text: impl Display) -> Outcome {
        if self.json {
            print_json(&document())?
        } else {
            print(text)?
        }
        Ok(Exit::Done)
    }
}

/// How a file is written by a verb that has no other result.
#[derive(clap::Args)]
pub struct FileWorkOptions {
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Print nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub json: Json,
}

impl FileWorkOptions {
    /// Tells of a file written, and of its size.
    pub fn written(&self, output: &Path, size: impl Display) {
        if !self.quiet {
            say(format_args!("written: {}{size}", output.display()));
        }
    }
}

/// What a file's ending, in upper or lower case, stands for among those that are `known`; `expected` are these in words.
pub fn of_ending<T: Copy>(path: &Path, known: &[(&str, T)], expected: &str) -> Result<T, Failure> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("");
    let found = known
        .iter()
        .find(|(name, _)| ending.eq_ignore_ascii_case(name));
    found.map(|(_, of)| *of).ok_or_else(|| {
        Failure::usage(format!(
            "{}: expected a name that ends in {expected}, found {ending:?}",
            path.display()
        ))
    })
}

/// Says something to a person, on stderr. If nobody listens, that is no reason to fail.
pub fn say(words: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escaped(&words.to_string()));
}

/// A text as a terminal may show it: control characters other than line ends and tabs, and those that
/// change the direction of writing, are escaped, since the text may come from a file. So are line ends in names of
/// the command line.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let names = BROKEN_NAMES.get_or_init(|| broken_names(std::env::args_os()));
    if names.is_empty() {
        return lines(text);
    }
    let mut whole = text.to_owned();
    for name in names {
        whole = whole.replace(name, &escaped_line(name));
    }
    Cow::Owned(lines(&whole).into_owned())
}

fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| !matches!(c, '\n' | '\t'))
}

/// Names of the command line that have line ends, and what outputs are named by them, the longest first.
static BROKEN_NAMES: OnceLock<Vec<String>> = OnceLock::new();

fn broken_names(arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut names = Vec::new();
    for argument in arguments {
        let path = Path::new(&argument);
        let bare = path.with_extension("");
        let parts = [Some(path.as_os_str()), Some(bare.as_os_str())];
        let parts = parts
            .into_iter()
            .chain([path.file_name(), path.file_stem()]);
        let lossy = parts
            .flatten()
            .map(|part| part.to_string_lossy().into_owned());
        // A name of nothing but line ends would stand for every one of a text.
        names.extend(lossy.filter(|name| name.contains(['\n', '\r']) && !name.trim().is_empty()));
    }
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.dedup();
    names
}

/// The same of a text that has one line, such as a name.
pub fn escaped_line(text: &str) -> Cow<'_, str> {
    escape(text, |_| true)
}

fn escape(text: &str, applies: impl Fn(char) -> bool) -> Cow<'_, str> {
    let commands = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() || turns) && applies(c)
    };
    if !text.contains(commands) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if commands(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
    }
    shown.into()
}

/// Standard output, buffered; call [`Stdout::finish`] at the end.
pub struct Stdout(BufWriter<io::StdoutLock<'static>>);

impl Stdout {
    pub fn lock() -> Self {
        Self(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.write_all(bytes).map_err(failure)
    }

    /// Sends on what is in the buffer.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(failure)
    }

    /// Sends on the rest; without this a full disk would go unnoticed.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()
    }
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::io("cannot write to stdout".into(), error),
    }
}

/// Errors where an output is the input: it would be gone.
pub fn check_not_input(input: &Path, output: &Path) -> Result<(), Failure> {
    match (input.canonicalize(), output.canonicalize()) {
        (Ok(input), Ok(there)) if input == there => Err(Failure::usage(format!(
            "{}: is also the input, and was kept; choose another name for the output",
            output.display()
        ))),
        _ => Ok(()),
    }
}

/// The name that stands for stdin or stdout.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Errors where an output is `-`: what is written is named when it is whole, which a stream cannot
/// be, and stdout is for what the program has to say.
pub fn check_not_stream(output: &Path) -> Result<(), Failure> {
    if is_stream(output) {
        Err(Failure::usage(
            "-: expected the name of a file to write, since this cannot go to stdout; a file with \
             that name is ./-",
        ))
    } else {
        Ok(())
    }
}

/// What would fail in the end fails before the work: outputs that are an input or one another, that
/// are there already, or that cannot be written.
pub fn check_outputs<'p>(
    inputs: &[&Path],
    outputs: impl IntoIterator<Item = &'p PathBuf>,
    force: bool,
) -> Result<(), Failure> {
    let mut others = Vec::new();
    for output in outputs {
        check_not_stream(output)?;
        inputs
            .iter()
            .try_for_each(|input| check_not_input(input, output))?;
        bundle::check_output(output, force)?;
        let place = path::absolute(output).ok();
        if others.contains(&place) {
            return Err(Failure::usage(format!(
                "{}: expected a file for each output, found one for two; give them different names",
                output.display()
            )));
        }
        others.push(place);
    }
    Ok(())
}

/// Prints a result, with a line's end.
pub fn print(result: impl Display) -> Result<(), Failure> {
    print_as_it_is(escaped(&result.to_string()))
}

fn print_as_it_is(result: impl Display) -> Result<(), Failure> {
    let mut stdout = Stdout::lock();
    stdout.write(format!("{result}\n").as_bytes())?;
    stdout.finish()
}

/// Prints a JSON document.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document).map_err(not_json)?;
    print_as_it_is(escaped_json(&text))
}

/// Prints a JSON document on one line.
pub fn print_json_line(document: &impl Serialize) -> Result<(), Failure> {
    print_as_it_is(json_line(document)?)
}

/// A JSON document on one line.
pub fn json_line(document: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(document).map_err(not_json)?;
    Ok(escaped_json(&text))
}

/// A JSON document as a terminal may show it: what is escaped stands in its texts.
fn escaped_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        // JSON escapes the first 32 itself.
        match lines(c.encode_utf8(&mut [0; 4])) {
            Cow::Borrowed(_) => shown.push(c),
            Cow::Owned(_) => shown += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    shown
}

/// A document that JSON cannot hold.
pub fn not_json(error: serde_json::Error) -> Failure {
    Failure::new(Exit::InputOutput, error)
}

/// Names of files, in a document: bytes that are no Unicode are U+FFFD there.
pub trait Names {
    /// The names.
    type Shown<'a>: Serialize
    where
        Self: 'a;

    /// What a document says.
    fn shown(&self) -> Self::Shown<'_>;
}

impl Names for PathBuf {
    type Shown<'a> = Cow<'a, str>;

    fn shown(&self) -> Self::Shown<'_> {
        self.to_string_lossy()
    }
}

impl Names for Option<PathBuf> {
    type Shown<'a> = Option<Cow<'a, str>>;

    fn shown(&self) -> Self::Shown<'_> {
        self.as_deref().map(Path::to_string_lossy)
    }
}

impl Names for Vec<PathBuf> {
    type Shown<'a> = Vec<Cow<'a, str>>;

    fn shown(&self) -> Self::Shown<'_> {
        self.iter().map(|path| path.to_string_lossy()).collect()
    }
}

/// Writes names of files into a document, for `serialize_with`: a path of its own would be an error where it is no Unicode.
pub fn names<N: Names, S: Serializer>(files: &N, serializer: S) -> Result<S::Ok, S::Error> {
    files.shown().serialize(serializer)
}
