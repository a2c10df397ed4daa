//! Solid levels on the page, a floor at a time.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::browser::Browser;
use crate::brushes::brush;
use crate::common::{Baked, Serving, text, viewcell};
use crate::page::{over, painted};
use crate::players;

/// A house of two storeys, with a hole in the floor of the upper one and two rooms in the lower one, and `walks.csv`:
/// three players in it, one of them upstairs.
pub fn house() -> Baked {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("house.map");
    fs::write(&level, house_map()).unwrap();
    let baked = Baked::new("solid", &level, &["--cell", "32"]);
    let mut walks = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n".to_owned();
    for tick in 0..=60 {
        let (time, y) = (tick * 50, 40 + 3 * tick);
        walks += &format!(
            "{time},0,64,{y},24,0,0,0\n{time},1,448,64,24,0,0,0\n{time},2,64,{y},216,0,0,0\n"
        );
    }
    fs::write(baked.path("walks.csv"), walks).unwrap();
    baked
}

/// The level of that house.
pub fn house_map() -> String {
    let brushes = [
        ([-16, -16, -16], [528, 272, 0]),
        ([-16, -16, 400], [528, 272, 416]),
        ([-16, -16, 0], [0, 272, 400]),
        ([512, -16, 0], [528, 272, 400]),
        ([0, -16, 0], [512, 0, 400]),
        ([0, 256, 0], [512, 272, 400]),
        ([0, 0, 176], [384, 256, 192]),
        ([248, 0, 0], [264, 176, 176]),
    ];
    let brushes: String = brushes.map(|(low, high)| brush(low, high)).concat();
    let starts = ["64 64 32", "64 64 224"].map(|origin| {
        format!("{{\n\"classname\" \"info_player_start\"\n\"origin\" \"{origin}\"\n}}\n")
    });
    let world = format!("{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n");
    world + &starts.concat()
}

/// The head of an answer, and the numbers behind it.
pub fn answer(serving: &Serving, path: &str) -> (Value, Vec<u8>) {
    let (status, body) = serving.request("GET", path, "");
    assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    let length = 4 + u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
    let head = serde_json::from_slice(&body[4..length]).unwrap();
    (head, body[length..].to_vec())
}

/// The cells of a set.
fn cells(bits: &[u8]) -> HashSet<u64> {
    let all = 0..8 * bits.len() as u64;
    all.filter(|cell| bits[*cell as usize / 8] >> (cell % 8) & 1 == 1)
        .collect()
}

fn list(value: &Value) -> HashSet<u64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|cell| cell.as_u64().unwrap()).collect()
}

fn ask(baked: &Baked, verb: &[&str], more: &[&str]) -> Value {
    let arguments = [verb, &[text(&baked.bundle)], more, &["--json"]].concat();
    serde_json::from_str(&viewcell(&arguments)).unwrap()
}

/// The cell that holds a position.
fn cell_at(baked: &Baked, place: &str) -> String {
    let document = ask(baked, &["query", "pvs"], &[place]);
    document["cell"].to_string()
}

