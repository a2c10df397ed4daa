//! What the exports have in common: where they write, with how many threads, how they stop.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use viewcell_bake::bundle;
use viewcell_bake::visibility::Horizons;
use viewcell_ingest::world::Terrain;
use viewcell_view::picture::{RasterFormat, RasterLayout, RasterWriter};

use super::exit::Failure;
use super::output::{FileWorkOptions, Json, check_outputs, of_ending};
use super::progress::{Progress, Voice};
use super::signals::Stop;
use super::values;

/// How work is done that may take as long as a bake, and what a person sees of it.
#[derive(clap::Args)]
pub struct WorkOptions {
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Number of threads; 0 for one per processor. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    threads: usize,
    #[command(flatten)]
    voice: Voice,
    #[command(flatten)]
    pub json: Json,
}

impl WorkOptions {
    /// Begins: whatever would fail at the end fails now.
    pub fn begin<'a>(&self, input: &Path, output: &'a PathBuf) -> Result<Work<'a>, Failure> {
        check_outputs(&[input], [output], self.force)?;
        Work::new(output, self.force, self.threads, self.voice)
    }
}

impl FileWorkOptions {
    /// The same of work that takes seconds, with all processors.
    pub fn begin<'a>(&self, input: &Path, output: &'a PathBuf) -> Result<Work<'a>, Failure> {
        check_outputs(&[input], [output], self.force)?;
        Work::new(output, self.force, 0, Voice::of(self.quiet))
    }
}

/// Numbers of a raster, without the voids.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
pub struct Range {
    /// The minimum; absent if there are none.
    least: Option<f64>,
    /// The maximum; absent if there are none.
    greatest: Option<f64>,
    /// The mean; absent if there are none.
    mean: Option<f64>,
    #[serde(skip)]
    count: u64,
    #[serde(skip)]
    sum: f64,
}

impl Range {
    /// Takes more numbers; NaN is none.
    pub fn take(&mut self, numbers: impl Iterator<Item = f64>) {
        for number in numbers.filter(|number| !number.is_nan()) {
            self.least = Some(self.least.map_or(number, |least| least.min(number)));
            self.greatest = Some(
                self.greatest
                    .map_or(number, |greatest| greatest.max(number)),
            );
            self.count += 1;
            self.sum += number;
        }
        self.mean = (self.count > 0).then(|| self.sum / self.count as f64);
    }

    /// Of so many numbers that were counted elsewhere.
    pub fn known(least: f64, greatest: f64, mean: f64) -> Self {
        Self {
            least: Some(least),
            greatest: Some(greatest),
            mean: Some(mean),
            ..Self::default()
        }
    }

    /// The least.
    pub fn least(&self) -> Option<f64> {
        self.least
    }

    /// In words, for people.
    pub fn words(&self, unit: &str, digits: usize) -> String {
        match (self.least, self.mean, self.greatest) {
            (Some(least), Some(mean), Some(greatest)) => {
                format!(
                    "{least:.digits$} to {greatest:.digits$}{unit}, {mean:.digits$}{unit} on \
                     average"
                )
            }
            _ => "nothing".to_owned(),
        }
    }
}

/// An export at work.
pub struct Work<'a> {
    pub output: &'a Path,
    force: bool,
    voice: Voice,
    progress: Progress,
    stop: Stop,
    pool: rayon::ThreadPool,
}

impl<'a> Work<'a> {
    /// Work of seconds that has no output.
    pub fn unwritten(quiet: bool) -> Result<Self, Failure> {
        Self::new(Path::new(""), false, 0, Voice::of(quiet))
    }

    fn new(output: &'a Path, force: bool, threads: usize, voice: Voice) -> Result<Self, Failure> {
        let stop = Stop::listen()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| values::cannot_start(threads, &error))?;
        Ok(Self {
            output,
            force,
            voice,
            progress: Progress::new(&voice, stop.clone()),
            stop,
            pool,
        })
    }

    /// Writes the file piece by piece.
    pub fn save(
        &self,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let saved = bundle::save_with(self.output, self.force, write);
        self.progress.finish();
        self.stop.unless_asked(saved)
    }

    /// Runs what tells how much of `all` is done, with the threads and the progress of the work, and returns `None`
    /// where it is to stop.
    pub fn count<T: Send, E: Send>(
        &self,
        name: &'static str,
        unit: &'static str,
        all: u64,
        run: impl FnOnce(&(dyn Fn(u64) -> bool + Sync)) -> Result<Option<T>, E> + Send,
        failure: impl FnOnce(E) -> Failure,
    ) -> Result<T, Failure> {
        self.progress.begin(name, unit, all);
        let done = AtomicU64::new(0);
        let go_on = |more| {
            let before = done.fetch_add(more, Ordering::Relaxed);
            self.progress.reach(before + more);
            !self.stop.asked()
        };
        let found = self.pool.install(|| run(&go_on));
        self.progress.finish();
        found.map_err(failure)?.ok_or_else(|| self.stop.stopped())
    }

    /// Writes a raster of what `of_rows` makes of every eight rows of horizons.
    pub fn save_horizons(
        &self,
        terrain: &Terrain,
        format: RasterFormat,
        bands: &[String],
        of_rows: impl Fn(u32) -> Vec<f32> + Sync,
    ) -> Result<Range, Failure> {
        let layout = RasterLayout {
            width: terrain.width(),
            height: terrain.height(),
            description: "",
            bands,
            nodata: "nan",
            spacing: terrain.spacing(),
            georeference: terrain.georeference(),
        };
        let mut range = Range::default();
        let height = terrain.height();
        self.progress.begin("horizons", "rows", height.into());
        self.save(|file| {
            let mut raster = RasterWriter::new::<f32>(file, format, &layout)?;
            for row in (0..height).step_by(Horizons::ROWS as usize) {
                if self.stop.asked() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let numbers = self.pool.install(|| of_rows(row));
                range.take(numbers.iter().map(|number| f64::from(*number)));
                raster.write(&numbers)?;
                self.progress
                    .reach(u64::from(row + Horizons::ROWS).min(height.into()));
            }
            raster.finish().map(drop)
        })?;
        Ok(range)
    }

    /// Tells a person what was noticed on the way.
    pub fn tell(&self, notes: &[String]) {
        self.voice.tell_notes(notes);
    }
}

/// The format that a file's name asks for; `None` for .png, if that is `drawn`.
pub fn format_of(path: &Path, drawn: bool) -> Result<Option<RasterFormat>, Failure> {
    let endings = [
        ("tif", Some(RasterFormat::GeoTiff)),
        ("tiff", Some(RasterFormat::GeoTiff)),
        ("npy", Some(RasterFormat::Npy)),
        ("png", None),
    ];
    match drawn {
        true => of_ending(path, &endings, ".tif, .png or .npy"),
        false => of_ending(path, &endings[..3], ".tif or .npy"),
    }
}

/// The same where there is nothing to draw.
pub fn raster_format_of(path: &Path) -> Result<RasterFormat, Failure> {
    Ok(format_of(path, false)?.unwrap_or(RasterFormat::Npy))
}

/// What every export says of its file.
#[derive(Serialize, JsonSchema)]
pub struct RasterDocument {
    /// The file.
    #[serde(serialize_with = "crate::output::names")]
    output: PathBuf,
    /// Columns.
    width: u32,
    /// Rows.
    height: u32,
    /// Number of voids.
    voids: u64,
}

impl RasterDocument {
    pub fn new(output: &Path, width: u32, height: u32, voids: u64) -> Self {
        Self {
            output: output.to_owned(),
            width,
            height,
            voids,
        }
    }
}
