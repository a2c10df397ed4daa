//! Ticks of regions in a file of comma-separated values, and what changes from each to the next.

use std::collections::BTreeMap;

use crate::interest::matching::{Interest, Kind, Region};
use viewcell::interest::{Bounds, InterestError};

/// What a file of regions begins with.
const HEADER: &str = "tick,region,kind,min_x,max_x,min_y,max_y,min_z,max_z";

/// A region in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TickRow {
    /// Its number.
    pub region: u64,
    /// Update or subscription. The same number may be one of each.
    pub kind: Kind,
    /// Where it is.
    pub bounds: Bounds,
}

/// All regions that there are in a tick. Those that are not named are gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its number, more than that of the tick before.
    pub number: i64,
    /// The regions, in the order of the file.
    pub rows: Vec<TickRow>,
}

/// What is wrong with a file of regions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RegionsError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected there, what was found, and what to do.
    pub message: String,
}

/// Reads ticks of regions.
///
/// # Errors
///
/// The first line that is wrong.
pub fn read_ticks(text: &str) -> Result<Vec<Tick>, RegionsError> {
    let mut ticks: Vec<Tick> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut lines = (1..).zip(text.lines());
    match lines.next() {
        // Some programs begin a file with a byte order mark.
        Some((_, first)) if first.trim_start_matches('\u{feff}').trim() == HEADER => {}
        first => {
            let found = first.map_or("nothing", |(_, line)| line);
            let message = format!("expected the header `{HEADER}`, found `{found}`");
            return Err(RegionsError { line: 1, message });
        }
    }
    for (line, text) in lines {
        let fail = |message: String| RegionsError { line, message };
        if text.trim().is_empty() {
            continue;
        }
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let Ok([tick, region, kind, corners @ ..]) = <[&str; 9]>::try_from(fields.as_slice())
        else {
            let found = fields.len();
            return Err(fail(format!(
                "expected 9 fields, found {found}; see the header"
            )));
        };
        let number: i64 = tick
            .parse()
            .map_err(|_| fail(format!("expected a tick, a whole number, found `{tick}`")))?;
        let region: u64 = region.parse().map_err(|_| {
            fail(format!(
                "expected a region, a whole number from 0, found `{region}`"
            ))
        })?;
        let kind = match kind {
            "u" => Kind::Update,
            "s" => Kind::Subscription,
            _ => return Err(fail(format!("expected kind u or s, found `{kind}`"))),
        };
        let mut values = [0.0_f32; 6];
        for (value, corner) in values.iter_mut().zip(corners) {
            *value = corner
                .parse()
                .map_err(|_| fail(format!("expected a coordinate, found `{corner}`")))?;
        }
        let [ax, bx, ay, by, az, bz] = values;
        let bounds = Bounds::new([ax, ay, az], [bx, by, bz])
            .map_err(|error| fail(format!("region {region}: {error}")))?;
        match ticks.last() {
            Some(last) if last.number == number => {}
            Some(last) if last.number > number => {
                return Err(fail(format!(
                    "expected tick {} or a later one, found {number}; sort the file by tick",
                    last.number
                )));
            }
            _ => {
                seen.clear();
                let rows = Vec::new();
                ticks.push(Tick { number, rows });
            }
        }
        if !seen.insert((region, kind.updates())) {
            return Err(fail(format!(
                "expected each region of a kind once a tick, found region {region} again"
            )));
        }
        if let Some(tick) = ticks.last_mut() {
            tick.rows.push(TickRow {
                region,
                kind,
                bounds,
            });
        }
    }
    Ok(ticks)
}

/// Tells each change from tick to tick: the tick's number, whether the pair began, the update's
/// number, the subscription's; of a tick those that began first, each sorted by these numbers.
///
/// # Errors
///
/// Where there is no room for so many regions.
pub fn changes_of(
    ticks: &[Tick],
    mut tell: impl FnMut(i64, bool, u64, u64),
) -> Result<(), InterestError> {
    let mut interest = Interest::new();
    // By number and whether it is an update.
    let mut there: BTreeMap<(u64, bool), (Region, usize)> = BTreeMap::new();
    let mut numbers: BTreeMap<Region, u64> = BTreeMap::new();
    for (tick_index, tick) in ticks.iter().enumerate() {
        for row in &tick.rows {
            let key = (row.region, row.kind.updates());
            if let Some((region, seen)) = there.get_mut(&key) {
                interest.move_to(*region, row.bounds)?;
                *seen = tick_index;
            } else {
                let region = interest.insert(row.kind, row.bounds)?;
                there.insert(key, (region, tick_index));
                numbers.insert(region, row.region);
            }
        }
        let mut gone = Vec::new();
        there.retain(|_, (region, seen)| {
            if *seen != tick_index {
                gone.push(*region);
            }
            *seen == tick_index
        });
        for region in &gone {
            interest.remove(*region)?;
        }
        let changes = interest.tick();
        for (is_new, pairs) in [(true, changes.began), (false, changes.ceased)] {
            let mut named: Vec<(u64, u64)> = pairs
                .iter()
                .map(|pair| (numbers[&pair.update], numbers[&pair.subscription]))
                .collect();
            named.sort_unstable();
            for (update, subscription) in named {
                tell(tick.number, is_new, update, subscription);
            }
        }
        for region in gone {
            numbers.remove(&region);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Vec<(i64, bool, u64, u64)> {
        let mut found = Vec::new();
        let ticks = read_ticks(text).unwrap();
        changes_of(&ticks, |tick, began, u, s| found.push((tick, began, u, s))).unwrap();
        found
    }

    #[test]
    fn regions_come_move_touch_and_go() {
        let text = format!(
            "{HEADER}\n\
             0,7,u,0,1,0,1,0,1\n0,7,s,5,6,0,1,0,1\n0,9,s,1,2,1,2,1,2\n\
             1,7,u,4,5,0,1,0,1\n1,7,s,5,6,0,1,0,1\n1,9,s,1,2,1,2,1,2\n\
             5,7,s,5,6,0,1,0,1\n5,9,s,1,2,1,2,1,2\n"
        );
        let expected = [
            (0, true, 7, 9),
            (1, true, 7, 7),
            (1, false, 7, 9),
            (5, false, 7, 7),
        ];
        assert_eq!(changes(&text), expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let faults = [
            ("tick,region\n", 1, "header"),
            ("", 1, "nothing"),
            ("0,1,u,0,1,0,1,0\n", 2, "9 fields"),
            ("x,1,u,0,1,0,1,0,1\n", 2, "a tick"),
            ("0,-1,u,0,1,0,1,0,1\n", 2, "a region"),
            ("0,1,b,0,1,0,1,0,1\n", 2, "u or s"),
            ("0,1,u,0,1,0,1,0,one\n", 2, "a coordinate"),
            ("0,1,u,0,1,0,nan,0,1\n", 2, "finite"),
            ("0,1,u,0,1,3,1,0,1\n", 2, "ends before"),
            ("1,1,u,0,1,0,1,0,1\n0,1,u,0,1,0,1,0,1\n", 3, "later"),
            ("0,1,u,0,1,0,1,0,1\n0,1,u,0,1,0,1,0,1\n", 3, "again"),
        ];
        for (text, line, words) in faults {
            let whole = format!("{HEADER}\n{text}");
            let text = if line == 1 { text } else { &whole };
            let error = read_ticks(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(words), "{error}");
        }
    }
}
