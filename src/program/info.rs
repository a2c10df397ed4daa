//! `viewcell info`: what a bundle is, and how it was made.

use std::fmt;
use std::path::{Path, PathBuf};

use askama::Template;
use viewcell_bake::bundle::{self, BundleError, CellStatistics, Given, Info, Provenance, Timings};
use viewcell_ingest::world::Short;
use viewcell_view::picture::grouped;

use super::exit::{Failure, Outcome};
use super::output::{Json, escaped_line};
use super::progress::Seconds;
use super::table::{Table, percent};

/// Print what a bundle or a patch is, how it was made, what is hidden at each level, and where its bytes go
///
/// Example: viewcell info level.vcb
#[derive(clap::Args)]
pub struct Args {
    /// The bundle, or a patch
    bundle: PathBuf,
    #[command(flatten)]
    json: Json,
}

pub fn run(args: &Args) -> Outcome {
    let info = bundle::info(&args.bundle)?;
    args.json
        .tell(|| &info, Summary(&info).to_string().trim_end())
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        Self::new(error.kind().into(), error)
    }
}

/// What to say of a bundle without checksums by page, as older versions wrote it.
pub const UNPAGED: &str =
    "none by page, so that damage shows to viewcell verify alone; repack it, or bake it again";

/// What a bundle is, for people: `info.txt` has a line for each name and what it stands for.
#[derive(Template)]
#[template(path = "info.txt", config = "src/program/report/askama.toml")]
struct Facts<'a> {
    info: &'a Info,
    is_paged: bool,
    voids: String,
    /// The name of the quality that chooses the cells and what stands behind its options, if one does.
    quality: String,
    axes: String,
    lost: Option<String>,
    cells: Option<&'a CellStatistics>,
}

/// Names and what they stand for.
pub fn facts(info: &Info) -> Vec<(String, String)> {
    let (terrain, solid) = (info.terrain.as_ref(), info.solid.as_ref());
    let made = info.provenance.as_ref();
    let cells = made.and_then(|made| made.cells.as_ref());
    let voids = made.map_or(0, |made| made.statistics.voids);
    let void = match terrain.is_some_and(|terrain| terrain.walkable) {
        true => "void or not walkable",
        false => "void",
    };
    let quality = terrain.map_or(solid.and_then(|of| of.quality.as_ref()), |of| {
        of.quality.as_ref()
    });
    let axis = |axis: i8| {
        let name = ["x", "y", "z"][usize::from(axis.unsigned_abs()) - 1];
        format!("{}{name}", if axis < 0 { "-" } else { "" })
    };
    let told = Facts {
        info,
        is_paged: info.sections.iter().any(|section| section.tag == "PCRC"),
        voids: match voids {
            0 => String::new(),
            voids => format!(", {} of them {void}", grouped(voids)),
        },
        quality: quality.map_or(String::new(), |name| format!("{name} (")),
        axes: solid.map_or(String::new(), |level| level.axes.map(axis).join(", ")),
        lost: made.and_then(|made| Some(reason(&made.loss.as_ref()?.given))),
        cells,
    };
    // Writing to a string does not fail.
    let told = told.to_string();
    let rows = told.lines().filter_map(|line| line.split_once(": "));
    rows.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// What templates of text write numbers with.
pub mod filters {
    use std::fmt::Display;

    use askama::{Result, Values};

    use super::{Bytes, Metres, Short, escaped_line, grouped};

    #[askama::filter_fn]
    pub fn bytes(number: &u64, _: &dyn Values) -> Result<Bytes> {
        Ok(Bytes(*number))
    }

    #[askama::filter_fn]
    pub fn count(number: impl Display, _: &dyn Values) -> Result<String> {
        Ok(grouped(number.to_string().parse().unwrap_or_default()))
    }

    #[askama::filter_fn]
    pub fn metres(number: &f64, _: &dyn Values) -> Result<Metres> {
        Ok(Metres(*number))
    }

    #[askama::filter_fn]
    pub fn point(at: &[f64; 3], _: &dyn Values) -> Result<String> {
        Ok(at.map(|x| Metres(x).to_string()).join(","))
    }

    #[askama::filter_fn]
    pub fn short(number: &f64, _: &dyn Values) -> Result<Short> {
        Ok(Short(*number))
    }

    #[askama::filter_fn]
    pub fn list(numbers: impl AsRef<[f64]>, _: &dyn Values) -> Result<String> {
        let words = numbers.as_ref().iter().map(|x| Short(*x).to_string());
        Ok(words.collect::<Vec<_>>().join(", "))
    }

    #[askama::filter_fn]
    pub fn line(text: &str, _: &dyn Values) -> Result<String> {
        Ok(escaped_line(text).into_owned())
    }
}

/// How many pairs of cells are so many visible steps apart.
pub fn distances(of: &CellStatistics) -> Table {
    let apart = (1..).zip(&of.pairs_by_distance);
    let apart = apart.map(|(steps, &pairs): (u32, _)| (steps.to_string(), pairs));
    let never = ("none".to_owned(), of.unreachable_pairs);
    let never = (of.unreachable_pairs > 0).then_some(never);
    let all = of.pairs_by_distance.iter().sum::<u64>() + of.unreachable_pairs;
    let rows = apart.chain(never).map(|(steps, pairs)| {
        let share = percent(pairs as f64 / all.max(1) as f64);
        vec![steps, grouped(pairs), share]
    });
    Table::new(0, &["Steps", "Ordered pairs", "Share"], rows)
}

/// What is hidden at each level, and what was kept of it.
pub fn levels(info: &Info, made: &Provenance) -> Table {
    let finest = info.terrain.as_ref().map_or(0, |about| about.finest);
    let kept = |level: usize| made.loss.as_ref()?.levels.get(level);
    let mut head = vec!["Level", "Samples", "Quads", "Hidden", "Bytes"];
    if made.loss.is_some() {
        head.push("Of hidden kept");
    }
    let rows = made.statistics.levels.iter().enumerate().map(|(i, level)| {
        let side = 1_u64 << (level.level + finest);
        let mut row = vec![
            level.level.to_string(),
            format!("{side} × {side}"),
            grouped(level.quads),
            percent(level.hidden_share),
            grouped(level.tree_bytes),
        ];
        row.extend(kept(i).map(|kept| percent(kept.kept_share)));
        row
    });
    Table::new(0, &head, rows)
}

/// Where the bytes go.
pub fn sections(info: &Info) -> Table {
    let rows = info.sections.iter().map(|section| {
        vec![
            section.tag.clone(),
            section.holds.clone(),
            grouped(section.bytes),
            percent(section.bytes as f64 / info.bytes.max(1) as f64),
        ]
    });
    Table::new(2, &["Section", "Holds", "Bytes", "Share"], rows)
}

/// How long each stage took.
pub fn stages(timings: &Timings) -> Table {
    let rows = timings.stages.iter();
    let rows = rows.map(|stage| vec![stage.name.clone(), Seconds(stage.seconds).to_string()]);
    Table::new(1, &["Stage", "Work of all threads"], rows)
}

/// A bundle, for people.
struct Summary<'a>(&'a Info);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.0;
        write!(f, "{}", Table::facts(facts(info)))?;
        let made = info.provenance.as_ref();
        if let Some(cells) = made.and_then(|made| made.cells.as_ref()) {
            write!(f, "\n{}", distances(cells))?;
        }
        if let Some(made) = made.filter(|made| !made.statistics.levels.is_empty()) {
            write!(f, "\n{}", levels(info, made))?;
        }
        write!(f, "\n{}", sections(info))?;
        if let Some(timings) = &info.timings {
            writeln!(f, "\n{}{}", stages(timings), took(timings))?;
        }
        Ok(())
    }
}

