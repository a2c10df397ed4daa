//! Where words and bytes go.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{self, Path, PathBuf};

use serde::Serialize;
use viewcell::bundle;

use super::exit::{Exit, Failure};

/// How a verb prints its result.
#[derive(clap::Args)]
pub struct Json {
    /// Print one JSON document on stdout, as described in schemas/
    #[arg(long)]
    pub json: bool,
}

/// Says something to a person, on stderr. If nobody listens, that is no reason to fail.
pub fn say(words: impl Display) {
    let _ = writeln!(io::stderr(), "{words}");
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
            "{}: is the input too, and was kept; choose another name for what is written",
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
    match is_stream(output) {
        false => Ok(()),
        true => Err(Failure::usage(
            "-: expected the name of a file to write, since this cannot go to stdout; a file of that \
             very name is ./-"
                .into(),
        )),
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
    let mut stdout = Stdout::lock();
    stdout.write(format!("{result}\n").as_bytes())?;
    stdout.finish()
}

/// Prints a JSON document.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    print(serde_json::to_string_pretty(document).map_err(not_json)?)
}

/// A document that JSON cannot hold, such as one with a path that is no Unicode.
pub fn not_json(error: serde_json::Error) -> Failure {
    Failure::new(Exit::InputOutput, error)
}
