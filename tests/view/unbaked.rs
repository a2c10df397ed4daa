//! Worlds that are not baked, and bakes from the page.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use viewcell_bake::plan::{Layers, Players};
use viewcell_bake::{Input, Silent};
use viewcell_ingest::IngestOptions;
use viewcell_ingest::solid::{SolidOptions, UpAxis};

use crate::browser::Browser;
use crate::common::{Baked, Serving, VIEWCELL, text, viewcell};
use crate::page::{WINDOW, over, painted, seen};
use crate::solid::house_map;

/// A part of the demo, not baked, whose bundle goes to `world.vcb` of the folder.
fn demo(folder: &TempDir) -> (Serving, PathBuf) {
    let file = folder.path().join("part.tif");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    fs::copy(demo, &file).unwrap();
    let reading = IngestOptions {
        crop: Some([140, 120, 120, 90]),
        ..IngestOptions::default()
    };
    let read = Input::terrain(&file, &reading, &Layers::default(), &Silent).unwrap();
    let output = folder.path().join("world.vcb");
    (Serving::unbaked(read, output), file)
}

/// A level that is not baked.
fn unbaked(file: &Path, reading: &SolidOptions, output: PathBuf) -> Serving {
    let read = Input::solid(file, reading, &Players::default(), &Silent).unwrap();
    Serving::unbaked(read, output)
}

fn bake(browser: &mut Browser, quality: &str) {
    browser.evaluate(&format!(
        "(document.getElementById('quality').value = '{quality}', document.getElementById('bake').click())"
    ));
}

#[test]
fn a_heightmap_is_seen_before_it_is_baked_and_baked_from_the_page() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (serving, file) = demo(&folder);
    let crop = ["--crop", "140,120,120,90"];
    let exact = Baked::new(
        "terrain",
        &file,
        &[&crop[..], &["--visibility", "exact"]].concat(),
    );
    browser.open(&serving.url);
    for place in [[20, 40], [0, 0], [119, 89], [31, 70]] {
        let at = over(&mut browser, place);
        browser.mouse("mouseMoved", at);
        let name = format!("{},{}", place[0], place[1]);
        assert_eq!(painted(&mut browser), seen(&exact, &name), "{place:?}");
    }
    let told = browser.evaluate("document.getElementById('file').innerText");
    for fact in ["120 × 90", "GeoTIFF", "up, by the file’s coordinates"] {
        assert!(told.as_str().unwrap().contains(fact), "{fact} in {told}");
    }
    browser.wait_for("document.getElementById('quality').dataset.foreseen === 'yes'");
    let told = browser.evaluate("document.getElementById('quality').innerText");
    for words in ["draft: ", "good: ", "best: ", "s, ", "B"] {
        assert!(told.as_str().unwrap().contains(words), "{words} in {told}");
    }
    bake(&mut browser, "good");
    browser.wait_for("viewcell.about && !viewcell.about.unbaked && document.documentElement.dataset.ready === 'yes'");
    // What the program bakes.
    let own = Baked::new("terrain", &file, &crop);
    assert!(fs::read(folder.path().join("world.vcb")).unwrap() == fs::read(&own.bundle).unwrap());
    let at = over(&mut browser, [31, 70]);
    browser.mouse("mouseMoved", at);
    assert_eq!(painted(&mut browser), seen(&own, "31,70"));
}

#[test]
fn a_bake_that_is_stopped_goes_on_and_what_is_there_is_kept() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jacksboro.tif");
    let output = folder.path().join("world.vcb");
    let (reading, layers) = (IngestOptions::default(), Layers::default());
    let read = Input::terrain(&demo, &reading, &layers, &Silent).unwrap();
    let serving = Serving::unbaked(read, output.clone());
    browser.open(&serving.url);
    bake(&mut browser, "best");
    let stage = "document.getElementById('stage').textContent";
    browser.wait_for(&format!("{stage}.startsWith('Finding')"));
    browser.evaluate("document.getElementById('stop').click()");
    browser.wait_for(&format!("{stage}.startsWith('Stopped')"));
    assert!(!output.exists());
    assert_eq!(
        browser.evaluate("document.getElementById('bake').textContent"),
        "Go on"
    );
    // Somebody else's file takes the name.
    fs::write(&output, "mine").unwrap();
    bake(&mut browser, "draft");
    browser.wait_for(&format!("{stage}.includes('world.vcb')"));
    assert_eq!(fs::read_to_string(&output).unwrap(), "mine");
    fs::remove_file(&output).unwrap();
    bake(&mut browser, "draft");
    browser.wait_for("viewcell.about && !viewcell.about.unbaked");
    viewcell(&["verify", text(&output)]);
}

#[test]
fn a_file_that_changes_is_told() {
    let Some(mut browser) = Browser::start(WINDOW) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (serving, file) = demo(&folder);
    browser.open(&serving.url);
    fs::write(&file, "another").unwrap();
    browser.wait_for(
        "document.getElementById('notice').textContent.includes('changed since it was read')",
    );
}

#[test]
fn what_needs_a_bundle_is_refused_before_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (serving, _) = demo(&folder);
    for (path, status, words) in [
        ("/api/0/exposure", 404, "bake first"),
        ("/api/0/frontier?a=0,0&b=1,1", 404, "bake first"),
        ("/api/0/mesh", 404, "heights"),
        ("/api/0/pvs?at=120,0", 400, "columns 0 to 119"),
        ("/api/1/pvs?at=0,0", 404, "no such bundle"),
        ("/api/0/stop", 405, "POST"),
    ] {
        let (found, body) = serving.request("GET", path, "");
        let body = String::from_utf8(body).unwrap();
        assert!(
            found == status && body.contains(words),
            "{path}: {found} {body}"
        );
    }
    let (status, body) = serving.request("POST", "/api/0/bake?quality=fine", "");
    assert!(status == 400 && String::from_utf8(body).unwrap().contains("draft, good"));
}

