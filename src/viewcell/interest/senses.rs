//! How far a player perceives others: by distance, and by how large they appear.

/// How far a player sees, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Senses {
    /// The player hears of nobody farther away than this, in the unit of positions.
    pub reach: f32,
    /// Nor of anybody farther away than this times their radius: how many radii away a sphere is
    /// still perceived. Infinite for one who perceives all.
    pub acuity: f32,
    /// The radius of a sphere around the player.
    pub radius: f32,
}

impl Senses {
    /// How far away another is heard of who has that radius.
    #[inline]
    pub(super) fn reach_of(&self, radius: f32) -> f64 {
        let reach = f64::from(self.reach);
        // What is no number, or less than nothing, is perceived as far as anybody hears.
        let counted = |of: f32| if of >= 0.0 { of.into() } else { f64::INFINITY };
        let perceived: f64 = counted(self.acuity) * counted(radius);
        // An infinite acuity perceives what has no radius too, though their product is no number.
        if perceived < reach { perceived } else { reach }
    }
}
