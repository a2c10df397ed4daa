//! Naming conventions: what engines and platforms never draw, or move, by the name of an object, group or material.
//!
//! A name is divided into words where letters and digits do not go on, without its number (`Arch-colonly.001`), in lower
//! case; the words of `MeshCollider` are found, too. Where two conventions contradict each other, or a word may mean
//! something that is drawn, the object hides nothing: what is in doubt is visible.
//!
//! Sources: the manuals of Godot (node type customization by suffixes), Unreal Engine (FBX static mesh pipeline,
//! Interchange), O3DE (scene settings), Arma Reforger (FBX import), Bannerlord (naming conventions), s&box (automatic model
//! setup), Second Life (uploading mesh models), Roblox (avatar specifications), Torque 3D and BeamNG (static shapes),
//! CryEngine (BCRY exporter), Unity (LOD groups), Flax (model import); of textures the compilers of Quake and its successors.

use std::collections::BTreeSet;

use super::unhiding::{Reason, Stays};

/// Where in a name a word stands.
#[derive(Clone, Copy)]
enum At {
    /// Anywhere, also within a word.
    Within,
    /// Anywhere, or as a part of a word in camel case.
    Anywhere,
    /// Anywhere, as a whole word.
    Word,
    /// Before all others.
    First,
    /// Behind all others.
    Last,
}
use At::{Anywhere, First, Last, Within, Word};

/// What has such a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    /// Not drawn; players do not go through.
    Hull,
    /// Not drawn, and nothing to players.
    Helper,
    /// Drawn, and may move.
    Moving,
}
use Is::{Helper, Hull, Moving};

/// Words of one meaning.
struct Convention(&'static [&'static str], At, Is);

/// Of objects, groups, meshes and materials. The first that a name has decides.
#[rustfmt::skip]
const NAMES: &[Convention] = &[
    // Godot: noimp is not imported, the others become what their names say. (col, convcol and occ stay drawn.)
    Convention(&["noimp", "navmesh", "occonly"], Word, Helper),
    Convention(&["colonly", "convcolonly"], Word, Hull),
    Convention(&["rigid", "vehicle", "wheel"], Last, Moving),
    // Unreal: convex, box, sphere, capsule, and of older versions; sockets.
    Convention(&["ucx", "ubx", "usp", "ucp", "mcdcx"], Word, Hull),
    Convention(&["socket"], First, Helper),
    // Arma Reforger: the same, cylinders, capsules and triangles; occluders, volumes of probes, portals, contacts.
    Convention(&["utm", "ucl", "ucs"], Word, Hull),
    Convention(&["occ", "boxvol", "prt", "lc"], First, Helper),
    // Arma's resolutions that are not drawn.
    Convention(&["firegeometry", "viewgeometry", "physxgeometry", "hitpoints"], Word, Hull),
    Convention(&["landcontact", "shadowvolume", "shadowbuffer"], Word, Helper),
    // Bannerlord: physics shapes.
    Convention(&["bo"], First, Hull),
    // O3DE, s&box, Second Life, Source.
    Convention(&["phys", "physics", "physx", "physicsmesh", "physicsproxy", "physmesh"], Word, Hull),
    Convention(&["hull"], Last, Hull),
    // CryEngine and Lumberyard: proxies, by the object or its material.
    Convention(&["proxy", "physproxynodraw", "physproxy"], Word, Hull),
    Convention(&["shadowproxy", "shadowcaster", "shadow"], Word, Helper),
    // Torque, BeamNG.
    Convention(&["col", "colmesh", "los", "loscol"], First, Hull),
    Convention(&["bound", "bounds", "bbox"], Anywhere, Helper),
    // Roblox: cages of layered clothing, and where things are attached.
    Convention(&["innercage", "outercage", "att"], Last, Helper),
    // Nobody's own, and everybody's.
    Convention(&["collision", "collider", "hitbox", "hurtbox"], Within, Hull),
    Convention(&["coll", "collide", "collides", "colliding", "clipmesh"], Anywhere, Hull),
    Convention(&["nodraw", "invisible", "blockingvolume", "playerblocker", "blocker"], Anywhere, Hull),
    Convention(&["clip", "playerclip"], Last, Hull),
    Convention(&["navmesh"], Within, Helper),
    Convention(&["occluder", "occluders", "occlusion", "navigation", "navmesh", "trigger", "triggers", "volume"], Anywhere, Helper),
    Convention(&["boundingbox", "lightblocker", "gizmo", "helper", "helpers", "hidden", "unrendered", "norender"], Anywhere, Helper),
    Convention(&["impostor", "imposter"], Anywhere, Helper),
    Convention(&["dynamic", "rigidbody", "moving", "movable", "moveable", "animated"], Anywhere, Moving),
];

