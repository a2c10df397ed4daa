//! Pages of a terrain bundle.

use image::RgbaImage;

use super::frontier::{Joined, Part, frontier_image, growth};
use super::hillshade::{Ground, NUMBER_LIGHT, exposure_image, mask};
use super::page::{Key, Page, Panel, grouped};
use super::palette::{
    AFTER_A, AFTER_B, Colour, Fitted, HALF_A, HALF_B, HIDDEN, LOSS, NEUTRAL, VIRIDIS, VISIBLE,
    logarithmic,
};
use super::viewshed::{Viewpoint, hillshade_image, viewshed_image};
use viewcell::format::frame::ends;
use viewcell::frontier::{FrontierBuilder, FrontierError, FrontierOptions};
use viewcell::query::{Pvs, Quad, Sample, TerrainBundle, VisibilityMode};

/// A terrain bundle to be drawn.
pub struct TerrainPages<'a> {
    terrain: TerrainBundle<'a>,
    ground: Ground,
    /// The bundle's name, and what *visible* means in it.
    about: String,
    /// From view cells to the coordinate reference system, if there is one.
    transform: Option<[f64; 6]>,
}

impl<'a> TerrainPages<'a> {
    /// Pages of a bundle of this name on its ground; `crs` says whether it has a coordinate reference system,
    /// without which nobody knows where north is.
    pub fn new(terrain: TerrainBundle<'a>, ground: Ground, name: &str, crs: bool) -> Self {
        let parameters = terrain.parameters();
        let mode = match parameters.visibility {
            VisibilityMode::Exact => "exact".to_owned(),
            VisibilityMode::Conservative => "conservative".to_owned(),
            VisibilityMode::Sectors(sectors) => format!("{sectors} sectors"),
        };
        let lossy = if parameters.lossy { ", lossy" } else { "" };
        Self {
            ground,
            about: format!("{name} ({mode}{lossy})"),
            transform: parameters.transform.filter(|_| crs),
            terrain,
        }
    }

    /// The coordinates of the sample by which a view cell is named, in the units of its reference system; `None` where it
    /// has none.
    pub fn coordinates(&self, cell: Sample) -> Option<String> {
        let [x0, xc, xr, y0, yc, yr] = self.transform?;
        let parameters = self.terrain.parameters();
        let Sample { column, row } = parameters.middle_of(cell);
        // The transform is of cells.
        let side = f64::from(1_u32 << parameters.finest());
        let [c, r] = [column, row].map(|at| (f64::from(at) + 0.5) / side);
        // A degree is 111 km; other units are metres or feet.
        let digits = if xc.hypot(yc) / side < 0.1 { 5 } else { 1 };
        let (x, y) = (x0 + c * xc + r * xr, y0 + c * yc + r * yr);
        Some(format!("{x:.digits$}, {y:.digits$}"))
    }

    /// The hillshade alone.
    pub fn plain(&self) -> Page {
        let grid = self.terrain.grid();
        let heights = grid.row_by_row().filter_map(|s| self.terrain.height(s));
        let [low, high] = ends(heights.map(f64::from));
        let [columns, rows] = self.terrain.parameters().heightmap();
        let mut subtitle = format!("{columns} × {rows} samples");
        let finest = self.terrain.parameters().finest();
        if finest > 0 {
            subtitle += &format!(" in cells of {0} × {0}", 1_u32 << finest);
        }
        if low <= high {
            // A coarse bundle has one height a cell; those of the heightmap go lower and higher.
            let of = if finest > 0 { "of cells " } else { "" };
            subtitle += &format!(", heights {of}from {low:.0} to {high:.0} m");
        }
        let picture = hillshade_image(&self.ground);
        let legend = vec![Key::Swatch(
            NEUTRAL,
            "ground, lit from the north-west".into(),
        )];
        self.page(
            self.about.clone(),
            subtitle,
            vec![(picture, vec![])],
            legend,
        )
    }

    /// What a quad sees, or a sample.
    pub fn pvs(&self, pvs: &Pvs<'_>) -> Page {
        let visible = mask(self.terrain.grid(), pvs);
        let picture = viewshed_image(&self.ground, &visible);
        let title = format!("What may be seen from {}", self.place(pvs.quad()));
        let subtitle = format!("{}: {}", self.about, self.share(pvs.count(), "visible"));
        let marks = vec![(Viewpoint::over(pvs.quad()), String::new())];
        let who = if pvs.quad().level > 0 {
            "from anywhere in here"
        } else {
            "from here"
        };
        let legend = vec![
            Key::Swatch(VISIBLE, "visible".into()),
            Key::Swatch(HIDDEN, "hidden".into()),
            Key::Mark(who.into()),
        ];
        self.page(title, subtitle, vec![(picture, marks)], legend)
    }

