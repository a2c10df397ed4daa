//! Every verb does what its help says.

use std::collections::BTreeMap;
use std::io::Cursor;

use tiff::decoder::{Decoder, DecodingResult};

use crate::common::{Folder, PRIVATE_KEY, SIGN, demo, wall, words};

#[test]
fn a_wall_hides_what_is_behind_it() {
    let folder = Folder::with_wall();
    let visible = |a: &str, b: &str| {
        let ran = folder.ok(&["query", "visible", "wall.vcb", a, b]);
        assert_eq!(ran.stderr, "");
        ran.stdout
    };
    assert_eq!(visible("0,2", "8,2"), "hidden\n");
    assert_eq!(visible("8,2", "0,2"), "hidden\n");
    assert_eq!(visible("0,2", "3,0"), "visible\n");
    assert_eq!(visible("0,2", "4,2"), "visible\n");
    assert_eq!(visible("4,0", "8,3"), "visible\n");
    assert_eq!(visible("7,4", "8,4"), "hidden\n", "a void is hidden");
    assert_eq!(visible("8,4", "8,4"), "hidden\n", "nobody stands in a void");
}

#[test]
fn a_bundle_is_named_after_its_input_and_lies_in_the_current_folder() {
    let folder = Folder::new();
    let demo = demo();
    let ran = folder.sound(&[
        "bake",
        "terrain",
        demo.to_str().unwrap(),
        "--crop",
        "0,0,20,10",
        "--visibility",
        "exact",
    ]);
    assert_eq!(ran.stdout, "", "progress and summary go to stderr");
    for words in [
        "20 x 10 = 200 samples",
        "from a sample, on average",
        "visibility",
        "next: viewcell view",
        "jacksboro.vcb",
    ] {
        ran.warns(words);
    }
    assert!(folder.names().contains(&"jacksboro.vcb".to_owned()));
    let info = folder.ok(&["info", "jacksboro.vcb"]);
    info.says("jacksboro.tif (GeoTIFF, 125.1 kB");
    assert_eq!(info.stderr, "");
}

#[test]
fn threads_change_no_byte() {
    let folder = Folder::new();
    let demo = demo();
    let bake = |name: &str, more: &[&str]| {
        let mut arguments = vec![
            "bake",
            "terrain",
            demo.to_str().unwrap(),
            "--crop",
            "30,40,70,50",
            "-o",
            name,
            "--visibility",
            "exact",
            "--quiet",
        ];
        arguments.extend(more);
        assert_eq!(folder.ok(&arguments).stderr, "", "--quiet is quiet");
        folder.read(name)
    };
    let one = bake("one.vcb", &["--threads", "1"]);
    assert!(one == bake("two.vcb", &["--threads", "2"]));
}

#[test]
fn bundles_of_rough_ground_are_sound_in_every_mode_and_at_a_budget() {
    let folder = Folder::new();
    let demo = demo();
    for mode in ["exact", "conservative"] {
        let input = demo.to_str().unwrap();
        let mut arguments = vec![
            "bake", "terrain", input, "-o", "a.vcb", "--force", "--quiet",
        ];
        arguments.extend(["--crop", "100,100,70,60", "--visibility", mode]);
        folder.ok(&arguments);
        folder.ok(&["verify", "a.vcb"]);
        let info = folder.json(&["info", "a.vcb", "--json"]);
        assert_eq!(info["terrain"]["mutual"], true, "{mode}");
        folder.ok(&words("repack a.vcb --budget 60kB -o b.vcb --force"));
        folder.ok(&["verify", "b.vcb"]);
    }
}

