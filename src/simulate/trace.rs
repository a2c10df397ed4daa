//! Movement traces as CSV: position and view direction of each player over time, as a game recorded
//! them. The columns are described in `schemas/simulate-trace.json`.

use std::fmt::Write;
use std::io::BufRead;

/// The columns, in order. `eye`, the height of the eye above the origin, may follow.
pub const HEADER: &str = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead";

/// Most players that a trace may have.
pub const MOST_PLAYERS: usize = 4096;

/// The longest duration of a trace: each frame of it takes memory. [Unit: ms]
pub const LONGEST: u64 = 24 * 60 * 60 * 1000;

/// A player at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePoint {
    /// When. [Unit: ms]
    pub time: u64,
    /// Where the player's origin is: x, y, z.
    pub at: [f64; 3],
    /// Where the player looks: pitch and yaw. [Unit: degrees]
    pub view: [f64; 2],
    /// Whether the player is dead.
    pub dead: bool,
    /// Height of the eye above the origin, if it is known: less of those who crouch.
    pub eye: Option<f64>,
}

impl TracePoint {
    /// Part of the way to another point: where the player is, and how high the eye.
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |a: f64, b: f64| a + part * (b - a);
        let eye = self.eye.zip(other.eye);
        Self {
            at: std::array::from_fn(|k| mix(self.at[k], other.at[k])),
            eye: eye.map(|(a, b)| mix(a, b)).or(self.eye),
            ..*self
        }
    }
}

/// The recorded points of all players: a list for each player, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The players' points; nobody's list is empty.
    pub players: Vec<Vec<TracePoint>>,
}

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", .line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct TraceError {
    /// The line, counted from 1; none for the trace as a whole.
    pub line: Option<u64>,
    /// What was expected, and what was found.
    pub what: String,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// [`TraceError`] for a line that is not of the eight columns, or not finite; for a time that is
    /// less than that of the line before, or more than a day after the first; for a player twice at a time; for players that are not
    /// numbered from 0 without gaps; and for fewer than two players.
    pub fn read(mut input: impl BufRead) -> Result<Self, TraceError> {
        let (mut trace, mut text, mut line, mut now) = (Self::default(), Vec::new(), 0, 0);
        let (mut begin, mut has_eye) = (None, false);
        loop {
            text.clear();
            line += 1;
            let fault = |what| TraceError {
                line: Some(line),
                what,
            };
            let length = input
                .read_until(b'\n', &mut text)
                .map_err(|error| fault(format!("cannot be read: {error}")))?;
            if length == 0 {
                break;
            }
            let words = std::str::from_utf8(&text)
                .map_err(|_| fault("expected text, found bytes that are none".into()))?
                .trim_end_matches(['\n', '\r']);
            if line == 1 {
                let more = words.trim_start_matches('\u{feff}').strip_prefix(HEADER);
                has_eye = match more {
                    Some("") => false,
                    Some(",eye") => true,
                    _ => {
                        return Err(fault(format!(
                            "expected the columns {HEADER:?} or these and eye, found {:?}",
                            shortened(words)
                        )));
                    }
                };
                continue;
            }
            let (player, point) = point(words, has_eye).map_err(fault)?;
            if point.time < now {
                return Err(fault(format!(
                    "expected a time of {now} ms or later, found {} ms: times must not go back",
                    point.time
                )));
            }
            now = point.time;
            let first = *begin.get_or_insert(now);
            if now - first > LONGEST {
                return Err(fault(format!(
                    "expected a time of at most {} ms, a day after the first, found {now} ms; cut the \
                     trace into parts",
                    first.saturating_add(LONGEST)
                )));
            }
            if player >= trace.players.len() {
                trace.players.resize(player + 1, Vec::new());
            }
            let points = &mut trace.players[player];
            if points.last().is_some_and(|last| last.time == point.time) {
                return Err(fault(format!(
                    "expected each player once at a time, found player {player} twice at {now} ms"
                )));
            }
            points.push(point);
        }
        trace.check().map(|()| trace)
    }

    /// Fails for fewer than two players, and for gaps in their numbers.
    pub(super) fn check(&self) -> Result<(), TraceError> {
        let fault = |what| Err(TraceError { line: None, what });
        let found = self.players.len();
        if let Some(nobody) = self.players.iter().position(Vec::is_empty) {
            return fault(format!(
                "expected players numbered from 0 without gaps, found {found} and no line of \
                 player {nobody}"
            ));
        }
        match found {
            0 => fault("expected two players or more, found no line of any".into()),
            1 => fault("expected two players or more, found one: nobody can see anybody".into()),
            _ => Ok(()),
        }
    }

    /// When the trace begins and ends. [Unit: ms]
    pub fn span(&self) -> [u64; 2] {
        let first = self.players.iter().filter_map(|points| points.first());
        let last = self.players.iter().filter_map(|points| points.last());
        [
            first.map(|point| point.time).min().unwrap_or(0),
            last.map(|point| point.time).max().unwrap_or(0),
        ]
    }

    /// The lines of the trace, as [`Trace::read`] reads them: the same numbers come back. Heights of eyes are written if all
    /// are known.
    pub fn write(&self) -> String {
        let mut points: Vec<(u64, usize, &TracePoint)> = Vec::new();
        for (player, list) in self.players.iter().enumerate() {
            points.extend(list.iter().map(|point| (point.time, player, point)));
        }
        points.sort_by_key(|&(time, player, _)| (time, player));
        let has_eye = points.iter().all(|(_, _, point)| point.eye.is_some());
        let mut text = format!("{HEADER}{}\n", if has_eye { ",eye" } else { "" });
        for (time, player, point) in points {
            let ([x, y, z], [pitch, yaw]) = (point.at, point.view);
            let dead = u8::from(point.dead);
            // Writing to a string does not fail.
            let _ = write!(text, "{time},{player},{x},{y},{z},{pitch},{yaw},{dead}");
            if let Some(eye) = point.eye.filter(|_| has_eye) {
                let _ = write!(text, ",{eye}");
            }
            text.push('\n');
        }
        text
    }
}

