//! What is refused changes nothing.

use viewcell::interest::{Bounds, InterestError};
use viewcell_papers::interest::matching::{Grid, Interest, Kind, Region};

fn unit(at: f32) -> Bounds {
    Bounds::new([at; 3], [at + 1.0; 3]).unwrap()
}

#[test]
fn boxes_that_are_none() {
    for (dimension, wrong) in [(0, f32::NAN), (1, f32::INFINITY), (2, f32::NEG_INFINITY)] {
        let mut min = [0.0; 3];
        min[usize::from(dimension)] = wrong;
        let refused = Err(InterestError::NotFinite { dimension });
        assert_eq!(Bounds::new(min, [1.0; 3]), refused);
        let mut max = [1.0; 3];
        max[usize::from(dimension)] = wrong;
        assert_eq!(Bounds::new([0.0; 3], max), refused);
    }
    let inverted = Err(InterestError::Inverted { dimension: 1 });
    assert_eq!(Bounds::new([0.0, 2.0, 0.0], [1.0; 3]), inverted);
    assert_eq!(Bounds::around([0.0; 3], [1.0, -1.0, 1.0]), inverted);
    // Sums may leave the range of a float.
    let beyond = Bounds::around([f32::MAX; 3], [f32::MAX; 3]);
    assert_eq!(beyond, Err(InterestError::NotFinite { dimension: 0 }));
    assert!(Bounds::new([f32::MIN; 3], [f32::MAX; 3]).is_ok());
    assert!(Bounds::new([1.0; 3], [1.0; 3]).is_ok(), "a point");
}

#[test]
fn names_of_nobody_and_of_the_removed() {
    let mut interest = Interest::new();
    let update = interest.insert(Kind::Update, unit(0.0)).unwrap();
    let heard = interest.insert(Kind::Subscription, unit(0.5)).unwrap();
    assert_eq!(interest.tick().began.len(), 1);

    let stranger = Region::from_parts(7, 0);
    assert_eq!(
        interest.move_to(stranger, unit(9.0)),
        Err(InterestError::Unknown)
    );
    assert_eq!(interest.remove(stranger), Err(InterestError::Unknown));
    let changes = interest.tick();
    assert!(changes.began.is_empty() && changes.ceased.is_empty());

    interest.remove(update).unwrap();
    assert_eq!(interest.remove(update), Err(InterestError::Removed));
    assert_eq!(
        interest.move_to(update, unit(0.0)),
        Err(InterestError::Removed)
    );
    assert_eq!(interest.bounds(update), Err(InterestError::Removed));
    let changes = interest.tick();
    assert_eq!(
        (changes.ceased[0].update, changes.ceased[0].subscription),
        (update, heard)
    );
    assert_eq!(interest.count(), 1);
}

#[test]
fn more_than_there_is_room_for() {
    let mut interest = Interest::with_limit(Grid::default(), 2);
    let first = interest.insert(Kind::Both, unit(0.0)).unwrap();
    interest.insert(Kind::Both, unit(0.5)).unwrap();
    assert_eq!(
        interest.insert(Kind::Both, unit(0.0)),
        Err(InterestError::Full)
    );
    assert_eq!(
        interest.tick().began.len(),
        2,
        "each hears of the other, and not of itself"
    );
    interest.remove(first).unwrap();
    assert_eq!(interest.tick().ceased.len(), 2);
    assert!(interest.insert(Kind::Both, unit(0.0)).is_ok());
}

#[test]
fn one_that_comes_and_goes_within_a_tick_was_never_there() {
    let mut interest = Interest::new();
    interest.insert(Kind::Both, unit(0.0)).unwrap();
    let guest = interest.insert(Kind::Both, unit(0.0)).unwrap();
    interest.remove(guest).unwrap();
    let changes = interest.tick();
    assert!(changes.began.is_empty() && changes.ceased.is_empty());
}
