//! The tree code, held to its slow twin.

use proptest::prelude::*;
use viewcell::format::{Grid, Leaf, Quad, ReadPvs, Sample, Tree, Valid};
use viewcell_bake::compress::{Scratch, ValidPyramid, encode};

use crate::common::mix;
use crate::reference;

/// A grid, its terrain, and a PVS over it, as block bitmaps.
#[derive(Clone, Debug)]
struct Case {
    grid: Grid,
    valid: Vec<u64>,
    pvs: Vec<u64>,
}

impl Case {
    /// Blotches of side `grain`, of which `voids` in 16 are void and `visible` in 16 visible.
    fn new(width: u32, height: u32, grain: u32, voids: u64, visible: u64, seed: u64) -> Self {
        let grid = Grid::new(width, height).unwrap();
        let mut valid = vec![0; grid.blocks()];
        let mut pvs = valid.clone();
        for row in 0..height {
            for column in 0..width {
                let blotch = u64::from(row / grain) << 32 | u64::from(column / grain);
                let die = mix(seed ^ mix(blotch));
                let (word, bit) = grid.block_bit(Sample::new(column, row));
                let terrain = die >> 32 & 15 >= voids;
                valid[word] |= u64::from(terrain) << bit;
                pvs[word] |= u64::from(terrain && die & 15 < visible) << bit;
            }
        }
        Self { grid, valid, pvs }
    }

    fn has(&self, bits: &[u64], sample: Sample) -> bool {
        let (word, bit) = self.grid.block_bit(sample);
        bits[word] >> bit & 1 == 1
    }

    /// Encodes, and compares every answer with the twin's.
    fn check(&self) {
        let grid = self.grid;
        let valid = |sample| self.has(&self.valid, sample);
        let pvs = |sample| self.has(&self.pvs, sample);
        let mut bytes = Vec::new();
        let pyramid = ValidPyramid::new(grid, &self.valid);
        let mut scratch = Scratch::default();
        let count = encode(&pyramid, &self.pvs, &mut scratch, &mut bytes);
        assert_eq!(bytes, reference::encode(grid, &valid, &pvs), "encoder");
        let visible: u32 = self.pvs.iter().map(|word| word.count_ones()).sum();
        assert_eq!(count, u64::from(visible));

        let decoded = reference::decode(grid, &valid, &bytes).expect("the twin reads it");
        let samples = (0..grid.height())
            .flat_map(|row| (0..grid.width()).map(move |column| Sample::new(column, row)));
        let expected: Vec<_> = samples.clone().filter(|&s| pvs(s)).collect();
        assert_eq!(decoded, expected, "twin's decoder");

        let blocks: Vec<u8> = self.valid.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut views = vec![Valid::from_blocks(grid, &blocks)];
        if (0..grid.blocks()).all(|i| {
            let columns = grid.block_shape().0 as usize;
            self.valid[i] == grid.block_mask((i % columns) as u32, (i / columns) as u32)
        }) {
            views.push(Valid::everywhere(grid));
        }
        for view in views {
            // Trees lie end to end: what is behind one must not matter.
            let mut behind = bytes.clone();
            behind.extend([0xA5; 24]);
            let tree = Tree::parse(view, &behind).expect("a tree");
            for sample in samples.clone() {
                assert_eq!(tree.contains(sample), pvs(sample), "{sample:?}");
            }
            let outside = Sample::new(grid.width(), 0);
            assert!(!tree.contains(outside));
            for quad in grid.bake_order() {
                let expected = reference::state(grid, &valid, &pvs, quad);
                assert_eq!(tree.state(quad), expected, "{quad:?}");
            }
            let mut expanded = vec![!0; grid.blocks()];
            tree.expand(&mut expanded);
            assert_eq!(expanded, self.pvs, "expand");
            assert_eq!(tree.count(), count);
            self.check_leaves(&tree, &pvs);
        }
    }

