//! `viewcell::simulate`: made-up players, and what two schemes tell them.

use viewcell::query::OwnedBundle;
use viewcell_outside::{Outcome, wall};
use viewcell_simulate::field::Field;
use viewcell_simulate::motion::{Model, MotionOptions, motion};
use viewcell_simulate::play::{Play, PlayOptions};
use viewcell_simulate::run::{RunError, RunOptions, run};
use viewcell_simulate::scheme::{SchemeOptions, Usual};

fn main() -> Outcome {
    let bundle = OwnedBundle::open(wall("simulate.vcb")?)?;
    let field = Field::new(*bundle.world());
    let mut options = MotionOptions::usual(&field, Model::Waypoints);
    (options.players, options.seconds) = (4, 20.0);
    let trace = motion(&field, &options)?;
    let play = Play::new(&trace, &field, &PlayOptions::default())?;
    let mut options = RunOptions::new(SchemeOptions::new(play.speed));
    options.seed = 3;
    let names = ["CS", "NPP"].map(str::to_owned);
    let outcomes = run(&field, &play, &Usual, &names, &options)?;
    assert_eq!(outcomes.len(), 2);
    let packets: Vec<u64> = outcomes
        .iter()
        .map(|outcome| outcome.packets.iter().sum())
        .collect();
    assert!(packets[0] > 0 && packets[1] > 0, "{packets:?}");
    let error = run(&field, &play, &Usual, &["nothing".to_owned()], &options).unwrap_err();
    assert!(matches!(error, RunError::NoScheme(name, _) if name == "nothing"));
    Ok(())
}
