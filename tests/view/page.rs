//! The page in a browser: what it paints is what the program says.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tiff::decoder::{Decoder, DecodingResult};
use viewcell::query::{MappedBundle, Place, Sample, World};
use viewcell::session::{Session, SessionOptions};

use crate::browser::Browser;
use crate::common::{Baked, Serving, text, viewcell};
use crate::data::data;

pub const WINDOW: [u32; 2] = [1100, 700];

/// A page's pixels on the screen in the middle of each pixel of its map, row by row: `y` for a
/// yellow (or orange) one, `b` for a blue one, `n` for another, `v` for none.
const PAINTED: &str = r#"((pane) => {
  const { canvas, camera, density, ground, size } = pane;
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let painted = "";
  for (let row = 0; row < ground.height; row += 1) {
    for (let column = 0; column < ground.width; column += 1) {
      const [x, y] = camera.toPane([column + 0.5, row + 0.5], size).map((at) => Math.floor(at * density));
      const at = 4 * (y * canvas.width + x);
      const [r, g, b, a] = pixels.subarray(at, at + 4);
      painted += a === 0 ? "v" : r > 1.3 * b ? "y" : b > 1.3 * r ? "b" : "n";
    }
  }
  return painted;
})"#;

/// The point of the window over the middle of a sample.
pub fn over(browser: &mut Browser, [column, row]: [u32; 2]) -> [f64; 2] {
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

/// Waits until nothing is asked any more, and gives what is painted in a pane.
fn painted_in(browser: &mut Browser, pane: usize) -> String {
    browser.evaluate("viewcell.show()");
    // What was told may have changed the size of the map, which is fitted with the next frame.
    browser.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    let painted = browser.evaluate(&format!("{PAINTED}(viewcell.panes[{pane}])"));
    painted.as_str().unwrap().to_owned()
}

pub fn painted(browser: &mut Browser) -> String {
    painted_in(browser, 0)
}

/// What the page tells in words, without the commas in numbers.
fn told(browser: &mut Browser) -> String {
    let told = browser.evaluate("document.getElementById('readings').innerText");
    told.as_str().unwrap().replace(',', "")
}

/// What `query pvs` says, as the page paints it.
pub fn seen(baked: &Baked, place: &str) -> String {
    seen_in(baked, &baked.bundle, place)
}

fn seen_in(baked: &Baked, bundle: &Path, place: &str) -> String {
    let mask = baked.path("mask.tif");
    let bundle = text(bundle);
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
pub fn halves(baked: &Baked, width: usize, samples: usize, [a, b]: [&str; 2]) -> (String, Value) {
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
        let told = told(&mut browser);
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
fn places_on_coarse_cells_are_told_by_samples() {
    let baked = Baked::demo(&["--crop", "140,120,41,30", "--finest", "3"]);
    let serving = Serving::new(&baked.bundle, None);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&format!("{}#layer=sight&at=17,4&level=1", serving.url));
    painted(&mut browser);
    let told = told(&mut browser);
    assert!(
        // Without the comma between column and row.
        told.contains("193 and its cell of 8 × 8 samples"),
        "{told}"
    );
    assert!(told.contains(" cells ("), "{told}");
    for (id, words) in [
        ("side", "16 × 16 samples"),
        ("subject", "41 × 30 samples in cells of 8 × 8"),
    ] {
        let text = browser.evaluate(&format!("document.getElementById('{id}').innerText"));
        assert!(text.as_str().unwrap().contains(words), "{text}");
    }
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

/// The numbers of an array of the page.
fn numbers(browser: &mut Browser, array: &str) -> Vec<f64> {
    // As text: JSON has no NaN.
    let text = browser.evaluate(&format!("{array}.join()"));
    let numbers = text
        .as_str()
        .unwrap()
        .split(',')
        .map(|n| n.parse().unwrap());
    numbers.collect()
}

#[test]
fn a_level_is_drawn_by_its_bsp_and_painted_as_the_program_says() {
    let Some(level) = data("cells/q1-bsp29/e1m1.bsp") else {
        return;
    };
    let Some(mut browser) = Browser::start([1300, 1600]) else {
        return;
    };
    let baked = Baked::new("cells", &level, &[]);
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&serving.url);

    // Each pixel is of the cell that the runtime locates just above its floor.
    let cells = numbers(&mut browser, "viewcell.panes[0].ground.cells");
    let floors = numbers(&mut browser, "viewcell.panes[0].ground.floors");
    let ground = browser.evaluate(
        "(({ width, corner, scale }) => [width, ...corner, scale])(viewcell.panes[0].ground)",
    );
    let [width, left, top, pixel] = [0, 1, 2, 3].map(|i| ground[i].as_f64().unwrap());
    let map = MappedBundle::open(&baked.bundle).unwrap();
    let bundle = map.bundle().unwrap().cells().unwrap();
    let mut drawn = HashSet::new();
    for (i, (cell, floor)) in cells.iter().zip(&floors).enumerate() {
        if floor.is_nan() {
            continue;
        }
        let (column, row) = (i as f64 % width, (i as f64 / width).floor());
        let [x, y] = [left + (column + 0.5) * pixel, top - (row + 0.5) * pixel];
        let located = bundle.locate([x, y, floor + 0.02]);
        assert_eq!(located, Some(*cell as u32), "{x} {y} {floor}");
        drawn.insert(*cell as u32);
    }
    assert!(drawn.len() > bundle.cells() as usize / 4, "{}", drawn.len());

    let paint = |class: &dyn Fn(u64) -> char| -> String {
        let floors = cells.iter().zip(&floors);
        floors
            .map(|(cell, f)| if f.is_nan() { 'v' } else { class(*cell as u64) })
            .collect()
    };
    let list = |value: &Value| -> HashSet<u64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| cell.as_u64().unwrap())
            .collect()
    };
    let mut places = Vec::new();
    for part in [0.21, 0.5, 0.83] {
        let i = (part * cells.len() as f64) as usize;
        let i = (i..).find(|i| !floors[*i].is_nan()).unwrap();
        let place = [i as u32 % width as u32, i as u32 / width as u32];
        places.push((place, cells[i] as u64));
        let at = over(&mut browser, place);
        browser.mouse("mouseMoved", at);
        let cell = cells[i].to_string();
        let document = viewcell(&["query", "pvs", text(&baked.bundle), &cell, "--json"]);
        let document: Value = serde_json::from_str(&document).unwrap();
        let seen = list(&document["cells"]);
        let expected = paint(&|cell| if seen.contains(&cell) { 'y' } else { 'b' });
        assert!(painted(&mut browser) == expected, "cell {cell}");
    }

    let [(a, cell_a), (b, cell_b), _] = places[..] else {
        panic!("three places");
    };
    let link = |[x, y]: [u32; 2], cell: u64| format!("{x},{y},{cell}");
    let players = format!("a={}&b={}", link(a, cell_a), link(b, cell_b));
    browser.open(&format!("{}#layer=frontier&{players}", serving.url));
    let [a, b] = [cell_a, cell_b].map(|cell| cell.to_string());
    let document = viewcell(&["frontier", text(&baked.bundle), &a, &b, "--json"]);
    let document: Value = serde_json::from_str(&document).unwrap();
    let [region_a, region_b] = ["region_a", "region_b"].map(|name| list(&document[name]));
    let expected = paint(
        &|cell| match (region_a.contains(&cell), region_b.contains(&cell)) {
            (true, _) => 'b',
            (_, true) => 'y',
            _ => 'n',
        },
    );
    assert!(painted(&mut browser) == expected, "{a} and {b}");
    let told = told(&mut browser);
    assert!(told.contains(&document["size_a"].to_string()), "{told}");
}

