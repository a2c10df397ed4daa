//! Incremental re-bakes: a bundle, and ground that has changed, to a patch or to another bundle.
//!
//! ```text
//! prepare      what has changed, and the tables of the kernel
//! visibility   pairs of blocks whose sight may meet what has changed are asked again
//! patch        the groups and trees that have changed
//! compress     if a bundle is wanted: old groups with new ones over them
//! ```
//!
//! All other pairs are as they were: [`crate::visibility::Change`] says why. The bundle that comes
//! out is that of a bake of the new terrain, but for its provenance.

use std::borrow::Cow;
use std::path::Path;

use cpu_time::ProcessTime;

use super::asking::Asking;
use super::graded;
use super::job::{Clock, RebakeJob, RebakeOptions, RebakeReport, changed_heights, provenance};
use super::layers::{Before, write};
use super::pair_changes::PairRecheck;
use super::replaced::PatchPieces;
use super::splice::Splice;
use crate::bundle::{
    BundleError, PatchParts, Provenance, StageTime, Written, check_output, patch_bytes, save,
};
use crate::compress::ValidPyramid;
use crate::compress::pairs::Codebook;
use crate::job::budget::options::Compression;
use crate::job::error::{BakeError, unreadable};
use crate::job::levels::Levels;
use crate::job::mode::VisibilityMode;
use crate::job::observer::{Observer, Stage};
use crate::job::options::{BakeOptions, as_seen, mutual};
use crate::job::parallel::{Workers, thread_count};
use crate::job::report::{Finish, stage_time};
use crate::job::source::Source;
use crate::job::terrain::TerrainCells;
use crate::visibility::{Curvature, Window};
use viewcell::format::{Grid, Tag, TerrainParameters, Valid};
use viewcell::query::Layers;
use viewcell_ingest::world::{Georeference, Terrain};

/// The options of the bake that a bundle says it is of.
pub(crate) fn options_of(
    parameters: &TerrainParameters,
    options: &RebakeOptions,
) -> Result<BakeOptions, BakeError> {
    let distance = parameters.max_distance;
    Ok(BakeOptions {
        eye_height: parameters.eye_height,
        player_height: parameters.player_height,
        mode: VisibilityMode::of(parameters.visibility)?,
        max_distance: distance.is_finite().then_some(distance),
        curvature: (parameters.earth_radius > 0.0).then_some(Curvature {
            radius: parameters.earth_radius,
            refraction: parameters.refraction,
        }),
        threads: options.threads,
        simd: options.simd,
        overwrite: options.overwrite,
        finest: parameters.finest(),
        grade: parameters.grade,
        detail: parameters.detail(),
        inside: options.inside,
        ..BakeOptions::default()
    })
}

/// Errors unless a terrain may be what has become of the one in a bundle.
fn check_terrain(
    bundle: &Path,
    parameters: &TerrainParameters,
    terrain: &Terrain,
    options: &BakeOptions,
    input: &str,
) -> Result<(), BakeError> {
    let [width, height] = parameters.heightmap();
    let other = |what, expected: String, found: String| BakeError::OtherTerrain {
        path: bundle.to_owned(),
        input: input.to_owned(),
        what,
        expected,
        found,
    };
    if (width, height) != (terrain.width(), terrain.height()) {
        return Err(other(
            "columns and rows",
            format!("{width} x {height}"),
            format!("{} x {}", terrain.width(), terrain.height()),
        ));
    }
    let places = |walkable: bool, covered: bool| match (walkable, covered) {
        (false, false) => "on which everybody may be",
        (true, false) => "with places where nobody may be",
        (false, true) => "of ground below a surface",
        (true, true) => "of ground below a surface, with places where nobody may be",
    };
    let expected = places(parameters.walkable, parameters.covered);
    let asked = options.asked_for(terrain, input)?;
    let cells = TerrainCells::of(&asked, options);
    let new = &cells.header().parameters;
    let found = places(new.walkable, new.covered);
    if expected != found {
        return Err(BakeError::OtherPlaces {
            path: bundle.to_owned(),
            expected,
            found,
        });
    }
    let terrain = &*cells.terrain;
    let [dx, dy] = parameters.cell_spacing;
    let size = [terrain.width(), terrain.height()].map(f64::from);
    let [x, y] = terrain.spacing();
    // Formats round: the same ground in another one may differ in the last digits of a text.
    let is_off = |a: f64, b: f64, count: f64| (a - b).abs() * count > SAME * a.abs();
    if is_off(dx, x, size[0]) || is_off(dy, y, size[1]) {
        return Err(other(
            "metres between samples",
            format!("{dx} and {dy}"),
            format!("{x} and {y}"),
        ));
    }
    let place = terrain.georeference().map(|place| place.transform);
    if let (Some(expected), Some(found)) = (parameters.transform, place)
        && is_elsewhere(expected, found, size)
    {
        return Err(other(
            "place",
            format!("the transform {expected:?}"),
            format!("{found:?}"),
        ));
    }
    Ok(())
}

