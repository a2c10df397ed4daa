//! The group of a block: how its 64 viewpoints see other blocks, and its bytes in a store.
//!
//! A record of a store is a *key*, the block and which of its targets are there, and a zstd frame
//! of the group: runs of blocks that are seen alike, and the nodes and leaves of the pairs that are
//! mixed ([`crate::compress::pairs`]).

use crate::compress::pairs::PairList;
use viewcell::format::Answer;
use wincode::{SchemaRead, SchemaWrite};

/// zstd level of the groups. Higher ones take longer than they save in writing.
const ZSTD_LEVEL: i32 = 1;

/// Which blocks a group covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SchemaRead, SchemaWrite)]
pub(crate) enum Targets {
    /// All blocks of the grid.
    All,
    /// The block itself, and those after it in Morton order: where sight is mutual, the groups of
    /// the blocks before it tell the rest.
    OwnAndLater,
}

impl Targets {
    /// Those that a bundle keeps, whose sight is mutual or not.
    pub(crate) fn of(mutual: bool) -> Self {
        if mutual { Self::OwnAndLater } else { Self::All }
    }
}

/// What a record begins with.
#[derive(Clone, Copy, Debug, SchemaRead, SchemaWrite)]
pub(crate) struct Key {
    /// Number of the block in Morton order.
    pub block: u32,
    /// Which of its targets are there.
    pub targets: Targets,
    /// Length of the group's bytes, which follow as a zstd frame.
    length: u32,
}

/// A group's bytes, before they are compressed.
#[derive(SchemaRead, SchemaWrite)]
struct Flat {
    /// The sight of a run of blocks in the two lowest bits, and above them how many there are.
    runs: Vec<u32>,
    nodes: Vec<u32>,
    leaves: Vec<u16>,
}

/// Bytes that lists of so many blocks may have: a length each, and for each block a run, 17 nodes
/// and 256 leaves.
fn most_bytes(blocks: usize) -> usize {
    3 * 8 + blocks * (4 + 17 * 4 + 256 * 2)
}

/// The record of a group that covers some blocks, by how each of them is seen, in order.
pub(crate) fn encode_told(
    number: usize,
    targets: Targets,
    sights: impl Iterator<Item = Answer>,
    pairs: &PairList,
) -> std::io::Result<Vec<u8>> {
    let mut runs: Vec<u32> = Vec::new();
    for sight in sights {
        let sight = sight as u32;
        match runs.last_mut() {
            Some(run) if *run & 3 == sight => *run += 4,
            _ => runs.push(4 | sight),
        }
    }
    let flat = Flat {
        runs,
        nodes: pairs.nodes.clone(),
        leaves: pairs.leaves.clone(),
    };
    let other = std::io::Error::other::<wincode::WriteError>;
    let bytes = wincode::config::serialize(&flat, limits()).map_err(other)?;
    let key = Key {
        block: number as u32,
        targets,
        length: bytes.len() as u32,
    };
    let mut payload = wincode::serialize(&key).map_err(other)?;
    payload.extend(zstd::bulk::compress(&bytes, ZSTD_LEVEL)?);
    Ok(payload)
}

/// The pairs of a record whose group covers at most so many blocks; how each of these is seen is told to `tell`, in order,
/// until it has had enough. `None` where the record is not what [`encode_told`] makes.
pub(crate) fn decode_told(
    (key, frame): (Key, &[u8]),
    most: usize,
    tell: &mut dyn FnMut(Answer) -> Option<()>,
) -> Option<PairList> {
    let length = key.length as usize;
    // Asked first: a damaged length must not ask for all memory.
    if length > most_bytes(most) {
        return None;
    }
    let bytes = zstd::bulk::decompress(frame, length).ok()?;
    let flat: Flat = wincode::config::deserialize_exact(&bytes, limits()).ok()?;
    let mut mixed = 0;
    for run in flat.runs {
        let sight = match run & 3 {
            0 => Answer::Hidden,
            1 => Answer::Visible,
            2 => Answer::Mixed,
            _ => return None,
        };
        for _ in 0..run >> 2 {
            tell(sight)?;
            mixed += usize::from(sight == Answer::Mixed);
        }
    }
    PairList::of_parts(flat.nodes, flat.leaves, mixed)
}

impl Key {
    /// The key of a record, and what comes after it.
    pub(crate) fn split(mut payload: &[u8]) -> Option<(Self, &[u8])> {
        let key = wincode::deserialize_from(&mut payload).ok()?;
        Some((key, payload))
    }
}

/// Lists may take what the largest groups take: the default would be too little.
pub(super) fn limits() -> impl wincode::config::Config + Copy {
    wincode::config::Configuration::default().with_preallocation_size_limit::<{ 1 << 28 }>()
}
