//! Space, cut into subdivisions that ranks own.

use crate::runtime::interest::Bounds;

/// Subdivisions of a box, all of one size. What lies outside belongs to the nearest of them.
#[derive(Clone, Debug)]
pub struct Space {
    low: [f32; 3],
    /// How long a subdivision is along each axis.
    side: [f32; 3],
    /// Subdivisions an axis.
    cuts: usize,
    owners: Vec<usize>,
}

impl Space {
    /// `cuts` subdivisions an axis, dealt out to ranks in order, equally many to each (figure 6.1).
    pub fn new(world: &Bounds, cuts: usize, ranks: usize) -> Self {
        let (low, high) = (world.min(), world.max());
        let count = cuts * cuts * cuts;
        Self {
            low,
            side: [0, 1, 2].map(|axis| (high[axis] - low[axis]) / cuts as f32),
            cuts,
            owners: (0..count).map(|number| number * ranks / count).collect(),
        }
    }

    /// How many subdivisions there are.
    pub fn count(&self) -> usize {
        self.owners.len()
    }

    fn cut(&self, axis: usize, at: f32) -> usize {
        let cuts = ((at - self.low[axis]) / self.side[axis]).floor();
        // No number, where the world is flat, is 0.
        (cuts.max(0.0) as usize).min(self.cuts - 1)
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.cuts + y) * self.cuts + x
    }

    /// The subdivision of a point.
    pub fn of(&self, point: [f32; 3]) -> usize {
        self.number([0, 1, 2].map(|axis| self.cut(axis, point[axis])))
    }

    /// All subdivisions that a box reaches into.
    pub fn reached(&self, bounds: &Bounds) -> impl Iterator<Item = usize> {
        let first = [0, 1, 2].map(|axis| self.cut(axis, bounds.min()[axis]));
        let last = [0, 1, 2].map(|axis| self.cut(axis, bounds.max()[axis]));
        let [x, y, z] = [0, 1, 2].map(|axis| first[axis]..=last[axis]);
        z.flat_map(move |z| {
            let x = x.clone();
            y.clone()
                .flat_map(move |y| x.clone().map(move |x| [x, y, z]))
        })
        .map(|at| self.number(at))
    }

    /// Who owns a subdivision.
    pub fn owner(&self, subdivision: usize) -> usize {
        self.owners[subdivision]
    }

    /// Gives a subdivision to another rank.
    pub fn give(&mut self, subdivision: usize, rank: usize) {
        self.owners[subdivision] = rank;
    }

    /// The subdivisions that share a side with one.
    pub fn beside(&self, subdivision: usize) -> impl Iterator<Item = usize> {
        let cuts = self.cuts;
        let at = [
            subdivision % cuts,
            subdivision / cuts % cuts,
            subdivision / (cuts * cuts),
        ];
        (0..6).filter_map(move |side| {
            let (axis, up) = (side / 2, side % 2 == 1);
            let mut other = at;
            other[axis] = if up {
                at[axis] + 1
            } else {
                at[axis].checked_sub(1)?
            };
            (other[axis] < cuts).then(|| self.number(other))
        })
    }

    /// How many subdivisions have none beside them of the same owner.
    pub fn isolated(&self) -> usize {
        let alone = |&at: &usize| {
            !self
                .beside(at)
                .any(|other| self.owner(other) == self.owner(at))
        };
        (0..self.count()).filter(alone).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdivisions_are_dealt_out_and_reached() {
        let world = Bounds::new([0.0; 3], [4.0; 3]).unwrap();
        let mut space = Space::new(&world, 4, 3);
        let owned = |rank| (0..64).filter(|&at| space.owner(at) == rank).count();
        assert_eq!([owned(0), owned(1), owned(2)], [22, 21, 21]);
        assert_eq!(space.of([3.5, 0.5, 0.0]), 3);
        assert_eq!(space.of([-9.0, 99.0, 1.5]), 16 + 12);
        let bounds = Bounds::new([0.5, 0.5, 0.5], [1.5, 0.6, 1.0]).unwrap();
        assert_eq!(space.reached(&bounds).collect::<Vec<_>>(), [0, 1, 16, 17]);
        assert_eq!(space.beside(0).collect::<Vec<_>>(), [1, 4, 16]);
        assert_eq!(space.isolated(), 0);
        space.give(0, 2);
        assert_eq!(space.isolated(), 1);
    }
}
