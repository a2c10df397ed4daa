//! Quake III and Return to Castle Wolfenstein: IBSP of versions 46 and 47.

use super::brushes::{self, Brush, Lumps, name, run};
use crate::ingest::cells::lump::{Lump, Record};
use crate::ingest::error::IngestError;
use crate::world::solid::{Player, SolidLevel};

const SOLID: i32 = 1;
const PLAYER_CLIP: i32 = 0x1_0000;
const TRANSLUCENT: i32 = 0x2000_0000;

const SKY: i32 = 0x4;
const NO_DRAW: i32 = 0x80;
const NON_SOLID: i32 = 0x4000;
const ALPHA_SHADOW: i32 = 0x1_0000;

/// A shader, as far as sight and players go.
struct Shader {
    contents: i32,
    /// A side of it is not drawn, or lets something through.
    seen_through: bool,
}

impl Shader {
    fn of(record: Record) -> Self {
        let (flags, contents) = (record.i32(64), record.i32(68));
        // Caulk is not drawn where nobody looks: behind curves, and on the outside.
        let caulk = name(&record.0[..64]).contains("caulk");
        Self {
            contents,
            seen_through: flags & (SKY | NON_SOLID | ALPHA_SHADOW) != 0
                || flags & NO_DRAW != 0 && !caulk
                || contents & TRANSLUCENT != 0,
        }
    }
}

/// Reads a level.
pub(super) fn read(
    file: Lump,
    format: &'static str,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    let shaders = lump(1, "shaders")?.records(72)?;
    let models = lump(7, "models")?.records(40)?;
    let stored = lump(8, "brushes")?.records(12)?;
    let sides = lump(9, "brush sides")?.records(8)?;
    let planes = lump(2, "planes")?.records(16)?;
    let world = models
        .get(0)
        .ok_or_else(|| models.lump.bad(0, "at least one model, the world", "none"))?;
    let of_world = run(
        &stored,
        &models.lump,
        32,
        [world.i32(32), world.i32(36)],
        "brushes",
    )?;
    let shaders_of: Vec<Shader> = shaders.iter().map(Shader::of).collect();
    let shader = |lump: &Lump, at, number: i32| {
        let found = usize::try_from(number)
            .ok()
            .and_then(|number| shaders_of.get(number));
        found.ok_or_else(|| {
            lump.bad(
                at,
                format!("a shader below {}", shaders_of.len()),
                number.to_string(),
            )
        })
    };
    let sides_of: Vec<Record> = sides.iter().collect();
    let mut found = Vec::new();
    for (number, brush) in stored
        .iter()
        .enumerate()
        .skip(of_world.start)
        .take(of_world.len())
    {
        let at = stored.at(number);
        let range = run(
            &sides,
            &stored.lump,
            at,
            [brush.i32(0), brush.i32(4)],
            "sides",
        )?;
        let contents = shader(&stored.lump, at + 8, brush.i32(8))?.contents;
        let mut seen_through = contents & TRANSLUCENT != 0;
        for i in range.clone() {
            seen_through |= shader(&sides.lump, sides.at(i) + 4, sides_of[i].i32(4))?.seen_through;
        }
        let opaque = contents & SOLID != 0 && !seen_through;
        let stops = contents & (SOLID | PLAYER_CLIP) != 0;
        if opaque || stops {
            found.push((
                number,
                Brush {
                    sides: range,
                    opaque,
                    stops,
                },
            ));
        }
    }
    let entities = lump(0, "entities")?;
    // A plane that is none stays none.
    let side = |side: Record| usize::try_from(side.i32(0)).unwrap_or(usize::MAX);
    let lumps = Lumps {
        entities,
        planes,
        sides,
    };
    brushes::level(format, Player::QUAKE3, lumps, side, &found, notes)
}
