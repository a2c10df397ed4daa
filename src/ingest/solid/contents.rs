//! Contents and surface flags: what hides, what stops players, for all families of formats in one table.
//!
//! What stops players is what they stand on. A brush hides if it is solid, nothing of its contents lets sight
//! through, and none of its sides does. Where the table has no entry, a bit says nothing.
//!
//! Sources: `qfiles.h` and `q_shared.h` of Quake II and `surfaceflags.h` of Quake III (id Software, GPL), `bspflags.h`
//! of the Source SDK, `bspfile.h` of Quake and of Half-Life; for bits that later compilers added, the manual of ericw-tools.

use super::Sky;

/// Families of formats with brushes, by their column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// IBSP38.
    Quake2 = 0,
    /// IBSP46, IBSP47.
    Quake3 = 1,
    /// VBSP.
    Source = 2,
}

/// What a kind of contents does to sight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// Hides what is behind it.
    Opaque,
    /// Lets it through, whatever else it is.
    Through,
    /// Says nothing.
    Silent,
}
use Sight::{Opaque, Silent, Through};

/// A kind of contents: its bit in each family (0: none), whether it stops players, and what it does to sight.
struct Content([u32; 3], bool, Sight);

/// Of brushes.
#[rustfmt::skip]
const CONTENTS: &[Content] = &[
    //        Quake II     Quake III    Source        stops   sight
    Content([0x1,          0x1,         0x1],         true,   Opaque),  // SOLID
    Content([0x2,          0,           0x2],         true,   Through), // WINDOW
    Content([0x4,          0,           0x4],         false,  Through), // AUX
    Content([0,            0,           0x8],         true,   Through), // GRATE
    Content([0x8,          0x8,         0],           false,  Through), // LAVA
    Content([0x10,         0x10,        0x10],        false,  Through), // SLIME
    Content([0x20,         0x20,        0x20],        false,  Through), // WATER
    Content([0x40,         0x40,        0],           false,  Through), // MIST, FOG
    Content([0,            0,           0x4000],      true,   Silent),  // MOVEABLE
    Content([0x8000,       0x8000,      0x8000],      false,  Through), // AREAPORTAL
    Content([0x1_0000,     0x1_0000,    0x1_0000],    true,   Silent),  // PLAYERCLIP
    Content([0x2_0000,     0x2_0000,    0x2_0000],    false,  Silent),  // MONSTERCLIP
    Content([0x100_0000,   0x100_0000,  0x100_0000],  false,  Through), // ORIGIN
    Content([0x1000_0000,  0x2000_0000, 0x1000_0000], false,  Through), // TRANSLUCENT
];

/// A brush that is put into the level after its compiler has found out who sees whom.
pub(super) const DETAIL: u32 = 0x800_0000;

/// What a side of a brush is to those who look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Drawn, and opaque.
    Drawn,
    /// Not drawn, since it is a wall where nobody looks.
    Undrawn,
    /// The sky.
    Sky,
    /// Not drawn, or seen through.
    Through,
}

/// A surface flag: its bit in each family (0: none), and what a side with it is.
struct Flag([u32; 3], Side);

/// Of sides. The first that a side has decides.
#[rustfmt::skip]
const FLAGS: &[Flag] = &[
    //     Quake II    Quake III  Source
    Flag([0x10,        0,         0x10],  Side::Through), // TRANS33, TRANS
    Flag([0x20,        0,         0],     Side::Through), // TRANS66
    Flag([0x200_0000,  0,         0],     Side::Through), // ALPHATEST
    Flag([0,           0x1_0000,  0],     Side::Through), // ALPHASHADOW
    Flag([0x8,         0,         0x8],   Side::Through), // WARP
    Flag([0x100,       0x100,     0x100], Side::Through), // HINT
    Flag([0x200,       0x200,     0x200], Side::Through), // SKIP
    Flag([0x4,         0x4,       0x6],   Side::Sky),     // SKY, SKY2D
    Flag([0x80,        0x80,      0x80],  Side::Undrawn), // NODRAW
];

/// One walks through it.
pub(super) const NON_SOLID: u32 = 0x4000;

/// How a brush hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hides {
    Nothing,
    /// All of it.
    Whole,
    /// Its drawn sides, from their front.
    Front,
    /// All of it if the level's compiler took it for a wall, else as its drawn sides.
    Structural,
    /// The same, of a brush of sky.
    Sky,
}

/// What a side with surface flags is; `caulk`: what is not drawn of it is a wall where nobody looks.
pub(super) fn side(family: Family, flags: u32, caulk: bool) -> Side {
    let found = FLAGS
        .iter()
        .find(|Flag(bits, _)| flags & bits[family as usize] != 0);
    match found {
        Some(Flag(_, Side::Undrawn)) if !caulk => Side::Through,
        Some(Flag(_, side)) => *side,
        None => Side::Drawn,
    }
}

/// Whether contents let sight through.
pub(super) fn lets_through(family: Family, contents: u32) -> bool {
    has(family, contents, |Content(_, _, sight)| *sight == Through)
}

/// Whether contents stop players.
pub(super) fn stops(family: Family, contents: u32) -> bool {
    has(family, contents, |Content(_, stops, _)| *stops)
}

fn has(family: Family, contents: u32, what: impl Fn(&Content) -> bool) -> bool {
    CONTENTS
        .iter()
        .any(|content| contents & content.0[family as usize] != 0 && what(content))
}

