//! How ranks talk to each other, and what they send each other, in bytes.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::interest::matching::Kind;
use viewcell::interest::Bounds;

/// Messages between ranks.
pub trait Transport {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Sends each rank a message, itself too, and returns what each rank has sent to this one. All
    /// ranks call it the same number of times.
    ///
    /// # Errors
    ///
    /// [`Lost`] where a rank has ended.
    fn exchange(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost>;
}

impl<T: Transport> Transport for &mut T {
    fn rank(&self) -> usize {
        (**self).rank()
    }

    fn ranks(&self) -> usize {
        (**self).ranks()
    }

    fn exchange(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        (**self).exchange(messages)
    }
}

/// A rank has ended before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a message of rank {rank}, found that it has ended; start all ranks again")]
pub struct Lost {
    /// Which.
    pub rank: usize,
}

/// One end of ranks of one process.
#[derive(Debug)]
pub struct Local {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

/// The ends of so many ranks of one process, one for a thread each.
pub fn local(ranks: usize) -> Vec<Local> {
    let mut ends: Vec<Local> = (0..ranks)
        .map(|rank| Local {
            rank,
            to: Vec::new(),
            from: Vec::new(),
        })
        .collect();
    for from in 0..ranks {
        for to in 0..ranks {
            let (sender, receiver) = channel();
            ends[from].to.push(sender);
            ends[to].from.push(receiver);
        }
    }
    ends
}

impl Transport for Local {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn exchange(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        for (rank, (to, message)) in self.to.iter().zip(messages).enumerate() {
            to.send(message).map_err(|_| Lost { rank })?;
        }
        let messages = self.from.iter().enumerate();
        messages
            .map(|(rank, from)| from.recv().map_err(|_| Lost { rank }))
            .collect()
    }
}

/// A region, where it was when the last tick ended, and where it is; none where it was or is not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Its number.
    pub region: u32,
    /// What it is for.
    pub kind: Kind,
    /// Where it was.
    pub was: Option<Bounds>,
    /// Where it is.
    pub now: Option<Bounds>,
}

/// A change of a pair, and when it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The update region.
    pub update: u32,
    /// The subscription region.
    pub subscription: u32,
    /// Whether they began to overlap, or ceased to.
    pub began: bool,
    /// The share of the tick that had passed; 0 where nobody looks between ticks.
    pub instant: f64,
}

/// Reads what was written, from the first byte on.
#[derive(Debug)]
pub(super) struct Reader<'m>(pub &'m [u8]);

impl Reader<'_> {
    /// So many bytes; none where there are fewer.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn bounds(&mut self) -> Option<Bounds> {
        let mut corner = || {
            let mut corner = [0.0; 3];
            for place in &mut corner {
                *place = f32::from_le_bytes(self.take()?);
            }
            Some(corner)
        };
        Bounds::new(corner()?, corner()?).ok()
    }

    pub(super) fn moved(&mut self) -> Option<Moved> {
        let region = u32::from_le_bytes(self.take()?);
        let [what] = self.take()?;
        let kind = match what & 3 {
            0 => Kind::Update,
            1 => Kind::Subscription,
            _ => Kind::Both,
        };
        let was = if what & 4 != 0 {
            Some(self.bounds()?)
        } else {
            None
        };
        let now = if what & 8 != 0 {
            Some(self.bounds()?)
        } else {
            None
        };
        Some(Moved {
            region,
            kind,
            was,
            now,
        })
    }

    pub(super) fn change(&mut self) -> Option<Change> {
        Some(Change {
            update: u32::from_le_bytes(self.take()?),
            subscription: u32::from_le_bytes(self.take()?),
            began: self.take()? == [1],
            instant: f64::from_le_bytes(self.take()?),
        })
    }
}

pub(super) fn put_moved(message: &mut Vec<u8>, moved: &Moved) {
    message.extend(moved.region.to_le_bytes());
    let kind = match moved.kind {
        Kind::Update => 0,
        Kind::Subscription => 1,
        Kind::Both => 2,
    };
    let has = u8::from(moved.was.is_some()) << 2 | u8::from(moved.now.is_some()) << 3;
    message.push(kind | has);
    for bounds in [moved.was, moved.now].into_iter().flatten() {
        for corner in [bounds.min(), bounds.max()] {
            message.extend(corner.iter().flat_map(|x| x.to_le_bytes()));
        }
    }
}

pub(super) fn put_change(message: &mut Vec<u8>, change: &Change) {
    message.extend(change.update.to_le_bytes());
    message.extend(change.subscription.to_le_bytes());
    message.push(u8::from(change.began));
    message.extend(change.instant.to_le_bytes());
}
