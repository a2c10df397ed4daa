//! What a server really sent, beside what the level's visibility says.
//!
//! An engine of Quake III sends an entity to a client if the cluster of the client's eye sees any
//! cluster that the entity's box touches, and a door does not close the area between them off. This
//! compares a record of that with who sees whom by the bundle.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead, ErrorKind};

use viewcell_simulate::field::{CellLevel, Place, distance};
use viewcell_simulate::trace::{Trace, TraceError, TracePoint};

/// The columns of the record. `bytes`, the size of each snapshot, may follow.
pub const HEADER: &str = "t_ms,player,sent";

/// Who was sent to whom: for each time and player the players that were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// Size of all snapshots, if it is known.
    pub bytes: Option<u64>,
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

/// Who is further from where they were a frame ago was put there. [Unit: the level's]
pub(crate) const ELSEWHERE: f64 = 200.0;

/// Somebody who is late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Late {
    /// The time of the snapshot which lacks them. [Unit: ms]
    pub shown: u64,
    /// Who sees them, and where from, and when. [Unit: ms]
    pub viewer: (usize, [f64; 3], u64),
    /// Who they are, and where they are shown.
    pub other: (usize, [f64; 3]),
}

/// What a record comes to by lines of sight: ordered pairs of living players and frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// All that there are.
    pub pairs: u64,
    /// Of these, the one was sent the other.
    pub sent: u64,
    /// Of these, in sight.
    pub in_sight: u64,
    /// Sent, and not in sight.
    pub exposed: u64,
    /// Pairs of which the client had a snapshot to go by.
    pub shown: u64,
    /// Of these, the other was in sight where the snapshot has them, and not in it: when first in each frame.
    pub late: Vec<Late>,
    /// Frames in which that was so for a viewer, of all frames of viewers.
    pub late_frames: [u64; 2],
    /// Time between frames. [Unit: ms]
    pub step: u64,
}

/// Who was where and lived, by time.
type Frames<'t> = BTreeMap<u64, Vec<Option<&'t TracePoint>>>;

/// The frames of a trace.
pub(crate) fn frames(trace: &Trace) -> Frames<'_> {
    let mut frames = Frames::new();
    for (player, points) in trace.players.iter().enumerate() {
        for point in points.iter().filter(|point| !point.dead) {
            let frame = frames.entry(point.time);
            frame.or_insert_with(|| vec![None; trace.players.len()])[player] = Some(point);
        }
    }
    frames
}

/// When an instant of so many between a frame and the next is, and where a player is then: on a straight way. The first is the
/// frame itself. None for who is dead in the next, or was put elsewhere.
fn on_the_way(
    frames: &Frames<'_>,
    (time, player): (u64, usize),
    instant: u32,
    between: u32,
) -> Option<(u64, TracePoint)> {
    let from = frames.get(&time)?[player]?;
    if instant == 0 {
        return Some((time, *from));
    }
    let (&end, next) = frames.range(time + 1..).next()?;
    let to = next[player].filter(|to| distance(from.at, to.at) <= ELSEWHERE)?;
    let passed = (end - time) * u64::from(instant) / u64::from(between + 1);
    let part = passed as f64 / (end - time) as f64;
    Some((time + passed, from.towards(to, part)))
}

impl Sent {
    /// Notes who was sent to a player at a time.
    pub fn add(&mut self, time: u64, player: usize, sent: Vec<usize>) {
        self.rows.insert((time, player), sent);
    }

