//! The top of layered ground, as heights.

use super::layered::Layered;
use super::patches::Patches;
use super::tree::EMPTY;

/// The height of the top of each column in metres, row by row, NaN where there is no ground.
pub fn surface(ground: &Patches) -> Vec<f64> {
    let frame = ground.frame();
    let (width, height) = (frame.width(), frame.height());
    let mut tops = vec![f64::NAN; width as usize * height as usize];
    for (square, stack) in frame.patches().iter().zip(ground.stacks()) {
        let side = 1u32 << square.level;
        let (columns, rows) = (side.min(width - square.x), side.min(height - square.y));
        let mut left = u64::from(columns) * u64::from(rows);
        for (slice, tree) in stack.range().zip(&stack.slices).rev() {
            if left == 0 {
                break;
            }
            let top = f64::from(slice + 1) * frame.spacing()[2];
            let within = [[0, 0], [columns, rows]];
            tree.leaves_in(square.level, within, &mut |_, [x, y], level, material| {
                if material == EMPTY {
                    return;
                }
                let (right, bottom) = (columns.min(x + (1 << level)), rows.min(y + (1 << level)));
                for y in y..bottom {
                    let start = (square.y + y) as usize * width as usize + square.x as usize;
                    for at in &mut tops[start + x as usize..start + right as usize] {
                        if at.is_nan() {
                            *at = top;
                            left -= 1;
                        }
                    }
                }
            });
        }
    }
    tops
}
