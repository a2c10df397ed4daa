//! `viewcell check`: whether a bundle keeps to limits, for pipelines.

use std::cmp::Reverse;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell::query::World;
use viewcell_bake::bundle::{self, Info};
use viewcell_view::picture::grouped;

use super::exit::{Exit, Failure, Outcome};
use super::info::Metres;
use super::output::Json;
use super::render::{name, seen_by_cells, survey};
use super::values::ByteSize;
use super::work::Work;
use super::{output, query};

/// Check the size of a bundle and what it hides against limits; exit code 1 if one is exceeded
///
/// Prints a table in Markdown, for instance for a pull request. Shares are the ones that viewcell info and
/// viewcell report print.
///
/// Example: viewcell check level.vcb --max-size 30MB --min-hidden 60
#[derive(clap::Args)]
pub struct Args {
    /// The bundle
    bundle: PathBuf,
    /// Maximum size of the file: bytes, or with KB, MB, GB, KiB, MiB, GiB
    #[arg(long, value_name = "SIZE")]
    max_size: Option<ByteSize>,
    /// Minimum share of the terrain that is hidden from a sample on average, or of the level from a cell; with
    /// @LEVEL, from a quad of 2^LEVEL samples a side. Once for each level
    #[arg(long, value_name = "PERCENT[@LEVEL]")]
    min_hidden: Vec<LeastHidden>,
    /// Maximum share of the terrain that sees the most exposed sample, or of a level's cells that see the most
    /// exposed cell, itself included
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    max_exposed: Option<Percent>,
    /// An earlier bundle of this world: fail if the new one is larger, hides less, or has a more exposed place
    #[arg(long, value_name = "OLD.vcb")]
    against: Option<PathBuf>,
    /// With --against, how much worse is still accepted: percent of the old size, percentage points of shares
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent, requires = "against")]
    tolerance: Percent,
    /// Print nothing on stderr but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    json: Json,
}

/// A share of 1, from percent.
#[derive(Clone, Copy, PartialEq)]
struct Percent(f64);

fn percent(text: &str) -> Result<Percent, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse().ok();
    let number = number.filter(|number: &f64| (0.0..=100.0).contains(number));
    let share = number.map(|number| Percent(number / 100.0));
    share.ok_or_else(|| "expected percent, a number from 0 to 100".to_owned())
}

/// The least share that is to be hidden from quads of a level.
#[derive(Clone, Copy)]
struct LeastHidden {
    share: f64,
    level: u32,
}

impl FromStr for LeastHidden {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (share, level) = text.split_once('@').unwrap_or((text, "0"));
        let level = level.trim().parse();
        let level = level.map_err(|_| "expected a level after the @, 0 for samples".to_owned())?;
        let Percent(share) = percent(share)?;
        Ok(Self { share, level })
    }
}

/// What `viewcell check --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell check")]
pub struct Document {
    /// The bundle.
    #[serde(serialize_with = "crate::output::names")]
    bundle: PathBuf,
    /// The earlier one, if it was compared with one.
    #[serde(serialize_with = "crate::output::names")]
    against: Option<PathBuf>,
    /// `terrain`, `cells` or `solid`.
    kind: String,
    /// Whether every check holds.
    holds: bool,
    /// In the order of the table.
    checks: Vec<Check>,
}

/// A figure and its limit.
#[derive(Serialize, JsonSchema)]
struct Check {
    figure: Figure,
    /// For `hidden`, the level of the quads; 0 for samples, or cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    /// For `exposed`, the column and the row of the most exposed sample, or the number of the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Vec<u32>>,
    /// The figure of the bundle: bytes, or a share from 0 to 1.
    found: f64,
    /// The limit: for `hidden` a minimum, for the others a maximum.
    limit: f64,
    /// The figure of the earlier bundle, if the limit comes from that.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<f64>,
    /// Whether the limit is kept.
    holds: bool,
}

