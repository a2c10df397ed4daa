//! Zones that never miss what perception sees: area of interest, auras, effect management (sections 5.1 to 5.3 of the
//! paper); and the quadratic programs that give their radii, as small as sums of two of them allow.

/// A kind of avatar: how many there are, and what each sees of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Avatar {
    /// Its name.
    pub name: String,
    /// How many there are of it; the more, the more their zones count.
    pub count: f64,
}

/// The radii of all zones, each by avatar.
#[derive(Clone, Debug, PartialEq)]
pub struct Radii {
    /// An observer hears of all that are this near.
    pub areas: Vec<f64>,
    /// Two hear of each other whose auras overlap.
    pub auras: Vec<f64>,
    /// An observer hears of those whose effect zones overlap the viewing zone.
    pub viewing: Vec<f64>,
    /// The effect zones.
    pub effect: Vec<f64>,
}

/// From what distance each avatar perceives each: 0 where `distance` says none.
pub fn distances(
    avatars: usize,
    mut distance: impl FnMut(usize, usize) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let row = |observer: usize, distance: &mut dyn FnMut(usize, usize) -> Option<f64>| {
        (0..avatars)
            .map(|target| distance(observer, target).unwrap_or(0.0))
            .collect()
    };
    (0..avatars)
        .map(|observer| row(observer, &mut distance))
        .collect()
}

/// The radii of the least area, all zones of all avatars together, with which nobody misses anybody
/// they perceive: `distances[a][b]` is from how far a perceives b.
pub fn radii(avatars: &[Avatar], distances: &[Vec<f64>]) -> Radii {
    let count = avatars.len();
    let weights: Vec<f64> = avatars.iter().map(|avatar| avatar.count).collect();
    let mut auras = Vec::new();
    let mut zones = Vec::new();
    for (a, row) in distances.iter().enumerate() {
        for (b, &least) in row.iter().enumerate() {
            if least > 0.0 {
                auras.push(PairSum { of: [a, b], least });
                zones.push(PairSum {
                    of: [a, count + b],
                    least,
                });
            }
        }
    }
    let both: Vec<f64> = weights.iter().chain(&weights).copied().collect();
    let mut viewing = least_squares(&both, &zones).values;
    let effect = viewing.split_off(count);
    let longest = |row: &Vec<f64>| row.iter().copied().fold(0.0, f64::max);
    Radii {
        areas: distances.iter().map(longest).collect(),
        auras: least_squares(&weights, &auras).values,
        viewing,
        effect,
    }
}

/// The values of two variables, or twice that of one, must add up to so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSum {
    /// The variables.
    pub of: [usize; 2],
    /// What their sum must reach.
    pub least: f64,
}

/// The best values, and how good they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// By variable.
    pub values: Vec<f64>,
    /// The weighted sum of their squares.
    pub cost: f64,
    /// No values that reach all sums cost less than this.
    pub bound: f64,
}

/// Rounds through all sums, at most.
const ROUNDS: usize = 1_000_000;

/// Finds the values, of the least weighted sum of squares, that reach all sums (Hildreth, A quadratic
/// programming procedure, 1957): each sum has a price, and sums are put right one after the other.
///
/// All weights are positive. The values reach every sum; `cost` is within a 10^-9th of `bound`.
pub fn least_squares(weights: &[f64], sums: &[PairSum]) -> Optimum {
    let mut prices = vec![0.0; sums.len()];
    let mut values = vec![0.0; weights.len()];
    let share = |sum: &PairSum, variable: usize| {
        let times = sum.of.iter().filter(|&&of| of == variable).count();
        times as f64 / (2.0 * weights[variable])
    };
    let once = |sum: &PairSum| {
        let [a, b] = sum.of;
        if a == b { vec![a] } else { vec![a, b] }
    };
    // How far a sum rises with its own price.
    let rises: Vec<f64> = sums
        .iter()
        .map(|sum| sum.of.iter().map(|&variable| share(sum, variable)).sum())
        .collect();
    for _ in 0..ROUNDS {
        let mut moved = 0.0_f64;
        for ((sum, price), rise) in sums.iter().zip(&mut prices).zip(&rises) {
            let lacks = sum.least - sum.of.iter().map(|&of| values[of]).sum::<f64>();
            let next = (*price + lacks / rise).max(0.0);
            let by = next - *price;
            if by == 0.0 {
                continue;
            }
            *price = next;
            for variable in once(sum) {
                values[variable] += by * share(sum, variable);
            }
            moved = moved.max((by * rise / sum.least.abs().max(f64::MIN_POSITIVE)).abs());
        }
        if moved < 1e-14 {
            break;
        }
    }
    // The values that the prices make, without what many small steps have rounded.
    values.fill(0.0);
    for (sum, price) in sums.iter().zip(&prices) {
        for variable in once(sum) {
            values[variable] += price * share(sum, variable);
        }
    }
    // What the prices promise is a bound on the cost of all values that reach the sums.
    let squares = |values: &[f64]| -> f64 {
        weights
            .iter()
            .zip(values)
            .map(|(weight, value)| weight * value * value)
            .sum()
    };
    let promised: f64 = sums
        .iter()
        .zip(&prices)
        .map(|(sum, price)| sum.least * price)
        .sum();
    let bound = promised - squares(&values);
    // Rounding may leave a sum short; longer values cost that little more.
    let short = sums.iter().map(|sum| {
        let reached: f64 = sum.of.iter().map(|&of| values[of]).sum();
        if reached > 0.0 {
            sum.least / reached
        } else {
            1.0
        }
    });
    let stretch = short.fold(1.0, f64::max);
    if stretch > 1.0 {
        let stretch = stretch * (1.0 + 2.0 * f64::EPSILON);
        values.iter_mut().for_each(|value| *value *= stretch);
    }
    Optimum {
        cost: squares(&values),
        values,
        bound,
    }
}

