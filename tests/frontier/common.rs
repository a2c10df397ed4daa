//! Small terrains, baked, with the visibility that nobody has compressed.

use proptest::prelude::*;
pub use viewcell::dice::Dice;
use viewcell::frontier::{FrontierBuilder, FrontierOptions, Side};
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::visibility::{Bodies, sees};
use viewcell_ingest::world::Terrain;
use viewcell_ingest::{IngestOptions, read_terrain};

use crate::baking::bake_exactly;
use crate::data::data;

/// A bundle in a folder that goes with it.
pub struct Baked {
    pub map: MappedBundle,
    pub bytes: Vec<u8>,
    pub folder: tempfile::TempDir,
}

pub fn bake(terrain: &Terrain, bodies: Bodies) -> Baked {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vcb");
    bake_exactly(terrain, bodies, &path);
    Baked {
        map: MappedBundle::open(&path).unwrap(),
        bytes: std::fs::read(&path).unwrap(),
        folder,
    }
}

pub const MUTUAL: Bodies = Bodies {
    eye: 1.8,
    head: 1.8,
};
pub const ONE_WAY: Bodies = Bodies {
    eye: 2.4,
    head: 0.9,
};

/// Who sees whom by the definition, sample by sample.
pub struct Matrix {
    pub width: u32,
    pub height: u32,
    sees: Vec<bool>,
}

impl Matrix {
    pub fn new(terrain: &Terrain, bodies: Bodies) -> Self {
        let (width, height) = (terrain.width(), terrain.height());
        let places = || (0..height).flat_map(move |r| (0..width).map(move |c| (c, r)));
        let sees = places()
            .flat_map(|a| places().map(move |b| (a, b)))
            .map(|(a, b)| sees(terrain, bodies, a, b))
            .collect();
        Self {
            width,
            height,
            sees,
        }
    }

    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |row| (0..width).map(move |column| Sample::new(column, row)))
    }

    pub fn index(&self, sample: Sample) -> usize {
        (sample.row * self.width + sample.column) as usize
    }

    pub fn sees(&self, a: Sample, b: Sample) -> bool {
        let n = (self.width * self.height) as usize;
        self.sees[self.index(a) * n + self.index(b)]
    }

    /// A pair of members, one of each half, of whom one sees the other.
    pub fn leak(&self, builder: &FrontierBuilder<'_>) -> Option<[Sample; 2]> {
        let members = |side| builder.region(side).samples().collect::<Vec<_>>();
        let (a, b) = (members(Side::A), members(Side::B));
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| [a, b]));
        pairs
            .into_iter()
            .find(|&[a, b]| self.sees(a, b) || self.sees(b, a))
    }
}

/// Ground with ridges, and voids or not: much is hidden.
pub fn ridges(width: u32, height: u32, seed: u64, voids: bool) -> Terrain {
    let mut dice = Dice(seed);
    let (every, depth) = (2 + dice.roll(6), 5 + dice.roll(30));
    let mut heights = Vec::new();
    for r in 0..height {
        for c in 0..width {
            let wall = (c + r / 3) % (every + 1) == 0 || r % (every + 2) == 0;
            let gap = dice.roll(6) == 0;
            let rough = f64::from(dice.roll(3));
            heights.push(if voids && dice.roll(12) == 0 {
                f64::NAN
            } else if wall && !gap {
                f64::from(depth) + rough
            } else {
                rough
            });
        }
    }
    heights[0] = 1.0;
    Terrain::new(width, height, heights, [2.0, 1.5]).unwrap()
}

/// The default, budgets around which something changes, and none.
pub fn all_options() -> Vec<FrontierOptions> {
    let few = [0, 1, 2, 3, 5, 8, 20, 65, 130, 200].map(Some);
    let limits = few.into_iter().chain([None]);
    let others = limits.map(|limit| FrontierOptions { limit });
    [FrontierOptions::default()]
        .into_iter()
        .chain(others)
        .collect()
}

pub fn options() -> impl Strategy<Value = FrontierOptions> {
    (0..all_options().len()).prop_map(|i| all_options()[i])
}

/// A part of a real terrain, baked; `None`, and said, where the data is absent.
pub fn real(name: &str, vertical_scale: f64, crop: Option<[u32; 4]>) -> Option<(Terrain, Baked)> {
    let path = data(&format!("terrain/{name}"))?;
    let options = IngestOptions {
        vertical_scale,
        crop,
        ..IngestOptions::default()
    };
    let terrain = read_terrain(&path, &options).unwrap().terrain;
    let baked = bake(&terrain, MUTUAL);
    Some((terrain, baked))
}
