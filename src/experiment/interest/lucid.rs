//! The matcher of the Lucid platform, which is I-Collide's (Liu's thesis, section 3.4.1): a table of
//! all pairs says for each axis whether the projections overlap. Its memory grows with the square of
//! the regions, and nothing else in it does.

use super::lists::{Lists, Swap, pairs};
use crate::runtime::interest::{BruteForce, Method, Record, Regions};

/// All three axes overlap.
const OVERLAP: u8 = 0b111;
/// The pair was reported, and has not ceased.
const REPORTED: u8 = 0b1000;

/// I-Collide's table of pairs, over sorted lists.
#[derive(Debug, Default)]
pub struct Lucid {
    lists: Lists,
    /// Of two regions with indices a > b, at a·(a - 1)/2 + b.
    table: Vec<u8>,
    changed: Vec<(u32, u32)>,
}

fn place(a: u32, b: u32) -> usize {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    high * (high - 1) / 2 + low
}

impl Method for Lucid {
    fn tick(&mut self, regions: &Regions, changes: &mut Record) {
        let places = regions.places();
        self.table.resize(places * places.saturating_sub(1) / 2, 0);
        self.changed.clear();
        for (gone, _, _, _, _) in regions
            .iter_all()
            .filter(|region| !regions.is_alive(region.0))
        {
            for other in (0..places as u32).filter(|other| *other != gone) {
                let status = &mut self.table[place(gone, other)];
                if *status & REPORTED != 0 {
                    for (update, subscription) in pairs(regions, gone, other) {
                        changes.cease(regions, update, subscription);
                    }
                }
                *status = 0;
            }
        }
        let Self {
            lists,
            table,
            changed,
        } = self;
        lists.sort(
            regions,
            |_, now| *now,
            |axis, swap: Swap| {
                // Two lower ends or two upper ones that pass each other change nothing.
                if swap.down_is_upper == swap.up_is_upper {
                    return;
                }
                let status = &mut table[place(swap.down, swap.up)];
                let before = *status & OVERLAP;
                // A lower end that moves down past an upper one begins an overlap.
                if swap.up_is_upper {
                    *status |= 1 << axis;
                } else {
                    *status &= !(1 << axis);
                }
                if (before == OVERLAP) != (*status & OVERLAP == OVERLAP) {
                    changed.push((swap.down, swap.up));
                }
            },
        );
        for &(a, b) in &*changed {
            let status = &mut table[place(a, b)];
            let (is, was) = (*status & OVERLAP == OVERLAP, *status & REPORTED != 0);
            if is != was {
                *status ^= REPORTED;
                for (update, subscription) in pairs(regions, a, b) {
                    if is {
                        changes.begin(regions, update, subscription);
                    } else {
                        changes.cease(regions, update, subscription);
                    }
                }
            }
        }
        changes.sort();
    }

    /// It knows no instants: Liu compares it with discrete methods only. All pairs are solved.
    fn sweep(&mut self, regions: &Regions, changes: &mut Record) {
        self.tick(regions, &mut Record::default());
        BruteForce.sweep(regions, changes);
    }

    fn bytes(&self) -> usize {
        self.lists.bytes()
            + self.table.capacity()
            + self.changed.capacity() * size_of::<(u32, u32)>()
    }
}
