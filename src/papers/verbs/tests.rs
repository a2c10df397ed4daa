//! The files `schemas/experiment-*.json` describe what the program prints, and are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`.

use super::schema_files::{self, schemas};
use super::{
    compression, frontier, ground, interest, machines, perception, sent, solid, visibility,
};
use schemars::{Schema, schema_for};

fn schemas() -> Vec<(&'static str, Schema)> {
    Vec::from(schemas! {
        "experiment-compression-level.json" => compression::MergingDocument,
        "experiment-compression.json" => compression::Document,
        "experiment-epvs.json" => crate::EpvsDocument,
        "experiment-frontier.json" => frontier::Document,
        "experiment-ground.json" => ground::Document,
        "experiment-interest.json" => interest::Document,
        "experiment-machines.json" => machines::Document,
        "experiment-perception.json" => perception::Document,
        "experiment-sent.json" => sent::Document,
        "experiment-solid.json" => solid::Document,
        "experiment-visibility.json" => visibility::Document,
    })
}

#[test]
fn schemas_describe_what_the_program_prints() {
    schema_files::hold(schemas());
}
