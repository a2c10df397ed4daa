//! Who may come to see whom, by how players move, against each pair of cells.

use proptest::prelude::*;
use viewcell::query::{
    Bundle, Extent, Motion, MotionLimits, Mover, Predictor, ReachableSet, SolidBundle, World,
};

const ROOMS: &[u8] = include_bytes!("../golden/v1/solid.vcb");

/// Whether any cell that meets a region sees any that meets the other, either way: the slow way.
fn truly(level: &SolidBundle<'_>, regions: &[Extent; 2]) -> bool {
    let cells = |region: &Extent| -> Vec<u32> {
        let meets = |cell: &u32| region.meets(level.bounds(*cell).unwrap());
        (0..level.cells()).filter(meets).collect()
    };
    let [a, b] = regions.each_ref().map(cells);
    let sees = |a: &[u32], b: &[u32]| a.iter().any(|&a| b.iter().any(|&b| level.visible(a, b)));
    a.is_empty() || b.is_empty() || sees(&a, &b) || sees(&b, &a)
}

/// The cells of a region to which a way leads in another from a box, from cell to cell that touch in it; all of the
/// region if there is none: the slow way.
pub(super) fn reached(
    level: &SolidBundle<'_>,
    now: [[f64; 3]; 2],
    [path, region]: [&Extent; 2],
) -> Vec<u32> {
    let of = |region: &Extent| -> Vec<u32> {
        let meets = |cell: &u32| region.meets(level.bounds(*cell).unwrap());
        (0..level.cells()).filter(meets).collect()
    };
    let touch = |a: [[f64; 3]; 2], b: [[f64; 3]; 2], c: [[f64; 3]; 2]| {
        (0..3).all(|k| {
            let low = a[0][k].max(b[0][k]).max(c[0][k]);
            low <= a[1][k].min(b[1][k]).min(c[1][k])
        })
    };
    let all = of(path);
    let bounds = |cell: u32| level.bounds(cell).unwrap();
    let corners = path.corners();
    let mut found: Vec<u32> = Vec::new();
    loop {
        let is_next = |&cell: &u32| {
            touch(bounds(cell), now, corners)
                || found
                    .iter()
                    .any(|&from| touch(bounds(cell), bounds(from), corners))
        };
        let more: Vec<u32> = all.iter().copied().filter(is_next).collect();
        if more.len() == found.len() {
            break;
        }
        found = more;
    }
    let meets = |cell: &u32| region.meets(bounds(*cell));
    let in_region: Vec<u32> = found.into_iter().filter(meets).collect();
    if in_region.is_empty() {
        of(region)
    } else {
        in_region
    }
}

fn motion() -> impl Strategy<Value = Motion> {
    let position = [10.0..520.0_f64, 10.0..250.0, 20.0..110.0];
    let velocity = prop::option::of([-400.0..400.0_f64, -400.0..400.0, -300.0..300.0]);
    (position, velocity).prop_map(|(position, velocity)| Motion { position, velocity })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn players_in_motion_may_see_each_other_if_any_cells_of_their_regions_do(
        players in [motion(), motion()],
        times in [0.0..0.2_f64, 0.0..0.2],
        reach in 0.0..60.0_f64,
    ) {
        let level = Bundle::from_bytes(ROOMS).unwrap().solid().unwrap();
        let limits = MotionLimits {
            speed: [320.0, 600.0],
            acceleration: [1000.0, 800.0],
            impulse: [270.0; 2],
            error: [0.1; 2],
        };
        let times = [times[0], times[0] + times[1]];
        let regions = players.map(|player| player.region(&limits, times));
        let expected = truly(&level, &regions);
        prop_assert_eq!(level.visible_regions(&regions[0], &regions[1]), expected);
        // Sets leave out what lies behind walls.
        let reached = |player: &Motion, times: [f64; 2]| {
            let from = |from, until| player.region(&limits, [from, until]);
            let now = from(0.0, 0.0).corners();
            reached(&level, now, [&from(0.0, times[1]), &from(times[0], times[1])])
        };
        let sees = |a: &[u32], b: &[u32]| {
            let mut pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
            a.is_empty() || b.is_empty() || pairs.any(|(a, b)| level.visible(a, b))
        };
        let [a, b] = players.each_ref().map(|player| reached(player, times));
        let told = sees(&a, &b) || sees(&b, &a);
        prop_assert!(expected || !told);
        let mut ahead = Predictor::new(World::Solid(level), limits, 2);
        for (i, player) in players.into_iter().enumerate() {
            ahead.moved(i, 7.0, player);
        }
        let lost = players.iter().any(|player| level.locate(player.position).is_none());
        for _ in 0..2 {
            prop_assert_eq!(ahead.may_see(0, 1, times.map(|time| 7.0 + time)), told || lost);
        }
        let movers = [0, 1].map(|i| Mover { motion: players[i], limits, times: [[0.0, times[0]], times][i] });
        let sets = movers.each_ref().map(|mover| {
            let mut set = ReachableSet::new(World::Solid(level));
            set.set(mover);
            set
        });
        let one_way = World::Solid(level).sees_in_motion(&movers[0], &movers[1]);
        let [a, b] = movers.each_ref().map(|mover| reached(&mover.motion, mover.times));
        prop_assert_eq!(sets[0].sees(&sets[1]), sees(&a, &b) || lost);
        prop_assert!(one_way || !sets[0].sees(&sets[1]));
        let [a, b] = players.map(|player| player.position);
        let within = level.sees_within(a, b, [reach; 2]) || level.sees_within(b, a, [reach; 2]);
        let balls = [a, b].map(|at| Extent::ball(at, reach));
        prop_assert_eq!(within, truly(&level, &balls) || lost);
    }
}

#[test]
fn a_wall_hides_those_who_cannot_come_to_the_door_in_time() {
    let level = Bundle::from_bytes(ROOMS).unwrap().solid().unwrap();
    let limits = MotionLimits {
        acceleration: [500.0; 2],
        impulse: [100.0; 2],
        ..MotionLimits::speed(320.0)
    };
    let mut ahead = Predictor::new(World::Solid(level), limits, 2);
    let still = |position| Motion {
        position,
        velocity: Some([0.0; 3]),
    };
    ahead.moved(0, 0.0, still([48.0, 48.0, 32.0]));
    ahead.moved(1, 0.0, still([480.0, 48.0, 32.0]));
    assert!(!ahead.may_see(0, 1, [0.0, 0.1]));
    assert!(ahead.may_see(0, 1, [0.0, 60.0]));
    // Nobody was expected above the roof.
    ahead.moved(1, 0.0, still([480.0, 48.0, 900.0]));
    assert!(ahead.may_see(0, 1, [0.0, 0.1]));
    ahead.left(1);
    assert!(!ahead.may_see(0, 1, [0.0, 60.0]));
}
