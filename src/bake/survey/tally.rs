//! By how many observers each sample of a terrain is seen: counts, what they come to, and masks of what is seen.
//!
//! To walk through millions of counts takes longer than one viewshed, and to touch their memory as long. So they are
//! bytes where there are few observers, and are looked at in runs, of which most are zero.

use std::borrow::Cow;
use std::ops::{AddAssign, Mul};

use crate::visibility::Viewshed;
use viewcell_ingest::world::Terrain;

/// Samples that are looked at together.
const RUN: usize = 64;

/// By how many observers each sample is seen, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Of up to 255 observers.
    Few(Vec<u8>),
    /// Of any number.
    Many(Vec<u32>),
}

/// What counts.
trait Count: Copy + From<bool> + Into<u32> + AddAssign + Mul<Output = Self> {}

impl Count for u8 {}
impl Count for u32 {}

impl Counts {
    /// None yet, of so many samples and observers.
    pub fn new(samples: usize, observers: usize) -> Self {
        match u8::try_from(observers) {
            Ok(_) => Self::Few(vec![0; samples]),
            Err(_) => Self::Many(vec![0; samples]),
        }
    }

    /// Adds so many observers who see the same of a terrain with so many columns; how many samples each of them sees.
    ///
    /// # Panics
    ///
    /// If what they see is outside of the terrain.
    pub fn add(&mut self, shed: &Viewshed, columns: u32, observers: u32) -> u64 {
        match self {
            Self::Few(counts) => add(shed, counts, columns, observers as u8),
            Self::Many(counts) => add(shed, counts, columns, observers),
        }
    }

    /// The number at each sample.
    pub fn numbers(&self) -> Cow<'_, [u32]> {
        match self {
            Self::Few(counts) => counts.iter().map(|count| u32::from(*count)).collect(),
            Self::Many(counts) => counts.into(),
        }
    }

    /// What they come to, of the places of a terrain, row by row.
    ///
    /// # Panics
    ///
    /// If there are not as many of both.
    pub fn tally(&self, places: &[bool]) -> Tally {
        match self {
            Self::Few(counts) => Tally::new(counts, places),
            Self::Many(counts) => Tally::new(counts, places),
        }
    }

    /// 1 for what is seen at all, 0 for other places, and `none` for what is no place, row by row.
    ///
    /// # Panics
    ///
    /// If there are not as many counts as places.
    pub fn into_marks(self, places: &[bool], none: u8) -> Vec<u8> {
        let mark = |(count, is): (u32, &bool)| if *is { count.min(1) as u8 } else { none };
        match self {
            Self::Few(mut counts) => {
                assert_eq!(counts.len(), places.len());
                for (count, is) in counts.iter_mut().zip(places) {
                    *count = mark(((*count).into(), is));
                }
                counts
            }
            Self::Many(counts) => {
                assert_eq!(counts.len(), places.len());
                counts.into_iter().zip(places).map(mark).collect()
            }
        }
    }
}

fn add<N: Count>(shed: &Viewshed, counts: &mut [N], columns: u32, observers: N) -> u64 {
    let mut all = 0;
    let rows = shed.seen.chunks_exact(shed.columns.len().max(1));
    for (row, seen) in shed.rows.clone().zip(rows) {
        let first = row as usize * columns as usize + shed.columns.start as usize;
        let counts = &mut counts[first..first + seen.len()];
        for (counts, seen) in counts.chunks_mut(RUN).zip(seen.chunks(RUN)) {
            let here: u32 = seen.iter().map(|seen| u32::from(*seen)).sum();
            if here > 0 {
                for (count, seen) in counts.iter_mut().zip(seen) {
                    *count += N::from(*seen) * observers;
                }
                all += u64::from(here);
            }
        }
    }
    all
}

/// By how many observers places are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Where somebody can be.
    pub places: u64,
    /// Places that any observer sees.
    pub visible: u64,
    /// The least count of a place; 0 if there are none.
    pub least: u32,
    /// The greatest.
    pub greatest: u32,
    /// The sum of all.
    pub sum: u64,
}

