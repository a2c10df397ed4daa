//! Patches over a bundle answer as a bake of the new ground does.

use std::path::{Path, PathBuf};

use viewcell::dice::Dice;
use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::layers::Piece;
use viewcell::format::{Patch, PatchHeader, Section, Tag, crc32};
use viewcell::query::{Bundle, Layers, MappedBundle, Quad, Sample, TerrainBundle};
use viewcell_bake::{
    BakeOptions, Compression, RebakeJob, RebakeOptions, Silent, VisibilityMode, bake_terrain,
    merge_patches, rebake,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;
use super::full_bake::sections;
use super::stamps::{Do, Stamp, crop};

pub fn patch(bundle: &Path, over: &[PathBuf], terrain: &Terrain, patch: &Path) {
    let job = RebakeJob {
        bundle,
        over,
        output: None,
        patch: Some(patch),
    };
    let options = RebakeOptions {
        threads: 1,
        overwrite: true,
        ..RebakeOptions::default()
    };
    rebake(&job, terrain, &source(), &options, &Silent).unwrap();
}

pub fn bake(terrain: &Terrain, mode: VisibilityMode, path: &Path) {
    let options = BakeOptions {
        mode,
        threads: 1,
        overwrite: true,
        ..BakeOptions::default()
    };
    bake_terrain(terrain, &source(), &options, path, &Silent).unwrap();
}

/// Errors with the first answer that differs.
pub fn same_answers(found: TerrainBundle, expected: TerrainBundle) -> Result<(), String> {
    let grid = expected.grid();
    let [mut one, mut other] = [0, 1].map(|_| vec![0; grid.blocks()]);
    for level in 0..=grid.root_level() {
        let (columns, rows) = grid.quads_at(level);
        for index in 0..columns * rows {
            let quad = Quad::new(level, index % columns, index / columns);
            let pvss = (found.pvs(quad), expected.pvs(quad));
            let (Some(mine), Some(theirs)) = pvss else {
                return Err(format!("{quad:?} has no PVS"));
            };
            mine.expand(&mut one);
            theirs.expand(&mut other);
            if one != other || mine.count() != theirs.count() {
                return Err(format!("the PVS of {quad:?} differs"));
            }
            let seen = |sample: Sample| {
                let (block, bit) = grid.block_bit(sample);
                one[block] >> bit & 1 == 1
            };
            let samples = mine.samples().filter(|&sample| seen(sample)).count();
            if samples as u64 != mine.count() || mine.samples().count() != samples {
                return Err(format!("the samples of the PVS of {quad:?} are others"));
            }
        }
    }
    for a in grid.row_by_row() {
        if found.height(a) != expected.height(a) {
            return Err(format!("the height of {a:?} differs"));
        }
        for b in grid.row_by_row() {
            if found.visible(a, b) != expected.visible(a, b) {
                return Err(format!("{a:?} and {b:?} differ"));
            }
        }
    }
    Ok(())
}

#[test]
fn four_patches_answer_as_a_bake_and_merge_to_its_bytes() {
    for (mode, seed) in [
        (VisibilityMode::Exact, 21),
        (VisibilityMode::Conservative, 22),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (base, twin) = (path("base.vcb"), path("twin.vcb"));
        let mut ground = crop([150, 120], [43, 37]);
        bake(&ground, mode, &base);
        let mut dice = Dice(seed);
        let mut patches: Vec<PathBuf> = Vec::new();
        for number in 0..4 {
            ground = Stamp::random(&mut dice, &ground, 6.0).on(&ground);
            let next = path(&format!("{number}.vcp"));
            patch(&base, &patches, &ground, &next);
            patches.push(next);
        }
        bake(&ground, mode, &twin);
        let map = MappedBundle::open(&base).unwrap();
        let bytes: Vec<Vec<u8>> = patches.iter().map(|p| std::fs::read(p).unwrap()).collect();
        let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
        for patch in &bytes {
            layers.lay(patch).unwrap();
        }
        let expected = MappedBundle::open(&twin).unwrap();
        same_answers(layers.terrain(), expected.terrain().unwrap()).unwrap();

        let merged = path("merged.vcb");
        merge_patches(
            &base,
            &patches,
            &merged,
            false,
            &Compression::Lossless,
            &Silent,
        )
        .unwrap();
        assert!(sections(&merged) == sections(&twin), "{mode:?}");

        // In another order, without the first, or over another bundle.
        let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
        let error = layers.lay(&bytes[1]).unwrap_err().to_string();
        assert!(
            error.contains("in the order in which they were made"),
            "{error}"
        );
        layers.lay(&bytes[0]).unwrap();
        let again = layers.lay(&bytes[0]).unwrap_err().to_string();
        assert!(again.contains("in the order"), "{again}");
        assert_eq!(layers.len(), 1);
        let other = expected.bundle().unwrap();
        let error = Layers::new(&other).unwrap().lay(&bytes[0]).unwrap_err();
        assert!(
            error.to_string().contains("apply it to the bundle"),
            "{error}"
        );
        let error = merge_patches(
            &base,
            &patches[1..],
            &path("none.vcb"),
            false,
            &Compression::Lossless,
            &Silent,
        );
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("1.vcp") && !path("none.vcb").exists(),
            "{error}"
        );
    }
}

