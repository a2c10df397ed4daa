//! What somebody who wished the program ill found: secrets that are told, damage that is blamed on another, words that
//! break lines.

use crate::data::data;
use crate::sections::{assemble, parts};
use std::fs;

use viewcell::format::{Header, Section, Tag};

use super::common::rooms;
use super::common::{Folder, PRIVATE_KEY, SIGN, wall, words};

/// A bundle in which something of a section or of its entry is another, with checksums that say that this is right.
fn damaged(bytes: &[u8], tag: Tag, damage: impl FnOnce(&mut Section, &mut Vec<u8>)) -> Vec<u8> {
    let mut sections = parts(bytes, Some(tag));
    let (section, stored) = sections
        .iter_mut()
        .find(|(section, _)| section.tag == tag)
        .unwrap();
    damage(section, stored);
    assemble(Header::parse(bytes).unwrap().kind, &sections)
}

#[test]
fn the_repack_of_a_damaged_bundle_blamed_its_path_or_the_output() {
    let folder = rooms();
    folder.ok(&words(
        "bake solid rooms.map --cell 64 -o plain.vcb --quiet",
    ));
    let sound = folder.read("plain.vcb");
    let flip = |at: usize| move |_: &mut Section, stored: &mut Vec<u8>| stored[at] ^= 0x11;
    let cases = [
        (
            damaged(&sound, Tag::SBOX, |section, _| section.length = 64),
            "SBOX",
        ),
        (
            damaged(&sound, Tag::PIDX, |section, stored| {
                stored.pop();
                section.length -= 1;
            }),
            "PIDX",
        ),
        (damaged(&sound, Tag::PCRC, flip(0)), "page 0"),
        (damaged(&sound, Tag::GRID, flip(16)), "GRID"),
        (damaged(&sound, Tag::DICT, flip(3)), "DICT"),
        (damaged(&sound, Tag::PROV, flip(9)), "PROV"),
    ];
    for (bytes, place) in cases {
        folder.write("damaged.vcb", bytes);
        folder.fails(
            &["repack", "damaged.vcb", "-o", "out.vcb", "--quiet"],
            3,
            &["damaged.vcb", place, "the file is damaged"],
        );
        let words = folder
            .run(&["repack", "damaged.vcb", "-o", "out.vcb"])
            .stderr;
        assert!(!words.contains("permissions"), "{words}");
        assert!(!folder.names().contains(&"out.vcb".to_owned()));
    }
}

#[test]
fn info_and_verify_say_where_checksums_by_page_are_missing() {
    let older = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/golden/v1/20x18-pruned.vcb"
    );
    for verb in ["info", "verify"] {
        let said = Folder::new().ok(&[verb, older]).stdout;
        assert!(said.contains("none by page"), "{said}");
    }
}

#[test]
fn a_repacked_bundle_lost_its_signature_in_silence() {
    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY);
    folder.ok(&[SIGN, &["-q"]].concat());
    for more in [&[][..], &["--quiet"]] {
        let repack = ["repack", "signed.vcb", "-o", "repacked.vcb", "--force"];
        let ran = folder.ok(&[&repack[..], more].concat());
        ran.warns("repacked.vcb is not signed: the signature of signed.vcb is gone");
    }
    let ran = folder.ok(&["repack", "wall.vcb", "-o", "other.vcb", "--quiet"]);
    assert_eq!(ran.stderr, "", "nothing is lost of what was not signed");
}

#[test]
fn a_key_file_with_a_broken_header_was_told_word_by_word() {
    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY.replacen("KEY-----", "KEY----", 1));
    for arguments in [SIGN, &["verify", "wall.vcb", "--key", "key.pem"]] {
        let ran = folder.ends(arguments, 3);
        ran.warns("key.pem: expected an Ed25519");
        for secret in ["MC4C", "hsZ3v", "9g"] {
            assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY);
    let signs = |mode| {
        fs::set_permissions(folder.path("key.pem"), fs::Permissions::from_mode(mode)).unwrap();
        folder.ok(&[SIGN, &["--force", "-q"]].concat()).stderr
    };
    for mode in [0o644, 0o640, 0o604] {
        let words = signs(mode);
        assert!(
            words.contains("chmod 600") && words.contains("key.pem"),
            "{words}"
        );
    }
    assert_eq!(signs(0o600), "");
}

#[test]
fn a_line_feed_in_a_name_broke_lines() {
    let folder = Folder::new();
    folder.write("a\nb.asc", wall());
    let ran = folder.ok(&["bake", "terrain", "a\nb.asc", "--visibility", "exact"]);
    ran.warns("written: a\\nb.vcb");
    for arguments in [
        &["verify", "no\nsuch.vcb"][..],
        &["bake", "terrain", "a\nb.asc", "-o", "a\nb.vcb"],
        &["query", "visible", "a\nb.vcb", "99,99", "0,0"],
    ] {
        let ran = folder.run(arguments);
        assert_ne!(ran.code, Some(0));
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
        ran.warns("\\n");
    }
}

