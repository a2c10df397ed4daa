//! A client: it holds what the server tells it.

use std::collections::VecDeque;

use super::message::{Message, Reach, Reason};
use crate::change::ChangeSet;
use crate::code::decode_tree;
use crate::error::GroundError;
use crate::file::GroundFile;
use crate::layered::Layered;
use crate::patches::Patches;
use crate::path::NodeName;
use crate::stamp::Stamp;

/// Who finds out what a stamp changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The server (Pennings, section 5.2).
    ServerSide,
    /// The client, who reserves the nodes first, and when it is denied asks again after so many
    /// milliseconds: t_wait (section 5.3).
    ClientSide {
        /// t_wait.
        wait: u64,
    },
}

/// A client without a network: messages go in, messages come out.
#[derive(Debug)]
pub struct Client {
    manner: Manner,
    reach: Option<Reach>,
    ground: Option<Patches>,
    /// The lowest slice of each patch that was told of; empty if all is.
    lowest: Vec<i32>,
    stamps: VecDeque<Stamp>,
    /// The number of the stamp that is under way.
    ticket: u32,
    state: State,
    out: Vec<Message>,
    /// What the server said that people should know.
    pub told: Vec<String>,
    /// How many reservations were asked for, and how many were denied because of others.
    pub attempts: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Waiting { until: u64 },
    Asked,
}

impl Client {
    /// A client that has nothing yet and wants a part of the ground, or all.
    pub fn new(manner: Manner, reach: Option<Reach>) -> Self {
        Self {
            manner,
            reach,
            ground: None,
            lowest: Vec::new(),
            stamps: VecDeque::new(),
            ticket: 0,
            state: State::Ready,
            out: Vec::new(),
            told: Vec::new(),
            attempts: [0; 2],
        }
    }

    /// The same client with ground from an earlier time.
    pub fn with_ground(mut self, ground: Patches) -> Self {
        self.ground = Some(ground);
        self
    }

    /// Says what it has. To be called when a connection begins.
    pub fn begin(&mut self) {
        let version = self.ground.as_ref().map(Layered::version);
        self.state = State::Ready;
        self.out.push(Message::Hello {
            version,
            reach: self.reach,
        });
    }

    /// The ground as far as it is known.
    pub fn ground(&self) -> Option<&Patches> {
        self.ground.as_ref()
    }

    /// The lowest slice of a patch that is known.
    pub fn lowest(&self, patch: usize) -> Option<i32> {
        self.lowest.get(patch).copied()
    }

    /// Does something, when what it did before is done.
    pub fn act(&mut self, stamp: Stamp) {
        self.stamps.push_back(stamp);
    }

    /// Whether all that it was to do is done.
    pub fn is_done(&self) -> bool {
        self.stamps.is_empty() && self.out.is_empty() && self.ground.is_some()
    }

    /// What is to be sent now.
    pub fn poll(&mut self, now: u64) -> Vec<Vec<u8>> {
        let due = match self.state {
            State::Ready => true,
            State::Waiting { until } => now >= until,
            State::Asked => false,
        };
        if due && let (Some(ground), Some(stamp)) = (&self.ground, self.stamps.front()) {
            self.ticket += 1;
            self.state = State::Asked;
            let (ticket, stamp) = (self.ticket, stamp.clone());
            self.out.push(match self.manner {
                Manner::ServerSide => Message::Stamp { ticket, stamp },
                Manner::ClientSide { .. } => {
                    self.attempts[0] += 1;
                    let reach = stamp.reach(ground.frame());
                    let nodes = reach.map(|(corner, size)| ground.affected(corner, size));
                    let nodes = digest_of(&nodes.unwrap_or_default());
                    Message::Reserve {
                        ticket,
                        stamp,
                        nodes,
                    }
                }
            });
        }
        self.out.drain(..).map(|message| message.encode()).collect()
    }

    /// Takes a message.
    ///
    /// # Errors
    ///
    /// One that does not fit what the server said before.
    pub fn receive(&mut self, now: u64, message: &[u8]) -> Result<(), GroundError> {
        match Message::decode(message)? {
            Message::Ground { file, lowest } => {
                self.ground = Some(GroundFile::open(&file)?.load()?);
                self.lowest = lowest;
            }
            Message::Slices {
                patch,
                lowest,
                trees,
            } => self.deeper(patch, lowest, &trees)?,
            Message::Changes { ticket, bytes } => {
                let (changes, _) = ChangeSet::decode(&bytes)?;
                if let Some(ground) = &mut self.ground {
                    ground.apply(&changes)?;
                }
                self.done(ticket);
            }
            Message::Granted { ticket } if ticket == self.ticket => self.make()?,
            Message::Denied { ticket, reason } if ticket == self.ticket => {
                self.attempts[1] += u64::from(reason == Reason::Locked);
                let Manner::ClientSide { wait } = self.manner else {
                    return Ok(());
                };
                self.state = State::Waiting { until: now + wait };
            }
            Message::Nothing { ticket, why } => {
                if !why.is_empty() {
                    self.told.push(why);
                }
                self.done(ticket);
            }
            Message::Mistaken { said, found } => {
                self.told.push(format!(
                    "the ground was never of version {} with digest {:016x}; it is of version {}: \
                     all of it is requested again",
                    said.number, said.digest, found.number
                ));
                self.ground = None;
                self.begin();
            }
            _ => {}
        }
        Ok(())
    }

    fn done(&mut self, ticket: u32) {
        if ticket != 0 && ticket == self.ticket && self.state == State::Asked {
            self.stamps.pop_front();
            self.state = State::Ready;
        }
    }

    /// Finds out what the stamp changes, for which the nodes are reserved.
    fn make(&mut self) -> Result<(), GroundError> {
        let (Some(ground), Some(stamp)) = (&self.ground, self.stamps.front()) else {
            return Ok(());
        };
        let cubes = stamp.cubes(ground.frame())?;
        let changes = ground.plan(&cubes, stamp.effect);
        self.out.push(Message::Changes {
            ticket: self.ticket,
            bytes: changes.encode(),
        });
        Ok(())
    }

    fn deeper(&mut self, patch: u32, lowest: i32, trees: &[Vec<u8>]) -> Result<(), GroundError> {
        let Some(ground) = &mut self.ground else {
            return Ok(());
        };
        let bad = || GroundError::damaged("slices", "those of a patch that is known", "others");
        let known = *self.lowest.get(patch as usize).ok_or_else(bad)?;
        if i64::from(lowest) + trees.len() as i64 != i64::from(known) {
            return Err(bad());
        }
        let level = ground.frame().patches()[patch as usize].level;
        let greatest = ground.frame().materials().len() as u8;
        let trees = trees
            .iter()
            .map(|bytes| decode_tree(bytes, level, greatest));
        let trees: Vec<_> = trees.collect::<Result<_, _>>()?;
        // From above, so that none but the last is at an end.
        for (slice, tree) in (lowest..known).zip(trees).rev() {
            ground.put_slice(patch as usize, slice, tree);
        }
        self.lowest[patch as usize] = lowest;
        Ok(())
    }
}

/// A digest of the nodes that a stamp affects: in place of all their names, which may take more bytes than
/// the changes.
pub(super) fn digest_of(nodes: &[NodeName]) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15u64;
    for (patch, slice, path) in nodes {
        for word in [
            u64::from(*patch) << 32 | u64::from(*slice as u32),
            path.bits() << 8 | u64::from(path.length()),
        ] {
            sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            sum ^= sum >> 32;
        }
    }
    sum
}
