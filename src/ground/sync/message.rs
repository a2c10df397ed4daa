//! What server and clients say to one another.

use crate::change::Version;
use crate::code::Cursor;
use crate::error::GroundError;
use crate::mesh::Mesh;
use crate::stamp::{Effect, Rule, Shape, Stamp};

/// Which part of the ground a client wants (Pennings, section 4.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Columns from and to.
    pub columns: [u32; 2],
    /// Rows from and to.
    pub rows: [u32; 2],
    /// How many slices below the lowest place of a patch's surface.
    pub depth: u32,
}

/// Why a reservation was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The client's nodes are not the server's: it has not heard of all changes.
    Stale,
    /// Somebody else holds one of the nodes.
    Locked,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A client: what it has, if anything, and what it wants, if not all.
    Hello {
        /// The version of its ground.
        version: Option<Version>,
        /// The part that it wants.
        reach: Option<Reach>,
    },
    /// A client: to be stamped by the server.
    Stamp {
        /// The client's number for it.
        ticket: u32,
        /// The stamp.
        stamp: Stamp,
    },
    /// A client: to reserve the nodes that a stamp affects.
    Reserve {
        /// The client's number for it.
        ticket: u32,
        /// The stamp.
        stamp: Stamp,
        /// Of the nodes that the client found.
        nodes: u64,
    },
    /// A client that holds a reservation, or the server: what was changed.
    Changes {
        /// The client's number for it; 0 for all others.
        ticket: u32,
        /// A change set's bytes.
        bytes: Vec<u8>,
    },
    /// The server: the ground, or the part that is wanted, as a file; for each patch the lowest slice that
    /// is told of, if there is a part.
    Ground {
        /// A ground file.
        file: Vec<u8>,
        /// The lowest slice of each patch; the greatest number for patches that are not told of. Empty
        /// where all is told.
        lowest: Vec<i32>,
    },
    /// The server: more slices of a patch.
    Slices {
        /// The patch.
        patch: u32,
        /// From now on, all from this one upwards are told of.
        lowest: i32,
        /// Their bytes, upwards from the lowest.
        trees: Vec<Vec<u8>>,
    },
    /// The server: a reservation is granted.
    Granted {
        /// The client's number for it.
        ticket: u32,
    },
    /// The server: a reservation is denied.
    Denied {
        /// The client's number for it.
        ticket: u32,
        /// Why.
        reason: Reason,
    },
    /// The server: a stamp changed nothing, or was refused.
    Nothing {
        /// The client's number for it.
        ticket: u32,
        /// Why; empty if there was nothing to change.
        why: String,
    },
    /// The server: the client's version is none that the ground ever had.
    Mistaken {
        /// What the client said.
        said: Version,
        /// The ground's version.
        found: Version,
    },
}

