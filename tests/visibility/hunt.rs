//! The hunter: random lines of sight between random positions in cells that are said to be
//! hidden from each other, on all surfaces that an engine may draw, near the boundary by choice.
//! One that is not blocked is a false *hidden*.
//!
//! Each terrain is hunted as it is, and with all that may differ at once: eyes higher than heads, ground
//! below the surface, the earth's curvature.
//!
//! `VIEWCELL_HUNT` sets the number of lines of sight a terrain; `VIEWCELL_FULL=1` bakes whole files;
//! `VIEWCELL_TERRAIN` names files by a part of their names.

use super::coarse::coarse;
use super::{BODIES, Baked, Dice, SIDE, Viewsheds, levels, real};
use viewcell::query::{MappedBundle, Sample};
use viewcell_bake::VisibilityMode;
use viewcell_bake::visibility::{
    Bodies, Curvature, HeightField, Rays, ShaftField, Stance, Surface, is_blocked,
};
use viewcell_bake::{BakeOptions, Silent, Source, bake_terrain};
use viewcell_ingest::IngestOptions;
use viewcell_ingest::world::Terrain;

/// Whether whole files are baked.
fn full() -> bool {
    std::env::var_os("VIEWCELL_FULL").is_some()
}

/// How many lines of sight are asked for.
fn wanted() -> u64 {
    std::env::var("VIEWCELL_HUNT").map_or(60_000, |n| n.parse().expect("VIEWCELL_HUNT: a number"))
}

/// Eyes that are higher than heads.
const APART: Bodies = Bodies {
    eye: 1.8,
    head: 0.4,
};

/// The terrain on the round earth, with ground that is up to 4 m below a fifth of the surface: trees
/// of 5 x 5 samples.
fn wooded_and_round(terrain: &Terrain) -> Terrain {
    let (width, surface) = (terrain.width() as usize, terrain.heights());
    let mut dice = Dice(7);
    let trees: Vec<f64> = (0..surface.len())
        .map(|_| match dice.roll(5) {
            0 => 4.0 * dice.fraction(),
            _ => 0.0,
        })
        .collect();
    let tree = |at: usize| trees[at / width / 5 * width + at % width / 5];
    let ground = (0..surface.len()).map(|at| surface[at] - tree(at));
    let wooded = terrain.clone().with_ground(ground.collect()).unwrap();
    Curvature::earth(Curvature::REFRACTION)
        .lower(&wooded)
        .unwrap()
}

/// The terrain where nobody can be in a quarter of its patches of 7 x 7 samples.
fn masked(terrain: &Terrain) -> Terrain {
    let width = terrain.width() as usize;
    let mut dice = Dice(11);
    let open: Vec<bool> = (0..terrain.samples()).map(|_| dice.roll(4) > 0).collect();
    let walkable: Vec<bool> = (0..terrain.samples())
        .map(|at| open[at / width / 7 * width + at % width / 7])
        .collect();
    terrain.clone().with_walkable(&walkable).unwrap()
}

/// What a hunt has come to.
struct Hunt<'a> {
    name: &'a str,
    terrain: &'a Terrain,
    bodies: Bodies,
    /// Where somebody can be, row by row.
    somebody: Vec<bool>,
    dice: Dice,
    shot: u64,
}

impl<'a> Hunt<'a> {
    fn new(name: &'a str, terrain: &'a Terrain, bodies: Bodies) -> Self {
        Self {
            name,
            terrain,
            bodies,
            somebody: terrain.places().collect(),
            dice: Dice(wanted()),
            shot: 0,
        }
    }

