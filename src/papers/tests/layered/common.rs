//! Small grounds, and stamps at random.

use viewcell::dice::Dice;
use viewcell_layered::{
    Ask, Cubes, Depth, Effect, GroundError, Layered, Material, Mesh, Patches, Rule, Shape, Sides,
    Stamp, of_layers,
};

/// What to ask for, with three materials.
pub(crate) fn ask(size: [u32; 2]) -> Ask {
    Ask {
        size,
        spacing: [1.0; 3],
        materials: ["soil", "clay", "rock"].map(String::from).to_vec(),
        sides: Sides { most: 5, least: 2 },
        most_cubes: 1_000_000,
    }
}

/// Hills of three layers with voids, from a seed.
pub(crate) fn hills(size: [u32; 2], seed: u64) -> Patches {
    let mut dice = Dice(seed);
    let [width, height] = size;
    let (a, b) = (dice.fraction() * 0.4, dice.fraction() * 0.4);
    let hole = [dice.roll(width), dice.roll(height)];
    let heights = (0..width * height).map(|i| {
        let (x, y) = (i % width, i / width);
        if x.abs_diff(hole[0]) < 7 && y.abs_diff(hole[1]) < 5 {
            f64::NAN
        } else {
            4.0 * (f64::from(x) * a).sin() + 3.0 * (f64::from(y) * b).cos()
        }
    });
    let depths = [Depth::Constant(1.5), Depth::Constant(3.0), Depth::Rest];
    of_layers(
        &ask(size),
        &heights.collect::<Vec<_>>(),
        &depths,
        Some(-14.0),
    )
    .unwrap()
}

/// Any stamp, mostly within the ground, now and then beside it.
pub(crate) fn any_stamp(dice: &mut Dice, size: [u32; 2]) -> Stamp {
    let mut number = |from: f64, to: f64| from + dice.fraction() * (to - from);
    let at = [
        number(-3.0, f64::from(size[0]) + 3.0),
        number(-3.0, f64::from(size[1]) + 3.0),
        number(-16.0, 12.0),
    ];
    let radius = number(0.3, 9.0);
    let shape = match dice.roll(4) {
        0 => Shape::Cuboid {
            from: at.map(|at| at - radius),
            to: [at[0] + 1.5, at[1] + radius, at[2] + 2.0],
        },
        1 => Shape::Cylinder {
            at,
            radii: [radius, radius * 0.7],
            height: 5.5,
        },
        2 => Shape::Mesh(octahedron().moved(|c| [0, 1, 2].map(|i| at[i] + radius * c[i]))),
        _ => Shape::Ellipsoid {
            at,
            radii: [radius, radius, radius * [1.0, 0.5][dice.roll(2) as usize]],
        },
    };
    Stamp {
        shape,
        effect: any_effect(dice),
        rule: match dice.roll(3) {
            0 => Rule::Share(0.05 + 0.9 * dice.fraction()),
            _ => Rule::Halfway,
        },
    }
}

pub(crate) fn any_effect(dice: &mut Dice) -> Effect {
    let mut material = || dice.roll(4) as Material;
    let (a, b) = (material(), material());
    match dice.roll(6) {
        0 | 1 => Effect::Dig,
        2 | 3 => Effect::Fill(a),
        4 => Effect::Replace {
            from: Some(a).filter(|a| *a > 0),
            to: b,
        },
        _ => Effect::Put(a),
    }
}

/// Around the origin, with a radius of 1.
pub(crate) fn octahedron() -> Mesh {
    let corners = vec![
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let sides = (0..4u32).map(|i| [i, (i + 1) % 4]);
    let triangles = sides.flat_map(|[a, b]| [[a, b, 4], [b, a, 5]]);
    Mesh::new(corners, triangles.collect()).unwrap()
}

/// The cubes of a stamp, or nothing where it lies outside.
pub(crate) fn cubes(stamp: &Stamp, ground: &impl Layered) -> Option<Cubes> {
    match stamp.cubes(ground.frame()) {
        Err(GroundError::Outside) => None,
        cubes => Some(cubes.unwrap()),
    }
}