impl Message {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Hello { version, reach } => {
                out.extend([1, version.is_some().into(), reach.is_some().into()]);
                version
                    .iter()
                    .for_each(|version| put_version(&mut out, *version));
                if let Some(reach) = reach {
                    let [a, b] = reach.columns;
                    let [c, d] = reach.rows;
                    [a, b, c, d, reach.depth]
                        .iter()
                        .for_each(|n| out.extend(n.to_le_bytes()));
                }
            }
            Self::Stamp { ticket, stamp } => {
                out.push(2);
                out.extend(ticket.to_le_bytes());
                put_stamp(&mut out, stamp);
            }
            Self::Reserve {
                ticket,
                stamp,
                nodes,
            } => {
                out.push(3);
                out.extend(ticket.to_le_bytes());
                out.extend(nodes.to_le_bytes());
                put_stamp(&mut out, stamp);
            }
            Self::Changes { ticket, bytes } => {
                out.push(4);
                out.extend(ticket.to_le_bytes());
                put_bytes(&mut out, bytes);
            }
            Self::Ground { file, lowest } => {
                out.push(5);
                out.extend((lowest.len() as u32).to_le_bytes());
                lowest
                    .iter()
                    .for_each(|slice| out.extend(slice.to_le_bytes()));
                put_bytes(&mut out, file);
            }
            Self::Slices {
                patch,
                lowest,
                trees,
            } => {
                out.push(6);
                out.extend(patch.to_le_bytes());
                out.extend(lowest.to_le_bytes());
                out.extend((trees.len() as u32).to_le_bytes());
                trees.iter().for_each(|tree| put_bytes(&mut out, tree));
            }
            Self::Granted { ticket } => {
                out.push(7);
                out.extend(ticket.to_le_bytes());
            }
            Self::Denied { ticket, reason } => {
                out.push(8);
                out.extend(ticket.to_le_bytes());
                out.push((*reason == Reason::Locked).into());
            }
            Self::Nothing { ticket, why } => {
                out.push(9);
                out.extend(ticket.to_le_bytes());
                put_bytes(&mut out, why.as_bytes());
            }
            Self::Mistaken { said, found } => {
                out.push(10);
                put_version(&mut out, *said);
                put_version(&mut out, *found);
            }
        }
        out
    }

    /// Reads what [`Message::encode`] wrote.
    ///
    /// # Errors
    ///
    /// Bytes that are no message.
    pub fn decode(bytes: &[u8]) -> Result<Self, GroundError> {
        let mut cursor = Cursor(bytes);
        let message = read(&mut cursor).filter(|_| cursor.0.is_empty());
        message.ok_or_else(|| GroundError::damaged("message", "one that is known", "other bytes"))
    }
}

fn put_version(out: &mut Vec<u8>, version: Version) {
    version
        .parts()
        .iter()
        .for_each(|n| out.extend(n.to_le_bytes()));
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[f64]) {
    numbers
        .iter()
        .for_each(|number| out.extend(number.to_le_bytes()));
}

fn put_stamp(out: &mut Vec<u8>, stamp: &Stamp) {
    let (kind, from, to) = match stamp.effect {
        Effect::Dig => (0, 255, 0),
        Effect::Fill(with) => (1, 255, with),
        Effect::Replace { from, to } => (2, from.unwrap_or(255), to),
        Effect::Put(with) => (3, 255, with),
    };
    out.extend([kind, from, to]);
    let share = match stamp.rule {
        Rule::Halfway => 0.0,
        Rule::Share(share) => share,
    };
    put_numbers(out, &[share]);
    match &stamp.shape {
        Shape::Ellipsoid { at, radii } => {
            out.push(0);
            put_numbers(out, at);
            put_numbers(out, radii);
        }
        Shape::Cuboid { from, to } => {
            out.push(1);
            put_numbers(out, from);
            put_numbers(out, to);
        }
        Shape::Cylinder { at, radii, height } => {
            out.push(2);
            put_numbers(out, at);
            put_numbers(out, radii);
            put_numbers(out, &[*height]);
        }
        Shape::Mesh(mesh) => {
            out.push(3);
            out.extend((mesh.corners().len() as u32).to_le_bytes());
            out.extend((mesh.triangles().len() as u32).to_le_bytes());
            mesh.corners()
                .iter()
                .for_each(|corner| put_numbers(out, corner));
            let numbers = mesh.triangles().as_flattened();
            numbers
                .iter()
                .for_each(|number| out.extend(number.to_le_bytes()));
        }
    }
}

