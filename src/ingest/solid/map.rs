//! Quake's `.map`, of the kinds Standard, Valve 220 and Quake II: brushes as their author drew them.
//!
//! ```text
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 0 0 0 1 1
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1
//! ```
//!
//! Three points of a side, clockwise seen from outside, and its texture; behind that Quake II and III have contents,
//! flags and a value. Patches (`patchDef2`) hide nothing; brushes of Doom 3 and `brushDef` are not read.
//!
//! A side is what its flags, the name of its texture and the script of its shader say: it hides only if none of them is
//! against it. Where there is a script it takes the place of the name.

use super::Sky;
use super::contents::{self, DETAIL, Family, Hides, Side as Look, sky_note};
use super::entities::{self, Brush, Entity, bad};
use super::shaders::{Shader, Shaders};
use crate::error::IngestError;
use crate::world::solid::{Aabb, Face, Player, Point, Solid, SolidError, SolidLevel, Units};
use viewcell::convex::{Plane, cross, dot, minus};

/// Contents that say what a side is of. Where a side has none of them its compiler takes it for solid.
const TOLD: u32 = 0x7f | 0x8000 | 0x3_0000 | 0x100_0000;
/// Translucent in Quake II, in Quake III.
const TRANSLUCENT: u32 = 0x1000_0000 | 0x2000_0000;
const NO_DRAW: u32 = 0x80;

/// What is read of a side.
struct Side {
    plane: Plane,
    texture: String,
    /// Contents and flags, if it has them.
    flags: Option<[u32; 2]>,
}

/// Whether a text looks like a map: an entity first.
pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    entities::begins(head.trim_start_matches('\u{feff}'))
}

/// Reads a map.
///
/// # Errors
///
/// What is no map, with its line.
pub(super) fn read(
    bytes: &[u8],
    scripts: &Shaders,
    sky: Sky,
    notes: &mut Vec<String>,
) -> Result<SolidLevel, IngestError> {
    let text = String::from_utf8_lossy(bytes);
    let mut entities = entities::parse(text.trim_start_matches('\u{feff}'))?;
    let omitted = entities::omitted(&entities);
    let mut keep = omitted.iter().map(|omitted| !omitted);
    entities.retain(|_| keep.next().unwrap_or(true));
    let count = omitted.iter().filter(|omitted| **omitted).count();
    if count > 0 {
        notes.push(format!(
            "{count} entities are in layers that are omitted from export: their brushes and spawn \
             points are left out"
        ));
    }
    let mut level = SolidLevel::new("Quake map", Units::Quake, Player::QUAKE);
    level.spawns = entities::spawns(&entities);
    let (mut flat, mut patches, mut skies, mut flags) = (Vec::new(), 0, [0, 0], false);
    let mut many = Vec::new();
    let mut omitted = 0;
    // Of brushes that one walks through, each with its number.
    let mut walked: Vec<(usize, Face)> = Vec::new();
    for entity in &entities {
        // What its compiler puts into the world; all else may move.
        let class = entity.class();
        let (detail, fence) = match class.as_str() {
            "worldspawn" | "func_group" => (false, false),
            "func_detail" | "func_detail_wall" => (true, false),
            "func_detail_fence" => (true, true),
            _ => continue,
        };
        // ericw-tools leaves these out.
        if class != "worldspawn" && entity.get("_omitbrushes").is_some_and(|value| value != "0") {
            omitted += entity.brushes.len();
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
            flags |= sides.iter().any(|side| side.flags.is_some());
            let solid = match Solid::from_planes(sides.iter().map(|side| side.plane)) {
                Ok(solid) => solid,
                Err(SolidError::Plane(i)) => {
                    let expected = "sides whose three points are not on a line";
                    return Err(bad(
                        brush.line,
                        expected,
                        &format!("others for side {i} of the brush"),
                    ));
                }
                Err(SolidError::Empty | SolidError::Open) => {
                    flat.push(brush.line);
                    continue;
                }
                Err(SolidError::Many) => {
                    many.push(brush.line);
                    continue;
                }
            };
            let made = Made::of(&sides, scripts, detail, fence);
            let mut hides = made.hides;
            if matches!(hides, Hides::Sky | Hides::Structural) {
                let mut whole = !made.detail;
                if hides == Hides::Sky {
                    skies[usize::from(made.detail)] += 1;
                    whole &= sky == Sky::Opaque;
                }
                hides = if whole { Hides::Whole } else { Hides::Front };
            }
            let drawn = sides.iter().zip(&made.sides);
            let drawn = drawn.filter(|(_, side)| side.look == Look::Drawn);
            let mut faces = drawn.filter_map(|(side, is)| face(&solid, &side.plane, is.two_sided));
            match hides {
                Hides::Whole => level.solids.push(solid.clone()),
                Hides::Front if made.non_solid => {
                    walked.extend(faces.by_ref().map(|face| (brush.line, face)));
                }
                Hides::Front => level.faces.extend(faces),
                Hides::Nothing | Hides::Structural | Hides::Sky => {}
            }
            if made.stops {
                level.obstacles.push(solid);
            }
        }
    }
    level.faces.extend(without_touching(walked));
    level.player = player(&text, &entities, flags);
    notes.extend(sky_note(sky, "brushes", skies[0], skies[1]));
    if let Some(line) = flat.first() {
        notes.push(format!(
            "{} brushes enclose no volume and hide nothing (the first begins on line {line})",
            flat.len()
        ));
    }
    if let Some(line) = many.first() {
        notes.push(format!(
            "{} brushes have more than {} sides and hide nothing (the first begins on line {line})",
            many.len(),
            Solid::MOST_PLANES
        ));
    }
    if omitted > 0 {
        notes.push(format!(
            "{omitted} brushes of entities with _omitbrushes are left out"
        ));
    }
    if patches > 0 {
        notes.push(format!("{patches} curved patches hide nothing"));
    }
    Ok(level)
}

