//! The server, asked directly: what it refuses, and what it lives through.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{Baked, Serving, VIEWCELL, text};
use crate::html::assert_valid;

impl Serving {
    /// Sends bytes as they are, and gives all that comes back.
    fn send(&self, request: impl AsRef<[u8]>) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        // A server that has refused may close before all has been sent.
        let _ = stream.write_all(request.as_ref());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Asks, and gives status and answer.
    pub fn request(&self, method: &str, path: &str, headers: &str) -> (u16, Vec<u8>) {
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let answer = self.send(format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"
        ));
        let body = answer.windows(4).position(|w| w == b"\r\n\r\n");
        (status(&answer), answer[body.unwrap() + 4..].to_vec())
    }

    /// Asks what must be answered, and gives the head of the answer.
    fn head(&self, path: &str) -> Value {
        let (status, body) = self.request("GET", path, "");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&body[4..4 + length]).unwrap()
    }
}

fn status(answer: &[u8]) -> u16 {
    let line = String::from_utf8_lossy(&answer[..answer.len().min(12)]).into_owned();
    let status = line.strip_prefix("HTTP/1.1 ");
    status
        .and_then(|s| s.parse().ok())
        .unwrap_or_else(|| panic!("no answer: {line:?}"))
}

fn small() -> Baked {
    Baked::demo(&["--crop", "140,120,40,30"])
}

#[test]
fn the_page_is_valid() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let (_, page) = serving.request("GET", "/", "");
    assert_valid(&String::from_utf8(page).unwrap());
}

/// The page took and named view cells for samples: what it said of a place, `query` said of another.
#[test]
fn places_on_coarse_cells_are_samples_of_the_heightmap() {
    let baked = Baked::demo(&["--crop", "140,120,41,30", "--finest", "3"]);
    let serving = Serving::new(&baked.bundle, None);
    let about = serving.head("/api/about")["panes"][0].clone();
    assert_eq!((&about["side"], &about["width"]), (&8.into(), &6.into()));
    assert_eq!(about["heightmap"], serde_json::json!([41, 30]));
    let map = viewcell::query::MappedBundle::open(&baked.bundle).unwrap();
    let terrain = map.terrain().unwrap();
    for [column, row] in [[0, 0], [1, 1], [17, 4], [40, 29]] {
        let cell = terrain.parameters().place(column, row).unwrap();
        let pvs = terrain.pvs(viewcell::query::Quad::new(0, cell.column, cell.row));
        let told = serving.head(&format!("/api/0/pvs?at={column},{row}"));
        assert_eq!(told["seen"], pvs.unwrap().count(), "{column},{row}");
    }
    let (status, words) = serving.request("GET", "/api/0/pvs?at=41,0", "");
    let words = String::from_utf8(words).unwrap();
    assert!(
        status == 400 && words.contains("columns 0 to 40"),
        "{words}"
    );
}

#[test]
fn nothing_is_served_but_the_page_and_its_answers() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    for path in ["/", "/main.js", "/style.css", "/api/about", "/api/0/ground"] {
        assert_eq!(serving.request("GET", path, "").0, 200, "{path}");
    }
    let outside = [
        "/world.vcb",
        "/../world.vcb",
        "/%2e%2e/world.vcb",
        "//etc/passwd",
        "/main.js/..",
        "/api",
        "/api/1/ground",
        "/api/0",
        "/api/0/walk/7/8",
    ];
    for path in outside {
        assert_eq!(serving.request("GET", path, "").0, 404, "{path}");
    }
    assert_eq!(serving.request("POST", "/", "").0, 405);
    assert_eq!(serving.request("POST", "/api/0/walk/99", "").0, 404);
}

#[test]
fn other_hosts_and_origins_are_refused_everywhere() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let own = format!("Origin: http://{}\r\n", serving.address);
    assert_eq!(serving.request("GET", "/api/about", &own).0, 200);
    let foreign = [
        "Host: evil.example\r\n",
        "Host: \r\n",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ];
    for header in foreign {
        for (method, path) in [
            ("GET", "/"),
            ("GET", "/api/0/pvs?at=1,1"),
            ("POST", "/api/0/walk?a=1,1&b=9,9"),
            ("GET", "/nowhere"),
        ] {
            assert_eq!(
                serving.request(method, path, header).0,
                403,
                "{header}{path}"
            );
        }
    }
    let answer = serving.send("GET / HTTP/1.0\r\n\r\n");
    assert!(answer.starts_with(b"HTTP/1.0 403"), "no host at all");
    // Nor may others frame it.
    let page = serving.send(format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        serving.address
    ));
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("frame-ancestors 'none'") && !page.contains("access-control-allow"));
}

