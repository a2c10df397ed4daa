//! Cubes with a side of 1 that keep their direction (Liu's thesis, section 3.5.1).

/// SplitMix64.
#[derive(Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// From 0 to 1.
    pub fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[derive(Clone)]
pub struct World {
    side: f64,
    dice: Dice,
    skewed: bool,
    middles: Vec<[f64; 3]>,
    steps: Vec<[f64; 3]>,
}

impl World {
    /// `density` entities in a cube of side 1; in a skewed world half of them in a thousandth of it.
    pub fn new(entities: usize, density: f64, speed: f64, skewed: bool) -> Self {
        let mut world = Self {
            side: (entities as f64 / density).cbrt(),
            dice: Dice(7),
            skewed,
            middles: Vec::new(),
            steps: Vec::new(),
        };
        for number in 0..entities {
            let side = world.side_of(number);
            let middle = [(); 3].map(|()| world.dice.fraction() * side);
            let length = speed * (0.5 + world.dice.fraction());
            let step = loop {
                let step = [(); 3].map(|()| 2.0 * world.dice.fraction() - 1.0);
                let square: f64 = step.iter().map(|x| x * x).sum();
                if (1e-6..=1.0).contains(&square) {
                    break step.map(|x| x * length / square.sqrt());
                }
            };
            world.middles.push(middle);
            world.steps.push(step);
        }
        world
    }

    fn side_of(&self, number: usize) -> f64 {
        let crowd = self.skewed && number % 2 == 0;
        if crowd { 0.1 * self.side } else { self.side }
    }

    pub fn boxes(&self) -> Vec<([f32; 3], [f32; 3])> {
        let corner = |middle: &[f64; 3], by: f32| middle.map(|x| x as f32 + by);
        let boxes = self.middles.iter();
        boxes
            .map(|middle| (corner(middle, -0.5), corner(middle, 0.5)))
            .collect()
    }

    pub fn step(&mut self) {
        for number in 0..self.middles.len() {
            let side = self.side_of(number);
            let axes = self.middles[number].iter_mut().zip(&mut self.steps[number]);
            for (at, by) in axes {
                *at += *by;
                if *at < 0.0 || *at > side {
                    *by = -*by;
                    *at = at.clamp(0.0, side);
                }
            }
        }
    }
}
