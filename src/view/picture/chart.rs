//! Charts with words, as SVG and as PNG.

use std::sync::Once;

use image::{DynamicImage, RgbImage};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use super::canvas::LETTERS;
use super::palette::{self, CATEGORIES};
use super::{PictureError, png};

/// A series of bars, a value for each group.
pub struct Bars {
    /// What the legend calls it.
    pub name: String,
    /// A value for each group; not negative.
    pub values: Vec<f64>,
}

/// A line through points.
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// x and y, neither below 0 unless the chart says where y begins.
    pub points: Vec<[f64; 2]>,
}

/// What is drawn.
pub enum Series<'a> {
    /// A group of bars for each name, one bar of each series.
    Bars(&'a [&'a str], &'a [Bars]),
    /// Lines on linear axes from 0.
    Curves(&'a [Curve]),
}

/// A chart. Bars lie on their side where the names of their groups have no room beneath them.
pub struct Chart<'a> {
    /// Above it.
    pub title: &'a str,
    /// What x is, and its unit.
    pub x: &'a str,
    /// What y is, and its unit.
    pub y: &'a str,
    /// What is drawn.
    pub series: Series<'a>,
    /// Width and height. [Unit: pixels]
    pub size: (u32, u32),
    /// Where y begins and ends; if not given, at 0 and above the greatest.
    pub up: Option<[f64; 2]>,
}

/// The size of a chart that stands by itself. [Unit: pixels]
const CHART_SIZE: (u32, u32) = (900, 480);

type Drawn = Result<(), Box<dyn std::error::Error>>;

impl<'a> Chart<'a> {
    /// Of the size of a chart that stands by itself.
    pub fn new(title: &'a str, [x, y]: [&'a str; 2], series: Series<'a>) -> Self {
        Self {
            title,
            x,
            y,
            series,
            size: CHART_SIZE,
            up: None,
        }
    }
}

