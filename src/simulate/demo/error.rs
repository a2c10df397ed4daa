//! What is wrong with a demo, and where.

/// What is wrong with a demo, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}byte {byte}: {what}", .message.map_or(String::new(), |message| format!("message {message}, ")))]
pub struct DemoError {
    /// The number of the message, counted from 1; none for the demo as a whole.
    pub message: Option<u64>,
    /// The byte of the file, counted from 0.
    pub byte: u64,
    /// What was expected, and what was found.
    pub what: String,
}

impl DemoError {
    pub(super) fn at(byte: usize, what: String) -> Self {
        Self {
            message: None,
            byte: byte as u64,
            what,
        }
    }

    /// The same, in the message of a number.
    pub(super) fn in_message(self, message: u64) -> Self {
        Self {
            message: Some(message),
            ..self
        }
    }
}
