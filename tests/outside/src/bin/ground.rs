//! `viewcell::ground`: layers, a stamp, and the same on another machine.

use viewcell_ground::{
    Ask, Depth, Effect, GroundError, Layered, Rule, Shape, Sides, Stamp, of_layers,
};
use viewcell_outside::Outcome;

fn main() -> Outcome {
    let ask = Ask {
        size: [16, 16],
        spacing: [1.0; 3],
        materials: vec!["soil".to_owned(), "rock".to_owned()],
        sides: Sides { most: 4, least: 2 },
        most_cubes: 1_000_000,
    };
    let depths = [Depth::Constant(2.0), Depth::Rest];
    let mut ground = of_layers(&ask, &[3.0; 256], &depths, Some(-8.0))?;
    let mut other = ground.clone();
    let crater = Stamp {
        shape: Shape::Ellipsoid {
            at: [8.0, 8.0, 3.0],
            radii: [3.0; 3],
        },
        effect: Effect::Dig,
        rule: Rule::default(),
    };
    let cubes = crater.cubes(ground.frame())?;
    let before = ground.top(8, 8);
    let changes = ground
        .stamp(&cubes, crater.effect)?
        .ok_or("nothing was dug")?;
    assert!(ground.top(8, 8) < before);
    other.apply(&changes)?;
    assert_eq!(other.version(), ground.version());
    let error = other.apply(&changes).unwrap_err();
    assert!(matches!(error, GroundError::Version { .. }), "{error}");
    Ok(())
}
