use super::*;

/// The shader `textures/x/y` of this body.
fn read(body: &str) -> Shader {
    let shaders = of(&format!("// a script\ntextures/x/Y\n{{\n{body}\n}}\n"));
    assert!(shaders.faults.is_empty(), "{body}: {:?}", shaders.faults);
    match shaders.told("textures/x/y", "textures/x/y") {
        Told::Script(shader) => shader.clone(),
        _ => panic!("{body}"),
    }
}

fn of(text: &str) -> Shaders {
    let mut shaders = Shaders::default();
    shaders
        .add("a.shader", text.as_bytes(), &mut Held::within(None))
        .unwrap();
    shaders
}

fn notes(shaders: &Shaders, name: &str) -> String {
    let mut notes = Vec::new();
    shaders.tell([name].into_iter(), true, &mut notes);
    notes.join("\n")
}

#[test]
fn the_first_stage_says_whether_a_shader_is_seen_through() {
    for (body, seen_through) in [
        ("{\nmap x.tga\n}", false),
        ("{ map x.tga }", false),
        (
            "{\nmap $lightmap\n}\n{\nmap x.tga\nblendFunc filter\n}",
            false,
        ),
        ("{\nmap x.tga\nblendFunc GL_ONE GL_ZERO\n}", false),
        ("{\nmap x.tga\nblendFunc GL_ONE, GL_ZERO\n}", false),
        ("{\nmap x.tga\nblend gl_one , gl_zero\n}", false),
        ("{\nmap x.tga\nblendFunc add\n}", true),
        (
            "{\nmap x.tga\nalphaFunc GE128\n}\n{\nmap $lightmap\nblendFunc filter\n}",
            true,
        ),
        (
            "{\nmap d.tga\ndetail\n}\n{\nmap x.tga\nblendfunc blend\n}",
            true,
        ),
        (
            "{\nmap d.tga\nblendFunc filter\ndetail\n}\n{\nmap x.tga\n}",
            false,
        ),
        ("surfaceparm trans\n{\nmap x.tga\n}", true),
        ("/* surfaceparm trans */\n{\nmap x.tga\n}", false),
        (
            "// surfaceparm trans\n{\nmap x.tga // alphaFunc GE128\n}",
            false,
        ),
        ("deformVertexes autosprite\n{\nmap x.tga\n}", true),
        ("cull back\n{\nmap x.tga\n}", true),
        ("cull front\n{\nmap x.tga\n}", false),
        ("qer_editorimage x.tga", true),
        ("implicitMask x.tga", true),
        ("implicitBlend -", true),
        ("implicitMap x.tga", false),
        // Several commands on a line, and none where a value is expected.
        ("{ map x.tga blendFunc add }", true),
        ("{ map x.tga rgbGen identity alphaFunc GT0 }", true),
        ("qer_editorimage portal\n{ map x.tga }", false),
        ("surfaceparm\ntrans\n{ map x.tga }", true),
        // Kinds of stages of XreaL and Daemon.
        ("{\nstage diffuseMap\nmap x.tga\n}", false),
        (
            "{\nstage bumpMap\nmap n.tga\n}\n{\nstage diffuseMap\nmap x.tga\nalphaTest 0.5\n}",
            true,
        ),
        (
            "{\nblend bumpmap\nmap n.tga\n}\n{\nblend diffusemap\nmap x.tga\n}",
            false,
        ),
        ("{\nstage liquidMap\nmap n.tga\n}", true),
        ("{\nstage frobnicate\nmap n.tga\n}", true),
        ("diffuseMap x.tga\nbumpMap n.tga", false),
        ("bumpMap n.tga", true),
        ("{\nmap $portalmap\n}", true),
        ("{\nmap x.tga\ndepthFunc equal\n}", true),
        ("{\nmap x.tga\ndepthFunc lequal\n}", false),
        ("sort opaque\n{ map x.tga }", false),
        ("sort additive\n{ map x.tga }", true),
        // A surface parameter alone, as Daemon has it.
        ("trans\n{ map x.tga }", true),
        ("\"surfaceparm\" \"trans\"\n{ map \"x y.tga\" }", true),
    ] {
        assert_eq!(read(body).seen_through, seen_through, "{body}");
        for end in ["\r\n", "\r"] {
            let other = body.replace('\n', end);
            assert_eq!(read(&other).seen_through, seen_through, "{body}, {end:?}");
        }
    }
}