/// What is checked.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Figure {
    /// Bytes of the file.
    Size,
    /// Mean share of the world that is hidden from a place.
    Hidden,
    /// Share of the world that sees the most exposed place.
    Exposed,
}

pub fn run(args: &Args) -> Outcome {
    check_limits(args)?;
    let work = Work::unwritten(args.quiet)?;
    let new = Measured::open(&args.bundle)?;
    let old = args.against.as_deref().map(Measured::open).transpose()?;
    if let Some(old) = &old {
        new.check_same_world(old)?;
    }
    let checks = checks(args, &work, &new, old.as_ref())?;
    let document = Document {
        bundle: args.bundle.clone(),
        against: args.against.clone(),
        kind: new.info.kind,
        holds: checks.iter().all(|check| check.holds),
        checks,
    };
    let text = Table(&document).to_string();
    args.json.tell(|| &document, text.trim_end())?;
    Ok(if document.holds { Exit::Done } else { Exit::No })
}

fn check_limits(args: &Args) -> Result<(), Failure> {
    let limited = args.max_size.is_some() || args.max_exposed.is_some() || args.against.is_some();
    if !limited && args.min_hidden.is_empty() {
        return Err(Failure::usage(
            "expected --max-size, --min-hidden, --max-exposed or --against: without a limit every \
             bundle passes",
        ));
    }
    for (i, limit) in args.min_hidden.iter().enumerate() {
        if args.min_hidden[..i]
            .iter()
            .any(|other| other.level == limit.level)
        {
            return Err(Failure::usage(format!(
                "--min-hidden: expected one limit for level {}, found two; leave one out",
                limit.level
            )));
        }
    }
    Ok(())
}

/// Every check, those against the earlier bundle last.
fn checks(
    args: &Args,
    work: &Work<'_>,
    new: &Measured<'_>,
    old: Option<&Measured<'_>>,
) -> Result<Vec<Check>, Failure> {
    let mut levels: Vec<u32> = args.min_hidden.iter().map(|limit| limit.level).collect();
    let mut checks = Vec::new();
    let size = new.info.bytes as f64;
    if let Some(ByteSize(most)) = args.max_size {
        checks.push(Check::at_most(Figure::Size, size, most as f64));
    }
    for limit in &args.min_hidden {
        let found = new.hidden(limit.level)?;
        checks.push(Check::hidden(limit.level, found, limit.share));
    }
    let exposed = if args.max_exposed.is_some() || old.is_some() {
        new.exposed(work)?
    } else {
        Exposed::default()
    };
    if let Some(Percent(most)) = args.max_exposed {
        checks.push(Check::exposed(&exposed, most));
    }
    let Some(old) = old else {
        return Ok(checks);
    };
    let before = old.exposed(work)?;
    let Percent(tolerance) = args.tolerance;
    let old_size = old.info.bytes as f64;
    let check = Check::at_most(Figure::Size, size, old_size * (1.0 + tolerance));
    checks.push(check.by(old_size));
    if !levels.contains(&0) {
        levels.insert(0, 0);
    }
    for level in levels {
        let before = old.hidden(level)?;
        let check = Check::hidden(level, new.hidden(level)?, before - tolerance);
        checks.push(check.by(before));
    }
    let check = Check::exposed(&exposed, before.share + tolerance);
    checks.push(check.by(before.share));
    Ok(checks)
}

impl Check {
    fn at_most(figure: Figure, found: f64, limit: f64) -> Self {
        Self {
            figure,
            level: None,
            place: None,
            found,
            limit,
            old: None,
            holds: found <= limit,
        }
    }

    fn hidden(level: u32, found: f64, limit: f64) -> Self {
        Self {
            level: Some(level),
            holds: found >= limit,
            ..Self::at_most(Figure::Hidden, found, limit)
        }
    }

