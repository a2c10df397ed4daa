//! Frontier sets on a terrain that were made before: a set goes by two quads and by how it is made.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use viewcell::frontier::Side;
use viewcell::query::{Answer, Quad, TerrainBundle};

use super::half::{Halves, KeptHalf, Runs};
use crate::growth::{Growth, GrowthOptions, Order};

/// How a set on a terrain is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// In the order of Avni's thesis.
    Published,
    /// The same, and then the smaller half as large as can be.
    Tightened,
    /// As by default.
    Usual,
}

/// Which set: how it is made, the margin that is left out at its rim, and where it begins.
type Key = (Kind, u32, [Quad; 2]);

/// All sets that a scheme has asked for.
#[derive(Debug, Default)]
pub(super) struct Store<'a> {
    growth: Option<Growth<'a>>,
    made: HashMap<Key, Option<Arc<Halves>>, FxBuildHasher>,
    /// Pairs of quads of which one may see the other.
    seeing: HashSet<[Quad; 2], FxBuildHasher>,
    /// What they take. [Unit: bytes]
    bytes: usize,
}

/// The most memory that sets may take. [Unit: bytes]
const MOST_BYTES: usize = 1 << 28;
/// What an entry without a set takes. [Unit: bytes]
const SMALL: usize = 80;

impl<'a> Store<'a> {
    /// The set of two quads; none where one may see the other.
    pub(super) fn set(
        &mut self,
        terrain: &TerrainBundle<'a>,
        kind: Kind,
        margin: u32,
        quads: [Quad; 2],
    ) -> Option<Arc<Halves>> {
        if self.seeing.contains(&quads) {
            return None;
        }
        if let Some(made) = self.made.get(&(kind, margin, quads)) {
            return made.clone();
        }
        if !is_hidden(terrain, quads) {
            self.make_room(SMALL);
            self.seeing.insert(quads);
            return None;
        }
        let options = match kind {
            Kind::Usual => GrowthOptions::default(),
            Kind::Published | Kind::Tightened => GrowthOptions {
                order: Order::Fifo,
                tighten: kind == Kind::Tightened,
                ..GrowthOptions::default()
            },
        };
        let growth = self.growth.get_or_insert_with(|| Growth::new(terrain));
        growth.build_at(quads, &options);
        let set = (growth.area(Side::A) > 0).then(|| {
            let half = |side| Runs::new(terrain.grid(), &growth.core(side, margin));
            Arc::new(Side::BOTH.map(|side| KeptHalf::Samples(half(side))))
        });
        let bytes = |set: &Arc<Halves>| set.iter().map(KeptHalf::bytes).sum();
        self.make_room(160 + set.as_ref().map_or(0, bytes));
        self.made.insert((kind, margin, quads), set.clone());
        set
    }

    fn make_room(&mut self, more: usize) {
        if self.bytes + more > MOST_BYTES {
            // All at once: what comes next does not depend on which was asked for last.
            self.made.clear();
            self.seeing.clear();
            self.bytes = 0;
        }
        self.bytes += more;
    }
}

/// Whether nobody in one of two quads may see anybody in the other.
fn is_hidden(terrain: &TerrainBundle, [a, b]: [Quad; 2]) -> bool {
    let hidden = |a, b| terrain.visible_quads(a, b) == Answer::Hidden;
    if !terrain.parameters().mutual {
        return hidden(a, b) && hidden(b, a);
    }
    // Where nothing was lost both say the same. What a large quad sees is written down; of a small one
    // it is put together.
    if a.level < b.level && terrain.groups().is_some() && terrain.narrowing().is_none() {
        hidden(b, a)
    } else {
        hidden(a, b)
    }
}
