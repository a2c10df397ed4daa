//! A bound on all that one input makes its reader hold beside the file itself: what packs unpack to, scripts and
//! libraries that it names, what templates are repeated to. A few kilobytes can ask for gigabytes of each.
//!
//! A reader takes from the bound before it allocates, and returns nothing: what was read once counts to the end.

use super::error::IngestError;

/// What an input may hold.
#[derive(Debug)]
pub(crate) struct Held {
    most: u64,
    left: u64,
}

impl Held {
    /// Most that any input may ask for. [Unit: bytes]
    pub(crate) const MOST: u64 = 512 << 20;

    /// Most that the scripts, or the libraries, of an input may come to: games have a few megabytes. [Unit: bytes]
    const TEXTS: u64 = 64 << 20;

    /// A bound for the texts that an input names, within this one.
    pub(crate) fn of_texts(&self) -> Self {
        Self::within(Some(self.left.min(Self::TEXTS)))
    }

    /// Within so much memory, and within [`Held::MOST`].
    pub(crate) fn within(memory: Option<u64>) -> Self {
        let most = memory.unwrap_or(Self::MOST).min(Self::MOST);
        Self { most, left: most }
    }

    /// What may still be taken. [Unit: bytes]
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Counts what is about to be allocated.
    ///
    /// # Errors
    ///
    /// More than is left; names `what` is too large.
    pub(crate) fn take(&mut self, bytes: u64, what: &str) -> Result<(), IngestError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(IngestError::resource(
                format!("at most {} MiB of {what}", self.most >> 20),
                format!(
                    "{} MiB",
                    (self.most - self.left)
                        .saturating_add(bytes)
                        .div_ceil(1 << 20)
                ),
                "take out what the level does not need",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_counts_to_the_end() {
        let mut held = Held::within(Some(5 << 20));
        held.take(3 << 20, "scripts").unwrap();
        assert_eq!(held.left(), 2 << 20);
        let error = held.take(3 << 20, "scripts").unwrap_err().to_string();
        assert!(
            error.contains("at most 5 MiB of scripts, found 6 MiB"),
            "{error}"
        );
        held.take(2 << 20, "scripts").unwrap();
        assert!(held.take(u64::MAX, "scripts").is_err());
        assert_eq!(held.of_texts().left(), 0);
        assert_eq!(Held::within(None).of_texts().left(), Held::TEXTS);
        assert_eq!(Held::within(None).left(), Held::MOST);
        assert_eq!(Held::within(Some(u64::MAX)).left(), Held::MOST);
    }
}
