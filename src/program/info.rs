//! `viewcell info`: what a bundle is, and how it was made.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use viewcell_bake::bundle::{self, BundleError, FileInfo, Given, Info, Timings};
use viewcell_ingest::world::Short;
use viewcell_view::picture::grouped;

use super::exit::{Failure, Outcome};
use super::output::{self, Json};
use super::progress::Seconds;

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

/// A bundle, for people.
pub struct Summary<'a>(pub &'a Info);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.0;
        let mut row =
            |name: &str, value: String| writeln!(f, "{name:<12}{}", output::escaped_line(&value));
        row(
            if info.patch.is_some() {
                "file"
            } else {
                "bundle"
            },
            format!(
                "{}, format {}, {}",
                info.kind,
                info.format_version,
                Bytes(info.bytes)
            ),
        )?;
        if info.patch.is_none() && !info.sections.iter().any(|section| section.tag == "PCRC") {
            row("checksums", UNPAGED.to_owned())?;
        }
        if let Some(made) = &info.provenance {
            let input = &made.input;
            row(
                "made from",
                format!(
                    "{} ({}, {}, {})",
                    input.name,
                    input.format,
                    Bytes(input.bytes),
                    input.digest
                ),
            )?;
            row("made by", made.tool.clone())?;
        }
        if let Some(patch) = &info.patch {
            let file = |of: &FileInfo| format!("{}, checksum {}", Bytes(of.bytes), of.checksum);
            row("belongs to", format!("a bundle of {}", file(&patch.bundle)))?;
            if patch.over != patch.bundle {
                row("lies over", format!("a patch of {}", file(&patch.over)))?;
            }
            let mut changes = format!(
                "{} samples, pairs of {} of {} blocks, {} PVSs of quads",
                Count(patch.samples),
                Count(patch.groups),
                Count(patch.blocks),
                Count(patch.trees)
            );
            if patch.changes_voids {
                changes += ", and where there is terrain";
            }
            row("changes", changes)?;
        }
        if let Some(terrain) = &info.terrain {
            let side = 1_u32 << terrain.finest;
            let [dx, dy] = terrain.spacing.map(|metres| metres / f64::from(side));
            let [columns, rows] = terrain.heightmap;
            let samples = format!(
                "{columns} x {rows} = {} samples, {} x {} m apart",
                Count(u64::from(columns) * u64::from(rows)),
                Metres(dx),
                Metres(dy)
            );
            let mut size = samples.clone();
            if terrain.finest > 0 {
                row("terrain", samples)?;
                size = format!(
                    "{} x {} = {} of {side} x {side} samples",
                    terrain.width,
                    terrain.height,
                    Count(terrain.samples)
                );
            }
            if let Some(made) = info
                .provenance
                .as_ref()
                .filter(|made| made.statistics.voids > 0)
            {
                let why = if terrain.walkable {
                    "void or not walkable"
                } else {
                    "void"
                };
                let _ = write!(size, ", {} of them {why}", Count(made.statistics.voids));
            }
            row(
                if terrain.finest > 0 {
                    "view cells"
                } else {
                    "terrain"
                },
                size,
            )?;
            let mut options = Vec::new();
            if terrain.finest > 0 || terrain.grade > 0 {
                options.push(format!("--finest {}", terrain.finest));
            }
            if terrain.grade > 0 {
                options.push(format!("--grade={}", terrain.grade));
            }
            if terrain.detail > 0 {
                options.push(format!("--detail {}", terrain.detail));
            }
            if !options.is_empty() {
                row(
                    "resolution",
                    resolution(terrain.quality.as_deref(), &options),
                )?;
            }
            row(
                "quadtree",
                format!("{} levels, {} quads", terrain.levels, Count(terrain.quads)),
            )?;
            let mut mode = terrain.visibility.clone();
            if let Some(sectors) = terrain.sectors {
                let _ = write!(mode, " ({sectors})");
            }
            let _ = write!(
                mode,
                ", eye {} m, player {} m",
                Metres(terrain.eye_height),
                Metres(terrain.player_height)
            );
            if let Some(distance) = terrain.max_distance {
                let _ = write!(mode, ", at most {} m", Metres(distance));
            }
            if terrain.earth_radius.is_some() {
                let _ = write!(mode, ", round earth, refraction {:.3}", terrain.refraction);
            }
            if terrain.covered {
                let _ = write!(mode, ", below a surface of houses and trees");
            }
            row("visibility", mode)?;
        }
        if let Some(level) = &info.solid {
            let numbers = |numbers: &[f64]| {
                let words: Vec<String> = numbers.iter().map(|x| Short(*x).to_string()).collect();
                words.join(", ")
            };
            let unit = format!(" {}", level.unit);
            let (solids, faces) = (Count(level.solids.into()), Count(level.faces.into()));
            row(
                "solid level",
                format!("{solids} solids and {faces} faces that hide"),
            )?;
            row(
                "view cells",
                format!(
                    "{}, from {}{unit} on",
                    Count(level.cells.into()),
                    numbers(&level.cell)
                ),
            )?;
            if level.grade > 0 {
                let grade = format!("--grade={}", level.grade);
                row("resolution", resolution(level.quality.as_deref(), &[grade]))?;
            }
            row("units", level.units.clone())?;
            row(
                "origin",
                format!("{}, around which it was baked", numbers(&level.origin)),
            )?;
            if level.axes != [1, 2, 3] || level.scale != 1.0 {
                let axis = |axis: i8| {
                    let name = ["x", "y", "z"][usize::from(axis.unsigned_abs()) - 1];
                    format!("{}{name}", if axis < 0 { "-" } else { "" })
                };
                let axes = level.axes.map(axis).join(", ");
                row(
                    "asked with",
                    format!(
                        "{axes} for the level's x, y, z, times {}",
                        Short(level.scale)
                    ),
                )?;
            }
            row(
                "body",
                format!("{}{unit}", numbers(level.hull.as_flattened())),
            )?;
            let eye = match level.eye {
                [low, high] if low == high => Short(low).to_string(),
                [low, high] => format!("{} to {}", Short(low), Short(high)),
            };
            row(
                "eye",
                format!("{eye}{unit} above the player's origin; an eye elsewhere sees all"),
            )?;
        }
        let loss = info.provenance.as_ref().and_then(|made| made.loss.as_ref());
        if let Some(loss) = loss {
            let why = reason(&loss.given);
            row("lost", format!("some of what is hidden, {why}"))?;
        }
        if let Some(level) = &info.cells {
            let mut cells = format!("{}", Count(level.cells.into()));
            if level.rows < level.cells {
                let _ = write!(cells, ", {} different rows", Count(level.rows.into()));
            }
            if level.bsp_nodes > 0 {
                let _ = write!(cells, ", a BSP of {} nodes", Count(level.bsp_nodes.into()));
            }
            if level.touching_pairs > 0 {
                let _ = write!(
                    cells,
                    ", {} adjacent pairs",
                    Count(level.touching_pairs.into())
                );
            }
            row("cells", cells)?;
            row("symmetry", level.symmetry.clone())?;
        }
        if let Some(cells) = info
            .provenance
            .as_ref()
            .and_then(|made| made.cells.as_ref())
        {
            row(
                "visibility",
                format!(
                    "{:.2} % of the other cells hidden from a cell, on average",
                    100.0 * cells.hidden_share
                ),
            )?;
            row(
                "one-way",
                format!("{} pairs in the input", Count(cells.one_way_pairs)),
            )?;
            row(
                "components",
                format!(
                    "{}, the largest of {} cells",
                    Count(cells.components),
                    Count(cells.largest_component)
                ),
            )?;
            f.write_str("\ndistance      pairs of cells\n")?;
            for (steps, pairs) in cells.pairs_by_distance.iter().enumerate() {
                writeln!(f, "{:>8} {pairs:>19}", steps + 1)?;
            }
            if cells.unreachable_pairs > 0 {
                writeln!(f, "    none {:>19}", cells.unreachable_pairs)?;
            }
        }
        let levels = info.provenance.as_ref().map(|made| &made.statistics.levels);
        if let Some(made) = info.provenance.as_ref()
            && levels.is_some_and(|levels| !levels.is_empty())
        {
            let kept_head = if loss.is_some() {
                "   of hidden kept"
            } else {
                ""
            };
            writeln!(
                f,
                "\nlevel      quads   hidden from a quad        bytes{kept_head}"
            )?;
            for level in &made.statistics.levels {
                write!(
                    f,
                    "{:>5} {:>10} {:>18.2} % {:>12}",
                    level.level,
                    level.quads,
                    100.0 * level.hidden_share,
                    level.tree_bytes
                )?;
                let kept = loss.and_then(|loss| loss.levels.get(level.level as usize));
                if let Some(kept) = kept {
                    write!(f, " {:>14.2} %", 100.0 * kept.kept_share)?;
                }
                f.write_char('\n')?;
            }
        }
        f.write_str("\nsection                                       bytes\n")?;
        for section in &info.sections {
            writeln!(
                f,
                "{}  {:<32} {:>12}",
                section.tag, section.holds, section.bytes
            )?;
        }
        if let Some(timings) = &info.timings {
            f.write_str("\nstage                                         work\n")?;
            for stage in &timings.stages {
                writeln!(
                    f,
                    "{:<38} {:>12}",
                    stage.name,
                    Seconds(stage.seconds).to_string()
                )?;
            }
            writeln!(
                f,
                "in all {}, {} of processor time on {}, {} of memory at most",
                Seconds(timings.elapsed_seconds),
                Seconds(timings.cpu_seconds),
                processors(timings),
                Bytes(timings.peak_memory_bytes)
            )?;
        }
        Ok(())
    }
}

