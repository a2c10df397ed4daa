//! Three dimensions beside the map: what is picked there, and what is painted.

use serde_json::Value;
use viewcell_bake::plan::Layers;
use viewcell_bake::{Input, Silent};
use viewcell_simulate::trace::Trace;

use crate::browser::Browser;
use crate::common::{Baked, Serving};
use crate::players;
use crate::solid::house;

const WINDOW: [u32; 2] = [1300, 760];

/// Where a place of the map is in the window, as it is drawn in three dimensions.
fn over(browser: &mut Browser, place: &str) -> [f64; 2] {
    let at = browser.evaluate(&format!(
        "(() => {{
           const {{ scene, panes: [{{ ground }}] }} = viewcell;
           const place = {place};
           scene.drawNow();
           const [x, y] = scene.locate([...ground.middle(place), place[2]]);
           const {{ left, top }} = scene.box.getBoundingClientRect();
           return [x + left, y + top];
         }})()"
    ));
    [0, 1].map(|axis| at[axis].as_f64().unwrap())
}

/// `y` where what is drawn at a point of the window is rather yellow than blue, else `b`.
fn colour(browser: &mut Browser, [x, y]: [f64; 2]) -> Value {
    browser.evaluate(&format!(
        "(() => {{
           const {{ scene }} = viewcell;
           scene.drawNow();
           const {{ gl, canvas, box }} = scene;
           const {{ left, top }} = box.getBoundingClientRect();
           const pixel = new Uint8Array(4);
           gl.readPixels({x} - left, canvas.height - ({y} - top), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
           return pixel[0] > pixel[2] ? 'y' : 'b';
         }})()"
    ))
}

const LOOK_DOWN: &str = "(viewcell.scene.pitch = -1.5, viewcell.scene.draw())";
const DRAWN: &str =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

#[test]
fn places_are_picked_on_the_ground_and_have_the_colours_of_the_map() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&format!("{}#layer=sight&three=orbit", serving.url));
    browser.evaluate(LOOK_DOWN);
    for [column, row] in [[20, 40], [60, 45], [100, 70], [31, 70]] {
        let at = over(&mut browser, &format!("[{column}, {row}]"));
        browser.mouse("mouseMoved", at);
        browser.wait_for(&format!(
            "((p) => p && Math.abs(p[0] - {column}) <= 1 && Math.abs(p[1] - {row}) <= 1)(viewcell.state.place)"
        ));
    }
    browser.evaluate("viewcell.show()");
    browser.evaluate(DRAWN);
    let mut seen = [0, 0];
    for [column, row] in [[10, 10], [31, 72], [50, 50], [70, 20], [90, 60], [110, 80]] {
        let class = browser.evaluate(&format!(
            "viewcell.panes[0].classes[{row} * 120 + {column}]"
        ));
        let at = over(&mut browser, &format!("[{column}, {row}]"));
        let class = usize::from(class == 1);
        assert_eq!(
            colour(&mut browser, at),
            ["b", "y"][class],
            "{column},{row}"
        );
        seen[class] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    // Players are dragged in either.
    browser.open(&format!(
        "{}#layer=frontier&a=20,40&b=90,40&three=orbit",
        serving.url
    ));
    browser.evaluate(LOOK_DOWN);
    let [from, to] = ["[90, 40]", "[95, 50]"].map(|place| over(&mut browser, place));
    browser.mouse("mouseMoved", from);
    browser.mouse("mousePressed", from);
    browser.evaluate(DRAWN);
    browser.mouse("mouseMoved", to);
    browser.evaluate(DRAWN);
    browser.mouse("mouseReleased", to);
    browser.wait_for(
        "((b) => Math.abs(b[0] - 95) <= 1 && Math.abs(b[1] - 50) <= 1)(viewcell.state.b)",
    );
}

#[test]
fn whoever_stands_goes_by_keys_and_the_map_goes_along() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&format!("{}#layer=sight&at=60,45&three=stand", serving.url));
    let eye = "(({ scene }) => scene.eye[2] - scene.world.at(scene.eye))(viewcell)";
    let over_ground = browser.evaluate(eye).as_f64().unwrap();
    assert!((over_ground - 1.8).abs() < 0.01, "{over_ground}");
    browser.evaluate("viewcell.scene.yaw = 0; viewcell.scene.box.focus()");
    for _ in 0..8 {
        browser.key("w");
    }
    browser.wait_for("viewcell.state.place[0] === 60 && viewcell.state.place[1] < 43");
    browser.wait_for("location.hash.includes('three=stand')");
    // A click on the map puts the eye elsewhere.
    browser.evaluate("viewcell.setPlace([20, 20])");
    browser.wait_for("viewcell.scene.world.placeAt(viewcell.scene.eye).join() === '20,20'");
}

