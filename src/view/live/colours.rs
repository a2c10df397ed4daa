//! The colours of [`crate::picture::palette`] in JSON, for the page.

use serde_json::{Value, json};

use crate::picture::palette::{
    CATEGORIES, Colour, HALF_A, HALF_B, HIDDEN, MARK, NEUTRAL, NOTHING, Ramp, VIRIDIS, VISIBLE,
};
use crate::picture::{NUMBER_LIGHT, PLAIN_LIGHT};

/// How many colours stand for a ramp, evenly spaced.
const STOPS: u32 = 33;

/// Colours and ramps (colours at even distances), red, green and blue from 0 to 255; and what is
/// left of a colour in full shadow, where it stands for one thing and where for a number.
pub(super) fn colours() -> Value {
    json!({
        "visible": VISIBLE,
        "hidden": HIDDEN,
        "neutral": NEUTRAL,
        "nothing": NOTHING,
        "mark": MARK,
        "a": HALF_A.at(0.5),
        "b": HALF_B.at(0.5),
        "difference": CATEGORIES[3],
        "numbers": stops(VIRIDIS),
        "plainLight": PLAIN_LIGHT,
        "numberLight": NUMBER_LIGHT,
    })
}

fn stops(ramp: Ramp) -> Vec<Colour> {
    let at = |stop| ramp.at(f64::from(stop) / f64::from(STOPS - 1));
    (0..STOPS).map(at).collect()
}
