//! The kernel against its slow twin and against the definition.

use super::boxes::ViewBox;
use super::cover::{Flat, covers};
use super::field::flat;
use super::*;
use crate::visibility::{BlockSight, Simd};
use viewcell::convex::reference::meets;
use viewcell::convex::{Occluder, Scale, Shadow, ShadowScratch, Span};
use viewcell::convex::{Plane, Point, dot};
use viewcell::dice::Dice;
use viewcell_ingest::world::solid::{
    Aabb, Face, PlaceBox, PlaceCells, Player, Solid, SolidLevel, Units,
};

const SCALE: f64 = 100.0;

fn point(dice: &mut Dice, reach: f64) -> Point {
    std::array::from_fn(|_| reach * (2.0 * dice.fraction() - 1.0))
}

fn span(dice: &mut Dice, centre: Point, most: f64) -> Span {
    let half: Point = std::array::from_fn(|_| most * dice.fraction());
    Span { centre, half }
}

fn direction(dice: &mut Dice) -> Point {
    loop {
        let at = point(dice, 1.0);
        let length = dot(at, at).sqrt();
        if length > 0.1 {
            return at.map(|x| x / length);
        }
    }
}

/// A box, or what is left of one behind a few more planes.
fn solid(dice: &mut Dice, centre: Point, size: f64) -> Option<Solid> {
    let half = size * (0.1 + dice.fraction());
    let half: Point = std::array::from_fn(|_| half * (0.05 + dice.fraction()));
    let bounds = Aabb {
        min: std::array::from_fn(|k| centre[k] - half[k]),
        max: std::array::from_fn(|k| centre[k] + half[k]),
    };
    let mut planes = Solid::from_box(&bounds).ok()?.planes;
    for _ in 0..dice.roll(5) {
        let normal = direction(dice);
        let dist = dot(normal, centre) + 0.5 * dice.fraction() * half[0];
        planes.push(Plane { normal, dist });
    }
    Solid::from_planes(planes).ok()
}

#[test]
fn what_hides_a_pair_meets_all_segments_between_corners_and_the_other_way_round() {
    let (scale, mut room, mut dice) = (Scale::new(SCALE), ShadowScratch::new(), Dice(1));
    let (mut hidden, mut partly, mut missed) = (0, 0, 0);
    for round in 0..60_000 {
        let at = point(&mut dice, 5.0);
        let Some(solid) = solid(&mut dice, at, 20.0) else {
            continue;
        };
        let bounds = Span::between(solid.bounds.min, solid.bounds.max);
        let occluder = if round % 2 == 0 {
            Occluder::solid(solid.planes.iter().copied(), bounds, scale.margin)
        } else {
            let side = dice.roll(solid.planes.len() as u32) as usize;
            let corners = solid.face(side);
            let thick = [0.0, 1e-3][round / 2 % 2];
            let off = [thick, scale.margin];
            flat(solid.planes[side], &corners, round % 3 == 0, off)
        };
        let (from, way) = (point(&mut dice, 3.0), direction(&mut dice));
        let [a, b] = [-1.0, 1.0].map(|side| {
            let off = side * 40.0 * dice.fraction();
            let centre = std::array::from_fn(|k| at[k] + from[k] + off * way[k]);
            span(&mut dice, centre, 6.0)
        });
        let shadow = occluder.shadow(&a, &b, scale, f64::INFINITY, &mut room);
        let slow = reference::hides(&occluder, &a, &b);
        let middle = meets(&occluder, a.centre, b.centre);
        match shadow {
            Shadow::Whole => hidden += 1,
            Shadow::Part(_) => partly += 1,
            Shadow::None | Shadow::Beside => {}
        }
        if shadow == Shadow::Whole {
            assert!(slow, "round {round}: {occluder:?} {a:?} {b:?}");
        } else if slow {
            // A touch, or boxes that reach the plane of the polygon.
            missed += 1;
        }
        if matches!(shadow, Shadow::Part(_)) {
            assert!(middle, "round {round}: {occluder:?} {a:?} {b:?}");
        }
        if shadow == Shadow::Beside {
            let [p, q] = [&a, &b].map(|span| {
                let within = point(&mut dice, 1.0);
                std::array::from_fn(|k| span.centre[k] + within[k] * span.half[k])
            });
            assert!(!meets(&occluder, p, q), "round {round}");
        }
    }
    assert!(hidden > 1_000 && partly > 1_000, "{hidden} {partly}");
    assert!(missed < hidden / 100, "{missed} of {hidden}");
}

