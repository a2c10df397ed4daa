//! Demos of QuakeWorld that a server has recorded: multi-view demos (`.mvd`), where all players are.
//!
//! A demo is a row of messages. Each begins with the milliseconds since the one before and with whom it is told;
//! messages to all say, among much else, what has changed of each player. They are in the order in which the server
//! sent them, and nothing but a message's fields says how long it is: so all kinds that servers send are known here,
//! and a demo with any other is refused.
//!
//! What is read: who is a player and who looks on, where players are, where they look, who is
//! dead. What is told to some players only is passed by: where somebody is, is told to all.

mod bytes;
mod error;
mod layout;

use bytes::Bytes;
pub use error::DemoError;
use layout::{FTE, FTE2, Layout, MVD1, pass};

use super::trace::{Trace, TracePoint};

/// Players of a server.
const SLOTS: usize = 32;
/// The version of the protocol.
const PROTOCOL: u32 = 28;

/// What a demo tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Demo {
    /// The players' paths, in the order of their places on the server. Times are those since the demo
    /// began.
    pub trace: Trace,
    /// The file of the level, such as `maps/dm2.bsp`.
    pub level: String,
    /// Whether the server has closed the demo; else it is cut short between two messages.
    pub is_whole: bool,
}

/// Reads a demo.
///
/// # Errors
///
/// [`DemoError`] for a demo that ends within a message, of another protocol, with a message that
/// no server sends, with two levels, and with fewer than two players.
pub fn read(file: &[u8]) -> Result<Demo, DemoError> {
    let mut reader = Reader::default();
    let mut bytes = Bytes::of(file);
    let mut number = 0;
    while !bytes.is_empty() {
        number += 1;
        match reader.message(&mut bytes) {
            Ok(()) => {}
            // Whatever is behind the end is none of the demo's.
            Err(_) if reader.is_whole => break,
            Err(error) => return Err(error.in_message(number)),
        }
    }
    reader.finish(file.len())
}

/// What is known so far.
#[derive(Default)]
struct Reader {
    /// Since the demo began. [Unit: ms]
    now: u64,
    layout: Option<Layout>,
    level: String,
    slots: [Slot; SLOTS],
    is_whole: bool,
}

/// A place on the server.
#[derive(Default)]
struct Slot {
    at: [f64; 3],
    /// Pitch, yaw and roll, in 65,536ths of a turn.
    angles: [u16; 3],
    /// Whether it was told where the player is: before, nobody has come into the level.
    is_placed: bool,
    /// Whether whoever has the place looks on only.
    looks_on: bool,
    points: Vec<TracePoint>,
}

impl Reader {
    /// One message.
    fn message(&mut self, bytes: &mut Bytes) -> Result<(), DemoError> {
        self.now += u64::from(bytes.byte()?);
        let at = bytes.at();
        // The upper bits are the player that it is for.
        let told = bytes.byte()?;
        match told & 7 {
            // Numbers for the network.
            2 => bytes.skip(8),
            // To some players; those for nobody are hidden from old clients.
            3 => {
                bytes.skip(4)?;
                self.length(bytes).and_then(|length| bytes.skip(length))
            }
            // To one player.
            4 | 5 => self.length(bytes).and_then(|length| bytes.skip(length)),
            // To all.
            1 | 6 => {
                let length = self.length(bytes)?;
                let mut told = bytes.part(length)?;
                while !told.is_empty() {
                    self.told(&mut told)?;
                }
                Ok(())
            }
            other => Err(DemoError::at(
                at,
                format!(
                    "expected a message of a server's demo, 1 to 6, found {other}; is it a .mvd? \
                     Demos recorded by a player (.qwd, .dem) hold only whom that player saw"
                ),
            )),
        }
    }

    fn length(&self, bytes: &mut Bytes) -> Result<usize, DemoError> {
        bytes.long().map(|length| length as usize)
    }

    /// One thing of those that a message tells.
    fn told(&mut self, bytes: &mut Bytes) -> Result<(), DemoError> {
        let at = bytes.at();
        let kind = bytes.byte()?;
        match (kind, self.layout) {
            (11, _) => self.server(bytes),
            // The end, and a server that goes on to another level.
            (2, _) => {
                self.is_whole |= bytes.text()? == b"EndOfDemo";
                Ok(())
            }
            // To be read, a message must be of a protocol that is known.
            (_, None) => Err(DemoError::at(
                at,
                format!("expected the server's data (11) first, found {kind}; is it a .mvd?"),
            )),
            (40, _) => self.who(bytes),
            (51, _) => self.change_of_who(bytes),
            (42, Some(layout)) => self.player(bytes, layout),
            (45, _) => {
                let first = bytes.byte()?;
                self.models(bytes, first.into())
            }
            (60, _) => {
                let first = bytes.short()?;
                self.models(bytes, first)
            }
            (_, Some(layout)) => {
                if pass(kind, bytes, layout)? {
                    Ok(())
                } else {
                    Err(DemoError::at(
                        at,
                        format!("expected a server's message, numbered 1 to 84, found {kind}"),
                    ))
                }
            }
        }
    }

