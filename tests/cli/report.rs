//! `viewcell report`: a page that is valid, whole, and says what `info` says.

use std::collections::BTreeSet;

use roxmltree::{Document, ParsingOptions};
use serde_json::Value;

use crate::common::{Folder, wall};
use crate::html::assert_valid;
use crate::render::{with_hills, with_rooms};

/// The page of a bundle, after what every page must be was checked; and its words.
fn page(folder: &Folder, bundle: &str) -> (String, String) {
    folder.ok(&["report", bundle, "-o", "r.html", "--force", "--quiet"]);
    let html = String::from_utf8(folder.read("r.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert_valid(&html);
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let tree = Document::parse_with_options(&html, options).unwrap_or_else(|e| panic!("{e}"));
    let mut ids = BTreeSet::new();
    for node in tree.descendants().filter(|node| node.is_element()) {
        let name = node.tag_name().name();
        assert!(
            !["script", "link", "iframe", "object"].contains(&name),
            "{name}"
        );
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            if key == "id" {
                assert!(ids.insert(value), "two elements are {value:?}");
            }
            // Nothing comes from elsewhere.
            let fetched = ["src", "href", "srcset", "data", "poster"].contains(&key);
            assert!(
                !fetched || value.starts_with("data:image/png;base64,"),
                "{value:.80}"
            );
        }
        if name == "img" {
            assert!(node.attribute("alt").is_some_and(|alt| alt.len() > 10));
        }
    }
    assert!(!html.contains("url(") && !html.contains("@import"));
    let words = tree.descendants().filter(|node| node.is_text());
    let words: Vec<&str> = words.filter_map(|node| node.text()).collect();
    let words = words.join("|");
    (html, words)
}

fn info(folder: &Folder, bundle: &str) -> Value {
    folder.json(&["info", bundle, "--json"])
}

fn percent(share: &Value) -> String {
    format!("|{:.2} %|", 100.0 * share.as_f64().unwrap())
}

/// 138632 as 138,632.
fn grouped(number: &Value) -> String {
    let mut digits = number.as_u64().unwrap().to_string();
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    digits
}

#[test]
fn the_page_of_a_terrain_says_what_info_says() {
    let folder = with_hills();
    let (html, words) = page(&folder, "hills.vcb");
    let info = info(&folder, "hills.vcb");
    let made = &info["provenance"];
    for level in made["statistics"]["levels"].as_array().unwrap() {
        assert!(words.contains(&percent(&level["hidden_share"])), "{level}");
        assert!(
            words.contains(&format!("|{}|", grouped(&level["tree_bytes"]))),
            "{level}"
        );
    }
    for section in info["sections"].as_array().unwrap() {
        assert!(words.contains(section["tag"].as_str().unwrap()));
        assert!(
            words.contains(&format!("|{}|", grouped(&section["bytes"]))),
            "{section}"
        );
    }
    let stages = info["timings"]["stages"].as_array().unwrap();
    assert!(!stages.is_empty());
    for stage in stages {
        assert!(words.contains(stage["name"].as_str().unwrap()), "{stage}");
    }
    assert!(words.contains(made["input"]["digest"].as_str().unwrap()));
    assert!(words.contains(info["checksum"].as_str().unwrap()));
    assert!(
        words.contains("Visibility is exact"),
        "it warns of players who move"
    );
    // Three charts, and a map with its legend and scale.
    for text in ["share of samples that see it|", "20 m"] {
        assert!(words.contains(text), "{text}: {words}");
    }
    let legend = words.split("share of samples that see it|").nth(1).unwrap();
    let ticks: Vec<&str> = legend
        .split('|')
        .map(str::trim)
        .filter(|tick| !tick.is_empty())
        .take(4)
        .collect();
    assert!(ticks.iter().all(|tick| tick.ends_with('%')), "{ticks:?}");
    assert_eq!(html.matches("<svg ").count(), 3);
    assert_eq!(html.matches("<img ").count(), 1);
}

#[test]
fn a_page_warns_of_voids_and_does_without_timings() {
    let folder = Folder::with_wall();
    std::fs::remove_file(folder.path("wall.vcb.timings.json")).unwrap();
    let (_, words) = page(&folder, "wall.vcb");
    assert!(words.contains("1 samples (2.22 %) are void"), "{words}");
    assert!(words.contains("there is no file of timings"));
    let document = folder.json(&crate::common::words(
        "report wall.vcb -o r.html --force --json --quiet",
    ));
    assert_eq!(document["bytes"], folder.read("r.html").len());
    assert_eq!(document["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn the_page_of_a_level_says_what_info_says() {
    let folder = with_rooms();
    let (html, words) = page(&folder, "rooms.vcb");
    let info = info(&folder, "rooms.vcb");
    let cells = &info["provenance"]["cells"];
    assert!(words.contains(&percent(&cells["hidden_share"])));
    for pairs in cells["pairs_by_distance"].as_array().unwrap() {
        assert!(words.contains(&format!("|{}|", grouped(pairs))), "{pairs}");
    }
    assert_eq!(html.matches("<img ").count(), 1);
    // A level of which nobody knows where cells are has a page without a plan.
    folder.write("bare.json", r#"{"cells": 3, "pvs": [[1], [0], []]}"#);
    folder.ok(&["bake", "cells", "bare.json", "--quiet"]);
    let (html, words) = page(&folder, "bare.vcb");
    assert_eq!(html.matches("<img ").count(), 0);
    assert!(words.contains("No chain of visible steps connects some pairs"));
}

#[test]
fn names_are_words_and_no_markup() {
    let folder = Folder::new();
    folder.write("a&b<i>.asc", wall());
    folder.ok(&crate::common::words(
        "bake terrain a&b<i>.asc -o a&b<i>.vcb --quiet",
    ));
    let (html, words) = page(&folder, "a&b<i>.vcb");
    assert!(words.contains("a&b<i>.vcb") && words.contains("a&b<i>.asc"));
    assert!(!html.contains("<i>"));
}

#[test]
fn a_bundle_that_no_page_can_hold_is_refused_by_its_size() {
    let folder = Folder::new();
    let file = std::fs::File::create(folder.path("large.vcb")).unwrap();
    file.set_len(64_000_001).unwrap();
    let ran = folder.ends(&["report", "large.vcb", "-o", "r.html", "--interactive"], 2);
    for words in ["large.vcb", "64 MB", "64.0 MB", "--budget"] {
        ran.warns(words);
    }
    assert!(!folder.path("r.html").exists());
}

#[test]
fn what_cannot_be_told_of_is_refused() {
    let folder = Folder::with_wall();
    folder.write("noise.vcb", b"this is no bundle");
    folder.write("there.html", b"mine");
    folder.fails(&["report", "noise.vcb", "-o", "r.html"], 3, &["noise.vcb"]);
    folder.fails(
        &["report", "absent.vcb", "-o", "r.html"],
        4,
        &["absent.vcb"],
    );
    folder.fails(
        &["report", "wall.vcb", "-o", "there.html"],
        4,
        &["there.html", "--force"],
    );
    folder.fails(&["report", "wall.vcb", "-o", "r.pdf"], 2, &[".html"]);
    folder.fails(&["report", "wall.vcb", "-o", "no/r.html"], 4, &["no"]);
    assert_eq!(folder.read("there.html"), b"mine");
}