    /// Shoots up to `lines` lines of sight from cells `from` to others that `sees` says are
    /// hidden.
    fn shoot(
        &mut self,
        lines: u64,
        mut from: impl FnMut(&mut Dice) -> (u32, u32),
        sees: impl Fn((u32, u32), (u32, u32)) -> bool,
    ) {
        let (width, height) = (self.terrain.width(), self.terrain.height());
        let dice = &mut self.dice;
        let end = self.shot + lines;
        for _ in 0..20 * lines {
            if self.shot == end {
                return;
            }
            let from = from(dice);
            let to = (dice.roll(width), dice.roll(height));
            let is_there =
                |(column, row): (u32, u32)| self.somebody[(row * width + column) as usize];
            if !is_there(from) || !is_there(to) || sees(from, to) {
                continue;
            }
            // Near the boundary: a neighbour is visible. One in eight may be anywhere.
            let neighbour = |dc: i64, dr: i64| {
                let at = |at: u32, by: i64, side: u32| {
                    (i64::from(at) + by).clamp(0, i64::from(side) - 1) as u32
                };
                sees(from, (at(to.0, dc, width), at(to.1, dr, height)))
            };
            let near = [(1, 0), (-1, 0), (0, 1), (0, -1)]
                .iter()
                .any(|&(dc, dr)| neighbour(dc, dr));
            if !near && dice.roll(8) > 0 {
                continue;
            }
            // Corners and edges of cells are where sight slips through. A pair that is worth a
            // line is worth several.
            for _ in 0..4 {
                let mut place = |sample: u32| {
                    let within = match dice.roll(4) {
                        0 => -0.5,
                        1 => 0.5,
                        _ => dice.fraction() - 0.5,
                    };
                    f64::from(sample) + within
                };
                let a = (place(from.0), place(from.1));
                let b = (place(to.0), place(to.1));
                let surface = Surface::ALL[dice.roll(3) as usize];
                if let Some(blocked) = is_blocked(self.terrain, self.bodies, surface, a, b) {
                    self.shot += 1;
                    assert!(
                        blocked,
                        "{}: {a:?} sees {b:?} on {surface:?}, but {to:?} is hidden from {from:?}",
                        self.name
                    );
                    if self.shot == end {
                        return;
                    }
                }
            }
        }
    }

    fn end(&self) {
        println!("{}: {} lines of sight, all blocked", self.name, self.shot);
    }
}

/// Asks the kernel, from blocks of viewpoints anywhere.
fn hunt(name: &str, terrain: &Terrain, bodies: Bodies) {
    let field = HeightField::new(terrain, bodies, Stance::Cell);
    let mut rays = Rays::new(terrain, &field, *levels().last().unwrap());
    let (width, height) = (terrain.width(), terrain.height());
    let mut hunt = Hunt::new(name, terrain, bodies);
    let each = (wanted() / 500).max(20_000);
    // Some blocks hide nothing.
    for _ in 0..4 * wanted().div_ceil(each) {
        if hunt.shot == wanted() {
            break;
        }
        let (column, row) = (hunt.dice.roll(width), hunt.dice.roll(height));
        let viewsheds = Viewsheds::new(&mut rays, width, column, row);
        let place = |dice: &mut Dice| {
            (
                (column - column % SIDE + dice.roll(SIDE)).min(width - 1),
                (row - row % SIDE + dice.roll(SIDE)).min(height - 1),
            )
        };
        let lines = each.min(wanted() - hunt.shot);
        hunt.shoot(lines, place, |from, to| viewsheds.sees(from, to));
    }
    assert_eq!(hunt.shot, wanted(), "{name} hides next to nothing");
    hunt.end();
}

/// Asks a bundle, from anywhere.
fn hunt_bundle(name: &str, terrain: &Terrain, curvature: Option<Curvature>) {
    let baked = Baked::new(terrain, VisibilityMode::Conservative, curvature);
    let lowered = curvature.map(|curvature| curvature.lower(terrain).unwrap());
    let terrain = lowered.as_ref().unwrap_or(terrain);
    let map = MappedBundle::open(baked.path()).unwrap();
    let bundle = map.terrain().unwrap();
    assert!(bundle.parameters().mutual);
    let mut hunt = Hunt::new(name, terrain, BODIES);
    let (width, height) = (terrain.width(), terrain.height());
    let sample = |(column, row)| Sample::new(column, row);
    hunt.shoot(
        wanted(),
        |dice| (dice.roll(width), dice.roll(height)),
        |from, to| bundle.visible(sample(from), sample(to)),
    );
    assert_eq!(hunt.shot, wanted(), "{name} hides next to nothing");
    hunt.end();
}

