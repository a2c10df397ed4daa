//! Levels out of packs: the file that the game would load, with its shaders.

use std::fs;
use std::path::Path;

use viewcell_ingest::solid::{IngestedSolid, SolidOptions, read_solid};

use crate::tiny::{Block, quake, quake3};

/// A `.pk3` of files.
fn pk3(path: &Path, files: &[(&str, &[u8])]) {
    use std::io::Write;
    let mut out = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
    for (i, (name, bytes)) in files.iter().enumerate() {
        let stored = i % 2 == 1;
        let method = if stored {
            rawzip::CompressionMethod::STORE
        } else {
            rawzip::CompressionMethod::DEFLATE
        };
        let file = archive.new_file(name).compression_method(method);
        let (mut entry, config) = file.start().unwrap();
        let descriptor = if stored {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(bytes).unwrap();
            writer.finish().unwrap().1
        } else {
            let level = flate2::Compression::default();
            let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, level));
            writer.write_all(bytes).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    fs::write(path, out).unwrap();
}

/// A `.pak` of files.
fn pak(path: &Path, files: &[(&str, &[u8])]) {
    let (mut data, mut table): (Vec<u8>, Vec<u8>) = Default::default();
    for (name, bytes) in files {
        let mut entry = name.as_bytes().to_vec();
        entry.resize(56, 0);
        entry.extend((12 + data.len() as u32).to_le_bytes());
        entry.extend((bytes.len() as u32).to_le_bytes());
        table.extend(entry);
        data.extend(*bytes);
    }
    let mut out = b"PACK".to_vec();
    out.extend((12 + data.len() as u32).to_le_bytes());
    out.extend((table.len() as u32).to_le_bytes());
    out.extend(data);
    out.extend(table);
    fs::write(path, out).unwrap();
}

fn read(folder: &Path, name: &str) -> Result<IngestedSolid, String> {
    let options = SolidOptions {
        pack: Some(folder.to_owned()),
        ..SolidOptions::default()
    };
    read_solid(Path::new(name), &options).map_err(|error| error.to_string())
}

/// Levels that differ in where the note says they are from.
fn from(folder: &Path) -> String {
    read(folder, "maps/a.bsp").unwrap().notes[0].clone()
}

#[test]
fn of_several_pk3_the_last_by_name_counts_and_loose_files_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let level = quake3(46, &Block::of(1, "textures/base/wall", 0));
    let files: &[(&str, &[u8])] = &[("maps/a.bsp", &level)];
    pk3(&folder.join("pak0.pk3"), files);
    pk3(&folder.join("pak9.pk3"), files);
    pk3(&folder.join("Pak5.pk3"), files);
    assert!(from(folder).ends_with("pak9.pk3"), "{}", from(folder));
    // Names in packs are without regard to case.
    assert!(read(folder, "MAPS/A.bsp").is_ok());
    pk3(
        &folder.join("zz.pk3"),
        &[("maps/b.bsp", &level), ("MAPS/A.BSP", &level)],
    );
    assert!(from(folder).ends_with("zz.pk3"), "{}", from(folder));
    fs::create_dir_all(folder.join("zzz.pk3dir/maps")).unwrap();
    fs::write(folder.join("zzz.pk3dir/maps/a.bsp"), &level).unwrap();
    assert!(from(folder).ends_with("zzz.pk3dir"), "{}", from(folder));
    fs::create_dir_all(folder.join("maps")).unwrap();
    fs::write(folder.join("maps/a.bsp"), &level).unwrap();
    assert!(
        from(folder).ends_with(&folder.display().to_string()),
        "{}",
        from(folder)
    );
}

#[test]
fn of_several_pak_the_greatest_number_counts_and_loose_files_after_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let level = quake("BSP29", &Block::of(-2_i32 as u32, "wall", 0));
    let files: &[(&str, &[u8])] = &[("progs.dat", b"x"), ("maps/a.bsp", &level)];
    fs::create_dir_all(folder.join("maps")).unwrap();
    fs::write(folder.join("maps/a.bsp"), &level).unwrap();
    for (name, counts) in [
        ("pak2.pak", "pak2.pak"),
        ("pak10.pak", "pak10.pak"),
        ("pak1.pak", "pak10.pak"),
        // A game loads none of another name.
        ("zz.pak", "pak10.pak"),
    ] {
        pak(&folder.join(name), files);
        assert!(from(folder).ends_with(counts), "{}", from(folder));
    }
    let read = read(folder, "maps/a.bsp").unwrap();
    assert_eq!(
        (read.bytes, read.level.solids.len()),
        (level.len() as u64, 1)
    );
}

