//! Serialization of the records of a store: fields one after another, as bincode 1 has them.
//!
//! Numbers are little-endian. A list or a text comes behind its length, a `u64`; an option behind a byte, 0 or 1.

/// What has bytes in a record.
pub(crate) trait Bytes: Sized {
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes it from the front of some bytes. `None` where [`Bytes::put`] made no such bytes.
    fn take(bytes: &mut &[u8]) -> Option<Self>;

    /// Its bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    /// What has these bytes, and no more than these.
    fn of_bytes(mut bytes: &[u8]) -> Option<Self> {
        let this = Self::take(&mut bytes)?;
        bytes.is_empty().then_some(this)
    }
}

/// So many bytes from the front of others. Nothing is allocated for a length that is not there.
fn front<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (front, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(front)
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Bytes for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let (front, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*front))
            }
        }

        impl Bytes for Vec<$number> {
            fn put(&self, out: &mut Vec<u8>) {
                (self.len() as u64).put(out);
                out.reserve(size_of_val(&self[..]));
                for number in self {
                    number.put(out);
                }
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let count = usize::try_from(u64::take(bytes)?).ok()?;
                let length = count.checked_mul(size_of::<$number>())?;
                let (numbers, _) = front(bytes, length)?.as_chunks();
                Some(numbers.iter().map(|&number| <$number>::from_le_bytes(number)).collect())
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64);

impl Bytes for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Vec::take(bytes)?).ok()
    }
}

impl<T: Bytes> Bytes for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(self.is_some()).put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Some(None),
            1 => T::take(bytes).map(Some),
            _ => None,
        }
    }
}

/// The bytes of a struct: those of all its fields, in this order.
macro_rules! record {
    ($record:ident: $($field:ident),+) => {
        impl $crate::job::store::codec::Bytes for $record {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)+
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self {
                    $($field: $crate::job::store::codec::Bytes::take(bytes)?),+
                })
            }
        }
    };
}
pub(super) use record;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Part {
        name: String,
        numbers: Vec<u16>,
        crs: Option<u32>,
    }
    record!(Part: name, numbers, crs);

    /// The bytes of bincode 1, written by hand.
    #[test]
    fn records_have_the_bytes_of_bincode_and_none_of_their_parts_is_one() {
        let part = Part {
            name: "öl".into(),
            numbers: vec![1, 0x203],
            crs: Some(7),
        };
        let bytes = part.to_bytes();
        let expected = b"\x03\0\0\0\0\0\0\0\xc3\xb6l\x02\0\0\0\0\0\0\0\x01\0\x03\x02\x01\x07\0\0\0";
        assert_eq!(bytes, expected);
        assert_eq!(Part::of_bytes(&bytes), Some(part.clone()));
        for length in 0..bytes.len() {
            assert_eq!(Part::of_bytes(&bytes[..length]), None, "{length}");
        }
        assert_eq!(Part::of_bytes(&[&bytes[..], &[0]].concat()), None);
        let mut rest = &[&bytes[..], b"more"].concat()[..];
        assert_eq!(Part::take(&mut rest), Some(part));
        assert_eq!(rest, b"more");
        let none = Part {
            name: String::new(),
            numbers: Vec::new(),
            crs: None,
        };
        assert_eq!(none.to_bytes(), [0; 17]);
        assert_eq!(Part::of_bytes(&[0; 17]), Some(none));
    }

    #[test]
    fn damaged_lengths_options_and_texts_are_found() {
        for length in [3, u64::from(u32::MAX), u64::MAX / 2, u64::MAX] {
            let bytes = [&length.to_le_bytes()[..], &[0; 2]].concat();
            assert_eq!(Vec::<u8>::of_bytes(&bytes), None);
            assert_eq!(Vec::<u16>::of_bytes(&bytes), None);
            assert_eq!(String::of_bytes(&bytes), None);
        }
        assert_eq!(Option::<u8>::of_bytes(&[2, 0]), None);
        assert_eq!(String::of_bytes(b"\x01\0\0\0\0\0\0\0\xff"), None);
    }
}
