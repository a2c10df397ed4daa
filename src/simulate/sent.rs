//! What a server really sent, beside what the level's visibility says.
//!
//! An engine of Quake III sends an entity to a client if the cluster of the client's eye sees any
//! cluster that the entity's box touches, and a door does not close the area between them off. This
//! compares a record of that with who sees whom by the bundle.

use std::collections::HashMap;
use std::io::BufRead;

use super::field::{Level, Place};
use super::trace::{Spot, Trace, TraceError};

/// The columns of the record.
pub const HEADER: &str = "t_ms,player,sent";

/// Who was sent to whom: for each time and player the players that were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    rows: HashMap<(u64, usize), Vec<usize>>,
}

/// What counts as where a player is who is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The eye.
    Eye,
    /// The box of the player, and a unit around it, as engines link entities.
    Box,
}

/// What a comparison comes to: pairs and frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Sent, and visible.
    pub both: u64,
    /// Neither.
    pub neither: u64,
    /// Sent, but not visible.
    pub sent_alone: u64,
    /// Of these, the viewer or the other is dead.
    pub sent_dead: u64,
    /// Of these, the eye of the viewer is in no cell, or the other is.
    pub sent_nowhere: u64,
    /// Of these, they were visible in the frame before or will be in the next.
    pub sent_near: u64,
    /// Visible, but not sent.
    pub visible_alone: u64,
    /// Of these, the viewer or the other is dead.
    pub visible_dead: u64,
    /// Of these, they were not visible in the frame before or will not be in the next.
    pub visible_near: u64,
}

impl Agreement {
    /// All pairs and frames.
    pub fn all(&self) -> u64 {
        self.both + self.neither + self.sent_alone + self.visible_alone
    }
}

impl Sent {
    /// Reads a record: lines of a time, a player, and the players that were sent, with blanks between
    /// them.
    ///
    /// # Errors
    ///
    /// [`TraceError`] for a line that is none, and for a player twice at a time.
    pub fn read(input: impl BufRead) -> Result<Self, TraceError> {
        let mut sent = Self::default();
        for (line, text) in (1..).zip(input.lines()) {
            let fault = |what: String| TraceError {
                line: Some(line),
                what,
            };
            let text = text.map_err(|error| fault(format!("cannot be read: {error}")))?;
            let text = text.trim_end_matches('\r');
            if line == 1 {
                if text.trim_start_matches('\u{feff}') != HEADER {
                    return Err(fault(format!(
                        "expected the columns {HEADER:?}, found {text:?}"
                    )));
                }
                continue;
            }
            let mut words = text.splitn(3, ',');
            let mut number = |name: &str| {
                let word = words.next().unwrap_or("");
                let number = word.trim().parse::<u64>();
                number.map_err(|_| {
                    fault(format!(
                        "expected a whole number for {name}, found {word:?}"
                    ))
                })
            };
            let (time, player) = (number("t_ms")?, number("player")? as usize);
            let others = words.next().unwrap_or("").split_whitespace();
            let others = others.map(|word| {
                let number = word.parse();
                number.map_err(|_| fault(format!("expected players in sent, found {word:?}")))
            });
            let others = others.collect::<Result<Vec<usize>, _>>()?;
            if sent.rows.insert((time, player), others).is_some() {
                return Err(fault(format!(
                    "expected player {player} once at {time} ms, found twice"
                )));
            }
        }
        Ok(sent)
    }

