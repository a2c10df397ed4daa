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