/// Asks the kernel of cells, in all detail and in none, from anywhere.
fn hunt_cells(name: &str, terrain: &Terrain, bodies: Bodies) {
    let (width, height) = (terrain.width(), terrain.height());
    for (finest, detail) in [(3, 0), (3, 3), (4, 1), (5, 0)] {
        if width.min(height) < 4 << finest {
            // Hardly any cell is hidden from another.
            continue;
        }
        let field = ShaftField::new(terrain, bodies, Stance::Cell, finest);
        let seen = coarse(&field.with_detail(detail), *levels().last().unwrap(), None);
        let across = width.div_ceil(1 << finest);
        let cells = (across * height.div_ceil(1 << finest)) as usize;
        let cell = |(c, r): (u32, u32)| ((r >> finest) * across + (c >> finest)) as usize;
        let mut hunt = Hunt::new(name, terrain, bodies);
        hunt.shoot(
            wanted(),
            |dice| (dice.roll(width), dice.roll(height)),
            |from, to| seen[cell(from) * cells + cell(to)],
        );
        assert!(hunt.shot > wanted() / 10, "{name} hides next to nothing");
        hunt.end();
    }
}

/// Asks graded bundles, whose cells grow with distance, from anywhere.
fn hunt_graded(name: &str, terrain: &Terrain, bodies: Bodies) {
    let folder = tempfile::tempdir().unwrap();
    for (finest, grade, detail) in [(0, 4, 0), (0, 16, 0), (1, 4, 1), (2, 7, 0)] {
        let path = folder.path().join("graded.vcb");
        let options = BakeOptions {
            eye_height: bodies.eye,
            player_height: bodies.head,
            mode: VisibilityMode::Conservative,
            finest,
            grade,
            detail,
            overwrite: true,
            ..BakeOptions::default()
        };
        let source = Source::of_terrain(terrain);
        bake_terrain(terrain, &source, &options, &path, &Silent).unwrap();
        let map = MappedBundle::open(&path).unwrap();
        let bundle = map.terrain().unwrap();
        let place = |(c, r): (u32, u32)| bundle.parameters().place(c, r).unwrap();
        let name = format!("{name}, finest {finest}, grade {grade}");
        let mut hunt = Hunt::new(&name, terrain, bodies);
        let (width, height) = (terrain.width(), terrain.height());
        hunt.shoot(
            wanted(),
            |dice| (dice.roll(width), dice.roll(height)),
            |from, to| bundle.visible(place(from), place(to)),
        );
        assert!(hunt.shot > wanted() / 10, "{name} hides next to nothing");
        hunt.end();
    }
}

#[test]
fn no_line_of_sight_slips_through_graded_bundles_of_made_up_ground() {
    let mut dice = Dice(9);
    let heights = (0..110 * 90).map(|i| {
        let (c, r) = (f64::from(i % 110), f64::from(i / 110));
        9.0 * (c / 9.0).sin() + 7.0 * (r / 6.0).cos() + dice.fraction()
    });
    let terrain = Terrain::new(110, 90, heights.collect(), [1.0, 1.5]).unwrap();
    hunt_graded("made up", &terrain, BODIES);
    hunt_graded("made up, wooded", &wooded_and_round(&terrain), APART);
    let masked = masked(&wooded_and_round(&terrain));
    hunt_graded("made up, wooded, masked", &masked, APART);
}

