//! Shader scripts of Quake III and its kin (`scripts/*.shader`), as far as they say what is seen through.
//!
//! ```text
//! textures/base/grate
//! {
//!     surfaceparm trans
//!     cull none
//!     { map textures/base/grate.tga  alphaFunc GE128 }
//! }
//! ```
//!
//! The first stage that is drawn decides: what it leaves open stays open. Stages called `detail` may be switched off.

use std::collections::HashMap;
use std::path::Path;

use crate::source::text_beside;

/// A shader, as far as sight goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shader {
    /// It lets something through, moves, or is drawn from behind alone.
    pub seen_through: bool,
    /// It is drawn from behind as well.
    pub two_sided: bool,
    /// What it says of contents and surface: values of `surfaceparm`.
    pub params: Vec<String>,
}

/// Shaders by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaders(HashMap<String, Shader>);

impl Shaders {
    /// Those of scripts in the folders where a game has them: `scripts` beside the level, or beside its folder.
    pub(super) fn beside(level: &Path) -> Self {
        let mut shaders = Self::default();
        let folder = level.parent().unwrap_or(Path::new(""));
        for folder in [folder.join("scripts"), folder.join("../scripts")] {
            shaders.add_folder(&folder);
        }
        shaders
    }

    /// Adds the scripts of a folder, if it is there.
    pub(super) fn add_folder(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("shader"))
                && let Some(text) = text_beside(&path)
            {
                self.add(&text);
            }
        }
    }

    /// Adds the shaders of a script. Which of two of one name a game takes depends on its packs: what either says lets
    /// sight through does.
    pub(super) fn add(&mut self, text: &str) {
        let tokens = tokens(text);
        let mut at = 0;
        while at + 1 < tokens.len() {
            let name = &tokens[at].0;
            at += 1;
            if tokens[at].0 != "{" {
                continue;
            }
            let end = closing(&tokens, at);
            let mut shader = shader(&tokens[at + 1..end]);
            // What is cut off may have said that it is seen through.
            shader.seen_through |= end == tokens.len();
            at = end + 1;
            let entry = self.0.entry(name.clone());
            entry
                .and_modify(|known| {
                    known.seen_through |= shader.seen_through;
                    known.two_sided &= shader.two_sided;
                    known.params.extend(shader.params.iter().cloned());
                })
                .or_insert(shader);
        }
    }

    /// A shader by its name in lower case.
    pub(super) fn get(&self, name: &str) -> Option<&Shader> {
        self.0.get(name)
    }
}

/// A word in lower case, and whether it is the first of its line.
type Token = (String, bool);

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut in_comment = false;
    for line in text.lines() {
        let mut first = true;
        let mut rest = line;
        loop {
            if in_comment {
                let Some(end) = rest.find("*/") else { break };
                rest = &rest[end + 2..];
                in_comment = false;
            }
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
            if rest.is_empty() || rest.starts_with("//") {
                break;
            }
            if let Some(comment) = rest.strip_prefix("/*") {
                (rest, in_comment) = (comment, true);
                continue;
            }
            let brace = rest.starts_with(['{', '}']);
            let end = if brace {
                1
            } else {
                rest.find(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '"'))
                    .unwrap_or(rest.len())
            };
            tokens.push((
                rest[..end].to_ascii_lowercase().replace('\\', "/"),
                first || brace,
            ));
            // What follows a brace is a command of its own.
            first = brace;
            rest = &rest[end..];
        }
    }
    tokens
}

/// Where the brace that opens at `at` is closed; the end of the text if nowhere.
fn closing(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (i, (token, _)) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    tokens.len()
}

/// A stage: it covers all of the surface, or leaves some of it open.
#[derive(Clone, Copy, Default, PartialEq)]
struct Stage {
    open: bool,
    may_be_off: bool,
}

