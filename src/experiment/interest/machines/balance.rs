//! Moving work from the rank that has most of it (thesis, algorithms 7 and 8).

use super::space::Space;

/// Who gets work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Nobody: subdivisions stay with their owners.
    None,
    /// The rank with the least work (algorithm 7).
    Node,
    /// The rank with the least work among those that own a subdivision beside the one that is given
    /// (algorithm 8).
    Neighbour,
}

impl Balance {
    /// What the rank with most work gives away, and to whom; at most one subdivision a tick. `crowds`
    /// says how many regions are in each subdivision, of this rank's own.
    pub fn choose(
        self,
        space: &Space,
        loads: &[u64],
        crowds: &[u32],
        threshold: f64,
    ) -> Option<(usize, usize)> {
        // Of those with as much, the first.
        let heaviest = (0..loads.len()).max_by_key(|&rank| (loads[rank], usize::MAX - rank))?;
        let lightest = (0..loads.len()).min_by_key(|&rank| (loads[rank], rank))?;
        let load = loads[heaviest] as f64;
        let differs = |rank: usize| load > 0.0 && (load - loads[rank] as f64) / load > threshold;
        let mut own: Vec<usize> = (0..space.count())
            .filter(|&at| space.owner(at) == heaviest)
            .collect();
        own.sort_by_key(|&at| (u32::MAX - crowds[at], at));
        match self {
            Self::None => None,
            Self::Node => {
                let first = *own.first()?;
                (own.len() > 1 && differs(lightest)).then_some((first, lightest))
            }
            Self::Neighbour => own.iter().find_map(|&at| {
                let beside = space.beside(at).map(|other| space.owner(other));
                let others = beside.filter(|&rank| rank != heaviest);
                let rank = others.min_by_key(|&rank| (loads[rank], rank))?;
                (own.len() > 1 && differs(rank)).then_some((at, rank))
            }),
        }
    }
}
