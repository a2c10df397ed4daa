//! Files and change sets: read back as they were, or refused, whatever befalls their bytes.

use viewcell::dice::Dice;
use viewcell::format::crc32;
use viewcell_layered::{
    ChangeSet, Columns, Effect, Georeference, GroundFile, Growth, Layered, Patches, Rule, Shape,
    Stamp, encode, grow, hold, touched,
};

use crate::common::{any_stamp, cubes, hills};

fn is_same(a: &Patches, b: &Patches) -> bool {
    a.stacks() == b.stacks() && a.frame() == b.frame() && a.version() == b.version()
}

/// What [`grow`] does, in memory.
fn grown(bytes: &[u8], growth: &Growth) -> Vec<u8> {
    let mut bytes = bytes[..growth.at as usize].to_vec();
    bytes.extend_from_slice(&growth.bytes);
    let at = growth.slot_at as usize;
    bytes[at..at + growth.slot.len()].copy_from_slice(&growth.slot);
    bytes
}

fn dig(ground: &Patches, at: [f64; 3], radius: f64) -> ChangeSet {
    let stamp = Stamp {
        shape: Shape::Ellipsoid {
            at,
            radii: [radius; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    ground.plan(&stamp.cubes(ground.frame()).unwrap(), Effect::Dig)
}

#[test]
fn a_file_holds_the_ground_however_often_it_grew() {
    let size = [40, 50];
    let mut dice = Dice(1);
    let mut ground = hills(size, 1);
    let mut bytes = encode(&ground);
    for round in 0..12 {
        let file = GroundFile::open(&bytes).unwrap();
        let loaded = file.load().unwrap();
        assert!(is_same(&loaded, &ground), "round {round}");
        assert_eq!(loaded.nodes(), ground.nodes());
        assert_eq!(file.end(), bytes.len() as u64);
        let mut sets = Vec::new();
        for _ in 0..3 {
            let stamp = any_stamp(&mut dice, size);
            if let Some(taken) = cubes(&stamp, &ground) {
                sets.extend(ground.stamp(&taken, stamp.effect).unwrap());
            }
        }
        let growth = file.grown(&ground, &touched(&sets)).unwrap();
        let longer = grown(&bytes, &growth);
        let (kept, old) = (&longer[96..bytes.len()], &bytes[96..]);
        assert_eq!(kept, old, "what was there is not written over");
        bytes = longer;
    }
    // The same ground has the same bytes when it is written whole.
    let again = GroundFile::open(&bytes).unwrap().load().unwrap();
    assert_eq!(encode(&again), encode(&ground));
    assert!(encode(&ground).len() < bytes.len());
}

#[test]
fn a_slice_is_read_alone() {
    let ground = hills([40, 50], 2);
    let bytes = encode(&ground);
    let file = GroundFile::open(&bytes).unwrap();
    for (patch, stack) in ground.stacks().iter().enumerate() {
        assert_eq!(file.slices(patch), stack.range());
        for slice in -20..20 {
            assert_eq!(
                file.slice(patch, slice).unwrap().as_ref(),
                stack.slice(slice)
            );
        }
    }
}

#[test]
fn a_prefix_or_a_flipped_byte_is_an_error_or_the_same_ground() {
    let mut ground = hills([17, 14], 3);
    let whole = encode(&ground);
    let changes = dig(&ground, [8.0, 7.0, 0.0], 4.0);
    ground.apply(&changes).unwrap();
    let sets = [changes];
    let file = GroundFile::open(&whole).unwrap();
    let longer = grown(&whole, &file.grown(&ground, &touched(&sets)).unwrap());
    for (bytes, ground) in [(&whole, file.load().unwrap()), (&longer, ground)] {
        let mut wrong = 0;
        let mut look = |bytes: &[u8], what: String| match GroundFile::open(bytes)
            .and_then(|file| file.load())
        {
            Ok(found) => assert!(is_same(&found, &ground), "{what}"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                wrong += 1;
            }
        };
        for end in 0..bytes.len() {
            look(&bytes[..end], format!("the first {end} bytes"));
        }
        for i in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[i] ^= flip;
                look(&damaged, format!("byte {i} ^ {flip}"));
            }
        }
        look(&[bytes.as_slice(), b"torn"].concat(), "more bytes".into());
        assert!(
            wrong > bytes.len(),
            "most of it is noticed: {wrong} of {}",
            bytes.len()
        );
    }
}

#[test]
fn bytes_with_a_right_checksum_and_any_content_do_no_harm() {
    // As a hostile file would have them: a flipped byte, and every checksum made right again.
    let bytes = encode(&hills([17, 14], 4));
    let crc = |bytes: &[u8]| crc32(bytes).to_le_bytes();
    let number = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    let (index, length) = (number(&bytes, 24), number(&bytes, 32));
    let mut read = 0;
    for i in 16..index + length {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[i] ^= flip;
            if i >= index {
                let sum = crc(&damaged[index..index + length]);
                damaged[48..52].copy_from_slice(&sum);
            }
            let sum = crc(&damaged[16..52]);
            damaged[52..56].copy_from_slice(&sum);
            if let Ok(file) = GroundFile::open(&damaged) {
                read += u32::from(file.load().is_ok());
                for patch in 0..file.frame().patches().len() {
                    let _ = file.slice(patch, file.slices(patch).start);
                }
            }
        }
    }
    assert!(read > 0, "some, such as those of a name, are other ground");
}

