//! Values that a person may give: numbers, of which none is *not a number*, sizes, threads.

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exit::Failure;

/// A finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    check(text, "a finite number", |_| true)
}

/// Lengths that a level can have, in its units: no arithmetic with them comes to nothing or to infinity.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-4..=1e9;

/// A length above 0 that a level can have.
pub fn is_length(number: f64) -> bool {
    LENGTHS.contains(&number)
}

/// A coordinate that a level can have.
pub fn is_coordinate(number: f64) -> bool {
    number.abs() <= *LENGTHS.end()
}

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    check(text, "a finite number above 0", |number| number > 0.0)
}

/// A finite number from 0 up.
pub fn not_negative(text: &str) -> Result<f64, String> {
    check(text, "a finite number from 0 up", |number| number >= 0.0)
}

fn check(text: &str, expected: &str, may_be: fn(f64) -> bool) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number: &f64| number.is_finite() && may_be(*number));
    number.ok_or_else(|| format!("expected {expected}"))
}

/// What stands between separators, with spaces around it or without.
pub fn list<T: FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
    let words = text.split(separator);
    words.map(|word| word.trim().parse().ok()).collect()
}

/// Finite numbers with commas between them.
pub fn numbers(text: &str) -> Option<Vec<f64>> {
    list(text, ',').filter(|numbers: &Vec<f64>| numbers.iter().all(|number| number.is_finite()))
}

/// Lists of numbers that begin below 0, as longitudes of America do, look like options to the parser. With a blank before them
/// they do not, which changes no number.
pub fn with_negative_lists(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_list = |text: &str| {
        let numbers = list::<f64>(text, ',').unwrap_or_default();
        text.starts_with('-') && (numbers.len() > 1 || numbers.iter().any(|n| !n.is_finite()))
    };
    let blank = |argument: OsString| match argument.to_str() {
        Some(text) if is_list(text) => format!(" {text}").into(),
        _ => argument,
    };
    arguments.into_iter().map(blank).collect()
}

/// One word, and numbers by their names, with commas between them: `word,name=1.5`. Each is there at most once.
pub fn named<const N: usize>(
    text: &str,
    names: [&str; N],
) -> Result<(Option<String>, [Option<f64>; N]), String> {
    let (mut word, mut numbers) = (None, [None; N]);
    for part in text.split(',').map(str::trim) {
        let is_new = match part.split_once('=') {
            None => word.replace(part.to_owned()).is_none() && !part.is_empty(),
            Some((name, number)) => {
                let at = names.iter().position(|other| *other == name.trim());
                let at =
                    at.ok_or_else(|| format!("expected {}, found {name:?}", names.join(", ")))?;
                let number = not_negative(number).map_err(|words| format!("{name}: {words}"))?;
                numbers[at].replace(number).is_none()
            }
        };
        if !is_new {
            return Err(format!(
                "{part:?}: expected once, with a comma before the next"
            ));
        }
    }
    Ok((word, numbers))
}

/// One finite number, or two with a comma between them.
pub fn one_or_two(text: &str) -> Option<(f64, Option<f64>)> {
    match *numbers(text)? {
        [one] => Some((one, None)),
        [one, two] => Some((one, Some(two))),
        _ => None,
    }
}

/// Two finite numbers.
pub fn two(text: &str) -> Result<[f64; 2], String> {
    let numbers = numbers(text).and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| "expected two finite numbers with a comma between them".into())
}

/// X,Y,Z: three finite numbers.
pub fn point(text: &str) -> Option<[f64; 3]> {
    numbers(text)?.try_into().ok()
}

/// More than machines have processors. Tens of thousands would bring one to a halt.
const MOST_THREADS: usize = 1024;

/// Reads `--threads`.
pub fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok();
    threads.map_or_else(|| Err(expected_threads()), check_threads)
}

fn check_threads(threads: usize) -> Result<usize, String> {
    let few = (threads <= MOST_THREADS).then_some(threads);
    few.ok_or_else(expected_threads)
}

fn expected_threads() -> String {
    format!("expected up to {MOST_THREADS} threads, or 0 for one per processor")
}

/// The failure where the system starts no more threads.
pub fn cannot_start(threads: usize, error: &impl Display) -> Failure {
    let words = format!(
        "--threads {threads}: the system cannot start so many ({error}); ask for fewer, or raise its \
         limits (ulimit -u, ulimit -v)"
    );
    Failure::resource(anyhow::Error::msg(words))
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ByteSize(pub u64);

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault =
            || format!("expected a size such as 100MB, 30MiB or 10000000 (bytes), found {text:?}");
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let factor: u64 = match unit.trim() {
            "" | "B" => 1,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(fault()),
        };
        let bytes = match number.parse::<u64>() {
            Ok(number) => number.checked_mul(factor).ok_or_else(fault)?,
            Err(_) if factor > 1 && number.contains('.') => {
                let number: f64 = number.parse().map_err(|_| fault())?;
                (number * factor as f64) as u64
            }
            Err(_) => return Err(fault()),
        };
        match bytes {
            0 => Err(format!("expected a size above 0, found {text:?}")),
            bytes => Ok(Self(bytes)),
        }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl TryFrom<String> for ByteSize {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ByteSize> for String {
    fn from(size: ByteSize) -> Self {
        size.to_string()
    }
}
