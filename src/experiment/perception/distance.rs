//! From how far a sphere is perceived.

use std::fmt;

/// A camera with a flat screen of square pixels, and what its player makes out on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observer {
    /// Half the field of view across the screen.
    half: f64,
    /// Pixels across, and from top to bottom.
    screen: [u32; 2],
    /// Pixels that a target must cover.
    threshold: f64,
}

/// What is no observer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObserverError {
    /// A field of view, in degrees.
    FieldOfView(f64),
    /// A screen without pixels.
    Screen,
    /// A threshold.
    Threshold(f64),
}

impl fmt::Display for ObserverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldOfView(degrees) => write!(
                f,
                "expected a field of view between 0 and 180 degrees, found {degrees}"
            ),
            Self::Screen => f.write_str("expected a screen of at least a pixel, found 0"),
            Self::Threshold(pixels) => write!(
                f,
                "expected a threshold of more than 0 pixels, found {pixels}"
            ),
        }
    }
}

impl std::error::Error for ObserverError {}

impl Observer {
    /// An observer by the field of view across the screen in degrees, the screen's pixels across and
    /// from top to bottom, and the pixels that a target must cover.
    ///
    /// # Errors
    ///
    /// Where one of these is out of range.
    pub fn new(degrees: f64, screen: [u32; 2], threshold: f64) -> Result<Self, ObserverError> {
        if !(degrees > 0.0 && degrees < 180.0) {
            return Err(ObserverError::FieldOfView(degrees));
        }
        if screen.contains(&0) {
            return Err(ObserverError::Screen);
        }
        if !(threshold > 0.0 && threshold.is_finite()) {
            return Err(ObserverError::Threshold(threshold));
        }
        Ok(Self {
            half: degrees.to_radians() / 2.0,
            screen,
            threshold,
        })
    }

    /// The distance of the screen from the eye, in pixels.
    fn focal(&self) -> f64 {
        f64::from(self.screen[0]) / 2.0 / self.half.tan()
    }

    /// Half the screen's diagonal, in pixels.
    fn corner(&self) -> f64 {
        f64::hypot(self.screen[0].into(), self.screen[1].into()) / 2.0
    }

    /// The paper's greatest distance for a sphere of a radius: R / tan(n·α / 2), where α is the field of
    /// view divided by the pixels across and n the threshold.
    ///
    /// It neglects that a pixel off the axis covers a smaller angle than α, and one on it a larger:
    /// spheres near the edges of the screen are perceived from farther away than this.
    pub fn average_distance(&self, radius: f64) -> f64 {
        let pixel = 2.0 * self.half / f64::from(self.screen[0]);
        let half = self.threshold * pixel / 2.0;
        if half < std::f64::consts::FRAC_PI_2 {
            radius / half.tan()
        } else {
            0.0
        }
    }

    /// The greatest distance from the eye to the middle of a sphere of a radius at which it is
    /// perceived in the middle of the screen.
    ///
    /// Its outline is a circle there, of f·tan δ pixels' radius if the screen is f pixels away and
    /// sin δ is the radius over the distance.
    pub fn centre_distance(&self, radius: f64) -> f64 {
        radius * f64::hypot(1.0, 2.0 * self.focal() / self.threshold)
    }