impl Chart<'_> {
    /// The chart as an SVG document.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, self.size).into_drawing_area();
        // Drawing into a string cannot fail.
        self.draw(&area).expect("a chart");
        drop(area);
        svg
    }

    /// The chart as a PNG.
    ///
    /// # Errors
    ///
    /// [`PictureError`] where the encoder fails.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        let (width, height) = self.size;
        let mut picture = RgbImage::new(width, height);
        {
            let area = BitMapBackend::with_buffer(&mut picture, self.size).into_drawing_area();
            self.draw(&area)
                .map_err(|error| PictureError(error.to_string()))?;
        }
        png(&DynamicImage::ImageRgb8(picture).into_rgba8())
    }

    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Drawn
    where
        DB::ErrorType: 'static,
    {
        ready_font();
        let words = |size| (FONT, size).into_font().color(&INK);
        let names: &[&str] = match &self.series {
            Series::Bars(groups, _) => groups,
            Series::Curves(_) => &[],
        };
        let width = |name: &&str| area.estimate_text_size(name, &words(13));
        let widths: Vec<u32> = names
            .iter()
            .map(|name| Ok(width(name)?.0))
            .collect::<Result<_, DrawingAreaErrorKind<DB::ErrorType>>>()?;
        let widest = widths.into_iter().max().unwrap_or(0);
        let room = self.size.0.saturating_sub(LEFT + 30) / names.len().max(1) as u32;
        let turned = widest + 6 > room;
        let (along, left) = match &self.series {
            Series::Bars(..) => (-0.5..names.len() as f64 - 0.5, LEFT.max(widest + 40)),
            Series::Curves(_) => (0.0..self.greatest(0), LEFT),
        };
        let [least, most] = self.up.unwrap_or_else(|| [0.0, self.top()]);
        let up = least..most;
        // Groups of bars go down from the first: place 0 is the lowest.
        let place = |group: usize| {
            if turned {
                names.len() - 1 - group
            } else {
                group
            }
        };
        area.fill(&WHITE)?;
        let mut builder = ChartBuilder::on(area);
        let [below, beside] = if turned {
            [self.y, self.x]
        } else {
            [self.x, self.y]
        };
        builder
            .margin(10)
            .margin_right(20)
            .x_label_area_size(if below.is_empty() { 26 } else { 44 })
            .y_label_area_size(if turned { left } else { LEFT });
        if !self.title.is_empty() {
            builder.caption(self.title, words(19));
        }
        let (x, y) = if turned { (up, along) } else { (along, up) };
        let mut chart = builder.build_cartesian_2d(x, y)?;
        let name = |at: &f64| {
            let group = at.round();
            let is_middle = (at - group).abs() < 1e-6 && group >= 0.0;
            let found = (0..names.len()).find(|i| is_middle && place(*i) == group as usize);
            found.map_or(String::new(), |group| names[group].to_owned())
        };
        let ticks = |at: &f64| number(*at);
        let mut mesh = chart.configure_mesh();
        mesh.bold_line_style(INK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.6))
            .x_desc(below)
            .y_desc(beside)
            .label_style(words(13))
            .axis_desc_style(words(14))
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&ticks)
            .y_label_formatter(&ticks);
        // A label for each group is one at every half between them, too.
        let labels = 2 * names.len() + 1;
        match (&self.series, turned) {
            (Series::Bars(..), true) => mesh
                .disable_y_mesh()
                .y_labels(labels)
                .y_label_formatter(&name),
            (Series::Bars(..), false) => mesh
                .disable_x_mesh()
                .x_labels(labels)
                .x_label_formatter(&name),
            (Series::Curves(_), _) => mesh.disable_x_mesh(),
        };
        mesh.draw()?;
        let several = match &self.series {
            Series::Bars(_, series) => {
                let width = 0.8 / series.len().max(1) as f64;
                for (bars, k) in series.iter().zip(0..) {
                    let style = colour(k).filled();
                    let bar = |(group, &value): (usize, &f64)| {
                        let middle = place(group) as f64;
                        let from = -0.4 + width * k as f64;
                        let ends = [from, from + 0.92 * width];
                        Rectangle::new(
                            if turned {
                                [(0.0, middle - ends[0]), (value, middle - ends[1])]
                            } else {
                                [(middle + ends[0], 0.0), (middle + ends[1], value)]
                            },
                            style,
                        )
                    };
                    let values = bars.values.iter().enumerate();
                    chart
                        .draw_series(values.filter(|(_, value)| drawable(value)).map(bar))?
                        .label(&bars.name)
                        .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], style));
                }
                series.len() > 1
            }
            Series::Curves(curves) => {
                for (curve, k) in curves.iter().zip(0..) {
                    let style = colour(k).stroke_width(2);
                    let points = curve.points.iter().map(|&[x, y]| (x, y));
                    let points = points.filter(|(x, y)| drawable(x) && drawable(y));
                    chart
                        .draw_series(LineSeries::new(points.clone(), style))?
                        .label(&curve.name)
                        .legend(move |(x, y)| {
                            Rectangle::new([(x, y - 1), (x + 14, y + 1)], style.filled())
                        });
                    if curve.points.len() <= 24 {
                        chart.draw_series(points.map(|at| Circle::new(at, 3, style.filled())))?;
                    }
                }
                curves.len() > 1
            }
        };
        if several {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .background_style(WHITE.mix(0.85))
                .border_style(INK.mix(0.3))
                .label_font(words(13))
                .draw()?;
        }
        area.present()?;
        Ok(())
    }

    /// The end of the axis of values.
    fn top(&self) -> f64 {
        1.12 * self.greatest(1)
    }

    /// The greatest x (0) or y (1); 1 where there is none.
    fn greatest(&self, axis: usize) -> f64 {
        let greatest = match &self.series {
            Series::Bars(_, series) => {
                let values = series.iter().flat_map(|bars| &bars.values);
                values.copied().filter(drawable).fold(0.0, f64::max)
            }
            Series::Curves(curves) => {
                let points = curves.iter().flat_map(|curve| &curve.points);
                let along = points.map(|point| point[axis]);
                along.filter(drawable).fold(0.0, f64::max)
            }
        };
        if greatest > 0.0 { greatest } else { 1.0 }
    }
}

