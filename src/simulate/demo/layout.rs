//! How long each message of a server is: to come to the next, whatever it says.

use super::DemoError;
use super::bytes::Bytes;

/// Extensions of the protocol that change how long messages are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Bytes of a coordinate.
    pub coordinate: usize,
    /// Bytes of a coordinate of a player or an entity.
    pub origin: usize,
    /// Bytes of an angle.
    angle: usize,
    /// Extensions by FTE, as bits.
    fte: u32,
}

/// Names of extensions, which go before their bits.
pub(super) const FTE: u32 = u32::from_le_bytes(*b"FTEX");
pub(super) const FTE2: u32 = u32::from_le_bytes(*b"FTE2");
pub(super) const MVD1: u32 = u32::from_le_bytes(*b"MVD1");

/// Bits of FTE.
const TRANSLUCENT: u32 = 1 << 3;
const FTE_FLOATS: u32 = 1 << 15;
const COLOURS: u32 = 1 << 19;
/// Bits of MVD1.
const MVD1_FLOATS: u32 = 1;

impl Layout {
    pub(super) fn new(fte: u32, mvd1: u32) -> Self {
        let floats = fte & FTE_FLOATS != 0;
        Self {
            coordinate: if floats { 4 } else { 2 },
            origin: if floats || mvd1 & MVD1_FLOATS != 0 {
                4
            } else {
                2
            },
            // Servers with great levels send finer angles, too.
            angle: if floats { 2 } else { 1 },
            fte,
        }
    }
}

/// Messages whose fields nobody here asks for. Those that `super` reads itself are not among them.
///
/// Passes by one; false if there is none of that kind.
pub(super) fn pass(kind: u8, bytes: &mut Bytes, layout: Layout) -> Result<bool, DemoError> {
    let (point, angles) = (3 * layout.coordinate, 3 * layout.angle);
    match kind {
        // Nothing; a monster killed, a secret found; the shop; small and big kicks.
        1 | 27 | 28 | 33 | 34 | 35 => {}
        // Pause, music, choked packets.
        24 | 32 | 44 => bytes.skip(1)?,
        // Small statistics, point of view, sounds that stop, muzzle flashes, loss.
        3 | 5 | 16 | 39 | 53 => bytes.skip(2)?,
        // Frags and pings.
        14 | 36 => bytes.skip(3)?,
        // Greatest speed and gravity.
        49 | 50 => bytes.skip(4)?,
        // Great statistics, and when somebody came.
        37 | 38 => bytes.skip(5)?,
        6 => sound(bytes, point)?,
        // Text for the console and for the middle of the screen.
        9 | 26 | 31 => bytes.text().map(|_| ())?,
        // The same with a byte before it: prints, and styles of light.
        8 | 12 => {
            bytes.skip(1)?;
            bytes.text()?;
        }
        // Whose angles are set.
        10 => bytes.skip(1 + angles)?,
        19 => bytes.skip(2 + point)?,
        20 => bytes.skip(4 + point + angles)?,
        22 => bytes.skip(6 + point + angles)?,
        // Baselines, written as changes of nothing.
        21 | 66 => {
            let bits = bytes.short()?;
            entity(bits, bytes, layout)?;
        }
        23 => effect(bytes, layout)?,
        29 => bytes.skip(point + 3)?,
        30 => bytes.skip(point + angles)?,
        41 => {
            let length = bytes.short()?.cast_signed();
            bytes.skip(1 + usize::try_from(length).unwrap_or(0))?;
        }
        43 => {
            let nails = bytes.byte()?;
            bytes.skip(6 * usize::from(nails))?;
        }
        54 => {
            let nails = bytes.byte()?;
            bytes.skip(7 * usize::from(nails))?;
        }
        46 => {
            bytes.skip(1)?;
            while !bytes.text()?.is_empty() {}
            bytes.skip(1)?;
        }
        47 => entities(bytes, layout)?,
        48 => {
            bytes.skip(1)?;
            entities(bytes, layout)?;
        }
        52 => {
            bytes.text()?;
            bytes.text()?;
        }
        // Voices.
        84 => {
            bytes.skip(3)?;
            let length = bytes.short()?;
            bytes.skip(length.into())?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn sound(bytes: &mut Bytes, point: usize) -> Result<(), DemoError> {
    let channel = bytes.short()?;
    let volume = usize::from(channel >> 15 & 1);
    let fading = usize::from(channel >> 14 & 1);
    bytes.skip(volume + fading + 1 + point)
}

/// Sparks, explosions and lightning.
fn effect(bytes: &mut Bytes, layout: Layout) -> Result<(), DemoError> {
    let (at, point) = (bytes.at(), 3 * layout.coordinate);
    match bytes.byte()? {
        0 | 1 | 3 | 4 | 7 | 8 | 10 | 11 | 13 => bytes.skip(point),
        2 | 12 => bytes.skip(1 + point),
        5 | 6 | 9 => bytes.skip(2 + 2 * point),
        other => Err(DemoError::at(
            at,
            format!("expected an effect of 0 to 13, found {other}"),
        )),
    }
}

/// Changes of entities, up to a word of zero.
fn entities(bytes: &mut Bytes, layout: Layout) -> Result<(), DemoError> {
    loop {
        match bytes.short()? {
            0 => return Ok(()),
            bits => entity(bits, bytes, layout)?,
        }
    }
}

/// What has changed of an entity. Nine bits are its number, the others say which fields follow.
fn entity(bits: u16, bytes: &mut Bytes, layout: Layout) -> Result<(), DemoError> {
    let has = |bit: u16| bits >> bit & 1 == 1;
    let more = if has(15) { bytes.byte()? } else { 0 };
    let has_more = |bit: u8| more >> bit & 1 == 1;
    let mut even_more = 0_u16;
    if has_more(7) && layout.fte != 0 {
        even_more = bytes.byte()?.into();
        if even_more >> 7 & 1 == 1 {
            even_more |= u16::from(bytes.byte()?) << 8;
        }
    }
    let has_even_more = |bit: u8| even_more >> bit & 1 == 1;
    // The entity is gone.
    if has(14) {
        return Ok(());
    }
    let fields = [
        // Model, by one byte or by two; frame, colours, skin, effects.
        (has_more(2), 1),
        (!has_more(2) && has_even_more(3), 2),
        (has(13), 1),
        (has_more(3), 1),
        (has_more(4), 1),
        (has_more(5), 1),
        // Coordinates and angles, by turns.
        (has(9), layout.origin),
        (has_more(0), layout.angle),
        (has(10), layout.origin),
        (has(12), layout.angle),
        (has(11), layout.origin),
        (has_more(1), layout.angle),
        // Size, how translucent, how fat, colours.
        (has_even_more(0), 1),
        (has_even_more(1) && layout.fte & TRANSLUCENT != 0, 1),
        (has_even_more(2), 1),
        (has_even_more(10) && layout.fte & COLOURS != 0, 3),
    ];
    let length = fields
        .iter()
        .filter(|(is_there, _)| *is_there)
        .map(|(_, length)| length);
    bytes.skip(length.sum())
}