#[test]
fn malformed_and_oversized_requests_are_refused_and_the_next_is_answered() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let wrong = [
        "/api/0/pvs",
        "/api/0/pvs?at=",
        "/api/0/pvs?at=40,0",
        "/api/0/pvs?at=-1,0",
        "/api/0/pvs?at=1,1,1",
        "/api/0/pvs?at=99999999999999999999,0",
        "/api/0/pvs?at=1,1&level=77",
        "/api/0/pvs?at=1,1&level=-1",
        "/api/0/pvs?at=%FF%FE",
        "/api/0/frontier?a=1,1",
        "/api/0/frontier?a=1,1&b=2,nowhere",
        "/api/0/frontier?a=1,1&b=2,2&margin=-3",
        "/api/0/ground?cut=NaN",
        "/api/0/ground?cut=high",
        "/api/x/pvs?at=1,1",
        "/api/-1/ground",
    ];
    for path in wrong {
        let (status, words) = serving.request("GET", path, "");
        assert_eq!(status, 400, "{path}");
        assert!(!words.is_empty(), "{path}");
    }
    let long = "x".repeat(1 << 20);
    let oversized = [
        format!("GET /{long} HTTP/1.1\r\nHost: {}\r\n\r\n", serving.address),
        format!(
            "GET / HTTP/1.1\r\nHost: {}\r\nA: {long}\r\n\r\n",
            serving.address
        ),
        format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(100_000)),
    ];
    for request in oversized {
        let answer = serving.send(request);
        // Or the connection is closed before the answer could be sent.
        assert!(answer.is_empty() || (400..500).contains(&status(&answer)));
    }
    for garbage in [
        &b"\0\xff\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let answer = serving.send(garbage);
        assert!(answer.is_empty() || status(&answer) == 400);
    }
    let about = serving.head("/api/about");
    assert_eq!(about["panes"][0]["width"], 40);
}

#[test]
fn one_connection_asks_many_times() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let ask = |path: &str, more: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n",
            serving.address
        )
    };
    // One behind the other, without waiting for answers; the last one ends it.
    let requests = [
        ask("/style.css", ""),
        ask("/nowhere", ""),
        ask("/api/0/pvs?at=1%2C1", "Connection: close\r\n"),
        ask("/main.js", ""),
    ];
    let answers = serving.send(requests.concat());
    let answers = String::from_utf8_lossy(&answers);
    let statuses: Vec<_> = answers.match_indices("HTTP/1.1 ").collect();
    let statuses: Vec<_> = statuses
        .iter()
        .map(|&(at, s)| &answers[at + s.len()..][..3])
        .collect();
    assert_eq!(statuses, ["200", "404", "200"]);
}

#[test]
fn hundreds_at_once_are_answered() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    std::thread::scope(|scope| {
        for _ in 0..400 {
            scope.spawn(|| assert_eq!(serving.head("/api/0/pvs?at=1,1")["generation"], 0));
        }
    });
}

#[test]
fn silent_connections_make_room_and_slow_ones_are_not_waited_for() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    // More than the server holds at a time.
    let connect = |_| TcpStream::connect(serving.address).unwrap();
    let silent: Vec<TcpStream> = (0..300).map(connect).collect();
    serving.head("/api/about");
    drop(silent);
    let begun = std::time::Instant::now();
    assert!(serving.send("GET / HT").is_empty());
    let waited = begun.elapsed().as_secs();
    assert!((5..29).contains(&waited), "{waited} s");
}

