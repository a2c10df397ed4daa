//! Tracks of GPS receivers, in GPX 1.0 and 1.1: each file is the way of one walker.

use chrono::{DateTime, NaiveDateTime, SubsecRound};
use roxmltree::{Document, Node, ParsingOptions};
use viewcell::format::frame::ends;

use super::field::distance;
use super::trace::{Trace, TraceError, TracePoint};

/// Where a walker was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fix {
    /// Longitude and latitude. [Unit: degrees]
    pub lonlat: [f64; 2],
    /// [Unit: m]
    pub height: f64,
    /// Since 1970. [Unit: ms]
    pub time: i64,
}

/// The mean radius of the earth. [Unit: m]
const EARTH: f64 = 6_371_008.8;

/// Reads the points of all tracks of a file, in order.
///
/// # Errors
///
/// [`TraceError`] for what is no XML, for a point without longitude, latitude or time, for times that go back, and for
/// fewer than two points.
pub fn read(text: &str) -> Result<Vec<Fix>, TraceError> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| TraceError {
        line: Some(error.pos().row.into()),
        what: format!("expected a track in GPX, found what is no XML: {error}"),
    })?;
    let mut fixes: Vec<Fix> = Vec::new();
    let points = document.descendants().filter(|node| is(node, "trkpt"));
    for point in points {
        let fault = |what: String| TraceError {
            line: Some(document.text_pos_at(point.range().start).row.into()),
            what,
        };
        let angle = |name: &str, most: f64| {
            let word = point.attribute(name);
            let number = word.and_then(|word| word.parse().ok());
            number.filter(|x: &f64| x.abs() <= most).ok_or_else(|| {
                fault(format!(
                    "expected {name} of up to {most} degrees, found {word:?}"
                ))
            })
        };
        let lonlat = [angle("lon", 180.0)?, angle("lat", 90.0)?];
        let element = |name| {
            let named = point.children().find(|node| is(node, name));
            named.and_then(|node| node.text()).map(str::trim)
        };
        let height = element("ele").and_then(|word| word.parse().ok());
        let word = element("time").ok_or_else(|| {
            fault(
                "expected a point with a time, found none: it is not known how fast it was".into(),
            )
        })?;
        let time = milliseconds(word).ok_or_else(|| {
            fault(format!(
                "expected a time as 2010-10-03T09:36:12Z, found {word:?}"
            ))
        })?;
        if let Some(last) = fixes.last_mut() {
            if time < last.time {
                return Err(fault(format!(
                    "expected times that do not go back, found {word}"
                )));
            }
            if time == last.time {
                continue;
            }
        }
        fixes.push(Fix {
            lonlat,
            height: height.unwrap_or(0.0),
            time,
        });
    }
    if fixes.len() < 2 {
        let what = format!(
            "expected two points of a track (trkpt) or more, at different times, found {}",
            fixes.len()
        );
        return Err(TraceError { line: None, what });
    }
    Ok(fixes)
}

/// Whether a node is an element of this name, in GPX 1.0, 1.1 or no namespace.
fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.tag_name().name() == name
}

/// The trace of walkers: all set out together. `place` says where on the map a fix is, in metres east
/// and south of the first sample.
pub fn trace(walkers: &[Vec<Fix>], place: impl Fn(&[Fix], &Fix) -> [f64; 2]) -> Trace {
    let players = walkers.iter().map(|fixes| {
        let begin = fixes.first().map_or(0, |fix| fix.time);
        let mut heading = 0.0;
        let mut last = None;
        fixes
            .iter()
            .map(|fix| {
                let [x, y] = place(fixes, fix);
                let at = [x, y, fix.height];
                if let Some(before) = last.replace(at)
                    && distance(before, at) > 0.0
                {
                    heading = (at[1] - before[1]).atan2(at[0] - before[0]).to_degrees();
                }
                TracePoint {
                    time: (fix.time - begin) as u64,
                    at,
                    view: [0.0, heading],
                    dead: false,
                    eye: None,
                }
            })
            .collect()
    });
    Trace {
        players: players.collect(),
    }
}

