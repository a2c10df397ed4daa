//! What of a group or a tree differs from that of a bundle: the pieces of a patch
//! ([`viewcell::format::layers`]).

use viewcell::format::bytes::write_varint;
use viewcell::format::layers::{OWN, WHOLE};
use viewcell::format::morton::comes_before;
use viewcell::format::pairs::Group;
use viewcell::format::{Leaf, Tree};

/// A piece of the bundle, and where it begins.
#[derive(Clone, Copy, Debug)]
pub struct Base<T> {
    /// What it is.
    pub piece: T,
    /// Where it begins in its section.
    pub at: u64,
}

/// Where records or literals are, as they are gathered in order.
#[derive(Default)]
struct Runs {
    bytes: Vec<u8>,
    count: u32,
    /// How many there were so far.
    length: u32,
    /// Where the next one would have to be to belong to the last run.
    next: Option<u32>,
}

impl Runs {
    /// Appends the next record or literal, which is at `at`, and after which `step` is where one would
    /// be that is in the same run.
    fn push(&mut self, at: u32, step: Option<u32>) {
        if self.next != Some(at) {
            self.bytes.extend(self.length.to_le_bytes());
            self.bytes.extend(at.to_le_bytes());
            self.count += 1;
        }
        self.length += 1;
        self.next = step;
    }
}

/// Finds blocks of one tree, which come in Morton order, among those of another.
struct Places<I: Iterator<Item = (u32, u32)>> {
    blocks: std::iter::Peekable<std::iter::Enumerate<I>>,
}

impl<I: Iterator<Item = (u32, u32)>> Places<I> {
    fn new(blocks: I) -> Self {
        Self {
            blocks: blocks.enumerate().peekable(),
        }
    }

    /// The number of a block; `None` where it is not there. Blocks are to be asked for in order.
    fn find(&mut self, block: (u32, u32)) -> Option<usize> {
        while (self.blocks)
            .next_if(|&(_, other)| comes_before(other, block))
            .is_some()
        {}
        let (number, _) = self.blocks.next_if(|&(_, other)| other == block)?;
        Some(number)
    }
}

/// The unknown blocks of a tree, in the order of its literals, with those outside the grid.
fn unknown(tree: Tree<'_>) -> impl Iterator<Item = (u32, u32)> {
    tree.leaves().filter_map(|leaf| match leaf {
        Leaf::Block(quad, _) => Some((quad.column, quad.row)),
        _ => None,
    })
}

/// Appends what differs between a group and that of the bundle, or the whole of it if that is less. A
/// group is given by what it is and its bytes; both are in the same codes.
pub fn group_over(base: Option<Base<Group>>, new: &Group, whole: &[u8], out: &mut Vec<u8>) {
    let over = base.and_then(|base| group_runs(&base, new).map(|found| (base, found)));
    let Some((base, (runs, own))) = over else {
        return put_whole(whole, out);
    };
    let (table, records) = new.parts();
    let head = whole.len() - table.len() - records.len();
    let same = is_same(&base.piece.skeleton(), &new.skeleton());
    put(base.at, &runs, (!same).then_some(head), &own, whole, out);
}

/// Where each record of a group is, and those that are not the bundle's. `None` where there is no way to
/// say it.
fn group_runs(base: &Base<Group>, new: &Group) -> Option<(Runs, Vec<u8>)> {
    let mut places = Places::new(unknown(base.piece.skeleton()).skip(base.piece.elsewhere()));
    let (mut runs, mut own) = (Runs::default(), Vec::new());
    let targets = unknown(new.skeleton()).skip(new.elsewhere());
    for (number, target) in (0..new.records()).zip(targets) {
        let record = new.record_bytes(number);
        let found = places.find(target);
        match found.filter(|&place| base.piece.record_bytes(place) == record) {
            Some(place) => runs.push(fits(place)?, fits(place + 1)),
            None => {
                runs.push(fits(own.len())? | OWN, None);
                own.extend_from_slice(record);
            }
        }
    }
    (runs.length as usize == new.records() && runs.length > 0).then_some((runs, own))
}

/// Appends what differs between a tree and that of the bundle, or the whole of it if that is less.
pub fn tree_over(base: Option<Base<Tree>>, new: &Tree, whole: &[u8], out: &mut Vec<u8>) {
    let over = base.and_then(|base| tree_runs(&base, new).map(|found| (base, found)));
    let Some((base, (runs, own))) = over else {
        return put_whole(whole, out);
    };
    let head = whole.len() - 8 * runs.length as usize;
    let same = is_same(&base.piece, new);
    put(base.at, &runs, (!same).then_some(head), &own, whole, out);
}

fn tree_runs(base: &Base<Tree>, new: &Tree) -> Option<(Runs, Vec<u8>)> {
    let mut places = Places::new(unknown(base.piece));
    let (mut runs, mut own) = (Runs::default(), Vec::new());
    for (number, block) in unknown(*new).enumerate() {
        let literal = new.literals().get(number)?;
        let found = places.find(block);
        match found.filter(|&place| base.piece.literals().get(place) == Some(literal)) {
            Some(place) => runs.push(fits(place)?, fits(place + 1)),
            None => {
                let place = fits(own.len() / 8)?;
                runs.push(place | OWN, fits(place as usize + 1).map(|next| next | OWN));
                own.extend(literal.to_le_bytes());
            }
        }
    }
    (runs.length > 0).then_some((runs, own))
}

/// A place, if there is room for it beside [`OWN`].
fn fits(place: usize) -> Option<u32> {
    u32::try_from(place).ok().filter(|place| place & OWN == 0)
}

/// Whether two trees have the same nodes.
fn is_same(a: &Tree, b: &Tree) -> bool {
    a.root() == b.root() && a.nodes() == b.nodes()
}

fn put(base: u64, runs: &Runs, head: Option<usize>, own: &[u8], whole: &[u8], out: &mut Vec<u8>) {
    let head = head.map_or(&[0][..], |head| &whole[..head]);
    let (count, length) = write_varint(runs.count);
    if length + runs.bytes.len() + head.len() + own.len() >= whole.len() {
        return put_whole(whole, out);
    }
    out.extend(base.to_le_bytes());
    for bytes in [head, &count[..length], &runs.bytes, own] {
        out.extend_from_slice(bytes);
    }
}

fn put_whole(whole: &[u8], out: &mut Vec<u8>) {
    out.extend(WHOLE.to_le_bytes());
    out.extend_from_slice(whole);
}
