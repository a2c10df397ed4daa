//! The rules of the format on bundles, in the order in which they are checked.

use super::report::Rule;
use viewcell::format::WorldKind;

/// A constant for each rule, and all of them with the kinds of worlds that they are on: terrains, levels of cells, solid levels.
macro_rules! rules {
    ($($rule:ident $kinds:tt $name:literal, $demands:literal;)*) => {
        $(pub(super) const $rule: Rule = Rule { name: $name, demands: $demands };)*
        const RULES: &[(Rule, [u8; 3])] = &[$(($rule, $kinds)),*];
    };
}

#[rustfmt::skip]
rules! {
    MAGIC             [1, 1, 1] "magic", "the file begins with the magic bytes of a bundle";
    VERSION           [1, 1, 1] "version", "the format version is one that this program knows";
    HEADER_CHECKSUM   [1, 1, 1] "header-checksum", "the header has the checksum that it states";
    HEADER_FIELDS     [1, 1, 1] "header-fields", "world kind and section count are possible, flags and reserved bytes are zero";
    LENGTH            [1, 1, 1] "length", "the file has exactly the length that its header states";
    TABLE_CHECKSUM    [1, 1, 1] "table-checksum", "the section table lies in the file and has the checksum that the header states";
    TABLE_FIELDS      [1, 1, 1] "table-fields", "every section is named once, with known flags; only compressed ones change length";
    SECTION_PLACES    [1, 1, 1] "section-places", "sections follow each other at the next multiple of 64 bytes, the last to the end";
    PADDING           [1, 1, 1] "padding", "bytes that belong to no section are zero";
    SECTION_CHECKSUMS [1, 1, 1] "section-checksums", "every section has the checksum that the table states";
    PAGES             [1, 1, 1] "pages", "where there are checksums of pages, they come last, one for each page, which has it";
    SIGNATURE_FIELDS  [1, 1, 1] "signature-fields", "where there is a signature, it has 104 bytes, of a known scheme, and reserved bytes are zero";
    TERRAIN_PRESENT   [1, 0, 0] "sections-present", "the sections of a terrain are there, required, plain or compressed as they must be";
    CELL_PRESENT      [0, 1, 0] "cell-sections-present", "the sections of a level are there, required, plain or compressed as they must be";
    CELLS             [0, 1, 0] "cells", "every field of CELL makes sense, with the sections that it calls for and their lengths";
    TOUCHING          [0, 1, 0] "touching-cells", "CADJ lists for each cell others in rising order, each of which lists it too";
    BSP               [0, 1, 0] "bsp", "nodes of CBSP have finite planes, come before their children, have one parent each, and two different sides";
    BOXES             [0, 1, 0] "boxes", "CBOX holds smallest, then greatest coordinates, and CPOS points, all finite";
    NAMES             [0, 1, 0] "names", "CNAM is a JSON array of a text for each cell";
    PORTALS           [0, 1, 0] "portals", "CPRT holds polygons of finite corners between cells that touch by CADJ";
    SOLID_PRESENT     [0, 0, 1] "solid-sections-present", "the sections of a solid level are there, required, plain or compressed as they must be";
    GRID              [1, 0, 1] "grid", "every field of GRID makes sense, with the lengths of VALD, HGTS, PIDX, TIDX and TREE";
    CRS               [1, 0, 0] "crs", "CRS is UTF-8 text";
    MASK              [1, 0, 1] "terrain-mask", "VALD is there only if there are voids, has some terrain, and none outside the grid";
    HEIGHTS           [1, 0, 0] "heights", "HGTS holds finite heights where there is terrain, and the NaN 7fc00000 at voids; if walkable, either where VALD has none";
    SOURCE_HEIGHTS    [1, 0, 0] "source-heights", "SRCH rounds to HGTS, is void where that is, and is there only if some height rounds";
    SOLID             [0, 0, 1] "solid", "every field of SOLD makes sense, with those of GRID, the lengths of SBOX and SLOC, and where VALD has cells";
    SOLID_CELLS       [0, 0, 1] "solid-cells", "boxes of SBOX lie within their cells, and cells within the buckets, in Morton order, apart from each other";
    LOCATE            [0, 0, 1] "solid-locate", "SLOC has for each bucket the first of its cells, and a bit for each least corner";
    OCCLUDERS         [0, 0, 1] "solid-occluders", "SOCC is as long as it says, its occluders are convex bodies and polygons within their boxes, and its extent holds these and all players";
    OBJECTS           [0, 0, 1] "objects", "OBJS has a record and a name for each object, and each part of SOLD is of one, in order";
    PROVENANCE        [1, 1, 1] "provenance", "PROV is JSON of the known form";
    ROWS              [0, 1, 0] "rows", "CROW numbers rows in the order in which cells first have them, and leaves none out";
    PVS               [0, 1, 0] "cell-pvs", "rows of CPVS differ, each cell sees itself, no bit is set behind the last cell, and visibility is mutual if it was made so";
    DISTANCES         [0, 1, 0] "distances", "CDST holds the fewest visible steps by CPVS, in the fewest bits, with the greatest as CELL says";
    CELL_STATISTICS   [0, 1, 0] "cell-statistics", "the statistics in PROV are those of the cells";
    STATED            [0, 0, 1] "solid-stated", "SOLD has the input that PROV names, and SOLD, SBOX, SOCC and OBJS the checksums that PROV states";
    INDEX             [1, 0, 1] "index", "TIDX places the trees in TREE in bake order, the first at 0, each after the one before";
    PAIR_INDEX        [1, 0, 1] "pair-index", "PIDX places the groups in PAIR level by level, in Morton order, the first at 0, each after the one before";
    GROUPS            [1, 0, 1] "groups", "every group fills the bytes up to the next, and is the one canonical code of its pairs";
    DICTIONARY        [1, 0, 1] "dictionary", "DICT holds the codes that take least bytes for the symbols in PAIR";
    TREES             [1, 0, 1] "trees", "every tree fills the bytes up to the next, and is the one canonical code of its PVS";
    VOIDS             [1, 0, 1] "voids", "nothing is visible from a quad without terrain";
    UNIONS            [1, 0, 1] "unions", "without loss, the PVS of a quad is the union of those of its children";
    SYMMETRY          [1, 0, 1] "symmetry", "in a mutual bundle, A sees B exactly when B sees A: of single trees, pairs are drawn";
    STATISTICS        [1, 0, 1] "statistics", "the statistics in PROV are those of the PVSs";
    NEAR              [0, 0, 1] "solid-near", "a cell sees itself, and each that it touches at a place where an eye is in no occluder";
}

/// The rules on a bundle of a kind of world, in the order in which they are checked.
pub fn rules(kind: WorldKind) -> impl Iterator<Item = Rule> {
    let column = match kind {
        WorldKind::Terrain => 0,
        WorldKind::Cells => 1,
        WorldKind::Solid => 2,
    };
    let is_on = move |(rule, kinds): &(Rule, [u8; 3])| (kinds[column] == 1).then_some(*rule);
    RULES.iter().filter_map(is_on)
}
