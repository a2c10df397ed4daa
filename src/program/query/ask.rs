//! Queries: opens a bundle, with patches over it, and answers about two places or about a file of pairs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::output::{self, Json, Stdout};
use viewcell::format::TerrainParameters;
use viewcell::query::{
    CellBundle, Layers, MappedBundle, Sample, SolidBundle, TerrainBundle, World,
};

use super::bundles::{cannot_open, open, terrain, world};
use super::place::{By, GivenPlace, Position, check_by_number, check_cell, quad_at};
use super::solid as solid_level;

/// Asks a bundle, whichever kind of world it is of; a terrain may have patches over it. Fails where patches, or
/// places by coordinates, are given for a level.
pub fn ask_world(
    path: &Path,
    by: &By,
    over: &Over,
    ask: impl FnOnce(&MappedBundle, World<'_>) -> Outcome,
) -> Outcome {
    let map = open(path)?;
    match world(path, &map)? {
        World::Terrain(_) => over.ask(path, &map, |terrain| ask(&map, World::Terrain(terrain))),
        level => {
            check_by_number(path, by)?;
            over.check_none()?;
            ask(&map, level)
        }
    }
}

/// Patches over a bundle.
#[derive(clap::Args)]
pub struct Over {
    /// A patch to apply to the bundle (viewcell rebake), or several in the order in which they were made
    #[arg(long, value_name = "P.vcp", num_args = 1..)]
    patch: Vec<PathBuf>,
}

impl Over {
    /// Asks the terrain of a mapped bundle, with the patches over it.
    pub fn ask(
        &self,
        path: &Path,
        map: &MappedBundle,
        ask: impl FnOnce(TerrainBundle<'_>) -> Outcome,
    ) -> Outcome {
        if self.patch.is_empty() {
            return ask(terrain(path, map)?);
        }
        let read = |patch: &PathBuf| input::read(patch, input::LARGE);
        let patches: Vec<Vec<u8>> = self.patch.iter().map(read).collect::<Result<_, _>>()?;
        let bundle = map.bundle().map_err(|error| cannot_open(path, error))?;
        let mut layers = Layers::new(&bundle).map_err(|error| cannot_open(path, error))?;
        for (bytes, name) in patches.iter().zip(&self.patch) {
            layers
                .lay(bytes)
                .map_err(|error| cannot_open(name, error))?;
        }
        ask(layers.terrain())
    }

    /// Errors if there are any, over a bundle of cells.
    pub fn check_none(&self) -> Result<(), Failure> {
        match self.patch.first() {
            None => Ok(()),
            Some(patch) => Err(Failure::usage(format!(
                "--patch {}: expected a bundle of a terrain, found one of cells",
                patch.display()
            ))),
        }
    }
}

/// Two places of a bundle, or a file of pairs of them.
#[derive(clap::Args)]
pub struct PairArgs {
    /// The bundle
    pub bundle: PathBuf,
    /// The first player, who looks: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(
        required_unless_present_any = ["pairs", "points"],
        requires = "b",
        allow_hyphen_values = true
    )]
    a: Option<GivenPlace>,
    /// The other player: COL,ROW, or a cell's number, or X,Y,Z in a solid level
    #[arg(allow_hyphen_values = true)]
    b: Option<GivenPlace>,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    over: Over,
    /// Answer each line "c0 r0 c1 r1" (cells: "a b") of a file, or of stdin if it is -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By"])]
    pub pairs: Option<PathBuf>,
    /// Answer each line "x y z x y z" of a file, or of stdin if it is -: origins of two players in a solid level,
    /// of whom the first looks. A note on stderr counts positions in no view cell, which see all and are seen by
    /// all
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "By", "pairs"])]
    points: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

impl PairArgs {
    /// Asks the bundle, whichever kind of world it is of.
    pub fn ask(&self, ask: impl FnOnce(&MappedBundle, World<'_>) -> Outcome) -> Outcome {
        let asked = |map: &MappedBundle, world: World<'_>| match (&self.points, &world) {
            (Some(_), World::Terrain(_) | World::Cells(_)) => Err(Failure::usage(format!(
                "--points: expected a bundle of a solid level, found another in {}; give --pairs",
                self.bundle.display()
            ))),
            _ => ask(map, world),
        };
        ask_world(&self.bundle, &self.by, &self.over, asked)
    }

