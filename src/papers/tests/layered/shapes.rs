//! Which cubes a stamp takes, against a look at every cube.

use viewcell::dice::Dice;
use viewcell_layered::{Effect, GroundError, Layered, Mesh, Rule, Shape, Stamp};

use crate::common::{any_stamp, cubes, hills, octahedron};

/// Points as near to a surface are on it.
const ON: f64 = 1e-9;

/// Whether a point lies in a shape, by its formula.
fn holds(shape: &Shape, [x, y, z]: [f64; 3]) -> bool {
    match shape {
        Shape::Ellipsoid { at, radii } => {
            let away = [x - at[0], y - at[1], z - at[2]];
            let radii = radii.map(|radius| radius + ON);
            (0..3).map(|i| (away[i] / radii[i]).powi(2)).sum::<f64>() <= 1.0
        }
        Shape::Cuboid { from, to } => {
            let point = [x, y, z];
            (0..3).all(|i| (from[i] - ON..to[i] - ON).contains(&point[i]))
        }
        Shape::Cylinder { at, radii, height } => {
            let away = [(x - at[0]) / (radii[0] + ON), (y - at[1]) / (radii[1] + ON)];
            away[0].powi(2) + away[1].powi(2) <= 1.0 && (z - at[2]).abs() <= height / 2.0 + ON
        }
        // The only mesh of these tests is an octahedron.
        Shape::Mesh(mesh) => {
            let corners = mesh.corners();
            let middle = [0, 1, 2].map(|i| (corners[4][i] + corners[5][i]) / 2.0);
            let radius = corners[0][0] - middle[0];
            [x, y, z]
                .iter()
                .zip(middle)
                .map(|(a, b)| (a - b).abs())
                .sum::<f64>()
                <= radius
        }
    }
}

