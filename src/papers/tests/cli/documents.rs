//! `--json` prints what the files of `schemas` describe.

use crate::common::Folder;
use crate::schema::{faults_of, schema_of};

#[test]
fn every_experiment_prints_the_document_that_its_schema_describes() {
    let folder = Folder::with_wall();
    folder.write("observers.csv", "name,fov,screen,pixels\na,90,800,2\n");
    folder.write("targets.csv", "name,radius\na,1\nb,2\n");
    let cases: &[(&str, &[&str])] = &[
        (
            "experiment-frontier.json",
            &[
                "experiment",
                "frontier",
                "wall.vcb",
                "--pairs",
                "5",
                "--limits",
                "0.000001",
                "--quiet",
                "--json",
            ],
        ),
        (
            "experiment-interest.json",
            &[
                "experiment",
                "interest",
                "--entities",
                "40",
                "--ticks",
                "5",
                "--matcher",
                "brute,lucid,sorted,grid",
                "--json",
            ],
        ),
        (
            "experiment-machines.json",
            &[
                "experiment",
                "machines",
                "--entities",
                "40",
                "--ticks",
                "5",
                "--ranks",
                "1,3",
                "--json",
            ],
        ),
        (
            "experiment-perception.json",
            &[
                "experiment",
                "perception",
                "--observers",
                "observers.csv",
                "--targets",
                "targets.csv",
                "--json",
            ],
        ),
    ];
    for (schema, arguments) in cases {
        let document = folder.json(arguments);
        let faults = faults_of(&schema_of(schema), &document);
        assert!(
            faults.is_empty(),
            "{arguments:?} against {schema}: {faults:?}"
        );
    }
}
