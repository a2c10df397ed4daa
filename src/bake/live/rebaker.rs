//! Changes go in, snapshots come out, and a thread makes patches.
//!
//! Did not pay: one patch of a few changes that lie far apart: longer than a patch of each.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;

use super::ground::{Survey, refused};
use super::owned_layers::OwnedLayers;
use super::snapshot::Snapshot;
use crate::job::error::{BakeError, unreadable};
use crate::job::incremental::job::{RebakeJob, RebakeOptions};
use crate::job::incremental::layers::Before;
use crate::job::incremental::rebake::{options_of, rebake_layers};
use crate::job::observer::Observer;
use crate::job::options::{BakeOptions, as_seen};
use crate::job::parallel::{Workers, thread_count};
use crate::job::source::Source;
use viewcell::format::{Area, Sample};
use viewcell_ingest::IngestError;
use viewcell_ingest::ground::{Shape, TopEffect, stamp_top};
use viewcell_ingest::world::Terrain;

/// Where more changes than that wait, all are decided together; else those that lie together in so
/// small a part of the terrain.
const MANY: usize = 8;
const PART: u64 = 64;

/// What a change of the ground did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// How many times the ground has changed now.
    pub version: u64,
    /// Samples whose height is another one.
    pub changed: u64,
}

/// A bundle whose ground changes while a server asks it.
///
/// Changes go in at any time from any thread. From the instant at which [`Rebaker::stamp`] returns,
/// every answer is safe: who may be seen since that change counts as visible. A thread of its own
/// makes patches, of several changes at a time where many wait or they are near each other, and puts
/// each in place at once for all readers. Readers take [`Rebaker::now`] and ask that; they never wait
/// for anybody.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use viewcell_bake::{BakeOptions, RebakeOptions, Silent, Source, VisibilityMode};
/// use viewcell_ingest::ground::{Shape, TopEffect};
/// use viewcell_ingest::world::Terrain;
/// use viewcell_bake::live::Rebaker;
/// use viewcell::query::Sample;
///
/// # let heights = (0..24 * 16).map(|i| if i % 24 == 12 { 20.0 } else { 0.0 });
/// # let terrain = Terrain::new(24, 16, heights.collect(), [10.0, 10.0])?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("wall.vcb");
/// // A wall from north to south, as on the first page.
/// let options = BakeOptions { mode: VisibilityMode::Exact, ..BakeOptions::default() };
/// viewcell_bake::bake_terrain(&terrain, &Source::of_terrain(&terrain), &options, &path, &Silent)?;
///
/// let live = Rebaker::open(&path, &[], &RebakeOptions::default())?;
/// let (west, east) = (Sample::new(2, 8), Sample::new(21, 8));
/// assert!(!live.now().terrain().visible(west, east));
/// // A hole of 35 m through the wall, in metres east and south of the first sample, and up.
/// let hole = Shape::Ellipsoid { at: [120.0, 80.0, 20.0], radii: [35.0; 3] };
/// live.stamp(&hole, TopEffect::Dig)?;
/// assert!(live.now().terrain().visible(west, east)); // decided or not
/// live.settle();
/// assert!(live.now().is_settled() && live.take_error().is_none());
/// # Ok(())
/// # }
/// ```
pub struct Rebaker {
    pub(crate) shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Rebaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.shared.path;
        f.debug_struct("Rebaker")
            .field("path", path)
            .finish_non_exhaustive()
    }
}

/// Makes the patch that leads from one ground to another, over layers.
type Make =
    Box<dyn FnMut(&OwnedLayers, [&Terrain; 2], &dyn Observer) -> Result<Vec<u8>, BakeError> + Send>;

pub(crate) struct Shared {
    path: PathBuf,
    pub(crate) now: ArcSwap<Snapshot>,
    /// Whoever exchanges the snapshot holds this.
    state: Mutex<State>,
    /// Something has changed that the thread, or who waits for it, wants to know.
    news: Condvar,
    stopped: AtomicBool,
}

struct State {
    survey: Survey,
    /// Of each change that waits, in their order, the samples and their heights after it.
    waiting: VecDeque<Vec<(usize, f64)>>,
    held: bool,
    /// How many changes there were when a patch could not be made, and why it could not.
    failed: Option<u64>,
    error: Option<BakeError>,
}

