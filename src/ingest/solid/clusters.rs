//! Quake II and Source: IBSP38 and VBSP. Which brushes are the world's the leaves of its tree tell.

use super::brushes::{self, Brush, Lumps, name, run};
use crate::ingest::cells::lump::{Lump, Record, Records};
use crate::ingest::error::IngestError;
use crate::world::solid::{Player, SolidLevel};

const SOLID: i32 = 1;
const WINDOW: i32 = 2;
const GRATE: i32 = 8;
const PLAYER_CLIP: i32 = 0x1_0000;
const TRANSLUCENT: i32 = 0x1000_0000;

/// Where the lumps of a format lie, and how its records look.
struct Parts<'a> {
    planes: Records<'a>,
    nodes: Records<'a>,
    /// Number of the first leaf brush (`u16`) and how many (`u16`) at `first_brush`.
    leaves: Records<'a>,
    first_brush: usize,
    leaf_brushes: Records<'a>,
    models: Records<'a>,
    brushes: Records<'a>,
    sides: Records<'a>,
    entities: Lump<'a>,
}

/// What a side is, as far as sight goes.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Drawn,
    NotDrawn,
    SeenThrough,
}

/// Reads a level of Quake II.
pub(super) fn quake2(file: Lump, notes: &mut Vec<String>) -> Result<SolidLevel, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    const SKY: i32 = 4;
    const TRANSPARENT: i32 = 0x10 | 0x20;
    const NO_DRAW: i32 = 0x80;
    let textures: Vec<Side> = lump(5, "texinfo")?
        .records(76)?
        .iter()
        .map(|texture| match texture.i32(32) {
            flags if flags & (SKY | TRANSPARENT) != 0 => Side::SeenThrough,
            flags if flags & NO_DRAW != 0 => Side::NotDrawn,
            _ => Side::Drawn,
        })
        .collect();
    let parts = Parts {
        planes: lump(1, "planes")?.records(20)?,
        nodes: lump(4, "nodes")?.records(28)?,
        leaves: lump(8, "leaves")?.records(28)?,
        first_brush: 24,
        leaf_brushes: lump(10, "leaf brushes")?.records(2)?,
        models: lump(13, "models")?.records(48)?,
        brushes: lump(14, "brushes")?.records(12)?,
        sides: lump(15, "brush sides")?.records(4)?,
        entities: lump(0, "entities")?,
    };
    // A side without a texture is one that the compiler added.
    let side = |side: Record| match usize::try_from(side.i16(2)) {
        Ok(texture) => textures.get(texture).copied().unwrap_or(Side::SeenThrough),
        Err(_) => Side::NotDrawn,
    };
    parts.level("IBSP38", SOLID, WINDOW | TRANSLUCENT, side, notes)
}

/// Reads a level of Source.
pub(super) fn source(file: Lump, notes: &mut Vec<String>) -> Result<SolidLevel, IngestError> {
    let lump = |index, name| {
        let lump = file.entry(8, 16, index, name)?;
        if lump.bytes.starts_with(b"LZMA") {
            let remedy = "unpack it with `bspzip -repack INPUT` (without -compress)";
            let error = IngestError::bad(
                format!("lump {name} as it is"),
                "one packed with LZMA",
                remedy,
            );
            return Err(error.at(lump.place(0)).unsupported());
        }
        Ok(lump)
    };
    const SKY: i32 = 2 | 4;
    const TRANSPARENT: i32 = 0x10;
    const NO_DRAW: i32 = 0x80;
    let version = file.i32(4)?;
    if !(17..=21).contains(&version) {
        let found = format!("version {version}");
        return Err(file.bad(4, "VBSP of version 17 to 21", found).unsupported());
    }
    // The name of a texture, by way of two tables.
    let (data, table, strings) = (
        lump(2, "texture data")?.records(32)?,
        lump(44, "table of texture names")?.records(4)?,
        lump(43, "texture names")?,
    );
    let named = |number: i32| {
        let name_at = usize::try_from(number)
            .ok()
            .and_then(|number| data.get(number))?
            .i32(12);
        let at = usize::try_from(name_at)
            .ok()
            .and_then(|at| table.get(at))?
            .i32(0);
        Some(name(strings.bytes.get(usize::try_from(at).ok()?..)?))
    };
    let textures: Vec<Side> = lump(6, "texinfo")?
        .records(72)?
        .iter()
        .map(|texture| match texture.i32(64) {
            flags if flags & (SKY | TRANSPARENT) != 0 => Side::SeenThrough,
            // Valve's caulk; its other tools are there to be looked through.
            flags if flags & NO_DRAW != 0 => match named(texture.i32(68)) {
                Some(name) if name.ends_with("toolsnodraw") => Side::NotDrawn,
                _ => Side::SeenThrough,
            },
            _ => Side::Drawn,
        })
        .collect();
    let leaf_version = file.i32(8 + 10 * 16 + 8)?;
    let parts = Parts {
        planes: lump(1, "planes")?.records(20)?,
        nodes: lump(5, "nodes")?.records(32)?,
        leaves: lump(10, "leaves")?.records(if leaf_version == 0 { 56 } else { 32 })?,
        first_brush: 24,
        leaf_brushes: lump(17, "leaf brushes")?.records(2)?,
        models: lump(14, "models")?.records(48)?,
        brushes: lump(18, "brushes")?.records(12)?,
        sides: lump(19, "brush sides")?.records(8)?,
        entities: lump(0, "entities")?,
    };
    // Of a displacement the brush under it is not there.
    let side = |side: Record| match usize::try_from(side.i16(2)) {
        _ if side.i16(4) > 0 => Side::SeenThrough,
        Ok(texture) => textures.get(texture).copied().unwrap_or(Side::SeenThrough),
        Err(_) => Side::NotDrawn,
    };
    parts.level(
        "VBSP",
        SOLID | WINDOW | GRATE,
        WINDOW | GRATE | TRANSLUCENT,
        side,
        notes,
    )
}

