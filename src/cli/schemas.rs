//! The files in `schemas/` describe what the program reads and prints, and are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --bin viewcell schemas`.

use std::path::Path;

use schemars::{Schema, schema_for};

use super::{
    bake, check, completions, diff, experiment, export, frontier, ground, job, man, merge,
    progress, query, rebake, render, repack, report, seal, ship, sign, simulate, verify,
};

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("bake.json", schema_for!(bake::Document)),
        ("bake-dry-run.json", schema_for!(bake::ForecastDocument)),
        (
            "cells.json",
            schema_for!(viewcell::internals::ingest::cells::CellGraphFile),
        ),
        ("check.json", schema_for!(check::Document)),
        ("completions.json", schema_for!(completions::Document)),
        ("diff.json", schema_for!(diff::Document)),
        (
            "experiment-epvs.json",
            schema_for!(experiment::EpvsDocument),
        ),
        ("frontier-cells.json", schema_for!(frontier::CellsDocument)),
        ("export-cells.json", schema_for!(export::CellsDocument)),
        (
            "export-exposure.json",
            schema_for!(export::ExposureDocument),
        ),
        (
            "experiment-visibility.json",
            schema_for!(experiment::VisibilityDocument),
        ),
        ("export-horizon.json", schema_for!(export::HorizonDocument)),
        ("export-skyview.json", schema_for!(export::SkyviewDocument)),
        (
            "experiment-frontier.json",
            schema_for!(experiment::FrontierDocument),
        ),
        (
            "experiment-ground.json",
            schema_for!(experiment::GroundDocument),
        ),
        (
            "experiment-interest.json",
            schema_for!(experiment::InterestDocument),
        ),
        (
            "experiment-machines.json",
            schema_for!(experiment::MachinesDocument),
        ),
        (
            "experiment-perception.json",
            schema_for!(experiment::PerceptionDocument),
        ),
        ("frontier.json", schema_for!(frontier::Document)),
        (
            "ground-layers.json",
            schema_for!(viewcell::internals::ingest::ground::LayersFile),
        ),
        (
            "ground-stamp-line.json",
            schema_for!(viewcell::internals::ingest::ground::StampLine),
        ),
        ("ground-build.json", schema_for!(ground::BuildDocument)),
        ("ground-compact.json", schema_for!(ground::CompactDocument)),
        ("ground-export.json", schema_for!(ground::ExportDocument)),
        ("ground-info.json", schema_for!(ground::InfoDocument)),
        ("ground-render.json", schema_for!(ground::RenderDocument)),
        ("ground-stamp.json", schema_for!(ground::StampDocument)),
        ("info.json", schema_for!(viewcell::internals::bundle::Info)),
        ("job.json", schema_for!(job::JobFile)),
        ("man.json", schema_for!(man::Document)),
        ("merge.json", schema_for!(merge::Document)),
        ("progress.json", schema_for!(progress::Report)),
        ("query-distance.json", schema_for!(query::DistanceDocument)),
        (
            "query-distance-pairs.json",
            schema_for!(query::DistancePairsDocument),
        ),
        ("query-locate.json", schema_for!(query::LocateDocument)),
        (
            "query-locate-terrain.json",
            schema_for!(query::LocateTerrainDocument),
        ),
        ("query-pairs.json", schema_for!(query::PairsDocument)),
        ("query-pvs.json", schema_for!(query::PvsDocument)),
        ("query-pvs-cells.json", schema_for!(query::CellPvsDocument)),
        ("query-pvs-solid.json", schema_for!(query::SolidPvsDocument)),
        (
            "query-visible-solid.json",
            schema_for!(query::SolidVisibleDocument),
        ),
        (
            "query-locate-solid.json",
            schema_for!(query::SolidLocateDocument),
        ),
        ("query-within.json", schema_for!(query::WithinDocument)),
        ("report.json", schema_for!(report::Document)),
        ("render.json", schema_for!(render::Document)),
        ("query-visible.json", schema_for!(query::VisibleDocument)),
        (
            "query-visible-cells.json",
            schema_for!(query::CellVisibleDocument),
        ),
        ("rebake.json", schema_for!(rebake::Document)),
        ("repack.json", schema_for!(repack::Document)),
        ("simulate.json", schema_for!(simulate::Document)),
        ("seal.json", schema_for!(seal::Document)),
        ("sign.json", schema_for!(sign::Document)),
        ("ship.json", schema_for!(ship::Document)),
        (
            "experiment-compression.json",
            schema_for!(experiment::CompressionDocument),
        ),
        (
            "experiment-compression-level.json",
            schema_for!(experiment::MergingDocument),
        ),
        (
            "experiment-sent.json",
            schema_for!(experiment::SentDocument),
        ),
        (
            "experiment-solid.json",
            schema_for!(experiment::SolidDocument),
        ),
        ("simulate-fit.json", schema_for!(simulate::FitDocument)),
        ("verify.json", schema_for!(verify::Document)),
    ]
}

#[test]
fn the_files_describe_what_the_program_reads_and_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let write = std::env::var_os("VIEWCELL_WRITE_SCHEMAS").is_some();
    for (name, schema) in schemas() {
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let file = folder.join(name);
        if write {
            std::fs::write(&file, &schema).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            found == schema,
            "schemas/{name} is out of date; write it anew with \
             `VIEWCELL_WRITE_SCHEMAS=1 cargo test --bin viewcell schemas`"
        );
    }
}
