//! Which cubes a stamp takes, against a look at every cube.

use viewcell::dice::Dice;
use viewcell_ground::{Effect, GroundError, Layered, Rule, Shape, Stamp};

use crate::common::{any_stamp, cubes, hills, octahedron};

/// Whether a point lies in a shape, by its formula.
fn holds(shape: &Shape, [x, y, z]: [f64; 3]) -> bool {
    match shape {
        Shape::Ellipsoid { at, radii } => {
            let away = [x - at[0], y - at[1], z - at[2]];
            (0..3).map(|i| (away[i] / radii[i]).powi(2)).sum::<f64>() <= 1.0
        }
        Shape::Cuboid { from, to } => {
            let point = [x, y, z];
            (0..3).all(|i| (from[i]..to[i]).contains(&point[i]))
        }
        Shape::Cylinder { at, radii, height } => {
            let away = [(x - at[0]) / radii[0], (y - at[1]) / radii[1]];
            away[0].powi(2) + away[1].powi(2) <= 1.0 && (z - at[2]).abs() <= height / 2.0
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
