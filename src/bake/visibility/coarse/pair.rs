//! Pairs of equal quads: their sixteen parts, the axis between them, and where they lie.

use viewcell::format::bits;

/// Pairs of a child of one quad and a child of the other: lane 4·i + k has child i of the first and child k
/// of the second, in the order north-west, north-east, south-west, south-east.
pub(crate) const PARTS: usize = 16;

/// The lanes of a mask.
pub(crate) fn lanes(mask: u16) -> impl Iterator<Item = usize> {
    bits::ones(u64::from(mask)).map(|lane| lane as usize)
}

/// Two quads of a level: somebody in the first looks at the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoarsePair {
    pub level: u32,
    pub a: (u32, u32),
    pub b: (u32, u32),
}

/// The direction from one quad to another along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Whether the row is the major coordinate, and the column the minor one; or the other way round.
    pub turned: bool,
    /// Whether the major coordinate falls from the first quad to the second: it is then negated.
    pub back: bool,
}

impl CoarsePair {
    /// The pair of a lane.
    #[inline(always)]
    pub(super) fn part(self, lane: usize) -> Self {
        let child = |(column, row): (u32, u32), k: usize| {
            (2 * column + k as u32 % 2, 2 * row + k as u32 / 2)
        };
        Self {
            level: self.level - 1,
            a: child(self.a, lane / 4),
            b: child(self.b, lane % 4),
        }
    }

    /// How many quads the second is from the first, along columns and rows.
    pub(super) fn apart(self) -> (i32, i32) {
        (
            self.b.0 as i32 - self.a.0 as i32,
            self.b.1 as i32 - self.a.1 as i32,
        )
    }

    /// The way from one to the other with rows as major coordinate, or with columns; `None` where no line across it
    /// separates them.
    pub(super) fn way(self, turned: bool) -> Option<Way> {
        let (columns, rows) = self.apart();
        let along = if turned { rows } else { columns };
        (along.abs() > 1).then_some(Way {
            turned,
            back: along < 0,
        })
    }

    /// The way along the axis on which the second is further from the first; with columns where both are as far.
    pub(super) fn major(self) -> Way {
        let (columns, rows) = self.apart();
        let turned = rows.abs() > columns.abs();
        let back = if turned { rows < 0 } else { columns < 0 };
        Way { turned, back }
    }

    /// The same; `None` where no line across it separates them.
    pub(super) fn separating_way(self) -> Option<Way> {
        self.way(self.major().turned)
    }

    /// How many samples, at least and at most, are between one of the first and one of the second, along
    /// columns and along rows.
    #[inline(always)]
    pub(super) fn distances(self) -> [[u32; 2]; 2] {
        let (columns, rows) = self.apart();
        [columns, rows].map(|apart| {
            let apart = apart.unsigned_abs();
            let least = if apart == 0 {
                0
            } else {
                ((apart - 1) << self.level) + 1
            };
            [least, ((apart + 1) << self.level) - 1]
        })
    }

    /// Whether any pair of their samples has the row as major axis; or any has the column.
    #[inline(always)]
    pub(super) fn has_any(self, turned: bool) -> bool {
        let [columns, rows] = self.distances();
        if turned {
            rows[1] > columns[0]
        } else {
            columns[1] >= rows[0]
        }
    }
}

impl Way {
    /// Major and minor of column and row, or the other way round.
    #[inline(always)]
    pub(super) fn turn<T>(self, (column, row): (T, T)) -> (T, T) {
        if self.turned {
            (row, column)
        } else {
            (column, row)
        }
    }
}

/// First and last sample of a quad along an axis.
#[inline(always)]
pub(crate) fn extent(level: u32, at: u32, samples: u32) -> (u32, u32) {
    let end = (at + 1) << level;
    (at << level, end.min(samples) - 1)
}

/// From where to where the squares around a quad's samples reach along an axis.
pub(super) fn side(level: u32, at: u32, samples: u32) -> [f64; 2] {
    let (first, last) = extent(level, at, samples);
    [f64::from(first) - 0.5, f64::from(last) + 0.5]
}
