//! A level of solids as the kernel reads it.

use super::boxes::{BLOCK, CellRun, ViewBox, lanes, tree};
use super::cover::{area, covers};
use std::ops::Range;

use viewcell::convex::{Occluder, OccluderSides, Scale, Span};
use viewcell::convex::{Plane, Point, cross, dot, minus};
use viewcell::format::grid::BLOCK_LEVEL;
use viewcell::format::occluders::{MAX_OCCLUDERS, OccluderRecord, encode_header, encode_plane};
use viewcell::format::{Grid, morton};
use viewcell_ingest::world::solid::{
    Aabb, FacePlane, PlaceCells, Player, Rock, Solid, SolidLevel, box_planes, merge_solids,
};

/// As many halvings one after another prove that a pair of cells is hidden, if nobody says another number.
pub const DEPTH: u32 = 14;

/// What hides in a level, and the cells that see each other.
pub struct SolidField {
    /// Boxes of rock, and of what the level is made of whatever is in none of them.
    pub(super) occluders: Vec<Occluder>,
    /// All that the level is made of. Rock hides from eyes in cells alone, and bundles are asked of others.
    own: Vec<Occluder>,
    left_out: usize,
    pub(super) scale: Scale,
    /// Greatest coordinate, in amount, of the level and its cells.
    extent: f64,
    /// View cells, and then the parts of objects.
    pub(super) cells: Vec<ViewBox>,
    /// How many of them are looked from, and what is looked at.
    pub(super) viewers: u32,
    pub(super) targets: Range<u32>,
    pub(super) tree: Vec<CellRun>,
    pub(super) grid: Grid,
    /// The cells there are in each block of the grid.
    pub(super) valid: Vec<u64>,
    pub(super) grade: u32,
}

/// Faces of a plane are taken together if that makes them larger by this factor.
const WORTH: f64 = 1.01;
/// What is smaller than this share of one side of a view cell, or of one of the usual size where that is less, is left out of a
/// level with faces. On zdm2 in cells of 1 m that is four fifths of the occluders, a fifth of the time and nothing of what is hidden.
const LEAST: f64 = 0.1;

/// By so much of its greatest coordinate a part is larger than its triangles.
const PART_MARGIN: f64 = 1e-6;

impl SolidField {
    /// The tables of a level whose players may be in these cells, of which there is at least one.
    pub fn new(level: &SolidLevel, places: &PlaceCells, player: &Player, grid: Grid) -> Self {
        Self::reusing(&mut KnownOccluders::default(), level, places, player, grid)
    }

    /// The same, with the occluders of other cells of the level.
    pub(crate) fn reusing(
        known: &mut KnownOccluders,
        level: &SolidLevel,
        places: &PlaceCells,
        player: &Player,
        grid: Grid,
    ) -> Self {
        let mut cells: Vec<ViewBox> = (0..places.len())
            .map(|cell| {
                let origins = places.bounds(cell).about(level.middle);
                let eyes = Aabb {
                    min: [0.0, 0.0, player.eye[0]],
                    max: [0.0, 0.0, player.eye[1]],
                };
                ViewBox {
                    eye: span(&origins.plus(&eyes)),
                    body: span(&origins.plus(&player.hull)),
                }
            })
            .collect();
        let reach = |span: &Span| {
            let corners = span.min().into_iter().chain(span.max());
            corners.fold(0.0, |most: f64, x| most.max(x.abs()))
        };
        let viewers = cells.len() as u32;
        let targets = match level.objects {
            None => 0..viewers,
            Some(_) => {
                // What their triangles touch must not hide them, however it is rounded.
                cells.extend(level.parts().map(|part| {
                    let body = span(&part.grown(PART_MARGIN * (1.0 + reach(&span(part)))));
                    ViewBox { eye: body, body }
                }));
                viewers..cells.len() as u32
            }
        };
        let cell_reach = cells.iter().map(|cell| reach(&cell.body.around(&cell.eye)));
        let extent = cell_reach.fold(reach(&span(&level.bounds())), f64::max);
        let scale = Scale::new(extent);
        let least = match level.faces.len() {
            0 => 0.0,
            _ => LEAST * places.cell[0].min(level.units.cell()).powi(2),
        };
        let (own, left_out) = known.own(level, [extent, least]);
        let eyes = cells[..viewers as usize].iter().map(|cell| &cell.eye);
        let rock = known.rock(level, eyes);
        Self {
            occluders: with_rock(&own, &rock, scale),
            own,
            left_out,
            scale,
            extent,
            tree: tree(&cells, targets.start, targets.end),
            valid: valid(grid, cells.len() as u32),
            viewers,
            targets,
            cells,
            grid,
            grade: 0,
        }
    }

