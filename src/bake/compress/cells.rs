//! Rows of a cell bundle to bytes: who sees whom and how far apart they are, equal rows once.

use crate::hierarchy::epvs::Epvs;
use viewcell::format::cells::DistanceBits;

/// The bytes of `CROW`, `CPVS` and `CDST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRows {
    /// Number of different rows.
    pub count: u32,
    /// The row of each cell, `u32`; `None` where cell i has row i.
    pub row_of: Option<Vec<u8>>,
    /// Rows of bits, in whole `u64`.
    pub pvs: Vec<u8>,
    /// Bits a distance.
    pub bits: DistanceBits,
    /// Rows of distances, in whole bytes.
    pub distances: Vec<u8>,
    /// Greatest distance of two cells that are not unreachable.
    pub greatest: u32,
    /// Ordered pairs of different cells by distance: first those one step apart.
    pub pairs_by_distance: Vec<u64>,
    /// Ordered pairs that no chain of visible steps joins.
    pub unreachable_pairs: u64,
    /// Parts of the level between which nobody sees anybody.
    pub components: u64,
    /// Cells of the largest of them.
    pub largest_component: u64,
}

/// What the sections of a bundle should be, by the rows of its PVS alone. `pvs` are rows in whole
/// `u64`, `row_of` the row of each cell; every cell must see itself.
pub fn recompute(cells: u32, row_of: &[u32], pvs: &[u8]) -> CellRows {
    let cells = cells as usize;
    let stride = cells.div_ceil(64);
    let (words, _) = pvs.as_chunks::<8>();
    let rows = row_of.iter().flat_map(|&row| {
        let row = row as usize * stride;
        words[row..row + stride].iter()
    });
    let words = rows.map(|word| u64::from_le_bytes(*word)).collect();
    encode_rows(&Epvs::from_words(cells, words))
}

/// Encodes distances, and the PVS that they are of: all pairs not further apart than one step.
pub fn encode_rows(epvs: &Epvs) -> CellRows {
    let cells = epvs.cells();
    let rows = epvs.first_cells().len();
    let greatest = epvs.greatest();
    let bits = DistanceBits::for_greatest(greatest);
    let unreachable = bits.unreachable() as u16;
    let row_len = bits.row_len(cells as u32);
    let mut distances = Vec::with_capacity(rows * row_len);
    let mut pvs = Vec::with_capacity(rows * cells.div_ceil(64) * 8);
    for row in 0..rows {
        let row = epvs.row(row);
        pvs.extend(row.chunks(64).flat_map(|cells| {
            let bits = cells.iter().rev();
            bits.fold(0_u64, |word, &d| word << 1 | u64::from(d <= 1))
                .to_le_bytes()
        }));
        // `UNREACHABLE` is the greatest number, and so is each width's own code for it.
        match bits {
            DistanceBits::Four => distances.extend(row.chunks(2).map(|pair| {
                let code = |i: usize| pair.get(i).map_or(0, |&d| d.min(unreachable));
                (code(0) | code(1) << 4) as u8
            })),
            DistanceBits::Eight => {
                distances.extend(row.iter().map(|&d| d.min(unreachable) as u8));
            }
            DistanceBits::Sixteen => distances.extend(row.iter().flat_map(|d| d.to_le_bytes())),
        }
    }
    let (pairs, unreachable_pairs) = epvs.histogram();
    let sizes = epvs.component_sizes();
    let row_of = epvs.row_of().iter().flat_map(|row| row.to_le_bytes());
    CellRows {
        count: rows as u32,
        row_of: (rows < cells).then(|| row_of.collect()),
        pvs,
        bits,
        distances,
        greatest,
        pairs_by_distance: pairs.get(1..).unwrap_or(&[]).to_vec(),
        unreachable_pairs,
        components: sizes.len() as u64,
        largest_component: sizes.iter().copied().max().unwrap_or(0),
    }
}
