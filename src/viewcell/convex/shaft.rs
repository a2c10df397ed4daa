//! Shaft culling: all segments from somewhere in one box to somewhere in another. (E. A. Haines and J. R. Wallace
//! 1991, "Shaft culling for efficient ray-traced radiosity".)

use super::occluder::Span;

/// A plane along one axis, through an edge of either box, which all of both lies behind.
#[derive(Clone, Copy)]
struct Tangent {
    axes: [usize; 2],
    normal: [f32; 2],
    dist: f32,
}

/// What encloses the convex hull of two boxes.
pub(super) struct Shaft {
    centre: [f32; 3],
    half: [f32; 3],
    tangents: [Tangent; 12],
    count: usize,
}

impl Shaft {
    pub(super) fn new(a: &Span, b: &Span) -> Self {
        let none = Tangent {
            axes: [0, 1],
            normal: [0.0; 2],
            dist: 0.0,
        };
        let around = a.around(b);
        let mut shaft = Self {
            centre: around.centre.map(|x| x as f32),
            half: around.half.map(|x| x as f32),
            tangents: [none; 12],
            count: 0,
        };
        for axes in [[0, 1], [0, 2], [1, 2]] {
            for corner in 0..4 {
                let sides = [corner & 1, corner >> 1].map(|bit| 1.0 - 2.0 * f64::from(bit));
                let at =
                    |span: &Span, k: usize| span.centre[axes[k]] + sides[k] * span.half[axes[k]];
                let [x, y] = [0, 1].map(|k| sides[k] * (at(a, k) - at(b, k)));
                if x * y < 0.0 {
                    let normal = [sides[0] * y.abs(), sides[1] * x.abs()];
                    let dist = normal[0] * at(a, 0) + normal[1] * at(a, 1);
                    shaft.tangents[shaft.count] = Tangent {
                        axes,
                        normal: normal.map(|x| x as f32),
                        dist: dist as f32,
                    };
                    shaft.count += 1;
                }
            }
        }
        shaft
    }

    /// Which boxes do not lie wholly outside, but for rounding.
    #[inline(always)]
    pub(super) fn inside(&self, centres: [&[f32; LANES]; 3], halves: [&[f32; LANES]; 3]) -> u16 {
        let mut inside = [true; LANES];
        for k in 0..3 {
            for lane in 0..LANES {
                let off = (centres[k][lane] - self.centre[k]).abs();
                inside[lane] &= off <= halves[k][lane] + self.half[k];
            }
        }
        for tangent in &self.tangents[..self.count] {
            let Tangent {
                axes: [i, j],
                normal: [x, y],
                dist,
            } = *tangent;
            for lane in 0..LANES {
                let nearest = x * centres[i][lane] + y * centres[j][lane]
                    - (x.abs() * halves[i][lane] + y.abs() * halves[j][lane]);
                inside[lane] &= nearest <= dist;
            }
        }
        (0..LANES).fold(0, |all, lane| all | u16::from(inside[lane]) << lane)
    }
}

/// Occluders are looked at so many at a time.
pub(super) const LANES: usize = 16;