#[test]
fn no_number_is_told_by_hundreds_of_digits() {
    let folder = rooms();
    for (option, value) in [
        ("--cell", "1e-300"),
        ("--cell", "1e300"),
        ("--hull", "-1e300,-1e300,-1e300,1e300,1e300,1e300"),
        ("--eye", "1e300"),
    ] {
        let option = format!("{option}={value}");
        let ran = folder.ends(&["bake", "solid", "rooms.map", &option, "-o", "x.vcb"], 2);
        assert!(ran.stderr.len() < 600, "{}", ran.stderr);
    }
    folder.write(
        "void.asc",
        "ncols 3\nnrows 2\ncellsize 10\nnodata_value -3.4028234663852886e+38\n1 2 3\n4 \
         -3.4028234663852886e+38 6\n",
    );
    let ran = folder.ok(&["bake", "terrain", "void.asc", "--visibility", "exact"]);
    ran.warns("nodata -3.4028234663852886e38");
}

#[cfg(unix)]
#[test]
fn threads_that_cannot_start_are_out_of_a_resource() {
    use std::process::Command;

    let folder = Folder::with_wall();
    let limited = |arguments: &str| {
        let script = format!(
            "ulimit -v 3000000; exec '{}' {arguments}",
            super::common::VIEWCELL
        );
        let ran = Command::new("sh")
            .args(["-c", &script])
            .env("RUST_MIN_STACK", "1000000000")
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        (ran.status.code(), String::from_utf8(ran.stderr).unwrap())
    };
    for arguments in [
        "bake terrain wall.asc -o x.vcb --threads 64",
        "repack wall.vcb -o x.vcb --threads 64",
    ] {
        let (code, words) = limited(arguments);
        assert_eq!(code, Some(5), "{words}");
        assert!(words.contains("--threads"), "{words}");
    }
}

/// Whoever had a file had to know first what kind of world it is.
#[test]
fn a_file_is_baked_as_the_kind_that_it_has() {
    let folder = rooms();
    folder.write("wall.asc", wall());
    let ran = folder.ok(&["bake", "wall.asc", "--visibility", "exact"]);
    ran.warns("next: viewcell view wall.vcb");
    assert!(
        ran.stderr.trim_end().lines().count() <= 12,
        "{}",
        ran.stderr
    );
    folder.ok(&["bake", "rooms.map", "--cell", "64", "--force", "--quiet"]);
    let kind = |bundle| {
        let told = folder.json(&["info", bundle, "--json"]);
        told["kind"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (kind("wall.vcb"), kind("rooms.vcb")),
        ("terrain".into(), "solid".into())
    );
    // An option's file that exists, before the input: neither is taken for the other.
    folder.ok(&["bake", "-o", "wall.vcb", "--force", "--quiet", "rooms.map"]);
    folder.ok(&["bake", "--force", "--quiet", "-o", "rooms.vcb", "wall.asc"]);
    assert_eq!(
        (kind("wall.vcb"), kind("rooms.vcb")),
        ("solid".into(), "terrain".into())
    );
    folder.fails(
        &["bake", "cells", "rooms.map"],
        3,
        &["rooms.map", "viewcell bake solid"],
    );
    folder.fails(&["bake", "none.tif"], 4, &["none.tif"]);
}

/// Some were taken for a file that cannot be read.
#[test]
fn what_is_no_utf_8_was_blamed_on_the_disk() {
    let folder = rooms();
    folder.write("wall.asc", wall());
    folder.ok(&["bake", "wall.asc", "--visibility", "exact", "--quiet"]);
    let latin = b"caf\xe9,1,2\n";
    for name in [
        "a.csv", "a.gpx", "a.toml", "a.json", "a.jsonl", "a.npy", "a.pem", "a.txt", "a.obj",
    ] {
        folder.write(name, latin);
    }
    let head = "t_ms,player,x,y,z,pitch_deg,yaw_deg,dead\n";
    folder.write(
        "head.csv",
        [head.as_bytes(), b"0,0,\xe9,2,3,0,0,0\n"].concat(),
    );
    for line in [
        "bake --job a.toml",
        "bake solid rooms.map -o x.vcb --reach a.csv",
        "bake solid rooms.map -o x.vcb --reach head.csv",
        "bake terrain wall.asc -o x.vcb --solids a.obj",
        "simulate --job a.json",
        "simulate rooms.vcb --traces a.csv",
        "simulate rooms.vcb --traces head.csv",
        "simulate wall.vcb --traces a.gpx --traces a.gpx",
        "simulate fit a.csv",
        "query visible rooms.vcb --pairs a.txt",
        "query visible rooms.vcb --pairs a.txt",
        "query visible wall.vcb --pairs a.txt",
        "import matrix a.csv -o x.vcb",
        "import matrix a.npy -o x.vcb",
        "sign wall.vcb --key a.pem -o x.vcb",
        "verify wall.vcb --key a.pem",
        "rebake wall.vcb --stamps a.jsonl -o x.vcb",
    ] {
        let ran = folder.ends(&line.split(' ').collect::<Vec<_>>(), 3);
        assert!(ran.stderr.len() < 700, "{line}: {}", ran.stderr);
    }
    assert!(!folder.names().iter().any(|name| name.starts_with("x.")));
}

/// A file of those that an attack left; says so if it is not there.
fn left(name: &str) -> Option<String> {
    let path = data(&format!("reports/attack/{name}"))?;
    path.to_str().map(str::to_owned)
}

#[test]
fn damaged_bundles_of_an_attack_were_blamed_on_paths_and_outputs() {
    let folder = Folder::new();
    // Of solid levels without axes, whatever else is wrong.
    for number in [204, 284, 162] {
        let name = format!("b21-{number}-repack.vcb");
        let Some(bundle) = left(&name) else { return };
        let words = ["repack", &bundle, "-o", "y.vcb", "--force"];
        folder.fails(&words, 3, &[&name, "SOLD"]);
    }
}

#[test]
fn signatures_of_unknown_schemes_and_with_reserved_bytes_were_sound() {
    let folder = Folder::new();
    for (name, place) in [
        ("sign-reserved-7.vcb", "found 7"),
        ("sign-scheme-99.vcb", "found 99"),
    ] {
        let Some(bundle) = left(name) else { return };
        let ran = folder.run(&["verify", &bundle]);
        let words = ran.stdout + &ran.stderr;
        assert_eq!(ran.code, Some(1), "{words}");
        assert!(
            words.contains("signature-fields") && words.contains(place),
            "{words}"
        );
    }
}

/// Exit code and stderr of a command that may take so many seconds of processor and a gigabyte of memory.
#[cfg(unix)]
fn bounded(folder: &Folder, seconds: u32, command: &str) -> (Option<i32>, String) {
    let viewcell = super::common::VIEWCELL;
    let script = format!("ulimit -v 1000000 -t {seconds}; exec '{viewcell}' {command}");
    let ran = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&ran.stderr).into_owned();
    (ran.status.code(), words)
}

