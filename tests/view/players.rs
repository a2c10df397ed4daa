//! Players of a trace on the page: they walk, and what is told of them is what the program says.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use viewcell_simulate::play::PlayOptions;
use viewcell_simulate::run::RunOptions;
use viewcell_simulate::scheme::SchemeOptions;
use viewcell_simulate::trace::Trace;
use viewcell_simulate::wire::Network;
use viewcell_view::live::{Players, Server};

use crate::browser::Browser;
use crate::common::{Baked, Serving, VIEWCELL, text, viewcell};
use crate::page::{WINDOW, halves, painted};

/// Whose ways are played: eight players for some seconds, 20 times a second.
fn made(baked: &Baked, more: &[&str]) -> Trace {
    let csv = baked.path("play.csv");
    let bundle = text(&baked.bundle);
    let arguments = ["simulate", bundle, "--players", "8", "--seconds", "20"];
    let more = [more, &["--hz", "20", "--scheme", "PPP"]].concat();
    let write = ["--write-trace", text(&csv), "--force"];
    viewcell(&[&arguments[..], &more, &write].concat());
    Trace::read(&fs::read(csv).unwrap()[..]).unwrap()
}

/// A server that plays a trace, and counts two schemes.
pub fn serve(baked: &Baked, trace: &Trace) -> Serving {
    let players = Players {
        trace: trace.clone(),
        path: baked.path("play.csv"),
        options: PlayOptions {
            hz: 20.0,
            eye: 0.0,
            jump: 1e6,
        },
        schemes: vec!["CS".into(), "best".into()],
        run: |_, play| RunOptions {
            network: Network::default(),
            scheme: SchemeOptions {
                distance: 200.0,
                zone: 100.0,
                speed: play.speed,
                ahead: 2.0 * play.step,
                instant: true,
                limits: None,
            },
            lines: false,
            seed: 1,
            clock: || Duration::ZERO,
            keep: false,
            loopback: None,
        },
    };
    let server = Server::bind(&baked.bundle, None, None).unwrap();
    Serving::of(server.playing(players).unwrap())
}

fn number(browser: &mut Browser, expression: &str) -> f64 {
    let value = browser.evaluate(expression);
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{expression}: {value}"))
}

/// Who sees whom in a frame: by the page, and by the program.
fn compare_sight(browser: &mut Browser, baked: &Baked, frame: usize, name: &str) {
    let pairs = browser.evaluate(&format!(
        "(() => {{
          const {{ ways }} = viewcell.play;
          const found = [];
          for (let a = 0; a < 8; a += 1) for (let b = 0; b < 8; b += 1) if (a !== b) {{
            const [p, q] = [a, b].map((n) => viewcell.panes[0].ground.named(ways.place({frame}, n)));
            found.push([p, q, ways.sees.has({frame}, a, b)]);
          }}
          return found;
        }})()"
    ));
    let file = baked.path(name);
    let (mut asked, mut shown) = (String::new(), Vec::new());
    for pair in pairs.as_array().unwrap() {
        let [from, to] = [0, 1].map(|i| pair[i].as_str().unwrap().replace(',', " "));
        asked += &format!("{from} {to}\n");
        shown.push(if pair[2] == true { "1" } else { "0" });
    }
    fs::write(&file, asked).unwrap();
    let arguments = [
        "query",
        "visible",
        text(&baked.bundle),
        "--pairs",
        text(&file),
    ];
    let said = viewcell(&arguments);
    assert_eq!(said.lines().collect::<Vec<_>>(), shown, "frame {frame}");
}

/// What the schemes come to at the end is what `simulate` says.
pub fn compare_counts(browser: &mut Browser, baked: &Baked, trace: &str, more: &[&str]) {
    browser.wait_for("viewcell.play.isLearnt === true");
    let trace = baked.path(trace);
    let arguments = [
        "simulate",
        text(&baked.bundle),
        "--traces",
        text(&trace),
        "--hz",
        "20",
        "--scheme",
        "CS,best",
        "--json",
    ];
    let said = viewcell(&[&arguments[..], more].concat());
    let said: Value = serde_json::from_str(&said).unwrap();
    let frames = said["frames"].as_f64().unwrap();
    assert_eq!(number(browser, "viewcell.play.ways.frames"), frames);
    for scheme in said["schemes"].as_array().unwrap() {
        let name = scheme["name"].as_str().unwrap();
        let shown = |browser: &mut Browser, what: &str| {
            number(
                browser,
                &format!("viewcell.play.counts.get('{name}').{what}.at(-1)"),
            )
        };
        let packets = scheme["packets_per_frame"].as_f64().unwrap() * frames;
        assert!((shown(browser, "packets") - packets).abs() < 0.5, "{name}");
        assert_eq!(
            shown(browser, "late"),
            scheme["late_frames"].as_f64().unwrap()
        );
        assert!(shown(browser, "bytes") > packets, "{name}");
    }
}

