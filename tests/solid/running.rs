//! Where a player who has nothing in the way may be, against players who are moved as games move them.

use viewcell::dice::Dice;
use viewcell::query::{Motion, Running};

/// A player as the game moves them: on level ground at height 0, or above nothing.
struct Player {
    at: [f64; 3],
    velocity: [f64; 3],
    ground: Option<f64>,
    held: bool,
}

impl Player {
    /// A frame: towards a direction, or nowhere, and perhaps a jump.
    fn step(&mut self, rules: &Running, wish: [f64; 2], wished: f64, jump: bool, seconds: f64) {
        let [east, north, up] = &mut self.velocity;
        let mut walks = self
            .ground
            .is_some_and(|ground| self.at[2] <= ground + 1e-9)
            && *up <= 0.0;
        if walks && jump && !self.held {
            (*up, walks) = (rules.jump, false);
        }
        self.held = jump;
        if walks {
            *up = 0.0;
            let speed = east.hypot(*north);
            if speed < 1.0 {
                (*east, *north) = (0.0, 0.0);
            } else {
                let drop = speed.max(rules.stop_speed) * rules.friction * seconds;
                let left = (speed - drop).max(0.0) / speed;
                (*east, *north) = (*east * left, *north * left);
            }
        }
        let by = if walks {
            rules.accelerate
        } else {
            rules.air_accelerate
        };
        let missing = wished - (*east * wish[0] + *north * wish[1]);
        if missing > 0.0 {
            let add = (by * seconds * wished).min(missing);
            (*east, *north) = (*east + add * wish[0], *north + add * wish[1]);
        }
        let before = *up;
        if !walks {
            *up -= rules.gravity * seconds;
        }
        let mean = [*east, *north, 0.5 * (before + *up)];
        for (at, velocity) in self.at.iter_mut().zip(mean) {
            *at += velocity * seconds;
        }
        if let Some(ground) = self.ground
            && self.at[2] < ground
        {
            (self.at[2], *up) = (ground, 0.0);
        }
        self.velocity = self.velocity.map(f64::round);
    }
}

/// Unit vectors, and of these the one that brings a player furthest along a direction in the next frame.
fn best(player: &Player, rules: &Running, towards: [f64; 2], jump: bool, seconds: f64) -> [f64; 2] {
    let turns = (0..64).map(|turn| {
        let (sin, cos) = (f64::from(turn) * std::f64::consts::TAU / 64.0).sin_cos();
        let mut next = Player { ..*player };
        next.step(rules, [cos, sin], rules.speed, jump, seconds);
        let gain = next.velocity[0] * towards[0] + next.velocity[1] * towards[1];
        (gain, [cos, sin])
    });
    turns.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1
}

#[test]
fn whoever_runs_and_jumps_by_the_rules_of_the_game_stays_in_the_region() {
    let mut dice = Dice(1);
    // How much of the room on each side is used: bounds that nobody comes near to would be of no use.
    let mut used = [0.0_f64; 4];
    for round in 0..6000 {
        let rules = Running {
            frame: [0.008, 0.016, 1.0 / 30.0, 0.05, 0.066][dice.roll(5) as usize],
            ..Running::quake3([320.0, 416.0, 250.0][dice.roll(3) as usize])
        };
        let on_ground = dice.roll(2) == 0;
        let until = [0.05, 0.15, 0.3][dice.roll(3) as usize];
        let turn = dice.fraction() * std::f64::consts::TAU;
        let speed = [0.0, 60.0, 320.0, 320.0, 700.0 * dice.fraction()][dice.roll(5) as usize];
        let up: f64 = if on_ground {
            0.0
        } else {
            1200.0 * dice.fraction() - 600.0
        };
        let velocity = [
            (speed * turn.cos()).round(),
            (speed * turn.sin()).round(),
            up.round(),
        ];
        let mut player = Player {
            at: [0.0; 3],
            velocity,
            ground: on_ground.then_some(0.0),
            held: false,
        };
        let motion = Motion {
            position: player.at,
            velocity: Some(velocity),
        };
        let [low, high] = rules.region(&motion, on_ground, until).corners();
        // Random, or as far as can be along an axis, or up to some time along one and then along another.
        let policy = dice.roll(3);
        let axes = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        let towards = [axes[dice.roll(4) as usize], axes[dice.roll(4) as usize]];
        let change = if dice.roll(2) == 0 {
            0.0
        } else {
            until * dice.fraction()
        };
        let jump_at = until * 1.5 * dice.fraction();
        let whole_frames = dice.roll(2) == 0;
        let mut time = 0.0;
        while time < until - 1e-9 {
            // Of whole milliseconds, three and more.
            let longest = (rules.frame * 1000.0).floor();
            let shorter = 3.0 + (dice.fraction() * (longest - 3.0)).floor();
            let frame = if whole_frames { longest } else { shorter } / 1000.0;
            let seconds = frame.min(until - time);
            let jump = time >= jump_at;
            let (wish, wished) = match policy {
                0 => {
                    let (sin, cos) = (dice.fraction() * std::f64::consts::TAU).sin_cos();
                    ([cos, sin], rules.speed * dice.fraction())
                }
                _ => {
                    let towards = towards[usize::from(policy == 2 && time > change)];
                    (best(&player, &rules, towards, jump, seconds), rules.speed)
                }
            };
            player.step(&rules, wish, wished, jump, seconds);
            time += seconds;
            for k in 0..3 {
                assert!(
                    low[k] <= player.at[k] && player.at[k] <= high[k],
                    "round {round}: {:?} after {time} s, of {low:?} to {high:?}, from {velocity:?}, {rules:?}",
                    player.at
                );
            }
        }
        if on_ground {
            for k in 0..2 {
                used[0] = used[0].max(player.at[k] / high[k]);
                used[1] = used[1].max(player.at[k] / low[k]);
            }
            used[2] = used[2].max(player.at[2] / high[2]);
        } else {
            used[3] = used[3].max(player.at[2] / low[2]);
        }
    }
    assert!(used.iter().all(|used| *used > 0.85), "{used:?}");
}

#[test]
fn rules_out_of_limits_bound_nobody() {
    let rules = Running::quake3(320.0);
    let motion = Motion {
        position: [0.0; 3],
        velocity: Some([0.0; 3]),
    };
    let is_endless = |rules: Running, motion: &Motion, on_ground, until| {
        let [low, high] = rules.region(motion, on_ground, until).corners();
        low == [f64::NEG_INFINITY; 3] && high == [f64::INFINITY; 3]
    };
    assert!(!is_endless(rules, &motion, true, 0.15));
    // Who may have landed from a jump by then may have turned its speed into another direction.
    assert!(is_endless(rules, &motion, true, 0.7));
    assert!(!is_endless(rules, &motion, false, 0.7));
    let mut unknown = motion;
    unknown.velocity = None;
    assert!(is_endless(rules, &unknown, true, 0.15));
    assert!(is_endless(rules, &motion, true, f64::NAN));
    let mut others = [rules; 3];
    others[0].frame = 0.2;
    others[1].friction = 12.0;
    others[2].gravity = -1.0;
    for (other, on_ground) in others.into_iter().zip([true, true, false]) {
        assert!(is_endless(other, &motion, on_ground, 0.15));
    }
}