    /// The server's data: protocol, extensions, and how players move.
    fn server(&mut self, bytes: &mut Bytes) -> Result<(), DemoError> {
        let (mut fte, mut mvd1) = (0, 0);
        loop {
            let at = bytes.at();
            match bytes.long()? {
                PROTOCOL => break,
                FTE => fte = bytes.long()?,
                FTE2 => bytes.skip(4)?,
                MVD1 => mvd1 = bytes.long()?,
                other => {
                    return Err(DemoError::at(
                        at,
                        format!(
                            "expected protocol {PROTOCOL} of QuakeWorld and extensions FTEX, FTE2 and \
                             MVD1, found {other} ({other:#010x})"
                        ),
                    ));
                }
            }
        }
        bytes.skip(4)?;
        bytes.text()?;
        bytes.skip(4)?;
        bytes.text()?;
        bytes.skip(10 * 4)?;
        self.layout = Some(Layout::new(fte, mvd1));
        Ok(())
    }

    /// Names of models, of which the level is the first.
    fn models(&mut self, bytes: &mut Bytes, first: u16) -> Result<(), DemoError> {
        let at = bytes.at();
        let mut name = bytes.text()?;
        if first == 0 && !name.is_empty() {
            let level = String::from_utf8_lossy(name).into_owned();
            if !self.level.is_empty() && self.level != level {
                return Err(DemoError::at(
                    at,
                    format!(
                        "expected a demo of one level, found {} and {level}; cut it in two",
                        self.level
                    ),
                ));
            }
            self.level = level;
        }
        while !name.is_empty() {
            name = bytes.text()?;
        }
        bytes.skip(1)
    }

    /// Somebody on the server, by their place.
    fn slot(&mut self, bytes: &mut Bytes) -> Result<&mut Slot, DemoError> {
        let at = bytes.at();
        let slot = bytes.byte()?;
        self.slots.get_mut(usize::from(slot)).ok_or_else(|| {
            DemoError::at(
                at,
                format!("expected a player of 0 to {}, found {slot}", SLOTS - 1),
            )
        })
    }

    /// What somebody tells of themselves: pairs of words, a backslash before each.
    fn who(&mut self, bytes: &mut Bytes) -> Result<(), DemoError> {
        let slot = self.slot(bytes)?;
        bytes.skip(4)?;
        let mut words = bytes.text()?.split(|byte| *byte == b'\\').skip(1);
        slot.looks_on = false;
        while let (Some(key), Some(value)) = (words.next(), words.next()) {
            slot.looks_on |= key == b"*spectator" && !value.is_empty() && value != b"0";
        }
        Ok(())
    }

    fn change_of_who(&mut self, bytes: &mut Bytes) -> Result<(), DemoError> {
        let slot = self.slot(bytes)?;
        let (key, value) = (bytes.text()?, bytes.text()?);
        if key == b"*spectator" {
            slot.looks_on = !value.is_empty() && value != b"0";
        }
        Ok(())
    }

    /// What has changed of a player.
    fn player(&mut self, bytes: &mut Bytes, layout: Layout) -> Result<(), DemoError> {
        let now = self.now;
        let slot = self.slot(bytes)?;
        let flags = bytes.short()?;
        let has = |bit: usize| flags >> bit & 1 == 1;
        // The frame of the player's model.
        bytes.skip(1)?;
        for axis in 0..3 {
            if has(axis) {
                slot.at[axis] = bytes.coordinate(layout.origin)?;
                slot.is_placed = true;
            }
        }
        for axis in 0..3 {
            if has(3 + axis) {
                slot.angles[axis] = bytes.short()?;
            }
        }
        // Model, skin, effects, frame of the weapon.
        bytes.skip([11, 7, 6, 10].into_iter().filter(|bit| has(*bit)).count())?;
        if slot.looks_on || !slot.is_placed {
            return Ok(());
        }
        let turn = 360.0 / 65_536.0;
        let point = TracePoint {
            time: now,
            at: slot.at,
            view: [
                f64::from(slot.angles[0].cast_signed()) * turn,
                f64::from(slot.angles[1]) * turn,
            ],
            // Dead, or nothing but a head.
            dead: has(8) || has(9),
            eye: None,
        };
        match slot.points.last_mut() {
            Some(last) if last.time == now => *last = point,
            _ => slot.points.push(point),
        }
        Ok(())
    }

    fn finish(self, length: usize) -> Result<Demo, DemoError> {
        if self.layout.is_none() {
            return Err(DemoError::at(
                length,
                "expected a demo of a QuakeWorld server (.mvd), found the end before the server's data"
                    .into(),
            ));
        }
        let players = self.slots.into_iter().map(|slot| slot.points);
        let players = players.filter(|points| !points.is_empty()).collect();
        let trace = Trace { players };
        trace
            .check()
            .map_err(|error| DemoError::at(length, error.what))?;
        Ok(Demo {
            trace,
            level: self.level,
            is_whole: self.is_whole,
        })
    }
}