    /// Judges the record by lines of sight. A client that is `rtt` milliseconds away goes by the last snapshot that it was
    /// sent at least so long before the server has it where it is now: half of that for the snapshot, half for its own
    /// movement. Somebody is late who is in sight of where the viewer is from where that snapshot would have shown them,
    /// and is not in it. Nothing is judged of clients who have come to life or were put elsewhere since: they do not
    /// know yet.
    ///
    /// `between` so many instants are judged besides from each frame to the next. Then the viewer is on a straight way
    /// from the one to the other, and so are those who are shown, from where they are in the snapshot to where they are a
    /// frame later. A pair that is late at several instants of a frame counts once.
    ///
    /// `sees` tells whether a viewer, of whom only `at` and `eye` are asked, sees somebody whose origin is given.
    pub fn judge(
        &self,
        trace: &Trace,
        rtt: u64,
        between: u32,
        sees: impl Fn(&TracePoint, [f64; 3]) -> bool,
    ) -> Judged {
        let players = trace.players.len();
        let frames = frames(trace);
        let mut found = Judged::default();
        let mut last: Vec<VecDeque<u64>> = vec![VecDeque::new(); players];
        let mut before = None;
        // Where players were a frame ago, and since when they have been where they could go by themselves.
        let (mut there, mut put) = (vec![None; players], vec![0; players]);
        for (&time, frame) in &frames {
            let step = before
                .replace(time)
                .map_or(u64::MAX, |before| time - before);
            found.step = match found.step {
                0 => step % u64::MAX,
                known => known.min(step),
            };
            for (viewer, put) in put.iter_mut().enumerate() {
                let was = there[viewer];
                there[viewer] = frame[viewer].map(|point| point.at);
                let moved = there[viewer].zip(was).map(|(at, was)| distance(at, was));
                if there[viewer].is_some() && moved.is_none_or(|moved| moved > ELSEWHERE) {
                    *put = time;
                }
            }
            for (viewer, times) in last.iter_mut().enumerate() {
                let now = self.rows.get(&(time, viewer));
                times.extend(now.map(|_| time));
                let Some(from) = frame[viewer] else { continue };
                for other in (0..players).filter(|other| *other != viewer) {
                    if let (Some(sent), Some(to)) = (now, frame[other]) {
                        let (sent, sees) = (sent.contains(&other), sees(from, to.at));
                        found.pairs += 1;
                        found.sent += u64::from(sent);
                        found.in_sight += u64::from(sees);
                        found.exposed += u64::from(sent && !sees);
                    }
                }
                let mut others = vec![(false, None); players];
                for instant in 0..=between {
                    let Some((at, from)) = on_the_way(&frames, (time, viewer), instant, between)
                    else {
                        break;
                    };
                    while times.get(1).is_some_and(|next| next + rtt <= at) {
                        times.pop_front();
                    }
                    // Who has come to life since, or was put elsewhere, is not yet where the server has them.
                    let shown = times.front().copied();
                    let shown = shown.filter(|shown| shown + rtt <= at && *shown >= put[viewer]);
                    let Some(shown) = shown else { continue };
                    let passed = if between > 0 { at - shown - rtt } else { 0 };
                    self.judge_instant(&frames, (shown, passed), &mut others, viewer, |to| {
                        (from.at, at, sees(&from, to))
                    });
                }
                let known = found.late.len();
                let late = others.iter().filter_map(|(_, late)| *late);
                found.late.extend(late);
                found.shown += others.iter().filter(|(shown, _)| *shown).count() as u64;
                found.late_frames[0] += u64::from(found.late.len() > known);
                found.late_frames[1] += 1;
            }
        }
        found
    }

    /// Judges an instant at which a viewer is shown the snapshot of a time since so many milliseconds: of each other, whether
    /// there is something to judge, and how they were late first. `sees` tells where the viewer is, when, and whether they
    /// see somebody.
    fn judge_instant(
        &self,
        frames: &Frames<'_>,
        (shown, passed): (u64, u64),
        others: &mut [(bool, Option<Late>)],
        viewer: usize,
        sees: impl Fn([f64; 3]) -> ([f64; 3], u64, bool),
    ) {
        let (Some(then), Some(sent)) = (frames.get(&shown), self.rows.get(&(shown, viewer))) else {
            return;
        };
        let after = frames.range(shown + 1..).next();
        for (other, (is_shown, late)) in others.iter_mut().enumerate() {
            let Some(to) = then[other].filter(|_| other != viewer) else {
                continue;
            };
            *is_shown = true;
            if late.is_some() || sent.contains(&other) {
                continue;
            }
            let on = after.and_then(|(&end, after)| {
                let on = after[other].filter(|on| distance(on.at, to.at) <= ELSEWHERE)?;
                let part = passed as f64 / (end - shown) as f64;
                Some(to.towards(on, part.min(1.0)).at)
            });
            let to = on.unwrap_or(to.at);
            let (from, at, is_late) = sees(to);
            *late = is_late.then_some(Late {
                shown,
                viewer: (viewer, from, at),
                other: (other, to),
            });
        }
    }

