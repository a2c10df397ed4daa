//! Asks the questions of a table and compares: `viewcell-table BUNDLE QUESTIONS ANSWERS`. See `run`.

use std::error::Error;
use std::time::Instant;

use viewcell::query::{MappedBundle, Place, Sample, World};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, questions, answers] = paths.as_slice() else {
        return Err("usage: viewcell-table BUNDLE QUESTIONS ANSWERS".into());
    };
    let map = MappedBundle::open(bundle)?;
    let raw = std::fs::read(questions)?;
    let (numbers, _) = raw.as_chunks::<4>();
    let numbers: Vec<u32> = numbers
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes))
        .collect();
    let expected = std::fs::read(answers)?;
    let ask: Box<dyn Fn() -> Vec<u8>> = match map.bundle()?.world()? {
        World::Terrain(terrain) => Box::new(move || {
            let (pairs, _) = numbers.as_chunks::<4>();
            let sees =
                |&[a, b, c, d]: &[u32; 4]| terrain.visible(Sample::new(a, b), Sample::new(c, d));
            pairs.iter().map(|pair| sees(pair).into()).collect()
        }),
        level => Box::new(move || {
            let (pairs, _) = numbers.as_chunks::<2>();
            pairs
                .iter()
                .map(|&[a, b]| level.visible(Place::Cell(a), Place::Cell(b)).into())
                .collect()
        }),
    };
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        let found = std::hint::black_box(ask());
        best = best.min(begun.elapsed().as_secs_f64());
        if found != expected {
            let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
            return Err(format!("Rust: question {wrong:?} is answered otherwise").into());
        }
    }
    println!(
        "Rust\t{}\t{:.0}",
        expected.len(),
        best * 1e9 / expected.len() as f64
    );
    Ok(())
}