/// Textures of tools, which materials are named after: all of what a compiler takes out, or nobody sees.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "caulk", "nodraw", "null", "skip", "hint", "hintskip", "clip", "playerclip", "monsterclip", "botclip", "weapclip",
    "weaponclip", "missileclip", "npcclip", "grenadeclip", "fullclip", "noclip", "trigger", "aaatrigger", "origin", "bevel",
    "areaportal", "clusterportal", "donotenter", "invisible", "blocklight", "blockbullets", "toolsnodraw", "toolsclip",
    "toolsplayerclip", "toolsnpcclip", "toolsinvisible", "toolstrigger", "toolshint", "toolsskip", "toolsareaportal",
    "toolsblocklight", "toolsblockbullets", "toolsoccluder", "toolsfog", "toolsorigin", "toolsinvisibleladder",
];

/// What the name of an object, a group or a mesh says against its hiding.
pub(crate) fn of_object(name: &str) -> Option<Reason> {
    let words = Words::of(name);
    if let Some(found) = NAMES.iter().find(|convention| {
        convention
            .0
            .iter()
            .any(|word| words.has(word, convention.1))
    }) {
        return Some(reason(found.2));
    }
    // Drawn in Godot, which takes a dash or a dollar too; a shape of its physics alone in s&box.
    let own = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let col = own.to_lowercase().ends_with("_col");
    col.then(|| reason(Hull))
}

/// What the name of a material says.
pub(crate) fn of_material(name: &str) -> Option<Reason> {
    let lower = name.to_ascii_lowercase();
    let words = Words::of(name);
    // Godot makes it transparent.
    if words.has("alpha", Last) {
        return Some(Reason::new("of a material named alpha", Stays::Drawn));
    }
    // Masks and liquids of Quake and Half-Life.
    if lower.starts_with(['{', '*', '!']) {
        return Some(Reason::new(
            "of a texture of fences or liquids",
            Stays::Drawn,
        ));
    }
    let of_tools = ["common", "tools"].iter().any(|folder| {
        let mut folders = lower.split(['/', '\\']);
        folders.next_back();
        folders.any(|part| part == *folder)
    });
    let tool = TOOLS
        .iter()
        .any(|tool| words.has(tool, Word) && words.whole.len() <= 3);
    if of_tools || tool {
        return Some(reason(Hull));
    }
    of_object(name)
}

fn reason(is: Is) -> Reason {
    match is {
        Hull => Reason::new("of collision", Stays::Hull),
        Helper => Reason::new("not drawn, by their names", Stays::Out),
        Moving => Reason::new("moving, by their names", Stays::Drawn),
    }
}

/// The words of a name.
struct Words {
    /// In lower case, without numbers.
    whole: Vec<String>,
    /// Of camel case, too.
    parts: Vec<String>,
    /// What stands behind a dollar, which Godot takes anywhere.
    dollars: Vec<String>,
}

impl Words {
    fn of(name: &str) -> Self {
        // Without the path of groups and the namespace that Maya writes.
        let own = name.rsplit(['|', ':']).next().unwrap_or(name);
        let is_separator = |c: char| !c.is_alphanumeric();
        let plain = |word: &str| {
            let word = word.trim_matches(|c: char| c.is_ascii_digit());
            word.to_lowercase()
        };
        let all = |words: Vec<String>| -> Vec<String> {
            words.into_iter().filter(|word| !word.is_empty()).collect()
        };
        let mut parts = Vec::new();
        for word in own.split(is_separator) {
            let mut part = String::new();
            let mut before = None;
            let mut letters = word.chars().peekable();
            while let Some(c) = letters.next() {
                // MeshCollider, LOSCollision.
                let ends = letters.peek().copied().is_some_and(char::is_lowercase);
                let begins = c.is_uppercase()
                    && before.is_some_and(|before: char| {
                        before.is_lowercase() || before.is_uppercase() && ends
                    });
                if begins || c.is_ascii_digit() {
                    parts.push(std::mem::take(&mut part));
                }
                if !c.is_ascii_digit() {
                    part.extend(c.to_lowercase());
                }
                before = Some(c);
            }
            parts.push(part);
        }
        let dollars = own.split('$').skip(1).map(str::to_lowercase);
        Self {
            whole: all(own.split(is_separator).map(plain).collect()),
            parts: all(parts),
            dollars: dollars.collect(),
        }
    }

