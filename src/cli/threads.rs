//! How many threads a person may ask for.

use serde::de::{Deserialize, Deserializer, Error};

/// More than machines have processors. Tens of thousands would bring one to a halt.
const MOST: usize = 1024;

/// Reads `--threads`.
pub fn parse(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok();
    threads.map_or_else(|| Err(expected()), check)
}

/// Reads `threads` of a job file.
pub fn deserialize<'de, D: Deserializer<'de>>(file: D) -> Result<usize, D::Error> {
    check(usize::deserialize(file)?).map_err(D::Error::custom)
}

fn check(threads: usize) -> Result<usize, String> {
    let few = (threads <= MOST).then_some(threads);
    few.ok_or_else(expected)
}

fn expected() -> String {
    format!("expected up to {MOST} threads, or 0 for one a processor")
}