    fn exposed(found: &Exposed, limit: f64) -> Self {
        Self {
            place: Some(found.place.clone()),
            ..Self::at_most(Figure::Exposed, found.share, limit)
        }
    }

    /// The same, its limit being by what an earlier bundle has.
    fn by(self, old: f64) -> Self {
        Self {
            old: Some(old),
            ..self
        }
    }
}

/// The place that most places see.
#[derive(Default)]
struct Exposed {
    place: Vec<u32>,
    /// The share of places that see it.
    share: f64,
}

impl Exposed {
    /// Of so many places, by how many see each; the first of those that equally many see.
    fn of(seen: &[u32], places: u64, place: impl Fn(u32) -> Vec<u32>) -> Self {
        let most = (0..).zip(seen).min_by_key(|(_, count)| Reverse(**count));
        most.map_or(Self::default(), |(at, count)| Self {
            place: place(at),
            share: f64::from(*count) / places.max(1) as f64,
        })
    }
}

/// A bundle to be measured.
struct Measured<'a> {
    path: &'a Path,
    info: Info,
}

impl<'a> Measured<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let info = bundle::info(path)?;
        if info.patch.is_some() {
            return Err(Failure::bad_input(format!(
                "{}: expected a bundle, found a patch; viewcell merge joins it and its bundle",
                path.display()
            )));
        }
        Ok(Self { path, info })
    }

    /// Fails unless shares of the two are of the same world.
    fn check_same_world(&self, old: &Self) -> Result<(), Failure> {
        let (new_path, old_path) = (self.path.display(), old.path.display());
        if self.info.kind != old.info.kind {
            return Err(Failure::bad_input(format!(
                "--against {old_path}: expected a bundle of the kind of {new_path}, which is {}, found {}",
                self.info.kind, old.info.kind
            )));
        }
        let ground = |info: &Info| {
            info.terrain.as_ref().map_or(String::new(), |of| {
                let [dx, dy] = of.spacing.map(Metres);
                let mut words = format!("{} x {} places, {dx} x {dy} m apart", of.width, of.height);
                if let Some([x, _, _, y, _, _]) = of.transform {
                    let _ = write!(words, ", from {x}, {y}");
                }
                words
            })
        };
        // An edited level may have other cells; it keeps its name.
        let level = |info: &Info| {
            let made = info.provenance.as_ref();
            let made = made.filter(|_| info.terrain.is_none());
            made.map_or(String::new(), |made| made.input.name.clone())
        };
        let [new, found] = [&self.info, &old.info].map(|info| ground(info) + &level(info));
        if new != found {
            return Err(Failure::bad_input(format!(
                "--against {old_path}: expected an earlier bundle of the world of {new_path} ({new}), found one of \
                 {found}; bake the earlier one with the same options and under the same name"
            )));
        }
        Ok(())
    }

    /// The mean share that is hidden from a quad of a level, or from a cell.
    fn hidden(&self, level: u32) -> Result<f64, Failure> {
        let path = self.path.display();
        let made = self.info.provenance.as_ref().ok_or_else(|| {
            Failure::bad_input(format!(
                "{path}: does not say how much it hides; bake it again"
            ))
        })?;
        let levels = &made.statistics.levels;
        let found = match &made.cells {
            Some(cells) => (level == 0).then_some(cells.hidden_share),
            None => levels.get(level as usize).map(|of| of.hidden_share),
        };
        found.ok_or_else(|| {
            Failure::usage(format!(
                "--min-hidden at level {level}: expected a level of {path}, 0 to {}",
                levels.len().saturating_sub(1)
            ))
        })
    }

    /// The most exposed place.
    fn exposed(&self, work: &Work<'_>) -> Result<Exposed, Failure> {
        let opened = query::open(self.path)?;
        let of_cells = |seen: &[u32]| Exposed::of(seen, seen.len() as u64, |cell| vec![cell]);
        Ok(match opened.world() {
            World::Cells(_) | World::Solid(_) => of_cells(&seen_by_cells(work, &opened)?),
            World::Terrain(of) => {
                let (width, samples) = (of.grid().width(), of.valid().count(of.grid().root()));
                let place = |at| vec![at % width, at / width];
                Exposed::of(&survey(work, self.path, of)?.exposure, samples, place)
            }
        })
    }
}

