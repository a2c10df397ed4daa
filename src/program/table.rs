//! Tables, of which terminals and pages show the same.

use std::fmt;

use super::output::escaped_line;

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// A table.
#[derive(Default)]
pub struct Table {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// So many columns hold words, the others numbers.
    pub left: usize,
    /// Whether the first column names what the second tells.
    pub is_words: bool,
}

impl Table {
    /// Of which `left` columns hold words.
    pub fn new(left: usize, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self {
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows: rows.into_iter().collect(),
            left,
            ..Self::default()
        }
    }

    /// Of names and what they stand for.
    pub fn facts<N: Into<String>>(rows: impl IntoIterator<Item = (N, String)>) -> Self {
        let rows = rows.into_iter();
        Self {
            is_words: true,
            ..Self::new(2, &[], rows.map(|(name, value)| vec![name.into(), value]))
        }
    }
}

/// Between columns.
const GAP: usize = 2;
/// Where what facts stand for begins.
const NAMES: usize = 12;

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut head = self.head.clone();
        (head.iter_mut().filter_map(|name| name.get_mut(..1))).for_each(str::make_ascii_lowercase);
        let lines = || [&head].into_iter().chain(&self.rows);
        let columns = lines().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = lines().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            if self.is_words { NAMES } else { widest }
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in lines().filter(|row| !row.is_empty()) {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column > 0 && !self.is_words { GAP } else { 0 };
                let cell = escaped_line(cell);
                line += &if column < self.left {
                    format!("{:gap$}{cell:<width$}", "")
                } else {
                    format!("{:gap$}{cell:>width$}", "")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