/// A level of solids and faces between cells of a grid, some of them larger.
fn level(seed: u64) -> (SolidLevel, PlaceCells, Player) {
    let mut dice = Dice(seed);
    let mut level = SolidLevel::new("test", Units::Metres, Player::PERSON);
    while level.solids.len() < 12 {
        let at = point(&mut dice, 8.0);
        level.solids.extend(solid(&mut dice, at, 5.0));
    }
    for _ in 0..2 {
        // A wall of bricks.
        let (at, turned) = (point(&mut dice, 6.0), dice.roll(2) as usize);
        for brick in 0..8 {
            let mut min = at;
            min[turned] += f64::from(brick % 4) * 1.5 - 3.0;
            min[2] += f64::from(brick / 4) * 3.0 - 3.0;
            let mut max = [min[0] + 0.4, min[1] + 0.4, min[2] + 3.0];
            max[turned] = min[turned] + 1.5;
            level
                .solids
                .push(Solid::from_box(&Aabb { min, max }).unwrap());
        }
    }
    for _ in 0..6 {
        let at = point(&mut dice, 8.0);
        let corners: Vec<Point> = (0..3)
            .map(|_| {
                let off = point(&mut dice, 4.0);
                std::array::from_fn(|k| at[k] + off[k])
            })
            .collect();
        let two_sided = dice.roll(2) == 0;
        level
            .faces
            .extend(Face::from_polygon(&corners, two_sided).unwrap_or_default());
    }
    let mut boxes = Vec::new();
    for at in 0..8 * 8 * 4 {
        let (x, y, z) = (at % 8 * 2, at / 8 % 8 * 2, at / 64 * 2);
        match dice.roll(4) {
            0 => {}
            1 => boxes.push(PlaceBox {
                min: [x, y, z],
                level: 1,
            }),
            _ => boxes.push(PlaceBox {
                min: [x + dice.roll(2), y + dice.roll(2), z],
                level: 0,
            }),
        }
    }
    let places = PlaceCells::new([1.0, 1.0, 1.0], [-8.0, -8.0, -4.0], boxes);
    (level, places, Player::PERSON)
}

fn grid(cells: usize) -> Grid {
    let side = (1_u32..)
        .map(|k| 1 << k)
        .find(|side| (side * side) as usize >= cells);
    Grid::new(side.unwrap(), side.unwrap()).unwrap()
}

/// By viewer and target.
fn seen(kernel: &mut Solids<'_>) -> Vec<Vec<bool>> {
    let (grid, count) = (kernel.grid(), kernel.field.cells.len());
    let mut sights = Sights::new(grid);
    let mut seen = vec![vec![false; count]; count];
    let columns = grid.block_shape().0;
    for first in (0..count as u64).step_by(LOOK as usize) {
        let (column, row) = morton::place(first / u64::from(LOOK));
        kernel.look(Quad::new(LOOK_LEVEL, column, row), &mut sights);
        for a in first..(first + u64::from(LOOK)).min(count as u64) {
            let child = (a - first) / u64::from(BLOCK);
            let (x, y) = morton::place(a % u64::from(BLOCK));
            for b in 0..count as u64 {
                let (c, r) = morton::place(b);
                let block = (r / 8 * columns + c / 8) as usize;
                seen[a as usize][b as usize] = match sights.sight(child as usize, block) {
                    BlockSight::Void => panic!("there are cells"),
                    BlockSight::Hidden => false,
                    BlockSight::Visible => true,
                    BlockSight::Mixed(rows) => {
                        rows[(y * 8 + x) as usize] >> (r % 8 * 8 + c % 8) & 1 == 1
                    }
                };
            }
        }
    }
    seen
}

