//! Ground that people dig in, and answers about it as it is at that instant.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::json;

use super::answer::{Answer, Refusal};
use super::source::Exposure;
use super::{places, terrain};
use viewcell::query::{Quad, Sample, World};
use viewcell_bake::live::{Rebaker, Snapshot};
use viewcell_bake::survey::survey;

/// The most that a click may change. [Unit: samples from its middle]
const MOST: f64 = 200.0;

/// Ground that can be dug in.
pub(super) struct Digging {
    rebaker: Rebaker,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Why the last patch could not be made.
    error: Option<String>,
    /// Who sees each place, on the ground after so many changes.
    exposure: Option<(u64, Arc<Exposure>)>,
}

impl Digging {
    /// Where nobody has dug yet.
    pub(super) fn new(rebaker: Rebaker) -> Self {
        let state = Mutex::default();
        Self { rebaker, state }
    }

    /// The ground as it is now.
    pub(super) fn now(&self) -> Arc<Snapshot> {
        self.rebaker.now()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }
}

/// Lowers the ground around a sample by a bowl of this radius and depth in metres, or raises it
/// where the depth is negative.
pub(super) fn dig(digging: &Digging, at: &str, radius: f64, depth: f64) -> Result<Answer, Refusal> {
    // Nobody else digs between what the ground was and what it is to be.
    let _state = digging.state();
    let ground = digging.rebaker.ground();
    let middle = terrain::place(&digging.now().decided_terrain(), at)?;
    let [dx, dy] = ground.spacing();
    if !(radius > 0.0 && radius <= MOST * dx.min(dy)) {
        let most = MOST * dx.min(dy);
        return Err(Refusal::bad_request(format!(
            "radius={radius}: expected metres, more than 0 and at most {most}"
        )));
    }
    if !depth.is_finite() {
        return Err(Refusal::bad_request(format!(
            "depth={depth}: expected metres, below 0 to raise the ground"
        )));
    }
    let side = |middle: u32, spacing: f64, limit: u32| {
        let reach = (radius / spacing) as u32 + 1;
        middle.saturating_sub(reach)..(middle + reach + 1).min(limit)
    };
    let mut samples = Vec::new();
    for row in side(middle.row, dy, ground.height()) {
        for column in side(middle.column, dx, ground.width()) {
            let x = (f64::from(column) - f64::from(middle.column)) * dx / radius;
            let y = (f64::from(row) - f64::from(middle.row)) * dy / radius;
            let left = 1.0 - x * x - y * y;
            if left > 0.0 {
                let height = ground.at(column, row) - depth * left.sqrt();
                samples.push((Sample::new(column, row), height));
            }
        }
    }
    let stamped = digging.rebaker.change(&samples);
    let stamped = stamped.map_err(|error| Refusal::bad_request(error.to_string()))?;
    Ok(Answer::new(
        json!({ "version": stamped.version, "changed": stamped.changed }),
    ))
}

/// What has become of the ground: how often it was changed, how many of these changes are decided,
/// and where the others are.
pub(super) fn live(digging: &Digging) -> Result<Answer, Refusal> {
    let mut state = digging.state();
    let now = digging.now();
    if let Some(error) = digging.rebaker.take_error() {
        state.error = Some(format!("what changed stays undecided: {error}"));
    } else if now.is_settled() {
        state.error = None;
    }
    let areas = now.waiting().iter().map(|opening| {
        let ([west, east], [north, south]) = (opening.changed.columns, opening.changed.rows);
        [[west, north], [east + 1, south + 1]]
    });
    Ok(Answer::new(json!({
        "version": now.version(),
        "decided": now.decided(),
        "areas": areas.collect::<Vec<_>>(),
        "error": state.error,
    })))
}

/// The PVS of the quad of a level over a sample; and behind it what is visible only because changes
/// wait.
pub(super) fn pvs(digging: &Digging, at: &str, level: u32) -> Result<Answer, Refusal> {
    let now = digging.now();
    let terrain = now.terrain();
    let answer = places::pvs(&World::Terrain(terrain), at, level)?;
    let sample = terrain::place(&terrain, at)?;
    let quad = Quad::new(level, sample.column >> level, sample.row >> level);
    let blocks = terrain.grid().blocks();
    let [mut waiting, mut decided] = [(); 2].map(|()| vec![0_u64; blocks]);
    if let (Some(pvs), Some(old), false) = (
        terrain.pvs(quad),
        now.decided_terrain().pvs(quad),
        now.is_settled(),
    ) {
        pvs.expand(&mut waiting);
        old.expand(&mut decided);
    }
    for (waiting, decided) in waiting.iter_mut().zip(&decided) {
        *waiting &= !decided;
    }
    let waits: u64 = waiting
        .iter()
        .map(|word| u64::from(word.count_ones()))
        .sum();
    Ok(answer
        .with(waiting)
        .entry("waits", waits)
        .entry("generation", 0)
        .entry("version", now.version()))
}

/// How many samples see each sample, on the ground as it was when all changes were decided last;
/// while they are counted, how far that is.
pub(super) fn exposed(digging: &Digging) -> Result<Answer, Refusal> {
    let now = digging.now();
    let samples = now.terrain().grid().samples();
    let mut state = digging.state();
    let counted = state.exposure.as_ref().map(|(version, _)| *version);
    if now.is_settled() && counted != Some(now.version()) {
        let exposure = Arc::new(Exposure::default());
        state.exposure = Some((now.version(), exposure.clone()));
        std::thread::spawn(move || count(&now, &exposure));
    }
    let answer = match &state.exposure {
        Some((version, exposure)) => {
            terrain::counted(exposure, samples)?.entry("version", *version)
        }
        None => Answer::new(json!({ "part": 0.0 })),
    };
    Ok(answer.entry("generation", 0))
}

/// Goes on until it is done, or until the ground is another one and nobody else holds the count.
fn count(now: &Snapshot, exposure: &Arc<Exposure>) {
    let go_on = |viewpoints| {
        exposure.done.fetch_add(viewpoints, Ordering::Relaxed);
        Arc::strong_count(exposure) > 1
    };
    let survey = survey(&now.terrain(), &go_on).ok().flatten();
    let _ = exposure.counts.set(survey.map(|survey| survey.exposure));
}
