//! The text of a shader script, as far as it says what is seen through.
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
//! The first stage that is drawn for certain decides: what it leaves open stays open. The first word of a line has to
//! be known. What follows on the line are its values, but for words that let sight through.

use std::borrow::Cow;

use super::words::{self, Covers, InStage, Says, Surface};

/// A shader, as far as sight goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::solid) struct Shader {
    /// It lets something through, moves, or is drawn from behind alone.
    pub seen_through: bool,
    /// It is drawn from behind as well.
    pub two_sided: bool,
    /// What it says of contents and surface: values of `surfaceparm`.
    pub params: Vec<String>,
    /// A word that is not known: its line and itself. What it does to sight is not known either.
    pub doubt: Option<(usize, String)>,
}

/// Where a script is no script.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Counted from 1.
    pub line: usize,
    pub expected: String,
    pub found: String,
    /// Its end is missing, and with it what it may have gone on to say.
    pub is_cut: bool,
    /// Where in the text the first shader begins that it is about.
    pub from: usize,
}

/// Hands on the shaders of a script, each with its name as written.
///
/// # Errors
///
/// The first place whose braces, quotes or comments do not match. Nothing behind it is handed on.
pub(super) fn read(text: &str, mut each: impl FnMut(&str, Shader)) -> Result<(), Fault> {
    let mut tokens = Tokens::new(text);
    // Where the shader before begins, which may have ended too early.
    let mut before = 0;
    loop {
        let Some(mut name) = tokens.next(before)? else {
            return Ok(());
        };
        let is_brace = name.is("{") || name.is("}");
        let is_table = name.is("table");
        if is_table || name.is("material") {
            name = tokens.next(name.at)?.unwrap_or(name);
            if is_table {
                table(&mut tokens, name)?;
                continue;
            }
        }
        let open = tokens.next(name.at)?;
        match open {
            Some(open) if !is_brace && open.is("{") => {}
            _ => {
                let found = if is_brace { Some(name) } else { open };
                return Err(Fault {
                    line: found.map_or(tokens.line, |found| found.line),
                    expected: if is_brace {
                        "the name of a shader".into()
                    } else {
                        format!("{{ behind {:.60}", name.text)
                    },
                    found: found.map_or("the end of the file".into(), |found| found.short()),
                    is_cut: found.is_none(),
                    from: before,
                });
            }
        }
        let shader = shader(&mut tokens, name)?;
        before = name.at;
        each(name.text, shader);
    }
}

/// Passes over a table of XreaL: numbers in braces in braces.
fn table<'a>(tokens: &mut Tokens<'a>, name: Token<'a>) -> Result<(), Fault> {
    let mut depth = 0;
    loop {
        let token = inside(tokens, name)?;
        match token.text {
            "{" => depth += 1,
            "}" if depth == 0 => return Err(unclosed(name, token.line, token.short(), false)),
            "}" if depth == 1 => return Ok(()),
            "}" => depth -= 1,
            _ => {}
        }
    }
}

/// The next token of what a name begins, which has to be closed.
fn inside<'a>(tokens: &mut Tokens<'a>, name: Token<'a>) -> Result<Token<'a>, Fault> {
    let token = tokens.next(name.at)?;
    token.ok_or_else(|| unclosed(name, tokens.line, "the end of the file".into(), true))
}

fn unclosed(name: Token, line: usize, found: String, is_cut: bool) -> Fault {
    Fault {
        line,
        expected: format!("}} that closes {:.60} of line {}", name.text, name.line),
        found,
        is_cut,
        from: name.at,
    }
}

/// A stage: what it does to the surface below it.
fn covers(found: Covers, other: Covers) -> Covers {
    match (found, other) {
        (Covers::Next, _) | (_, Covers::Next) => Covers::Next,
        (Covers::Some, _) | (_, Covers::Some) => Covers::Some,
        _ => Covers::All,
    }
}

fn shader<'a>(tokens: &mut Tokens<'a>, name: Token<'a>) -> Result<Shader, Fault> {
    let mut shader = Shader::default();
    let mut stages = Vec::new();
    loop {
        let token = inside(tokens, name)?;
        if token.is("}") {
            break;
        }
        if token.is("{") {
            stages.push(stage(tokens, name, &mut shader)?);
            continue;
        }
        let word = token.lower();
        let bare = || words::surface(&word).map(|_| Says::Nothing);
        let Some(says) = words::in_shader(&word).or_else(bare) else {
            unknown(tokens, name, token, &mut shader)?;
            continue;
        };
        match says {
            Says::Nothing if words::surface(&word).is_some() => shader.take(&word),
            Says::Nothing => {}
            Says::Line => tokens.pass_line(),
            Says::Through => shader.seen_through = true,
            Says::TwoSided => shader.two_sided = true,
            Says::Stage(covers) => stages.push(covers),
            Says::Parm => {
                let value = tokens.value(name.at)?;
                if value.is_empty() {
                    shader.doubt(token);
                }
                shader.take(&value);
            }
            Says::Cull => match &*tokens.value(name.at)? {
                "none" | "disable" | "twosided" => shader.two_sided = true,
                "front" | "frontside" | "frontsided" => {}
                _ => shader.seen_through = true,
            },
            Says::Sort => {
                let value = tokens.value(name.at)?;
                shader.seen_through |= !["opaque", "3"].contains(&&*value);
            }
        }
    }
    let first = stages.iter().find(|stage| **stage != Covers::Next);
    shader.seen_through |= first != Some(&Covers::All);
    Ok(shader)
}