/// The checks, as Markdown.
struct Table<'a>(&'a Document);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Document { checks, kind, .. } = self.0;
        let name = |path: &Path| output::escaped_line(&name(path)).replace(['`', '|'], "'");
        let failed = checks.iter().filter(|check| !check.holds).count();
        write!(f, "`{}`", name(&self.0.bundle))?;
        if let Some(old) = &self.0.against {
            write!(f, " against `{}`", name(old))?;
        }
        match failed {
            0 => writeln!(f, ": all checks hold")?,
            failed => writeln!(f, ": {failed} of {} checks failed", checks.len())?,
        }
        f.write_str("\n| figure | found | expected | holds |\n|---|---:|---:|---|\n")?;
        let place = if kind == "terrain" { "sample" } else { "cell" };
        for check in checks {
            let what = match (check.figure, check.level) {
                (Figure::Size, _) => "size".to_owned(),
                (Figure::Hidden, None | Some(0)) => format!("hidden from a {place}"),
                (Figure::Hidden, Some(level)) => {
                    format!("hidden from {0} × {0} {place}s", 1_u64 << level.min(63))
                }
                (Figure::Exposed, _) => {
                    let numbers = check.place.iter().flatten();
                    let numbers: Vec<String> = numbers.map(u32::to_string).collect();
                    format!("sees {place} {}", numbers.join(","))
                }
            };
            let [found, limit] = check.numbers();
            let least = match check.figure {
                Figure::Hidden => "at least",
                Figure::Size | Figure::Exposed => "at most",
            };
            let old = if check.old.is_some() { " (old)" } else { "" };
            let holds = if check.holds { "yes" } else { "**no**" };
            writeln!(f, "| {what} | {found} | {least} {limit}{old} | {holds} |")?;
        }
        Ok(())
    }
}

impl Check {
    /// What was found and the limit, with as many digits as tell them apart.
    fn numbers(&self) -> [String; 2] {
        let numbers = [self.found, self.limit];
        if self.figure == Figure::Size {
            return numbers.map(|bytes| format!("{} B", grouped(bytes as u64)));
        }
        let texts = |digits: usize| numbers.map(|share| format!("{:.digits$} %", 100.0 * share));
        let told_apart = |[a, b]: &[String; 2]| a != b || self.found == self.limit;
        let mut digits = (2..12).map(texts);
        digits.find(told_apart).unwrap_or_else(|| texts(12))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert!(percent("41.5").unwrap().0 == 0.415 && percent("40 %").unwrap().0 == 0.4);
        for text in ["", "-1", "100.1", "nan", "inf", "4O", "%"] {
            assert!(percent(text).is_err(), "{text}");
        }
        let LeastHidden { share, level } = "60@3".parse().unwrap();
        assert_eq!((share, level), (0.6, 3));
        for text in ["60@", "60@-1", "@3", "60@3@4", "60@x"] {
            assert!(text.parse::<LeastHidden>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_that_differ_look_different() {
        let check = Check::hidden(0, 0.399_999_9, 0.4);
        assert!(!check.holds);
        assert_eq!(check.numbers(), ["39.99999 %", "40.00000 %"]);
        let check = Check::hidden(0, 0.4, 0.4);
        assert!(check.holds);
        assert_eq!(check.numbers(), ["40.00 %", "40.00 %"]);
    }

    #[test]
    fn of_equally_exposed_places_the_first_is_named() {
        let found = Exposed::of(&[0, 3, 2, 3], 4, |at| vec![at]);
        assert_eq!((found.place, found.share), (vec![1], 0.75));
    }
}