#[test]
fn shaders_of_the_packs_decide() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let level = quake3(46, &Block::of(1, "textures/base/wall", 0));
    let script = |body: &str| format!("textures/base/wall\n{{\n{{\nmap x.tga\n{body}\n}}\n}}\n");
    let (open, closed) = (script("alphaFunc GE128"), script(""));
    pk3(&folder.join("a.pk3"), &[("maps/a.bsp", &level)]);
    let solids = || read(folder, "maps/a.bsp").unwrap().level.solids.len();
    assert_eq!(solids(), 1);
    pk3(
        &folder.join("b.pk3"),
        &[("scripts/base.shader", open.as_bytes())],
    );
    assert_eq!(solids(), 0);
    // A later pack has the same script: the game reads no other.
    pk3(
        &folder.join("c.pk3"),
        &[("scripts/base.shader", closed.as_bytes())],
    );
    assert_eq!(solids(), 1);
}

#[test]
fn what_is_not_there_and_packs_that_are_none_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let level = quake3(46, &Block::of(1, "textures/base/wall", 0));
    pk3(&path.join("a.pk3"), &[("maps/other.bsp", &level)]);
    let error = read(path, "maps/a.bsp").unwrap_err();
    assert!(
        error.contains("expected maps/a.bsp") && error.contains("maps/other.bsp"),
        "{error}"
    );
    let missing = path.join("nowhere");
    assert!(
        read(&missing, "maps/a.bsp")
            .unwrap_err()
            .contains("nowhere")
    );
    for (name, words) in [("b.pk3", "a zip file"), ("pak0.pak", "PACK")] {
        fs::write(path.join(name), b"no pack at all").unwrap();
        let error = read(path, "maps/other.bsp").unwrap_err();
        assert!(error.contains(words) && error.contains(name), "{error}");
        fs::remove_file(path.join(name)).unwrap();
    }
}

/// Packs that unpack to more than any level needs are refused before they are unpacked.
#[test]
fn packs_that_unpack_to_gigabytes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let level = quake3(46, &Block::of(1, "textures/base/wall", 0));
    let blanks = vec![b' '; 4 << 20];
    let files: Vec<(String, &[u8])> = (0..8)
        .map(|i| (format!("scripts/{i}.shader"), &blanks[..]))
        .chain([("maps/a.bsp".to_owned(), &level[..])])
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    // Every other one is stored: only those that are deflated make a bomb.
    let bomb: Vec<_> = files
        .iter()
        .flat_map(|file| [*file, ("x", &b""[..])])
        .collect();
    pk3(&path.join("a.pk3"), &bomb);
    assert!(fs::metadata(path.join("a.pk3")).unwrap().len() < 1 << 20);
    let within = |memory| {
        let options = SolidOptions {
            pack: Some(path.to_owned()),
            memory: Some(memory),
            ..SolidOptions::default()
        };
        read_solid(Path::new("maps/a.bsp"), &options).map_err(|error| error.to_string())
    };
    let error = within(16 << 20).unwrap_err();
    assert!(
        error.contains("at most 15 MiB of files out of packs"),
        "{error}"
    );
    for name in ["bomb2", "bomb3"] {
        let Some(folder) = crate::data::data(&format!("reports/second/attack/pk/{name}")) else {
            continue;
        };
        let error = read(&folder, "maps/r.bsp").unwrap_err();
        assert!(
            error.contains("at most 64 MiB") || error.contains("one over the other"),
            "{error}"
        );
    }
}

/// Damaged packs are errors, or other levels; never a panic.
#[test]
fn damaged_packs_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let level = quake("BSP29", &Block::of(-2_i32 as u32, "wall", 0));
    for (name, write) in [
        ("a.pk3", pk3 as fn(&Path, &[(&str, &[u8])])),
        ("pak0.pak", pak),
    ] {
        let file = path.join(name);
        write(
            &file,
            &[
                ("maps/a.bsp", &level),
                ("scripts/a.shader", b"a { { map x } }"),
            ],
        );
        let sound = fs::read(&file).unwrap();
        for at in (0..sound.len()).step_by((sound.len() / 97).max(1)) {
            for flip in [1, 128, 255] {
                let mut damaged = sound.clone();
                damaged[at] ^= flip;
                fs::write(&file, damaged).unwrap();
                let _ = read(path, "maps/a.bsp");
            }
            fs::write(&file, &sound[..at]).unwrap();
            let _ = read(path, "maps/a.bsp");
        }
        fs::remove_file(&file).unwrap();
    }
}
