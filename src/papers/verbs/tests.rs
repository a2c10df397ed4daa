//! The files `schemas/experiment-*.json` describe what the program prints, and are kept so here.
//!
//! To write them anew: `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`.

use std::path::Path;

use super::{
    compression, frontier, ground, interest, machines, perception, sent, solid, visibility,
};
use schemars::{Schema, schema_for};

/// Pairs of a file and the schema of a type.
macro_rules! schemas {
    ($($file:literal => $type:ty,)*) => {
        [$(($file, schema_for!($type))),*]
    };
}

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
fn schemas_describe_what_the_program_reads_and_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
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
             `VIEWCELL_WRITE_SCHEMAS=1 cargo test --workspace schemas`"
        );
    }
}