/// The player of the game that a map is for: by the comment that TrenchBroom writes, else by what is in it.
fn player(text: &str, entities: &[Entity], flags: bool) -> Player {
    let comments = text.lines().take_while(|line| {
        let line = line.trim_start_matches('\u{feff}').trim();
        line.is_empty() || line.starts_with("//") || line.starts_with(';')
    });
    let game = comments
        .filter_map(|line| line.trim().strip_prefix("// Game:"))
        .map(|game| game.trim().to_ascii_lowercase())
        .next();
    let world = entities
        .iter()
        .find(|entity| entity.class() == "worldspawn");
    // Keys that only Half-Life's world has, and its textures.
    let half_life = world.is_some_and(|world| {
        let keys = ["maxrange", "waveheight", "skyname", "newunit", "startdark"];
        keys.iter().any(|key| world.get(key).is_some())
            || world
                .get("wad")
                .is_some_and(|wad| wad.to_ascii_lowercase().contains("halflife"))
    });
    match game.as_deref() {
        Some("quake" | "hexen 2") => Player::QUAKE,
        Some("quake 2" | "quake2") => Player::QUAKE2,
        Some("quake 3" | "quake3") => Player::QUAKE3,
        Some("half-life" | "halflife") => Player::HALF_LIFE,
        _ if half_life && !flags => Player::HALF_LIFE,
        _ if flags => Player::QUAKE2_OR_3,
        _ => Player::QUAKE,
    }
}

/// What a side is, of all that is known of it.
struct Is {
    look: Look,
    two_sided: bool,
    non_solid: bool,
    /// Its brush is no wall.
    nothing: bool,
    contents: u32,
}

impl Is {
    fn of(side: &Side, scripts: &Shaders) -> Self {
        let [contents, flags] = side.flags.unwrap_or_default();
        let by_flags = match contents & TRANSLUCENT {
            0 => contents::side(Family::Quake2, flags, true),
            _ => Look::Through,
        };
        let mut is = match scripts.get(&format!("textures/{}", side.texture)) {
            Some(script) => Self::of_script(script, side.texture.ends_with("caulk")),
            None => {
                let named = contents::named(&side.texture);
                Self {
                    look: named.side,
                    two_sided: false,
                    non_solid: false,
                    nothing: named.nothing,
                    contents: 0,
                }
            }
        };
        // The first of the two that says more than that it is drawn.
        let order = [Look::Through, Look::Sky, Look::Undrawn];
        let either = |look: &Look| *look == is.look || *look == by_flags;
        is.look = order.into_iter().find(either).unwrap_or(Look::Drawn);
        // Hints and what is skipped have no contents.
        is.nothing |= flags & 0x300 != 0;
        is.contents |= contents;
        if is.contents & TOLD == 0 && !is.non_solid {
            is.contents |= 1;
        }
        is
    }

