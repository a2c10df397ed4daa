//! HTML as a browser reads it, but without its patience.

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// What may carry a label: a label speaks for the first of them in it and no other.
const LABELABLE: [&str; 7] = [
    "button", "input", "meter", "output", "progress", "select", "textarea",
];

/// Fails if the HTML standard's parser finds an error in a page, or a label holds two things that
/// it could speak for.
pub fn assert_valid(html: &str) {
    let options = ParseOpts {
        tokenizer: TokenizerOpts {
            exact_errors: true,
            ..TokenizerOpts::default()
        },
        tree_builder: TreeBuilderOpts {
            exact_errors: true,
            ..TreeBuilderOpts::default()
        },
    };
    let dom = parse_document(RcDom::default(), options).one(html);
    let errors = dom.errors.borrow();
    assert!(errors.is_empty(), "{errors:?}");
    walk(&dom.document);
}

fn walk(node: &Handle) {
    if is_any(node, &["label"]) {
        let held = count(node, &LABELABLE);
        assert!(held <= 1, "a label for {held} things");
    }
    node.children.borrow().iter().for_each(walk);
}

/// Elements of these names below a node.
fn count(node: &Handle, names: &[&str]) -> usize {
    let children = node.children.borrow();
    let own = |child| usize::from(is_any(child, names)) + count(child, names);
    children.iter().map(own).sum()
}

fn is_any(node: &Handle, names: &[&str]) -> bool {
    matches!(&node.data, NodeData::Element { name, .. } if names.contains(&&*name.local))
}

#[test]
fn faults_are_found() {
    let page = |body: &str| {
        format!("<!doctype html><html lang=en><title>t</title><body>{body}</body></html>")
    };
    assert_valid(&page("<p>whole</p><label>one <input></label>"));
    for body in [
        "<p>open <b>bold</p>",
        "<div id=a id=a></div>",
        "<table><p>astray</p></table>",
        "</section>",
        "a &nosuch; b",
        "<label><output></output><input></label>",
    ] {
        let ran = std::panic::catch_unwind(|| assert_valid(&page(body)));
        assert!(ran.is_err(), "{body}");
    }
}
