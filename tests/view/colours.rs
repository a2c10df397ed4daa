//! What colours mean on the page: scales, legends, lists of places, and pictures that are saved.

use crate::browser::Browser;
use crate::common::{Baked, Serving};
use crate::page::WINDOW;
use crate::solid::house;

fn text(browser: &mut Browser, of: &str) -> String {
    let text = browser.evaluate(&format!("{of}.innerText"));
    text.as_str().unwrap().to_owned()
}

#[test]
fn exposure_has_numbers_and_places_to_click() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&format!("{}#layer=exposure", serving.url));
    browser.wait_for("document.querySelectorAll('#places button').length === 8");
    let ticks = text(&mut browser, "document.querySelector('#legend .ticks')");
    assert_eq!(ticks.matches('%').count(), 4, "{ticks}");
    // The scale is fitted: a fiftieth of the map is darkest, and a fiftieth lightest, about.
    let ends = browser.evaluate(
        "(({ panes: [{ classes }] }) => [0, 255].map((end) => classes.filter((n) => n === end).length / classes.length))(viewcell)",
    );
    for end in [0, 1] {
        let share = ends[end].as_f64().unwrap();
        assert!((0.015..0.04).contains(&share), "{ends}");
    }
    let most = text(&mut browser, "document.getElementById('readings')");
    let first = text(&mut browser, "document.querySelector('#places button')");
    let share = first.split(": ").nth(1).unwrap();
    assert!(most.contains(share), "{share} in {most}");
    browser.evaluate("document.querySelector('#places button').click()");
    let place = first.split(": ").next().unwrap();
    browser.wait_for(&format!(
        "viewcell.state.place?.join() === '{place}' && viewcell.state.pinned"
    ));
}

#[test]
fn players_begin_hidden_from_each_other() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let terrain = Baked::demo(&["--crop", "140,120,120,90"]);
    let house = house();
    for bundle in [&terrain.bundle, &house.bundle] {
        let serving = Serving::new(bundle, None);
        browser.open(&format!("{}#layer=frontier", serving.url));
        browser.wait_for("document.getElementById('readings').innerText.includes('Frontier set')");
        let told = text(&mut browser, "document.getElementById('readings')");
        assert!(told.contains("yes"), "{told}");
    }
}

#[test]
fn a_saved_picture_says_what_it_shows() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = house();
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&format!("{}#layer=sight", serving.url));
    // How many pixels of a line are white, above and below the map.
    let white = browser.evaluate(
        "import('/keep.js').then(({ picture }) => {
           const whole = picture(viewcell);
           const context = whole.getContext('2d');
           return [0, whole.height - 30].map((top) => {
             const { data } = context.getImageData(0, top, whole.width, 30);
             let count = 0;
             for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] > 200 && data[i + 2] > 200) count += 1;
             return count;
           });
         })",
    );
    assert!(
        white
            .as_array()
            .unwrap()
            .iter()
            .all(|count| count.as_u64() > Some(100)),
        "{white}"
    );
    // Floors have names on the map.
    let names = browser.evaluate("viewcell.panes[0].ground.labels.map(({ texts }) => texts[0])");
    assert_eq!(names.as_array().unwrap().len(), 2, "{names}");
    assert!(
        names[0].as_str().unwrap().starts_with("floor 1: ground at"),
        "{names}"
    );
    // In a small plan they are short, so that none is written over another.
    let over = "(() => {
      const pane = viewcell.panes[0];
      const context = document.createElement('canvas').getContext('2d');
      const { zoom } = pane.camera;
      const asked = [1, 0.3, 0.05].map((part) => {
        pane.camera.zoom = zoom * part;
        const all = pane.labels(context);
        const ends = all.map(({ x, text }) => x + context.measureText(text).width + 10);
        const isOver = all.some((a, i) => all.some((b, j) => i !== j && b.x >= a.x && ends[i] > b.x && Math.abs(a.y - b.y) < 18));
        return { isOver, texts: all.map(({ text }) => text) };
      });
      pane.camera.zoom = zoom;
      return asked;
    })()";
    let over = browser.evaluate(over);
    for asked in over.as_array().unwrap() {
        assert_eq!(asked["isOver"], false, "{over}");
    }
    let letters = |part: usize| over[part]["texts"].to_string().len();
    assert!(letters(0) > letters(2) && letters(2) > 4, "{over}");
    // Times are for the foot.
    browser.open(&format!("{}#layer=sight&at=200,200,3", serving.url));
    browser.wait_for("document.getElementById('foot').textContent.includes('painted in')");
    let told = text(&mut browser, "document.getElementById('readings')");
    assert!(told.contains("Visible") && !told.contains("ms"), "{told}");
}