fn read(cursor: &mut Cursor<'_>) -> Option<Message> {
    Some(match cursor.u8()? {
        1 => {
            let (version, reach) = (cursor.u8()? != 0, cursor.u8()? != 0);
            Message::Hello {
                version: if version {
                    Some(take_version(cursor)?)
                } else {
                    None
                },
                reach: if reach {
                    Some(Reach {
                        columns: [cursor.u32()?, cursor.u32()?],
                        rows: [cursor.u32()?, cursor.u32()?],
                        depth: cursor.u32()?,
                    })
                } else {
                    None
                },
            }
        }
        2 => Message::Stamp {
            ticket: cursor.u32()?,
            stamp: take_stamp(cursor)?,
        },
        3 => {
            let (ticket, nodes) = (cursor.u32()?, cursor.u64()?);
            Message::Reserve {
                ticket,
                nodes,
                stamp: take_stamp(cursor)?,
            }
        }
        4 => Message::Changes {
            ticket: cursor.u32()?,
            bytes: take_bytes(cursor)?,
        },
        5 => {
            let count = cursor.u32()? as usize;
            let (lowest, _) = cursor.bytes(count.checked_mul(4)?)?.as_chunks::<4>();
            Message::Ground {
                lowest: lowest
                    .iter()
                    .map(|slice| i32::from_le_bytes(*slice))
                    .collect(),
                file: take_bytes(cursor)?,
            }
        }
        6 => {
            let (patch, lowest, count) = (cursor.u32()?, cursor.i32()?, cursor.u32()?);
            let trees = (0..count).map(|_| take_bytes(cursor));
            Message::Slices {
                patch,
                lowest,
                trees: trees.collect::<Option<_>>()?,
            }
        }
        7 => Message::Granted {
            ticket: cursor.u32()?,
        },
        8 => Message::Denied {
            ticket: cursor.u32()?,
            reason: match cursor.u8()? {
                0 => Reason::Stale,
                _ => Reason::Locked,
            },
        },
        9 => Message::Nothing {
            ticket: cursor.u32()?,
            why: String::from_utf8(take_bytes(cursor)?).ok()?,
        },
        10 => Message::Mistaken {
            said: take_version(cursor)?,
            found: take_version(cursor)?,
        },
        _ => return None,
    })
}

fn take_version(cursor: &mut Cursor<'_>) -> Option<Version> {
    Some(Version {
        number: cursor.u64()?,
        digest: cursor.u64()?,
    })
}

fn take_bytes(cursor: &mut Cursor<'_>) -> Option<Vec<u8>> {
    let length = cursor.u32()? as usize;
    Some(cursor.bytes(length)?.to_vec())
}

fn take_numbers<const N: usize>(cursor: &mut Cursor<'_>) -> Option<[f64; N]> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = cursor.f64()?;
    }
    Some(numbers)
}

fn take_stamp(cursor: &mut Cursor<'_>) -> Option<Stamp> {
    let (kind, from, to) = (cursor.u8()?, cursor.u8()?, cursor.u8()?);
    let effect = match kind {
        0 => Effect::Dig,
        1 => Effect::Fill(to),
        2 => Effect::Replace {
            from: (from != 255).then_some(from),
            to,
        },
        3 => Effect::Put(to),
        _ => return None,
    };
    let [share] = take_numbers(cursor)?;
    let rule = match share {
        0.0 => Rule::Halfway,
        share => Rule::Share(share),
    };
    let shape = match cursor.u8()? {
        0 => Shape::Ellipsoid {
            at: take_numbers(cursor)?,
            radii: take_numbers(cursor)?,
        },
        1 => Shape::Cuboid {
            from: take_numbers(cursor)?,
            to: take_numbers(cursor)?,
        },
        2 => Shape::Cylinder {
            at: take_numbers(cursor)?,
            radii: take_numbers(cursor)?,
            height: take_numbers::<1>(cursor)?[0],
        },
        3 => {
            let (corners, triangles) = (cursor.u32()? as usize, cursor.u32()? as usize);
            if corners > cursor.0.len() / 24 || triangles > cursor.0.len() / 12 {
                return None;
            }
            let corners = (0..corners).map(|_| take_numbers(cursor));
            let corners = corners.collect::<Option<Vec<[f64; 3]>>>()?;
            let triangle = |_| Some([cursor.u32()?, cursor.u32()?, cursor.u32()?]);
            let triangles = (0..triangles)
                .map(triangle)
                .collect::<Option<Vec<[u32; 3]>>>()?;
            Shape::Mesh(Mesh::new(corners, triangles).ok()?)
        }
        _ => return None,
    };
    Some(Stamp {
        shape,
        effect,
        rule,
    })
}