#[test]
fn no_line_of_sight_slips_through_graded_bundles_of_real_ground() {
    each_real(full(), |name, terrain| {
        hunt_graded(name, terrain, BODIES);
        let name = format!("{name}, wooded, round, masked");
        hunt_graded(&name, &masked(&wooded_and_round(terrain)), APART);
    });
}

#[test]
fn no_line_of_sight_slips_through_made_up_ground() {
    for kind in 0..4 {
        let mut dice = Dice(kind);
        let heights = (0..70 * 50)
            .map(|i| match kind {
                0 => 40.0 * dice.fraction(),
                1 => f64::from(dice.roll(3)) * 2.0,
                2 => 10.0 * (f64::from(i % 70) / 7.0).sin() + dice.fraction(),
                _ => {
                    if dice.roll(6) == 0 {
                        20.0
                    } else {
                        0.0
                    }
                }
            })
            .collect();
        let terrain = Terrain::new(70, 50, heights, [1.0, 1.0]).unwrap();
        hunt(&format!("made up {kind}"), &terrain, BODIES);
        let wooded = wooded_and_round(&terrain);
        hunt(&format!("made up {kind}, wooded"), &wooded, APART);
        hunt_bundle(&format!("made up {kind}, a bundle"), &terrain, None);
    }
}

#[test]
fn no_line_of_sight_slips_through_ground_of_the_round_earth() {
    let mut dice = Dice(5);
    let heights = (0..70 * 50).map(|_| 5.0 * dice.fraction()).collect();
    let terrain = Terrain::new(70, 50, heights, [400.0, 300.0]).unwrap();
    let curvature = Curvature::earth(Curvature::REFRACTION);
    hunt_bundle("made up, round", &terrain, Some(curvature));
}

/// Real ground: whole files, or windows of them.
fn each_real(whole: bool, hunt: impl Fn(&str, &Terrain)) {
    for (name, crop, scale) in [
        ("jacksboro_fault_dem.tif", [100, 100, 90, 70], 1.0),
        ("Gale_HRSC_DEM_50m_300x285.bin", [20, 30, 90, 70], 0.1),
        ("bilbao_dsm_500.tif", [200, 200, 90, 70], 1.0),
        ("noctis-3500-clip-envi.bin", [50, 50, 90, 70], 1.0),
        ("bigtujunga_30m.tif", [300, 300, 90, 70], 1.0),
    ] {
        let options = IngestOptions {
            crop: (!whole).then_some(crop),
            vertical_scale: scale,
            ..IngestOptions::default()
        };
        if std::env::var("VIEWCELL_TERRAIN").is_ok_and(|part| !name.contains(&part)) {
            continue;
        }
        if let Some(terrain) = real(name, &options) {
            hunt(name, &terrain);
        }
    }
}

#[test]
fn no_line_of_sight_slips_through_real_ground() {
    let whole = IngestOptions::default();
    if let Some(terrain) = real("goteborg_cdsm_1m.asc", &whole) {
        hunt("goteborg_cdsm_1m.asc", &terrain, BODIES);
    }
    each_real(true, |name, terrain| hunt(name, terrain, BODIES));
}

#[test]
fn no_line_of_sight_slips_through_real_ground_wooded_and_round() {
    each_real(full(), |name, terrain| {
        let name = format!("{name}, wooded and round");
        hunt(&name, &wooded_and_round(terrain), APART);
    });
}

#[test]
fn no_line_of_sight_slips_through_bundles_of_real_ground() {
    each_real(full(), |name, terrain| hunt_bundle(name, terrain, None));
}

#[test]
fn no_line_of_sight_slips_through_cells_of_real_ground() {
    each_real(full(), |name, terrain| hunt_cells(name, terrain, BODIES));
}

#[test]
fn no_line_of_sight_slips_through_cells_of_real_ground_wooded_and_round() {
    each_real(full(), |name, terrain| {
        let name = format!("{name}, wooded and round");
        hunt_cells(&name, &wooded_and_round(terrain), APART);
    });
}