/// Metres east and south of the middle of a track's extent, as on a plane that touches the earth
/// there.
pub fn from_middle(track: &[Fix], fix: &Fix) -> [f64; 2] {
    let middle = [0, 1].map(|i| {
        let [low, high] = ends(track.iter().map(|fix| fix.lonlat[i]));
        (low + high) / 2.0
    });
    let [east, north] = [0, 1].map(|i| (fix.lonlat[i] - middle[i]).to_radians());
    [EARTH * east * middle[1].to_radians().cos(), -EARTH * north]
}

/// Milliseconds since 1970 of a time with an offset, as in RFC 3339, or without one in UTC; its hour may follow a blank.
fn milliseconds(word: &str) -> Option<i64> {
    let word = &word.replacen(' ', "T", 1);
    let time = DateTime::parse_from_rfc3339(word).map(|time| time.to_utc());
    let time = time.or_else(|_| word.parse().map(|time: NaiveDateTime| time.and_utc()));
    Some(time.ok()?.round_subsecs(3).timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        for (word, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-03-01T00:00:00Z", 951_868_800_000),
            ("2024-02-29T12:30:15.250Z", 1_709_209_815_250),
            ("2024-02-29T14:30:15+02:00", 1_709_209_815_000),
            ("2024-02-29 12:30:15", 1_709_209_815_000),
            ("1901-12-13T20:45:52Z", -2_147_483_648_000),
        ] {
            assert_eq!(milliseconds(word), Some(expected), "{word}");
        }
        for word in [
            "",
            "yesterday",
            "2024-13-01T00:00:00Z",
            "2024-01-01",
            "2024-01-01T0x:00:00Z",
        ] {
            assert_eq!(milliseconds(word), None, "{word}");
        }
    }

    fn track(points: &[(f64, f64, &str)]) -> String {
        let point = |(lat, lon, time): &(f64, f64, &str)| {
            format!("<trkpt lat=\"{lat}\"\n lon='{lon}'><ele>5</ele>{time}</trkpt>\n")
        };
        let points: String = points.iter().map(point).collect();
        format!("<gpx>\n<trk><trkseg>\n{points}</trkseg></trk></gpx>")
    }

    #[test]
    fn a_track_becomes_the_way_of_a_player() {
        let text = track(&[
            (
                45.0,
                14.0,
                "<!--</trkpt>--><time>2010-10-03T09:36:12Z</time>",
            ),
            (45.001, 14.0, "<time>2010-10-03T09:36:12Z</time>"),
            (45.002, 14.0, "<time>2010-10-03T09:36:42Z</time>"),
        ]);
        let fixes = read(&text).unwrap();
        assert_eq!(fixes.len(), 2, "twice at one time is once");
        let trace = trace(&[fixes], from_middle);
        let [from, to] = [0, 1].map(|i| trace.players[0][i]);
        assert_eq!((from.time, to.time), (0, 30_000));
        // 0.002 degrees of latitude, half of them on each side, to the north.
        assert!(
            (from.at[1] - 111.2).abs() < 0.1 && (to.at[1] + 111.2).abs() < 0.1,
            "{from:?}"
        );
    }

    #[test]
    fn each_fault_is_told_with_its_line() {
        let time = "<time>2010-10-03T09:36:12Z</time>";
        let earlier = "<time>2010-10-03T09:36:11Z</time>";
        for (points, line, what) in [
            (vec![(45.0, 14.0, "")], 3, "with a time"),
            (
                vec![(45.0, 14.0, time), (45.0, 14.0, earlier)],
                5,
                "not go back",
            ),
            (vec![(95.0, 14.0, time)], 3, "lat of up to 90"),
            (vec![(45.0, f64::NAN, time)], 3, "lon of up to 180"),
            (vec![(45.0, 14.0, time)], 0, "two points"),
            (vec![(45.0, 14.0, "<time>noon</time>")], 3, "noon"),
        ] {
            let error = read(&track(&points)).unwrap_err();
            assert_eq!(error.line.unwrap_or(0), line, "{error}");
            assert!(error.what.contains(what), "{error}");
        }
        assert!(
            read("<trkpt lat=\"1\" lon=\"2\">")
                .unwrap_err()
                .what
                .contains("no XML")
        );
    }
}
