//! What a bake tells at its end: the bundle or the shard written, or what a bake is estimated to take.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle::Info;
use viewcell_bake::plan::ViewCells;
use viewcell_bake::{Forecast, Observer, Plan, Quality, ShardReport};
use viewcell_ingest::terrain_files;
use viewcell_ingest::world::Short;

use super::verb_options::VerbOptions;
use crate::exit::{Failure, Outcome};
use crate::info::Bytes;
use crate::output::{Json, say};
use crate::progress::{Progress, Seconds};
use crate::repack;

/// Seconds of processor from which on a bake is long.
const LONG: f64 = 3600.0;

/// What a bake takes, in words.
fn taken(found: &Forecast) -> String {
    let (seconds, bytes) = (Seconds(found.cpu_seconds), Bytes(found.bytes));
    format!("{seconds} of one processor and {bytes}")
}

/// What is said before the work: which view cells the quality has chosen, unless they are the usual ones, what they take here
/// and what others would; or, of usual ones and of those given by hand, if they take more than an hour, what takes less.
pub(super) fn said_first(
    plan: &Plan<'_>,
    is_limited: bool,
    progress: &Progress,
) -> Result<(), Failure> {
    let is_larger = plan.is_larger();
    if !is_larger && plan.most_seconds() < LONG {
        return Ok(());
    }
    let own = plan.forecast(progress)?;
    let others = match (is_larger, is_limited) {
        (true, true) => &[][..],
        (true, false) => &[Quality::Draft, Quality::Good, Quality::Best],
        (false, _) if own.cpu_seconds < LONG => return Ok(()),
        (false, _) => &[Quality::Draft, Quality::Good],
    };
    let mut said = Vec::new();
    for &quality in others {
        if is_larger && plan.quality == Some(quality) {
            continue;
        }
        if let Some(other) = plan.of(quality, progress)? {
            let found = taken(&other.forecast(progress)?);
            said.push(format!("--quality {} {found}", quality.name()));
        }
    }
    let cells = match (&plan.cells, plan.quality) {
        (ViewCells::Boxes(_, boxes), Some(quality)) if is_larger => format!(
            "--quality {}: cells of {}, boxes of them far away (--grade={}):",
            quality.name(),
            Short(boxes.options.size),
            boxes.grade
        ),
        (ViewCells::Squares(terrain, sizes), _) if is_larger => {
            let side = 1 << sizes.finest;
            format!(
                "{} samples: near players are told apart by squares of {side} × {side} samples, far ones by larger squares \
                 (--finest {} --grade={}):",
                terrain.samples(),
                sizes.finest,
                sizes.grade
            )
        }
        _ => "warning: this takes".to_owned(),
    };
    let mut words = format!("{cells} some {}", taken(&own));
    if !said.is_empty() {
        words += &format!("; {}", said.join(", "));
    }
    progress.note(&words);
    Ok(())
}

/// Tells of a shard written.
pub(super) fn finish_shard(
    report: ShardReport,
    output: PathBuf,
    notes: Vec<String>,
    verb_options: &VerbOptions,
) -> Outcome {
    let share = report.share;
    let tiles = share.end - share.first;
    if !verb_options.voice.quiet {
        say(format_args!(
            "written: {}, {tiles} of {} tiles, {} bytes; viewcell merge joins the shards (each is \
             about the same work, so later shards have more tiles)",
            output.display(),
            report.total_tiles,
            report.bytes
        ));
    }
    verb_options.json.document(|| Document {
        output,
        notes,
        bundle: None,
        shard: Some(Shard {
            index: share.index,
            of: share.of,
            first_tile: share.first,
            tiles,
            total_tiles: report.total_tiles,
            bytes: report.bytes,
        }),
    })
}

/// Reports a bundle that was written.
pub(super) fn finish(output: PathBuf, notes: Vec<String>, verb_options: &VerbOptions) -> Outcome {
    let VerbOptions { voice, json, .. } = verb_options;
    repack::tell(output, voice, json, |output, info| {
        Document::of(output, notes, info)
    })
}

impl Document {
    /// Of a bundle that was written.
    pub(super) fn of(output: PathBuf, notes: Vec<String>, info: Info) -> Self {
        Self {
            output,
            notes,
            bundle: Some(info),
            shard: None,
        }
    }
}

/// What `viewcell bake --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake")]
pub struct Document {
    /// The bundle written, or with --shard the shard.
    #[serde(serialize_with = "crate::output::names")]
    pub output: PathBuf,
    /// Notes about the input (assumptions, conversions, voids) and about finished work of a stopped bake that was
    /// used.
    pub notes: Vec<String>,
    /// What the bundle is and how it was made, as `viewcell info --json` prints it; absent with
    /// --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Info>,
    /// What the shard holds; absent without --shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A shard written.
#[derive(Serialize, JsonSchema)]
pub struct Shard {
    /// Its number, from 1.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
    /// Its first tile of 32 x 32 viewpoints, in bake order.
    pub first_tile: u32,
    /// Its tiles.
    pub tiles: u32,
    /// Tiles of the whole bake.
    pub total_tiles: u32,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What `viewcell bake terrain --dry-run --json` prints.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "viewcell bake terrain --dry-run")]