/// How a brush hides, by its contents and sides.
pub(super) fn hides(family: Family, contents: u32, sides: &[Side]) -> Hides {
    let solid = has(family, contents, |Content(_, _, sight)| *sight == Opaque);
    if !solid || lets_through(family, contents) || sides.contains(&Side::Through) {
        return Hides::Nothing;
    }
    let detail = contents & DETAIL != 0;
    if sides.contains(&Side::Sky) {
        return Hides::Sky;
    }
    match family {
        // In Quake II nothing that is not drawn has to be a wall, but one that the compiler took for one is.
        Family::Quake2 if !sides.contains(&Side::Drawn) => Hides::Nothing,
        Family::Quake2 if detail && sides.contains(&Side::Undrawn) => Hides::Front,
        // Through what is not drawn of a detail brush one sees what lies behind.
        _ if sides.contains(&Side::Undrawn) => Hides::Structural,
        _ => Hides::Whole,
    }
}

/// What a leaf of Quake or Half-Life does.
pub(super) struct Leaf {
    /// Hides, as far as its faces do not say otherwise.
    pub hides: bool,
    /// Stops players.
    pub stops: bool,
}

/// By its contents: -1 empty, -2 solid, -3 water, -4 slime, -5 lava, -6 sky; in Half-Life -7 origin, -8 clip, -9 to -14
/// currents, -15 translucent, -16 ladder.
pub(super) fn leaf(contents: i32) -> Leaf {
    let wall = matches!(contents, -2 | -6);
    Leaf {
        hides: wall,
        stops: wall,
    }
}

/// What the texture of a face says of the solid leaf behind it.
pub(super) struct LeafTexture {
    /// It is drawn, and opaque.
    pub drawn: bool,
    /// It has holes, through which all of the solid is seen through.
    pub lets_through: bool,
}

/// By its name in lower case, in Quake and Half-Life.
pub(super) fn leaf_texture(name: &str) -> LeafTexture {
    let lets_through = name.starts_with('{');
    let tool = matches!(
        name,
        "skip"
            | "hint"
            | "hintskip"
            | "clip"
            | "null"
            | "nodraw"
            | "trigger"
            | "aaatrigger"
            | "origin"
            | "bevel"
    ) || name.ends_with("_hidden");
    LeafTexture {
        drawn: !lets_through && !tool && !name.starts_with(['*', '!']),
        lets_through,
    }
}

/// What the name of a texture says of a side in a `.map`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub side: Side,
    /// Its brush is no wall, whatever its other sides are: liquids, triggers, hints.
    pub nothing: bool,
}

/// By its name in lower case, with its path.
pub(super) fn named(texture: &str) -> Named {
    // Quake's own textures have no path. Those of its successors say more by their names.
    let path = texture.contains('/');
    let texture = texture.strip_prefix("textures/").unwrap_or(texture);
    let name = texture.rsplit('/').next().unwrap_or(texture);
    let begins = |start: &[&str]| start.iter().any(|start| name.starts_with(start));
    let ends = |end: &[&str]| end.iter().any(|end| name.ends_with(end));
    let has = |part: &[&str]| part.iter().any(|part| name.contains(part));
    let liquids = ["water", "lava", "slime", "acid", "pool", "fog", "mist"];
    // Tools of Half-Life's compilers.
    let tools = [
        "content",
        "splitface",
        "boundingbox",
        "cliphull",
        "@",
        "translucent",
    ];
    let nothing = begins(&["*", "!", "trigger", "aaatrigger", "hint", "origin"])
        || begins(&tools)
        || begins(&[
            "waterskip",
            "lavaskip",
            "slimeskip",
            "areaportal",
            "clusterportal",
        ])
        || path && (begins(&liquids) || ends(&liquids))
        || path && has(&["fog", "beam", "flare", "flame"])
        || path && begins(&["donotenter", "botclip", "monsterclip"])
        || texture.contains("liquid");
    let side = if name == "caulk" && path || name == "toolsnodraw" && texture.contains("tools/") {
        Side::Undrawn
    } else if begins(&["sky"]) || texture.contains("skies/") || name.starts_with("toolsskybox") {
        Side::Sky
    } else if begins(&[
        "clip",
        "noclip",
        "{",
        "skip",
        "nodraw",
        "null",
        "bevel",
        "solidhint",
    ]) || ends(&["_hidden"])
        || path
            && has(&[
                "window", "wndow", "glas", "grat", "fence", "grill", "chain", "wire", "mesh",
                "web", "force", "trans", "alpha", "vine", "ivy", "foliage", "branch", "decal",
                "railing",
            ])
        || path
            && ["grat", "glas", "fence", "window", "wndow"]
                .iter()
                .any(|part| texture.contains(part))
        || texture.starts_with("common/")
        || texture.contains("/common/")
        || texture.contains("tools/")
    {
        Side::Through
    } else {
        Side::Drawn
    };
    Named { side, nothing }
}

/// What was taken of the sky, and how much the option would change. `whole` hide as walls, of `front` the drawn sides
/// hide.
pub(super) fn sky_note(sky: Sky, what: &str, whole: usize, front: usize) -> Option<String> {
    let rest = match front {
        0 => String::new(),
        _ => format!("; of {front} detail {what} with sky the drawn sides hide from their front"),
    };
    match (sky, whole) {
        (_, 0) if front == 0 => None,
        (_, 0) => Some(rest.trim_start_matches("; ").to_owned()),
        (Sky::Opaque, _) => Some(format!(
            "{whole} structural {what} with sky hide like walls, because they are opaque for the \
             level's compiler{rest}; with `sky` clear those {whole} would hide nothing"
        )),
        (Sky::Clear, _) => Some(format!(
            "{whole} structural {what} with sky hide nothing{rest}; with `sky` opaque those \
             {whole} would hide like walls"
        )),
    }
}
