//! Proves again that pairs are hidden which a bundle says are: by its own occluders, or on its own heights.

use std::path::Path;

use super::report::{Faults, Progress, Rule, RuleOutcome};
use crate::bundle::error::BundleError;
use crate::bundle::ground::{BundleGround, Verdict};
use crate::visibility::find_sight;
use crate::visibility::solid::{Again, Prover};
use serde::{Deserialize, Serialize};
use viewcell::dice::mixed;
use viewcell::query::{
    MappedBundle, OpenError, Place, Sample, SolidBundle, TerrainBundle, VisibilityMode, World,
};

/// The rule that [`prove`] checks.
pub const PROOFS: Rule = Rule {
    name: "proofs",
    demands: "of hidden pairs that are drawn, none has a line of sight by the bundle's own occluders or heights",
};

/// What became of hidden pairs that were proven again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proofs {
    /// Pairs that were drawn. Fewer than asked for where fewer viewpoints have anything hidden.
    pub pairs: u64,
    /// Of these, those that are hidden by the occluders of the bundle, or among which no line of sight was found on its
    /// heights.
    pub proven: u64,
    /// Of these, those of which nothing was found with the effort that was made: a bake proves many pairs at once.
    pub open: u64,
    /// What became of the rule: a pair with a line of sight is a fault.
    #[serde(skip)]
    pub rule: Option<RuleOutcome>,
}

/// What is found of a pair.
enum Decided {
    Proven,
    Open,
    /// A line of sight: from where to where.
    Sight(String),
}

/// Draws so many pairs that a bundle says are hidden, spread over all viewpoints, and decides on them again: by convex
/// occluders in a solid level, by the slow twin of the kernels on a terrain. The same pairs are drawn each time.
///
/// # Errors
///
/// Where the file cannot be read or is no bundle, and where it does not hold what hides: a level of cells, a terrain under a
/// surface, a coarse one or one of sectors.
pub fn prove(
    path: &Path,
    pairs: u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proofs, BundleError> {
    let unreadable = |error| match error {
        OpenError::Format { error, .. } => BundleError::format(path)(error),
        OpenError::Io { error, .. } => BundleError::read(path)(error),
    };
    let map = MappedBundle::open(path).map_err(unreadable)?;
    let world = map.bundle().and_then(|bundle| bundle.world());
    let world = world.map_err(unreadable)?;
    let without = |found| BundleError::Unprovable {
        path: path.to_owned(),
        found,
    };
    let mut draw = Draw {
        world: &world,
        pairs,
        progress,
    };
    match &world {
        World::Solid(level) => {
            let prover = Prover::new(level);
            let prover = prover.ok_or_else(|| without("a solid level without occluders"))?;
            Ok(draw.decide(of_solid(level, prover)))
        }
        World::Terrain(terrain) => {
            if let Some(found) = BundleGround::doubt(terrain.parameters()) {
                return Err(without(found));
            }
            let ground = BundleGround::read(path, &[])?;
            Ok(draw.decide(of_terrain(terrain, &ground)))
        }
        World::Cells(_) => Err(without("a level of cells")),
    }
}

fn of_solid<'p>(
    level: &'p SolidBundle<'p>,
    mut prover: Prover<'p>,
) -> impl FnMut(Place, Place) -> Decided + 'p {
    move |a, b| {
        let (Place::Cell(a), Place::Cell(b)) = (a, b) else {
            return Decided::Open;
        };
        debug_assert!(a < level.cells() && b < level.cells());
        match prover.prove(a, b) {
            Again::Hidden => Decided::Proven,
            Again::Open => Decided::Open,
            Again::Clear(eye, body) => {
                let point = |at: [f64; 3]| at.map(|x| x.to_string()).join(",");
                Decided::Sight(format!("an eye at {} sees {}", point(eye), point(body)))
            }
        }
    }
}

/// Random lines of sight between two cells that are tried beside those between samples and corners.
const POSITIONS: u32 = 64;