#[test]
fn a_patch_that_is_cut_or_damaged_is_refused_or_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (base, twin, crater) = (path("base.vcb"), path("twin.vcb"), path("crater.vcp"));
    let ground = crop([40, 40], [11, 9]);
    bake(&ground, VisibilityMode::Exact, &base);
    let stamp = Stamp {
        column: 4.0,
        row: 3.0,
        radius: 2.0,
        metres: 40.0,
        what: Do::Dig,
    };
    let ground = stamp.on(&ground);
    bake(&ground, VisibilityMode::Exact, &twin);
    patch(&base, &[], &ground, &crater);
    let bytes = std::fs::read(&base).unwrap();
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let expected = std::fs::read(&twin).unwrap();
    let expected = Bundle::from_bytes(&expected).unwrap().terrain().unwrap();
    let right = std::fs::read(&crater).unwrap();
    let laid = |patch: &[u8]| -> Option<Result<(), String>> {
        let mut layers = Layers::new(&bundle).unwrap();
        layers.lay(patch).ok()?;
        Some(same_answers(layers.terrain(), expected))
    };
    assert_eq!(laid(&right), Some(Ok(())));
    for length in 0..right.len() {
        assert_eq!(laid(&right[..length]), None, "{length} bytes");
    }
    assert_eq!(laid(&[&right[..], &[0]].concat()), None);
    let mut right_still = 0;
    for at in 0..right.len() {
        for bit in [0, 3, 7] {
            let mut damaged = right.clone();
            damaged[at] ^= 1 << bit;
            if let Some(answers) = laid(&damaged) {
                assert_eq!(answers, Ok(()), "byte {at}, bit {bit}");
                right_still += 1;
            }
        }
    }
    // Bytes between sections mean nothing.
    assert!(
        right_still < right.len() / 2,
        "{right_still} of {}",
        right.len()
    );
}

/// What a reader of a patch believes, under right checksums: the rule finds each.
#[test]
fn indexes_of_a_patch_that_lead_elsewhere_are_found() {
    use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
    use viewcell::format::{Patch, PatchHeader, Section, Tag, crc32};

    let (_, right) = crater();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.vcp");
    let is_sound = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        viewcell_bake::verify(&path, &mut |_| {})
            .unwrap()
            .is_sound()
    };
    assert!(is_sound(&right));
    let with = |tag: Tag, at: usize, new: &[u8]| {
        let mut bytes = right.clone();
        let header = Patch::parse(&right).unwrap().header();
        let table = HEADER_LEN..HEADER_LEN + header.section_count as usize * ENTRY_LEN;
        for entry in table.clone().step_by(ENTRY_LEN) {
            let mut section = Section::parse(&bytes[entry..entry + ENTRY_LEN]).unwrap();
            if section.tag == tag {
                let stored = section.offset as usize..section.end().unwrap() as usize;
                bytes[stored.start + at..stored.start + at + new.len()].copy_from_slice(new);
                section.checksum = crc32(&bytes[stored]);
                bytes[entry..entry + ENTRY_LEN].copy_from_slice(&section.encode());
            }
        }
        let header = PatchHeader {
            table_checksum: crc32(&bytes[table]),
            ..header
        };
        bytes[..HEADER_LEN].copy_from_slice(&header.encode());
        assert!(Patch::parse(&bytes).is_ok() && bytes != right);
        bytes
    };
    let patch = Patch::parse(&right).unwrap();
    let second = patch.groups().nth(1).unwrap();
    assert!(patch.heights().count() > 1 && patch.trees().count() > 1);
    for (tag, at, new, words) in [
        (Tag::CHTS, 0, &[0xff; 4][..], "a sample outside the grid"),
        (Tag::CHTS, 4, &[0xff; 8], "another NaN"),
        (
            Tag::CHTS,
            4,
            &1e9_f64.to_le_bytes(),
            "a height of no ground",
        ),
        (Tag::BIDX, 0, &[0xff; 4], "a block outside the grid"),
        (Tag::BIDX, 0, &second.0.to_le_bytes(), "a block twice"),
        (Tag::BIDX, 4, &[1], "a first piece that does not begin"),
        (Tag::BIDX, 16, &[0; 8], "two pieces in one place"),
        (Tag::BIDX, 16, &[0xff; 8], "a piece beyond the end"),
        (Tag::QIDX, 0, &[0xff; 4], "a quad outside the grid"),
        (Tag::QIDX, 16, &[0xff; 8], "a tree beyond the end"),
    ] {
        assert!(!is_sound(&with(tag, at, new)), "{words}");
    }
}

