//! Holds the files in `schemas/` to the types that they describe, for the tests of both programs.

use std::path::Path;

use schemars::Schema;

/// Pairs of a file and the schema of a type.
macro_rules! schemas {
    ($($file:literal => $type:ty,)*) => {
        [$(($file, schema_for!($type))),*]
    };
}
pub(super) use schemas;

/// Compares schemas with their files, or writes these if `VIEWCELL_WRITE_SCHEMAS` is set.
pub(super) fn hold(schemas: Vec<(&'static str, Schema)>) {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder = folders.find_map(|folder| Some(folder.join("schemas")).filter(|it| it.is_dir()));
    let folder = folder.expect("a folder of schemas");
    let write = std::env::var_os("VIEWCELL_WRITE_SCHEMAS").is_some();
    for (name, schema) in schemas {
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
