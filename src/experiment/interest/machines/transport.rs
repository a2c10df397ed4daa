//! How ranks talk to each other.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Which.
    pub rank: usize,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.rank;
        write!(
            f,
            "expected a message of rank {rank}, found that it has ended; start all ranks again"
        )
    }
}

impl std::error::Error for Lost {}

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
