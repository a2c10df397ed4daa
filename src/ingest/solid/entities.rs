//! Entities of Quake's kin, as text: in `.map` files, and in a lump of compiled levels.
//!
//! ```text
//! { "classname" "info_player_start" "origin" "32 -64 24" }
//! ```
//!
//! In a `.map` entities hold brushes as well, in braces of their own.

use crate::ingest::error::IngestError;
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

    /// What sort of entity it is.
    pub(super) fn class(&self) -> &'a str {
        self.get("classname").unwrap_or("")
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

/// Where players enter a level: where they begin, and where teleporters put them.
pub(super) fn spawns(entities: &[Entity]) -> Vec<Point> {
    let entered = |entity: &&Entity| {
        let class = entity.class().to_ascii_lowercase();
        let begins = |start| class.starts_with(start);
        match class.as_str() {
            "info_player_intermission" => false,
            "info_teleport_destination" | "misc_teleporter_dest" | "testplayerstart" => true,
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
            if !self.rest.starts_with("//") {
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
            let Some(end) = quoted.find('"') else {
                return Err(bad(line, "a closing quote", "the end of the file"));
            };
            let token = &quoted[..end];
            self.pass(end + 2);
            return Ok(Some((token, line, true)));
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || c == '\0');
        let token = &self.rest[..end.unwrap_or(self.rest.len())];
        self.pass(token.len());
        Ok(Some((token, line, false)))
    }

    fn pass(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
    }
}
