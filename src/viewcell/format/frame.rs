//! Coordinates of a solid level: their unit, and how a caller's coordinates become them.

/// How the coordinates that somebody asks with differ from a level's, in which z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// For each axis of the level the axis that is asked with, from 1; negative where it points the other way.
    pub axes: [i8; 3],
    /// Units of the level in a unit that is asked with. Limit: > 0.
    pub scale: f64,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            axes: [1, 2, 3],
            scale: 1.0,
        }
    }
}

impl Frame {
    /// Whether each axis is there once, and the scale is one.
    pub fn is_sound(&self) -> bool {
        let mut axes = self.axes.map(i8::unsigned_abs);
        axes.sort_unstable();
        axes == [1, 2, 3] && self.scale.is_finite() && self.scale > 0.0
    }

    /// A position or direction as the level has it.
    pub fn to_level(self, asked: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| {
            let at = asked.get(usize::from(axis.unsigned_abs()).wrapping_sub(1));
            f64::from(axis.signum()) * at.copied().unwrap_or(0.0) * self.scale
        })
    }

    /// A position or direction of the level as it is asked with.
    pub fn to_asked(self, of: [f64; 3]) -> [f64; 3] {
        let mut asked = [0.0; 3];
        for (axis, of) in self.axes.into_iter().zip(of) {
            if let Some(at) = asked.get_mut(usize::from(axis.unsigned_abs()).wrapping_sub(1)) {
                *at = f64::from(axis.signum()) * of / self.scale;
            }
        }
        asked
    }
}

/// What a unit of a level is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolidUnits {
    /// The bundle does not say.
    #[default]
    Unknown,
    /// About an inch, of Quake and its kin.
    Quake,
    /// Metres.
    Metres,
}

impl SolidUnits {
    /// Its number in the `SOLD` section.
    pub(super) const fn code(self) -> u8 {
        self as u8
    }

    /// The unit of a number in the `SOLD` section.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        [Self::Unknown, Self::Quake, Self::Metres]
            .into_iter()
            .find(|units| units.code() == code)
    }

    /// Its name: `unknown`, `quake` or `metres`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Quake => "quake",
            Self::Metres => "metres",
        }
    }
}