    fn of_script(script: &Shader, caulk: bool) -> Self {
        let has = |param: &[&str]| {
            script
                .params
                .iter()
                .any(|found| param.contains(&found.as_str()))
        };
        let look = if has(&["sky"]) {
            Look::Sky
        } else if has(&["nodraw"]) && caulk {
            Look::Undrawn
        } else if script.seen_through || has(&["nodraw", "hint", "skip"]) {
            Look::Through
        } else {
            Look::Drawn
        };
        let clip = has(&["playerclip"]);
        Self {
            look,
            two_sided: script.two_sided,
            non_solid: has(&["nonsolid"]),
            nothing: !clip
                && has(&[
                    "lava",
                    "slime",
                    "water",
                    "fog",
                    "hint",
                    "skip",
                    "areaportal",
                    "clusterportal",
                    "donotenter",
                    "botclip",
                    "monsterclip",
                    "origin",
                    "trigger",
                ]),
            contents: if clip { 0x1_0000 } else { 0 } | if has(&["detail"]) { DETAIL } else { 0 },
        }
    }
}

/// What a brush is, by its sides.
struct Made {
    sides: Vec<Is>,
    hides: Hides,
    stops: bool,
    detail: bool,
    non_solid: bool,
}

impl Made {
    fn of(sides: &[Side], scripts: &Shaders, detail: bool, fence: bool) -> Self {
        let no_draw = |side: &Side| side.flags.is_some_and(|[_, flags]| flags & NO_DRAW != 0);
        // Caulk is a wall; what Quake II does not draw need be none.
        let family = if sides.iter().any(no_draw) {
            Family::Quake2
        } else {
            Family::Quake3
        };
        let sides: Vec<Is> = sides.iter().map(|side| Is::of(side, scripts)).collect();
        let mut contents = sides.iter().fold(0, |all, is| all | is.contents);
        if detail {
            contents |= DETAIL;
        }
        let looks: Vec<Look> = sides.iter().map(|is| is.look).collect();
        let nothing = sides.iter().any(|is| is.nothing);
        let non_solid = sides.iter().any(|is| is.non_solid);
        let through =
            contents::lets_through(Family::Quake2, contents) || looks.contains(&Look::Through);
        let hides = if nothing || fence || through {
            Hides::Nothing
        } else if non_solid {
            Hides::Front
        } else {
            contents::hides(family, contents, &looks)
        };
        Self {
            hides,
            stops: !nothing && !non_solid && contents::stops(Family::Quake2, contents),
            detail: contents & DETAIL != 0,
            non_solid,
            sides,
        }
    }
}

/// The face of a solid on a plane; none where another side has cut it off.
fn face(solid: &Solid, plane: &Plane, two_sided: bool) -> Option<Face> {
    let same = |other: &Plane| {
        dot(other.normal, plane.normal) > 1.0 - 1e-9 && (other.dist - plane.dist).abs() < 1e-6
    };
    let i = solid.planes.iter().position(same)?;
    let faces = Face::from_polygon(&solid.face(i), two_sided).ok()?;
    // A face of a solid is planar and convex.
    <[Face; 1]>::try_from(faces).ok().map(|[face]| face)
}

/// Of the faces of brushes that one walks through those that touch no other such brush from outside: where two of
/// them meet a compiler draws neither.
fn without_touching(faces: Vec<(usize, Face)>) -> Vec<Face> {
    let meets = |(brush, face): &(usize, Face), (other, against): &(usize, Face)| {
        brush != other
            && dot(face.plane.normal, against.plane.normal) < -0.999_9
            && (face.plane.dist + against.plane.dist).abs() < 0.1
            && Aabb::around(&face.vertices)
                .grown(0.1)
                .touches(&Aabb::around(&against.vertices))
    };
    let alone = faces
        .iter()
        .filter(|one| !faces.iter().any(|other| meets(one, other)));
    alone.map(|(_, face)| face.clone()).collect()
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
        // Contents, flags and a value; a number alone is Hexen II's.
        let flags = rest.get(flags..flags + 3).and_then(|words| {
            let number = |word: &str| word.parse::<i64>().ok().map(|number| number as u32);
            Some([number(words[0])?, number(words[1])?])
        });
        let plane = plane(points);
        sides.push(Side {
            plane,
            texture,
            flags,
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
