//! Perception distance: from how far away a sphere still covers a given number of pixels on an observer's screen, by
//! perspective projection.

/// A perspective camera with square pixels, and the number of pixels that its player needs to notice a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observer {
    /// Half the field of view across the screen.
    half: f64,
    /// Pixels across, and from top to bottom.
    screen: [u32; 2],
    /// Pixels that a target must cover.
    threshold: f64,
}

/// Why the parameters of an observer are invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ObserverError {
    /// A field of view, in degrees.
    #[error("expected a field of view between 0 and 180 degrees, found {0}")]
    FieldOfView(f64),
    /// A screen without pixels.
    #[error("expected a screen of at least a pixel, found 0")]
    Screen,
    /// A threshold.
    #[error("expected a threshold of more than 0 pixels, found {0}")]
    Threshold(f64),
}

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
    /// Two points of a sphere are seen at an angle of at most 2·δ. So the threshold is out of reach for
    /// all angles below that of two points of the screen that are the threshold apart, n pixels, wherever
    /// the angle between them is least. All of the screen is within ρ pixels of its middle, half its
    /// diagonal. Of two points on a line the angle becomes less the farther both go along it, until
    /// one of them is ρ from the middle. Then the angle is least either with the other on the line from there to
    /// the middle, atan(ρ / f) - atan((ρ - n) / f), or with both ρ from it, 2·asin(n / 2·√(ρ² + f²)):
    /// in between the cosine has no maximum. The former is reached in a corner; the latter is less
    /// only for thresholds of a large part of the screen. Of what is larger than the screen nothing is
    /// perceived from outside it.
    pub fn greatest_distance(&self, radius: f64) -> f64 {
        let corner = self.corner() / self.focal();
        let inner = corner - self.threshold / self.focal();
        if inner <= -corner {
            return radius;
        }
        // The first angle without the loss of digits of a difference of angles.
        let along = f64::atan2(corner - inner, 1.0 + corner * inner);
        let chord = (corner - inner) / 2.0 / f64::hypot(corner, 1.0);
        radius / (along / 2.0).sin().min(chord)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use viewcell::dice::Dice;

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

    /// The same where nothing of the sphere is beside or behind the eye: 48 points of its outline, what
    /// the screen's edges cut off of their polygon, and the farthest apart of what is left. None of these
    /// is more than there is.
    fn outlined(observer: &Observer, axis: [f64; 3], delta: f64) -> f64 {
        let [x, y, z] = axis;
        let length = f64::hypot(x, z);
        let u = [z / length, 0.0, -x / length];
        let v = [
            y * u[2] - z * u[1],
            z * u[0] - x * u[2],
            x * u[1] - y * u[0],
        ];
        let mut shown: Vec<[f64; 2]> = (0..48)
            .map(|spoke| {
                let turn = std::f64::consts::TAU * f64::from(spoke) / 48.0;
                let ray = [0, 1, 2].map(|i| {
                    axis[i] * delta.cos() + (u[i] * turn.cos() + v[i] * turn.sin()) * delta.sin()
                });
                [0, 1].map(|i| observer.focal() * ray[i] / ray[2])
            })
            .collect();
        for (i, pixels) in observer.screen.into_iter().enumerate() {
            for sign in [1.0, -1.0] {
                let within = |at: &[f64; 2]| f64::from(pixels) / 2.0 - sign * at[i];
                let mut cut = Vec::with_capacity(shown.len() + 2);
                for (number, a) in shown.iter().enumerate() {
                    let b = &shown[(number + 1) % shown.len()];
                    let (p, q) = (within(a), within(b));
                    if p >= 0.0 {
                        cut.push(*a);
                    }
                    if (p < 0.0) != (q < 0.0) {
                        let share = p / (p - q);
                        cut.push([0, 1].map(|k| a[k] + share * (b[k] - a[k])));
                    }
                }
                shown = cut;
            }
        }
        let mut longest = 0.0_f64;
        for (number, a) in shown.iter().enumerate() {
            for b in &shown[number + 1..] {
                longest = longest.max((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2));
            }
        }
        longest.sqrt()
    }

    #[test]
    fn outlines_are_what_is_rendered() {
        let mut dice = Dice(8);
        for _ in 0..300 {
            let observer = Observer::new(90.0, [200, 150], 5.0).unwrap();
            let at = [200.0, 150.0].map(|pixels| (dice.fraction() - 0.5) * pixels);
            let length = f64::hypot(f64::hypot(at[0], at[1]), observer.focal());
            let axis = [at[0], at[1], observer.focal()].map(|x| x / length);
            let delta = 0.3 * dice.fraction();
            let rendered = extent(&observer, axis, delta, 48);
            let outlined = outlined(&observer, axis, delta);
            // Where edges cut, the points of the disc do not come as close to them as the outline.
            assert!(rendered <= outlined * 1.01 + 1e-9, "{rendered} {outlined}");
            assert!(rendered >= outlined * 0.8 - 1e-9, "{rendered} {outlined}");
        }
    }

    /// `VIEWCELL_HUNT` placements, 300,000 unless told.
    #[test]
    fn no_placement_is_perceived_from_beyond_the_greatest_distance() {
        let hunt = std::env::var("VIEWCELL_HUNT").ok();
        let placements = hunt.map_or(300_000, |hunt| hunt.parse().unwrap());
        let mut dice = Dice(17);
        let (mut cut, mut nearest) = (0_u64, 0.0_f64);
        for round in 0_u64..placements {
            let degrees = 5.0 + 170.0 * dice.fraction();
            let screen = [8 + dice.roll(3000), 8 + dice.roll(2000)];
            let threshold = [0.1, 0.5, 1.0, 2.0, 5.0, 40.0][round as usize % 6];
            let observer = Observer::new(degrees, screen, threshold).unwrap();
            let far =
                observer.greatest_distance(1.0) * (1.0 + 1e-9 + 0.02 * dice.fraction().powi(4));
            let delta = (1.0 / far).min(1.0).asin();
            let half = screen.map(|pixels| f64::from(pixels) / 2.0);
            // Anywhere on the screen, or within reach of its edges, on either side of them.
            let mut near = |half: f64| match round % 3 {
                0 => (2.0 * dice.fraction() - 1.0) * half,
                _ => half + threshold * (dice.fraction() - 0.7),
            };
            let at = [near(half[0]), near(half[1])];
            let off = f64::hypot(at[0], at[1]) / observer.focal();
            let length = f64::hypot(off, 1.0) * observer.focal();
            let axis = [at[0], at[1], observer.focal()].map(|x| x / length);
            // Of a sphere that is all on the screen the longest line lies towards the middle.
            let theta = off.atan();
            let pixels = if theta + delta >= std::f64::consts::FRAC_PI_2 - 1e-6 {
                extent(&observer, axis, delta, 12)
            } else {
                let whole = (theta + delta).tan() - (theta - delta).tan();
                if whole * observer.focal() > threshold {
                    cut += 1;
                    outlined(&observer, axis, delta)
                } else {
                    whole * observer.focal()
                }
            };
            // What rounding makes of a line of some thousand pixels.
            assert!(pixels <= threshold + 1e-9, "{observer:?} {at:?}: {pixels}");
            nearest = nearest.max(pixels / threshold);
        }
        println!("{placements} placements, {cut} cut by the screen's edges, {nearest:.6} at most");
        assert!(cut > placements / 100 && nearest > 0.99, "{cut} {nearest}");
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
