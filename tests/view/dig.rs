//! Ground that is dug in on the page: what it paints is what the definition says of the new ground.

use std::time::{Duration, Instant};

use viewcell_bake::bundle::TerrainParts;
use viewcell_bake::visibility::{Bodies, sees};
use viewcell_ingest::world::Terrain;
use viewcell_view::live::Server;

use crate::browser::Browser;
use crate::common::{Baked, Serving};
use crate::page::{WINDOW, over, painted};

const PLAYERS: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};

/// Whom a sample sees by the definition, as the page paints it.
fn seen(terrain: &Terrain, from: (u32, u32)) -> String {
    let places = (0..terrain.height()).flat_map(|r| (0..terrain.width()).map(move |c| (c, r)));
    places
        .map(|to| {
            if sees(terrain, PLAYERS, from, to) {
                'y'
            } else {
                'b'
            }
        })
        .collect()
}

#[test]
fn a_click_makes_a_crater_and_sight_follows() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "140,120,90,70"]);
    let server = Server::bind(&baked.bundle, None, None).unwrap();
    let serving = Serving::of(server.digging().unwrap());
    let parts = TerrainParts::read(&baked.bundle).unwrap();
    let [dx, dy] = parts.header.parameters.cell_spacing;
    let before = Terrain::new(90, 70, parts.heights, [dx, dy]).unwrap();

    browser.open(&serving.url);
    let eye = (20, 40);
    let at = over(&mut browser, eye.into());
    browser.mouse("mouseMoved", at);
    assert_eq!(painted(&mut browser), seen(&before, eye));
    browser.key("p");
    browser.evaluate("document.getElementById('radius').value = 12");
    browser.evaluate("document.getElementById('depth').value = 40");
    let middle = (31, 36);
    let at = over(&mut browser, middle.into());
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        browser.mouse(kind, at);
    }
    browser.wait_for("viewcell.live.version === 1");
    browser.wait_for("viewcell.live.decided === 1");
    // The same bowl.
    let metres = dx.min(dy);
    let heights = (0..70)
        .flat_map(|r| (0..90).map(move |c| (c, r)))
        .map(|(c, r)| {
            let x = (f64::from(c) - f64::from(middle.0)) * dx / (12.0 * metres);
            let y = (f64::from(r) - f64::from(middle.1)) * dy / (12.0 * metres);
            let left = 1.0 - x * x - y * y;
            before.at(c, r)
                - if left > 0.0 {
                    10.0 * metres * left.sqrt()
                } else {
                    0.0
                }
        });
    let after = Terrain::new(90, 70, heights.collect(), [dx, dy]).unwrap();
    let expected = seen(&after, eye);
    assert!(
        expected != seen(&before, eye),
        "a crater that nobody notices"
    );
    let begun = Instant::now();
    // The page asks again when it has learnt of the patch.
    while painted(&mut browser) != expected {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "not what the definition says"
        );
    }
    let told = browser.evaluate("document.getElementById('readings').innerText");
    assert!(told.as_str().unwrap().contains("Being decided"), "{told}");
    assert_eq!(browser.evaluate("viewcell.said ?? ''"), "");
    // Exposure is that of the new ground, and walks are not offered.
    browser.open(&format!("{}#layer=exposure", serving.url));
    browser.wait_for("viewcell.exposures?.[0].head.version === 1");
    let hidden = "document.querySelector('input[value=walk]').closest('label').hidden";
    assert_eq!(browser.evaluate(hidden), true);
}

#[test]
fn what_cannot_be_dug_is_refused_in_words() {
    let baked = Baked::demo(&["--crop", "140,120,40,40"]);
    let serving = Serving::of(
        Server::bind(&baked.bundle, None, None)
            .unwrap()
            .digging()
            .unwrap(),
    );
    let post = |path: &str| {
        let (status, words) = serving.request("POST", path, "");
        (status, String::from_utf8(words).unwrap())
    };
    let (status, words) = post("/api/0/dig?at=5,5&radius=0&depth=1&do=dig");
    assert!(status == 400 && words.contains("radius=0"), "{words}");
    for path in [
        "/api/0/dig?at=99,5&radius=90&depth=1&do=dig",
        "/api/0/dig?at=5,5&radius=NaN&depth=1&do=dig",
        "/api/0/dig?at=5,5&radius=90&depth=1e9&do=dig",
        // These made voids.
        "/api/0/dig?at=5,5&radius=90&depth=nan&do=dig",
        "/api/0/dig?at=5,5&radius=90&depth=-inf&do=raise",
        "/api/0/dig?at=5,5&radius=90&depth=1&do=blast",
        "/api/0/dig?at=5,5&radius=90",
    ] {
        let (status, words) = post(path);
        assert_eq!(status, 400, "{path}: {words}");
    }
    // Without digging there is nothing to ask.
    let still = Serving::new(&baked.bundle, None);
    let (status, words) = still.request("GET", "/api/0/live", "");
    let words = String::from_utf8(words).unwrap();
    assert!(
        status == 404 && words.contains("cannot be changed"),
        "{words}"
    );
}