impl Rebaker {
    /// Opens a bundle, and patches that lie over it already, in their order. Starts a thread, which
    /// ends when this is dropped. `overwrite` of the options is not looked at: nothing is written.
    ///
    /// # Errors
    ///
    /// As [`crate::job::rebake()`]: where the bundle has lost something or is by sectors, and where something
    /// cannot be read.
    pub fn open(
        bundle: &Path,
        over: &[PathBuf],
        options: &RebakeOptions,
    ) -> Result<Self, BakeError> {
        let (path, options) = (bundle.to_owned(), options.clone());
        Self::with(bundle, over, &options.clone(), move |_| {
            Box::new(move |laid, ground, observer| patch(&path, &options, laid, ground, observer))
        })
    }

    /// The same with another way to make patches.
    pub(crate) fn with(
        bundle: &Path,
        over: &[PathBuf],
        options: &RebakeOptions,
        make: impl FnOnce(&Path) -> Make,
    ) -> Result<Self, BakeError> {
        let before = Before::read(bundle, over)?;
        // Says which of the patches is wrong, if one is.
        before.layers(bundle, over)?;
        let bake = options_of(&before.parts.header.parameters, options)?;
        let stance = bake.mode.stance();
        let terrain = before.ground(bundle)?;
        let grid = bake.grid(&terrain, &bundle.display().to_string())?;
        let survey = Survey::new(&terrain, grid, stance, drop_of(&terrain, &bake)?);
        let patches = before.patches.iter().cloned().map(Arc::new).collect();
        let laid = OwnedLayers::open(Arc::new(before), patches, bundle)?;
        let snapshot = Snapshot::new(Arc::new(laid), survey.ground());
        let shared = Arc::new(Shared {
            path: bundle.to_owned(),
            now: ArcSwap::from_pointee(snapshot),
            state: Mutex::new(State {
                survey,
                waiting: VecDeque::new(),
                held: false,
                failed: None,
                error: None,
            }),
            news: Condvar::new(),
            stopped: AtomicBool::new(false),
        });
        let (own, make) = (shared.clone(), make(bundle));
        let thread = std::thread::Builder::new()
            .name("rebake".to_owned())
            .spawn(move || own.run(terrain, make))
            .map_err(|error| BakeError::Thread {
                path: bundle.to_owned(),
                error,
            })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What is now. No lock, no wait: an atomic load, and a count.
    pub fn now(&self) -> Arc<Snapshot> {
        self.shared.now.load_full()
    }

    /// Digs or fills with a shape: metres east and south of the first sample, and up from height 0.
    /// Once this returns, [`Rebaker::now`] has the ground with it.
    ///
    /// Time: some hundreds of microseconds for a million samples, to copy the ground.
    ///
    /// # Errors
    ///
    /// A shape of no size, numbers that are none, one over no sample, and a mesh; heights beyond what a
    /// terrain may have. Then nothing has changed.
    pub fn stamp(&self, shape: &Shape, effect: TopEffect) -> Result<Stamped, IngestError> {
        let mut state = self.shared.lock();
        let now = self.now();
        let terrain = now.decided_terrain();
        let (grid, [dx, dy]) = (terrain.grid(), terrain.parameters().cell_spacing);
        let width = grid.width() as usize;
        // Only around the shape, since a terrain may be large.
        let [from, to] = shape.bounds();
        let side = |from: f64, to: f64, limit: u32| {
            let last = to.ceil().clamp(0.0, f64::from(limit - 1)) as usize;
            (from.floor().max(0.0) as usize).min(last)..last + 1
        };
        let columns = side(from[0] / dx, to[0] / dx, grid.width());
        let rows = side(from[1] / dy, to[1] / dy, grid.height());
        let mut heights = std::mem::take(&mut state.survey.heights);
        let places = || {
            let columns = columns.clone();
            let rows = rows.clone();
            rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
        };
        let before: Vec<f64> = places().map(|at| heights[at]).collect();
        let stamped = stamp_top(&mut heights, grid.width(), [dx, dy], shape, effect);
        let mut samples = Vec::new();
        for (at, before) in places().zip(before) {
            let after = std::mem::replace(&mut heights[at], before);
            if stamped.is_ok() {
                samples.push((at, after));
            }
        }
        state.survey.heights = heights;
        stamped?;
        self.shared.change(&mut state, &samples)
    }

    /// Gives samples other heights in metres, NaN for void. Of a sample that is given twice the
    /// last counts. Once this returns, [`Rebaker::now`] has the ground with it.
    ///
    /// # Errors
    ///
    /// Samples outside the grid, heights that no terrain has, and where nothing would be left but
    /// voids. Then nothing has changed.
    pub fn change(&self, samples: &[(Sample, f64)]) -> Result<Stamped, IngestError> {
        let mut state = self.shared.lock();
        let grid = self.now().decided_terrain().grid();
        let mut places = BTreeMap::new();
        for &(sample, height) in samples {
            if !grid.has_sample(sample) {
                return Err(refused(
                    "change",
                    format!("samples of a grid of {} x {}", grid.width(), grid.height()),
                    format!("sample ({}, {})", sample.column, sample.row),
                ));
            }
            let at = sample.row as usize * grid.width() as usize + sample.column as usize;
            places.insert(at, height);
        }
        let places: Vec<(usize, f64)> = places.into_iter().collect();
        self.shared.change(&mut state, &places)
    }

    /// The ground as it is now.
    ///
    /// # Panics
    ///
    /// Never: the ground is as large as the bundle's, and not of voids alone.
    pub fn ground(&self) -> Terrain {
        let heights = self.shared.lock().survey.heights.clone();
        let before = self.now();
        let before = before.laid.before();
        let terrain = before.parts.header.terrain(&heights, &self.shared.path);
        // As large as the bundle's, and never of voids alone.
        terrain.expect("a terrain's heights")
    }

    /// Lets changes wait, or has them decided again: a server may have better to do.
    pub fn hold(&self, held: bool) {
        let mut state = self.shared.lock();
        state.held = held;
        if !held {
            state.failed = None;
        }
        self.shared.news.notify_all();
    }

    /// Waits until no change waits, or a patch could not be made, or changes are held.
    pub fn settle(&self) {
        let mut state = self.shared.lock();
        while !self.now().is_settled() && state.failed != Some(self.now().version()) && !state.held
        {
            state = self.shared.wait(state);
        }
    }

    /// Why no patch could be made, if that is so, once. Its changes wait on, which is safe; they
    /// are tried again with the next one, and when [`Rebaker::hold`] lets go.
    pub fn take_error(&self) -> Option<BakeError> {
        self.shared.lock().error.take()
    }

    /// All that is decided so far as one patch over the bundle: the bytes of a `.vcp` file.
    ///
    /// # Errors
    ///
    /// Where it cannot be compressed.
    pub fn patch(&self) -> Result<Vec<u8>, BakeError> {
        self.now().laid.folded(&self.shared.path)
    }
}

impl Drop for Rebaker {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // The thread is between its look and its wait, or at work and looks now and then.
        drop(self.shared.lock());
        self.shared.news.notify_all();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl Shared {
    /// A panic of somebody who held it leaves nothing half done: what is written last is the snapshot.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.news
            .wait(state)
            .unwrap_or_else(|held| held.into_inner())
    }