#[test]
fn players_walk_sixty_times_a_second_and_stop() {
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let trace = made(&baked, &["--seed", "3", "--motion", "walk=50,pause=0.5"]);
    let serving = serve(&baked, &trace);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&serving.url);
    browser.wait_for("viewcell.play?.ways.players === 8");
    for frame in [0, 57, 400] {
        compare_sight(&mut browser, &baked, frame, "pairs.txt");
    }
    compare_counts(&mut browser, &baked, "play.csv", &["--eye", "0"]);

    // All players are where the trace has them, between two frames half way.
    let at = browser.evaluate("[50, 75, 100].map((time) => viewcell.play.ways.point(time, 5))");
    let spot = |i: usize| trace.players[5][i].at;
    for axis in 0..2 {
        let expected = [
            spot(1)[axis],
            (spot(1)[axis] + spot(2)[axis]) / 2.0,
            spot(2)[axis],
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            let shown = at[i][axis].as_f64().unwrap();
            assert!((shown - expected).abs() < 1e-3, "{shown} {expected}");
        }
    }

    // It plays: frames come, time goes on, and none takes long. How many come a second is the
    // machine's affair, how long each takes is the page's.
    browser.evaluate("document.getElementById('run').click()");
    browser.wait_for("viewcell.play.drawn >= 60");
    let median = number(
        &mut browser,
        "[...viewcell.play.spent].filter((ms) => ms >= 0).sort((a, b) => a - b)[30]",
    );
    assert!(median <= 4.0, "{median} ms a frame");
    let frame = number(&mut browser, "viewcell.play.time") / 50.0;
    assert!(frame >= 5.0, "after 60 frames it is at {frame}");
    browser.evaluate("document.getElementById('run').click()");
    let still = "new Promise((done) => setTimeout(() => done(viewcell.play.time), 150))";
    let stopped = number(&mut browser, "viewcell.play.time");
    assert_eq!(number(&mut browser, still), stopped);
    assert!(stopped < 20_000.0);

    // At the end it stops by itself.
    browser.evaluate("viewcell.play.speed = 16");
    browser.key(" ");
    browser.wait_for("!viewcell.play.runs && viewcell.play.time === viewcell.play.ways.length");
    let words = browser.evaluate("document.getElementById('clock').textContent");
    assert_eq!(words, "0:20.0 of 0:20.0");
}

#[test]
fn the_regions_of_two_players_are_their_frontier_set() {
    let baked = Baked::demo(&["--crop", "140,120,120,90"]);
    let trace = made(&baked, &["--seed", "5", "--motion", "walk=400,pause=0.1"]);
    let serving = serve(&baked, &trace);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&serving.url);
    browser.wait_for("viewcell.play?.ways.players === 8");
    // Two who do not see each other in the first frame.
    let pair = browser.evaluate(
        "(() => {
          const { sees } = viewcell.play.ways;
          for (let a = 0; a < 8; a += 1) for (let b = a + 1; b < 8; b += 1) {
            if (!sees.has(0, a, b) && !sees.has(0, b, a)) return [a, b];
          }
          return null;
        })()",
    );
    let [a, b] = [0, 1].map(|i| pair[i].as_u64().unwrap());
    browser.open(&format!("{}#layer=play&pair={a},{b}", serving.url));
    browser.wait_for("viewcell.play?.set !== undefined");
    let places = [a, b].map(|player| {
        let name = format!("viewcell.panes[0].ground.named(viewcell.play.ways.place(0, {player}))");
        browser.evaluate(&name).as_str().unwrap().to_owned()
    });
    let (expected, _) = halves(&baked, 120, 120 * 90, [&places[0], &places[1]]);
    assert!(painted(&mut browser) == expected, "{places:?}");

    // Once one has left, there is another set, or none.
    let play = "viewcell.play";
    browser.evaluate(&format!("{play}.before = {play}.set; {play}.speed = 16"));
    browser.key(" ");
    browser.wait_for(&format!("{play}.set !== {play}.before"));
    let inside = format!(
        "(() => {{
          const {{ set, ways, frame }} = {play};
          const {{ ground }} = viewcell.panes[0];
          const size = ground.setBytes;
          return !set || [{a}, {b}].every((player, k) => ground.holds(
            new Uint8Array(set.answer.buffer, set.answer.start + k * size, size), ways.place(frame, player)));
        }})()"
    );
    browser.wait_for("!viewcell.play.runs");
    browser.wait_for(&inside);
}