/// A bundle that was just written, for people: what it is, in some ten lines, and what to do next.
pub struct Brief<'a> {
    pub info: &'a Info,
    pub output: &'a Path,
}

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Summary(self.info).to_string();
        let told = text.lines().take_while(|line| !line.is_empty());
        for line in
            told.filter(|line| !line.starts_with("made by") && !line.starts_with("quadtree"))
        {
            writeln!(f, "{line}")?;
        }
        let made = self.info.provenance.as_ref();
        if let Some(level) = made.and_then(|made| made.statistics.levels.first()) {
            let of = match &self.info.terrain {
                Some(terrain) if terrain.finest == 0 => "sample",
                _ => "view cell",
            };
            let share = 100.0 * level.hidden_share;
            writeln!(f, "hidden      {share:.2} % from a {of}, on average")?;
        }
        if let Some(timings) = &self.info.timings {
            writeln!(
                f,
                "took        {}, {} of processor time on {}",
                Seconds(timings.elapsed_seconds),
                Seconds(timings.cpu_seconds),
                processors(timings)
            )?;
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

/// A count with its thousands apart: 138,632.
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&grouped(self.0))
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

/// The options that choose such cells, and the name of the quality that chooses them, if one does.
fn resolution(name: Option<&str>, options: &[String]) -> String {
    let options = options.join(" ");
    match name {
        Some(name) => format!("{name} ({options})"),
        None => options,
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
        let counts = [0, 999, 1_000, 138_632, 1_000_000];
        let words: Vec<String> = counts.map(|c| Count(c).to_string()).into();
        assert_eq!(words, ["0", "999", "1,000", "138,632", "1,000,000"]);
        let lengths = [0.0, 1.8, 90.0, 74.125_4, 1_000.0];
        let words: Vec<String> = lengths.map(|l| Metres(l).to_string()).into();
        assert_eq!(words, ["0", "1.8", "90", "74.125", "1000"]);
    }
}
