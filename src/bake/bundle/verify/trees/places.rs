//! The rule on the index: where the trees are.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use crate::bundle::levels_writer::{next_quad, quads_from};
use crate::bundle::verify::container::Container;
use crate::bundle::verify::report::Faults;
use viewcell::format::bytes::MAX_VARINT_LEN;
use viewcell::format::{Grid, Quad, Tag};

/// Where the trees are.
pub(super) struct Places {
    pub grid: Grid,
    /// Level of the least quads that have trees.
    least: u32,
    /// Start of `TREE` in the file.
    pub start: u64,
    /// Length of `TREE`.
    length: u64,
    /// Start of `TIDX` in the file.
    index_start: u64,
    /// `TIDX`.
    pub offsets: Vec<u64>,
}

impl Places {
    pub(super) fn read(container: &Container, grid: Grid, least: u32) -> io::Result<Self> {
        let section = |tag| {
            container
                .section(tag)
                .map_or((0, 0), |s| (s.offset, s.length))
        };
        let (start, length) = section(Tag::TREE);
        let (index_start, index_length) = section(Tag::TIDX);
        let mut reader = BufReader::with_capacity(1 << 18, &container.file);
        reader.seek(SeekFrom::Start(index_start))?;
        let mut offsets = Vec::with_capacity((index_length / 8) as usize);
        for _ in 0..index_length / 8 {
            let mut bytes = [0; 8];
            reader.read_exact(&mut bytes)?;
            offsets.push(u64::from_le_bytes(bytes));
        }
        Ok(Self {
            grid,
            least,
            start,
            length,
            index_start,
            offsets,
        })
    }

    /// Offset of a quad's tree in `TREE`.
    pub(super) fn offset(&self, quad: Quad) -> u64 {
        let index = self.entry(quad);
        index.map_or(self.length, |index| self.offsets[index as usize])
    }

    /// Number of a quad's entry in `TIDX`.
    fn entry(&self, quad: Quad) -> Option<u64> {
        let index = self.grid.quad_index(quad)?;
        index.checked_sub(self.grid.first_index(self.least))
    }

    /// The quad whose tree comes after that of `quad`.
    pub(super) fn next(&self, quad: Quad) -> Option<Quad> {
        next_quad(self.grid, self.least, quad)
    }

    /// The quads that have trees, in bake order.
    pub(super) fn order(&self) -> impl Iterator<Item = Quad> + use<> {
        quads_from(self.grid, self.least)
    }

    /// Offset of the byte after a quad's tree in `TREE`.
    pub(super) fn end(&self, quad: Quad) -> u64 {
        let next = self.next(quad);
        next.map_or(self.length, |next| self.offset(next))
    }

    /// Greatest length in bytes of a tree of this grid.
    fn longest(&self) -> u64 {
        let nodes: u64 = (4..self.grid.levels())
            .map(|level| self.grid.quads_at(level))
            .map(|(columns, rows)| u64::from(columns) * u64::from(rows))
            .sum();
        MAX_VARINT_LEN as u64 + nodes + 8 * self.grid.blocks() as u64
    }
}

/// The words for a quad.
pub(super) fn name(quad: Quad) -> String {
    format!(
        "quad ({}, {}) of level {}",
        quad.column, quad.row, quad.level
    )
}

/// Checks [`super::INDEX`].
pub(super) fn index(places: &Places, faults: &mut Faults) -> io::Result<()> {
    let longest = places.longest();
    if places.offsets.first().is_some_and(|&first| first != 0) {
        let expected = "0, the first tree in bake order";
        let found = format!("{:?}", places.offsets.first());
        faults.add("entry 0 of TIDX", places.index_start, expected, found);
    }
    for quad in places.order() {
        let (offset, end) = (places.offset(quad), places.end(quad));
        if end <= offset || end > places.length || end - offset > longest {
            let next = places.next(quad);
            let entry = next.and_then(|next| places.entry(next));
            let at = entry.map(|entry| places.index_start + 8 * entry);
            let most = offset.saturating_add(longest).min(places.length);
            let expected = format!("{} to {most}", offset.saturating_add(1));
            faults.add(
                format!("end of the tree of {}", name(quad)),
                at,
                expected,
                end,
            );
            // What follows is measured from a wrong place.
            break;
        }
    }
    Ok(())
}
