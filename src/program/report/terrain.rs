//! The page of a terrain bundle.

use std::path::Path;

use crate::exit::Failure;
use crate::info::{self, Bytes};
use crate::query::{self, Opened};
use crate::render::{survey, terrain_pages};
use crate::table::{Table, percent};
use crate::work::Work;
use viewcell::query::{Sample, TerrainBundle};
use viewcell_bake::bundle::{Info, TerrainInfo};
use viewcell_bake::survey::Survey;
use viewcell_view::picture::{Bars, Chart, Curve, Series, frequencies, grouped};

use super::{Page, Section, finished_page, making, named};

/// Most places in a list of extremes.
const PLACES: usize = 5;
/// Classes of the profile by distance that have fewer pairs than this tell little.
const LEAST_PAIRS: u64 = 1000;

/// The page.
pub fn page(
    opened: &Opened,
    work: &Work<'_>,
    info: &Info,
    heightmap: Option<&Path>,
) -> Result<Page, Failure> {
    let (path, terrain) = (opened.path(), opened.terrain()?);
    let found = survey(work, path, &terrain)?;
    let about = info.terrain.as_ref();
    let samples = terrain.valid().count(terrain.grid().root());
    let pairs: u64 = found.rings.iter().map(|ring| ring.pairs).sum();
    let visible: u64 = found.rings.iter().map(|ring| ring.visible).sum();
    let hidden = 1.0 - visible as f64 / pairs.max(1) as f64;
    let coarse = terrain.parameters().finest() > 0;
    let figures = [
        (
            if coarse {
                "Hidden from a cell"
            } else {
                "Hidden from a sample"
            },
            percent(hidden),
        ),
        (if coarse { "Cells" } else { "Samples" }, grouped(samples)),
        ("File", Bytes(info.bytes).to_string()),
        (
            "Visibility",
            about.map_or(String::new(), |about| about.visibility.clone()),
        ),
    ];
    let figures = named(figures);

    let most = extremes(&terrain, &found, true);
    let least = extremes(&terrain, &found, false);
    let marks: Vec<(Sample, String)> = (1..)
        .zip(&most)
        .map(|(number, place)| (*place, format!("{number}")))
        .collect();
    let pages = terrain_pages(opened, heightmap)?;
    let drawn = pages.exposure(&found.exposure, &marks);
    let rows = |places: &[Sample]| {
        let rows = (1..).zip(places);
        let rows = rows.map(|(number, place)| {
            let sees = query::samples_seen(opened, *place)?;
            let there = pages.coordinates(*place);
            Ok(place_row(&terrain, &found, number, *place, there, sees))
        });
        rows.collect::<Result<Vec<_>, Failure>>()
    };
    let head = [
        "No.",
        "Column, row",
        "In the CRS",
        "Height",
        if coarse {
            "Cells that see it"
        } else {
            "Seen by"
        },
        "Share",
        "Sees, samples",
    ];
    let exposure = Section::new(
        "Exposure",
        match terrain.parameters().finest() {
            0 => "How many samples see each sample, itself included. The most exposed places, at some \
                  distance from each other, are numbered on the map. What each sees is what viewcell query pvs counts."
                .to_owned(),
            finest => format!(
                "How many view cells of {0} × {0} samples see each cell, itself included. The most exposed cells, at \
                 some distance from each other, are numbered on the map; a place is the sample of the heightmap in \
                 the middle of its cell. What each sees is counted in samples, as viewcell query pvs does.",
                1_u32 << finest
            ),
        },
    )
    .picture(&drawn)?
    .table("Most exposed", Table::new(3, &head, rows(&most)?))
    .table("Most hidden", Table::new(3, &head, rows(&least)?));

    let mut sections = vec![making(info)];
    sections.extend(levels(info));
    sections.push(profile(&terrain, &found));
    sections.push(exposure);
    Ok(finished_page(
        path,
        info,
        figures,
        warnings(about, &terrain),
        sections,
    ))
}

fn warnings(about: Option<&TerrainInfo>, terrain: &TerrainBundle<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(about) = about else {
        return warnings;
    };
    match about.visibility.as_str() {
        "exact" => warnings.push(
            "Visibility is exact, of the samples themselves: players between samples may see what \
             is hidden here. For players who move, bake with --visibility conservative."
                .into(),
        ),
        "sectors" => warnings.push(
            "Visibility is by sectors, which errs in both directions: some of what is hidden here \
             can be seen."
                .into(),
        ),
        _ => {}
    }
    if !about.mutual {
        warnings.push("A may see B although B does not see A: query both directions.".into());
    }
    let voids = about.samples - terrain.valid().count(terrain.grid().root());
    if voids > 0 {
        let share = percent(voids as f64 / about.samples as f64);
        warnings.push(format!(
            "{} {} ({share}) are {}: hidden from and to everything.",
            grouped(voids),
            if about.finest > 0 { "cells" } else { "samples" },
            if about.walkable {
                "void or not walkable"
            } else {
                "void"
            }
        ));
    }
    warnings
}