#[test]
fn nothing_in_sight_is_hidden() {
    let mut dice = Dice(9);
    for seed in 0..8 {
        let (level, places, player) = level(seed);
        // Of the last ones, boxes of cells answer as wholes.
        let grade = [0, 0, 0, 0, 1, 2, 4, 8][seed as usize];
        let field = SolidField::new(&level, &places, &player, grid(places.len())).graded(grade);
        let mut kernel = Solids::new(&field, Level::new());
        let seen = seen(&mut kernel);
        let (mut hidden, mut all) = (0, 0);
        for (a, row) in seen.iter().enumerate() {
            assert!(row[a]);
            for (b, &sees) in row.iter().enumerate() {
                all += 1;
                if sees {
                    continue;
                }
                hidden += 1;
                let [eye, body] = [&field.cells[a].eye, &field.cells[b].body].map(|span| {
                    let mut within = point(&mut dice, 1.0);
                    if dice.roll(2) == 0 {
                        within = within.map(f64::signum);
                    }
                    std::array::from_fn(|k| span.centre[k] + within[k] * span.half[k])
                });
                assert!(
                    level.blocks(eye, body),
                    "{seed}: {a} {b}, {eye:?} to {body:?}"
                );
            }
        }
        assert!(hidden > 1_000 && hidden < all, "{hidden} of {all}");
    }
}

#[test]
fn grades_show_more_and_less_the_higher_they_are() {
    let (level, places, player) = level(5);
    let shown = [1, 2, 4, 0].map(|grade| {
        let field = SolidField::new(&level, &places, &player, grid(places.len())).graded(grade);
        let seen = seen(&mut Solids::new(&field, Level::new()));
        seen.iter().flatten().filter(|&&sees| sees).count()
    });
    assert!(shown.windows(2).all(|two| two[0] > two[1]), "{shown:?}");
    assert!(shown[2] < shown[3] + shown[3] / 50, "{shown:?}");
}

#[test]
fn pairs_by_themselves_are_hidden_where_cells_are_and_depth_only_adds() {
    let (level, places, player) = level(5);
    let field = SolidField::new(&level, &places, &player, grid(places.len()));
    let mut kernel = Solids::new(&field, Level::new());
    let together = seen(&mut kernel);
    let mut hidden = [0; 3];
    for (a, together) in together.iter().enumerate() {
        for (b, &together) in together.iter().enumerate() {
            let found = [2, 8, 12].map(|depth| kernel.sees(a as u32, b as u32, depth));
            for (hidden, found) in hidden.iter_mut().zip(found) {
                *hidden += u32::from(found == Found::Hidden);
            }
            if found[1] == Found::Clear {
                assert!(together, "{a} {b}");
            }
        }
    }
    assert!(
        hidden[0] < hidden[1] && hidden[1] <= hidden[2],
        "{hidden:?}"
    );
}

#[test]
fn answers_depend_neither_on_the_processor_nor_on_what_was_asked_before() {
    let (level, places, player) = level(6);
    let field = SolidField::new(&level, &places, &player, grid(places.len())).graded(2);
    let levels = [Simd::Auto, Simd::Avx2, Simd::Baseline];
    let mut found: Vec<_> = levels
        .into_iter()
        .filter_map(Simd::level)
        .map(|level| seen(&mut Solids::new(&field, level)))
        .collect();
    let mut kernel = Solids::new(&field, Level::new());
    found.push(seen(&mut kernel));
    found.push(seen(&mut kernel));
    assert!(found.windows(2).all(|two| two[0] == two[1]));
    // Nor does the work that qualities are chosen by.
    let levels = levels.into_iter().filter_map(Simd::level);
    let work: Vec<u64> = levels
        .map(|level| {
            let looked = Looked::default();
            seen(&mut Solids::new(&field, level).sampling(1, &looked));
            looked.work()
        })
        .collect();
    assert!(
        work[0] > 1_000 && work.iter().all(|other| *other == work[0]),
        "{work:?}"
    );
}

