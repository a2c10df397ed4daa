//! The page of a report: its sections, what all pages have in common, and its HTML.

use std::path::Path;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use viewcell_bake::bundle::Info;
use viewcell_view::picture::palette::{Colour, MARK, bytes};
use viewcell_view::picture::{self, Chart, grouped};

use super::look::Look;
use crate::exit::Failure;
use crate::info::{self, reason};
use crate::render::name;
use crate::table::Table;

/// Rows of names and what they stand for.
pub fn named<'n>(rows: impl IntoIterator<Item = (&'n str, String)>) -> Vec<(String, String)> {
    let rows = rows.into_iter();
    rows.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The page around its sections.
pub fn finished_page(
    path: &Path,
    info: &Info,
    figures: Vec<(String, String)>,
    mut warnings: Vec<String>,
    mut sections: Vec<Section>,
) -> Page {
    let made = info.provenance.as_ref();
    let lead = match made {
        Some(made) => format!(
            "Who can see whom in {}, baked by {}",
            made.input.name, made.tool
        ),
        None => "Who can see whom".to_owned(),
    };
    if made.is_none() {
        warnings.push("The bundle does not say how it was made.".into());
    }
    if let Some(loss) = made.and_then(|made| made.loss.as_ref()) {
        warnings.push(format!(
            "Some hidden places are stored as visible, {}; no visible place is stored as hidden.",
            reason(&loss.given)
        ));
    }
    sections.push(sizes(info));
    sections.push(times(info));
    Page {
        name: name(path),
        verb: "viewcell report",
        lead,
        figures,
        warnings,
        sections,
        look: None,
        tool: format!("viewcell {}", env!("CARGO_PKG_VERSION")),
        checksum: info.checksum.clone(),
    }
}

/// What was baked and how.
pub fn making(about: &Info) -> Section {
    let options = about.provenance.iter().flat_map(|made| &made.options);
    let options = options.map(|(name, value)| vec![name.clone(), words(value)]);
    let options = Table::new(2, &["Option", "Value"], options);
    let section = Section::new("What was baked, and how", "");
    let section = section.table("", Table::facts(info::facts(about)));
    if options.rows.is_empty() {
        return section;
    }
    section.table("Options of the bake", options)
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

fn sizes(about: &Info) -> Section {
    let words = format!("The file has {} bytes.", grouped(about.bytes));
    Section::new("Where its bytes go", words).table("", info::sections(about))
}

fn times(about: &Info) -> Section {
    let title = "What the bake took";
    let Some(timings) = &about.timings else {
        let words = "Unknown: there is no file of timings of this bundle beside it.";
        return Section::new(title, words);
    };
    let words = format!("{}.", info::took(timings));
    Section::new(title, words).table("", info::stages(timings))
}

/// All that stands on the page; `page.html` says where.
#[derive(Template)]
#[template(path = "page.html", config = "src/program/report/askama.toml")]
pub struct Page {
    /// The bundle's name.
    pub name: String,
    /// The command that makes the page.
    pub verb: &'static str,
    /// What it is, in a line.
    pub lead: String,
    /// The few numbers to look at first: name and value.
    pub figures: Vec<(String, String)>,
    /// What should be known before the bundle is used.
    pub warnings: Vec<String>,
    pub sections: Vec<Section>,
    /// To look around in, if that was asked for.
    pub look: Option<Look>,
    /// Program and version that made the page.
    pub tool: String,
    /// The bundle's checksum.
    pub checksum: String,
}

/// A part of the page.
#[derive(Default)]
pub struct Section {
    pub title: String,
    pub words: String,
    /// What it shows, and SVG.
    pub charts: Vec<(String, String)>,
    pub picture: Option<Picture>,
    pub tables: Vec<Table>,
}

/// Maps, with their legend in words of the page, which can be read at any width.
pub struct Picture {
    /// Of what they are, and in numbers.
    pub words: String,
    /// For each its caption, and a PNG in base 64.
    pub maps: Vec<(String, String)>,
    pub legend: Vec<LegendKey>,
    /// A length of the first map: its share of the map's width in percent, and in words.
    pub bar: (String, String),
    /// How far north is turned from up, clockwise in degrees.
    pub north: Option<String>,
}

/// What a colour means, or colours from one end to the other.
pub struct LegendKey {
    pub words: String,
    /// As CSS has it.
    pub background: String,
    /// Of many colours: what stands at which percent of the way.
    pub ticks: Vec<(String, String)>,
    /// It is the ring around a place.
    pub is_ring: bool,
}

/// The size of a chart: at the width of a phone its words can be read.
const CHART: (u32, u32) = (460, 300);

/// The width of a map that is alone, and of one of several. [Unit: pixels]
const MAPS: [u32; 2] = [840, 560];

/// How large the names of places are on a map: on a phone they can be read.
const NAMES: f64 = 1.4;

/// Colours of a legend's ramp.
const STOPS: u32 = 9;

impl Page {
    /// The page's HTML.
    pub fn html(&self) -> Result<String, Failure> {
        self.render().map_err(Failure::resource)
    }
}

impl Section {
    pub fn new(title: &str, words: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            words: words.into(),
            ..Self::default()
        }
    }

    /// With a chart.
    pub fn chart(mut self, chart: Chart<'_>) -> Self {
        let title = chart.title.to_owned();
        let svg = Chart {
            size: CHART,
            ..chart
        }
        .svg();
        self.charts.push((title, svg));
        self
    }

    /// With the maps of a picture, and what it says around them.
    pub fn picture(mut self, page: &picture::Page) -> Result<Self, Failure> {
        let [alone, several] = MAPS;
        let width = if page.panels.len() > 1 {
            several
        } else {
            alone
        };
        let map = |panel: &picture::Panel| {
            let png = picture::png(&page.map(panel, width, NAMES));
            png.map(|png| (panel.caption.clone(), STANDARD.encode(png)))
        };
        let maps: Result<_, _> = page.panels.iter().map(map).collect();
        let (part, length) = page.bar(0.3);
        self.picture = Some(Picture {
            words: match page.squeeze() {
                Some(squeeze) => format!("{} ({squeeze})", page.subtitle),
                None => page.subtitle.clone(),
            },
            maps: maps.map_err(Failure::resource)?,
            legend: page.legend.iter().map(LegendKey::new).collect(),
            bar: (percents(part), length),
            north: page.north.map(|north| format!("{:.0}", north.to_degrees())),
        });
        Ok(self)
    }

    /// With a table.
    pub fn table(mut self, caption: &str, table: Table) -> Self {
        self.tables.push(Table {
            caption: caption.to_owned(),
            ..table
        });
        self
    }
}

impl LegendKey {
    fn new(key: &picture::Key) -> Self {
        let (words, background, ticks) = match key {
            picture::Key::Swatch(colour, words) => (words, css(*colour), vec![]),
            picture::Key::Mark(words) => (words, css(MARK), vec![]),
            picture::Key::Ramp(ramp, words, ticks) => {
                let at = |stop| css(ramp.at(f64::from(stop) / f64::from(STOPS - 1)));
                let stops: Vec<String> = (0..STOPS).map(at).collect();
                let ticks = ticks.iter().map(|(at, text)| (percents(*at), text.clone()));
                let background = format!("linear-gradient(90deg, {})", stops.join(", "));
                (words, background, ticks.collect())
            }
        };
        Self {
            words: words.clone(),
            background,
            ticks,
            is_ring: matches!(key, picture::Key::Mark(_)),
        }
    }
}

fn percents(part: f64) -> String {
    format!("{:.1}%", 100.0 * part)
}

fn css(colour: Colour) -> String {
    let [r, g, b] = bytes(colour);
    format!("#{r:02x}{g:02x}{b:02x}")
}