fn of_terrain<'p>(
    terrain: &'p TerrainBundle<'p>,
    ground: &'p BundleGround,
) -> impl FnMut(Place, Place) -> Decided + 'p {
    let parameters = terrain.parameters();
    let most = parameters.max_distance;
    move |a, b| {
        let (Place::Sample(a), Place::Sample(b)) = (a, b) else {
            return Decided::Open;
        };
        let sight = match parameters.visibility {
            VisibilityMode::Conservative => {
                let [from, to] = [a, b].map(|of| (of.column, of.row));
                let seed = mixed(u64::from(a.column) << 32 | u64::from(a.row));
                let seed = seed ^ (u64::from(b.column) << 32 | u64::from(b.row));
                let (terrain, bodies) = (ground.seen(), ground.bodies());
                find_sight(terrain, bodies, most, from, to, POSITIONS, seed)
            }
            _ => ground.look(terrain.valid(), a, b).verdict == Verdict::Clear,
        };
        if sight {
            Decided::Sight("a line of sight over the heights of the bundle".to_owned())
        } else {
            Decided::Proven
        }
    }
}

/// Draws pairs.
struct Draw<'d> {
    world: &'d World<'d>,
    pairs: u64,
    progress: &'d mut dyn FnMut(Progress),
}

/// As many viewpoints are drawn from a share of all until one has anything hidden, and as many targets before they are
/// looked through in order.
const TRIES: u64 = 16;
/// At most so many of them.
const LOOKED_THROUGH: u64 = 1 << 16;

impl Draw<'_> {
    fn decide(&mut self, mut decide: impl FnMut(Place, Place) -> Decided) -> Proofs {
        let mut faults = Faults::default();
        let (mut drawn, mut proven, mut open) = (0, 0, 0);
        for number in 0..self.pairs {
            (self.progress)(Progress {
                rule: PROOFS,
                done: number,
                total: self.pairs,
            });
            let Some((a, b)) = self.pair(number) else {
                continue;
            };
            drawn += 1;
            match decide(a, b) {
                Decided::Proven => proven += 1,
                Decided::Open => open += 1,
                Decided::Sight(sight) => {
                    faults.add(
                        format!("{} and {}", name(a), name(b)),
                        None,
                        "hidden",
                        sight,
                    );
                }
            }
        }
        Proofs {
            pairs: drawn,
            proven,
            open,
            rule: Some(RuleOutcome::of(PROOFS, faults)),
        }
    }

    /// A pair that is hidden by the bundle, whose viewpoint is of the share of this number.
    fn pair(&self, number: u64) -> Option<(Place, Place)> {
        let places = self.world.places();
        let at = |number: u64| {
            self.world
                .place(number)
                .filter(|place| self.world.can_be_at(*place))
        };
        (0..TRIES).find_map(|attempt| {
            let mut dice = mixed(number << 8 | attempt);
            let mut roll = |limit: u64| {
                dice = mixed(dice);
                dice % limit.max(1)
            };
            let share = |number: u64| {
                (u128::from(number) * u128::from(places) / u128::from(self.pairs)) as u64
            };
            let (first, end) = (share(number), share(number + 1));
            let a = at(first + roll(end.saturating_sub(first)))?;
            let hidden = |number: u64| at(number).filter(|b| !self.world.visible(a, *b));
            let drawn = (0..TRIES).find_map(|_| hidden(roll(places)));
            let begin = roll(places);
            let b = drawn.or_else(|| {
                let looked = 0..places.min(LOOKED_THROUGH);
                looked.map(|i| (begin + i) % places).find_map(hidden)
            })?;
            Some((a, b))
        })
    }
}

fn name(place: Place) -> String {
    match place {
        Place::Sample(Sample { column, row }) => format!("sample ({column}, {row})"),
        Place::Cell(cell) => format!("cell {cell}"),
    }
}