/// A word that is in no table. With a path, and before a brace, it is the name of another shader.
fn unknown<'a>(
    tokens: &mut Tokens<'a>,
    name: Token<'a>,
    token: Token<'a>,
    shader: &mut Shader,
) -> Result<(), Fault> {
    if !token.first {
        return Ok(());
    }
    let is_before_brace = || {
        Ok(tokens
            .clone()
            .next(name.at)?
            .is_some_and(|next| next.is("{")))
    };
    if token.text.contains(['/', '\\']) && is_before_brace()? {
        return Err(unclosed(name, token.line, token.short(), false));
    }
    shader.doubt(token);
    Ok(())
}

fn stage<'a>(
    tokens: &mut Tokens<'a>,
    name: Token<'a>,
    shader: &mut Shader,
) -> Result<Covers, Fault> {
    let mut stage = Covers::All;
    loop {
        let token = inside(tokens, name)?;
        if token.is("}") {
            return Ok(stage);
        }
        if token.is("{") {
            return Err(unclosed(name, token.line, token.short(), false));
        }
        let Some(says) = words::in_stage(&token.lower()) else {
            unknown(tokens, name, token, shader)?;
            continue;
        };
        let of = match says {
            InStage::Nothing => Covers::All,
            InStage::Is(covers) => covers,
            InStage::Map => {
                let value = tokens.value(name.at)?;
                let elsewhere = ["$portal", "$mirror", "$screen", "$refraction"];
                if elsewhere.iter().any(|start| value.starts_with(start)) {
                    Covers::Some
                } else {
                    Covers::All
                }
            }
            InStage::DepthFunc => match &*tokens.value(name.at)? {
                "lequal" => Covers::All,
                _ => Covers::Next,
            },
            InStage::Kind => words::kind(&tokens.value(name.at)?).unwrap_or(Covers::Some),
            InStage::Blend => {
                let first = tokens.value(name.at)?;
                match words::kind(&first) {
                    Some(covers) => covers,
                    None => {
                        let mut second = tokens.value(name.at)?;
                        if second == "," {
                            second = tokens.value(name.at)?;
                        }
                        let is_whole =
                            (first.trim_end_matches(','), &*second) == ("gl_one", "gl_zero");
                        if is_whole { Covers::All } else { Covers::Some }
                    }
                }
            }
        };
        stage = covers(stage, of);
    }
}

impl Shader {
    fn take(&mut self, value: &str) {
        self.seen_through |= words::surface(value) == Some(Surface::Through) || value == "fog";
        if !self.params.iter().any(|known| known == value) {
            self.params.push(value.to_owned());
        }
    }

    fn doubt(&mut self, token: Token) {
        self.seen_through = true;
        self.doubt
            .get_or_insert_with(|| (token.line, token.short()));
    }
}

/// A word, a quoted text or a brace.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    /// Where in the text it begins.
    at: usize,
    line: usize,
    /// It is the first of its line, or of what follows a brace.
    first: bool,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    /// In lower case. What is longer than any word of a table is cut.
    fn lower(&self) -> String {
        let length = self.text.floor_char_boundary(64);
        self.text[..length].to_ascii_lowercase()
    }

    fn short(&self) -> String {
        self.text.chars().take(60).collect()
    }
}

/// The tokens of a text, one after the other, so that nothing is held of them.
#[derive(Clone)]
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    first: bool,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            first: true,
        }
    }

    /// The next one. `from` is where the shader begins that it is of.
    fn next(&mut self, from: usize) -> Result<Option<Token<'a>>, Fault> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches(is_blank).len();
            self.first |= has_line_end(&rest[..blank]);
            self.pass(blank);
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.pass(rest.find(LINE_ENDS).unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(self.open("*/ that ends the comment", from));
                };
                self.first |= has_line_end(&rest[..end]);
                self.pass(end + 2);
            } else {
                break;
            }
        }
        let rest = &self.text[self.at..];
        let (line, at, first) = (self.line, self.at, self.first);
        let Some(head) = rest.chars().next() else {
            return Ok(None);
        };
        let text = match head {
            '"' => {
                let inner = &rest[1..];
                let end = inner
                    .find(['"', '\n'])
                    .filter(|&end| inner[end..].starts_with('"'));
                let Some(end) = end else {
                    return Err(self.open("a closing quote", from));
                };
                self.pass(end + 2);
                &inner[..end]
            }
            '{' | '}' => {
                self.pass(1);
                &rest[..1]
            }
            _ => {
                let end = rest.find(|c: char| is_blank(c) || matches!(c, '{' | '}' | '"'));
                let end = end.unwrap_or(rest.len());
                self.pass(end);
                &rest[..end]
            }
        };
        // What follows a brace is a command of its own.
        self.first = matches!(head, '{' | '}');
        Ok(Some(Token {
            text,
            at,
            line,
            first: first || self.first,
        }))
    }

    /// The next word of the line in lower case; empty at its end.
    fn value(&mut self, from: usize) -> Result<Cow<'a, str>, Fault> {
        let mut ahead = self.clone();
        match ahead.next(from)? {
            Some(token) if !token.first && !token.is("{") && !token.is("}") => {
                *self = ahead;
                Ok(token.text.to_ascii_lowercase().into())
            }
            _ => Ok("".into()),
        }
    }

    /// Passes over the rest of the line, up to a brace.
    fn pass_line(&mut self) {
        let rest = &self.text[self.at..];
        self.pass(rest.find(['\n', '\r', '{', '}']).unwrap_or(rest.len()));
    }

    fn pass(&mut self, bytes: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + bytes];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.at += bytes;
    }

    fn open(&self, expected: &str, from: usize) -> Fault {
        Fault {
            line: self.line,
            expected: expected.into(),
            found: "none".into(),
            is_cut: true,
            from,
        }
    }
}

/// Old editors end lines with the second alone.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

fn has_line_end(text: &str) -> bool {
    text.contains(LINE_ENDS)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}
