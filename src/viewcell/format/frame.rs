//! Coordinates of a solid level: their unit, and how a caller's coordinates become them.

/// A box, from its least to its greatest corner.
pub type Corners = [[f64; 3]; 2];

/// The least and the greatest of some numbers; infinite, the first above the second, where there are none.
pub fn ends(numbers: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let numbers = numbers.into_iter();
    numbers.fold(none, |[least, most], x| [least.min(x), most.max(x)])
}

/// The box around two.
#[inline(never)]
pub fn hull([mut low, mut high]: Corners, [least, greatest]: Corners) -> Corners {
    for (low, least) in low.iter_mut().zip(least) {
        *low = low.min(least);
    }
    for (high, greatest) in high.iter_mut().zip(greatest) {
        *high = high.max(greatest);
    }
    [low, high]
}

/// How the coordinates that somebody asks with, an engine's, differ from a level's, in which z is up.
///
/// Turning axes is exact, and so is a scale of 1. With another scale positions are rounded to the nearest number, by less than
/// a millionth of the margin by which a bake proves that somebody is hidden; boxes and lengths are rounded as each question errs
/// towards visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// For each axis of the level the axis that is asked with, from 1; negative where it points the other way.
    pub axes: [i8; 3],
    /// Units of the level in a unit that is asked with. Limit: > 0.
    pub scale: f64,
}

/// More than a product and a sum of two numbers are rounded by, as a share of them.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

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

    /// Whether a level is asked with its own coordinates.
    #[inline]
    pub fn is_level(&self) -> bool {
        *self == Self::default()
    }

    /// The axis that is asked with which points up, from 0: z of the level.
    pub fn up(self) -> usize {
        let [.., up] = self.axes;
        usize::from(up.unsigned_abs()).wrapping_sub(1)
    }

    /// The unit that is asked with and the level's axes, z up: for plans from above, and whatever knows of gravity.
    pub fn upright(self) -> Self {
        Self {
            scale: self.scale,
            ..Self::default()
        }
    }

    /// The axes that are asked with and the level's unit: turns what is asked as [`Frame::upright`] has it, exactly.
    pub fn axes_alone(self) -> Self {
        Self {
            axes: self.axes,
            ..Self::default()
        }
    }

    /// A position or direction as the level has it.
    #[inline]
    pub fn to_level(self, asked: [f64; 3]) -> [f64; 3] {
        if self.is_level() {
            return asked;
        }
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
                // Nothing is not less than nothing, wherever an axis points.
                *at = f64::from(axis.signum()) * of / self.scale + 0.0;
            }
        }
        asked
    }

    /// A box of the level as it is asked with: upright again where an axis points the other way.
    pub fn corners_to_asked(self, corners: Corners) -> Corners {
        upright(corners.map(|corner| self.to_asked(corner)))
    }

    /// A box as the level has it: least and greatest corner are still so.
    pub fn corners_to_level(self, corners: Corners) -> Corners {
        if self.is_level() {
            return corners;
        }
        let [low, high] = corners.map(|corner| self.to_level(corner));
        let (mut least, mut greatest) = (low, high);
        let axes = least.iter_mut().zip(&mut greatest).zip(self.axes);
        for (((least, greatest), axis), (low, high)) in axes.zip(low.into_iter().zip(high)) {
            // By the axis and not by size: a box upside down stays so, and what is no number where it was.
            if axis < 0 {
                (*least, *greatest) = (high, low);
            }
        }
        [least, greatest]
    }

    /// Moves the sides of a box of the level outwards by more than a scale has rounded them; with a negative share inwards.
    pub(crate) fn rounded(self, [mut low, mut high]: Corners, share: f64) -> Corners {
        for (low, high) in low.iter_mut().zip(&mut high) {
            *low -= self.slack(*low) * share;
            *high += self.slack(*high) * share;
        }
        [low, high]
    }

    /// More than a scale rounds a number by.
    pub(crate) fn slack(self, of: f64) -> f64 {
        if self.scale == 1.0 || !of.is_finite() {
            0.0
        } else {
            of.abs() * ROUNDING
        }
    }

    /// A length in units of the level, not rounded down.
    pub fn length_to_level(self, asked: f64) -> f64 {
        let of = asked * self.scale;
        of + self.slack(of)
    }

    /// A length of the level in units that are asked with.
    pub fn length_to_asked(self, of: f64) -> f64 {
        of / self.scale
    }
}

