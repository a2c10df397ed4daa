//! `viewcell experiment schemes`: the table of Steed and Angus on recorded players.

use crate::common::Folder;
use crate::data::data;

#[test]
fn real_players_of_quake_come_to_what_was_counted_by_hand() {
    let Some(traces) = data("traces") else { return };
    let folder = Folder::new();
    for (map, trace, published, tightened, agreed) in [
        ("dm2", "qw_4on4_dm2", 1.3091, 1.1644, 1.08),
        ("ps9ctf", "oa_ps9ctf", 1.0637, 1.0562, 1.03),
    ] {
        let bsp = traces.join(format!("maps/{map}.bsp"));
        let bundle = format!("{map}.vcb");
        let bsp = bsp.to_str().unwrap();
        folder.ok(&["bake", "cells", bsp, "-o", &bundle, "--quiet"]);
        let csv = traces.join(format!("{trace}.csv"));
        let csv = csv.to_str().unwrap();
        let told = ["experiment", "schemes", &bundle, "--traces", csv, "--json"];
        let document = folder.json(&[&told[..], &["--scheme", "FB,tightened,agreed"]].concat());
        let number = |name: &str, field: &str| {
            let schemes = document["schemes"].as_array().unwrap();
            let scheme = schemes.iter().find(|scheme| scheme["name"] == name);
            scheme.unwrap()[field].as_f64().unwrap()
        };
        assert!((number("FB", "ratio_to_perfect") - published).abs() < 1e-4);
        assert!((number("tightened", "ratio_to_perfect") - tightened).abs() < 1e-4);
        let found = number("agreed", "ratio_to_perfect");
        assert!(found > 1.0 && found <= agreed, "{map}: {found}");
        for name in ["FB", "tightened", "agreed"] {
            assert_eq!(number(name, "late_frames"), 0.0, "{map} {name}");
        }
    }
}
