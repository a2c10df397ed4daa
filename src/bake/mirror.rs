//! Who sees whom both ways, out of what tells each pair once.
//!
//! Where sight is mutual, blocks of viewpoints tell how they see themselves and the blocks after
//! them in Morton order. How they see those before follows from what these have told: the
//! [`Mirror`] is shown all blocks in order, and tells the rest of each. All blocks go on at once in
//! what they have told, a step for each block that is shown, so that nothing is searched.
//!
//! Memory: 8 bytes for each mixed pair of blocks that is still to come.

use std::vec::IntoIter;

use crate::compress::pairs::Sight;

/// What a block has told of those that are still to be shown.
struct Told {
    /// Runs of blocks that it sees alike, and how many there are.
    runs: IntoIter<(Sight, u32)>,
    run: (Sight, u32),
    /// For each mixed block which of its own viewpoints see some of it.
    seeing: IntoIter<u64>,
}

impl Told {
    /// How it sees the next block, and if that is mixed which of its viewpoints do.
    fn next(&mut self) -> (Sight, u64) {
        while self.run.1 == 0 {
            self.run = self.runs.next().unwrap_or((Sight::Hidden, u32::MAX));
        }
        self.run.1 -= 1;
        let seeing = match self.run.0 {
            Sight::Mixed => self.seeing.next().unwrap_or(!0),
            _ => 0,
        };
        (self.run.0, seeing)
    }
}

/// Is shown all blocks, and tells how they see those before them.
pub(super) struct Mirror {
    /// The blocks in Morton order, by their indices row by row.
    order: Vec<usize>,
    told: Vec<Told>,
}

impl Mirror {
    /// Has been shown none of the blocks, which are given in Morton order by their indices.
    pub fn new(order: Vec<usize>) -> Self {
        Self {
            order,
            told: Vec::new(),
        }
    }

    /// Takes how the next block sees itself and those after it, by index in `sights`, and puts in
    /// how it sees those before. `seeing` has, for each mixed block after it in order, which of
    /// its viewpoints see some of that; each mixed block before it is shown to `seen` with those
    /// of its samples that are seen.
    pub fn push(
        &mut self,
        sights: &mut [Sight],
        seeing: Vec<u64>,
        mut seen: impl FnMut(usize, u64),
    ) {
        let later = &self.order[self.told.len() + 1..];
        let mut runs: Vec<(Sight, u32)> = Vec::new();
        for &target in later {
            match runs.last_mut() {
                Some((last, count)) if *last == sights[target] => *count += 1,
                _ => runs.push((sights[target], 1)),
            }
        }
        for (told, &earlier) in self.told.iter_mut().zip(&self.order) {
            let (sight, seeing) = told.next();
            sights[earlier] = sight;
            if sight == Sight::Mixed {
                seen(earlier, seeing);
            }
        }
        self.told.push(Told {
            runs: runs.into_iter(),
            run: (Sight::Hidden, 0),
            seeing: seeing.into_iter(),
        });
    }
}
