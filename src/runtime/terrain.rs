//! A terrain bundle: who sees whom between samples.

use super::bundle::Bundle;
use super::pvs::Pvs;
use crate::format::bytes::{f32_at, u64_at};
use crate::format::groups::TREE_LEVEL;
use crate::format::terrain::TERRAIN_LEN;
use crate::format::{
    FormatError, Grid, GroupPvs, Groups, Quad, Sample, Tag, TerrainParameters, Tree, TreeCode,
    Valid, Visibility, WorldKind,
};

/// A terrain bundle, ready for queries. Copy it freely: it is a handful of slices.
#[derive(Clone, Copy, Debug)]
pub struct TerrainBundle<'a> {
    parameters: TerrainParameters,
    /// `transform` the other way round, from the CRS to columns and rows of pixels.
    inverse: Option<[f64; 6]>,
    valid: Valid<'a>,
    heights: &'a [u8],
    code: Code<'a>,
    index: &'a [u8],
    trees: &'a [u8],
}

/// How the PVSs are coded, and of which quads the trees are.
#[derive(Clone, Copy, Debug)]
enum Code<'a> {
    /// All.
    Single,
    /// Those of level 4 and more; the others are in groups.
    Pairs(Groups<'a>),
}

impl<'a> TerrainBundle<'a> {
    pub(super) fn new(bundle: &Bundle<'a>) -> Result<Self, FormatError> {
        let found = bundle.kind();
        if found != WorldKind::Terrain {
            return Err(FormatError::OtherKind {
                expected: WorldKind::Terrain,
                found,
            });
        }
        let record = bundle.plain_section(Tag::GRID, Some(TERRAIN_LEN as u64))?;
        let parameters = TerrainParameters::parse(record)?;
        let grid = parameters.grid;
        let valid = match bundle.section(Tag::VALD) {
            None => Valid::everywhere(grid),
            Some(_) => {
                let length = grid.blocks() as u64 * 8;
                Valid::from_blocks(grid, bundle.plain_section(Tag::VALD, Some(length))?)
            }
        };
        let (code, trees) = match parameters.tree_code {
            TreeCode::Single => (Code::Single, grid.quad_count()),
            TreeCode::Pairs => {
                let length = grid.blocks() as u64 * 8;
                let dictionary = bundle.plain_section(Tag::DICT, None)?;
                let index = bundle.plain_section(Tag::PIDX, Some(length))?;
                let pairs = bundle.plain_section(Tag::PAIR, None)?;
                let groups = Groups::new(valid, parameters.mutual, dictionary, index, pairs);
                let groups = groups.ok_or(FormatError::Dictionary)?;
                let below = grid.first_index(TREE_LEVEL);
                (Code::Pairs(groups), grid.quad_count() - below)
            }
        };
        Ok(Self {
            parameters,
            inverse: parameters.transform.and_then(invert),
            valid,
            heights: bundle.plain_section(Tag::HGTS, Some(grid.samples() * 4))?,
            code,
            index: bundle.plain_section(Tag::TIDX, Some(trees * 8))?,
            trees: bundle.plain_section(Tag::TREE, None)?,
        })
    }

    /// What was baked, and how.
    pub fn parameters(&self) -> &TerrainParameters {
        &self.parameters
    }

    /// The samples, and the quadtree over them.
    pub fn grid(&self) -> Grid {
        self.parameters.grid
    }

