//! What is to be baked, and whether it can be.

use std::borrow::Cow;

use super::budget::options::Compression;
use super::error::BakeError;
use super::mode::VisibilityMode;
use super::store::file::Keep;
use crate::visibility::{Curvature, HeightField, Simd, covered};
use viewcell::format::{Coarse, Grid, TerrainParameters};
use viewcell_ingest::world::{Short, Terrain};

/// The options of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeOptions {
    /// Height of the eye above ground, in metres.
    pub eye_height: f64,
    /// Height of the top of the head above ground, in metres.
    pub player_height: f64,
    /// What a level-0 view cell means.
    pub mode: VisibilityMode,
    /// Level of the quads that are the view cells; 0 for samples, else in [`Coarse::LEVELS`].
    pub finest: u32,
    /// Whether quads answer for those that are far away, between which, across or down, lie at least so many of
    /// their size: up to [`TerrainParameters::MAX_GRADE`]; 0 for never. Then `finest` may be 1 and 2 as well.
    /// Of solid levels, whether boxes of cells do, between which so many of their longest side lie.
    pub grade: u32,
    /// Level of the smallest quads that are distinguished within cells: 0 for samples, which hides all that
    /// can be hidden; up to `finest`, for cells as wholes, which takes the least time. Conservative alone.
    pub detail: u32,
    /// Nobody sees further than this over the ground, in metres; `None` for no limit.
    pub max_distance: Option<f64>,
    /// The shape of the earth; `None` for a flat one.
    pub curvature: Option<Curvature>,
    /// Whether those are asked for, too, whom the surface covers from head to foot: of a terrain
    /// with ground apart, who is in houses and trees. They are hidden from all others.
    pub inside: bool,
    /// Threads that compute; 0 for as many as there are processors.
    pub threads: usize,
    /// Instructions to use. Changes no byte of the result.
    pub simd: Simd,
    /// Bytes of memory that it may take; `None` for as many as there are. One that would take more
    /// does not begin.
    pub memory: Option<u64>,
    /// Whether to replace an output that exists.
    pub overwrite: bool,
    /// What becomes of the bake if it ends before its time.
    pub keep: Keep,
    /// What is kept. Not of a shard, which keeps all: [`super::merge`] is told.
    pub compression: Compression,
}

/// As the command line has it where nothing is said, but that nothing is kept of a bake that ends
/// before its time.
impl Default for BakeOptions {
    fn default() -> Self {
        Self {
            eye_height: 1.8,
            player_height: 1.8,
            mode: VisibilityMode::Conservative,
            finest: 0,
            grade: 0,
            detail: 0,
            max_distance: None,
            curvature: None,
            inside: false,
            threads: 0,
            simd: Simd::Auto,
            memory: None,
            overwrite: false,
            keep: Keep::Nothing,
            compression: Compression::Lossless,
        }
    }
}

impl BakeOptions {
    /// What the samples of the bundle stand for, if they are cells.
    pub(super) fn coarse(&self, terrain: &Terrain) -> Option<Coarse> {
        (self.finest > 0).then_some(Coarse {
            finest: self.finest,
            columns: terrain.width(),
            rows: terrain.height(),
            detail: self.detail,
        })
    }

    /// Errors unless view cells of this level can be baked.
    fn check_finest(&self, grid: Grid) -> Result<(), BakeError> {
        let graded = self.grade > 0;
        self.check_grade()?;
        let expected = match (self.detail, self.finest) {
            (0, _) => None,
            (_, 0) => Some("0, for all that there is, or `finest`, so that there are cells"),
            (detail, finest) if detail > finest => Some("a level up to that of the cells"),
            _ if self.mode != VisibilityMode::Conservative => {
                Some("0: only conservative leaves detail out")
            }
            _ => None,
        };
        if let Some(expected) = expected {
            return Err(BakeError::option("detail", expected, self.detail));
        }
        let expected = match self.finest {
            0 => return Ok(()),
            level if !Coarse::LEVELS.contains(&level) => "0, for samples, or a level up to 6",
            1 | 2 if !graded => "0, for samples, or 3 to 6; 1 and 2 with `grade`",
            level if level > grid.root_level() => "a level that the terrain has",
            _ => return Ok(()),
        };
        Err(BakeError::option("finest", expected, self.finest))
    }

