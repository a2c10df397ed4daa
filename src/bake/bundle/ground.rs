//! Lines of sight over the heights of a bundle, curvature included: what blocks a pair of samples, or by how much it is clear.

use std::path::{Path, PathBuf};

use super::error::BundleError;
use super::parts::TerrainParts;
use crate::visibility::{Bodies, Crossing, Curvature, Profile};
use viewcell::format::Valid;
use viewcell::query::{Sample, TerrainParameters, VisibilityMode};
use viewcell_ingest::world::Terrain;

/// The heights of a terrain bundle, as they are and as straight sight meets them.
#[derive(Debug)]
pub struct BundleGround {
    heights: Terrain,
    /// Lowered as the earth curves; none on a flat one.
    lowered: Option<Terrain>,
    parameters: TerrainParameters,
}

/// What heights say of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing rises over the line.
    Clear,
    /// Something does.
    Blocked,
    /// It is longer than sight goes.
    TooFar,
    /// There is no ground at one of its ends, or nobody can be there.
    Nobody,
    /// Something else decides, too: what the bundle does not hold.
    Unknown,
}

/// A line from an eye to a head over the heights of a bundle.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SightProfile {
    /// `clear`, `blocked`, `too-far` (than sight goes), `nobody` (at an end, where there is no ground or nobody can be) or `unknown`: something else decides, too.
    pub verdict: Verdict,
    /// What else decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<&'static str>,
    /// How far the two are apart over the ground, in metres.
    pub distance: f64,
    /// Heights of the eye and of the head, in metres above the datum; null at a void.
    pub ends: Option<[f64; 2]>,
    /// Where the ground rises highest over the line; null where it crosses no line between samples.
    pub highest: Option<Crossing>,
    /// Crossings beside a void, which block nothing.
    pub voids: usize,
    /// All crossings, in order.
    #[serde(skip)]
    pub crossings: Vec<Crossing>,
}

impl BundleGround {
    /// Reads the heights of a bundle, with patches over it in their order.
    ///
    /// # Errors
    ///
    /// Where one of the files cannot be read or is damaged.
    pub fn read(bundle: &Path, over: &[PathBuf]) -> Result<Self, BundleError> {
        let mut parts = TerrainParts::read(bundle)?;
        over.iter()
            .try_for_each(|patch| parts.lay(patch).map(drop))?;
        let heights = parts.header.terrain(&parts.heights, bundle)?;
        let parameters = parts.header.parameters;
        let earth = (parameters.earth_radius > 0.0).then_some(Curvature {
            radius: parameters.earth_radius,
            refraction: parameters.refraction,
        });
        let lowered = earth.map(|earth| earth.lower(&heights)).transpose();
        Ok(Self {
            lowered: lowered.map_err(|error| BundleError::Damaged {
                path: bundle.to_owned(),
                problem: error.to_string(),
            })?,
            heights,
            parameters,
        })
    }

    /// As straight sight meets it.
    pub fn seen(&self) -> &Terrain {
        self.lowered.as_ref().unwrap_or(&self.heights)
    }

    /// Heights of eyes and heads above it.
    pub fn bodies(&self) -> Bodies {
        Bodies {
            eye: self.parameters.eye_height,
            head: self.parameters.player_height,
        }
    }

    /// What decides beside the heights that a bundle holds, if anything does.
    pub fn doubt(parameters: &TerrainParameters) -> Option<&'static str> {
        match parameters.visibility {
            VisibilityMode::Sectors(_) => Some("a terrain of sectors, which proves nothing"),
            _ if parameters.covered => Some("ground under a surface that it does not hold"),
            _ if parameters.coarse.is_some() => Some("cells of several samples each"),
            _ => None,
        }
    }

    /// The line from an eye over a sample of the grid to a head over another, where somebody can be by `valid`.
    pub fn look(&self, valid: Valid<'_>, a: Sample, b: Sample) -> SightProfile {
        let [from, to] = [a, b].map(|of| (of.column, of.row));
        let [dx, dy] = self.parameters.cell_spacing;
        let x = (f64::from(a.column) - f64::from(b.column)) * dx;
        let y = (f64::from(a.row) - f64::from(b.row)) * dy;
        let most = self.parameters.max_distance;
        let is_near = x * x + y * y <= most * most;
        let profile = Profile::new(self.seen(), self.bodies(), from, to);
        let doubt = Self::doubt(&self.parameters);
        let verdict = match &profile {
            None => Verdict::Nobody,
            Some(_) if !(valid.has_sample(a) && valid.has_sample(b)) => Verdict::Nobody,
            Some(_) if doubt.is_some() => Verdict::Unknown,
            Some(_) if !is_near => Verdict::TooFar,
            Some(profile) if profile.is_clear() => Verdict::Clear,
            Some(_) => Verdict::Blocked,
        };
        // Back to the datum at both ends, and in between by as much as the line itself.
        let [p, q] = [from, to].map(|(column, row)| {
            self.heights.ground_at(column, row) - self.seen().ground_at(column, row)
        });
        let ends = profile.as_ref().map(|of| [of.ends[0] + p, of.ends[1] + q]);
        let mut crossings = profile.map_or(Vec::new(), |profile| profile.crossings);
        for crossing in &mut crossings {
            crossing.ground += p + crossing.along * (q - p);
        }
        let known = crossings.iter().filter(|at| !at.over.is_nan());
        SightProfile {
            verdict,
            doubt,
            distance: x.hypot(y),
            ends,
            voids: crossings.len() - known.clone().count(),
            highest: known.max_by(|p, q| p.over.total_cmp(&q.over)).copied(),
            crossings,
        }
    }
}