    /// Reads a record: lines of a time, a player, and the players that were sent, with spaces between
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
            let text = text.map_err(|error| match error.kind() {
                ErrorKind::InvalidData => fault("expected text, found bytes that are none".into()),
                _ => fault(format!("cannot be read: {error}")),
            })?;
            let text = text.trim_end_matches('\r');
            if line == 1 {
                let columns = text.trim_start_matches('\u{feff}').strip_prefix(HEADER);
                sent.bytes = match columns {
                    Some("") => None,
                    Some(",bytes") => Some(0),
                    _ => {
                        return Err(fault(format!(
                            "expected the columns {HEADER:?} or these and bytes, found {text:?}"
                        )));
                    }
                };
                continue;
            }
            let mut words = text.splitn(4, ',');
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
            if let Some(bytes) = &mut sent.bytes {
                let word = words.next().unwrap_or("");
                let size = word.trim().parse::<u32>();
                *bytes += u64::from(size.map_err(|_| {
                    fault(format!("expected a whole number for bytes, found {word:?}"))
                })?);
            }
            if let Some(more) = words.next() {
                return Err(fault(format!("expected no more columns, found {more:?}")));
            }
            if sent.rows.insert((time, player), others).is_some() {
                return Err(fault(format!(
                    "expected player {player} once at {time} ms, found twice"
                )));
            }
        }
        Ok(sent)
    }

    /// Compares it with a level. `lag`: how many points earlier the players were where the engine
    /// thought that they are.
    pub fn compare(
        &self,
        level: &CellLevel,
        trace: &Trace,
        eye: f64,
        body: Body,
        lag: usize,
    ) -> Agreement {
        let rows: Vec<Vec<Row>> = trace
            .players
            .iter()
            .map(|points| {
                points
                    .iter()
                    .map(|point| Row::new(level, point, eye, body))
                    .collect()
            })
            .collect();
        let mut found = Agreement::default();
        for (viewer, points) in trace.players.iter().enumerate() {
            for (index, point) in points.iter().enumerate().skip(lag + 1) {
                let Some(sent) = self.rows.get(&(point.time, viewer)) else {
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
    fn new(level: &CellLevel, point: &TracePoint, eye: f64, body: Body) -> Self {
        let [x, y, z] = point.at;
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
            dead: point.dead,
        }
    }

    fn sees(&self, level: &CellLevel, other: &Self) -> bool {
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
    fn who_is_not_in_the_snapshot_that_is_shown_is_late() {
        // Two players come into sight of each other at 100 ms, for whoever sees at less than 10 units.
        let mut rows = String::from("t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n");
        let mut sent = String::from("t_ms,player,sent\n");
        for (time, x) in [(0, 30), (50, 20), (100, 9), (150, 9), (200, 9)] {
            rows += &format!("{time},0,0,0,0,0,0,0\n{time},1,{x},0,0,0,0,0\n");
            // The second is told at once, the first a frame too late.
            sent += &format!("{time},0,{}\n", if time >= 150 { "1" } else { "" });
            sent += &format!("{time},1,{}\n", if time >= 100 { "0" } else { "" });
        }
        let trace = Trace::read(rows.as_bytes()).unwrap();
        let sent = Sent::read(sent.as_bytes()).unwrap();
        let sees = |a: &TracePoint, b: [f64; 3]| (a.at[0] - b[0]).abs() < 10.0;
        let at_once = Judged {
            pairs: 10,
            sent: 5,
            in_sight: 6,
            exposed: 0,
            shown: 10,
            late: vec![Late {
                shown: 100,
                viewer: (0, [0.0; 3], 100),
                other: (1, [9.0, 0.0, 0.0]),
            }],
            late_frames: [1, 10],
            step: 50,
        };
        assert_eq!(sent.judge(&trace, 0, 0, sees), at_once);
        // Who is 100 ms away goes by what was sent two frames before: each is in sight for two frames more.
        let later = sent.judge(&trace, 100, 0, sees);
        assert_eq!((later.late.len(), later.shown), (3, 6));
    }

    #[test]
    fn nothing_is_judged_of_clients_who_do_not_yet_know_where_they_were_put() {
        // The first comes to life at 50 ms, and is put beside the second at 150 ms; nobody is sent.
        let mut rows = String::from("t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n");
        let mut sent = String::from("t_ms,player,sent\n");
        for (time, x, dead) in [
            (0, 900, 1),
            (50, 900, 0),
            (100, 900, 0),
            (150, 0, 0),
            (200, 0, 0),
        ] {
            rows += &format!("{time},0,{x},0,0,0,0,{dead}\n{time},1,5,0,0,0,0,0\n");
            sent += &format!("{time},0,\n{time},1,0\n");
        }
        let trace = Trace::read(rows.as_bytes()).unwrap();
        let sent = Sent::read(sent.as_bytes()).unwrap();
        let sees = |a: &TracePoint, b: [f64; 3]| (a.at[0] - b[0]).abs() < 10.0;
        // At once the client knows of both; a frame away of the second frame there alone, and further away of none.
        for (rtt, late) in [(0, 2), (50, 1), (100, 0)] {
            assert_eq!(sent.judge(&trace, rtt, 0, sees).late.len(), late, "{rtt}");
        }
    }

    #[test]
    fn who_passes_between_two_frames_is_late_there() {
        // They pass each other between 50 and 100 ms, and are never near in a frame; nobody is sent until 100 ms.
        let mut rows = format!("{},eye\n", viewcell_simulate::trace::HEADER);
        let mut sent = String::from("t_ms,player,sent\n");
        for (time, x) in [(0, 60), (50, 20), (100, -20), (150, -60)] {
            rows += &format!("{time},0,0,0,0,0,0,0,12\n{time},1,{x},0,0,0,0,0,26\n");
            sent += &format!(
                "{time},0,{}\n{time},1,0\n",
                if time < 100 { "" } else { "1" }
            );
        }
        let trace = Trace::read(rows.as_bytes()).unwrap();
        let sent = Sent::read(sent.as_bytes()).unwrap();
        let sees = |a: &TracePoint, b: [f64; 3]| {
            let near = (a.at[0] - b[0]).abs() < 10.0;
            assert!(a.eye == Some(12.0) || a.at[0] == b[0] || !near);
            near
        };
        let late = |rtt, between| sent.judge(&trace, rtt, between, sees).late.len();
        assert_eq!([late(0, 0), late(0, 1), late(0, 4)], [0, 1, 1]);
        // A client that is 100 ms away is shown the same way later.
        assert_eq!([late(100, 0), late(100, 4)], [0, 0]);
        assert_eq!(late(50, 4), 1);
    }

    #[test]
    fn records_are_read_and_faults_told_with_their_line() {
        let read = |text: &str| Sent::read(text.as_bytes());
        let sent = read("t_ms,player,sent\n0,0,1 2\r\n0,1,\n").unwrap();
        assert_eq!(sent.rows[&(0, 0)], [1, 2]);
        assert!(sent.rows[&(0, 1)].is_empty());
        assert_eq!(sent.bytes, None);
        let sized = read("t_ms,player,sent,bytes\n0,0,1 2,40\n0,1,,2\n").unwrap();
        assert_eq!((sized.rows, sized.bytes), (sent.rows, Some(42)));
        for (text, line, what) in [
            ("a,b\n", 1, "columns"),
            ("t_ms,player,sent\nx,0,1\n", 2, "t_ms"),
            ("t_ms,player,sent\n0,0,a\n", 2, "sent"),
            ("t_ms,player,sent\n0,0,1,40\n", 2, "no more"),
            ("t_ms,player,sent,size\n", 1, "columns"),
            ("t_ms,player,sent,bytes\n0,0,1\n", 2, "bytes"),
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
