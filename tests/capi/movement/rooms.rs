//! Rooms by chance: boxes, stairs, ramps, walls and ceilings that stand askew, water and jump pads.

use viewcell::dice::Dice;

use super::pmove::{Brush, Place, Vector, dot};

fn between(dice: &mut Dice, low: f64, high: f64) -> f32 {
    (low + (high - low) * dice.fraction()).round() as f32
}

/// A wedge in a box: what is below a plane through the middle of the box.
fn wedge(low: Vector, high: Vector, tilt: Vector) -> Brush {
    let long = dot(tilt, tilt).sqrt();
    let normal = tilt.map(|along| along / long);
    let middle = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    Brush::new([low, high], &[(normal, dot(normal, middle))])
}

const SIDE: f32 = 512.0;

/// A room; a plain one has nothing but what is along the axes.
pub fn room(dice: &mut Dice, is_plain: bool) -> Place {
    let high = between(dice, 96.0, 400.0);
    let solid = |low: Vector, top: Vector| Brush::new([low, top], &[]);
    let mut place = Place::default();
    let add = &mut place.brushes;
    add.push(solid(
        [-64.0, -64.0, -64.0],
        [SIDE + 64.0, SIDE + 64.0, 0.0],
    ));
    add.push(solid(
        [-64.0, -64.0, high],
        [SIDE + 64.0, SIDE + 64.0, high + 64.0],
    ));
    for k in 0..2 {
        let (mut low, mut top) = ([-64.0, -64.0, 0.0], [SIDE + 64.0, SIDE + 64.0, high]);
        (low[k], top[k]) = (-64.0, 0.0);
        add.push(solid(low, top));
        (low[k], top[k]) = (SIDE, SIDE + 64.0);
        add.push(solid(low, top));
    }
    for _ in 0..4 + dice.roll(10) {
        let low = [between(dice, 0.0, 400.0), between(dice, 0.0, 400.0)];
        let size = [between(dice, 16.0, 200.0), between(dice, 16.0, 200.0)];
        let tall = between(dice, 4.0, 120.0);
        let top = [low[0] + size[0], low[1] + size[1], tall];
        let low = [low[0], low[1], 0.0];
        match dice.roll(if is_plain { 3 } else { 7 }) {
            0 | 1 => add.push(solid(low, top)),
            2 => {
                // Stairs.
                let (rise, tread) = [
                    (8.0, 12.0),
                    (16.0, 16.0),
                    (18.0, 24.0),
                    (12.0, 16.0),
                    (18.0, 18.0),
                ][dice.roll(5) as usize];
                let (along, steps) = (dice.roll(2) as usize, 3 + dice.roll(6));
                for step in 0..steps {
                    let (mut a, mut b) = (low, top);
                    a[along] = low[along] + tread * step as f32;
                    b[along] = low[along] + tread * steps as f32;
                    b[2] = rise * (step + 1) as f32;
                    add.push(solid(a, b));
                }
            }
            3 | 4 => {
                let tilt = [
                    between(dice, -100.0, 100.0),
                    between(dice, -100.0, 100.0),
                    between(dice, 40.0, 200.0),
                ];
                add.push(wedge(low, top, tilt));
            }
            5 => {
                // A wall that stands askew.
                let tilt = [
                    between(dice, -100.0, 100.0),
                    between(dice, -100.0, 100.0),
                    0.0,
                ];
                if tilt != [0.0; 3] {
                    add.push(wedge(low, [top[0], top[1], high], tilt));
                }
            }
            _ => {
                // A ceiling that does.
                let tilt = [
                    between(dice, -100.0, 100.0),
                    between(dice, -100.0, 100.0),
                    between(dice, -200.0, -20.0),
                ];
                add.push(wedge([low[0], low[1], 58.0], [top[0], top[1], high], tilt));
            }
        }
    }
    if dice.roll(4) == 0 {
        let deep = between(dice, 30.0, 90.0);
        place.waters.push([
            [0.0; 3],
            [
                between(dice, 100.0, 512.0),
                between(dice, 100.0, 512.0),
                deep,
            ],
        ]);
    }
    for _ in 0..dice.roll(3) {
        let low = [between(dice, 0.0, 450.0), between(dice, 0.0, 450.0), 0.0];
        let push = [
            between(dice, -600.0, 600.0),
            between(dice, -600.0, 600.0),
            between(dice, 200.0, 900.0),
        ];
        place
            .pads
            .push(([low, [low[0] + 60.0, low[1] + 60.0, 8.0]], push));
    }
    place
}