/// Whether somebody can be at each sample of a terrain, row by row.
pub fn places(terrain: &Terrain) -> Vec<bool> {
    let mut places: Vec<bool> = terrain.ground().iter().map(|h| !h.is_nan()).collect();
    if let Some(walkable) = terrain.walkable() {
        for (place, walkable) in places.iter_mut().zip(walkable) {
            *place &= walkable;
        }
    }
    places
}

impl Tally {
    fn new<N: Count>(counts: &[N], places: &[bool]) -> Self {
        assert_eq!(counts.len(), places.len());
        let mut tally = Self {
            least: u32::MAX,
            ..Self::default()
        };
        for (counts, places) in counts.chunks(RUN).zip(places.chunks(RUN)) {
            let here: u32 = places.iter().map(|is| u32::from(*is)).sum();
            tally.places += u64::from(here);
            if counts.iter().fold(0, |any, count| any | (*count).into()) == 0 {
                tally.least = if here > 0 { 0 } else { tally.least };
                continue;
            }
            for (count, _) in counts.iter().zip(places).filter(|(_, is)| **is) {
                let count: u32 = (*count).into();
                tally.visible += u64::from(count > 0);
                tally.least = tally.least.min(count);
                tally.greatest = tally.greatest.max(count);
                tally.sum += u64::from(count);
            }
        }
        tally.least = if tally.places > 0 { tally.least } else { 0 };
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_tallied_as_one_by_one() {
        // Longer than a run, with a run of nothing, and no places at the end.
        let numbers: Vec<u32> = (0..200).map(|i| if i < 70 { i % 5 } else { 0 }).collect();
        let bytes = numbers.iter().map(|count| *count as u8).collect();
        let kinds = [Counts::Few(bytes), Counts::Many(numbers.clone())];
        for places in [
            vec![true; 200],
            (0..200).map(|i| i % 3 == 0 && i < 150).collect(),
        ] {
            let of_places = || {
                let counts = numbers.iter().zip(&places).filter(|(_, is)| **is);
                counts.map(|(count, _)| *count)
            };
            for counts in &kinds {
                let tally = counts.tally(&places);
                assert_eq!(tally.places, of_places().count() as u64);
                let visible = of_places().filter(|count| *count > 0).count();
                assert_eq!(tally.visible, visible as u64);
                assert_eq!(Some(tally.least), of_places().min());
                assert_eq!(Some(tally.greatest), of_places().max());
                assert_eq!(tally.sum, of_places().map(u64::from).sum::<u64>());
                let marks = counts.clone().into_marks(&places, 255);
                for i in 0..200 {
                    let expected = u8::from(numbers[i] > 0);
                    assert_eq!(marks[i], if places[i] { expected } else { 255 });
                }
                assert_eq!(*counts.numbers(), numbers);
            }
        }
        let few = Counts::Few(vec![3, 2, 9]);
        assert_eq!(few.tally(&[true; 3]).least, 2);
        assert_eq!(few.tally(&[false; 3]), Tally::default());
    }

    #[test]
    fn what_many_see_is_counted_where_it_lies() {
        let seen: Vec<bool> = (0..3 * 70).map(|i| i % 7 == 0).collect();
        let shed = Viewshed {
            columns: 20..90,
            rows: 1..4,
            seen: seen.clone(),
        };
        for (observers, counts) in [(255, 200), (256, 256)] {
            let mut found = Counts::new(100 * 5, observers);
            assert_eq!(found.add(&shed, 100, counts), 30);
            let found = found.numbers();
            for i in 0..500 {
                let (column, row) = (i % 100, i / 100);
                let inside = (20..90).contains(&column) && (1..4).contains(&row);
                let expected = inside && seen[(row - 1) * 70 + column - 20];
                assert_eq!(found[i], if expected { counts } else { 0 });
            }
        }
    }
}