/// Whether a number can be on an axis: those of a damaged bundle may be anything.
fn drawable(value: &f64) -> bool {
    value.abs() < 1e100
}

/// How often each of 40 classes of values from 0 to the greatest of all cases comes up, in percent
/// of the case's own values, a curve a case.
pub fn frequencies(cases: &[(&str, Vec<f64>)]) -> Vec<Curve> {
    const CLASSES: usize = 40;
    let values = cases.iter().flat_map(|(_, values)| values);
    let greatest = values.copied().fold(f64::MIN_POSITIVE, f64::max);
    let curve = |(name, values): &(&str, Vec<f64>)| {
        let mut counts = [0_u32; CLASSES];
        for value in values {
            let class = (value / greatest * CLASSES as f64) as usize;
            counts[class.min(CLASSES - 1)] += 1;
        }
        let middle = |class: usize| (class as f64 + 0.5) * greatest / CLASSES as f64;
        let share = |count| 100.0 * f64::from(count) / values.len().max(1) as f64;
        let points = counts.iter().enumerate();
        Curve {
            name: (*name).to_owned(),
            points: points
                .map(|(class, &count)| [middle(class), share(count)])
                .collect(),
        }
    };
    cases.iter().map(curve).collect()
}

/// Room for the numbers of the y axis, and what they are. [Unit: pixels]
const LEFT: u32 = 62;

const INK: RGBColor = RGBColor(38, 42, 48);

fn colour(k: usize) -> RGBColor {
    let [r, g, b] = palette::bytes(CATEGORIES[k % CATEGORIES.len()]);
    RGBColor(r, g, b)
}

/// A number beside an axis: no more digits than ticks need, thousands and millions by letter.
fn number(value: f64) -> String {
    let (value, unit) = match value.abs() {
        0.0..1e4 => (value, ""),
        1e4..1e6 => (value / 1e3, "k"),
        1e6..1e9 => (value / 1e6, "M"),
        _ => (value / 1e9, "G"),
    };
    let digits = match value.abs() {
        0.0 => 0,
        0.0..0.1 => 3,
        0.1..1.0 => 2,
        1.0..10.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}{unit}")
}

/// The name of the font in charts; in an SVG, whatever the reader has of that kind.
const FONT: &str = "sans-serif";

