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
    // With | for ends of lines.
    const ROWS: &str = r#"
{|map x.tga|} => false
{ map x.tga } => false
{|map $lightmap|}|{|map x.tga|blendFunc filter|} => false
{|map x.tga|blendFunc GL_ONE GL_ZERO|} => false
{|map x.tga|blendFunc GL_ONE, GL_ZERO|} => false
{|map x.tga|blend gl_one , gl_zero|} => false
{|map x.tga|blendFunc add|} => true
{|map x.tga|alphaFunc GE128|}|{|map $lightmap|blendFunc filter|} => true
{|map d.tga|detail|}|{|map x.tga|blendfunc blend|} => true
{|map d.tga|blendFunc filter|detail|}|{|map x.tga|} => false
surfaceparm trans|{|map x.tga|} => true
/* surfaceparm trans */|{|map x.tga|} => false
// surfaceparm trans|{|map x.tga // alphaFunc GE128|} => false
deformVertexes autosprite|{|map x.tga|} => true
cull back|{|map x.tga|} => true
cull front|{|map x.tga|} => false
qer_editorimage x.tga => true
implicitMask x.tga => true
implicitBlend - => true
implicitMap x.tga => false
Several commands on a line, and none where a value is expected.
{ map x.tga blendFunc add } => true
{ map x.tga rgbGen identity alphaFunc GT0 } => true
qer_editorimage portal|{ map x.tga } => false
surfaceparm|trans|{ map x.tga } => true
Kinds of stages of XreaL and Daemon.
{|stage diffuseMap|map x.tga|} => false
{|stage bumpMap|map n.tga|}|{|stage diffuseMap|map x.tga|alphaTest 0.5|} => true
{|blend bumpmap|map n.tga|}|{|blend diffusemap|map x.tga|} => false
{|stage liquidMap|map n.tga|} => true
{|stage frobnicate|map n.tga|} => true
diffuseMap x.tga|bumpMap n.tga => false
bumpMap n.tga => true
{|map $portalmap|} => true
{|map x.tga|depthFunc equal|} => true
{|map x.tga|depthFunc lequal|} => false
sort opaque|{ map x.tga } => false
sort additive|{ map x.tga } => true
A surface parameter alone, as Daemon has it.
trans|{ map x.tga } => true
"surfaceparm" "trans"|{ map "x y.tga" } => true"#;
    for (body, seen_through) in ROWS.lines().filter_map(|row| row.split_once(" => ")) {
        let (body, seen_through) = (&body.replace('|', "\n"), seen_through == "true");
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
    // With | for ends of lines.
    const ROWS: &str = r#"
A brace too few: of a stage, of a shader, at the end.
12 a/b a/c => a/b|{|{|map x.tga||a/c|{|{|map x.tga|}|}|
12 a/b a/c => a/b|{|{|map x.tga|}|a/c|{|{|map x.tga|}|}|
12 a/b a/c => a/b|{|{|map x.tga|}|a/c|{|qer_editorimage x|}|
12 a/b a/else => a/b|{|{|map x.tga|}|
11 a/b a/else => a/b|{|{|map x.tga|
8 a/b a/else => a/b|
8 a/b a/c => a/b|surfaceparm trans|}|a/c|{ { map x } }|
One too many: which ends the shader before too early, or begins a third.
13 a/b a/c => a/b|{|{|map x.tga|}|}|surfaceparm trans|}|a/c|{|{|map x.tga|}|}|
13 a/b a/c => a/b|{|{|map x.tga|}|}|}|a/c|{|{|map x.tga|}|}|
10 a/b a/c => a/b|{|{|{|map x.tga|}|}|a/c|{|{|map x.tga|}|}|
7 a/b => {|"a/b"|{|{|map x.tga|}|}|}|
What is no brace.
7 a/b a/else => /* a/b|{|{|map x.tga|}|}|
10 a/b a/else => a/b|{|{|map "x.tga|}|}|"#;
    for (told, text) in ROWS.lines().filter_map(|row| row.split_once(" => ")) {
        let (line, lost) = told.split_once(' ').unwrap();
        let (lost, text): (Vec<&str>, _) = (lost.split(' ').collect(), text.replace('|', "\n"));
        let shaders = of(&format!("{WALL}{text}"));
        assert_eq!(shaders.faults.len(), 1, "{text}");
        for name in &lost {
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