#[test]
fn a_change_set_is_read_back_or_refused() {
    let ground = hills([32, 32], 5);
    let columns = Columns::of(&ground);
    let stamp = Stamp {
        shape: Shape::Ellipsoid {
            at: [16.0, 15.0, 0.0],
            radii: [5.0; 3],
        },
        effect: Effect::Put(2),
        rule: Rule::Halfway,
    };
    let taken = stamp.cubes(ground.frame()).unwrap();
    for changes in [
        ground.plan(&taken, stamp.effect),
        columns.plan(&taken, stamp.effect),
    ] {
        let bytes = changes.encode();
        assert_eq!(
            ChangeSet::decode(&bytes),
            Ok((changes.clone(), bytes.len()))
        );
        let twice = [bytes.clone(), bytes.clone()].concat();
        assert_eq!(ChangeSet::decode_all(&twice).unwrap().len(), 2);
        for end in 0..bytes.len() {
            assert!(
                ChangeSet::decode(&bytes[..end]).is_err(),
                "the first {end} bytes"
            );
        }
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1 << (i % 8);
            assert!(ChangeSet::decode(&damaged).is_err(), "byte {i}");
            // The same with a right checksum: an error, or changes that are applied whole or not at all.
            let end = damaged.len() - 4;
            let sum = crc32(&damaged[..end]).to_le_bytes();
            damaged[end..].copy_from_slice(&sum);
            if let Ok((set, _)) = ChangeSet::decode(&damaged) {
                let mut changed = ground.clone();
                if changed.apply(&set).is_err() {
                    assert!(is_same(&changed, &ground), "byte {i}");
                }
                let mut other = columns.clone();
                let _ = other.apply(&set);
            }
        }
    }
    let error =
        ChangeSet::decode_all(&[&ground.plan(&taken, stamp.effect).encode(), &b"VC"[..]].concat());
    assert!(
        error.unwrap_err().to_string().contains("at byte"),
        "where the second begins"
    );
}

#[test]
fn a_file_grows_on_disk_and_is_whole_if_it_cannot() {
    let folder = std::env::temp_dir().join(format!("viewcell-ground-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("g.vcg");
    let mut ground = hills([32, 32], 6);
    std::fs::write(&path, encode(&ground)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let file = GroundFile::open(&bytes).unwrap();
    let changes = dig(&ground, [16.0, 16.0, 0.0], 5.0);
    ground.apply(&changes).unwrap();
    let growth = file.grown(&ground, &touched(&[changes])).unwrap();
    // What a process left that was killed before it was done is no part of the file.
    let torn = [&bytes[..], &growth.bytes[..growth.bytes.len() / 2]].concat();
    std::fs::write(&path, &torn).unwrap();
    let before = file.load().unwrap();
    assert!(is_same(
        &GroundFile::open(&torn).unwrap().load().unwrap(),
        &before
    ));
    grow(&path, &growth).unwrap();
    let after = std::fs::read(&path).unwrap();
    assert!(is_same(
        &GroundFile::open(&after).unwrap().load().unwrap(),
        &ground
    ));
    // A growth of what is there no more.
    let error = grow(&path, &growth).unwrap_err().to_string();
    assert!(error.contains("in the meantime"), "{error}");
    // While somebody else writes.
    let held = std::fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let error = grow(&path, &growth).unwrap_err().to_string();
    assert!(error.contains("another process"), "{error}");
    drop(held);
    assert_eq!(std::fs::read(&path).unwrap(), after);
    // Of the file that grew, what is superseded is dead; written anew, it is as long as what is not.
    let file = GroundFile::open(&after).unwrap();
    let anew = encode(&file.load().unwrap());
    assert!(file.live().unwrap() < file.end());
    assert_eq!(file.live().unwrap(), anew.len() as u64);
    let fresh = GroundFile::open(&anew).unwrap();
    assert_eq!(fresh.live().unwrap(), fresh.end());
    // Another in its place is free.
    let held = hold(&path).unwrap();
    assert!(
        hold(&path)
            .unwrap_err()
            .to_string()
            .contains("another process")
    );
    std::fs::write(folder.join("other"), &after).unwrap();
    std::fs::rename(folder.join("other"), &path).unwrap();
    drop(held);
    drop(hold(&path).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_ground_keeps_its_place_and_names() {
    let ground = hills([20, 20], 7);
    let mut frame = ground.frame().clone();
    frame.place = Some(Georeference {
        crs: "EPSG:32633".into(),
        transform: [5e5, 10.0, 0.0, 4.1e6, 0.0, -10.0],
    });
    let ground = Patches::new(frame, ground.version(), ground.stacks().to_vec());
    let bytes = encode(&ground);
    assert!(is_same(
        &GroundFile::open(&bytes).unwrap().load().unwrap(),
        &ground
    ));
}
