//! The files in `schemas/` describe what the program reads and prints, and are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`.

use schemars::{Schema, schema_for};
use viewcell_bake::{bundle, ingest};

use super::schema_files::{self, schemas};
use super::{
    bake, check, diff, export, frontier, ground, job, manual, progress, query, rebake, render,
    repack, report, seal, simulate, verify,
};

fn schemas() -> Vec<(&'static str, Schema)> {
    Vec::from(schemas! {
        "bake-dry-run.json" => bake::ForecastDocument,
        "bake.json" => bake::Document,
        "cells.json" => ingest::cells::CellGraphFile,
        "check.json" => check::Document,
        "completions.json" => manual::CompletionsDocument,
        "diff.json" => diff::Document,
        "export-cells.json" => export::cells::Document,
        "export-exposure.json" => export::ExposureDocument,
        "export-horizon.json" => export::horizon::HorizonDocument,
        "export-skyview.json" => export::horizon::SkyviewDocument,
        "frontier-cells.json" => frontier::CellsDocument,
        "frontier.json" => frontier::Document,
        "ground-build.json" => ground::build::Document,
        "ground-compact.json" => ground::CompactDocument,
        "ground-export.json" => ground::show::ExportDocument,
        "ground-info.json" => ground::show::InfoDocument,
        "ground-layers.json" => ingest::ground::LayersFile,
        "ground-render.json" => ground::show::RenderDocument,
        "ground-stamp-line.json" => ingest::ground::StampLine,
        "ground-stamp.json" => ground::StampDocument,
        "info.json" => bundle::Info,
        "job.json" => job::JobFile,
        "man.json" => manual::ManDocument,
        "merge.json" => repack::MergeDocument,
        "progress.json" => progress::Report,
        "query-distance-pairs.json" => query::DistancePairsDocument,
        "query-distance.json" => query::DistanceDocument,
        "query-locate-solid.json" => query::solid::SolidLocateDocument,
        "query-locate-terrain.json" => query::pvs::LocateTerrainDocument,
        "query-locate.json" => query::pvs::LocateDocument,
        "query-pairs.json" => query::ask::PairsDocument,
        "query-pvs-cells.json" => query::pvs::CellPvsDocument,
        "query-pvs-solid.json" => query::solid::SolidPvsDocument,
        "query-pvs.json" => query::pvs::PvsDocument,
        "query-visible-cells.json" => query::CellVisibleDocument,
        "query-visible-solid.json" => query::solid::SolidVisibleDocument,
        "query-visible.json" => query::VisibleDocument,
        "query-within.json" => query::WithinDocument,
        "rebake.json" => rebake::Document,
        "render.json" => render::Document,
        "repack.json" => repack::RepackDocument,
        "report.json" => report::Document,
        "seal.json" => seal::SealDocument,
        "ship.json" => seal::ShipDocument,
        "sign.json" => seal::SignDocument,
        "simulate-fit.json" => simulate::ways::FitDocument,
        "simulate.json" => simulate::document::Document,
        "verify.json" => verify::Document,
    })
}

#[test]
fn schemas_describe_what_the_program_reads_and_prints() {
    schema_files::hold(schemas());
}
