//! The colours of the page: those of the pictures that `viewcell` writes.

use serde_json::{Value, json};

/// Colours and ramps (colours at even distances), red, green and blue from 0 to 255.
pub fn palette() -> Value {
    json!({
        "visible": [255, 226, 128],
        "hidden": [62, 84, 150],
        "neutral": [190, 190, 185],
        "nothing": [226, 226, 222],
        "mark": [214, 40, 40],
        "a": [45, 110, 205],
        "b": [222, 120, 20],
        "difference": [204, 121, 167],
        "exposure": [
            [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
            [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]
        ],
        "leastLight": 0.35
    })
}