/// Each word of the tables in a shader that is opaque without it.
#[test]
fn each_word_of_a_shader_and_of_a_stage() {
    use words::{Covers, InStage, Says, in_shader, in_stage};
    for word in words::SHADER.iter().flat_map(|(_, words)| *words) {
        let word = word.replace('*', "");
        let shader = read(&format!("{word}\n{{ map x.tga }}"));
        let through = match in_shader(&word).unwrap() {
            Says::Nothing | Says::Line | Says::TwoSided => false,
            Says::Stage(covers) => covers == Covers::Some,
            // Without a value.
            Says::Through | Says::Parm | Says::Cull | Says::Sort => true,
        };
        assert_eq!(shader.seen_through, through, "{word}");
        assert!(shader.doubt.is_none() || word == "surfaceparm", "{word}");
    }
    for word in words::STAGE.iter().flat_map(|(_, words)| *words) {
        let word = word.replace('*', "");
        let shader = read(&format!("{{\nmap x.tga\n{word}\n}}"));
        let through = match in_stage(&word).unwrap() {
            InStage::Nothing | InStage::Map => false,
            InStage::Is(_) | InStage::Blend | InStage::DepthFunc | InStage::Kind => true,
        };
        assert_eq!(shader.seen_through, through, "{word}");
        assert!(shader.doubt.is_none(), "{word}");
    }
    for (says, values) in words::SURFACE {
        for value in *values {
            let value = value.replace('*', "x");
            let shader = read(&format!("surfaceparm {value}\n{{ map x.tga }}"));
            let through = *says == Surface::Through || value == "fog";
            assert_eq!(shader.seen_through, through, "{value}");
            assert_eq!(shader.params, [value]);
        }
    }
}

#[test]
fn a_word_that_is_not_known_hides_nothing_and_is_named() {
    for body in [
        "frobnicate 2\n{\nmap x.tga\n}",
        "{\nmap x.tga\nfrobnicate\n}",
        "{\nmap x.tga\n}\nfrobnicate",
        "{\nfrobnicate \"x\" 1\nmap x.tga\n}",
    ] {
        let shader = read(body);
        assert!(shader.seen_through, "{body}");
        assert_eq!(shader.doubt.unwrap().1, "frobnicate");
    }
    let shaders = of("a/b\n{\n  frobnicate 2\n  { map x.tga }\n}\n");
    let note = notes(&shaders, "a/b");
    assert!(
        note.contains("1 shaders hide nothing")
            && note.contains("a/b, by \"frobnicate\" in a.shader, line 3"),
        "{note}"
    );
}

#[test]
fn what_is_not_culled_hides_from_behind_as_well() {
    assert!(read("cull none\n{\nmap x.tga\n}").two_sided);
    assert!(read("twoSided\n{\nmap x.tga\n}").two_sided);
    assert!(!read("{\nmap x.tga\n}").two_sided);
    let shader = read("surfaceparm nonsolid\nsurfaceparm Lava\n{\nmap x.tga\n}");
    assert_eq!(shader.params, ["nonsolid", "lava"]);
}

#[test]
fn of_two_shaders_of_one_name_neither_may_be_seen_through() {
    let shaders =
        of("a/b\n{\ncull none\n{\nmap x.tga\n}\n}\na/b { { map x.tga blendFunc add } }\n");
    assert!(
        of("a/b:q3map { surfaceparm trans }")
            .told("a/b", "a/b")
            .is_open()
    );
    let Told::Script(shader) = shaders.told("A\\B.tga", "A\\B.tga") else {
        panic!()
    };
    assert!(shader.seen_through && !shader.two_sided);
}

const WALL: &str = "a/wall\n{\n{\nmap x.tga\n}\n}\n";

