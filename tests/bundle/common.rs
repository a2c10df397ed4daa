//! Worlds of a fixed formula, so that tests of the format do not depend on visibility kernels.

use std::path::Path;

pub use viewcell::dice::mixed as mix;
use viewcell::format::{Grid, Quad, Sample, TerrainParameters, TreeCode, VisibilityMode};
pub use viewcell_bake::Silent;
use viewcell_bake::bundle::{
    BundleError, GridHeader, GridKind, InputFile, LevelsWriter, Provenance, Statistics, Written,
};
use viewcell_bake::compress::{Scratch, ValidPyramid, encode};
use viewcell_bake::{BakeOptions, RepackOptions, Source, bake_terrain, repack};
use viewcell_ingest::world::Terrain;

/// A world whose visibility is a formula: symmetric, in blotches, with hidden and visible areas
/// of all sizes.
pub struct World {
    pub grid: Grid,
    pub heights: Vec<f64>,
    /// Whether some see others who do not see them.
    one_way: bool,
}

impl World {
    /// A world with a void wherever a formula says, one sample in `voids` or so; 0 for none.
    pub fn new(width: u32, height: u32, voids: u64) -> Self {
        let grid = Grid::new(width, height).unwrap();
        let heights = (0..height)
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .map(|(c, r)| {
                let blotch = mix(u64::from(c / 3) << 32 | u64::from(r / 2));
                if voids > 0 && blotch.is_multiple_of(voids) {
                    return f64::NAN;
                }
                // Exact in f64, not in f32.
                f64::from(c * 7 + r * 3) + (mix(u64::from(c * 1_000 + r)) % 1_000) as f64 / 1e3
            })
            .collect();
        Self {
            grid,
            heights,
            one_way: false,
        }
    }

    /// The same, but not mutual.
    pub fn one_way(mut self) -> Self {
        self.one_way = true;
        self
    }

    pub fn is_void(&self, s: Sample) -> bool {
        self.heights[(s.row * self.grid.width() + s.column) as usize].is_nan()
    }

    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<> {
        let grid = self.grid;
        (0..grid.height()).flat_map(move |row| (0..grid.width()).map(move |c| Sample::new(c, row)))
    }

    /// Who sees whom.
    pub fn sees(&self, a: Sample, b: Sample) -> bool {
        if self.is_void(a) || self.is_void(b) {
            return false;
        }
        if a == b {
            return true;
        }
        let far = a.column.abs_diff(b.column).max(a.row.abs_diff(b.row));
        let place = |s: Sample| u64::from(s.column / 5) << 20 | u64::from(s.row / 4);
        let pair = place(a).min(place(b)) << 40 ^ place(a).max(place(b));
        let blocked = self.one_way && a.column > b.column && mix(pair) % 5 < 2;
        !blocked && (far < 4 || mix(pair) % 10 < 3)
    }

    pub fn pyramid(&self) -> ValidPyramid {
        ValidPyramid::from_heights(self.grid, &self.heights)
    }

    /// The PVS of a sample as a block bitmap.
    pub fn pvs(&self, a: Sample) -> Vec<u64> {
        let mut bits = vec![0; self.grid.blocks()];
        for b in self.samples().filter(|&b| self.sees(a, b)) {
            let (word, bit) = self.grid.block_bit(b);
            bits[word] |= 1 << bit;
        }
        bits
    }

    /// The PVS of a quad: the union over its samples.
    pub fn quad_pvs(&self, quad: Quad) -> Vec<u64> {
        let mut union = vec![0; self.grid.blocks()];
        for sample in self.samples() {
            if Quad::new(
                quad.level,
                sample.column >> quad.level,
                sample.row >> quad.level,
            ) == quad
            {
                for (to, from) in union.iter_mut().zip(self.pvs(sample)) {
                    *to |= from;
                }
            }
        }
        union
    }

