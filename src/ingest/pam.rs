//! GDAL's PAM files (`NAME.EXT.aux.xml`): what a raster's own format has no place for, or what somebody corrected without
//! a change of the raster.
//!
//! Of the first band nodata, scale, offset and unit; of the raster its place and coordinate reference system. Which of
//! them come before the raster's own is a matter of the format.

use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::crs::{Crs, length_named};
use super::error::IngestError;
use super::numbers::parse_number;
use super::raster::{Order, Raster};
use super::sidecars::Sidecar;

/// What such a file says.
pub(super) struct Pam {
    path: PathBuf,
    nodata: Option<f64>,
    scale: Option<f64>,
    offset: Option<f64>,
    unit: Option<String>,
    /// GDAL's affine transform of the whole raster.
    pub(super) place: Option<[f64; 6]>,
    crs: Option<String>,
}

/// What comes before what the raster itself says.
#[derive(Clone, Copy, Default)]
pub(super) struct PamFirst {
    pub(super) nodata: bool,
    pub(super) scale: bool,
    pub(super) crs: bool,
}

impl Pam {
    /// The one beside the raster `data`, if there is one. Where somebody gives `nodata`, what the file has is not looked at.
    pub(super) fn beside(data: &Path, nodata: Option<f64>) -> Result<Option<Self>, IngestError> {
        let Some((path, text)) = Sidecar::Pam.text(data)? else {
            return Ok(None);
        };
        Self::parse(&text, path.clone(), nodata.is_some()).map_err(|error| error.about(&path))
    }

    fn parse(text: &str, path: PathBuf, has_nodata: bool) -> Result<Option<Self>, IngestError> {
        let text = text.trim_start_matches('\u{feff}');
        let document = Document::parse(text).map_err(|error| {
            let remedy = "correct the file, or move it away";
            IngestError::bad("XML, as GDAL writes it", error.to_string(), remedy)
        })?;
        let root = document.root_element();
        if !root.has_tag_name("PAMDataset") {
            return Ok(None);
        }
        let is_first = |node: &Node| {
            let band = node.attribute("band").map(str::trim);
            node.has_tag_name("PAMRasterBand") && band.and_then(|n| n.parse().ok()) == Some(1)
        };
        // The last counts, where somebody wrote more than one.
        let band = root.children().rfind(is_first);
        let of_band = |tag| band.and_then(|band| child(band, tag));
        let nodata = of_band("NoDataValue").filter(|_| !has_nodata);
        Ok(Some(Self {
            path,
            nodata: nodata.map(nodata_of).transpose()?.flatten(),
            scale: number(of_band("Scale"), |n| n.is_finite() && n != 0.0)?,
            offset: number(of_band("Offset"), f64::is_finite)?,
            unit: of_band("UnitType")
                .map(text_of)
                .filter(|unit| !unit.is_empty()),
            place: child(root, "GeoTransform").map(place_of).transpose()?,
            crs: child(root, "SRS")
                .map(text_of)
                .filter(|crs| !crs.is_empty()),
        }))
    }

    /// Adds what the file says to a raster, except for its place, which readers need earlier.
    pub(super) fn apply(self, raster: &mut Raster, first: PamFirst) {
        let mut taken = Vec::new();
        if self.nodata.is_some() && (first.nodata || raster.nodata.is_none()) {
            raster.nodata = self.nodata;
            taken.push("nodata");
        }
        let scaled = self.scale.is_some() || self.offset.is_some();
        if scaled && (first.scale || (raster.scale, raster.offset) == (1.0, 0.0)) {
            raster.scale = self.scale.unwrap_or(1.0);
            raster.offset = self.offset.unwrap_or(0.0);
            taken.push("scale and offset");
        }
        if raster.unit.is_none()
            && let Some(unit) = self.unit
        {
            raster.unit = length_named(&unit, &mut raster.notes);
            taken.push("unit of height");
        }
        let placed = Order::of(self.place, raster.window.whole.map(u64::from));
        if placed.is_ok_and(|(_, place)| place.is_some() && place == raster.transform) {
            taken.push("place");
        }
        if (first.crs || raster.crs.is_none())
            && raster.transform.is_some()
            && let Some(text) = self.crs
        {
            raster.crs = Some(Crs::from_text(&text));
            taken.push("coordinate reference system");
        }
        if !taken.is_empty() {
            raster.notes.push(format!(
                "read from {}: {}",
                self.path.display(),
                taken.join(", ")
            ));
        }
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(tag))
}

fn text_of(node: Node) -> String {
    let texts = node
        .children()
        .filter(Node::is_text)
        .filter_map(|node| node.text());
    texts.collect::<String>().trim().to_owned()
}

/// The number of an element; nothing where there is no element, or none in it.
fn number(
    element: Option<Node>,
    is_allowed: impl Fn(f64) -> bool,
) -> Result<Option<f64>, IngestError> {
    let Some(element) = element else {
        return Ok(None);
    };
    let text = text_of(element);
    if text.is_empty() {
        return Ok(None);
    }
    match parse_number(&text).filter(|n| is_allowed(*n)) {
        Some(number) => Ok(Some(number)),
        None => {
            let expected = match element.tag_name().name() {
                "Scale" => "a finite number other than zero, with a point for decimals",
                _ => "a number, with a point for decimals",
            };
            Err(wrong(element, expected, &text))
        }
    }
}

fn wrong(element: Node, expected: &str, found: &str) -> IngestError {
    let shown: String = found.chars().take(60).collect();
    IngestError::bad(
        expected,
        format!("{shown:?}"),
        "correct the file, or move it away",
    )
    .at(format!("element {}", element.tag_name().name()))
}

/// GDAL writes the eight bytes of a number that a text would not give exactly.
fn nodata_of(element: Node) -> Result<Option<f64>, IngestError> {
    let Some(bytes) = element.attribute("le_hex_equiv") else {
        return number(Some(element), |_| true);
    };
    let number = u64::from_str_radix(bytes, 16)
        .ok()
        .filter(|_| bytes.len() == 16);
    match number {
        Some(bits) => Ok(Some(f64::from_bits(bits.swap_bytes()))),
        None => Err(wrong(
            element,
            "eight bytes in hexadecimal as le_hex_equiv",
            bytes,
        )),
    }
}

fn place_of(element: Node) -> Result<[f64; 6], IngestError> {
    let text = text_of(element);
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|word| parse_number(word).filter(|n| n.is_finite()))
        .collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| wrong(element, "six numbers with commas between", &text))
}
