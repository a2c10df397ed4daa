//! Quake II and Source: IBSP38 and VBSP. The leaves of the world's tree say which brushes are the world's.

use super::Sky;
use super::brushes::{self, Brush, Lumps, World, run};
use super::contents::{self, Family, Hides, Side};
use super::drawn;
use crate::cells::header::check_source;
use crate::cells::lump::{Lump, Record, Records};
use crate::error::IngestError;
use crate::packs::name;
use crate::world::solid::{Face, Player, SolidLevel};

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

/// Reads a level of Quake II.
pub(super) fn quake2(
    file: Lump,
    sky: Sky,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let lump = |index, name| file.entry(8, 8, index, name);
    let textures: Vec<Side> = lump(5, "texinfo")?
        .records(76)?
        .iter()
        .map(|texture| contents::side(Family::Quake2, texture.i32(32) as u32, true))
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
        Ok(texture) => textures.get(texture).copied().unwrap_or(Side::Through),
        Err(_) => Side::Undrawn,
    };
    let models = parts.models;
    let drawn = || {
        let lumps = drawn::Lumps::quake2(&file)?;
        let Some(world) = models.get(0) else {
            return Ok(Vec::new());
        };
        let all = [world.i32(40), world.i32(44)];
        let run = run(&lumps.faces, &models.lump, 40, all, "faces")?;
        let faces = lumps.faces(run)?.into_iter();
        let opaque = faces.filter(|drawn| textures[drawn.texture] == Side::Drawn);
        Ok(opaque.map(|drawn| drawn.face).collect())
    };
    parts.level(Family::Quake2, sky, side, &drawn, notes)
}

/// Reads a level of Source.
pub(super) fn source(
    file: Lump,
    sky: Sky,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    check_source(&file)?;
    let lump = |index, name| file.entry(8, 16, index, name);
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
        .map(|texture| {
            // Valve's caulk; its other tools are there to be looked through.
            let caulk = named(texture.i32(68)).is_some_and(|name| name.ends_with("toolsnodraw"));
            contents::side(Family::Source, texture.i32(64) as u32, caulk)
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
        _ if side.i16(4) > 0 => Side::Through,
        Ok(texture) => textures.get(texture).copied().unwrap_or(Side::Through),
        Err(_) => Side::Undrawn,
    };
    parts.level(Family::Source, sky, side, &|| Ok(Vec::new()), notes)
}

impl Parts<'_> {
    /// The level of the world's brushes. `drawn` are the opaque faces that the format draws.
    fn level(
        &self,
        family: Family,
        sky: Sky,
        side: impl Fn(Record) -> Side,
        drawn: &dyn Fn() -> Result<Vec<Face>, IngestError>,
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
            let contents = brush.i32(8) as u32;
            let looks = &sides_of[range.clone()];
            found.extend(Brush::of(family, contents, looks, number, range));
        }
        let plane = |side: Record| usize::from(side.u16(0));
        let lumps = Lumps {
            entities: self.entities,
            planes: self.planes,
            sides: self.sides,
        };
        let by_sides = |brush: &Brush| matches!(brush.hides, Hides::Front | Hides::Sky);
        let (format, player) = match family {
            Family::Source => ("VBSP", Player::SOURCE),
            _ => ("IBSP38", Player::QUAKE2),
        };
        let world = World {
            format,
            player,
            drawn: if found.iter().any(by_sides) {
                drawn()?
            } else {
                Vec::new()
            },
            structural: &|_| true,
            sky,
        };
        brushes::level(&world, lumps, plane, &found, notes)
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