    fn has(&self, word: &str, at: At) -> bool {
        let is = |other: &String| other == word;
        match at {
            Within => {
                self.whole.iter().any(|whole| whole.contains(word)) || self.has(word, Anywhere)
            }
            First => self.whole.first().is_some_and(is),
            Last => self.whole.last().is_some_and(is) || self.is_behind_a_dollar(word),
            Word => self.whole.iter().any(is) || self.is_behind_a_dollar(word),
            Anywhere => {
                self.whole.iter().chain(&self.parts).any(is)
                    // Two words of one: no_draw, NavMesh.
                    || self.parts.windows(2).any(|pair| {
                        word.strip_prefix(&pair[0]).is_some_and(|rest| rest == pair[1])
                    })
            }
        }
    }

    fn is_behind_a_dollar(&self, word: &str) -> bool {
        self.dollars.iter().any(|rest| rest.starts_with(word))
    }
}

/// Levels of detail by name (`House_LOD2`, `$lod1_house`, `wall.lod3`), of which an engine draws one at a time.
#[derive(Default)]
pub(crate) struct Levels {
    found: BTreeSet<u32>,
    /// Names without their level, and those of what has none.
    marked: BTreeSet<String>,
    plain: BTreeSet<String>,
}

impl Levels {
    /// Adds the name of what has faces.
    pub(crate) fn add(&mut self, name: &str) {
        match level(name) {
            // Nothing is said of levels of what has no name.
            None if name.is_empty() => {}
            Some((number, stem)) => {
                self.found.insert(number);
                self.marked.insert(stem);
            }
            None => {
                self.plain.insert(stem(name));
            }
        }
    }

    /// What a name's level says against its hiding. Level 0 is the finest in engines, and what is drawn near by; of others
    /// one must be the only picture of the thing, since in models of cities the greatest is the finest.
    pub(crate) fn of(&self, name: &str) -> Option<Reason> {
        let (number, _) = level(name).filter(|(number, _)| *number > 0)?;
        let alone = self.found.len() == 1 && self.marked.is_disjoint(&self.plain);
        (!alone).then(|| Reason::new(&format!("of level of detail {number}"), Stays::Out))
    }
}

