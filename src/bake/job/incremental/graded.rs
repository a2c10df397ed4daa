//! Re-bakes of graded bundles: groups of chunks whose terrain is as it was are taken out of the bundle, the others are computed.
//! What comes out is a bundle: patches are of bundles whose blocks cover the whole grid.

use super::job::{Clock, RebakeJob, RebakeReport, changed_heights, provenance};
use super::layers::{Before, terrain_of};
use crate::job::budget::options::Compression;
use crate::job::error::{BakeError, unreadable};
use crate::job::graded::GradedWork;
use crate::job::grid::Work;
use crate::job::levels;
use crate::job::observer::Observer;
use crate::job::options::{BakeOptions, as_seen};
use crate::job::parallel::{Workers, thread_count};
use crate::job::report::Finish;
use crate::job::source::Source;
use crate::job::terrain::TerrainCells;
use viewcell_ingest::world::Terrain;

/// As [`super::rebake::rebake`], of a graded bundle.
pub(super) fn rebake(
    before: &Before,
    job: &RebakeJob,
    terrain: &Terrain,
    source: &Source,
    options: &BakeOptions,
    (mut finish, mut clock): (Finish, Clock),
    observer: &dyn Observer,
) -> Result<RebakeReport, BakeError> {
    let graded = BakeError::Graded {
        path: job.bundle.to_owned(),
    };
    let (Some(output), None, true) = (job.output, job.patch, job.over.is_empty()) else {
        return Err(graded);
    };
    let input = &source.input.name;
    options.grid(terrain, input)?;
    let asked = &*options.asked_for(terrain, input)?;
    let seen = as_seen(asked, options.curvature)?;
    let cells = TerrainCells::of(asked, options);
    let valid = cells.valid();
    let parameters = &cells.header().parameters;
    let work = GradedWork::new(parameters, &valid, &seen, options);
    let parts = &before.parts;
    // What cells do not say of their ground may have changed anywhere.
    let changed = if before.holds_ground() {
        let was = terrain_of(&parts.header, &parts.heights, job.bundle)?;
        work.changed_since(&*as_seen(&was, options.curvature)?)
    } else {
        vec![true; work.blocks()]
    };
    clock.stage("prepare");

    let workers = Workers::new(thread_count(options.threads), observer)?;
    let unreadable = |what: &dyn std::fmt::Display| unreadable(job.bundle, what.to_string());
    let bundle = before.map.terrain().map_err(|error| unreadable(&error))?;
    let was = levels::Unpacking {
        path: job.bundle,
        terrain: bundle,
        parameters: &parts.header.parameters,
        valid: &parts.valid,
    };
    let let_go = &|| before.map.let_go();
    let mut store = levels::unpack(&was, output, |number| !changed[number], let_go, &workers)?;
    clock.stage("read");
    work.fill(&work.tiles(), &mut store, observer)?;
    clock.stage("visibility");
    let found = levels::difference(&was, &work, &store, |number| changed[number])?;
    clock.stage("patch");
    let place = cells.destination(output, options.overwrite, &valid);
    let mut made = provenance(source);
    let lossless = Compression::Lossless;
    let written = levels::write(&[store], &place, &workers, &lossless, &mut made)?;
    clock.stage("compress");
    finish.stages = clock.stages.clone();
    Ok(RebakeReport {
        asked_pairs: found.asked,
        all_pairs: found.all,
        changed_pairs: found.changed,
        changed_samples: changed_heights(&parts.heights, cells.terrain.ground()).len() as u64,
        patch_bytes: 0,
        stages: clock.stages,
        bundle: Some(finish.report(written, made, &place)),
    })
}
