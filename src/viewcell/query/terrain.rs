//! A terrain bundle: who sees whom between samples.
//!
//! Did not pay: many pairs asked together, stage by stage, to wait for memory at once (as long for 8 pairs, no gain for 16:
//! a question reads twelve cache lines, and fewer need another format); looking first at what four blocks see together, in
//! `visible_within`.

use super::bundle::Bundle;
use super::error::OpenError;
use crate::format::bytes::f32_at;
use crate::format::grid::BLOCK_LEVEL;
use crate::format::levels::Shape;
use crate::format::pairs::TREE_LEVEL;
use crate::format::{
    Answer, FormatError, Grid, GroupPvs, Groups, IndexedPages, Levels, LevelsPvs, Narrowing,
    Openings, Pvs, Quad, ReadPvs, Sample, SectionPages, Sizes, Tag, TerrainParameters, TreeCode,
    Trees, Valid, WorldKind,
};

/// A terrain bundle, ready for queries. Copy it freely: it is a handful of slices.
#[derive(Clone, Copy, Debug)]
pub struct TerrainBundle<'a> {
    parameters: TerrainParameters,
    /// `transform` the other way round, from the CRS to columns and rows of pixels.
    inverse: Option<[f64; 6]>,
    valid: Valid<'a>,
    heights: &'a [u8],
    /// The pages of `heights`, where they are to be checked.
    height_pages: Option<SectionPages<'a>>,
    /// Pairs of blocks, level by level; none in a bundle of single trees.
    levels: Option<Levels<'a>>,
    /// In a bundle of single trees those of all quads; else those of quads of level 4 and more, the unions of what groups
    /// say, or none.
    trees: Trees<'a>,
    /// What narrows all answers of a bundle that has lost something, and has trees.
    narrowing: Option<Narrowing<'a>>,
    /// What may be seen beside, where ground has changed since the PVSs were made.
    openings: Option<Openings<'a>>,
}

impl<'a> Bundle<'a> {
    /// The bundle as one of a terrain. O(1).
    ///
    /// # Errors
    ///
    /// Where it is of another kind, or a section that queries need is missing or has the wrong length.
    pub fn terrain(&self) -> Result<TerrainBundle<'a>, OpenError> {
        Ok(TerrainBundle::new(self)?)
    }
}

impl<'a> TerrainBundle<'a> {
    fn new(bundle: &Bundle<'a>) -> Result<Self, FormatError> {
        bundle.check_kind(WorldKind::Terrain)?;
        let mut terrain = Self::without_heights(bundle)?;
        terrain.heights = bundle.need(Tag::HGTS, &Sizes::from(&terrain.parameters))?;
        Ok(terrain)
    }

    /// Who sees whom on a grid, whatever its samples are of, by the sections that are the same in all
    /// kinds of bundles.
    pub(super) fn without_heights(bundle: &Bundle<'a>) -> Result<Self, FormatError> {
        for tag in [Tag::GRID, Tag::VALD, Tag::DICT] {
            bundle.check_section(tag)?;
        }
        let pages = |index, pieces| {
            Some(IndexedPages {
                index: bundle.section_pages(index)?,
                pieces: bundle.section_pages(pieces)?,
            })
        };
        let parameters = TerrainParameters::parse(bundle.need(Tag::GRID, &Sizes::default())?)?;
        let grid = parameters.grid;
        let sizes = Sizes::from(&parameters);
        let shape = Shape::of(&parameters);
        let places = bundle.plain(Tag::VALD, &sizes)?;
        let valid = match places {
            None => Valid::everywhere(grid),
            Some(places) => Valid::from_blocks(grid, places),
        };
        let levels = match parameters.tree_code {
            TreeCode::Single => None,
            TreeCode::Levels => {
                let sections = [
                    bundle.need(Tag::DICT, &sizes)?,
                    bundle.need(Tag::PIDX, &sizes)?,
                    bundle.need(Tag::PAIR, &sizes)?,
                ];
                let levels = Levels::new(shape, parameters.mutual, places, sections);
                let mut levels = levels.ok_or(FormatError::Dictionary)?;
                if let Some(pages) = pages(Tag::PIDX, Tag::PAIR) {
                    levels = levels.checked(pages);
                }
                Some(levels)
            }
        };
        let trees = if sizes.has_trees {
            let least = levels.map_or(0, |_| TREE_LEVEL);
            let index = bundle.need(Tag::TIDX, &sizes)?;
            let trees = Trees::new(valid, least, index, bundle.need(Tag::TREE, &sizes)?);
            match pages(Tag::TIDX, Tag::TREE) {
                Some(pages) => trees.checked(pages),
                None => trees,
            }
        } else {
            Trees::none(valid)
        };
        // Lossy single trees are not mutual.
        let both_ways = parameters.mutual && levels.is_some();
        let narrows = parameters.lossy && sizes.has_trees;
        let narrowing = narrows.then(|| Narrowing::new(trees, both_ways));
        Ok(Self {
            parameters,
            inverse: parameters.transform.and_then(invert),
            valid,
            heights: &[],
            height_pages: bundle.section_pages(Tag::HGTS),
            levels,
            trees,
            narrowing,
            openings: None,
        })
    }

