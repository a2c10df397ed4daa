//! What frontier sets could save at most, if all moves were known beforehand.

use super::field::{Field, Place};
use super::play::Play;

/// What it would take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Packets that perfect peers send.
    pub perfect: u64,
    /// Times that a pair comes out of sight: as many agreements there must be, whatever the regions.
    pub out_of_sight: u64,
    /// Agreements, if each region holds all places that its player comes to, for as long as the two
    /// may be held apart at all. Nobody needs fewer.
    pub agreements: u64,
}

impl Bound {
    /// Packets in all against those of perfect peers, at so many packets an agreement.
    pub fn ratio(&self, packets: u64) -> f64 {
        (self.perfect + packets * self.agreements) as f64 / self.perfect.max(1) as f64
    }
}

/// The fewest agreements of each pair: a set lasts as long as no place that the one has been to
/// sees one that the other has been to. What holds for a stretch of time holds for each part of it,
/// so to end none early is best.
///
/// O(frames · places that a player comes to) a pair.
pub fn bound(field: &Field, play: &Play) -> Bound {
    let mut bound = Bound::default();
    for a in 0..play.players {
        for b in 0..a {
            let mut been: Option<[Vec<Place>; 2]> = None;
            for frame in 0..play.frames {
                let places = play.places(frame);
                let (Some(here), Some(there)) = (places[a], places[b]) else {
                    been = None;
                    continue;
                };
                let seen = [field.visible(there, here), field.visible(here, there)];
                bound.perfect += seen.iter().map(|seen| u64::from(*seen)).sum::<u64>();
                if seen.contains(&true) {
                    been = None;
                    continue;
                }
                let apart = been.as_ref().is_some_and(|[of_a, of_b]| {
                    let hidden = |place: Place, others: &[Place]| {
                        others.iter().all(|other| field.hidden(place, *other))
                    };
                    (of_a.contains(&here) || hidden(here, of_b))
                        && (of_b.contains(&there) || hidden(there, of_a))
                });
                if !apart {
                    bound.out_of_sight += u64::from(been.is_none());
                    bound.agreements += 1;
                    been = Some([vec![here], vec![there]]);
                } else if let Some([of_a, of_b]) = &mut been {
                    if !of_a.contains(&here) {
                        of_a.push(here);
                    }
                    if !of_b.contains(&there) {
                        of_b.push(there);
                    }
                }
            }
        }
    }
    bound
}
