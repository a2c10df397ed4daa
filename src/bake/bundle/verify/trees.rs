//! Rules on the index and the trees: one pass over the trees in bake order.

mod places;
mod rules;

use crate::bundle::verify::rules::{INDEX, STATISTICS, SYMMETRY, TREES, UNIONS, VOIDS};
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::container::Container;
use super::report::{Checker, Faults};
use crate::bundle::provenance::{Provenance, Statistics};
use crate::compress::{Scratch, ValidPyramid, encode};
use viewcell::format::bytes::{read_varint, write_varint};
use viewcell::format::pairs::TREE_LEVEL;
use viewcell::format::{
    Grid, GroupPvs, Groups, Quad, ReadPvs, Sample, TerrainParameters, Tree, Trees, Valid,
};

use places::{Places, index, name};
use rules::symmetry;

pub(super) use rules::{compare, narrowed, read};

/// Checks all rules of this file on a bundle of single trees.
pub(super) fn check(
    checker: &mut Checker,
    container: &Container,
    parameters: &TerrainParameters,
    terrain: &ValidPyramid,
    provenance: Option<&Provenance>,
) -> io::Result<()> {
    let grid = parameters.grid;
    let places = Places::read(container, grid, 0)?;
    if !checker.check(INDEX, |faults| index(&places, faults))? {
        return Ok(());
    }
    let mask = terrain.block_bytes();
    let valid = Valid::from_blocks(grid, &mask);
    let mut statistics = Statistics::new(grid, terrain.samples());
    let judged = if parameters.lossy { u32::MAX } else { 1 };
    let pass = Pass::new((terrain, valid), None, judged, &mut statistics);
    if !pass.run(checker, container, &places, Faults::default())? {
        return Ok(());
    }
    let mut faults = Faults::default();
    if parameters.mutual {
        symmetry(checker, container, &places, valid, &mut faults)?;
    }
    checker.note(SYMMETRY, faults);
    if let Some(provenance) = provenance {
        checker.check(STATISTICS, |faults| {
            if parameters.lossy {
                let [index, bytes] = read(container)?;
                let trees = Trees::new(valid, 0, &index, &bytes);
                let found = narrowed((terrain, trees), None, &statistics);
                compare(&provenance.statistics, &found, faults);
            } else {
                compare(&provenance.statistics, &statistics, faults);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Checks the unions of a bundle of levels of groups, and adds to the statistics; `faults` are those of [`UNIONS`] that were
/// found before. Says whether the trees are sound.
pub(super) fn check_unions(
    checker: &mut Checker,
    container: &Container,
    (terrain, groups, is_lossy): (&ValidPyramid, Groups, bool),
    faults: Faults,
    statistics: &mut Statistics,
) -> io::Result<bool> {
    let grid = terrain.grid();
    let places = Places::read(container, grid, TREE_LEVEL)?;
    if !checker.check(INDEX, |faults| index(&places, faults))? {
        return Ok(false);
    }
    let mask = terrain.block_bytes();
    let valid = Valid::from_blocks(grid, &mask);
    let judged = if is_lossy { u32::MAX } else { TREE_LEVEL };
    let pass = Pass::new((terrain, valid), Some(groups), judged, statistics);
    pass.run(checker, container, &places, faults)
}

/// The PVSs of a quad's children, taken together.
#[derive(Clone)]
struct Union {
    bits: Vec<u64>,
    /// Whether the trees of all children were sound.
    sure: bool,
}

impl Union {
    fn new(grid: Grid) -> Self {
        Self {
            bits: vec![0; grid.blocks()],
            sure: true,
        }
    }
}

/// The pass over all trees.
struct Pass<'a> {
    terrain: &'a ValidPyramid,
    /// What the quads below those with trees see.
    groups: Option<Groups<'a>>,
    /// Level of the least quads that are to see what their children do.
    judged: u32,
    valid: Valid<'a>,
    scratch: Scratch,
    recoded: Vec<u8>,
    /// By level: what the children of the quad at hand see.
    unions: Vec<Union>,
    statistics: &'a mut Statistics,
}

impl<'a> Pass<'a> {
    fn new(
        (terrain, valid): (&'a ValidPyramid, Valid<'a>),
        groups: Option<Groups<'a>>,
        judged: u32,
        statistics: &'a mut Statistics,
    ) -> Self {
        let grid = terrain.grid();
        Self {
            terrain,
            groups,
            judged,
            valid,
            scratch: Scratch::default(),
            recoded: Vec::new(),
            unions: vec![Union::new(grid); grid.levels() as usize + 1],
            statistics,
        }
    }

    /// Goes through the trees; says whether all are sound.
    fn run(
        mut self,
        checker: &mut Checker,
        container: &Container,
        places: &Places,
        mut unions: Faults,
    ) -> io::Result<bool> {
        let [mut trees, mut voids] = [(); 2].map(|()| Faults::default());
        let mut reader = BufReader::with_capacity(1 << 20, &container.file);
        reader.seek(SeekFrom::Start(places.start))?;
        let total = places.offsets.len() as u64;
        let mut bytes = Vec::new();
        let mut pvs = vec![0; places.grid.blocks()];
        for (done, quad) in (0..).zip(places.order()) {
            if done % 1024 == 0 {
                checker.tell(TREES, done, total);
            }
            let offset = places.offset(quad);
            bytes.resize((places.end(quad) - offset) as usize, 0);
            reader.read_exact(&mut bytes)?;
            let at = places.start + offset;
            let place = || format!("tree of {}", name(quad));
            let has_terrain = self.valid.has_quad(quad);

            pvs.fill(0);
            let tree = Tree::parse(self.valid, &bytes);
            if let Some(tree) = &tree {
                tree.expand(&mut pvs);
            }
            let visible = self.recode(&pvs);
            let sound = match fault_of(tree.as_ref(), &bytes, &self.recoded) {
                Some((expected, found)) => {
                    trees.add(place(), at, expected, found);
                    false
                }
                None => true,
            };
            if sound && !has_terrain && visible > 0 {
                let found = format!("{visible} visible samples");
                voids.add(place(), at, "all hidden: it has no terrain", found);
            }
            if let (Some(groups), TREE_LEVEL) = (self.groups, quad.level) {
                let mut bits = vec![0; pvs.len()];
                for child in (0..4).filter_map(|i| quad.child(i)) {
                    match GroupPvs::new(groups, child) {
                        Some(pvs) => pvs.expand(&mut bits),
                        None => bits.fill(0),
                    }
                    let union = self.unions[quad.level as usize].bits.iter_mut();
                    union.zip(&bits).for_each(|(to, from)| *to |= from);
                }
            }
            let union = &self.unions[quad.level as usize];
            let judged = quad.level >= self.judged && sound && union.sure;
            if judged && union.bits != pvs {
                let (expected, found) = difference(places.grid, &union.bits, &pvs);
                unions.add(place(), at, expected, found);
            }
            self.pass_up(quad, &pvs, sound);
            self.statistics
                .record(quad, has_terrain, visible, bytes.len());
        }
        let sound = checker.note(TREES, trees);
        // An unsound tree is no ground to judge these rules by, but what was found stands.
        checker.note(VOIDS, voids);
        checker.note(UNIONS, unions);
        Ok(sound)
    }

    /// Encodes a PVS anew; returns the number of visible samples.
    fn recode(&mut self, pvs: &[u64]) -> u64 {
        self.recoded.clear();
        encode(self.terrain, pvs, &mut self.scratch, &mut self.recoded)
    }

    /// Adds a quad's PVS to its parent's union, and makes its own ready for the next quad.
    fn pass_up(&mut self, quad: Quad, pvs: &[u64], sound: bool) {
        let level = quad.level as usize;
        let (below, above) = self.unions.split_at_mut(level + 1);
        for (to, from) in above[0].bits.iter_mut().zip(pvs) {
            *to |= from;
        }
        above[0].sure &= sound;
        below[level].bits.fill(0);
        below[level].sure = true;
    }
}

/// What is wrong with a tree: expected and found. `recoded` is the code of its PVS.
fn fault_of(tree: Option<&Tree>, bytes: &[u8], recoded: &[u8]) -> Option<(String, String)> {
    let fault = |expected: &str, found: String| Some((expected.to_owned(), found));
    let (Some(tree), Some((head, body))) = (tree, read_varint(bytes)) else {
        let start = &bytes[..bytes.len().min(8)];
        return fault(
            "a head, and the nodes it announces",
            format!("{start:02X?}"),
        );
    };
    let (_, head_length) = write_varint(head);
    if head_length + body.len() != bytes.len() {
        return fault(
            "a head in as few bytes as it takes",
            format!("{:02X?}", &bytes[..2]),
        );
    }
    let codes = |code| {
        let of_node = move |node: &u8| {
            (0..4)
                .filter(|child| node >> (2 * child) & 3 == code)
                .count()
        };
        tree.nodes().iter().map(of_node).sum::<usize>()
    };
    if codes(3) > 0 {
        return fault(
            "codes 0, 1 and 2",
            format!("{} times the reserved code 3", codes(3)),
        );
    }
    let items = match head {
        0 | 1 => 0,
        _ => 1 + codes(2),
    };
    let expected = tree.nodes().len() + 8 * items.saturating_sub(tree.nodes().len());
    if body.len() != expected {
        let expected = format!("{} bytes, by its nodes", head_length + expected);
        return fault(
            &expected,
            format!("{} bytes up to the next tree", bytes.len()),
        );
    }
    if bytes != recoded {
        return Some(other_bytes(bytes, recoded));
    }
    None
}

/// What is expected and what is found where bytes are not the canonical code.
pub(super) fn other_bytes(bytes: &[u8], recoded: &[u8]) -> (String, String) {
    let at = bytes.iter().zip(recoded).position(|(a, b)| a != b);
    let at = at.unwrap_or(bytes.len().min(recoded.len()));
    (
        format!("the canonical code, {} bytes", recoded.len()),
        format!("{} bytes that differ from byte {at}", bytes.len()),
    )
}

/// The first sample in which two PVSs differ.
fn difference(grid: Grid, union: &[u64], pvs: &[u64]) -> (String, String) {
    let sees = |visible: bool| if visible { "visible" } else { "hidden" };
    let has = |bits: &[u64], sample| {
        let (word, bit) = grid.block_bit(sample);
        bits[word] >> bit & 1 == 1
    };
    let differs = |&sample: &Sample| has(union, sample) != has(pvs, sample);
    match grid.row_by_row().find(differs) {
        Some(sample) => {
            let place = format!("sample ({}, {})", sample.column, sample.row);
            (
                format!("{place} {}, as from its children", sees(has(union, sample))),
                format!("{place} {}", sees(has(pvs, sample))),
            )
        }
        None => (
            "the union of its children".to_owned(),
            "another PVS".to_owned(),
        ),
    }
}
