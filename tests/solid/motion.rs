//! Who may come to see whom, by how players move, against each pair of cells.

use proptest::prelude::*;
use viewcell::internals::runtime::{
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
        let mut ahead = Predictor::new(World::Solid(level), limits, 2);
        for (i, player) in players.into_iter().enumerate() {
            ahead.moved(i, 7.0, player);
        }
        let lost = players.iter().any(|player| level.locate(player.position).is_none());
        for _ in 0..2 {
            prop_assert_eq!(ahead.may_see(0, 1, times.map(|time| 7.0 + time)), expected || lost);
        }
        let movers = [0, 1].map(|i| Mover { motion: players[i], limits, times: [[0.0, times[0]], times][i] });
        let sets = movers.each_ref().map(|mover| {
            let mut set = ReachableSet::new(World::Solid(level));
            set.set(mover);
            set
        });
        let one_way = World::Solid(level).sees_in_motion(&movers[0], &movers[1]);
        prop_assert_eq!(sets[0].sees(&sets[1]), one_way);
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