/// Lets plotters measure and draw with our own font: what is installed differs from machine to
/// machine, and pictures should not.
fn ready_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that a test has read does not fail to parse.
        let registered = register_font(FONT, FontStyle::Normal, LETTERS);
        assert!(registered.is_ok(), "the crate of fonts holds none");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(series: Series<'a>) -> Chart<'a> {
        Chart {
            title: "A title",
            x: "",
            y: "% of pairs",
            series,
            size: (640, 420),
            up: None,
        }
    }

    fn curves(points: &[&[[f64; 2]]]) -> Vec<Curve> {
        let curve = |points: &&[[f64; 2]]| Curve {
            name: format!("of {}", points.len()),
            points: points.to_vec(),
        };
        points.iter().map(curve).collect()
    }

    /// Where a colour is in a PNG: least and greatest x and y.
    fn extent(png: &[u8], k: usize) -> [u32; 4] {
        let RGBColor(r, g, b) = colour(k);
        let picture = image::load_from_memory(png).unwrap().to_rgb8();
        let mut extent = [u32::MAX, 0, u32::MAX, 0];
        for (x, y, pixel) in picture.enumerate_pixels() {
            if pixel.0 == [r, g, b] {
                extent = [
                    extent[0].min(x),
                    extent[1].max(x),
                    extent[2].min(y),
                    extent[3].max(y),
                ];
            }
        }
        extent
    }

    #[test]
    fn a_chart_says_what_it_shows() {
        let curves = curves(&[&[[0.0, 0.0], [2.0, 1.0]], &[[1.0, 4.0]]]);
        let svg = chart(Series::Curves(&curves)).svg();
        for word in ["A title", "% of pairs", "of 2", "of 1"] {
            assert!(svg.contains(word), "{word}");
        }
        let bars = [Bars {
            name: "hidden".into(),
            values: vec![3.0, 5.0],
        }];
        let svg = chart(Series::Bars(&["north", "south"], &bars)).svg();
        assert!(svg.contains("north") && svg.contains("south"));
    }

    /// Where words are in an SVG: left end, and height above the lower edge of the line.
    fn places(svg: &str, names: &[String]) -> Vec<[f64; 2]> {
        let place = |name: &String| {
            let end = svg.find(&format!(">\n{name}\n<")).expect("the name, whole");
            let tag = &svg[svg[..end].rfind("<text").unwrap()..end];
            ["x=\"", "y=\""].map(|key| {
                let value = &tag[tag.find(key).unwrap() + key.len()..];
                value[..value.find('"').unwrap()].parse().unwrap()
            })
        };
        names.iter().map(place).collect()
    }

    /// The names of fifteen schemes lay over each other under their bars.
    #[test]
    fn long_names_of_many_groups_do_not_overlap() {
        let names: Vec<String> = (0..15).map(|i| format!("look-ahead-{i:02}")).collect();
        let groups: Vec<&str> = names.iter().map(String::as_str).collect();
        let bars = [Bars {
            name: "bytes".into(),
            values: (1..16).map(f64::from).collect(),
        }];
        let chart = chart(Series::Bars(&groups, &bars));
        let places = places(&chart.svg(), &names);
        assert!(
            places
                .windows(2)
                .all(|pair| pair[1][1] - pair[0][1] >= 13.0),
            "one below the other: {places:?}"
        );
        // The last bar is the longest, and the lowest.
        let [left, right, _, bottom] = extent(&chart.png().unwrap(), 0);
        assert!(
            left > 100 && right > 540 && bottom > 340,
            "{left} {right} {bottom}"
        );
    }

    #[test]
    fn a_line_goes_from_its_first_to_its_last_point() {
        let curves = curves(&[&[[0.0, 0.0], [2.0, 4.0]]]);
        let png = chart(Series::Curves(&curves)).png().unwrap();
        let [left, right, top, bottom] = extent(&png, 0);
        assert!(
            (60..90).contains(&left) && (600..640).contains(&right),
            "{left} {right}"
        );
        // From the axis at the bottom to the greatest value, an eighth below the top.
        assert!(
            (360..410).contains(&bottom) && (60..100).contains(&top),
            "{top} {bottom}"
        );
    }

    #[test]
    fn equal_values_are_one_peak_at_their_place() {
        let [case, _] = &frequencies(&[("a", vec![5.0; 9]), ("b", vec![10.0, 0.0])])[..] else {
            panic!("two cases");
        };
        let peak: Vec<&[f64; 2]> = case.points.iter().filter(|point| point[1] > 0.0).collect();
        assert_eq!(peak.len(), 1);
        assert_eq!(peak[0][1], 100.0);
        assert!((peak[0][0] - 5.0).abs() < 0.25, "{peak:?}");
        assert!(
            frequencies(&[("none", vec![])])[0]
                .points
                .iter()
                .all(|p| p[1] == 0.0)
        );
    }

    #[test]
    fn nothing_at_all_is_a_chart_too() {
        assert!(chart(Series::Curves(&[])).png().is_ok());
        assert!(chart(Series::Bars(&[], &[])).svg().contains("</svg>"));
    }

    #[test]
    fn numbers_are_short() {
        let found = [0.0, 0.05, 0.5, 2.5, 40.0, 2500.0, 25_000.0, 3e6].map(number);
        assert_eq!(
            found,
            ["0", "0.05", "0.5", "2.5", "40", "2500", "25k", "3M"]
        );
    }
}