/// What is hidden at each level, and what was kept of it.
fn levels(about: &Info) -> Option<Section> {
    let made = about.provenance.as_ref()?;
    let levels = &made.statistics.levels;
    let side = |level: u32| (1_u64 << level).to_string();
    let finest = about.terrain.as_ref().map_or(0, |about| about.finest);
    let side = |level: u32| side(level + finest);
    let names: Vec<String> = levels.iter().map(|level| side(level.level)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let share = levels.iter().map(|level| 100.0 * level.hidden_share);
    let bars = [Bars {
        name: "hidden".into(),
        values: share.collect(),
    }];
    Some(
        Section::new(
            "Hidden, by level",
            "The mean share of the terrain that is hidden from a square of samples: the share of \
             updates that need not be sent while a player stays in it. Levels 0 to 3 may share \
             their bytes, which then count at level 3.",
        )
        .chart(Chart::new(
            "Hidden from a square",
            ["samples a side", "% of the terrain"],
            Series::Bars(&names, &bars),
        ))
        .table("", info::levels(about, made)),
    )
}

/// What share of the pairs at each distance see each other.
fn profile(terrain: &TerrainBundle<'_>, found: &Survey) -> Section {
    let ring = Survey::ring(terrain);
    let (unit, metres) = if ring >= 250.0 {
        ("km", 1000.0)
    } else {
        ("m", 1.0)
    };
    let points = found.rings.iter().enumerate();
    let points = points.filter(|(_, ring)| ring.pairs >= LEAST_PAIRS);
    let points = points.map(|(i, of)| {
        let middle = (i as f64 + 0.5) * ring / metres;
        [middle, 100.0 * of.visible as f64 / of.pairs as f64]
    });
    let by_distance = [Curve {
        name: "visible".into(),
        points: points.collect(),
    }];
    let seen = found.exposure.iter().filter(|count| **count > 0);
    let samples = terrain.valid().count(terrain.grid().root()).max(1);
    let shares = seen
        .map(|count| 100.0 * f64::from(*count) / samples as f64)
        .collect();
    let noun = match terrain.parameters().finest() {
        0 => "samples",
        _ => "cells",
    };
    let exposures = frequencies(&[(noun, shares)]);
    let x = format!("distance, {unit}");
    Section::new(
        "Who sees how far",
        format!(
            "Of all pairs of {noun} at a distance, the share that see each other (distances are those \
             between the blocks of 8 × 8 {noun} that the two are in); and how exposed {noun} are."
        ),
    )
    .chart(Chart::new(
        "Visible, by distance",
        [&x, "% of pairs"],
        Series::Curves(&by_distance),
    ))
    .chart(Chart::new(
        &format!("How exposed {noun} are"),
        ["seen from, % of the terrain", &format!("% of {noun}")],
        Series::Curves(&exposures),
    ))
}

/// The samples that most others see, or fewest, none within a twentieth of the longer side of a
/// more extreme one.
fn extremes(terrain: &TerrainBundle<'_>, found: &Survey, most: bool) -> Vec<Sample> {
    let grid = terrain.grid();
    let samples = grid.row_by_row().zip(&found.exposure);
    let mut samples: Vec<(Sample, u32)> = samples
        .filter(|(_, count)| **count > 0)
        .map(|(sample, count)| (sample, *count))
        .collect();
    // The sort is stable, so that of equals the northernmost and then westernmost comes first.
    samples.sort_by_key(|(_, count)| if most { u32::MAX - count } else { *count });
    let apart = f64::from(grid.width().max(grid.height())) / 20.0;
    let mut found: Vec<Sample> = Vec::new();
    for (sample, _) in samples {
        let near = |other: &Sample| {
            let across = f64::from(sample.column.abs_diff(other.column));
            across.hypot(f64::from(sample.row.abs_diff(other.row))) < apart
        };
        if !found.iter().any(near) {
            found.push(sample);
        }
        if found.len() == PLACES {
            break;
        }
    }
    found
}

fn place_row(
    terrain: &TerrainBundle<'_>,
    found: &Survey,
    number: usize,
    place: Sample,
    there: Option<String>,
    sees: u64,
) -> Vec<String> {
    let Sample { column, row } = place;
    let index = row as usize * terrain.grid().width() as usize + column as usize;
    let count = found.exposure[index];
    let samples = terrain.valid().count(terrain.grid().root()).max(1);
    let named = terrain.parameters().middle_of(place);
    vec![
        number.to_string(),
        format!("{},{}", named.column, named.row),
        there.unwrap_or_else(|| "-".into()),
        terrain
            .height(place)
            .map_or("-".into(), |height| format!("{height:.0} m")),
        grouped(count.into()),
        percent(f64::from(count) / samples as f64),
        grouped(sees),
    ]
}