    /// The same, for boxes of cells that answer as wholes where at least `grade` of their sizes lie between two; 0 for
    /// cells alone.
    pub fn graded(mut self, grade: u32) -> Self {
        self.grade = grade;
        self
    }

    /// The same, without the occluders that are made of several solids or faces.
    pub fn without_covers(mut self, level: &SolidLevel) -> Self {
        self.occluders = solids(&level.solids, self.scale);
        self.occluders.extend(faces(level, self.scale));
        self
    }

    /// How many cells, or parts of objects, are looked at from each cell; and all pairs.
    pub(crate) fn targets(&self) -> u64 {
        self.targets.len() as u64
    }

    pub(crate) fn pairs(&self) -> f64 {
        f64::from(self.viewers) * self.targets.len() as f64
    }

    /// How many parts of planes with faces are so small that nothing is hidden by them.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// What hides, as bundles have it: the `SOCC` section.
    pub fn occluder_section(&self) -> Vec<u8> {
        let planes: usize = self.own.iter().map(|of| of.planes.len()).sum();
        let count = self.own.len();
        if count.max(planes) > MAX_OCCLUDERS as usize {
            return Vec::new();
        }
        let mut bytes = encode_header(count as u32, planes as u32, self.extent).to_vec();
        let mut first = 0;
        for occluder in &self.own {
            let record = OccluderRecord {
                kind: match occluder.kind {
                    OccluderSides::Solid => 0,
                    OccluderSides::Flat => 1,
                    OccluderSides::FrontOnly => 2,
                },
                planes: occluder.planes.len() as u32,
                first,
                thick: occluder.thick,
                bounds: [occluder.bounds.min(), occluder.bounds.max()],
            };
            first += record.planes;
            bytes.extend(record.encode());
        }
        for plane in self.own.iter().flat_map(|of| &of.planes) {
            bytes.extend(encode_plane(plane.normal, plane.dist));
        }
        bytes
    }

    /// The cells there are in each block of the grid, row by row.
    pub fn valid(&self) -> &[u64] {
        &self.valid
    }
}

fn span(of: &Aabb) -> Span {
    Span::between(of.min, of.max)
}

/// The cells there are in each block.
fn valid(grid: Grid, count: u32) -> Vec<u64> {
    let (columns, rows) = grid.block_shape();
    let blocks = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    blocks
        .map(|(column, row)| {
            let first = morton::number(column, row) << (2 * BLOCK_LEVEL);
            let there = u64::from(count).saturating_sub(first);
            lanes(0, there.min(u64::from(BLOCK)) as u32)
        })
        .collect()
}

/// What is known of a level whatever its cells are.
#[derive(Debug, Default)]
pub(crate) struct KnownOccluders {
    /// Its occluders, whose margins follow from how far it and its cells extend, of at least some area; and how many are not.
    own: Option<([f64; 2], Vec<Occluder>, usize)>,
    /// None before it was looked for, and in it none where it does not pay.
    rock: Option<Option<Rock>>,
}

impl KnownOccluders {
    fn own(&mut self, level: &SolidLevel, of: [f64; 2]) -> (Vec<Occluder>, usize) {
        let known = self.own.take().filter(|known| known.0 == of);
        let (_, all, left_out) = known.unwrap_or_else(|| {
            let (all, left_out) = occluders(level, Scale::new(of[0]), of[1]);
            (of, all, left_out)
        });
        self.own = Some((of, all.clone(), left_out));
        (all, left_out)
    }