/// One line.
fn point(line: &str, has_eye: bool) -> Result<(usize, TracePoint), String> {
    let mut words = line.split(',');
    let (found, columns) = (line.split(',').count(), 8 + usize::from(has_eye));
    if found != columns {
        return Err(format!(
            "expected {columns} columns, found {found}: {:?}",
            shortened(line)
        ));
    }
    let mut next = || words.next().unwrap_or("").trim();
    let time = whole("t_ms", next())?;
    let player = whole("player", next())? as usize;
    if player >= MOST_PLAYERS {
        return Err(format!(
            "expected players 0 to {}, found {player}",
            MOST_PLAYERS - 1
        ));
    }
    let at = [
        number("x", next())?,
        number("y", next())?,
        number("z", next())?,
    ];
    let view = [number("pitch_deg", next())?, number("yaw_deg", next())?];
    let dead = match next() {
        "0" => false,
        "1" => true,
        other => return Err(format!("expected 0 or 1 for dead, found {other:?}")),
    };
    let eye = has_eye.then(|| number("eye", next())).transpose()?;
    let point = TracePoint {
        time,
        at,
        view,
        dead,
        eye,
    };
    Ok((player, point))
}

/// A whole number below 2^53, which double precision represents exactly.
fn whole(column: &str, word: &str) -> Result<u64, String> {
    let number = word.parse().ok().filter(|number| *number < 1_u64 << 53);
    number.ok_or_else(|| format!("expected a whole number for {column}, found {word:?}"))
}

fn number(column: &str, word: &str) -> Result<f64, String> {
    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("expected a finite number for {column}, found {word:?}"))
}

/// The start of a line, short enough for an error message.
fn shortened(line: &str) -> String {
    line.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Result<Trace, TraceError> {
        Trace::read(format!("{HEADER}\n{lines}").as_bytes())
    }

    #[test]
    fn what_is_written_reads_back_to_the_same() {
        let trace = read("0,0,1,2.5,-3,0,90,0\n0,1,4,5,6,1.5,-90,1\n50,0,0.1,2,3,0,0,0\n").unwrap();
        assert_eq!(trace.players[0][1].at, [0.1, 2.0, 3.0]);
        assert_eq!((trace.span(), trace.players[1][0].dead), ([0, 50], true));
        assert_eq!(Trace::read(trace.write().as_bytes()), Ok(trace));
        let crouches = format!("{HEADER},eye\n0,0,1,2,3,0,0,0,12\n0,1,4,5,6,0,0,0,26.5\n");
        let trace = Trace::read(crouches.as_bytes()).unwrap();
        assert_eq!(trace.players[1][0].eye, Some(26.5));
        assert_eq!(trace.write(), crouches);
    }

    #[test]
    fn ends_of_lines_may_be_those_of_windows() {
        let text = format!("{HEADER}\r\n0,0,1,2,3,0,0,0\r\n0,1,1,2,3,0,0,0\r\n");
        assert_eq!(Trace::read(text.as_bytes()).unwrap().players.len(), 2);
    }

    #[test]
    fn each_fault_is_told_with_its_line() {
        for (lines, at, what) in [
            ("", 0, "two players or more"),
            ("0,0,1,2,3,0,0,0\n", 0, "found one"),
            ("0,0,1,2,3,0,0\n", 2, "8 columns, found 7"),
            ("0,0,NaN,2,3,0,0,0\n", 2, "finite number for x"),
            ("0,0,1,inf,3,0,0,0\n", 2, "finite number for y"),
            ("0,0,1,2,3,0,0,2\n", 2, "0 or 1 for dead"),
            ("0,x,1,2,3,0,0,0\n", 2, "whole number for player"),
            ("0,-1,1,2,3,0,0,0\n", 2, "whole number for player"),
            ("0,9999,1,2,3,0,0,0\n", 2, "players 0 to 4095"),
            ("5,0,1,2,3,0,0,0\n4,1,1,2,3,0,0,0\n", 3, "must not go back"),
            ("5,0,1,2,3,0,0,0\n5,0,1,2,3,0,0,0\n", 3, "twice at 5 ms"),
            (
                "7,0,1,2,3,0,0,0\n86400008,0,1,2,3,0,0,0\n",
                3,
                "at most 86400007 ms",
            ),
            (
                "0,0,1,2,3,0,0,0\n0,2,1,2,3,0,0,0\n",
                0,
                "no line of player 1",
            ),
        ] {
            let error = read(lines).unwrap_err();
            assert_eq!(error.line.unwrap_or(0), at, "{lines:?}: {error}");
            assert!(error.what.contains(what), "{lines:?}: {error}");
        }
        for (lines, what) in [
            ("0,0,1,2,3,0,0,0\n", "9 columns"),
            ("0,0,1,2,3,0,0,0,NaN\n", "eye"),
        ] {
            let error = Trace::read(format!("{HEADER},eye\n{lines}").as_bytes()).unwrap_err();
            assert!(
                error.line == Some(2) && error.what.contains(what),
                "{error}"
            );
        }
        let other = Trace::read("a,b,c\n1,2,3\n".as_bytes()).unwrap_err();
        assert!(
            other.line == Some(1) && other.what.contains("t_ms"),
            "{other}"
        );
    }
}
