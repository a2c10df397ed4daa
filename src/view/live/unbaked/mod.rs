//! Worlds that are not baked: a heightmap or a solid level is read, shown with what should be checked of it, and can be
//! baked from the page, which goes on with the bundle.

mod bake;
mod level;
mod look;
mod terrain;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::source::{Shown, Stamp};
use bake::Observed;
use level::UnbakedLevel;
use terrain::UnbakedTerrain;
use viewcell_bake::{Forecast, Keep, Quality};
use viewcell_ingest::solid::{IngestedSolid, SolidOptions};
use viewcell_ingest::world::solid::{PlacesError, Point};
use viewcell_ingest::{IngestOptions, Ingested};

/// A world that is not baked, with the file that it is of.
pub struct Unbaked {
    path: PathBuf,
    /// Of the file that was read.
    stamp: Option<Stamp>,
    kind: UnbakedKind,
    /// Where the bundle goes.
    output: PathBuf,
    observed: Observed,
    /// What bakes were foreseen to take.
    foreseen: Mutex<Vec<(Quality, Forecast)>>,
    baked: OnceLock<Shown>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum UnbakedKind {
    Terrain(Box<UnbakedTerrain>),
    Level(Box<UnbakedLevel>),
}

/// Length and CRC-32 of a file.
fn sum(path: &Path) -> std::io::Result<(u64, u32)> {
    let source = viewcell_bake::Source::new(path, "", serde_json::Map::new())?;
    let digits = source.input.digest.trim_start_matches("crc32:");
    Ok((
        source.input.bytes,
        u32::from_str_radix(digits, 16).unwrap_or(0),
    ))
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn quality_of(name: &str) -> Result<Quality, Refusal> {
    let mut all = Quality::ALL.into_iter();
    all.find(|known| known.name() == name).ok_or_else(|| {
        Refusal::bad_request(format!(
            "quality={name}: expected draft, good, best or samples"
        ))
    })
}

impl Unbaked {
    /// A heightmap that was read with `reading`, and players whose eyes and heads are so many metres above it. Its bundle
    /// goes to `output`.
    ///
    /// # Errors
    ///
    /// The reason, where the file cannot be read again or has too many samples.
    pub fn terrain(
        path: &Path,
        read: Ingested,
        reading: IngestOptions,
        bodies: [f64; 2],
        output: PathBuf,
    ) -> Result<Self, String> {
        let stamp = Stamp::of(path).ok();
        let of = |words: String| format!("{}: {words}", path.display());
        let sum = sum(path).map_err(|error| of(error.to_string()))?;
        let terrain = UnbakedTerrain::new(&name_of(path), sum, read, reading, bodies);
        let kind = UnbakedKind::Terrain(Box::new(terrain.map_err(of)?));
        Ok(Self::new(path, stamp, kind, output))
    }

    /// A solid level that was read with `reading`; `reach` are positions that players can reach besides its spawn points.
    /// Its bundle goes to `output`.
    ///
    /// # Errors
    ///
    /// [`PlacesError`] where players can be nowhere.
    pub fn level(
        path: &Path,
        read: IngestedSolid,
        reading: SolidOptions,
        reach: &[Point],
        output: PathBuf,
    ) -> Result<Self, PlacesError> {
        let stamp = Stamp::of(path).ok();
        let level = UnbakedLevel::new(&name_of(path), read, reading, reach)?;
        Ok(Self::new(
            path,
            stamp,
            UnbakedKind::Level(Box::new(level)),
            output,
        ))
    }

    fn new(path: &Path, stamp: Option<Stamp>, kind: UnbakedKind, output: PathBuf) -> Self {
        Self {
            path: path.to_owned(),
            stamp,
            kind,
            output,
            observed: Observed::default(),
            foreseen: Mutex::default(),
            baked: OnceLock::new(),
            thread: Mutex::new(None),
        }
    }

    /// The bundle that was baked from it, once it is.
    pub(super) fn baked(&self) -> Option<&Shown> {
        self.baked.get()
    }

    /// What it is: as `about` tells of a bundle, with what should be checked.
    pub(super) fn about(&self) -> Value {
        let (mut about, facts, notes) = match &self.kind {
            UnbakedKind::Terrain(terrain) => (terrain.about(), terrain.facts(), &terrain.notes),
            UnbakedKind::Level(level) => (level.about(), level.facts(), &level.notes),
        };
        let replaced = Stamp::of(&self.path).ok() != self.stamp;
        let fault = replaced.then(|| {
            format!(
                "{}: the file has changed since it was read; start viewcell view again to see what it is now",
                self.path.display()
            )
        });
        about["name"] = name_of(&self.path).into();
        about["generation"] = Value::Null;
        about["fault"] = fault.into();
        about["unbaked"] = json!({
            "facts": facts,
            "notes": notes,
            "output": self.output.display().to_string(),
        });
        about
    }

    pub(super) fn ground(&self) -> Result<Answer, Refusal> {
        match &self.kind {
            UnbakedKind::Terrain(terrain) => Ok(terrain.ground()),
            UnbakedKind::Level(level) => level.ground(),
        }
    }

    /// What hides in a solid level.
    pub(super) fn mesh(&self) -> Result<Answer, Refusal> {
        match &self.kind {
            UnbakedKind::Terrain(_) => Err(Refusal::not_found("a terrain is drawn by its heights")),
            UnbakedKind::Level(level) => level.mesh(),
        }
    }

    /// What is seen from a place.
    pub(super) fn pvs(&self, at: &str) -> Result<Answer, Refusal> {
        let seen = match &self.kind {
            UnbakedKind::Terrain(terrain) => terrain.pvs(at),
            UnbakedKind::Level(level) => level.pvs(at),
        };
        Ok(seen?.entry("generation", Value::Null))
    }

    /// How far the bake is.
    pub(super) fn progress(&self) -> Answer {
        Answer::new(self.observed.told())
    }

    /// What a bake takes on this machine, as a dry run foresees it: seconds with all processors, and bytes.
    pub(super) fn forecast(&self, quality: &str) -> Result<Answer, Refusal> {
        let quality = quality_of(quality)?;
        let mut known = self.foreseen.lock().unwrap_or_else(PoisonError::into_inner);
        let forecast = match known.iter().find(|(of, _)| *of == quality) {
            Some((_, forecast)) => *forecast,
            None => {
                let forecast = match &self.kind {
                    UnbakedKind::Terrain(terrain) => {
                        let found = terrain.forecast(quality);
                        found.map_err(|error| error.to_string())
                    }
                    UnbakedKind::Level(level) => level.forecast(quality),
                };
                let forecast = forecast.map_err(Refusal::failed)?;
                known.push((quality, forecast));
                forecast
            }
        };
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        Ok(Answer::new(json!({
            "seconds": forecast.cpu_seconds / processors as f64,
            "bytes": forecast.bytes,
        })))
    }

    /// Begins a bake in a thread of its own. It goes on with what an earlier bake of the same quality has kept; what
    /// another bake that was stopped on the page has kept is given up.
    pub(super) fn begin(self: &Arc<Self>, quality: &str) -> Result<Answer, Refusal> {
        let quality = quality_of(quality)?;
        let before = self.observed.begin(quality).map_err(Refusal::bad_request)?;
        let keep = match before {
            Some(before) if before != quality => Keep::Restart,
            _ => Keep::Resume,
        };
        let own = self.clone();
        let thread = std::thread::spawn(move || own.observed.end(own.bake(quality, keep)));
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(self.progress())
    }

    fn bake(&self, quality: Quality, keep: Keep) -> Result<(), String> {
        match &self.kind {
            UnbakedKind::Terrain(terrain) => {
                let baked = terrain.bake(quality, keep, &self.output, &self.observed);
                baked.map_err(|error| error.to_string())
            }
            UnbakedKind::Level(level) => level.bake(quality, keep, &self.output, &self.observed),
        }?;
        let shown = Shown::open(&self.output).map_err(|error| error.to_string())?;
        // No other thread bakes.
        let _ = self.baked.set(shown);
        Ok(())
    }

    /// Asks the bake to stop: what is done is kept beside the bundle.
    pub(super) fn stop(&self) -> Answer {
        self.observed.stop();
        self.progress()
    }

    /// Stops the bake, if one goes on, and waits for its end.
    pub(super) fn end(&self) {
        self.observed.stop();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // What it could not do it has told the page.
            let _ = thread.join();
        }
    }
}