#[test]
fn a_file_of_pairs_gets_the_answers_of_single_questions() {
    let folder = Folder::with_wall();
    let mut pairs = String::new();
    let mut single = String::new();
    for (i, a) in ["0,2", "4,1", "8,3", "8,4"].iter().enumerate() {
        for b in ["0,0", "3,4", "4,4", "6,2", "8,4"] {
            let ran = folder.ok(&["query", "visible", "wall.vcb", a, b]);
            single.push_str(if ran.stdout == "visible\n" {
                "1\n"
            } else {
                "0\n"
            });
            // Blanks or commas, any line's end.
            let line = format!("{a} {b}");
            pairs += &if i % 2 == 0 {
                line.replace(',', " ") + "\n"
            } else {
                line + "\r\n"
            };
        }
    }
    assert!(single.contains('1') && single.contains('0'));
    folder.write("pairs.txt", &pairs);
    assert_eq!(
        folder
            .ok(&["query", "visible", "wall.vcb", "--pairs", "pairs.txt"])
            .stdout,
        single
    );
    let without_last_end = pairs.trim_end().as_bytes();
    let ran = folder.run_with_stdin(
        &["query", "visible", "wall.vcb", "--pairs", "-"],
        without_last_end,
    );
    assert_eq!((ran.code, ran.stdout), (Some(0), single));
    let ran = folder.run(&["query", "visible", "wall.vcb", "--pairs", "-"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), ""),
        "no lines, no answers"
    );
}

#[test]
fn a_sound_bundle_passes_and_a_flipped_bit_is_found() {
    let folder = Folder::with_wall();
    assert_eq!(folder.ok(&["verify", "wall.vcb"]).stdout, "sound\n");
    let mut bytes = folder.read("wall.vcb");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    folder.write("flipped.vcb", bytes);
    let ran = folder.ends(&["verify", "flipped.vcb"], 1);
    ran.says("checksum");
    ran.says("expected");
    ran.says("found");
    ran.warns("damaged");
    folder.write("noise.vcb", "noise");
    let ran = folder.ends(&["verify", "noise.vcb"], 1);
    ran.warns("no view cell bundle");
    folder.fails(&["verify", "none.vcb"], 4, &["none.vcb"]);
}