#[test]
fn players_walk_through_a_level() {
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/cells/rooms.bsp");
    let baked = Baked::new("cells", &rooms, &[]);
    let trace = made(&baked, &["--motion", "waypoints"]);
    let serving = serve(&baked, &trace);
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    browser.open(&serving.url);
    browser.wait_for("viewcell.play?.ways.players === 8");
    compare_sight(&mut browser, &baked, 100, "pairs.txt");
    compare_counts(&mut browser, &baked, "play.csv", &["--eye", "0"]);
    // On the plan players are in the cells that they are in.
    let share = number(
        &mut browser,
        "(() => {
          const { play: { ways }, panes: [{ ground }] } = viewcell;
          let same = 0;
          for (let frame = 0; frame < ways.frames; frame += 1) {
            for (let n = 0; n < 8; n += 1) {
              const place = ground.placeAt(ground.point(ways.point(frame * ways.step, n)));
              if (place && place[2] === ways.place(frame, n)) same += 1;
            }
          }
          return same / ways.frames / 8;
        })()",
    );
    assert!(share > 0.8, "{share}");
    browser.key(" ");
    browser.wait_for("viewcell.play.drawn >= 10");
}

/// Levels were shown as small as their farthest closets made them, and "nobody" read "nol".
#[test]
fn a_level_is_shown_where_players_are_and_nobody_is_a_whole_word() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/cells/rooms.bsp");
    let baked = Baked::new("cells", &rooms, &[]);
    let mut trace = made(&baked, &["--motion", "waypoints"]);
    for spots in &mut trace.players {
        spots.retain(|spot| spot.time <= 1500);
    }
    // All of them where the first goes: a small part of the level.
    trace.players = vec![trace.players[0].clone(); 8];
    let serving = serve(&baked, &trace);
    browser.open(&serving.url);
    browser.wait_for("viewcell.play?.ways.players === 8");
    let closer = number(
        &mut browser,
        "viewcell.camera.zoom / viewcell.camera.fitting(viewcell.panes[0].size)",
    );
    assert!(
        closer > 1.2,
        "{closer} times as near as for all of the level"
    );
    let inside = "(() => {
      const { camera, play: { ways }, panes: [{ ground, size }] } = viewcell;
      const at = (frame) => camera.toPane(ground.point(ways.point(frame * ways.step, 0)), size);
      return [0, ways.frames - 1].every((frame) => at(frame).every((x, axis) => x > 0 && x < size[axis]));
    })()";
    assert_eq!(browser.evaluate(inside), true);
    let room = "(() => {
      const select = document.getElementById('first');
      const style = getComputedStyle(select);
      const context = document.createElement('canvas').getContext('2d');
      context.font = style.font;
      const arrow = 20;
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      return select.clientWidth - padding - arrow - context.measureText('nobody').width;
    })()";
    let room = number(&mut browser, room);
    assert!(room >= 0.0, "{room} pixels too few for the choice nobody");
}

#[test]
fn traces_that_cannot_be_played_are_told_of() {
    let baked = Baked::demo(&["--crop", "140,120,40,30"]);
    let write = |name: &str, lines: &str| {
        let path = baked.path(name);
        let head = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n";
        fs::write(&path, format!("{head}{lines}")).unwrap();
        path
    };
    let short = write("short.csv", "0,0,1,1,0,0,0\n");
    let away = write("away.csv", "0,0,-900,1,0,0,0,0\n0,1,-900,1,0,0,0,0\n");
    let long = write(
        "long.csv",
        "0,0,1,1,0,0,0,0\n0,1,1,1,0,0,0,0\n86000000,1,1,1,0,0,0,0\n",
    );
    let days = write(
        "days.csv",
        "0,0,1,1,0,0,0,0\n0,1,1,1,0,0,0,0\n900000000,1,1,1,0,0,0,0\n",
    );
    let [short, away, long, days] = [&short, &away, &long, &days].map(|path| text(path));
    for (more, code, words) in [
        (&["--traces", short][..], 3, "line 2: expected 8 columns"),
        (&["--traces", away], 3, "100.0 % of 2 positions outside"),
        (
            &["--traces", long, "--hz", "1000", "--scheme", "CS"],
            3,
            "at fewer --hz",
        ),
        (&["--traces", days], 3, "line 4: expected a time of at most"),
        (&["--traces", "none.csv"], 4, "none.csv"),
        (
            &["--traces", short, "--scheme", "nobody"],
            2,
            "expected one of CS",
        ),
        (&["--traces", short, "--hz", "0"], 2, "--hz <HZ>"),
        (&["--hz", "10"], 2, "--traces"),
    ] {
        let mut command = Command::new(VIEWCELL);
        command
            .args(["view", text(&baked.bundle), "--no-open"])
            .args(more);
        let ran = command.output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            ran.status.code() == Some(code) && told.contains(words),
            "{more:?}: {told}"
        );
    }
}
