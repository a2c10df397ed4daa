//! What is wrong with a trace, a job or an option is told, with the file and the line.

use crate::common::{Folder, words};

const HEADER: &str = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead";

#[test]
fn faults_of_traces_are_told_with_file_and_line() {
    let folder = Folder::with_wall();
    // A bar ends a line.
    const ROWS: &str = "\
0,0,1,1,0,0,0,0| => found one
 => two players or more
0,0,1,1,0,0,0,0|0,1,NaN,1,0,0,0,0| => line 3: expected a finite number for x
9,0,1,1,0,0,0,0|8,1,1,1,0,0,0,0| => line 3: expected a time of 9 ms or later
0,0,1,1,0,0,0,0|0,0,1,1,0,0,0,0| => line 3: expected each player once
0,0,1,1,0,0,0| => line 2: expected 8 columns
0,0,1,1,0,0,0,0|0,1,-500,1,0,0,0,0| =>\x20
0,0,-900,1,0,0,0,0|0,1,-500,1,0,0,0,0| => 100.0 % of 2 positions outside of it";
    for (lines, what) in ROWS.lines().map(|row| row.split_once(" => ").unwrap()) {
        let lines = lines.replace('|', "\n");
        folder.write("play.csv", format!("{HEADER}\n{lines}"));
        let ran = folder.run(&["simulate", "wall.vcb", "--traces", "play.csv"]);
        if what.is_empty() {
            // One who is nowhere is counted, and told of.
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            ran.says("1 of 2 positions are outside all places");
            continue;
        }
        assert_eq!(ran.code, Some(3), "{lines:?}: {}", ran.stderr);
        ran.warns("play.csv");
        ran.warns(what);
        assert_eq!(ran.stdout, "");
    }
    folder.write("play.csv", "a,b\n");
    let ran = folder.run(&["simulate", "wall.vcb", "--traces", "play.csv"]);
    assert!(
        ran.code == Some(3) && ran.stderr.contains("line 1"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_trace_with_the_ends_of_lines_of_windows_is_read() {
    let folder = Folder::with_wall();
    let lines = format!("{HEADER}\n0,0,1,1,0,0,0,0\n0,1,2,2,0,0,0,0\n").replace('\n', "\r\n");
    folder.write("play.csv", lines);
    folder.ok(&["simulate", "wall.vcb", "--traces", "play.csv"]);
}

#[test]
fn options_that_cannot_be_are_told_of() {
    let folder = Folder::with_wall();
    let run = |more: &[&str]| {
        let mut arguments = vec!["simulate", "wall.vcb", "--seconds", "1"];
        arguments.extend(more);
        let ran = folder.run(&arguments);
        (ran.code, ran.stderr)
    };
    for more in [
        &["--scheme", "nobody"][..],
        &["--scheme", "CS,CS"],
        &["--hz", "0"],
        &["--hz", "5000"],
        &["--loss", "100"],
        &["--rtt", "-1"],
        &["--players", "1"],
        &["--traces", "x.csv", "--players", "5"],
    ] {
        let (code, words) = run(more);
        assert_eq!(code, Some(2), "{more:?}: {words}");
    }
    assert!(
        run(&["--scheme", "nobody"]).1.contains("best"),
        "names that there are"
    );
    let missing = folder.run(&["simulate", "wall.vcb", "--traces", "none.csv"]);
    assert!(missing.code == Some(4) && missing.stderr.contains("none.csv"));
    folder.write("job.json", "{\"job\": 3}");
    let job = folder.run(&["simulate", "--job", "job.json"]);
    assert!(
        job.code == Some(3) && job.stderr.contains("job.json"),
        "{}",
        job.stderr
    );
}

const GPX: &str = "<gpx><trk><trkseg>\n\
    <trkpt lat=\"45.0\" lon=\"14.0\"><time>2010-10-03T09:36:12Z</time></trkpt>\n\
    <trkpt lat=\"45.00001\" lon=\"14.00001\"><time>2010-10-03T09:36:22Z</time></trkpt>\n\
    </trkseg></trk></gpx>\n";

#[test]
fn tracks_are_put_where_they_are_told_and_faults_are_told_of() {
    let folder = Folder::with_wall();
    folder.write("a.gpx", GPX);
    folder.write("b.gpx", GPX.replace("12Z", "11Z"));
    let ran = |more: &[&str]| {
        let mut arguments = vec!["simulate", "wall.vcb", "--json"];
        arguments.extend(more);
        folder.run(&arguments)
    };
    let placed = ran(&["--traces", "a.gpx,b.gpx", "--place", "3,3"]);
    assert_eq!(placed.code, Some(0), "{}", placed.stderr);
    placed.says("\"players\": 2");
    let alone = ran(&["--traces", "a.gpx", "--place", "3,3"]);
    assert!(
        alone.code == Some(3) && alone.stderr.contains("several files"),
        "{}",
        alone.stderr
    );
    let nowhere = ran(&["--traces", "a.gpx,b.gpx"]);
    assert!(
        nowhere.code == Some(2) && nowhere.stderr.contains("--place"),
        "{}",
        nowhere.stderr
    );
    folder.write(
        "c.gpx",
        GPX.replace("<time>2010-10-03T09:36:22Z</time>", ""),
    );
    let timeless = ran(&["--traces", "a.gpx,c.gpx", "--place", "3,3"]);
    assert_eq!(timeless.code, Some(3));
    timeless.warns("c.gpx: line 3: expected a point with a time");
    let far = ran(&["--traces", "a.gpx,b.gpx", "--place", "9000,3"]);
    assert!(
        far.code == Some(3) && far.stderr.contains("100.0 %"),
        "{}",
        far.stderr
    );
}

#[test]
fn the_loopback_is_a_network_of_its_own() {
    let folder = Folder::with_wall();
    let run = |more: &[&str]| {
        let mut arguments = vec![
            "simulate",
            "wall.vcb",
            "--players",
            "3",
            "--seconds",
            "2",
            "--loopback",
        ];
        arguments.extend(more);
        folder.run(&arguments)
    };
    let sent = run(&["--scheme", "CSA,NPP,best"]);
    assert_eq!(sent.code, Some(0), "{}", sent.stderr);
    sent.warns("best: ");
    sent.warns("as counted");
    assert_eq!(run(&["--rtt", "50"]).code, Some(2));
}

#[test]
fn a_trace_is_fitted_and_made_up_anew() {
    let folder = Folder::with_wall();
    folder.ok(&words(
        "simulate wall.vcb --players 4 --seconds 60 --write-trace w.csv --scheme PPP",
    ));
    let fit = folder.ok(&["simulate", "fit", "w.csv", "--json"]);
    fit.says("\"walk\"");
    fit.says("\"players\": 4");
    let like = folder.run(&words(
        "simulate wall.vcb --like w.csv --players 9 --seconds 5 --scheme PPP",
    ));
    assert!(
        like.code == Some(0) && like.stdout.contains("9 players"),
        "{} {}",
        like.stdout,
        like.stderr
    );
    folder.write("bad.csv", "a,b\n");
    let bad = folder.run(&["simulate", "fit", "bad.csv"]);
    assert!(
        bad.code == Some(3) && bad.stderr.contains("bad.csv: line 1"),
        "{}",
        bad.stderr
    );
}