    /// The two places on a terrain.
    pub fn positions(
        &self,
        map: &MappedBundle,
        terrain: &TerrainBundle<'_>,
    ) -> Result<[Position; 2], Failure> {
        let [a, b] = self.places()?;
        let position = |place| self.by.position(&self.bundle, map, terrain, place);
        Ok([position(a)?, position(b)?])
    }

    /// The two places in a level of cells.
    pub fn cells(&self, level: &CellBundle) -> Result<[u32; 2], Failure> {
        let [a, b] = self.places()?;
        let cell = |place| check_cell(&self.bundle, level, place);
        Ok([cell(a)?, cell(b)?])
    }

    /// The two places in a solid level.
    pub fn solid_cells(&self, level: &SolidBundle) -> Result<[u32; 2], Failure> {
        let [a, b] = self.places()?;
        let cell = |place| solid_level::cell_at(&self.bundle, level, place);
        Ok([cell(a)?, cell(b)?])
    }

    /// Answers visible or hidden in a solid level, now or on paths of up to `reach`.
    pub fn answer_in_solid(&self, level: &SolidBundle, reach: Option<[f64; 2]>) -> Outcome {
        match (&self.points, &self.pairs) {
            (Some(file), _) => solid_level::visible_points(level, file, reach, &self.json),
            (_, Some(file)) => solid_level::visible_pairs(level, file, reach, &self.json),
            _ => solid_level::visible(&self.bundle, level, self.places()?, reach, &self.json),
        }
    }

    /// What clap has seen to already.
    fn places(&self) -> Result<[GivenPlace; 2], Failure> {
        let places = self.a.zip(self.b).map(<[GivenPlace; 2]>::from);
        places.ok_or_else(|| Failure::usage("expected two places A and B, or --pairs FILE"))
    }

    /// Answers visible or hidden on a terrain.
    pub fn answer_on_terrain<D: Serialize>(
        &self,
        map: &MappedBundle,
        terrain: &TerrainBundle<'_>,
        visible: impl Fn([Position; 2]) -> bool,
        document: impl FnOnce([Position; 2], bool) -> D,
    ) -> Outcome {
        if let Some(file) = &self.pairs {
            return answer_visible(file, &self.json, &mut [0, 0], |line| {
                let pair = parse_samples(line, terrain.parameters())?;
                let nobody = |place: &&Position| {
                    !terrain.valid().has_quad(quad_at(terrain, place.sample, 0))
                };
                Ok((visible(pair), pair.iter().filter(nobody).count() as u64))
            });
        }
        let pair = self.positions(map, terrain)?;
        self.answer(visible(pair), |visible| document(pair, visible))
    }

    /// Answers visible or hidden in a level of cells.
    pub fn answer_in_level<D: Serialize>(
        &self,
        level: &CellBundle,
        mut visible: impl FnMut([u32; 2]) -> Result<bool, String>,
        document: impl FnOnce([u32; 2], bool) -> D,
    ) -> Outcome {
        if let Some(file) = &self.pairs {
            return answer_visible(file, &self.json, &mut [0, 0], |line| {
                Ok((visible(parse_cells(line, level.cells())?)?, 0))
            });
        }
        let pair = self.cells(level)?;
        let visible = visible(pair).map_err(Failure::usage)?;
        self.answer(visible, |visible| document(pair, visible))
    }

    fn answer<D: Serialize>(&self, visible: bool, document: impl FnOnce(bool) -> D) -> Outcome {
        let word = if visible { "visible" } else { "hidden" };
        self.json.tell(|| document(visible), word)
    }
}

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