impl Parts<'_> {
    /// The level of the world's brushes: those with one of the contents `stopping` stop players, and hide
    /// if they are solid, none of `through`, and no side may be seen through.
    fn level(
        &self,
        format: &'static str,
        stopping: i32,
        through: i32,
        side: impl Fn(Record) -> Side,
        notes: &mut Vec<String>,
    ) -> Result<SolidLevel, IngestError> {
        let sides_of: Vec<Side> = self.sides.iter().map(side).collect();
        let of_world = self.of_world()?;
        let mut found = Vec::new();
        for (number, brush) in self.brushes.iter().enumerate() {
            if !of_world[number] {
                continue;
            }
            let at = self.brushes.at(number);
            let range = run(
                &self.sides,
                &self.brushes.lump,
                at,
                [brush.i32(0), brush.i32(4)],
                "sides",
            )?;
            let (contents, sides) = (brush.i32(8), &sides_of[range.clone()]);
            // What is not drawn at all is Source's caulk; in Quake II it is a wall of nothing.
            let drawn = format == "VBSP" || sides.contains(&Side::Drawn);
            let opaque = contents & SOLID != 0
                && contents & through == 0
                && !sides.contains(&Side::SeenThrough)
                && drawn;
            let stops = contents & (stopping | PLAYER_CLIP) != 0;
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
        let plane = |side: Record| usize::from(side.u16(0));
        let lumps = Lumps {
            entities: self.entities,
            planes: self.planes,
            sides: self.sides,
        };
        brushes::level(format, Player::QUAKE, lumps, plane, &found, notes)
    }

    /// For each brush, whether a leaf of the world's tree names it.
    fn of_world(&self) -> Result<Vec<bool>, IngestError> {
        let mut of_world = vec![false; self.brushes.len()];
        let world = self.models.get(0).ok_or_else(|| {
            self.models
                .lump
                .bad(0, "at least one model, the world", "none")
        })?;
        let (nodes, leaves): (Vec<Record>, Vec<Record>) =
            (self.nodes.iter().collect(), self.leaves.iter().collect());
        let listed: Vec<usize> = self
            .leaf_brushes
            .iter()
            .map(|one| usize::from(one.u16(0)))
            .collect();
        let mut met = vec![false; nodes.len()];
        let mut waiting = vec![world.i32(36)];
        while let Some(child) = waiting.pop() {
            if let Ok(node) = usize::try_from(child) {
                let lump = &self.nodes.lump;
                let expected = || format!("a node below {} that is met once", nodes.len());
                match nodes.get(node) {
                    Some(record) if !std::mem::replace(&mut met[node], true) => {
                        waiting.extend([record.i32(4), record.i32(8)]);
                    }
                    _ => return Err(lump.bad(0, expected(), node.to_string())),
                }
                continue;
            }
            let leaf = !child as usize;
            let record = leaves.get(leaf).ok_or_else(|| {
                self.nodes.lump.bad(
                    0,
                    format!("a leaf below {}", leaves.len()),
                    leaf.to_string(),
                )
            })?;
            let count =
                [self.first_brush, self.first_brush + 2].map(|at| i32::from(record.u16(at)));
            let range = run(
                &self.leaf_brushes,
                &self.leaves.lump,
                self.leaves.at(leaf),
                count,
                "leaf brushes",
            )?;
            for &brush in &listed[range] {
                *of_world.get_mut(brush).ok_or_else(|| {
                    let expected = format!("a brush below {}", self.brushes.len());
                    self.leaf_brushes.lump.bad(0, expected, brush.to_string())
                })? = true;
            }
        }
        Ok(of_world)
    }
}
