//! Charts, as SVG.

use plotters::prelude::*;

/// A series of bars, a value for each group.
pub struct Bars {
    /// What the legend calls it.
    pub name: String,
    /// A value for each group.
    pub values: Vec<f64>,
}

/// Wong's palette, which the colour-blind tell apart (Nature Methods 8, 441).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
];

/// An SVG document with a group of bars for each name in `groups`, one bar of each series. Values
/// are in `unit`, and not negative.
pub fn bar_chart(title: &str, unit: &str, groups: &[&str], series: &[Bars]) -> String {
    let mut svg = String::new();
    // Drawing into a string cannot fail.
    draw(&mut svg, title, unit, groups, series).expect("a chart");
    svg
}

fn draw(
    svg: &mut String,
    title: &str,
    unit: &str,
    groups: &[&str],
    series: &[Bars],
) -> Result<(), Box<dyn std::error::Error>> {
    let top = series
        .iter()
        .flat_map(|bars| &bars.values)
        .copied()
        .fold(0.0, f64::max);
    let top = if top > 0.0 { 1.15 * top } else { 1.0 };
    let area = SVGBackend::with_string(svg, (900, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(56)
        .build_cartesian_2d(-0.5..groups.len() as f64 - 0.5, 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * groups.len() + 1)
        .x_label_formatter(&|at| {
            let group = at.round();
            let middle = (at - group).abs() < 1e-6 && group >= 0.0;
            let name = groups.get(group as usize).filter(|_| middle);
            name.map_or(String::new(), |name| (*name).to_owned())
        })
        .y_desc(unit)
        .draw()?;
    let width = 0.8 / series.len().max(1) as f64;
    for (k, bars) in series.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let left = -0.4 + width * k as f64;
        chart
            .draw_series(bars.values.iter().enumerate().map(|(group, &value)| {
                let from = group as f64 + left;
                Rectangle::new([(from, 0.0), (from + 0.92 * width, value)], colour.filled())
            }))?
            .label(&bars.name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}