/// A crater on a bundle of a hundred samples a side: the bundle, and the patch.
fn crater() -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let [base, crater] = ["base.vcb", "crater.vcp"].map(|name| folder.path().join(name));
    let ground = crop([100, 100], [100, 100]);
    bake(&ground, VisibilityMode::Exact, &base);
    let stamp = Stamp {
        column: 40.0,
        row: 60.0,
        radius: 2.0,
        metres: 40.0,
        what: Do::Dig,
    };
    patch(&base, &[], &stamp.on(&ground), &crater);
    (std::fs::read(base).unwrap(), std::fs::read(crater).unwrap())
}

#[test]
fn a_patch_holds_what_differs_alone() {
    let (base, crater) = crater();
    let bundle = Bundle::from_bytes(&base).unwrap();
    let patch = Patch::parse(&crater).unwrap();
    let sections = [
        (Tag::PIDX, Tag::PAIR, patch.pairs()),
        (Tag::TIDX, Tag::TREE, patch.tree_bytes()),
    ];
    for (index, lowest, bytes) in sections {
        let [index, lowest] = [index, lowest].map(|tag| bundle.section(tag).unwrap().1);
        let (index, _) = index.as_chunks();
        let starts: Vec<u64> = index
            .iter()
            .map(|start| u64::from_le_bytes(*start))
            .collect();
        let places: Vec<(u32, u64)> = if bytes.as_ptr() == patch.pairs().as_ptr() {
            patch.groups().collect()
        } else {
            patch.trees().collect()
        };
        let (mut over, mut replaced) = (0, 0);
        for &(what, at) in &places {
            let piece = Piece::parse(&bytes[at as usize..], lowest).unwrap();
            over += usize::from(matches!(piece, Piece::Over(_)));
            let start = starts[what as usize];
            let ends = starts.iter().copied().filter(|&end| end > start);
            replaced += ends.min().unwrap_or(lowest.len() as u64) - start;
        }
        assert!(10 * over > 9 * places.len(), "{over} of {}", places.len());
        assert!(
            (bytes.len() as u64) < replaced / 4,
            "{} bytes for {replaced}",
            bytes.len()
        );
    }
}

/// Gives a patch the checksums that its bytes have.
fn seal(bytes: &mut [u8]) {
    let header = PatchHeader::parse(bytes).unwrap();
    let end = HEADER_LEN + header.section_count as usize * ENTRY_LEN;
    for at in (HEADER_LEN..end).step_by(ENTRY_LEN) {
        let mut section = Section::parse(&bytes[at..]).unwrap();
        let stored = section.offset as usize..section.end().unwrap() as usize;
        section.checksum = crc32(&bytes[stored]);
        bytes[at..at + ENTRY_LEN].copy_from_slice(&section.encode());
    }
    let header = PatchHeader {
        table_checksum: crc32(&bytes[HEADER_LEN..end]),
        ..header
    };
    bytes[..HEADER_LEN].copy_from_slice(&header.encode());
}

