//! Sanity checks of a heightmap: what its numbers come to, and whether they can be ground.
//!
//! A wrong scale, spacing, size or byte order gives a raster like any other. So what was read is reported before a
//! bake, and a warning names what cannot be ground and the option that mends it.

use super::source::ByteOrder;
use crate::world::{Short, Terrain, extremes};

/// Metres between the lowest and the highest place of the largest things that are measured as one: Mars, from Hellas to
/// Olympus Mons, is 30 km.
const GREATEST_RANGE: f64 = 30_000.0;

/// Below so many metres a pillar, a quarry or a house may be higher than a small raster is wide.
const SMALL_RANGE: f64 = 500.0;

/// Noise of all values alike differs by a third of its range from sample to sample. Ground does by a hundredth, the
/// roofs of a town by a thirtieth.
const NOISE: f64 = 0.15;

/// How many times smoother the other byte order has to be.
const SMOOTHER: f64 = 8.0;

/// Of so many rows at most, evenly spread, it is looked at how samples differ.
const ROWS: u32 = 128;

/// Fewer samples than this say nothing of noise.
const ENOUGH: usize = 1024;

/// Stored values that programs write for no data, where their format or its user declares none.
const SUSPECTS: &[f64] = &[
    -9999.0,
    9999.0,
    -99999.0,
    99999.0,
    -999.0,
    999.0,
    -9998.0,
    -32768.0,
    -32767.0,
    32767.0,
    32768.0,
    65535.0,
    -2_147_483_648.0,
    2_147_483_647.0,
];

/// A suspect is further from all other heights than this share of their range, and than so many metres.
const APART: f64 = 0.1;
const APART_METRES: f64 = 100.0;

/// A warning, where the lowest or the highest height is a value that often stands for no data, and is far from the others.
///
/// `metres_of` makes a height of a stored value.
pub(super) fn undeclared(
    heights: &[f64],
    statistics: &Statistics,
    metres_of: impl Fn(f64) -> f64,
) -> Option<String> {
    let extremes = statistics.extremes();
    let suspects = SUSPECTS.iter().map(|&stored| (stored, metres_of(stored)));
    let mut outermost = suspects.filter(|(_, metres)| extremes.contains(metres));
    outermost.find_map(|(stored, suspect)| {
        let (mut count, mut lowest, mut highest) = (0_u64, f64::INFINITY, f64::NEG_INFINITY);
        for &height in heights {
            if height == suspect {
                count += 1;
            } else {
                (lowest, highest) = (lowest.min(height), highest.max(height));
            }
        }
        // Of the others, the nearest.
        let apart = (lowest - suspect).max(suspect - highest);
        let is_far = apart > APART_METRES && apart > APART * (highest - lowest);
        (count < heights.len() as u64 && is_far).then(|| {
            format!(
                "warning: {count} of {} samples are {}, {} m from all others, which often stands for no data: if it \
                 does, give `nodata` {}",
                heights.len(),
                Short(stored),
                rounded(apart),
                Short(stored),
            )
        })
    })
}