#[test]
fn the_cubes_of_a_stamp_are_those_whose_middles_or_shares_are_in_it() {
    let size = [40, 36];
    let ground = hills(size, 2);
    let mut dice = Dice(8);
    let mut seen = 0;
    for _ in 0..100 {
        let stamp = any_stamp(&mut dice, size);
        let Some(taken) = cubes(&stamp, &ground) else {
            continue;
        };
        for z in -30..30 {
            for (x, y) in (0..36).flat_map(|y| (0..40).map(move |x| (x, y))) {
                let at = [x, y, z].map(f64::from);
                let found = taken.takes(x, y, z);
                seen += u32::from(found);
                let [from, to] = stamp.shape.bounds();
                if (0..3).any(|i| at[i] + 1.0 < from[i] || at[i] > to[i]) {
                    assert!(!found);
                    continue;
                }
                match stamp.rule {
                    Rule::Halfway => {
                        let inside = holds(&stamp.shape, at.map(|at| at + 0.5));
                        assert_eq!(found, inside, "{stamp:?} at ({x}, {y}, {z})");
                    }
                    Rule::Share(share) => {
                        // Many points along the same lines.
                        let points = (0..16).flat_map(|i| (0..50).map(move |k| (i, k)));
                        let inside = points.filter(|&(i, k)| {
                            let away = [
                                (f64::from(k) + 0.5) / 50.0,
                                (f64::from(i % 4) + 0.5) / 4.0,
                                (f64::from(i / 4) + 0.5) / 4.0,
                            ];
                            holds(&stamp.shape, [0, 1, 2].map(|axis| at[axis] + away[axis]))
                        });
                        let part = inside.count() as f64 / 800.0;
                        if (part - share).abs() > 0.021 {
                            assert_eq!(found, part > share, "{stamp:?} at ({x}, {y}, {z}): {part}");
                        }
                    }
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

#[test]
fn a_ball_on_a_cube_is_alike_on_all_sides() {
    let ground = hills([64, 64], 3);
    let ball = Stamp {
        shape: Shape::Ellipsoid {
            at: [30.5, 30.5, 0.5],
            radii: [25.0; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    let taken = ball.cubes(ground.frame()).unwrap();
    let whole = |n: i32| n * n;
    for i in 0..53i32.pow(3) {
        let (x, y, z) = (i % 53 - 26, i / 53 % 53 - 26, i / 53 / 53 - 26);
        let inside = whole(x) + whole(y) + whole(z) <= 625;
        assert_eq!(taken.takes(30 + x, 30 + y, z), inside, "({x}, {y}, {z})");
    }
    assert_eq!(
        taken.count(),
        65_267,
        "points of the lattice in a ball of radius 25"
    );
}

/// A mesh of a box.
fn box_mesh(from: [f64; 3], to: [f64; 3]) -> Mesh {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { from[k] } else { to[k] });
    // Four corners of each side, anticlockwise from outside.
    let sides = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = sides
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Mesh::new((0..8).map(corner).collect(), triangles.collect()).unwrap()
}

/// A sphere left out a cube whose centre lies exactly on its surface: 6² + 2.5² = 6.5², in cubes of half a metre up.
#[test]
fn centres_exactly_on_a_surface_are_in_what_is_closed_and_on_three_faces_of_what_is_half_open() {
    let ground = hills([64, 64], 3);
    let takes = |shape: Shape, [x, y, z]: [i32; 3]| {
        let (effect, rule) = (Effect::Dig, Rule::Halfway);
        let stamp = Stamp {
            shape,
            effect,
            rule,
        };
        let cubes = stamp.cubes(ground.frame()).unwrap();
        cubes.takes(x, y, z)
    };
    // In halves of the third axis, in thirds, and where numbers have no exact form.
    for scale in [
        [1.0, 1.0, 2.0],
        [1.0, 1.0, 1.0],
        [3.0, 3.0, 0.5],
        [0.1 / 0.3, 1.0, 0.7 / 0.1],
    ] {
        // Lengths in metres to cubes, as a file of another spacing has them.
        let cubes = |metres: [f64; 3]| [0, 1, 2].map(|i| metres[i] * scale[i]);
        let at = [30.5, 30.5, 0.5];
        for (away, radius) in [
            ([6.0, 0.0, 2.5], 6.5),
            ([2.0, 3.0, 6.0], 7.0),
            ([0.0, 5.0, 12.0], 13.0),
            ([0.0, 0.0, 1.0], 1.0),
        ] {
            for signs in 0..8 {
                let sign = |i: usize| if signs >> i & 1 == 0 { 1.0 } else { -1.0 };
                let offset = cubes([0, 1, 2].map(|i| sign(i) * away[i]));
                // The shape is moved such that the centre of cube (30, 30, 0) lies on its surface.
                let at: [f64; 3] = [0, 1, 2].map(|i| at[i] - offset[i]);
                let radii = cubes([radius; 3]);
                let ball = Shape::Ellipsoid { at, radii };
                assert!(takes(ball, [30, 30, 0]), "{away:?} {signs} {scale:?}");
                let smaller = Shape::Ellipsoid {
                    at,
                    radii: radii.map(|r| r * (1.0 - 1e-7)),
                };
                assert!(!takes(smaller, [30, 30, 0]), "{away:?} {signs} {scale:?}");
                let across = f64::hypot(away[0], away[1]);
                let tube = Shape::Cylinder {
                    at,
                    radii: [across.max(0.5) * scale[0], across.max(0.5) * scale[1]],
                    height: 2.0 * offset[2].abs().max(0.5),
                };
                assert!(takes(tube, [30, 30, 0]), "{away:?} {signs} {scale:?}");
            }
        }
    }
    let (from, to) = ([10.5, 10.5, -4.5], [14.5, 13.5, 0.5]);
    let shapes = || [Shape::Cuboid { from, to }, Shape::Mesh(box_mesh(from, to))];
    for cuboid in shapes() {
        for (cube, is_in) in [
            ([10, 10, -5], true),
            ([13, 12, -1], true),
            ([9, 11, -3], false),
            ([14, 11, -3], false),
            ([11, 13, -3], false),
            ([11, 11, 0], false),
            ([10, 12, -1], true),
        ] {
            assert_eq!(takes(cuboid.clone(), cube), is_in, "{cube:?} {cuboid:?}");
        }
    }
    // 0.7 / 0.1 is a little less than 7: rounding decides nothing.
    let [low, high] = [[0.7 / 0.1 + 3.5, 10.5, 0.5], [2.1 / 0.3 + 5.5, 13.5, 3.5]];
    let (from, to) = (low, high);
    let cuboid = Shape::Cuboid { from, to };
    assert!(takes(cuboid.clone(), [10, 11, 1]) && !takes(cuboid, [12, 11, 1]));
}

#[test]
fn a_stamp_that_is_none_is_refused() {
    let ground = hills([40, 40], 4);
    let ball = |at: [f64; 3], radius: f64| Stamp {
        shape: Shape::Ellipsoid {
            at,
            radii: [radius; 3],
        },
        effect: Effect::Dig,
        rule: Rule::Halfway,
    };
    let found = |stamp: Stamp| stamp.cubes(ground.frame());
    for outside in [
        [-9.0, 5.0, 0.0],
        [50.0, 5.0, 0.0],
        [5.0, 46.0, 0.0],
        [5.0, 5.0, 1e9],
    ] {
        assert_eq!(
            found(ball(outside, 5.0)),
            Err(GroundError::Outside),
            "{outside:?}"
        );
    }
    for radius in [0.0, -2.0, f64::NAN, f64::INFINITY] {
        let refused = found(ball([20.0, 20.0, 0.0], radius));
        assert!(
            matches!(refused, Err(GroundError::Bad { .. })),
            "{radius}: {refused:?}"
        );
    }
    assert!(matches!(
        found(ball([f64::NAN, 20.0, 0.0], 3.0)),
        Err(GroundError::Bad { .. })
    ));
    let flat = octahedron().moved(|c| [c[0] + 20.0, c[1] + 20.0, 0.0]);
    let mut flat = Stamp {
        shape: Shape::Mesh(flat),
        ..ball([0.0; 3], 1.0)
    };
    assert!(matches!(found(flat.clone()), Err(GroundError::Bad { .. })));
    flat.shape = ball([20.0, 20.0, 0.0], 3.0).shape;
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        flat.rule = Rule::Share(share);
        assert!(
            matches!(found(flat.clone()), Err(GroundError::Bad { .. })),
            "{share}"
        );
    }
    // Too high, and too many cubes in all: said before any is looked at.
    let wide = hills([100, 100], 4);
    for (ground, radius, word) in [
        (&ground, 1e6, "65536 cubes up"),
        (&wide, 32_000.0, "500000000 cubes"),
    ] {
        let refused = ball([20.0, 20.0, 0.0], radius).cubes(ground.frame());
        assert!(
            matches!(refused, Err(GroundError::Bad { .. })),
            "{refused:?}"
        );
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(found(ball([20.0, 20.0, 0.0], 0.2)).is_ok_and(|taken| taken.count() == 0));
}