/// Places that differ by less than this share of a sample are the same.
const SAME: f64 = 0.01;

/// Whether a corner of a raster is elsewhere by another transform.
fn is_elsewhere(a: [f64; 6], b: [f64; 6], [columns, rows]: [f64; 2]) -> bool {
    let off = |i: usize, column: f64, row: f64| {
        (a[i] - b[i]) + column * (a[i + 1] - b[i + 1]) + row * (a[i + 2] - b[i + 2])
    };
    let samples = [a[1].hypot(a[4]), a[2].hypot(a[5])];
    let least = SAME * samples[0].min(samples[1]);
    let corners = [(0.0, 0.0), (columns, 0.0), (0.0, rows), (columns, rows)];
    corners.iter().any(|&(column, row)| {
        // What is no number is elsewhere.
        let near = |i| off(i, column, row).abs() <= least;
        !(near(0) && near(3))
    })
}

/// A terrain with the spacing and the place that a bundle has, to the last digit.
fn as_placed<'a>(terrain: &'a Terrain, parameters: &TerrainParameters) -> Cow<'a, Terrain> {
    let side = f64::from(1_u32 << parameters.finest());
    let spacing = parameters.cell_spacing.map(|metres| metres / side);
    let of_samples =
        |[t0, t1, t2, t3, t4, t5]: [f64; 6]| [t0, t1 / side, t2 / side, t3, t4 / side, t5 / side];
    let transform = parameters.transform.map(of_samples);
    let place = terrain.georeference();
    let is_placed = match (transform, place) {
        (Some(transform), Some(place)) => transform == place.transform,
        _ => true,
    };
    if spacing == terrain.spacing() && is_placed {
        return Cow::Borrowed(terrain);
    }
    let georeference = place.cloned().map(|place| Georeference {
        transform: transform.unwrap_or(place.transform),
        ..place
    });
    let placed = terrain.clone().with_georeference(georeference);
    placed
        .with_spacing(spacing)
        .map_or(Cow::Borrowed(terrain), Cow::Owned)
}

