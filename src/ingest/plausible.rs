//! Sanity checks of a heightmap: what its numbers come to, and whether they can be ground.
//!
//! A wrong scale, spacing, size or byte order gives a raster like any other. What is read of it is told before anything
//! is made of it, and what no ground looks like is warned of with the option that mends it.

use crate::world::{Short, Terrain};

/// Metres between the lowest and the highest place of the largest things that are measured as one: Mars, from Hellas to
/// Olympus Mons, is 30 km.
const GREATEST_RANGE: f64 = 30_000.0;

/// Below so many metres a pillar, a quarry or a house may be higher than a small raster is wide.
const SMALL_RANGE: f64 = 500.0;

/// Noise of all values alike differs by a third of its range from sample to sample. Ground does by a hundredth, the
/// roofs of a town by a thirtieth.
const NOISE: f64 = 0.15;

/// Fewer samples than this say nothing of noise.
const ENOUGH: usize = 1024;

/// A note of what was read, then warnings; those begin with `warning: `.
pub(super) fn notes(terrain: &Terrain, format: &str) -> Vec<String> {
    let statistics = Statistics::of(terrain);
    let [dx, dy] = terrain.spacing();
    let [columns, rows] = [terrain.width(), terrain.height()];
    let [wide, long] = [dx * f64::from(columns), dy * f64::from(rows)];
    let directions = match terrain.georeference() {
        Some(_) => "columns run to the east and rows to the south",
        None => "the file's first row is the northernmost",
    };
    let mut notes = vec![format!(
        "heights of {} to {} m on {} x {} m, {columns} x {rows} samples {} x {} m apart; {directions}",
        rounded(statistics.lowest),
        rounded(statistics.highest),
        rounded(wide),
        rounded(long),
        rounded(dx),
        rounded(dy),
    )];
    let range = statistics.highest - statistics.lowest;
    let has_layout = matches!(format, "RAW16" | "RAW32" | "ESRI header");
    if range > GREATEST_RANGE || range > SMALL_RANGE && range > wide.max(long) {
        notes.push(format!(
            "warning: {} m between the lowest and the highest sample of {} x {} m is no ground: give \
             `vertical_scale` (metres of height in one step of the file's values), or `spacing`",
            rounded(range),
            rounded(wide),
            rounded(long),
        ));
    }
    if terrain.heights().len() < ENOUGH || range <= 0.0 {
        return notes;
    }
    let [across, down] = statistics.steps;
    if across.min(down) > NOISE * range {
        notes.push(format!(
            "warning: heights differ by {} m from sample to sample on average, of {} m in all, which is noise and no \
             ground: {}",
            rounded(across.min(down)),
            rounded(range),
            match has_layout {
                true => "give the other `byte_order`, or another `size`",
                false => "the file is no heightmap, is damaged, or was made with a wrong byte order",
            }
        ));
    } else if has_layout && down > NOISE * range && down > 4.0 * across {
        notes.push(format!(
            "warning: heights differ by {} m from row to row on average and by {} m within rows, as where rows are \
             cut at a wrong length: give another `size`",
            rounded(down),
            rounded(across),
        ));
    }
    notes
}

struct Statistics {
    lowest: f64,
    highest: f64,
    /// Mean difference of heights beside each other in a row, and in a column.
    steps: [f64; 2],
}

impl Statistics {
    fn of(terrain: &Terrain) -> Self {
        let heights = terrain.heights();
        let width = terrain.width() as usize;
        // Voids are NaN, which neither is less than anything nor adds to a sum here.
        let (lowest, highest) = heights
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
                (low.min(*height), high.max(*height))
            });
        let mean = |pairs: &mut dyn Iterator<Item = (&f64, &f64)>| {
            let (mut sum, mut count) = (0.0, 0_u64);
            for (a, b) in pairs {
                let step = (a - b).abs();
                if !step.is_nan() {
                    sum += step;
                    count += 1;
                }
            }
            sum / count.max(1) as f64
        };
        let across = mean(
            &mut heights
                .chunks_exact(width)
                .flat_map(|row| row.iter().zip(&row[1..])),
        );
        let down = mean(&mut heights.iter().zip(heights.get(width..).unwrap_or(&[])));
        Self {
            lowest,
            highest,
            steps: [across, down],
        }
    }
}

/// To four digits, or to a whole number where that has more.
fn rounded(metres: f64) -> Short {
    if metres.abs() >= 1000.0 {
        return Short(metres.round());
    }
    let unit = 10_f64.powi(3 - metres.abs().max(1e-9).log10().floor() as i32);
    Short((metres * unit).round() / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_of(side: u32, spacing: f64, format: &str, height: impl Fn(u32, u32) -> f64) -> String {
        let heights = (0..side * side)
            .map(|i| height(i % side, i / side))
            .collect();
        let terrain = Terrain::new(side, side, heights, [spacing; 2]).unwrap();
        notes(&terrain, format).join("\n")
    }

    fn hill(c: u32, r: u32) -> f64 {
        let (x, y) = (f64::from(c) - 32.0, f64::from(r) - 20.0);
        300.0 - (x * x + y * y) / 10.0
    }

    /// The bytes of a 16-bit sample, in the other order.
    fn swapped(height: f64) -> f64 {
        f64::from((height as u16).swap_bytes())
    }

    #[test]
    fn ground_is_told_and_not_warned_of() {
        let told = notes_of(64, 30.0, "GeoTIFF", hill);
        assert!(told.starts_with("heights of "), "{told}");
        assert!(
            told.contains("to 300 m on 1920 x 1920 m, 64 x 64 samples 30 x 30 m apart"),
            "{told}"
        );
        assert!(!told.contains("warning"), "{told}");
        // A tower on a small raster, and a raster of one height.
        let tower = notes_of(8, 1.0, "PNG", |c, _| if c == 4 { 90.0 } else { 0.0 });
        assert!(!tower.contains("warning"), "{tower}");
        assert!(!notes_of(64, 1.0, "RAW16", |_, _| 7.0).contains("warning"));
    }

    #[test]
    fn more_height_than_ground_is_warned_of_with_the_scale_to_give() {
        let told = notes_of(64, 1.0, "RAW16", |c, r| 200.0 * hill(c, r));
        assert!(
            told.contains("warning") && told.contains("`vertical_scale`"),
            "{told}"
        );
    }

    #[test]
    fn noise_of_a_wrong_byte_order_is_warned_of_with_the_order_to_give() {
        for format in ["RAW16", "ESRI header"] {
            let told = notes_of(64, 30.0, format, |c, r| swapped(hill(c, r)) / 100.0);
            assert!(
                told.contains("noise") && told.contains("`byte_order`"),
                "{told}"
            );
        }
    }

    #[test]
    fn rows_cut_at_a_wrong_length_are_warned_of_with_the_size_to_give() {
        // Rows of 100 samples in rows of 64.
        let told = notes_of(64, 30.0, "RAW16", |c, r| f64::from((64 * r + c) % 100));
        assert!(
            told.contains("from row to row") && told.contains("`size`"),
            "{told}"
        );
    }
}