/// A box with the lesser of two numbers in its first corner.
fn upright([a, b]: Corners) -> Corners {
    let (mut low, mut high) = (a, b);
    for ((low, high), (a, b)) in low.iter_mut().zip(&mut high).zip(a.into_iter().zip(b)) {
        (*low, *high) = (a.min(b), a.max(b));
    }
    [low, high]
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

    /// What a unit is called that a level is asked with: `m`, `cm`, `mm`, `ft` (either foot), or `units` of Quake, and of what
    /// is not known.
    pub fn asked(self, frame: Frame) -> &'static str {
        match self {
            Self::Metres if frame.scale == 1.0 => "m",
            Self::Metres if frame.scale == 0.01 => "cm",
            Self::Metres if frame.scale == 0.001 => "mm",
            Self::Metres if (frame.scale - 0.3048).abs() < 1e-6 => "ft",
            Self::Metres | Self::Quake | Self::Unknown => "units",
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_upright_and_come_back_exactly_whatever_axes_point_where() {
        for axes in [[1, 2, 3], [-1, -3, 2], [1, -2, 3], [1, -3, 2], [-2, 3, -1]] {
            let frame = Frame { axes, scale: 1.0 };
            let corners = [[-1.5, 2.25, 0.0], [4.0, 1e6 + 0.1, 0.1]];
            let [low, high] = frame.corners_to_level(corners);
            assert!(
                low.iter().zip(high).all(|(low, high)| *low <= high),
                "{axes:?}"
            );
            assert_eq!(frame.corners_to_asked([low, high]), corners, "{axes:?}");
            assert_eq!(frame.rounded([low, high], 1.0), [low, high]);
            assert_eq!(frame.length_to_level(0.3), 0.3);
        }
    }

    #[test]
    fn a_scale_rounds_boxes_and_lengths_outwards_and_keeps_what_is_no_number() {
        let frame = Frame {
            axes: [1, -2, 3],
            scale: 0.01,
        };
        let mut dice = crate::dice::Dice(5);
        for _ in 0..10_000 {
            let at = 1e5 * (dice.fraction() - 0.5);
            let level = frame.to_level([at, at, at]);
            let [low, high] = frame.rounded([level, level], 1.0);
            // 100 is exact, so that these are the places themselves.
            assert!(100.0 * low[0] < at && at < 100.0 * high[0]);
            let back = frame.to_asked(level);
            assert!((back[1] - at).abs() <= 1e-10);
            assert!(100.0 * frame.length_to_level(at.abs()) >= at.abs());
        }
        let odd = [
            [f64::NAN, 1.0, f64::NEG_INFINITY],
            [1.0, f64::NAN, f64::INFINITY],
        ];
        let turned = frame.rounded(frame.corners_to_level(odd), 1.0);
        assert!(turned[0][0].is_nan() && turned[0][1].is_nan());
        assert_eq!(
            [turned[0][2], turned[1][2]],
            [f64::NEG_INFINITY, f64::INFINITY]
        );
        assert_eq!(frame.length_to_level(f64::INFINITY), f64::INFINITY);
        assert!(frame.length_to_level(f64::NAN).is_nan());
        // One upside down stays so, and so is refused by whoever looks.
        let [low, high] = frame.corners_to_level([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]);
        assert!(low[0] > high[0] && low[1] > high[1] && low[2] > high[2]);
        assert_eq!(SolidUnits::Metres.asked(frame), "cm");
        assert_eq!(SolidUnits::Metres.asked(Frame::default()), "m");
        assert_eq!(SolidUnits::Quake.asked(Frame::default()), "units");
    }
}
