//! Quake's `.map`, of the kinds Standard and Valve 220: brushes as their author drew them.
//!
//! ```text
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 0 0 0 1 1
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1
//! ```
//!
//! Three points of a side, clockwise seen from outside, and its texture. Patches (`patchDef2`) hide nothing;
//! brushes of Doom 3 and `brushDef` are not read.

use super::entities::{self, Brush, bad};
use crate::ingest::error::IngestError;
use crate::world::plane::{Plane, cross, dot, minus};
use crate::world::solid::{Player, Point, Solid, SolidError, SolidLevel, Units};

/// Contents (third to last) of a side with flags, as Quake II and III write them.
const TRANSLUCENT: i64 = 0x1000_0000 | 0x2000_0000;

/// What is read of a side.
struct Side {
    plane: Plane,
    texture: String,
    contents: i64,
}

/// Whether a text looks like a map: an entity first.
pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let mut lines = head
        .lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim());
    let mut lines = lines
        .by_ref()
        .filter(|line| !line.is_empty() && !line.starts_with("//"));
    let opens = lines
        .next()
        .and_then(|line| line.strip_prefix('{').map(str::trim));
    let then = match opens {
        Some("") => lines.next(),
        other => other,
    };
    // JSON has a colon behind its first key.
    then.is_some_and(|line| {
        let quoted: Vec<&str> = line.split('"').collect();
        quoted.len() >= 5 && quoted[0].is_empty() && quoted[2].trim().is_empty()
    })
}

/// Reads a map.
///
/// # Errors
///
/// What is no map, with its line.
pub(super) fn read(bytes: &[u8], notes: &mut Vec<String>) -> Result<SolidLevel, IngestError> {
    let text = String::from_utf8_lossy(bytes);
    let entities = entities::parse(text.trim_start_matches('\u{feff}'))?;
    let mut level = SolidLevel::new("Quake map", Units::Quake, Player::QUAKE);
    level.spawns = entities::spawns(&entities);
    let (mut flat, mut patches) = (Vec::new(), 0);
    for entity in &entities {
        // What its compiler puts into the world; all else may move.
        let world = matches!(
            entity.class(),
            "worldspawn" | "func_group" | "func_detail" | "func_detail_wall"
        );
        if !world {
            continue;
        }
        for brush in &entity.brushes {
            if brush
                .tokens
                .iter()
                .any(|(token, _)| token.starts_with("patchDef"))
            {
                patches += 1;
                continue;
            }
            let sides = sides(brush)?;
            match Solid::from_planes(sides.iter().map(|side| side.plane)) {
                Ok(solid) => {
                    if is_opaque(&sides) {
                        level.solids.push(solid.clone());
                    }
                    if stops(&sides) {
                        level.obstacles.push(solid);
                    }
                }
                Err(SolidError::Plane(i)) => {
                    let expected = "sides whose three points are not on a line";
                    return Err(bad(
                        brush.line,
                        expected,
                        &format!("others for side {i} of the brush"),
                    ));
                }
                Err(SolidError::Empty | SolidError::Open) => flat.push(brush.line),
            }
        }
    }
    if let Some(line) = flat.first() {
        notes.push(format!(
            "{} brushes enclose no volume and hide nothing (the first begins on line {line})",
            flat.len()
        ));
    }
    if patches > 0 {
        notes.push(format!("{patches} curved patches hide nothing"));
    }
    Ok(level)
}

fn sides(brush: &Brush) -> Result<Vec<Side>, IngestError> {
    let tokens = &brush.tokens;
    let mut sides = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (mut points, line) = ([[0.0; 3]; 3], tokens[at].1);
        let word = |i: usize| {
            tokens
                .get(i)
                .map_or("the end of the brush", |(word, _)| *word)
        };
        for (i, point) in points.iter_mut().enumerate() {
            let first = at + 5 * i;
            if word(first) != "(" || word(first + 4) != ")" {
                return Err(bad(
                    line,
                    "three points, ( x y z ) each, for every side",
                    word(first),
                ));
            }
            for (k, coordinate) in point.iter_mut().enumerate() {
                let found = word(first + 1 + k);
                let number = found.parse().ok().filter(|x: &f64| x.is_finite());
                *coordinate = number.ok_or_else(|| bad(line, "a finite coordinate", found))?;
            }
        }
        let texture = word(at + 15).to_ascii_lowercase();
        // What belongs to the side reaches to the next one's first parenthesis.
        let rest = tokens[(at + 15).min(tokens.len())..].iter();
        let rest: Vec<&str> = rest
            .map(|(word, _)| *word)
            .take_while(|word| *word != "(")
            .collect();
        if rest.is_empty() {
            return Err(bad(
                line,
                "a texture behind the points of a side",
                word(at + 15),
            ));
        }
        // Texture, offsets, turn and scales; or two axes in brackets, turn and scales; then the flags.
        let flags = if rest.get(1) == Some(&"[") { 16 } else { 6 };
        let contents = rest
            .get(flags)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        let plane = plane(points);
        sides.push(Side {
            plane,
            texture,
            contents,
        });
        at += 15 + rest.len();
    }
    Ok(sides)
}

fn plane([a, b, c]: [Point; 3]) -> Plane {
    let normal = cross(minus(c, a), minus(b, a));
    let length = dot(normal, normal).sqrt();
    let normal = normal.map(|x| x / length);
    Plane {
        normal,
        dist: dot(normal, a),
    }
}

/// What a texture's name says of a side.
#[derive(PartialEq)]
enum Kind {
    Wall,
    /// Stops players, and may be seen through.
    Clear,
    /// Its brush is no wall: liquids, triggers, hints.
    Nothing,
}

fn kind(texture: &str) -> Kind {
    let name = texture.rsplit('/').next().unwrap_or(texture);
    let begins = |start: &[&str]| start.iter().any(|start| name.starts_with(start));
    // Quake's own textures have no path. Those of its successors say more by their names.
    let path = texture.contains('/');
    if begins(&["*", "!", "trigger", "aaatrigger", "hint", "origin"])
        || begins(&[
            "waterskip",
            "lavaskip",
            "slimeskip",
            "areaportal",
            "clusterportal",
        ])
        || path
            && begins(&[
                "lava",
                "water",
                "slime",
                "fog",
                "donotenter",
                "botclip",
                "monsterclip",
            ])
        || texture.contains("liquid")
    {
        Kind::Nothing
    } else if begins(&["sky", "clip", "{", "skip", "nodraw", "null", "bevel"])
        || texture.contains("skies/")
        || path && begins(&["window", "glass", "grate", "fence"])
        || texture.starts_with("common/") && name != "caulk"
        || texture.contains("/common/") && name != "caulk"
        || texture.contains("tools/") && name != "toolsnodraw"
    {
        Kind::Clear
    } else {
        Kind::Wall
    }
}

/// Opaque if every side is.
fn is_opaque(sides: &[Side]) -> bool {
    let through =
        |side: &Side| side.contents & TRANSLUCENT != 0 || kind(&side.texture) != Kind::Wall;
    !sides.iter().any(through)
}

fn stops(sides: &[Side]) -> bool {
    sides
        .iter()
        .all(|side| kind(&side.texture) != Kind::Nothing)
}
