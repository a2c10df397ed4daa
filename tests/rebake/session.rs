//! Frontier sets and ground that changes under them.

use std::cell::Cell;

use viewcell::query::{Layers, MappedBundle, Place, Sample, World};
use viewcell::session::{News, Notice, Session, SessionOptions, SessionWorld, Sets};
use viewcell_bake::{
    BakeOptions, RebakeJob, RebakeOptions, Silent, VisibilityMode, bake_terrain, rebake,
};
use viewcell_ingest::world::Terrain;

use super::baking::source;

/// Ground that becomes another, once.
#[derive(Clone)]
struct Ground<'a> {
    known: World<'a>,
    next: &'a Cell<Option<World<'a>>>,
}

impl<'a> SessionWorld for Ground<'a> {
    type Sets = Sets<'a>;

    fn world(&self) -> &World<'_> {
        &self.known
    }

    fn sets(&self) -> Sets<'a> {
        self.known.sets()
    }

    fn with_sets<R>(sets: &mut Sets<'a>, work: impl FnOnce(&mut Sets<'_>) -> R) -> R {
        work(sets)
    }

    fn now(&self) -> Option<Self> {
        let known = self.next.take()?;
        Some(Self { known, ..*self })
    }
}

/// Three chambers between ridges; with a gap in the second ridge, or without.
fn chambers(gap: bool) -> Terrain {
    let heights = (0..20u32).flat_map(|row| {
        (0..42u32).map(move |column| match column {
            13 | 28 if !(gap && column == 28 && (8..12).contains(&row)) => 40.0,
            _ => f64::from((column * 3 + row * 5) % 4) / 10.0,
        })
    });
    Terrain::new(42, 20, heights.collect(), [5.0; 2]).unwrap()
}

#[test]
fn sets_that_are_no_longer_true_are_dropped_and_only_those() {
    let folder = tempfile::tempdir().unwrap();
    let (base, gap) = (
        folder.path().join("base.vcb"),
        folder.path().join("gap.vcp"),
    );
    let options = BakeOptions {
        mode: VisibilityMode::Exact,
        threads: 1,
        ..BakeOptions::default()
    };
    bake_terrain(&chambers(false), &source(), &options, &base, &Silent).unwrap();
    let job = RebakeJob {
        bundle: &base,
        over: &[],
        output: None,
        patch: Some(&gap),
    };
    let how = RebakeOptions::default();
    rebake(&job, &chambers(true), &source(), &how, &Silent).unwrap();
    let map = MappedBundle::open(&base).unwrap();
    let bytes = std::fs::read(&gap).unwrap();
    let mut layers = Layers::new(&map.bundle().unwrap()).unwrap();
    layers.lay(&bytes).unwrap();
    let now = World::Terrain(layers.terrain());

    let next = Cell::new(None);
    let ground = Ground {
        known: World::Terrain(map.terrain().unwrap()),
        next: &next,
    };
    let mut session = Session::new(&ground, 4, SessionOptions::default());
    session.tick();
    let places = [(3, 10), (20, 10), (36, 10), (5, 3)];
    for (player, (column, row)) in places.into_iter().enumerate() {
        let place = Some(Some(Place::Sample(Sample::new(column, row))));
        session.move_to(player, place, |_| ()).unwrap();
    }
    let samples = |session: &Session<Ground>, a: usize, b: usize| -> Option<Vec<Place>> {
        Some(session.half(a, b)?.places().collect())
    };
    let pairs: Vec<(usize, usize)> = (0..4).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let sets: Vec<_> = pairs
        .iter()
        .map(|&(a, b)| Some((samples(&session, a, b)?, samples(&session, b, a)?)))
        .collect();
    let mut told: Vec<Notice> = Vec::new();
    next.set(Some(now));
    session.follow(|notice| told.push(notice));
    let (mut kept, mut dropped) = (0, 0);
    for (&(a, b), set) in pairs.iter().zip(&sets) {
        let Some((here, there)) = set else {
            assert!(session.half(a, b).is_none());
            continue;
        };
        let holds = here
            .iter()
            .all(|&from| there.iter().all(|&to| !now.visible(from, to)));
        assert_eq!(session.half(a, b).is_some(), holds, "{a} and {b}");
        kept += usize::from(holds);
        dropped += usize::from(!holds);
        if !holds {
            let place = |player: usize| session.place(player).flatten().unwrap();
            let sees = now.visible(place(a), place(b));
            let about = |notice: &Notice| (notice.to, notice.about) == (a, b);
            assert_eq!(told.iter().any(about), sees, "{a} and {b}");
        }
    }
    assert!(kept > 0 && dropped > 0, "{kept} kept, {dropped} dropped");
    assert!(told.iter().all(|notice| notice.what == News::Position));
    // What follows is asked of the new ground.
    let [from, to] = [37, 20].map(|column| Place::Sample(Sample::new(column, 10)));
    let mut heard = Vec::new();
    session
        .move_to(2, Some(Some(from)), |notice| heard.push(notice))
        .unwrap();
    let sees = now.visible(from, to);
    assert_eq!(heard.iter().any(|n| (n.to, n.about) == (2, 1)), sees);
    assert!(sees);
}