    fn rock<'e>(&mut self, level: &SolidLevel, eyes: impl Iterator<Item = &'e Span>) -> Vec<Aabb> {
        let rock = self.rock.get_or_insert_with(|| Rock::new(level));
        let eyes: Vec<Aabb> = eyes
            .map(|eyes| Aabb {
                min: eyes.min(),
                max: eyes.max(),
            })
            .collect();
        rock.iter()
            .flat_map(|rock| rock.boxes(level, &eyes))
            .collect()
    }
}

/// Boxes of rock, and the occluders that lie in none of them.
fn with_rock(own: &[Occluder], rock: &[Aabb], scale: Scale) -> Vec<Occluder> {
    let solid = |one: &Aabb| Occluder::solid(box_planes(one), span(one), scale.margin);
    let is_in = |of: &Occluder, one: &Aabb| of.bounds.corners().iter().all(|&at| one.contains(at));
    // What ends where rock does hides no more than the rock, but for that much.
    let around: Vec<Aabb> = rock
        .iter()
        .map(|one| one.grown(2.0 * Rock::APART))
        .collect();
    let rest = own
        .iter()
        .filter(|of| !around.iter().any(|one| is_in(of, one)));
    rock.iter().map(solid).chain(rest.cloned()).collect()
}

/// What hides in a level, but for parts of planes with faces of less than some area, and how many these are.
fn occluders(level: &SolidLevel, scale: Scale, least_area: f64) -> (Vec<Occluder>, usize) {
    let mut left_out = 0;
    // What straddles the seam of two solids neither of them hides.
    let mut occluders = solids(&merge_solids(&level.solids), scale);
    for plane in FacePlane::all(level) {
        // A face of a solid is worth less than the solid.
        let least = if level.faces.is_empty() { WORTH } else { 0.0 };
        for cover in covers(&plane.polygons, scale.margin) {
            if cover.gain < least {
                continue;
            }
            if area(&cover.polygon) < least_area {
                left_out += 1;
                continue;
            }
            let at = |[u, v]: [f64; 2]| -> Point {
                let [across, up] = &plane.axes;
                std::array::from_fn(|k| plane.origin[k] + u * across[k] + v * up[k])
            };
            let corners: Vec<Point> = cover.polygon.into_iter().map(at).collect();
            // What grew over gaps of three times the margin must not reach beyond the rim.
            let off = [FacePlane::TOLERANCE, 4.0 * scale.margin];
            occluders.push(flat(plane.plane, &corners, !plane.two_sided, off));
        }
    }
    (occluders, left_out)
}

fn solids(solids: &[Solid], scale: Scale) -> Vec<Occluder> {
    solids
        .iter()
        .map(|solid| {
            let planes = solid.planes.iter().copied();
            Occluder::solid(planes, span(&solid.bounds), scale.margin)
        })
        .collect()
}

fn faces(level: &SolidLevel, scale: Scale) -> impl Iterator<Item = Occluder> {
    level.faces.iter().map(move |face| {
        let off = [0.0, scale.margin];
        flat(face.plane, &face.vertices, !face.two_sided, off)
    })
}

/// The convex polygon of these corners near `plane`, anticlockwise seen from its front, made smaller by
/// `margin`. What is opaque lies no further than `thick` off the plane. It hides from the front alone, or from
/// either side.
pub(super) fn flat(
    plane: Plane,
    corners: &[Point],
    front_only: bool,
    [thick, margin]: [f64; 2],
) -> Occluder {
    let mut planes = vec![plane];
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        let out = cross(minus(q, p), plane.normal);
        let length = dot(out, out).sqrt();
        if length > 0.0 {
            let normal = out.map(|x| x / length);
            let dist = dot(normal, p).min(dot(normal, q)) - margin;
            planes.push(Plane { normal, dist });
        }
    }
    let least = |k: usize| corners.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
    let most = |k: usize| {
        corners
            .iter()
            .map(|p| p[k])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let kind = if front_only {
        OccluderSides::FrontOnly
    } else {
        OccluderSides::Flat
    };
    let bounds = Span::between(std::array::from_fn(least), std::array::from_fn(most));
    Occluder::new(kind, planes, bounds, thick)
}
