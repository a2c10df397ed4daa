//! Demos of QuakeWorld: what a server wrote is read back, and whatever else lies there is told of.
//!
//! To write the seed of fuzzing anew: `VIEWCELL_WRITE_SEEDS=1 cargo test --test simulate seed`.

use std::path::Path;

use proptest::prelude::*;
use viewcell_simulate::demo::{DemoError, read};
use viewcell_simulate::trace::{Trace, TracePoint};

use crate::common::{Folder, words};
use crate::demo_writer::{Message, Server, to_all};

/// All that servers may differ in.
fn servers() -> impl Strategy<Value = Server> {
    (any::<[bool; 4]>(), any::<bool>()).prop_map(|([great, precise, entities, talks], apart)| {
        Server {
            great,
            precise,
            entities,
            talks,
            places: if apart { &[3, 7, 20, 31] } else { &[] },
        }
    })
}

/// Two to four players, who come and go on, die, and come through teleporters, to eighths of a unit.
fn traces() -> impl Strategy<Value = Trace> {
    let at = prop_oneof![-30_000..30_000_i32, Just(0), Just(8)];
    let point = (
        0..700_u64,
        [at.clone(), at.clone(), at],
        any::<(u16, u16)>(),
        any::<bool>(),
    );
    let points = prop::collection::vec(point, 1..12);
    prop::collection::vec(points, 2..=4).prop_map(|players| Trace {
        players: players
            .into_iter()
            .map(|points| {
                let mut now = 0;
                let points = points.into_iter().map(|(later, at, (pitch, yaw), dead)| {
                    now += later + 1;
                    TracePoint {
                        time: now,
                        at: at.map(|eighths| f64::from(eighths) / 8.0),
                        view: [
                            f64::from(pitch as i16) * 360.0 / 65_536.0,
                            f64::from(yaw) * 360.0 / 65_536.0,
                        ],
                        dead,
                        eye: None,
                    }
                });
                points.collect()
            })
            .collect(),
    })
}

/// Two players for a few frames.
fn few(frames: u64) -> Trace {
    let point = |time: u64, x: f64| TracePoint {
        time,
        at: [x, 2.0, 24.0 - time as f64 / 8.0],
        view: [0.0, 90.0],
        dead: time == 50,
        eye: None,
    };
    let player = |x: f64| (0..frames).map(|i| point(50 * i, x + i as f64)).collect();
    Trace {
        players: vec![player(1.0), player(2.5)],
    }
}

const TALKS: Server = Server {
    great: false,
    precise: false,
    entities: true,
    talks: true,
    places: &[2, 5],
};

/// Bytes of the message with which a demo ends.
const END: usize = 6 + 1 + "EndOfDemo".len() + 1;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_a_server_wrote_reads_back_to_the_same(server in servers(), trace in traces()) {
        let demo = read(&server.demo(&trace)).unwrap();
        prop_assert_eq!(&demo.trace, &trace);
        prop_assert_eq!((demo.level.as_str(), demo.is_whole), ("maps/a.bsp", true));
        // As CSV, too, it is the same.
        prop_assert_eq!(Trace::read(demo.trace.write().as_bytes()).unwrap(), trace);
    }

    #[test]
    fn a_changed_byte_is_read_or_told_of(at in any::<prop::sample::Index>(), byte: u8) {
        let mut demo = TALKS.demo(&few(9));
        let at = at.index(demo.len());
        demo[at] = byte;
        if let Err(DemoError { byte, .. }) = read(&demo) {
            prop_assert!(byte <= demo.len() as u64);
        }
    }
}

#[test]
fn each_thing_that_a_server_tells_is_passed_by() {
    for server in [
        TALKS,
        Server {
            great: true,
            ..TALKS
        },
        Server {
            precise: true,
            ..TALKS
        },
        Server {
            entities: false,
            ..TALKS
        },
    ] {
        for (number, said) in server.talk().into_iter().enumerate() {
            // A player's move behind it is found if it is passed by to the byte.
            let mut demo = server.demo(&few(2));
            let mut told = said.0;
            told.extend([42, 2, 0, 0, 17]);
            to_all(&mut demo, 20, &told);
            let trace = read(&demo).unwrap().trace;
            let last = trace.players[0].last().unwrap();
            assert_eq!(last.time, 70, "{server:?} {number}: {told:?}");
            // One byte less is an error, unless the server told that the demo is over.
            demo.pop();
            assert_eq!(read(&demo).unwrap().trace, few(2));
        }
    }
}

#[test]
fn a_demo_cut_short_is_told_of_with_its_byte() {
    let whole = TALKS.demo(&few(4));
    let end = whole.len() - END;
    for length in 0..whole.len() {
        match read(&whole[..length]) {
            // Between two messages: what is there is read, and known not to be all.
            Ok(demo) => {
                assert!(!demo.is_whole && length <= end, "{length}");
                let longest = demo.trace.players.iter().map(Vec::len).max();
                assert!(longest <= Some(4) && (length == end) == (demo.trace == few(4)));
            }
            Err(error) => {
                assert!(error.byte <= length as u64, "{length}: {error}");
                assert!(error.what.contains("expected"), "{length}: {error}");
            }
        }
    }
    assert!(read(&whole).unwrap().is_whole);
}