    /// The terrain with the places that the bake asks for: not those where the surface covers eye
    /// and head, unless it is to ask for them. `input` is the name of its file.
    ///
    /// # Errors
    ///
    /// [`BakeError::Places`] where none are left, and for a mode that knows of one ground alone.
    pub fn asked_for<'t>(
        &self,
        terrain: &'t Terrain,
        input: &str,
    ) -> Result<Cow<'t, Terrain>, BakeError> {
        if !terrain.has_ground() {
            return Ok(Cow::Borrowed(terrain));
        }
        let stance = self.mode.stance();
        if self.inside {
            return Ok(Cow::Borrowed(terrain));
        }
        // Of a place whose eye is free at least that is asked, though its head is unseen.
        let top = self.player_height.max(self.eye_height);
        let open: Vec<bool> = covered(terrain, top, stance)
            .into_iter()
            .map(|covered| !covered)
            .collect();
        let asked_for = terrain.clone().with_walkable(&open);
        let asked_for = asked_for.map_err(|error| BakeError::Places {
            input: input.to_owned(),
            error,
        })?;
        Ok(Cow::Owned(asked_for))
    }

    /// Errors unless cells can grow so.
    pub(super) fn check_grade(&self) -> Result<(), BakeError> {
        if self.grade <= TerrainParameters::MAX_GRADE {
            return Ok(());
        }
        let expected = "0, for cells that do not grow, or 1 to 4096";
        Err(BakeError::option("grade", expected, self.grade))
    }

    /// Errors unless this processor has the instructions asked for.
    pub(super) fn check_simd(&self) -> Result<(), BakeError> {
        match self.simd.level() {
            Some(_) => Ok(()),
            None => Err(BakeError::option(
                "simd",
                "instructions that this processor has",
                self.simd.name(),
            )),
        }
    }

    /// The grid of `terrain`, which is from a file of this name. Errors for options that no bake of
    /// it can have.
    pub(crate) fn grid(&self, terrain: &Terrain, input: &str) -> Result<Grid, BakeError> {
        let grid = Grid::new(terrain.width(), terrain.height());
        let grid = grid.map_err(|error| BakeError::Grid {
            input: input.to_owned(),
            error,
        })?;
        self.check_finest(grid)?;
        check_size(grid.width(), grid.height(), input)?;
        check_height("player_height", self.player_height)?;
        check_height("eye_height", self.eye_height)?;
        check_sight(terrain, self.max_distance, self.curvature)?;
        self.check_simd()?;
        self.check_memory(self.memory_needed(grid), input)?;
        Ok(grid)
    }
}

/// Errors unless the tables hold so many columns and rows.
fn check_size(width: u32, height: u32, input: &str) -> Result<(), BakeError> {
    if HeightField::fits(width, height) {
        Ok(())
    } else {
        Err(BakeError::Large {
            input: input.to_owned(),
            width,
            height,
        })
    }
}

/// Whether a body may be so many metres high; `option` is the name of the option that says so.
///
/// # Errors
///
/// Unless a body may be so many metres high.
pub fn check_height(option: &'static str, metres: f64) -> Result<(), BakeError> {
    if (0.0..=1e6).contains(&metres) {
        Ok(())
    } else {
        Err(BakeError::option(option, "0 to 1000000 m", Short(metres)))
    }
}

/// Whether sight may go so far over `terrain` and an earth of this shape; `None` for no limit and for a flat earth.
///
/// # Errors
///
/// Unless sight may go so far over `terrain` and an earth of this shape.
pub fn check_sight(
    terrain: &Terrain,
    max_distance: Option<f64>,
    curvature: Option<Curvature>,
) -> Result<(), BakeError> {
    if let Some(distance) = max_distance
        && !(distance.is_finite() && distance > 0.0)
    {
        return Err(BakeError::option(
            "max_distance",
            "a positive number of metres",
            Short(distance),
        ));
    }
    let Some(curvature) = curvature else {
        return Ok(());
    };
    let Curvature { radius, refraction } = curvature;
    // A smaller earth is none, and would be bent beyond what a parabola is good for.
    if !(radius.is_finite() && radius >= 1e3) {
        return Err(BakeError::option(
            "curvature",
            "a radius of at least 1000 m",
            Short(radius),
        ));
    }
    if !(0.0..1.0).contains(&refraction) {
        return Err(BakeError::option(
            "refraction",
            "a coefficient of at least 0 and less than 1",
            Short(refraction),
        ));
    }
    let [dx, dy] = terrain.spacing();
    let (x, y) = (
        f64::from(terrain.width()) * dx,
        f64::from(terrain.height()) * dy,
    );
    let corner = x.hypot(y) / 2.0;
    if curvature.drop_at(corner) <= Terrain::MAX_ABS_HEIGHT {
        Ok(())
    } else {
        Err(too_large(format!("one of {} km", 2e-3 * corner)))
    }
}

fn too_large(found: String) -> BakeError {
    BakeError::option(
        "curvature",
        "a terrain that is small beside the earth",
        found,
    )
}

/// The ground that straight sight meets: lowered on a round earth, as it is on a flat one.
///
/// # Errors
///
/// Where a round earth lowers the ground beyond [`Terrain::MAX_ABS_HEIGHT`].
pub fn as_seen(
    terrain: &Terrain,
    curvature: Option<Curvature>,
) -> Result<Cow<'_, Terrain>, BakeError> {
    let Some(curvature) = curvature else {
        return Ok(Cow::Borrowed(terrain));
    };
    let lowered = curvature.lower(terrain);
    lowered
        .map(Cow::Owned)
        .map_err(|error| too_large(error.to_string()))
}

/// Whether whoever is seen sees, too, so that each pair is decided once.
pub(super) fn mutual(options: &BakeOptions) -> bool {
    options.eye_height == options.player_height
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::BakeErrorKind;

    #[test]
    fn a_terrain_beyond_the_tables_is_refused_by_its_name_and_size() {
        assert!(check_size(10_000, 10_000, "a.tif").is_ok());
        let error = check_size(20_000, 30_000, "a.tif").unwrap_err();
        assert_eq!(error.kind(), BakeErrorKind::Resource);
        let words = error.to_string();
        for word in ["a.tif", "220 million", "20000 x 30000", "`crop`"] {
            assert!(words.contains(word), "{words}");
        }
    }
}
