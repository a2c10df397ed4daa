//! Levels of engines over the C interface: the same two places in each engine's coordinates have the same answers.

use std::ptr::null_mut;

use super::floats::opened::open;
use viewcell::capi::*;

/// An engine's bundle, a metre in its unit, and where the engine has what is along, across and up. `tests/solid/axes.rs` makes
/// the bundles.
type Engine = (&'static [u8], f64, fn([f64; 3]) -> [f64; 3]);
const ENGINES: [Engine; 4] = [
    (
        include_bytes!("../golden/axes/unity.vcb"),
        1.0,
        |[a, b, up]| [a, up, b],
    ),
    (include_bytes!("../golden/axes/unreal.vcb"), 100.0, |at| {
        at.map(|x| 100.0 * x)
    }),
    (
        include_bytes!("../golden/axes/godot.vcb"),
        1.0,
        |[a, b, up]| [a, up, -b],
    ),
    (include_bytes!("../golden/axes/blender.vcb"), 1.0, |at| at),
];
const CORNER: [f64; 3] = [1.5, 1.5, 0.1];
const SHORT: [f64; 3] = [1.5, 7.0, 0.1];
const LONG: [f64; 3] = [18.0, 1.5, 0.1];

/// Somebody who goes on along a way for a second, in an engine's coordinates.
fn mover(
    at: [f64; 3],
    way: [f64; 3],
    metre: f64,
    engine: fn([f64; 3]) -> [f64; 3],
) -> viewcell_mover {
    viewcell_mover {
        motion: viewcell_motion {
            position: engine(at).into(),
            velocity: engine(way),
            has_velocity: 1,
            reserved: 0,
        },
        limits: viewcell_motion_limits {
            speed: [20.0 * metre, 0.2 * metre],
            acceleration: [0.0; 2],
            impulse: [0.1 * metre, 0.0],
            error: [0.0; 2],
        },
        times: [0.0, 1.0],
    }
}

#[test]
fn an_engines_positions_boxes_and_velocities_are_asked_as_they_are() {
    for (bytes, metre, engine) in ENGINES {
        let bundle = open(bytes);
        let [corner, short, long] =
            [CORNER, SHORT, LONG].map(|at| viewcell_position::from(engine(at)));
        let still = [0.0; 3];
        let moving = |at, way| mover(at, way, metre, engine);
        // SAFETY: pointers are to what the header asks for, handles are open.
        unsafe {
            let mut world = viewcell_world::default();
            assert_eq!(viewcell_info(bundle, &raw mut world), VIEWCELL_OK);
            let near = |a: f64, b: f64| (a - b * metre).abs() < 1e-9 * metre;
            assert!(world.cell.iter().all(|side| near(*side, 1.0)), "{world:?}");
            let up = engine([0.0, 0.0, 1.0])
                .iter()
                .position(|x| *x != 0.0)
                .unwrap();
            let [low, high] = [<[f64; 3]>::from(world.hull.low), world.hull.high.into()];
            assert!(
                near(low[up], 0.0) && near(high[up], 1.8) && near(world.eye[0], 1.7),
                "{world:?}"
            );

            // A cell's box is upright, and has the place that it was found by.
            let mut cells = [0; 3];
            let all = [corner, short, long];
            assert_eq!(
                viewcell_locate_all(bundle, 3, all.as_ptr(), cells.as_mut_ptr()),
                VIEWCELL_OK
            );
            for (at, cell) in all.into_iter().zip(cells) {
                let mut found = 0;
                assert_eq!(
                    viewcell_locate(bundle, &raw const at, &raw mut found),
                    VIEWCELL_OK
                );
                assert_eq!(found, cell);
                let mut bounds = viewcell_box::default();
                assert_eq!(viewcell_bounds(bundle, cell, &raw mut bounds), VIEWCELL_OK);
                let [low, at, high] = [bounds.low, at, bounds.high].map(<[f64; 3]>::from);
                assert!(
                    (0..3).all(|k| low[k] <= at[k] && at[k] <= high[k] && low[k] < high[k]),
                    "{bounds:?}"
                );
            }
            let [c, s, l] = cells;
            let seen = [(c, s), (l, c), (s, l)].map(|(a, b)| viewcell_visible(bundle, a, b));
            assert_eq!(seen, [1, 1, 0]);

            // Lengths are the engine's: with 8 m one sees around the corner, with half a metre not.
            for (far, sees) in [(0.5, 0), (8.0, 1)] {
                let far = far * metre;
                assert_eq!(
                    viewcell_sees_within(bundle, &raw const short, &raw const long, far, far),
                    sees
                );
                assert_eq!(viewcell_visible_within(bundle, s, l, far, far), sees);
            }

            // So are velocities: who runs to the corner sees the other soon, who runs to the end of the arm does not.
            let other = moving(LONG, still);
            for (way, sees) in [([0.0, -6.0, 0.0], 1), ([0.0, 0.5, 0.0], 0)] {
                let runs = moving(SHORT, way);
                assert_eq!(
                    viewcell_sees_in_motion(bundle, &raw const runs, &raw const other),
                    sees
                );
            }

            // A door across the long arm, for a watch.
            let ends = [[10.0, -0.5, -0.5], [10.4, 3.5, 3.5]].map(engine);
            let door = viewcell_box::from([0, 1].map(|end| {
                [0, 1, 2].map(|k| {
                    if end == 0 {
                        ends[0][k].min(ends[1][k])
                    } else {
                        ends[0][k].max(ends[1][k])
                    }
                })
            }));
            let mut watch = null_mut();
            assert_eq!(
                viewcell_watch_new(bundle, 3, 2.0, &raw mut watch),
                VIEWCELL_OK
            );
            let slow = [CORNER, SHORT, LONG].map(|at| moving(at, still));
            for closed in [0, 1] {
                let none = std::ptr::null();
                assert_eq!(
                    viewcell_watch_occluders(watch, closed, &raw const door, 0, none),
                    VIEWCELL_OK
                );
                for (player, of) in (0..).zip(slow) {
                    let watched = viewcell_watched {
                        sees: of,
                        shown: of,
                        step: 0.0,
                        eye: [0.0; 2],
                        body: viewcell_box::default(),
                        has_eye: 0,
                        has_body: 0,
                    };
                    assert_eq!(
                        viewcell_watch_set(watch, player, &raw const watched),
                        VIEWCELL_OK
                    );
                }
                assert_eq!(viewcell_watch_begin(watch), VIEWCELL_OK);
                assert_eq!(viewcell_watch_look(watch, u32::MAX), 1);
                let sent = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| viewcell_watch_sends(watch, a, b));
                assert_eq!(sent, [1, 1 - closed as i32, 0]);
            }
            assert_eq!(viewcell_watch_close(watch), VIEWCELL_OK);
            assert_eq!(viewcell_close(bundle), VIEWCELL_OK);
        }
    }
}