#[test]
fn a_pvs_is_counted_and_drawn() {
    let folder = Folder::with_wall();
    // From west of the wall: four columns and the wall itself; the rest is hidden, less the void.
    let ran = folder.ok(&["query", "pvs", "wall.vcb", "1,2", "-o", "mask.tif"]);
    let counts: Vec<u64> = ran
        .stdout
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(counts, [25, 19, 1]);
    let mut decoder = Decoder::new(Cursor::new(folder.read("mask.tif"))).unwrap();
    assert_eq!(decoder.dimensions().unwrap(), (9, 5));
    let DecodingResult::U8(mask) = decoder.read_image().unwrap() else {
        panic!("not bytes");
    };
    let mut expected: Vec<u8> = (0..45).map(|i| u8::from(i % 9 <= 4)).collect();
    // A void is neither seen nor hidden.
    expected[44] = 255;
    assert_eq!(mask, expected);

    folder.ok(&["query", "pvs", "wall.vcb", "1,2", "-o", "seen.png"]);
    let picture = image::load_from_memory(&folder.read("seen.png"))
        .unwrap()
        .to_rgba8();
    assert_eq!((picture.width() % 9, picture.height() % 5), (0, 0));
    let scale = picture.width() / 9;
    let at = |column: u32, row: u32| *picture.get_pixel(column * scale + 1, row * scale + 1);
    assert!(at(0, 0)[0] > 2 * at(8, 0)[0], "what is hidden is darker");
    assert_eq!(at(8, 4)[3], 0, "a void is transparent");

    // A quad that straddles the wall sees both sides.
    let ran = folder.ok(&["query", "pvs", "wall.vcb", "5,2", "--quad", "4"]);
    assert!(
        ran.stdout.starts_with("visible            44  100.0 %"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_drawing_that_is_there_is_kept_unless_forced() {
    let folder = Folder::with_wall();
    folder.write("mask.png", "precious");
    folder.fails(
        &["query", "pvs", "wall.vcb", "1,2", "-o", "mask.png"],
        4,
        &["mask.png", "--force"],
    );
    assert_eq!(folder.read("mask.png"), b"precious");
    folder.ok(&words("query pvs wall.vcb 1,2 -o mask.png --force"));
    assert!(folder.read("mask.png").starts_with(b"\x89PNG"));
    assert_eq!(
        folder
            .names()
            .iter()
            .filter(|name| name.contains("mask"))
            .count(),
        1
    );
}

#[test]
fn a_job_file_bakes_the_same_bundle_with_paths_relative_to_itself() {
    let folder = Folder::with_wall();
    std::fs::create_dir(folder.path("jobs")).unwrap();
    folder.write("jobs/wall.asc", folder.read("wall.asc"));
    folder.write(
        "jobs/wall.toml",
        "[terrain]\ninput = \"wall.asc\"\nvisibility = \"exact\"\n",
    );
    folder.ok(&["bake", "--job", "jobs/wall.toml", "--quiet"]);
    assert!(folder.read("jobs/wall.vcb") == folder.read("wall.vcb"));

    folder.write(
        "jobs/other.toml",
        "[terrain]\ninput = \"wall.asc\"\noutput = \"../other.vcb\"\nvisibility = \"exact\"\nplayer-height = 2.5\n",
    );
    folder.ok(&["bake", "--job", "jobs/other.toml", "--quiet"]);
    assert!(
        folder
            .ok(&["info", "other.vcb"])
            .stdout
            .contains("player 2.5 m")
    );
    folder.fails(
        &["bake", "--job", "jobs/other.toml", "--quiet"],
        4,
        &["other.vcb", "--force"],
    );
    folder.ok(&["bake", "--job", "jobs/other.toml", "--quiet", "--force"]);
}

#[test]
fn completions_and_manual_pages_come_from_the_one_definition() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.ok(&["completions", shell]).stdout;
        for word in ["bake", "query", "player-height", "progress"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(folder.ok(&["man"]).stdout.contains(".TH viewcell 1"));
    folder.ok(&["man", "pages/man1"]);
    for page in ["viewcell", "viewcell-bake-terrain", "viewcell-query-pvs"] {
        let text = folder.read(&format!("pages/man1/{page}.1"));
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(&format!(".TH {page} 1")), "{page}: {text}");
    }
}

#[test]
fn help_and_version_are_results() {
    let folder = Folder::new();
    let help = folder.ok(&["--help"]).stdout;
    for word in [
        "bake",
        "info",
        "verify",
        "query",
        "completions",
        "man",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}");
    }
    let version = folder.ok(&["--version"]).stdout;
    assert_eq!(version, format!("viewcell {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_simulation_is_told_again_from_stdin_and_from_another_folder() {
    let folder = Folder::with_wall();
    let play = ["simulate", "wall.vcb", "--seconds", "2", "--json"];
    let first = folder.ok(&play);
    let told = first.stdout.as_bytes();
    let again = folder.run_with_stdin(&["simulate", "--job", "-", "--json"], told);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(again.json()["job"], first.json()["job"]);
    // Paths in a file are relative to it, as in job files of bakes.
    std::fs::create_dir(folder.path("below")).unwrap();
    std::fs::rename(folder.path("wall.vcb"), folder.path("below/wall.vcb")).unwrap();
    folder.write("below/job.json", &first.stdout);
    folder.ok(&["simulate", "--job", "below/job.json", "--json"]);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let folder = Folder::with_wall();
    for (verb, options) in [
        (
            &["simulate", "wall.vcb"][..],
            &["--eye", "--jump", "--hz", "--speed", "--bandwidth"][..],
        ),
        (&["simulate", "fit", "trace.csv"], &["--jump", "--hz"]),
        (&["view", "wall.vcb", "--traces", "trace.csv"], &["--hz"]),
        (
            &["bake", "terrain"],
            &["--player-height", "--eye-height", "--water-level"],
        ),
        (&["bake", "terrain"], &["--max-slope", "--max-distance"]),
        (&["bake", "solid"], &["--eye"]),
        (&["export", "horizon"], &["--eye-height"]),
    ] {
        for option in options {
            for none in ["nan", "-inf"] {
                let given = format!("{option}={none}");
                folder.fails(&[verb, &[&given]].concat(), 2, &[option]);
            }
        }
    }
}

#[test]
fn files_of_another_kind_are_told_by_name() {
    let folder = Folder::with_wall();
    folder.ok(&words("bake terrain wall.asc --shard 1/1 -o wall.vcs"));
    folder.write("hole.asc", wall().replace("100", "0"));
    let patch = words("rebake wall.vcb --terrain hole.asc --patch hole.vcp");
    folder.ok(&patch);
    for (arguments, words) in [
        (
            &["repack", "hole.vcp"][..],
            ["hole.vcp", "expected a bundle, found a patch"],
        ),
        (
            &["merge", "hole.vcp", "wall.vcb"],
            ["hole.vcp", "expected a bundle, found a patch"],
        ),
        (
            &["merge", "wall.vcb", "wall.vcs"],
            ["wall.vcs", "expected a patch, found a shard"],
        ),
        (
            &["merge", "wall.vcs", "wall.vcb"],
            ["wall.vcs", "expected a bundle, found a shard"],
        ),
        (
            &["merge", "wall.vcb"],
            ["wall.vcb", "expected patches over it"],
        ),
    ] {
        folder.fails(&[arguments, &["-o", "new.vcb"]].concat(), 3, &words);
    }
    let mut damaged = folder.read("hole.vcp");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 8;
    folder.write("rotten.vcp", damaged);
    for arguments in [
        &["merge", "wall.vcb", "rotten.vcp", "-o", "new.vcb"][..],
        &words("rebake wall.vcb rotten.vcp --terrain wall.asc --patch new.vcp"),
        &words("query visible wall.vcb 0,0 1,1 --patch rotten.vcp"),
    ] {
        let said = folder.ends(arguments, 3);
        let named = said.stderr.contains("rotten.vcp") && !said.stderr.contains("wall.vcb:");
        assert!(named, "{arguments:?}: {}", said.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_nobody_can_get_is_a_failure() {
    let folder = Folder::new();
    for arguments in [&["--help"][..], &["bake", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let ran = folder.command(arguments).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(4), "{arguments:?}");
        let words = String::from_utf8_lossy(&ran.stderr);
        assert!(words.contains("stdout"), "{words}");
    }
    assert!(folder.ok(&["--help"]).stdout.contains("Exit codes"));
}

#[test]
fn a_signed_bundle_is_verified_with_its_public_key() {
    let public =
        |key: &str| format!("-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n");
    let folder = Folder::with_wall();
    folder.write("key.pem", PRIVATE_KEY);
    let own = public("MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    folder.write("public.pem", own);
    let other = public("MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
    folder.write("other.pem", other);
    let sign = [SIGN, &["--json"]].concat();
    let said = folder.json(&sign);
    assert!(said["public_key"].as_str().unwrap().starts_with("d75a9801"));
    let verify = |bundle: &str, key: &str| {
        let ran = folder.run(&["verify", bundle, "--key", key]);
        (ran.code, ran.stdout + &ran.stderr)
    };
    assert_eq!(verify("signed.vcb", "public.pem").0, Some(0));
    for (bundle, key, code, words) in [
        ("signed.vcb", "other.pem", 1, "one by another"),
        ("wall.vcb", "public.pem", 1, "found none"),
        ("signed.vcb", "key.pem", 3, "found PRIVATE KEY"),
        ("signed.vcb", "wall.asc", 3, "found no PEM"),
        ("signed.vcb", "none.pem", 4, "none.pem"),
    ] {
        let (found, said) = verify(bundle, key);
        assert_eq!(found, Some(code), "{bundle} {key}: {said}");
        assert!(said.contains(words), "{bundle} {key}: {said}");
    }
    let mut forged = folder.read("signed.vcb");
    let middle = forged.len() / 2;
    forged[middle] ^= 1;
    folder.write("forged.vcb", forged);
    assert_eq!(verify("forged.vcb", "public.pem").0, Some(1));
    let public = ["sign", "wall.vcb", "--key", "public.pem", "-o", "new.vcb"];
    folder.fails(&public, 3, &["public.pem", "found PUBLIC KEY"]);
    folder.fails(&sign, 4, &["signed.vcb"]);
}

/// The pages of the manual, by the words of the verbs that they are of.
fn pages(folder: &Folder) -> Vec<String> {
    folder.ok(&["man", "pages"]);
    let files = std::fs::read_dir(folder.path("pages")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let verbs = names.map(|name| name.replace(".1", "").replace('-', " "));
    // The papers' program has a manual of its own.
    verbs.filter(|verb| !verb.ends_with("experiment")).collect()
}

/// The options of a verb, each after its heading, with what it takes.
fn options(folder: &Folder, verb: &str) -> Vec<(String, String, String)> {
    let words: Vec<&str> = verb.split(' ').skip(1).chain(["--help"]).collect();
    let (mut heading, mut found) = (String::new(), Vec::new());
    for line in folder.ok(&words).stdout.lines() {
        let option = line.strip_prefix("      --").or(line.strip_prefix("  -"));
        let option = option.map(|option| option.rsplit("--").next().unwrap_or(option));
        match option.and_then(|option| option.split([' ', '=', '[']).next()) {
            Some(name) => {
                let takes = line.split_once('<').map_or("", |(_, takes)| takes);
                found.push((heading.clone(), name.to_owned(), takes.to_owned()));
            }
            _ if line.ends_with(':') && !line.starts_with(' ') => heading = line.replace(':', ""),
            _ => {}
        }
    }
    found
}

/// Groups of options had leaked their heading onto what came after them.
#[test]
fn an_option_stands_below_the_same_heading_in_every_verb() {
    let folder = Folder::new();
    let (mut headings, mut below) = (BTreeMap::new(), 0);
    for verb in pages(&folder) {
        for (heading, option, _) in options(&folder, &verb) {
            let there = headings.entry(option.clone()).or_insert(heading.clone());
            assert_eq!(*there, heading, "{verb} --{option}");
            below += usize::from(heading != "Options");
        }
    }
    for (option, heading) in [
        ("output", "Options"),
        ("json", "Options"),
        ("threads", "The work"),
        ("water-level", "Places"),
        ("crop", "Reading the heightmap"),
        ("sky", "Reading the level"),
        ("resume", "Long bakes"),
        ("hull", "Players"),
    ] {
        assert_eq!(headings[option], heading, "--{option}");
    }
    assert!(below > 100, "{below} options below a heading of their own");
}

/// That there is no option -1 was said of `--size -1,-2`.
#[test]
fn a_number_below_zero_is_the_value_of_the_option_before_it() {
    let folder = Folder::new();
    let mut asked = 0;
    for verb in pages(&folder) {
        for (_, option, takes) in options(&folder, &verb) {
            if takes.is_empty() || takes.starts_with("K>]") || takes.starts_with("RATIO>]") {
                continue;
            }
            let value = ["-1", "-0.5,-2"][usize::from(takes.contains(','))];
            let option = format!("--{option}");
            let words = verb.split(' ').skip(1).chain([option.as_str(), value]);
            let ran = folder.run(&words.collect::<Vec<_>>());
            assert_eq!(ran.stdout, "", "{verb} {option} {value}");
            assert!(
                !ran.stderr.contains("unexpected argument '-"),
                "{}",
                ran.stderr
            );
            asked += 1;
        }
    }
    assert!(asked > 200, "{asked}");
}
