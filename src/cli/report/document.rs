//! The page as it is filled in.

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use viewcell::picture::{self, Chart};

use crate::cli::exit::{Exit, Failure};

/// All that stands on the page; `page.html` says where.
#[derive(Template)]
#[template(path = "page.html", config = "src/cli/report/askama.toml")]
pub struct Page {
    /// The bundle's name.
    pub name: String,
    /// What it is, in a line.
    pub lead: String,
    /// The few numbers to look at first: name and value.
    pub figures: Vec<(String, String)>,
    /// What should be known before the bundle is used.
    pub warnings: Vec<String>,
    pub sections: Vec<Section>,
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
    /// What it shows, and a PNG in base 64.
    pub picture: Option<(String, String)>,
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Default)]
pub struct Table {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// So many columns hold words, the others numbers.
    pub left: usize,
    /// Whether the first column names what the second tells.
    pub is_words: bool,
}

/// The size of a chart: at the width of a phone its words can be read.
const CHART: (u32, u32) = (460, 300);
/// The width of a picture. [Unit: pixels]
const PICTURE: u32 = 840;

impl Page {
    /// The page's HTML.
    pub fn html(&self) -> Result<String, Failure> {
        self.render()
            .map_err(|error| Failure::new(Exit::Resource, error))
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

    /// With a picture.
    pub fn picture(mut self, page: &picture::Page) -> Result<Self, Failure> {
        let too_large = |error| Failure::new(Exit::Resource, error);
        let drawn = page.draw(PICTURE).map_err(too_large)?;
        let png = picture::png(&drawn).map_err(too_large)?;
        let words = format!("{}. {}", page.title, page.subtitle);
        self.picture = Some((words, STANDARD.encode(png)));
        Ok(self)
    }

    /// With a table of names and what they stand for; nothing where there is none.
    pub fn facts(mut self, rows: Vec<(String, String)>) -> Self {
        self.tables.push(Table {
            rows: rows
                .into_iter()
                .map(|(name, value)| vec![name, value])
                .collect(),
            left: 2,
            is_words: true,
            ..Table::default()
        });
        self
    }

    /// With a table of which `left` columns hold words.
    pub fn table(
        mut self,
        caption: &str,
        left: usize,
        head: &[&str],
        rows: Vec<Vec<String>>,
    ) -> Self {
        self.tables.push(Table {
            caption: caption.to_owned(),
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows,
            left,
            is_words: false,
        });
        self
    }
}
