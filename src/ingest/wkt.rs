//! Well-known text: `KEYWORD["text", 1.5, KEYWORD[...], word]`.

/// Deeper nesting than any CRS has; hostile text must not exhaust the stack.
const MAX_DEPTH: usize = 32;

/// A keyword and what its brackets hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WktNode {
    /// In upper case.
    pub keyword: String,
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Number(f64),
    /// In upper case.
    Word(String),
    Node(WktNode),
}

impl WktNode {
    pub(super) fn is(&self, keywords: &[&str]) -> bool {
        keywords.contains(&self.keyword.as_str())
    }

    pub(super) fn children(&self) -> impl Iterator<Item = &WktNode> {
        self.values.iter().filter_map(|value| match value {
            Value::Node(node) => Some(node),
            _ => None,
        })
    }

    /// The first direct child with one of these keywords.
    pub(super) fn child(&self, keywords: &[&str]) -> Option<&WktNode> {
        self.children().find(|child| child.is(keywords))
    }

    /// The first node with one of these keywords at any depth.
    pub(super) fn descendant(&self, keywords: &[&str]) -> Option<&WktNode> {
        self.children().find_map(|child| {
            if child.is(keywords) {
                Some(child)
            } else {
                child.descendant(keywords)
            }
        })
    }

    pub(super) fn text(&self, i: usize) -> Option<&str> {
        match self.values.get(i)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A word without quotes, in upper case.
    pub(super) fn word(&self, i: usize) -> Option<&str> {
        match self.values.get(i)? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn number(&self, i: usize) -> Option<f64> {
        match self.values.get(i)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// Parses one node that is the whole text; nothing where it is no well-known text.
pub(super) fn parse(text: &str) -> Option<WktNode> {
    let mut rest = text.trim();
    match value(&mut rest, 0)? {
        Value::Node(node) if rest.trim().is_empty() => Some(node),
        _ => None,
    }
}

fn value(rest: &mut &str, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    *rest = rest.trim_start();
    if let Some(quoted) = rest.strip_prefix('"') {
        return text(quoted, rest);
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || "_+-.".contains(c)))
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    if word.is_empty() {
        return None;
    }
    *rest = after.trim_start();
    if !rest.starts_with(['[', '(']) {
        let number = word.parse().ok().filter(|n: &f64| n.is_finite());
        let word = || Value::Word(word.to_ascii_uppercase());
        return Some(number.map_or_else(word, Value::Number));
    }
    *rest = &rest[1..];
    let mut values = Vec::new();
    loop {
        values.push(value(rest, depth + 1)?);
        *rest = rest.trim_start();
        let separator = rest.chars().next()?;
        *rest = &rest[separator.len_utf8()..];
        match separator {
            ',' => {}
            ']' | ')' => {
                return Some(Value::Node(WktNode {
                    keyword: word.to_ascii_uppercase(),
                    values,
                }));
            }
            _ => return None,
        }
    }
}

/// A text up to its closing quote; two quotes stand for one.
fn text<'a>(mut quoted: &'a str, rest: &mut &'a str) -> Option<Value> {
    let mut text = String::new();
    loop {
        let end = quoted.find('"')?;
        text.push_str(&quoted[..end]);
        quoted = &quoted[end + 1..];
        match quoted.strip_prefix('"') {
            Some(more) => {
                text.push('"');
                quoted = more;
            }
            None => {
                *rest = quoted;
                return Some(Value::Text(text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order_and_nesting() {
        let node = parse(r#" A["a ""b""", -1.5e3, east, B("c"),C[D[2]]] "#).unwrap();
        assert_eq!(node.keyword, "A");
        assert_eq!(node.text(0), Some(r#"a "b""#));
        assert_eq!(node.number(1), Some(-1500.0));
        assert_eq!(node.number(2), None);
        assert_eq!(node.word(2), Some("EAST"));
        assert_eq!(node.child(&["B"]).unwrap().text(0), Some("c"));
        assert_eq!(node.descendant(&["D"]).unwrap().number(0), Some(2.0));
        assert!(node.child(&["D"]).is_none());
    }

    #[test]
    fn every_prefix_and_deep_nesting_are_refused() {
        let whole = r#"A["é",B[1,2],C["x"]]"#;
        for end in (0..whole.len()).filter(|&i| whole.is_char_boundary(i)) {
            assert_eq!(parse(&whole[..end]), None, "{}", &whole[..end]);
        }
        assert!(parse(whole).is_some());
        assert!(parse(&"A[".repeat(100_000)).is_none());
    }
}