/// Each with the line that is told, and names that may be seen through; `a/wall`, which is told before, may not.
#[test]
fn what_is_behind_a_fault_of_braces_hides_nothing() {
    for (text, line, lost) in [
        // A brace too few: of a stage, of a shader, at the end.
        (
            "a/b\n{\n{\nmap x.tga\n\na/c\n{\n{\nmap x.tga\n}\n}\n",
            12,
            &["a/b", "a/c"][..],
        ),
        (
            "a/b\n{\n{\nmap x.tga\n}\na/c\n{\n{\nmap x.tga\n}\n}\n",
            12,
            &["a/b", "a/c"],
        ),
        (
            "a/b\n{\n{\nmap x.tga\n}\na/c\n{\nqer_editorimage x\n}\n",
            12,
            &["a/b", "a/c"],
        ),
        ("a/b\n{\n{\nmap x.tga\n}\n", 12, &["a/b", "a/else"]),
        ("a/b\n{\n{\nmap x.tga\n", 11, &["a/b", "a/else"]),
        ("a/b\n", 8, &["a/b", "a/else"]),
        (
            "a/b\nsurfaceparm trans\n}\na/c\n{ { map x } }\n",
            8,
            &["a/b", "a/c"],
        ),
        // One too many: which ends the shader before too early, or begins a third.
        (
            "a/b\n{\n{\nmap x.tga\n}\n}\nsurfaceparm trans\n}\na/c\n{\n{\nmap x.tga\n}\n}\n",
            13,
            &["a/b", "a/c"],
        ),
        (
            "a/b\n{\n{\nmap x.tga\n}\n}\n}\na/c\n{\n{\nmap x.tga\n}\n}\n",
            13,
            &["a/b", "a/c"],
        ),
        (
            "a/b\n{\n{\n{\nmap x.tga\n}\n}\na/c\n{\n{\nmap x.tga\n}\n}\n",
            10,
            &["a/b", "a/c"],
        ),
        ("{\n\"a/b\"\n{\n{\nmap x.tga\n}\n}\n}\n", 7, &["a/b"]),
        // What is no brace.
        ("/* a/b\n{\n{\nmap x.tga\n}\n}\n", 7, &["a/b", "a/else"]),
        ("a/b\n{\n{\nmap \"x.tga\n}\n}\n", 10, &["a/b", "a/else"]),
    ] {
        let shaders = of(&format!("{WALL}{text}"));
        assert_eq!(shaders.faults.len(), 1, "{text}");
        for name in lost {
            assert!(shaders.told(name, name).is_open(), "{name} of {text}");
        }
        let note = notes(&shaders, lost[0]);
        assert!(
            note.contains(&format!("a.shader: line {line}: expected"))
                && note.contains("1 of the level's shaders"),
            "{text}: {note}"
        );
    }
    // A script of another width has no name that could be found.
    let wide: Vec<u8> = WALL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut shaders = Shaders::default();
    shaders
        .add("a.shader", &wide, &mut Held::within(None))
        .unwrap();
    assert!(shaders.told("a/wall", "a/wall").is_open());
    // What was told of before the fault stays.
    let shaders = of(&format!(
        "{WALL}a/door\n{{\n{{\nmap x.tga\n}}\n}}\na/b {{ {{ map x }}\na/c {{ {{ {{ }}"
    ));
    assert!(!shaders.told("a/wall", "a/wall").is_open());
    assert!(!shaders.told("a/else", "a/else").is_open());
    assert!(notes(&shaders, "a/wall").contains("no shader of the level is behind that place"));
}

#[test]
fn a_table_of_xreal_is_no_shader() {
    let shaders = of(&format!(
        "table sinTable {{ {{ 0, 1, 0 }} }}\ntable other snap {{ {{ 1 }} }}\n{WALL}"
    ));
    assert!(shaders.faults.is_empty(), "{:?}", shaders.faults);
    assert!(!shaders.told("a/wall", "a/wall").is_open());
    assert!(matches!(
        shaders.told("sintable", "sintable"),
        Told::Name(_)
    ));
}

/// Many shaders behind many bytes of others.
#[test]
fn no_script_is_cut_and_what_it_holds_is_counted() {
    let filler: String = (0..40_000)
        .map(|i| format!("a/filler{i}\n{{\n{{\nmap x.tga\n}}\n}}\n"))
        .collect();
    assert!(filler.len() > 1 << 20);
    let text =
        format!("{filler}a/vines\n{{\nsurfaceparm trans\n{{\nmap x.tga\nalphaFunc GE128\n}}\n}}\n");
    assert!(of(&text).told("a/vines", "a/vines").is_open());
    let mut held = Held::within(Some(4 << 20));
    let mut shaders = Shaders::default();
    let error = shaders
        .add("a.shader", text.as_bytes(), &mut held)
        .unwrap_err();
    assert_eq!(error.kind(), IngestErrorKind::Resource);
    assert!(
        error.to_string().contains("at most 4 MiB of shaders"),
        "{error}"
    );
}
