//! Charts with words, as SVG and as PNG.

use image::{DynamicImage, RgbImage};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::palette::{self, CATEGORIES};
use super::text::{FONT, ready_font};
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
    /// x and y, neither below 0.
    pub points: Vec<[f64; 2]>,
}

/// What is drawn.
pub enum Series<'a> {
    /// A group of bars for each name, one bar of each series.
    Bars(&'a [&'a str], &'a [Bars]),
    /// Lines on linear axes from 0.
    Curves(&'a [Curve]),
}

/// A chart. Words too long for their place are cut off.
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
}

/// The size of a chart that stands by itself. [Unit: pixels]
pub const CHART_SIZE: (u32, u32) = (900, 480);

type Drawn = Result<(), Box<dyn std::error::Error>>;

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
        let ([right, top], x_labels) = match &self.series {
            Series::Bars(groups, _) => ([groups.len() as f64 - 0.5, self.top()], groups.len()),
            Series::Curves(_) => ([self.greatest(0), self.top()], 6),
        };
        let left = if matches!(self.series, Series::Bars(..)) {
            -0.5
        } else {
            0.0
        };
        let words = |size| (FONT, size).into_font().color(&INK);
        area.fill(&WHITE)?;
        let mut builder = ChartBuilder::on(area);
        builder
            .margin(10)
            .margin_right(20)
            .x_label_area_size(if self.x.is_empty() { 26 } else { 44 })
            .y_label_area_size(62);
        if !self.title.is_empty() {
            builder.caption(self.title, words(19));
        }
        let mut chart = builder.build_cartesian_2d(left..right, 0.0..top)?;
        let x_label = |at: &f64| match &self.series {
            Series::Bars(groups, _) => {
                let group = at.round();
                let middle = (at - group).abs() < 1e-6 && group >= 0.0;
                let name = groups.get(group as usize).filter(|_| middle);
                name.map_or(String::new(), |name| (*name).to_owned())
            }
            Series::Curves(_) => number(*at),
        };
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .bold_line_style(INK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.6))
            .x_desc(self.x)
            .y_desc(self.y)
            .label_style(words(13))
            .axis_desc_style(words(14))
            .y_labels(6)
            .x_label_formatter(&x_label)
            .y_label_formatter(&|at| number(*at));
        match self.series {
            Series::Bars(..) => mesh.x_labels(2 * x_labels + 1),
            Series::Curves(_) => mesh.x_labels(x_labels),
        };
        mesh.draw()?;
        let several = match &self.series {
            Series::Bars(_, series) => {
                let width = 0.8 / series.len().max(1) as f64;
                for (bars, k) in series.iter().zip(0..) {
                    let style = colour(k).filled();
                    let left = -0.4 + width * k as f64;
                    let bar = |(group, &value): (usize, &f64)| {
                        let from = group as f64 + left;
                        Rectangle::new([(from, 0.0), (from + 0.92 * width, value)], style)
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

    /// The end of the y axis.
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
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
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
