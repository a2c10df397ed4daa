//! Tracks of GPS receivers, in GPX 1.0 and 1.1: each file is the way of one walker.

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
/// [`TraceError`] for a point without longitude, latitude or time, for times that go back, and for
/// fewer than two points.
pub fn read(text: &str) -> Result<Vec<Fix>, TraceError> {
    let line = |at: usize| 1 + text[..at].matches('\n').count() as u64;
    let mut fixes: Vec<Fix> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("<trkpt") {
        let begin = at + found;
        let fault = |what: String| TraceError {
            line: Some(line(begin)),
            what,
        };
        let end = text[begin..].find("</trkpt>");
        let end = begin + end.ok_or_else(|| fault("expected </trkpt>, found the end".into()))?;
        let point = &text[begin..end];
        at = end;
        let angle = |name: &str, most: f64| {
            let word = attribute(point, name);
            let number = word.and_then(|word| word.parse().ok());
            number.filter(|x: &f64| x.abs() <= most).ok_or_else(|| {
                fault(format!(
                    "expected {name} of up to {most} degrees, found {word:?}"
                ))
            })
        };
        let lonlat = [angle("lon", 180.0)?, angle("lat", 90.0)?];
        let height = element(point, "ele").and_then(|word| word.parse().ok());
        let word = element(point, "time").ok_or_else(|| {
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
        let side = track.iter().map(|fix| fix.lonlat[i]);
        let (low, high) = side.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        (low + high) / 2.0
    });
    let [east, north] = [0, 1].map(|i| (fix.lonlat[i] - middle[i]).to_radians());
    [EARTH * east * middle[1].to_radians().cos(), -EARTH * north]
}

/// What stands between the quotes of an attribute.
fn attribute<'t>(point: &'t str, name: &str) -> Option<&'t str> {
    let tag = &point[..point.find('>')?];
    let mut rest = tag;
    loop {
        let at = rest.find(name)?;
        let before = rest[..at].chars().next_back();
        let after = rest[at + name.len()..].trim_start();
        rest = &rest[at + name.len()..];
        if !before.is_some_and(char::is_whitespace) {
            continue;
        }
        let value = after.strip_prefix('=')?.trim_start();
        let quote = value
            .chars()
            .next()
            .filter(|quote| "\"'".contains(*quote))?;
        return value[1..].split(quote).next();
    }
}

/// The text of an element.
fn element<'t>(point: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = point.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(text.trim())
}

/// Milliseconds since 1970 of a time in UTC or with an offset, as in RFC 3339.
fn milliseconds(word: &str) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = word.get(from..to)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let is = |at: usize, sign: u8| word.as_bytes().get(at) == Some(&sign);
    if !(is(4, b'-')
        && is(7, b'-')
        && (is(10, b'T') || is(10, b' '))
        && is(13, b':')
        && is(16, b':'))
    {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 24
        || minute > 59
        || second > 60
    {
        return None;
    }
    let mut rest = word.get(19..)?;
    let mut thousandths = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let share: f64 = format!("0.{}", &fraction[..digits]).parse().ok()?;
        thousandths = (share * 1000.0).round() as i64;
        rest = &fraction[digits..];
    }
    let offset = match rest {
        "Z" | "" => 0,
        _ => {
            let sign = match rest.chars().next()? {
                '+' => 1,
                '-' => -1,
                _ => return None,
            };
            let (hours, minutes) = rest[1..].split_once(':')?;
            sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?)
        }
    };
    // Years that begin in March end with the day that may be missing.
    let years = if month > 2 { year } else { year - 1 };
    let months = (month + 9) % 12;
    let days = 365 * years + years.div_euclid(4) - years.div_euclid(100)
        + years.div_euclid(400)
        + (153 * months + 2) / 5
        + day
        - 1
        - 719_468;
    let minutes = (days * 24 + hour) * 60 + minute - offset;
    Some((minutes * 60 + second) * 1000 + thousandths)
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
            (45.0, 14.0, "<time>2010-10-03T09:36:12Z</time>"),
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
                .contains("the end")
        );
    }
}
