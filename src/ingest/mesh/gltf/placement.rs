//! Where nodes of a glTF file are: affine placements, one below another.

use gltf::scene::Transform;

/// Where a node is: three axes, and its origin.
#[derive(Clone, Copy)]
pub(super) struct Placement([[f64; 3]; 4]);

impl Placement {
    pub(super) const UNMOVED: Self =
        Self([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);

    pub(super) fn of(transform: Transform) -> Self {
        match transform {
            Transform::Matrix { matrix } => {
                Self(matrix.map(|column| [0, 1, 2].map(|axis| column[axis].into())))
            }
            Transform::Decomposed {
                translation,
                rotation,
                scale,
            } => Self::decomposed(
                translation.map(f64::from),
                rotation.map(f64::from),
                scale.map(f64::from),
            ),
        }
    }

    /// First the size, then the turn, then the place.
    pub(super) fn decomposed(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let [x, y, z, w] = rotation;
        // Quaternions are rounded to 32 bits; the turn is one all the same, and exact if it is a quarter.
        let norm = x * x + y * y + z * z + w * w;
        let [a, b, c] = scale;
        let axes = [
            [
                w * w + x * x - y * y - z * z,
                2.0 * (x * y + w * z),
                2.0 * (x * z - w * y),
            ],
            [
                2.0 * (x * y - w * z),
                w * w - x * x + y * y - z * z,
                2.0 * (y * z + w * x),
            ],
            [
                2.0 * (x * z + w * y),
                2.0 * (y * z - w * x),
                w * w - x * x - y * y + z * z,
            ],
        ];
        let [x, y, z] = axes.map(|axis| axis.map(|along| along / norm));
        Self([
            x.map(|along| a * along),
            y.map(|along| b * along),
            z.map(|along| c * along),
            translation,
        ])
    }

    /// The same for the same place.
    pub(super) fn key(&self) -> [u64; 12] {
        let numbers = self.0.as_flattened();
        // Minus zero is zero.
        std::array::from_fn(|i| (numbers[i] + 0.0).to_bits())
    }

    /// What is there for a node in a node that is here.
    pub(super) fn then(&self, inner: &Self) -> Self {
        let [x, y, z, origin] = inner.0;
        let from = self.moved(origin);
        Self([self.turned(x), self.turned(y), self.turned(z), from])
    }

    fn turned(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [a, b, c, _] = self.0;
        [0, 1, 2].map(|axis| a[axis] * x + b[axis] * y + c[axis] * z)
    }

    fn moved(&self, at: [f64; 3]) -> [f64; 3] {
        let turned = self.turned(at);
        [0, 1, 2].map(|axis| turned[axis] + self.0[3][axis])
    }

    /// Where a corner is: metres east, south and up.
    pub(super) fn place(&self, corner: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.moved(corner);
        [x, z, y]
    }

    pub(super) fn mirrors(&self) -> bool {
        let [[a, b, c], [d, e, f], [g, h, i], _] = self.0;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