/// A library was read for each of its names, an instance for each of 20,000 nodes, a polygon corner by corner, a slab
/// voxel by voxel: gigabytes and minutes, with a dry run as well.
#[cfg(unix)]
#[test]
fn levels_of_an_attack_took_gigabytes_and_minutes() {
    let folder = Folder::new();
    folder.write("reach.csv", "0.5,0.5,0.3\n");
    folder.write("big.mtl", vec![b'#'; 1 << 20]);
    let reach = "--reach reach.csv";
    let opaque = "--reach reach.csv --opaque-without-material --from z-up";
    for (name, options, code, seconds) in [
        ("slab.map", "--cell 64 --grade=32 --dry-run", 0, 60),
        ("glTF-20000-instances.gltf", reach, 0, 10),
        ("mtllib-missing-5000.obj", reach, 3, 5),
        ("mtllib-missing-5000.obj", opaque, 0, 5),
        ("mtllib-repeated.obj", opaque, 0, 5),
        ("face-of-many-corners.obj", opaque, 0, 5),
    ] {
        let Some(level) = left(name) else { return };
        // Its library lies beside it.
        folder.write(name, fs::read(level).unwrap());
        let (ended, words) = bounded(
            &folder,
            seconds,
            &format!("bake solid {name} -o x.vcb --force --quiet --threads 1 {options}"),
        );
        assert_eq!(ended, Some(code), "{name}: {words}");
    }
}

/// Voids of a mask were 0, as hidden samples are, and no tag told of them.
#[test]
fn a_mask_of_a_pvs_did_not_tell_voids_from_what_is_hidden() {
    use tiff::decoder::{Decoder, DecodingResult};

    let folder = Folder::with_wall();
    folder.ok(&["query", "pvs", "wall.vcb", "1,0", "-o", "x.tif"]);
    let mut decoder = Decoder::new(std::io::Cursor::new(folder.read("x.tif"))).unwrap();
    let nodata = decoder.get_tag_ascii_string(tiff::tags::Tag::GdalNodata);
    assert_eq!(nodata.unwrap(), "255");
    let DecodingResult::U8(mask) = decoder.read_image().unwrap() else {
        panic!("not a mask of bytes");
    };
    assert_eq!(mask[44], 255, "the south-eastern corner");
    assert_eq!(mask.iter().filter(|byte| **byte == 255).count(), 1);
}