pub struct ForecastDocument {
    /// View cells of a solid level, told in words alone.
    #[serde(skip)]
    cells: Option<usize>,
    /// Processor time of all threads together, in seconds.
    cpu_seconds: f64,
    /// Bytes of the bundle.
    bytes: u64,
    /// Bytes of memory, at most.
    memory: u64,
    /// Quads of viewpoints that were computed for the estimate.
    sampled_quads: usize,
    /// Quads of viewpoints of the whole bake.
    quads: usize,
    /// Of a terrain: the files that it consists of, the one named first. The others lie beside it (world file, header, mask
    /// and the like) and are read with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<PathBuf>,
    /// What each quality takes, where the quality chooses the view cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    qualities: Vec<QualityForecast>,
}

/// What a bake of a quality is estimated to take.
#[derive(Serialize, JsonSchema)]
struct QualityForecast {
    /// `draft`, `good`, `best` or `samples`.
    quality: String,
    /// Of a terrain: what it chooses for --finest.
    #[serde(skip_serializing_if = "Option::is_none")]
    finest: Option<u32>,
    /// What it chooses for --grade; 0 for none.
    grade: u32,
    /// Of a terrain: what it chooses for --detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<u32>,
    /// Of a solid level: what it chooses for --cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<f64>,
    /// Processor time of all threads together, in seconds.
    cpu_seconds: f64,
    /// Bytes of the bundle.
    bytes: u64,
    /// Bytes of memory, at most.
    memory: u64,
    /// Of pairs of view cells that are near each other, the share that is hidden: 0 to 1; absent for samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_near: Option<f64>,
    /// Of a solid level: of all pairs of view cells, the share that is hidden: 0 to 1; absent of a bake of five hours and more.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<f64>,
}

impl QualityForecast {
    fn new(plan: &Plan<'_>, quality: Quality, progress: &Progress) -> Result<Self, Failure> {
        let forecast = plan.forecast(progress)?;
        let (finest, detail, cell) = match &plan.cells {
            ViewCells::Squares(_, sizes) => (Some(sizes.finest), Some(sizes.detail), None),
            ViewCells::Boxes(_, boxes) => (None, None, Some(boxes.options.size)),
            ViewCells::Own(_) => (None, None, None),
        };
        Ok(Self {
            quality: quality.name().to_owned(),
            finest,
            grade: plan.options.grade,
            detail,
            cell,
            cpu_seconds: forecast.cpu_seconds,
            bytes: forecast.bytes,
            memory: forecast.memory,
            hidden_near: forecast.hidden_near,
            hidden: forecast.hidden,
        })
    }

    /// The options that it stands for.
    fn options(&self) -> String {
        let grade = self.grade;
        match (self.cell, self.finest, self.detail) {
            (Some(size), ..) => format!("--cell {} --grade={grade}", Short(size)),
            (None, finest, detail) => format!(
                "--finest {} --grade={grade} --detail {}",
                finest.unwrap_or(0),
                detail.unwrap_or(0)
            ),
        }
    }
}

impl ForecastDocument {
    /// What a plan takes; and, where the quality chooses the cells, what others would.
    pub(super) fn new(plan: &Plan<'_>, progress: &Progress) -> Result<Self, Failure> {
        let mut qualities = Vec::new();
        for quality in plan.quality.iter().flat_map(|_| Quality::ALL) {
            if let Some(of) = plan.of(quality, progress)? {
                qualities.push(QualityForecast::new(&of, quality, progress)?);
            }
        }
        // The last, since what the others have taken the bake takes, too: it tells of them.
        let forecast = plan.forecast(progress)?;
        let (cells, files) = match &plan.cells {
            ViewCells::Boxes(_, boxes) => (Some(boxes.places.cells.len()), Vec::new()),
            _ => (None, terrain_files(&plan.input.path)),
        };
        Ok(Self {
            cells,
            cpu_seconds: forecast.cpu_seconds,
            bytes: forecast.bytes,
            memory: forecast.memory,
            sampled_quads: forecast.sampled,
            quads: forecast.quads,
            files,
            qualities,
        })
    }

    /// Prints it.
    pub(super) fn tell(&self, json: &Json) -> Outcome {
        let cells = self.cells.map(|count| format!("{count} view cells, "));
        let mut text = format!(
            "{}{} of one processor, {} of bundle, {} of memory at most; \
             estimated from {} of {} quads of viewpoints",
            cells.unwrap_or_default(),
            Seconds(self.cpu_seconds),
            Bytes(self.bytes),
            Bytes(self.memory),
            self.sampled_quads,
            self.quads,
        );
        for found in &self.qualities {
            text += &format!(
                "\n{:>10}  {}: {} of one processor, {} of bundle, {} of memory",
                found.quality,
                found.options(),
                Seconds(found.cpu_seconds),
                Bytes(found.bytes),
                Bytes(found.memory),
            );
            if let Some(share) = found.hidden_near {
                text += &format!("; {:.0} % of near pairs hidden", 100.0 * share);
            }
            if let Some(share) = found.hidden {
                text += &format!("; {:.0} % of pairs hidden", 100.0 * share);
            }
        }
        json.tell(|| self, text)
    }
}