    /// The same terrain once its ground has changed.
    pub(super) fn changed(
        &self,
        valid: Valid<'a>,
        heights: &'a [u8],
        levels: Levels<'a>,
        trees: Trees<'a>,
    ) -> Self {
        Self {
            valid,
            heights,
            levels: Some(levels),
            trees,
            ..*self
        }
    }

    /// The same PVSs where there is terrain only by `valid`, for those who make other bundles of
    /// them.
    pub fn with_terrain_at(&self, valid: Valid<'a>) -> Self {
        Self {
            valid,
            levels: self.levels.map(|levels| levels.within(valid)),
            trees: self.trees.within(valid),
            ..*self
        }
    }

    /// The same terrain whose ground has changed since its PVSs were made, by all of `openings`: whom that
    /// may let be seen counts as visible in all answers. There is terrain where `valid` says, with
    /// `heights`, `f32` row by row. Of a bundle in tree code 2 that is lossless.
    pub fn opened(&self, valid: Valid<'a>, heights: &'a [u8], openings: Openings<'a>) -> Self {
        Self {
            heights,
            openings: Some(openings),
            ..self.with_terrain_at(valid)
        }
    }

    /// Who sees whom, level by level; `None` in a bundle of single trees.
    pub fn levels(&self) -> Option<Levels<'a>> {
        self.levels
    }

    /// The trees: of all quads in a bundle of single trees, else the unions of those of level 4 and more, if there are any.
    pub fn trees(&self) -> Trees<'a> {
        self.trees
    }

    /// Ground heights, `f32` row by row.
    pub(super) fn height_bytes(&self) -> &'a [u8] {
        self.heights
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
    /// `None` outside the grid, where the grid reaches half a spacing beyond its outer samples. It may
    /// be one at which nobody can be ([`TerrainBundle::valid`]); the C interface and the bindings say
    /// so instead of returning it.
    pub fn locate(&self, east: f64, south: f64) -> Option<Sample> {
        let [dx, dy] = self.parameters.cell_spacing;
        // Where pixels are cells of a heightmap, the metres are from its first sample still.
        let half = 0.5 / self.heightmap_samples();
        self.sample_at(east / dx + half, south / dy + half)
    }

    /// The unit square of a sample, [east, south] of its corners: the positions that [`TerrainBundle::locate`] finds it by.
    pub(super) fn square(&self, sample: Sample) -> [[f64; 2]; 2] {
        let [dx, dy] = self.parameters.cell_spacing;
        let half = 0.5 / self.heightmap_samples();
        let corner = |add: f64| {
            let [column, row] = [sample.column, sample.row].map(|at| f64::from(at) - half + add);
            [column * dx, row * dy]
        };
        [corner(0.0), corner(1.0)]
    }

    /// Samples of the heightmap on the side of a sample of the grid.
    pub(super) fn heightmap_samples(&self) -> f64 {
        f64::from(1_u32 << self.parameters.finest())
    }

    /// The sample whose pixel holds a position in the bundle's CRS. `None` outside the grid and
    /// for a bundle without a georeference.
    pub fn locate_georeferenced(&self, x: f64, y: f64) -> Option<Sample> {
        let [t0, t1, t2, t3, t4, t5] = self.inverse?;
        self.sample_at(t0 + x * t1 + y * t2, t3 + x * t4 + y * t5)
    }

    /// The sample of the pixel that a pixel coordinate lies in.
    fn sample_at(&self, column: f64, row: f64) -> Option<Sample> {
        let inside = |at: f64, limit: f64| (at >= 0.0 && at < limit).then_some(at as u32);
        let [columns, rows] = self.parameters.heightmap().map(f64::from);
        Some(Sample::new(
            inside(column, columns / self.heightmap_samples())?,
            inside(row, rows / self.heightmap_samples())?,
        ))
    }

    /// Ground height in metres, rounded to `f32`. `None` outside the grid, at a void, and where a bundle
    /// that is [`Bundle::checked`] is damaged. There may be
    /// ground where nobody can be ([`TerrainParameters::walkable`]).
    pub fn height(&self, sample: Sample) -> Option<f32> {
        if !self.grid().has_sample(sample) || !self.is_ground(sample) {
            return None;
        }
        let at = u64::from(sample.row) * u64::from(self.grid().width()) + u64::from(sample.column);
        let at = usize::try_from(at.checked_mul(4)?).ok()?;
        if self.height_pages.is_some_and(|pages| !pages.hold(at, 4)) {
            return None;
        }
        let height = f32_at(self.heights, at)?;
        (!height.is_nan()).then_some(height)
    }

    /// Whether a sample may have a height: any where somebody can be.
    fn is_ground(&self, sample: Sample) -> bool {
        self.parameters.walkable || self.valid.has_sample(sample)
    }

    /// The groups of level 0 where these tell of all pairs: not where other levels do, too, nor while ground has changed and its
    /// patch is not yet there, nor in a bundle of single trees. Where something was lost, [`TerrainBundle::narrowing`] says
    /// what else is hidden.
    pub fn groups(&self) -> Option<Groups<'a>> {
        self.levels?.whole().filter(|_| self.openings.is_none())
    }

    /// Whether [`TerrainBundle::part_sees`] knows: where there are groups.
    pub(super) fn knows_parts(&self) -> bool {
        self.levels.is_some()
    }

    /// Whether any of the samples `from` (a word of a block bitmap) of block `viewer` may see any of the
    /// samples `to` of block `target`; `None` in a bundle of single trees.
    pub(crate) fn part_sees(
        &self,
        viewer: (u32, u32),
        from: u64,
        target: (u32, u32),
        to: u64,
    ) -> Option<bool> {
        let levels = self.levels?;
        if levels.sees_any(viewer, from, target, to) {
            let Some(narrowing) = &self.narrowing else {
                return Some(true);
            };
            let [from, to] = narrowing.between((viewer, from), (target, to));
            return Some(levels.sees_any(viewer, from, target, to));
        }
        let Some(openings) = self.openings else {
            return Some(false);
        };
        let block = |(column, row)| Quad::new(BLOCK_LEVEL, column, row);
        let from = from & self.valid.block(viewer.0, viewer.1);
        let to = to & self.valid.block(target.0, target.1);
        Some(openings.may_open_any(block(viewer), from, block(target), to))
    }

    /// The same of samples of several blocks, best such as lie beside each other and come after the
    /// viewer in Morton order.
    pub(super) fn part_sees_any(
        &self,
        viewer: (u32, u32),
        from: u64,
        mut targets: impl Iterator<Item = ((u32, u32), u64)>,
    ) -> Option<bool> {
        self.levels?;
        let Some(groups) = self.groups() else {
            let sees = |(target, to)| self.part_sees(viewer, from, target, to) != Some(false);
            return Some(targets.any(sees));
        };
        while let Some((target, to)) = groups.first_seen(viewer, from, &mut targets) {
            let Some(narrowing) = &self.narrowing else {
                return Some(true);
            };
            let [from, to] = narrowing.between((viewer, from), (target, to));
            if groups.sees_any(viewer, from, target, to) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// What is known of sight from a block to a quad of level 3 or more, with a look at one pair of
    /// blocks of each level at most; `None` in a bundle of single trees.
    pub(super) fn outline(&self, viewer: (u32, u32), quad: Quad) -> Option<Answer> {
        let outline = self.levels?.outline(viewer, quad);
        let block = Quad::new(BLOCK_LEVEL, viewer.0, viewer.1);
        let opens = self
            .openings
            .is_some_and(|openings| openings.may_open(block, quad));
        Some(match (outline, opens) {
            (Answer::Hidden, true) => Answer::Mixed,
            (known, _) => known,
        })
    }

    /// By what the answers of a bundle that has lost something ([`TerrainParameters::lossy`]) are
    /// narrowed; `None` where nothing was lost, and where there are no trees.
    pub const fn narrowing(&self) -> Option<Narrowing<'a>> {
        self.narrowing
    }

    /// The PVS of a quad: everything that may be seen from it. `None` outside the grid, and
    /// where the bundle is damaged.
    ///
    /// Without loss it is the union of the PVSs of its samples; in a graded bundle of larger parts of it, [`LevelsPvs`]. Where
    /// something was lost, it holds all of these, and may hold more: but what is hidden from a quad is hidden from all that is
    /// in it.
    #[inline]
    pub fn pvs(&self, quad: Quad) -> Option<Pvs<'a>> {
        let stored = self.stored_pvs(quad)?;
        Some(match (self.openings, self.narrowing) {
            (Some(openings), _) => stored.opened(openings),
            (None, Some(narrowing)) => stored.narrowed(narrowing),
            (None, None) => stored,
        })
    }

    /// What is stored of the PVS of a quad, for those who make other bundles of it. Where something
    /// was lost, it may hold what other PVSs hide, and while ground has changed and its patch is not yet
    /// there, it may lack what can be seen: ask [`TerrainBundle::pvs`].
    #[inline]
    pub fn stored_pvs(&self, quad: Quad) -> Option<Pvs<'a>> {
        if quad.level < self.trees.least()
            && let Some(levels) = self.levels
        {
            return match levels.whole() {
                Some(groups) if quad.level <= BLOCK_LEVEL => {
                    Some(Pvs::of_group(quad, GroupPvs::new(groups, quad)?))
                }
                _ => Some(Pvs::of_levels(quad, LevelsPvs::new(levels, quad)?)),
            };
        }
        Some(Pvs::of_tree(quad, self.trees.tree(quad)?))
    }

    /// The PVS of a quad by itself, for those who only need that what it hides is hidden: where something
    /// was lost it holds what [`TerrainBundle::pvs`] does, and what other quads hide, and is read in a
    /// fraction of the time.
    pub(crate) fn own_pvs(&self, quad: Quad) -> Option<Pvs<'a>> {
        match self.openings {
            Some(_) => self.pvs(quad),
            None => self.stored_pvs(quad),
        }
    }

    /// Whether a head at sample `b` may be seen from sample `a`, as the bundle's visibility mode
    /// defines it. `false` where either is outside the grid or void; `true` where the bundle is
    /// damaged, and where ground has changed, its patch is not yet there, and that may open. O(log side)
    /// steps, at most one pass over the nodes of one tree, and at most one
    /// record of a pair of blocks; where something was lost, and what is stored of `a` has `b`, as
    /// many passes as there are trees around both.
    ///
    /// Unless the bundle is mutual ([`TerrainParameters::mutual`]: not with different heights of
    /// eye and player, nor in mode [`crate::format::VisibilityMode::Sectors`]), b may see a where
    /// a does not see b: ask both ways.
    #[inline]
    pub fn visible(&self, a: Sample, b: Sample) -> bool {
        let has_both = || self.valid.has_sample(a) && self.valid.has_sample(b);
        let is_stored = match &self.levels {
            // They know where there is terrain.
            Some(levels) => levels.sees(a, b),
            None => {
                let tree = self.trees.tree(a.quad());
                has_both() && tree.is_none_or(|tree| tree.contains(b))
            }
        };
        if is_stored {
            self.narrowing
                .as_ref()
                .is_none_or(|narrowing| narrowing.lets_see(a, b))
        } else {
            self.openings
                .as_ref()
                .is_some_and(|openings| has_both() && openings.lets_see(a, b))
        }
    }

    /// What is known of sight from quad `a` to quad `b`: hidden if nothing of `b` can be seen
    /// from anywhere in `a`; visible if each sample of `b` can be seen from somewhere in `a`, or
    /// where something was lost may be; else unknown. Hidden where either has no terrain in the
    /// grid; unknown where the bundle is damaged.
    pub fn visible_quads(&self, a: Quad, b: Quad) -> Answer {
        if !self.grid().has_quad(a) || !self.grid().has_quad(b) {
            return Answer::Hidden;
        }
        match self.pvs(a) {
            Some(pvs) => pvs.state(b),
            None => Answer::Mixed,
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