/// Reads `c0 r0 c1 r1`, separated by spaces or commas, both samples inside the heightmap.
pub fn parse_samples(line: &[u8], parameters: &TerrainParameters) -> Result<[Position; 2], String> {
    let expected = "four whole numbers \"c0 r0 c1 r1\"";
    let [c0, r0, c1, r1] = numbers(line).ok_or_else(|| no_numbers(line, expected))?;
    let position = |column, row| {
        Position::new(parameters, Sample::new(column, row)).ok_or_else(|| {
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

/// Reads `a b`, two cells of `cells`.
pub fn parse_cells(line: &[u8], cells: u32) -> Result<[u32; 2], String> {
    let expected = "two whole numbers \"a b\"";
    let pair = numbers(line).ok_or_else(|| no_numbers(line, expected))?;
    match pair.iter().find(|cell| **cell >= cells) {
        None => Ok(pair),
        Some(outside) => Err(format!(
            "cell {outside} does not exist: expected 0 to {}",
            cells - 1
        )),
    }
}

/// Reads `x y z x y z`, two positions.
pub fn parse_numbers(line: &[u8]) -> Result<[f64; 6], String> {
    let text = String::from_utf8_lossy(line);
    let words = text.split([' ', '\t', ',', '\r', '\n']);
    let numbers = words.filter(|word| !word.is_empty()).map(|word| {
        let number = word.parse::<f64>().ok();
        number.filter(|number| number.is_finite())
    });
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| no_numbers(line, "six finite numbers \"x y z x y z\""))
}

fn no_numbers(line: &[u8], expected: &str) -> String {
    // What was found is not to fill the screen.
    let found = String::from_utf8_lossy(&line[..line.len().min(60)]);
    format!("expected {expected}, found {:?}", found.trim_end())
}

/// Exactly so many numbers.
fn numbers<const N: usize>(line: &[u8]) -> Option<[u32; N]> {
    let mut numbers = [0_u32; N];
    let mut words = line
        .split(|byte| matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'\n'))
        .filter(|word| !word.is_empty());
    for number in &mut numbers {
        for digit in words.next()? {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            *number = number.checked_mul(10)?.checked_add(u32::from(digit))?;
        }
    }
    words.next().is_none().then_some(numbers)
}

/// What `viewcell query visible --pairs --json` prints.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(title = "viewcell query visible --pairs")]
pub struct PairsDocument {
    /// Number of lines answered.
    pub pairs: u64,
    /// How many of them are visible.
    visible: u64,
    /// Of the places, two a line, how many are where the bundle knows of nobody: in no view cell of a solid level (they see
    /// all and are seen by all), or on a terrain where nobody can be (they see nobody).
    nowhere: u64,
    /// 1 for visible, 0 for hidden, a line each.
    answers: Vec<u8>,
}

impl PairsDocument {
    /// Takes note of an answer, or puts it into words.
    fn answer(&mut self, visible: bool, json: bool, words: &mut Vec<u8>) {
        self.visible += u64::from(visible);
        if json {
            self.answers.push(u8::from(visible));
        } else {
            words.extend(if visible { b"1\n" } else { b"0\n" });
        }
    }
}

/// Answers each line of a file, or of stdin: visible or hidden. `ask` says besides how many of its two places are nowhere;
/// `places` are how many of all are, and all.
pub fn answer_visible(
    file: &Path,
    json: &Json,
    places: &mut [u64; 2],
    mut ask: impl FnMut(&[u8]) -> Result<(bool, u64), String>,
) -> Outcome {
    let mut document = PairsDocument::default();
    let mut stdout = Stdout::lock();
    document.pairs = answer_lines(file, &mut stdout, |line, words| {
        let (visible, nowhere) = ask(line)?;
        document.answer(visible, json.json, words);
        document.nowhere += nowhere;
        Ok(())
    })?;
    *places = [document.nowhere, 2 * document.pairs];
    finish_lines(stdout, &document, json)
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
            assert_eq!(numbers::<4>(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn a_fault_says_what_was_expected_and_found() {
        let short = no_numbers(b"0 0 5\n", "four whole numbers");
        assert!(short.ends_with("found \"0 0 5\""), "{short}");
    }
}
