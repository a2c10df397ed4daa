//! Files of questions, one a line, and their answers.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, Json, Stdout};
use viewcell::format::TerrainParameters;
use viewcell::query::{Sample, World};

use super::answer::Pairs;
use super::place::Position;

/// Ends the answers with the document, if it is asked for, on one line: a line for each answer would
/// be most of it.
pub fn finish_lines(mut stdout: Stdout, document: &impl Serialize, json: &Json) -> Outcome {
    if json.json {
        stdout.write(output::json_line(document)?.as_bytes())?;
        stdout.write(b"\n")?;
    }
    stdout.finish()?;
    Ok(Exit::Done)
}

/// Reads a file, or stdin if it is `-`, line by line; `answer` appends what is to be written for
/// a line, or says what is wrong with it. Returns the number of lines.
pub fn answer_lines(
    file: &Path,
    stdout: &mut Stdout,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Result<u64, Failure> {
    let cannot_read = Failure::cannot_read(file);
    let stdin = output::is_stream(file);
    let input: Box<dyn Read> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(cannot_read)?)
    };
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut lines = 0;
    let (mut line, mut words) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        words.clear();
        // One who sends a line and waits for its answer gets it.
        if input.buffer().is_empty() {
            stdout.flush()?;
        }
        if input.read_until(b'\n', &mut line).map_err(cannot_read)? == 0 {
            return Ok(lines);
        }
        lines += 1;
        if let Err(fault) = answer(&line, &mut words) {
            // The lines before this one keep their answers.
            stdout.flush()?;
            let name = if stdin {
                "stdin".into()
            } else {
                file.display().to_string()
            };
            return Err(Failure::bad_input(format!("{name}: line {lines}: {fault}")));
        }
        stdout.write(&words)?;
    }
}

/// Answers each line of a file, or of stdin if it is `-`, with a document on a line of its own.
pub fn answer_documents<D: Serialize>(
    file: &Path,
    mut answer: impl FnMut(&[u8]) -> Result<D, String>,
) -> Outcome {
    let mut stdout = Stdout::lock();
    answer_lines(file, &mut stdout, |line, words| {
        let document = answer(line)?;
        serde_json::to_writer(&mut *words, &document).map_err(|error| error.to_string())?;
        words.push(b'\n');
        Ok(())
    })?;
    stdout.finish()?;
    Ok(Exit::Done)
}

/// Reads a line of two places: `c0 r0 c1 r1` inside the heightmap of a terrain, separated by spaces or commas; `a b` of a
/// level of cells; of a solid level that, or `x y z x y z`, two positions.
pub fn parse_pair(world: &World<'_>, line: &[u8]) -> Result<[Position; 2], String> {
    if let Some(terrain) = world.terrain() {
        return parse_samples(line, terrain.parameters());
    }
    match (world.solid(), world.solid().and(parse_points(line))) {
        (Some(level), Some(points)) => Ok(points.map(|point| Position::at_point(level, point))),
        (Some(_), None) => parse_cells(line, world, ", or six finite numbers \"x y z x y z\""),
        (None, _) => parse_cells(line, world, ""),
    }
}

fn parse_samples(line: &[u8], parameters: &TerrainParameters) -> Result<[Position; 2], String> {
    let expected = "four whole numbers \"c0 r0 c1 r1\"";
    let [c0, r0, c1, r1] = numbers(line).ok_or_else(|| no_numbers(line, expected))?;
    let position = |column, row| {
        Position::at_sample(parameters, Sample::new(column, row)).ok_or_else(|| {
            let [columns, rows] = parameters.heightmap();
            format!(
                "({column}, {row}) is outside the grid: expected columns 0 to {} and rows 0 to {}",
                columns - 1,
                rows - 1
            )
        })
    };
    Ok([position(c0, r0)?, position(c1, r1)?])
}

/// Two cells, where a line may be something else, too.
fn parse_cells(line: &[u8], world: &World<'_>, other: &str) -> Result<[Position; 2], String> {
    let expected = format!("two whole numbers \"a b\"{other}");
    let pair: [u32; 2] = numbers(line).ok_or_else(|| no_numbers(line, &expected))?;
    let cells = world.places();
    match pair.iter().find(|cell| u64::from(**cell) >= cells) {
        None => Ok(pair.map(Position::in_cell)),
        Some(outside) => Err(format!(
            "cell {outside} does not exist: expected 0 to {}",
            cells - 1
        )),
    }
}

fn parse_points(line: &[u8]) -> Option<[[f64; 3]; 2]> {
    let [ax, ay, az, bx, by, bz] =
        numbers(line).filter(|numbers: &[f64; 6]| numbers.iter().all(|n| n.is_finite()))?;
    Some([[ax, ay, az], [bx, by, bz]])
}

fn no_numbers(line: &[u8], expected: &str) -> String {
    // What was found is not to fill the screen.
    let found = String::from_utf8_lossy(&line[..line.len().min(60)]);
    format!("expected {expected}, found {:?}", found.trim_end())
}

/// Exactly so many numbers.
fn numbers<T: FromStr, const N: usize>(line: &[u8]) -> Option<[T; N]> {
    let words = str::from_utf8(line)
        .ok()?
        .split([' ', '\t', ',', '\r', '\n']);
    let words = words
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok());
    words.collect::<Option<Vec<T>>>()?.try_into().ok()
}

/// Answers each line of a file, or of stdin, with a number as its words have it, or `None` for what there is no number of.
/// Returns the document.
pub fn answer_pairs(
    file: &Path,
    world: &World<'_>,
    json: &Json,
    words: impl Fn(Option<u32>) -> Cow<'static, str>,
    mut ask: impl FnMut([Position; 2]) -> Option<u32>,
) -> Result<(Stdout, Pairs), Failure> {
    let mut document = Pairs::new(world);
    let mut stdout = Stdout::lock();
    document.pairs = answer_lines(file, &mut stdout, |line, out| {
        let answer = ask(parse_pair(world, line)?);
        if json.json {
            document.answers.push(answer);
        } else {
            out.extend(words(answer).bytes());
            out.push(b'\n');
        }
        Ok(())
    })?;
    Ok((stdout, document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_numbers_with_any_blanks_make_a_pair() {
        for line in ["1 2 3 4\n", "1,2 3,4\r\n", "\t1  2,3 4", "01 2 3 004 \n"] {
            assert_eq!(numbers(line.as_bytes()), Some([1, 2, 3, 4]), "{line:?}");
        }
        assert_eq!(numbers(b"4294967295 0 0 0"), Some([u32::MAX, 0, 0, 0]));
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "",
            "\n",
            "1 2 3",
            "1 2 3 4 5",
            "-1 2 3 4",
            "1.0 2 3 4",
            "a b c d",
            "1 2 3 4294967296",
            "1 2 3 99999999999999999999",
            "1 2 3 4 # five",
            "# 1 2 3",
        ] {
            assert_eq!(numbers::<u32, 4>(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn a_fault_says_what_was_expected_and_found() {
        let short = no_numbers(b"0 0 5\n", "four whole numbers");
        assert!(short.ends_with("found \"0 0 5\""), "{short}");
    }
}