fn shader(tokens: &[Token]) -> Shader {
    let mut shader = Shader::default();
    let mut stages = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let word = |i: usize| tokens.get(at + i).map_or("", |(word, _)| word.as_str());
        match word(0) {
            "{" => {
                let end = closing(tokens, at);
                stages.push(stage(&tokens[at + 1..end.min(tokens.len())]));
                at = end;
            }
            "surfaceparm" => shader.params.push(word(1).to_owned()),
            "cull" => match word(1) {
                "none" | "disable" | "twosided" => shader.two_sided = true,
                "back" | "backside" | "backsided" => shader.seen_through = true,
                _ => {}
            },
            // It is elsewhere than the level says.
            "deformvertexes" | "fogparms" | "portal" => shader.seen_through = true,
            "implicitmap" => stages.push(Stage::default()),
            "implicitmask" | "implicitblend" => stages.push(Stage {
                open: true,
                may_be_off: false,
            }),
            _ => {}
        }
        at += 1;
    }
    let first = stages.iter().find(|stage| !stage.may_be_off);
    shader.seen_through |= first.is_none_or(|stage| stage.open);
    let lets_through = |param: &String| matches!(param.as_str(), "trans" | "alphashadow" | "fog");
    shader.seen_through |= shader.params.iter().any(lets_through);
    shader
}

fn stage(tokens: &[Token]) -> Stage {
    let mut stage = Stage::default();
    for (i, (word, _)) in tokens.iter().enumerate() {
        let next = |k: usize| tokens.get(i + k).map_or("", |(word, _)| word.as_str());
        match word.as_str() {
            "alphafunc" => stage.open = true,
            "blendfunc" => stage.open |= [next(1), next(2)] != ["gl_one", "gl_zero"],
            "detail" => stage.may_be_off = true,
            _ => {}
        }
    }
    stage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Shader {
        let mut shaders = Shaders::default();
        shaders.add(&format!("// a script\ntextures/x/Y\n{{\n{body}\n}}\n"));
        shaders.get("textures/x/y").unwrap().clone()
    }

    #[test]
    fn the_first_stage_says_whether_a_shader_is_seen_through() {
        for (body, seen_through) in [
            ("{\nmap x.tga\n}", false),
            ("{ map x.tga }", false),
            (
                "{\nmap $lightmap\n}\n{\nmap x.tga\nblendFunc filter\n}",
                false,
            ),
            ("{\nmap x.tga\nblendFunc GL_ONE GL_ZERO\n}", false),
            ("{\nmap x.tga\nblendFunc add\n}", true),
            (
                "{\nmap x.tga\nalphaFunc GE128\n}\n{\nmap $lightmap\nblendFunc filter\n}",
                true,
            ),
            (
                "{\nmap d.tga\ndetail\n}\n{\nmap x.tga\nblendfunc blend\n}",
                true,
            ),
            (
                "{\nmap d.tga\nblendFunc filter\ndetail\n}\n{\nmap x.tga\n}",
                false,
            ),
            ("surfaceparm trans\n{\nmap x.tga\n}", true),
            ("/* surfaceparm trans */\n{\nmap x.tga\n}", false),
            (
                "// surfaceparm trans\n{\nmap x.tga // alphaFunc GE128\n}",
                false,
            ),
            ("deformVertexes autosprite\n{\nmap x.tga\n}", true),
            ("cull back\n{\nmap x.tga\n}", true),
            ("qer_editorimage x.tga", true),
            ("implicitMask x.tga", true),
            ("implicitMap x.tga", false),
        ] {
            assert_eq!(read(body).seen_through, seen_through, "{body}");
        }
    }

    #[test]
    fn what_is_not_culled_hides_from_behind_as_well() {
        assert!(read("cull none\n{\nmap x.tga\n}").two_sided);
        assert!(!read("{\nmap x.tga\n}").two_sided);
        let shader = read("surfaceparm nonsolid\nsurfaceparm Lava\n{\nmap x.tga\n}");
        assert_eq!(shader.params, ["nonsolid", "lava"]);
    }

    #[test]
    fn of_two_shaders_of_one_name_neither_may_be_seen_through() {
        let mut shaders = Shaders::default();
        shaders.add("a/b\n{\ncull none\n{\nmap x.tga\n}\n}\na/b { { map x.tga blendFunc add } }\n");
        let shader = shaders.get("a/b").unwrap();
        assert!(shader.seen_through && !shader.two_sided);
        // What is cut short is read as far as it goes.
        shaders.add("c/d\n{\n{\nmap x.tga\nalphaFunc GE128\n");
        assert!(shaders.get("c/d").unwrap().seen_through);
        shaders.add("e/f\n{\n{\nmap x.tga\n}\n");
        assert!(shaders.get("e/f").unwrap().seen_through);
    }
}
