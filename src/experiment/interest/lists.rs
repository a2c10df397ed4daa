//! Sorted lists of endpoints, one an axis, kept from tick to tick: what Lucid's matcher and Liu's
//! have in common (thesis, sections 2.8, 3.2 and 3.3).

use crate::runtime::interest::{Bounds, Kind, Regions};

/// One end of a region's projection on an axis.
#[derive(Clone, Copy, Debug)]
struct End {
    at: f32,
    /// Twice the region's index, and 1 at the upper end.
    of: u32,
}

impl End {
    /// Lower ends come first where ends meet, so that touching overlaps.
    fn is_after(self, other: Self) -> bool {
        match self.at.total_cmp(&other.at) {
            std::cmp::Ordering::Equal => (self.of & 1, self.of) > (other.of & 1, other.of),
            order => order.is_gt(),
        }
    }
}

/// Two ends that change places.
#[derive(Clone, Copy, Debug)]
pub struct Swap {
    /// The region whose end moves down.
    pub down: u32,
    /// Whether that is its upper end.
    pub down_is_upper: bool,
    /// The region whose end moves up.
    pub up: u32,
    /// Whether that is its upper end.
    pub up_is_upper: bool,
}

/// The three lists.
#[derive(Debug, Default)]
pub struct Lists {
    axes: [Vec<End>; 3],
    /// By index: whether the region has its ends in the lists.
    listed: Vec<bool>,
}

impl Lists {
    /// Brings the lists up to date by insertion sort, and tells of each swap of an end of an update
    /// region with one of a subscription region, with the axis.
    ///
    /// Those that come are appended, as if from infinitely far away; those that go are taken out
    /// without a swap. `place` tells the box that counts of each region that is there.
    pub fn sort(
        &mut self,
        regions: &Regions,
        place: impl Fn(&Bounds, &Bounds) -> Bounds,
        mut swapped: impl FnMut(usize, Swap),
    ) {
        let mut there: Vec<Option<(Kind, Bounds)>> = vec![None; regions.places()];
        for (index, kind, _, was, now) in regions.iter() {
            there[index as usize] = Some((kind, place(was, now)));
        }
        self.listed.resize(regions.places(), false);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.retain_mut(|end| {
                let Some((_, bounds)) = there[end.of as usize / 2] else {
                    return false;
                };
                end.at = coordinate(&bounds, axis, end.of & 1 == 1);
                true
            });
            for (index, region) in (0..).zip(&there) {
                let Some((_, bounds)) = region else { continue };
                if self.listed[index as usize] {
                    continue;
                }
                for upper in [false, true] {
                    ends.push(End {
                        at: coordinate(bounds, axis, upper),
                        of: 2 * index + u32::from(upper),
                    });
                }
            }
            for i in 1..ends.len() {
                let end = ends[i];
                let mut j = i;
                while j > 0 && ends[j - 1].is_after(end) {
                    let other = ends[j - 1];
                    let (down, up) = (end.of / 2, other.of / 2);
                    let kinds = there[down as usize].zip(there[up as usize]);
                    if kinds.is_some_and(|((a, _), (b, _))| may_match(a, b)) && down != up {
                        let (down_is_upper, up_is_upper) = (end.of & 1 == 1, other.of & 1 == 1);
                        swapped(
                            axis,
                            Swap {
                                down,
                                down_is_upper,
                                up,
                                up_is_upper,
                            },
                        );
                    }
                    ends[j] = other;
                    j -= 1;
                }
                ends[j] = end;
            }
        }
        for (listed, region) in self.listed.iter_mut().zip(&there) {
            *listed = region.is_some();
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let ends: usize = self.axes.iter().map(Vec::capacity).sum();
        ends * size_of::<End>() + self.listed.capacity()
    }
}

/// A coordinate, of which 0 has one sign.
fn coordinate(bounds: &Bounds, axis: usize, upper: bool) -> f32 {
    let corner = if upper { bounds.max() } else { bounds.min() };
    corner[axis] + 0.0
}

fn may_match(a: Kind, b: Kind) -> bool {
    a.updates() && b.subscribes() || a.subscribes() && b.updates()
}

/// The pairs that two regions make: update, then subscription.
pub(super) fn pairs(regions: &Regions, a: u32, b: u32) -> impl Iterator<Item = (u32, u32)> {
    let kind = |index| regions.kind(index);
    [(a, b), (b, a)]
        .into_iter()
        .filter(move |&(update, subscription)| {
            kind(update).is_some_and(Kind::updates)
                && kind(subscription).is_some_and(Kind::subscribes)
        })
}
