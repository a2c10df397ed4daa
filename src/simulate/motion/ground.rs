//! Shortest paths between places where players can walk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::field::{Field, Place};
use viewcell::dice::Dice;
use viewcell::query::{CellBundle, Sample};

use super::{Model, MotionOptions};

/// Places, which of them can be walked between, and the paths to a few of them.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    field: &'a Field<'a>,
    slope: f64,
    /// The point of each place that players walk to; none where nobody can be.
    points: Vec<Option<[f64; 3]>>,
    /// In a level: where a player can go from each cell, and how far that is.
    ways: Vec<Vec<(Place, f64)>>,
    /// The places that players may be put in: all that are joined to each other.
    spawns: Vec<Place>,
    /// For each objective, how far every place is from it; infinite where no way leads.
    pub objectives: Vec<Vec<f32>>,
}

impl<'a> Ground<'a> {
    /// None where nobody can walk.
    pub(super) fn new(
        field: &'a Field<'a>,
        options: &MotionOptions,
        objectives: usize,
        dice: &mut Dice,
    ) -> Option<Self> {
        let points = points(field, dice);
        let mut ground = Self {
            field,
            slope: options.slope,
            ways: field.level().map_or(Vec::new(), |level| {
                ways(&level.bundle, &level.touching, &points)
            }),
            points,
            spawns: Vec::new(),
            objectives: Vec::new(),
        };
        ground.spawns = ground.largest();
        if ground.spawns.len() < 2 {
            return None;
        }
        if options.model != Model::Waypoints {
            for _ in 0..objectives {
                let target = ground.somewhere(dice);
                let far = ground.distances(target);
                ground.objectives.push(far);
            }
        }
        Some(ground)
    }

    /// The field.
    pub(super) fn field(&self) -> &'a Field<'a> {
        self.field
    }

    /// A place that players may be put in.
    pub(super) fn somewhere(&self, dice: &mut Dice) -> Place {
        self.spawns[dice.roll(self.spawns.len() as u32) as usize]
    }

    /// Where in a place players walk to.
    pub(super) fn point(&self, place: Place) -> [f64; 3] {
        self.points[place as usize].unwrap_or_default()
    }

    /// Where a player can go from a place, and how far that is.
    pub(super) fn next(&self, place: Place) -> Vec<(Place, f64)> {
        let Some(terrain) = self.field.terrain() else {
            return self.ways[place as usize].clone();
        };
        let Sample { column, row } = self.field.sample(place);
        let mut found = Vec::with_capacity(8);
        for (right, down) in [
            (1, 0),
            (-1, 0),
            (0, 1),
            (0, -1),
            (1, 1),
            (-1, 1),
            (1, -1),
            (-1, -1),
        ] {
            let sample = (
                column.checked_add_signed(right),
                row.checked_add_signed(down),
            );
            let (Some(column), Some(row)) = sample else {
                continue;
            };
            let sample = Sample::new(column, row);
            if terrain.valid().has_sample(sample) {
                let next = self.field.place_of(sample);
                if let Some(far) = self.step(place, next) {
                    found.push((next, far));
                }
            }
        }
        found
    }

    /// How far it is from one sample to the next; none where the ground between is too steep.
    pub(super) fn step(&self, from: Place, to: Place) -> Option<f64> {
        let (a, b) = (self.points[from as usize]?, self.points[to as usize]?);
        let far = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
        ((a[2] - b[2]).abs() <= self.slope * far).then_some(far)
    }

    /// The largest set of places that are all joined by paths, in rising order.
    fn largest(&self) -> Vec<Place> {
        let mut met = vec![false; self.points.len()];
        let mut largest = Vec::new();
        for start in 0..self.points.len() {
            if met[start] || self.points[start].is_none() {
                continue;
            }
            met[start] = true;
            let mut joined = vec![start as Place];
            let mut head = 0;
            while let Some(&place) = joined.get(head) {
                head += 1;
                for (next, _) in self.next(place) {
                    if !std::mem::replace(&mut met[next as usize], true) {
                        joined.push(next);
                    }
                }
            }
            if joined.len() > largest.len() {
                largest = joined;
            }
        }
        largest.sort_unstable();
        largest
    }

    /// How far every place is from one, by the shortest way.
    pub(super) fn distances(&self, target: Place) -> Vec<f32> {
        let mut far = vec![f32::INFINITY; self.points.len()];
        far[target as usize] = 0.0;
        // Whole numbers: sixteenths of a unit come in the same order on every machine.
        let mut waiting = BinaryHeap::from([Reverse((0_u64, target))]);
        while let Some(Reverse((distance, place))) = waiting.pop() {
            if distance as f32 / 16.0 > far[place as usize] {
                continue;
            }
            for (next, length) in self.next(place) {
                let distance = distance + (length * 16.0) as u64 + 1;
                if (distance as f32 / 16.0) < far[next as usize] {
                    far[next as usize] = distance as f32 / 16.0;
                    waiting.push(Reverse((distance, next)));
                }
            }
        }
        far
    }

    /// The place after this one on the shortest way; none where it is the target, or no way leads.
    pub(super) fn towards(&self, far: &[f32], place: Place) -> Option<Place> {
        let here = far[place as usize];
        self.next(place)
            .into_iter()
            .map(|(next, _)| next)
            .filter(|next| far[*next as usize] < here)
            .min_by(|a, b| far[*a as usize].total_cmp(&far[*b as usize]).then(a.cmp(b)))
    }
}

/// A point in each place: of a sample the middle, of a cell one that its BSP says is in it.
fn points(field: &Field, dice: &mut Dice) -> Vec<Option<[f64; 3]>> {
    (0..field.places())
        .map(|place| {
            let middle = field.middle(place);
            if let Some(terrain) = field.terrain() {
                let stands = terrain.valid().has_sample(field.sample(place));
                return stands.then_some(middle);
            }
            // Which cells of a solid level can be walked between is not known.
            let level = field.world().cells()?;
            let [low, high] = level.bounds(place)?;
            let mut point = middle;
            for _ in 0..32 {
                if level.locate(point) == Some(place) {
                    return Some(point);
                }
                point = [0, 1, 2].map(|i| {
                    let (low, high) = (f64::from(low[i]), f64::from(high[i]));
                    low + dice.fraction() * (high - low)
                });
            }
            None
        })
        .collect()
}

/// Which touching cells can be walked between: those with nothing solid between their points.
fn ways(
    level: &CellBundle,
    touching: &[Vec<(Place, f64)>],
    points: &[Option<[f64; 3]>],
) -> Vec<Vec<(Place, f64)>> {
    let is_open = |a: Place, b: Place| match (points[a as usize], points[b as usize]) {
        (Some(from), Some(to)) => level.along(from, to).all(|part| part.cell.is_some()),
        _ => false,
    };
    touching
        .iter()
        .zip(0..)
        .map(|(cells, a)| {
            let open = cells.iter().filter(|(b, _)| is_open(a, *b));
            open.copied().collect()
        })
        .collect()
}
