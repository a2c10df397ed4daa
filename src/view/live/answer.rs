//! Answers to the page: a head of JSON, and numbers behind it.

use serde_json::{Map, Value};

use super::http::Response;

/// A head of JSON, and numbers behind it.
///
/// On the wire: the length of the head (`u32`, little-endian), the head with spaces up to a
/// multiple of eight bytes from the start, and the numbers, all little-endian.
pub(super) struct Answer {
    head: Map<String, Value>,
    bytes: Vec<u8>,
}

/// Numbers that go over the wire.
pub(super) trait Wire: Copy {
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! wire {
    ($($number:ty)*) => {$(
        impl Wire for $number {
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
wire!(u8 u16 u32 u64 f32);

impl Answer {
    /// An answer with this head; `head` is an object.
    pub(super) fn new(head: Value) -> Self {
        let head = match head {
            Value::Object(head) => head,
            other => Map::from_iter([("answer".to_owned(), other)]),
        };
        Self {
            head,
            bytes: Vec::new(),
        }
    }

    /// With more numbers behind.
    pub(super) fn with<N: Wire>(mut self, numbers: impl IntoIterator<Item = N>) -> Self {
        for number in numbers {
            number.append(&mut self.bytes);
        }
        self
    }

    /// With another entry in the head.
    pub(super) fn entry(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.head.insert(name.to_owned(), value.into());
        self
    }
}

impl Answer {
    /// As it goes over the wire.
    pub(super) fn into_response(self) -> Response {
        let mut head = Value::Object(self.head).to_string().into_bytes();
        head.resize((head.len() + 4).next_multiple_of(8) - 4, b' ');
        let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
        bytes.reserve_exact(head.len() + self.bytes.len());
        bytes.extend(head);
        bytes.extend(self.bytes);
        Response {
            status: 200,
            kind: "application/octet-stream".to_owned(),
            headers: Vec::new(),
            body: bytes,
        }
    }
}

/// Why there is no answer, in words for the page to show.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    reason: String,
}

impl Refusal {
    /// The request asks for what cannot be.
    pub(super) fn bad_request(reason: impl Into<String>) -> Self {
        Self::new(400, reason)
    }

    /// The request is not for this page's ears.
    pub(super) fn forbidden(reason: impl Into<String>) -> Self {
        Self::new(403, reason)
    }

    /// There is no such thing.
    pub(super) fn not_found(reason: impl Into<String>) -> Self {
        Self::new(404, reason)
    }

    /// The bundle cannot tell.
    pub(super) fn damaged() -> Self {
        let reason = "the bundle is damaged here; see what viewcell verify says, and bake again";
        Self::new(500, reason)
    }

    /// There is more of it than can be shown.
    pub(super) fn too_large(reason: impl Into<String>) -> Self {
        Self::new(413, reason)
    }

    /// The server is at fault.
    pub(super) fn failed(reason: impl Into<String>) -> Self {
        Self::new(500, reason)
    }

    fn new(status: u16, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { status, reason }
    }
}

impl Refusal {
    /// Its words, with its status.
    pub(super) fn into_response(self) -> Response {
        Response::words(self.status, &self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_multiple_of_eight_whatever_the_head() {
        for text in ["", "a", "sixteen letters!", "grün"] {
            let answer = Answer::new(serde_json::json!({ "text": text })).with([7_u64, 9]);
            let bytes = answer.into_response().body;
            let head = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            assert_eq!((4 + head) % 8, 0);
            let parsed: Value = serde_json::from_slice(&bytes[4..4 + head]).unwrap();
            assert_eq!(parsed["text"], text);
            assert_eq!(
                bytes[4 + head..],
                [7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
            );
        }
    }
}
