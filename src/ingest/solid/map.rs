//! Quake's `.map`, of the kinds Standard, Valve 220 and Quake II: brushes as their author drew them.
//!
//! ```text
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 0 0 0 1 1
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) wall1 [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1
//! ( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) ( ( 0.03 0 0 ) ( 0 0.03 0 ) ) wall1 0 0 0
//! ( 0 0 1 -64 ) ( ( 0.03 0 0 ) ( 0 0.03 0 ) ) "wall1" 0 0 0
//! ```
//!
//! Three points of a side, clockwise seen from outside, and its texture; behind that Quake II and III have contents,
//! flags and a value. The third line is a brush primitive of NetRadiant (`brushDef`), the fourth one of Doom 3's
//! (`brushDef3`): a plane, outwards. Patches (`patchDef2`) hide nothing.
//!
//! A side is what its flags, the name of its texture and the script of its shader say: it hides only if none of them is
//! against it. Where there is a script it takes the place of the name.

use std::collections::{BTreeMap, BTreeSet};

use super::Sky;
use super::contents::{self, DETAIL, Family, Hides, Side as Look, sky_note};
use super::entities::{self, Brush, Entity, bad};
use super::keys::{Keyed, keyed};
use super::shaders::{Shader, Shaders, Surface, Told, surface};
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
    // Its compiler knows of no such class, and its game removes it.
    let has_detail = !matches!(game(&text).as_deref(), Some("quake 3" | "quake3"));
    let mut level = SolidLevel::new("Quake map", Units::Quake, Player::QUAKE);
    level.spawns = entities::spawns(&entities);
    let (mut flat, mut patches, mut skies, mut flags) = (Vec::new(), 0, [0, 0], false);
    let mut many = Vec::new();
    // Brushes by keys of their entities, with the first key and the line of the first brush.
    let mut by_keys: BTreeMap<Keyed, (usize, &str, usize)> = BTreeMap::new();
    let mut textures = BTreeSet::new();
    // Of brushes that one walks through, each with its number.
    let mut walked: Vec<(usize, Face)> = Vec::new();
    for entity in &entities {
        // What its compiler puts into the world; all else may move.
        let class = entity.class();
        let (detail, fence) = match class.as_str() {
            "worldspawn" | "func_group" => (false, false),
            "func_detail" | "func_detail_wall" if has_detail => (true, false),
            "func_detail_fence" if has_detail => (true, true),
            _ => continue,
        };
        let keyed = keyed(entity);
        if let (Some((key, keyed)), Some(first)) = (keyed, entity.brushes.first()) {
            let (count, ..) = by_keys.entry(keyed).or_insert((0, key, first.line));
            *count += entity.brushes.len();
        }
        let keyed = keyed.map(|(_, keyed)| keyed);
        if keyed == Some(Keyed::Gone) {
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
            let mut made = Made::of(&sides, scripts, detail, fence);
            made.keyed(keyed);
            textures.extend(sides.iter().map(|side| shader_of(&side.texture)));
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
    for (keyed, (count, key, line)) in by_keys {
        let what = match keyed {
            Keyed::Gone => "are left out",
            Keyed::Unseen => "hide nothing",
            Keyed::Walked => "stop nobody, and hide from their front",
        };
        notes.push(format!(
            "{count} brushes {what}, as keys of their entities say (the first: {key}, line {line})"
        ));
    }
    if patches > 0 {
        notes.push(format!("{patches} curved patches hide nothing"));
    }
    // Only levels of Quake II and III have flags, or patches, and only the latter have scripts.
    let may_have = patches > 0 || [Player::QUAKE3, Player::QUAKE2_OR_3].contains(&level.player);
    scripts.tell(textures.iter().map(String::as_str), may_have, notes);
    Ok(level)
}

/// The name of the shader of a texture.
fn shader_of(texture: &str) -> String {
    if texture.starts_with("textures/") {
        texture.to_owned()
    } else {
        format!("textures/{texture}")
    }
}

/// The game that the comment names which TrenchBroom writes, in lower case.
fn game(text: &str) -> Option<String> {
    let comments = text.lines().take_while(|line| {
        let line = line.trim_start_matches('\u{feff}').trim();
        line.is_empty() || line.starts_with("//") || line.starts_with(';')
    });
    let mut games = comments.filter_map(|line| line.trim().strip_prefix("// Game:"));
    games.next().map(|game| game.trim().to_ascii_lowercase())
}

/// The player of the game that a map is for: by its comment, else by what is in it.
fn player(text: &str, entities: &[Entity], flags: bool) -> Player {
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
    match game(text).as_deref() {
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
        let of = |look: Look, nothing: bool| Self {
            look,
            two_sided: false,
            non_solid: false,
            nothing,
            contents: 0,
        };
        let mut is = match scripts.told(&shader_of(&side.texture), &side.texture) {
            Told::Script(script) => Self::of_script(script, side.texture.ends_with("caulk")),
            Told::Name(named) => of(named.side, named.nothing),
            Told::Lost => of(Look::Through, false),
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
        let has = |what: Surface| {
            let says = |param: &String| surface(param) == Some(what);
            script.params.iter().any(says)
        };
        // A value that is not known may be one by which it is not drawn.
        let unknown = script.params.iter().any(|param| surface(param).is_none());
        let look = if has(Surface::Sky) {
            Look::Sky
        } else if has(Surface::Undrawn) && caulk {
            Look::Undrawn
        } else if script.seen_through || has(Surface::Undrawn) || unknown {
            Look::Through
        } else {
            Look::Drawn
        };
        let marks = ["hint", "skip"];
        let mark = script
            .params
            .iter()
            .any(|param| marks.contains(&param.as_str()));
        let clip = has(Surface::Clip);
        Self {
            look,
            two_sided: script.two_sided,
            non_solid: has(Surface::NonSolid),
            nothing: !clip && (has(Surface::NoWall) || mark),
            contents: if clip { 0x1_0000 } else { 0 }
                | if has(Surface::Detail) { DETAIL } else { 0 },
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

    /// The same in an entity whose keys say that it is otherwise.
    fn keyed(&mut self, keyed: Option<Keyed>) {
        match keyed {
            None => {}
            Some(Keyed::Walked) => {
                if self.hides != Hides::Nothing {
                    self.hides = Hides::Front;
                }
                (self.stops, self.non_solid) = (false, true);
            }
            Some(Keyed::Unseen) => self.hides = Hides::Nothing,
            Some(Keyed::Gone) => (self.hides, self.stops) = (Hides::Nothing, false),
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

/// How a brush writes its sides.
#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    /// Three points, and the texture.
    Plain,
    /// Three points, a matrix, and the texture.
    BrushDef,
    /// A plane, a matrix, and the texture.
    BrushDef3,
}

/// Words of a brush, and their lines.
type Tokens<'a> = [(&'a str, usize)];

/// The tokens of a brush between its innermost braces, and how they are written.
fn dialect<'a, 'b>(brush: &'b Brush<'a>) -> Result<(Dialect, &'b Tokens<'a>), IngestError> {
    let (dialect, rest) = match &*brush.tokens {
        [("brushDef", _), rest @ ..] => (Dialect::BrushDef, rest),
        [("brushDef3", _), rest @ ..] => (Dialect::BrushDef3, rest),
        plain => return Ok((Dialect::Plain, plain)),
    };
    match rest {
        [("{", _), inner @ .., ("}", _)] => Ok((dialect, inner)),
        _ => {
            let found = rest
                .first()
                .map_or("the end of the brush", |(word, _)| word);
            Err(bad(
                brush.line,
                "sides of a brush primitive in braces",
                found,
            ))
        }
    }
}

fn sides(brush: &Brush) -> Result<Vec<Side>, IngestError> {
    let (dialect, tokens) = dialect(brush)?;
    let mut sides = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let line = tokens[at].1;
        let word = |i: usize| {
            tokens
                .get(i)
                .map_or("the end of the brush", |(word, _)| *word)
        };
        let plane = if dialect == Dialect::BrushDef3 {
            let expected = "a plane, ( a b c d ), for every side";
            let [a, b, c, d] = numbers(&word, &mut at, line, expected)?;
            // What is no plane is told of as such.
            let length = dot([a, b, c], [a, b, c]).sqrt();
            Plane {
                normal: [a, b, c].map(|x| x / length),
                dist: -d / length,
            }
        } else {
            let expected = "three points, ( x y z ) each, for every side";
            let mut point = || numbers(&word, &mut at, line, expected);
            plane([point()?, point()?, point()?])
        };
        if dialect != Dialect::Plain {
            let expected = "a matrix of the texture, ( ( a b c ) ( d e f ) ), behind each side";
            if word(at) != "(" {
                return Err(bad(line, expected, word(at)));
            }
            at += 1;
            for _ in 0..2 {
                let [_, _, _] = numbers(&word, &mut at, line, expected)?;
            }
            if word(at) != ")" {
                return Err(bad(line, expected, word(at)));
            }
            at += 1;
        }
        // What belongs to the side reaches to the next one's first parenthesis.
        let rest = tokens[at.min(tokens.len())..].iter();
        let rest: Vec<&str> = rest
            .map(|(word, _)| *word)
            .take_while(|word| *word != "(")
            .collect();
        if rest.is_empty() {
            return Err(bad(line, "a texture behind the points of a side", word(at)));
        }
        // Texture, offsets, turn and scales; or two axes in brackets, turn and scales; then the flags.
        let flags = match dialect {
            Dialect::Plain if rest.get(1) == Some(&"[") => 16,
            Dialect::Plain => 6,
            Dialect::BrushDef | Dialect::BrushDef3 => 1,
        };
        // Contents, flags and a value; a number alone is Hexen II's.
        let flags = rest.get(flags..flags + 3).and_then(|words| {
            let number = |word: &str| word.parse::<i64>().ok().map(|number| number as u32);
            Some([number(words[0])?, number(words[1])?])
        });
        sides.push(Side {
            plane,
            texture: rest[0].to_ascii_lowercase().replace('\\', "/"),
            flags,
        });
        at += rest.len();
    }
    Ok(sides)
}

/// Numbers in parentheses.
fn numbers<'a, const N: usize>(
    word: &impl Fn(usize) -> &'a str,
    at: &mut usize,
    line: usize,
    expected: &str,
) -> Result<[f64; N], IngestError> {
    let first = *at;
    if word(first) != "(" || word(first + N + 1) != ")" {
        return Err(bad(line, expected, word(first)));
    }
    let mut numbers = [0.0; N];
    for (k, number) in numbers.iter_mut().enumerate() {
        let found = word(first + 1 + k);
        let finite = found.parse().ok().filter(|x: &f64| x.is_finite());
        *number = finite.ok_or_else(|| bad(line, "a finite coordinate", found))?;
    }
    *at = first + N + 2;
    Ok(numbers)
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