/// The number behind `lod`, and the name without both.
pub(crate) fn level(name: &str) -> Option<(u32, String)> {
    let lower = name.to_lowercase();
    lower.match_indices("lod").find_map(|(at, _)| {
        let before = lower[..at].chars().next_back();
        let camel = name.get(at..).is_some_and(|rest| rest.starts_with("LOD"))
            && before.is_some_and(char::is_lowercase);
        if !(before.is_none_or(|c| !c.is_alphabetic()) || camel) {
            return None;
        }
        let rest = lower[at + 3..].trim_start_matches(['_', '-', '.', ' ']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = rest[..digits].parse().ok()?;
        Some((
            number,
            stem(&format!("{} {}", &lower[..at], &rest[digits..])),
        ))
    })
}

/// The words of a name, without separators and numbers of copies.
fn stem(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row of the table, as its engine writes it, and beside it names that say nothing.
    #[test]
    fn names_of_engines_are_known() {
        use Stays::{Drawn, Hull, Out};
        for (name, stays) in [
            ("Arch-colonly", Some(Hull)),
            ("Arch-convcolonly", Some(Hull)),
            ("Arch_ConvColOnly", Some(Hull)),
            ("Arch$colonly", Some(Hull)),
            ("Arch-colonly.001", Some(Hull)),
            ("Arch-colonly_002", Some(Hull)),
            ("floor-navmesh", Some(Out)),
            ("old-noimp", Some(Out)),
            ("wall-occonly", Some(Out)),
            ("crate-rigid", Some(Drawn)),
            ("car-vehicle", Some(Drawn)),
            ("left-wheel.003", Some(Drawn)),
            ("wheel_house", None),
            ("Arch-col", None),
            ("Arch$col", None),
            ("Arch-convcol", None),
            ("Arch_col", Some(Hull)),
            ("wall-occ", None),
            ("run-loop", None),
            ("UCX_Arch_01", Some(Hull)),
            ("ucx_arch", Some(Hull)),
            ("UBX_Arch", Some(Hull)),
            ("USP_Arch_00", Some(Hull)),
            ("UCP_Arch", Some(Hull)),
            ("MCDCX_Arch", Some(Hull)),
            ("ns:UCX_Arch", Some(Hull)),
            ("|all|UCX_Arch", Some(Hull)),
            ("SOCKET_Lamp", Some(Out)),
            ("wall_socket", None),
            ("UTM_Arch", Some(Hull)),
            ("UCL_Pole", Some(Hull)),
            ("OCC_Wall", Some(Out)),
            ("bo_wall", Some(Hull)),
            ("hobo_wall", None),
            ("wall_phys", Some(Hull)),
            ("Wall_PHYS", Some(Hull)),
            ("house_hull", Some(Hull)),
            ("hull_breach_wall", None),
            ("house_proxy", Some(Hull)),
            ("Col-1", Some(Hull)),
            ("Colmesh-1", Some(Hull)),
            ("Collision-1", Some(Hull)),
            ("LOS-9", Some(Hull)),
            ("LOSCollision-9", Some(Hull)),
            ("column_3", None),
            ("Shirt_OuterCage", Some(Out)),
            ("GrassCollider", Some(Hull)),
            ("collision_mesh", Some(Hull)),
            ("MeshCollider.001", Some(Hull)),
            ("ColliderBox12", Some(Hull)),
            ("archcollisionmesh", Some(Hull)),
            ("Arch_PhysicsProxy", Some(Hull)),
            ("ArchColl", Some(Hull)),
            ("ArchBounds", Some(Out)),
            ("hurt_box", Some(Hull)),
            ("collidoscope", None),
            ("NavMesh", Some(Out)),
            ("nav_mesh_2", Some(Out)),
            ("TriggerVolume", Some(Out)),
            ("no_draw", Some(Hull)),
            ("NoDraw", Some(Hull)),
            ("Occluder", Some(Out)),
            ("street_clip", Some(Hull)),
            ("clipboard", None),
            ("Wall", None),
            ("House.001", None),
            ("", None),
        ] {
            let found = of_object(name).map(|reason| reason.stays);
            assert_eq!(found, stays, "{name}");
        }
        for (name, stays) in [
            ("leaves-alpha", Some(Drawn)),
            ("leaves_ALPHA", Some(Drawn)),
            ("alphabet", None),
            ("{fence", Some(Drawn)),
            ("*water1", Some(Drawn)),
            ("textures/common/caulk", Some(Hull)),
            ("common/anything", Some(Hull)),
            ("tools/toolsnodraw", Some(Hull)),
            ("clip", Some(Hull)),
            ("caulk", Some(Hull)),
            ("ind_bld__proxy__physProxyNoDraw", Some(Hull)),
            ("wall__physDefault", None),
            ("brick", None),
            ("skyscraper", None),
            ("tools_rack", None),
        ] {
            let found = of_material(name).map(|reason| reason.stays);
            assert_eq!(found, stays, "{name}");
        }
    }

    #[test]
    fn of_levels_of_detail_the_finest_is_what_there_is() {
        let left_out = |names: &[&'static str]| {
            let mut levels = Levels::default();
            names.iter().for_each(|name| levels.add(name));
            let out = names.iter().filter(|name| levels.of(name).is_some());
            out.copied().collect::<Vec<_>>()
        };
        assert_eq!(
            left_out(&["House_LOD0", "House_LOD1", "b.lod02"]),
            ["House_LOD1", "b.lod02"]
        );
        assert_eq!(left_out(&["house", "$lod1_house"]), ["$lod1_house"]);
        assert_eq!(
            left_out(&["house.002", "house_lod_1.003"]),
            ["house_lod_1.003"]
        );
        assert_eq!(
            left_out(&["HouseLOD1", "TreeLOD2"]),
            ["HouseLOD1", "TreeLOD2"]
        );
        // Of a model of a city in one level, or of an engine in its finest, nothing is left out.
        assert!(left_out(&["b1-LoD2", "b2-LoD2", "ground"]).is_empty());
        assert!(left_out(&["House_LOD0", "Tree_LOD0", "melodie1", "Wall"]).is_empty());
    }
}