    /// Leaves cover the grid once, say what the PVS says, and are as great as they can be.
    fn check_leaves(&self, tree: &Tree, pvs: &dyn Fn(Sample) -> bool) {
        let mut covered = 0;
        for leaf in tree.leaves() {
            let quad = leaf.quad();
            let side = 1 << quad.level;
            let origin = quad.origin();
            for row in origin.row..(origin.row + side).min(self.grid.height()) {
                for column in origin.column..(origin.column + side).min(self.grid.width()) {
                    let sample = Sample::new(column, row);
                    covered += 1;
                    let said = match leaf {
                        Leaf::Hidden(_) => false,
                        Leaf::Visible(_) => self.has(&self.valid, sample),
                        Leaf::Block(_, bits) => bits >> ((row & 7) << 3 | column & 7) & 1 == 1,
                    };
                    assert_eq!(said, pvs(sample));
                }
            }
        }
        assert_eq!(covered, self.grid.samples());
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    let side = prop_oneof![1u32..20, 1u32..80, Just(8), Just(16), Just(64), Just(65)];
    let share = prop_oneof![Just(0u64), Just(16), 0u64..=16];
    (
        side.clone(),
        side,
        1u32..40,
        share.clone(),
        share,
        any::<u64>(),
    )
        .prop_map(|(width, height, grain, voids, visible, seed)| {
            Case::new(width, height, grain, voids, visible, seed)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn trees_equal_the_slow_twin(case in any_case()) {
        case.check();
    }
}

#[test]
fn long_thin_grids_equal_the_slow_twin() {
    for (width, height) in [(600, 1), (1, 600), (520, 9), (7, 530)] {
        Case::new(width, height, 5, 2, 8, 1).check();
        Case::new(width, height, 90, 0, 8, 2).check();
    }
}

#[test]
fn hidden_and_visible_terrain_take_one_byte() {
    for (visible, byte) in [(0, 0), (16, 1)] {
        let case = Case::new(403, 344, 3, 4, visible, 7);
        let mut bytes = Vec::new();
        let pyramid = ValidPyramid::new(case.grid, &case.valid);
        encode(&pyramid, &case.pvs, &mut Scratch::default(), &mut bytes);
        assert_eq!(bytes, [byte]);
    }
}

#[test]
fn scratch_serves_grids_of_all_sizes_in_turn() {
    let mut scratch = Scratch::default();
    for (width, height) in [(403, 344), (9, 9), (200, 10), (10, 200), (64, 64)] {
        let case = Case::new(width, height, 2, 3, 8, 3);
        let pyramid = ValidPyramid::new(case.grid, &case.valid);
        let (mut fresh, mut used) = (Vec::new(), Vec::new());
        encode(&pyramid, &case.pvs, &mut Scratch::default(), &mut fresh);
        encode(&pyramid, &case.pvs, &mut scratch, &mut used);
        assert_eq!(fresh, used);
    }
}

#[test]
fn a_void_quad_under_a_visible_one_is_hidden() {
    // 16×16 samples; block (1, 0) is void, the rest is visible: the root is all visible.
    let grid = Grid::new(16, 16).unwrap();
    let valid = [!0u64, 0, !0, !0];
    let mut bytes = Vec::new();
    let pyramid = ValidPyramid::new(grid, &valid);
    encode(&pyramid, &valid, &mut Scratch::default(), &mut bytes);
    assert_eq!(bytes, [1]);
    let blocks: Vec<u8> = valid.iter().flat_map(|w| w.to_le_bytes()).collect();
    let tree = Tree::parse(Valid::from_blocks(grid, &blocks), &bytes).unwrap();
    use viewcell::format::Answer::{Hidden, Visible};
    assert_eq!(tree.state(grid.root()), Visible);
    assert_eq!(tree.state(Quad::new(3, 1, 0)), Hidden);
    assert_eq!(tree.state(Quad::new(1, 5, 2)), Hidden);
    assert_eq!(tree.state(Quad::new(3, 0, 0)), Visible);
}
