//! Every shared level equals its line in EXPECTED.tsv.

use viewcell_bake::hierarchy::epvs::Epvs;
use viewcell_ingest::cells::{IngestCellsOptions, read_cells};
use viewcell_ingest::world::Symmetry;

use crate::common::{levels, slow_distances};

#[test]
fn every_level_has_the_pairs_and_distances_expected() {
    let Some(folder) = levels() else { return };
    let table = std::fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let mut files = 0;
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |name: &str| fields[header.iter().position(|h| *h == name).unwrap()];
        let name = field("file");
        let number = |name: &str| field(name).parse::<u64>().unwrap();

        let level = read_cells(&folder.join(name), &IngestCellsOptions::default()).unwrap();
        assert_eq!(level.format, field("format"), "{name}");
        assert_eq!(level.notes, [""; 0], "{name}");
        let graph = &level.graph;
        assert_eq!(graph.cells as u64, number("cells"), "{name}: cells");
        let tree = graph.tree.as_ref().unwrap();
        assert_eq!(
            tree.leaves().len() as u64,
            number("bsp_leaves"),
            "{name}: leaves"
        );
        let in_cells = tree.leaves().iter().filter(|leaf| leaf.cell.is_some());
        assert_eq!(
            in_cells.count() as u64,
            number("vis_leaves"),
            "{name}: leaves in cells"
        );

        let mut pvs = graph.pvs.clone().unwrap();
        pvs.set_diagonal();
        assert_eq!(
            pvs.count_ones(),
            number("ordered_visible_incl_self"),
            "{name}: ordered visible pairs"
        );
        assert_eq!(
            pvs.one_way_pairs(),
            number("asymmetric_pairs"),
            "{name}: one-way pairs"
        );
        let either = pvs.symmetrised(Symmetry::Or);
        assert!(either.is_symmetric());
        let cells = graph.cells as u64;
        assert_eq!(
            (either.count_ones() - cells) / 2,
            number("unordered_visible_either"),
            "{name}: pairs visible either way"
        );

        files += 1;
        let epvs = Epvs::new(&either);
        let (pairs, unreachable) = epvs.histogram();
        let histogram = &pairs[1..];
        assert_eq!(u64::from(epvs.greatest()), number("OR_max_d"), "{name}");
        if cells < 500 {
            for (a, row) in slow_distances(&either).iter().enumerate() {
                for (b, slow) in row.iter().enumerate() {
                    assert_eq!(epvs.distance(a, b), *slow, "{name}: {a} to {b}");
                }
            }
        }
        let words: Vec<String> = histogram.iter().map(u64::to_string).collect();
        assert_eq!(
            words.join(" "),
            field("OR_hist_ordered_d1_d2_..."),
            "{name}: distances"
        );
        assert_eq!(
            unreachable,
            number("OR_unreachable_ordered"),
            "{name}: unreachable"
        );
    }
    assert_eq!(files, 20);
}