#[test]
fn side_by_side_what_one_bundle_alone_shows_stands_out() {
    let baked = Baked::demo(&["--crop", "140,120,80,60"]);
    let small = baked.path("small.vcb");
    let budget = (fs::metadata(&baked.bundle).unwrap().len() * 2 / 3).to_string();
    viewcell(&[
        "repack",
        text(&baked.bundle),
        "--budget",
        &budget,
        "-o",
        text(&small),
    ]);
    let serving = Serving::new(&baked.bundle, Some(&small));
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let mut differ = 0;
    for place in ["10,20", "70,50", "40,30"] {
        browser.open(&format!("{}#layer=sight&at={place}", serving.url));
        let whole = seen(&baked, place);
        let squeezed = seen_in(&baked, &small, place);
        let expected: String = whole
            .chars()
            .zip(squeezed.chars())
            .map(|(whole, squeezed)| if whole == squeezed { whole } else { 'n' })
            .collect();
        differ += expected.matches('n').count();
        // A budget only ever makes visible what was hidden.
        assert_eq!(painted_in(&mut browser, 0), whole, "{place}");
        assert_eq!(painted_in(&mut browser, 1), expected, "{place}");
    }
    assert!(differ > 0, "the budget lost nothing");
}

#[test]
fn walking_by_keyboard_counts_every_step_and_renegotiation() {
    let baked = Baked::demo(&["--crop", "140,120,60,50"]);
    let serving = Serving::new(&baked.bundle, None);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&format!("{}#layer=walk&a=5,25&b=55,25", serving.url));
    browser.evaluate("viewcell.panes[0].box.focus()");
    for _ in 0..45 {
        browser.key("ArrowRight");
    }
    browser.wait_for(r"/Steps\s+45\b/.test(document.getElementById('readings').innerText)");
    assert_eq!(browser.evaluate("viewcell.state.a.join()"), "50,25");
    // The same walk by the runtime.
    let map = MappedBundle::open(&baked.bundle).unwrap();
    let options = SessionOptions {
        peers: true,
        ..SessionOptions::default()
    };
    let mut session = Session::new(&World::Terrain(map.terrain().unwrap()), 2, options);
    let mut walk = |player, column| {
        let place = Some(Some(Place::Sample(Sample::new(column, 25))));
        session.move_to(player, place, |_| ()).unwrap();
        session.tick();
        session.sets()
    };
    walk(0, 5);
    walk(1, 55);
    let sets = (6..=50).map(|column| walk(0, column)).last().unwrap();
    let told = told(&mut browser);
    let line = told
        .lines()
        .find(|line| line.starts_with("Sets agreed on"))
        .unwrap();
    assert_eq!(
        line.split_whitespace().last(),
        Some(&*sets.to_string()),
        "{told}"
    );
}