    pub fn header(&self) -> GridHeader {
        GridHeader {
            parameters: TerrainParameters {
                grid: self.grid,
                cell_spacing: [10.0, 12.5],
                eye_height: 1.8,
                player_height: 1.8,
                max_distance: f64::INFINITY,
                visibility: VisibilityMode::Exact,
                mutual: !self.one_way,
                tree_code: TreeCode::Single,
                grade: 0,
                lossy: false,
                earth_radius: 0.0,
                refraction: 0.0,
                coarse: None,
                walkable: false,
                covered: false,
                transform: Some([500_000.0, 10.0, 0.0, 4_000_000.0, 0.0, -12.5]),
            },
            crs: Some("EPSG:32617".to_owned()),
            kind: GridKind::Terrain,
        }
    }

    /// Bakes by the formula, and writes.
    pub fn write(&self, path: &Path) -> Written {
        self.try_write(path, false).unwrap()
    }

    pub fn writer(&self, path: &Path, overwrite: bool) -> Result<LevelsWriter, BundleError> {
        let ground = (&self.heights[..], &self.pyramid());
        LevelsWriter::create(path, overwrite, &self.header(), ground, &[])
    }

    pub fn try_write(&self, path: &Path, overwrite: bool) -> Result<Written, BundleError> {
        let pyramid = self.pyramid();
        let mut writer = self.writer(path, overwrite)?;
        let mut statistics = Statistics::new(self.grid, pyramid.samples());
        let mut scratch = Scratch::default();
        let mut unions = vec![vec![0u64; self.grid.blocks()]; self.grid.levels() as usize + 1];
        for quad in self.grid.bake_order() {
            let level = quad.level as usize;
            if level == 0 {
                unions[0] = self.pvs(quad.origin());
            }
            let pvs = std::mem::replace(&mut unions[level], vec![0; self.grid.blocks()]);
            for (to, from) in unions[level + 1].iter_mut().zip(&pvs) {
                *to |= from;
            }
            let mut bytes = Vec::new();
            let visible = encode(&pyramid, &pvs, &mut scratch, &mut bytes);
            let has_terrain = self.samples().any(|s| {
                Quad::new(quad.level, s.column >> quad.level, s.row >> quad.level) == quad
                    && !self.is_void(s)
            });
            statistics.record(quad, has_terrain, visible, bytes.len());
            writer.push_union(quad, &bytes)?;
        }
        writer.finish(&provenance(statistics))
    }

    /// The bytes of the bundle in pairs of blocks.
    pub fn pairs(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let (trees, pairs) = (
            folder.path().join("trees.vcb"),
            folder.path().join("pairs.vcb"),
        );
        self.write(&trees);
        repack(&trees, &pairs, &RepackOptions::default(), &Silent).unwrap();
        std::fs::read(pairs).unwrap()
    }

    /// The bytes of the bundle.
    pub fn bundle(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.vcb");
        self.write(&path);
        std::fs::read(path).unwrap()
    }
}

/// Provenance that does not change with the version of the crate.
pub fn provenance(statistics: Statistics) -> Provenance {
    let options = serde_json::json!({ "visibility": "exact", "player-height": 1.8 });
    Provenance {
        tool: "viewcell test".to_owned(),
        input: InputFile {
            name: "formula".to_owned(),
            format: "none".to_owned(),
            bytes: 0,
            digest: "crc32:00000000".to_owned(),
        },
        options: options.as_object().unwrap().clone(),
        statistics,
        cells: None,
        loss: None,
        sections: Default::default(),
    }
}

/// Hills, as levels of cells that grow with distance.
pub fn hills() -> Vec<u8> {
    let heights = (0..40 * 33).map(|at| (mix(at) % 64) as f64);
    graded([40, 33], heights.collect())
}

/// Ground on which all see each other but for a void: two levels, of 3 × 3 and of 2 × 2 blocks.
pub fn flat() -> Vec<u8> {
    let mut heights = vec![0.0; 20 * 17];
    heights[3] = f64::NAN;
    graded([20, 17], heights)
}

fn graded([width, height]: [u32; 2], heights: Vec<f64>) -> Vec<u8> {
    let terrain = Terrain::new(width, height, heights, [1.0; 2]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graded.vcb");
    let options = BakeOptions {
        mode: viewcell_bake::VisibilityMode::Exact,
        grade: 1,
        ..BakeOptions::default()
    };
    let source = Source::of_terrain(&terrain);
    bake_terrain(&terrain, &source, &options, &path, &Silent).unwrap();
    std::fs::read(path).unwrap()
}