#[test]
fn a_bundle_that_is_replaced_is_opened_anew_and_a_damaged_one_is_told() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let about = |serving: &Serving| serving.head("/api/about")["panes"][0].clone();
    assert_eq!(about(&serving)["generation"], 0);

    let other = Baked::demo(&["--crop", "100,100,24,20"]);
    fs::rename(&other.bundle, &baked.bundle).unwrap();
    let replaced = about(&serving);
    assert_eq!(
        (&replaced["generation"], &replaced["width"]),
        (&1.into(), &24.into())
    );
    assert_eq!(serving.head("/api/0/pvs?at=23,19")["generation"], 1);

    // Whoever copies over the file in place does no harm either.
    let copied = Baked::demo(&["--crop", "100,100,20,24"]);
    fs::copy(&copied.bundle, &baked.bundle).unwrap();
    let in_place = about(&serving);
    assert_eq!(
        (&in_place["generation"], &in_place["width"]),
        (&2.into(), &20.into())
    );
    assert_eq!(serving.head("/api/0/pvs?at=19,23")["generation"], 2);

    let damaged = baked.path("damaged.vcb");
    fs::write(&damaged, b"no bundle").unwrap();
    fs::rename(&damaged, &baked.bundle).unwrap();
    let kept = about(&serving);
    assert_eq!(kept["generation"], 2);
    assert!(
        kept["fault"].as_str().unwrap().contains("world.vcb"),
        "{kept}"
    );

    fs::remove_file(&baked.bundle).unwrap();
    assert!(about(&serving)["fault"].is_string());
    assert_eq!(serving.head("/api/0/pvs?at=19,23")["generation"], 2);

    let third = small();
    fs::rename(&third.bundle, &baked.bundle).unwrap();
    let again = about(&serving);
    assert_eq!(
        (&again["generation"], &again["width"]),
        (&3.into(), &40.into())
    );
    assert!(again["fault"].is_null());
}

#[test]
fn a_walk_renegotiates_when_a_player_leaves_their_half() {
    let baked = small();
    let serving = Serving::new(&baked.bundle, None);
    let post = |path: &str| {
        let (status, body) = serving.request("POST", path, "");
        assert_eq!(status, 200, "{path}");
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice::<Value>(&body[4..4 + length]).unwrap()
    };
    let begun = post("/api/0/walk?a=2,2&b=37,27");
    let walk = begun["walk"].as_u64().unwrap();
    let mut last = begun;
    for column in 3..38 {
        last = post(&format!(
            "/api/0/walk/{walk}?a={column},{}",
            2 + column * 25 / 40
        ));
        let told = last["told"].as_u64().unwrap();
        // Whoever is seen is told of, and nobody is silent without a set.
        assert!(
            last["age"].is_null() != (last["sizes"][0].as_u64() > Some(0)),
            "{last}"
        );
        assert!(last["age"].is_u64() || told > 0, "{last}");
    }
    assert_eq!(last["ticks"], 36);
    assert!(last["sets"].as_u64() > Some(0), "{last}");
}

#[test]
fn what_cannot_be_viewed_is_told() {
    let baked = small();
    let other = Baked::demo(&["--crop", "140,120,24,30"]);
    let text_file = baked.path("notes.vcb");
    fs::write(&text_file, "no bundle").unwrap();
    let missing = baked.path("missing.vcb");
    let cases = [
        (&missing, None, 4, "missing.vcb"),
        (&text_file, None, 3, "notes.vcb"),
        (&baked.bundle, Some(&text_file), 3, "notes.vcb"),
        (&baked.bundle, Some(&other.bundle), 2, "24 x 30"),
    ];
    for (bundle, other, code, word) in cases {
        let mut command = Command::new(VIEWCELL);
        command.args(["view", "--no-open", text(bundle)]);
        command.args(other.map(|other| text(other)));
        let refused = command.output().unwrap();
        let words = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(code), "{words}");
        assert!(refused.stdout.is_empty());
        assert!(words.contains(word), "{words}");
    }
}

#[test]
fn two_views_at_once_and_a_port_in_use() {
    let baked = small();
    let view = |options: &[&str]| {
        let mut command = Command::new(VIEWCELL);
        command
            .args(["view", text(&baked.bundle), "--no-open"])
            .args(options);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut views = [view(&[]), view(&[])];
    let addresses = views.each_mut().map(|child| {
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    });
    assert_ne!(addresses[0], addresses[1]);
    let ports = addresses.map(|address| {
        let port = address.strip_prefix("http://127.0.0.1:").unwrap();
        port.strip_suffix('/').unwrap().to_owned()
    });
    let refused = view(&["--port", &ports[0]]).wait_with_output().unwrap();
    assert_eq!(refused.status.code(), Some(4));
    assert!(refused.stdout.is_empty());
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(
        words.contains(&format!("port {}", ports[0])) && words.contains("--port"),
        "{words}"
    );
    for child in &mut views {
        let signal = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(signal.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "stopped by Ctrl-C");
    }
}