/// A note of what was read, then warnings; those begin with `warning: `. One that is known already comes first of them.
pub(super) fn notes(
    terrain: &Terrain,
    statistics: &Statistics,
    format: &str,
    known: Option<String>,
) -> Vec<String> {
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
    if let Some(known) = known {
        // Of numbers that are none what else there is to say would be wrong.
        notes.push(known);
        return notes;
    }
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
    let [across, down] = statistics.steps();
    if across.min(down) > NOISE * range {
        notes.push(format!(
            "warning: heights differ by {} m from sample to sample on average, of {} m in all, which is noise and no \
             ground: {}",
            rounded(across.min(down)),
            rounded(range),
            if has_layout {
                "give the other `byte_order`, or another `size`"
            } else {
                "the file is no heightmap, is damaged, or was made with a wrong byte order"
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

/// A warning, where samples of 16 bits (as stored) are much smoother with their bytes in the other order.
///
/// Read in the wrong order, a step of one metre is one of 256, and what was a step of 256 is one of one.
pub(super) fn other_order(
    values: &[f64],
    width: u32,
    is_signed: bool,
    used: ByteOrder,
) -> Option<String> {
    if values.len() < ENOUGH {
        return None;
    }
    let swapped = |value: f64| {
        let bits = (value as i64 as u16).swap_bytes();
        if is_signed {
            f64::from(bits as i16)
        } else {
            f64::from(bits)
        }
    };
    let (mut here, mut there) = (0.0, 0.0);
    let rows = values.chunks_exact(width as usize);
    let every = rows.len().div_ceil(ROWS as usize).max(1);
    for row in rows.step_by(every) {
        for pair in row.windows(2) {
            here += (pair[0] - pair[1]).abs();
            there += (swapped(pair[0]) - swapped(pair[1])).abs();
        }
    }
    (here > SMOOTHER * there && there > 0.0).then(|| {
        format!(
            "warning: in the other byte order samples would differ {} times less from each other: give `byte_order` {}",
            (here / there).round(),
            match used {
                ByteOrder::Little => "big",
                ByteOrder::Big => "little",
            }
        )
    })
}

/// What is known of heights, row by row.
pub(super) struct Statistics {
    lowest: f64,
    highest: f64,
    /// The sum of differences of heights beside each other in a row, and in a column, and their number.
    differences: [(f64, u64); 2],
    /// Rows taken, and of how many one is looked at.
    rows: u32,
    every: u32,
}

impl Statistics {
    /// Of so many rows, none of which is taken yet.
    pub(super) fn new(rows: u32) -> Self {
        Self {
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            differences: [(0.0, 0); 2],
            rows: 0,
            every: rows.div_ceil(ROWS).max(1),
        }
    }

    /// Takes the next row, which lies below that `above`; that is empty for the first.
    pub(super) fn take(&mut self, above: &[f64], row: &[f64]) {
        let [lowest, highest] = extremes(row);
        self.lowest = self.lowest.min(lowest);
        self.highest = self.highest.max(highest);
        // Where rows are left out, the first is not looked at: none is above it.
        if self.rows % self.every == self.every - 1 {
            for ((sum, count), others) in self.differences.iter_mut().zip([&row[1..], above]) {
                for (a, b) in row.iter().zip(others) {
                    let step = (a - b).abs();
                    if !step.is_nan() {
                        *sum += step;
                        *count += 1;
                    }
                }
            }
        }
        self.rows += 1;
    }

    /// The lowest height and the highest.
    pub(super) fn extremes(&self) -> [f64; 2] {
        [self.lowest, self.highest]
    }

    /// Mean difference of heights beside each other in a row, and in a column.
    fn steps(&self) -> [f64; 2] {
        self.differences
            .map(|(sum, count)| sum / count.max(1) as f64)
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
        let mut statistics = Statistics::new(side);
        let mut above: &[f64] = &[];
        for row in terrain.heights().chunks_exact(side as usize) {
            statistics.take(above, row);
            above = row;
        }
        let known = undeclared(terrain.heights(), &statistics, |stored| stored);
        notes(&terrain, &statistics, format, known).join("\n")
    }

    fn hill(c: u32, r: u32) -> f64 {
        let (x, y) = (f64::from(c) - 32.0, f64::from(r) - 20.0);
        300.0 - (x * x + y * y) / 10.0
    }

    #[test]
    fn noise_is_warned_of_with_what_may_mend_it() {
        let noise = |c: u32, r: u32| {
            f64::from((c * 7919 + r * 104_729).wrapping_mul(2_654_435_761) % 1000) / 4.0
        };
        let told = notes_of(64, 30.0, "ESRI header", noise);
        assert!(
            told.contains("noise") && told.contains("`byte_order`"),
            "{told}"
        );
        let told = notes_of(64, 30.0, "GeoTIFF", noise);
        assert!(
            told.contains("noise") && told.contains("no heightmap"),
            "{told}"
        );
    }

    #[test]
    fn what_often_stands_for_no_data_is_warned_of() {
        for (value, is_suspect) in [
            (-9999.0, true),
            (9999.0, true),
            (-32768.0, true),
            (12345.0, false),
        ] {
            let told = notes_of(
                64,
                30.0,
                "GeoTIFF",
                |c, r| if c == 9 { value } else { hill(c, r) },
            );
            let remedy = format!("give `nodata` {value}");
            assert_eq!(told.contains(&remedy), is_suspect, "{told}");
        }
        // 999 m in mountains is a height as any other.
        let told = notes_of(64, 30.0, "GeoTIFF", |c, r| hill(c, r) * 999.0 / 300.0);
        assert!(!told.contains("`nodata`"), "{told}");
    }

    #[test]
    fn a_wrong_byte_order_is_warned_of_with_the_order_to_give() {
        let raw = |height: fn(u32, u32) -> f64| {
            (0..64 * 64)
                .map(|i| height(i % 64, i / 64).round())
                .collect::<Vec<_>>()
        };
        let below_zero = |c, r| hill(c, r) - 200.0;
        for (is_signed, heights) in [
            (false, raw(hill)),
            (true, raw(hill)),
            (true, raw(below_zero)),
        ] {
            let read_wrongly: Vec<f64> = heights
                .iter()
                .map(|height| (*height as i16).swap_bytes())
                .map(|bits| {
                    if is_signed {
                        f64::from(bits)
                    } else {
                        f64::from(bits as u16)
                    }
                })
                .collect();
            for (used, other) in [(ByteOrder::Little, "big"), (ByteOrder::Big, "little")] {
                assert_eq!(other_order(&heights, 64, is_signed, used), None);
                let told = other_order(&read_wrongly, 64, is_signed, used).unwrap();
                assert!(
                    told.ends_with(&format!("give `byte_order` {other}")),
                    "{told}"
                );
            }
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