/// How long a bake took in all, for people.
pub fn took(timings: &Timings) -> String {
    format!(
        "{} from start to end and {} of processor time on {}, with {} of memory at most",
        Seconds(timings.elapsed_seconds),
        Seconds(timings.cpu_seconds),
        processors(timings),
        Bytes(timings.peak_memory_bytes)
    )
}

/// A bundle that was just written, for people: what it is, in some ten lines, and what to do next.
pub struct Brief<'a> {
    pub info: &'a Info,
    pub output: &'a Path,
}

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = facts(self.info).into_iter();
        let told = told.filter(|(name, _)| !["made by", "quadtree"].contains(&name.as_str()));
        write!(f, "{}", Table::facts(told))?;
        let made = self.info.provenance.as_ref();
        if let Some(level) = made.and_then(|made| made.statistics.levels.first()) {
            let of = match &self.info.terrain {
                Some(terrain) if terrain.finest == 0 => "sample",
                _ => "view cell",
            };
            // Parts of objects see nothing, and are no part of the share.
            let scene = self.info.solid.as_ref();
            let culled = scene.and_then(|of| Some(of.mean_objects_seen? / f64::from(of.objects?)));
            let share = 100.0 * culled.map_or(level.hidden_share, |seen| 1.0 - seen);
            writeln!(f, "hidden      {share:.2} % from a {of}, on average")?;
        }
        if let Some(timings) = &self.info.timings {
            writeln!(f, "took        {}", took(timings))?;
        }
        let output = self.output.display();
        writeln!(f, "written: {output}")?;
        write!(
            f,
            "next: viewcell view {output}   (viewcell info {output} prints all figures)"
        )
    }
}

/// On how many threads, and with which vector instructions where there are any.
pub fn processors(timings: &Timings) -> String {
    let threads = match timings.threads {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    };
    match timings.simd.as_str() {
        "none" => threads,
        simd => format!("{threads} ({simd})"),
    }
}

/// What was lost to, in words.
pub fn reason(given: &Given) -> String {
    match given {
        Given::Optimal {
            budget_bytes,
            weight,
            ..
        } => format!("to reach {} (weight: {weight})", Bytes(*budget_bytes)),
        Given::DeepestFirst {
            nodes_per_quad,
            ties,
        } => {
            format!("to reach {nodes_per_quad} nodes a PVS, the deepest first (ties: {ties})")
        }
    }
}

/// A number of bytes: 512 B, 4.2 kB, 208.1 MB.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} B", self.0),
            1_000..999_950 => write!(f, "{:.1} kB", bytes / 1e3),
            999_950..999_950_000 => write!(f, "{:.1} MB", bytes / 1e6),
            _ => write!(f, "{:.2} GB", bytes / 1e9),
        }
    }
}

/// A length to the millimetre, without the zeros that say nothing.
pub struct Metres(pub f64);

impl fmt::Display for Metres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !(1e-3..1e15).contains(&self.0.abs()) && self.0 != 0.0 {
            return write!(f, "{}", Short(self.0));
        }
        let text = format!("{:.3}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        let bytes = [999, 1_000, 999_949, 999_950, 208_123_456, 3_000_000_000];
        let words: Vec<String> = bytes.map(|b| Bytes(b).to_string()).into();
        assert_eq!(
            words,
            [
                "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "208.1 MB", "3.00 GB"
            ]
        );
        let lengths = [0.0, 1.8, 90.0, 74.125_4, 1_000.0];
        let words: Vec<String> = lengths.map(|l| Metres(l).to_string()).into();
        assert_eq!(words, ["0", "1.8", "90", "74.125", "1000"]);
    }
}
