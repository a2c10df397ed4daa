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
use viewcell_bake::plan::InputWorld;
use viewcell_bake::visibility::Bodies;
use viewcell_bake::{
    BakeOptions, Forecast, Input, Keep, Observer, Plan, PlanError, PlanOptions, Quality, Silent,
    plan, run,
};

/// A world that is not baked, with the file that it is of.
pub struct Unbaked {
    input: Input,
    /// Of the file that was read.
    stamp: Option<Stamp>,
    kind: UnbakedKind,
    /// How it is baked, but for its view cells.
    bake: BakeOptions,
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
    /// A heightmap or a solid level that was read; eyes and heads on a heightmap are so high as the bake has them. Its bundle
    /// goes to `output`.
    ///
    /// # Errors
    ///
    /// [`PlanError`] where a heightmap has too many samples, where players can be nowhere in a level, and of a level with view
    /// cells of its own.
    pub fn new(mut input: Input, bake: BakeOptions, output: PathBuf) -> Result<Self, PlanError> {
        let stamp = Stamp::of(&input.path).ok();
        let kind = match &input.world {
            InputWorld::Terrain(terrain, _) => {
                let bodies = Bodies {
                    eye: bake.eye_height,
                    head: bake.player_height,
                };
                let terrain = UnbakedTerrain::new(terrain.clone(), &input.source, bodies);
                let of = |words| PlanError::Bad(format!("{}: {words}", input.path.display()));
                UnbakedKind::Terrain(Box::new(terrain.map_err(of)?))
            }
            _ => UnbakedKind::Level(Box::new(UnbakedLevel::new(&mut input)?)),
        };
        Ok(Self {
            input,
            stamp,
            kind,
            bake,
            output,
            observed: Observed::default(),
            foreseen: Mutex::default(),
            baked: OnceLock::new(),
            thread: Mutex::new(None),
        })
    }

    /// The bundle that was baked from it, once it is.
    pub(super) fn baked(&self) -> Option<&Shown> {
        self.baked.get()
    }

    /// What it is: as `about` tells of a bundle, with what should be checked.
    pub(super) fn about(&self) -> Value {
        let (mut about, facts) = match &self.kind {
            UnbakedKind::Terrain(terrain) => (terrain.about(), terrain.facts()),
            UnbakedKind::Level(level) => (level.about(), level.facts()),
        };
        let path = &self.input.path;
        let replaced = Stamp::of(path).ok() != self.stamp;
        let fault = replaced.then(|| {
            format!(
                "{}: the file has changed since it was read; start viewcell view again to see what it is now",
                path.display()
            )
        });
        about["name"] = name_of(path).into();
        about["generation"] = Value::Null;
        about["fault"] = fault.into();
        about["unbaked"] = json!({
            "facts": facts,
            "notes": self.input.notes,
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
                let plan = self.plan(quality, Keep::Nothing, &Silent);
                let forecast = plan.and_then(|plan| plan.forecast(&Silent));
                let forecast = forecast.map_err(|error| Refusal::failed(error.to_string()))?;
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

    fn plan(
        &self,
        quality: Quality,
        keep: Keep,
        observer: &dyn Observer,
    ) -> Result<Plan<'_>, PlanError> {
        let options = PlanOptions {
            cells: quality.into(),
            bake: BakeOptions {
                keep,
                ..self.bake.clone()
            },
            ..PlanOptions::default()
        };
        plan(&self.input, &options, observer)
    }

    fn bake(&self, quality: Quality, keep: Keep) -> Result<(), String> {
        let plan = self.plan(quality, keep, &self.observed);
        let plan = plan.map_err(|error| error.to_string())?;
        let baked = run(&plan, &self.output, None, &self.observed);
        baked.map_err(|error| error.to_string())?;
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
