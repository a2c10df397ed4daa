//! Entities of Quake's kin, as text: in `.map` files, and in a lump of compiled levels.
//!
//! ```text
//! { "classname" "info_player_start" "origin" "32 -64 24" }
//! ```
//!
//! In a `.map` entities hold brushes as well, in braces of their own.

use crate::error::IngestError;
use crate::world::solid::Point;

/// An entity: its keys and values, and its brushes, each with the line on which it begins.
#[derive(Debug, Default)]
pub(super) struct Entity<'a> {
    keys: Vec<(&'a str, &'a str)>,
    /// For each brush the tokens between its braces.
    pub brushes: Vec<Brush<'a>>,
}

/// The tokens of a brush.
#[derive(Debug, Default)]
pub(super) struct Brush<'a> {
    /// Where it begins, counted from 1.
    pub line: usize,
    /// Words and braces, each with its line.
    pub tokens: Vec<(&'a str, usize)>,
}

impl<'a> Entity<'a> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        let found = self.keys.iter().find(|(k, _)| k.eq_ignore_ascii_case(key));
        found.map(|(_, value)| *value)
    }

    /// What sort of entity it is, in lower case.
    pub(super) fn class(&self) -> String {
        self.get("classname").unwrap_or("").to_ascii_lowercase()
    }

    fn origin(&self) -> Option<Point> {
        let numbers: Vec<f64> = self
            .get("origin")?
            .split_whitespace()
            .map_while(|word| word.parse().ok().filter(|x: &f64| x.is_finite()))
            .collect();
        numbers.try_into().ok()
    }
}

/// Where players enter a level: where they begin, and where teleporters put them. Games put the origin of a player
/// there, or up to 9 higher.
pub(super) fn spawns(entities: &[Entity]) -> Vec<Point> {
    let entered = |entity: &&Entity| {
        let class = entity.class();
        let begins = |start| class.starts_with(start);
        match class.as_str() {
            "info_player_intermission" => false,
            "info_teleport_destination" | "misc_teleporter_dest" | "testplayerstart" => true,
            "info_vip_start" | "info_ctfspawn" | "info_survivor_position" => true,
            _ => {
                begins("info_player_")
                    || begins("info_team_start")
                    || begins("team_") && (class.ends_with("player") || class.ends_with("spawn"))
            }
        }
    };
    let entered = entities.iter().filter(entered);
    entered.filter_map(Entity::origin).collect()
}

/// Which entities an editor leaves out of what it exports: TrenchBroom's layers that say so, and all whose layer or
/// group leads to one.
///
/// ```text
/// "_tb_type" "_tb_layer"  "_tb_id" "1"  "_tb_layer_omit_from_export" "1"     a layer
/// "_tb_type" "_tb_group"  "_tb_id" "2"  "_tb_layer" "1"                     a group of it
/// "_tb_group" "2"                                                          an entity of the group
/// ```
///
/// What is in no layer is in the default one, which the world describes.
pub(super) fn omitted(entities: &[Entity]) -> Vec<bool> {
    let says = |entity: &Entity| entity.get("_tb_layer_omit_from_export") == Some("1");
    let find = |kind: &str, id: &str| {
        let is = |entity: &&Entity| {
            entity.get("_tb_type") == Some(kind) && entity.get("_tb_id") == Some(id)
        };
        entities.iter().find(is)
    };
    let world = entities
        .iter()
        .find(|entity| entity.class() == "worldspawn");
    let is_omitted = |entity: &Entity| {
        let mut at = entity;
        // Groups lie in groups; a circle of them leads nowhere.
        for _ in 0..=entities.len() {
            if says(at) {
                return true;
            }
            let group = at.get("_tb_group").and_then(|id| find("_tb_group", id));
            let layer = || at.get("_tb_layer").and_then(|id| find("_tb_layer", id));
            match group.or_else(layer) {
                Some(parent) => at = parent,
                None if at.get("_tb_type") == Some("_tb_layer") => return false,
                None => return world.is_some_and(says),
            }
        }
        false
    };
    entities.iter().map(is_omitted).collect()
}

/// Reads all entities of a text.
///
/// # Errors
///
/// Braces or quotes that do not match, with their line.
pub(super) fn parse(text: &str) -> Result<Vec<Entity<'_>>, IngestError> {
    let mut tokens = Tokens {
        rest: text,
        line: 1,
    };
    let mut entities = Vec::new();
    while let Some((token, line, quoted)) = tokens.next()? {
        if quoted || token != "{" {
            return Err(bad(line, "{ at the beginning of an entity", token));
        }
        entities.push(entity(&mut tokens, line)?);
    }
    Ok(entities)
}

