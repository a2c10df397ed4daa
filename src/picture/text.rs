//! The font of pictures and charts.

use std::sync::Once;

use plotters::style::{FontStyle, register_font};

/// The name of the font in charts and pictures; in an SVG, whatever the reader has of that kind.
pub(super) const FONT: &str = "sans-serif";

/// Ubuntu Light, with Latin, Greek and Cyrillic letters.
pub(super) static LETTERS: &[u8] = epaint_default_fonts::UBUNTU_LIGHT;

/// Lets plotters measure and draw with our own font: what is installed differs from machine to
/// machine, and pictures should not.
pub(super) fn ready_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that a test has read does not fail to parse.
        let registered = register_font(FONT, FontStyle::Normal, LETTERS);
        assert!(registered.is_ok(), "the crate of fonts holds none");
    });
}