#[test]
fn questions_over_damaged_pieces_end() {
    let (base, crater) = crater();
    let bundle = Bundle::from_bytes(&base).unwrap();
    let grid = bundle.terrain().unwrap().grid();
    let patch = Patch::parse(&crater).unwrap();
    let sections = [Tag::PAIR, Tag::TREE].map(|tag| patch.section(tag).unwrap().0);
    let mut dice = Dice(77);
    let mut words = vec![0; grid.blocks()];
    for number in 0..300 {
        let mut damaged = crater.clone();
        let section = sections[number % 2];
        for _ in 0..1 + dice.roll(4) {
            let at = section.offset + u64::from(dice.roll(section.length as u32));
            damaged[at as usize] = [0, 0xFF, dice.roll(256) as u8][dice.roll(3) as usize];
        }
        seal(&mut damaged);
        let mut layers = Layers::new(&bundle).unwrap();
        layers.lay(&damaged).unwrap();
        let terrain = layers.terrain();
        for quad in grid.bake_order().filter(|_| dice.roll(30) == 0) {
            if let Some(pvs) = terrain.pvs(quad) {
                pvs.expand(&mut words);
                let count: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
                assert_eq!(pvs.count(), count, "{number}, {quad:?}");
            }
        }
        for _ in 0..30 {
            let mut sample = || Sample::new(dice.roll(grid.width()), dice.roll(grid.height()));
            let (a, b) = (sample(), sample());
            // Two blocks may say different things of each other, but each the same thing twice.
            assert_eq!(terrain.visible(a, b), terrain.visible(a, b));
            if let Some(pvs) = terrain.pvs(a.quad()) {
                assert_eq!(pvs.contains(b), pvs.samples().any(|sample| sample == b));
            }
        }
    }
}

#[test]
fn what_cannot_follow_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (base, lossy, output) = (path("base.vcb"), path("lossy.vcb"), path("out.vcb"));
    let ground = crop([40, 40], [40, 33]);
    bake(&ground, VisibilityMode::Exact, &base);
    let before = std::fs::read(&base).unwrap();
    let follow = |bundle: &Path, terrain: &Terrain, output: &Path| {
        let job = RebakeJob {
            bundle,
            over: &[],
            output: Some(output),
            patch: None,
        };
        rebake(&job, terrain, &source(), &RebakeOptions::default(), &Silent)
    };
    let refused = |bundle: &Path, terrain: &Terrain, words: &[&str]| {
        let error = follow(bundle, terrain, &output).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{error}");
        }
        assert!(!output.exists());
    };
    refused(
        &base,
        &crop([40, 40], [40, 32]),
        &["base.vcb", "40 x 33", "40 x 32"],
    );
    let wide = Terrain::new(40, 33, ground.heights().to_vec(), [1.0, 2.0]).unwrap();
    refused(&base, &wide, &["base.vcb", "metres between samples"]);
    let elsewhere = crop([41, 40], [40, 33]);
    refused(&base, &elsewhere, &["base.vcb", "place"]);
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        compression: Compression::Optimal(viewcell_bake::Budget {
            bytes: before.len() as u64 * 3 / 4,
            weight: viewcell_bake::Weight::Area,
        }),
        ..BakeOptions::default()
    };
    bake_terrain(&ground, &source(), &options, &lossy, &Silent).unwrap();
    refused(&lossy, &ground, &["lossy.vcb", "a lossless bundle"]);
    let no_folder = path("none/out.vcb");
    assert!(follow(&base, &ground, &no_folder).is_err());
    // The bundle stays as it is, and ground that stays as it is makes the same bundle.
    let report = follow(&base, &ground, &output).unwrap();
    assert_eq!((report.asked_pairs, report.changed_samples), (0, 0));
    assert!(std::fs::read(&base).unwrap() == before);
    assert!(sections(&output) == sections(&base));
}

/// Formats round the numbers of a place: what is read of another file of the same ground differs in the last digits.
#[test]
fn ground_whose_place_differs_in_the_last_digits_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [base, output] = ["base.vcb", "out.vcb"].map(|name| folder.path().join(name));
    let ground = crop([40, 40], [40, 33]);
    bake(&ground, VisibilityMode::Exact, &base);
    let off = 1.0 + 1e-10;
    let place = ground.georeference().cloned().map(|mut place| {
        place.transform[1] *= off;
        place.transform[3] += 1e-6;
        place
    });
    let spacing = ground.spacing().map(|metres| metres * off);
    let read = Terrain::new(40, 33, ground.heights().to_vec(), spacing).unwrap();
    let job = RebakeJob {
        bundle: &base,
        over: &[],
        output: Some(&output),
        patch: None,
    };
    let read = read.with_georeference(place);
    rebake(&job, &read, &source(), &RebakeOptions::default(), &Silent).unwrap();
    assert!(sections(&output) == sections(&base));
}