fn entity<'a>(tokens: &mut Tokens<'a>, start: usize) -> Result<Entity<'a>, IngestError> {
    let mut entity = Entity::default();
    loop {
        let Some((token, line, quoted)) = tokens.next()? else {
            return Err(bad(
                start,
                "an entity that ends with }",
                "the end of the file",
            ));
        };
        match (quoted, token) {
            (true, key) => match tokens.next()? {
                Some((value, _, true)) => entity.keys.push((key, value)),
                other => {
                    let found = other.map_or("the end of the file", |(token, _, _)| token);
                    return Err(bad(line, "a value in quotes for each key", found));
                }
            },
            (false, "{") => entity.brushes.push(brush(tokens, line)?),
            (false, "}") => return Ok(entity),
            (false, other) => return Err(bad(line, "a key in quotes, a brush or }", other)),
        }
    }
}

fn brush<'a>(tokens: &mut Tokens<'a>, line: usize) -> Result<Brush<'a>, IngestError> {
    let (mut found, mut depth) = (Vec::new(), 1);
    while let Some((token, at, quoted)) = tokens.next()? {
        match (quoted, token) {
            (false, "{") => depth += 1,
            (false, "}") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(Brush {
                line,
                tokens: found,
            });
        }
        found.push((token, at));
    }
    Err(bad(line, "a brush that ends with }", "the end of the file"))
}

/// An error about a line.
pub(super) fn bad(line: usize, expected: &str, found: &str) -> IngestError {
    let found: String = found.chars().take(60).collect();
    IngestError::bad(expected, found, "mend the line, or export the level again")
        .at(format!("line {line}"))
}

/// Whether a text begins as entities do: with a key and its value, or with a brush.
pub(super) fn begins(text: &str) -> bool {
    let mut tokens = Tokens {
        rest: text,
        line: 1,
    };
    let mut next = || tokens.next().ok().flatten();
    let [first, second, third] = std::array::from_fn(|_| next());
    let is = |token: &Option<(&str, usize, bool)>, word: &str| {
        token.is_some_and(|(found, _, quoted)| found == word && !quoted)
    };
    let quoted = |token: &Option<(&str, usize, bool)>| token.is_some_and(|(_, _, quoted)| quoted);
    let begins_a_brush =
        |word: &str| word == "(" || word.starts_with("patchDef") || word.starts_with("brushDef");
    is(&first, "{")
        && (quoted(&second) && quoted(&third)
            || is(&second, "{") && third.is_some_and(|(word, ..)| begins_a_brush(word)))
}

/// Where a quoted text ends. A quote behind a backslash belongs to it, but for one at the end of a line, where the
/// backslash is the last letter of a path.
fn closing_quote(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + text[at..].find('"')?;
        let behind = text[end + 1..].trim_start_matches([' ', '\t', '\r']);
        let ends_line = behind.is_empty() || behind.starts_with(['\n', '}', '\0']);
        if !text[..end].ends_with('\\') || ends_line {
            return Some(end);
        }
        at = end + 1;
    }
}

struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    /// The next word, brace or quoted string, with its line and whether it was quoted.
    #[allow(clippy::type_complexity, reason = "used up at once")]
    fn next(&mut self) -> Result<Option<(&'a str, usize, bool)>, IngestError> {
        loop {
            let trimmed = self
                .rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
            self.pass(self.rest.len() - trimmed.len());
            if !self.rest.starts_with("//") && !self.rest.starts_with(';') {
                break;
            }
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.pass(end);
        }
        let line = self.line;
        if self.rest.is_empty() {
            return Ok(None);
        }
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let Some(end) = closing_quote(quoted) else {
                return Err(bad(line, "a closing quote", "the end of the file"));
            };
            let token = &quoted[..end];
            self.pass(end + 2);
            return Ok(Some((token, line, true)));
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || c == '\0');
        let word = &self.rest[..end.unwrap_or(self.rest.len())];
        // A brace may stand before a quote; names of textures begin with one, too.
        let brace = word.starts_with(['{', '}']) && word[1..].starts_with(['"', '(', '{', '}']);
        let token = if brace { &word[..1] } else { word };
        self.pass(token.len());
        Ok(Some((token, line, false)))
    }

    fn pass(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
    }
}