#[cfg(test)]
mod tests {
    use viewcell::dice::Dice;

    use super::super::Observer;
    use super::*;

    /// A way to decide who hears of whom.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Technique {
        /// Perception itself.
        Perception,
        /// An area around the observer.
        AreaOfInterest,
        /// Auras that overlap: the spatial model of interaction.
        SpatialModel,
        /// A viewing zone and an effect zone that overlap.
        EffectManagement,
    }

    impl Radii {
        /// From how far one avatar hears of another.
        fn reach(&self, technique: Technique, distances: &[Vec<f64>], a: usize, b: usize) -> f64 {
            match technique {
                Technique::Perception => distances[a][b],
                Technique::AreaOfInterest => self.areas[a],
                Technique::SpatialModel => self.auras[a] + self.auras[b],
                Technique::EffectManagement => self.viewing[a] + self.effect[b],
            }
        }
    }

    /// How many hear of how many in a square world with so many clients of each avatar in turn at random
    /// places, on the mean of so many drawings: the messages of a tick, as figure 8 of the paper has them.
    fn deliveries(
        radii: &Radii,
        distances: &[Vec<f64>],
        clients: usize,
        side: f64,
        drawings: u32,
        seed: u64,
    ) -> [f64; 4] {
        let techniques = [
            Technique::Perception,
            Technique::EffectManagement,
            Technique::AreaOfInterest,
            Technique::SpatialModel,
        ];
        let kinds = distances.len();
        let mut dice = Dice(seed);
        let mut sums = [0.0; 4];
        for _ in 0..drawings {
            let places: Vec<[f64; 2]> = (0..clients)
                .map(|_| [(); 2].map(|()| dice.fraction() * side))
                .collect();
            for (a, here) in places.iter().enumerate() {
                for (b, there) in places.iter().enumerate() {
                    let apart = f64::hypot(here[0] - there[0], here[1] - there[1]);
                    for (sum, technique) in sums.iter_mut().zip(techniques) {
                        let reach = radii.reach(technique, distances, a % kinds, b % kinds);
                        *sum += f64::from(u8::from(a != b && apart <= reach));
                    }
                }
            }
        }
        sums.map(|sum| sum / f64::from(drawings.max(1)))
    }

    const PERSON: usize = 0;
    const EAGLE: usize = 1;
    const TRUCK: usize = 2;

    /// The paper's person, eagle-eyed person and truck (section 6.2): 120 degrees on 1,024 pixels; two
    /// pixels for all but the eagle-eyed. A truck is twice as large.
    fn paper() -> (Vec<Avatar>, Vec<Vec<f64>>) {
        let observer = |pixels| Observer::new(120.0, [1024, 768], pixels).unwrap();
        // So that the eagle-eyed perceives a person from 1,000.
        let person = 1000.0 / observer(1.0).average_distance(1.0);
        let seen = [person, person, 2.0 * person];
        let sight = [observer(2.0), observer(1.0), observer(2.0)];
        let avatar = |name: &str| Avatar {
            name: name.into(),
            count: 1.0,
        };
        let table = distances(3, |a, b| Some(sight[a].average_distance(seen[b])));
        (["person", "eagle", "truck"].map(avatar).to_vec(), table)
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "{found}, not {expected}"
            );
        }
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn tables_1_to_4_of_the_paper() {
        let (avatars, table) = paper();
        assert_near(&table[PERSON], &[500.0, 500.0, 1000.0]);
        assert_near(&table[EAGLE], &[1000.0, 1000.0, 2000.0]);
        assert_near(&table[TRUCK], &[500.0, 500.0, 1000.0]);
        let radii = radii(&avatars, &table);
        assert_near(&radii.areas, &[1000.0, 2000.0, 1000.0]);
        assert_near(&radii.auras, &[250.0, 1000.0, 1000.0]);
        assert_near(&radii.viewing, &[250.0, 1000.0, 250.0]);
        assert_near(&radii.effect, &[250.0, 250.0, 1000.0]);
    }

    #[test]
    fn figure_9_only_perception_leaves_out_the_person() {
        let (avatars, table) = paper();
        let radii = radii(&avatars, &table);
        // A hair nearer, for what rounding does to 2,000.
        let (truck, person) = (2000.0 * (1.0 - 1e-5), 1100.0);
        let hears = |technique, of, apart| radii.reach(technique, &table, EAGLE, of) >= apart;
        let others = [
            Technique::AreaOfInterest,
            Technique::SpatialModel,
            Technique::EffectManagement,
        ];
        for technique in others {
            assert!(hears(technique, TRUCK, truck) && hears(technique, PERSON, person));
        }
        assert!(hears(Technique::Perception, TRUCK, truck));
        assert!(!hears(Technique::Perception, PERSON, person));
    }

    #[test]
    fn figure_8_perception_sends_least_and_effect_management_next() {
        let (avatars, table) = paper();
        let radii = radii(&avatars, &table);
        for clients in [20, 40, 80, 160] {
            let [perception, effect, area, spatial] =
                deliveries(&radii, &table, clients, 20_000.0, 200, 1);
            assert!(perception < effect, "{perception} {effect}");
            assert!(
                effect < area && effect < spatial,
                "{effect} {area} {spatial}"
            );
        }
    }

    #[test]
    fn no_zone_misses_what_perception_sees() {
        let mut dice = Dice(2);
        for _ in 0..50 {
            let count = 1 + dice.roll(6) as usize;
            let avatars: Vec<Avatar> = (0..count)
                .map(|number| Avatar {
                    name: number.to_string(),
                    count: f64::from(1 + dice.roll(9)),
                })
                .collect();
            let table = distances(count, |_, _| Some(1000.0 * dice.fraction()));
            let radii = radii(&avatars, &table);
            for a in 0..count {
                for b in 0..count {
                    for technique in [
                        Technique::AreaOfInterest,
                        Technique::SpatialModel,
                        Technique::EffectManagement,
                    ] {
                        assert!(radii.reach(technique, &table, a, b) >= table[a][b]);
                    }
                }
            }
        }
    }

    #[test]
    fn the_values_reach_all_sums_and_none_cost_less() {
        let mut dice = Dice(8);
        for _ in 0..200 {
            let variables = 1 + dice.roll(12) as usize;
            let weights: Vec<f64> = (0..variables)
                .map(|_| 0.1 + 5.0 * dice.fraction())
                .collect();
            let mut sums = Vec::new();
            for a in 0..variables {
                for b in a..variables {
                    if dice.roll(3) > 0 {
                        let least = 100.0 * dice.fraction();
                        sums.push(PairSum { of: [a, b], least });
                    }
                }
            }
            let best = least_squares(&weights, &sums);
            for sum in &sums {
                let reached = best.values[sum.of[0]] + best.values[sum.of[1]];
                assert!(reached >= sum.least, "{sum:?}: {reached}");
            }
            assert!(best.values.iter().all(|value| *value >= 0.0));
            let gap = best.cost - best.bound;
            assert!(
                gap <= 1e-9 * best.cost && gap >= -1e-9 * best.cost,
                "{best:?}"
            );
        }
    }

    #[test]
    fn two_that_share_a_sum_share_it_by_their_weights() {
        let sums = [PairSum {
            of: [0, 1],
            least: 12.0,
        }];
        let best = least_squares(&[1.0, 3.0], &sums);
        assert!((best.values[0] - 9.0).abs() < 1e-9 && (best.values[1] - 3.0).abs() < 1e-9);
    }
}
