//! Worlds that move, the same in every run.

use viewcell::interest::Bounds;
use viewcell_papers::interest::matching::{Interest, Kind, Method, Region};

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.bits() % sides
    }

    /// From 0 to below 1.
    pub(crate) fn fraction(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }
}

/// How a world is made and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    /// Steps of half a region, all over.
    Even,
    /// Integers, so that many boxes touch and many are the same.
    Touching,
    /// All in one spot.
    Spot,
    /// Along one axis, far.
    Line,
    /// Sides from 1 to 10,000.
    Sizes,
    /// Anywhere, each tick, now and then at the edge of what a float holds.
    Teleports,
    /// A plane, of columns as high as the world.
    Columns,
    /// Points among boxes.
    Points,
    /// Far from the origin, where floats are coarse.
    Far,
    /// At even distances that are powers of two.
    Lattice,
}

pub(crate) const WORLDS: [World; 10] = [
    World::Even,
    World::Touching,
    World::Spot,
    World::Line,
    World::Sizes,
    World::Teleports,
    World::Columns,
    World::Points,
    World::Far,
    World::Lattice,
];

impl World {
    /// A box somewhere, or not far from another.
    pub(crate) fn bounds(self, dice: &mut Dice, from: Option<Bounds>) -> Bounds {
        let side = 12.0;
        let mut any = |size: f32| [(); 3].map(|()| dice.fraction() * size);
        let near = |step: [f32; 3]| {
            from.map(|from| {
                let low = from.min();
                let at = |axis: usize| low[axis] + step[axis] - 0.5;
                [at(0), at(1), at(2)]
            })
        };
        let (low, sides) = match self {
            Self::Even => (near(any(1.0)).unwrap_or(any(side)), [1.0; 3]),
            Self::Touching => {
                let whole = any(7.0).map(f32::floor);
                (whole, any(3.0).map(f32::floor))
            }
            Self::Spot => (any(0.001), [1.0; 3]),
            Self::Line => ([any(4000.0)[0], 0.0, 0.0], [9.0, 1.0, 1.0]),
            Self::Sizes => {
                let [power, ..] = any(4.0);
                (any(20_000.0), [10_f32.powf(power); 3])
            }
            Self::Teleports => {
                let [odd, ..] = any(1.0);
                let low = if odd < 0.05 {
                    any(1.0).map(|x| (x - 0.5) * f32::MAX)
                } else {
                    any(side)
                };
                (low, any(2.0))
            }
            Self::Columns => {
                let [x, y, _] = any(30.0);
                ([x, y, -1e6], [2.0, 2.0, 2e6])
            }
            Self::Points => {
                let sides = if any(1.0)[0] < 0.5 {
                    [0.0; 3]
                } else {
                    [2.0; 3]
                };
                (any(side), sides)
            }
            Self::Far => (any(side).map(|x| x + 16_000_000.0), any(3.0)),
            Self::Lattice => (any(8.0).map(|x| x.floor() * 128.0), [1.0; 3]),
        };
        let high = |axis: usize| (low[axis] + sides[axis]).max(low[axis]);
        Bounds::new(low, [high(0), high(1), high(2)]).expect("a box")
    }
}

/// What happens to the regions of one matcher, told to several in the same way.
pub(crate) enum Step {
    Come(Kind, Bounds),
    Move(usize, Bounds),
    Go(usize),
}

/// The next tick's steps. `there` are the regions that there are, by the order in which they came.
pub(crate) fn steps(world: World, dice: &mut Dice, there: &[Option<Bounds>]) -> Vec<Step> {
    let mut steps = Vec::new();
    // In some ticks nothing moves, in some everything, in most a part does.
    let moving = [0, 1, 1, 3, 10, 10][dice.roll(6) as usize];
    for (number, bounds) in there.iter().enumerate() {
        let Some(bounds) = *bounds else { continue };
        if dice.roll(10) < moving {
            steps.push(Step::Move(number, world.bounds(dice, Some(bounds))));
        }
        if dice.roll(60) == 0 {
            steps.push(Step::Go(number));
        }
    }
    for _ in 0..dice.roll(4) {
        let kind = [Kind::Update, Kind::Subscription, Kind::Both][dice.roll(3) as usize];
        steps.push(Step::Come(kind, world.bounds(dice, None)));
    }
    steps
}

/// A matcher that is told steps.
pub(crate) struct Player<M> {
    pub(crate) interest: Interest<M>,
    pub(crate) regions: Vec<Region>,
}

impl<M: Method> Player<M> {
    pub(crate) fn new(method: M) -> Self {
        Self {
            interest: Interest::with(method),
            regions: Vec::new(),
        }
    }

    pub(crate) fn play(&mut self, steps: &[Step]) {
        for step in steps {
            match *step {
                Step::Come(kind, bounds) => {
                    self.regions
                        .push(self.interest.insert(kind, bounds).unwrap());
                }
                Step::Move(number, bounds) => {
                    self.interest.move_to(self.regions[number], bounds).unwrap();
                }
                Step::Go(number) => self.interest.remove(self.regions[number]).unwrap(),
            }
        }
    }
}

/// The steps as the list of who is where takes them.
pub(crate) fn follow(there: &mut Vec<Option<Bounds>>, steps: &[Step]) {
    for step in steps {
        match *step {
            Step::Come(_, bounds) => there.push(Some(bounds)),
            Step::Move(number, bounds) => there[number] = Some(bounds),
            Step::Go(number) => there[number] = None,
        }
    }
}
