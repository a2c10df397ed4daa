//! How many threads a person may ask for.

use std::fmt::Display;

use serde::de::{Deserialize, Deserializer, Error};

use super::exit::{Exit, Failure};

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

/// The failure where the system starts no more threads.
pub fn cannot_start(threads: usize, error: &impl Display) -> Failure {
    let words = format!(
        "--threads {threads}: the system cannot start so many ({error}); ask for fewer, or raise its \
         limits (ulimit -u, ulimit -v)"
    );
    Failure::new(Exit::Resource, anyhow::Error::msg(words))
}
