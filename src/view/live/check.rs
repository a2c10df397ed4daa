//! Whether a frontier set keeps its promise: no sample of one half sees any of the other.
//!
//! The slow, obvious way, which trusts nothing that growing a set relies on: it reads the PVSs of
//! the members themselves. Only where all terrain of a block of 8 × 8 samples is in a half, and
//! the block's own PVS, the union of theirs, meets nothing of the other half, that stands for all.
//! In a mutual bundle it checks from the smaller half alone, since who is seen sees.

use rayon::prelude::*;

use viewcell::frontier::Region;
use viewcell::query::{Quad, Sample, TerrainBundle};

/// What was found.
#[derive(Default)]
pub(super) struct Checked {
    /// Number of PVSs read.
    pub looked: u64,
    /// A member of one half that may see one of the other.
    pub sees: Option<[Sample; 2]>,
}

/// Looks from the members of one half, or of both, at the other. A PVS that cannot be read sees
/// everything.
pub(super) fn check_sight(terrain: &TerrainBundle<'_>, halves: [Region<'_>; 2]) -> Checked {
    let [a, b] = halves;
    let looks = [(a, b), (b, a)].map(|(own, other)| Look {
        terrain,
        own,
        other,
    });
    let looks = match (terrain.parameters().mutual, a.area() <= b.area()) {
        (false, _) => &looks[..],
        (true, true) => &looks[..1],
        (true, false) => &looks[1..],
    };
    let (columns, rows) = terrain.grid().block_shape();
    (0..columns * rows)
        .into_par_iter()
        .map_init(
            || vec![0; terrain.grid().blocks()],
            |words, index| {
                let block = (index % columns, index / columns);
                let checked = looks.iter().map(|look| look.look(block, words));
                checked.fold(Checked::default(), join)
            },
        )
        .reduce(Checked::default, join)
}

fn join(one: Checked, other: Checked) -> Checked {
    Checked {
        looked: one.looked + other.looked,
        sees: one.sees.or(other.sees),
    }
}

/// From one half at the other.
struct Look<'a> {
    terrain: &'a TerrainBundle<'a>,
    own: Region<'a>,
    other: Region<'a>,
}

impl Look<'_> {
    /// Looks from the members in a block. `words` is room for a block bitmap.
    fn look(&self, (column, row): (u32, u32), words: &mut [u64]) -> Checked {
        let members = self.own.block(column, row);
        let mut checked = Checked::default();
        if members == 0 {
            return checked;
        }
        if members == self.terrain.valid().block(column, row) {
            checked.looked += 1;
            if self.first_seen(Quad::new(3, column, row), words).is_none() {
                return checked;
            }
        }
        for bit in (0..64).filter(|bit| members >> bit & 1 == 1) {
            let sample = Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3);
            checked.looked += 1;
            if let Some(seen) = self.first_seen(sample.quad(), words) {
                checked.sees = Some([sample, seen]);
                break;
            }
        }
        checked
    }

    /// The first member of the other half in the PVS of a quad.
    fn first_seen(&self, quad: Quad, words: &mut [u64]) -> Option<Sample> {
        match self.terrain.pvs(quad) {
            Some(pvs) => pvs.expand(words),
            None => words.fill(u64::MAX),
        }
        let (columns, _) = self.terrain.grid().block_shape();
        let blocks = (0..).zip(words.iter());
        let mut met = blocks.map(|(at, word): (u32, &u64)| {
            let (column, row) = (at % columns, at / columns);
            (column, row, word & self.other.block(column, row))
        });
        let (column, row, both) = met.find(|(_, _, both)| *both != 0)?;
        let bit = both.trailing_zeros();
        Some(Sample::new(column << 3 | bit & 7, row << 3 | bit >> 3))
    }
}