#[test]
fn parts_of_a_sample_are_disjoint_and_see_together_what_a_look_sees() {
    let (level, places, player) = level(6);
    let field = SolidField::new(&level, &places, &player, grid(places.len()));
    assert!(field.cells.len() <= LOOK as usize, "one look is all");
    let all = seen(&mut Solids::new(&field, Level::new()));
    let looked = Looked::default();
    let mut kernel = Solids::new(&field, Level::new()).sampling(3, &looked);
    let parts: Vec<_> = (0..3).map(|_| seen(&mut kernel)).collect();
    let mut more = 0;
    for (a, row) in all.iter().enumerate() {
        for (b, &is_seen) in row.iter().enumerate().filter(|(b, _)| *b != a) {
            let times = parts.iter().filter(|part| part[a][b]).count();
            // What hides a pair of larger boxes hides all in them, which may not be found of the smaller ones.
            assert!(times <= 1 && times >= usize::from(is_seen), "{a}, {b}");
            more += times - usize::from(is_seen);
        }
    }
    assert!(more * 50 < all.len() * all.len(), "{more}");
    // They cover all pairs, and count those that see but for each and itself.
    let count = all.len() as f64;
    assert_eq!(looked.pairs(), count * count);
    let visible = parts.iter().flatten().flatten().filter(|seen| **seen);
    assert!(looked.visible() <= visible.count() as f64 && looked.visible() > count);
    // Each of them sees something.
    let own = all.len();
    let seen_by = |part: &Vec<Vec<bool>>| part.iter().flatten().filter(|seen| **seen).count();
    assert!(parts.iter().all(|part| seen_by(part) > own));
}

#[test]
fn a_wall_of_bricks_hides_as_one() {
    let mut level = SolidLevel::new("test", Units::Metres, Player::PERSON);
    for brick in 0..100 {
        let (y, z) = (f64::from(brick % 10), f64::from(brick / 10));
        let min = [0.0, y - 5.0, z - 5.0];
        let max = [0.25, y - 4.0, z - 4.0];
        level
            .solids
            .push(Solid::from_box(&Aabb { min, max }).unwrap());
    }
    let boxes = [[0, 8, 8], [12, 8, 8]].map(|min| PlaceBox { min, level: 0 });
    let places = PlaceCells::new([1.0; 3], [-6.0, -8.5, -8.5], boxes.to_vec());
    let field = SolidField::new(&level, &places, &Player::PERSON, grid(2));
    let mut kernel = Solids::new(&field, Level::new());
    assert_eq!(kernel.sees(0, 1, 0), Found::Hidden);
    assert_eq!(kernel.sees(1, 0, 0), Found::Hidden);
    let field = field.without_covers(&level);
    let mut kernel = Solids::new(&field, Level::new());
    assert_ne!(kernel.sees(0, 1, 4), Found::Hidden);
}

/// A wall of a hundred faces of a fifth of a metre is one occluder; alone each would be left out, as this one beside it is.
#[test]
fn what_is_left_out_is_small_when_it_is_joined() {
    let mut level = SolidLevel::new("test", Units::Metres, Player::PERSON);
    let mut add = |[y, z]: [f64; 2]| {
        let corners = [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.0, 0.2]];
        let corners = corners.map(|[u, v]| [0.0, y + u, z + v]);
        let faces = Face::from_polygon(&corners, true).unwrap();
        level.faces.extend(faces);
    };
    (0..100).for_each(|at| add([0.2 * f64::from(at % 10), 0.2 * f64::from(at / 10)]));
    add([5.0, 0.0]);
    let boxes = [0, 12].map(|x| PlaceBox {
        min: [x, 8, 8],
        level: 0,
    });
    let places = PlaceCells::new([1.0; 3], [-6.0; 3], boxes.to_vec());
    let field = SolidField::new(&level, &places, &Player::PERSON, grid(2));
    assert_eq!((field.left_out(), field.occluders.len()), (1, 1));
}

fn is_in(polygon: &[Flat], p: Flat, off: f64) -> bool {
    (0..polygon.len()).all(|i| {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        x * (p[1] - a[1]) - y * (p[0] - a[0]) >= -off * x.hypot(y)
    })
}