    /// The greatest distance from the eye to the middle of a sphere of a radius at which it is
    /// perceived anywhere on the screen: from farther away no part of the screen shows it in more
    /// pixels than the threshold.
    ///
    /// Two points of a sphere are seen at an angle of at most 2·δ. A flat screen stretches angles the
    /// more the farther they are off the axis, and most along the line to the middle. So they are
    /// farthest apart on it where one is in a corner and the other on the line from there to the
    /// middle: f·(tan θ - tan(θ - 2·δ)) pixels, for a corner θ off the axis. That is the threshold at
    /// this distance. Of what is larger than the screen nothing is perceived from outside it.
    pub fn greatest_distance(&self, radius: f64) -> f64 {
        let corner = self.corner() / self.focal();
        let inner = corner - self.threshold / self.focal();
        if inner <= -corner {
            return radius;
        }
        // The angle between the two points, without the loss of digits of a difference of angles.
        let angle = f64::atan2(corner - inner, 1.0 + corner * inner);
        radius / (angle / 2.0).sin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// A sphere rendered: the longest distance on the screen between points of its outline that are on
    /// it, and of where its outline leaves the screen.
    fn extent(observer: &Observer, axis: [f64; 3], delta: f64, steps: u32) -> f64 {
        let [x, y, z] = axis;
        // Two directions across the axis.
        let length = f64::hypot(x, z);
        let u = [z / length, 0.0, -x / length];
        let v = [
            y * u[2] - z * u[1],
            z * u[0] - x * u[2],
            x * u[1] - y * u[0],
        ];
        let mut shown: Vec<[f64; 2]> = Vec::new();
        let half = observer.screen.map(|pixels| f64::from(pixels) / 2.0);
        for spoke in 0..steps {
            let turn = std::f64::consts::TAU * f64::from(spoke) / f64::from(steps);
            // The whole disc, from its middle to its outline.
            for ring in 0..=16 {
                let tilt = delta * f64::from(ring) / 16.0;
                let ray = [0, 1, 2].map(|i| {
                    axis[i] * tilt.cos() + (u[i] * turn.cos() + v[i] * turn.sin()) * tilt.sin()
                });
                if ray[2] <= 1e-9 {
                    continue;
                }
                let at = [0, 1].map(|i| observer.focal() * ray[i] / ray[2]);
                if at[0].abs() <= half[0] && at[1].abs() <= half[1] {
                    shown.push(at);
                }
            }
        }
        let mut longest = 0.0_f64;
        for a in &shown {
            for b in &shown {
                longest = longest.max(f64::hypot(a[0] - b[0], a[1] - b[1]));
            }
        }
        longest
    }

    #[test]
    fn nothing_beyond_the_greatest_distance_is_perceived() {
        let mut dice = Dice(3);
        let mut close = 0;
        for round in 0..3000 {
            let degrees = 20.0 + 140.0 * dice.fraction();
            let screen = [64 + dice.roll(2000), 64 + dice.roll(1200)];
            let threshold = [0.5, 1.0, 2.0, 17.0][round % 4];
            let observer = Observer::new(degrees, screen, threshold).unwrap();
            let radius = 0.1 + dice.fraction();
            let beyond = 1.0 + 1e-9 + [0.0, 0.05, 0.5][round % 3] * dice.fraction();
            let distance = observer.greatest_distance(radius) * beyond;
            let delta = (radius / distance).asin();
            // On the screen, near its edges, or in a corner.
            let half = screen.map(|pixels| f64::from(pixels) / 2.0);
            let mut near = |half: f64| match round % 5 {
                0 => (2.0 * dice.fraction() - 1.0) * half,
                _ => half - threshold * dice.fraction(),
            };
            let at = [near(half[0]), near(half[1]), observer.focal()];
            let length = at.iter().map(|x| x * x).sum::<f64>().sqrt();
            let pixels = extent(&observer, at.map(|x| x / length), delta, 12);
            assert!(pixels <= threshold, "{observer:?} {at:?}: {pixels}");
            close += u32::from(pixels > 0.8 * threshold);
        }
        assert!(close > 100, "{close}");
    }

    #[test]
    fn at_the_greatest_distance_the_corner_shows_the_threshold() {
        for (degrees, screen, threshold) in [
            (120.0, [1024, 768], 1.0),
            (60.0, [640, 480], 2.0),
            (90.0, [100, 100], 30.0),
        ] {
            let observer = Observer::new(degrees, screen, threshold).unwrap();
            let delta = (1.0 / observer.greatest_distance(1.0)).asin();
            let theta = (observer.corner() / observer.focal()).atan();
            let pixels = observer.focal() * (theta.tan() - (theta - 2.0 * delta).tan());
            assert!((pixels / threshold - 1.0).abs() < 1e-9, "{pixels}");
            // The paper's distance misses what is in a corner, and the middle alone still more.
            let far = observer.greatest_distance(1.0);
            assert!(observer.average_distance(1.0) < far && observer.centre_distance(1.0) < far);
        }
    }

    #[test]
    fn on_the_axis_a_sphere_is_a_circle() {
        let observer = Observer::new(100.0, [800, 600], 5.0).unwrap();
        let delta = (2.0 / observer.centre_distance(2.0)).asin();
        let pixels = extent(&observer, [0.0, 0.0, 1.0], delta, 64);
        assert!((pixels - 5.0).abs() < 1e-6, "{pixels}");
    }

    #[test]
    fn what_is_no_observer_is_refused() {
        for degrees in [0.0, 180.0, -3.0, f64::NAN, f64::INFINITY] {
            let refused = Observer::new(degrees, [100, 100], 1.0);
            assert!(matches!(refused, Err(ObserverError::FieldOfView(_))));
        }
        assert_eq!(Observer::new(90.0, [0, 9], 1.0), Err(ObserverError::Screen));
        assert_eq!(Observer::new(90.0, [9, 0], 1.0), Err(ObserverError::Screen));
        for pixels in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = Observer::new(90.0, [9, 9], pixels);
            assert!(matches!(refused, Err(ObserverError::Threshold(_))));
        }
        // Nobody outside a sphere sees more pixels of it than the screen has.
        let observer = Observer::new(90.0, [30, 40], 51.0).unwrap();
        assert_eq!(observer.greatest_distance(2.0), 2.0);
    }
}
