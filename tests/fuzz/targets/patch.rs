//! Lays what it is given over a bundle as a patch, with checksums that are right, and asks.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use viewcell::format::header::{ENTRY_LEN, HEADER_LEN};
use viewcell::format::patch::PatchHeader;
use viewcell::format::{FileId, Section, crc32};
use viewcell::query::{Bundle, Layers, Quad};
use viewcell_bake::{BakeOptions, Silent, Source, VisibilityMode, bake_terrain};
use viewcell_ingest::world::Terrain;

/// A small bundle.
fn base() -> &'static [u8] {
    static BASE: OnceLock<Vec<u8>> = OnceLock::new();
    BASE.get_or_init(|| {
        let heights = (0..20 * 17).map(|i| f64::from(i * 7 % 31)).collect();
        let terrain = Terrain::new(20, 17, heights, [3.0; 2]).unwrap();
        let path = std::env::temp_dir().join(format!("viewcell-fuzz-{}.vcb", std::process::id()));
        let options = BakeOptions {
            mode: VisibilityMode::Exact,
            overwrite: true,
            ..BakeOptions::default()
        };
        let source = Source::of_terrain(&terrain);
        bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).ok();
        bytes
    })
}

/// Makes lengths and checksums right, so that what is behind them is reached.
fn seal(bytes: &mut [u8], base: FileId, blocks: u32) -> Option<()> {
    let count = u32::from(*bytes.get(12)?).clamp(1, 7);
    let end = HEADER_LEN + count as usize * ENTRY_LEN;
    let length = bytes.len() as u64;
    for at in (HEADER_LEN..end).step_by(ENTRY_LEN) {
        let mut section = Section::parse(bytes.get(at..)?)?;
        let start = usize::try_from(section.offset).ok()?;
        let stored = bytes.get(start..usize::try_from(section.end()?).ok()?)?;
        section.checksum = crc32(stored);
        bytes
            .get_mut(at..at + ENTRY_LEN)?
            .copy_from_slice(&section.encode());
    }
    let header = PatchHeader {
        section_count: count,
        file_length: length,
        base,
        parent: base,
        table_checksum: crc32(bytes.get(HEADER_LEN..end)?),
        blocks,
    };
    bytes
        .get_mut(..HEADER_LEN)?
        .copy_from_slice(&header.encode());
    Some(())
}

fuzz_target!(|data: &[u8]| {
    let bundle = Bundle::from_bytes(base()).unwrap();
    let grid = bundle.terrain().unwrap().grid();
    let mut bytes = data.to_vec();
    for sealed in [false, true] {
        let mut layers = Layers::new(&bundle).unwrap();
        if sealed && seal(&mut bytes, layers.base_id(), grid.blocks() as u32).is_none() {
            return;
        }
        if layers.lay(&bytes).is_err() {
            continue;
        }
        let terrain = layers.terrain();
        for a in grid.row_by_row() {
            terrain.height(a);
            for b in grid.row_by_row().step_by(7) {
                terrain.visible(a, b);
            }
        }
        let mut words = vec![0; grid.blocks()];
        for level in 0..=grid.root_level() {
            if let Some(pvs) = terrain.pvs(Quad::new(level, 0, 0)) {
                pvs.expand(&mut words);
            }
        }
    }
});
