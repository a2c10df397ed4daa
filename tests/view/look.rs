//! `viewcell report --interactive`: a page that answers from the bundle it holds, opened as a file.

use std::path::Path;

use serde_json::Value;

use crate::browser::Browser;
use crate::common::{Baked, text, viewcell};

fn page(baked: &Baked) -> String {
    let page = baked.path("report.html");
    let bundle = text(&baked.bundle);
    viewcell(&[
        "report",
        bundle,
        "-o",
        text(&page),
        "--interactive",
        "--force",
        "--quiet",
    ]);
    let html = std::fs::read_to_string(&page).unwrap();
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    let tree = roxmltree::Document::parse_with_options(&html, options).unwrap();
    // Nothing comes from elsewhere.
    for node in tree.descendants() {
        let fetched = node.attribute("src").or(node.attribute("href"));
        assert!(fetched.is_none_or(|from| from.starts_with("data:")));
    }
    format!("file://{}", text(&page))
}

fn told(browser: &mut Browser) -> String {
    let told = browser.evaluate("document.getElementById('told').textContent");
    told.as_str().unwrap().to_owned()
}

fn answer(browser: &mut Browser) -> String {
    let answer = browser.evaluate("document.getElementById('look').dataset.answer");
    answer.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_page_of_a_terrain_answers_as_the_program_does() {
    let Some(mut browser) = Browser::start([900, 1000]) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "60,40,70,53"]);
    let url = page(&baked);
    let bundle = text(&baked.bundle);
    for place in ["0,0", "35,26", "69,52"] {
        browser.open(&format!("{url}#{place}"));
        let pvs = viewcell(&["query", "pvs", bundle, place, "--json"]);
        let pvs: Value = serde_json::from_str(&pvs).unwrap();
        let seen = pvs["visible"].as_u64().unwrap();
        let words = told(&mut browser);
        assert!(
            words
                .replace(',', "")
                .contains(&format!("sees {seen} of 3710")),
            "{words}, {seen}"
        );
        for other in ["3,50", "40,30", "68,2", "35,27", "12,12"] {
            browser.open(&format!("{url}#{place};{other}"));
            let pairs = baked.path("pairs.txt");
            std::fs::write(&pairs, format!("{place} {other}").replace(',', " ")).unwrap();
            let said = viewcell(&["query", "visible", bundle, "--pairs", text(&pairs)]);
            let said = match said.trim() {
                "1" => "visible",
                _ => "hidden",
            };
            assert_eq!(answer(&mut browser), said, "{place} {other}");
        }
    }
    // By mouse: hold a place, look at another, let go.
    browser.open(&url);
    let canvas = browser.evaluate(
        "(() => { document.querySelector('#look canvas').scrollIntoView();
           const { left, top, width, height } = document.querySelector('#look canvas').getBoundingClientRect();
           return [left, top, width, height]; })()",
    );
    let [left, top, width, height] =
        [0, 1, 2, 3].map(|number: usize| canvas[number].as_f64().unwrap());
    let at = |c: f64, r: f64| {
        [
            left + (c + 0.5) / 70.0 * width,
            top + (r + 0.5) / 53.0 * height,
        ]
    };
    let say = "document.getElementById('told').textContent";
    browser.mouse("mouseMoved", at(35.0, 26.0));
    browser.wait_for(&format!("{say}.startsWith('35,26')"));
    browser.mouse("mousePressed", at(35.0, 26.0));
    browser.mouse("mouseReleased", at(35.0, 26.0));
    browser.wait_for("location.hash === '#35,26'");
    browser.mouse("mouseMoved", at(35.0, 27.0));
    browser.wait_for(&format!("{say}.includes('from 35,26')"));
    assert_eq!(answer(&mut browser), "visible");
    // What is drawn differs where it differs.
    let colours = browser.evaluate(
        "new Set(new Uint32Array(document.querySelector('#look canvas').getContext('2d')
           .getImageData(0, 0, 70, 53).data.buffer)).size",
    );
    assert!(colours.as_u64() >= Some(2), "{colours}");
    browser.evaluate("document.querySelector('#look canvas').focus()");
    browser.key("ArrowDown");
    browser.wait_for("location.hash === '#35,27'");
}

#[test]
fn a_page_of_a_level_answers_as_the_program_does() {
    let Some(mut browser) = Browser::start([900, 1000]) else {
        return;
    };
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/cells/rooms.bsp");
    let baked = Baked::new("cells", &rooms, &[]);
    let url = page(&baked);
    let bundle = text(&baked.bundle);
    let mut told_apart = [0, 0];
    for a in [0, 2, 11] {
        for b in [1, 5, 20, 23] {
            browser.open(&format!("{url}#{a};{b}"));
            let pairs = baked.path("pairs.txt");
            std::fs::write(&pairs, format!("{a} {b}")).unwrap();
            let said = viewcell(&["query", "visible", bundle, "--pairs", text(&pairs)]);
            let is_seen = said.trim() == "1";
            told_apart[usize::from(is_seen)] += 1;
            let expected = if is_seen { "visible" } else { "hidden" };
            assert_eq!(answer(&mut browser), expected, "{a} {b}");
        }
    }
    assert!(told_apart.iter().all(|&count| count > 0), "{told_apart:?}");
}
