//! GDAL's PAM files (`NAME.EXT.aux.xml`): scale, offset and unit of heights that a raster's own format has no place for.

use std::path::Path;

use super::crs::length_named;
use super::raster::Raster;
use super::source::text_beside;

/// Takes what the PAM file beside a raster says of its first band, where the raster says nothing itself.
pub(super) fn apply(raster: &mut Raster, path: &Path) {
    let mut name = path.as_os_str().to_owned();
    name.push(".aux.xml");
    let Some(text) = text_beside(Path::new(&name)) else {
        return;
    };
    let Some(band) = first_band(&text) else {
        return;
    };
    let number = |tag| {
        element(band, tag)?
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite())
    };
    let said = [
        number("Scale").unwrap_or(1.0),
        number("Offset").unwrap_or(0.0),
    ];
    if (raster.scale, raster.offset) == (1.0, 0.0) && said != [1.0, 0.0] {
        [raster.scale, raster.offset] = said;
    }
    if raster.unit.is_none() {
        raster.unit =
            element(band, "UnitType").and_then(|unit| length_named(unit, &mut raster.notes));
    }
}

/// What is in the element of the first band.
fn first_band(text: &str) -> Option<&str> {
    let start = text.find("<PAMRasterBand")?;
    let rest = &text[start..];
    let head = &rest[..rest.find('>')?];
    let is_first = !head.contains("band=") || head.contains("band=\"1\"");
    let end = rest.find("</PAMRasterBand>").unwrap_or(rest.len());
    is_first.then(|| &rest[..end])
}

/// The text of an element without attributes.
fn element<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inside, _) = rest.split_once('<')?;
    Some(inside.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_band_counts() {
        let text = r#"<PAMDataset><PAMRasterBand band="1"><UnitType>ft</UnitType><Offset> 5 </Offset>
            </PAMRasterBand><PAMRasterBand band="2"><Scale>7</Scale></PAMRasterBand></PAMDataset>"#;
        let band = first_band(text).unwrap();
        assert_eq!(element(band, "Offset"), Some("5"));
        assert_eq!(element(band, "UnitType"), Some("ft"));
        assert_eq!(element(band, "Scale"), None);
        assert!(first_band(r#"<PAMRasterBand band="2"><Scale>7</Scale>"#).is_none());
        assert!(first_band("<PAMRasterBand").is_none());
    }
}