#[test]
fn cells_of_a_level_see_before_the_bake_what_they_see_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("house.map");
    fs::write(&file, house_map()).unwrap();
    let output = folder.path().join("house.vcb");
    let serving = unbaked(&file, &SolidOptions::default(), output);
    let baked = Baked::new("solid", &file, &[]);
    for cell in ["0", "17", "60"] {
        let (_, body) = serving.request("GET", &format!("/api/0/pvs?at={cell}"), "");
        let length = 4 + u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        let bits = &body[length..];
        let document = viewcell(&["query", "pvs", text(&baked.bundle), cell, "--json"]);
        let document: Value = serde_json::from_str(&document).unwrap();
        let mut expected: Vec<u64> = (document["cells"].as_array().unwrap().iter())
            .map(|cell| cell.as_u64().unwrap())
            .collect();
        let mut found: Vec<u64> = (0..8 * bits.len() as u64)
            .filter(|cell| bits[*cell as usize / 8] >> (cell % 8) & 1 == 1)
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert!(!found.is_empty());
        assert_eq!(found, expected, "{cell}");
    }
    let (status, body) = serving.request("GET", "/api/0/mesh", "");
    let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&body[4..4 + length]).unwrap();
    let [triangles, cells] = ["triangles", "cells"].map(|name| head[name].as_u64().unwrap());
    assert!(status == 200 && triangles >= 12 && cells > 60, "{head}");
    assert_eq!(
        body.len() as u64,
        4 + length as u64 + 36 * triangles + 25 * cells
    );
}

#[test]
fn files_that_cannot_be_shown_are_told_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "wrong.prt",
        "PRT1\n2\n1\n4 0 9 (0 0 0 ) (1 0 0 ) (1 1 0 ) (0 1 0 )\n",
    );
    // A wall, on which nobody stands.
    write("dust.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    write(
        "flat.asc",
        "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n",
    );
    for (arguments, words) in [
        (&["wrong.prt"][..], "wrong.prt"),
        (&["dust.obj", "--from", "z-up"], "--reach"),
        (&["flat.asc", "--dig"], "bake it first"),
        (&["flat.asc", "flat.asc"], "bake it first"),
        (&["flat.asc", "--player-height", "-1"], "--player-height"),
        (&["flat.asc", "-o", "flat.asc"], "flat.asc"),
        (&["none.tif"], "none.tif"),
    ] {
        let ran = Command::new(VIEWCELL)
            .args(["view", "--no-open"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(
            !ran.status.success() && said.contains(words),
            "{arguments:?}: {said}"
        );
    }
}

/// A level with view cells of its own was an error.
#[test]
fn a_level_of_cells_alone_is_baked_aside_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let level = "PRT1\n2\n1\n4 0 1 (0 0 0 ) (64 0 0 ) (64 0 64 ) (0 0 64 )\n";
    fs::write(folder.path().join("level.prt"), level).unwrap();
    let mut ran = Command::new(VIEWCELL)
        .args(["view", "--no-open", "level.prt"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(ran.stdout.take().unwrap())
        .read_line(&mut address)
        .unwrap();
    let port = address.trim().trim_end_matches('/').rsplit(':').next();
    let mut about = TcpStream::connect(("127.0.0.1", port.unwrap().parse().unwrap())).unwrap();
    let host = address
        .trim()
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let request =
        format!("GET /api/0/pvs?at=0 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    about.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    about.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    ran.kill().unwrap();
    ran.wait().unwrap();
    assert!(answer.contains("\"seen\":2"), "{answer}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left beside the level");
}

/// A mesh says nothing of where players begin: it was an error.
#[test]
fn a_mesh_without_spawn_points_is_shown_with_players_wherever_they_can_stand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("yard.obj");
    // A floor of 20 by 20 m, and a wall across it that leaves a way around.
    let yard = "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nf 1 2 3 4\n\
                v 10 0 0\nv 10 12 0\nv 10 12 4\nv 10 0 4\nf 5 6 7 8\nf 8 7 6 5\n";
    fs::write(&file, yard).unwrap();
    let reading = SolidOptions {
        up: Some(UpAxis::Z),
        ..SolidOptions::default()
    };
    let serving = unbaked(&file, &reading, folder.path().join("yard.vcb"));
    let head = |path: &str| -> Value {
        let (status, body) = serving.request("GET", path, "");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&body[4..4 + length]).unwrap()
    };
    let about = head("/api/about").to_string();
    assert!(
        about.contains("names no place where players begin"),
        "{about}"
    );
    let seen = head("/api/0/pvs?at=0")["seen"].as_u64().unwrap();
    assert!(seen > 100, "{seen}");
    // What a bake takes is told before it, near enough.
    let foreseen = head("/api/0/forecast?quality=draft");
    assert!(foreseen["seconds"].as_f64().unwrap() > 0.0, "{foreseen}");
    let (status, _) = serving.request("POST", "/api/0/bake?quality=draft", "");
    assert_eq!(status, 200);
    while head("/api/0/bake")["bake"] == "running" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let bytes = fs::metadata(folder.path().join("yard.vcb")).unwrap().len() as f64;
    let told = foreseen["bytes"].as_f64().unwrap();
    assert!((0.2..5.0).contains(&(told / bytes)), "{told} of {bytes}");
    let (status, body) = serving.request("GET", "/api/0/forecast?quality=fine", "");
    assert!(
        status == 404 || status == 400,
        "{}",
        String::from_utf8_lossy(&body)
    );
}
