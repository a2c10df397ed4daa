//! JSON that does not fit.

/// What a parser says of JSON that it cannot read. It quotes names of fields as errors here quote names of
/// options.
pub fn unread(error: &serde_json::Error) -> String {
    format!("JSON that does not fit: {error}").replace('`', "\"")
}