#[test]
fn a_solid_level_is_answered_as_the_program_says() {
    let baked = house();
    let serving = Serving::new(&baked.bundle, None);
    let about = answer(&serving, "/api/about").0["panes"][0].clone();
    assert_eq!(about["kind"], "solid");
    let count = about["cells"].as_u64().unwrap();

    // Two floors; a player who stands is in the cell that is drawn there.
    let (head, body) = answer(&serving, "/api/0/ground");
    let floors = head["floors"].as_array().unwrap();
    assert_eq!(floors.len(), 2, "{head}");
    let [width, height] = ["width", "height"].map(|side| head[side].as_u64().unwrap() as usize);
    let each = width * height;
    assert_eq!(body.len(), 2 * each * 5 + count as usize);
    let number = |value: &Value| value.as_f64().unwrap();
    for (floor, place) in ["64,64,24", "448,64,24", "64,64,216"].iter().enumerate() {
        let floor = floor / 2;
        let at: Vec<f64> = place.split(',').map(|n| n.parse().unwrap()).collect();
        let column = (at[0] - number(&head["corner"][0])) / number(&head["pixel"]);
        let row = (number(&head["corner"][1]) - at[1]) / number(&head["pixel"]);
        let pixel = floor * each + row as usize * width + column as usize;
        let drawn = u32::from_le_bytes(body[4 * pixel..4 * pixel + 4].try_into().unwrap());
        assert_eq!(drawn.to_string(), cell_at(&baked, place), "{place}");
        assert_eq!(usize::from(body[8 * each + drawn as usize]), floor);
        assert!(body[8 * each + count as usize + pixel] > 0);
    }

    let places = ["64,64,24", "448,64,24", "64,64,216"].map(|place| cell_at(&baked, place));
    for cell in &places {
        let (head, body) = answer(&serving, &format!("/api/0/pvs?at={cell}"));
        let document = ask(&baked, &["query", "pvs"], &[cell]);
        assert_eq!(cells(&body), list(&document["cells"]));
        assert_eq!(head["seen"], document["visible"]);
        assert!(number(&head["bounds"][0][2]) <= number(&head["bounds"][1][2]));
    }

    let [a, b] = [&places[0], &places[2]];
    let path = format!("a={a}&b={b}&reach=");
    let (head, body) = answer(&serving, &format!("/api/0/frontier?{path}0"));
    let document = ask(&baked, &["frontier"], &[a, b]);
    let (of_a, of_b) = body.split_at(body.len() / 2);
    assert_eq!(cells(of_a), list(&document["region_a"]));
    assert_eq!(cells(of_b), list(&document["region_b"]));
    assert!(
        head["visible"] == false && head["within"] == false,
        "{head}"
    );
    let far = answer(&serving, &format!("/api/0/frontier?{path}600")).0;
    assert_eq!(far["within"], true);
    let checked = answer(
        &serving,
        &format!("/api/0/check?{path}").replace("&reach=", ""),
    )
    .0;
    assert!(
        checked["holds"] == true && checked["looked"].as_u64() > Some(0),
        "{checked}"
    );

    // Who sees each cell, counted one by one.
    let (head, body) = loop {
        let found = answer(&serving, "/api/0/exposure");
        if found.0["most"].is_u64() {
            break found;
        }
    };
    let mut seen_by = vec![0_u32; count as usize];
    for cell in 0..count {
        let seen = answer(&serving, &format!("/api/0/pvs?at={cell}")).1;
        cells(&seen)
            .into_iter()
            .for_each(|cell| seen_by[cell as usize] += 1);
    }
    let counted = body
        .chunks_exact(4)
        .map(|n| u32::from_le_bytes(n.try_into().unwrap()));
    assert_eq!(counted.collect::<Vec<_>>(), seen_by);
    assert_eq!(head["most"], *seen_by.iter().max().unwrap());

    let walk = |path: &str| {
        let (status, body) = serving.request("POST", path, "");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice::<Value>(&body[4..4 + length]).unwrap()
    };
    let begun = walk(&format!("/api/0/walk?a={a}&b={b}"));
    assert!(
        begun["sets"] == 1 && begun["sizes"][0].as_u64() > Some(0),
        "{begun}"
    );
    let stayed = walk(&format!("/api/0/walk/{}?a={a}", begun["walk"]));
    assert_eq!((&stayed["sets"], &stayed["ticks"]), (&1.into(), &2.into()));

    for (path, status) in [
        (format!("/api/0/pvs?at={count}"), 400),
        ("/api/0/pvs?at=1,2".into(), 400),
        ("/api/0/pvs".into(), 400),
        (format!("/api/0/frontier?a=0&b={count}"), 400),
        ("/api/0/frontier?a=0&b=1&reach=-1".into(), 400),
        ("/api/0/frontier?a=0&b=1&reach=NaN".into(), 400),
        ("/api/0/frontier?a=0&b=1&reach=far".into(), 400),
        ("/api/0/check?a=0".into(), 400),
        ("/api/0/distances?at=0".into(), 404),
        ("/api/1/ground".into(), 404),
    ] {
        let (found, words) = serving.request("GET", &path, "");
        assert_eq!(found, status, "{path}");
        assert!(!words.is_empty(), "{path}");
    }
}