/// Re-bakes a bundle incrementally: `terrain`, read from the file `source`, is the new ground.
///
/// The options of the bake are those of the bundle. A bundle of cells, of a part of the places or of ground below
/// a surface does not hold the ground that it was made of: all its pairs are asked. What is written holds what a bake of `terrain`
/// with them would: a bundle at `output` has the same bytes but for its provenance, and a patch
/// answers the same once it is laid over the bundle.
///
/// # Errors
///
/// Where the bundle has lost something or is by sectors, where the terrain has other sides, spacing, place, or
/// places, where patches are none of this bundle or in another order, and where something cannot be
/// read or written. Then nothing is left behind.
pub fn rebake(
    job: &RebakeJob,
    terrain: &Terrain,
    source: &Source,
    options: &RebakeOptions,
    observer: &dyn Observer,
) -> Result<RebakeReport, BakeError> {
    let mut finish = Finish::new(thread_count(options.threads), options.simd.name());
    for output in job.output.iter().chain(&job.patch) {
        check_output(output, options.overwrite)?;
    }
    let mut clock = Clock::new();
    let before = Before::read(job.bundle, job.over)?;
    let parts = &before.parts;
    let bake = options_of(&parts.header.parameters, options)?;
    check_terrain(
        job.bundle,
        &parts.header.parameters,
        terrain,
        &bake,
        &source.input.name,
    )?;
    let terrain = &*as_placed(terrain, &parts.header.parameters);
    if parts.header.parameters.grade > 0 {
        let begun = (finish, clock);
        return graded::rebake(&before, job, terrain, source, &bake, begun, observer);
    }
    let mut layers = before.layers(job.bundle, job.over)?;
    let old = parts.header.terrain(&parts.heights, job.bundle)?;
    clock.stage("read");

    let workers = Workers::new(thread_count(options.threads), observer)?;
    let followed = rebake_layers(
        &before,
        &layers,
        job,
        [&old, terrain],
        source,
        &bake,
        &workers,
    )?;
    clock.stages.extend(followed.stages);
    clock.restart();
    if let Some(patch) = job.patch {
        save(patch, &followed.patch, options.overwrite)?;
        clock.stage("write");
    }
    let mut bundle = None;
    if let Some(output) = job.output {
        let asked = bake.asked_for(terrain, &source.input.name)?;
        let cells = TerrainCells::of(&asked, &bake);
        let place = cells.destination(output, options.overwrite, &followed.valid);
        let (made, written) = match followed.bundle {
            Some(written) => written,
            None => {
                layers
                    .lay(&followed.patch)
                    .map_err(|error| unreadable(job.bundle, error))?;
                let lossless = Compression::Lossless;
                let made = provenance(source);
                let written = write(
                    &layers,
                    (job.bundle, &before.map),
                    &place,
                    &lossless,
                    made,
                    &workers,
                )?;
                clock.stage("compress");
                written
            }
        };
        finish.stages = clock.stages.clone();
        bundle = Some(finish.report(written, made, &place));
    }
    Ok(RebakeReport {
        asked_pairs: followed.asked,
        all_pairs: followed.all,
        changed_pairs: followed.changed,
        changed_samples: followed.samples,
        patch_bytes: followed.patch.len() as u64,
        stages: clock.stages,
        bundle,
    })
}

/// What came of an incremental re-bake.
pub(crate) struct Rebaked {
    pub(crate) patch: Vec<u8>,
    valid: ValidPyramid,
    stages: Vec<StageTime>,
    asked: u64,
    all: u64,
    changed: u64,
    samples: u64,
    /// The bundle, where that was written on the way.
    bundle: Option<(Provenance, Written)>,
}