    /// A frontier set, grown with the runtime.
    ///
    /// # Errors
    ///
    /// Where nobody can stand.
    pub fn frontier(
        &self,
        players: [Sample; 2],
        options: &FrontierOptions,
    ) -> Result<Page, FrontierError> {
        let mut builder = FrontierBuilder::new(&self.terrain);
        let parts = growth(&mut builder, players, options)?;
        let [a, b] = players;
        let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count() as u64;
        let (of_a, of_b) = (
            count(|part| matches!(part, Part::A(_))),
            count(|part| matches!(part, Part::B(_))),
        );
        let subtitle = match of_a + of_b {
            0 => format!("{}: they can see each other, so there is none", self.about),
            _ => format!(
                "{}: {}, {}",
                self.about,
                self.share(of_a, "A's"),
                self.share(of_b, "B's")
            ),
        };
        let ends = || vec![(0.0, "first".to_owned()), (1.0, "last".to_owned())];
        let mut legend = vec![
            Key::Ramp(HALF_A, "A's half, as it grew".into(), ends()),
            Key::Ramp(HALF_B, "B's half, as it grew".into(), ends()),
        ];
        if count(|part| matches!(part, Part::A(Joined::After))) > 0 {
            let words = "A's: added when growth was over";
            legend.push(Key::Swatch(AFTER_A, words.into()));
        }
        if count(|part| matches!(part, Part::B(Joined::After))) > 0 {
            let words = "B's: added when growth was over";
            legend.push(Key::Swatch(AFTER_B, words.into()));
        }
        legend.push(Key::Swatch(NEUTRAL, "in neither".into()));
        legend.push(Key::Mark("A and B".into()));
        let title = format!(
            "Frontiers of {} and {}{}",
            self.at(a),
            self.at(b),
            self.cell(", each with its")
        );
        let picture = frontier_image(&self.ground, &parts);
        let named = players.into_iter().zip(["A", "B"]);
        let marks = named
            .map(|(at, name)| (Viewpoint::at(at), name.to_owned()))
            .collect();
        Ok(self.page(title, subtitle, vec![(picture, marks)], legend))
    }

    /// How many samples see each sample, as [`viewcell_bake::survey::survey`] counts them; `marked` are places with
    /// names.
    pub fn exposure(&self, counts: &[u32], marked: &[(Sample, String)]) -> Page {
        let seen = || counts.iter().copied().filter(|count| *count > 0);
        let (least, most) = (seen().min().unwrap_or(0), seen().max().unwrap_or(0));
        let mean = seen().map(u64::from).sum::<u64>() as f64 / seen().count().max(1) as f64;
        let subtitle = format!(
            "{}: a {noun} is seen by {} to {} {noun}s, {} on average",
            self.about,
            grouped(least.into()),
            grouped(most.into()),
            grouped(mean.round() as u64),
            noun = self.noun(),
        );
        let all = self.terrain.valid().count(self.terrain.grid().root());
        let legend = vec![Key::Ramp(
            VIRIDIS,
            format!("share of {}s that see it", self.noun()),
            Fitted::new(counts).ticks(all),
        )];
        let picture = exposure_image(&self.ground, counts);
        let title = "Exposure: how much sees each place".to_owned();
        let mark = |(at, name): &(Sample, String)| (Viewpoint::at(*at), name.clone());
        let marks = marked.iter().map(mark).collect();
        self.page(title, subtitle, vec![(picture, marks)], legend)
    }

    /// Maps of where how much was lost or gained, all on one scale: for each a caption, and by
    /// sample, row by row, the samples that are hidden from there in one bundle and visible in
    /// another.
    pub fn losses(&self, title: &str, subtitle: &str, maps: &[(&str, &[u32])]) -> Page {
        let (colour, legend) = scale_of_losses(maps, self.noun());
        let panels = maps.iter().map(|(_, counts)| {
            let picture = self.ground.paint(NUMBER_LIGHT, |i| colour(counts[i]));
            (picture, vec![])
        });
        let mut page = self.page(
            title.to_owned(),
            subtitle.to_owned(),
            panels.collect(),
            legend,
        );
        if maps.len() > 1 {
            for (panel, (caption, _)) in page.panels.iter_mut().zip(maps) {
                panel.caption = (*caption).to_owned();
            }
        }
        page
    }

    fn page(
        &self,
        title: String,
        subtitle: String,
        panels: Vec<(RgbaImage, Vec<(Viewpoint, String)>)>,
        mut legend: Vec<Key>,
    ) -> Page {
        let grid = self.terrain.grid();
        if self.terrain.valid().count(grid.root()) < grid.samples() {
            legend.push(Key::Swatch([255.0; 3], "no data".into()));
        }
        let cell = self.terrain.parameters().cell_spacing;
        let side = self.ground.side();
        let panel = |(picture, marks): (RgbaImage, Vec<(Viewpoint, String)>)| Panel {
            caption: String::new(),
            picture,
            marks: marks
                .into_iter()
                .map(|(at, label)| (at.in_pixels(side), label))
                .collect(),
        };
        Page {
            title,
            subtitle,
            panels: panels.into_iter().map(panel).collect(),
            pixel: cell.map(|metres| metres / f64::from(side)),
            unit: "m",
            north: self.transform.map(north),
            legend,
        }
    }

