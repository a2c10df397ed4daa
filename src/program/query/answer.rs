//! What `viewcell query --json` prints: one document for bundles of all kinds.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::place::{NamedPlace, Position, Standing};
use viewcell::query::World;

/// What `viewcell query --json` prints: the answer to any question, of a bundle of any kind.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "viewcell query")]
pub enum Answer {
    /// `visible`.
    Visible(Visible),
    /// `distance`.
    Distance(Distance),
    /// `visible` and `distance` with `--pairs`.
    Pairs(Pairs),
    /// `pvs`.
    Pvs(Pvs),
    /// `pvs` of a scene.
    Objects(Objects),
    /// `locate` on a terrain.
    Sample(LocatedSample),
    /// `locate` in a level.
    Cell(LocatedCell),
}

/// Whether B may be seen from A.
#[derive(Serialize, JsonSchema)]
pub struct Visible {
    /// `terrain`, `cells` or `solid`.
    pub kind: String,
    /// From where; null for a position in no view cell of a solid level.
    pub a: Option<NamedPlace>,
    /// To where; null likewise.
    pub b: Option<NamedPlace>,
    /// Level of the quads of a and b that the answer is for, 0 for the samples themselves; absent in levels, and with
    /// reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// How far each may move, in metres or in units of the level's positions; absent if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<[f64; 2]>,
    /// Whether anybody at b may be seen from a; with reach, on a terrain and in a level of cells, either from the other.
    pub visible: bool,
    /// Why nobody can be at a, so that nobody there sees anybody; absent if somebody can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nobody_at_a: Option<Standing>,
    /// The same for b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nobody_at_b: Option<Standing>,
}

/// How many visible steps lead from a cell to another.
#[derive(Serialize, JsonSchema)]
pub struct Distance {
    /// `cells`.
    pub kind: String,
    /// From which cell.
    pub a: Option<NamedPlace>,
    /// To which cell.
    pub b: Option<NamedPlace>,
    /// Visible steps; null if unreachable.
    pub distance: Option<u32>,
}

/// The objects of a scene that a camera may see.
#[derive(Serialize, JsonSchema)]
pub struct Objects {
    /// `solid`.
    pub kind: String,
    /// The view cell that it is in; null in none, from where all are seen.
    pub cell: Option<u32>,
    /// Those that may be seen, in the order of their numbers.
    pub objects: Vec<SeenObject>,
}

/// An object of a scene.
#[derive(Serialize, JsonSchema)]
pub struct SeenObject {
    /// Its number, from 0 on, in the order of the file.
    pub number: u32,
    /// Names from the root of the scene to it, with / between them.
    pub path: String,
    /// How many triangles it has.
    pub triangles: u32,
}

/// Answers to the lines of a file.
#[derive(Serialize, JsonSchema)]
pub struct Pairs {
    /// `terrain`, `cells` or `solid`.
    pub kind: String,
    /// Number of lines answered.
    pub pairs: u64,
    /// Of `visible`: how many of them are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<u64>,
    /// Of `visible`: of the places, two a line, how many are where the bundle knows of nobody: in no view cell of a solid
    /// level (they see all and are seen by all), or on a terrain where nobody can be (they see nobody).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nowhere: Option<u64>,
    /// Of `distance`: how many lines are unreachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<u64>,
    /// One for each line: 1 for visible and 0 for hidden, or visible steps, null for unreachable.
    pub answers: Vec<Option<u32>>,
}

impl Pairs {
    /// Before the first line.
    pub fn new(world: &World<'_>) -> Self {
        Self {
            kind: world.kind().to_string(),
            pairs: 0,
            visible: None,
            nowhere: None,
            unreachable: None,
            answers: Vec::new(),
        }
    }
}

/// How much may be seen from a place.
#[derive(Serialize, JsonSchema)]
pub struct Pvs {
    /// `terrain`, `cells` or `solid`.
    pub kind: String,
    /// Of a terrain: level of the quad that looks: 2^level samples a side, 0 for a single sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Of a terrain: column and row of its north-western sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[u32; 2]>,
    /// Of a level: the cell that looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    /// Number of samples seen from somewhere in the quad, or of cells seen, the own among them.
    pub visible: u64,
    /// Number of samples hidden from all of the quad, voids not counted, or of cells hidden.
    pub hidden: u64,
    /// Of a terrain: number of voids and of samples where nobody can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub void: Option<u64>,
    /// Of a level: the cells seen, in rising order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<u32>>,
    /// The drawing, if one was asked for.
    #[serde(serialize_with = "crate::output::names")]
    pub output: Option<PathBuf>,
}

/// The sample that holds a point of a terrain.
#[derive(Serialize, JsonSchema)]
pub struct LocatedSample {
    /// `terrain`.
    pub kind: String,
    /// Column and row of the sample.
    pub sample: [u32; 2],
    /// Column and row of the view cell that contains it, in a bundle of coarse cells; absent if view cells are samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<[u32; 2]>,
    /// How far east and south of sample (0, 0) it lies, in metres.
    pub at: [f64; 2],
    /// Height of its ground, with cell that of the view cell, in metres; null at a void.
    pub height: Option<f32>,
    /// Whether somebody can be there. If not, nothing is visible to or from there.
    pub place: Standing,
}

/// The cell that holds a point of a level.
#[derive(Serialize, JsonSchema)]
pub struct LocatedCell {
    /// `cells` or `solid`.
    pub kind: String,
    /// The point; in a solid level a position of a player's origin.
    pub point: [f64; 3],
    /// The cell that contains it; null in solid and outside the level.
    pub cell: Option<u32>,
    /// The positions that the cell contains; null where there is none, or no box of it.
    pub bounds: Option<[[f64; 3]; 2]>,
}

impl Visible {
    /// Of two places in a world: quads of a level of the heightmap, or players who move up to `reach`.
    pub fn new(
        world: &World<'_>,
        [a, b]: [Position; 2],
        (level, reach): (Option<u32>, Option<[f64; 2]>),
        visible: bool,
    ) -> Self {
        let nobody = |at: Position| {
            let standing = at.standing(world, level.unwrap_or(0));
            Some(standing).filter(|&standing| standing != Standing::Walkable)
        };
        Self {
            kind: world.kind().to_string(),
            a: a.named(),
            b: b.named(),
            level: level.filter(|_| reach.is_none()),
            reach,
            visible,
            nobody_at_a: nobody(a),
            nobody_at_b: nobody(b),
        }
    }
}