    /// Where there is terrain.
    pub fn valid(&self) -> Valid<'a> {
        self.valid
    }

    /// The sample whose unit square holds a position, in metres east and south of sample (0, 0).
    /// `None` outside the grid, where the grid reaches half a spacing beyond its outer samples.
    pub fn locate(&self, east: f64, south: f64) -> Option<Sample> {
        let [dx, dy] = self.parameters.spacing;
        self.sample_at(east / dx + 0.5, south / dy + 0.5)
    }

    /// The sample whose pixel holds a position in the bundle's CRS. `None` outside the grid and
    /// for a bundle without a georeference.
    pub fn locate_georeferenced(&self, x: f64, y: f64) -> Option<Sample> {
        let [t0, t1, t2, t3, t4, t5] = self.inverse?;
        self.sample_at(t0 + x * t1 + y * t2, t3 + x * t4 + y * t5)
    }

    /// The sample of the pixel that a pixel coordinate lies in.
    fn sample_at(&self, column: f64, row: f64) -> Option<Sample> {
        let inside =
            |at: f64, limit: u32| (at >= 0.0 && at < f64::from(limit)).then_some(at as u32);
        Some(Sample::new(
            inside(column, self.grid().width())?,
            inside(row, self.grid().height())?,
        ))
    }

    /// Ground height in metres, rounded to `f32`. `None` outside the grid and at a void.
    pub fn height(&self, sample: Sample) -> Option<f32> {
        if !self.valid.has_sample(sample) {
            return None;
        }
        let at = u64::from(sample.row) * u64::from(self.grid().width()) + u64::from(sample.column);
        let height = f32_at(self.heights, usize::try_from(at.checked_mul(4)?).ok()?)?;
        (!height.is_nan()).then_some(height)
    }

    /// The bytes from the start of a quad's tree to the end of all trees. `None` outside the
    /// grid, and where the index points past the trees.
    #[inline]
    fn tree_bytes(&self, quad: Quad) -> Option<&'a [u8]> {
        let grid = self.grid();
        let first = match self.code {
            Code::Single => 0,
            Code::Pairs(_) => grid.first_index(TREE_LEVEL),
        };
        let index = usize::try_from(grid.quad_index(quad)?.checked_sub(first)?).ok()?;
        let offset = u64_at(self.index, index.checked_mul(8)?)?;
        self.trees.get(usize::try_from(offset).ok()?..)
    }

    /// The groups that the PVSs of levels 0 to 3 are read from; `None` in a bundle of single
    /// trees.
    pub fn groups(&self) -> Option<Groups<'a>> {
        match self.code {
            Code::Single => None,
            Code::Pairs(groups) => Some(groups),
        }
    }

    /// The PVS of a quad: everything that may be seen from it. `None` outside the grid, and
    /// where the bundle is damaged.
    #[inline]
    pub fn pvs(&self, quad: Quad) -> Option<Pvs<'a>> {
        if let Code::Pairs(groups) = self.code
            && quad.level < TREE_LEVEL
        {
            return Some(Pvs::of_group(quad, GroupPvs::new(groups, quad)?));
        }
        let tree = Tree::parse(self.valid, self.tree_bytes(quad)?)?;
        Some(Pvs::new(quad, tree))
    }

    /// Whether a head at sample `b` may be seen from sample `a`, as the bundle's visibility mode
    /// defines it. `false` where either is outside the grid or void; `true` where the bundle is
    /// damaged. O(log side) steps, at most one pass over the nodes of one tree, and at most one
    /// record of a pair of blocks.
    ///
    /// Unless the bundle is mutual ([`TerrainParameters::mutual`]: not with different heights of
    /// eye and player, nor in mode [`crate::format::VisibilityMode::Sectors`]), b may see a where
    /// a does not see b: ask both ways.
    #[inline]
    pub fn visible(&self, a: Sample, b: Sample) -> bool {
        if !self.valid.has_sample(a) || !self.valid.has_sample(b) {
            return false;
        }
        match self.code {
            Code::Pairs(groups) => groups.sees(a, b),
            Code::Single => self.pvs(a.quad()).is_none_or(|pvs| pvs.contains(b)),
        }
    }

    /// What is known of sight from quad `a` to quad `b`: hidden if nothing of `b` can be seen
    /// from anywhere in `a`; visible if each sample of `b` can be seen from somewhere in `a`;
    /// else unknown. Hidden where either has no terrain in the grid; unknown where the bundle is
    /// damaged.
    pub fn visible_quads(&self, a: Quad, b: Quad) -> Visibility {
        if !self.grid().has_quad(a) || !self.grid().has_quad(b) {
            return Visibility::Hidden;
        }
        match self.pvs(a) {
            Some(pvs) => pvs.state(b),
            None => Visibility::Unknown,
        }
    }
}

/// The inverse of an affine map in GDAL's order; `None` for a map that has none.
fn invert(transform: [f64; 6]) -> Option<[f64; 6]> {
    let [t0, t1, t2, t3, t4, t5] = transform;
    let determinant = t1 * t5 - t2 * t4;
    let (a, b) = (t5 / determinant, -t2 / determinant);
    let (c, d) = (-t4 / determinant, t1 / determinant);
    let inverse = [-(a * t0 + b * t3), a, b, -(c * t0 + d * t3), c, d];
    inverse.iter().all(|v| v.is_finite()).then_some(inverse)
}