#[test]
fn other_protocols_and_junk_are_told_of_with_message_and_byte() {
    let good = Server::default().demo(&few(3));
    let at = good
        .windows(4)
        .position(|four| four == [28, 0, 0, 0])
        .unwrap();
    let mut other = good.clone();
    other[at] = 15;
    let error = read(&other).unwrap_err();
    assert_eq!((error.message, error.byte), (Some(2), at as u64), "{error}");
    assert!(error.to_string().contains("protocol 28"), "{error}");

    let with = |told: Message| {
        let mut demo = Server::default().demo(&few(2));
        demo.truncate(demo.len() - END);
        let at = demo.len() as u64 + 6;
        to_all(&mut demo, 10, &told.0);
        (read(&demo).unwrap_err(), at)
    };
    let new = |kind: u8| Message::default().byte(kind);
    for (told, from, what) in [
        (new(0), 0, "found 0"),
        (new(99), 0, "found 99"),
        (new(42).byte(32).short(0).byte(0), 1, "0 to 31, found 32"),
        (new(40).byte(200).long(1).text(""), 1, "found 200"),
        (
            new(42).byte(1).short(1).byte(0).byte(7),
            5,
            "2 bytes more, found 1 to the end of the message",
        ),
        (new(8).byte(1).bytes(3), 2, "ends with a byte of 0"),
        (new(23).byte(77), 1, "effect of 0 to 13, found 77"),
        (
            new(45).byte(0).text("maps/b.bsp").text("").byte(0),
            2,
            "one level, found maps/a.bsp and maps/b.bsp",
        ),
    ] {
        let (error, at) = with(told);
        assert_eq!(error.byte, at + from, "{error}");
        assert!(
            error.message.is_some() && error.what.contains(what),
            "{error}"
        );
    }
    let mut floats = Server {
        precise: true,
        ..Server::default()
    }
    .demo(&few(2));
    floats.truncate(floats.len() - END);
    let nan = Message::default().byte(42).byte(1).short(1).byte(0);
    to_all(&mut floats, 10, &nan.float(f32::NAN).0);
    assert!(read(&floats).unwrap_err().what.contains("finite"));

    for junk in [
        &b""[..],
        b"-1\nabc",
        b"t_ms,player,x,y,z",
        &[0; 4096],
        &[6; 4096],
        &[255; 4096],
    ] {
        let error = read(junk).unwrap_err();
        assert!(error.byte <= junk.len() as u64, "{error}");
    }
    // A length of four gigabytes takes no memory.
    assert!(read(&[0, 6, 255, 255, 255, 255, 1]).is_err());
}

#[test]
fn who_looks_on_and_who_has_not_come_is_no_player() {
    let mut demo = TALKS.demo(&few(3));
    demo.truncate(demo.len() - END);
    let who = |slot: u8, words: &str| Message::default().byte(40).byte(slot).long(1).text(words);
    to_all(&mut demo, 0, &who(9, "\\name\\c\\*spectator\\1").0);
    // One who looks on; one who was never told to be anywhere; one who stops playing.
    to_all(&mut demo, 9, &[42, 9, 7, 0, 0, 1, 0, 1, 0, 1, 0]);
    to_all(&mut demo, 9, &[42, 10, 0, 0, 0]);
    let stops = Message::default()
        .byte(51)
        .byte(5)
        .text("*spectator")
        .text("1");
    to_all(&mut demo, 0, &stops.0);
    to_all(&mut demo, 9, &[42, 5, 1, 0, 0, 8, 0]);
    assert_eq!(read(&demo).unwrap().trace, few(3));
}

#[test]
fn the_program_plays_a_demo_as_it_plays_the_csv_of_it() {
    let folder = Folder::with_wall();
    folder.ok(&words(
        "simulate wall.vcb --players 4 --seconds 5 --hz 20 --scheme PPP --write-trace made.csv",
    ));
    let mut trace = Trace::read(&folder.read("made.csv")[..]).unwrap();
    for point in trace.players.iter_mut().flatten() {
        point.at = point.at.map(|x| (8.0 * x).floor() / 8.0);
        point.view = [0.0, 90.0];
    }
    folder.write("play.csv", trace.write());
    let apart = Server {
        places: &[2, 5, 9, 30],
        ..TALKS
    };
    let demo = apart.demo(&trace);
    folder.write("play.mvd", &demo);
    let play = |name: &str| {
        let ran = folder.ok(&[
            "simulate",
            "wall.vcb",
            "--traces",
            name,
            "--scheme",
            "CS,best",
            "--write-trace",
            "again.csv",
            "--force",
        ]);
        let words: Vec<String> = ran
            .stdout
            .lines()
            .map(|line| {
                // The last column is the time that it took.
                line.rsplit_once(' ')
                    .map_or(line, |(words, _)| words)
                    .trim()
                    .to_owned()
            })
            .collect();
        (words, folder.read("again.csv"))
    };
    let ((of_demo, again), (of_csv, csv)) = (play("play.mvd"), play("play.csv"));
    assert_eq!(of_demo, of_csv);
    assert!(again == csv);
    folder.write("cut.mvd", &demo[..demo.len() - END]);
    let cut = folder.run(&words("simulate wall.vcb --traces cut.mvd --scheme PPP"));
    let words = format!("cut.mvd: the demo ends at byte {}", demo.len() - END);
    assert!(
        cut.code == Some(0) && cut.stderr.contains(&words),
        "{}",
        cut.stderr
    );
    folder.write("short.mvd", &demo[..demo.len() / 2]);
    let short = folder.ends(&["simulate", "fit", "short.mvd"], 3);
    short.warns("short.mvd: message ");
    for name in ["own.qwd", "play.mvd.gz"] {
        folder.write(name, &demo);
        let ran = folder.run(&["simulate", "wall.vcb", "--traces", name]);
        assert!(
            ran.code == Some(3) && ran.stderr.contains(name),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn the_seed_of_fuzzing_is_a_demo() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds/demo/talks.mvd");
    let demo = TALKS.demo(&few(40));
    if std::env::var_os("VIEWCELL_WRITE_SEEDS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &demo).unwrap();
    }
    assert!(std::fs::read(&file).unwrap() == demo);
    assert_eq!(read(&demo).unwrap().trace, few(40));
}