    /// Changes samples, and puts the new snapshot in place.
    fn change(&self, state: &mut State, samples: &[(usize, f64)]) -> Result<Stamped, IngestError> {
        let now = self.now.load_full();
        let differs = |&(at, after): &(usize, f64)| {
            let before: f64 = state.survey.heights[at];
            before != after && !(before.is_nan() && after.is_nan())
        };
        let samples: Vec<(usize, f64)> = samples.iter().copied().filter(differs).collect();
        if samples.is_empty() {
            return Ok(Stamped {
                version: now.version(),
                changed: 0,
            });
        }
        let mut ground = now.ground().clone();
        let opening = state.survey.change(&samples, &mut ground)?;
        let next = match opening {
            Some(opening) => now.changed(ground, opening),
            None => return Err(refused("change", "other heights", "the same")),
        };
        let (version, changed) = (next.version(), samples.len() as u64);
        state.waiting.push_back(samples);
        self.now.store(Arc::new(next));
        self.news.notify_all();
        Ok(Stamped { version, changed })
    }

    /// What the thread does: from `ground`, which is decided, on.
    fn run(&self, mut ground: Terrain, mut make: Make) {
        loop {
            let mut state = self.lock();
            let (seen, batch) = loop {
                if self.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let now = self.now.load();
                let tried = state.failed == Some(now.version());
                if !now.is_settled() && !state.held && !tried {
                    break (now.version(), batch(&now));
                }
                state = self.wait(state);
            };
            let mut heights = ground.heights().to_vec();
            for (at, height) in state.waiting.iter().take(batch).flatten() {
                heights[*at] = *height;
            }
            drop(state);
            let laid = self.now.load().laid.clone();
            let made = catch_unwind(AssertUnwindSafe(|| {
                let next = Terrain::new(ground.width(), ground.height(), heights, ground.spacing());
                let next = next.map_err(|error| unreadable(&self.path, error))?;
                let next = next.with_georeference(ground.georeference().cloned());
                let patch = make(&laid, [&ground, &next], self)?;
                Ok((laid.with(patch, &self.path)?, next))
            }));
            let made = made.unwrap_or_else(|_| {
                Err(BakeError::Thread {
                    path: self.path.clone(),
                    error: std::io::Error::other("it panicked"),
                })
            });
            let mut state = self.lock();
            match made {
                Ok((laid, next)) => {
                    ground = next;
                    state.failed = None;
                    state.waiting.drain(..batch);
                    let now = self.now.load_full();
                    let decided = now.decided() + batch as u64;
                    self.now.store(Arc::new(now.patched(laid, decided)));
                }
                Err(error) => {
                    state.failed = Some(seen);
                    if !self.stopped.load(Ordering::Relaxed) {
                        state.error = Some(error);
                    }
                }
            }
            self.news.notify_all();
        }
    }
}

impl Observer for Shared {
    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Of how many changes that wait, from the oldest on, the next patch is to be. Those that lie far apart
/// are quicker one by one, since a patch looks closely at one rectangle; but of many at once each costs
/// less.
fn batch(now: &Snapshot) -> usize {
    let waiting = now.waiting();
    if waiting.len() > MANY {
        return waiting.len();
    }
    let most = now.decided_terrain().grid().samples() / PART;
    let size = |area: Area| {
        let length = |[first, last]: [u32; 2]| u64::from(last - first) + 1;
        length(area.columns) * length(area.rows)
    };
    let mut areas = waiting.iter().map(|opening| opening.changed);
    let Some(mut area) = areas.next() else {
        return 0;
    };
    let near = areas.take_while(|next| {
        area = area.join(*next);
        size(area) <= most
    });
    1 + near.count()
}

/// By how much the round earth lowers each sample for sight; none where it is flat.
fn drop_of(terrain: &Terrain, options: &BakeOptions) -> Result<Vec<f64>, BakeError> {
    if options.curvature.is_none() {
        return Ok(Vec::new());
    }
    // Also where there is a void now.
    let (width, height) = (terrain.width(), terrain.height());
    let flat = vec![0.0; width as usize * height as usize];
    let flat = Terrain::new(width, height, flat, terrain.spacing());
    let flat = flat.map_err(|error| unreadable(Path::new(""), error))?;
    let seen = as_seen(&flat, options.curvature)?;
    Ok(seen.heights().iter().map(|height| -height).collect())
}

/// The patch that leads from one ground to another: that of [`crate::rebake`].
pub(crate) fn patch(
    path: &Path,
    options: &RebakeOptions,
    laid: &OwnedLayers,
    [old, new]: [&Terrain; 2],
    observer: &dyn Observer,
) -> Result<Vec<u8>, BakeError> {
    let before = laid.before();
    let job = RebakeJob {
        bundle: path,
        over: &[],
        output: None,
        patch: None,
    };
    let source = Source {
        input: before.parts.provenance.input.clone(),
        options: before.parts.provenance.options.clone(),
    };
    let bake = options_of(&before.parts.header.parameters, options)?;
    let workers = Workers::new(thread_count(options.threads), observer)?;
    let followed = rebake_layers(
        before,
        laid.layers(),
        &job,
        [old, new],
        &source,
        &bake,
        &workers,
    )?;
    Ok(followed.patch)
}