    /// So many samples, and what share of the terrain they are.
    fn share(&self, count: u64, what: &str) -> String {
        let all = self.terrain.valid().count(self.terrain.grid().root());
        let share = 100.0 * count as f64 / all.max(1) as f64;
        format!("{} {}s ({share:.1} %) {what}", grouped(count), self.noun())
    }

    /// What is counted: view cells where they are more than samples of the heightmap.
    fn noun(&self) -> &'static str {
        match self.terrain.parameters().finest() {
            0 => "sample",
            _ => "cell",
        }
    }

    /// A quad by samples of the heightmap, as questions take them; a place as [`Self::at`] has it.
    fn place(&self, quad: Quad) -> String {
        let finest = self.terrain.parameters().finest();
        let Sample { column, row } = quad.origin();
        if quad.level > 0 {
            let side = 1_u64 << (quad.level + finest);
            let [column, row] = [column, row].map(|at| u64::from(at) << finest);
            return format!("the {side} × {side} samples from {column},{row} on");
        }
        self.at(quad.origin()) + &self.cell(" and its")
    }

    /// After these words, of what size a view cell is that is more than a sample.
    fn cell(&self, words: &str) -> String {
        match self.terrain.parameters().finest() {
            0 => String::new(),
            finest => format!("{words} cell of {0} × {0} samples", 1_u32 << finest),
        }
    }

    /// A place, as questions take it, and by coordinates: in a coarse bundle the sample in the middle of the cell.
    fn at(&self, place: Sample) -> String {
        let Sample { column, row } = self.terrain.parameters().middle_of(place);
        match self.coordinates(place) {
            Some(coordinates) => format!("{column},{row} ({coordinates})"),
            None => format!("{column},{row}"),
        }
    }
}

/// Where grid north is on the picture, clockwise from up, by a map of GDAL's order from pixels to
/// a CRS. [Unit: radians]
fn north([_, t1, t2, _, t4, t5]: [f64; 6]) -> f64 {
    // Pixels (c, r) with t1·c + t2·r = 0 and t4·c + t5·r > 0, as long as the others.
    let determinant = t1 * t5 - t2 * t4;
    let (c, r) = (-t2 / determinant, t1 / determinant);
    let (across, down) = (c * t1.hypot(t4), r * t2.hypot(t5));
    across.atan2(-down)
}

/// The colours of counts of what differs, all maps on one scale, and their legend; `noun` is what is counted.
pub(super) fn scale_of_losses(
    maps: &[(&str, &[u32])],
    noun: &str,
) -> (impl Fn(u32) -> Colour + use<>, Vec<Key>) {
    let counts = maps.iter().flat_map(|(_, counts)| counts.iter());
    let most = u64::from(counts.copied().max().unwrap_or(0));
    let mut legend = vec![Key::Swatch(NEUTRAL, "no difference".into())];
    if most > 0 {
        let words = format!("{noun}s that differ, from there");
        legend.push(Key::Ramp(LOSS, words, decades(most)));
    }
    let colour = move |count: u32| match count {
        0 => NEUTRAL,
        count => LOSS.at(logarithmic(count.into(), most)),
    };
    (colour, legend)
}

/// Ticks at powers of ten up to `most`, and at `most`, on a logarithmic ramp from 1.
fn decades(most: u64) -> Vec<(f64, String)> {
    let powers = (0..20).map(|power| 10_u64.pow(power));
    // One that is close to the end would touch its words.
    let inner = powers.take_while(|power| logarithmic(*power, most) < 0.86);
    let tick = |count: u64| (logarithmic(count, most), grouped(count));
    let mut ticks: Vec<_> = inner.map(tick).collect();
    ticks.push((1.0, grouped(most.max(1))));
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_left_or_down_as_the_raster_lies() {
        let degrees = |transform| north(transform).to_degrees();
        assert!(degrees([0.0, 30.0, 0.0, 9.0, 0.0, -30.0]).abs() < 1e-9);
        assert!((degrees([0.0, 30.0, 0.0, 9.0, 0.0, 30.0]).abs() - 180.0).abs() < 1e-9);
        // Columns go north, rows go east: north is to the right.
        assert!((degrees([0.0, 0.0, 30.0, 9.0, 30.0, 0.0]) - 90.0).abs() < 1e-9);
        // Pixels that are not square, turned by a quarter of a right angle.
        let (sin, cos) = 22.5_f64.to_radians().sin_cos();
        let turned = degrees([0.0, 2.0 * cos, sin, 0.0, 2.0 * sin, -cos]);
        assert!((turned - 22.5).abs() < 1e-9, "{turned}");
    }

    #[test]
    fn ticks_are_in_order_and_end_with_the_most() {
        let ticks = decades(33_829);
        let words: Vec<&str> = ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(words, ["1", "10", "100", "1,000", "33,829"]);
        assert!(ticks.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(decades(0), [(0.0, "1".to_owned()), (1.0, "1".to_owned())]);
    }
}