#[test]
fn cells_of_a_level_are_picked_and_players_are_drawn() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = house();
    let walks = std::fs::read(baked.path("walks.csv")).unwrap();
    let serving = players::serve(&baked, &Trace::read(&walks[..]).unwrap());
    browser.open(&format!("{}#layer=sight&three=orbit", serving.url));
    browser.evaluate(LOOK_DOWN);
    assert!(
        browser
            .evaluate("viewcell.scene.world.triangles")
            .as_u64()
            .unwrap()
            > 20
    );
    // From above the upper storey is before the lower one.
    let cells = browser.evaluate(
        "(({ scene: { world } }) => {
           const top = Math.max(...[...world.shown].map((cell) => world.boxes[6 * cell + 2]));
           return [...world.shown].filter((cell) => world.boxes[6 * cell + 2] === top).slice(0, 3);
         })(viewcell)",
    );
    for cell in cells.as_array().unwrap() {
        let at = browser.evaluate(&format!(
            "(({{ scene, panes: [{{ ground }}] }}) => {{
               const [x, y, , x1, y1] = scene.world.boxes.subarray(6 * {cell}, 6 * {cell} + 6);
               return [...ground.point([(x + x1) / 2, (y + y1) / 2], {cell}).map(Math.floor), {cell}];
             }})(viewcell)"
        ));
        let at = over(&mut browser, &at.to_string());
        browser.mouse("mouseMoved", at);
        browser.wait_for(&format!("viewcell.state.place?.[2] === {cell}"));
    }
    browser.open(&format!("{}#layer=play&t=1000&three=orbit", serving.url));
    browser.wait_for("viewcell.panes[0].marks.some(({ kind }) => kind === 'walker')");
    browser.evaluate(DRAWN);
    let drawn = browser.evaluate(
        "viewcell.scene.overlay.getContext('2d')
           .getImageData(0, 0, viewcell.scene.overlay.width, viewcell.scene.overlay.height).data.some((byte) => byte > 0)",
    );
    assert_eq!(drawn, true);
}

#[test]
fn a_large_ground_is_drawn_with_few_triangles() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hills.r16");
    let side = 1025_u32;
    let height = |i: u32| {
        3000.0 + 2000.0 * (f64::from(i % side) / 40.0).sin() * (f64::from(i / side) / 50.0).cos()
    };
    let heights = (0..side * side).flat_map(|i| (height(i) as u16).to_le_bytes());
    std::fs::write(&file, heights.collect::<Vec<u8>>()).unwrap();
    let reading = viewcell_ingest::IngestOptions {
        size: Some([side; 2]),
        byte_order: Some(viewcell_ingest::ByteOrder::Little),
        spacing: Some([1.0; 2]),
        vertical_scale: 0.01,
        ..viewcell_ingest::IngestOptions::default()
    };
    let read = Input::terrain(&file, &reading, &Layers::default(), &Silent).unwrap();
    let serving = Serving::unbaked(read, folder.path().join("hills.vcb"));
    browser.open(&format!("{}#layer=plain&three=orbit", serving.url));
    for mode in ["orbit", "stand"] {
        browser.evaluate(&format!(
            "document.querySelector('input[name=eye][value={mode}]').click()"
        ));
        browser.evaluate(DRAWN);
        let drawn = browser.evaluate("(viewcell.scene.drawNow(), viewcell.scene.world.triangles)");
        let drawn = drawn.as_u64().unwrap();
        // Of two million.
        assert!((2_000..500_000).contains(&drawn), "{mode}: {drawn}");
    }
}

#[test]
fn without_webgl_there_is_the_map() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let baked = Baked::demo(&["--crop", "140,120,40,30"]);
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&serving.url);
    browser.evaluate(
        "((own) => {
           HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
             return kind === 'webgl2' ? null : own.call(this, kind, ...rest);
           };
           document.getElementById('three').click();
         })(HTMLCanvasElement.prototype.getContext)",
    );
    browser.wait_for("document.getElementById('notice').textContent.includes('WebGL 2')");
    assert_eq!(
        browser
            .evaluate("viewcell.scene === undefined && document.querySelectorAll('.pane').length"),
        1
    );
}