#[test]
fn floors_of_a_solid_level_are_painted_and_players_walk_on_them() {
    let baked = house();
    let Some(mut browser) = Browser::start([1300, 1600]) else {
        return;
    };
    let serving = Serving::new(&baked.bundle, None);
    browser.open(&serving.url);
    let ground = "viewcell.panes[0].ground";
    // What is painted is what the program says, on both floors and on one.
    for (floor, place, cell) in [
        ("", 0, "64,64,24"),
        ("1", 1, "64,64,216"),
        ("0", 0, "448,64,24"),
    ] {
        browser.evaluate(&format!(
            "(() => {{
              const select = document.getElementById('floor');
              select.value = '{floor}';
              select.dispatchEvent(new Event('change'));
              return viewcell.show();
            }})()"
        ));
        let cell = cell_at(&baked, cell);
        let at = browser.evaluate(&format!(
            "(() => {{
              const {{ cells, width, floorOf }} = {ground};
              const at = cells.indexOf({cell}) + 2 * width + 2;
              return [at % width, Math.floor(at / width), cells[at], floorOf[{cell}]];
            }})()"
        ));
        assert_eq!(
            (at[2].to_string(), at[3].as_u64()),
            (cell.clone(), Some(place))
        );
        let [x, y] = [0, 1].map(|i| at[i].as_u64().unwrap() as u32);
        let pointer = over(&mut browser, [x, y]);
        browser.mouse("mouseMoved", pointer);
        let painted = painted(&mut browser);
        let document = ask(&baked, &["query", "pvs"], &[&cell]);
        let seen = list(&document["cells"]);
        let drawn = browser.evaluate(&format!("Array.from({ground}.cells).join()"));
        let pixels = drawn.as_str().unwrap().split(',').zip(painted.chars());
        let (mut told, mut wrong) = (HashSet::new(), 0);
        for (drawn, colour) in pixels {
            let drawn: u64 = drawn.parse().unwrap();
            let expected = match (drawn, seen.contains(&drawn)) {
                (0xffff_ffff, _) => continue,
                (_, true) => 'y',
                (_, false) => 'b',
            };
            wrong += usize::from(colour != expected);
            told.insert(expected);
        }
        // Both floors hardly fit on the screen, whose pixels are not quite those of the plans.
        assert!(
            wrong <= if floor.is_empty() { 200 } else { 0 },
            "{wrong} from {cell}"
        );
        assert!(told.len() == 2 || floor == "1", "{told:?}");
        let words = browser.evaluate("document.getElementById('readings').innerText");
        let words = words.as_str().unwrap().replace(',', "");
        for word in [
            format!("{cell} · floor"),
            "Positions".into(),
            seen.len().to_string(),
        ] {
            assert!(words.contains(&word), "{word} in {words}");
        }
    }
    // A link keeps the floor, and the place on it.
    browser.key("p");
    browser.wait_for("location.hash.includes('floor=1') && location.hash.includes('at=')");
    let link = browser.evaluate("location.href");
    let kept = browser.evaluate("viewcell.state.place.join()");
    browser.open(link.as_str().unwrap());
    assert_eq!(browser.evaluate("viewcell.state.place.join()"), kept);
    assert_eq!(browser.evaluate(&format!("{ground}.floor")), 0);

    let trace = fs::read(baked.path("walks.csv")).unwrap();
    let trace = viewcell_simulate::trace::Trace::read(&trace[..]).unwrap();
    let serving = players::serve(&baked, &trace);
    browser.open(&serving.url);
    browser.wait_for("viewcell.play?.ways.players === 3");
    let play = browser.evaluate(&format!(
        "(() => {{
          const {{ ways }} = viewcell.play;
          const at = (n) => {ground}.placeAt({ground}.point(ways.point(0, n), ways.place(0, n)))?.[2];
          return [0, 1, 2].map((n) => [at(n), ways.place(0, n), ways.sees.has(0, 0, n)]);
        }})()"
    ));
    for (n, place) in ["64,40,24", "448,64,24", "64,40,216"]
        .into_iter()
        .enumerate()
    {
        let cell = cell_at(&baked, place);
        assert_eq!(
            [&play[n][0], &play[n][1]].map(Value::to_string),
            [cell.clone(), cell]
        );
    }
    assert_eq!(play[2][2], false, "through the floor");
    players::compare_counts(&mut browser, &baked, "walks.csv", &[]);
}
