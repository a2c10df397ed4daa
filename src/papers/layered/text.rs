//! Trees as text: the paper's serialisation in one pass (Pennings, section 4.3.2).
//!
//! `{` is a node with four children, which follow it clockwise from the north-west; `e` is empty, `f` is
//! material 1, `g` 2 and so on to `z`; materials above 21 are numbers in parentheses.

use super::error::GroundError;
use super::path::Path;
use super::tree::{DIVIDED, EMPTY, MOST_MATERIALS, Material, Tree};

/// Codes as text.
pub fn text_of(codes: &[u8]) -> String {
    let mut text = String::with_capacity(codes.len());
    for &code in codes {
        match code {
            DIVIDED => text.push('{'),
            EMPTY..=21 => text.push(char::from(b'e' + code)),
            material => text.push_str(&format!("({material})")),
        }
    }
    text
}

/// The codes of a text. Whether they are a tree, [`Tree::of_codes`] says.
///
/// # Errors
///
/// A sign that means nothing.
pub fn codes_of(text: &str) -> Result<Vec<u8>, GroundError> {
    let mut codes = Vec::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let place = || format!("text, byte {}", text.len() - rest.len());
        let after = &rest[sign.len_utf8()..];
        rest = match sign {
            '{' => {
                codes.push(DIVIDED);
                after
            }
            'e'..='z' => {
                codes.push(sign as u8 - b'e');
                after
            }
            '(' => {
                let number = after.split_once(')').and_then(|(number, after)| {
                    let number: Material = number.parse().ok()?;
                    (number <= MOST_MATERIALS).then_some((number, after))
                });
                let Some((number, after)) = number else {
                    let expected = "a number of at most 254 in parentheses";
                    return Err(GroundError::bad(place(), expected, format!("{rest:.12}")));
                };
                codes.push(number);
                after
            }
            other => {
                let expected = "{, a letter from e to z, or a number in parentheses";
                return Err(GroundError::bad(place(), expected, format!("{other:?}")));
            }
        };
    }
    Ok(codes)
}

impl Tree {
    /// A branch as text; `None` where a leaf stands on the way to it.
    pub fn branch_text(&self, path: Path) -> Option<String> {
        let mut node = self.root;
        for step in path.steps() {
            if node.material().is_some() {
                return None;
            }
            node = self.children(node)[step];
        }
        let mut codes = Vec::new();
        self.write_codes(node, &mut codes);
        Some(text_of(&codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_is_a_tree_and_back() {
        // Figure 11 has nine nodes, and its text in the thesis eight signs: the last e is missing.
        let printed = codes_of("{fe{feee").unwrap();
        assert_eq!(printed, [DIVIDED, 1, 0, DIVIDED, 1, 0, 0, 0]);
        assert_eq!(Tree::of_codes(&printed, 3), None);
        let codes = codes_of("{fe{feeee").unwrap();
        let tree = Tree::of_codes(&codes, 3).unwrap();
        assert_eq!(tree.nodes(), 9);
        assert_eq!(tree.branch_text(Path::ROOT).unwrap(), "{fe{feeee");
    }

    #[test]
    fn text_is_codes_and_back() {
        let codes = [DIVIDED, 0, 21, 22, 254];
        assert_eq!(text_of(&codes), "{ez(22)(254)");
        assert_eq!(codes_of("{ez(22)(254)").unwrap(), codes);
        for faulty in ["{E", "(255)", "(", "(1", "f ", "\u{e9}"] {
            assert!(codes_of(faulty).is_err(), "{faulty}");
        }
        let tree = Tree::of_codes(&[DIVIDED, 0, DIVIDED, 1, 2, 1, 2, 3, 3], 2).unwrap();
        let branch = |path: &str| tree.branch_text(Path::parse(path).unwrap());
        assert_eq!(branch("1").as_deref(), Some("{fgfg"));
        assert_eq!(
            (branch("12").as_deref(), branch("0").as_deref()),
            (Some("f"), Some("e"))
        );
        assert_eq!(branch("00"), None);
    }
}