    /// Compares it with a level. `lag`: how many spots earlier the players were where the engine
    /// thought that they are.
    pub fn compare(
        &self,
        level: &Level,
        trace: &Trace,
        eye: f64,
        body: Body,
        lag: usize,
    ) -> Agreement {
        let rows: Vec<Vec<Row>> = trace
            .players
            .iter()
            .map(|spots| {
                spots
                    .iter()
                    .map(|spot| Row::new(level, spot, eye, body))
                    .collect()
            })
            .collect();
        let mut found = Agreement::default();
        for (viewer, spots) in trace.players.iter().enumerate() {
            for (index, spot) in spots.iter().enumerate().skip(lag + 1) {
                let Some(sent) = self.rows.get(&(spot.time, viewer)) else {
                    continue;
                };
                for other in (0..trace.players.len()).filter(|other| *other != viewer) {
                    let at =
                        |index: usize| Some((rows[viewer].get(index)?, rows[other].get(index)?));
                    let sees = |index: usize| at(index).map(|(a, b)| a.sees(level, b));
                    let now = index - lag;
                    let (Some((a, b)), Some(visible)) = (at(now), sees(now)) else {
                        continue;
                    };
                    let near = |to: bool| sees(now - 1) == Some(to) || sees(now + 1) == Some(to);
                    let dead = u64::from(a.dead || b.dead);
                    match (sent.contains(&other), visible) {
                        (true, true) => found.both += 1,
                        (false, false) => found.neither += 1,
                        (true, false) => {
                            found.sent_alone += 1;
                            found.sent_dead += dead;
                            found.sent_nowhere += u64::from(a.eye.is_none() || b.cells.is_empty());
                            found.sent_near += u64::from(near(true));
                        }
                        (false, true) => {
                            found.visible_alone += 1;
                            found.visible_dead += dead;
                            found.visible_near += u64::from(near(false));
                        }
                    }
                }
            }
        }
        found
    }
}

/// Where a player is in a frame.
struct Row {
    eye: Option<Place>,
    /// The cells of the body.
    cells: Vec<Place>,
    dead: bool,
}

/// Corners of a player's box, from the origin, and a unit around it. [Unit: of the level]
const BOX: [[f64; 3]; 2] = [[-16.0, -16.0, -25.0], [16.0, 16.0, 33.0]];
/// In how many places a side of the box is looked at.
const LOOKS: [u32; 3] = [5, 5, 8];

impl Row {
    fn new(level: &Level, spot: &Spot, eye: f64, body: Body) -> Self {
        let [x, y, z] = spot.at;
        let eye = level.bundle.locate([x, y, z + eye]);
        let mut cells: Vec<Place> = match body {
            Body::Eye => eye.into_iter().collect(),
            Body::Box => {
                let [a, b, c] = LOOKS;
                let looks =
                    (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
                looks
                    .filter_map(|look| {
                        let side = |axis: usize| {
                            let part = f64::from(look[axis]) / f64::from(LOOKS[axis] - 1);
                            BOX[0][axis] + part * (BOX[1][axis] - BOX[0][axis])
                        };
                        level.bundle.locate([x + side(0), y + side(1), z + side(2)])
                    })
                    .collect()
            }
        };
        cells.sort_unstable();
        cells.dedup();
        Self {
            eye,
            cells,
            dead: spot.dead,
        }
    }

    fn sees(&self, level: &Level, other: &Self) -> bool {
        self.eye.is_some_and(|eye| {
            other
                .cells
                .iter()
                .any(|cell| level.bundle.visible(eye, *cell))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_faults_told_with_their_line() {
        let read = |text: &str| Sent::read(text.as_bytes());
        let sent = read("t_ms,player,sent\n0,0,1 2\r\n0,1,\n").unwrap();
        assert_eq!(sent.rows[&(0, 0)], [1, 2]);
        assert!(sent.rows[&(0, 1)].is_empty());
        for (text, line, what) in [
            ("a,b\n", 1, "columns"),
            ("t_ms,player,sent\nx,0,1\n", 2, "t_ms"),
            ("t_ms,player,sent\n0,0,a\n", 2, "sent"),
            ("t_ms,player,sent\n0,0,1\n0,0,2\n", 3, "found twice"),
        ] {
            let error = read(text).unwrap_err();
            assert!(
                error.line == Some(line) && error.what.contains(what),
                "{error}"
            );
        }
    }
}