#[test]
fn faces_of_many_corners_are_covers_of_their_own() {
    let round = |middle: f64, corners: u32| -> Vec<Flat> {
        let corner = |i| {
            let (y, x) = (std::f64::consts::TAU * f64::from(i) / f64::from(corners)).sin_cos();
            [middle + x, y]
        };
        (0..corners).map(corner).collect()
    };
    // 4,800 corners of small ones: two runs.
    let mut faces = vec![round(0.0, 20_000), round(0.5, 129)];
    faces.extend((0..40).map(|i| round(f64::from(i), 120)));
    let started = std::time::Instant::now();
    let found = covers(&faces, 1e-6);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    for face in &faces[..2] {
        assert!(
            found
                .iter()
                .any(|cover| &cover.polygon == face && cover.gain == 1.0)
        );
    }
    let holds = |polygon: &[Flat], [x, y]: Flat| {
        (0..polygon.len()).all(|i| {
            let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= -1e-5
        })
    };
    for face in &faces[2..] {
        let whole = |polygon: &[Flat]| face.iter().all(|&corner| holds(polygon, corner));
        assert!(found.iter().any(|cover| whole(&cover.polygon)));
    }
}

#[test]
fn covers_lie_in_the_union_and_hold_each_face() {
    let (mut dice, slack) = (Dice(3), 1e-6);
    let mut gained = 0;
    for round in 0..300 {
        let mut faces: Vec<Vec<Flat>> = Vec::new();
        for _ in 0..2 + dice.roll(12) {
            let mut number = || f64::from(dice.roll(12));
            let (x, y, w, h) = (number(), number(), number() + 1.0, number() + 1.0);
            let mut face = vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
            if round % 3 == 0 {
                face.remove(dice.roll(4) as usize);
            }
            faces.push(face);
        }
        let found = covers(&faces, slack);
        for face in &faces {
            let holds = |cover: &super::cover::Cover| {
                face.iter().all(|&p| is_in(&cover.polygon, p, 4.0 * slack))
            };
            assert!(found.iter().any(holds), "round {round}: {faces:?}");
        }
        for cover in &found {
            gained += u32::from(cover.gain > 1.5);
            for _ in 0..100 {
                let p = [0, 1].map(|_| 25.0 * dice.fraction());
                let covered = faces.iter().any(|face| is_in(face, p, 0.0));
                let near = faces.iter().any(|face| is_in(face, p, 4.0 * slack));
                if is_in(&cover.polygon, p, -4.0 * slack) {
                    assert!(near, "round {round}: {p:?} of {faces:?}");
                } else if covered {
                    continue;
                }
            }
        }
    }
    assert!(gained > 300, "{gained}");
}

#[test]
fn a_wall_with_a_door_is_three_polygons() {
    let wall =
        |x: f64, y: f64, w: f64, h: f64| vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    let mut faces = vec![wall(2.0, 3.0, 1.0, 1.0)];
    for x in 0..5 {
        if x != 2 {
            faces.push(wall(f64::from(x), 0.0, 1.0, 4.0));
        }
    }
    let mut areas: Vec<f64> = covers(&faces, 1e-6)
        .iter()
        .map(|cover| {
            let [x, y] = [0, 1].map(|k| {
                let along = cover.polygon.iter().map(|p| p[k]);
                along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
            });
            (x * y).round()
        })
        .collect();
    areas.sort_by(f64::total_cmp);
    assert_eq!(areas, [5.0, 8.0, 8.0]);
}

#[test]
fn trees_hold_each_cell_once() {
    let mut dice = Dice(4);
    let cells: Vec<ViewBox> = (0..77)
        .map(|_| {
            let at = point(&mut dice, 50.0);
            let eye = span(&mut dice, at, 1.0);
            ViewBox { eye, body: eye }
        })
        .collect();
    let nodes = tree(&cells, 3, 77);
    assert_eq!(nodes.len(), 2 * 74 - 1);
    let mut next = 3;
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        let node: &CellRun = &nodes[at as usize];
        if node.is_cell() {
            assert_eq!(node.first, next);
            next = node.end;
            continue;
        }
        let [first, last] = node.halves.map(|half| &nodes[half as usize]);
        assert_eq!(
            (node.first, node.end, first.end),
            (first.first, last.end, last.first)
        );
        let off = |k: usize| first.eye.around(&last.eye).min()[k] - node.eye.min()[k];
        assert!((0..3).all(|k| off(k).abs() < 1e-9));
        waiting.extend([node.halves[1], node.halves[0]]);
    }
    assert_eq!(next, 77);
}