/// Asks what may have changed, and makes a patch of what has. `old` is the ground of what sees each other in the
/// bundle: of its samples, or of its cells.
pub(crate) fn rebake_layers(
    before: &Before,
    layers: &Layers,
    job: &RebakeJob,
    [old, new]: [&Terrain; 2],
    source: &Source,
    options: &BakeOptions,
    workers: &Workers,
) -> Result<Rebaked, BakeError> {
    let input = &source.input.name;
    options.grid(new, input)?;
    let new = &*options.asked_for(new, input)?;
    let cells = TerrainCells::of(new, options);
    let grid = cells.grid();
    let mutual = mutual(options);
    let mut stages = Vec::new();
    let begun = ProcessTime::now();
    workers.observer.stage(Stage::Prepare, 1);
    let seen = as_seen(new, options.curvature)?;
    let old_seen = if before.holds_ground() {
        Some(as_seen(old, options.curvature)?)
    } else {
        None
    };
    let grounds = [old_seen.as_deref(), Some(&*seen)];
    let asking = Asking::new(grounds, options, Window::ALL);
    let asking = asking.ok_or_else(|| unreadable(job.bundle, "expected terrain"))?;
    let valid = cells.valid();
    let words = valid.block_bytes();
    let now = Valid::from_blocks(grid, &words);
    let levels = Levels::new(&cells.header().parameters, &valid);
    workers.observer.advance(Stage::Prepare, 1);
    stages.push(stage_time("prepare", begun.elapsed().as_secs_f64()));

    let terrain = layers.terrain();
    let there = terrain.valid();
    let terrain = terrain.with_terrain_at(now);
    let columns = grid.block_shape().0;
    let was: Vec<u64> = (0..grid.blocks() as u32)
        .map(|index| there.block(index % columns, index / columns))
        .collect();
    let codebook = dictionary(before, job.bundle)?;
    let groups = terrain
        .groups()
        .ok_or_else(|| unreadable(job.bundle, "expected pairs of blocks"))?;
    let changes = PairRecheck {
        old: groups,
        asking: &asking,
        valid: &valid,
        was: &was,
        levels: &levels,
        mutual,
        codebook: &codebook,
    }
    .run(workers)?;
    stages.push(stage_time("visibility", changes.seconds));

    let begun = ProcessTime::now();
    let patching = PatchPieces {
        groups,
        trees: terrain.trees(),
        base: layers.base(),
        valid: &valid,
        was: &was,
        levels: &levels,
        mutual,
        changes: &changes,
    };
    let new_groups = patching.new_groups(workers)?;
    let new_trees = patching.new_trees();
    let heights = changed_heights(old.heights(), cells.terrain.ground());
    let moved = was != valid.blocks();
    let provenance = provenance(source);
    let patch = patch_bytes(&PatchParts {
        base: layers.base_id(),
        parent: layers.last_id(),
        valid: moved.then_some(valid.blocks()),
        blocks: grid.blocks() as u32,
        heights: &heights,
        groups: &new_groups.pieces,
        trees: &new_trees.new.pieces,
        provenance: &provenance,
    })
    .map_err(|error| BundleError::write(job.bundle, "compressing", 0, error))?;
    stages.push(stage_time("patch", begun.elapsed().as_secs_f64()));
    let all = all_pairs(grid, mutual);
    let begun = ProcessTime::now();
    let mut bundle = None;
    if let Some(output) = job.output
        && !moved
        && layers.is_empty()
    {
        let place = cells.destination(output, options.overwrite, &valid);
        let mut made = Provenance {
            statistics: before.parts.provenance.statistics.clone(),
            ..provenance
        };
        let restream = Splice {
            bundle: before
                .map
                .bundle()
                .map_err(|error| unreadable(job.bundle, error))?,
            groups,
            trees: terrain.trees(),
            levels: &levels,
            new_groups: &new_groups.whole,
            new_trees: &new_trees,
            changes: &changes,
        };
        let written = restream.write(&place, &mut made, workers)?;
        stages.push(stage_time("compress", begun.elapsed().as_secs_f64()));
        bundle = Some((made, written));
    }
    let changed = changes.by_block.iter().flatten();
    Ok(Rebaked {
        patch,
        stages,
        asked: changes.asked,
        all,
        changed: changed.filter(|pair| pair.differs).count() as u64,
        samples: heights.len() as u64,
        valid,
        bundle,
    })
}

/// The codes of a bundle.
fn dictionary(before: &Before, path: &Path) -> Result<Codebook, BakeError> {
    let bundle = before
        .map
        .bundle()
        .map_err(|error| unreadable(path, error))?;
    let section = bundle.section(Tag::DICT);
    let codebook = section.and_then(|(_, bytes)| Codebook::parse(bytes));
    codebook.ok_or_else(|| unreadable(path, "expected a section DICT"))
}

/// Pairs of blocks that a bake decides.
fn all_pairs(grid: Grid, mutual: bool) -> u64 {
    let blocks = grid.blocks() as u64;
    if mutual {
        blocks * (blocks + 1) / 2
    } else {
        blocks * blocks
    }
}
