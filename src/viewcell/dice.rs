//! Choices that are the same in every run and on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014), by its seed.
#[derive(Clone, Debug, Default)]
pub struct Dice(pub u64);

impl Dice {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// 0 to `sides` - 1; 0 for no sides.
    pub fn roll(&mut self, sides: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(sides)) >> 32) as u32
    }

    /// More than 0, less than 1.
    pub fn fraction(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
}

/// 64 well-mixed bits that a number always has.
pub fn mixed(number: u64) -> u64 {
    Dice(number).bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // Of seed 1234567, as published with the reference implementation.
        let mut dice = Dice(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| dice.bits()), expected);
    }

    #[test]
    fn rolls_and_fractions_keep_to_their_ranges() {
        let mut dice = Dice(7);
        let mut counts = [0; 6];
        for _ in 0..6_000 {
            counts[dice.roll(6) as usize] += 1;
            let fraction = dice.fraction();
            assert!(fraction > 0.0 && fraction < 1.0);
        }
        assert!(counts.iter().all(|&count| count > 850), "{counts:?}");
        assert_eq!((dice.roll(0), dice.roll(1)), (0, 0));
    }
}
