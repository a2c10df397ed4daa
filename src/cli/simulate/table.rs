//! The table for people, as in table 2 of Steed and Angus, with what else is counted.

use std::fmt::Write;

use super::document::Document;

pub fn table(document: &Document) -> String {
    let mut text = String::new();
    let Document {
        players,
        frames,
        seconds,
        ..
    } = document;
    let mut line = |words: std::fmt::Arguments| {
        // Writing to a string does not fail.
        let _ = text.write_fmt(words);
        text.push('\n');
    };
    line(format_args!(
        "{players} players, {frames} frames, {seconds:.1} s{}",
        match document.runs {
            1 => String::new(),
            runs => format!(", means of {runs} runs"),
        }
    ));
    if document.positions_nowhere > 0 {
        line(format_args!(
            "{} of {} positions are in no place of the bundle, and count as the place before",
            document.positions_nowhere, document.positions
        ));
    }
    line(format_args!(""));
    line(format_args!(
        "{:<11} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>9} {:>10} {:>9}",
        "scheme",
        "packets",
        "of each",
        "bytes of",
        "ratio to",
        "late",
        "late",
        "exposed",
        "agreements",
        "work",
    ));
    line(format_args!(
        "{:<11} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>9} {:>10} {:>9}",
        "", "a frame", "client", "each", "perfect", "frames", "ms", "s a min", "a minute", "us",
    ));
    for scheme in &document.schemes {
        line(format_args!(
            "{:<11} {:>9.2} {:>9.2} {:>9.1} {:>8.3} {:>8.0} {:>8.1} {:>9.2} {:>10.1} {:>9.1}",
            scheme.name,
            scheme.packets_per_frame,
            scheme.packets_per_client_frame,
            scheme.bytes_per_client_frame,
            scheme.ratio_to_perfect,
            scheme.late_frames,
            scheme.late_ms_mean,
            scheme.exposed_seconds_per_minute,
            scheme.negotiations_per_minute,
            scheme.cpu_us_per_tick,
        ));
    }
    if let Some(bound) = &document.bound {
        line(format_args!(""));
        line(format_args!(
            "With all moves known beforehand, frontier sets take {} agreements: {:.4} times perfect \
             with one packet each, {:.4} with two.",
            bound.agreements, bound.ratio_with_one_packet, bound.ratio_with_two_packets
        ));
    }
    text
}
