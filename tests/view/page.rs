//! The page in a browser: what it paints is what the program says.

use std::fs;

use serde_json::Value;
use tiff::decoder::{Decoder, DecodingResult};

use crate::browser::Browser;
use crate::common::{Baked, Serving, data, text, viewcell};

const WINDOW: [u32; 2] = [1100, 700];

/// The pixels of the map on the screen in the middle of each sample, row by row: `y` for a yellow
/// (or orange) one, `b` for a blue one, `n` for a grey one, `v` for none.
const PAINTED: &str = r#"(() => {
  const { camera, panes: [pane] } = viewcell;
  const { canvas, density, size } = pane;
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let painted = "";
  for (let row = 0; row < pane.ground.height; row += 1) {
    for (let column = 0; column < pane.ground.width; column += 1) {
      const [x, y] = camera.toPane([column + 0.5, row + 0.5], size).map((at) => Math.floor(at * density));
      const at = 4 * (y * canvas.width + x);
      const [r, g, b, a] = pixels.subarray(at, at + 4);
      painted += a === 0 ? "v" : r > 1.3 * b ? "y" : b > 1.3 * r ? "b" : "n";
    }
  }
  return painted;
})()"#;

/// The point of the window over the middle of a sample.
fn over(browser: &mut Browser, [column, row]: [u32; 2]) -> [f64; 2] {
    let at = browser.evaluate(&format!(
        r#"(() => {{
          const {{ camera, panes: [pane] }} = viewcell;
          const box = pane.box.getBoundingClientRect();
          const [x, y] = camera.toPane([{column} + 0.5, {row} + 0.5], pane.size);
          return [x + box.left, y + box.top];
        }})()"#
    ));
    [0, 1].map(|i| at[i].as_f64().unwrap())
}

/// Waits until nothing is asked any more, and gives what is painted.
fn painted(browser: &mut Browser) -> String {
    browser.evaluate("viewcell.show()");
    browser.evaluate(PAINTED).as_str().unwrap().to_owned()
}

/// What `query pvs` says, as the page paints it.
fn seen(baked: &Baked, place: &str) -> String {
    let mask = baked.path("mask.tif");
    let bundle = text(&baked.bundle);
    viewcell(&["query", "pvs", bundle, place, "-o", text(&mask), "--force"]);
    let mut decoder = Decoder::new(fs::File::open(mask).unwrap()).unwrap();
    let DecodingResult::U8(mask) = decoder.read_image().unwrap() else {
        panic!("not a mask of bytes");
    };
    mask.iter()
        .map(|seen| if *seen == 1 { 'y' } else { 'b' })
        .collect()
}

/// What `frontier` says, as the page paints it.
fn halves(baked: &Baked, width: usize, samples: usize, [a, b]: [&str; 2]) -> (String, Value) {
    let members = baked.path("members.txt");
    let arguments = ["frontier", text(&baked.bundle), a, b, "--json", "--force"];
    let document = viewcell(&[&arguments[..], &["--members", text(&members)]].concat());
    let mut painted = vec![b'n'; samples];
    for line in fs::read_to_string(members).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [column, row] = [1, 2].map(|i| words[i].parse::<usize>().unwrap());
        painted[row * width + column] = if words[0] == "a" { b'b' } else { b'y' };
    }
    let document = serde_json::from_str(&document).unwrap();
    (String::from_utf8(painted).unwrap(), document)
}

/// Hovers over places, and drags a player from the first of `drag` along the others.
fn explore(baked: &Baked, [width, height]: [u32; 2], hover: &[[u32; 2]], drag: &[[u32; 2]]) {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let serving = Serving::new(&baked.bundle, None);
    let name = |[column, row]: [u32; 2]| format!("{column},{row}");
    browser.open(&serving.url);
    for place in hover {
        let at = over(&mut browser, *place);
        browser.mouse("mouseMoved", at);
        assert_eq!(
            painted(&mut browser),
            seen(baked, &name(*place)),
            "{place:?}"
        );
    }

    let (a, b) = (name(hover[0]), name(drag[0]));
    browser.open(&format!("{}#layer=frontier&a={a}&b={b}", serving.url));
    let mut at = over(&mut browser, drag[0]);
    browser.mouse("mouseMoved", at);
    browser.mouse("mousePressed", at);
    for place in &drag[1..] {
        at = over(&mut browser, *place);
        browser.mouse("mouseMoved", at);
        let samples = (width * height) as usize;
        let (expected, document) = halves(baked, width as usize, samples, [&a, &name(*place)]);
        assert_eq!(painted(&mut browser), expected, "{place:?}");
        let told = browser.evaluate("document.getElementById('readings').innerText");
        let told = told.as_str().unwrap().replace(',', "");
        for size in [&document["size_a"], &document["size_b"]] {
            assert!(told.contains(&size.to_string()), "{size} in {told}");
        }
    }
    browser.mouse("mouseReleased", at);
    browser.wait_for("viewcell.checked[0]?.startsWith('valid') || viewcell.checked[0] === '–'");
}

#[test]
fn hovering_paints_the_pvs_and_dragging_the_frontiers() {
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let hover = [[20, 40], [0, 0], [119, 89], [31, 70]];
    let drag = [[90, 40], [92, 44], [101, 61], [17, 80]];
    explore(&baked, [120, 90], &hover, &drag);
}

#[test]
fn the_same_in_a_city() {
    let Some(bilbao) = data("terrain/bilbao_dsm_500.tif") else {
        return;
    };
    let crop = ["--crop", "200,200,96,64", "--visibility", "exact"];
    let baked = Baked::new("terrain", &bilbao, &crop);
    let hover = [[10, 20], [95, 0], [48, 33]];
    let drag = [[80, 50], [84, 52], [40, 60]];
    explore(&baked, [96, 64], &hover, &drag);
}

#[test]
fn keys_move_the_place_and_links_bring_it_back() {
    let baked = Baked::demo(&["--crop", "140,120,60,50"]);
    let serving = Serving::new(&baked.bundle, None);
    let Some(mut browser) = Browser::start([375, 700]) else {
        return;
    };
    browser.open(&format!("{}#layer=sight&at=30,20", serving.url));
    browser.evaluate("viewcell.panes[0].box.focus()");
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"] {
        browser.key(key);
    }
    assert_eq!(painted(&mut browser), seen(&baked, "31,21"));
    browser.wait_for("location.hash.includes('at=31,21')");
    let link = browser.evaluate("location.href");
    browser.key("2");
    browser.wait_for("viewcell.painted.layer === 'frontier'");
    browser.open(link.as_str().unwrap());
    assert_eq!(painted(&mut browser), seen(&baked, "31,21"));
    // On a phone nothing hangs over the edge.
    let wide = browser.evaluate("document.documentElement.scrollWidth");
    assert_eq!(wide, 375);
}

#[test]
fn a_bundle_that_is_replaced_reloads_the_page_which_says_so() {
    let baked = Baked::demo(&["--crop", "140,120,60,50"]);
    let other = Baked::demo(&["--crop", "20,20,30,40"]);
    let serving = Serving::new(&baked.bundle, None);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&serving.url);
    fs::rename(&other.bundle, &baked.bundle).unwrap();
    browser.wait_for(
        "document.getElementById('notice')?.innerText.includes('replaced') \
         && window.viewcell?.panes[0]?.ground.width === 30",
    );
}
